"""Judged lists: the grade at each rank, and the grades that could have been found."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.blocks import over_blocks, row_blocks
from recsys_metrics._core.inputs.arrays import as_numbers
from recsys_metrics._core.inputs.scalar_or_batch import ManyRows, OneRow
from recsys_metrics._core.inputs.tables import row_sizes
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.ranking._grade_codes import (
    FEW_LEVELS,
    BoolArray,
    FloatArray,
    IntArray,
    check_threshold,
    code_type,
    row_pointers,
)

Values = TypeVar("Values", float, FloatArray)
"""What a metric returns: a float for one list, an array for many."""


class _Count(Protocol):
    @overload
    def __get__(self, judged: Judged[float], owner: Any = ...) -> int: ...
    @overload
    def __get__(self, judged: Judged[FloatArray], owner: Any = ...) -> NDArray[np.intp]: ...


def _count(getter: Callable[[Any], NDArray[np.intp]]) -> _Count:
    """Make a property that counts for each list, and is a number where there is one list."""

    def counts(judged: Judged[Any]) -> Any:
        counted = getter(judged)
        if judged.single:
            return int(counted[0])
        # Metrics read these counts, too, so nobody writes to them.
        counted = counted.view()
        counted.flags.writeable = False
        return counted

    counts.__doc__ = getter.__doc__
    return cast("_Count", property(counts))


@dataclass(frozen=True, eq=False, repr=False)
class Judged(Generic[Values]):
    """Ranked lists with the grade found at each rank and the grades that could have been found.

    Made by `judge`, or from grades alone by `Judged.from_gains`. Every ranking metric takes
    one. For one list the properties have no list axis: `gains` is (K,), `n_returned` a number.
    To a type checker one list is a `Judged[float]`, many are a `Judged[NDArray[np.float64]]`:
    what a metric of them returns.

    Attributes
    ----------
    gains : (n, K) array of float
        Grade at each rank, 0 where the item is not relevant, not judged, or missing; down to
        the cut where `judge` was given one.
    ideal : (n, R) array of float
        Grades above 0 of all judged items, descending.
    n_returned, n_relevant, n_nonrelevant : (n,) arrays of int
        Number of ranks each list uses, of its relevant items, returned or missed, and of the
        items judged not relevant.
    threshold : float or None
        Lowest grade that counts as relevant; None means any grade above 0.
    users : tuple or None
        The users' keys in the order of the lists, where the lists came keyed by user.
    single : bool
        Whether this is one list rather than a batch with one list in it.
    """

    # Grades as small codes: `_codes[i, j]` indexes `_levels`, whose first entry, 0.0, stands for
    # an item that was not judged. A metric decides what each level is worth, then looks it up.
    # The judged items of list i have `_truth_codes[_truth_indptr[i]:_truth_indptr[i + 1]]`.
    _codes: IntArray
    _levels: FloatArray
    _lengths: NDArray[np.intp]
    _truth_indptr: NDArray[np.intp]
    _truth_codes: IntArray
    threshold: float | None
    users: tuple[Hashable, ...] | None
    single: bool
    # The last rank that was judged, where a list goes on below it.
    _cut: int | None = None

    @overload
    @classmethod
    def from_gains(
        cls, gains: OneRow, ideal: ArrayLike | None = ..., *, threshold: float | None = ...
    ) -> Judged[float]: ...
    @overload
    @classmethod
    def from_gains(
        cls, gains: ManyRows, ideal: ArrayLike | None = ..., *, threshold: float | None = ...
    ) -> Judged[FloatArray]: ...
    @overload
    @classmethod
    def from_gains(
        cls, gains: ArrayLike, ideal: ArrayLike | None = ..., *, threshold: float | None = ...
    ) -> Judged[Any]: ...
    @classmethod
    def from_gains(
        cls, gains: ArrayLike, ideal: ArrayLike | None = None, *, threshold: float | None = None
    ) -> Judged[Any]:
        """Judged lists from the grades at each rank, where the item ids are of no interest.

        Parameters
        ----------
        gains : (K,) or (n, K) array of float
            Grade at each rank, 0 where the item is not relevant.
        ideal : (R,) or (n, R) array of float, optional
            Grades of all relevant items, in any order; zeros are ignored. Without it the
            listed items are all there is, and nothing relevant was missed.
        threshold : float, optional
            Lowest grade that counts as relevant. By default any grade above 0.

        Returns
        -------
        Judged

        Examples
        --------
        >>> from recsys_metrics import Judged, ndcg
        >>> shown = Judged.from_gains([3, 0, 1, 0, 2])
        >>> round(ndcg(shown), 3)
        0.897
        >>> round(ndcg(shown, gain="exponential"), 3)
        0.922
        """
        found = as_numbers(gains, "gains")
        if found.ndim not in (1, 2):
            raise ValueError(
                f"gains must be one list (K,) or many (n, K); got {found.ndim} dimensions"
            )
        single = found.ndim == 1
        found = np.atleast_2d(found)
        could = found if ideal is None else np.atleast_2d(as_numbers(ideal, "ideal"))
        if len(could) != len(found):
            raise ValueError(
                f"gains has {len(found)} lists and ideal {len(could)}; each list needs its own"
            )
        for name, grades in (("gains", found), ("ideal", could)):
            bad = np.argwhere(~(np.isfinite(grades) & (grades >= 0)))
            if len(bad):
                row, rank = (int(x) for x in bad[0])
                raise ValueError(
                    f"{name} of list {row} contains {grades[row, rank]!s} at rank {rank + 1}; "
                    "a grade is a finite number, 0 or more"
                )
        if ideal is not None:
            _check_ideal_holds(found, could)
        levels = distinct(np.concatenate([[0.0], found[found > 0], could[could > 0]]))
        small = code_type(len(levels))
        kept = could > 0
        return cls(
            _codes=np.searchsorted(levels, found).astype(small),
            _levels=levels,
            _lengths=np.full(len(found), found.shape[1], dtype=np.intp),
            _truth_indptr=row_pointers(kept.sum(axis=1)),
            _truth_codes=np.searchsorted(levels, could[kept]).astype(small),
            threshold=check_threshold(threshold),
            users=None,
            single=single,
        )

    @property
    def gains(self) -> FloatArray:
        """Grade at each rank, 0 where the item is not relevant, not judged, or missing."""
        return self._drop_axis(self._levels[self._codes])

    @_count
    def n_returned(self) -> NDArray[np.intp]:
        """Number of ranks each list uses."""
        return self._lengths

    @_count
    def n_relevant(self) -> NDArray[np.intp]:
        """Number of relevant items of each list, returned or missed."""
        return self._n_relevant

    @_count
    def n_nonrelevant(self) -> NDArray[np.intp]:
        """Number of items of each list that were judged and are not relevant."""
        return self._n_nonrelevant

    @property
    def ideal(self) -> FloatArray:
        """Grades above 0 of all judged items, descending; padded with zeros in a batch."""
        indptr, codes = self._ideal_order
        counts = np.diff(indptr)
        table = np.zeros((len(self), int(counts.max(initial=0))))
        rows = np.repeat(np.arange(len(self)), counts)
        table[rows, np.arange(len(codes)) - np.repeat(indptr[:-1], counts)] = self._levels[codes]
        return self._drop_axis(table)

    @cached_property
    def _is_relevant(self) -> BoolArray:
        """Whether each level counts as relevant."""
        return self._levels > 0 if self.threshold is None else self._levels >= self.threshold

    @cached_property
    def _is_rejected(self) -> BoolArray:
        """Whether each level means judged and not relevant; level 0 was not judged."""
        rejected = ~self._is_relevant
        rejected[0] = False
        return rejected

    @cached_property
    def _n_relevant(self) -> NDArray[np.intp]:
        """Number of relevant items, always with a list axis."""
        return self._count_judged(self._is_relevant)

    @cached_property
    def _n_nonrelevant(self) -> NDArray[np.intp]:
        """Number of items judged not relevant, always with a list axis."""
        return self._count_judged(self._is_rejected)

    @cached_property
    def _hit_pattern(self) -> NDArray[np.uint16]:
        """Hits among each list's first 16 ranks as the bits of a number, rank 1 the lowest."""
        patterns = np.empty(len(self), dtype=np.uint16)
        codes = self._codes[:, :16]
        # The codes follow the grades, so the relevant ones are those from some code on.
        lowest = len(self._levels) - np.count_nonzero(self._is_relevant)

        def pack(block: slice) -> None:
            # Sixteen places for each list: then all of them are packed as one long row.
            hits = np.zeros((block.stop - block.start, 16), dtype=bool)
            hits[:, : codes.shape[1]] = codes[block] >= lowest
            patterns[block] = np.packbits(hits, bitorder="little").view("<u2")

        over_blocks(pack, len(codes), 16)
        return patterns

    @cached_property
    def _level_counts(self) -> NDArray[np.int32]:
        """Number of each list's judged items at each level, (n, L)."""
        n_levels = len(self._levels)
        counts = np.zeros((len(self), n_levels), dtype=np.int32)
        for block in row_blocks(len(self), 1, cells=2**13):
            sizes = np.diff(self._truth_indptr[block.start : block.stop + 1])
            here = slice(self._truth_indptr[block.start], self._truth_indptr[block.stop])
            cells = np.repeat(np.arange(len(sizes)) * n_levels, sizes) + self._truth_codes[here]
            counts[block] = np.bincount(cells, minlength=counts[block].size).reshape(-1, n_levels)
        return counts

    @cached_property
    def _ideal_order(self) -> tuple[NDArray[np.intp], IntArray]:
        """Row pointers and codes of the judged items with a grade above 0, best first."""
        rows = np.repeat(np.arange(len(self)), np.diff(self._truth_indptr))
        worth = self._levels[self._truth_codes] > 0
        rows, codes = rows[worth], self._truth_codes[worth]
        # One sort of whole numbers: by list, then by grade from the top.
        base = len(self._levels)
        keys = np.sort(rows * base + (base - 1 - codes.astype(np.intp)))
        best_first = (base - 1 - keys % base).astype(codes.dtype)
        return row_pointers(np.bincount(rows, minlength=len(self))), best_first

    def __len__(self) -> int:
        return len(self._codes)

    def __repr__(self) -> str:
        if self.single:
            marks = " ".join("●" if hit else "○" for hit in self._is_relevant[self._codes[0]])
            more = "" if self._cut is None else " …"
            return f"Judged({marks or 'empty list'}{more}; {self.n_relevant} relevant)"
        if self._cut is not None:
            most = self._lengths.max()
            return f"Judged({len(self):,} lists of up to {most}, down to rank {self._cut})"
        return f"Judged({len(self):,} lists of up to {self._codes.shape[1]})"

    def _drop_axis(self, table: FloatArray) -> FloatArray:
        return table[0] if self.single else table

    def _count_judged(self, counted: BoolArray) -> NDArray[np.intp]:
        """Return how many of each list's judged items have a level that is counted."""
        if counted[1:].all():  # level 0 was not judged
            return row_sizes(self._truth_indptr)
        if len(self._levels) <= FEW_LEVELS:
            total = np.zeros(len(self), dtype=np.intp)
            for level, counts in enumerate(counted.tolist()):
                if counts:
                    total += self._level_counts[:, level]
            return total
        total = row_pointers(counted[self._truth_codes])
        return np.diff(total[self._truth_indptr])


def _check_ideal_holds(found: FloatArray, could: FloatArray) -> None:
    """Every grade in a list must be among the grades that could have been found."""
    width = max(found.shape[1], could.shape[1])
    shown, best = (
        -np.sort(-np.pad(grades, ((0, 0), (0, width - grades.shape[1]))), axis=1)
        for grades in (found, could)
    )
    worse = (best < shown).any(axis=1)
    if worse.any():
        row = int(worse.argmax())
        raise ValueError(
            f"list {row} shows the grades {shown[row][shown[row] > 0].tolist()} but its ideal "
            f"has only {best[row][best[row] > 0].tolist()}; ideal is all relevant items, found "
            "or missed"
        )
