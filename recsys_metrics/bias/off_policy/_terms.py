"""The sums that make an estimate of a log, worked out a block of rounds at a time.

Nothing of the log's length is made: a block's arrays stay in the processor's cache, its numbers
are checked while they are there, and the spread of the estimate, which needs another pass, is
computed only when it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from recsys_metrics._blocks import Result, in_rooms, row_blocks
from recsys_metrics.bias._checks import FloatArray, check_between
from recsys_metrics.bias.off_policy._recipes import Columns, Parts, Recipe, Rounds, columns, total

# Cells of all columns of a block together: enough for threads to work side by side.
_CELLS = 2**19
# Rows of the room that a log is handed; that of the recipes comes after.
_OF_THE_LOG = 3

Means = tuple[float, float, float]


class Log(Protocol):
    """A log of rounds, whose numbers are checked while they are read."""

    @property
    def n(self) -> int:
        """Rounds."""

    @property
    def width(self) -> int:
        """Numbers read for each."""

    def rounds(self, block: slice, room: FloatArray, *, modelled: bool) -> Rounds:
        """Return some rounds; those of a checked log. It may write them into the room."""

    def fine(self, block: slice, room: FloatArray) -> bool:
        """Return whether a block's numbers are surely valid; quick, and may be wrongly False."""

    def check(self) -> None:
        """Raise if a number anywhere is not valid, and say which."""


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of an estimate over all rounds of a log.

    Attributes
    ----------
    log : Log
    recipe : Recipe
        What each round adds.
    read : tuple of float, optional
        The means of base, top and bottom, where the log was read already.
    """

    log: Log
    recipe: Recipe
    read: Means | None = None

    @property
    def n(self) -> int:
        """Rounds."""
        return self.log.n

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
            parts = columns(self._parts(block, room))
            influence = np.zeros(block.stop - block.start)
            if parts.base is not None:
                influence += parts.base - base
            if parts.top is not None:
                ratio = top / bottom
                below = ratio if parts.bottom is None else ratio * parts.bottom
                influence += (parts.top - below) / bottom
            return float(np.einsum("i,i", influence, influence))

        return math.sqrt(sum(_over_blocks(self.log, squares)) / (self.n - 1) / self.n)

    def effective_sample_size(self) -> float:
        """Return how many equally weighted rounds the weights are worth."""
        largest = max((float(weights.max()) for weights in self._weights()), default=None)
        if largest is None:
            return float(self.n)
        if largest == 0:
            return 0.0
        together = squares = 0.0
        for weights in self._weights():
            # Relative to the largest, so that the squares can neither overflow nor vanish.
            relative = weights / largest
            together += float(relative.sum())
            squares += float(np.einsum("i,i", relative, relative))
        return together**2 / squares

    def together(self) -> Columns:
        """Return the entries of all rounds."""
        _ = self._means  # which checks the log
        blocks = _over_blocks(
            self.log, lambda block, room: columns(self._parts(block, np.empty_like(room)))
        )
        return Columns(*map(_joined, zip(*blocks, strict=True)))

    @cached_property
    def _means(self) -> Means:
        return self.read or read(self.log, [self.recipe])[0]

    def _parts(self, block: slice, room: FloatArray) -> Parts:
        rounds = self.log.rounds(block, room[:_OF_THE_LOG], modelled=self.recipe.modelled)
        return self.recipe.of(rounds, room[_OF_THE_LOG])

    def _weights(self) -> Iterator[FloatArray]:
        """Yield the weights of each block; nothing if rounds have none."""
        for block in row_blocks(self.log.n, self.log.width, _CELLS):
            room = np.empty((_OF_THE_LOG + 1, block.stop - block.start))
            weights = self._parts(block, room).weights
            if weights is not None:
                yield weights


def read(log: Log, recipes: Sequence[Recipe]) -> list[Means]:
    """Return the means of base, top and bottom of each, in a pass that checks each block first.

    However many there are, the log is read once.
    """
    known_good = False
    modelled = any(recipe.modelled for recipe in recipes)

    def add_up(block: slice, room: FloatArray) -> FloatArray:
        nonlocal known_good
        if not known_good and not log.fine(block, room):
            log.check()
            known_good = True
        # A number that is not finite reaches the sums, and is reported from there.
        with np.errstate(invalid="ignore"):
            rounds = log.rounds(block, room[:_OF_THE_LOG], modelled=modelled)
            return np.array(
                [_sums(recipe.of(rounds, room[_OF_THE_LOG]), block) for recipe in recipes]
            )

    sums = np.zeros((len(recipes), 3))
    for part in _over_blocks(log, add_up):
        sums += part
    if not np.isfinite(sums).all():
        log.check()
        for recipe in recipes:
            for weights in Terms(log, recipe)._weights():
                check_between("weights", weights, 0.0, np.inf)
    return [(float(base), float(top), float(bottom)) for base, top, bottom in sums / log.n]


def _sums(parts: Parts, block: slice) -> list[float]:
    rounds = float(block.stop - block.start)
    return [total(parts.base), total(parts.top), total(parts.bottom) if parts.bottom else rounds]


def _over_blocks(log: Log, work: Callable[[slice, FloatArray], Result]) -> list[Result]:
    return in_rooms(work, log.n, log.width, _CELLS, rooms=_OF_THE_LOG + 1)


def _joined(parts: tuple[FloatArray | None, ...]) -> FloatArray | None:
    there = [part for part in parts if part is not None]
    return np.concatenate(there) if there else None
