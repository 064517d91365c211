"""Judge ranked lists: which grade stands at each rank, and which could have."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from numbers import Number, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._blocks import over_blocks, row_blocks
from recsys_metrics.ranking._match import IntArray, RepeatedItemError, first_repeat, match

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

FEW_LEVELS = 32
"""Up to so many different grades each list's are counted, not sorted."""


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
        levels = np.unique(np.concatenate([[0.0], found[found > 0], could[could > 0]]))
        code_type = _code_type(len(levels))
        kept = could > 0
        return cls(
            codes=np.searchsorted(levels, found).astype(code_type),
            levels=levels,
            lengths=np.full(len(found), found.shape[1], dtype=np.intp),
            truth_indptr=_indptr(kept.sum(axis=1)),
            truth_codes=np.searchsorted(levels, could[kept]).astype(code_type),
            threshold=_check_threshold(threshold),
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
        return _indptr(np.bincount(rows, minlength=len(self))), best_first

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
        total = _indptr(counted[self.truth_codes])
        return np.diff(total[self.truth_indptr])


def judge(recommended: Any, relevant: Any, *, threshold: float | None = None) -> Judged:
    """Judge ranked lists against what is relevant.

    Parameters
    ----------
    recommended
        What was served, best first. Either one list: a sequence of ids, where a string, a
        number or a tuple is an id. Or many: a sequence of such lists, or a mapping from user
        to list. Or an array of whole numbers of shape (n, K), with -1 for an empty slot: the
        rank of an empty slot inside a list stays used, empty slots at the end shorten the list.
    relevant
        What each user wanted. For one list: a set or sequence of ids, or a mapping from id to
        grade. For many: a sequence of those in the same order, or a mapping from user to them.
        For an array also a `scipy.sparse` CSR array (lists x items, data = grade) or a triple
        `(indptr, items, grades)`. A grade of 0 means judged and not relevant; an id that is
        absent was not judged.
    threshold : float, optional
        Lowest grade that counts as relevant for the binary metrics, 4 for "four stars or
        more". By default any grade above 0. Gains keep their grades either way.

    Returns
    -------
    Judged

    Raises
    ------
    ValueError
        If a list holds an id twice, a grade is negative or not finite, the two sides differ
        in length, or ids of the two sides can never match. The message names the list and
        the item.
    TypeError
        If an input is of none of these forms, or an id cannot be hashed.

    Notes
    -----
    A user with relevant items and no list counts as an empty list. A user with a list and no
    entry in `relevant` has nothing relevant. Both are kept, in the order of `recommended` and
    then of `relevant`; `Judged.users` names them.

    Examples
    --------
    >>> from recsys_metrics import judge
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> judged.gains
    array([0., 1., 1., 0., 1.])
    >>> judged.served, judged.relevant
    (5, 4)

    Many lists are the same call:

    >>> judge({"ann": ["A", "B"], "bob": ["C"]}, {"ann": {"B": 3}, "eve": {"A": 1}}).gains
    array([[0., 3.],
           [0., 0.],
           [0., 0.]])
    """
    threshold = _check_threshold(threshold)
    lists, users, single = _read_lists(recommended, relevant)
    triple = _as_triple(relevant)
    if triple is not None:
        return _judge_arrays(_as_id_table(lists), triple, threshold, users, single)
    truths = _read_truths(relevant, lists, users, single)
    if users is not None and isinstance(relevant, Mapping):
        known = set(users)
        extra = [user for user in relevant if user not in known]
        users = (*users, *extra)
        lists = [*lists, *([] for _ in extra)]
        truths = [*truths, *(relevant[user] for user in extra)]
    if isinstance(lists, np.ndarray) and np.issubdtype(lists.dtype, np.integer):
        return _judge_arrays(lists, _triple_of_ints(truths, users), threshold, users, single)
    return _judge_objects(lists, truths, threshold, users, single)


# What the caller gave, read into rows ------------------------------------------------------


def _read_lists(recommended: Any, relevant: Any) -> tuple[Any, tuple[Hashable, ...] | None, bool]:
    """Return the lists (an array or a list of sequences), the users, and whether it is one."""
    if isinstance(recommended, Mapping):
        if not isinstance(relevant, Mapping):
            raise TypeError(
                "recommended is keyed by user, so relevant must be too: a mapping from user to "
                f"the user's relevant items, not {_kind(relevant)}"
            )
        return list(recommended.values()), tuple(recommended), False
    if isinstance(recommended, str | bytes):
        raise TypeError(
            f"recommended is the single id {recommended!r}, not a list of ids; "
            f"write [{recommended!r}] for a list of one"
        )
    if isinstance(recommended, AbstractSet):
        raise TypeError("recommended is a set, which has no order; a ranked list needs one")
    if hasattr(recommended, "__array__") and not isinstance(recommended, np.ndarray):
        recommended = np.asarray(recommended)
    if isinstance(recommended, np.ndarray):
        if recommended.ndim not in (1, 2):
            raise TypeError(
                "an array of recommended ids has shape (K,) or (n, K), "
                f"got {recommended.ndim} dimensions"
            )
        if np.issubdtype(recommended.dtype, np.integer):
            return np.atleast_2d(recommended), None, recommended.ndim == 1
        if np.issubdtype(recommended.dtype, np.floating):
            raise TypeError(
                "recommended is an array of floats; ids are whole numbers. "
                "If these are scores, rank them first: rank_from_scores(scores, k)"
            )
        nested = recommended.tolist()
        return (nested, None, False) if recommended.ndim == 2 else ([nested], None, True)
    if not isinstance(recommended, Sequence) or isinstance(recommended, tuple):
        raise TypeError(
            f"recommended must be a list of ids, a list of lists, a mapping or an array, "
            f"not {_kind(recommended)}"
        )
    nested_rows = [_is_row(row) for row in recommended]
    if all(nested_rows) and (nested_rows or _holds_truths(relevant)):
        return list(recommended), None, False
    if any(nested_rows):
        odd = nested_rows.index(not nested_rows[0])
        raise TypeError(
            f"recommended mixes lists and ids: entry 0 is {_kind(recommended[0])}, "
            f"entry {odd} is {_kind(recommended[odd])}"
        )
    return [recommended], None, True


def _read_truths(
    relevant: Any, lists: Sequence[Any], users: tuple[Hashable, ...] | None, single: bool
) -> list[Any]:
    """Return one entry of relevance per list, in the lists' order."""
    if users is not None:
        return [relevant.get(user, ()) for user in users]
    if single:
        if isinstance(relevant, str | bytes) or not isinstance(
            relevant, Mapping | AbstractSet | Sequence | np.ndarray
        ):
            raise TypeError(
                "relevant must be a set of ids or a mapping from id to grade, "
                f"not {_kind(relevant)}"
            )
        if isinstance(relevant, Sequence) and any(_is_row(x) for x in relevant):
            raise ValueError(
                f"recommended is one list but relevant holds {len(relevant)} entries of several "
                "ids; give the relevant items of this one list"
            )
        return [relevant]
    if isinstance(relevant, Mapping | AbstractSet | str | bytes) or not isinstance(
        relevant, Sequence | np.ndarray
    ):
        raise TypeError(
            f"recommended holds {len(lists)} lists, so relevant must be a sequence with the "
            f"relevant items of each, not {_kind(relevant)}"
        )
    if len(relevant) != len(lists):
        raise ValueError(
            f"recommended holds {len(lists)} lists and relevant {len(relevant)} entries; "
            "each list needs its own"
        )
    return list(relevant)


def _as_triple(relevant: Any) -> tuple[IntArray, IntArray, FloatArray] | None:
    """Return (indptr, items, grades) if relevance came as CSR or as such a triple."""
    if hasattr(relevant, "tocsr"):
        csr = relevant.tocsr()
        return csr.indptr, csr.indices, csr.data
    if (
        isinstance(relevant, tuple)
        and len(relevant) == 3
        and all(isinstance(part, np.ndarray) for part in relevant)
    ):
        return relevant[0], relevant[1], relevant[2]
    return None


def _as_id_table(lists: Any) -> IntArray:
    """Return lists of whole numbers as one table, -1 where a list has ended."""
    if isinstance(lists, np.ndarray):
        return lists
    width = max((len(row) for row in lists), default=0)
    table = np.full((len(lists), width), -1, dtype=np.int64)
    for i, row in enumerate(lists):
        for j, item in enumerate(row):
            if isinstance(item, bool) or not isinstance(item, int | np.integer) or item < 0:
                raise TypeError(
                    f"relevance came as a sparse table, whose items are column numbers, but "
                    f"list {i} recommends {item!r} at rank {j + 1}"
                )
            table[i, j] = item
    return table


def _triple_of_ints(
    truths: Sequence[Any], users: tuple[Hashable, ...] | None
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return sets or mappings of whole-number ids as a CSR triple."""
    sizes = [len(truth) for truth in truths]
    ids = list(chain.from_iterable(truths))
    for position, item in enumerate(ids):
        if isinstance(item, bool) or not isinstance(item, int | np.integer):
            row = int(np.searchsorted(np.cumsum(sizes), position, side="right"))
            raise ValueError(
                f"the lists hold whole numbers but {_name_list(row, users)} has the relevant "
                f"item {item!r}, which can never match; use the same ids on both sides"
            )
    grades = _grades_of(truths, users)
    return _indptr(sizes), np.asarray(ids, dtype=np.int64), grades


# From rows to a Judged ---------------------------------------------------------------------


def _judge_arrays(
    items: IntArray,
    triple: tuple[IntArray, IntArray, FloatArray],
    threshold: float | None,
    users: tuple[Hashable, ...] | None,
    single: bool,
) -> Judged:
    indptr, truth_items, grades = triple
    if not np.issubdtype(truth_items.dtype, np.integer):
        raise TypeError(f"relevant items must be whole numbers, got {truth_items.dtype}")
    if len(indptr) != len(items) + 1:
        raise ValueError(
            f"recommended holds {len(items)} lists and relevant {max(0, len(indptr) - 1)}; "
            "each list needs its own"
        )
    if not (
        len(truth_items) == len(grades) == indptr[-1]
        and indptr[0] == 0
        and (np.diff(indptr) >= 0).all()
    ):
        raise ValueError(
            "relevant is no valid (indptr, items, grades): indptr must rise from 0 to "
            f"the number of items, which is {len(truth_items)}, with {len(grades)} grades"
        )
    if items.size and items.min() < -1:
        row, rank = (int(x) for x in np.argwhere(items < -1)[0])
        raise ValueError(
            f"{_name_list(row, users, single)} holds the id {items[row, rank]} at rank "
            f"{rank + 1}; ids are 0 or more, and -1 is an empty slot"
        )
    if truth_items.size and truth_items.min() < 0:
        row = _row_of(indptr, int(truth_items.argmin()))
        raise ValueError(
            f"{_name_list(row, users, single)} has the relevant item {truth_items.min()}; "
            "ids are 0 or more"
        )
    return _build(items, (indptr, truth_items, grades), threshold, users, single, labels=None)


def _judge_objects(
    lists: Sequence[Any],
    truths: Sequence[Any],
    threshold: float | None,
    users: tuple[Hashable, ...] | None,
    single: bool,
) -> Judged:
    """Give ids numbers in order of appearance, then judge whole numbers."""
    numbers: dict[Hashable, int] = {}
    width = 0
    coded: list[list[int]] = []
    for row, served in enumerate(lists):
        if isinstance(served, AbstractSet | str | bytes | Mapping):
            raise TypeError(
                f"{_name_list(row, users, single)} is {_kind(served)}, not a ranked list of ids"
            )
        coded.append([_number(item, numbers, row, users, single, "recommends") for item in served])
        width = max(width, len(coded[-1]))
    served_kinds = {_id_kind(item) for item in numbers}

    table = np.full((len(coded), width), -1, dtype=np.intp)
    for row, numbered in enumerate(coded):
        table[row, : len(numbered)] = numbered

    wanted = [
        _number(item, numbers, row, users, single, "has the relevant item")
        for row, truth in enumerate(truths)
        for item in _ids_of(truth, row, users, single)
    ]
    labels = list(numbers)
    wanted_kinds = {_id_kind(labels[number]) for number in wanted}
    if served_kinds and wanted_kinds and not served_kinds & wanted_kinds:
        raise ValueError(
            f"the lists hold {' and '.join(sorted(served_kinds))}, {labels[0]!r} for one, and the "
            f"relevant items {' and '.join(sorted(wanted_kinds))}, {labels[wanted[0]]!r} for one: "
            "they can never match. Use the same ids on both sides"
        )
    sizes = [len(truth) for truth in truths]
    triple = (_indptr(sizes), np.asarray(wanted, dtype=np.intp), _grades_of(truths, users, single))
    return _build(table, triple, threshold, users, single, labels)


def _build(
    items: IntArray,
    triple: tuple[IntArray, IntArray, FloatArray],
    threshold: float | None,
    users: tuple[Hashable, ...] | None,
    single: bool,
    labels: Sequence[Hashable] | None,
) -> Judged:
    indptr, truth_items, grades = triple

    def name(item: int) -> str:
        return repr(labels[item] if labels is not None else int(item))

    twice = first_repeat(indptr, truth_items)
    if twice is not None:
        raise ValueError(
            f"{_name_list(twice[0], users, single)} has the relevant item {name(twice[1])} twice; "
            "name each relevant item once"
        )
    bad = ~(np.isfinite(grades) & (grades >= 0))
    if bad.any():
        where = int(bad.argmax())
        raise ValueError(
            f"{_name_list(_row_of(indptr, where), users, single)} has grade {grades[where]!s} "
            f"for item {name(truth_items[where])}; a grade is a finite number, 0 or more"
        )
    levels, truth_codes = _encode(grades)
    try:
        codes = match(items, indptr, truth_items, truth_codes)
    except RepeatedItemError as repeat:
        raise ValueError(
            f"{_name_list(repeat.row, users, single)} recommends item "
            f"{name(items[repeat.row, repeat.first])} twice, at ranks {repeat.first + 1} and "
            f"{repeat.second + 1}; a ranking metric would count it twice. "
            "Remove the repeat or rank each item once"
        ) from None
    return Judged(
        codes=codes,
        levels=levels,
        lengths=_lengths(items),
        truth_indptr=np.asarray(indptr, dtype=np.intp),
        truth_codes=truth_codes,
        threshold=threshold,
        users=users,
        single=single,
    )


def _encode(grades: NDArray[Any]) -> tuple[FloatArray, IntArray]:
    """Return the distinct grades after a leading 0.0, and each grade's place among them."""
    if (grades.size and grades.dtype.kind in "biu") or (grades == np.floor(grades)).all():
        highest = int(grades.max(initial=0))
        if highest < 255:
            # Few small whole numbers, the common case: no sort over all of them.
            whole = grades.astype(np.uint8)
            if highest < FEW_LEVELS:
                present = np.array([g for g in range(highest + 1) if (whole == g).any()], np.uint8)
            else:
                present = np.flatnonzero(np.bincount(whole)).astype(np.uint8)
            levels = np.concatenate([[0.0], present])
            lowest = highest + 1 - len(present)
            if len(present) and lowest == present[0]:
                return levels, whole - np.uint8(lowest) + np.uint8(1)
            codes = np.zeros(highest + 1, dtype=np.uint8)
            codes[present] = np.arange(1, len(present) + 1)
            return levels, codes[whole]
    distinct, places = np.unique(np.asarray(grades, dtype=np.float64), return_inverse=True)
    levels = np.concatenate([[0.0], distinct])
    return levels, (places.reshape(-1) + 1).astype(_code_type(len(levels)))


def _lengths(items: IntArray) -> NDArray[np.intp]:
    """Return how many ranks each list uses: up to its last filled slot."""
    n_lists, width = items.shape
    lengths = np.full(n_lists, width, dtype=np.intp)
    if width == 0:
        return lengths
    short = np.flatnonzero(items[:, -1] < 0)
    filled = items[short] >= 0
    lengths[short] = np.where(filled.any(axis=1), width - filled[:, ::-1].argmax(axis=1), 0)
    return lengths


# Small pieces ------------------------------------------------------------------------------


def _indptr(sizes: Any) -> NDArray[np.intp]:
    counts = np.asarray(sizes, dtype=np.intp)
    pointers = np.zeros(len(counts) + 1, dtype=np.intp)
    np.cumsum(counts, out=pointers[1:])
    return pointers


def _row_of(indptr: IntArray, position: int) -> int:
    return int(np.searchsorted(indptr, position, side="right")) - 1


def _code_type(n_levels: int) -> type[np.unsignedinteger[Any]]:
    return np.uint8 if n_levels <= 2**8 else np.uint16 if n_levels <= 2**16 else np.uint32


def _check_threshold(threshold: float | None) -> float | None:
    if threshold is None:
        return None
    if isinstance(threshold, bool) or not isinstance(threshold, Real | np.number):
        raise TypeError(f"threshold must be a grade above 0, got {threshold!r}")
    if not (math.isfinite(threshold) and threshold > 0):
        raise ValueError(
            f"threshold is the lowest grade that counts as relevant; it must be above 0, "
            f"got {threshold}"
        )
    return float(threshold)


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


def _name_list(row: int, users: tuple[Hashable, ...] | None = None, single: bool = False) -> str:
    if single:
        return "the list"
    return f"list {row}" if users is None else f"list {row} (user {users[row]!r})"


def _kind(value: Any) -> str:
    return f"a {type(value).__name__}"


def _is_row(value: Any) -> bool:
    """Whether a value is a list of ids rather than an id (a tuple is an id)."""
    return isinstance(value, list | AbstractSet | Mapping | np.ndarray)


def _holds_truths(relevant: Any) -> bool:
    return isinstance(relevant, Sequence) and len(relevant) == 0


def _id_kind(item: Hashable) -> str:
    if isinstance(item, str | bytes):
        return "text"
    return "numbers" if isinstance(item, Number) else _kind(item)[2:] + " ids"


def _number(
    item: Any,
    numbers: dict[Hashable, int],
    row: int,
    users: tuple[Hashable, ...] | None,
    single: bool,
    doing: str,
) -> int:
    """Return the number of an id, giving it the next one if it is new."""
    try:
        number = numbers.setdefault(item, len(numbers))
    except TypeError:
        raise TypeError(
            f"{_name_list(row, users, single)} {doing} {item!r}, {_kind(item)}, which cannot be an "
            "id; ids are strings, numbers or tuples"
        ) from None
    if number == len(numbers) - 1 and (item is None or item != item):
        raise ValueError(
            f"{_name_list(row, users, single)} {doing} {item!r}, which is no id; "
            "leave missing items out"
        )
    return number


def _ids_of(
    truth: Any, row: int, users: tuple[Hashable, ...] | None, single: bool
) -> Sequence[Hashable]:
    if isinstance(truth, str | bytes) or not hasattr(truth, "__len__"):
        raise TypeError(
            f"{_name_list(row, users, single)} has the relevant items {truth!r}, which is one id; "
            f"write {{{truth!r}}} for a set of one"
        )
    return list(truth)


def _grades_of(
    truths: Sequence[Any], users: tuple[Hashable, ...] | None, single: bool = False
) -> FloatArray:
    """Return the grades of all truths in a row, 1 where a truth is a plain set."""
    grades: list[Any] = []
    for row, truth in enumerate(truths):
        if not isinstance(truth, Mapping):
            grades.extend([1] * len(truth))
            continue
        for item, grade in truth.items():
            if isinstance(grade, str | bytes) or not isinstance(grade, Real | np.generic):
                raise TypeError(
                    f"{_name_list(row, users, single)} has grade {grade!r} for item {item!r}; "
                    "a grade is a number"
                )
        grades.extend(truth.values())
    return np.asarray(grades, dtype=np.float64)
