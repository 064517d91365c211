"""One event after another: log loss and Brier score."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from recsys_metrics.calibration import brier_score, log_loss
from recsys_metrics.workbook.exercises.base import Inputs


def _solve(inputs: Inputs) -> dict[str, float]:
    given = inputs["clicked"], inputs["said"]
    return {"log_loss": log_loss(*given), "brier": brier_score(*given)}


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    n = int(rng.integers(3, 6))
    said = rng.choice(np.arange(1, 20), n, replace=False) / 20
    while True:
        clicked = rng.integers(0, 2, n)
        if 0 < clicked.sum() < n:
            return {"said": said.tolist(), "clicked": clicked.tolist()}


def _mean(cost: Callable[[float, int], float]) -> Callable[[Inputs], float]:
    """Return the mean cost of an event, given what was said and what happened."""

    def of(inputs: Inputs) -> float:
        pairs = list(zip(inputs["said"], inputs["clicked"], strict=True))
        return sum(cost(p, y) for p, y in pairs) / len(pairs)

    return of


_clicks_only = _mean(lambda p, y: -math.log(p) if y else 0.0)
_called_a_click = _mean(lambda p, y: -math.log(p))
_distance = _mean(lambda p, y: abs(p - y))


def _losses_always_as_a_click(inputs: Inputs) -> Any:
    return {"log_loss": _called_a_click(inputs)}


def _losses_clicks_only(inputs: Inputs) -> Any:
    return {"log_loss": _clicks_only(inputs)}


def _losses_base_two(inputs: Inputs) -> Any:
    return {"log_loss": _solve(inputs)["log_loss"] / math.log(2)}


def _losses_base_ten(inputs: Inputs) -> Any:
    return {"log_loss": _solve(inputs)["log_loss"] / math.log(10)}


def _losses_distance_not_squared(inputs: Inputs) -> Any:
    return {"brier": _distance(inputs)}


def _losses_root_taken(inputs: Inputs) -> Any:
    return {"brier": math.sqrt(_solve(inputs)["brier"])}


def _losses_both_classes(inputs: Inputs) -> Any:
    return {"brier": 2 * _solve(inputs)["brier"]}


def _losses_sum_not_mean(inputs: Inputs) -> Any:
    return {name: value * len(inputs["said"]) for name, value in _solve(inputs).items()}
