"""Metrics that use non-relevant items: interpolated precision, fall-out, MCC and bpref."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from recsys_metrics._core.blocks import row_blocks
from recsys_metrics._core.checks import check_count
from recsys_metrics._core.inputs.arrays import IndexArray
from recsys_metrics._core.parameter_domains import Domain, check_number
from recsys_metrics.ranking._grade_codes import BoolArray, FloatArray
from recsys_metrics.ranking._judged import Judged, Values
from recsys_metrics.ranking._per_list import (
    NoRelevant,
    check_judged,
    divide,
    finish,
    hits_within,
)

RecallLevel = Annotated[float, Domain("the share of the relevant items to reach", least=0, most=1)]


def interpolated_precision(
    judged: Judged[Values],
    k: int | None = None,
    *,
    recall: RecallLevel | None = None,
    no_relevant: NoRelevant = "nan",
) -> Values:
    r"""How high is the best precision at or beyond a given recall?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        Hits below rank k do not count. By default the whole list does.
    recall : float, optional
        The recall to reach, from 0 to 1. By default the mean over recall 0, 0.1 to 1: the
        eleven-point average.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        Between 0 and 1; 0 where the list never gets so far.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`; also if recall is outside [0, 1].

    Notes
    -----
    .. math:: \mathrm{P}_t = \max_{i \le K :\ \mathrm{R@}i \ge t} \mathrm{P@}i

    where :math:`K` is the cut-off, the number of ranks that count; :math:`t` is the recall level.

    Recall t is reached at the first whole number of hits that is at least t times the relevant
    items. In trec_eval 9, and so in pytrec_eval, iprec_at_recall and 11pt_avg are the same but
    where its rounding takes one hit less: to it, two of three relevant items are a recall of
    0.7. trec_eval 10.0-rc3 rounds t times the relevant items to the nearest whole number, so
    that one of four is a recall of 0.3; a recall of 1/4 gives its value.

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to information retrieval, section 8.4.

    Examples
    --------
    >>> from recsys_metrics import interpolated_precision, judge
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> round(interpolated_precision(judged, recall=0.5), 3)
    0.667
    >>> round(interpolated_precision(judged), 4)
    0.4727
    """
    cut = check_judged(judged, k)
    if recall is None:
        levels = np.arange(11) / 10
    else:
        levels = np.array([check_number("recall", recall, RecallLevel)])
    # Hits that reach the level; 0.1 times 30 must not come out as a hair more than 3.
    needed = np.ceil(judged._n_relevant[:, None] * levels - 1e-9)
    codes = judged._codes[:, :cut]
    values = np.zeros(len(judged))
    for block in row_blocks(len(codes), codes.shape[1]):
        values[block] = _mean_at(judged._is_relevant[codes[block]], needed[block])
    return finish(judged, values, no_relevant)


def fall_out(
    judged: Judged[Values], k: int | None = None, *, n_items: int, no_relevant: NoRelevant = "nan"
) -> Values:
    r"""Of the items that are not relevant, what fraction is in the list?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        Ranks below k do not count. By default the whole list does.
    n_items : int
        How many items could have been recommended, the relevant ones included.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        Between 0 and 1, low is good: the false-positive rate. 0 for a user who wants everything.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`; also if a user has more relevant or recommended items than there are.

    Notes
    -----
    .. math:: \mathrm{fallout@}K = \frac{|L_{\le K} \setminus R|}{|I| - |R|}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_{\le K}` is the first
    :math:`K` items of the list; :math:`R` is the set of relevant items; :math:`I` is the catalogue,
    the set of all items.

    A rank that holds no item counts as one that shows an item nobody wants, as in `precision`.

    In a large catalogue it is close to 0 for every model. torchmetrics divides by the items
    that are supplied, not by the catalogue.

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to information retrieval, section 8.4.

    Examples
    --------
    >>> from recsys_metrics import fall_out, judge
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> fall_out(judged, k=5, n_items=14)
    0.2
    """
    cut = check_judged(judged, k)
    total = check_count("n_items", n_items, meaning="how many items could have been recommended")
    recommended = judged._lengths if cut is None else np.minimum(judged._lengths, cut)
    hits = hits_within(judged, cut)
    most = recommended - hits + judged._n_relevant
    if most.max(initial=0) > total:
        row = int(most.argmax())
        raise ValueError(
            f"list {row} and what is relevant to its user have {int(most[row])} items, but n_items "
            f"is {total}; count the whole catalogue"
        )
    return finish(judged, divide(recommended - hits, total - judged._n_relevant), no_relevant)


def bpref(
    judged: Judged[Values], k: int | None = None, *, no_relevant: NoRelevant = "nan"
) -> Values:
    r"""How rarely is an item judged not relevant ranked above a relevant one?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge` with grades of 0 for items judged not relevant (or, with a
        threshold, below it). Items that nobody judged are passed over.
    k : int, optional
        Hits below rank k do not count. By default the whole list does.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        Between 0 and 1.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`.

    Notes
    -----
    .. math:: \mathrm{bpref@}K = \frac{1}{|R|} \sum_{i \le K} [L_i \in R]
              \Bigl( 1 - \frac{\min(|N \cap L_{\le i}|, |R|)}{\min(|N|, |R|)} \Bigr)

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_{\le K}` is the first
    :math:`K` items of the list; :math:`L_i` is the item at rank :math:`i`; :math:`R` is the set of
    relevant items; :math:`N` is the set of items judged not relevant.

    This is how trec_eval computes it.

    References
    ----------
    Buckley and Voorhees (2004), Retrieval evaluation with incomplete information, SIGIR.

    Examples
    --------
    >>> from recsys_metrics import bpref, judge
    >>> grades = {"B": 1, "C": 1, "E": 1, "G": 1, "A": 0, "D": 0}
    >>> bpref(judge(["A", "B", "C", "D", "E"], grades))
    0.25
    """
    cut = check_judged(judged, k)
    codes = judged._codes[:, :cut]
    values = np.empty(len(judged))
    for block in row_blocks(len(codes), codes.shape[1]):
        values[block] = _preferred(
            judged._is_relevant[codes[block]],
            judged._is_rejected[codes[block]],
            judged._n_relevant[block],
            judged._n_nonrelevant[block],
        )
    return finish(judged, values, no_relevant)


def matthews_correlation(
    judged: Judged[Values], k: int | None = None, *, n_items: int, no_relevant: NoRelevant = "nan"
) -> Values:
    r"""How well does "recommended" agree with "relevant", over the whole catalogue?

    Parameters
    ----------
    judged, k, n_items, no_relevant
        As in `fall_out`.

    Returns
    -------
    float or (n,) array
        Between -1 and 1; 0 for lists at random, and where all items or none are listed.

    Raises
    ------
    TypeError, ValueError
        As in `fall_out`.

    Notes
    -----
    .. math:: \mathrm{MCC@}K = \frac{|R \cap L_{\le K}| \, |I| - |L_{\le K}| \, |R|}
              {\sqrt{|L_{\le K}| \, |R| \, (|I| - |L_{\le K}|) \, (|I| - |R|)}}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_{\le K}` is the first
    :math:`K` items of the list; :math:`R` is the set of relevant items; :math:`I` is the catalogue,
    the set of all items.

    In a large catalogue it is close to the root of precision times recall.

    References
    ----------
    Matthews (1975), Comparison of the predicted and observed secondary structure of T4 phage
    lysozyme, Biochimica et Biophysica Acta 405(2).

    Examples
    --------
    >>> from recsys_metrics import judge, matthews_correlation
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> round(matthews_correlation(judged, k=5, n_items=14), 4)
    0.5185
    """
    cut = check_judged(judged, k)
    # The same catalogue, asked about the items that are not wanted.
    false_rate = np.atleast_1d(fall_out(judged, k, n_items=n_items, no_relevant="zero"))
    hits, wanted = hits_within(judged, cut), judged._n_relevant.astype(np.float64)
    missed, rest = wanted - hits, n_items - wanted
    false = false_rate * rest
    left = rest - false
    top = hits * left - false * missed
    bottom = np.sqrt((hits + false) * wanted * rest * (left + missed))
    return finish(judged, divide(top, bottom), no_relevant)


def _mean_at(hits: BoolArray, needed: FloatArray) -> FloatArray:
    """Return the mean interpolated precision where each list has the hits that are needed."""
    found = np.cumsum(hits, axis=1)
    best = found / np.arange(1, hits.shape[1] + 1)
    best = np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1]
    # A list that never gets so far reads the column behind its last rank.
    best = np.hstack([best, np.zeros((len(hits), 1))])
    total = np.zeros(len(hits))
    for level in needed.T:
        first = (found < level[:, None]).sum(axis=1)
        total += np.take_along_axis(best, first[:, None], axis=1)[:, 0]
    mean: FloatArray = total / needed.shape[1]
    return mean


def _preferred(
    hits: BoolArray, rejected: BoolArray, relevant: IndexArray, nonrelevant: IndexArray
) -> FloatArray:
    above = np.minimum(np.cumsum(rejected, axis=1), relevant[:, None])
    credit = 1.0 - divide(above, np.minimum(relevant, nonrelevant)[:, None])
    return divide((hits * credit).sum(axis=1), relevant)
