"""MAE and RMSE: computed, written, put in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics.rating import mae, rmse
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case
from recsys_metrics.workbook.exercises.rating import stars

_E1: Inputs = {"predicted": [3, 5, 2, 4], "actual": [4, 5, 4, 3]}


def _solve(inputs: Inputs) -> dict[str, float]:
    actual, predicted = inputs["actual"], inputs["predicted"]
    return {
        "mae": mae(actual, predicted),
        "rmse": rmse(actual, predicted),
        "film": stars.largest(inputs),
    }


def _one_fewer(inputs: Inputs) -> dict[str, float]:
    found = stars.errors(inputs)
    return {
        "mae": sum(map(abs, found)) / (len(found) - 1),
        "rmse": stars.root(sum(stars.squares(found)) / (len(found) - 1)),
    }


def _sums(inputs: Inputs) -> dict[str, float]:
    found = stars.errors(inputs)
    return {"mae": sum(map(abs, found)), "rmse": stars.root(sum(stars.squares(found)))}


def _other_side(inputs: Inputs) -> float:
    """Return the film with the largest error of the other sign."""
    found = stars.errors(inputs)
    sign = 1 if found[stars.largest(inputs) - 1] > 0 else -1
    turned = [-sign * error for error in found]
    return 1 + turned.index(max(turned))


def _mae_and_rmse_cancelled_errors(inputs: Inputs) -> Any:
    return {"mae": stars.mean(stars.errors(inputs))}


def _mae_and_rmse_cancelled_errors_turned(inputs: Inputs) -> Any:
    return {"mae": -stars.mean(stars.errors(inputs))}


def _mae_and_rmse_missing_root(inputs: Inputs) -> Any:
    return {"rmse": stars.mean(stars.squares(stars.errors(inputs)))}


def _mae_and_rmse_root_too_early(inputs: Inputs) -> Any:
    return {"rmse": mae(inputs["actual"], inputs["predicted"])}


def _mae_and_rmse_counted_from_zero(inputs: Inputs) -> Any:
    return {"film": stars.largest(inputs) - 1}


def _mae_and_rmse_one_side_only(inputs: Inputs) -> Any:
    return {"film": _other_side(inputs)}


def _mae_or_rmse_solve(inputs: Inputs) -> Any:
    return "largest"


# What an error weighs -----------------------------------------------------------------------------


def _times(inputs: Inputs) -> float:
    return float(inputs["large"] / inputs["small"])


def _weighs_draw(rng: np.random.Generator) -> Any:
    return {
        "large": float(rng.integers(12, 41)) / 10,
        "small": float(rng.choice([0.1, 0.2, 0.25, 0.4, 0.5])),
    }


def _weighs_solve(inputs: Inputs) -> Any:
    return {"mae": _times(inputs), "mse": _times(inputs) ** 2}


def _weighs_all_alike(_: Any) -> Any:
    return {"mae": 1.0}


def _weighs_swapped(inputs: Inputs) -> Any:
    return {"mae": _times(inputs) ** 2, "mse": _times(inputs)}


def _weighs_one_square(inputs: Inputs) -> Any:
    return {"mse": inputs["large"] ** 2 / inputs["small"]}


def _weighs_large_square(inputs: Inputs) -> Any:
    return {"mse": inputs["large"] ** 2}


def _weighs_difference_for_times(inputs: Inputs) -> Any:
    return {
        "mae": inputs["large"] - inputs["small"],
        "mse": inputs["large"] ** 2 - inputs["small"] ** 2,
    }


def _weighs_upside_down(inputs: Inputs) -> Any:
    return {"mae": 1 / _times(inputs), "mse": 1 / _times(inputs) ** 2}


# The function ------------------------------------------------------------------------------------


def _rmse(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return float(rmse(actual, predicted))


def _signed(actual: Sequence[float], predicted: Sequence[float]) -> list[float]:
    return [p - a for a, p in zip(actual, predicted, strict=True)]


def _mse(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return stars.mean(stars.squares(_signed(actual, predicted)))


def _mae(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return stars.mean([abs(error) for error in _signed(actual, predicted)])


def _root_of_sum(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return stars.root(sum(stars.squares(_signed(actual, predicted))))


def _root_over_count(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return _root_of_sum(actual, predicted) / len(actual)


def _sample(actual: Sequence[float], predicted: Sequence[float]) -> float:
    found = stars.squares(_signed(actual, predicted))
    return stars.root(sum(found) / (len(found) - 1))


def _sample_numpy(actual: Sequence[float], predicted: Sequence[float]) -> float:
    if len(actual) == 1:
        return float("nan")
    return _sample(actual, predicted)


def _deviation(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return float(np.std(_signed(actual, predicted)))


def _squared_mean(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return abs(stars.mean(_signed(actual, predicted)))


def _signed_mean(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return stars.mean(_signed(actual, predicted))


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


def _abs_of_sum(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return abs(_signed_mean(actual, predicted))


def _mae_or_library(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return float(mae(actual, predicted))


def _too_high(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return stars.mean([max(error, 0) for error in _signed(actual, predicted)])


def _too_low(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return stars.mean([max(-error, 0) for error in _signed(actual, predicted)])


def _largest(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return max(map(abs, _signed(actual, predicted)))


def _largest_over_count(actual: Sequence[float], predicted: Sequence[float]) -> float:
    return _largest(actual, predicted) / len(actual)


_complete_mae_cases = (
    _case([4, 1, 3, 5], [3, 3, 3, 2]),
    _case([2, 4, 3], [4, 3.5, 5], "more is predicted too high than too low"),
    _case([2, 4.5, 3], [3.5, 4, 1]),
    _case([5, 4, 3], [3, 2, 1], "every prediction is two stars too low"),
    *_EDGES,
)

_write_rmse_cases = (
    _case([5, 2, 3, 3], [4, 2, 5, 3]),
    _case([5, 2, 4, 1, 5], [4.2, 2.8, 3.5, 1.5, 4.7]),
    _case([5, 4, 3, 2, 1], [1, 4.1, 3.1, 1.9, 1.1], "one prediction is far off"),
    _case([5, 4, 3], [3, 2, 1], "every prediction is two stars too low"),
    *_EDGES,
)
