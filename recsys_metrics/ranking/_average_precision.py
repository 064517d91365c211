"""Precision and recall averaged over the ranks of the hits."""

from __future__ import annotations

from typing import Literal

import numpy as np

from recsys_metrics._core.inputs.arrays import IndexArray
from recsys_metrics.ranking._grade_codes import BoolArray, FloatArray
from recsys_metrics.ranking._judged import Judged, Values
from recsys_metrics.ranking._per_list import (
    NoRelevant,
    apply_weights,
    check_choice,
    check_judged,
    divide,
    finish,
    hits_of_list,
    hits_within,
    over_hits,
    ranks_counted,
)

PrecisionsOver = Literal["relevant", "achievable", "recommended", "k", "hits", "listed", "prefixes"]
# With more ranks than this, and than any list has, a sum is computed without a table of all ranks.
_LONGEST_TABLE = 2**16
RecallsOver = Literal["hits", "relevant", "prefixes"]


def average_precision(
    judged: Judged[Values],
    k: int | None = None,
    *,
    denominator: PrecisionsOver = "relevant",
    no_relevant: NoRelevant = "nan",
) -> Values:
    r"""Are all the relevant items high in the list, not only the first?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        Hits below rank k do not count. By default the whole list does.
    denominator : {"relevant", "achievable", "recommended", "k", "hits", "listed", "prefixes"}
        What the sum of the precisions at the hits is divided by: all relevant items, so that
        a missed item costs; min(k, relevant items); the same with the ranks really used in
        place of k; k; the hits found, so that missed items are free; or the relevant items
        anywhere in the list, below rank k too. "prefixes" is another mean: precision at every
        rank up to k, hit or not.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        Between 0 and 1. The mean over users is MAP.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`.

    Notes
    -----
    .. math:: \mathrm{AP@}K = \frac{1}{|R|} \sum_{i \le K} [L_i \in R] \; \mathrm{P@}i

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_i` is the item at rank
    :math:`i`; :math:`R` is the set of relevant items.

    "relevant" is trec_eval's, ranx's and RecTools' denominator; "achievable" that of RecBole,
    RePlay, implicit and `map_at_k` of recommenders; "hits" that of torchmetrics and of
    scikit-learn's `average_precision_score`; "recommended" that of LensKit; "listed" that of
    Evidently and TensorFlow Ranking; "prefixes" is Elliot's MAP. With "hits", finding one more
    relevant item can lower the value.

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, chapter 8.

    Examples
    --------
    >>> from recsys_metrics import average_precision, judge
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> round(average_precision(judged, k=5), 4)
    0.4417
    >>> round(average_precision(judged, k=5, denominator="hits"), 4)
    0.5889
    """
    cut = check_judged(judged, k)
    check_choice("denominator", denominator, PrecisionsOver)
    counted = ranks_counted(judged, cut)
    if denominator == "prefixes":
        # A hit at rank i is in the precision of every rank j from i on, where it counts 1/j;
        # so in all it counts H(last) - H(i - 1), with the harmonic numbers H.
        harmonic = _harmonic(max(judged._codes.shape[1], min(cut or 0, _LONGEST_TABLE)))
        # Ranks beyond every list are counted too, and no table has to reach so far.
        is_beyond = cut is not None and cut >= len(harmonic)
        whole = _harmonic_numbers(counted) if is_beyond else harmonic[counted]
        values = hits_within(judged, cut) * whole - over_hits(
            judged, cut, lambda hits: apply_weights(hits, harmonic[: hits.shape[1]])
        )
        return finish(judged, divide(values, counted), no_relevant)
    total = over_hits(judged, cut, _sum_of_precisions_at_hits)
    if denominator == "relevant":
        over = judged._n_relevant
    elif denominator == "achievable":
        over = np.minimum(counted, judged._n_relevant)
    elif denominator == "recommended":
        over = np.minimum(np.minimum(counted, judged._lengths), judged._n_relevant)
    elif denominator == "k":
        over = counted
    elif denominator == "listed":
        over = hits_of_list(judged)
    else:
        over = hits_within(judged, cut).astype(np.intp)
    return finish(judged, divide(total, over), no_relevant)


def average_recall(
    judged: Judged[Values],
    k: int | None = None,
    *,
    denominator: RecallsOver = "hits",
    no_relevant: NoRelevant = "nan",
) -> Values:
    r"""How much of the relevant set has been found by the time of each hit?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        Hits below rank k do not count. By default the whole list does.
    denominator : {"hits", "relevant", "prefixes"}
        What the sum of the recalls at the hits is divided by: the hits found, or all relevant
        items. "prefixes" is another mean: recall at every rank up to k.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        Between 0 and 1. The mean over users is MAR.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`.

    Notes
    -----
    .. math:: \mathrm{AR@}K = \frac{\sum_{i \le K} [L_i \in R] \; \mathrm{R@}i}{|R \cap L_{\le K}|}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_{\le K}` is the first
    :math:`K` items of the list; :math:`L_i` is the item at rank :math:`i`; :math:`R` is the set of
    relevant items.

    With h hits among n relevant items the recalls at the hits are 1/n, 2/n, …, h/n, wherever they
    stand. So the value is (h + 1) / 2n, or h (h + 1) / 2n² if the denominator is "relevant", and
    neither looks at the order of the list. Only "prefixes", Elliot's MAR, does.

    Examples
    --------
    >>> from recsys_metrics import average_recall, judge
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> average_recall(judged, k=5), average_recall(judged, k=5, denominator="relevant")
    (0.5, 0.375)
    """
    cut = check_judged(judged, k)
    check_choice("denominator", denominator, RecallsOver)
    found = hits_within(judged, cut)
    possible = judged._n_relevant.astype(np.float64)
    if denominator == "hits":
        values = np.where(found > 0, divide(found + 1, 2 * possible), 0.0)
    elif denominator == "relevant":
        values = divide(found * (found + 1), 2 * possible**2)
    else:
        counted = ranks_counted(judged, cut)
        # Every rank from a hit on has it in its recall, those beyond the list included.
        waited = over_hits(
            judged,
            cut,
            lambda hits: apply_weights(hits, np.arange(hits.shape[1], dtype=np.float64)),
        )
        values = divide(found * counted - waited, possible * counted)
    return finish(judged, values, no_relevant)


def _sum_of_precisions_at_hits(hits: BoolArray) -> FloatArray:
    precisions = np.cumsum(hits, axis=1) / np.arange(1, hits.shape[1] + 1)
    total: FloatArray = (precisions * hits).sum(axis=1)
    return total


def _harmonic_numbers(n: IndexArray) -> FloatArray:
    from scipy.special import digamma

    return np.asarray(digamma(n + 1.0) + np.euler_gamma)


def _harmonic(n: int) -> FloatArray:
    """Return 0, 1, 1 + 1/2, … up to the n-th harmonic number."""
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, n + 1))])
