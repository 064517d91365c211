"""Correlation of predicted and observed ratings."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.checks import check_choice
from recsys_metrics.rating._rows import FloatArray, Rows, read_rows

Kind = Literal["pearson", "spearman", "kendall"]


@overload
def correlation(
    actual: ArrayLike, predicted: ArrayLike, *, kind: Kind = ..., users: None = ...
) -> float: ...
@overload
def correlation(
    actual: ArrayLike, predicted: ArrayLike, *, kind: Kind = ..., users: ArrayLike
) -> FloatArray: ...
def correlation(
    actual: ArrayLike,
    predicted: ArrayLike,
    *,
    kind: Kind = "pearson",
    users: ArrayLike | None = None,
) -> Any:
    r"""How strongly are the predictions correlated with the ratings?

    Parameters
    ----------
    actual, predicted, users
        As in `mae`.
    kind : {"pearson", "spearman", "kendall"}
        Of the numbers, of their ranks, or of pairs: those in the same order less those in the
        other, with a correction for ties (tau-b).

    Returns
    -------
    float or (n_users,) array
        Between -1 and 1; NaN where the ratings or the predictions are all equal.

    Raises
    ------
    TypeError, ValueError
        As in `mae`.

    Notes
    -----
    .. math:: r = \frac{\sum_i (y_i - \bar y)(\hat y_i - \bar{\hat y})}
                  {\sqrt{\sum_i (y_i - \bar y)^2 \sum_i (\hat y_i - \bar{\hat y})^2}}

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`\hat y_i` is the predicted rating of case :math:`i`; :math:`\bar y` is the mean
    of :math:`y`.

    It does not see an error that is the same everywhere, nor the scale: predictions of 1 to 2
    stars can have a correlation of 1 with ratings of 4 to 5. Over all users together it mostly
    says that some people rate higher than others; `users=` asks each for themselves.

    References
    ----------
    Herlocker, Konstan, Terveen and Riedl (2004), Evaluating collaborative filtering recommender
    systems, ACM TOIS 22(1).

    Examples
    --------
    >>> from recsys_metrics.rating import correlation
    >>> round(correlation([4, 3, 5, 2], [3.5, 3, 4.5, 2.5]), 3)
    0.983
    >>> correlation([4, 3, 5, 2], [3.5, 3, 4.5, 2.5], kind="kendall")
    1.0
    """
    check_choice("kind", kind, Kind)
    rows = read_rows(actual, predicted, None, users)
    if kind == "kendall":
        taus = [_kendall(rows.actual[at], rows.predicted[at]) for at in _row_groups(rows)]
        return rows.finish(np.array(taus))
    if kind == "spearman":
        rows = _rank_rows(rows)
    said, guess = (rows.spread(_scale(rows, values)) for values in (rows.actual, rows.predicted))
    squares = rows.means(said**2) * rows.means(guess**2)
    found = divide(rows.means(said * guess), np.sqrt(squares))
    flat = rows.constant(rows.actual) | rows.constant(rows.predicted)
    return rows.finish(np.where(flat, np.nan, np.clip(found, -1.0, 1.0)))


def _scale(rows: Rows, values: FloatArray) -> FloatArray:
    """Return numbers with those of each group times a power of two, which no correlation sees.

    Of numbers below 1 no square overflows, and not all squares vanish.
    """
    sizes = np.abs(values)
    if rows.group is None:
        largest = np.asarray(sizes.max(initial=0.0))
    else:
        groups = np.zeros(rows.n_groups)
        np.maximum.at(groups, rows.group, sizes)
        largest = groups[rows.group]
    scaled: FloatArray = np.ldexp(values, -np.frexp(largest)[1])
    return scaled


def _row_groups(rows: Rows) -> list[NDArray[np.intp]]:
    """Return the rows of each group."""
    if rows.group is None:
        return [np.arange(len(rows.actual))]
    order = np.argsort(rows.group, kind="stable")
    return np.split(order, np.cumsum(np.bincount(rows.group, minlength=rows.n_groups))[:-1])


def _rank_rows(rows: Rows) -> Rows:
    """Return the rows with each number's rank in its group in its place."""
    from scipy.stats import rankdata

    actual, predicted = np.empty(len(rows.actual)), np.empty(len(rows.actual))
    for at in _row_groups(rows):
        actual[at], predicted[at] = rankdata(rows.actual[at]), rankdata(rows.predicted[at])
    return Rows(actual, predicted, None, rows.group, rows.n_groups)


def _kendall(actual: FloatArray, predicted: FloatArray) -> float:
    from scipy.stats import kendalltau

    if actual.min() == actual.max() or predicted.min() == predicted.max():
        return float("nan")
    return float(kendalltau(actual, predicted).statistic)
