"""The best items of many mappings from item to score, without sorting those below a cut-off."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.blocks import over_blocks, row_blocks
from recsys_metrics._core.inputs.arrays import FloatArray, IndexArray
from recsys_metrics._core.inputs.ties import ListTies, best_first

Scores = dict[Any, Any]

# Types that are packed as floats; scores of others are compared one by one.
_NUMBERS = {float, int, bool, np.float32, np.float64}
# So many scores are in memory at a time.
_CELLS = 2**23
# Up to here floats tell whole numbers apart.
_EXACT = 2.0**53
# A table may hold so many cells for each score; with more, lists differ too much in length.
_PADDING = 4


@dataclass(frozen=True)
class TopRows:
    """The best items of each mapping.

    Attributes
    ----------
    k : int
        The cut-off, or the length of the longest mapping where that is less.
    lengths : (n,) array of int
        How many items each mapping has.
    best : (n, k + 1) array of float
        The highest scores, descending; minus infinity behind the last.
    places : (n, k + 1) array of int
        Where in its mapping each of them stands.
    n_constant : int
        How many mappings have one score for all of several items.
    """

    mappings: Sequence[Scores]
    k: int
    ties: ListTies
    lengths: IndexArray
    best: FloatArray
    places: IndexArray
    n_constant: int = 0

    def rows(self) -> Iterator[Sequence[Any]]:
        """Yield the first k items of each mapping, best first.

        Raises
        ------
        TypeError
            If items of equal scores have no order.
        """
        # Made as they are asked for: so many lists at once would keep the garbage collector busy.
        k = self.k
        equal = (self.best[:, 1:] == self.best[:, :-1]) & (self.best[:, 1:] > -np.inf)
        # Most come with the best first.
        in_order = (self.places[:, :k] == np.arange(k)).all(axis=1)
        of_rows = zip(
            self.mappings,
            np.minimum(self.lengths, k).tolist(),
            equal.any(axis=1).tolist(),
            in_order.tolist(),
            strict=True,
        )
        for row, (scores, end, tied, ready) in enumerate(of_rows):
            if tied:
                lowest = float(self.best[row, end - 1])
                items = [item for item, score in scores.items() if score >= lowest]
                yield best_first(items, scores, self.ties)[:k]
            elif ready:
                yield [*islice(scores, end)]
            elif end > 1:
                yield itemgetter(*self.places[row, :end].tolist())([*scores])
            else:
                yield [[*scores][self.places[row, 0]]] if end else ()

    def n_tied(self, cuts: Iterable[int]) -> int:
        """Return how many lists have equal scores on both sides of one of the cuts."""
        tied = np.zeros(len(self.mappings), dtype=bool)
        for cut in {cut for cut in cuts if cut < self.best.shape[1]}:
            tied |= (self.best[:, cut - 1] == self.best[:, cut]) & (self.lengths > cut)
        return int(np.count_nonzero(tied))


@dataclass(frozen=True)
class RankedRows:
    """Mappings from item to score of any type, each with all its items in order."""

    rows: Sequence[tuple[Sequence[Any], Mapping[Any, Any]]]

    @property
    def n_constant(self) -> int:
        """How many mappings have one score for all of several items."""
        return sum(
            len(items) > 1 and bool(scores[items[0]] == scores[items[-1]])
            for items, scores in self.rows
        )

    def n_tied(self, cuts: Iterable[int]) -> int:
        """Return how many lists have equal scores on both sides of one of the cuts."""
        cuts = {*cuts}
        return sum(
            any(
                cut < len(items) and bool(scores[items[cut - 1]] == scores[items[cut]])
                for cut in cuts
            )
            for items, scores in self.rows
        )


@dataclass(frozen=True)
class ScoredTable:
    """What is known of lists that came as rows with a score.

    Attributes
    ----------
    n_constant : int
        How many lists have one score for all of several items.
    starts, lengths : arrays of int
        Where the scores of each list begin, and how many they are.
    scores : array
        Descending within each list.
    """

    n_constant: int
    starts: IndexArray
    lengths: IndexArray
    scores: NDArray[Any]

    def n_tied(self, cuts: Iterable[int]) -> int:
        """Return how many lists have equal scores on both sides of one of the cuts."""
        tied = np.zeros(len(self.starts), dtype=bool)
        for cut in {*cuts}:
            longer = np.flatnonzero(self.lengths > cut)
            at = self.starts[longer] + cut
            tied[longer] |= self.scores[at] == self.scores[at - 1]
        return int(np.count_nonzero(tied))


def top_rows(mappings: Sequence[Scores], k: int, ties: ListTies) -> TopRows | None:
    """Return the k best items of each mapping, or None where a score is unusual.

    `in_order_of_scores` then says what is wrong, or sorts what has no place in a table.
    """
    lengths = np.fromiter(map(len, mappings), np.intp, len(mappings))
    width = int(lengths.max(initial=0))
    if width * len(mappings) > _PADDING * int(lengths.sum()) + 2**16:
        return None
    k = min(k, width)
    best = np.full((len(mappings), k + 1), -np.inf)
    places = np.zeros((len(mappings), k + 1), dtype=np.intp)
    n_constant = 0
    for block in row_blocks(len(mappings), width, cells=_CELLS):
        table = _table(mappings[block], lengths[block])
        if table is None:
            return None
        _highest(table, places[block], best[block])
        n_constant += _count_constant(table, lengths[block])
    return TopRows(mappings, k, ties, lengths, best, places, n_constant)


def _count_constant(table: FloatArray, sizes: IndexArray) -> int:
    """Return how many rows have one score for all of several items."""
    # The second score tells of nearly all rows that they do not.
    if table.shape[1] < 2:
        return 0
    maybe = np.flatnonzero((table[:, 0] == table[:, 1]) & (sizes > 1))
    return sum(bool((table[row, : sizes[row]] == table[row, 0]).all()) for row in maybe.tolist())


def _table(mappings: Sequence[Scores], sizes: IndexArray) -> FloatArray | None:
    """Return the scores of some mappings as rows, minus infinity behind the last of each.

    None if one is no finite number, or a whole number that floats do not tell from the next.
    """
    kinds: set[type] = set()
    packed: list[bytes] = []
    try:
        # One mapping after another: its scores are still at hand when they are read again.
        for scores in mappings:
            values = scores.values()
            # Packing takes a decimal number or a fraction for a float.
            kinds.update(map(type, values))
            packed.append(struct.pack(f"{len(values)}d", *values))
    except (TypeError, struct.error, OverflowError):
        return None
    if not kinds <= _NUMBERS:
        return None
    flat = np.frombuffer(b"".join(packed))
    if flat.size and not max(flat.max(), -flat.min()) < _EXACT:
        return None
    width = int(sizes.max(initial=0))
    if (sizes == width).all():
        return flat.reshape(len(mappings), width)
    table = np.full((len(mappings), width), -np.inf)
    table[np.arange(width) < sizes[:, None]] = flat
    return table


def _highest(table: FloatArray, places: IndexArray, best: FloatArray) -> None:
    """Write the places and values of the highest numbers of each row, descending."""
    width, n = table.shape[1], places.shape[1]

    def fill(block: slice) -> None:
        rows = table[block]
        if width > n:
            some = np.argpartition(rows, width - n, axis=1)[:, width - n :]
            order = np.argsort(-np.take_along_axis(rows, some, axis=1), axis=1)
            found = np.take_along_axis(some, order, axis=1)
        else:
            found = np.argsort(-rows, axis=1, kind="stable")
        places[block, :width] = found
        best[block, :width] = np.take_along_axis(rows, found, axis=1)

    over_blocks(fill, *table.shape)
