"""Statistical power and minimum detectable effect."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from recsys_metrics._core.checks import (
    check_alpha,
    check_choice,
    check_count,
    check_positive,
    check_share,
)
from recsys_metrics.protocol._checks import Alternative


def minimum_detectable_effect(
    *,
    sd: float,
    n: int,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> float:
    r"""How large must a gain be to be detected with the given power?

    Parameters
    ----------
    sd : float
        Standard deviation of the gains, from an earlier experiment or an A/A run; above 0.
    n : int
        How many users (or seeds) will be compared, 2 or more.
    alpha : float
        Level of the test.
    power : float
        The chance of finding the gain, above `alpha`.
    alternative : {"two-sided", "greater", "less"}
        Of the test. The gain is returned without its sign.

    Returns
    -------
    float
        In the unit of `sd`.

    Raises
    ------
    TypeError, ValueError
        If sd is not above 0, n is no whole number of 2 or more, or alpha and power are not
        shares with alpha below power.

    Notes
    -----
    The gain :math:`\delta` for which the paired t-test reaches the power, where t follows a
    noncentral t distribution with :math:`\delta \sqrt n / \mathrm{sd}`. About
    :math:`2.8\, \mathrm{sd} / \sqrt n` for the defaults and many users, so a gain half as big
    takes four times the users.

    References
    ----------
    Cohen (1988), Statistical power analysis for the behavioral sciences, chapter 2.

    Examples
    --------
    The five paired gains of the chapter vary by 0.013; the gain was 0.002:

    >>> from recsys_metrics.protocol.significance import minimum_detectable_effect
    >>> round(minimum_detectable_effect(sd=0.013, n=5), 3)
    0.022
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri, stdtrit

    check_choice("alternative", alternative, Alternative)
    deviation = check_positive("sd", sd)
    cases = check_count("n", n, 2)
    alpha = check_alpha(alpha)
    check_power(power, alpha)
    tail = alpha / 2 if alternative == "two-sided" else alpha
    critical = float(stdtrit(cases - 1, 1 - tail))

    def missing_power(shift: float) -> float:
        return power_of_t(shift, cases - 1, critical, two_sided=alternative == "two-sided") - power

    # The normal approximation is always short of what few cases need; this is far beyond it.
    upper = 2 * (critical + float(ndtri(power)) + 2)
    while missing_power(upper) < 0:
        upper *= 2
    shift = brentq(missing_power, 0.0, upper, xtol=1e-12)
    return float(shift * deviation / np.sqrt(cases))


def paired_sample_size(gain: float, *, sd: float, alpha: float, power: float) -> int:
    """Return the fewest pairs for which a paired t-test finds a gain with the given power.

    `sd` is that of the differences, and the test is one of the tails of a two-sided one at level
    `alpha`, as a decision by an end of a confidence interval is.
    """
    from scipy.special import ndtri, stdtrit

    size, tail = gain / sd, alpha / 2

    def reached(n: int) -> bool:
        critical = float(stdtrit(n - 1, 1 - tail))
        return power_of_t(size * math.sqrt(n), n - 1, critical, two_sided=False) >= power

    return smallest_sample(reached, ((ndtri(1 - tail) + ndtri(power)) / size) ** 2)


def unchanged_sample_size(share: float, *, level: float) -> int:
    """Return how many unchanged users exclude that the share of others is so large.

    That is the interval of `gain_interval` if no user's value changed.
    """
    return math.floor(math.log((1 - level) / 2) / math.log1p(-share)) + 1


def smallest_sample(reached: Callable[[int], bool], approximate: float) -> int:
    """Return the smallest size, 2 or more, that reaches something, near an approximation.

    The normal approximation asks for a few cases less than t; from there on, double and halve.
    """
    least = max(2, int(approximate) - 2)
    if reached(least):
        least = 2
    most = max(2, least)
    while not reached(most):
        least, most = most, 2 * most
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if reached(middle) else (middle, most)
    return most


def check_power(power: float, alpha: float) -> None:
    """Raise if a power is none, or no test of that level has it."""
    if check_share("power", power) <= check_alpha(alpha):
        raise ValueError(
            f"power {power} is not above alpha {alpha}: a test without any effect is "
            f"significant that often"
        )


def power_of_t(shift: float, freedom: int, critical: float, *, two_sided: bool) -> float:
    from scipy.special import nctdtr

    # Where scipy has no number, far out, all of the distribution lies beyond the bar.
    found = 1 - float(np.nan_to_num(nctdtr(freedom, shift, critical), nan=0.0))
    # The other tail, P(T < -t) with this shift, is P(T > t) with the opposite one. It is below
    # P(Z > shift), so beyond 7 it is nothing.
    if two_sided and shift < 7:
        found += 1 - float(nctdtr(freedom, -shift, critical))
    return found
