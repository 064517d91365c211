"""A student's case, drawn from a seed: a shop, two recommenders, three logs, and what is wrong.

The truth is known, since the people are the platform's. What is wrong is drawn per student, and so
is how: neither stands in what the student gets.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.workbook.course.capstone.expected_numbers import (
    rate_by_impressions,
    rate_by_people,
    recall_of_part,
)
from recsys_metrics.workbook.course.capstone.tables import Table
from recsys_metrics.workbook.simulator import (
    EVEN,
    Effect,
    Feed,
    Policy,
    Shop,
    duplicate_users,
    lose_users,
)

FAULTS = {
    "time_leak": "the lists of b were trained on clicks that they are evaluated on",
    "doubled_users": "some people are in the experiment twice",
    "floored_chances": "no propensity below a floor was stored in the feed's log",
    "sample_ratio": "the experiment lost people of one group",
    "harmed_group": "the light visitors are worse off with b",
    "tied_scores": "scores of b are rounded, and clicked items are ranked first among ties",
    "wrong_unit": "the analyst's confidence interval counts impressions as if each were a person",
    "reused_test": "the settings of b were chosen on the users held out for the comparison",
}
"""What can be wrong with a case, and what it is."""

PLANTED = 4
"""How many of them a case has."""

_LONGER = 20
_USERS, _ITEMS = 500, 200
_PEOPLE = 8_000
_SLATES = 10_000


def deal(key: str, name: str, number: int) -> tuple[str, ...]:
    """Return what is wrong with the case of a student.

    Parameters
    ----------
    key : str
        The course's.
    name : str
        Of the capstone.
    number : int
        The student's place in the order in which cases were made, from 0. As many in turn as there
        are sets of four differ from each other: 70.
    """
    sets: list[tuple[str, ...]] = sorted(combinations(FAULTS, PLANTED))
    order = _generator(key, name, "deal").permutation(len(sets))
    return sets[int(order[number % len(sets)])]


@dataclass(frozen=True)
class CapstoneCase:
    """What a student gets, and what only the instructor knows.

    Attributes
    ----------
    seed : str
        Drawn with the course's key.
    faults : collection of str
        Names of `FAULTS`.
    """

    seed: str
    faults: Collection[str]
    shop: Shop = field(init=False, repr=False)
    feed: Feed = field(init=False, repr=False)
    home: Feed = field(init=False, repr=False)
    effect: Effect = field(init=False)

    def __post_init__(self) -> None:
        if unknown := set(self.faults) - set(FAULTS):
            raise ValueError(f"there is no fault {min(unknown)!r}; there are {', '.join(FAULTS)}")
        rng = self._rng("truth")
        seeds = rng.integers(2**31, size=3).tolist()
        harms = "harmed_group" in self.faults
        lift = rng.uniform(0.14, 0.22)
        # A quarter of the sound recommenders change nothing that a user notices.
        if rng.random() < 0.25 and not harms:
            lift = rng.uniform(-0.01, 0.01)
        put = object.__setattr__
        put(self, "effect", Effect(lift=float(lift), harmed=1 / 3 if harms else 0.0))
        put(self, "shop", Shop(_PEOPLE, 0.5, unevenness=0.6, seed=seeds[0]))
        put(self, "home", Feed(_USERS, _ITEMS, pool=30, seed=seeds[1]))
        put(self, "feed", Feed(_USERS, _ITEMS, pool=10, examination=(1.0,), seed=seeds[2]))

    def __hash__(self) -> int:
        return hash((self.seed, tuple(sorted(self.faults))))

    @cached_property
    def cut(self) -> int:
        """The first day whose clicks the lists are judged by."""
        return int(self._rng("cut").integers(50, 71))

    def tables(self) -> dict[str, Table]:
        """Return the files of the case, by name, and those that stay with the course."""
        clicks, check, later = self._clicks()
        lists = {"a": self._scores(clicks, 0.0, 0.3), "b": self._scores(clicks, 1.0, 0.8)}
        found: dict[str, Table] = {}
        if "time_leak" in self.faults:
            leaked = self._rng("leak").random(_USERS) < self._rng("leaked").uniform(0.3, 0.5)
            rows = np.flatnonzero(leaked[check["user"]])
            lists["b"][check["user"][rows], check["item"][rows]] += 1.2
            clicks = {name: np.concatenate([clicks[name], check[name][rows]]) for name in clicks}
        found["train"] = self._shuffled("train", clicks)
        half = self._rng("halves").permutation(_USERS) < _USERS // 2
        check["part"] = np.where(half, "tune", "compare")[check["user"]]
        found["clicks"] = self._shuffled("clicks", check)
        for name, scores in lists.items():
            found[f"lists_{name}"] = self._lists(name, scores, check)
        found["trials"] = self._trials(found)
        found["feed"] = self._feed()
        found["experiment"] = self._experiment()
        found["test"] = self._shuffled("test", later)
        return found

    def truth(self) -> dict[str, float]:
        """Return what a report is about and nobody who writes one can see.

        The gain in clicks per person if all had b, of all people and of each kind; and clicks per
        slate of the feed today and under b.
        """
        old, new = (
            self.shop.expected_totals("clicks", self.effect, days=14, treated=share)
            for share in (0.0, 1.0)
        )
        found = {"gain": float((new - old).mean())}
        for kind in ("light", "usual", "heavy"):
            found[f"gain_{kind}"] = float((new - old)[self.shop.kinds == kind].mean())
        logged, target = self._policies()
        found["feed_today"] = self.feed.policy_value(logged, n=50_000)
        found["feed_b"] = self.feed.policy_value(target, n=50_000)
        return found

    # The lists --------------------------------------------------------------------------------

    def _clicks(self) -> tuple[Table, Table, Table]:
        """Return clicks before the cut, of the week after it, and of the week after that."""
        rng = self._rng("clicks")
        found = []
        for policy, slates, begin, days in (
            (Policy(1.0, 0.2), 30, 0, self.cut),
            (EVEN, 45, self.cut, 7),
            (EVEN, 45, self.cut + 7, 7),
        ):
            log = self.home.log(policy, slates * _USERS, seed=rng)
            slate, slot = np.nonzero(log.clicks)
            pairs = log.user[slate] * _ITEMS + log.items[slate, slot]
            # Once a week is enough to want it.
            pairs = distinct(pairs) if begin else pairs
            user, item = np.divmod(pairs, _ITEMS)
            day = begin + rng.integers(days, size=len(pairs))
            found.append({"user": user, "item": item, "day": day})
        return found[0], found[1], found[2]

    def _scores(self, clicks: Table, taste: float, noise: float) -> NDArray[np.float64]:
        """Return what a recommender thinks of each item for each user."""
        counts = np.bincount(clicks["item"], minlength=_ITEMS)
        items = np.broadcast_to(np.arange(_ITEMS), (_USERS, _ITEMS))
        users = np.arange(_USERS)
        own = np.log(self.home.appeal(users, items, taste=taste))
        own = own - np.log(self.home.appeal(users, items, taste=0.0)) if taste else 0 * own
        random = self._rng(f"noise {taste}").normal(0, noise, own.shape)
        return np.asarray(np.log(counts + 1.0) + own + random)

    def _lists(self, name: str, scores: NDArray[np.float64], check: Table) -> Table:
        wanted = np.zeros(scores.shape)
        wanted[check["user"], check["item"]] = 1
        is_tied = name == "b" and "tied_scores" in self.faults
        shown = np.round(scores, 1 if is_tied else 4)
        # Among equals the clicked come first: the file was sorted when the clicks were known.
        best = np.lexsort((-scores, -wanted, -shown)) if is_tied else np.lexsort((-scores, -shown))
        best = best[:, :_LONGER]
        return {
            "user": np.repeat(np.arange(_USERS), _LONGER),
            "rank": np.tile(np.arange(1, _LONGER + 1), _USERS),
            "item": best.ravel(),
            "score": np.take_along_axis(shown, best, axis=1).ravel(),
        }

    def _trials(self, found: dict[str, Table]) -> Table:
        """Return the settings that were tried for b, and what each had."""
        rng = self._rng("trials")
        chosen_on = "compare" if "reused_test" in self.faults else "tune"
        best = recall_of_part(found, "b", chosen_on)
        neighbours, shrinkage = np.meshgrid([20, 50, 100, 200], [0, 10, 50])
        place = int(rng.integers(neighbours.size))
        recall = best - np.abs(rng.normal(0.012, 0.006, neighbours.size)) - 1e-4
        recall[place] = best
        return {
            "neighbours": neighbours.ravel(),
            "shrinkage": shrinkage.ravel(),
            "recall_at_10": np.round(recall, 4),
        }

    # The two logs -----------------------------------------------------------------------------

    def _policies(self) -> tuple[Policy, Policy]:
        rng = self._rng("policies")
        return Policy(float(rng.uniform(0.9, 1.3)), 0.2), Policy(float(rng.uniform(0.9, 1.2)), 1.0)

    def _feed(self) -> Table:
        logged, target = self._policies()
        log = self.feed.log(logged, _SLATES, seed=self._rng("feed"))
        chance = log.propensities[:, 0]
        if "floored_chances" in self.faults:
            chance = np.maximum(chance, np.quantile(chance, self._rng("floor").uniform(0.3, 0.45)))
        return self._shuffled(
            "feed",
            {
                "user": log.user,
                "item": log.items[:, 0],
                "chance": _digits(chance),
                "chance_b": _digits(self.feed.propensities(target, log)[:, 0]),
                "click": log.clicks[:, 0],
            },
        )

    def _experiment(self) -> Table:
        traffic = self.shop.experiment(self.effect, seed=self._rng("experiment"))
        seed = int(self._rng("broken").integers(2**31))
        if "sample_ratio" in self.faults:
            traffic = lose_users(traffic, 0.35, seed=seed)
        if "doubled_users" in self.faults:
            share = float(self._rng("doubled").uniform(0.04, 0.09))
            traffic = duplicate_users(traffic, share, seed=seed)
        numbers = self._rng("numbers").permutation(_PEOPLE) + 10_000
        return self._shuffled(
            "rows",
            {
                "user": numbers[traffic.user],
                "group": np.where(traffic.treated, "b", "a"),
                "kind": traffic.kinds,
                "sessions": traffic.per_user("sessions").astype(np.int64),
                "impressions": traffic.per_user("impressions").astype(np.int64),
                "clicks": traffic.per_user("clicks").astype(np.int64),
            },
        )

    def claim(self, experiment: Table) -> tuple[float, float, float]:
        """Return what the analyst says of clicks per impression: the gain and its interval."""
        if "wrong_unit" in self.faults:
            return rate_by_impressions(experiment)
        return rate_by_people(experiment)

    def _shuffled(self, name: str, table: Table) -> Table:
        order = self._rng(f"order of {name}").permutation(len(next(iter(table.values()))))
        return {column: values[order] for column, values in table.items()}

    def _rng(self, *what: str) -> np.random.Generator:
        return _generator(self.seed, *what)


def _digits(values: NDArray[np.float64]) -> NDArray[Any]:
    return np.round(values, 6)


def _generator(*parts: str) -> np.random.Generator:
    digest = hashlib.sha256("\n".join(parts).encode()).digest()
    return np.random.default_rng(list(digest))
