"""Read lists of any accepted form into one table of numbers.

A list is a row of the table, a rank a column, -1 an empty slot. Ids that are whole numbers
are their own numbers, so that they index an array of counts or features. Other ids get a
number each, and `Ids` remembers which.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import _sorted
from recsys_metrics._repeats import repeat_in_rows
from recsys_metrics.beyond_accuracy._arguments import (
    BoolArray,
    FloatArray,
    IntArray,
    is_whole,
    kind,
)


class Ids:
    """The number of each id, given in the order in which ids are first met.

    `index` is None where ids are whole numbers and need no other. Which of the two it is, the
    first id decides: lists that are all empty leave it open.
    """

    def __init__(self, index: dict[Hashable, int] | None) -> None:
        self.index = index
        self._labels: list[Hashable] = []

    def number(self, flat: list[Any], name: str, where: Callable[[int], str]) -> IntArray:
        """Return the numbers of ids, new ones where an id is new."""
        if not self.index and flat and whole_numbers(flat) is not None:
            self.index = None
        if self.index is None:
            numbers = whole_numbers(flat)
            if numbers is None:
                odd = next(i for i, x in enumerate(flat) if not is_whole(x) or x < 0)
                raise ValueError(
                    f"the lists hold whole numbers but {name} holds {flat[odd]!r}{where(odd)}, "
                    "which can never match; use the same ids on both sides"
                )
            return numbers
        index = self.index
        known = len(index)
        try:
            numbers = np.array([index.setdefault(x, len(index)) for x in flat], dtype=np.intp)
        except TypeError:
            odd = next(i for i, x in enumerate(flat) if not isinstance(x, Hashable))
            raise TypeError(
                f"{name} holds {kind(flat[odd])}{where(odd)}, which cannot be an id; an id is a "
                "string, a number or a tuple"
            ) from None
        for label in list(index)[known:]:
            if label is None or label != label:
                odd = next(i for i, x in enumerate(flat) if x is label)
                raise ValueError(f"{name} holds {label!r}{where(odd)}; leave missing items out")
        return numbers

    def take_numbers(self, name: str) -> None:
        """Settle on whole numbers, for ids that came as an array of them."""
        if self.index:
            raise ValueError(
                f"the lists hold ids such as {self.label(0)!r}, but {name} came as numbers; use "
                "the same ids on both sides"
            )
        self.index = None

    def label(self, number: int) -> Hashable:
        """Return the id that has a number."""
        if not self.index:
            return number
        if len(self._labels) != len(self.index):
            self._labels = list(self.index)
        return self._labels[number]


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists of items as one table."""

    items: IntArray
    ids: Ids
    users: tuple[Hashable, ...] | None
    single: bool

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def filled(self) -> BoolArray:
        """Where a slot holds an item."""
        return self.items >= 0

    @cached_property
    def lengths(self) -> IntArray:
        """How many items each list holds."""
        if self.full:
            return np.full(len(self), self.items.shape[1])
        lengths: IntArray = self.filled.sum(axis=1)
        return lengths

    @cached_property
    def full(self) -> bool:
        """Whether no slot is empty."""
        return is_full(self.items)

    def name(self, row: int) -> str:
        """Return what an error calls a list."""
        if self.single:
            return "the list"
        return f"list {row}" + (f" (user {self.users[row]!r})" if self.users is not None else "")

    def cut(self, k: int) -> Lists:
        """Return the first k ranks of each list."""
        return replace(self, items=self.items[:, :k])

    def finish(self, values: FloatArray) -> Any:
        """Return a float for one list, else the array."""
        return float(values[0]) if self.single else values


def read_lists(
    given: Any, name: str = "recommended", *, ids: Ids | None = None, repeats: bool = False
) -> Lists:
    """Return lists of any accepted form as a table.

    `ids` continues the numbering of lists read before. `repeats` allows an item twice.
    """
    rows, users, single = _read_rows(given, name)
    if isinstance(rows, np.ndarray):
        if rows.size and rows.min() < -1:
            row, rank = (int(x) for x in np.argwhere(rows < -1)[0])
            raise ValueError(
                f"{name} holds {rows[row, rank]} in list {row} at rank {rank + 1}; item numbers "
                "start at 0, and -1 marks an empty slot"
            )
        ids = ids or Ids({})
        ids.take_numbers(name)
        lists = Lists(_as_places(rows, name), ids, users, single)
    else:
        lists = _number_rows(rows, users, single, name, ids)
    if not repeats:
        _refuse_repeats(lists, name)
    return lists


def _as_places(rows: NDArray[Any], name: str) -> IntArray:
    """Return item numbers as what this machine counts places with: 32 bits in a browser."""
    numbers: IntArray = rows.astype(np.intp, copy=False)
    if numbers is not rows and (numbers != rows).any():
        raise ValueError(
            f"{name} holds the item number {rows[numbers != rows][0]}, and this machine counts to "
            f"{np.iinfo(np.intp).max}; give smaller numbers, or the ids as strings"
        )
    return numbers


def is_full(items: IntArray) -> bool:
    """Whether every slot of a table holds an item."""
    return int(items.min(initial=0)) >= 0


def occurrences(items: IntArray, used: IntArray) -> IntArray:
    """Return how often each number of `used`, all that a table holds, ascending, occurs in it."""
    if not used.size:
        return np.zeros(0, dtype=np.intp)
    dense = _is_dense(int(used[-1]), items)
    numbers = (items if dense else positions(items, used)).reshape(-1)
    times = np.bincount(numbers if is_full(items) else numbers[numbers >= 0])
    return times[used] if dense else times


