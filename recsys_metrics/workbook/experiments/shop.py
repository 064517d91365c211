"""The experiment of the capstone: a simulated shop, split by time, and the recommenders compared.

The shop is simulated (`datasets.simulate_shop_log`), so that its log is free for any use and the
truth behind it is known. Nothing in it is data of real people.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import baselines
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.datasets import ShopLog, simulate_shop_log
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import temporal_split
from recsys_metrics.ranking import rank_from_scores

WEEK = 7 * 24 * 60 * 60
"""Seconds."""

PRODUCTION_WEEKS = 1
"""How many weeks of clicks the list in production counts."""

_TEST_WEEKS = 4
_N_DAYS = 140


@dataclass(frozen=True)
class ShopExperiment:
    """The log of a simulated shop, split at a point in time, and the customers it is tested on.

    Attributes
    ----------
    log : ShopLog
        Impressions, catalogue and customers, and the truth behind them.
    cut : int
        The cut-off time, in seconds: the test period begins with it.
    past : Interactions
        The clicks before the cut-off time, which the models learn from.
    hidden : Interactions
        The clicks of the test period, without those on items that the customer had clicked before.
    users : array of int, shape (n_users,)
        Customers with a hidden click, in the order of every row below.
    seen : sparse array, shape (n_users, n_items)
        Items that each of them had clicked before; they are not recommended again.
    truth : sparse array, shape (n_users, n_items)
        1 for each item that the customer clicked in the test period.
    """

    log: ShopLog
    cut: int
    past: Interactions
    hidden: Interactions
    users: NDArray[np.signedinteger[Any]]
    seen: Any
    truth: Any

    @property
    def sold(self) -> NDArray[np.bool_]:
        """Which items were sold at the cut-off time; no model may recommend another one."""
        available: NDArray[np.bool_] = self.log.catalog["available"] <= np.datetime64(self.cut, "s")
        return available

    @property
    def segments(self) -> NDArray[np.str_]:
        """The segment of each user: "new" or "regular"."""
        return np.asarray(self.log.customers["segment"][self.users])

    @cached_property
    def features(self) -> NDArray[np.float64]:
        """Items x categories, 1 for the category of an item."""
        names, places = np.unique(self.log.catalog["category"], return_inverse=True)
        return np.eye(len(names))[places]

    @cached_property
    def scores_of_all(self) -> dict[str, NDArray[np.float64]]:
        """Every model's score for every item and customer; -inf for items not yet sold."""
        everybody = np.arange(self.past.n_users)
        models = recommenders()
        found = {name: m.fit(self.past).scores(everybody, self.past) for name, m in models.items()}
        found = {"production baseline": self._popularity(PRODUCTION_WEEKS, everybody), **found}
        return {name: np.where(self.sold, scores, -np.inf) for name, scores in found.items()}

    @property
    def scores(self) -> dict[str, NDArray[np.float64]]:
        """The rows of `scores_of_all` that belong to `users`."""
        return {name: scores[self.users] for name, scores in self.scores_of_all.items()}

    def popularity(self, weeks: int | None = None) -> NDArray[np.float64]:
        """Return how many customers clicked each item in the weeks before the cut-off, or ever.

        Parameters
        ----------
        weeks : int, optional
            By default all clicks count.

        Returns
        -------
        (n_users, n_items) array of float
            The same row for every user.
        """
        return self._popularity(weeks, self.users)

    def rank_among(self, retrieved: NDArray[Any], model: str, k: int) -> NDArray[np.intp]:
        """Rank the items that a retrieval stage passes on, and return the first k of each user.

        Parameters
        ----------
        retrieved : (n_users, n_retrieved) array of int
            As many items for each user.
        model : str
            Name of the model that ranks them.
        k : int

        Returns
        -------
        (n_users, k) array of int
        """
        scores = self.scores[model]
        candidates = np.full_like(scores, -np.inf)
        kept = np.take_along_axis(scores, retrieved, axis=1)
        np.put_along_axis(candidates, retrieved, kept, axis=1)
        return rank_from_scores(candidates, k, exclude=self.seen)

    def _popularity(self, weeks: int | None, users: NDArray[Any]) -> NDArray[np.float64]:
        times = np.asarray(self.past.timestamp)
        recent = self.past if weeks is None else self.past.take(times >= self.cut - weeks * WEEK)
        return baselines.Popularity().fit(recent).scores(users)


def recommenders() -> dict[str, Any]:
    """Return the recommenders of the capstone, not yet fitted, with the settings it chooses."""
    return {
        "random": baselines.RandomScores(seed=0),
        "popularity": baselines.Popularity(),
        "item kNN": baselines.ItemKNN(neighbours=20),
        "EASE": baselines.EASE(regularisation=10),
    }


@cache
def shop_experiment(weeks_earlier: int = 0) -> ShopExperiment:
    """Split the log of the capstone's shop by time; its recommenders are fitted when needed.

    Parameters
    ----------
    weeks_earlier : int
        How many weeks before the test period of the capstone this one begins, at most 12. With 4
        it is the validation split, whose test period ends where that of the capstone begins.

    Returns
    -------
    ShopExperiment
        The same on every machine, and one value for each split.

    Raises
    ------
    ValueError
        If the split would leave too little to learn from.

    Examples
    --------
    >>> from recsys_metrics.workbook import shop_experiment
    >>> shop = shop_experiment()
    >>> len(shop.past), len(shop.hidden), len(shop.users)
    (4546, 469, 196)
    """
    if not 0 <= weeks_earlier <= 12:
        raise ValueError(f"weeks_earlier is a whole number from 0 to 12; got {weeks_earlier!r}")
    log = _shop()
    clicks = log.clicks()[0]
    end = int(log.catalog["available"].min().astype(np.int64)) + _N_DAYS * 24 * 60 * 60
    cut = end - (_TEST_WEEKS + weeks_earlier) * WEEK
    until = clicks.take(np.asarray(clicks.timestamp) < cut + _TEST_WEEKS * WEEK)
    past, later = temporal_split(until, at=cut - 1)
    again = np.asarray(past.matrix()[later.user, later.item]).ravel() > 0
    hidden = later.take(~again)
    users = distinct(hidden.user)
    return ShopExperiment(
        log=log,
        cut=cut,
        past=past,
        hidden=hidden,
        users=users,
        seen=past.matrix()[users],
        truth=hidden.matrix()[users],
    )


@cache
def _shop() -> ShopLog:
    return simulate_shop_log(
        n_customers=300,
        n_days=_N_DAYS,
        n_slots=10,
        exploration=0.3,
        personalization=1.5,
        # Of 1,900 seeds from 1,000 on, the one with which most steps show what they teach.
        seed=1718,
    )
