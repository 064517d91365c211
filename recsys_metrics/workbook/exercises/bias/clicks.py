"""Clicks by rank: examination times attractiveness, there and back."""

from __future__ import annotations

import numpy as np

from recsys_metrics import discounts
from recsys_metrics.workbook.exercises.base import Inputs


def _solve(inputs: Inputs) -> dict[str, float]:
    first, second = (float(discounts(rank)[-1]) for rank in inputs["ranks"])
    (a, b), n = inputs["attractiveness"], inputs["lists"]
    return {"upper": n * first * a, "lower": n * second * b, "needed": first * a / second}


def _draw(rng: np.random.Generator) -> Inputs:
    first = int(rng.integers(2, 4))
    return {
        "ranks": [first, first + int(rng.integers(4, 13))],
        "attractiveness": [int(rng.integers(20, 36)) / 100, int(rng.integers(36, 56)) / 100],
        "lists": int(rng.choice([500, 1_000, 2_000])),
    }
