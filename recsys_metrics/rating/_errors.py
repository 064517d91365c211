"""Errors of predicted ratings: MAE, MSE, RMSE and the median."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.arithmetic import divide, scale_exponent
from recsys_metrics._core.checks import refuse
from recsys_metrics.rating._rows import FloatArray, Rows, per_user, read_rows

# The sum of the squares of many such errors is a float.
_LARGEST = 1e150


@per_user
def mae(
    actual: ArrayLike,
    predicted: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    users: ArrayLike | None = None,
) -> Any:
    r"""By how many stars is a prediction off, on average?

    Parameters
    ----------
    actual : (n,) array of float
        The ratings people gave.
    predicted : (n,) array of float
        The ratings predicted for them, in the same order and unit.
    weights : (n,) array of float, optional
        How much each row counts, 0 or more. By default all count the same.
    users : (n,) array, optional
        Whose rating each row is. With it there is one value per user, in the order of
        `numpy.unique(users)`.

    Returns
    -------
    float or (n_users,) array
        Mean absolute error, 0 or more, in the unit of the ratings. A user whose weights are
        all 0 gets NaN.

    Raises
    ------
    ValueError
        If there are no rows, lengths differ, a value is not finite, a weight is negative, or
        all weights are 0.
    TypeError
        If ratings are no numbers, or users cannot be sorted.

    Notes
    -----
    .. math:: \mathrm{MAE} = \frac{\sum_i w_i \, |\hat y_i - y_i|}{\sum_i w_i}

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`\hat y_i` is the predicted rating of case :math:`i`; :math:`w_i` is the weight of
    case :math:`i`.

    Every star of error counts the same, so an error of 2 weighs four times as much as one of
    0.5. The mean of the per-user values (macro) counts every user the same; the one number
    over all rows (pooled) counts users with many ratings more. The order of the rows changes
    no digit.

    References
    ----------
    Willmott and Matsuura (2005), Advantages of the mean absolute error (MAE) over the root
    mean square error (RMSE), Climate Research 30(1).

    Examples
    --------
    >>> from recsys_metrics.rating import mae
    >>> mae([5, 2, 3, 3], [4, 2, 5, 3])
    0.75
    >>> mae([5, 2, 3, 3], [4, 2, 5, 3], users=["ann", "ann", "bob", "bob"])
    array([0.5, 1. ])
    """
    rows = read_rows(actual, predicted, weights, users)
    return rows.finish(rows.means(np.abs(rows.errors)))


@per_user
def mse(
    actual: ArrayLike,
    predicted: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    users: ArrayLike | None = None,
) -> Any:
    r"""How large is the squared error, on average?

    Parameters
    ----------
    actual, predicted, weights, users
        As in `mae`.

    Returns
    -------
    float or (n_users,) array
        Mean squared error, 0 or more, in squared units of the ratings.

    Raises
    ------
    TypeError, ValueError
        As in `mae`.

    Notes
    -----
    .. math:: \mathrm{MSE} = \frac{\sum_i w_i \, (\hat y_i - y_i)^2}{\sum_i w_i}

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`\hat y_i` is the predicted rating of case :math:`i`; :math:`w_i` is the weight of
    case :math:`i`.

    An error of 2 weighs sixteen times as much as one of 0.5.

    References
    ----------
    Herlocker et al. (2004), Evaluating collaborative filtering recommender systems, ACM
    TOIS 22(1).

    Examples
    --------
    >>> from recsys_metrics.rating import mse
    >>> mse([5, 2, 3, 3], [4, 2, 5, 3])
    1.25
    """
    rows = read_rows(actual, predicted, weights, users)
    words = ", whose square is more than a float holds; take rmse, or divide all ratings"
    refuse(np.abs(rows.errors) > _LARGEST, "predicted - actual", rows.errors, words)
    return rows.finish(_mse(rows))


@per_user
def rmse(
    actual: ArrayLike,
    predicted: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    users: ArrayLike | None = None,
) -> Any:
    r"""By how many stars is a prediction off, if large errors count more?

    Parameters
    ----------
    actual, predicted, weights, users
        As in `mae`.

    Returns
    -------
    float or (n_users,) array
        Root mean squared error, in the unit of the ratings; never below the MAE. The mean of
        the users' values is not the root of their mean squared error: it is never above it
        where all users have as many ratings.

    Raises
    ------
    TypeError, ValueError
        As in `mae`.

    Notes
    -----
    .. math:: \mathrm{RMSE} = \sqrt{\frac{\sum_i w_i \, (\hat y_i - y_i)^2}{\sum_i w_i}}

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`\hat y_i` is the predicted rating of case :math:`i`; :math:`w_i` is the weight of
    case :math:`i`.

    Always predicting the user mean does not give 0 but the standard deviation of the user's
    ratings.

    References
    ----------
    Herlocker et al. (2004), Evaluating collaborative filtering recommender systems, ACM
    TOIS 22(1).

    Examples
    --------
    >>> from recsys_metrics.rating import rmse
    >>> round(rmse([5, 2, 3, 3], [4, 2, 5, 3]), 3)
    1.118
    """
    rows = read_rows(actual, predicted, weights, users)
    return rows.finish(_root_mean_square(rows))


@per_user
def median_absolute_error(
    actual: ArrayLike,
    predicted: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    users: ArrayLike | None = None,
) -> Any:
    r"""Within how many stars is half of the predictions?

    Parameters
    ----------
    actual, predicted, weights, users
        As in `mae`. Whole-number weights act as repeats of a row.

    Returns
    -------
    float or (n_users,) array
        Median absolute error, in the unit of the ratings. Where the middle falls between two
        errors it is their mean. A user whose weights are all 0 gets NaN.

    Raises
    ------
    TypeError, ValueError
        As in `mae`.

    Notes
    -----
    .. math:: \mathrm{MedAE} = \operatorname{median}_i \, |\hat y_i - y_i|

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`\hat y_i` is the predicted rating of case :math:`i`.

    It does not feel how large the larger half of the errors is, so it says nothing about
    outliers.

    References
    ----------
    Hyndman and Koehler (2006), Another look at measures of forecast accuracy, International
    Journal of Forecasting 22(4).

    Examples
    --------
    >>> from recsys_metrics.rating import median_absolute_error
    >>> median_absolute_error([5, 2, 3, 3], [4, 2, 5, 3])
    0.5
    """
    rows = read_rows(actual, predicted, weights, users)
    return rows.finish(_medians(rows, np.abs(rows.errors)))


@per_user
def error_ratio(
    actual: ArrayLike,
    predicted: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    users: ArrayLike | None = None,
) -> Any:
    r"""How unevenly are the errors spread?

    Parameters
    ----------
    actual, predicted, weights, users
        As in `mae`.

    Returns
    -------
    float or (n_users,) array
        RMSE divided by MAE: 1 where all errors have one size, at most the square root of the
        number of rows (all error in one of them), 1.253 for Gaussian errors. NaN where every
        prediction is exact.

    Raises
    ------
    TypeError, ValueError
        As in `mae`.

    Notes
    -----
    .. math:: \mathrm{ratio} = \frac{\mathrm{RMSE}}{\mathrm{MAE}}

    It does not count large errors: a model that is off by two stars every time has the ratio
    1, and one large error among small ones a ratio of 2.

    References
    ----------
    Willmott and Matsuura (2005), Advantages of the mean absolute error (MAE) over the root
    mean square error (RMSE), Climate Research 30(1).

    Examples
    --------
    >>> from recsys_metrics.rating import error_ratio
    >>> round(error_ratio([5, 2, 4, 1, 5], [4.2, 2.8, 3.5, 1.5, 4.7]), 3)
    1.054
    >>> error_ratio([5, 4, 3], [3, 2, 1])
    1.0
    """
    rows = read_rows(actual, predicted, weights, users)
    mean = rows.means(np.abs(rows.errors))
    root = _root_mean_square(rows)
    return rows.finish(divide(root, mean))


def _mse(rows: Rows) -> FloatArray:
    return rows.means(rows.errors**2)


def _root_mean_square(rows: Rows) -> FloatArray:
    """Return each group's root of the mean square, also where a square leaves the floats."""
    largest = np.abs(rows.errors).max(initial=0.0)
    smallest = np.abs(rows.errors).min(initial=np.inf, where=rows.errors != 0)
    if not (largest > _LARGEST or smallest < 1 / _LARGEST) or not np.isfinite(largest):
        return np.sqrt(_mse(rows))
    scale = np.zeros(rows.n_groups)
    group = np.zeros(len(rows.errors), dtype=np.intp) if rows.group is None else rows.group
    np.maximum.at(scale, group, np.abs(rows.errors))
    scale[scale == 0] = 1.0
    found: FloatArray = scale * np.sqrt(rows.means((rows.errors / scale[group]) ** 2))
    return found


