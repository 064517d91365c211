"""Digests that tell whether two reports are of the same users and of what is relevant to them.

They are the same for any order of the users, any batches and any form of the input, on every
machine, and no proof against forgery.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.blocks import over_blocks
from recsys_metrics._core.inputs.arrays import IntArray, as_doubles
from recsys_metrics._core.inputs.ids import Ids
from recsys_metrics._core.inputs.item_sets import ItemSets

Digests = NDArray[np.uint64]

# Text is read as a table of characters, of at most so many bytes.
_TEXT_BYTES = 2**26
# A step for each place of the longest text: of what is longer, a hash is faster.
_LONGEST_TEXT = 256
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def digests_of(sets: ItemSets, ids: Ids) -> Digests:
    """Return a digest of the relevant items of each list and of their grades."""
    labels = hash_ids([*ids.index]) if ids.index else None

    def hashed(items: IntArray) -> Digests:
        return _of_numbers(items) if labels is None else labels[items]

    digests = np.zeros(len(sets.indptr) - 1, dtype=np.uint64)

    def fill(block: slice) -> None:
        indptr = sets.indptr[block.start : block.stop + 1]
        here = slice(int(indptr[0]), int(indptr[-1]))
        grades = None if sets.given_grades is None else sets.given_grades[here]
        digests[block] = truth_digests(hashed(sets.items[here]), grades, indptr - here.start)

    over_blocks(fill, len(digests), 1 + len(sets.items) // max(1, len(digests)))
    return digests


def truth_digests(items: Digests, grades: NDArray[Any] | None, indptr: IntArray) -> Digests:
    """Return the digest of each row of hashed items, whatever their order in it."""
    if grades is None:
        entries = _mixed(items ^ _mixed(_bits(np.ones(1))))
    else:
        entries = _mixed(items ^ _mixed(_bits(grades)))
    # Sums that wrap around, and so do their differences.
    running = np.zeros(len(entries) + 1, dtype=np.uint64)
    np.cumsum(entries, out=running[1:])
    digests: Digests = running[indptr[1:]] - running[indptr[:-1]]
    return digests


def digest_of(users: Sequence[Hashable] | None, truths: Digests) -> int:
    """Return one number, below 2**64, for all users and what is relevant to them."""
    whose = np.zeros(1, dtype=np.uint64) if users is None else hash_ids(users)
    return int(_mixed(truths ^ _mixed(whose)).sum(dtype=np.uint64))


def digest_of_ids(ids: Sequence[Hashable], counts: NDArray[Any] | None = None) -> int:
    """Return one number, below 2**64, for different ids in any order, perhaps with their counts."""
    if not len(ids):
        return 0
    hashes = _mixed(hash_ids(ids))
    if counts is not None:
        hashes = _mixed(hashes ^ _mixed(_bits(counts)))
    return int(hashes.sum(dtype=np.uint64))


def hash_ids(ids: Sequence[Any]) -> Digests:
    """Return a hash of each id that is the same on every machine."""
    kinds = {*map(type, ids)}
    if kinds == {str}:
        lengths = np.fromiter(map(len, ids), np.int64, len(ids))
        is_long = lengths > _LONGEST_TEXT
        if is_long.any():
            hashes = np.empty(len(ids), dtype=np.uint64)
            hashes[is_long] = [_of_id(ids[at]) for at in np.flatnonzero(is_long).tolist()]
            rest = np.flatnonzero(~is_long)
            hashes[rest] = hash_ids([ids[at] for at in rest.tolist()])
            return hashes
        if 4 * len(ids) * int(lengths.max()) <= _TEXT_BYTES:
            return _of_text(ids, lengths)
    if kinds == {int} and min(ids) >= -1 and max(ids) < 2**63:
        return _of_numbers(np.array(ids, dtype=np.int64))
    return np.array([_of_id(each) for each in ids], dtype=np.uint64)


def _of_numbers(numbers: IntArray) -> Digests:
    """Return the hashes of whole numbers: a number is its own successor."""
    return numbers.astype(np.uint64) + np.uint64(1)


def _of_text(ids: Sequence[str], lengths: NDArray[np.int64]) -> Digests:
    """Return the hashes of texts, a character of all of them at a time."""
    hashes = _mixed(lengths.astype(np.uint64))
    shortest, width = int(lengths.min()), int(lengths.max())
    if width:
        letters = np.array(ids).view(np.uint32).reshape(len(ids), width)
        for place, column in enumerate(letters.T):
            mixed = (hashes ^ column) * _GOLDEN
            mixed ^= mixed >> np.uint64(29)
            # A text that has ended keeps its hash, whatever the length of its neighbours.
            hashes = mixed if place < shortest else np.where(place < lengths, mixed, hashes)
    return hashes


def _of_id(each: Any) -> int:
    plain = _plain(each)
    if isinstance(plain, int) and -1 <= plain < 2**63:
        return plain + 1
    if isinstance(plain, str) and len(plain) <= _LONGEST_TEXT:
        lengths = np.array([len(plain)], dtype=np.int64)
        return int(_of_text([plain], lengths)[0])
    # Imported late: most ids are text or whole numbers.
    from hashlib import blake2b

    return int.from_bytes(blake2b(repr(plain).encode(), digest_size=8).digest(), "little")


def _plain(each: Any) -> Any:
    """Return an id in one form for all that equal it: 1.0 and True as 1, parts of tuples too."""
    if isinstance(each, str):
        # A member of an enumeration that is text, too.
        return str.__str__(each)
    if isinstance(each, np.generic):
        each = each.item()
    if isinstance(each, Number):
        try:
            whole = int(each)  # type: ignore[call-overload]
        except (TypeError, ValueError, OverflowError):
            return each
        return whole if whole == each else each
    if isinstance(each, tuple):
        return tuple(map(_plain, each))
    if isinstance(each, frozenset):
        return "frozenset", tuple(sorted(map(repr, map(_plain, each))))
    return each


def _bits(grades: NDArray[Any]) -> Digests:
    # 0.0 is added, for -0.0 is 0.0 and has other bits.
    return (as_doubles(np.asarray(grades)) + 0.0).view(np.uint64)


def _mixed(numbers: Digests) -> Digests:
    """Return numbers with every bit spread over all (the last steps of SplitMix64)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
