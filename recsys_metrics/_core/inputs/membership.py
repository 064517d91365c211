"""Look the recommended items up in the relevant ones, for many lists at once.

The plain definition is one line: the grade at rank j of list i is `truth[i].get(items[i][j])`.
This module does the same over integer arrays. For a block of lists it lays the known grades
out in a small table (lists x items) that stays in the processor's cache, reads the
recommended ids from it, and wipes what it wrote. No list is visited by Python alone.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from recsys_metrics._core.inputs.arrays import BoolArray, IntArray
from recsys_metrics._core.inputs.item_sets import ItemSets
from recsys_metrics._core.inputs.lists import Lists
from recsys_metrics._core.inputs.tables import row_sizes
from recsys_metrics._core.sorted_arrays import factorize

# Bytes of the lookup table: of one so large the lines that are touched stay in a core's caches.
_TABLE_BYTES = 2**22
# Above this many item ids a table row no longer pays; the ids are renumbered first.
_WIDEST_CATALOGUE = 2**22
# Recommended ids whose places in the table are worked out at a time.
_SLOTS = 2**16


def contained(lists: Lists, sets: ItemSets) -> BoolArray:
    """Return where a list's item is in the list's set."""
    ones = np.ones(len(sets.items), dtype=np.uint8)
    return match(lists.items, sets.indptr, sets.items, ones).view(bool)


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
    """
    n_lists, width = items.shape
    codes = np.zeros((n_lists, width), dtype=truth_codes.dtype)
    if codes.size == 0:
        return codes
    if items.dtype.kind == "u" or truth_items.dtype.kind == "u":
        # They meet signed numbers below, and 64 bits of both kinds together become floats.
        items, truth_items = _as_signed(items, truth_items)
    n_items = 1 + max(int(items.max()), int(truth_items.max()) if truth_items.size else -1)
    if n_items > _WIDEST_CATALOGUE:
        items, truth_items, n_items = _renumber(items, truth_items)
    # Column 0 of the table stands for the empty slot and is never written.
    columns = n_items + 1
    height = max(1, min(n_lists, _TABLE_BYTES // columns, _SLOTS // width))
    grades = np.zeros(height * columns, dtype=codes.dtype)
    # Places in the table are worked out for many tables' worth of lists at a time: a table holds
    # so few that calls on its lists alone would cost more than their work.
    n_tables = max(1, min(_SLOTS // (height * width), -(-n_lists // height)))
    offsets = np.arange(height * n_tables, dtype=np.intp) % height * columns + 1
    slots = np.empty((len(offsets), width), dtype=np.intp)

    for start in range(0, n_lists, len(offsets)):
        stop = min(start + len(offsets), n_lists)
        ends = indptr[start : stop + 1]
        here = slice(int(ends[0]), int(ends[-1]))
        bounds = [*(ends[:-1:height] - here.start).tolist(), here.stop - here.start]
        offset = offsets[: stop - start]
        known = np.repeat(offset, row_sizes(ends))
        known += truth_items[here]
        # Widened first, then shifted in place: one step for both would go through a buffer.
        slot = slots[: stop - start]
        slot[...] = items[start:stop]
        slot += offset[:, None]

        known_codes, found = truth_codes[here], codes[start:stop]
        for first, (begin, end) in zip(
            range(0, stop - start, height), pairwise(bounds), strict=True
        ):
            cells = known[begin:end]
            grades[cells] = known_codes[begin:end]
            last = first + height
            grades.take(slot[first:last], out=found[first:last], mode="clip")
            grades[cells] = 0
    return codes


def _as_signed(items: IntArray, truth_items: IntArray) -> tuple[IntArray, IntArray]:
    """Return ids as signed numbers: as they are where they fit, or else numbered anew."""
    if max(int(each.max(initial=0)) for each in (items, truth_items)) < 2**63:
        return items.astype(np.int64), truth_items.astype(np.int64)
    if items.dtype != truth_items.dtype:
        raise ValueError(
            "lists and relevant items contain whole numbers of different types, and some are above "
            "2**63 - 1; give both as np.uint64"
        )
    return _renumber(items, truth_items)[:2]


def _renumber(items: IntArray, truth_items: IntArray) -> tuple[IntArray, IntArray, int]:
    """Give the ids that occur the numbers 0, 1, 2, …; an empty slot stays -1."""
    everything = np.concatenate([items.ravel(), truth_items])
    ids, renumbered = factorize(everything)
    if ids[0] == -1:
        renumbered = renumbered - 1
    lists, truth = np.split(renumbered, [items.size])
    return lists.reshape(items.shape), truth, len(ids)
