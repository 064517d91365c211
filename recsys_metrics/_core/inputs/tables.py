"""What occurs in a table of item numbers, -1 an empty slot, and how often."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics._core import sorted_arrays
from recsys_metrics._core.inputs.arrays import IndexArray, IntArray


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
        return lookup[items]
    return np.where(items < 0, -1, np.searchsorted(used, items))


def distinct(items: IntArray) -> IntArray:
    """Return the numbers from 0 that occur in a table, ascending."""
    numbers = sorted_arrays.distinct(items)
    return numbers[numbers >= 0]


def row_pointers(sizes: Any) -> IndexArray:
    """Return where each row of so many entries begins, and where the last one ends."""
    pointers = np.zeros(len(sizes) + 1, dtype=np.intp)
    np.cumsum(sizes, out=pointers[1:])
    return pointers


def ranks_used(items: IntArray) -> IndexArray:
    """Return how many ranks each list uses: up to its last filled slot."""
    n_lists, width = items.shape
    used = np.full(n_lists, width, dtype=np.intp)
    short = np.flatnonzero(items[:, -1] < 0) if width else ()
    if not len(short):
        return used
    filled = items[short] >= 0
    used[short] = np.where(filled.any(axis=1), width - filled[:, ::-1].argmax(axis=1), 0)
    return used


def row_sizes(indptr: IntArray) -> IndexArray:
    """Return how many entries each row has, as np.diff does, which is slow on a few."""
    sizes: IndexArray = np.subtract(indptr[1:], indptr[:-1])
    return sizes


def row_of(indptr: IntArray, position: int) -> int:
    """Return the row that an entry belongs to."""
    return int(np.searchsorted(indptr, position, side="right")) - 1


def pad(numbers: IntArray, sizes: IntArray) -> IntArray:
    """Return numbers as one row for each size, -1 behind the last of a row."""
    table = np.full((len(sizes), int(sizes.max(initial=0))), -1, dtype=numbers.dtype)
    table[np.arange(table.shape[1]) < sizes[:, None]] = numbers
    return table


def _is_dense(highest: int, items: IntArray) -> bool:
    """Whether an array with an entry for every number is not much larger than the table."""
    return highest <= 4 * items.size + 2**16
