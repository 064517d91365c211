"""A quantile of two groups of users: the median or the 90th percentile of a load time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core import confidence_intervals
from recsys_metrics._core.checks import check_level, check_share
from recsys_metrics._core.inputs.arrays import FloatArray, MatchedValues
from recsys_metrics._core.inputs.columns import match_keys
from recsys_metrics.protocol._checks import Missing, sample
from recsys_metrics.protocol.online._experiment import (
    Experiment,
    Group,
    build_experiment,
    sample_ratio,
)
from recsys_metrics.protocol.significance import Interval, Significance

# The smallest tail that a p-value is looked for in, and how often the range is halved.
_LEAST_TAIL = 1e-15
_HALVINGS = 60


def quantile_test(
    control: MatchedValues,
    treatment: MatchedValues,
    *,
    quantile: float,
    level: float = 0.95,
    shares: tuple[float, float] = (1.0, 1.0),
    missing: Missing = "raise",
) -> Experiment:
    r"""Is a quantile of the treatment group's values higher?

    Use it where the mean hides what matters: the 90th percentile of a load time, or the median of
    an amount that a few users dominate.

    Parameters
    ----------
    control, treatment : (m,), (n,) array of float, or mapping from user to value
        One value per user, as in `ab_test`.
    quantile : float
        Which one: 0.5 for the median, 0.9 for the 90th percentile.
    level : float
        Confidence of the interval, which is two-sided.
    shares : (float, float)
        How the users were meant to be split.
    missing : {"raise", "omit"}
        What to do with NaN.

    Returns
    -------
    Experiment
        As of `ab_test`; the values of the groups are their quantiles, as `numpy.quantile` computes
        them, and the statistic is the p-value as a standard normal deviate.

    Raises
    ------
    TypeError, ValueError
        As in `ab_test`; also if the quantile is not between 0 and 1, or a group has too few users
        for its interval at this confidence.

    Notes
    -----
    A group's quantile :math:`\xi_q` has the interval from :math:`x_{(r)}` to :math:`x_{(s)}`, two
    of its ordered values, where

    .. math:: P(B \le r - 1) = \frac{\alpha}{2}, \quad P(B \le s - 1) = 1 - \frac{\alpha}{2}

    and :math:`B` is binomial with :math:`n` trials and probability :math:`q`; between two whole
    numbers the ordered values are interpolated. No distribution of the values is assumed. The
    intervals of the two groups are combined into that of the difference by squaring and adding
    their distances, as `ab_test` does for rates. The p-value is the smallest
    :math:`\alpha` at which the interval of the difference excludes 0.

    One value per user is needed: the quantile of all requests, of which users have several each,
    has another variance. In simulations of 600 experiments each, with 20 to 2,000 users in a group
    and normal, log-normal, rounded exponential and Poisson values, the 95% interval contained the
    true difference in 95% or more; where many users share one value it is wider than it need be.

    References
    ----------
    Hahn and Meeker (1991), Statistical intervals, chapter 5. Nyblom (1992), Note on
    interpolated order statistics, Statistics & Probability Letters 14(2). Zou and Donner (2008),
    Construction of confidence limits about effect measures: a general approach, Statistics in
    Medicine 27(10). Miller (2024), Likelihood-ratio inference on differences in quantiles,
    arXiv:2401.10233, which describes it for online experiments.

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics.protocol.online import quantile_test
    >>> rng = np.random.default_rng(0)
    >>> old, new = rng.lognormal(0, 1, 2000), rng.lognormal(0.1, 1, 2000)
    >>> print(quantile_test(old, new, quantile=0.5))
    better: difference 0.104, 95% CI 0.009 to 0.200 (n = 4,000); no margin was given, so this does
    not say whether the difference matters
    """
    share = check_share("quantile", quantile)
    level = check_level(level)
    (old,), (new,) = match_keys(control=control), match_keys(treatment=treatment)
    groups = [
        np.sort(sample(name, values, missing=missing, source="live"))
        for name, values in (("control", old), ("treatment", new))
    ]
    for name, values in zip(("control", "treatment"), groups, strict=True):
        if not np.isfinite(_ends(values, share, level)).all():
            tail = (1 - level) / 2
            least = math.ceil(math.log(tail) / math.log(max(share, 1 - share)))
            raise ValueError(
                f"{name} has {len(values):,} users, too few for the {100 * level:g}% interval of "
                f"the quantile {share:g}, which takes {least:,}; wait for more users, or "
                "compare a quantile nearer to the median"
            )
    return compare_quantiles(groups[0], groups[1], share, shares=shares)(level)


def compare_quantiles(
    control: FloatArray, treatment: FloatArray, quantile: float, *, shares: ArrayLike
) -> Callable[[float], Experiment]:
    """Return the test of a quantile of two groups, whose values ascend, at a confidence."""
    ratio = sample_ratio([len(control), len(treatment)], shares=shares)
    old, new = (
        Group(float(np.quantile(values, quantile)), math.nan, len(values), hits=False)
        for values in (control, treatment)
    )
    gain, n = new.value - old.value, old.n + new.n

    def ends(level: float) -> tuple[tuple[float, float], tuple[float, float], Interval]:
        own, others = (_ends(values, quantile, level) for values in (treatment, control))
        low, high = -math.inf, math.inf
        if np.isfinite([own, others]).all():
            low, high = (
                float(end)
                for end in confidence_intervals.of_difference(
                    new.value, _as_arrays(own), old.value, _as_arrays(others)
                )
            )
        return own, others, Interval(gain, low, high, level, n)

    p = _p_value(lambda level: 0 not in ends(level)[2]) if gain else 1.0

    def test(level: float) -> Experiment:
        from scipy.special import ndtri

        own, others, interval = ends(level)
        statistic = math.copysign(-float(ndtri(max(p, _LEAST_TAIL) / 2)), gain)
        quotient = (math.nan, math.nan)
        if np.isfinite([own, others]).all():
            quotient = confidence_intervals.of_ratio(new.value, own, old.value, others)
        found = Significance(statistic, p, gain, n, "two-sided", interval)
        return build_experiment(old, new, found, quotient, level, ratio)

    return test


def _as_arrays(ends: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    return np.asarray(ends[0]), np.asarray(ends[1])


def _ends(values: FloatArray, quantile: float, level: float) -> tuple[float, float]:
    """Return the interval of a quantile of values that ascend; infinite where it is open."""
    from scipy.special import bdtrik

    n, tail = len(values), (1 - level) / 2
    estimate = float(np.quantile(values, quantile))
    low, high = -math.inf, math.inf
    # Otherwise more than the tail lies beyond the first or the last value.
    if (1 - quantile) ** n <= tail:
        low = _ordered(values, 1 + float(bdtrik(tail, n, quantile)))
    if quantile**n <= tail:
        high = _ordered(values, 1 + float(bdtrik(1 - tail, n, quantile)))
    return min(low, estimate), max(high, estimate)


def _ordered(values: FloatArray, place: float) -> float:
    """Return the value at a place from 1 on, interpolated between two."""
    at = min(math.floor(place), len(values)) - 1
    after = min(at + 1, len(values) - 1)
    return float(values[at] + (place - math.floor(place)) * (values[after] - values[at]))


def _p_value(excludes_zero: Callable[[float], bool]) -> float:
    """Return the smallest alpha at which an interval excludes 0, by halving a range of it."""
    least, most = math.log(_LEAST_TAIL), math.log(0.5)
    if excludes_zero(1 - 2 * _LEAST_TAIL):
        return 0.0
    if not excludes_zero(1 - 2 * 0.4999999):
        return 1.0
    for _ in range(_HALVINGS):
        middle = (least + most) / 2
        if excludes_zero(1 - 2 * math.exp(middle)):
            most = middle
        else:
            least = middle
    return min(1.0, 2 * math.exp(most))
