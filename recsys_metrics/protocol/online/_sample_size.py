"""Sample size of an experiment."""

from __future__ import annotations

import math

from recsys_metrics._core.checks import check_choice, check_positive, check_share
from recsys_metrics.protocol._checks import Alternative
from recsys_metrics.protocol.significance._power import check_power, power_of_t


def sample_size(
    gain: float,
    *,
    sd: float,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> int:
    r"""How many users does each group need for a gain to be found?

    Parameters
    ----------
    gain : float
        The smallest gain that would matter, above 0.
    sd : float
        Standard deviation of the users' values, from past traffic; of a share p it is the square
        root of p (1 - p).
    alpha : float
        Level of the test.
    power : float
        The chance of finding the gain, above `alpha`.
    alternative : {"two-sided", "greater", "less"}
        Of the test.

    Returns
    -------
    int
        Users of each of two groups of the same size; 2 at least.

    Raises
    ------
    TypeError, ValueError
        If gain or sd are not above 0, or alpha and power are not shares with alpha below power.

    Notes
    -----
    The fewest users for which Student's t-test of two groups reaches the power. About
    :math:`16\, (\mathrm{sd} / \mathrm{gain})^2` for the defaults. A design with several looks
    takes `GroupSequential.inflation` times as many; values adjusted by `cuped` vary less.

    References
    ----------
    van Belle (2008), Statistical rules of thumb, chapter 2. Kohavi, Tang and Xu (2020),
    Trustworthy online controlled experiments, chapter 17.

    Examples
    --------
    A click-through rate of 5 %, and half a point more:

    >>> from recsys_metrics.protocol.online import sample_size
    >>> sample_size(0.005, sd=(0.05 * 0.95) ** 0.5)
    29827
    """
    from scipy.special import ndtri, stdtrit

    check_choice("alternative", alternative, Alternative)
    size = check_positive("gain", gain) / check_positive("sd", sd)
    alpha = check_share("alpha", alpha)
    check_power(power, alpha)
    tail = alpha / 2 if alternative == "two-sided" else alpha

    def reached(n: int) -> bool:
        freedom = 2 * n - 2
        critical = float(stdtrit(freedom, 1 - tail))
        shift = size * math.sqrt(n / 2)
        return power_of_t(shift, freedom, critical, two_sided=tail < alpha) >= power

    # The normal approximation asks for a few users less than t; from there on, double and halve.
    least = max(2, int(2 * ((ndtri(1 - tail) + ndtri(power)) / size) ** 2) - 2)
    if reached(least):
        least = 2
    most = max(2, least)
    while not reached(most):
        least, most = most, 2 * most
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if reached(middle) else (middle, most)
    return most
