"""Paired tests of two recommenders over the same users or seeds."""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal

import numpy as np

from recsys_metrics._core import confidence_intervals
from recsys_metrics._core.arithmetic import scale_exponent
from recsys_metrics._core.checks import (
    MOST_REPEATS,
    Seed,
    check_choice,
    check_count,
    check_flag,
    check_level,
    generator,
    refuse,
)
from recsys_metrics._core.inputs.arrays import FloatArray, MatchedValues, as_numbers
from recsys_metrics._core.inputs.columns import match_keys
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.protocol._checks import Alternative, Missing, paired_gains
from recsys_metrics.protocol.significance._intervals import (
    raising_exponent,
    t_interval_of,
    unscale,
)
from recsys_metrics.protocol.significance._results import Interval, Significance, p_of_tails

Zeros = Literal["wilcox", "pratt"]
WilcoxonMethod = Literal["auto", "exact", "approx"]
RandomizationMethod = Literal["auto", "exact", "sampled"]

# Gains whose 2**40 sign patterns are still counted exactly: two halves of a million sums.
_MOST_EXACT = 40
# Sums of the same gains in another order differ in the last digits; they are equal here.
_SAME = 1e-12


def paired_t_test(
    a: MatchedValues,
    b: MatchedValues,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
    missing: Missing = "raise",
) -> Significance:
    r"""Is the mean gain of b over a larger than the variation between cases would explain?

    Parameters
    ----------
    a, b : (n,) array of float, or mapping from user to value
        The old and the new recommender's values for the same seeds, or the same users, in the
        same order; at least two.
    alternative : {"two-sided", "greater", "less"}
        Whether any difference speaks against chance, or only b above a, or only b below a.
    level : float
        Confidence of the interval.
    missing : {"raise", "omit"}
        What to do with pairs in which a value is NaN.

    Returns
    -------
    Significance
        `.statistic` is t, `.gain` the mean of b - a, `.interval` its t interval. If all pairs
        are equal, t is 0 and p is 1, and there is no interval.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, there are fewer than two pairs, a value is not finite, or every gain
        is the same and not 0, so that there is no variation to compare with.

    Notes
    -----
    .. math:: t = \frac{\bar d}{s / \sqrt n}, \qquad d_i = b_i - a_i

    where :math:`s` is the standard deviation of the differences; :math:`a_i` is the value of the
    first system in case :math:`i`; :math:`b_i` is the value of the second system in case :math:`i`;
    :math:`\bar d` is the mean difference; :math:`n` is the number of cases.

    The same as ``scipy.stats.ttest_rel(b, a)``.

    References
    ----------
    Student (1908), The probable error of a mean, Biometrika 6(1).

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import paired_t_test
    >>> old = [0.40, 0.41, 0.42, 0.43, 0.44]
    >>> new = [0.41, 0.40, 0.44, 0.42, 0.44]
    >>> test = paired_t_test(old, new)
    >>> round(test.statistic, 2), round(test.p_value, 2)
    (0.34, 0.75)
    """
    check_choice("alternative", alternative, Alternative)
    gains = paired_gains(a, b, missing=missing)
    exponent = raising_exponent(gains)
    interval = t_interval_of(np.ldexp(gains, exponent), check_level(level))
    p = p_of_mean(interval.estimate, interval.standard_deviation, interval.n, alternative)
    if np.isnan(p):
        if interval.estimate != 0:
            raise ValueError(
                f"all {len(gains)} gains are {gains[0]:g}: without any variation there "
                "is nothing to test the mean against. Are these runs with different seeds?"
            )
        # Pairs that are all equal leave nothing to estimate a spread from.
        return Significance(0.0, 1.0, 0.0, len(gains), alternative)
    t = interval.estimate / interval.standard_error
    interval = unscale(interval, exponent)
    return Significance(float(t), p, interval.estimate, len(gains), alternative, interval)


def p_of_mean(
    mean: float, deviation: float, n: int, alternative: Alternative = "two-sided"
) -> float:
    """Return Student's p-value of "the mean is 0"; NaN where the values do not vary."""
    from scipy.special import stdtr

    # Differences of rounded numbers: a spread this far below the mean is rounding alone.
    if deviation <= _SAME * abs(mean):
        return float("nan")
    t = mean / deviation * math.sqrt(n)
    return p_of_tails(float(stdtr(n - 1, t)), float(stdtr(n - 1, -t)), alternative)


