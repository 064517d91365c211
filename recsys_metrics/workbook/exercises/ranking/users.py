"""From users to one number: who counts, and how much."""

from __future__ import annotations

import numpy as np

from recsys_metrics import judge, recall
from recsys_metrics.workbook.exercises.base import Inputs


def _means(inputs: Inputs) -> dict[str, float]:
    lists = [[*range(found)] for found in inputs["found"]]
    # A user with nothing relevant has nan.
    each = recall(judge(lists, [*map(range, inputs["wanted"])]))
    return {
        "left_out": float(np.nanmean(each)),
        "as_zero": float(np.nansum(each)) / len(each),
        "pooled": sum(inputs["found"]) / sum(inputs["wanted"]),
    }


def _draw(rng: np.random.Generator) -> Inputs:
    """Return four to six users: one with nothing relevant, and one who finds nothing."""
    wanted = [int(n) for n in rng.integers(1, 8, int(rng.integers(3, 6)))]
    found = [int(rng.integers(1, n + 1)) for n in wanted]
    found[int(rng.integers(len(found)))] = 0
    place = int(rng.integers(len(wanted) + 1))
    wanted.insert(place, 0)
    found.insert(place, 0)
    return {"found": found, "wanted": wanted}
