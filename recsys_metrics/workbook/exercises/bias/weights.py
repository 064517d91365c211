"""One over the propensity: what a click weighs."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.bias.propensity import inverse_propensity_weights
from recsys_metrics.workbook.exercises.base import Inputs


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    """Return an item that is shown less and clicked less, and counts for more."""
    while True:
        p_a, p_b = (
            float(rng.choice([0.5, 0.6, 0.75, 0.8, 0.9])),
            float(rng.choice([0.05, 0.1, 0.15, 0.2, 0.25, 0.3])),
        )
        clicks_b = int(rng.integers(1, 4))
        clicks_a = clicks_b + int(rng.integers(1, 5))
        if clicks_b / p_b > clicks_a / p_a:
            return {"p_a": p_a, "p_b": p_b, "clicks_a": clicks_a, "clicks_b": clicks_b}


def _solve(inputs: Inputs) -> dict[str, float]:
    weight_a, weight_b = inverse_propensity_weights([inputs["p_a"], inputs["p_b"]])
    return {
        "weight_a": float(weight_a),
        "weight_b": float(weight_b),
        "total_a": inputs["clicks_a"] * float(weight_a),
        "total_b": inputs["clicks_b"] * float(weight_b),
    }


def _why_b_counts_more_solve(inputs: Inputs) -> Any:
    return "stands-for"
