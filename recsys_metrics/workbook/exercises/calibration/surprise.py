"""One event after another: log loss and Brier score."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.calibration import brier_score, log_loss
from recsys_metrics.workbook.exercises.base import Inputs


def _solve(inputs: Inputs) -> dict[str, float]:
    given = inputs["clicked"], inputs["predicted"]
    return {"log_loss": log_loss(*given), "brier": brier_score(*given)}


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    n = int(rng.integers(3, 6))
    predicted = rng.choice(np.arange(1, 20), n, replace=False) / 20
    while True:
        clicked = rng.integers(0, 2, n)
        if 0 < clicked.sum() < n:
            return {"predicted": predicted.tolist(), "clicked": clicked.tolist()}
