"""The inputs of the benchmarks: the same numbers every time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


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
    def nbytes(self) -> int:
        """Bytes of the inputs."""
        return self.items.nbytes + self.relevant.nbytes + self.grades.nbytes


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
