"""A feed that shows slates, the log that it leaves, and what each policy is truly worth."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class Policy:
    """Who fills the slots: one item after another, by chances that grow with a score.

    Attributes
    ----------
    sharpness : float
        0 shows all items alike; the larger, the surer the best score comes first.
    taste : float
        How much the person's own taste counts in the score: 0 for popularity alone, 1 for what
        the person truly likes.
    """

    sharpness: float = 1.0
    taste: float = 1.0


EVEN = Policy(sharpness=0.0)


@dataclass(frozen=True, eq=False)
class SlateLog:
    """What a policy showed, and what was clicked.

    Attributes
    ----------
    user : (n,) array of int
    pool : (n, m) array of int
        The items that could have been shown.
    items : (n, slots) array of int
        Those that were, from the top.
    propensities : (n, slots) array of float
        The probability of showing each one there, given those above it.
    clicks : (n, slots) array of int
    """

    user: IntArray
    pool: IntArray
    items: IntArray
    propensities: FloatArray
    clicks: IntArray

    @property
    def pool_indices(self) -> IntArray:
        """(n, slots) array: which of the candidates each slot shows."""
        return np.asarray((self.pool[:, None, :] == self.items[:, :, None]).argmax(axis=2))

    def with_floor(self, floor: float) -> SlateLog:
        """Return the log as a system writes it that stores no chance below a floor."""
        return replace(self, propensities=np.maximum(self.propensities, floor))


@dataclass(frozen=True)
class Feed:
    """People, items, and how often each person would click each item if they saw it.

    Attributes
    ----------
    n_users, n_items : int
    pool : int
        How many items, at random, are candidates for a slate.
    examination : tuple of float
        The probability that each slot is examined, from the top.
    cascade : float
        By which share a click on one slot lowers the examination of all slots below it.
    mean_log_odds : float
        The mean over items of the log-odds of a click by a person of average taste.
    taste_spread : float
        How much the tastes of people differ: 0 if all of them like the same items.
    seed : int
    """

    n_users: int = 2_000
    n_items: int = 300
    pool: int = 10
    examination: tuple[float, ...] = (1.0, 0.6, 0.4)
    cascade: float = 0.0
    mean_log_odds: float = -2.5
    taste_spread: float = 1.0
    seed: int = 0
    base: FloatArray = field(init=False, repr=False, compare=False)
    user_vectors: FloatArray = field(init=False, repr=False, compare=False)
    item_vectors: FloatArray = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rng = np.random.default_rng([self.seed, 7])
        object.__setattr__(self, "base", rng.normal(self.mean_log_odds, 0.7, self.n_items))
        tastes = rng.normal(0, self.taste_spread, (self.n_users, 3))
        object.__setattr__(self, "user_vectors", tastes)
        object.__setattr__(self, "item_vectors", rng.normal(0, 0.6, (self.n_items, 3)))

    @property
    def slots(self) -> int:
        """Items in a slate."""
        return len(self.examination)

    def appeal(self, user: IntArray, items: IntArray, *, taste: float = 1.0) -> FloatArray:
        """Return the chance of a click by each person on each of some items, once looked at.

        With a taste of 0 it is what a model believes that knows the items alone.
        """
        return np.asarray(1 / (1 + np.exp(-self._score(user, items, taste))))

    def log(self, policy: Policy, n: int, *, seed: int | np.random.Generator = 0) -> SlateLog:
        """Draw n slates of a policy, and the clicks on them.

        Parameters
        ----------
        policy : Policy
        n : int
        seed : int or Generator

        Returns
        -------
        SlateLog
        """
        rng = seed if isinstance(seed, np.random.Generator) else np.random.default_rng([seed, 8])
        user = rng.integers(self.n_users, size=n)
        pool = self._draw_pools(n, rng)
        scores = policy.sharpness * self._score(user, pool, policy.taste)
        # The largest of scores with such noise are drawn one by one, by chances that are their
        # exponentials (Gumbel).
        place = np.argsort(-(scores + rng.gumbel(size=scores.shape)), axis=1)[:, : self.slots]
        chances = _sequential_propensities(scores, place)
        items = np.take_along_axis(pool, place, axis=1)
        appeal = self.appeal(user, items)
        would = rng.random(appeal.shape) < appeal
        glance = rng.random(appeal.shape)
        clicks = np.zeros(appeal.shape, dtype=np.intp)
        left = np.ones(n)
        for slot, look in enumerate(self.examination):
            clicks[:, slot] = would[:, slot] & (glance[:, slot] < look * left)
            left = np.where(clicks[:, slot] == 1, left * (1 - self.cascade), left)
        return SlateLog(user, pool, items, chances, clicks)

    def propensities(self, policy: Policy, log: SlateLog) -> FloatArray:
        """Return with which chance a policy puts each logged item there, given those above it."""
        scores = policy.sharpness * self._score(log.user, log.pool, policy.taste)
        return _sequential_propensities(scores, log.pool_indices)

    def first_rank_propensities(self, policy: Policy, log: SlateLog) -> FloatArray:
        """Return with which chance a policy puts each candidate of each slate first."""
        scores = policy.sharpness * self._score(log.user, log.pool, policy.taste)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def marginal_propensities(self, policy: Policy, log: SlateLog) -> FloatArray:
        """Return with which chance a policy puts each logged item there, whatever stands above."""
        first = self.first_rank_propensities(policy, log)
        rows, places = np.arange(len(first)), log.pool_indices
        found = np.empty(places.shape)
        for slot in range(places.shape[1]):
            mine = first[rows, places[:, slot]]
            total = np.zeros(len(first))
            for above in permutations(range(first.shape[1]), slot):
                chance, left = np.ones(len(first)), np.ones(len(first))
                for other in above:
                    # Never after itself.
                    chance *= np.where(places[:, slot] == other, 0.0, first[:, other]) / left
                    left = left - first[:, other]
                total += chance * mine / left
            found[:, slot] = total
        return found

    def policy_value(self, policy: Policy, *, n: int = 200_000, seed: int = 0) -> float:
        """Return the clicks that a slate of a policy truly gets, without the noise of clicks.

        The mean over n slates of what each is expected to get.
        """
        drawn = self.log(policy, n, seed=np.random.default_rng([seed, 9]))
        return float(self.expected_clicks(drawn.user, drawn.items).sum(axis=1).mean())

    def expected_clicks(self, user: IntArray, items: IntArray) -> FloatArray:
        """Return the expected clicks on each slot of each slate."""
        appeal, left = self.appeal(user, items), np.ones(len(user))
        found = np.empty(appeal.shape)
        for slot, look in enumerate(self.examination):
            found[:, slot] = look * left * appeal[:, slot]
            left = left * (1 - self.cascade * look * appeal[:, slot])
        return found

    def _draw_pools(self, n: int, rng: np.random.Generator) -> IntArray:
        """Return candidates, none twice in a row."""
        # Spread over the catalogue by strides that share no denominator with its size.
        begin = rng.integers(self.n_items, size=(n, 1))
        strides = np.array([s for s in range(1, self.n_items) if np.gcd(s, self.n_items) == 1])
        stride = rng.choice(strides, size=(n, 1))
        return np.asarray((begin + stride * np.arange(self.pool)) % self.n_items)

    def _score(self, user: IntArray, items: IntArray, taste: float) -> FloatArray:
        own: Any = np.einsum("nd,nmd->nm", self.user_vectors[user], self.item_vectors[items])
        return np.asarray(self.base[items] + taste * own)


def _sequential_propensities(scores: FloatArray, place: IntArray) -> FloatArray:
    """Return the chance of each of some places in turn, those taken before left out."""
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    taken = np.take_along_axis(weights, place, axis=1)
    before = np.concatenate([np.zeros((len(taken), 1)), taken[:, :-1].cumsum(axis=1)], axis=1)
    return np.asarray(taken / (weights.sum(axis=1, keepdims=True) - before))
