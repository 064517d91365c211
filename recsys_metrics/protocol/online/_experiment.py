"""A/B tests: two groups of users, each with its own recommender."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core import confidence_intervals
from recsys_metrics._core.arithmetic import sum_of_squares
from recsys_metrics._core.checks import (
    check_alpha,
    check_choice,
    check_count,
    check_flag,
    check_level,
    check_mapping,
    check_squares,
    refuse,
)
from recsys_metrics._core.inputs.arrays import (
    FloatArray,
    as_array,
    as_numbers,
    as_scores,
    refuse_equal_floats,
)
from recsys_metrics._core.inputs.columns import match_keys
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics.protocol._checks import Alternative, Missing, sample
from recsys_metrics.protocol.significance import Conclusion, Interval, Significance
from recsys_metrics.protocol.significance._conclusion import LEAST_USERS
from recsys_metrics.protocol.significance._results import p_of_tails

MannWhitneyMethod = Literal["auto", "exact", "approx"]
Outcome = Literal["auto", "hits", "amounts"]
Looks = Literal["one", "any"]

# At 0.05 one healthy experiment in twenty would be thrown away.
_MISMATCH = 0.001
# How closely the mixture of the check at any look is spread around the shares that were meant: as
# if so many users had been seen. Lindon and Malek's own choice.
_CONCENTRATION = 10_000.0
# The logarithms of factorials of more users are so large that their difference has no digits left.
_MOST_USERS = 10**12


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
        Chi-squared; for any number of looks, the mixture likelihood ratio.
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


class Guardrail(Protocol):
    """A metric that must not become worse: what `non_inferiority_test` returns."""

    @property
    def holds(self) -> bool:
        """Whether the metric is not worse by the margin."""

    @property
    def test(self) -> Experiment:
        """The test of the same users."""


@dataclass(frozen=True)
class ShipDecision:
    """Whether to ship the treatment; its text gives the reasons.

    Made by `Experiment.decide` and `Scorecard.decide`.

    Attributes
    ----------
    ship : bool
        Whether the gain is above the margin and every guardrail holds.
    conclusion : Conclusion
        About the gain, with the margin.
    failed : tuple of str
        The guardrails that do not hold.
    n_guardrails : int

    Examples
    --------
    >>> from recsys_metrics.protocol.online import ab_test
    >>> test = ab_test([0, 1, 0, 2, 1, 0] * 20, [1, 2, 1, 3, 1, 2] * 20)
    >>> test.decide(margin=0.5, guardrails={}).ship
    True
    """

    ship: bool
    conclusion: Conclusion
    failed: tuple[str, ...]
    n_guardrails: int

    def __str__(self) -> str:
        parts = [f"{'ship' if self.ship else 'do not ship'}: {self.conclusion}"]
        if self.failed:
            parts.append(f"these guardrails fail: {', '.join(self.failed)}")
        elif self.n_guardrails:
            parts.append(f"no guardrail fails ({self.n_guardrails} checked)")
        else:
            parts.append("no guardrail was checked")
        return "; ".join(parts)


@dataclass(frozen=True)
class Experiment:
    """The answer of `ab_test`; its text is the conclusion.

    Attributes
    ----------
    control, treatment : float
        The groups' values: means, or ratios of sums.
    gain : Significance
        Treatment less control, with p-value, interval, and as statistic that of the test: the
        gain in standard errors (t), or of hits the odds ratio of Fisher's test.
    lift : float
        The gain as a share of the control's value; NaN if that is 0.
    ratio : SampleRatio
        The check of the group sizes.
    lift_interval : Interval
        Of the lift, at the confidence of the gain's. It knows that the control's value is an
        estimate too. An end is infinite where the control's value may be 0, and both are NaN
        where a value is below 0.

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
    lift_interval: Interval

    @property
    def conclusion(self) -> Conclusion | None:
        """Better, worse, or no difference detected; None where nothing can be concluded.

        That is so if the sample ratio is off, if there are fewer than 20 users, or if the interval
        has no width.
        """
        return None if self._obstacle else Conclusion.of(self.gain)

    @property
    def _obstacle(self) -> str:
        """Why nothing can be concluded; nothing if it can."""
        if self.ratio.mismatch:
            sizes = " and ".join(f"{count:,}" for count in self.ratio.counts)
            meant = " and ".join(f"{count:,.0f}" for count in self.ratio.expected)
            return (
                f"sample ratio mismatch, the groups have {sizes} users where {meant} were expected "
                f"(p = {self.ratio.p_value:.2g}). Find out which users are missing first"
            )
        if self.gain.n < LEAST_USERS:
            return f"{self.gain.n} users are too few, it takes {LEAST_USERS}"
        if self.gain.interval is not None and self.gain.interval.low == self.gain.interval.high:
            return (
                "the interval of the difference has no width, because too many users of each group "
                "have one and the same value. That is no certainty; compare a value that varies"
            )
        return ""

    def decide(self, *, margin: float, guardrails: Mapping[str, Guardrail]) -> ShipDecision:
        """Decide whether to ship the treatment.

        Parameters
        ----------
        margin : float
            The smallest gain that is worth shipping, above 0; chosen before the experiment.
        guardrails : mapping from name to EquivalenceResult
            `non_inferiority_test` of each metric that must not become worse. Pass ``{}`` if there
            is none.

        Returns
        -------
        ShipDecision
            To ship, the whole interval of the gain has to lie above the margin, and every guardrail
            has to hold.

        Raises
        ------
        ValueError
            If the sample ratio is off, in the experiment or in a guardrail, there are fewer than 20
            users, the interval has no width, or the margin is not above 0.

        References
        ----------
        Kohavi, Tang and Xu (2020), Trustworthy online controlled experiments, chapters 2 and 7.

        Examples
        --------
        >>> from recsys_metrics.protocol.online import ab_test, non_inferiority_test
        >>> test = ab_test([0, 1, 0, 2, 1, 0] * 20, [1, 2, 1, 3, 1, 2] * 20)
        >>> visits = non_inferiority_test([3, 4, 5] * 40, [3, 5, 4] * 40, margin=0.3)
        >>> print(test.decide(margin=0.5, guardrails={"visits": visits}))
        ship: better: difference 1.000, 95% CI 0.810 to 1.190 (n = 240), beyond the margin of 0.5;
        no guardrail fails (1 checked)
        """
        check_mapping("guardrails", guardrails, "from a name to a non-inferiority test")
        for name, result in guardrails.items():
            if not isinstance(getattr(result, "test", None), Experiment):
                raise TypeError(
                    f"guardrails[{name!r}] is {result!r:.60}; give a test against a margin"
                )
        broken = next((one for one in guardrails if guardrails[one].test.ratio.mismatch), None)
        obstacle = self._obstacle
        if not obstacle and broken is not None:
            obstacle = f"guardrail {broken!r}: {guardrails[broken].test._obstacle}"
        if obstacle:
            raise ValueError(f"there is nothing to decide: {obstacle}")
        conclusion = Conclusion.of(self.gain, margin=margin)
        failed = tuple(name for name, result in guardrails.items() if not result.holds)
        above = conclusion.outcome == "better" and bool(conclusion.exceeds_margin)
        return ShipDecision(above and not failed, conclusion, failed, len(guardrails))

    def __str__(self) -> str:
        if not self._obstacle:
            return str(self.conclusion)
        if self.ratio.mismatch:
            return f"no conclusion: {self._obstacle}"
        low, high = self.gain.interval or (math.nan, math.nan)
        return (
            f"no conclusion: {self._obstacle}. The difference is {self.gain.gain:.3f}, "
            f"[{low:.3f}, {high:.3f}]"
        )


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

    where :math:`a_i` is the value of user :math:`i` of the control group; :math:`b_j` is the value
    of user :math:`j` of the treatment group.

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
    check_flag("correction", correction)
    # By their order: numbers that a float takes for equal would be ties.
    first = sample("a", as_scores(a, "a"), least=1, missing=missing, source="live")
    second = sample("b", as_scores(b, "b"), least=1, missing=missing, source="live")
    together = np.concatenate([first, second])
    both = np.concatenate([np.asarray(a), np.asarray(b)])
    refuse_equal_floats(both, as_numbers(both, "a and b"), "a and b together")
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
    counts: ArrayLike,
    *,
    shares: ArrayLike | None = None,
    alpha: float = _MISMATCH,
    looks: Looks = "one",
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
    looks : {"one", "any"}
        Whether the counts are looked at once, or again and again while users come in: then the
        p-value ever falls below alpha with a chance of at most alpha, if the split is sound.

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
    KDD. Lindon and Malek (2022), Anytime-valid inference for multinomial count data, NeurIPS.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import sample_ratio
    >>> sample_ratio([50_000, 50_300]).mismatch, sample_ratio([50_000, 52_000]).mismatch
    (False, True)
    """
    refuse_other_labels(counts=counts, shares=shares)
    from scipy.special import chdtrc, gammaln

    alpha = check_alpha(alpha)
    check_choice("looks", looks, Looks)
    seen = as_array(counts, "counts", fill="0")
    if seen.ndim != 1 or len(seen) < 2:
        raise ValueError(f"counts contains the users of two groups or more, got {counts!r}")
    whole = [check_count("a group's count", count, 0) for count in seen.tolist()]
    # Sums of whole numbers wrap around, and sums of floats do not.
    users = np.array(whole, dtype=np.float64)
    meant = np.ones(len(users)) if shares is None else as_numbers(shares, "shares")
    if meant.shape != users.shape or not (np.isfinite(meant).all() and meant.min() > 0):
        raise ValueError(f"shares are one number above 0 per group; got {shares!r}")
    if not users.any():
        raise ValueError("there is no user in any group")
    if looks == "any" and sum(whole) > _MOST_USERS:
        raise ValueError(
            f"counts has {sum(whole):,} users, and looks='any' keeps its digits up to "
            f"{_MOST_USERS:,}; pass looks='one'"
        )
    # By the largest first: the sum of large shares is no float.
    meant = meant / meant.max()
    expected = users.sum() * meant / meant.sum()
    if not expected.all():
        group = int((expected == 0).argmax())
        raise ValueError(
            f"shares[{group}] is so small compared with the others that no user is expected in "
            "that group; leave the group out"
        )
    if looks == "one":
        statistic = float(((users - expected) ** 2 / expected).sum())
        p = float(chdtrc(len(users) - 1, statistic))
    else:
        prior = _CONCENTRATION * meant / meant.sum()
        log_ratio = float(
            (gammaln(prior + users) - gammaln(prior) - users * np.log(meant / meant.sum())).sum()
            - gammaln(_CONCENTRATION + users.sum())
            + gammaln(_CONCENTRATION)
        )
        # Beyond e**700 there is no float; such a ratio is as good as infinite.
        statistic = float(np.exp(min(log_ratio, 700.0)))
        p = min(1.0, 1 / statistic)
    return SampleRatio(tuple(whole), tuple(expected.tolist()), statistic, p, p < alpha)


def ab_test(
    control: ArrayLike,
    treatment: ArrayLike,
    *,
    control_per: ArrayLike | None = None,
    treatment_per: ArrayLike | None = None,
    outcome: Outcome = "auto",
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
        For a ratio such as clicks per impression: each user's denominator. Users are what was
        drawn, so their events must not be counted as if they were independent.
    outcome : {"auto", "hits", "amounts"}
        What a value is: whether the user converted, or how much there was of something. "auto"
        takes values that are all 0 or 1 for hits.
    alternative : {"two-sided", "greater", "less"}
        Which direction of the gain speaks against chance.
    level : float
        Confidence of the interval, which is two-sided.
    shares : (float, float)
        How the users were meant to be split.
    missing : {"raise", "omit"}
        What to do with NaN, if there are no denominators.

    Returns
    -------
    Experiment

    Raises
    ------
    TypeError, ValueError
        If a group has fewer than two users, a value is not finite or too large to be squared,
        "hits" are not 0 or 1, the amounts of all users of a group are the same, or denominators do
        not fit or add up to 0.

    Notes
    -----
    Of amounts: Welch's t-test of two means with unequal variances. For a ratio of sums each user
    counts with :math:`(x_i - R\, y_i) / \bar y` (the delta method).

    Of hits: Fisher's exact test, whose statistic is the odds ratio, with twice the smaller tail
    if two-sided, and of the difference of the two shares Newcombe's square-and-add interval with
    exact (Clopper-Pearson) limits. Its exact coverage is 93 % or more where 95 % are promised, at
    any share and from 2 users a group on; Welch's falls to 2 %.

    Of the lift: the two groups' own intervals, squared and added for a ratio (Donner and Zou); of
    means that is Fieller's interval.

    Look once, when the number of users that was planned is there; to look earlier use
    `sequential_test`. `recsys_metrics.scorecard` compares several metrics and arms of a table of
    users, with one correction.

    References
    ----------
    Welch (1947), The generalization of Student's problem when several different population
    variances are involved, Biometrika 34. Newcombe (1998), Interval estimation for the difference
    between independent proportions, Statistics in Medicine 17. Fieller (1954), Some problems in
    interval estimation, JRSS B 16(2). Donner and Zou (2012), Closed-form confidence intervals for
    functions of the normal mean and standard deviation, Statistical Methods in Medical Research
    21(4). Kohavi, Tang and Xu (2020), Trustworthy online controlled experiments.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import ab_test
    >>> test = ab_test([0, 1, 0, 2, 1, 0], [1, 2, 1, 3, 1, 2])
    >>> round(test.gain.gain, 2), round(test.gain.p_value, 3)
    (1.0, 0.06)
    >>> print(test)
    no conclusion: 12 users are too few, it takes 20. The difference is 1.000, [-0.050, 2.050]
    """
    check_choice("outcome", outcome, Outcome)
    check_choice("alternative", alternative, Alternative)
    level = check_level(level)
    groups = read_groups(control, treatment, control_per, treatment_per, missing)
    return compare_groups(*groups, outcome=outcome, shares=shares, alternative=alternative)(level)


