"""Lists and their sets that were read in batches, as if they had been read at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import chain

import numpy as np

from recsys_metrics._core.inputs.arrays import IntArray
from recsys_metrics._core.inputs.ids import Ids
from recsys_metrics._core.inputs.item_sets import ItemSets
from recsys_metrics._core.inputs.lists import Lists
from recsys_metrics._core.inputs.tables import distinct, row_pointers


def copied(sets: ItemSets) -> ItemSets:
    """Return sets that share no memory with what they were read from."""
    return ItemSets(sets.indptr.copy(), sets.items.copy(), sets.grades.copy())


def joined(batches: Sequence[tuple[Lists, ItemSets]]) -> tuple[Lists, ItemSets]:
    """Return all lists in one table, and all sets, with one number for each id."""
    if len(batches) == 1:
        return batches[0]
    index: dict[Hashable, int] | None = {}
    if not any(lists.ids.index for lists, _ in batches):
        index = None
    width = max(lists.items.shape[1] for lists, _ in batches)
    tables, members = [], []
    for lists, sets in batches:
        table, items = _numbered(lists, sets, index)
        tables.append(np.pad(table, ((0, 0), (0, width - table.shape[1])), constant_values=-1))
        members.append(items)
    users = [lists.users for lists, _ in batches]
    keyed = tuple(chain.from_iterable(each for each in users if each is not None))
    whole = None
    if any(lists.whole is not None for lists, _ in batches):
        whole = np.concatenate([lists.ranks for lists, _ in batches])
    return (
        Lists(
            np.concatenate(tables),
            Ids(index),
            None if None in users else keyed,
            single=False,
            whole=whole,
        ),
        ItemSets(
            row_pointers(np.concatenate([sets.sizes for _, sets in batches])),
            np.concatenate(members),
            np.concatenate([sets.grades for _, sets in batches]),
        ),
    )


def _numbered(
    lists: Lists, sets: ItemSets, index: dict[Hashable, int] | None
) -> tuple[IntArray, IntArray]:
    """Return the items of a batch by the numbers of all batches."""
    if index is None:
        return lists.items, sets.items
    used = distinct(np.concatenate([lists.items.ravel(), sets.items]))
    labels = lists.ids.labels(used)
    numbers = np.array([index.setdefault(label, len(index)) for label in labels], dtype=np.intp)
    table = np.where(lists.items < 0, -1, numbers[np.searchsorted(used, lists.items)])
    return table, numbers[np.searchsorted(used, sets.items)]
