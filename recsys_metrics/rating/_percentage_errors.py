"""Errors of predicted ratings as a percentage of the rating."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.checks import refuse
from recsys_metrics.rating._rows import per_user, read_rows


@per_user
def mape(
    actual: ArrayLike,
    predicted: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    users: ArrayLike | None = None,
) -> Any:
    r"""By what fraction of the rating is a prediction off, on average?

    Parameters
    ----------
    actual, predicted, weights, users
        As in `mae`; no actual value may be 0.

    Returns
    -------
    float or (n_users,) array
        Mean absolute percentage error as a share, 0 or more: 0.25 is 25 %.

    Raises
    ------
    ValueError
        As in `mae`; also if an actual value is 0, of which nothing is a share.
    TypeError
        As in `mae`.

    Notes
    -----
    .. math:: \mathrm{MAPE} = \frac{\sum_i w_i \, |\hat y_i - y_i| / |y_i|}{\sum_i w_i}

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`\hat y_i` is the predicted rating of case :math:`i`; :math:`w_i` is the weight of
    case :math:`i`.

    It is meant for counts and prices. On stars it says that an error of 1 is five times as bad
    at one star as at five, which nobody means, and it favours predictions that are too low.

    References
    ----------
    Hyndman and Koehler (2006), Another look at measures of forecast accuracy, International
    Journal of Forecasting 22(4).

    Examples
    --------
    >>> from recsys_metrics.rating import mape
    >>> mape([4, 2, 5], [3, 3, 5])
    0.25
    """
    rows = read_rows(actual, predicted, weights, users)
    nothing = rows.actual == 0
    if nothing.any():
        raise ValueError(
            f"actual[{int(nothing.argmax())}] is 0, and an error is no share of 0; leave such rows "
            "out, or use smape or mae"
        )
    with np.errstate(over="ignore"):
        shares = np.abs(rows.errors) / np.abs(rows.actual)
    words = ", so close to 0 that the error as a share of it is more than a float holds"
    refuse(np.isinf(shares), "actual", rows.actual, words)
    return rows.finish(rows.means(shares))


@per_user
def smape(
    actual: ArrayLike,
    predicted: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    users: ArrayLike | None = None,
) -> Any:
    r"""How large is the error relative to the mean of rating and prediction, on average?

    Parameters
    ----------
    actual, predicted, weights, users
        As in `mae`.

    Returns
    -------
    float or (n_users,) array
        Symmetric mean absolute percentage error as a share, between 0 and 2.

    Raises
    ------
    TypeError, ValueError
        As in `mae`.

    Notes
    -----
    .. math:: \mathrm{sMAPE} = \frac{\sum_i w_i \, \frac{2 \, |\hat y_i - y_i|}{|\hat y_i| + |y_i|}}
              {\sum_i w_i}

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`\hat y_i` is the predicted rating of case :math:`i`; :math:`w_i` is the weight of
    case :math:`i`.

    Where both are 0 the error is 0. torchmetrics has the same, rexmex 100 times as much.

    References
    ----------
    Hyndman and Koehler (2006), Another look at measures of forecast accuracy, International
    Journal of Forecasting 22(4).

    Examples
    --------
    >>> from recsys_metrics.rating import smape
    >>> round(smape([4, 2, 0], [4, 3, 0]), 4)
    0.1333
    """
    rows = read_rows(actual, predicted, weights, users)
    sizes = np.abs(rows.actual), np.abs(rows.predicted)
    apart = np.abs(rows.errors)
    with np.errstate(over="ignore"):
        total = sizes[0] + sizes[1]
    # Halves only where the sum is no float: they would lose the last digit of the smallest numbers.
    shares = 2 * np.where(
        np.isinf(total),
        apart / 2 / np.maximum(sizes[0] / 2 + sizes[1] / 2, 1.0),
        divide(apart, total, otherwise=0.0),
    )
    return rows.finish(rows.means(shares))
