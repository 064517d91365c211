"""Choosing without the truth: one line of SLOPE."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics.workbook.exercises.function import Case

_Row = Sequence[float]


def _slope(lows: _Row, highs: _Row) -> int:
    meets_all = np.maximum.accumulate(lows) <= np.minimum.accumulate(highs)
    return int(np.append(meets_all, False).argmin()) - 1


def _candidates(values: _Row, errors: _Row, why: str = "") -> Case:
    """Return the intervals of estimates with these errors."""
    ends = np.subtract(values, errors), np.add(values, errors)
    return Case({"lows": ends[0].tolist(), "highs": ends[1].tolist()}, why)


_EDGES = (
    _candidates([7], [2], "there is one candidate"),
    _candidates([8, 4], [3, 1], "the two intervals touch, so they overlap"),
    _candidates([4, 8], [3, 1], "the two intervals touch at the other end"),
    _candidates([9, 2, 9], [1, 1, 1], "the third overlaps with the first, and the second does not"),
)


def _draw_candidates(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for sign in (-1, -1, -1, 1, 1):
        errors = np.sort(rng.integers(1, 9, 5))[::-1]
        values = 20 + sign * rng.integers(0, 4, 5).cumsum()
        drawn.append(_candidates(values.tolist(), errors.tolist()))
    return (*drawn, *_EDGES)


_complete_slope_cases = (
    _candidates([10, 9, 7, 4], [4, 3, 2, 1], "each overlaps with its neighbour"),
    _candidates([12, 11, 10, 5], [2, 6, 4, 4], "the last is below the first only"),
    _candidates([5, 6, 7, 12], [2, 6, 4, 4], "the last is above the first only"),
    _candidates([4, 6, 9, 11], [4, 3, 2, 1], "the values rise"),
    _candidates([10, 9, 12, 8], [5, 3, 2, 2], "all overlap"),
    _candidates([10, 8, 11, 6], [6, 1, 3, 1], "the first is wide and overlaps with all others"),
    *_EDGES,
)
