"""The error ratio: computed, and read without computing."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.rating import error_ratio, mae, rmse
from recsys_metrics.workbook.exercises.base import Inputs


def _solve(inputs: Inputs) -> dict[str, float]:
    nothing, found = [0.0] * len(inputs["errors"]), inputs["errors"]
    return {
        "mae": mae(nothing, found),
        "rmse": rmse(nothing, found),
        "ratio": error_ratio(nothing, found),
    }


def _draw(rng: np.random.Generator) -> Inputs:
    """Return five errors in half stars that do not cancel."""
    while True:
        found = [float(error) for error in rng.integers(-6, 7, size=5) / 2]
        if 0 not in found and sum(found) != 0 and len(set(map(abs, found))) >= 2:
            return {"errors": found}


def _draw_models(rng: np.random.Generator) -> Inputs:
    """Return two sizes of steady errors, and the outlier of the third model."""
    return {
        "n": int(rng.choice([10, 20, 25])),
        "large": float(rng.choice([1.5, 2.0, 2.5])),
        "small": float(rng.choice([0.1, 0.2])),
        "outlier": float(rng.choice([3.0, 3.5, 4.0])),
    }


def _which_ratio_solve(inputs: Inputs) -> Any:
    return "outlier"
