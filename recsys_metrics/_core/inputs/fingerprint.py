"""A number that tells whether lists and what is relevant are the same as another time.

It is the same for any order of the users and any batches, and no proof against forgery.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.blocks import over_blocks
from recsys_metrics._core.inputs.ids import Ids
from recsys_metrics._core.inputs.item_sets import ItemSets
from recsys_metrics._core.inputs.lists import Lists

Digests = NDArray[np.uint64]


def digest_of(lists: Lists, sets: ItemSets) -> int:
    """Return the sum, below 2**64, of a digest of each list with its user and its set."""
    number = _numbering(lists.ids)
    width = lists.items.shape[1]
    # An odd factor for each rank, so that the order counts.
    factors = _mixed(np.arange(1, width + 1, dtype=np.uint64)) | np.uint64(1)
    digests = np.zeros(len(lists), dtype=np.uint64)
    wanted = np.zeros(len(lists), dtype=np.uint64)

    def fill(block: slice) -> None:
        items = lists.items[block]
        digests[block] = np.where(items < 0, np.uint64(0), number(items) * factors).sum(axis=1)
        here = slice(sets.indptr[block.start], sets.indptr[block.stop])
        grades = np.asarray(sets.grades[here], dtype=np.float64).view(np.uint64)
        entries = _mixed(number(sets.items[here]) ^ _mixed(grades))
        # Sums that wrap around, and so do their differences.
        running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(entries, dtype=np.uint64)])
        places = sets.indptr[block.start : block.stop + 1] - here.start
        wanted[block] = np.diff(running[places])

    over_blocks(fill, *lists.items.shape)
    users = np.zeros(1, dtype=np.uint64) if lists.users is None else _of_ids(lists.users)
    return int(_mixed(digests ^ _mixed(wanted + _mixed(users))).sum(dtype=np.uint64))


def _numbering(ids: Ids) -> Any:
    """Return what gives the digests of item numbers."""
    if not ids.index:
        return lambda items: items.astype(np.uint64) + np.uint64(1)
    digests = _of_ids([*ids.index])
    # An empty slot is overwritten by who asks.
    return lambda items: digests.take(items, mode="clip")


def _of_ids(ids: Sequence[Any]) -> Digests:
    """Return the digests of ids: a whole number is its own successor, as in a table of numbers."""
    if set(map(type, ids)) <= {int}:
        return np.array([number % 2**64 for number in ids], dtype=np.uint64) + np.uint64(1)
    return np.array([_of_id(each) for each in ids], dtype=np.uint64)


def _of_id(each: Any) -> int:
    if isinstance(each, int | np.integer) and not isinstance(each, bool):
        return (int(each) + 1) % 2**64
    return int.from_bytes(blake2b(repr(each).encode(), digest_size=8).digest(), "little")


def _mixed(numbers: Digests) -> Digests:
    """Return numbers with every bit spread over all (the last steps of SplitMix64)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
