"""Tied scores: the expectation over all orders, or the order of a library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Concatenate, Literal, Protocol, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.arithmetic import scale_exponent
from recsys_metrics._core.inputs.arrays import as_numbers, as_scores
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics._core.inputs.scalar_or_batch import ManyRows, OneRow, P
from recsys_metrics._core.inputs.ties import check_ties
from recsys_metrics.ranking._dcg import Discount, Gain, Own, compute_gains, discounts
from recsys_metrics.ranking._grade_codes import BoolArray, FloatArray
from recsys_metrics.ranking._judged import Judged
from recsys_metrics.ranking._per_list import NoRelevant, check_choice, check_k, divide, finish

ScoreTies = Literal["worst", "order", "best"]
_REASONS = {
    "id": "candidates have no ids here; put the columns in the order of their ids and take 'order'",
    "random": "one order drawn at random says less than the mean over all, expected_over_ties",
    **dict.fromkeys(("average", "expected"), "expected_over_ties takes the mean over all orders"),
}
TieAwareMetric = Literal[
    "ndcg", "dcg", "precision", "recall", "hit_rate", "reciprocal_rank", "average_precision"
]


@overload
def judge_scores(
    grades: OneRow, scores: ArrayLike, *, ties: ScoreTies = ..., threshold: float | None = ...
) -> Judged[float]: ...
@overload
def judge_scores(
    grades: ManyRows, scores: ArrayLike, *, ties: ScoreTies = ..., threshold: float | None = ...
) -> Judged[FloatArray]: ...
@overload
def judge_scores(
    grades: ArrayLike, scores: ArrayLike, *, ties: ScoreTies = ..., threshold: float | None = ...
) -> Judged[Any]: ...
def judge_scores(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    ties: ScoreTies = "worst",
    threshold: float | None = None,
) -> Judged[Any]:
    """Judged lists from scored items, with a say in which of two equal scores comes first.

    Parameters
    ----------
    grades : (m,) or (n, m) array of float
        Grade of each candidate, 0 where it is not relevant; with two axes, a user per row.
    scores : array of float, same shape
        The model's scores, in any unit.
    ties : {"worst", "order", "best"}
        Which of two equal scores comes first: the lower grade, so that no order could be worse
        and a model that scores everything alike gains nothing by it; the one given first; or the
        higher grade. trec_eval takes the id that sorts last: give the columns in the reverse
        order of their ids and "order".
    threshold : float, optional
        Lowest grade that counts as relevant. By default any grade above 0.

    Returns
    -------
    Judged
        For every ranking metric. Nothing is relevant but what is in the row.

    Raises
    ------
    ValueError
        If shapes differ, a score is NaN, or a grade is negative or not finite.

    Examples
    --------
    >>> from recsys_metrics import judge_scores, reciprocal_rank
    >>> grades, scores = [0, 1, 0, 0], [0.5, 0.5, 0.5, 0.5]
    >>> [reciprocal_rank(judge_scores(grades, scores, ties=t)) for t in ("best", "order", "worst")]
    [1.0, 0.5, 0.25]
    """
    check_ties(ties, ScoreTies, _REASONS)
    found, values = read_scored(grades, scores)
    order = best_first(values, found, ties)
    return Judged.from_gains(np.take_along_axis(found, order, axis=-1), threshold=threshold)


class _GradedMetric(Protocol[P]):
    """What `OfRows` is, behind the name of a metric."""

    @overload
    def __call__(
        self, metric: TieAwareMetric, grades: OneRow, *args: P.args, **kwargs: P.kwargs
    ) -> float: ...
    @overload
    def __call__(
        self, metric: TieAwareMetric, grades: ManyRows, *args: P.args, **kwargs: P.kwargs
    ) -> FloatArray: ...
    @overload
    def __call__(
        self, metric: TieAwareMetric, grades: ArrayLike, *args: P.args, **kwargs: P.kwargs
    ) -> Any: ...


def _accept_grades(
    function: Callable[Concatenate[TieAwareMetric, ArrayLike, P], Any],
) -> _GradedMetric[P]:
    return cast("_GradedMetric[P]", function)


@_accept_grades
def expected_over_ties(
    metric: TieAwareMetric,
    grades: ArrayLike,
    scores: ArrayLike,
    k: int | None = None,
    *,
    gain: Gain | Own = "linear",
    discount: Discount | Own = "log2",
    threshold: float | None = None,
    no_relevant: NoRelevant = "nan",
) -> Any:
    r"""How high is a metric on average if every order of tied scores is equally likely?

    Parameters
    ----------
    metric : str
        "ndcg", "dcg", "precision", "recall", "hit_rate", "reciprocal_rank" or
        "average_precision", each with its default conventions.
    grades : (m,) or (n, m) array of float
        Grade of each candidate, 0 where it is not relevant; with two axes, a user per row.
    scores : array of float, same shape
        The model's scores, in any unit.
    k : int, optional
        How many ranks count. By default all.
    gain, discount
        As in `dcg`; the other metrics do not look at them.
    threshold : float, optional
        Lowest grade that counts as relevant. By default any grade above 0.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        The exact mean over all orders; without ties, the metric itself.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate` and `judge_scores`.

    Notes
    -----
    In a group of n tied items of which r are relevant, with c items above the group and h hits
    among those, the item at the group's j-th rank is relevant with probability r/n, and then
    (j - 1)(r - 1)/(n - 1) of the j - 1 before it are, too. So no order is ever listed: after one
    sort, each rank adds its share. "ndcg" is what scikit-learn's `ndcg_score` and torchmetrics
    return.

    References
    ----------
    McSherry and Najork (2008), Computing information retrieval performance measures efficiently
    in the presence of tied scores, ECIR.

    Examples
    --------
    >>> from recsys_metrics import expected_over_ties
    >>> expected_over_ties("reciprocal_rank", [0, 1], [0.5, 0.5])
    0.75
    >>> round(expected_over_ties("ndcg", [0, 1, 0], [0.5, 0.5, 0.1]), 4)
    0.8155
    """
    check_choice("metric", metric, TieAwareMetric)
    if isinstance(discount, str):
        check_choice("discount", discount, Discount)
    cut = check_k(k)
    found, values = read_scored(grades, scores)
    best = Judged.from_gains(-np.sort(-found, axis=-1), threshold=threshold)
    counts = np.arange(found.shape[-1]) < (found.shape[-1] if cut is None else cut)
    worth = compute_gains(np.atleast_2d(found), gain, threshold)
    if metric in ("ndcg", "dcg"):
        if metric == "ndcg":  # what all gains are divided by cancels out
            worth = np.ldexp(worth, -scale_exponent(worth))
        tied = group_ties(np.atleast_2d(values), worth)
        factors = discounts(found.shape[-1], discount) * counts
        total = (tied.relevant / tied.size * factors).sum(axis=1)
        if metric == "ndcg":
            # The ideal has no ties that matter.
            total = divide(total, (-np.sort(-worth, axis=1) * factors).sum(axis=1))
        nothing: BoolArray = (worth > 0).sum(axis=1) == 0
        return finish(best, total, no_relevant, nothing=nothing)
    hits = compute_gains(np.atleast_2d(found), "binary", threshold)
    share = _EXPECTED[metric](group_ties(np.atleast_2d(values), hits), counts, cut)
    return finish(best, share, no_relevant)


@dataclass(frozen=True)
class Tied:
    """What is known at each rank of each row about the group of equal scores that it is in.

    Attributes
    ----------
    size, relevant
        Items in the group, and their summed worth.
    above
        Summed worth of the items above the group.
    place
        Rank within the group, from 0.
    """

    size: FloatArray
    relevant: FloatArray
    above: FloatArray
    place: FloatArray

    @property
    def n_relevant(self) -> FloatArray:
        total: FloatArray = (self.relevant / self.size).sum(axis=1)
        return total

    @property
    def heads(self) -> FloatArray:
        """The worth of each group at its first rank, 0 at the others."""
        return np.where(self.place == 0, self.relevant, 0.0)

    @property
    def depth(self) -> FloatArray:
        """How many items score as high or higher."""
        return np.arange(self.size.shape[1]) - self.place + self.size


def group_ties(scores: FloatArray, worth: FloatArray) -> Tied:
    """Return the groups of equal scores of each row, highest first."""
    order = np.argsort(-scores, axis=1, kind="stable")
    scores, worth = (np.take_along_axis(part, order, axis=1) for part in (scores, worth))
    n_rows, width = scores.shape
    starts = np.ones((n_rows, width), dtype=bool)
    starts[:, 1:] = scores[:, 1:] != scores[:, :-1]
    first = np.flatnonzero(starts)
    run = np.cumsum(starts.ravel()) - 1
    sizes = np.diff(np.append(first, n_rows * width)).astype(np.float64)
    sums = np.bincount(run, weights=worth.ravel(), minlength=len(first))
    before = (np.cumsum(worth, axis=1) - worth).ravel()[first]
    place = np.arange(n_rows * width) - first[run]
    parts = (sizes[run], sums[run], before[run], place.astype(np.float64))
    return Tied(*(part.reshape(n_rows, width) for part in parts))


def _expected_hits(tied: Tied, counts: BoolArray) -> FloatArray:
    hits: FloatArray = (tied.relevant / tied.size * counts).sum(axis=1)
    return hits


def _precision(tied: Tied, counts: BoolArray, k: int | None) -> FloatArray:
    return _expected_hits(tied, counts) / (tied.size.shape[1] if k is None else k)


def _recall(tied: Tied, counts: BoolArray, k: int | None) -> FloatArray:
    return divide(_expected_hits(tied, counts), tied.n_relevant)


def _average_precision(tied: Tied, counts: BoolArray, k: int | None) -> FloatArray:
    before = divide(tied.place * (tied.relevant - 1), tied.size - 1)
    ranks = np.arange(1, tied.size.shape[1] + 1)
    precisions = (tied.above + 1 + before) / ranks
    total = (tied.relevant / tied.size * precisions * counts).sum(axis=1)
    return divide(total, tied.n_relevant)


def _still_nothing(tied: Tied) -> FloatArray:
    """Return, for each rank, the probability that there is no hit down to it."""
    left = tied.size - tied.place
    goes_on: FloatArray = np.maximum(left - tied.relevant, 0.0) / left
    missing: FloatArray = np.cumprod(goes_on, axis=1, dtype=np.float64)
    return missing


def _hit_rate(tied: Tied, counts: BoolArray, k: int | None) -> FloatArray:
    rate: FloatArray = 1.0 - _still_nothing(tied)[:, counts.sum() - 1]
    return rate


def _reciprocal_rank(tied: Tied, counts: BoolArray, k: int | None) -> FloatArray:
    nothing = _still_nothing(tied)
    first = np.ones_like(nothing)
    first[:, 1:] = nothing[:, :-1]
    first -= nothing
    total: FloatArray = (first / np.arange(1, nothing.shape[1] + 1) * counts).sum(axis=1)
    return total


_EXPECTED = {
    "average_precision": _average_precision,
    "hit_rate": _hit_rate,
    "precision": _precision,
    "recall": _recall,
    "reciprocal_rank": _reciprocal_rank,
}


def best_first(scores: FloatArray, grades: FloatArray, ties: ScoreTies) -> NDArray[np.intp]:
    """Return the columns of each row, highest score first."""
    if ties == "order":
        return np.argsort(-scores, axis=-1, kind="stable")
    return np.lexsort((grades if ties == "worst" else -grades, -scores), axis=-1)


def read_scored(
    grades: ArrayLike, scores: ArrayLike, name: str = "grades"
) -> tuple[FloatArray, FloatArray]:
    """Return the grades and the scores of candidates, checked."""
    refuse_other_labels(**{name: grades, "scores": scores})
    found, values = as_numbers(grades, name), as_scores(scores, "scores")
    if found.shape != values.shape or found.ndim not in (1, 2) or 0 in found.shape:
        raise ValueError(
            f"{name} have shape {found.shape} and scores {values.shape}; both are (m,) or (n, m), "
            "and each candidate needs one of either"
        )
    if np.isnan(values).any():
        bad = tuple(int(i) for i in np.argwhere(np.isnan(values))[0])
        raise ValueError(f"the score at {bad} is NaN; every candidate needs a score")
    return found, values
