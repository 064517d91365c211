"""Similarity of two rankings: rank-biased overlap."""

from __future__ import annotations

import math
from typing import Any, Literal, overload

import numpy as np

from recsys_metrics._core.checks import check_count
from recsys_metrics._core.inputs.arrays import FloatArray, IntArray
from recsys_metrics._core.inputs.lists import Lists, read_lists
from recsys_metrics._core.inputs.scalar_or_batch import ManyLists, OneList
from recsys_metrics._core.parameter_domains import check_number
from recsys_metrics.ranking._per_list import Patience, check_choice, check_k

Rest = Literal["extrapolate", "disjoint", "nothing", "normalize"]


@overload
def rank_biased_overlap(
    one: OneList, other: Any, k: int | None = ..., *, p: Patience = ..., rest: Rest = ...
) -> float: ...
@overload
def rank_biased_overlap(
    one: ManyLists, other: Any, k: int | None = ..., *, p: Patience = ..., rest: Rest = ...
) -> FloatArray: ...
@overload
def rank_biased_overlap(
    one: Any, other: Any, k: int | None = ..., *, p: Patience = ..., rest: Rest = ...
) -> Any: ...
def rank_biased_overlap(
    one: Any,
    other: Any,
    k: int | None = None,
    *,
    p: Patience = 0.9,
    rest: Rest = "extrapolate",
) -> Any:
    r"""How much do two rankings agree, with the most weight on the first ranks?

    Parameters
    ----------
    one, other : lists in any form that `judge` takes
        Two rankings of possibly different items and lengths, or as many of either.
    k : int, optional
        Ranks below k do not count. By default both lists are read to their ends.
    p : float
        The probability of reading on, between 0 and 1; the mean depth read is 1/(1 - p).
    rest : {"extrapolate", "disjoint", "nothing", "normalize"}
        What is supposed below the last rank: that the lists go on to agree as much as so far, or
        that they share no further item. With "nothing" the sum ends at the last rank, and with
        "normalize" this sum is divided by the most that it could be.

    Returns
    -------
    float or (n,) array
        Between 0, nothing in common, and 1; with "disjoint" and "nothing" even equal lists stay
        below 1. NaN if both lists are empty.

    Raises
    ------
    TypeError, ValueError
        If a list holds an item twice, the numbers of lists differ, k is no whole number of 1 or
        more, or p is not between 0 and 1.

    Notes
    -----
    .. math:: \mathrm{RBO} = (1 - p) \sum_{d \ge 1} p^{\,d-1} A_d

    where :math:`p` is the probability that the user goes on to the next rank; :math:`A_d` is the
    share of the first :math:`d` items that both lists have in common.

    "extrapolate" is RBO-EXT of the paper, for lists of different lengths, too, and "disjoint" its
    RBO-MIN, the least that the overlap can be however the lists go on. "nothing" is smaller
    still, and for lists of one length what version 0.1.3 of the package rbo calls `rbo`.
    "normalize" is what LensKit reports, where p is 0.85.

    References
    ----------
    Webber, Moffat and Zobel (2010), A similarity measure for indefinite rankings, ACM TOIS 28(4).

    Examples
    --------
    >>> from recsys_metrics import rank_biased_overlap
    >>> round(rank_biased_overlap(["A", "B", "C"], ["B", "A", "C"]), 3)
    0.9
    >>> for rest in ("disjoint", "nothing"):
    ...     round(rank_biased_overlap(["A", "B", "C"], ["A", "B", "C"], rest=rest), 3)
    0.523
    0.271
    >>> rank_biased_overlap([["A"], ["A"]], [["A"], ["B"]])
    array([1., 0.])
    """
    check_choice("rest", rest, Rest)
    p = check_number("p", p, Patience)
    cut = check_k(k)
    first, second = _pairs(one, other, "one", "other")
    pairs = zip(first.cut(cut).items, second.cut(cut).items, strict=True)
    values = np.array([_overlap(_filled(a), _filled(b), float(p), rest) for a, b in pairs])
    return first.finish(values)


