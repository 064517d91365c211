"""Averages over users: macro and micro, and users with no relevant items."""

from __future__ import annotations

import numpy as np

from recsys_metrics import judge, recall
from recsys_metrics.workbook.exercises.base import Inputs

# With two decimals none of the three numbers looks like another one.
_APART = 0.02


def _means(inputs: Inputs) -> dict[str, float]:
    lists = [[*range(found)] for found in inputs["found"]]
    # A user with nothing relevant has nan.
    each = recall(judge(lists, [*map(range, inputs["n_relevant"])]))
    return {
        "left_out": float(np.nanmean(each)),
        "as_zero": float(np.nansum(each)) / len(each),
        "pooled": sum(inputs["found"]) / sum(inputs["n_relevant"]),
    }


def _draw(rng: np.random.Generator) -> Inputs:
    """Return four to six users with three numbers that differ.

    One user has nothing relevant, and one finds nothing.
    """
    while True:
        inputs = _draw_users(rng)
        if np.diff(sorted(_means(inputs).values())).min() >= _APART:
            return inputs


def _draw_users(rng: np.random.Generator) -> Inputs:
    n_relevant = [int(n) for n in rng.integers(1, 8, int(rng.integers(3, 6)))]
    found = [int(rng.integers(1, n + 1)) for n in n_relevant]
    found[int(rng.integers(len(found)))] = 0
    place = int(rng.integers(len(n_relevant) + 1))
    n_relevant.insert(place, 0)
    found.insert(place, 0)
    return {"found": found, "n_relevant": n_relevant}