def compare_groups(
    old: Group,
    new: Group,
    *,
    outcome: Outcome,
    shares: tuple[float, float],
    alternative: Alternative = "two-sided",
) -> Callable[[float], Experiment]:
    """Return the test of two groups at a confidence."""
    check_choice("outcome", outcome, Outcome)
    kind = _compare_hits if _are_hits(old, new, outcome) else compare_amounts
    ratio = sample_ratio([old.n, new.n], shares=shares)
    return lambda level: kind(old, new, alternative, level, ratio)


@dataclass(frozen=True)
class Group:
    """A group's value, the square of its standard error, its users, and whether they are hits."""

    value: float
    squared_error: float
    n: int
    hits: bool


def read_groups(
    control: ArrayLike,
    treatment: ArrayLike,
    control_per: ArrayLike | None,
    treatment_per: ArrayLike | None,
    missing: Missing,
) -> tuple[Group, Group]:
    """Return what a test must know of both groups."""
    if (control_per is None) != (treatment_per is None):
        raise TypeError(
            "a ratio needs the denominators of both groups: control_per and treatment_per"
        )
    control, control_per = match_keys(control=control, control_per=control_per)
    treatment, treatment_per = match_keys(treatment=treatment, treatment_per=treatment_per)
    old = _read_group("control", control, control_per, missing)
    return old, _read_group("treatment", treatment, treatment_per, missing)