def wilcoxon(
    a: MatchedValues,
    b: MatchedValues,
    *,
    zeros: Zeros = "wilcox",
    correction: bool = False,
    method: WilcoxonMethod = "auto",
    alternative: Alternative = "two-sided",
    missing: Missing = "raise",
) -> Significance:
    """Do the gains lie above 0 more, and further, than below?

    Parameters
    ----------
    a, b : (n,) array of float, or mapping from user to value
        Values of the old and the new recommender for the same users, in the same order.
    zeros : {"wilcox", "pratt"}
        Pairs without a gain: left out before ranking, or ranked with the others and then left
        out.
    correction : bool
        Whether the normal approximation takes half a rank off.
    method : {"auto", "exact", "approx"}
        Count all sign patterns of the ranks, or approximate by a normal distribution; "auto"
        counts up to 50 pairs without ties.
    alternative : {"two-sided", "greater", "less"}
        Which gains of b over a speak against chance.
    missing : {"raise", "omit"}
        What to do with pairs in which a value is NaN.

    Returns
    -------
    Significance
        `.statistic` is the sum of the ranks of the gains above 0, for "two-sided" the smaller
        of that and the sum below; `.gain` the median gain; `.n` the pairs with a gain. If there
        is none, the statistic is 0 and p is 1.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, there are fewer than two pairs, or a value is not finite.

    Notes
    -----
    It asks about the middle of the gains, not about their mean: where a few users gain much and
    many lose a little, the two differ in sign. Computed by `scipy.stats.wilcoxon`.

    References
    ----------
    Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1(6). Pratt
    (1959), Remarks on zeros and ties in the Wilcoxon signed rank procedures, JASA 54.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import wilcoxon
    >>> test = wilcoxon([0.3, 0.2, 0.5, 0.1], [0.4, 0.4, 0.8, 0.5])
    >>> test.statistic, test.p_value
    (0.0, 0.125)
    """
    from scipy.stats import wilcoxon as signed_ranks

    check_choice("zeros", zeros, Zeros)
    check_choice("method", method, WilcoxonMethod)
    check_choice("alternative", alternative, Alternative)
    gains = paired_gains(a, b, missing=missing)
    # By a power of two, so that no sum of them leaves the floats.
    exponent = scale_exponent(gains)
    gains = np.ldexp(gains, -exponent)
    moved = int(np.count_nonzero(gains))
    if not moved:
        return Significance(0.0, 1.0, 0.0, 0, alternative)
    # Ties and zeros rule the exact table out; scipy would only warn.
    size = np.abs(gains)
    tied = len(distinct(size)) < len(size) or moved < len(gains)
    if method == "exact" and tied:
        raise ValueError(
            "method='exact' needs gains that are all different and none of them 0; use "
            "'approx' here, or randomization_test, which is exact with ties"
        )
    if method == "auto":
        method = "exact" if len(gains) <= 50 and not tied else "approx"
    check_flag("correction", correction)
    with warnings.catch_warnings():
        # Of an approximation that was asked for SciPy says up to 1.12 that it is one.
        warnings.filterwarnings("ignore", "Sample size too small for normal approximation")
        found = signed_ranks(
            gains, zero_method=zeros, correction=correction, alternative=alternative, method=method
        )
    gain = math.ldexp(float(np.median(gains)), exponent)
    return Significance(float(found.statistic), float(found.pvalue), gain, moved, alternative)


def sign_test(
    a: MatchedValues,
    b: MatchedValues,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
    missing: Missing = "raise",
) -> Significance:
    r"""Is b better for more users than it is worse for?

    Parameters
    ----------
    a, b : (n,) array of float, or mapping from user to value
        Values of the old and the new recommender for the same users, in the same order.
    alternative : {"two-sided", "greater", "less"}
        Which share of wins speaks against chance.
    level : float
        Confidence of the interval.
    missing : {"raise", "omit"}
        What to do with pairs in which a value is NaN.

    Returns
    -------
    Significance
        `.statistic` is the number of users for whom b is better, `.n` the number for whom the
        two differ, `.gain` the share of wins less one half, and `.interval` its exact
        (Clopper-Pearson) interval. Without a difference p is 1 and there is no interval.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, there are fewer than two pairs, or a value is not finite.

    Notes
    -----
    The p-value is that of ``n`` tosses of a fair coin. Ties say nothing and are left out; how
    much is won or lost does not count.

    References
    ----------
    Dixon and Mood (1946), The statistical sign test, JASA 41.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import sign_test
    >>> sign_test([0.3, 0.2, 0.5, 0.1, 0], [0.4, 0.4, 0.8, 0.5, 0]).p_value
    0.125
    """
    check_choice("alternative", alternative, Alternative)
    level = check_level(level)
    gains = paired_gains(a, b, missing=missing)
    wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
    return _test_fair_coin(wins, losses, alternative, level)


