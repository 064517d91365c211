"""The first hit: reciprocal rank and its mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from recsys_metrics import Judged, reciprocal_hit_rate, reciprocal_rank
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.ranking import running_list


def _solve(inputs: Inputs) -> dict[str, float]:
    first = reciprocal_rank(running_list.judged(inputs), inputs["k"])
    return _with_mean(inputs, first)


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    return {**running_list.draw(rng), "rank_of_second": int(rng.integers(1, 21))}


def _first(inputs: Inputs) -> int:
    return running_list.hit_ranks(inputs)[0]


def _with_mean(inputs: Inputs, first: float) -> dict[str, float]:
    """Return a first user's value, and its mean with the second user's right one."""
    return {"rr": first, "mrr": (first + 1 / inputs["rank_of_second"]) / 2}


def _rank_itself(inputs: Inputs) -> dict[str, float]:
    return {"rr": _first(inputs), "mrr": (_first(inputs) + inputs["rank_of_second"]) / 2}


def _mean_rank(inputs: Inputs) -> dict[str, float]:
    return {"mrr": 2 / (_first(inputs) + inputs["rank_of_second"])}


def _sum(inputs: Inputs) -> dict[str, float]:
    return {"mrr": 1 / _first(inputs) + 1 / inputs["rank_of_second"]}


def _all_hits_added(inputs: Inputs) -> dict[str, float]:
    return _with_mean(inputs, sum(1 / rank for rank in running_list.hit_ranks(inputs)))


def _all_hits_averaged(inputs: Inputs) -> dict[str, float]:
    ranks = running_list.hit_ranks(inputs)
    return _with_mean(inputs, sum(1 / rank for rank in ranks) / len(ranks))


def _from_zero(inputs: Inputs) -> dict[str, float]:
    return {"rr": 1 / (_first(inputs) - 1)}


def _plus_one(inputs: Inputs) -> dict[str, float]:
    first, other = 1 / (_first(inputs) + 1), 1 / (inputs["rank_of_second"] + 1)
    return {"rr": first, "mrr": (first + other) / 2}


# All the hits -----------------------------------------------------------------------------------


def _three(inputs: Inputs) -> dict[str, float]:
    ranks = inputs["ranks"]
    hits = Judged.from_gains([float(rank in ranks) for rank in range(1, max(ranks) + 1)])
    return {
        "first": float(reciprocal_rank(hits)),
        "total": float(reciprocal_hit_rate(hits)),
        "mean": float(reciprocal_hit_rate(hits, reduce="mean")),
    }


def _of_ranks(inputs: Inputs, reciprocal: Callable[[int], float]) -> dict[str, float]:
    values = [reciprocal(rank) for rank in inputs["ranks"]]
    return {"first": values[0], "total": sum(values), "mean": sum(values) / len(values)}


def _mean_over(count: Callable[[list[int]], int]) -> Callable[[Inputs], dict[str, float]]:
    return lambda inputs: {"mean": _three(inputs)["total"] / count(inputs["ranks"])}


def _of_rank_sums(inputs: Inputs) -> dict[str, float]:
    total = sum(inputs["ranks"])
    return {"total": 1 / total, "mean": len(inputs["ranks"]) / total}


def _last(inputs: Inputs) -> dict[str, float]:
    return {"first": 1 / inputs["ranks"][-1]}


def _draw_ranks(rng: np.random.Generator) -> Inputs:
    ranks = 2 + rng.choice(10, int(rng.integers(3, 5)), replace=False)
    return {"ranks": sorted(int(rank) for rank in ranks)}


def _three_reciprocals_rank_from_zero(inputs: Inputs) -> Any:
    return _of_ranks(inputs, lambda rank: 1 / (rank - 1))


def _three_reciprocals_rank_plus_one(inputs: Inputs) -> Any:
    return _of_ranks(inputs, lambda rank: 1 / (rank + 1))


def _three_reciprocals_rank_not_reciprocal(inputs: Inputs) -> Any:
    return _of_ranks(inputs, float)


_three_reciprocals_list_denominator = _mean_over(lambda ranks: ranks[-1])
