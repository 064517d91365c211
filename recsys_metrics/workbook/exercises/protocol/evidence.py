"""Evidence for a gain: confidence intervals, paired tests, multiple comparisons, E11."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics.protocol.significance import (
    adjust,
    paired_t_test,
    randomization_test,
    t_interval,
)
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

# Five seeds ------------------------------------------------------------------------------------


def _seeds(inputs: Inputs) -> dict[str, float]:
    found = t_interval(inputs["ndcg"])
    return {
        "sd": found.standard_deviation,
        "error": found.standard_error,
        "low": found.low,
        "high": found.high,
    }


def _draw_seeds(rng: np.random.Generator) -> dict[str, Any]:
    start = int(rng.integers(15, 60))
    steps = rng.choice(13, size=5, replace=False)
    return {"ndcg": [(start + int(step)) / 100 for step in steps]}


# Paired ----------------------------------------------------------------------------------------


def _paired(inputs: Inputs) -> dict[str, float]:
    test = paired_t_test(inputs["old"], inputs["new"])
    return {"gain": test.gain, "error": test.gain / test.statistic, "t": test.statistic}


def _draw_pairs(rng: np.random.Generator) -> dict[str, Any]:
    old = [int(value) / 100 for value in rng.choice(np.arange(5, 80), size=5, replace=False)]
    gains = rng.choice(np.arange(-3, 13), size=5, replace=False)
    return {
        "old": old,
        "new": [round(o + int(g) / 100, 2) for o, g in zip(old, gains, strict=True)],
    }


# E11 -------------------------------------------------------------------------------------------


def _gains(inputs: Inputs) -> dict[str, float]:
    found = t_interval(inputs["gains"])
    return {"mean": found.estimate, "low": found.low, "high": found.high}


def _draw_gains(rng: np.random.Generator) -> dict[str, Any]:
    middle = int(rng.integers(2, 13))
    steps = rng.choice(np.arange(-14, 15), size=5, replace=False) * int(rng.integers(1, 4)) // 3
    return {"gains": [int(middle + step) / 1000 for step in steps]}


def _conclude(inputs: Inputs) -> str:
    return "excludes" if t_interval(inputs["gains"]).low > 0 else "includes"


def _conclude_the_opposite(inputs: Inputs) -> str:
    return "includes" if _conclude(inputs) == "excludes" else "excludes"


# The randomization test ------------------------------------------------------------------------


def _p_value(gains: Sequence[float]) -> float:
    return randomization_test(np.zeros(len(gains)), gains, method="exact").p_value


def _t_test(gains: Sequence[float]) -> float:
    if len(set(gains)) == 1:
        return 1.0 if gains[0] == 0 else 0.0
    return paired_t_test(np.zeros(len(gains)), gains).p_value


def _normal_test(gains: Sequence[float]) -> float:
    squares = sum(gain**2 for gain in gains)
    return math.erfc(abs(sum(gains)) / math.sqrt(2 * squares)) if squares else 1.0


def _normal_test_of_the_mean(gains: Sequence[float]) -> float:
    error = float(np.std(gains, ddof=1)) / math.sqrt(len(gains))
    if error == 0:
        return 1.0 if gains[0] == 0 else 0.0
    return math.erfc(abs(float(np.mean(gains))) / error / math.sqrt(2))


def _sign_test_one_side(gains: Sequence[float]) -> float:
    wins, n = sum(gain > 0 for gain in gains), len(gains)
    return float(sum(math.comb(n, k) for k in range(max(wins, n - wins), n + 1)) / 2**n)


def _sign_test(gains: Sequence[float]) -> float:
    return min(1.0, 2 * _sign_test_one_side(gains))


def _no_sign_changes(gains: Sequence[float]) -> float:
    return 1.0


def _turned_one_by_one(gains: Sequence[float]) -> list[bool]:
    return [abs(sum(gains) - 2 * gain) >= abs(sum(gains)) for gain in gains]


def _one_turned(gains: Sequence[float]) -> float:
    return float(np.mean(_turned_one_by_one(gains)))


def _one_turned_or_none(gains: Sequence[float]) -> float:
    return float(np.mean([True, *_turned_one_by_one(gains)]))


def _gain_case(gains: list[int], why: str = "") -> Case:
    return Case({"gains": gains}, why)


_EDGES = (
    _gain_case([0, 0, 0], "no user has a gain or a loss"),
    _gain_case([-6, -5, 1, -2], "the new recommender is worse"),
    _gain_case([5, -4, 1, -1], "gains and losses nearly cancel"),
)


def _draw_gain_cases(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return a few rows of three to seven whole gains, and the edges."""
    drawn = [
        _gain_case([int(g) for g in rng.integers(-6, 13, size=int(rng.integers(3, 8)))])
        for _ in range(6)
    ]
    return (*drawn, *_EDGES)


_write_randomization_cases = (
    _gain_case([4, 6, -1, 3]),
    _gain_case([10, -10, 20, -10, 0]),
    _gain_case([5, 5, 5, 5, 5], "all gains are equal"),
    _gain_case([12, -6, 11, -4, 2]),
    _gain_case([1, 9]),
    *_EDGES,
)


# Many comparisons ------------------------------------------------------------------------------


def _named(values: Sequence[float]) -> dict[str, float]:
    return {name: float(value) for name, value in zip("abc", values, strict=True)}


def _holm(inputs: Inputs) -> dict[str, float]:
    return _named(adjust(inputs["p"], method="holm").tolist())


def _draw_p(rng: np.random.Generator) -> dict[str, Any]:
    smallest = int(rng.integers(2, 20))
    second = smallest + int(rng.integers(8, 25))
    # Between one and two times the second, so that the running maximum matters.
    third = second + int(rng.integers(3, second - 1))
    values = [smallest / 1000, second / 1000, third / 1000]
    return {"p": [values[int(i)] for i in rng.permutation(3)]}
