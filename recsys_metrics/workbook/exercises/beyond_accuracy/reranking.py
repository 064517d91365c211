"""Re-ranking: what a film is worth beside those that the list holds already."""

from __future__ import annotations

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs


def _draw(rng: np.random.Generator) -> Inputs:
    """Return likenesses of which the last is neither the largest nor the smallest."""
    low, middle, high = sorted(int(tenths) for tenths in rng.choice(9, size=3, replace=False) + 1)
    first, second = rng.permutation([low, high])
    return {
        "score": int(rng.integers(10, 20)) / 20,
        "first": int(first) / 10,
        "second": int(second) / 10,
        "third": middle / 10,
        "variety": float(rng.choice([0.2, 0.3, 0.4, 0.6, 0.7])),
    }