def mcnemar(
    a: MatchedValues,
    b: MatchedValues,
    *,
    exact: bool = True,
    correction: bool = True,
    level: float = 0.95,
    missing: Missing = "raise",
) -> Significance:
    r"""Is a hit of b alone more common than a hit of a alone?

    Parameters
    ----------
    a, b : (n,) array of 0 and 1, or mapping from user to value
        Whether the old and the new recommender have a hit, for the same users in the same
        order.
    exact : bool
        Whether to count coin tosses, or to use the chi-squared approximation.
    correction : bool
        Whether the approximation takes 1 off the difference (Edwards).
    level : float
        Confidence of the interval.
    missing : {"raise", "omit"}
        What to do with pairs in which a value is NaN.

    Returns
    -------
    Significance
        `.statistic` is the smaller of the two counts of users for whom only one has a hit, or
        chi-squared; `.n` their sum; `.gain` the difference of the two hit rates and `.interval`
        that of `gain_interval`. If nobody differs, p is 1.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, there are fewer than two pairs, or a value is neither 0 nor 1.

    Notes
    -----
    .. math:: \chi^2 = \frac{(|n_{01} - n_{10}| - 1)^2}{n_{01} + n_{10}}

    References
    ----------
    McNemar (1947), Note on the sampling error of the difference between correlated proportions,
    Psychometrika 12.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import mcnemar
    >>> old = [1, 1, 0, 0, 0, 0, 0, 0]
    >>> new = [1, 0, 1, 1, 1, 1, 1, 0]
    >>> test = mcnemar(old, new)
    >>> test.statistic, test.n, round(test.p_value, 3)
    (1.0, 6, 0.219)
    """
    from scipy.special import chdtrc

    level = check_level(level)
    check_flag("exact", exact)
    a, b = match_keys(a=a, b=b)
    for name, values in (("a", a), ("b", b)):
        _check_hits(name, values)
    gains = paired_gains(a, b, missing=missing)
    wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
    n = len(gains)
    gain = (wins - losses) / n
    low, high = confidence_intervals.of_gain(
        gain, float(gains.std(ddof=1)), n, wins, losses, (0.0, 1.0), level
    )
    interval = Interval(gain, float(low), float(high), level, n)
    if exact or wins + losses == 0:
        p = p_of_wins(wins, losses)
        statistic = float(min(wins, losses)) if exact else 0.0
    else:
        apart = max(0, abs(wins - losses) - bool(correction))
        statistic = apart**2 / (wins + losses)
        p = float(chdtrc(1, statistic))
    return Significance(statistic, p, gain, wins + losses, interval=interval)


def randomization_test(
    a: MatchedValues,
    b: MatchedValues,
    *,
    method: RandomizationMethod = "auto",
    alternative: Alternative = "two-sided",
    n_resamples: int = 9_999,
    missing: Missing = "raise",
    seed: Seed = 0,
) -> Significance:
    r"""How often would swapping the two at random give a mean gain as big as this one?

    Parameters
    ----------
    a, b : (n,) array of float, or mapping from user to value
        Values of the old and the new recommender for the same users, in the same order.
    method : {"auto", "exact", "sampled"}
        All sign patterns (up to 40 pairs that differ), or `n_resamples` random ones; "auto"
        is exact while it can be.
    alternative : {"two-sided", "greater", "less"}
        Which gains of b over a speak against chance.
    n_resamples : int
        How many patterns "sampled" draws.
    missing : {"raise", "omit"}
        What to do with pairs in which a value is NaN.
    seed : int or numpy.random.Generator
        For "sampled"; the same seed gives the same p-value, whatever the order of the users.

    Returns
    -------
    Significance
        `.statistic` is the mean of b - a, `.n` the number of pairs that differ. The p-value is
        never 0: the pattern that was observed is one of those counted.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, there are fewer than two pairs, a value is not finite, or "exact" is
        asked for with more than 40 pairs that differ.

    Notes
    -----
    If the two are equally good, each gain is as likely to have the other sign. With c of n
    random patterns at least as extreme as the observed one,

    .. math:: p = \frac{c + 1}{n + 1}.

    "exact" adds up the patterns of either half of the pairs, sorts them, and counts how they
    combine: 2⁴⁰ patterns at the price of a million. "sampled" reads the sums of eight signed
    gains from a table of 256 with one random byte.

    References
    ----------
    Fisher (1935), The design of experiments, section 21. Smucker, Allan and Carterette (2007),
    A comparison of statistical significance tests for information retrieval evaluation, CIKM.
    Phipson and Smyth (2010), Permutation p-values should never be zero, SAGMB 9(1).

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import randomization_test
    >>> randomization_test([0.3, 0.2, 0.5, 0.1], [0.4, 0.4, 0.8, 0.5]).p_value
    0.125
    """
    check_choice("method", method, RandomizationMethod)
    check_choice("alternative", alternative, Alternative)
    n_resamples = check_count("n_resamples", n_resamples, most=MOST_REPEATS)
    # Sorted, so that the order of the users cannot change which gain meets which random sign.
    gains = np.sort(paired_gains(a, b, missing=missing))
    mean = float(gains.mean())
    moving = gains[gains != 0]
    if method == "exact" and len(moving) > _MOST_EXACT:
        raise ValueError(
            f"method='exact' counts the patterns of at most {_MOST_EXACT} pairs that differ, "
            f"and here {len(moving)} do; use method='sampled'"
        )
    p = p_of_signs(moving, method, alternative, n_resamples, generator(seed))
    return Significance(mean, p, mean, len(moving), alternative)


