"""Sequences of the simulated shop: first clicks, and a model that is retrained every week."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.interactions import Interactions
from recsys_metrics.ranking import judge, ndcg, rank_from_scores
from recsys_metrics.workbook.experiments.shop import WEEK, ShopExperiment

# 5 January 1970 was a Monday.
_FIRST_MONDAY = 4 * 24 * 60 * 60


def first_clicks(shop: ShopExperiment) -> Interactions:
    """Return the first click of each customer on each product, in the order of time.

    Parameters
    ----------
    shop : ShopExperiment

    Returns
    -------
    Interactions

    Examples
    --------
    >>> from recsys_metrics.workbook import first_clicks, shop_experiment
    >>> len(first_clicks(shop_experiment()))
    2862
    """
    clicks = shop.log.clicks()[0]
    order = np.argsort(np.asarray(clicks.timestamp), kind="stable")
    pairs = clicks.user[order] * clicks.n_items + clicks.item[order]
    _, first = np.unique(pairs, return_index=True)
    return clicks.take(order[np.sort(first)])


def find_mondays(interactions: Interactions) -> NDArray[np.int64]:
    """Return the beginning of the week of each event, in seconds."""
    times = np.asarray(interactions.timestamp)
    mondays: NDArray[np.int64] = (times - _FIRST_MONDAY) // WEEK * WEEK + _FIRST_MONDAY
    return mondays


def retrain_weekly(
    model: Any,
    train: Interactions,
    tested: Interactions,
    known: Callable[[int], Interactions],
    *,
    k: int = 10,
) -> NDArray[np.float64]:
    """Test one event of each user with a model that is fitted anew for every week.

    Parameters
    ----------
    model
        A baseline, or anything else with its methods `fit` and `scores`.
    train : Interactions
        The history of each user, which the model is told and does not recommend again.
    tested : Interactions
        One event of each user.
    known : callable
        From the beginning of a week, in seconds, to the events on which the model is fitted for
        the tested events of this week.
    k : int
        The cut-off.

    Returns
    -------
    (n_tested,) array of float
        NDCG at k of each tested event.
    """
    values = np.empty(len(tested))
    mondays = find_mondays(tested)
    for monday in np.unique(mondays):
        rows = np.flatnonzero(mondays == monday)
        users = tested.user[rows]
        scores = model.fit(known(int(monday))).scores(users, train)
        lists = rank_from_scores(scores, k, exclude=train.matrix()[users])
        values[rows] = ndcg(judge(lists, tested.item[rows, np.newaxis]), k=k)
    return values
