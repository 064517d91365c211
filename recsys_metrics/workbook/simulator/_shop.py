"""People, their days, and the traffic that they make under two recommenders."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
TrafficMeasure = Literal["sessions", "impressions", "clicks", "orders", "revenue"]


_BY_ROW = ("treated", "sessions", "clicks", "orders", "revenue", "kinds", "user")


@dataclass(frozen=True)
class Effect:
    """What the treatment truly does to the people who have it.

    Attributes
    ----------
    lift : float
        By which share they click more, for good.
    novelty : float
        By which share more on the first day on top of that; below 0 for people who have to get
        used to it.
    fades_in : float
        Days after which the novelty is down to a third.
    interference : float
        By which share people *without* it click less if all others have it, in proportion to how
        many do: both groups buy from one stock.
    harmed : float
        Share of the people for whom the lift has the other sign: those of the least activity.
    reach : float
        Share of the people for whom the treatment changes anything: `Shop.reached` says who.
    """

    lift: float = 0.0
    novelty: float = 0.0
    fades_in: float = 3.0
    interference: float = 0.0
    harmed: float = 0.0
    reach: float = 1.0


@dataclass(frozen=True, eq=False)
class Traffic:
    """What was logged of each person on each day.

    Attributes
    ----------
    treated : (n,) array of bool
        Whether the person has the new recommender, from the first day of the experiment on.
    sessions, clicks, orders : (n, days) array of int
    revenue : (n, days) array of float
    slots : int
        Items shown in a session, so that impressions are sessions times slots.
    starts : int
        The day on which the experiment begins; what was before is known of both groups.
    kinds : (n,) array of str
        "light", "usual" or "heavy": how often the person came, before anything was tested.
    user : (n,) array of int
        The person's number; more than one row may have it if the log is broken.
    """

    treated: NDArray[np.bool_]
    sessions: IntArray
    clicks: IntArray
    orders: IntArray
    revenue: FloatArray
    slots: int
    starts: int
    kinds: NDArray[np.str_]
    user: IntArray

    def per_user(
        self, what: TrafficMeasure, *, first: int = 0, last: int | None = None
    ) -> FloatArray:
        """Return each person's sum over days of the experiment.

        Parameters
        ----------
        what : {"sessions", "impressions", "clicks", "orders", "revenue"}
        first, last : int
            From which day of the experiment to which, the last not included. Days before it are
            below 0.
        """
        begin = self.starts + first
        end = self.sessions.shape[1] if last is None else self.starts + last
        table = self.sessions * self.slots if what == "impressions" else getattr(self, what)
        return np.asarray(table[:, begin:end].sum(axis=1), dtype=np.float64)

    def groups(self, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the values of those without the treatment, and of those with it."""
        return values[~self.treated], values[self.treated]

    def take(self, rows: NDArray[Any]) -> Traffic:
        """Return the log of some rows; one may be taken twice."""
        return replace(self, **{name: getattr(self, name)[rows] for name in _BY_ROW})

    def concatenate(self, other: Traffic) -> Traffic:
        """Return the rows of this log, then those of another over the same days."""
        both: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in _BY_ROW
        }
        return replace(self, **both)


