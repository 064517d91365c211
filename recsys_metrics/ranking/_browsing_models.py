"""Metrics of a browsing model: a reader goes down the list and stops (RR, RBP, ERR)."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from recsys_metrics._core.arithmetic import exp2_minus_1
from recsys_metrics._core.parameter_domains import Domain, check_number
from recsys_metrics.ranking._grade_codes import BoolArray, FloatArray
from recsys_metrics.ranking._judged import Judged, Values
from recsys_metrics.ranking._per_list import (
    NoRelevant,
    Patience,
    apply_weights,
    check_choice,
    check_judged,
    divide,
    finish,
    hits_within,
    over_hits,
    over_levels,
)

Reduce = Literal["sum", "mean", "ideal"]
MaxGrade = Annotated[float, Domain("the top of the scale", above=0)]


def reciprocal_rank(
    judged: Judged[Values], k: int | None = None, *, no_relevant: NoRelevant = "nan"
) -> Values:
    r"""How high is the first relevant item?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        Hits below rank k do not count. By default the whole list does.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        One over the rank of the first hit, 0 without a hit. The mean over users is MRR.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`.

    Notes
    -----
    .. math:: \mathrm{RR@}K = \frac{1}{\min \{ i \le K : L_i \in R \}}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_i` is the item at rank
    :math:`i`; :math:`R` is the set of relevant items.

    Nothing after the first hit counts.

    References
    ----------
    Voorhees (1999), The TREC-8 question answering track report.

    Examples
    --------
    >>> from recsys_metrics import judge, reciprocal_rank
    >>> reciprocal_rank(judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}), k=5)
    0.5
    """
    return finish(judged, over_hits(judged, check_judged(judged, k), _first), no_relevant)


def reciprocal_hit_rate(
    judged: Judged[Values],
    k: int | None = None,
    *,
    reduce: Reduce = "sum",
    no_relevant: NoRelevant = "nan",
) -> Values:
    r"""How high are all the relevant items that were found?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        Hits below rank k do not count. By default the whole list does.
    reduce : {"sum", "mean", "ideal"}
        Whether a user's reciprocal ranks are added up, averaged over the user's hits, or divided
        by the sum that the best order would have: 1 + 1/2 + … with a term for each relevant item,
        at most k of them.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        0 without a hit. A sum can exceed 1; with one relevant item per user both equal the
        reciprocal rank. The mean over users is the average reciprocal hit rate, ARHR; with
        "ideal" it is Cornac's NCRR, between 0 and 1.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`.

    Notes
    -----
    .. math:: \mathrm{RHR@}K = \sum_{i \le K} \frac{[L_i \in R]}{i}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_i` is the item at rank
    :math:`i`; :math:`R` is the set of relevant items.

    References
    ----------
    Deshpande and Karypis (2004), Item-based top-N recommendation algorithms, ACM TOIS 22(1).

    Examples
    --------
    >>> from recsys_metrics import judge, reciprocal_hit_rate
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> round(reciprocal_hit_rate(judged, k=5), 3)
    1.033
    >>> round(reciprocal_hit_rate(judged, k=5, reduce="mean"), 3)
    0.344
    """
    cut = check_judged(judged, k)
    check_choice("reduce", reduce, Reduce)
    values = over_hits(judged, cut, _sum_of_reciprocals)
    if reduce == "mean":
        values = divide(values, hits_within(judged, cut))
    elif reduce == "ideal":
        could = judged._n_relevant if cut is None else np.minimum(cut, judged._n_relevant)
        terms = 1.0 / np.arange(1, int(could.max(initial=0)) + 1)
        values = divide(values, np.concatenate([[0.0], np.cumsum(terms)])[could])
    return finish(judged, values, no_relevant)


def rank_biased_precision(
    judged: Judged[Values],
    k: int | None = None,
    *,
    p: Patience = 0.8,
    no_relevant: NoRelevant = "nan",
) -> Values:
    r"""How much gain does a user find who continues to the next item with probability p?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        Hits below rank k do not count. By default the whole list does.
    p : float
        The reader's patience, between 0 and 1.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        Between 0 and 1, and below 1 for any finite list: what lies beyond it counts as not
        relevant.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`; also if p is not between 0 and 1.

    Notes
    -----
    .. math:: \mathrm{RBP@}K = (1 - p) \sum_{i \le K} p^{i-1} \, [L_i \in R]

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_i` is the item at rank
    :math:`i`; :math:`R` is the set of relevant items; :math:`p` is the probability that the user
    goes on to the next rank.

    References
    ----------
    Moffat and Zobel (2008), Rank-biased precision for measurement of retrieval
    effectiveness, ACM TOIS 27(1).

    Examples
    --------
    >>> from recsys_metrics import judge, rank_biased_precision
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> round(rank_biased_precision(judged, k=5), 4)
    0.3699
    """
    cut = check_judged(judged, k)
    p = check_number("p", p, Patience)
    reaches = np.power(p, np.arange(judged._codes.shape[1]))
    values = over_hits(
        judged, cut, lambda hits: apply_weights(hits, (1 - p) * reaches[: hits.shape[1]])
    )
    return finish(judged, values, no_relevant)


def expected_reciprocal_rank(
    judged: Judged[Values],
    k: int | None = None,
    *,
    max_grade: MaxGrade,
    no_relevant: NoRelevant = "nan",
) -> Values:
    r"""At what reciprocal rank does a user stop who is more often satisfied by better items?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        Ranks below k do not count. By default the whole list does.
    max_grade : float
        The highest grade of the scale, 5 for five stars and 1 for binary relevance. An item of
        this grade satisfies with probability 1 - 2**-max_grade.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        Between 0 and 1.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`; also if a grade is above max_grade.

    Notes
    -----
    .. math:: \mathrm{ERR@}K = \sum_{i \le K} \frac{q_i}{i} \prod_{j < i} (1 - q_j),
              \qquad q_i = \frac{2^{g_i} - 1}{2^{g_{\max}}}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`g_i` is the gain of the
    item at rank :math:`i`, by default its grade; :math:`g_{\max}` is the highest grade of the
    scale.

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan (2009), Expected reciprocal rank for graded
    relevance, CIKM.

    Examples
    --------
    >>> from recsys_metrics import expected_reciprocal_rank, judge
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> round(expected_reciprocal_rank(judged, k=5, max_grade=1), 4)
    0.3583
    """
    cut = check_judged(judged, k)
    highest = judged._levels.max()
    max_grade = check_number("max_grade", max_grade, MaxGrade)
    if highest > max_grade:
        raise ValueError(
            f"the highest grade here is {highest:g}, above max_grade={max_grade:g}; "
            "give the top of the scale the grades are on"
        )
    satisfies = exp2_minus_1(judged._levels, -max_grade)
    values = over_levels(judged, cut, satisfies, _expected_stop)
    nothing = np.diff(judged._ideal_order[0]) == 0
    return finish(judged, values, no_relevant, nothing=nothing)


def _first(hits: BoolArray) -> FloatArray:
    if hits.shape[1] == 0:
        return np.zeros(len(hits))
    return np.where(hits.any(axis=1), 1.0 / (hits.argmax(axis=1) + 1.0), 0.0)


def _sum_of_reciprocals(hits: BoolArray) -> FloatArray:
    reciprocals: FloatArray = apply_weights(hits, 1.0 / np.arange(1, hits.shape[1] + 1))
    return reciprocals


def _expected_stop(satisfied: FloatArray) -> FloatArray:
    width = satisfied.shape[1]
    reads_on = np.ones_like(satisfied)
    np.cumprod(1.0 - satisfied[:, :-1], axis=1, out=reads_on[:, 1:])
    stops: FloatArray = apply_weights(satisfied * reads_on, 1.0 / np.arange(1, width + 1))
    return stops