def positions(items: IntArray, used: IntArray) -> IntArray:
    """Return where in `used`, ascending, each item number stands; -1 stays."""
    if not used.size or not items.size or int(used[-1]) == len(used) - 1:
        return items
    if _is_dense(int(used[-1]), items):
        lookup = np.full(int(used[-1]) + 2, -1, dtype=np.intp)
        lookup[used] = np.arange(len(used))
        found: IntArray = lookup[items]
        return found
    return np.where(items < 0, -1, np.searchsorted(used, items))


def distinct(items: IntArray) -> IntArray:
    """Return the numbers from 0 that occur in a table, ascending."""
    numbers: IntArray = _sorted.distinct(items)
    return numbers[numbers >= 0]


def _is_dense(highest: int, items: IntArray) -> bool:
    """Whether an array with an entry for every number is not much larger than the table."""
    return highest <= 4 * items.size + 2**16


# What the caller gave, read into rows ------------------------------------------------------


def _read_rows(given: Any, name: str) -> tuple[Any, tuple[Hashable, ...] | None, bool]:
    """Return the lists (a table or a list of sequences), the users, and whether it is one."""
    if isinstance(given, Mapping):
        for user, row in given.items():
            if not _is_row(row):
                raise TypeError(
                    f"{name} is a mapping, so each user needs a list of ids; "
                    f"user {user!r} has {kind(row)}"
                )
        return list(given.values()), tuple(given), False
    if isinstance(given, str | bytes):
        raise TypeError(
            f"{name} is the single id {given!r}, not a list of ids; "
            f"write [{given!r}] for a list of one"
        )
    if isinstance(given, AbstractSet):
        raise TypeError(f"{name} is a set, which has no order; a list needs one")
    if hasattr(given, "__array__") and not isinstance(given, np.ndarray):
        given = np.asarray(given)
    if isinstance(given, np.ndarray):
        if given.ndim not in (1, 2):
            raise TypeError(
                f"an array of ids has shape (K,) or (n, K), but {name} has {given.ndim} dimensions"
            )
        if np.issubdtype(given.dtype, np.integer):
            return np.atleast_2d(given), None, given.ndim == 1
        if np.issubdtype(given.dtype, np.floating):
            raise TypeError(f"{name} is an array of floats; item ids are whole numbers")
        nested = given.tolist()
        return (nested, None, False) if given.ndim == 2 else ([nested], None, True)
    if isinstance(given, range):
        given = list(given)
    if not isinstance(given, Sequence) or isinstance(given, tuple):
        raise TypeError(
            f"{name} must be a list of ids, a list of lists, a mapping from user to list, or an "
            f"array, not {kind(given)}"
        )
    nested_rows = [_is_row(row) for row in given]
    if nested_rows and all(nested_rows):
        return list(given), None, False
    if any(nested_rows):
        odd = nested_rows.index(not nested_rows[0])
        raise TypeError(
            f"{name} mixes lists and ids: entry 0 is {kind(given[0])}, "
            f"entry {odd} is {kind(given[odd])}"
        )
    return [given], None, True


def _number_rows(
    rows: list[Any],
    users: tuple[Hashable, ...] | None,
    single: bool,
    name: str,
    ids: Ids | None,
) -> Lists:
    """Return lists of ids as a table of their numbers."""
    flat = flatten(rows)
    sizes = np.array([len(row) for row in rows], dtype=np.intp)

    def where(position: int) -> str:
        row = int(np.searchsorted(np.cumsum(sizes), position, side="right"))
        rank = position - int(sizes[:row].sum()) + 1
        return f" in list {row} at rank {rank}"

    ids = ids or Ids({})
    numbers = ids.number(flat, name, where)
    width = int(sizes.max(initial=0))
    items = np.full((len(rows), width), -1, dtype=np.intp)
    items[np.arange(width) < sizes[:, None]] = numbers
    return Lists(items, ids, users, single)


def _refuse_repeats(lists: Lists, name: str) -> None:
    """Raise if a list holds an item twice."""
    repeat = repeat_in_rows(lists.items)
    if repeat is not None:
        row, first, second = repeat
        raise ValueError(
            f"{name}: {lists.name(row)} holds item "
            f"{lists.ids.label(int(lists.items[row, first]))!r} twice, at ranks {first + 1} and "
            f"{second + 1}; it would count twice. Remove the repeat"
        )


# Small things ------------------------------------------------------------------------------


def flatten(rows: Iterable[Any]) -> list[Any]:
    return list(
        chain.from_iterable(row.tolist() if isinstance(row, np.ndarray) else row for row in rows)
    )


def whole_numbers(flat: list[Any]) -> IntArray | None:
    """Return ids as whole numbers of 0 or more, or None if some are something else."""
    if not all(
        issubclass(kind, int | np.integer) and not issubclass(kind, bool)
        for kind in set(map(type, flat))
    ):
        return None
    try:
        numbers = np.asarray(flat, dtype=np.intp)
    except OverflowError:
        return None
    return numbers if numbers.min(initial=0) >= 0 else None


def _is_row(given: Any) -> bool:
    return isinstance(given, list | range) or (
        not isinstance(given, str | bytes | tuple)
        and hasattr(given, "__array__")
        and np.ndim(given) > 0
    )
