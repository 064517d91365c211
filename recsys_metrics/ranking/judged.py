"""Judged lists: the grade at each rank, and the grades that could have been found."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._blocks import over_blocks, row_blocks
from recsys_metrics._sorted import distinct
from recsys_metrics.ranking._codes import (
    FEW_LEVELS,
    BoolArray,
    FloatArray,
    IntArray,
    check_threshold,
    code_type,
    row_pointers,
)


@dataclass(frozen=True, eq=False, repr=False)
class Judged:
    """Ranked lists with the grade found at each rank and the grades that could have been found.

    Made by `judge`, or from grades alone by `Judged.from_gains`. Every ranking metric takes
    one. For one list the properties have no list axis: `gains` is (K,), `served` a number.

    The grades are kept as small codes: `codes[i, j]` indexes `levels`, whose first entry, 0.0,
    stands for an item that was not judged. A metric first decides what each level is worth,
    then looks the codes up.

    Attributes
    ----------
    codes : (n, K) array of unsigned int
        Code of the grade at each rank.
    levels : (L,) array
        The grades, ascending after the first.
    lengths : (n,) array of int
        How many ranks each list uses.
    truth_indptr, truth_codes : arrays
        List i's judged items have the codes `truth_codes[truth_indptr[i]:truth_indptr[i + 1]]`.
    threshold : float or None
        Lowest grade that counts as relevant; None means any grade above 0.
    users : tuple or None
        The users' keys in the order of the lists, where the lists came keyed by user.
    single : bool
        Whether this is one list rather than a batch with one list in it.
    """

    codes: IntArray
    levels: FloatArray
    lengths: NDArray[np.intp]
    truth_indptr: NDArray[np.intp]
    truth_codes: IntArray
    threshold: float | None
    users: tuple[Hashable, ...] | None
    single: bool

    @classmethod
    def from_gains(
        cls, gains: ArrayLike, ideal: ArrayLike | None = None, *, threshold: float | None = None
    ) -> Judged:
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
        >>> round(ndcg(shown), 3), round(ndcg(shown, gain="exponential"), 3)
        (0.897, 0.922)
        """
        found = np.asarray(gains, dtype=np.float64)
        if found.ndim not in (1, 2):
            raise ValueError(
                f"gains must be one list (K,) or many (n, K); got {found.ndim} dimensions"
            )
        single = found.ndim == 1
        found = np.atleast_2d(found)
        could = found if ideal is None else np.atleast_2d(np.asarray(ideal, dtype=np.float64))
        if len(could) != len(found):
            raise ValueError(
                f"gains holds {len(found)} lists and ideal {len(could)}; each list needs its own"
            )
        for name, grades in (("gains", found), ("ideal", could)):
            bad = np.argwhere(~(np.isfinite(grades) & (grades >= 0)))
            if len(bad):
                row, rank = (int(x) for x in bad[0])
                raise ValueError(
                    f"{name} of list {row} holds {grades[row, rank]!s} at rank {rank + 1}; "
                    "a grade is a finite number, 0 or more"
                )
        if ideal is not None:
            _check_ideal_holds(found, could)
        levels = distinct(np.concatenate([[0.0], found[found > 0], could[could > 0]]))
        small = code_type(len(levels))
        kept = could > 0
        return cls(
            codes=np.searchsorted(levels, found).astype(small),
            levels=levels,
            lengths=np.full(len(found), found.shape[1], dtype=np.intp),
            truth_indptr=row_pointers(kept.sum(axis=1)),
            truth_codes=np.searchsorted(levels, could[kept]).astype(small),
            threshold=check_threshold(threshold),
            users=None,
            single=single,
        )

    @property
    def gains(self) -> FloatArray:
        """Grade at each rank, 0 where the item is not relevant, not judged, or missing."""
        return self._drop_axis(self.levels[self.codes])

    @property
    def served(self) -> Any:
        """Number of ranks each list uses."""
        return int(self.lengths[0]) if self.single else self.lengths

    @property
    def relevant(self) -> Any:
        """Number of relevant items of each list, found or missed."""
        return int(self.n_relevant[0]) if self.single else self.n_relevant

    @property
    def nonrelevant(self) -> Any:
        """Number of items of each list that were judged and found not relevant."""
        return int(self.n_nonrelevant[0]) if self.single else self.n_nonrelevant

    @property
    def ideal(self) -> FloatArray:
        """Grades above 0 of all judged items, descending; padded with zeros in a batch."""
        indptr, codes = self.ideal_order
        counts = np.diff(indptr)
        table = np.zeros((len(self), int(counts.max(initial=0))))
        rows = np.repeat(np.arange(len(self)), counts)
        table[rows, np.arange(len(codes)) - np.repeat(indptr[:-1], counts)] = self.levels[codes]
        return self._drop_axis(table)

    @cached_property
    def is_relevant(self) -> BoolArray:
        """Whether each level counts as relevant."""
        return self.levels > 0 if self.threshold is None else self.levels >= self.threshold

    @cached_property
    def is_rejected(self) -> BoolArray:
        """Whether each level means judged and not relevant; level 0 was not judged."""
        rejected = ~self.is_relevant
        rejected[0] = False
        return rejected

    @cached_property
    def n_relevant(self) -> NDArray[np.intp]:
        """Number of relevant items, always with a list axis."""
        return self.count_judged(self.is_relevant)

    @cached_property
    def n_nonrelevant(self) -> NDArray[np.intp]:
        """Number of items judged not relevant, always with a list axis."""
        return self.count_judged(self.is_rejected)

    @cached_property
    def hit_pattern(self) -> NDArray[np.uint16]:
        """Hits among each list's first 16 ranks as the bits of a number, rank 1 the lowest."""
        patterns = np.empty(len(self), dtype=np.uint16)
        codes = self.codes[:, :16]
        # The codes follow the grades, so the relevant ones are those from some code on.
        lowest = len(self.levels) - np.count_nonzero(self.is_relevant)

        def pack(block: slice) -> None:
            # Sixteen places for each list: then all of them are packed as one long row.
            hits = np.zeros((block.stop - block.start, 16), dtype=bool)
            hits[:, : codes.shape[1]] = codes[block] >= lowest
            patterns[block] = np.packbits(hits, bitorder="little").view("<u2")

        over_blocks(pack, len(codes), 16)
        return patterns

    @cached_property
    def level_counts(self) -> NDArray[np.int32]:
        """Number of each list's judged items at each level, (n, L)."""
        n_levels = len(self.levels)
        counts = np.zeros((len(self), n_levels), dtype=np.int32)
        for block in row_blocks(len(self), 1, cells=2**13):
            sizes = np.diff(self.truth_indptr[block.start : block.stop + 1])
            here = slice(self.truth_indptr[block.start], self.truth_indptr[block.stop])
            cells = np.repeat(np.arange(len(sizes)) * n_levels, sizes) + self.truth_codes[here]
            counts[block] = np.bincount(cells, minlength=counts[block].size).reshape(-1, n_levels)
        return counts

    @cached_property
    def ideal_order(self) -> tuple[NDArray[np.intp], IntArray]:
        """Row pointers and codes of the judged items with a grade above 0, best first."""
        rows = np.repeat(np.arange(len(self)), np.diff(self.truth_indptr))
        worth = self.levels[self.truth_codes] > 0
        rows, codes = rows[worth], self.truth_codes[worth]
        # One sort of whole numbers: by list, then by grade from the top.
        base = len(self.levels)
        keys = np.sort(rows * base + (base - 1 - codes.astype(np.intp)))
        best_first = (base - 1 - keys % base).astype(codes.dtype)
        return row_pointers(np.bincount(rows, minlength=len(self))), best_first

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        if self.single:
            marks = " ".join("●" if hit else "○" for hit in self.is_relevant[self.codes[0]])
            return f"Judged({marks or 'empty list'}; {self.relevant} relevant)"
        return f"Judged({len(self):,} lists of up to {self.codes.shape[1]})"

    def _drop_axis(self, table: FloatArray) -> FloatArray:
        return table[0] if self.single else table

    def count_judged(self, counted: BoolArray) -> NDArray[np.intp]:
        """Return how many of each list's judged items have a level that is counted."""
        if len(self.levels) <= FEW_LEVELS:
            total = np.zeros(len(self), dtype=np.intp)
            for level in np.flatnonzero(counted):
                total += self.level_counts[:, level]
            return total
        total = row_pointers(counted[self.truth_codes])
        return np.diff(total[self.truth_indptr])


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
            f"holds only {best[row][best[row] > 0].tolist()}; ideal is all relevant items, found "
            "or missed"
        )
