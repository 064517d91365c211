"""Exercises on judges: agreement, order, and human labels combined with machine labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

# Kappa -----------------------------------------------------------------------------------------


# With numpy alone: a page that checks functions has no more.
def _kappa(human: Sequence[int], machine: Sequence[int]) -> float:
    h, m = np.asarray(human), np.asarray(machine)
    chance = h.mean() * m.mean() + (1 - h.mean()) * (1 - m.mean())
    return float(((h == m).mean() - chance) / (1 - chance))


def _labels(human: list[int], machine: list[int], why: str = "") -> Case:
    return Case({"human": human, "machine": machine}, why)


def _draw_labels(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for n in (6, 8, 10, 12):
        human = (rng.permutation(n) < rng.integers(2, n - 1)).astype(int)
        machine = np.where(rng.random(n) < 0.75, human, 1 - human)
        drawn.append(_labels(human.tolist(), machine.tolist()))
    return (
        *drawn,
        _labels([1, 0, 1, 0, 0], [1, 0, 1, 0, 0], "the raters always agree"),
        _labels([1, 1, 0, 0], [1, 0, 1, 0], "the raters agree as often as by chance"),
    )


_kappa_cases = (
    _labels([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0, 0, 0]),
    _labels([1, 0, 1, 0, 1, 0], [1, 1, 1, 0, 0, 0]),
    _labels([0, 0, 0, 1, 1], [0, 1, 0, 1, 1]),
    _labels([1, 0, 1, 0, 0], [1, 0, 1, 0, 0], "the raters always agree"),
    _labels([1, 1, 0, 0], [1, 0, 1, 0], "the raters agree as often as by chance"),
)


# Pairs in both orders --------------------------------------------------------------------------


def _pairs(inputs: Inputs) -> dict[str, float]:
    n = inputs["n"]
    return {
        "consistent": (inputs["a_twice"] + inputs["b_twice"]) / n,
        "advantage": (inputs["first"] - inputs["second"]) / n,
        "preference": (inputs["b_twice"] - inputs["a_twice"]) / n,
    }


def _draw_pairs(rng: np.random.Generator) -> dict[str, Any]:
    n = int(rng.choice([40, 50, 80]))
    second, a_twice = int(rng.integers(2, 6)), int(rng.integers(5, 10))
    first = second + int(rng.integers(5, 10))
    b_twice = n - first - second - a_twice
    return {"n": n, "a_twice": a_twice, "b_twice": b_twice, "first": first, "second": second}


# A corrected mean ------------------------------------------------------------------------------


def _corrected(inputs: Inputs) -> dict[str, float]:
    human, machine = np.mean(inputs["human"]), np.mean(inputs["machine"])
    others = inputs["others"]
    return {
        "bias": float(machine - human),
        "full": float(others - machine + human),
        "half": float(human + 0.5 * (others - machine)),
    }


def _draw_corrected(rng: np.random.Generator) -> dict[str, Any]:
    human = rng.integers(20, 60, size=5)
    machine = human + rng.permutation([2, 5, 9, 14, int(rng.integers(15, 30))])
    others = int(machine.mean()) + int(rng.choice([-9, -6, 5, 8, 12]))
    return {
        "human": (human / 100).tolist(),
        "machine": (machine / 100).tolist(),
        "others": others / 100,
    }


def _corrected_mean(
    human: Sequence[float],
    machine: Sequence[float],
    machine_only: Sequence[float],
    weight: float,
) -> float:
    return float(np.mean(human) + weight * (np.mean(machine_only) - np.mean(machine)))


def _values(
    human: list[float], machine: list[float], others: list[float], weight: float, why: str = ""
) -> Case:
    return Case({"human": human, "machine": machine, "machine_only": others, "weight": weight}, why)


def _draw_means(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for weight in (1.0, 0.5, 0.8, 0.3):
        n = int(rng.integers(3, 6))
        human = rng.integers(1, 7, size=n)
        machine = human + rng.integers(0, 3, size=n) + 1
        others = rng.integers(2, 10, size=int(rng.integers(4, 8)))
        rows = [(each / 10).tolist() for each in (human, machine, others)]
        drawn.append(_values(rows[0], rows[1], rows[2], weight))
    return (*drawn, _values([0.2, 0.4], [0.6, 0.7], [0.9, 0.8, 1.0], 0.0, "the weight is 0"))


_mean_cases = (
    _values([0.4, 0.6], [0.5, 0.7], [0.7, 0.9], 1.0),
    _values([0.2, 0.3, 0.4], [0.4, 0.4, 0.7], [0.5, 0.6, 0.9, 0.2], 0.5),
    _values([0.5, 0.1, 0.6], [0.5, 0.3, 0.9], [0.2, 0.3], 0.8),
    _values([0.2, 0.4], [0.6, 0.7], [0.9, 0.8, 1.0], 0.0, "the weight is 0"),
)
