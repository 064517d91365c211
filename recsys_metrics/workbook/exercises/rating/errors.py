"""MAE and RMSE: computed, written, put in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics.rating import mae, rmse
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case
from recsys_metrics.workbook.exercises.rating import stars


def _solve(inputs: Inputs) -> dict[str, float]:
    actual, predicted = inputs["actual"], inputs["predicted"]
    return {
        "mae": mae(actual, predicted),
        "rmse": rmse(actual, predicted),
        "film": stars.largest(inputs),
    }


def _one_side_only(inputs: Inputs) -> dict[str, float]:
    """Return the film with the largest error of the other sign."""
    found = stars.errors(inputs)
    sign = 1 if found[stars.largest(inputs) - 1] > 0 else -1
    turned = [-sign * error for error in found]
    return {"film": 1 + turned.index(max(turned))}


def _mae_or_rmse_solve(inputs: Inputs) -> Any:
    return "largest"


# What an error weighs -----------------------------------------------------------------------------


def _weighs_draw(rng: np.random.Generator) -> Any:
    return {
        "large": float(rng.integers(12, 41)) / 10,
        "small": float(rng.choice([0.1, 0.2, 0.25, 0.4, 0.5])),
    }


# The function ------------------------------------------------------------------------------------


def _rmse(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return float(rmse(actual, predicted))


def _case(actual: list[float], predicted: list[float], why: str = "") -> Case:
    return Case({"actual": actual, "predicted": predicted}, why)


_EDGES = (
    _case([4], [2], "there is one rating"),
    _case([3, 5], [3, 5], "every prediction is exact"),
)


def _draw_cases(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return ratings in half stars, and the edges."""
    drawn = []
    for n in (3, 4, 6, 9):
        actual, predicted = (rng.integers(1, 11, size=n) / 2 for _ in range(2))
        drawn.append(_case(actual.tolist(), predicted.tolist()))
    steady = (rng.integers(5, 11, size=4) / 2).tolist()
    return (
        *drawn,
        _case(steady, [stars_ - 1 for stars_ in steady], "every prediction is a star too low"),
        *_EDGES,
    )


def _mae_or_library(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return float(mae(actual, predicted))


_complete_mae_cases = (
    _case([4, 1, 3, 5], [3, 3, 3, 2]),
    _case([2, 4, 3], [4, 3.5, 5], "more is predicted too high than too low"),
    _case([2, 4.5, 3], [3.5, 4, 1]),
    _case([5, 4, 3], [3, 2, 1], "every prediction is two stars too low"),
    _case([5, 4, 1, 2, 3], [1, 4.5, 2, 4, 3], "the largest error is one downwards"),
    *_EDGES,
)

_write_rmse_cases = (
    _case([5, 2, 3, 3], [4, 2, 5, 3]),
    _case([5, 2, 4, 1, 5], [4.2, 2.8, 3.5, 1.5, 4.7]),
    _case([5, 4, 3, 2, 1], [1, 4.1, 3.1, 1.9, 1.1], "one prediction is far off"),
    _case([5, 4, 3], [3, 2, 1], "every prediction is two stars too low"),
    *_EDGES,
)
