"""One over the propensity: what a click weighs."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.bias.propensity import inverse_propensity_weights
from recsys_metrics.workbook.exercises.base import Inputs

_STATED: Inputs = {"p_a": 0.8, "p_b": 0.2, "clicks_a": 2, "clicks_b": 1}


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


def _all(inputs: Inputs, weight_a: float, weight_b: float) -> dict[str, float]:
    """Return weights with the totals that follow from them."""
    return {
        "weight_a": weight_a,
        "weight_b": weight_b,
        "total_a": inputs["clicks_a"] * weight_a,
        "total_b": inputs["clicks_b"] * weight_b,
    }


def _solve(inputs: Inputs) -> dict[str, float]:
    weight_a, weight_b = inverse_propensity_weights([inputs["p_a"], inputs["p_b"]])
    return _all(inputs, float(weight_a), float(weight_b))


def _by_propensity(inputs: Inputs) -> dict[str, float]:
    return _all(inputs, inputs["p_a"], inputs["p_b"])


def _swapped(inputs: Inputs) -> dict[str, float]:
    return _all(inputs, 1 / inputs["p_b"], 1 / inputs["p_a"])


def _relative(inputs: Inputs) -> dict[str, float]:
    return _all(inputs, 1.0, inputs["p_a"] / inputs["p_b"])


def _raw_clicks(inputs: Inputs) -> dict[str, float]:
    return {"total_a": inputs["clicks_a"], "total_b": inputs["clicks_b"]}


def _one_click_each(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    return {"total_a": right["weight_a"], "total_b": right["weight_b"]}


def _shares(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    both = right["total_a"] + right["total_b"]
    return {"total_a": right["total_a"] / both, "total_b": right["total_b"] / both}


def _why_b_counts_more_solve(inputs: Inputs) -> Any:
    return "stands-for"