def experiment_from_errors(
    old: Group,
    new: Group,
    *,
    statistic: float,
    p: float,
    reach: float,
    level: float,
    ratio: SampleRatio,
    alternative: Alternative = "two-sided",
) -> Experiment:
    """Return the answer of a test whose intervals reach so many standard errors to either side."""
    gain, error = new.value - old.value, math.sqrt(old.squared_error + new.squared_error)
    n = old.n + new.n
    interval = Interval(gain, gain - reach * error, gain + reach * error, level, n)
    significance = Significance(statistic, p, gain, n, alternative, interval)
    ends = [
        (group.value - reach * own, group.value + reach * own)
        for group in (new, old)
        for own in [math.sqrt(group.squared_error)]
    ]
    quotient = confidence_intervals.of_ratio(new.value, ends[0], old.value, ends[1])
    return build_experiment(old, new, significance, quotient, level, ratio)


def build_experiment(
    old: Group,
    new: Group,
    gain: Significance,
    quotient: tuple[float, float],
    level: float,
    ratio: SampleRatio,
) -> Experiment:
    """Return the answer of a test, with the lift and its interval."""
    lift = gain.gain / abs(old.value) if old.value else float("nan")
    of_lift = Interval(lift, quotient[0] - 1, quotient[1] - 1, level, gain.n)
    return Experiment(old.value, new.value, gain, lift, ratio, of_lift)


