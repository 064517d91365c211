"""Statistical power and minimum detectable effect."""

from __future__ import annotations

import numpy as np

from recsys_metrics._core.checks import check_choice, check_count, check_positive, check_share
from recsys_metrics.protocol._checks import Alternative


def minimum_detectable_effect(
    *,
    sd: float,
    n: int,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> float:
    r"""How big must a gain be to be found with the given chance?

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
    alpha = check_share("alpha", alpha)
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


def check_power(power: float, alpha: float) -> None:
    """Raise if a power is none, or no test of that level has it."""
    if check_share("power", power) <= alpha:
        raise ValueError(
            f"power {power} is not above alpha {alpha}: a test finds nothing at all that often"
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
