"""What each round adds to an estimate, worked out a block of rounds at a time.

An estimate is ``mean(base) + sum(top) / sum(bottom)`` with one entry per round, over n where
there is no bottom. Nothing of the log's length is made: a block's arrays stay in the
processor's cache, its numbers are checked while they are there, and the spread of the estimate,
which needs another pass, is computed only when it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from recsys_metrics._blocks import Result, in_rooms, row_blocks
from recsys_metrics.bias._checks import FloatArray, check_between

# Cells of all columns of a block together: enough for threads to work side by side.
_CELLS = 2**19
# Rows of the room that a block is handed.
_ROOM = 5


class Parts(NamedTuple):
    """The entries of some rounds, and the weights that their rewards got."""

    base: FloatArray | None = None
    top: FloatArray | None = None
    bottom: FloatArray | None = None
    weights: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of an estimate over all rounds of a log.

    Attributes
    ----------
    n, width : int
        Rounds, and numbers read for each.
    parts : callable
        Returns the entries of a block of rounds, once the log was checked; it may write them
        into the rows of the room that it is handed.
    fine : callable
        Whether the log's numbers in a block are surely valid; quick, and may be wrongly False.
        It is handed a room, too.
    check : callable
        Raises if a number anywhere in the log is not valid, and says which.
    """

    n: int
    width: int
    parts: Callable[[slice, FloatArray], Parts]
    fine: Callable[[slice, FloatArray], bool]
    check: Callable[[], None]

    def value(self) -> float:
        """Return the estimate, having checked the log."""
        base, top, bottom = self._means
        if bottom == 0:
            raise ValueError(
                "the policy takes none of the logged actions, so all weights are 0 and there is "
                "nothing to divide by; this log cannot speak for it"
            )
        return base + top / bottom

    def standard_error(self) -> float:
        """Return the standard error of the value by linearisation."""
        if self.n < 2:
            return math.nan
        base, top, bottom = self._means

        def squares(block: slice, room: FloatArray) -> float:
            parts = self.parts(block, room)
            influence = np.zeros(block.stop - block.start)
            if parts.base is not None:
                influence += parts.base - base
            if parts.top is not None:
                ratio = top / bottom
                below = ratio if parts.bottom is None else ratio * parts.bottom
                influence += (parts.top - below) / bottom
            return float(np.einsum("i,i", influence, influence))

        return math.sqrt(sum(self._over_blocks(squares)) / (self.n - 1) / self.n)

    def effective_sample_size(self) -> float:
        """Return how many equally weighted rounds the weights are worth."""
        largest = max((float(weights.max()) for weights in self._weights()), default=None)
        if largest is None:
            return float(self.n)
        if largest == 0:
            return 0.0
        total = squares = 0.0
        for weights in self._weights():
            # Relative to the largest, so that the squares can neither overflow nor vanish.
            relative = weights / largest
            total += float(relative.sum())
            squares += float(np.einsum("i,i", relative, relative))
        return total**2 / squares

    def together(self) -> Parts:
        """Return the entries of all rounds."""
        _ = self._means  # which checks the log
        blocks = self._over_blocks(lambda block, room: self.parts(block, np.empty_like(room)))
        return Parts(*(_joined(column) for column in zip(*blocks, strict=True)))

    @cached_property
    def _means(self) -> tuple[float, float, float]:
        """The means of base, top and bottom, in a pass that checks each block before its use."""
        known_good = False

        def add_up(block: slice, room: FloatArray) -> FloatArray:
            nonlocal known_good
            if not known_good and not self.fine(block, room):
                self.check()
                known_good = True
            # A number that is not finite reaches the sums, and is reported from there.
            with np.errstate(invalid="ignore"):
                base, top, bottom, _ = self.parts(block, room)
                rounds = block.stop - block.start
                parts = (base, 0.0), (top, 0.0), (bottom, float(rounds))
                return np.array([none if part is None else part.sum() for part, none in parts])

        sums = np.zeros(3)
        for part in self._over_blocks(add_up):
            sums += part
        if not np.isfinite(sums).all():
            self.check()
            for weights in self._weights():
                check_between("weights", weights, 0.0, np.inf)
        base, top, bottom = (float(total) / self.n for total in sums)
        return base, top, bottom

    def _over_blocks(self, work: Callable[[slice, FloatArray], Result]) -> list[Result]:
        return in_rooms(work, self.n, self.width, _CELLS, rooms=_ROOM)

    def _weights(self) -> Iterator[FloatArray]:
        """Yield the weights of each block; nothing if rounds have none."""
        for block in row_blocks(self.n, self.width, _CELLS):
            weights = self.parts(block, np.empty((_ROOM, block.stop - block.start))).weights
            if weights is not None:
                yield weights


def _joined(column: tuple[FloatArray | None, ...]) -> FloatArray | None:
    there = [part for part in column if part is not None]
    return np.concatenate(there) if there else None
