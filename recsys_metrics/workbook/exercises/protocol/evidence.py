"""Is the gain real: intervals, paired tests, many comparisons, E11."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, product
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

_Z = 1.96


def _around(mean: float, error: float, critical: float) -> dict[str, float]:
    return {"low": mean - critical * error, "high": mean + critical * error}


# Five seeds ------------------------------------------------------------------------------------


def _seeds(inputs: Inputs) -> dict[str, float]:
    found = t_interval(inputs["ndcg"])
    return {
        "deviation": found.standard_deviation,
        "error": found.standard_error,
        "low": found.low,
        "high": found.high,
    }


def _population(inputs: Inputs) -> dict[str, float]:
    found, deviation = t_interval(inputs["ndcg"]), float(np.std(inputs["ndcg"]))
    error = deviation / np.sqrt(found.n)
    return {
        "deviation": deviation,
        "error": error,
        **_around(found.estimate, error, found.critical),
    }


def _z_for_t(inputs: Inputs) -> dict[str, float]:
    found = t_interval(inputs["ndcg"])
    return _around(found.estimate, found.standard_error, _Z)


def _no_root(inputs: Inputs) -> dict[str, float]:
    found = t_interval(inputs["ndcg"])
    error = found.standard_deviation / found.n
    return {"error": error, **_around(found.estimate, error, found.critical)}


def _spread(inputs: Inputs) -> dict[str, float]:
    found = t_interval(inputs["ndcg"])
    return _around(found.estimate, found.standard_deviation, 1.0)


def _one_error(inputs: Inputs) -> dict[str, float]:
    found = t_interval(inputs["ndcg"])
    return _around(found.estimate, found.standard_error, 1.0)


def _draw_seeds(rng: np.random.Generator) -> dict[str, Any]:
    start = int(rng.integers(15, 60))
    steps = rng.choice(13, size=5, replace=False)
    return {"ndcg": [(start + int(step)) / 100 for step in steps]}


# Paired ----------------------------------------------------------------------------------------


def _paired(inputs: Inputs) -> dict[str, float]:
    test = paired_t_test(inputs["old"], inputs["new"])
    return {"gain": test.gain, "error": test.gain / test.statistic, "t": test.statistic}


def _with_error(inputs: Inputs, error: float) -> dict[str, float]:
    return {"error": error, "t": _paired(inputs)["gain"] / error}


def _unpaired(inputs: Inputs) -> dict[str, float]:
    old, new = np.asarray(inputs["old"]), np.asarray(inputs["new"])
    return _with_error(inputs, float(np.sqrt((old.var(ddof=1) + new.var(ddof=1)) / len(old))))


def _population_gain(inputs: Inputs) -> dict[str, float]:
    gains = np.subtract(inputs["new"], inputs["old"])
    return _with_error(inputs, float(gains.std() / np.sqrt(len(gains))))


def _turned(inputs: Inputs) -> dict[str, float]:
    right = _paired(inputs)
    return {"gain": -right["gain"], "t": -right["t"]}


def _deviation_for_error(inputs: Inputs) -> dict[str, float]:
    return _with_error(inputs, float(np.subtract(inputs["new"], inputs["old"]).std(ddof=1)))


def _summed(inputs: Inputs) -> dict[str, float]:
    return {"gain": _paired(inputs)["gain"] * len(inputs["old"])}


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


def _gains_with(inputs: Inputs, deviation: float, critical: float) -> dict[str, float]:
    n = len(inputs["gains"])
    return _around(float(np.mean(inputs["gains"])), deviation / np.sqrt(n), critical)


def _gains_population(inputs: Inputs) -> dict[str, float]:
    return _gains_with(inputs, float(np.std(inputs["gains"])), t_interval(inputs["gains"]).critical)


def _gains_z(inputs: Inputs) -> dict[str, float]:
    return _gains_with(inputs, float(np.std(inputs["gains"], ddof=1)), _Z)


def _gains_no_root(inputs: Inputs) -> dict[str, float]:
    deviation = float(np.std(inputs["gains"], ddof=1))
    n = len(inputs["gains"])
    return _gains_with(inputs, deviation / np.sqrt(n), t_interval(inputs["gains"]).critical)


def _sizes(inputs: Inputs) -> dict[str, float]:
    found = t_interval(np.abs(inputs["gains"]))
    return {"mean": found.estimate, "low": found.low, "high": found.high}


def _gain_sum(inputs: Inputs) -> dict[str, float]:
    return {"mean": float(np.sum(inputs["gains"]))}


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


def _patterns(gains: Sequence[float]) -> list[float]:
    signs = product([1, -1], repeat=len(gains))
    return [sum(s * g for s, g in zip(pattern, gains, strict=True)) for pattern in signs]


def _strictly(gains: Sequence[float]) -> float:
    sums = _patterns(gains)
    return sum(abs(s) > abs(sum(gains)) for s in sums) / len(sums)


def _one_sided(gains: Sequence[float]) -> float:
    sums = _patterns(gains)
    return sum(s >= sum(gains) for s in sums) / len(sums)


def _one_sided_size(gains: Sequence[float]) -> float:
    sums = _patterns(gains)
    return sum(s >= abs(sum(gains)) for s in sums) / len(sums)


def _unlike(gains: Sequence[float]) -> float:
    sums = _patterns(gains)
    return sum(abs(s) <= abs(sum(gains)) for s in sums) / len(sums)


def _coin(gains: Sequence[float]) -> float:
    wins = sum(g > 0 for g in gains)
    losses = sum(g < 0 for g in gains)
    far = abs(wins - losses)
    tosses = list(product([1, -1], repeat=wins + losses))
    return sum(abs(sum(toss)) >= far for toss in tosses) / len(tosses)


def _t_test(gains: Sequence[float]) -> float:
    if len(set(gains)) == 1:
        return 1.0 if gains[0] == 0 else 0.0
    return paired_t_test(np.zeros(len(gains)), gains).p_value


def _gain_case(gains: list[int], why: str = "") -> Case:
    return Case({"gains": gains}, why)


_EDGES = (
    _gain_case([0, 0, 0], "no user differs"),
    _gain_case([-6, -5, 1, -2], "the new one is worse"),
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


def _untouched(inputs: Inputs) -> dict[str, float]:
    return _named(inputs["p"])


def _bonferroni(inputs: Inputs) -> dict[str, float]:
    return _named([min(1.0, 3 * p) for p in inputs["p"]])


def _no_maximum(inputs: Inputs) -> dict[str, float]:
    order = sorted(inputs["p"])
    return _named([min(1.0, (3 - order.index(p)) * p) for p in inputs["p"]])


def _as_given(inputs: Inputs) -> dict[str, float]:
    raised = [(3 - place) * p for place, p in enumerate(inputs["p"])]
    return _named(list(accumulate(raised, max)))


def _hochberg(inputs: Inputs) -> dict[str, float]:
    return _named(adjust(inputs["p"], method="benjamini-hochberg").tolist())


def _draw_p(rng: np.random.Generator) -> dict[str, Any]:
    smallest = int(rng.integers(2, 20))
    second = smallest + int(rng.integers(8, 25))
    # Between one and two times the second, so that the running maximum matters.
    third = second + int(rng.integers(3, second - 1))
    values = [smallest / 1000, second / 1000, third / 1000]
    return {"p": [values[int(i)] for i in rng.permutation(3)]}
