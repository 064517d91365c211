"""Metrics over pairs of items, from scores rather than lists."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core import arithmetic
from recsys_metrics._core.checks import check_count, check_flag, refuse, zero_one
from recsys_metrics._core.inputs.arrays import as_array, as_labels, as_scores, is_array
from recsys_metrics._core.inputs.columns import number_labels
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics._core.inputs.scalar_or_batch import of_rows
from recsys_metrics._core.inputs.ties import check_ties
from recsys_metrics._core.sorted_arrays import factorize, starts_of_runs
from recsys_metrics.ranking._full_catalog import WIDE, area
from recsys_metrics.ranking._grade_codes import FloatArray
from recsys_metrics.ranking._per_list import check_choice
from recsys_metrics.ranking._ties import best_first

OneClass = Literal["nan", "raise"]
Weights = Literal["impressions", "positives", "users"]
Pooling = Literal["pairs", "users"]
LimitedTies = Literal["average", "order", "worst", "best"]
PairTies = Literal["worst", "average", "best"]


_NO_ID = {
    "id": "scores have no ids here; put the columns in the order of their ids and take 'order'",
    "random": "one order drawn at random says less than the mean over all, 'average'",
    "expected": "the mean over all orders is 'average'",
}
_NO_USER = "; every row needs its user"
_NO_ORDER = {
    **dict.fromkeys(
        ("id", "order", "random"), "a pair of equal scores has no order; take 'average'"
    ),
    "expected": "of a pair in both orders, half is right: take 'average'",
}


@of_rows
def roc_auc(labels: ArrayLike, scores: ArrayLike, *, one_class: OneClass = "nan") -> Any:
    r"""How often does a relevant item score higher than one that is not?

    Parameters
    ----------
    labels : (m,) or (n, m) array of 0 and 1
        Whether each item is relevant; with two axes, a user per row.
    scores : array of float, same shape
        The model's scores, in any unit; a score of 0 or below is a score.
    one_class : {"nan", "raise"}
        What to do where there is no pair: only relevant items, or none.

    Returns
    -------
    float or (n,) array
        Between 0 and 1: the area under the ROC curve. 0.5 is what random scores get on
        average. Tied pairs count one half.

    Raises
    ------
    ValueError
        If shapes differ, a label is neither 0 nor 1, a score is NaN, or, with
        `one_class="raise"`, a row has one class only.

    Notes
    -----
    .. math:: \mathrm{AUC} = \frac{1}{|R| \, |N|} \sum_{i \in R} \sum_{j \in N}
              \bigl( [s_i > s_j] + \tfrac12 [s_i = s_j] \bigr)

    where :math:`R` is the set of relevant items; :math:`N` is the set of items judged not relevant;
    :math:`s_i` is the score of item :math:`i`.

    It is computed from the ranks of the relevant items (Mann-Whitney). Wide rows with few of
    them are not sorted: each is compared with the row.

    References
    ----------
    Hanley and McNeil (1982), The meaning and use of the area under a ROC curve, Radiology
    143(1). Fawcett (2006), An introduction to ROC analysis, Pattern Recognition Letters 27(8).

    Examples
    --------
    >>> from recsys_metrics import roc_auc
    >>> round(roc_auc([1, 1, 0, 0, 0], [0.9, 0.6, 0.7, 0.4, 0.3]), 3)
    0.833
    """
    refuse_other_labels(labels=labels, scores=scores)
    check_choice("one_class", one_class, OneClass)
    relevant, values = as_array(labels, "labels", fill="0"), as_array(scores, "scores")
    if values.dtype not in (np.float32, np.float64) or not is_array(scores):
        values = as_scores(scores, "scores")
    if relevant.ndim not in (1, 2):
        raise ValueError(f"labels must have one or two axes, got {relevant.ndim}")
    if relevant.shape != values.shape:
        raise ValueError(
            f"labels have shape {relevant.shape} and scores {values.shape}; "
            "each label needs its score"
        )
    single = relevant.ndim == 1
    table, wanted = np.atleast_2d(values), np.atleast_2d(relevant)
    if table.shape[1] >= WIDE:
        areas = _areas_of_rows(wanted, table)
    else:
        user = np.repeat(np.arange(len(wanted)), wanted.shape[1])
        areas, _, _ = _areas(user, wanted.ravel(), table.ravel().astype(np.float64), len(wanted))
    if one_class == "raise" and np.isnan(areas).any():
        row = int(np.isnan(areas).argmax())
        who = "" if single else f" in row {row}"
        what = "relevant" if wanted[row].any() else "not relevant"
        raise ValueError(
            f"AUC compares relevant with other items, but all {wanted.shape[1]} labels{who} are "
            f"{what}"
        )
    return float(areas[0]) if single else areas


@of_rows
def limited_auc(
    labels: ArrayLike,
    scores: ArrayLike,
    k: int,
    *,
    ties: LimitedTies = "average",
    one_class: OneClass = "nan",
) -> Any:
    r"""How often is a relevant item ranked higher if the order below rank k is random?

    Parameters
    ----------
    labels, scores
        As in `roc_auc`, over all candidates of a user.
    k : int
        How many ranks are shown. What is not shown counts as tied.
    ties : {"average", "order", "worst", "best"}
        Which of the equal scores at rank k are shown: any of them, as likely, so that a constant
        model gets one half; those given first, as in `implicit`, which flatters if the relevant
        ones come first; those that are not relevant; or those that are.
    one_class : {"nan", "raise"}
        What to do where there is no pair: only relevant items, or none.

    Returns
    -------
    float or (n,) array
        Between 0 and 1; the AUC itself if k reaches all candidates.

    Raises
    ------
    TypeError, ValueError
        As in `roc_auc`; also if k is no whole number of 1 or more.

    Notes
    -----
    The ROC curve is followed to where the list ends, and from there a straight line leads to
    its upper right corner. A list without a hit stays below one half. `implicit` reports it.

    References
    ----------
    Schröder, Thiele and Lehner (2011), Setting goals and choosing metrics for recommender system
    evaluations, UCERSTI.

    Examples
    --------
    >>> from recsys_metrics import limited_auc
    >>> round(limited_auc([1, 1, 0, 0, 0], [0.9, 0.6, 0.7, 0.4, 0.3], 1), 3)
    0.75
    """
    refuse_other_labels(labels=labels, scores=scores)
    cut = check_count("k", k, meaning="how many ranks are shown")
    values = as_scores(scores, "scores")
    check_ties(ties, LimitedTies, _NO_ID)
    relevant = as_array(labels, "labels", fill="0")
    if np.isnan(values).any() or values.ndim not in (1, 2) or relevant.shape != values.shape:
        return roc_auc(relevant, values, one_class=one_class)
    if ties == "average":
        return _average_limited(relevant, values, cut, one_class)
    order = best_first(values, relevant.astype(np.float64), ties)
    shown = np.zeros(values.shape)
    # The best gets k, the last that is shown 1, the others 0.
    np.put_along_axis(
        shown, order, np.maximum(cut - np.arange(values.shape[-1], dtype=np.float64), 0.0), axis=-1
    )
    # Equal scores stay equal where both are shown.
    levels = np.where(shown > 0, values, -np.inf)
    return roc_auc(relevant, levels, one_class=one_class)


def _average_limited(labels: NDArray[Any], scores: FloatArray, k: int, one_class: OneClass) -> Any:
    """Return the limited AUC, on average over the orders of equal scores at rank k.

    An item of that group is shown with one probability, and its pairs with items of other groups
    count as if all of the group were shown or as if none were; pairs within it count half.
    """
    width = scores.shape[-1]
    if k >= width:
        return roc_auc(labels, scores, one_class=one_class)
    at_cut = -np.sort(-scores, axis=-1)[..., k - 1, None]
    above = (scores > at_cut).sum(axis=-1)
    tied = (scores == at_cut).sum(axis=-1)
    share = (k - above) / tied
    all_shown, none_shown = (
        roc_auc(labels, np.where(shown, scores, -np.inf), one_class=one_class)
        for shown in (scores >= at_cut, scores > at_cut)
    )
    values = share * all_shown + (1 - share) * none_shown
    return float(values) if scores.ndim == 1 else values


def group_auc(
    labels: ArrayLike, scores: ArrayLike, users: ArrayLike, *, weights: Weights = "impressions"
) -> float:
    """How well are each user's own items ordered, on average over users?

    Parameters
    ----------
    labels : (m,) array of 0 and 1
        Whether each shown item was relevant (clicked, say).
    scores : (m,) array of float
        The model's scores.
    users : (m,) array
        To whom it was shown; any values that can be sorted.
    weights : {"impressions", "positives", "users"}
        What a user's AUC weighs: the number of items shown, of relevant items, or 1.

    Returns
    -------
    float
        Weighted mean of the users' AUC. Users with one class only have no AUC and are left
        out; NaN if nobody has both.

    Raises
    ------
    ValueError
        If lengths differ, a label is neither 0 nor 1, or a score is NaN.

    Notes
    -----
    Unlike AUC over everything, it does not reward scores that are high for active users.
    RecBole weighs by positives, Elliot gives each user the same weight.

    References
    ----------
    Zhu et al. (2017), Optimized cost per click in Taobao display advertising, KDD.

    Examples
    --------
    >>> from recsys_metrics import group_auc
    >>> group_auc([1, 0, 0, 1, 0], [0.9, 0.8, 0.1, 0.2, 0.3], ["a", "a", "a", "b", "b"])
    0.6
    """
    refuse_other_labels(labels=labels, scores=scores, users=users)
    check_choice("weights", weights, Weights)
    relevant, values = as_array(labels, "labels", fill="0"), as_scores(scores, "scores")
    who, user = number_labels("users", users, _NO_USER)
    if not relevant.shape == values.shape == user.shape or relevant.ndim != 1:
        raise ValueError(
            f"labels, scores and users must be of one length; got shapes {relevant.shape}, "
            f"{values.shape} and {user.shape}"
        )
    areas, positives, negatives = _areas(user, relevant, values, len(who))
    weight = {
        "impressions": positives + negatives,
        "positives": positives,
        "users": np.ones(len(who)),
    }[weights]
    known = ~np.isnan(areas)
    return float(np.average(areas[known], weights=weight[known])) if known.any() else float("nan")


def fraction_of_concordant_pairs(
    preference: ArrayLike,
    scores: ArrayLike,
    *,
    users: ArrayLike | None = None,
    pooling: Pooling = "pairs",
    ties: PairTies = "worst",
    count_tied: bool = True,
) -> float:
    r"""Of the pairs in which a user prefers one item, what fraction do the scores order correctly?

    Parameters
    ----------
    preference : (m,) array of float
        How much each item is liked, a rating for instance. Items liked equally are no pair.
    scores : (m,) array of float
        The model's scores; higher is better.
    users : (m,) array, optional
        Whose item each is; only items of one user are compared. By default one user.
    pooling : {"pairs", "users"}
        Whether all pairs count the same, or each user's share does.
    ties : {"worst", "average", "best"}
        What a pair with equal scores counts as: wrong, half right, or right.
    count_tied : bool
        Whether a pair with equal scores is a pair at all.

    Returns
    -------
    float
        The fraction of concordant pairs, FCP, between 0 and 1; NaN if there is no pair.

    Raises
    ------
    ValueError
        If lengths differ or a value is not finite.

    Notes
    -----
    .. math:: \mathrm{FCP} = \frac{|\{(i, j) : y_i > y_j,\ s_i > s_j\}|} {|\{(i, j) : y_i > y_j\}|}

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`s_i` is the score of item :math:`i`.

    The pairs are counted level by level over the bits of the items' ranks, in O(m log m):
    the quadratic list of pairs is never made.

    References
    ----------
    Koren and Sill (2013), Collaborative filtering on ordinal user feedback, IJCAI.

    Examples
    --------
    A user likes A more than B more than C, and the system ranks B, A, C:

    >>> from recsys_metrics import fraction_of_concordant_pairs
    >>> round(fraction_of_concordant_pairs([3, 2, 1], [2, 3, 1]), 3)
    0.667
    """
    refuse_other_labels(preference=preference, scores=scores, users=users)
    check_choice("pooling", pooling, Pooling)
    check_ties(ties, PairTies, _NO_ORDER)
    liked = as_scores(preference, "preference")
    values = as_scores(scores, "scores")
    owner = np.zeros(len(liked), dtype=np.intp) if users is None else as_labels(users, "users")
    if not liked.shape == values.shape == owner.shape or liked.ndim != 1:
        raise ValueError(
            "preference, scores and users must be of one length; got shapes "
            f"{liked.shape}, {values.shape} and {owner.shape}"
        )
    for name, part in (("preference", liked), ("scores", values)):
        refuse(~np.isfinite(part), name, part, "; every item needs a finite number")
    check_flag("count_tied", count_tied)
    everyone, user = number_labels("users", owner if users is None else users, _NO_USER)
    n_users = len(everyone)
    concordant = _count_concordant(user, liked, values, n_users)
    pairs = _pairs_within(n_users, user) - _pairs_within(n_users, user, liked)
    tied = _pairs_within(n_users, user, values) - _pairs_within(n_users, user, liked, values)
    share = {"worst": 0.0, "average": 0.5, "best": 1.0}[ties] if count_tied else 0.0
    right = concordant + share * tied
    counted = pairs if count_tied else pairs - tied
    if pooling == "pairs":
        return float(right.sum() / counted.sum()) if counted.sum() else float("nan")
    has_pairs = counted > 0
    if not has_pairs.any():
        return float("nan")
    return float((right[has_pairs] / counted[has_pairs]).mean())


def _areas_of_rows(labels: NDArray[Any], scores: NDArray[Any]) -> FloatArray:
    """Return what `_areas` does, a wide row at a time."""
    areas = np.empty(len(scores))
    for row, (given, values) in enumerate(zip(labels, scores, strict=True)):
        wanted = zero_one(given, "labels", row * len(given))
        _check_scores(values, row * len(values))
        areas[row] = area(values, wanted)
    return areas


def _check_scores(scores: NDArray[Any], before: int = 0) -> None:
    """Raise if a score is NaN, counting those before."""
    # NaN is the maximum of whatever holds it.
    if scores.size and np.isnan(scores.max()):
        bad = before + int(np.isnan(scores).argmax())
        raise ValueError(f"score {bad} is NaN; every item needs a score")


def _areas(
    user: NDArray[np.intp], labels: NDArray[Any], scores: FloatArray, n_users: int
) -> tuple[FloatArray, NDArray[np.intp], NDArray[np.intp]]:
    """Return each user's AUC, NaN without a pair, and the numbers of either class."""
    positive = zero_one(labels, "labels")
    _check_scores(scores)
    # Rank within the user, equal scores sharing the mean of their ranks.
    order = np.lexsort((scores, user))
    user, scores, positive = user[order], scores[order], positive[order]
    starts = starts_of_runs(user, scores)
    run = np.cumsum(starts) - 1
    first = np.flatnonzero(starts)
    last = np.append(first[1:], len(user)) - 1
    before = np.searchsorted(user, np.arange(n_users))
    ranks = ((first + last) / 2)[run] - before[user] + 1.0
    positives = np.bincount(user[positive], minlength=n_users)
    negatives = np.bincount(user[~positive], minlength=n_users)
    sums = np.bincount(user[positive], weights=ranks[positive], minlength=n_users)
    pairs = positives * negatives
    wins = sums - positives * (positives + 1) / 2
    areas = arithmetic.divide(wins, pairs)
    return areas, positives, negatives