def _medians(rows: Rows, values: FloatArray) -> FloatArray:
    """Return each group's weighted median, the mean of the lower and the upper one."""
    if exponent := scale_exponent(values):
        scaled: FloatArray = np.ldexp(_medians(rows, np.ldexp(values, -exponent)), exponent)
        return scaled
    kept = slice(None) if rows.weights is None else rows.weights > 0
    values = values[kept]
    group: NDArray[np.intp] = (
        np.zeros(len(values), dtype=np.intp) if rows.group is None else rows.group[kept]
    )
    if rows.weights is None and rows.group is None:
        return np.array([np.median(values)])
    order = np.lexsort((values, group))
    values, group = values[order], group[order]
    sizes = np.bincount(group, minlength=rows.n_groups)
    starts = np.cumsum(sizes) - sizes
    medians = np.full(rows.n_groups, np.nan)
    has_rows = sizes > 0
    starts, sizes = starts[has_rows], sizes[has_rows]
    if rows.weights is None:
        low, high = starts + (sizes - 1) // 2, starts + sizes // 2
    else:
        weights = rows.weights[kept][order]
        low, high = _median_rows(weights, starts, sizes)
    medians[has_rows] = (values[low] + values[high]) / 2
    return medians


def _median_rows(
    weights: FloatArray, starts: NDArray[np.intp], sizes: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows at which each sorted group's weight passes one half: reached, exceeded."""
    running = np.cumsum(weights)
    before = np.concatenate([[0.0], running])[starts]
    within = running - np.repeat(before, sizes)
    ends = starts + sizes - 1
    half = within[ends] / 2
    # Sums of weights such as 0.1 miss an exact half by rounding.
    slack = 1e-9 * within[ends]
    reached = within >= np.repeat(half - slack, sizes)
    exceeded = within > np.repeat(half + slack, sizes)
    low = starts + np.add.reduceat(~reached, starts, dtype=np.intp)
    high = starts + np.add.reduceat(~exceeded, starts, dtype=np.intp)
    return np.minimum(low, ends), np.minimum(high, ends)
