"""Clicks by place: look times liking, there and back."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from recsys_metrics import discounts
from recsys_metrics.workbook.exercises.base import Inputs


def _by(look: Callable[[int], float]) -> Callable[[Inputs], dict[str, float]]:
    """Return the answers of who takes this for the chance of a look at a rank."""

    def answers(inputs: Inputs) -> dict[str, float]:
        (first, second), (a, b) = inputs["ranks"], inputs["liking"]
        upper, lower = look(first) * a, look(second) * b
        n = inputs["lists"]
        return {"upper": n * upper, "lower": n * lower, "needed": upper / look(second)}

    return answers


def _of_ndcg(rank: int) -> float:
    return float(discounts(rank)[-1])


_solve = _by(_of_ndcg)


def _looks_ignored(inputs: Inputs) -> dict[str, float]:
    a, b = inputs["liking"]
    return {"upper": inputs["lists"] * a, "lower": inputs["lists"] * b, "needed": a}


def _per_list(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    return {name: right[name] / inputs["lists"] for name in ("upper", "lower")}


def _looks_alone(inputs: Inputs) -> dict[str, float]:
    first, second = inputs["ranks"]
    n = inputs["lists"]
    return {"upper": n * _of_ndcg(first), "lower": n * _of_ndcg(second)}


def _ratio_turned(inputs: Inputs) -> dict[str, float]:
    (first, second), (a, _) = inputs["ranks"], inputs["liking"]
    return {"needed": a * _of_ndcg(second) / _of_ndcg(first)}


def _ratio_of_clicks(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    return {"needed": right["upper"] / right["lower"]}


def _draw(rng: np.random.Generator) -> Inputs:
    first = int(rng.integers(2, 4))
    return {
        "ranks": [first, first + int(rng.integers(4, 13))],
        "liking": [int(rng.integers(20, 36)) / 100, int(rng.integers(36, 56)) / 100],
        "lists": int(rng.choice([500, 1_000, 2_000])),
    }


_clicks_by_place_one_over_rank = _by(lambda rank: 1 / rank)

_clicks_by_place_off_by_one_rank = _by(lambda rank: 1 / math.log2(rank))

_clicks_by_place_natural_log = _by(lambda rank: 1 / math.log(rank + 1))
