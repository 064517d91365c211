"""Counts of the items, and means over the items of a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.arithmetic import scale_exponent
from recsys_metrics._core.blocks import row_blocks
from recsys_metrics._core.checks import MOST_ENTRIES, first_true
from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray, IntArray
from recsys_metrics._core.inputs.frames import by_item
from recsys_metrics._core.inputs.ids import refuse_types_alike
from recsys_metrics._core.inputs.lists import Lists
from recsys_metrics._core.inputs.tables import distinct, is_full, positions
from recsys_metrics.beyond_accuracy._arguments import check_numbered, read_numbers

ItemCounts = Mapping[Any, float] | ArrayLike


def read_counts(
    item_counts: Any, lists: Lists, *more: IntArray, absent: float | None = None
) -> tuple[FloatArray, list[IntArray]]:
    """Return counts, and the tables of item numbers as positions in them.

    The tables are that of the lists, then `more`. Counts in a mapping are looked up once per
    item that occurs, and those of a pandas column by its labels. `absent` stands in for items
    without a count.
    """
    tables = [lists.items, *more]
    item_counts = by_item(item_counts)
    if isinstance(item_counts, Mapping):
        used = distinct(np.concatenate([distinct(table) for table in tables]))
        labels = [lists.ids.label(int(number)) for number in used]
        if absent is not None:
            refuse_types_alike(labels, item_counts, "the lists", "item_counts", "item")
        found = [item_counts.get(label, absent) for label in labels]
        for label, count in zip(labels, found, strict=True):
            if count is None:
                raise ValueError(
                    f"item {label!r} is not in item_counts; give it a count of 0 if no "
                    f"user interacted with it"
                )
        counts = read_numbers(found, "item_counts", labels)
        return counts, [positions(table, used) for table in tables]
    check_numbered(lists, "item_counts", item_counts, "id to count")
    counts = read_numbers(item_counts, "item_counts", None)
    highest = max(int(table.max(initial=-1)) for table in tables)
    if highest >= len(counts):
        if absent is None:
            raise ValueError(
                f"item {highest} is beyond the {len(counts)} entries of item_counts, which are "
                "numbered from 0; give it a count of 0 if no user interacted with it"
            )
        if highest >= MOST_ENTRIES:
            raise ValueError(
                f"item {highest} is far beyond the {len(counts)} entries of item_counts, which are "
                "numbered from 0; pass a mapping from item to count"
            )
        counts = np.append(counts, np.full(highest + 1 - len(counts), absent))
    return counts, tables


def check_in_history(lists: Lists, items: IntArray, never: BoolArray, words: str) -> None:
    """Raise if a list holds an item without interactions; `items` are places in `never`."""
    if never.any() and (at := first_true(np.append(never, False)[items])):
        item = lists.ids.label(int(lists.items[at]))
        raise ValueError(
            f"{lists.name(at[0])} contains item {item!r}, which no user interacted with, so {words}"
        )


def list_means(items: IntArray, worth: FloatArray, counted: BoolArray | None = None) -> FloatArray:
    """Return each list's mean worth of its items, NaN for a list without any.

    `worth[i]` is the worth of item number i; items that are not `counted` are left out.
    """
    if exponent := scale_exponent(worth):
        scaled: FloatArray = np.ldexp(
            list_means(items, np.ldexp(worth, -exponent), counted), exponent
        )
        return scaled
    values = np.full(len(items), np.nan)
    if counted is None and items.shape[1] and is_full(items):
        for block in row_blocks(*items.shape):
            np.mean(worth[items[block]], axis=1, out=values[block])
        return values
    # An empty slot, -1, reads the entry put behind the last item.
    counts = np.append(np.ones(len(worth), dtype=bool) if counted is None else counted, False)
    worth = np.where(counts, np.append(worth, 0.0), 0.0)
    for block in row_blocks(*items.shape):
        sizes = counts[items[block]].sum(axis=1)
        np.divide(worth[items[block]].sum(axis=1), sizes, out=values[block], where=sizes > 0)
    return values