def _read_group(name: str, values: ArrayLike, per: ArrayLike | None, missing: Missing) -> Group:
    if per is None:
        # Sorted, so that the order of the users cannot change the last digit.
        numbers = np.sort(sample(name, values, missing=missing, source="live"))
        hits = bool(((numbers == 0) | (numbers == 1)).all())
        return Group(float(numbers.mean()), _squared_error(numbers), len(numbers), hits)
    ratio, linear = linearise(name, values, per)
    return Group(ratio, _squared_error(np.sort(linear)), len(linear), hits=False)


def linearise(name: str, values: ArrayLike, per: ArrayLike) -> tuple[float, FloatArray]:
    """Return a ratio of sums, and of each user the difference from it that a user makes."""
    top, bottom = sample(name, values, source="live"), sample(f"{name}_per", per, source="live")
    if len(top) != len(bottom):
        raise ValueError(f"{name} has {len(top)} users and {name}_per {len(bottom)}")
    refuse(bottom < 0, f"{name}_per", bottom, "; a denominator is 0 or more for every user")
    if not bottom.any():
        raise ValueError(
            f"{name}_per is 0 for every user, so there is nothing to divide by; wait until users "
            "have some, or compare a metric with another denominator"
        )
    # Sorted, so that the order of the users cannot change the last digit.
    order = np.lexsort((bottom, top))
    ratio = float(top[order].sum() / bottom[order].sum())
    linear: FloatArray = (top - ratio * bottom) / bottom[order].mean()
    check_squares(f"{name} / {name}_per", np.append(linear, ratio))
    return ratio, linear


