"""An off-policy estimate: its value, how sure it is, and what the weights are like."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics.bias._checks import (
    FloatArray,
    check_between,
    check_choice,
    check_count,
    check_lengths,
    check_level,
    check_propensities,
    normal_quantile,
)
from recsys_metrics.bias.off_policy._recipes import Recipe
from recsys_metrics.bias.off_policy._terms import Log, Means, Terms

Method = Literal["bootstrap", "normal"]

TITLES = {
    "ips": "IPS",
    "clipped_ips": "clipped IPS",
    "snips": "SNIPS",
    "subgaussian_ips": "sub-Gaussian IPS",
    "direct_method": "direct method",
    "doubly_robust": "doubly robust",
    "self_normalized_doubly_robust": "self-normalised doubly robust",
    "switch_doubly_robust": "switch doubly robust",
    "shrinkage_doubly_robust": "DRos",
    "subgaussian_doubly_robust": "sub-Gaussian doubly robust",
}
"""What the estimators are called, by the function that computes them."""

# Numbers drawn at once: resamples come in blocks of bounded memory.
_DRAWN_AT_ONCE = 2**21


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """What a policy would have earned per round, from another policy's log.

    The log's arrays are not copied. The intervals, the standard error and the effective sample
    size go back to them when asked for, so do not change the arrays in between.

    Attributes
    ----------
    name : str
        Of the estimator.
    value : float
        In the unit of the rewards, per round.
    n : int
        Rounds in the log.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import snips
    >>> estimate = snips([1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2])
    >>> round(estimate.value, 3), round(estimate.effective_sample_size, 2)
    (0.909, 2.0)
    >>> low, high = estimate.interval()
    >>> bool(low <= estimate.value <= high)
    True
    """

    name: str
    value: float
    n: int
    terms: Terms | None = field(default=None)

    @cached_property
    def effective_sample_size(self) -> float:
        """How many rounds of the policy's own the weighted rounds are worth."""
        return self._terms.effective_sample_size()

    @cached_property
    def standard_error(self) -> float:
        """Of the value, by linearisation; NaN for a single round."""
        return self._terms.standard_error()

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return (
            f"{self.name} {self.value:.5g} ± {self.standard_error:.2g} (standard error) from "
            f"{self.n:,} rounds, effective sample size {self.effective_sample_size:,.0f}"
        )

    def interval(
        self,
        level: float = 0.95,
        *,
        method: Method = "bootstrap",
        n_resamples: int = 2000,
        seed: int | np.random.Generator = 0,
    ) -> tuple[float, float]:
        """Return the interval of the value.

        Parameters
        ----------
        level : float
            Its confidence.
        method : {"bootstrap", "normal"}
            Percentiles over resampled logs, where every resample computes the whole estimate
            again (a ratio with its own denominator, not a mean of terms already divided); or
            the value plus and minus standard errors.
        n_resamples : int
            How many logs are resampled.
        seed : int or numpy.random.Generator
            Chooses them; one seed gives one interval, in whatever order the rounds come.

        Returns
        -------
        low, high : float

        Raises
        ------
        ValueError
            If there are fewer than two rounds, or an argument is out of range.

        Notes
        -----
        Both speak of the rounds that were logged. An action the log never shows, or a reward
        so rare that it did not come up, is not in them. With few rewards on large weights both
        are too narrow; the effective sample size tells.
        """
        check_level(level)
        check_choice("method", method, Method)
        if self.n < 2:
            raise ValueError("one round has no spread; an interval needs at least two")
        if method == "normal":
            half = normal_quantile(level) * self.standard_error
            return self.value - half, self.value + half
        check_count("n_resamples", n_resamples, least=2)
        values = self._resampled(n_resamples, np.random.default_rng(seed))
        # A resample in which no round has weight has no ratio.
        low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    def _resampled(self, n_resamples: int, rng: np.random.Generator) -> FloatArray:
        """Return the estimate on resampled logs.

        Equal rounds are pooled and put in order first. That makes the draw the same for every
        order of the rounds, and short where most rounds have no reward.
        """
        parts = self._terms.together()
        columns = [c for c in (parts.base, parts.top, parts.bottom) if c is not None]
        order = np.lexsort(columns)
        rounds = np.column_stack([column[order] for column in columns])
        starts = np.flatnonzero(np.append(True, (rounds[1:] != rounds[:-1]).any(axis=1)))
        pooled = len(starts) <= self.n // 4
        chance = np.diff(np.append(starts, self.n)) / self.n
        rounds = rounds[starts] if pooled else rounds
        values = np.empty(n_resamples)
        step = max(1, _DRAWN_AT_ONCE // len(rounds))
        for first in range(0, n_resamples, step):
            size = min(step, n_resamples - first)
            if pooled:
                sums = iter((rng.multinomial(self.n, chance, size=size) @ rounds).T)
            else:
                drawn = rng.integers(0, self.n, size=(size, self.n))
                sums = iter([column[drawn].sum(axis=1) for column in rounds.T])
            value = np.zeros(size)
            if parts.base is not None:
                value += next(sums) / self.n
            if parts.top is not None:
                above = next(sums)
                below = np.full(size, float(self.n)) if parts.bottom is None else next(sums)
                value += np.divide(above, below, out=np.full(size, np.nan), where=below != 0)
            values[first : first + size] = value
        return values

    @property
    def _terms(self) -> Terms:
        assert self.terms is not None, "an estimate without its rounds brings these numbers along"
        return self.terms


@dataclass(frozen=True)
class WeightDiagnostics:
    """What the importance weights of a log are like.

    Attributes
    ----------
    n : int
        Rounds.
    mean : float
        Mean weight; 1 in expectation if the propensities are right and every action the
        policy takes could have been logged.
    mean_interval : (float, float)
        95 % interval of it. If 1 is far outside, mistrust the propensities.
    largest : float
        The largest weight.
    largest_share : float
        Its share of the sum of all weights.
    effective_sample_size : float
    zero_share : float
        Share of rounds whose action the policy never takes; they count for nothing.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import weight_diagnostics
    >>> weight_diagnostics([0.5, 0.5, 0.5, 0.5], [1, 1, 0, 0]).zero_share
    0.5
    """

    n: int
    mean: float
    mean_interval: tuple[float, float]
    largest: float
    largest_share: float
    effective_sample_size: float
    zero_share: float


def importance_weights(propensities: ArrayLike, target: ArrayLike) -> FloatArray:
    r"""By how much does the policy take a logged action more often than the log's own did?

    Parameters
    ----------
    propensities : (n,) array of float
        Probability with which the log's policy took each action, in (0, 1].
    target : float or (n,) array of float
        Probability with which the policy in question takes it, in [0, 1].

    Returns
    -------
    (n,) array
        target / propensities; 0 or more.

    Raises
    ------
    ValueError
        If a probability is NaN or out of range, or lengths differ.

    Notes
    -----
    .. math:: w_i = \frac{\pi(a_i \mid x_i)}{p_i}

    With a target of 1 it is the plain inverse propensity 1/p, which is never below 1: what was
    shown often is down-weighted only relative to what was shown seldom.

    Examples
    --------
    A was shown with propensity 0.8, B with 0.2; a click on B counts four times as much:

    >>> from recsys_metrics.bias.off_policy import importance_weights
    >>> importance_weights([0.8, 0.2], 1)
    array([1.25, 5.  ])
    """
    logged = check_propensities(propensities)
    if np.ndim(target) == 0:
        wanted = np.full(len(logged), check_between("target", np.array([target]), 0.0, 1.0)[0])
    else:
        wanted = check_between("target", target, 0.0, 1.0)
    check_lengths(propensities=logged, target=wanted)
    return wanted / logged


def effective_sample_size(weights: ArrayLike) -> float:
    r"""How many equally weighted rounds are these weights worth?

    Parameters
    ----------
    weights : (n,) array of float
        0 or more each.

    Returns
    -------
    float
        Between 1 and n; 0 if all weights are 0.

    Raises
    ------
    ValueError
        If a weight is below 0 or not finite, or there is none.

    Notes
    -----
    .. math:: n_e = \frac{(\sum w)^2}{\sum w^2}

    References
    ----------
    Kish (1965), Survey Sampling.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import effective_sample_size
    >>> effective_sample_size([1, 1, 1, 1]), effective_sample_size([1, 0, 0, 0])
    (4.0, 1.0)
    >>> round(effective_sample_size([1.25, 5.0]), 3)
    1.471
    """
    given = check_between("weights", weights, 0.0, np.inf)
    largest = given.max()
    if largest == 0:
        return 0.0
    # Relative to the largest, so that the squares can neither overflow nor vanish.
    given = given / largest
    # Not a product of BLAS, whose last digit may hang on the number of threads.
    return float(given.sum() ** 2 / np.einsum("i,i", given, given))


def weight_diagnostics(propensities: ArrayLike, target: ArrayLike) -> WeightDiagnostics:
    """Can this log speak for that policy?

    Parameters
    ----------
    propensities, target
        As in `importance_weights`.

    Returns
    -------
    WeightDiagnostics
        Mean weight with interval, largest weight, effective sample size and more.

    Raises
    ------
    ValueError
        As in `importance_weights`.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import weight_diagnostics
    >>> found = weight_diagnostics([0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2])
    >>> round(found.mean, 3), round(found.largest, 3), round(found.largest_share, 3)
    (2.2, 6.0, 0.682)
    """
    weights = importance_weights(propensities, target)
    mean, total = float(weights.mean()), float(weights.sum())
    error = float(weights.std(ddof=1) / np.sqrt(len(weights))) if len(weights) > 1 else np.nan
    half = normal_quantile(0.95) * error
    return WeightDiagnostics(
        n=len(weights),
        mean=mean,
        mean_interval=(mean - half, mean + half),
        largest=float(weights.max()),
        largest_share=float(weights.max() / total) if total else float("nan"),
        effective_sample_size=effective_sample_size(weights),
        zero_share=float(np.mean(weights == 0)),
    )


def estimate(by: str, log: Log, recipe: Recipe, read: Means | None = None) -> Estimate:
    """Return the estimate that a function's recipe makes of a log, perhaps read already."""
    terms = Terms(log, recipe, read)
    return Estimate(name=TITLES[by], value=terms.value(), n=terms.n, terms=terms)
