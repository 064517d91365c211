"""Metrics of one relevant item: functions of its rank alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Literal, Protocol, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.checks import check_choice, check_count, refuse
from recsys_metrics._core.inputs.arrays import FloatArray, as_array, as_numbers
from recsys_metrics._core.inputs.scalar_or_batch import P

RankMetric = Literal[
    "hit_rate", "recall", "precision", "reciprocal_rank", "average_precision", "ndcg", "auc"
]
Metric = RankMetric | Callable[[NDArray[np.intp]], Any]
_Whole = int | np.integer[Any]


class RankFunction(Protocol[P]):
    """A function of the ranks of held-out items that gives a float for a single one."""

    @overload
    def __call__(
        self, ranks: _Whole, n_items: _Whole, *args: P.args, **kwargs: P.kwargs
    ) -> float: ...
    @overload
    def __call__(
        self, ranks: Sequence[Any] | NDArray[Any], n_items: Any, *args: P.args, **kwargs: P.kwargs
    ) -> FloatArray: ...


def accept_ranks(function: Callable[Concatenate[ArrayLike, Any, P], Any]) -> RankFunction[P]:
    """Type a function of ranks: a single rank gives a float, a row of them an array."""
    return cast("RankFunction[P]", function)


def metric_at_rank(
    ranks: ArrayLike, metric: Metric, *, k: int | None = None, n_items: int | None = None
) -> FloatArray:
    """How large is a metric for one relevant item at each of these ranks?

    Parameters
    ----------
    ranks : array of int
        From 1.
    metric : str or callable
        "hit_rate" (with one relevant item the same as "recall"), "precision",
        "reciprocal_rank" (the same as "average_precision"), "ndcg", "auc"; or a function that
        takes an array of ranks and returns their values.
    k : int, optional
        How many ranks count. By default all of them; "precision" needs it, "auc" and a function
        do not take it.
    n_items : int, optional
        How many items were ranked; needed by "auc".

    Returns
    -------
    array of float, shape of `ranks`

    Raises
    ------
    TypeError, ValueError
        If a rank is no whole number of 1 or more or is beyond n_items, the metric is unknown,
        or k is given or missing against the above.

    Examples
    --------
    >>> from recsys_metrics.protocol.candidates import metric_at_rank
    >>> metric_at_rank([1, 3, 50], "ndcg", k=10)
    array([1. , 0.5, 0. ])
    """
    return value_at_rank(check_ranks(ranks, n_items), metric, k, n_items)


def check_ranks(ranks: ArrayLike, n_items: Any = None) -> NDArray[np.intp]:
    """Return ranks as whole numbers, none of them below 1 or beyond `n_items`."""
    given: NDArray[Any] = as_array(ranks, "ranks")
    whole = None
    if given.dtype.kind in "iuf" and np.isfinite(given).all():
        with np.errstate(invalid="ignore"):  # a float beyond whole numbers becomes another one
            whole = given.astype(np.intp)
    if whole is None or (whole != given).any():
        raise TypeError(
            f"ranks are whole numbers from 1; got {given.ravel()[:5]!r}. Mean ranks of tied "
            "items have no such metric: rank with ties='worst' or ties='order'"
        )
    size = np.array(np.inf) if n_items is None else as_numbers(n_items, "n_items")
    if () not in (size.shape, whole.shape) and size.shape != whole.shape:
        raise ValueError(
            f"ranks have shape {whole.shape} and n_items {size.shape}; give one size for all or "
            "one per rank"
        )
    rank, last = np.broadcast_arrays(whole, size)
    wrong = (rank < 1) | (rank > last)
    if wrong.any():
        end = "" if n_items is None else f" to {last[wrong][0]}"
        refuse(wrong, "ranks", rank, f"; ranks go from 1{end}")
    return whole


def check_metric(metric: Any, k: int | None) -> None:
    """Raise if there is no such metric, or it does not go with this k."""
    if k is not None:
        k = check_count("k", k)
    if callable(metric):
        if k is not None:
            raise ValueError(
                "k belongs to a metric given by name; a function applies its own cut-off"
            )
        return
    check_choice("metric", metric, RankMetric)
    if metric == "auc" and k is not None:
        raise ValueError("auc uses the whole ranking and takes no k")
    if metric == "precision" and k is None:
        raise ValueError("precision divides by k, so k must be given")


def value_at_rank(ranks: NDArray[Any], metric: Metric, k: int | None, n_items: Any) -> FloatArray:
    """Return the metric at checked ranks; `n_items` may be an array of their shape."""
    check_metric(metric, k)
    if callable(metric):
        # A copy: a function that works in place would change the ranks themselves.
        own = as_numbers(metric(ranks.copy()), "what the metric returned")
        if own.shape != ranks.shape or not np.isfinite(own).all():
            raise ValueError(
                f"the metric returned shape {own.shape} for ranks of shape {ranks.shape}, or a "
                "value that is not finite; return one finite number per rank"
            )
        return own
    if metric == "auc":
        if n_items is None:
            raise ValueError("auc needs to know how many items were ranked; give n_items")
        others = np.asarray(n_items) - 1
        if (others < 1).any():
            raise ValueError("auc compares the item with others, and there is none")
        below: FloatArray = (n_items - ranks) / others
        return below
    worth: FloatArray
    if metric == "ndcg":
        worth = 1 / np.log2(ranks + 1.0)
    elif metric in ("reciprocal_rank", "average_precision"):
        worth = 1 / ranks
    else:
        worth = np.full(ranks.shape, 1 / k if metric == "precision" and k else 1.0)
    return worth if k is None else np.where(ranks <= k, worth, 0.0)
