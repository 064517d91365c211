"""How much a choice, or a list, depends on the order in which candidates are presented."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core import confidence_intervals
from recsys_metrics._core.checks import check_count, check_lengths, check_level
from recsys_metrics._core.inputs.arrays import FloatArray, IntArray, refuse_mask
from recsys_metrics._core.inputs.columns import check_whole
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics.protocol.significance._intervals import mean_interval, proportion_interval
from recsys_metrics.protocol.significance._results import Interval


@dataclass(frozen=True)
class OrderSensitivity:
    """What a judge of pairs does when the two are swapped.

    Attributes
    ----------
    consistent : Interval
        Share of pairs with the same answer in both orders (position consistency).
    first, second : Interval
        Share of pairs in which whatever is presented first, or second, is preferred in both
        orders.
    advantage : Interval
        By how much more often the first place wins than the second, from -1 to 1.
    preference : Interval
        Of b over a, the mean of both orders, from -1 to 1; an advantage of a place cancels.
    one_order : Interval
        The same from the order a, b alone, in which the advantage of the first place counts for a.

    Examples
    --------
    >>> from recsys_metrics.protocol.judges import order_sensitivity
    >>> found = order_sensitivity([1, -1, -1, -1, 0], [1, 1, 1, -1, 0])
    >>> found.consistent.estimate, found.first.estimate, found.second.estimate
    (0.6, 0.4, 0.0)
    """

    consistent: Interval
    first: Interval
    second: Interval
    advantage: Interval
    preference: Interval
    one_order: Interval


def order_sensitivity(
    in_order: ArrayLike, swapped: ArrayLike, *, level: float = 0.95
) -> OrderSensitivity:
    r"""How often does a judge of pairs change its answer when the two are swapped?

    Parameters
    ----------
    in_order, swapped : (n,) array of int
        The answer for each pair when a is presented first, and when b is: 1 if b is preferred, -1
        if a is, 0 for a tie; at least two pairs.
    level : float
        Confidence, between 0 and 1.

    Returns
    -------
    OrderSensitivity

    Raises
    ------
    TypeError, ValueError
        If lengths differ, there are fewer than two pairs, or an answer is none of the three.

    Notes
    -----
    With the answers :math:`c_i` in the order a, b and :math:`s_i` in the order b, a, the advantage
    of the first place and the preference for b are

    .. math:: \frac{1}{n} \sum_{i=1}^{n} \frac{s_i - c_i}{2}, \qquad
              \frac{1}{n} \sum_{i=1}^{n} \frac{s_i + c_i}{2}

    where :math:`n` is the number of pairs. The intervals are `proportion_interval` for shares and
    `mean_interval` for means.

    References
    ----------
    Zheng and others (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, NeurIPS. Shi
    and others (2025), Judging the judges: a systematic study of position bias in LLM-as-a-judge,
    IJCNLP-AACL.

    Examples
    --------
    A judge that always takes what comes first prefers neither:

    >>> from recsys_metrics.protocol.judges import order_sensitivity
    >>> found = order_sensitivity([-1] * 20, [1] * 20)
    >>> found.first.estimate, found.preference.estimate, found.one_order.estimate
    (1.0, 0.0, -1.0)
    """
    level = check_level(level)
    refuse_other_labels(in_order=in_order, swapped=swapped)
    c = check_whole("in_order", in_order, -1, 1)
    s = check_whole("swapped", swapped, -1, 1)
    check_lengths(in_order=c, swapped=s)

    def share(mask: ArrayLike) -> Interval:
        return proportion_interval(int(np.count_nonzero(mask)), len(c), level=level)

    def mean(values: FloatArray) -> Interval:
        return mean_interval(values, bounds=(-1.0, 1.0), level=level)

    return OrderSensitivity(
        consistent=share(c == s),
        first=share((c == -1) & (s == 1)),
        second=share((c == 1) & (s == -1)),
        advantage=mean((s - c) / 2),
        preference=mean((s + c) / 2),
        one_order=mean(c.astype(np.float64)),
    )


@dataclass(frozen=True, eq=False)
class PlaceShares:
    """How often the candidate at each place of a prompt is recommended.

    Attributes
    ----------
    share, low, high : (n_places,) array of float
        Share of lists that recommend the candidate at this place, and its confidence interval.
    expected : float
        The share of every place if the order does not matter.
    level : float
    n : int
        How many lists.

    Examples
    --------
    >>> from recsys_metrics.protocol.judges import place_shares
    >>> found = place_shares([[1, 2], [1, 4], [2, 1]], n_places=4)
    >>> found.share.round(2).tolist(), found.expected
    ([1.0, 0.67, 0.0, 0.33], 0.5)
    """

    share: FloatArray
    low: FloatArray
    high: FloatArray
    expected: float
    level: float
    n: int


def place_shares(places: ArrayLike, *, n_places: int, level: float = 0.95) -> PlaceShares:
    r"""From which places of the prompt does a recommender take its items?

    Parameters
    ----------
    places : (n, K) array of int
        For each list, at which place among the candidates each recommended item was presented,
        from 1. The candidates must have been shuffled for each list.
    n_places : int
        How many candidates were presented.
    level : float
        Confidence of each interval, between 0 and 1.

    Returns
    -------
    PlaceShares

    Raises
    ------
    TypeError, ValueError
        If a place is out of range or occurs twice in a list.

    Notes
    -----
    The share of place p is the fraction of lists in which the candidate at p is among the K
    recommended items. With shuffled candidates every place has the expectation :math:`K / C` if
    the order does not matter, where :math:`C` is the number of candidates. The intervals are
    `proportion_interval` over lists.

    References
    ----------
    Hou and others (2024), Large language models are zero-shot rankers for recommender systems,
    ECIR. Jiang and others (2025), Beyond utility: evaluating LLM as recommender, WWW.

    Examples
    --------
    >>> from recsys_metrics.protocol.judges import place_shares
    >>> found = place_shares([[1, 2]] * 50, n_places=4)
    >>> found.low.round(3).tolist(), found.high.round(3).tolist()
    ([0.929, 0.929, 0.0, 0.0], [1.0, 1.0, 0.071, 0.071])
    """
    level = check_level(level)
    n_candidates = check_count("n_places", n_places)
    taken = check_whole("places", places, 1, n_candidates, axes=2)
    ordered = np.sort(taken, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if twice.any():
        row = int(twice.argmax())
        raise ValueError(f"places[{row}] has a place twice; a candidate is recommended once")
    counts = np.bincount(taken.ravel() - 1, minlength=n_candidates)
    n, k = taken.shape
    low, high = confidence_intervals.of_proportion(counts, np.full(n_candidates, n), level)
    return PlaceShares(counts / n, low, high, k / n_candidates, level, n)


def list_overlap(
    runs: Sequence[Sequence[Sequence[Hashable]] | IntArray], *, k: int, level: float = 0.95
) -> Interval:
    r"""How many items do the lists of two runs for the same user share?

    Parameters
    ----------
    runs : sequence of (n, ...) lists
        The lists of each run, for the same users in the same order; at least two runs. Runs may
        differ in the order of the candidates, in the wording of the prompt, or in nothing but
        chance.
    k : int
        Only the first k items of each list count.
    level : float
        Confidence, between 0 and 1.

    Returns
    -------
    Interval
        Of the mean over users, between 0 and 1.

    Raises
    ------
    TypeError, ValueError
        If there are fewer than two runs or users, or runs differ in their number of users.

    Notes
    -----
    .. math:: \frac{1}{n} \sum_{u=1}^{n} \binom{R}{2}^{-1} \sum_{r < s}
              \frac{|L_{ru} \cap L_{su}|}{k}

    where :math:`L_{ru}` is the set of the first k items for user u in run r; :math:`R` is the
    number of runs; :math:`n` is the number of users. The interval is `mean_interval` over users.

    Examples
    --------
    >>> from recsys_metrics.protocol.judges import list_overlap
    >>> first = [["A", "B"], ["C", "D"]]
    >>> list_overlap([first, [["B", "A"], ["C", "E"]]], k=2).estimate
    0.75
    """
    top = check_count("k", k)
    refuse_mask(runs, "runs")
    if len(runs) < 2:
        raise ValueError(f"runs: {len(runs)}; it takes at least two runs to compare them")
    for place, run in enumerate(runs):
        refuse_mask(run, f"runs[{place}]")
    sets = [[set(list(one)[:top]) for one in run] for run in runs]
    for place, found in enumerate(sets):
        if len(found) != len(sets[0]):
            raise ValueError(
                f"runs[0] has lists of {len(sets[0])} users and runs[{place}] of {len(found)}; "
                "give all runs for the same users in the same order"
            )
    pairs = list(combinations(sets, 2))
    shared = [
        sum(len(one[user] & other[user]) for one, other in pairs) / (len(pairs) * top)
        for user in range(len(sets[0]))
    ]
    return mean_interval(shared, bounds=(0.0, 1.0), level=level)
