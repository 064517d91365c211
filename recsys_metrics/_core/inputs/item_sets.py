"""One set of item numbers for each list, with grades where there are any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.inputs.arrays import IntArray
from recsys_metrics._core.inputs.tables import row_pointers, row_sizes


@dataclass(frozen=True, eq=False)
class ItemSets:
    """A set of items for each list.

    Attributes
    ----------
    indptr, items : arrays of int
        Set i is `items[indptr[i]:indptr[i + 1]]`, each item once.
    given_grades : array or None
        The grade of each item, 0 for judged and not relevant; None where every one is 1.
    n_repeats : int
        How many items were taken out because their set had them already.
    """

    indptr: IntArray
    items: IntArray
    given_grades: NDArray[Any] | None = None
    n_repeats: int = 0

    @property
    def grades(self) -> NDArray[Any]:
        """Return the grade of each item."""
        if self.given_grades is None:
            return np.ones(len(self.items), dtype=np.uint8)
        return self.given_grades

    @property
    def sizes(self) -> IntArray:
        """Return the number of items of each set."""
        return row_sizes(self.indptr)

    @property
    def rows(self) -> IntArray:
        """Return the set that each item belongs to."""
        return np.repeat(np.arange(len(self.indptr) - 1), self.sizes)

    def relevant(self, threshold: float | None = None) -> ItemSets:
        """Return the items with a grade above 0, or of at least the threshold, without grades."""
        counts = self.grades > 0 if threshold is None else self.grades >= threshold
        return as_sets(self.rows[counts], self.items[counts], len(self.indptr) - 1)


def as_sets(rows: IntArray, items: IntArray, n_rows: int) -> ItemSets:
    """Return row and item pairs as sets, each pair once."""
    same_row = rows[1:] == rows[:-1]
    if ((rows[1:] < rows[:-1]) | (same_row & (items[1:] <= items[:-1]))).any():
        order = np.lexsort((items, rows))
        rows, items = rows[order], items[order]
        first = np.ones(len(rows), dtype=bool)
        first[1:] = (rows[1:] != rows[:-1]) | (items[1:] != items[:-1])
        rows, items = rows[first], items[first]
    return ItemSets(row_pointers(np.bincount(rows, minlength=n_rows)), items)


class ContradictoryGradesError(ValueError):
    """An item has two grades in one set: its row, its number and both grades."""

    def __init__(self, row: int, item: int, low: float, high: float) -> None:
        super().__init__(f"row {row} has item {item} with the grades {low:g} and {high:g}")
        self.row, self.item, self.low, self.high = row, item, low, high


GRADE_CURE = "keep the grade that counts, once for each user and item"
"""What to do about an item that has two grades."""


def merge_repeats(sets: ItemSets) -> ItemSets:
    """Return sets with each item once.

    Raises
    ------
    ContradictoryGradesError
        If an item has two grades in a set, of which only one can be right.
    """
    if first_repeat(sets.indptr, sets.items) is None:
        return sets
    order = np.lexsort((sets.grades, sets.items, sets.rows))
    rows, items, grades = sets.rows[order], sets.items[order], sets.grades[order]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = (rows[1:] != rows[:-1]) | (items[1:] != items[:-1])
    others = np.flatnonzero(~first[1:] & (grades[1:] != grades[:-1])) + 1
    if len(others):
        at = int(others[0])
        raise ContradictoryGradesError(
            int(rows[at]), int(items[at]), float(grades[at - 1]), float(grades[at])
        )
    indptr = row_pointers(np.bincount(rows[first], minlength=len(sets.indptr) - 1))
    given = None if sets.given_grades is None else grades[first]
    return ItemSets(indptr, items[first], given, int(np.count_nonzero(~first)))


def first_repeat(indptr: IntArray, items: IntArray) -> tuple[int, int] | None:
    """Return (row, item) of the first item that a row holds twice, or None."""
    if items.size < 2:
        return None
    rises = items[1:] > items[:-1]
    starts = indptr[(indptr > 0) & (indptr < items.size)]
    rises[starts - 1] = True
    if rises.all():
        return None  # strictly increasing within every row, as scipy leaves them
    rows = np.repeat(np.arange(len(indptr) - 1), row_sizes(indptr))
    # Sorted as one number for each row and item, where such a number has room for both.
    low, width = int(items.min()), int(items.max()) - int(items.min()) + 1
    if len(indptr) * width < 2**62:
        keys = rows * width + (items - low)
        keys.sort()
        twice = keys[1:][keys[1:] == keys[:-1]]
        return (int(twice[0]) // width, int(twice[0]) % width + low) if twice.size else None
    order = np.lexsort((items, rows))
    rows, items = rows[order], items[order]
    same = np.flatnonzero((rows[1:] == rows[:-1]) & (items[1:] == items[:-1]))
    return (int(rows[same[0]]), int(items[same[0]])) if same.size else None
