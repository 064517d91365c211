"""How soon the hits come, by the reciprocal of their rank."""

from __future__ import annotations

from typing import Literal

import numpy as np

from recsys_metrics.ranking._codes import BoolArray, FloatArray
from recsys_metrics.ranking._judged import Judged, Values
from recsys_metrics.ranking._per_list import (
    NoRelevant,
    check_choice,
    check_judged,
    divide,
    finish,
    hits_within,
    over_hits,
    weigh,
)

Reduce = Literal["sum", "mean", "ideal"]


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
    .. math:: \mathrm{RR} = 1 / \min\{i \le k : L_i \in R\}

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
    .. math:: \mathrm{RHR} = \sum_{i \le k} [L_i \in R] / i

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


def _first(hits: BoolArray) -> FloatArray:
    if hits.shape[1] == 0:
        return np.zeros(len(hits))
    return np.where(hits.any(axis=1), 1.0 / (hits.argmax(axis=1) + 1.0), 0.0)


def _sum_of_reciprocals(hits: BoolArray) -> FloatArray:
    reciprocals: FloatArray = weigh(hits, 1.0 / np.arange(1, hits.shape[1] + 1))
    return reciprocals