def check_spread(control: Group, treatment: Group) -> None:
    """Raise if the values of a group do not vary, which says nothing of how far they could."""
    for name, group in (("control", control), ("treatment", treatment)):
        if group.squared_error == 0:
            raise ValueError(
                f"{name}: all {group.n:,} users have the same value ({group.value:g}), so there is "
                "no variation to compare the gain with; wait for more users, or compare whether "
                "there was any (0 or 1 a user)"
            )


def _are_hits(control: Group, treatment: Group, outcome: Outcome) -> bool:
    hits = control.hits and treatment.hits
    if outcome == "hits" and not hits:
        raise ValueError(
            "outcome='hits' takes one 0 or 1 a user, without denominators, in both groups; use "
            "outcome='amounts' for other values"
        )
    return hits and outcome != "amounts"


def _compare_hits(
    control: Group, treatment: Group, alternative: Alternative, level: float, ratio: SampleRatio
) -> Experiment:
    counts = np.array([control.n, treatment.n])
    hits = np.rint(np.array([control.value, treatment.value]) * counts)
    gain, n = treatment.value - control.value, int(counts.sum())
    low, high = (ends.tolist() for ends in confidence_intervals.of_proportion(hits, counts, level))
    old, new = (low[0], high[0]), (low[1], high[1])
    ends = confidence_intervals.of_difference(treatment.value, new, control.value, old)
    p = p_of_tails(*_fisher_tails(hits, counts), alternative)
    interval = Interval(gain, float(ends[0]), float(ends[1]), level, n)
    found = Significance(_odds_ratio(hits, counts), p, gain, n, alternative, interval)
    quotient = confidence_intervals.of_ratio(treatment.value, new, control.value, old)
    return build_experiment(control, treatment, found, quotient, level, ratio)


def _odds_ratio(hits: FloatArray, counts: NDArray[np.intp]) -> float:
    """Return the odds of a hit with the treatment over those without; NaN if all users agree."""
    misses = counts - hits
    top, bottom = float(hits[1] * misses[0]), float(hits[0] * misses[1])
    if bottom:
        return top / bottom
    return math.inf if top else math.nan


def _fisher_tails(hits: FloatArray, counts: NDArray[np.intp]) -> tuple[float, float]:
    """Return how likely the second group has so few hits or fewer, and so many or more."""
    from scipy.special import gammaln

    total = hits.sum()
    some = np.arange(max(0, total - counts[0]), min(total, counts[1]) + 1)

    def log_choices(n: float, k: FloatArray) -> FloatArray:
        ways: FloatArray = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        return ways

    logs = log_choices(counts[1], some) + log_choices(counts[0], total - some)
    chances = np.exp(logs - logs.max())
    chances /= chances.sum()
    return float(chances[some <= hits[1]].sum()), float(chances[some >= hits[1]].sum())


def compare_amounts(
    control: Group, treatment: Group, alternative: Alternative, level: float, ratio: SampleRatio
) -> Experiment:
    from scipy.special import stdtr, stdtrit

    check_spread(control, treatment)
    old, new = control.squared_error, treatment.squared_error
    # Shares of the whole variance: their squares cannot overflow.
    part = old / (old + new)
    freedom = 1 / (part**2 / (control.n - 1) + (1 - part) ** 2 / (treatment.n - 1))
    t = (treatment.value - control.value) / float(np.sqrt(old + new))
    return experiment_from_errors(
        control,
        treatment,
        statistic=t,
        p=p_of_tails(float(stdtr(freedom, t)), float(stdtr(freedom, -t)), alternative),
        reach=float(stdtrit(freedom, 0.5 + level / 2)),
        level=level,
        ratio=ratio,
        alternative=alternative,
    )


def _squared_error(values: FloatArray) -> float:
    if values.min() == values.max():
        return 0.0
    return sum_of_squares(values) / (len(values) - 1) / len(values)
