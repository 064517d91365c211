"""Exposure that discounts by rank, because readers examine the first ranks most."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.inputs.lists import read_lists
from recsys_metrics._core.inputs.scalar_or_batch import of_lists
from recsys_metrics._core.inputs.tables import positions
from recsys_metrics._core.parameter_domains import check_number
from recsys_metrics._core.position_weights import Attention, Patience, attention_at
from recsys_metrics.beyond_accuracy._arguments import Base
from recsys_metrics.beyond_accuracy._concentration import entropies
from recsys_metrics.beyond_accuracy._coverage import places_in_catalog
from recsys_metrics.beyond_accuracy._features import read_features


def exposure_of_items(
    recommended: Any,
    catalog: int | Iterable[Hashable],
    *,
    attention: Attention = "log2",
    patience: Patience = 0.8,
) -> FloatArray:
    r"""How much attention does each item of the catalogue get?

    Parameters
    ----------
    recommended, catalog
        As in `recommendation_counts`.
    attention : {"log2", "geometric", "none"}
        What rank i counts: 1/log2(i + 1); patience to the power of i - 1; or 1, a plain count.
    patience : float
        For geometric attention: how likely a user goes on to the next rank.

    Returns
    -------
    (n_items,) array
        In the order of the catalogue, zeros included: what `gini` and `lorenz_curve` take.

    Raises
    ------
    ValueError, TypeError
        As in `recommendation_counts`; also if patience is not between 0 and 1.

    Notes
    -----
    `gini` of these is the exposure Gini: two items that are recommended as often are unequal if
    one of them always stands below the other. LensKit's has geometric attention with a patience
    of 0.85.

    References
    ----------
    Diaz, Mitra, Ekstrand, Biega and Carterette (2020), Evaluating stochastic rankings with
    expected exposure, CIKM.

    Examples
    --------
    Both items are in both lists, but A is always on top:

    >>> from recsys_metrics.beyond_accuracy import exposure_of_items, gini
    >>> exposure = exposure_of_items([["A", "B"], ["A", "B"]], ["A", "B"])
    >>> exposure.round(3), round(gini(exposure), 3)
    (array([2.   , 1.262]), 0.113)
    """
    lists = read_lists(recommended)
    weights = attention_at(lists.items.shape[1], attention, patience)
    retrieved, total, places = places_in_catalog(lists, catalog)
    found = positions(lists.items, retrieved)
    looked_at = np.broadcast_to(weights, found.shape)
    exposure = np.zeros(total)
    exposure[places] = np.bincount(
        found[found >= 0], weights=looked_at[found >= 0], minlength=len(retrieved)
    )
    return exposure


@of_lists
def rank_biased_entropy(
    recommended: Any,
    features: Any,
    *,
    base: Base = 2,
    attention: Attention = "geometric",
    patience: Patience = 0.85,
) -> Any:
    r"""How many bits does it take to say the category of an item that the user examines?

    Parameters
    ----------
    recommended
        What was recommended: one list of ids, a sequence of lists, a mapping from user to list, or
        an array of whole numbers of shape (n, K) with -1 for an empty slot.
    features : mapping from id to set of kinds, or (n_items, n_kinds) array
        The kinds of every item, or how much it is of each kind, 0 or more. An item of several
        kinds counts an equal part, or that much, for each.
    base : float
        Base of the logarithm: 2 for bits, `math.e` for nats.
    attention, patience
        As in `exposure_of_items`.

    Returns
    -------
    float or (n,) array
        0 if all items are of one kind; log(G) if G kinds get equal attention. NaN for an empty
        list.

    Raises
    ------
    ValueError
        If an item has no kind, a feature is negative, or a convention is out of range.
    TypeError
        If an input is of none of the forms.

    Notes
    -----
    .. math:: \mathrm{entropy} = -\sum_c q_c \log_2 q_c,
              \qquad q_c = \frac{\sum_i a_i \, p_{c,i}}{\sum_i a_i}

    where :math:`p_{c,i}` is the share of category :math:`c` in the item at rank :math:`i`;
    :math:`a_i` is the attention that rank :math:`i` receives.

    With `attention="none"` it is the plain entropy of the kinds in the list. LensKit's
    rank-biased entropy has a patience of 0.85, too, and agrees where each item has one kind; an
    item of several counts there in full for each, so that it weighs more than others.

    References
    ----------
    Shannon (1948), A mathematical theory of communication, Bell System Technical Journal 27(3).

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import rank_biased_entropy
    >>> kinds = {"A": {"war"}, "B": {"love"}, "C": {"war"}}
    >>> rank_biased_entropy([["A", "B"], ["A", "C"]], kinds, attention="none")
    array([1., 0.])
    """
    unit = check_number("base", base, Base)
    lists = read_lists(recommended)
    weights = attention_at(lists.items.shape[1], attention, patience)
    table, (places,) = read_features(features, lists)
    rows = table if isinstance(table, np.ndarray) else table.toarray()
    if (rows < 0).any():
        raise ValueError(f"features contains {rows.min():g}; a feature is 0 or more")
    parts = np.vstack([rows / rows.sum(axis=1, keepdims=True), np.zeros((1, rows.shape[1]))])
    # Rank by rank, so that memory stays at a row of kinds per list.
    shares = np.zeros((len(lists), rows.shape[1]))
    for rank, look in enumerate(weights):
        shares += look * parts[places[:, rank]]
    shares = divide(shares, shares.sum(axis=1, keepdims=True))
    return lists.finish(entropies(shares, unit))
