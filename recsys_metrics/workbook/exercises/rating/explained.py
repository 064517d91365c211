"""Baselines: the mean, R², explained variance."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import numpy as np

from recsys_metrics.rating import explained_variance, mae, r2, rmse
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case
from recsys_metrics.workbook.exercises.rating import stars


def _solve_constant(inputs: Inputs) -> dict[str, float]:
    actual = inputs["actual"]
    constant = [stars.mean(actual)] * len(actual)
    return {"mae": mae(actual, constant), "rmse": rmse(actual, constant)}


def _errors_of(guess: float, inputs: Inputs) -> dict[str, float]:
    """Return both errors of one prediction for all films."""
    actual, constant = inputs["actual"], [guess] * len(inputs["actual"])
    return {"mae": mae(actual, constant), "rmse": rmse(actual, constant)}


def _whole_stars_below(inputs: Inputs) -> dict[str, float]:
    return _errors_of(math.ceil(stars.mean(inputs["actual"])) - 1, inputs)


def _whole_stars_above(inputs: Inputs) -> dict[str, float]:
    return _errors_of(math.floor(stars.mean(inputs["actual"])) + 1, inputs)


def _middle_of_the_scale(inputs: Inputs) -> dict[str, float]:
    """Return the errors of three stars; where that is the mean, those of a star less."""
    return _errors_of(2 if stars.mean(inputs["actual"]) == 3 else 3, inputs)


def _draw_constant(rng: np.random.Generator) -> Inputs:
    """Return stars whose mean and median differ."""
    while True:
        actual = [int(star) for star in rng.integers(1, 6, size=5)]
        if stars.mean(actual) != statistics.median(actual):
            return {"actual": actual}


def _solve(inputs: Inputs) -> dict[str, float]:
    actual, predicted = inputs["actual"], inputs["predicted"]
    return {"r2": r2(actual, predicted), "explained": explained_variance(actual, predicted)}


def _draw(rng: np.random.Generator) -> Inputs:
    """Return five ratings and predictions that are off on average, and not by one amount."""
    while True:
        inputs = stars.draw_stars(rng, n=5)
        spread = len(set(inputs["actual"])) > 1 and len(set(inputs["predicted"])) > 1
        if spread and len(set(map(abs, stars.errors(inputs)))) > 1:
            return inputs


# R² with one line missing -------------------------------------------------------------------------


def _r2(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return float(r2(actual, predicted))


def _rated(actual: list[float], predicted: list[float], why: str = "") -> Case:
    return Case({"actual": actual, "predicted": predicted}, why)


_ENDS = (
    _rated([5, 3, 1], [5, 3, 1], "every prediction is exact"),
    _rated([5, 3, 2, 1], [1, 2, 3, 5], "the model is worse than the mean"),
    _rated([4, 4, 4, 1], [4, 3, 5, 2], "some ratings are equal"),
)


def _draw_ratings(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return ratings in half stars that are not all alike, and predictions that are not either."""
    drawn: list[Case] = []
    while len(drawn) < 4:
        actual, predicted = (rng.integers(1, 11, size=len(drawn) + 3) / 2 for _ in range(2))
        # Around whole sums of halves the errors cancel to 0 exactly, or nearly.
        if len(set(actual)) > 1 and len(set(predicted)) > 1:
            drawn.append(_rated(actual.tolist(), predicted.tolist()))
    return (*drawn, *_ENDS)


_complete_r2_cases = (
    _rated([4, 1, 3, 5], [3, 2, 4, 4]),
    _rated([2, 5, 4], [2.5, 3, 4.5]),
    _rated([1, 2, 5, 4], [3.5, 3, 3.5, 3], "the predictions stay near the middle"),
    *_ENDS,
)
