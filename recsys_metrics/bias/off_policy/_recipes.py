"""What each round adds to an estimate, by estimator: one line of algebra each.

An estimate is ``mean(base) + sum(top) / sum(bottom)`` with one entry per round, over n where
there is no bottom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from recsys_metrics.bias._checks import FloatArray

Product = tuple[FloatArray, FloatArray]
"""Two arrays to be multiplied, and of tables each row to be summed."""


class Rounds(NamedTuple):
    """What the estimators need of some rounds of a log.

    Attributes
    ----------
    rewards : (n,) array
    weights : (n,) array
        The importance weights.
    missed : (n,) array
        What the model missed of the rewards.
    expected : two (n, actions) arrays
        The policy and the model, whose product is what the model expects of the policy.
    """

    rewards: FloatArray | None = None
    weights: FloatArray | None = None
    missed: FloatArray | None = None
    expected: Product | None = None


Sums = tuple[FloatArray | Product, ...]
"""What the entries of rounds are sums of."""


class Parts(NamedTuple):
    """The entries of some rounds, and the weights that their rewards got.

    Products stand as their factors: a sum over all rounds has no need to write them down.
    """

    base: Sums = ()
    top: Sums = ()
    bottom: Sums = ()
    weights: FloatArray | None = None


class Columns(NamedTuple):
    """The entries of some rounds, a number each, and the weights."""

    base: FloatArray | None
    top: FloatArray | None
    bottom: FloatArray | None
    weights: FloatArray | None


def total(terms: Sums) -> float:
    """Return the sum over rounds."""
    return sum(_sum(*term) if isinstance(term, tuple) else float(term.sum()) for term in terms)


def columns(parts: Parts) -> Columns:
    """Return the entries written out."""
    return Columns(_column(parts.base), _column(parts.top), _column(parts.bottom), parts.weights)


def _column(terms: Sums) -> FloatArray | None:
    factors = [_product(*term) if isinstance(term, tuple) else term for term in terms]
    return sum(factors[1:], start=factors[0]) if factors else None


def _sum(one: FloatArray, other: FloatArray) -> float:
    # Not a product of BLAS, whose last digit may hang on the number of threads.
    return float(np.einsum("i,i" if one.ndim == 1 else "ij,ij", one, other))


def _product(one: FloatArray, other: FloatArray) -> FloatArray:
    return one * other if one.ndim == 1 else np.einsum("ij,ij->i", one, other)


Reweigh = Callable[[FloatArray, FloatArray], FloatArray]
"""Makes other weights of the importance weights; it may write them into the row it is handed."""


@dataclass(frozen=True)
class Recipe:
    """An estimator.

    Attributes
    ----------
    of : callable
        Returns the entries of some rounds. It may write into the row that it is handed, not
        into the rounds: other estimators read them, too.
    modelled : bool
        Whether it needs the model of the rewards.
    """

    of: Callable[[Rounds, FloatArray], Parts]
    modelled: bool = False


def weighed(reweigh: Reweigh | None = None, *, by_weights: bool = False) -> Recipe:
    """Return the mean weighed reward, or the weighted mean."""

    def of(rounds: Rounds, row: FloatArray) -> Parts:
        weights = _weights(rounds, reweigh, row)
        assert rounds.rewards is not None
        top = ((weights, rounds.rewards),)
        return Parts(top=top, bottom=(weights,) if by_weights else (), weights=weights)

    return Recipe(of)


def expected() -> Recipe:
    """Return what the model expects."""

    def of(rounds: Rounds, _: FloatArray) -> Parts:
        assert rounds.expected is not None
        return Parts(base=(rounds.expected,))

    return Recipe(of, modelled=True)


def corrected(reweigh: Reweigh | None = None, *, by_weights: bool = False) -> Recipe:
    """Return what the model expects with its errors weighed.

    `by_weights` divides the weighed errors by the weights, not by the rounds.
    """

    def of(rounds: Rounds, row: FloatArray) -> Parts:
        weights = _weights(rounds, reweigh, row)
        assert rounds.missed is not None
        assert rounds.expected is not None
        correction = (weights, rounds.missed)
        if by_weights:
            base = (rounds.expected,)
            return Parts(base=base, top=(correction,), bottom=(weights,), weights=weights)
        return Parts(base=(rounds.expected, correction), weights=weights)

    return Recipe(of, modelled=True)


def _weights(rounds: Rounds, reweigh: Reweigh | None, row: FloatArray) -> FloatArray:
    assert rounds.weights is not None
    return rounds.weights if reweigh is None else reweigh(rounds.weights, row)