def p_of_signs(
    moving: FloatArray,
    method: RandomizationMethod = "auto",
    alternative: Alternative = "two-sided",
    n_resamples: int = 9_999,
    rng: np.random.Generator | None = None,
) -> float:
    """Return the p-value of `randomization_test` from the gains that are not 0, ascending."""
    if not len(moving):
        return 1.0
    exact = method != "sampled" and len(moving) <= _MOST_EXACT
    # Signs are symmetric: "less" is "greater" for the mirrored gains, and of "two-sided" the two
    # sides must meet the same random signs whichever of them comes first.
    if alternative == "less" or (alternative == "two-sided" and moving.sum() < 0):
        moving = -moving[::-1]
    total, slack = float(moving.sum()), _SAME * float(np.abs(moving).sum())
    if alternative == "two-sided":
        total = abs(total)
    if exact:
        share = _share_of_patterns(moving, total - slack)
        p = min(1.0, 2 * share) if alternative == "two-sided" else share
        if alternative == "two-sided" and total <= slack:
            p = 1.0
    else:
        sums = _signed_sums(moving, n_resamples, rng or np.random.default_rng(0))
        if alternative == "two-sided":
            sums = np.abs(sums)
        p = (1 + int((sums >= total - slack).sum())) / (n_resamples + 1)
    return float(p)


def p_of_wins(wins: int, losses: int, alternative: Alternative = "two-sided") -> float:
    """Return the p-value of "a win is as likely as a loss"; 1 without either."""
    from scipy.special import bdtr

    # At least so many wins are at most so many losses: the same to the last digit.
    n = wins + losses
    return p_of_tails(float(bdtr(wins, n, 0.5)), float(bdtr(losses, n, 0.5)), alternative)


def _test_fair_coin(wins: int, losses: int, alternative: Alternative, level: float) -> Significance:
    """Return the test that wins and losses are equally likely."""
    n = wins + losses
    if not n:
        return Significance(0.0, 1.0, 0.0, 0, alternative)
    low, high = confidence_intervals.of_proportion(wins, n, level)
    gain = wins / n - 0.5
    interval = Interval(gain, float(low) - 0.5, float(high) - 0.5, level, n)
    return Significance(
        float(wins), p_of_wins(wins, losses, alternative), gain, n, alternative, interval
    )


def _check_hits(name: str, values: Any) -> None:
    hits = as_numbers(values, name)
    refuse(
        ~(np.isnan(hits) | (hits == 0) | (hits == 1)),
        name,
        hits,
        "; McNemar's test compares hits, 0 or 1. Use paired_t_test or randomization_test for other "
        "values",
    )


def _share_of_patterns(gains: FloatArray, bar: float) -> float:
    """Return the share of the 2**n sign patterns whose sum reaches the bar."""
    half = len(gains) // 2
    first, second = _all_sums(gains[:half]), np.sort(_all_sums(gains[half:]))
    reaching = len(second) - np.searchsorted(second, bar - np.sort(first), side="left")
    return float(int(reaching.sum(dtype=np.int64)) / 2 ** len(gains))


def _all_sums(gains: FloatArray) -> FloatArray:
    sums = np.zeros(1)
    for gain in gains:
        sums = np.concatenate([sums - gain, sums + gain])
    return sums


def _signed_sums(gains: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Return the sum of the gains under random signs, once per resample."""
    signs = 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1) - 1
    eights = np.concatenate([gains, np.zeros(-len(gains) % 8)]).reshape(-1, 8)
    sums = np.zeros(n_resamples)
    # A byte is drawn for 64 tables of 256 sums at a time; of these, 16 and what is read from them
    # stay in the cache while all resamples read them.
    for start in range(0, len(eights), 64):
        tables = eights[start : start + 64] @ signs.T
        begin = 256 * np.arange(len(tables), dtype=np.int32)[:, None]
        for resamples in range(0, n_resamples, 4096):
            chosen = slice(resamples, min(resamples + 4096, n_resamples))
            size = (len(tables), chosen.stop - chosen.start)
            drawn = np.frombuffer(rng.bytes(math.prod(size)), dtype=np.uint8).reshape(size)
            for first in range(0, len(tables), 16):
                few = slice(first, first + 16)
                sums[chosen] += tables.take(drawn[few] + begin[few]).sum(axis=0)
    return sums
