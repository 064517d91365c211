"""The importance weights of a log, and diagnostics of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import refuse
from recsys_metrics._core.confidence_intervals import normal_quantile
from recsys_metrics._core.inputs.arrays import FloatArray, shape_of
from recsys_metrics._core.inputs.columns import check_between, check_same_rows
from recsys_metrics.bias._checks import check_propensities

# With fewer independent rounds a standard error is hardly estimated itself.
FEW_ROUNDS = 20


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
        95% confidence interval of it. If 1 is far outside, mistrust the propensities.
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

    @property
    def warnings(self) -> tuple[str, ...]:
        """Signs that the log cannot be used to evaluate the policy."""
        found = [] if self.n < 2 else mean_weight_warnings(self.mean, *self.mean_interval)
        return (*found, *few_rounds_warnings(self.n, self.effective_sample_size))

    def __str__(self) -> str:
        rows = {
            "rounds": f"{self.n:,}",
            "mean weight": f"{self.mean:.3f} [{self.mean_interval[0]:.3f}, "
            f"{self.mean_interval[1]:.3f}]",
            "largest weight": f"{self.largest:.4g}, {self.largest_share:.1%} of the sum",
            "effective sample size": f"{self.effective_sample_size:,.0f}",
            "weights of 0": f"{self.zero_share:.1%}",
        }
        return "\n".join([*(f"{name:<22} {text}" for name, text in rows.items()), *self.warnings])


def importance_weights(propensities: ArrayLike, target: ArrayLike) -> FloatArray:
    r"""How much more likely is a logged action under the target policy than under the logging one?

    Parameters
    ----------
    propensities : (n,) array of float
        Probability of each action under the logging policy, in (0, 1].
    target : float or (n,) array of float
        Probability of the same action under the target policy, in [0, 1].

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
    .. math:: w_i = \frac{\pi_i}{p_i}

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
    if not shape_of(target, "target"):
        wanted = np.full(len(logged), check_between("target", np.array([target]), 0.0, 1.0)[0])
    else:
        wanted = check_between("target", target, 0.0, 1.0)
    check_same_rows(propensities=propensities, target=target if np.ndim(target) else wanted)
    with np.errstate(over="ignore"):
        weights: FloatArray = wanted / logged
    words = ", so close to 0 that its weight is more than a float holds"
    refuse(np.isinf(weights), "propensities", logged, words)
    return weights


def effective_sample_size(weights: ArrayLike) -> float:
    r"""How many equally weighted events have the same precision as these weighted ones?

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
    .. math:: n_e = \frac{(\sum_i w_i)^2}{\sum_i w_i^2}

    where :math:`w_i` is the weight of case :math:`i`.

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
    return effective_size_of_parts(
        [summarize_weights(check_between("weights", weights, 0.0, np.inf))]
    )


def weight_diagnostics(propensities: ArrayLike, target: ArrayLike) -> WeightDiagnostics:
    """Can this log be used to evaluate the target policy?

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
    # Scaled, so that no square leaves the floats.
    exponent = int(np.frexp(weights.max())[1])
    error = np.nan
    if len(weights) > 1:
        deviation = float(np.ldexp(weights, -exponent).std(ddof=1)) / math.sqrt(len(weights))
        error = math.ldexp(deviation, exponent)
    return WeightDiagnostics(
        n=len(weights),
        mean=mean,
        mean_interval=mean_weight_interval(mean, error),
        largest=float(weights.max()),
        largest_share=float(weights.max() / total) if total else float("nan"),
        effective_sample_size=effective_sample_size(weights),
        zero_share=float(np.mean(weights == 0)),
    )


def mean_weight_interval(mean: float, error: float) -> tuple[float, float]:
    """Return the 95% interval of the mean weight, given its standard error."""
    half = normal_quantile(0.95) * error
    return mean - half, mean + half


def mean_weight_warnings(mean: float, low: float, high: float) -> list[str]:
    """Return, in a sentence, that the interval of the mean weight excludes 1, if it does."""
    # The weights of a policy that is the log's own are 1 but for the rounding of a division.
    if low - 1e-9 <= 1 <= high + 1e-9:
        return []
    return [
        f"The mean importance weight is {mean:.3g}, 95% CI {low:.3g} to {high:.3g}, which excludes "
        "1: the policy takes actions that the log could not show, or the propensities are wrong."
    ]


def few_rounds_warnings(n: int, effective_sample_size: float) -> list[str]:
    """Return, in a sentence, that a few rounds have most of the weight, if they do."""
    if not (n >= FEW_ROUNDS > effective_sample_size):
        return []
    return [
        f"The effective sample size of the {n:,} rounds is {effective_sample_size:.3g}: a "
        f"few rounds have most of the "
        "weight, so the standard error can be far too small and the confidence interval too narrow."
    ]


def summarize_weights(weights: FloatArray) -> tuple[float, float, float]:
    """Return the largest weight, and the sum and the sum of squares relative to it."""
    largest = float(weights.max())
    # Relative to the largest, so that the squares can neither overflow nor vanish.
    relative = weights / (largest or 1.0)
    # Not a product of BLAS, whose last digit may hang on the number of threads.
    return largest, float(relative.sum()), float(np.einsum("i,i", relative, relative))


def effective_size_of_parts(parts: Iterable[tuple[float, float, float]]) -> float:
    """Return the effective sample size of weights whose parts' sums these are."""
    largest, sums, squares = np.array(list(parts)).T
    scale = largest / (largest.max() or 1.0)
    bottom = (scale**2 * squares).sum()
    return float((scale * sums).sum() ** 2 / bottom) if bottom else 0.0
