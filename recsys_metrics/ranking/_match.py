"""Look the recommended items up in the relevant ones, for many lists at once.

The plain definition is one line: the grade at rank j of list i is `truth[i].get(items[i][j])`.
This module does the same over integer arrays. For a block of lists it lays the known grades
out in a small table (lists x items) that stays in the processor's cache, reads the
recommended ids from it, and wipes what it wrote. No list is visited by Python alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._repeats import repeat_in_rows
from recsys_metrics._sorted import factorize

IntArray = NDArray[np.integer[Any]]

# Bytes of the lookup table: of one so large the lines that are touched stay in a core's caches.
_TABLE_BYTES = 2**22
# Above this many item ids a table row no longer pays; the ids are renumbered first.
_WIDEST_CATALOGUE = 2**22
# Recommended ids whose places in the table are worked out at a time.
_SLOTS = 2**16


class RepeatedItemError(Exception):
    """A list holds one item twice: `row`, and the two positions, counted from 0."""

    def __init__(self, row: int, first: int, second: int) -> None:
        super().__init__(row, first, second)
        self.row, self.first, self.second = row, first, second


def match(
    items: IntArray, indptr: IntArray, truth_items: IntArray, truth_codes: IntArray
) -> IntArray:
    """Return the code of each recommended item in its own list's truth, 0 where it has none.

    Parameters
    ----------
    items : (n, K) int
        Recommended ids, -1 where a slot is empty.
    indptr : (n + 1,) int
        The truth of list i is `truth_items[indptr[i]:indptr[i + 1]]`.
    truth_items : (m,) int
        Ids, each at most once per list.
    truth_codes : (m,) unsigned int
        A code above 0 for each of them.

    Raises
    ------
    RepeatedItemError
        If a list holds an item twice.
    """
    n_lists, width = items.shape
    codes = np.zeros((n_lists, width), dtype=truth_codes.dtype)
    if codes.size == 0:
        return codes
    n_items = 1 + max(int(items.max()), int(truth_items.max()) if truth_items.size else -1)
    if n_items > _WIDEST_CATALOGUE:
        items, truth_items, n_items = _renumber(items, truth_items)

    repeat = repeat_in_rows(items)
    if repeat is not None:
        raise RepeatedItemError(*repeat)
    # Column 0 of the table stands for the empty slot and is never written.
    columns = n_items + 1
    height = max(1, min(n_lists, _TABLE_BYTES // columns, _SLOTS // width))
    grades = np.zeros(height * columns, dtype=codes.dtype)
    # Places in the table are worked out for many tables' worth of lists at a time: a table holds
    # so few that calls on its lists alone would cost more than their work.
    n_tables = max(1, min(_SLOTS // (height * width), -(-n_lists // height)))
    offsets = np.tile(np.arange(height, dtype=np.intp) * columns + 1, n_tables)
    slots = np.empty((len(offsets), width), dtype=np.intp)

    for start in range(0, n_lists, len(offsets)):
        stop = min(start + len(offsets), n_lists)
        ends = indptr[start : stop + 1]
        here = slice(int(ends[0]), int(ends[-1]))
        offset = offsets[: stop - start]
        known = np.repeat(offset, np.diff(ends))
        known += truth_items[here]
        # Widened first, then shifted in place: one step for both would go through a buffer.
        slot = slots[: stop - start]
        slot[...] = items[start:stop]
        slot += offset[:, None]

        known_codes, found = truth_codes[here], codes[start:stop]
        for first in range(0, stop - start, height):
            last = min(first + height, stop - start)
            truth = slice(int(ends[first]) - here.start, int(ends[last]) - here.start)
            grades[known[truth]] = known_codes[truth]
            grades.take(slot[first:last], out=found[first:last], mode="clip")
            grades[known[truth]] = 0
    return codes


def first_repeat(indptr: IntArray, items: IntArray) -> tuple[int, int] | None:
    """Return (row, id) of the first id that a row of the CSR triple holds twice, or None."""
    if items.size < 2:
        return None
    rises = items[1:] > items[:-1]
    starts = indptr[(indptr > 0) & (indptr < items.size)]
    rises[starts - 1] = True
    if rises.all():
        return None  # strictly increasing within every row, as scipy leaves them
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr).astype(np.intp))
    order = np.lexsort((items, rows))
    rows, items = rows[order], items[order]
    twice = np.flatnonzero((rows[1:] == rows[:-1]) & (items[1:] == items[:-1]))
    return (int(rows[twice[0]]), int(items[twice[0]])) if twice.size else None


def _renumber(items: IntArray, truth_items: IntArray) -> tuple[IntArray, IntArray, int]:
    """Give the ids that occur the numbers 0, 1, 2, …; an empty slot stays -1."""
    everything = np.concatenate([items.ravel(), truth_items])
    ids, renumbered = factorize(everything)
    if ids[0] == -1:
        renumbered = renumbered - 1
    lists, truth = np.split(renumbered, [items.size])
    return lists.reshape(items.shape), truth, len(ids)
