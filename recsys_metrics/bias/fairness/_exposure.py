"""Exposure of groups of items in ranked lists."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.blocks import row_blocks
from recsys_metrics._core.checks import check_choice, check_level, check_real, first_true
from recsys_metrics._core.confidence_intervals import normal_quantile
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.inputs.scalar_or_batch import of_lists
from recsys_metrics._core.position_weights import Attention, attention_at
from recsys_metrics.bias.fairness._grouped_lists import (
    Groups,
    Merit,
    attention_per_group,
    grouped_lists,
    merit_per_group,
    target_shares,
)
from recsys_metrics.bias.fairness._report import NOWHERE, GroupReport, build_report, extremes

Per = Literal["rate", "share", "merit"]
Distance = Literal["jensen-shannon", "total-variation"]


def exposure_by_group(
    recommended: Any,
    groups: Groups,
    *,
    attention: Attention = "log2",
    per: Per = "rate",
    merit: Merit | None = None,
    patience: float = 0.8,
    level: float = 0.95,
) -> GroupReport:
    r"""How much of the users' attention does each group of items get?

    Parameters
    ----------
    recommended : (lists, K) array of int, or lists of ids
        Item numbers, best first, -1 for an empty slot; or ids of any kind.
    groups : (n_items,) array, or mapping
        Group of every item of the catalogue, by its number or by its id.
    attention : {"log2", "geometric", "none"}
        What rank i counts: 1/log2(i + 1); patience to the power of i - 1; or 1, a plain count
        of slots.
    per : {"rate", "share", "merit"}
        Divide the group's share of the attention by its share of the catalogue, so that 1 is
        what its size is worth; or leave it a share; or divide it by its share of the merit, so
        that 1 is what its items are worth to users.
    merit : (n_items,) array of float, or mapping
        With `per="merit"`: how much each item of the catalogue is worth to users, 0 or more, as
        its mean relevance; by the item's number, or by its id where `groups` is a mapping.
    patience : float
        For geometric attention: how likely a user goes on to the next rank.
    level : float
        Confidence of the intervals.

    Returns
    -------
    GroupReport
        With `.per_group`, `.gap`, `.ratio`, and intervals over the lists (linearised: a list
        is one case). They are NaN for a single list.

    Raises
    ------
    ValueError
        If an item has no group or no merit, a merit is negative, all slots are empty, merit is
        given without `per="merit"` or the other way round, or a convention has an unknown value.
    TypeError
        If item numbers are no whole numbers, or groups cannot be sorted.

    Notes
    -----
    .. math:: \mathrm{rate}_c = \frac{\mathrm{share}_c}{|I_c| / |I|},
              \qquad \mathrm{share}_c = \frac{\sum_u \sum_i a_i \, [L_{u,i} \in I_c]}
              {\sum_u \sum_i a_i}

    where :math:`L_{u,i}` is the item at rank :math:`i` of the list of user :math:`u`; :math:`I_c`
    is the set of items of group :math:`c`; :math:`I` is the catalogue, the set of all items;
    :math:`a_i` is the attention that rank :math:`i` receives; :math:`c` is a group.

    Parity of shares and parity of rates agree only for groups of equal size: a group with 80 %
    of the catalogue and 80 % of the slots has a rate of 1, and a share gap of 0.6.

    The value per merit is the share over :math:`\sum_{i \in I_c} m_i / \sum_i m_i`; a group without
    merit has none. With two groups its ratio is the paper's disparate treatment ratio, turned so
    that it is at most 1. Its intervals take the merit as known.

    References
    ----------
    Singh and Joachims (2018), Fairness of exposure in rankings, KDD.

    Examples
    --------
    Of 100 slots 85 go to A and 15 to B, which have half of the catalogue each:

    >>> import numpy as np
    >>> from recsys_metrics.bias.fairness import exposure_by_group
    >>> slots = np.repeat([0, 1], [85, 15]).reshape(20, 5)
    >>> shares = exposure_by_group(slots, ["A", "B"], attention="none", per="share")
    >>> shares.per_group, round(shares.gap, 2)
    ({'A': 0.85, 'B': 0.15}, 0.7)
    >>> rates = exposure_by_group(slots, ["A", "B"], attention="none")
    >>> rates.per_group, round(rates.ratio, 3)
    ({'A': 1.7, 'B': 0.3}, 0.176)

    What is of A is worth half as much again to users, which is no reason for so much more:

    >>> by_merit = exposure_by_group(
    ...     slots, ["A", "B"], attention="none", per="merit", merit=[0.6, 0.4]
    ... )
    >>> round(by_merit.ratio, 3)
    0.265
    """
    check_choice("per", per, Per)
    level = check_level(level)
    codes, names, sizes, _ = grouped_lists(recommended, groups)
    weights = attention_at(codes.shape[1], attention, patience)
    per_list = attention_per_group(codes, weights, len(names))
    if (per == "merit") != (merit is not None):
        raise ValueError(
            "per='merit' and merit= go together: exposure proportional to merit needs the merit of "
            f"every item, and nothing else does; got per={per!r} "
            + ("without merit" if merit is None else "with merit")
        )
    total, everything = per_list.sum(axis=0), float(per_list.sum())
    if everything == 0:
        raise ValueError("every slot is empty, so no group gets any attention")
    owed = sizes if merit is None else merit_per_group(merit, groups, names)
    # A group that is owed nothing has no value.
    worth = np.ones(len(names)) if per == "share" else divide(owed.sum(), owed)
    values = total / everything * worth
    n = len(codes)
    # How much each list moves each value: a ratio of two sums, to first order.
    pull = (per_list - (total / everything) * per_list.sum(axis=1, keepdims=True)) * (
        worth * n / everything
    )
    z = normal_quantile(level)
    half = z * _standard_error(pull)
    gap_interval = ratio_interval = NOWHERE
    if pair := extremes(values):
        top, bottom = pair
        gap = float(values[top] - values[bottom])
        reach = float(z * _standard_error(pull[:, top] - pull[:, bottom]))
        # Neither group can get more than all attention.
        gap_interval = max(gap - reach, -worth[bottom]), min(gap + reach, worth[top])
        if values[bottom] > 0:
            move = pull[:, bottom] / values[bottom] - pull[:, top] / values[top]
            ratio_interval = pair.ratio_interval(values, float(z * _standard_error(move)))
    count = np.array([int(np.count_nonzero(codes == code)) for code in range(len(names))])
    ends = np.maximum(values - half, 0.0), np.minimum(values + half, worth)
    name = f"exposure ({per}, {attention} attention)"
    return build_report(name, names, values, count, ends, gap_interval, ratio_interval, level)


@of_lists
def attention_weighted_rank_fairness(
    recommended: Any,
    groups: Groups,
    *,
    target: Mapping[Any, float] | None = None,
    attention: Attention = "log2",
    distance: Distance = "jensen-shannon",
    patience: float = 0.8,
) -> Any:
    r"""How close is the attention in each list to the target shares of the groups?

    Parameters
    ----------
    recommended, groups, attention, patience
        As in `exposure_by_group`.
    target : mapping, optional
        Share of the attention that each group should get. By default its share of the
        catalogue.
    distance : {"jensen-shannon", "total-variation"}
        The Jensen-Shannon divergence with base 2, or half the sum of the differences.

    Returns
    -------
    float or (lists,) array
        Between 0 and 1, where 1 is the target met; NaN for an empty list.

    Raises
    ------
    ValueError, TypeError
        As in `exposure_by_group`; also if target names unknown groups, leaves one out, or does
        not sum to 1.

    Notes
    -----
    .. math:: \mathrm{AWRF} = 1 - \sum_c \Bigl( \frac{q_c}{2} \log_2 \frac{2 q_c}{p_c + q_c}
              + \frac{p_c}{2} \log_2 \frac{2 p_c}{p_c + q_c} \Bigr),
              \qquad q_c = \frac{\sum_i a_i \, [L_i \in I_c]}{\sum_i a_i}

    where :math:`L_i` is the item at rank :math:`i`; :math:`I_c` is the set of items of group
    :math:`c`; :math:`p_c` is the target share of group :math:`c`; :math:`a_i` is the attention that
    rank :math:`i` receives; :math:`c` is a group.

    "total-variation" subtracts half the sum of the differences instead. A short list can seldom
    meet the target, so compare lists of the same length.

    References
    ----------
    Sapiezynski et al. (2019), Quantifying the impact of user attention on fair group
    representation in ranked lists, WWW companion. Raj and Ekstrand (2022), Measuring fairness
    in ranked results, SIGIR.

    Examples
    --------
    >>> from recsys_metrics.bias.fairness import attention_weighted_rank_fairness
    >>> groups = {"a": "head", "b": "head", "c": "tail", "d": "tail"}
    >>> attention_weighted_rank_fairness(
    ...     [["a", "c"], ["a", "b"]], groups, attention="none", distance="total-variation"
    ... )
    array([1. , 0.5])
    """
    check_choice("distance", distance, Distance)
    codes, names, sizes, single = grouped_lists(recommended, groups)
    wanted = target_shares(target, names, sizes)
    weights = attention_at(codes.shape[1], attention, patience)
    per_list = attention_per_group(codes, weights, len(names))
    sums = per_list.sum(axis=1, keepdims=True)
    shares = divide(per_list, sums)
    if distance == "total-variation":
        apart = np.abs(shares - wanted).sum(axis=1) / 2
    else:
        middle = (shares + wanted) / 2
        apart = (_divergence(shares, middle) + _divergence(wanted, middle)) / (2 * math.log(2))
    values: FloatArray = 1.0 - apart
    return float(values[0]) if single else values


@of_lists
def ndkl(
    recommended: Any,
    groups: Groups,
    *,
    target: Mapping[Any, float] | None = None,
    base: float = math.e,
) -> Any:
    r"""How far is the list from the groups' target shares, at every cut-off?

    Parameters
    ----------
    recommended, groups
        As in `exposure_by_group`.
    target : mapping, optional
        Share that each group should have at every cut. By default its share of the catalogue.
    base : float
        Of the logarithm in the divergence.

    Returns
    -------
    float or (lists,) array
        0 or more; 0 where every cut has the target's shares. NaN for an empty list.

    Raises
    ------
    ValueError, TypeError
        As in `attention_weighted_rank_fairness`; also if a recommended item's group has a
        target of 0, or base is not above 1.

    Notes
    -----
    .. math:: \mathrm{NDKL} = \frac{\sum_i a_i \sum_c q_{c,i} \ln \frac{q_{c,i}}{p_c}}{\sum_i a_i},
              \qquad q_{c,i} = \frac{|L_{\le i} \cap I_c|}{i}

    where :math:`L_{\le K}` is the first :math:`K` items of the list; :math:`I_c` is the set of
    items of group :math:`c`; :math:`p_c` is the target share of group :math:`c`; :math:`a_i` is the
    attention that rank :math:`i` receives; :math:`c` is a group.

    Rank 1 alone is one group, so a list of whole items cannot reach 0. An empty slot has no
    cut of its own.

    References
    ----------
    Geyik, Ambler and Kenthapadi (2019), Fairness-aware ranking in search and recommendation
    systems with application to LinkedIn talent search, KDD.

    Examples
    --------
    >>> from recsys_metrics.bias.fairness import ndkl
    >>> groups = {"a": "head", "b": "head", "c": "tail", "d": "tail"}
    >>> ndkl([["a", "c"], ["a", "b"]], groups, base=2).round(3)
    array([0.613, 1.   ])
    """
    base = check_real("base", base)
    if not 1 < base < np.inf:
        raise ValueError(f"base of the logarithm must be above 1; got {base!r}")
    codes, names, sizes, single = grouped_lists(recommended, groups)
    wanted = target_shares(target, names, sizes)
    for code in np.flatnonzero(wanted == 0).tolist():
        if at := first_true(codes == code):
            raise ValueError(
                f"list {at[0]} has an item of group {names[code]!r}, whose target is 0; the "
                "divergence would be infinite. Give it a share above 0"
            )
    weights = attention_at(codes.shape[1], "log2")
    values = np.empty(len(codes))
    for rows in row_blocks(*codes.shape):
        block = codes[rows]
        so_far = np.cumsum(block >= 0, axis=1)
        apart = np.zeros(block.shape)
        for code in range(len(names)):
            share = np.cumsum(block == code, axis=1) / np.maximum(so_far, 1)
            apart += np.where(
                share > 0, share * np.log(np.where(share > 0, share, 1) / (wanted[code] or 1)), 0
            )
        counted = np.where(block >= 0, weights, 0.0)
        values[rows] = divide((counted * apart).sum(axis=1), counted.sum(axis=1))
    values /= math.log(base)
    return float(values[0]) if single else values


def _standard_error(pull: FloatArray) -> FloatArray:
    """Return the standard error of a mean, from how much each list moves it."""
    n = len(pull)
    if n < 2:
        return np.full(pull.shape[1:], np.nan)
    error: FloatArray = np.sqrt(np.square(pull).sum(axis=0) / (n - 1) / n)
    return error


def _divergence(shares: FloatArray, from_shares: FloatArray) -> FloatArray:
    """Return the Kullback-Leibler divergence of each row, in nats."""
    shares = np.broadcast_to(shares, from_shares.shape)
    ratio = np.divide(shares, from_shares, out=np.ones(from_shares.shape), where=shares > 0)
    apart: FloatArray = (shares * np.log(ratio)).sum(axis=1)
    return apart
