"""Murphy's parts of the Brier score: reliability and resolution."""

from __future__ import annotations

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs


def _draw(rng: np.random.Generator) -> Inputs:
    """Return two groups in which every mistake has a value of its own."""
    while True:
        few, many = sorted(int(n) for n in rng.choice([4, 5, 8, 10, 16, 20], 2, replace=False))
        low, high = int(rng.integers(2, 9)) / 20, int(rng.integers(12, 19)) / 20
        clicks = [int(rng.integers(1, many)), int(rng.integers(1, few))]
        inputs = {"events": [many, few], "predicted": [low, high], "clicks": clicks}
        if _lie_apart(inputs):
            return inputs


def _lie_apart(inputs: Inputs) -> bool:
    """Whether other weights, distances or base rates give each part a value far from its own."""
    events, predicted, clicks = (
        np.array(inputs[of], float) for of in ("events", "predicted", "clicks")
    )
    weight, observed, base = events / events.sum(), clicks / events, clicks.sum() / events.sum()
    off, apart = predicted - observed, observed - base
    reliability = [weight @ off**2, np.mean(off**2), weight @ abs(off), events @ off**2]
    resolution = [weight @ apart**2, np.mean(apart**2), weight @ abs(apart), events @ apart**2]
    resolution += [weight @ (observed - other) ** 2 for other in (observed.mean(), 0.5)]
    resolution.append(weight @ (predicted - base) ** 2)
    return all(
        min(values) >= 0.004 and np.diff(np.sort(values)).min() >= 0.003
        for values in (reliability, resolution)
    )
