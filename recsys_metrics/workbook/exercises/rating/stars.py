"""Ratings and predictions that exercises are about: how they are drawn, and their errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs


def errors(inputs: Inputs) -> list[float]:
    """Return by how much each prediction is too high."""
    pairs = zip(inputs["predicted"], inputs["actual"], strict=True)
    return [predicted - actual for predicted, actual in pairs]


def mean(values: Sequence[float]) -> float:
    """Return the plain mean."""
    return sum(values) / len(values)


def largest(inputs: Inputs) -> int:
    """Return the number, from 1, of the prediction with the largest error."""
    sizes = [abs(error) for error in errors(inputs)]
    return 1 + sizes.index(max(sizes))


def draw_stars(rng: np.random.Generator, *, n: int = 4) -> Inputs:
    """Return whole stars with errors to both sides, one of them larger than all others."""
    while True:
        actual = [int(stars) for stars in rng.integers(1, 6, size=n)]
        predicted = [int(stars) for stars in rng.integers(1, 6, size=n)]
        found = errors({"actual": actual, "predicted": predicted})
        sizes = sorted(map(abs, found))
        if min(found) < 0 < max(found) and sum(found) != 0 and sizes[-1] > sizes[-2]:
            return {"predicted": predicted, "actual": actual}
