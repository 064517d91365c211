"""Against a guess that knows nothing: the mean, R², explained variance."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics.rating import explained_variance, mae, mse, r2, rmse
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case
from recsys_metrics.workbook.exercises.rating import stars


def _always(inputs: Inputs, guess: float) -> dict[str, float]:
    actual = inputs["actual"]
    constant = [guess] * len(actual)
    return {"mae": mae(actual, constant), "rmse": rmse(actual, constant)}


def _solve_constant(inputs: Inputs) -> dict[str, float]:
    return _always(inputs, stars.mean(inputs["actual"]))


def _draw_constant(rng: np.random.Generator) -> Inputs:
    """Return stars whose mean and median differ."""
    while True:
        actual = [int(star) for star in rng.integers(1, 6, size=5)]
        if stars.mean(actual) != statistics.median(actual):
            return {"actual": actual}


def _own_mean_perfect_constant(_: Any) -> Any:
    return {"mae": 0.0, "rmse": 0.0}


def _own_mean_cancelled_errors(_: Any) -> Any:
    return {"mae": 0.0}


def _own_mean_missing_root(inputs: Inputs) -> Any:
    return {"rmse": mse(inputs["actual"], [stars.mean(inputs["actual"])] * 5)}


def _own_mean_one_fewer(inputs: Inputs) -> Any:
    return {"rmse": statistics.stdev(inputs["actual"])}


def _own_mean_median_for_mean(inputs: Inputs) -> Any:
    return _always(inputs, statistics.median(inputs["actual"]))


def _solve(inputs: Inputs) -> dict[str, float]:
    actual, predicted = inputs["actual"], inputs["predicted"]
    return {"r2": r2(actual, predicted), "explained": explained_variance(actual, predicted)}


def _swapped(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    return {"r2": right["explained"], "explained": right["r2"]}


def _left_over(inputs: Inputs) -> dict[str, float]:
    return {name: 1 - value for name, value in _solve(inputs).items()}


def _correlation(inputs: Inputs) -> dict[str, float]:
    both = np.corrcoef(inputs["actual"], inputs["predicted"])
    return {"r2": float(both[0, 1]) ** 2}


def _wrong_mean(inputs: Inputs) -> dict[str, float]:
    """Compare with the spread of the predictions, not with that of the ratings."""
    found = stars.errors(inputs)
    spread = np.var(inputs["predicted"])
    return {
        "r2": float(1 - np.mean(np.square(found)) / spread),
        "explained": float(1 - np.var(found) / spread),
    }


def _mixed_denominators(inputs: Inputs) -> dict[str, float]:
    found = stars.errors(inputs)
    spread = statistics.variance(inputs["actual"])
    return {
        "r2": float(1 - np.mean(np.square(found)) / spread),
        "explained": float(1 - np.var(found) / spread),
    }


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


def _left(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return sum((a - p) ** 2 for a, p in zip(actual, predicted, strict=True))


def _around_predictions(actual: Sequence[float], predicted: Sequence[float]) -> float:
    middle = stars.mean(predicted)
    return 1 - _left(actual, predicted) / sum((p - middle) ** 2 for p in predicted)


def _predictions_around_mean(actual: Sequence[float], predicted: Sequence[float]) -> float:
    middle = stars.mean(actual)
    return 1 - _left(actual, predicted) / sum((p - middle) ** 2 for p in predicted)


def _signed_around(actual: Sequence[float], predicted: Sequence[float]) -> float:
    middle = sum(actual) / len(actual)
    return 1 - _left(actual, predicted) / sum(a - middle for a in actual)


def _sizes_around(actual: Sequence[float], predicted: Sequence[float]) -> float:
    middle = stars.mean(actual)
    return 1 - _left(actual, predicted) / sum(abs(a - middle) for a in actual)


def _around_nothing(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return 1 - _left(actual, predicted) / sum(stars.squares(actual))


def _mean_around(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return 1 - _left(actual, predicted) / float(np.var(actual))


def _sample_around(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return 1 - _left(actual, predicted) / statistics.variance(actual)


def _rated(actual: list[float], predicted: list[float], why: str = "") -> Case:
    return Case({"actual": actual, "predicted": predicted}, why)


_ENDS = (
    _rated([5, 3, 1], [5, 3, 1], "every prediction is exact"),
    _rated([5, 3, 2, 1], [1, 2, 3, 5], "the model is worse than the mean"),
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
