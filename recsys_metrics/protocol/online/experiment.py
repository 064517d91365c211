"""Two groups of users, each with its own recommender."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics.protocol._checks import (
    Alternative,
    FloatArray,
    Missing,
    check_choice,
    check_count,
    check_share,
    sample,
)
from recsys_metrics.protocol.significance import Interval, Significance, Verdict

MannWhitneyMethod = Literal["auto", "exact", "approx"]

# At 0.05 one healthy experiment in twenty would be thrown away.
_MISMATCH = 0.001


@dataclass(frozen=True)
class RankComparison:
    """The answer of the Mann-Whitney test.

    Attributes
    ----------
    statistic : float
        U: pairs (one user of either group) in which b has the higher value, ties as one half.
    p_value : float
    superiority : float
        U over the number of pairs: the chance that a random user of b beats one of a.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import mann_whitney
    >>> mann_whitney([1, 3], [2, 4]).superiority
    0.75
    """

    statistic: float
    p_value: float
    superiority: float


@dataclass(frozen=True)
class SampleRatio:
    """Whether the groups of an experiment are as large as they were meant to be.

    Attributes
    ----------
    counts, expected : tuple of float
        Users in each group, and how many there should have been.
    statistic : float
        Chi-squared.
    p_value : float
    mismatch : bool
        Whether the p-value is below the level of the check: then the split is broken, and no
        other number of the experiment means anything.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import sample_ratio
    >>> sample_ratio([60, 40]).expected
    (50.0, 50.0)
    """

    counts: tuple[int, ...]
    expected: tuple[float, ...]
    statistic: float
    p_value: float
    mismatch: bool


@dataclass(frozen=True)
class Experiment:
    """The answer of `ab_test`; its text is the decision.

    Attributes
    ----------
    control, treatment : float
        The groups' values: means, or ratios of sums.
    gain : Significance
        Treatment less control, with t as statistic, p-value and interval.
    lift : float
        The gain as a share of the control's value; NaN if that is 0.
    ratio : SampleRatio
        The check of the group sizes.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import ab_test
    >>> test = ab_test([0, 1, 0, 2, 1, 0], [1, 2, 1, 3, 1, 2])
    >>> round(test.control, 2), round(test.treatment, 2), round(test.lift, 2)
    (0.67, 1.67, 1.5)
    """

    control: float
    treatment: float
    gain: Significance
    lift: float
    ratio: SampleRatio

    @property
    def verdict(self) -> Verdict:
        """Ship or not, by the gain alone; look at `ratio` first."""
        return Verdict.of(self.gain)

    def __str__(self) -> str:
        if self.ratio.mismatch:
            sizes = " and ".join(f"{count:,}" for count in self.ratio.counts)
            meant = " and ".join(f"{count:,.0f}" for count in self.ratio.expected)
            return (
                f"do not read: the groups have {sizes} users where {meant} were meant "
                f"(p = {self.ratio.p_value:.2g}); find out who is missing first"
            )
        return str(self.verdict)


def mann_whitney(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    method: MannWhitneyMethod = "auto",
    correction: bool = True,
    missing: Missing = "raise",
) -> RankComparison:
    r"""Is a random user of b more likely than not to have a higher value than one of a?

    Parameters
    ----------
    a, b : (m,), (n,) array of float
        Values of two separate groups of users.
    alternative : {"two-sided", "greater", "less"}
        Which direction of b against a speaks against chance.
    method : {"auto", "exact", "approx"}
        Count all orders, or approximate by a normal distribution; "auto" counts while a group
        has at most 8 users and no values are equal.
    correction : bool
        Whether the approximation takes one half off.
    missing : {"raise", "omit"}
        What to do with NaN.

    Returns
    -------
    RankComparison

    Raises
    ------
    TypeError, ValueError
        If a group is empty or a value is not finite.

    Notes
    -----
    .. math:: U = \sum_{i, j} [b_j > a_i] + \tfrac12 [b_j = a_i]

    The question is about order, not about amounts: a treatment that makes most users watch a
    little less and a few watch much more loses here and wins in the mean. The same as
    ``scipy.stats.mannwhitneyu(b, a)``.

    References
    ----------
    Mann and Whitney (1947), On a test of whether one of two random variables is stochastically
    larger than the other, Ann. Math. Stat. 18(1).

    Examples
    --------
    >>> from recsys_metrics.protocol.online import mann_whitney
    >>> mann_whitney([1, 2, 3], [4, 5, 6])
    RankComparison(statistic=9.0, p_value=0.1, superiority=1.0)
    """
    from scipy.stats import mannwhitneyu

    check_choice("alternative", alternative, Alternative)
    check_choice("method", method, MannWhitneyMethod)
    first = sample("a", a, least=1, missing=missing)
    second = sample("b", b, least=1, missing=missing)
    together = np.concatenate([first, second])
    pairs = len(first) * len(second)
    if together.min() == together.max():
        return RankComparison(pairs / 2, 1.0, 0.5)
    found = mannwhitneyu(
        second,
        first,
        alternative=alternative,
        method={"approx": "asymptotic"}.get(method, method),
        use_continuity=correction,
    )
    return RankComparison(
        float(found.statistic), float(found.pvalue), float(found.statistic) / pairs
    )


def sample_ratio(
    counts: ArrayLike, *, shares: ArrayLike | None = None, alpha: float = _MISMATCH
) -> SampleRatio:
    """Are the groups as large as they were meant to be?

    Parameters
    ----------
    counts : (g,) array of int
        Users in each group; two groups at least.
    shares : (g,) array of float, optional
        What share each was meant to have, in any unit. By default the same.
    alpha : float
        Below which p-value it is called a mismatch.

    Returns
    -------
    SampleRatio

    Raises
    ------
    TypeError, ValueError
        If there are fewer than two groups, no users, or a share that is not above 0.

    References
    ----------
    Fabijan et al. (2019), Diagnosing sample ratio mismatch in online controlled experiments,
    KDD.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import sample_ratio
    >>> sample_ratio([50_000, 50_300]).mismatch, sample_ratio([50_000, 52_000]).mismatch
    (False, True)
    """
    from scipy.special import chdtrc

    check_share("alpha", alpha)
    seen = np.asarray(counts)
    if seen.ndim != 1 or len(seen) < 2:
        raise ValueError(f"counts holds the users of two groups or more, got {counts!r}")
    users = np.array([check_count("a group's count", count, 0) for count in seen.tolist()])
    meant = np.ones(len(users)) if shares is None else np.asarray(shares, dtype=np.float64)
    if meant.shape != users.shape or not (np.isfinite(meant).all() and meant.min() > 0):
        raise ValueError(f"shares are one number above 0 per group; got {shares!r}")
    if not users.sum():
        raise ValueError("there is no user in any group")
    expected = users.sum() * meant / meant.sum()
    statistic = float(((users - expected) ** 2 / expected).sum())
    p = float(chdtrc(len(users) - 1, statistic))
    return SampleRatio(tuple(users.tolist()), tuple(expected.tolist()), statistic, p, p < alpha)


def ab_test(
    control: ArrayLike,
    treatment: ArrayLike,
    *,
    control_per: ArrayLike | None = None,
    treatment_per: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
    shares: tuple[float, float] = (1.0, 1.0),
    missing: Missing = "raise",
) -> Experiment:
    r"""Is the treatment group better off, and can the comparison be trusted?

    Parameters
    ----------
    control, treatment : (m,), (n,) array of float
        One value per user, whoever saw nothing included: watch time, 0 or 1 for converted, or
        clicks.
    control_per, treatment_per : arrays of float, optional
        For a ratio such as clicks per impression: each user's divisor. Users are what was
        drawn, so their events must not be counted as if they were independent.
    alternative : {"two-sided", "greater", "less"}
        Which direction of the gain speaks against chance.
    level : float
        Confidence of the interval, which is two-sided.
    shares : (float, float)
        How the users were meant to be split.
    missing : {"raise", "omit"}
        What to do with NaN, if there are no divisors.

    Returns
    -------
    Experiment

    Raises
    ------
    TypeError, ValueError
        If a group has fewer than two users, a value is not finite, all users of both groups
        have the same value, or divisors do not fit or add up to 0.

    Notes
    -----
    Welch's t-test of two means with unequal variances. For a ratio of sums each user counts
    with :math:`(x_i - R\, y_i) / \bar y` (the delta method). Look once, when the number of
    users that was planned is there; to look earlier use `sequential_test`.

    References
    ----------
    Welch (1947), The generalization of Student's problem when several different population
    variances are involved, Biometrika 34. Kohavi, Tang and Xu (2020), Trustworthy online
    controlled experiments.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import ab_test
    >>> test = ab_test([0, 1, 0, 2, 1, 0], [1, 2, 1, 3, 1, 2])
    >>> round(test.gain.gain, 2), round(test.gain.p_value, 3)
    (1.0, 0.06)
    >>> print(test)
    do not ship: the 95 % interval of the gain is [-0.050, 2.050] and holds 0
    """
    from scipy.special import stdtr, stdtrit

    check_choice("alternative", alternative, Alternative)
    check_share("level", level)
    if (control_per is None) != (treatment_per is None):
        raise TypeError("a ratio needs the divisors of both groups: control_per and treatment_per")
    old, old_error, old_n = group_value("control", control, control_per, missing)
    new, new_error, new_n = group_value("treatment", treatment, treatment_per, missing)
    variance = old_error + new_error
    if variance == 0:
        raise ValueError(
            f"all users of a group have the same value ({old:g} and {new:g}), so there is no "
            "variation to compare the gain with"
        )
    freedom = variance**2 / (old_error**2 / (old_n - 1) + new_error**2 / (new_n - 1))
    gain, error = new - old, float(np.sqrt(variance))
    t = gain / error
    below, above = float(stdtr(freedom, t)), float(stdtr(freedom, -t))
    p = {"two-sided": 2 * min(below, above), "greater": above, "less": below}[alternative]
    half = float(stdtrit(freedom, 0.5 + level / 2)) * error
    interval = Interval(gain, gain - half, gain + half, level, old_n + new_n)
    return Experiment(
        control=old,
        treatment=new,
        gain=Significance(t, p, gain, old_n + new_n, alternative, interval),
        lift=gain / abs(old) if old else float("nan"),
        ratio=sample_ratio([old_n, new_n], shares=shares),
    )


def group_value(
    name: str, values: ArrayLike, per: ArrayLike | None, missing: Missing
) -> tuple[float, float, int]:
    """Return a group's value, the square of its standard error, and its users."""
    if per is None:
        # Sorted, so that the order of the users cannot change the last digit.
        numbers = np.sort(sample(name, values, missing=missing))
        return float(numbers.mean()), _squared_error(numbers), len(numbers)
    top, bottom = sample(name, values), sample(f"{name}_per", per)
    if len(top) != len(bottom):
        raise ValueError(f"{name} has {len(top)} users and {name}_per {len(bottom)}")
    if bottom.min() < 0 or not bottom.any():
        raise ValueError(f"{name}_per holds counts of 0 or more, and not only 0")
    order = np.lexsort((bottom, top))
    top, bottom = top[order], bottom[order]
    ratio = float(top.sum() / bottom.sum())
    return ratio, _squared_error((top - ratio * bottom) / bottom.mean()), len(top)


def _squared_error(values: FloatArray) -> float:
    if values.min() == values.max():
        return 0.0
    return float(values.var(ddof=1) / len(values))
