"""Sets of items beside the lists: what a user met, what was relevant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from recsys_metrics._sorted import factorize
from recsys_metrics.beyond_accuracy._arguments import BoolArray, IntArray, is_collection, kind
from recsys_metrics.beyond_accuracy._lists import Lists, flatten
from recsys_metrics.interactions import Interactions

# Cells of a lookup table of booleans: about what one core's second-level cache holds.
_TABLE_CELLS = 2**21
# Above this many item numbers a table row no longer pays; the items are renumbered first.
_WIDEST_CATALOGUE = 2**20


@dataclass(frozen=True, eq=False)
class Sets:
    """A set of items per list: set i is `items[indptr[i]:indptr[i + 1]]`, each item once."""

    indptr: IntArray
    items: IntArray

    @property
    def sizes(self) -> IntArray:
        """Return the number of items of each set."""
        return np.diff(self.indptr)

    @property
    def rows(self) -> IntArray:
        """Return the set that each item belongs to."""
        return np.repeat(np.arange(len(self.indptr) - 1), self.sizes)


def read_sets(given: Any, lists: Lists, name: str, *, graded: bool = False) -> Sets:
    """Return one set of items per list.

    `given` is one set for one list; a sequence of sets in the lists' order, or a mapping from
    user to set; a table of item numbers with -1 for nothing; a sparse lists x items matrix; a
    triple `(indptr, items, grades)`; or Interactions, whose user i belongs to list i. `graded`
    reads a mapping from id to grade, and keeps the items with a grade above 0.
    """
    arrays = _set_arrays(given, name, graded)
    if arrays is None:
        rows, items = _set_objects(given, lists, name, graded)
    else:
        rows, items, n_rows = arrays
        if n_rows != len(lists):
            raise ValueError(
                f"recommended holds {len(lists)} lists and {name} has {n_rows} rows; "
                "each list needs its own"
            )
        lists.ids.take_numbers(name)
    return _as_sets(rows, items, len(lists))


def contained(lists: Lists, sets: Sets) -> BoolArray:
    """Return where a list's item is in the list's set."""
    items, members = lists.items, sets.items
    found = np.zeros(items.shape, dtype=bool)
    if not items.size or not members.size:
        return found
    if max(int(items.max()), int(members.max())) >= _WIDEST_CATALOGUE:
        everything = np.concatenate([items.ravel(), members])
        numbers, renumbered = factorize(everything)
        renumbered -= int(numbers[0] == -1)
        items = renumbered[: items.size].reshape(items.shape)
        members = renumbered[items.size :]
    # One column more: an empty slot, -1, reads the last one, which is never written.
    columns = 2 + max(int(items.max()), int(members.max()))
    height = max(1, min(len(items), 4096, _TABLE_CELLS // columns))
    table = np.zeros(height * columns, dtype=bool)
    offsets = np.arange(height) * columns
    slots = np.where(items < 0, columns - 1, items)
    sizes = sets.sizes
    for start in range(0, len(items), height):
        stop = min(start + height, len(items))
        here = slice(int(sets.indptr[start]), int(sets.indptr[stop]))
        known = np.repeat(offsets[: stop - start], sizes[start:stop]) + members[here]
        table[known] = True
        found[start:stop] = table[slots[start:stop] + offsets[: stop - start, None]]
        table[known] = False
    return found


def _set_arrays(given: Any, name: str, graded: bool) -> tuple[IntArray, IntArray, int] | None:
    """Return rows, items and the number of rows, if the sets came as arrays."""
    grades: Any
    if isinstance(given, Interactions):
        rows, items, n_rows = given.user.astype(np.intp), given.item.astype(np.intp), None
        grades, n_rows = given.rating, given.n_users
        if not graded:
            grades = None
    elif hasattr(given, "tocsr"):
        table = given.tocsr()
        n_rows = table.shape[0]
        rows = np.repeat(np.arange(n_rows), np.diff(table.indptr).astype(np.intp))
        items, grades = table.indices.astype(np.intp), table.data
    elif isinstance(given, tuple) and len(given) == 3 and all(_is_array(x) for x in given):
        indptr, items, grades = given
        n_rows = len(indptr) - 1
        rows = np.repeat(np.arange(n_rows), np.diff(indptr).astype(np.intp))
        items = items.astype(np.intp)
    elif isinstance(given, np.ndarray) and np.issubdtype(given.dtype, np.integer):
        table = np.atleast_2d(given)
        rows, column = np.nonzero(table >= 0)
        return rows, table[rows, column].astype(np.intp), len(table)
    else:
        return None
    if grades is not None:
        bad = ~(np.isfinite(grades) & (grades >= 0)) if graded else np.isnan(grades)
        if bad.any():
            at = int(bad.argmax())
            raise ValueError(
                f"{name} has the grade {grades[at]} for item {items[at]} in row {rows[at]}; "
                "a grade is a finite number, 0 or more"
            )
        kept = grades != 0
        rows, items = rows[kept], items[kept]
    return rows, items, n_rows


def _set_objects(given: Any, lists: Lists, name: str, graded: bool) -> tuple[IntArray, IntArray]:
    """Return rows and items of sets that came as Python objects."""
    entries = _set_entries(given, lists, name)
    if graded:
        entries = [
            _above_zero(entry, name, lists.name(row)) if isinstance(entry, Mapping) else entry
            for row, entry in enumerate(entries)
        ]
    flat = flatten(entries)
    sizes = np.array([len(entry) for entry in entries], dtype=np.intp)
    rows = np.repeat(np.arange(len(entries)), sizes)
    numbers = lists.ids.number(flat, name, lambda i: f" for {lists.name(int(rows[i]))}")
    return rows, numbers


def _set_entries(given: Any, lists: Lists, name: str) -> list[Any]:
    """Return one collection of ids per list."""
    if lists.users is not None:
        if not isinstance(given, Mapping):
            raise TypeError(
                f"recommended is keyed by user, so {name} must be too: a mapping from user to "
                f"items, not {kind(given)}"
            )
        entries = [given.get(user, ()) for user in lists.users]
    elif lists.single:
        entries = [given]
    else:
        if isinstance(given, Mapping | AbstractSet | str | bytes) or not isinstance(
            given, Sequence | np.ndarray
        ):
            raise TypeError(
                f"recommended holds {len(lists)} lists, so {name} must be a sequence with the "
                f"items of each, not {kind(given)}"
            )
        entries = list(given)
    if len(entries) != len(lists):
        raise ValueError(
            f"recommended holds {len(lists)} lists and {name} {len(entries)} entries; "
            "each list needs its own"
        )
    for row, entry in enumerate(entries):
        if not is_collection(entry) and not isinstance(entry, tuple):
            raise TypeError(
                f"{name} for {lists.name(row)} must be a set or list of ids, not {kind(entry)}"
            )
    return entries


def _above_zero(grades: Mapping[Any, Any], name: str, whose: str) -> list[Any]:
    """Return the ids whose grade is above 0."""
    for item, grade in grades.items():
        if isinstance(grade, str) or not (np.isfinite(grade) and grade >= 0):
            raise ValueError(
                f"{name} for {whose} gives item {item!r} the grade {grade!r}; a grade is a finite "
                "number, 0 or more"
            )
    return [item for item, grade in grades.items() if grade > 0]


def _as_sets(rows: IntArray, items: IntArray, n_rows: int) -> Sets:
    """Return row and item pairs as sets, each pair once."""
    same_row = rows[1:] == rows[:-1]
    if ((rows[1:] < rows[:-1]) | (same_row & (items[1:] <= items[:-1]))).any():
        order = np.lexsort((items, rows))
        rows, items = rows[order], items[order]
        first = np.ones(len(rows), dtype=bool)
        first[1:] = (rows[1:] != rows[:-1]) | (items[1:] != items[:-1])
        rows, items = rows[first], items[first]
    indptr = np.zeros(n_rows + 1, dtype=np.intp)
    np.cumsum(np.bincount(rows, minlength=n_rows), out=indptr[1:])
    return Sets(indptr, items)


def _is_array(given: Any) -> bool:
    return isinstance(given, np.ndarray)
