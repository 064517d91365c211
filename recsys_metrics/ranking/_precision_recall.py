"""Metrics that count hits: hit rate, precision, recall, F-score and R-precision."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from recsys_metrics._core.blocks import row_blocks
from recsys_metrics._core.parameter_domains import Domain, check_number
from recsys_metrics.ranking._grade_codes import BoolArray, FloatArray
from recsys_metrics.ranking._judged import Judged, Values
from recsys_metrics.ranking._per_list import (
    NoRelevant,
    check_choice,
    check_judged,
    divide,
    finish,
    hits_of_list,
    hits_within,
    over_hits,
    ranks_counted,
)

PrecisionDenominator = Literal["k", "recommended", "achievable"]
RecallDenominator = Literal["relevant", "achievable", "listed"]
Beta = Annotated[float, Domain("the weight of recall", above=0)]


def hit_rate(
    judged: Judged[Values], k: int | None = None, *, no_relevant: NoRelevant = "nan"
) -> Values:
    r"""Is there at least one relevant item among the first k?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        How many ranks count. By default the whole list.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        1.0 where at least one of the first k items is relevant, else 0.0. The mean over users
        is the hit rate (success rate, HR@k). It never falls as k grows.

    Raises
    ------
    TypeError, ValueError
        If `judged` was not made by `judge`, `k` is no whole number of 1 or more, or a
        convention has an unknown value.

    Notes
    -----
    .. math:: \mathrm{HR@}K = [\, |R \cap L_{\le K}| \ge 1 \,]

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_{\le K}` is the first
    :math:`K` items of the list; :math:`R` is the set of relevant items.

    With one held-out item per user it equals recall.

    References
    ----------
    Deshpande and Karypis (2004), Item-based top-N recommendation algorithms, ACM TOIS 22(1).

    Examples
    --------
    >>> from recsys_metrics import hit_rate, judge
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> hit_rate(judged, k=5), hit_rate(judged, k=1)
    (1.0, 0.0)
    """
    return finish(judged, over_hits(judged, check_judged(judged, k), _any), no_relevant)


def precision(
    judged: Judged[Values],
    k: int | None = None,
    *,
    denominator: PrecisionDenominator = "k",
    no_relevant: NoRelevant = "nan",
) -> Values:
    r"""Of the items recommended, what fraction is relevant?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        How many ranks count. By default the whole list, and its length is the denominator.
    denominator : {"k", "recommended", "achievable"}
        What the hits are divided by: k, so that a list shorter than k pays for its missing
        ranks; the ranks really used among the first k; or min(k, number of relevant items),
        the most hits anyone could have.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        A share between 0 and 1; 0 for an empty list.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`.

    Notes
    -----
    .. math:: \mathrm{P@}K = \frac{|R \cap L_{\le K}|}{K}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_{\le K}` is the first
    :math:`K` items of the list; :math:`R` is the set of relevant items.

    "recommended" is what Evidently, LensKit and torchmetrics with `adaptive_k` report for short
    lists, "achievable" what RecTools calls `r_precision`.

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, chapter 8.

    Examples
    --------
    >>> from recsys_metrics import judge, precision
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> precision(judged, k=5)
    0.6
    >>> precision(judged, k=10), precision(judged, k=10, denominator="recommended")
    (0.3, 0.6)
    """
    return finish(judged, _precision(judged, check_judged(judged, k), denominator), no_relevant)


def recall(
    judged: Judged[Values],
    k: int | None = None,
    *,
    denominator: RecallDenominator = "relevant",
    no_relevant: NoRelevant = "nan",
) -> Values:
    r"""Of all relevant items, what fraction is among the first k?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        How many ranks count. By default the whole list.
    denominator : {"relevant", "achievable", "listed"}
        What the hits are divided by: all relevant items; min(k, number of relevant items),
        so that a user with more than k relevant items can reach 1; or the relevant items
        anywhere in the list, as if there were no others.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        A share between 0 and 1. It never falls as k grows (with the default denominator).

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`.

    Notes
    -----
    .. math:: \mathrm{R@}K = \frac{|R \cap L_{\le K}|}{|R|}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_{\le K}` is the first
    :math:`K` items of the list; :math:`R` is the set of relevant items.

    "achievable" is LensKit's recall at k and recpack's calibrated recall; "listed" is what
    torchmetrics and Evidently report, which are given the list and nothing else.

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, chapter 8.

    Examples
    --------
    >>> from recsys_metrics import judge, recall
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> recall(judged, k=5)
    0.75
    >>> recall(judged, k=2), recall(judged, k=2, denominator="achievable")
    (0.25, 0.5)
    """
    return finish(judged, _recall(judged, check_judged(judged, k), denominator), no_relevant)


def f_beta(
    judged: Judged[Values],
    k: int | None = None,
    *,
    beta: Beta = 1.0,
    precision_denominator: PrecisionDenominator = "k",
    recall_denominator: RecallDenominator = "relevant",
    no_relevant: NoRelevant = "nan",
) -> Values:
    r"""Are precision and recall both good?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        How many ranks count. By default the whole list.
    beta : float
        How many times as much recall weighs as precision; 1 gives F1.
    precision_denominator, recall_denominator
        The denominators of `precision` and `recall`.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        The weighted harmonic mean of the two, between 0 and 1; 0 where both are 0. The mean
        over users is a mean of F values, which is not the F of the mean precision and recall.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`; also if beta is not above 0.

    Notes
    -----
    .. math:: F_\beta = \frac{(1 + \beta^2) \, \mathrm{P@}K \cdot \mathrm{R@}K}
              {\beta^2 \, \mathrm{P@}K + \mathrm{R@}K}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`\beta` is the weight of
    recall relative to precision.

    References
    ----------
    van Rijsbergen (1979), Information Retrieval, chapter 7.

    Examples
    --------
    >>> from recsys_metrics import f_beta, judge
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> round(f_beta(judged, k=5), 3)
    0.667
    """
    cut = check_judged(judged, k)
    beta = check_number("beta", beta, Beta)
    share_good = _precision(judged, cut, precision_denominator, name="precision_denominator")
    share_found = _recall(judged, cut, recall_denominator, name="recall_denominator")
    # From here on a larger weight changes nothing, and its square leaves the floats.
    weight = min(beta, 1e100) ** 2
    values = divide((1 + weight) * share_good * share_found, weight * share_good + share_found)
    return finish(judged, values, no_relevant)


def r_precision(
    judged: Judged[Values], k: int | None = None, *, no_relevant: NoRelevant = "nan"
) -> Values:
    r"""Would a list as long as the relevant set contain the relevant items?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        Ranks beyond k do not count. By default the first R ranks do, where R is the user's
        number of relevant items.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        Hits in the first min(k, R) ranks, divided by R.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`.

    Notes
    -----
    .. math:: \mathrm{RP@}K = \frac{|R \cap L_{\le \min(K, |R|)}|}{|R|}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_{\le K}` is the first
    :math:`K` items of the list; :math:`R` is the set of relevant items.

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, chapter 8.

    Examples
    --------
    >>> from recsys_metrics import judge, r_precision
    >>> r_precision(judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}))
    0.5
    """
    cut = check_judged(judged, k)
    codes = judged._codes[:, :cut]
    ranks = np.arange(codes.shape[1])
    found = np.empty(len(judged))
    for block in row_blocks(len(codes), codes.shape[1]):
        counts = ranks < judged._n_relevant[block, None]
        found[block] = (judged._is_relevant[codes[block]] & counts).sum(axis=1)
    return finish(judged, divide(found, judged._n_relevant), no_relevant)


def _any(hits: BoolArray) -> Any:
    return hits.any(axis=1)


def _precision(
    judged: Judged[Any], k: int | None, denominator: PrecisionDenominator, name: str = "denominator"
) -> FloatArray:
    check_choice(name, denominator, PrecisionDenominator)
    counted = ranks_counted(judged, k)
    if denominator == "recommended":
        counted = np.minimum(counted, judged._lengths)
    elif denominator == "achievable":
        counted = np.minimum(counted, judged._n_relevant)
    return divide(hits_within(judged, k), counted)


def _recall(
    judged: Judged[Any], k: int | None, denominator: RecallDenominator, name: str = "denominator"
) -> FloatArray:
    check_choice(name, denominator, RecallDenominator)
    could = judged._n_relevant
    if denominator == "achievable":
        could = np.minimum(ranks_counted(judged, k), could)
    elif denominator == "listed":
        could = hits_of_list(judged)
    return divide(hits_within(judged, k), could)