@dataclass(frozen=True)
class Shop:
    """A shop and its people.

    Attributes
    ----------
    n_users : int
    visits : float
        Sessions of a person on a weekday, in the mean.
    unevenness : float
        Variance of how often people come, over the squared mean: 0 if all come alike.
    slots : int
        Items shown in a session.
    click_rate : float
        Clicks by item shown, in the mean over people.
    taste : float
        Variance of the people's own click rates, over the squared mean.
    order_rate : float
        Orders by click.
    basket : float
        What an order is worth, in the mean; it is log-normal, its logarithm with a deviation of 1.
    weekend : float
        Sessions on days 5 and 6 of a week, by those of the others.
    seed : int
        Of who the people are. What they do is drawn anew by each experiment.
    """

    n_users: int = 10_000
    visits: float = 0.3
    unevenness: float = 2.0
    slots: int = 10
    click_rate: float = 0.05
    taste: float = 0.5
    order_rate: float = 0.1
    basket: float = 20.0
    weekend: float = 1.5
    seed: int = 0
    activity: FloatArray = field(init=False, repr=False, compare=False)
    rates: FloatArray = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rng = np.random.default_rng([self.seed, 1])
        activity = self.visits * _around_one(rng, self.unevenness, self.n_users)
        rates = np.minimum(self.click_rate * _around_one(rng, self.taste, self.n_users), 0.5)
        object.__setattr__(self, "activity", activity)
        object.__setattr__(self, "rates", rates)

    @property
    def kinds(self) -> NDArray[np.str_]:
        """How often each person comes: the least active third, the next, and the most active."""
        third = np.searchsorted(np.quantile(self.activity, [1 / 3, 2 / 3]), self.activity)
        return np.array(["light", "usual", "heavy"])[third]

    def select_reached(self, share: float) -> NDArray[np.bool_]:
        """Return who is among so many whom a treatment reaches, in whichever group they are.

        People have their numbers by chance, so the first ones are as any others.
        """
        return np.arange(self.n_users) < share * self.n_users

    def day_factors(self, days: int, starts: int = 0) -> FloatArray:
        """Return by how much more people come on each day than on a weekday."""
        weekday = (np.arange(days) - starts) % 7
        return np.where(weekday >= 5, self.weekend, 1.0)

    def expected_totals(
        self, what: TrafficMeasure, effect: Effect, *, days: int, treated: float
    ) -> FloatArray:
        """Return what each person is expected to do in an experiment: its truth.

        Parameters
        ----------
        what : {"sessions", "impressions", "clicks", "orders", "revenue"}
        effect : Effect
        days : int
        treated : float
            1 if everybody has the treatment, 0 if nobody.

        Returns
        -------
        (n_users,) array
            The sum over all days.
        """
        visits = self.activity[:, None] * self.day_factors(days)
        if what == "sessions":
            return np.asarray(visits.sum(axis=1))
        shown = visits * self.slots
        if what == "impressions":
            return np.asarray(shown.sum(axis=1))
        having = np.full(self.n_users, treated == 1.0)
        clicks = (shown * self._rates(effect, having, treated, days)).sum(axis=1)
        by_click = {"clicks": 1.0, "orders": self.order_rate}
        return np.asarray(clicks * by_click.get(what, self.order_rate * self.basket))

    def true_gain(self, what: TrafficMeasure, effect: Effect, *, days: int) -> float:
        """Return the true gain per person if all have the treatment instead of nobody."""
        new, old = (
            self.expected_totals(what, effect, days=days, treated=all_) for all_ in (1.0, 0.0)
        )
        return float((new - old).mean())

    def experiment(
        self,
        effect: Effect | None = None,
        *,
        days: int = 14,
        before: int = 14,
        share: float = 0.5,
        seed: int | np.random.Generator = 0,
    ) -> Traffic:
        """Draw what a split of the people leaves in the log.

        Parameters
        ----------
        effect : Effect, optional
            Of the treatment; by default none, an A/A test.
        days : int
            How long it runs.
        before : int
            Days in the log before it begins, when all have the old recommender.
        share : float
            With which chance a person gets the treatment.
        seed : int or Generator

        Returns
        -------
        Traffic
        """
        rng = seed if isinstance(seed, np.random.Generator) else np.random.default_rng([seed, 2])
        change = effect or Effect()
        treated = rng.random(self.n_users) < share
        visits = self.activity[:, None] * self.day_factors(before + days, before)
        sessions = rng.poisson(visits)
        none = np.zeros(self.n_users, dtype=bool)
        rates = np.concatenate(
            [
                self._rates(change, none, 0.0, before),
                self._rates(change, treated, share, days),
            ],
            axis=1,
        )
        clicks = rng.binomial(sessions * self.slots, rates)
        orders = rng.binomial(clicks, self.order_rate)
        return Traffic(
            treated=treated,
            sessions=sessions,
            clicks=clicks,
            orders=orders,
            revenue=self._revenue(orders, rng),
            slots=self.slots,
            starts=before,
            kinds=self.kinds,
            user=np.arange(self.n_users),
        )

    def _rates(
        self, effect: Effect, treated: NDArray[np.bool_], share: float, days: int
    ) -> FloatArray:
        """Return each person's click rate on each day."""
        day = np.arange(days)
        rise = effect.lift + effect.novelty * np.exp(-day / effect.fades_in)
        harmed = (
            self.activity < np.quantile(self.activity, effect.harmed) if effect.harmed else False
        )
        own = np.where(harmed, -1.0, 1.0) * self.select_reached(effect.reach)
        with_it = 1 + own[:, None] * rise
        without = np.full((1, days), 1 - effect.interference * share)
        rates = self.rates[:, None] * np.where(treated[:, None], with_it, without)
        return np.clip(rates, 0.0, 1.0)

    def _revenue(self, orders: IntArray, rng: np.random.Generator) -> FloatArray:
        """Return what the orders of each cell are worth together."""
        worth = rng.lognormal(np.log(self.basket) - 0.5, 1.0, int(orders.sum()))
        ends = np.cumsum(orders.ravel())
        sums = np.concatenate([[0.0], np.cumsum(worth)])
        revenue = sums[ends] - sums[ends - orders.ravel()]
        return np.asarray(revenue.reshape(orders.shape))


def _around_one(rng: np.random.Generator, variance: float, n: int) -> FloatArray:
    """Return numbers above 0 of mean 1 and so much variance."""
    if variance == 0:
        return np.ones(n)
    return rng.gamma(1 / variance, variance, n)
