"""The share of the variance of ratings that predictions explain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics.rating._rows import FloatArray, Rows, per_user, read_rows

# Errors so many times as large as the ratings vary have lost digits of these.
_FAR = 1e6


@per_user
def r2(
    actual: ArrayLike,
    predicted: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    users: ArrayLike | None = None,
) -> Any:
    r"""How much smaller is the squared error than that of always predicting the mean?

    Parameters
    ----------
    actual, predicted, weights, users
        As in `mae`. With users, each is compared with the user mean.

    Returns
    -------
    float or (n_users,) array
        1 for exact predictions, 0 for predictions no better than the mean of the actual
        ratings, negative for worse. NaN where all actual ratings are equal, one rating
        included: there is nothing to explain.

    Raises
    ------
    TypeError, ValueError
        As in `mae`.

    Notes
    -----
    .. math:: R^2 = 1 - \frac{\sum_i w_i \, (\hat y_i - y_i)^2}{\sum_i w_i \, (y_i - \bar y)^2}

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`\hat y_i` is the predicted rating of case :math:`i`; :math:`\bar y` is the mean
    of :math:`y`; :math:`w_i` is the weight of case :math:`i`.

    scikit-learn returns 0 or 1 where this is NaN (`force_finite=True`).

    References
    ----------
    Kvålseth (1985), Cautionary note about R², The American Statistician 39(4).

    Examples
    --------
    >>> from recsys_metrics.rating import r2
    >>> round(r2([5, 2, 4, 1, 5], [4.2, 2.8, 3.5, 1.5, 4.7]), 3)
    0.858
    """
    rows = read_rows(actual, predicted, weights, users)
    return rows.finish(_explained(rows.errors, rows))


@per_user
def explained_variance(
    actual: ArrayLike,
    predicted: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    users: ArrayLike | None = None,
) -> Any:
    r"""How much of the variance would be explained if a constant error were forgiven?

    Parameters
    ----------
    actual, predicted, weights, users
        As in `mae`. With users, the mean error of each user is not counted.

    Returns
    -------
    float or (n_users,) array
        1 where every prediction is off by the same amount; never below `r2`, and equal to it
        where the mean error is 0. NaN where all actual ratings are equal.

    Raises
    ------
    TypeError, ValueError
        As in `mae`.

    Notes
    -----
    .. math:: \mathrm{EV} = 1 - \frac{\sum_i w_i \, (e_i - \bar e)^2}
              {\sum_i w_i \, (y_i - \bar y)^2}, \qquad e_i = \hat y_i - y_i

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`\hat y_i` is the predicted rating of case :math:`i`; :math:`\bar y` is the mean
    of :math:`y`; :math:`\bar e` is the mean error; :math:`w_i` is the weight of case :math:`i`.

    References
    ----------
    Kvålseth (1985), Cautionary note about R², The American Statistician 39(4).

    Examples
    --------
    The first predictions are half a star low each time:

    >>> from recsys_metrics.rating import explained_variance, r2
    >>> explained_variance([5, 4, 3, 2, 1], [4.5, 3.5, 2.5, 1.5, 0.5])
    1.0
    >>> r2([5, 4, 3, 2, 1], [4.5, 3.5, 2.5, 1.5, 0.5])
    0.875
    """
    rows = read_rows(actual, predicted, weights, users)
    return rows.finish(_explained(_spread_of_errors(rows), rows))


def _spread_of_errors(rows: Rows) -> FloatArray:
    """Return each error minus the mean error, also where the ratings get lost in the errors."""
    errors, spread = rows.errors, rows.spread(rows.actual)
    if np.abs(errors).max() / _FAR <= np.abs(spread).max():
        return rows.spread(errors)
    return rows.spread(rows.predicted) - spread


def _explained(errors: FloatArray, rows: Rows) -> FloatArray:
    """Return 1 - mean squared error / variance of the actual ratings, NaN where all are equal."""
    spread = rows.spread(rows.actual)
    scale = _find_scale(np.fmax(np.abs(errors), np.abs(spread)), rows)
    left, whole = (rows.means((each / scale) ** 2) for each in (errors, spread))
    # A mean of equal ratings can miss them by a rounding error, so equality is asked directly.
    varied = ~rows.constant(rows.actual)
    if (varied & (whole == 0) & (left > 0)).any():
        raise ValueError(
            "predicted is so far from actual that the errors are more than 1e150 times as large as "
            "what the ratings vary by, and no float holds the value; are the two on one scale?"
        )
    something = varied & (whole > 0)
    return 1.0 - np.divide(left, whole, out=np.full_like(left, np.nan), where=something)


def _find_scale(sizes: FloatArray, rows: Rows) -> FloatArray:
    """Return what each row is divided by: 1, unless no float holds the squares of its group."""
    largest = np.zeros(rows.n_groups)
    group = np.zeros(len(sizes), dtype=np.intp) if rows.group is None else rows.group
    # A group whose weights are 0 has no mean to lie around.
    np.fmax.at(largest, group, sizes)
    usual = (largest == 0) | ((largest > 1e-150) & (largest < 1e150))
    scale: FloatArray = np.where(usual, 1.0, largest)[group]
    return scale
