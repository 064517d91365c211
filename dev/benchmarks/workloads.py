"""The inputs of the benchmarks: the same numbers every time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dev.benchmarks.runner import Inputs


@dataclass(frozen=True)
class Lists:
    """Ranked lists and relevant sets, as plain arrays.

    Attributes
    ----------
    items : (n_users, depth) array of int
        Item numbers, best first.
    indptr, relevant, grades : arrays
        User u wants `relevant[indptr[u]:indptr[u + 1]]`, with these grades.
    n_items : int
        Size of the catalogue.
    """

    items: NDArray[np.int32]
    indptr: NDArray[np.intp]
    relevant: NDArray[np.int32]
    grades: NDArray[np.int8]
    n_items: int

    @property
    def arrays(self) -> Inputs:
        """The arrays by name."""
        return {
            "items": self.items,
            "indptr": self.indptr,
            "relevant": self.relevant,
            "grades": self.grades,
        }


def ranked_lists(
    n_users: int = 100_000, depth: int = 100, n_items: int = 50_000, seed: int = 0
) -> Lists:
    """Return popular items first, and sets of 1 to 50 relevant ones, a third of them listed."""
    rng = np.random.default_rng(seed)
    # Popularity falls with the item's number; a list is a random walk through the catalogue
    # whose steps grow, then shuffled by blocks, so that no item comes twice.
    steps = rng.geometric(1 / (0.8 * n_items / depth), size=(n_users, depth))
    items = np.cumsum(steps, axis=1) % n_items
    items = _without_repeats(items)
    n_items = max(n_items, int(items.max()) + 1)
    items = np.take_along_axis(items, rng.random(items.shape).argsort(axis=1), axis=1)
    sizes = np.minimum(rng.geometric(1 / 12, n_users), 50)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    owner = np.repeat(np.arange(n_users), sizes)
    listed = rng.random(len(owner)) < 1 / 3
    relevant = np.where(
        listed,
        items[owner, rng.integers(0, depth, len(owner))],
        rng.integers(0, n_items, len(owner)),
    )
    keys = np.unique(owner * n_items + relevant)
    owner, relevant = keys // n_items, keys % n_items
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=n_users))])
    return Lists(
        items.astype(np.int32),
        indptr,
        relevant.astype(np.int32),
        rng.integers(1, 6, len(relevant)).astype(np.int8),
        n_items,
    )


def _without_repeats(items: NDArray[Any]) -> NDArray[Any]:
    """Shift repeated items of a row to the next free number."""
    items = np.sort(items, axis=1)
    for _ in range(items.shape[1]):
        same = items[:, 1:] <= items[:, :-1]
        if not same.any():
            return items
        items[:, 1:] = np.maximum(items[:, 1:], items[:, :-1] + 1)
    return items


def first_lists(inputs: Inputs, share: float) -> Inputs:
    """Return the lists of the first users."""
    n_users = max(2, round(len(inputs["items"]) * share))
    stop = inputs["indptr"][n_users]
    return {
        "items": inputs["items"][:n_users],
        "indptr": inputs["indptr"][: n_users + 1],
        "relevant": inputs["relevant"][:stop],
        "grades": inputs["grades"][:stop],
    }


def first_rows(inputs: Inputs, share: float) -> Inputs:
    """Return the first part of every array."""
    return {name: rows[: max(2, round(len(rows) * share))] for name, rows in inputs.items()}


def score_table(n_users: int = 2_000, n_items: int = 50_000, seed: int = 0) -> Inputs:
    """Return scores of all items, 50 training items and 12 held-out ones of each user."""
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal((n_users, n_items), dtype=np.float32)
    # Steps through the catalogue, so that no item of a user comes twice.
    steps = rng.integers(1, n_items // 62, size=(n_users, 62))
    drawn = rng.permuted(np.cumsum(steps, axis=1), axis=1)
    return {
        "scores": scores,
        "seen": np.sort(drawn[:, :50], axis=1),
        "held_out": np.sort(drawn[:, 50:], axis=1),
    }


def short_lists(n_users: int = 100_000, n_items: int = 50_000, seed: int = 0) -> Inputs:
    """Return lists of ten, popular items more often, with 64 features and a count per item."""
    rng = np.random.default_rng(seed)
    steps = rng.geometric(10 / (0.9 * n_items) * 3, size=(n_users, 10))
    items = rng.permuted(np.cumsum(steps, axis=1) % n_items, axis=1)
    rows = np.sort(items, axis=1)
    # The few lists with an item twice get ten neighbours in its place.
    twice = np.flatnonzero((rows[:, 1:] == rows[:, :-1]).any(axis=1))
    items[twice] = (items[twice, :1] + np.arange(10)) % n_items
    return {
        "items": items.astype(np.int32),
        "features": rng.standard_normal((n_items, 64)),
        "counts": rng.zipf(1.3, n_items).clip(1, 100_000),
    }


def first_short_lists(inputs: Inputs, share: float) -> Inputs:
    """Return the lists of the first users; what is known of the items stays."""
    return {**inputs, "items": inputs["items"][: max(2, round(len(inputs["items"]) * share))]}


def users_values(n_users: int = 100_000, seed: int = 0) -> Inputs:
    """Return values of no two equal users, and NDCG-like ones of two models with many ties."""
    rng = np.random.default_rng(seed)
    old = rng.binomial(20, rng.beta(1, 4, n_users)) / 20
    new = np.clip(old + rng.integers(-1, 2, n_users) / 20, 0, 1)
    return {"continuous": rng.beta(1, 4, n_users), "old": old, "new": new}


def predictions(n: int = 5_000_000, seed: int = 0) -> Inputs:
    """Return over-confident probabilities, and the observed outcomes."""
    rng = np.random.default_rng(seed)
    said = rng.beta(1.5, 4, n)
    return {"said": said, "happened": rng.random(n) < 0.8 * said + 0.05}


def logged_rounds(n: int = 5_000_000, n_actions: int = 10, seed: int = 0) -> Inputs:
    """Return rounds of a log, a policy to judge, and a model of the rewards."""
    rng = np.random.default_rng(seed)
    logging = rng.dirichlet(np.full(n_actions, 2.0), n)
    actions = (logging.cumsum(axis=1) < rng.random(n)[:, None]).sum(axis=1).clip(0, n_actions - 1)
    policy = rng.dirichlet(np.full(n_actions, 2.0), n)
    rows = np.arange(n)
    return {
        "rewards": (rng.random(n) < 0.1).astype(float),
        "actions": actions,
        "propensities": np.maximum(logging[rows, actions], 1e-3),
        "policy": policy,
        "model": rng.beta(1, 9, (n, n_actions)),
    }
