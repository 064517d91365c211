"""Small random worlds of users, lists and histories, for measures beyond accuracy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import recsys_metrics as rm
from recsys_metrics.measures import Context
from tests.peers.cases import N_CASES, write_down

N_USERS = 5
N_ITEMS = 12
CUTS = (1, 2, 4, 9)


@dataclass(frozen=True)
class World:
    """Lists, what was met before, and what is known of the items."""

    lists: dict[int, list[int]]
    history: dict[int, list[int]]
    relevant: dict[int, set[int]]
    features: np.ndarray

    @cached_property
    def item_counts(self) -> np.ndarray:
        """How many users met each item."""
        met = [item for row in self.history.values() for item in row]
        return np.bincount(met, minlength=N_ITEMS)

    @property
    def n_events(self) -> int:
        return int(self.item_counts.sum())

    @property
    def events(self) -> list[tuple[int, int]]:
        """Users and items of the training data."""
        return [(user, item) for user, row in self.history.items() for item in row]

    def ranked(self, k: int | None = None) -> list[tuple[int, int, int]]:
        """Users, items and ranks from 1."""
        return [
            (user, item, rank)
            for user, row in self.lists.items()
            for rank, item in enumerate(row[:k], start=1)
        ]

    @property
    def known(self) -> Context:
        return Context(
            relevant=[self.relevant[user] for user in self.lists],
            catalog=N_ITEMS,
            item_counts=self.item_counts,
            n_users=N_USERS,
            history=[self.history[user] for user in self.lists],
            features=self.features,
        )

    @property
    def users_as_features(self) -> np.ndarray:
        """Who met each item, an item a row."""
        table = np.zeros((N_ITEMS, N_USERS))
        for user, item in self.events:
            table[item, user] = 1
        return table


def worlds(
    n: int = N_CASES,
    *,
    of_one_length: bool = False,
    met_only: bool = False,
    unmet_by_user: bool = False,
    seed: int = 20261121,
) -> Iterator[World]:
    """Yield worlds.

    `met_only` lists hold nothing that training has not seen, and lists that are `unmet_by_user`
    nothing that their own user has met.
    """
    rng = np.random.default_rng(seed)
    while n:
        history = {
            user: rng.permutation(N_ITEMS)[: int(rng.integers(1, 8))].tolist()
            for user in range(N_USERS)
        }
        met = {item for row in history.values() for item in row}
        pools = {
            user: sorted((met if met_only else {*range(N_ITEMS)}) - {*row * unmet_by_user})
            for user, row in history.items()
        }
        longest = min(8, *map(len, pools.values()))
        if longest < 2:
            continue
        n -= 1
        length = int(rng.integers(2, longest + 1))
        yield World(
            {
                user: rng.permutation(pool)[
                    : length if of_one_length else int(rng.integers(1, 9))
                ].tolist()
                for user, pool in pools.items()
            },
            history,
            {user: set(rng.permutation(N_ITEMS)[:4].tolist()) for user in range(N_USERS)},
            rng.integers(0, 3, (N_ITEMS, 4)) + np.eye(N_ITEMS, 4) + [0, 0, 0, 1],
        )


Theirs = Callable[[World, int | None], Mapping[int, float] | float]


def agree_on_worlds(
    library: str,
    version: str,
    name: str,
    theirs: Theirs,
    *,
    known: Callable[[World], Context] = lambda world: world.known,
    cuts: tuple[int | None, ...] = CUTS,
    tolerance: float = 1e-9,
    at_least: int = 1,
    mean: bool = False,
    n_worlds: int = N_CASES,
    **of_worlds: Any,
) -> None:
    """Hold `like(library, name)` equal to what the library says of each of 1,000 worlds.

    Of users whose cut list holds fewer than `at_least` items nothing is asked. A library that
    gives one number where we have one per user gives their `mean`. Fewer worlds will do where a
    library takes its time and each holds several users.
    """
    n, largest = 0, 0.0
    measures = {k: rm.like(library, name if k is None else f"{name}@{k}") for k in cuts}
    for number, world in enumerate(worlds(n_worlds, **of_worlds)):
        k = cuts[number % len(cuts)]
        made = measures[k]
        cut = [row[:k] for row in world.lists.values()]
        ours = made.of_lists(cut, known(world))
        if mean:
            ours = np.nan if np.isnan(ours).all() else np.nanmean(ours)
        found = theirs(world, k)
        if isinstance(found, Mapping):
            users = [u for u, row in zip(world.lists, cut, strict=True) if len(row) >= at_least]
            mine = np.array([ours[list(world.lists).index(user)] for user in users])
            other = np.array([found.get(user, np.nan) for user in users], dtype=float)
        else:
            mine, other = np.atleast_1d(ours), np.atleast_1d(found)
        np.testing.assert_allclose(mine, other, rtol=0, atol=tolerance, err_msg=f"{made}, {world}")
        both = ~np.isnan(mine)
        largest = max(largest, float(np.abs(mine - other)[both].max(initial=0.0)))
        n += int(both.sum())
    assert n >= N_CASES
    write_down(library, version, name, n, largest)
