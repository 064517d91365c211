"""The sums of an estimate's terms over a log of arrays, a block of rounds at a time.

Nothing of the log's length is made: a block's arrays stay in the processor's cache, its numbers
are checked while they are there, and the spread of the estimate, which needs another pass, is
computed only when it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recsys_metrics._core.blocks import Result, over_blocks_with_scratch
from recsys_metrics._core.checks import refuse
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics.bias.off_policy._formulas import Column, Estimator, Operations, Terms, is_absent
from recsys_metrics.bias.off_policy._importance_weights import (
    effective_size_of_parts,
    summarize_weights,
)
from recsys_metrics.bias.off_policy._logs import Log

# Cells of all columns of a block together: enough for threads to work side by side.
_CELLS = 2**19
# A sum of squares below may have lost digits, or be 0 where the numbers are not.
_LEAST_SQUARES = 2.0**-900

_TOO_LARGE = (
    ": its propensity is too close to 0 to divide by. Give it a floor (clip_propensities), or the "
    "weights a cap (clipped_ips)"
)

Means = tuple[float, float, float]


def _divide(top: FloatArray, bottom: FloatArray) -> FloatArray:
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom != 0)


_OPERATIONS = Operations(np.minimum, np.where, _divide)


@dataclass(frozen=True, eq=False)
class Rounds:
    """The rounds of a checked log, as an estimator sees them.

    Attributes
    ----------
    log : Log
    estimator : Estimator
    means : (base, top, bottom)
        The means of its terms.
    """

    log: Log
    estimator: Estimator
    means: Means

    @cached_property
    def standard_error(self) -> float:
        """Of the value, by linearisation."""
        n = self.log.n
        if n < 2:
            return math.nan
        base, top, bottom = self.means

        def influences(terms: Terms) -> FloatArray:
            influence = np.asarray(terms.base) - base
            return np.asarray(influence + (terms.top - top / bottom * terms.bottom) / bottom)

        def squares(terms: Terms) -> float:
            influence = np.ldexp(influences(terms), -exponent)
            return float(np.einsum("i,i", influence, influence))

        def largest(terms: Terms) -> float:
            return float(np.abs(influences(terms)).max(initial=0.0))

        exponent = 0
        total = sum(self._over_blocks(squares))
        if not _LEAST_SQUARES < total < math.inf:
            # The squares leave the floats, and those of a scaled column do not.
            exponent = math.frexp(max(self._over_blocks(largest)))[1]
            total = sum(self._over_blocks(squares))
        return math.ldexp(math.sqrt(total / (n - 1) / n), exponent)

    @cached_property
    def effective_sample_size(self) -> float:
        """How many equally weighted rounds the weights are worth."""
        if not self.estimator.uses_weights:
            return float(self.log.n)
        return effective_size_of_parts(
            self._over_blocks(lambda terms: summarize_weights(terms.weight))
        )

    @cached_property
    def mean_weight(self) -> tuple[float, float] | None:
        """The mean of the importance weights before any limit, and its standard error."""
        n = self.log.n
        if not self.estimator.uses_weights or n < 2:
            return None

        def sums(block: slice, scratch: FloatArray) -> tuple[float, float]:
            weights = self.log.columns(block, scratch, with_model=False).w
            weights = np.ldexp(weights, -exponent)
            return float(weights.sum()), float(np.einsum("i,i", weights, weights))

        def largest(block: slice, scratch: FloatArray) -> float:
            return float(self.log.columns(block, scratch, with_model=False).w.max(initial=0.0))

        exponent = 0
        total, squares = np.sum(_over_blocks(self.log, sums), axis=0)
        if not _LEAST_SQUARES < squares < math.inf:
            exponent = math.frexp(max(_over_blocks(self.log, largest)))[1]
            total, squares = np.sum(_over_blocks(self.log, sums), axis=0)
        mean = float(total) / n
        variance = max(0.0, float(squares) / n - mean**2) * n / (n - 1)
        return math.ldexp(mean, exponent), math.ldexp(math.sqrt(variance / n), exponent)

    @property
    def unsupported(self) -> float:
        """How much of its probability the policy gives to actions that the log never shows."""
        return self.log.unsupported if self.estimator.uses_weights else 0.0

    def terms(self) -> Terms:
        """Return the terms of all rounds."""

        def copies(terms: Terms) -> list[Column]:
            return [column if is_absent(column) else np.array(column) for column in terms]

        columns = zip(*self._over_blocks(copies), strict=True)
        return Terms(*(c[0] if is_absent(c[0]) else np.concatenate(c) for c in columns))

    def _over_blocks(self, work: Callable[[Terms], Result]) -> list[Result]:
        def of_block(block: slice, scratch: FloatArray) -> Result:
            with np.errstate(invalid="ignore", over="ignore"):
                columns = self.log.columns(block, scratch, with_model=self.estimator.has_model)
                return work(self.estimator.terms(columns, _OPERATIONS))

        return _over_blocks(self.log, of_block)


def read(log: Log, estimators: Sequence[Estimator]) -> list[Rounds]:
    """Return the rounds as each estimator sees them, in a pass that checks each block first.

    However many there are, the log is read once.
    """
    checked = False
    with_model = any(estimator.has_model for estimator in estimators)

    def add_up(block: slice, scratch: FloatArray) -> FloatArray:
        nonlocal checked
        if not checked and not log.is_valid_fast(block, scratch):
            log.check()
            checked = True
        # A number that is not finite reaches the sums, and is reported from there.
        with np.errstate(invalid="ignore", over="ignore"):
            columns = log.columns(block, scratch, with_model=with_model)
            n = block.stop - block.start
            # One estimator after another, so that its terms are summed while they are in the cache.
            terms = (estimator.terms(columns, _OPERATIONS)[:3] for estimator in estimators)
            return np.array(
                [[c * n if is_absent(c) else float(c.sum()) for c in three] for three in terms]
            )

    sums = np.zeros((len(estimators), 3))
    for part in _over_blocks(log, add_up):
        sums += part
    if not np.isfinite(sums).all():
        log.check()
        for estimator in estimators:
            if estimator.uses_weights:
                weights = Rounds(log, estimator, (0.0, 0.0, 1.0)).terms().weight
                refuse(~np.isfinite(weights), "weights", weights, _TOO_LARGE)
        raise ValueError(
            "the weighted rewards are so large that a float does not hold their sum; divide all "
            "rewards, and what a model predicts of them, by the same number"
        )
    return [
        Rounds(log, estimator, (float(base), float(top), float(bottom)))
        for estimator, (base, top, bottom) in zip(estimators, sums / log.n, strict=True)
    ]


def _over_blocks(log: Log, work: Callable[[slice, FloatArray], Result]) -> list[Result]:
    return over_blocks_with_scratch(work, log.n, log.width, _CELLS, n_buffers=2)
