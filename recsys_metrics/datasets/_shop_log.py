"""A simulated log of a web shop with everything that a company's log has, and free to use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.checks import MOST_ENTRIES, check_count, check_real, generator
from recsys_metrics._core.data_frames import Backend, build_frame
from recsys_metrics.interactions import Interactions

CATEGORIES = ("books", "garden", "kitchen", "music", "shoes", "sport", "toys", "travel")
_START = np.datetime64("2025-01-06T00:00:00", "s")
_WEEK, _DAY = 7, 86_400
_DIMENSIONS = 6


@dataclass(frozen=True, eq=False, repr=False)
class ShopLog:
    """Impressions of a simulated shop, its catalogue and customers, and the truth behind them.

    Made by `simulate_shop_log`.

    Attributes
    ----------
    impressions : dict of str to array
        A row for each item that was shown: ``customer``, ``session``, ``sku`` (text),
        ``when`` (datetime), ``rank`` from 1, ``propensity`` (the probability with which the shop
        showed this item at this rank), ``clicked`` and ``purchased`` (0 or 1).
    catalog : dict of str to array
        ``sku``, ``category``, ``price``, and ``available`` (datetime from which it was sold).
    customers : dict of str to array
        ``customer`` and ``segment``: "new" or "regular".
    attraction : (n_customers, n_items) array of float
        The probability that a customer who looks at an item clicks on it.
    examination : (n_slots,) array of float
        The probability that a customer looks at each rank.

    Examples
    --------
    >>> from recsys_metrics.datasets import simulate_shop_log
    >>> log = simulate_shop_log(n_customers=50, n_items=40, n_days=14, seed=1)
    >>> log
    ShopLog(365 impressions, 54 clicks, 5 purchases; 50 customers, 40 items, 14 days)
    >>> print(log.impressions["sku"][0], log.impressions["when"].dtype)
    p0002 datetime64[s]
    """

    impressions: dict[str, NDArray[Any]]
    catalog: dict[str, NDArray[Any]]
    customers: dict[str, NDArray[Any]]
    attraction: NDArray[np.float64]
    examination: NDArray[np.float64]

    def to_frame(self, table: str = "impressions", *, backend: Backend | None = None) -> Any:
        """Return a table as a data frame.

        Parameters
        ----------
        table : {"impressions", "catalog", "customers"}
        backend : {"polars", "pandas", "pyarrow"}, optional
            As in `Report.to_frame`.
        """
        tables = {
            "impressions": self.impressions,
            "catalog": self.catalog,
            "customers": self.customers,
        }
        if table not in tables:
            raise ValueError(f"table is one of {', '.join(tables)}; got {table!r}")
        return build_frame(tables[table], backend)

    def clicks(self) -> tuple[Interactions, list[str], list[str]]:
        """Return the clicks as interactions, with the customers and items of their numbers."""
        clicked = self.impressions["clicked"] == 1
        users, items = (self.customers["customer"], self.catalog["sku"])
        found = Interactions(
            np.searchsorted(users, self.impressions["customer"][clicked]),
            np.searchsorted(items, self.impressions["sku"][clicked]),
            timestamp=self.impressions["when"][clicked],
            n_users=len(users),
            n_items=len(items),
        )
        return found, users.tolist(), items.tolist()

    def __repr__(self) -> str:
        shown = self.impressions
        days = int((shown["when"].max() - _START) / np.timedelta64(_DAY, "s")) + 1
        return (
            f"ShopLog({len(shown['sku']):,} impressions, {int(shown['clicked'].sum()):,} clicks, "
            f"{int(shown['purchased'].sum()):,} purchases; {len(self.customers['customer']):,} "
            f"customers, {len(self.catalog['sku']):,} items, {days} days)"
        )


def simulate_shop_log(
    *,
    n_customers: int = 2_000,
    n_items: int = 400,
    n_days: int = 60,
    n_slots: int = 5,
    exploration: float = 0.1,
    personalization: float = 0.5,
    seed: int | np.random.Generator = 0,
) -> ShopLog:
    r"""Simulate the log of a shop whose truth is known and whose data are free.

    Parameters
    ----------
    n_customers, n_items, n_days : int
        The size of the shop, and how long it is observed.
    n_slots : int
        How many items a session shows.
    exploration : float
        The probability with which a slot shows a random item, above 0 and below 1.
    personalization : float
        The weight, 0 or more, of the customer's taste for a category in the shop's ranking. With 0
        the shop shows all customers the same items, and the larger it is, the less its log is
        limited to what is popular.
    seed : int or numpy.random.Generator
        The same seed gives the same log.

    Returns
    -------
    ShopLog

    Raises
    ------
    ValueError
        If there are no more than four times as many items as slots, exploration is not between
        0 and 1, or personalization is negative or not finite.

    Notes
    -----
    Customers and items have latent vectors; a fifth of the items arrives after the first day, and
    popularity is skewed. In each week the shop ranks the items that it sells by
    :math:`\log(1 + c_i) + w t_{ui}`, where :math:`c_i` are the clicks on item :math:`i` in the week
    before, :math:`t_{ui}` is the taste of customer :math:`u` for its category, and :math:`w` is
    `personalization`. Slot :math:`r` shows item :math:`\pi_r` of this ranking, or with probability
    :math:`\varepsilon` an item of the :math:`n` others that are sold, drawn at random without
    repetition:

    .. math:: p(i \mid r) = \begin{cases} 1 - \varepsilon & i = \pi_r \\
              \varepsilon / n & i \text{ not in the ranking} \end{cases}

    A customer looks at rank :math:`r` with probability :math:`r^{-0.7}`, clicks on an item that was
    looked at with the probability in `attraction`, and buys every seventh clicked item on average.
    Nothing in it is copied from a real shop. If you run the simulation, you may use the log for any
    purpose, also commercially (CC0 1.0).

    Examples
    --------
    >>> from recsys_metrics.datasets import simulate_shop_log
    >>> log = simulate_shop_log(n_customers=200, n_items=60, seed=0)
    >>> sorted(log.impressions)
    ['clicked', 'customer', 'propensity', 'purchased', 'rank', 'session', 'sku', 'when']
    """
    sizes = {"n_customers": n_customers, "n_items": n_items, "n_days": n_days, "n_slots": n_slots}
    n_customers, n_items, n_days, n_slots = (
        check_count(name, size, most=MOST_ENTRIES) for name, size in sizes.items()
    )
    exploration = check_real("exploration", exploration)
    if not 0 < exploration < 1:
        raise ValueError(f"exploration lies above 0 and below 1; got {exploration!r}")
    personalization = check_real("personalization", personalization)
    if not 0 <= personalization < np.inf:
        raise ValueError(f"personalization is finite and 0 or more; got {personalization!r}")
    # Beyond, no order changes, and a product with a taste would leave the floats.
    personalization = min(personalization, 1e300)
    if n_items <= 4 * n_slots:
        raise ValueError(
            f"n_items must be more than four times n_slots, so that there are items to explore; "
            f"got {n_items} items for {n_slots} slots"
        )
    rng = generator(seed)
    catalog, arrival, category = _make_catalog(n_items, n_days, rng)
    customers, taste = _make_customers(n_customers, rng)
    attraction = _make_attraction(taste, category, rng)
    examination = np.power(np.arange(1.0, n_slots + 1), -0.7).astype(np.float64)
    who, day, second = _make_sessions(customers["segment"], n_days, rng)
    shown, propensity = np.empty((2, len(who), n_slots))
    clicked = np.zeros((len(who), n_slots), dtype=np.int8)
    clicks_of_week = np.zeros(n_items)
    for week in range(-(-n_days // _WEEK)):
        sessions = np.flatnonzero(day // _WEEK == week)
        sold = np.flatnonzero(arrival <= week * _WEEK)
        liking = personalization * taste[who[sessions]][:, category[sold]]
        ranked = _rank_items(sold, np.log1p(clicks_of_week[sold]) + liking, n_slots)
        shown[sessions], propensity[sessions] = _fill_slots(ranked, sold, exploration, rng)
        items = shown[sessions].astype(np.intp)
        chance = examination * attraction[who[sessions][:, np.newaxis], items]
        clicked[sessions] = rng.random(chance.shape) < chance
        clicks_of_week = np.bincount(items[clicked[sessions] == 1], minlength=n_items).astype(float)
    purchased = clicked * (rng.random(clicked.shape) < 1 / 7)
    moment = _START + (day * _DAY + second).astype("timedelta64[s]")
    numbers = np.arange(len(who))
    impressions = {
        "customer": np.repeat(customers["customer"][who], n_slots),
        "session": np.repeat(_name("s", numbers, 6), n_slots),
        "sku": catalog["sku"][shown.astype(np.intp).ravel()],
        "when": np.repeat(moment, n_slots),
        "rank": np.tile(np.arange(1, n_slots + 1), len(who)),
        "propensity": propensity.ravel(),
        "clicked": clicked.ravel(),
        "purchased": purchased.ravel().astype(np.int8),
    }
    return ShopLog(impressions, catalog, customers, attraction, examination)


def _name(letter: str, numbers: NDArray[Any], digits: int) -> NDArray[np.str_]:
    return np.array([f"{letter}{number:0{digits}d}" for number in numbers.tolist()])


def _make_catalog(
    n_items: int, n_days: int, rng: np.random.Generator
) -> tuple[dict[str, NDArray[Any]], NDArray[np.intp], NDArray[np.intp]]:
    category = rng.integers(len(CATEGORIES), size=n_items)
    arrival = np.where(rng.random(n_items) < 0.2, rng.integers(n_days, size=n_items), 0)
    catalog = {
        "sku": _name("p", np.arange(n_items), 4),
        "category": np.array(CATEGORIES)[category],
        "price": np.round(np.exp(rng.normal(3, 0.7, n_items)), 2),
        "available": _START + (arrival * _DAY).astype("timedelta64[s]"),
    }
    return catalog, arrival, category


def _make_customers(
    n: int, rng: np.random.Generator
) -> tuple[dict[str, NDArray[Any]], NDArray[np.float64]]:
    segment = np.where(rng.random(n) < 0.3, "new", "regular")
    customers = {"customer": _name("c", np.arange(n), 5), "segment": segment}
    return customers, rng.normal(0, 1, (n, len(CATEGORIES)))


def _make_attraction(
    taste: NDArray[np.float64], category: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return probabilities from popularity, the taste for a category, and latent vectors."""
    n_customers, n_items = len(taste), len(category)
    popularity = rng.normal(0, 0.8, n_items)
    customers = rng.normal(0, 0.5, (n_customers, _DIMENSIONS))
    items = rng.normal(0, 0.5, (n_items, _DIMENSIONS))
    logit = -2.5 + popularity + 0.8 * taste[:, category] + customers @ items.T
    attraction: NDArray[np.float64] = 1 / (1 + np.exp(-logit))
    return attraction


