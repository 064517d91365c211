"""Find and remove repeated numbers in the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.blocks import on_threads

# Up to so wide, comparing every column with every other takes less than sorting the rows.
_NARROW = 12


def repeat_in_rows(table: NDArray[np.integer[Any]]) -> tuple[int, int, int] | None:
    """Return (row, first place, second place) of a number of 0 or more, or None.

    The row is the first that holds one twice; places are counted from 0. Negative numbers are
    empty slots.
    """
    width = table.shape[1]
    if width < 2:
        return None

    def first(blocks: Sequence[slice]) -> tuple[int, int, int] | None:
        for block in blocks:
            rows = table[block]
            if width <= _NARROW and not _any_pair_alike(rows):
                continue
            if rows.dtype.itemsize > 4 and rows.max(initial=0) < 2**31:
                # Numpy sorts short rows of 32 bits within vector registers.
                rows = rows.astype(np.int32)
            ordered = np.sort(rows, axis=1).reshape(-1)
            # Compared in one long row, where the last of a row has the next row's first beside it.
            same = ordered[1:] == ordered[:-1]
            same[width - 1 :: width] = False
            if not same.any():
                continue
            same &= ordered[1:] >= 0
            if same.any():
                row = block.start + int(same.argmax()) // width
                return row, *_first_pair(table[row].tolist())
        return None

    return next((found for found in on_threads(first, *table.shape) if found), None)


def repeated(table: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Return where a number of 0 or more stands that also stands further left in its row."""
    order = np.argsort(table, axis=1, kind="stable")
    ordered = np.take_along_axis(table, order, axis=1)
    same = np.zeros(table.shape, dtype=bool)
    same[:, 1:] = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    found = np.empty_like(same)
    np.put_along_axis(found, order, same, axis=1)
    return found


def without(
    table: NDArray[Any], cells: NDArray[np.bool_], how: Literal["drop", "blank"]
) -> NDArray[Any]:
    """Return a table with some cells empty, behind the others if they are dropped."""
    blank = np.where(cells, table.dtype.type(-1), table)
    if how == "blank":
        return blank
    return np.take_along_axis(blank, np.argsort(cells, axis=1, kind="stable"), axis=1)


def _any_pair_alike(rows: NDArray[np.integer[Any]]) -> bool:
    """Whether two cells of a row are alike, empty slots included."""
    columns = np.ascontiguousarray(rows.T)
    return any((columns[gap:] == columns[:-gap]).any() for gap in range(1, len(columns)))


def _first_pair(row: list[int]) -> tuple[int, int]:
    """Return the first two places of the first number that stands in a row twice."""
    first = next(at for at, item in enumerate(row) if item >= 0 and item in row[at + 1 :])
    return first, row.index(row[first], first + 1)
