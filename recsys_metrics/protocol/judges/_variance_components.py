"""How much of the variance of a metric is between users, and how much between runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.arithmetic import exponent_of
from recsys_metrics._core.checks import check_count, check_level, check_squares
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.inputs.columns import check_numbers
from recsys_metrics.protocol.significance._intervals import moments
from recsys_metrics.protocol.significance._results import Interval


@dataclass(frozen=True)
class VarianceComponents:
    """What makes the values of several runs for the same users differ.

    Attributes
    ----------
    mean : Interval
        The mean over other users and other runs.
    users_only : Interval
        The mean over other users, for exactly these runs; too narrow for a claim about the model.
    user, run, residual : float
        Variance between users, between runs, and what is left: how a run differs for one user,
        where nothing else is known.
    n_users, n_runs : int

    Examples
    --------
    >>> from recsys_metrics.protocol.judges import variance_components
    >>> found = variance_components([[0.1, 0.3, 0.5], [0.2, 0.4, 0.6]])
    >>> round(found.user, 3), round(found.run, 3), round(found.residual, 3)
    (0.04, 0.005, 0.0)
    >>> round(found.standard_error(n_users=100, n_runs=5), 4)
    0.0374
    """

    mean: Interval
    users_only: Interval
    user: float
    run: float
    residual: float
    n_users: int
    n_runs: int

    def standard_error(self, *, n_users: int, n_runs: int) -> float:
        """Return the standard error of the mean that so many users and runs would have."""
        users, runs = check_count("n_users", n_users), check_count("n_runs", n_runs)
        return math.sqrt(self.user / users + self.run / runs + self.residual / (users * runs))


def variance_components(values: ArrayLike, *, level: float = 0.95) -> VarianceComponents:
    r"""How much of the uncertainty comes from the users, and how much from the runs?

    Parameters
    ----------
    values : (n_runs, n_users) array of float
        The value of a metric for each run and each user; at least two of both. For two
        recommenders, the differences.
    level : float
        Confidence, between 0 and 1.

    Returns
    -------
    VarianceComponents

    Raises
    ------
    TypeError, ValueError
        If it is no table of finite numbers, or there are fewer than two runs or users.

    Notes
    -----
    The model is

    .. math:: x_{ru} = \mu + a_r + b_u + e_{ru}

    with independent effects of the runs, of the users, and of a run for a user, whose variances are
    estimated from the mean squares of a two-way analysis of variance:

    .. math:: \hat\sigma^2_e = \mathrm{MS}_e, \quad
              \hat\sigma^2_{\text{run}} = \frac{\mathrm{MS}_{\text{run}} - \mathrm{MS}_e}{U}, \quad
              \hat\sigma^2_{\text{user}} = \frac{\mathrm{MS}_{\text{user}} - \mathrm{MS}_e}{R}

    where :math:`R` is the number of runs; :math:`U` is the number of users; a negative estimate
    is set to 0. The mean has the variance

    .. math:: \frac{\hat\sigma^2_{\text{user}}}{U} + \frac{\hat\sigma^2_{\text{run}}}{R} +
              \frac{\hat\sigma^2_e}{U R}

    and Student's interval with Satterthwaite's degrees of freedom. More users do not reduce the
    second term: with few runs it can be the largest.

    References
    ----------
    Searle, Casella and McCulloch (1992), Variance components, Wiley. Satterthwaite (1946), An
    approximate distribution of estimates of variance components, Biometrics Bulletin 2(6).

    Examples
    --------
    Two runs of two users, which differ by user and by run alone:

    >>> from recsys_metrics.protocol.judges import variance_components
    >>> found = variance_components([[0.0, 0.4], [0.2, 0.6]])
    >>> round(found.mean.estimate, 3), round(found.user, 3), round(found.run, 3)
    (0.3, 0.08, 0.02)
    """
    level = check_level(level)
    table = check_numbers("values", values, axes=2)
    check_squares("values", table)
    runs, users = table.shape
    if min(runs, users) < 2:
        raise ValueError(
            f"values has {runs} run(s) of {users} user(s); it takes at least two of both to tell "
            "their variances apart"
        )
    # By a power of two, so that no square of a square leaves the floats.
    exponent = exponent_of(table)
    table = np.ldexp(table, -exponent)
    grand = float(table.mean())
    by_run, by_user = table.mean(axis=1), table.mean(axis=0)
    left = table - by_run[:, None] - by_user[None, :] + grand
    degrees = np.array([users - 1, runs - 1, (users - 1) * (runs - 1)], dtype=np.float64)
    sums = np.array(
        [
            runs * float(((by_user - grand) ** 2).sum()),
            users * float(((by_run - grand) ** 2).sum()),
            float((left**2).sum()),
        ]
    )
    ms_user, ms_run, ms_left = squares = sums / degrees
    user, run = max(ms_user - ms_left, 0.0) / runs, max(ms_run - ms_left, 0.0) / users
    variance = user / users + run / runs + ms_left / (users * runs)
    freedom = _satterthwaite(variance, squares, degrees)
    of_users = moments(by_user)[1] ** 2 / users
    grand = math.ldexp(grand, exponent)
    mean, alone = (
        Interval(grand, grand - reach, grand + reach, level, users)
        for reach in (
            math.ldexp(_reach(variance, freedom, level), exponent),
            math.ldexp(_reach(of_users, users - 1, level), exponent),
        )
    )
    user, run, left_over = (math.ldexp(float(e), 2 * exponent) for e in (user, run, ms_left))
    return VarianceComponents(mean, alone, user, run, left_over, users, runs)


def _satterthwaite(variance: float, squares: FloatArray, degrees: FloatArray) -> float:
    """Return the degrees of freedom of a variance that is a sum of mean squares."""
    parts = squares / ((degrees[0] + 1) * (degrees[1] + 1))
    spread = float((parts**2 / degrees).sum())
    return max(variance**2 / spread, 1.0) if spread > 0 else 1.0


def _reach(variance: float, freedom: float, level: float) -> float:
    """Return how far Student's interval of a mean of some variance reaches to either side."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + level / 2)) * math.sqrt(variance)
