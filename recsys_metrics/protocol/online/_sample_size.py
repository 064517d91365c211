"""Sample size of an experiment: of means, of rates and of ratios, with equal or unequal arms."""

from __future__ import annotations

import math
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_alpha, check_choice, check_positive, check_share
from recsys_metrics._core.inputs.arrays import as_numbers
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics.protocol._checks import Alternative, sample
from recsys_metrics.protocol.significance._power import check_power, power_of_t, smallest_sample

# More than 10**18 users of each group.
_MOST_RATIO = 7e8


class GroupSizes(NamedTuple):
    """How many users each group needs.

    Attributes
    ----------
    control, treatment : int

    Examples
    --------
    >>> from recsys_metrics.protocol.online import sample_size
    >>> sample_size(0.5, sd=2, share=0.2)
    GroupSizes(control=632, treatment=158)
    """

    control: int
    treatment: int


@overload
def sample_size(
    gain: float,
    *,
    sd: float | None = ...,
    rate: float | None = ...,
    share: None = ...,
    alpha: float = ...,
    power: float = ...,
    alternative: Alternative = ...,
) -> int: ...
@overload
def sample_size(
    gain: float,
    *,
    sd: float | None = ...,
    rate: float | None = ...,
    share: float,
    alpha: float = ...,
    power: float = ...,
    alternative: Alternative = ...,
) -> GroupSizes: ...
def sample_size(
    gain: float,
    *,
    sd: float | None = None,
    rate: float | None = None,
    share: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> int | GroupSizes:
    r"""How many users does each group need for a gain to be detected?

    Parameters
    ----------
    gain : float
        The smallest gain that would matter, above 0.
    sd : float, optional
        Standard deviation of the users' values, from past traffic; of a ratio of sums, `ratio_sd`.
    rate : float, optional
        Instead of `sd`, for a metric of 0 and 1: the share of users that have a 1 without the
        treatment.
    share : float, optional
        What share of the users gets the treatment; by default half.
    alpha : float
        Level of the test.
    power : float
        The chance of finding the gain, above `alpha`.
    alternative : {"two-sided", "greater", "less"}
        Of the test.

    Returns
    -------
    int or GroupSizes
        Users of each of two groups of the same size, 2 at least; with a share the users of either
        group.

    Raises
    ------
    TypeError, ValueError
        If gain or sd are not above 0, neither or both of sd and rate are given, rate and gain add
        up to 1 or more, or alpha and power are not shares with alpha below power.

    Notes
    -----
    With a standard deviation: the fewest users for which Student's t-test of two groups reaches the
    power. About :math:`16\, (\mathrm{sd} / \mathrm{gain})^2` for the defaults. A share other than
    half costs users: 10% takes 2.8 times as many in all.

    With a rate: the users of Fisher's exact test, which `ab_test` applies to hits.

    .. math::

        m = \frac{\left(z_\alpha \sqrt{(r + 1)\, \bar p\, (1 - \bar p)}
            + z_\beta \sqrt{r\, p_1 (1 - p_1) + p_2 (1 - p_2)}\right)^2}{r\, (p_2 - p_1)^2},
        \quad n_1 = \frac m4 \left(1 + \sqrt{1 + \frac{2\, (r + 1)}{r\, m\, (p_2 - p_1)}}\right)^2

    where :math:`p_1` is the rate; :math:`p_2` is the rate and the gain; :math:`r` is the size of
    the treatment group over that of the control; :math:`\bar p` is the rate of both groups
    together; :math:`z_\alpha` and :math:`z_\beta` are the normal quantiles of the level and the
    power. The variances of both groups are in it, and the correction for an exact test.

    A design with several looks takes `GroupSequential.inflation` times as many; values adjusted by
    `cuped` have the standard deviation :math:`\mathrm{sd}\sqrt{1 - \rho^2}`, where :math:`\rho` is
    the correlation with what is known from before. For several treatment groups, plan each against
    the control group, with `alpha` divided by their number.

    References
    ----------
    van Belle (2008), Statistical rules of thumb, chapter 2. Kohavi, Tang and Xu (2020),
    Trustworthy online controlled experiments, chapter 17. Casagrande, Pike and Smith (1978), An
    improved approximate formula for calculating sample sizes for comparing two binomial
    distributions, Biometrics 34(3). Fleiss, Tytun and Ury (1980), A simple approximation for
    calculating sample sizes for comparing independent proportions, Biometrics 36(2).

    Examples
    --------
    Half a point more than a conversion rate of 5%, with half of the users and with 10% of them:

    >>> from recsys_metrics.protocol.online import sample_size
    >>> sample_size(0.005, rate=0.05)
    31633
    >>> sample_size(0.005, rate=0.05, share=0.1)
    GroupSizes(control=155867, treatment=17319)
    """
    check_choice("alternative", alternative, Alternative)
    gain = check_positive("gain", gain)
    if (sd is None) == (rate is None):
        raise TypeError(
            "give either sd=, the standard deviation of the users' values, or rate=, for a metric "
            "of 0 and 1"
        )
    alpha = check_alpha(alpha)
    check_power(power, alpha)
    part = 0.5 if share is None else check_share("share", share)
    tail = alpha / 2 if alternative == "two-sided" else alpha
    if sd is not None:
        sizes = _sizes_of_means(gain / check_positive("sd", sd), part, tail, alpha, power)
    else:
        sizes = _sizes_of_rates(check_share("rate", rate), gain, part, tail, power)
    return sizes.control if share is None else sizes


def ratio_sd(
    numerator: ArrayLike | None = None,
    denominator: ArrayLike | None = None,
    *,
    means: tuple[float, float] | None = None,
    variances: tuple[float, float] | None = None,
    covariance: float | None = None,
) -> float:
    r"""How much does a ratio of sums vary from user to user?

    What `sample_size` takes as the standard deviation of a metric such as clicks per impression.

    Parameters
    ----------
    numerator, denominator : (n,) array of float, optional
        The clicks and the impressions of each of some users of the past.
    means, variances : (float, float), optional
        Instead of the users: the mean of the numerator and that of the denominator, and their
        variances.
    covariance : float, optional
        Together with these: of numerator and denominator.

    Returns
    -------
    float
        In the unit of the ratio; divided by the square root of the number of users it is the
        standard error of the ratio.

    Raises
    ------
    TypeError, ValueError
        If neither users nor moments are given, or both; if the denominators are below 0 or add up
        to 0, there are fewer than two users, or the moments are of no two variables.

    Notes
    -----
    .. math::

        \mathrm{sd} = \frac{1}{\bar y} \sqrt{s_x^2 - 2 R\, s_{xy} + R^2 s_y^2}, \quad
        R = \frac{\bar x}{\bar y}

    where :math:`\bar x` is the mean of the numerators; :math:`\bar y` is that of the denominators;
    :math:`s_x^2` and :math:`s_y^2` are their variances; :math:`s_{xy}` is their covariance. This is
    the delta method, as in `ab_test`: the standard deviation of :math:`(x_i - R\, y_i) / \bar y`.

    References
    ----------
    Deng, Knoblich and Lu (2018), Applying the delta method in metric analytics, KDD.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import ratio_sd, sample_size
    >>> clicks, views = [1, 0, 3, 2], [10, 5, 20, 25]
    >>> sd = ratio_sd(clicks, views)
    >>> round(sd, 4), sample_size(0.01, sd=sd)
    (0.0471, 350)
    """
    moments = (means, variances, covariance)
    given = numerator is not None or denominator is not None
    if given == any(each is not None for each in moments):
        raise TypeError(
            "give either numerator and denominator of each user, or means=, variances= and "
            "covariance="
        )
    if given:
        if numerator is None or denominator is None:
            raise TypeError("a ratio needs numerator and denominator of each user; got one of them")
        refuse_other_labels(numerator=numerator, denominator=denominator)
        top = sample("numerator", numerator, source="live")
        bottom = sample("denominator", denominator, source="live")
        if len(top) != len(bottom):
            raise ValueError(f"numerator has {len(top)} users and denominator {len(bottom)}")
        if bottom.min() < 0 or not bottom.any():
            raise ValueError("denominator holds counts of 0 or more, and not only 0")
        values = (top - top.sum() / bottom.sum() * bottom) / bottom.mean()
        return float(values.std(ddof=1))
    if means is None or variances is None or covariance is None:
        raise TypeError("the moments of a ratio are means=, variances= and covariance=, all three")
    mean_top, mean_bottom = _pair("means", means)
    of_top, of_bottom = _pair("variances", variances)
    shared = float(as_numbers(covariance, "covariance"))
    if mean_bottom <= 0:
        raise ValueError(f"the mean of the denominator is above 0; got {mean_bottom:g}")
    # But for the last digits that a sum may lose.
    if min(of_top, of_bottom) < 0 or shared**2 > of_top * of_bottom * (1 + 1e-9):
        raise ValueError(
            f"no two variables have the variances {of_top:g} and {of_bottom:g} and the covariance "
            f"{shared:g}"
        )
    ratio = mean_top / mean_bottom
    squared = of_top - 2 * ratio * shared + ratio**2 * of_bottom
    return math.sqrt(max(0.0, squared)) / mean_bottom


def _pair(name: str, given: tuple[float, float]) -> tuple[float, float]:
    numbers = as_numbers(given, name)
    if numbers.shape != (2,) or not np.isfinite(numbers).all():
        raise ValueError(
            f"{name} are two finite numbers, of the numerator and of the denominator; got {given!r}"
        )
    return float(numbers[0]), float(numbers[1])


def _sizes_of_means(
    size: float, share: float, tail: float, alpha: float, power: float
) -> GroupSizes:
    """Return the fewest users for which the t-test finds a gain of so many deviations."""
    from scipy.special import ndtri, stdtrit

    ratio = max(share, 1 - share) / min(share, 1 - share)

    def larger(n: int) -> int:
        # In binary 0.9 / 0.1 is a little above 9.
        return math.ceil(n * ratio * (1 - 1e-12))

    def reached(n: int) -> bool:
        other = larger(n)
        freedom = n + other - 2
        critical = float(stdtrit(freedom, 1 - tail))
        shift = size * math.sqrt(n / (1 + n / other))
        return power_of_t(shift, freedom, critical, two_sided=tail < alpha) >= power

    wanted = float(ndtri(1 - tail) + ndtri(power)) / size if size else math.inf
    if wanted * math.sqrt(ratio) > _MOST_RATIO:
        raise ValueError(
            f"the gain is only {size:.3g} standard deviations, so the experiment would take more "
            "than 10**18 users. Are gain and sd in the same unit?"
        )
    smaller = smallest_sample(reached, (1 + 1 / ratio) * wanted**2)
    pair = smaller, larger(smaller)
    return GroupSizes(*(pair if share > 0.5 else pair[::-1]))


def _sizes_of_rates(
    rate: float, gain: float, share: float, tail: float, power: float
) -> GroupSizes:
    """Return the users for which Fisher's exact test finds a higher rate."""
    from scipy.special import ndtri

    higher = rate + gain
    if higher >= 1:
        raise ValueError(f"rate {rate:g} and gain {gain:g} add up to {higher:g}, which is no rate")
    ratio = share / (1 - share)
    both = (rate + ratio * higher) / (1 + ratio)
    root = float(ndtri(1 - tail)) * math.sqrt((ratio + 1) * both * (1 - both)) + float(
        ndtri(power)
    ) * math.sqrt(ratio * rate * (1 - rate) + higher * (1 - higher))
    wanted = root / gain
    if max(wanted, wanted / math.sqrt(ratio) if ratio else math.inf) > _MOST_RATIO:
        raise ValueError(
            f"a gain of {gain:g} with a share of {share:g} would take more than 10**18 users. Is "
            "gain a difference of rates, as 0.005 is half a percentage point?"
        )
    plain = wanted**2 / ratio
    control = plain / 4 * (1 + math.sqrt(1 + 2 * (ratio + 1) / (ratio * plain * gain))) ** 2
    return GroupSizes(max(2, math.ceil(control)), max(2, math.ceil(control * ratio)))
