"""Evaluations of a simulated shop, sound ones of many kinds, for tests of the preflight."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np


@dataclass(frozen=True)
class Simulated:
    """Lists, truth and context, as `preflight` takes them."""

    lists: dict[Any, Any]
    truth: dict[Any, Any]
    history: dict[Any, set[Any]]
    catalog: list[Any]
    options: dict[str, Any]

    def having(self, **changes: Any) -> Simulated:
        return replace(self, **changes)

    @property
    def arguments(self) -> tuple[tuple[Any, Any], dict[str, Any]]:
        return (self.lists, self.truth), {
            "history": self.history,
            "catalog": self.catalog,
            **self.options,
        }


def simulate(
    seed: int = 0,
    *,
    n_users: int = 200,
    n_items: int = 300,
    n_relevant: int | tuple[int, int] = (1, 6),
    n_history: int | tuple[int, int] = (5, 25),
    skill: float = 1.0,
    popularity: float = 1.0,
    k: int = 10,
    ids: str = "number",
    scores: bool = False,
    exclude: bool = True,
) -> Simulated:
    """Return users with tastes who interact twice, and a recommender that knows them in part.

    `skill` 0 recommends at random, 1 knows the tastes with noise, 5 nearly without.
    """
    rng = np.random.default_rng(seed)
    tastes = rng.normal(size=(n_users, 4)) @ rng.normal(size=(4, n_items))
    utility = tastes + popularity * rng.normal(size=n_items) * 2
    drawn = np.argsort(-(utility + rng.gumbel(size=utility.shape)), axis=1)
    known = skill * utility + rng.normal(size=utility.shape) * 2
    name = {
        "number": lambda kind, at: at,
        "text": lambda kind, at: f"{kind}{at}",
        "hash": lambda kind, at: crc32(f"{kind}{at}".encode()).to_bytes(4, "big").hex(),
    }[ids]
    lists: dict[Any, Any] = {}
    truth, history = {}, {}
    for at in range(n_users):
        past, more = (
            n if isinstance(n, int) else int(rng.integers(n[0], n[1] + 1))
            for n in (n_history, n_relevant)
        )
        user = name("u", at)
        own = drawn[at]
        history[user] = {name("i", int(item)) for item in own[:past]}
        truth[user] = {name("i", int(item)) for item in own[past : past + more]}
        points = known[at].copy()
        if exclude:
            points[own[:past]] = -np.inf
        best = np.argsort(-points)[:k].tolist()
        best = [item for item in best if np.isfinite(points[item])]
        named = [name("i", item) for item in best]
        lists[user] = dict(zip(named, points[best].tolist(), strict=True)) if scores else named
    catalog = [name("i", item) for item in range(n_items)]
    return Simulated(lists, truth, history, catalog, {})
