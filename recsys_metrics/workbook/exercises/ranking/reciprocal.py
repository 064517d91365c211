"""The first hit: reciprocal rank and MRR."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics import Judged, reciprocal_hit_rate, reciprocal_rank
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.ranking import running_list


def _solve(inputs: Inputs) -> dict[str, float]:
    first = reciprocal_rank(running_list.judged(inputs), inputs["k"])
    return {"rr": first, "mrr": (first + 1 / inputs["rank_of_second"]) / 2}


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    return {**running_list.draw(rng), "rank_of_second": int(rng.integers(1, 21))}


# All the hits -----------------------------------------------------------------------------------


def _three(inputs: Inputs) -> dict[str, float]:
    ranks = inputs["ranks"]
    hits = Judged.from_gains([float(rank in ranks) for rank in range(1, max(ranks) + 1)])
    return {
        "first": float(reciprocal_rank(hits)),
        "total": float(reciprocal_hit_rate(hits)),
        "mean": float(reciprocal_hit_rate(hits, reduce="mean")),
    }


def _draw_ranks(rng: np.random.Generator) -> Inputs:
    ranks = 2 + rng.choice(10, int(rng.integers(3, 5)), replace=False)
    return {"ranks": sorted(int(rank) for rank in ranks)}
