"""The surrogate index: an effect on a late outcome, estimated from early metrics."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.arithmetic import exponent_of
from recsys_metrics._core.checks import LARGEST_SQUARED, check_choice, check_level, refuse
from recsys_metrics._core.inputs.arrays import FloatArray, as_numbers
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics.protocol._checks import Alternative, sample
from recsys_metrics.protocol.significance import Interval, Significance
from recsys_metrics.protocol.significance._results import p_of_tails

# With fewer users a normal distribution is no good guide to the tails of a product of estimates.
_LEAST = 20


def surrogate_index(
    past_surrogates: ArrayLike,
    past_outcome: ArrayLike,
    control: ArrayLike,
    treatment: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Significance:
    r"""How much would a treatment change an outcome that only time will show?

    Parameters
    ----------
    past_surrogates : (n,) or (n, p) array of float
        Early metrics of users whose outcome is known, such as the clicks and the finished films of
        two weeks.
    past_outcome : (n,) array of float
        Their outcome: 1 for a user who came back after three months and 0 for one who did not.
    control, treatment : (n,) or (n, p) array of float
        The same early metrics of the two groups of an experiment.
    alternative : {"two-sided", "greater", "less"}
        Which direction of the gain speaks against chance.
    level : float
        Confidence of the interval, which is two-sided.

    Returns
    -------
    Significance
        Of the difference in the index, treatment minus control, in the unit of the outcome; the
        statistic is the gain over its standard error.

    Raises
    ------
    TypeError, ValueError
        If columns differ in length or number, a value is not finite, a part has fewer than 20
        users, the past outcome or a past surrogate does not vary, or one is a sum of the others.

    Notes
    -----
    .. math:: \hat\tau = \hat\beta^\top (\bar s_T - \bar s_C)

    where :math:`\hat\beta` are the least-squares coefficients of the outcome on the surrogates
    :math:`s` of past users, and :math:`\bar s_T` and :math:`\bar s_C` are the means of the two
    groups. The squared standard error is

    .. math:: \hat\beta^\top \left( \frac{\Sigma_T}{n_T} + \frac{\Sigma_C}{n_C} \right) \hat\beta
              + (\bar s_T - \bar s_C)^\top V (\bar s_T - \bar s_C)

    with the groups' covariance matrices :math:`\Sigma`, and the covariance :math:`V` of the
    coefficients, robust to unequal variances. The second term is the error of the coefficients,
    which an ordinary test of predicted outcomes leaves out.

    The gain is that of the outcome only if three conditions hold, and none can be tested on these
    data alone: given the surrogates, the outcome does not depend on the treatment (Prentice's
    criterion); past users with given surrogates have the same outcomes as users of the experiment;
    and the expected outcome is linear in the columns, to which powers and products may be added.

    References
    ----------
    Athey, Chetty, Imbens and Kang (2019), The surrogate index: combining short-term proxies to
    estimate long-term treatment effects more rapidly and precisely, NBER working paper 26463.
    Prentice (1989), Surrogate endpoints in clinical trials: definition and operational criteria,
    Statistics in Medicine 8(4). White (1980), A heteroskedasticity-consistent covariance matrix
    estimator, Econometrica 48(4).

    Examples
    --------
    In the past each finished film added 0.1 to the outcome, and the treatment adds half a film:

    >>> import numpy as np
    >>> from recsys_metrics.protocol.online import surrogate_index
    >>> films = np.tile([0, 1, 2, 3], 26)
    >>> found = surrogate_index(films, 0.1 * films + np.repeat([0, 0.2], 52), films, films + 0.5)
    >>> round(found.gain, 3), found.n
    (0.05, 208)
    """
    refuse_other_labels(past_surrogates=past_surrogates, past_outcome=past_outcome)
    check_choice("alternative", alternative, Alternative)
    level = check_level(level)
    outcome = sample("past_outcome", past_outcome, least=_LEAST, source="live")
    past = _read("past_surrogates", past_surrogates)
    groups = [_read("control", control), _read("treatment", treatment)]
    if outcome.min() == outcome.max():
        raise ValueError(
            f"past_outcome is {outcome[0]:g} for all {len(outcome):,} past users, so no surrogate "
            "predicts it; give an outcome that varies"
        )
    if len(past) != len(outcome):
        raise ValueError(
            f"past_surrogates has {len(past)} users and past_outcome {len(outcome)}; give both for "
            "the same users in the same order"
        )
    for name, group in zip(("control", "treatment"), groups, strict=True):
        if group.shape[1] != past.shape[1]:
            raise ValueError(
                f"{name} has {group.shape[1]} surrogates and past_surrogates {past.shape[1]}; give "
                "the same columns in the same order"
            )
    if all((group == group[0]).all() for group in groups):
        raise ValueError(
            "all users of a group have the same surrogates, in control and in treatment, so there "
            "is no variation to compare the gain with; wait for more users, or add a surrogate"
        )
    past, *groups = _in_units_of_past(past, *groups)
    exponent = exponent_of(outcome)
    weights, covariance = _fit(past, np.ldexp(outcome, -exponent))
    change = groups[1].mean(axis=0) - groups[0].mean(axis=0)
    # The variance of an index is that of a weighted sum of the surrogates.
    of_groups = sum(float(np.var(group @ weights, ddof=1)) / len(group) for group in groups)
    error = float(np.sqrt(of_groups + change @ covariance @ change))
    gain = math.ldexp(float(change @ weights), exponent)
    n = sum(map(len, groups))
    return _test(gain, math.ldexp(error, exponent), n, alternative, level)


def _read(name: str, values: ArrayLike) -> FloatArray:
    """Return a row for each user and a column for each surrogate."""
    numbers = as_numbers(values, name)
    if numbers.ndim not in (1, 2) or 0 in numbers.shape:
        raise ValueError(
            f"{name} has one number per user, or a row of numbers; got the shape {numbers.shape}"
        )
    table = numbers.reshape(len(numbers), -1)
    for column in table.T:
        sample(name, column, least=_LEAST, source="live")
    return table


def _in_units_of_past(
    past: FloatArray, control: FloatArray, treatment: FloatArray
) -> list[FloatArray]:
    """Return each surrogate divided by a power of two, so that no square leaves the floats."""
    exponent = np.frexp(np.abs(past).max(axis=0))[1]
    with np.errstate(over="ignore"):
        tables = [np.ldexp(table, -exponent) for table in (past, control, treatment)]
    both = np.concatenate(tables[1:])
    far = (np.abs(both) > LARGEST_SQUARED).any() or (
        both.any() and np.abs(both).max() < 1 / LARGEST_SQUARED
    )
    if far:
        raise ValueError(
            "control and treatment have surrogates of another size than past_surrogates, by more "
            f"than {LARGEST_SQUARED:g}; give all in the same unit"
        )
    return tables


def _fit(past: FloatArray, outcome: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of the surrogates, and their covariance by White's formula."""
    middle = past.mean(axis=0)
    inside = past - middle
    spread = inside.std(axis=0)
    refuse(spread == 0, "past_surrogates", middle, " for every past user, so it predicts nothing")
    # In units of their standard deviations, so that no surrogate counts as 0 by its unit.
    scaled = inside / spread
    moments = scaled.T @ scaled
    if np.linalg.matrix_rank(moments, tol=1e-9 * len(past), hermitian=True) < len(moments):
        raise ValueError(
            "one of past_surrogates is a sum of the others, so that their weights cannot be told "
            "apart; leave it out"
        )
    bread = np.linalg.inv(moments)
    weights = bread @ scaled.T @ (outcome - outcome.mean())
    left = outcome - outcome.mean() - scaled @ weights
    covariance = bread @ (scaled.T * left**2) @ scaled @ bread
    covariance *= len(past) / max(len(past) - len(weights) - 1, 1)
    return weights / spread, covariance / np.outer(spread, spread)


def _test(
    gain: float, error: float, n: int, alternative: Alternative, level: float
) -> Significance:
    from scipy.special import ndtr, ndtri

    z = gain / error
    reach = float(ndtri(0.5 + level / 2)) * error
    p = p_of_tails(float(ndtr(z)), float(ndtr(-z)), alternative)
    interval = Interval(gain, gain - reach, gain + reach, level, n)
    return Significance(z, p, gain, n, alternative, interval)