def _pairs_within(n_users: int, *keys: NDArray[Any]) -> NDArray[np.int64]:
    """Return the number of pairs per user (the first key) that agree in all keys."""
    order = np.lexsort(keys[::-1])
    first = np.flatnonzero(starts_of_runs(*(key[order] for key in keys)))
    sizes = np.diff(np.append(first, len(order))).astype(np.int64)
    pairs = np.zeros(n_users, dtype=np.int64)
    np.add.at(pairs, keys[0][order][first], sizes * (sizes - 1) // 2)
    return pairs


def _count_concordant(
    user: NDArray[np.intp], liked: FloatArray, scores: FloatArray, n_users: int
) -> NDArray[np.int64]:
    """Count, per user, the pairs in which the item liked more also scores strictly higher.

    Items stand in order of score, ties with the most liked first, so that a tied pair never
    looks right. A pair is then concordant if the earlier item is liked less. Two different
    ranks of liking first differ in one bit, where the earlier must have 0 and the later 1: for
    each bit, items that agree in all higher bits form a group, and within a group every 1
    counts the 0s before it.
    """
    _, level = factorize(liked)
    order = np.lexsort((-liked, scores, user))
    user, level = user[order], level[order].astype(np.int64)
    concordant = np.zeros(n_users, dtype=np.int64)
    bits = int(level.max(initial=0)).bit_length()
    for bit in range(bits - 1, -1, -1):
        group = (user.astype(np.int64) << (bits - bit)) | (level >> (bit + 1))
        in_groups = np.argsort(group, kind="stable")
        user, level, group = user[in_groups], level[in_groups], group[in_groups]
        one = (level >> bit & 1).astype(bool)
        zeros_before = np.cumsum(~one) - ~one
        first = np.flatnonzero(starts_of_runs(group))
        at_start = np.repeat(zeros_before[first], np.diff(np.append(first, len(group))))
        counts = np.bincount(user[one], weights=(zeros_before - at_start)[one], minlength=n_users)
        concordant += counts.astype(np.int64)
    return concordant