@overload
def least_item_promoted(reranked: OneList, original: Any, k: int) -> float: ...
@overload
def least_item_promoted(reranked: ManyLists, original: Any, k: int) -> FloatArray: ...
@overload
def least_item_promoted(reranked: Any, original: Any, k: int) -> Any: ...
def least_item_promoted(reranked: Any, original: Any, k: int) -> Any:
    r"""From how far below rank k does a re-ranked list take its items?

    Parameters
    ----------
    reranked : lists in any form that `judge` takes
        What is recommended after re-ranking.
    original : as `reranked`
        The longer lists that were re-ranked, as many.
    k : int
        How many ranks are recommended.

    Returns
    -------
    float or (n,) array
        By how many ranks the item that came from furthest down stood below rank k; 0 if all
        would have been recommended anyway. NaN for an empty list.

    Raises
    ------
    TypeError, ValueError
        As in `rank_biased_overlap`; also if a recommended item is not in the original list.

    Notes
    -----
    .. math:: \mathrm{LIP@}K = \max\bigl(0, \max_{i \in L_{\le K}} \rho_i - K\bigr)

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_{\le K}` is the first
    :math:`K` items of the list; :math:`\rho_i` is the rank of the relevant item of case :math:`i`.

    One item decides it.

    References
    ----------
    Raj and Ekstrand (2022), Fire dragon and unicorn princess: gender stereotypes and children's
    products in search engine responses, SIGIR eCom.

    Examples
    --------
    >>> from recsys_metrics import least_item_promoted
    >>> least_item_promoted(["A", "E", "B"], ["A", "B", "C", "D", "E", "F"], k=3)
    2.0
    """
    cut = check_count("k", k)
    first, second = _pairs(reranked, original, "reranked", "original")
    values = np.empty(len(first))
    for row, (recommended, before) in enumerate(
        zip(first.cut(cut).items, second.items, strict=True)
    ):
        rank = {item: place for place, item in enumerate(_filled(before), start=1)}
        lacking = [item for item in _filled(recommended) if item not in rank]
        if lacking:
            raise ValueError(
                f"list {row} of reranked has an item that is not in its original list; "
                "give the whole lists that were re-ranked"
            )
        last = max((rank[item] for item in _filled(recommended)), default=np.nan)
        values[row] = np.maximum(last - cut, 0.0)
    return first.finish(values)


def _pairs(one: Any, other: Any, *names: str) -> tuple[Lists, Lists]:
    """Return lists that go in pairs."""
    first = read_lists(one, names[0])
    second = read_lists(other, names[1], ids=first.ids)
    words = " and ".join(names)
    if first.single != second.single:
        raise TypeError(f"{words} must both be one list of ids, or both a list of lists")
    strangers = None not in (first.users, second.users) and first.users != second.users
    if len(first) != len(second) or strangers:
        raise ValueError(
            f"{names[0]} has {len(first)} lists and {names[1]} {len(second)}; they go in pairs, "
            "and those of users in the same order"
        )
    return first, second


def _filled(row: IntArray) -> list[int]:
    items: list[int] = row[row >= 0].tolist()
    return items


def _overlap(one: list[int], other: list[int], p: float, rest: Rest) -> float:
    short, long = sorted((one, other), key=len)
    n_short, n_long = len(short), len(long)
    if n_long == 0:
        return float("nan")
    depths = np.arange(1, n_long + 1, dtype=np.float64)
    # An item is common from the depth on at which the later of the two lists has it.
    place = {item: rank for rank, item in enumerate(short)}
    met = [max(rank, place[item]) for rank, item in enumerate(long) if item in place]
    common = np.cumsum(np.bincount(np.array(met, dtype=np.intp), minlength=n_long))
    weights = (1 - p) * p ** (depths - 1)
    seen = float((weights * common / depths).sum())
    if rest == "nothing":
        return seen
    if rest == "normalize":
        return seen / float(weights.sum())
    if rest == "disjoint":
        # All p^d / d add up to -log(1 - p); those of the ranks that were read are taken off.
        beyond_end = -math.log1p(-p) - float((p**depths / depths).sum())
        return seen + float(common[-1]) * (1 - p) / p * max(beyond_end, 0.0)
    if n_short == 0:
        return 0.0
    # Below its end the short list is supposed to agree as it did at its last rank.
    at_end = common[n_short - 1]
    beyond = depths[n_short:]
    supposed = float((weights[n_short:] * at_end * (beyond - n_short) / (n_short * beyond)).sum())
    last = (common[-1] - at_end) / n_long + at_end / n_short
    return seen + supposed + float(last) * p**n_long
