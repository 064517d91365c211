"""Platt's curve applied by hand, and what a map does to the order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs

# The curve by hand ----------------------------------------------------------------------------


def _log_odds(p: float) -> float:
    return math.log(p / (1 - p))


def _sigmoid(z: float) -> float:
    return 1 / (1 + math.exp(-z))


def _after(inputs: Inputs, z: float) -> float:
    return _sigmoid(inputs["a"] * z + inputs["b"])


def _solve(inputs: Inputs) -> dict[str, float]:
    z = _log_odds(inputs["said"])
    return {"log_odds": z, "after": _after(inputs, z)}


def _through(inputs: Inputs, z: float) -> dict[str, float]:
    """Return the answers of someone who has other log-odds and goes on rightly."""
    return {"log_odds": z, "after": _after(inputs, z)}


def _raw(inputs: Inputs) -> dict[str, float]:
    return {"after": _after(inputs, inputs["said"])}


def _odds(inputs: Inputs) -> dict[str, float]:
    return _through(inputs, inputs["said"] / (1 - inputs["said"]))


def _turned(inputs: Inputs) -> dict[str, float]:
    return _through(inputs, -_log_odds(inputs["said"]))


def _logarithm(inputs: Inputs) -> dict[str, float]:
    return _through(inputs, math.log(inputs["said"]))


def _base_ten(inputs: Inputs) -> dict[str, float]:
    return _through(inputs, _log_odds(inputs["said"]) / math.log(10))


def _no_intercept(inputs: Inputs) -> dict[str, float]:
    return {"after": _sigmoid(inputs["a"] * _log_odds(inputs["said"]))}


def _sign_of_platt(inputs: Inputs) -> dict[str, float]:
    return {"after": 1 - _solve(inputs)["after"]}


def _line_only(inputs: Inputs) -> dict[str, float]:
    return {"after": inputs["a"] * _log_odds(inputs["said"]) + inputs["b"]}


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    said = rng.choice([0.05, 0.1, 0.15, 0.2, 0.3, 0.7, 0.8, 0.85, 0.9, 0.95])
    a = rng.choice([0.4, 0.5, 0.6, 0.7, 0.8])
    b = rng.choice([-0.8, -0.6, -0.4, -0.3, 0.3, 0.4, 0.6])
    return {"said": float(said), "a": float(a), "b": float(b)}
