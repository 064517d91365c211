"""What a caller gave as lists and as relevance, read into rows; errors name the list and item."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from numbers import Number, Real
from typing import Any

import numpy as np

from recsys_metrics.ranking._codes import FloatArray, IntArray, row_pointers


def read_lists(recommended: Any, relevant: Any) -> tuple[Any, tuple[Hashable, ...] | None, bool]:
    """Return the lists (an array or a list of sequences), the users, and whether it is one."""
    if isinstance(recommended, Mapping):
        if not isinstance(relevant, Mapping):
            raise TypeError(
                "recommended is keyed by user, so relevant must be too: a mapping from user to "
                f"the user's relevant items, not {kind(relevant)}"
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
            f"not {kind(recommended)}"
        )
    nested_rows = [_is_row(row) for row in recommended]
    if all(nested_rows) and (nested_rows or _holds_truths(relevant)):
        return list(recommended), None, False
    if any(nested_rows):
        odd = nested_rows.index(not nested_rows[0])
        raise TypeError(
            f"recommended mixes lists and ids: entry 0 is {kind(recommended[0])}, "
            f"entry {odd} is {kind(recommended[odd])}"
        )
    return [recommended], None, True


def read_truths(
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
                f"relevant must be a set of ids or a mapping from id to grade, not {kind(relevant)}"
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
            f"relevant items of each, not {kind(relevant)}"
        )
    if len(relevant) != len(lists):
        raise ValueError(
            f"recommended holds {len(lists)} lists and relevant {len(relevant)} entries; "
            "each list needs its own"
        )
    return list(relevant)


def as_triple(relevant: Any) -> tuple[IntArray, IntArray, FloatArray] | None:
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


def as_id_table(lists: Any) -> IntArray:
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


def triple_of_ints(
    truths: Sequence[Any], users: tuple[Hashable, ...] | None
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return sets or mappings of whole-number ids as a CSR triple."""
    sizes = [len(truth) for truth in truths]
    ids = list(chain.from_iterable(truths))
    for position, item in enumerate(ids):
        if isinstance(item, bool) or not isinstance(item, int | np.integer):
            row = int(np.searchsorted(np.cumsum(sizes), position, side="right"))
            raise ValueError(
                f"the lists hold whole numbers but {name_list(row, users)} has the relevant "
                f"item {item!r}, which can never match; use the same ids on both sides"
            )
    grades = grades_of(truths, users)
    return row_pointers(sizes), np.asarray(ids, dtype=np.int64), grades


def name_list(row: int, users: tuple[Hashable, ...] | None = None, single: bool = False) -> str:
    if single:
        return "the list"
    return f"list {row}" if users is None else f"list {row} (user {users[row]!r})"


def kind(value: Any) -> str:
    return f"a {type(value).__name__}"


def _is_row(value: Any) -> bool:
    """Whether a value is a list of ids rather than an id (a tuple is an id)."""
    return isinstance(value, list | AbstractSet | Mapping | np.ndarray)


def _holds_truths(relevant: Any) -> bool:
    return isinstance(relevant, Sequence) and len(relevant) == 0


def id_kind(item: Hashable) -> str:
    if isinstance(item, str | bytes):
        return "text"
    return "numbers" if isinstance(item, Number) else kind(item)[2:] + " ids"


def number_of(
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
            f"{name_list(row, users, single)} {doing} {item!r}, {kind(item)}, which cannot be an "
            "id; ids are strings, numbers or tuples"
        ) from None
    if number == len(numbers) - 1 and (item is None or item != item):
        raise ValueError(
            f"{name_list(row, users, single)} {doing} {item!r}, which is no id; "
            "leave missing items out"
        )
    return number


def ids_of(
    truth: Any, row: int, users: tuple[Hashable, ...] | None, single: bool
) -> Sequence[Hashable]:
    if isinstance(truth, str | bytes) or not hasattr(truth, "__len__"):
        raise TypeError(
            f"{name_list(row, users, single)} has the relevant items {truth!r}, which is one id; "
            f"write {{{truth!r}}} for a set of one"
        )
    return list(truth)


def grades_of(
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
                    f"{name_list(row, users, single)} has grade {grade!r} for item {item!r}; "
                    "a grade is a number"
                )
        grades.extend(truth.values())
    return np.asarray(grades, dtype=np.float64)
