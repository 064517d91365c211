"""One large importance weight: what doubly robust does with it, and what switch does."""

from __future__ import annotations

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs


def _both(inputs: Inputs) -> dict[str, float]:
    residuals = np.subtract(inputs["rewards"], inputs["predicted"])
    weights, expected = np.array(inputs["weights"]), inputs["expected"]
    light = np.where(weights <= inputs["threshold"], weights, 0)
    return {
        "plain": expected + float((weights * residuals).mean()),
        "switched": expected + float((light * residuals).mean()),
    }


def _draw(rng: np.random.Generator) -> Inputs:
    """Return a log in which one weight lies above the threshold, and both estimates above 0."""
    while True:
        n = int(rng.integers(4, 6))
        weights = rng.choice([0.25, 0.5, 0.75, 1.25, 1.5], n)
        weights[int(rng.integers(n))] = float(rng.integers(5, 10))
        inputs = {
            "weights": weights.tolist(),
            "rewards": rng.integers(0, 2, n).tolist(),
            "predicted": rng.choice([0.2, 0.25, 0.4, 0.5, 0.6], n).tolist(),
            "expected": float(rng.choice([0.3, 0.35, 0.45])),
            "threshold": int(rng.choice([2, 3])),
        }
        # Some rounds earned and some did not; earnings below 0 would need a word of their own.
        if 0 < sum(inputs["rewards"]) < n and min(_both(inputs).values()) > 0:
            return inputs