def _make_sessions(
    segment: NDArray[np.str_], n_days: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the customer, the day and the second of each session, in the order of time."""
    rate = np.where(segment == "new", 0.05, 0.12) * n_days
    who = np.repeat(np.arange(len(segment)), rng.poisson(rate).astype(np.intp))
    day, second = rng.integers(n_days, size=len(who)), rng.integers(_DAY, size=len(who))
    order = np.lexsort((who, second, day))
    return who[order], day[order], second[order]


def _rank_items(
    sold: NDArray[np.intp], score: NDArray[np.float64], n_slots: int
) -> NDArray[np.intp]:
    """Return the items with the highest scores for each session, the highest first."""
    # A partition would be faster, and which of equal scores it takes depends on the processor.
    best = np.argsort(-score, axis=1, kind="stable")[:, :n_slots]
    ranked: NDArray[np.intp] = sold[best]
    return ranked


def _fill_slots(
    ranked: NDArray[np.intp],
    sold: NDArray[np.intp],
    exploration: float,
    rng: np.random.Generator,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the item that each slot shows, and the probability with which it does."""
    n, n_slots = ranked.shape
    # Ranked items are never drawn at random: their keys come last.
    keys = rng.random((n, len(sold)))
    np.put_along_axis(keys, np.searchsorted(sold, ranked), 2.0, axis=1)
    drawn = sold[np.argsort(keys, axis=1, kind="stable")[:, :n_slots]]
    explored = rng.random((n, n_slots)) < exploration
    shown = np.where(explored, drawn, ranked)
    others = len(sold) - n_slots
    return shown, np.where(explored, exploration / others, 1 - exploration)
