"""One line to complete: the weighted gap, the step downhill, people kept whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics.workbook.exercises.function import Case

# The weighted gap -----------------------------------------------------------------------------

_Bins = Sequence[float]


def _complete_ece_solve(predicted: _Bins, observed: _Bins, events: Sequence[int]) -> float:
    return float(np.average(np.abs(np.subtract(predicted, observed)), weights=events))


def _draw_bins(rng: np.random.Generator) -> tuple[Case, ...]:
    found = []
    for n_bins in (2, 3, 4, 5):
        predicted = (rng.choice(np.arange(1, 20), n_bins, replace=False) / 20).tolist()
        observed = (rng.choice(np.arange(1, 20), n_bins, replace=False) / 20).tolist()
        observed[0] = predicted[0] / 2
        events = [int(n) for n in rng.choice(np.arange(2, 60), n_bins, replace=False)]
        found.append(_bins(sorted(predicted), observed, events))
    return (*found, _ONE_BIN)


def _bins(predicted: list[float], observed: list[float], events: list[int], why: str = "") -> Case:
    return Case({"predicted": predicted, "observed": observed, "events": events}, why)


_ONE_BIN = _bins([0.5], [0.25], [8], "all events are in one bin")

_complete_ece_cases = (
    _bins([0.2, 0.8], [0.2, 0.6], [5, 5], "these are the bins of the chapter"),
    _bins([0.2, 0.5, 0.8], [0.2, 1.0, 0.6], [5, 1, 5]),
    _bins([0.1, 0.4, 0.9], [0.3, 0.35, 0.5], [60, 30, 10]),
    _ONE_BIN,
)

# The step downhill ----------------------------------------------------------------------------


def _complete_step_solve(x: Sequence[float], clicked: Sequence[int], a: float, b: float) -> float:
    predicted = 1 / (1 + np.exp(-(a * np.array(x) + b)))
    return float(a + np.mean((np.array(clicked) - predicted) * x))


def _draw_steps(rng: np.random.Generator) -> tuple[Case, ...]:
    found = []
    for n in (4, 5, 6, 8):
        x = rng.choice(np.arange(-20, 21), n, replace=False) / 10
        clicked = (rng.random(n) < 1 / (1 + np.exp(-x / 2))).astype(int).tolist()
        clicked[0], x[0] = 1, -0.7
        a, b = int(rng.integers(2, 15)) / 10, int(rng.integers(-10, 10)) / 10
        found.append(_events(x.tolist(), clicked, a, b))
    return tuple(found)


def _events(x: list[float], clicked: list[int], a: float, b: float, why: str = "") -> Case:
    return Case({"x": x, "clicked": clicked, "a": a, "b": b}, why)


_complete_step_cases = (
    _events([1.4] * 5 + [-1.4] * 5, [1, 1, 1, 0, 0, 1, 0, 0, 0, 0], 1.0, 0.0),
    _events([-2.0, -0.5, 0.3, 1.2], [0, 1, 0, 1], 1.0, 0.0),
    _events([-1.5, 0.4, 0.8, 2.5, -0.6], [0, 0, 1, 1, 1], 0.5, -0.3),
)

# People kept whole ----------------------------------------------------------------------------

_Rows = Sequence[Sequence[float]]


def _complete_resample_solve(excess: _Rows, ratings: Sequence[int], drawn: Sequence[int]) -> float:
    gaps = np.array(excess)[drawn].sum(axis=0)
    return float(np.abs(gaps).sum() / np.array(ratings)[drawn].sum())


def _draw_people(rng: np.random.Generator) -> tuple[Case, ...]:
    found = []
    for n_people, n_bins in ((3, 2), (4, 2), (5, 3)):
        excess = (rng.integers(-30, 31, (n_people, n_bins)) / 10).tolist()
        excess[0], excess[1] = [1.5] * n_bins, [-0.7, *excess[1][1:]]
        ratings = [int(n) for n in rng.integers(3, 30, n_people)]
        drawn = [int(who) for who in rng.integers(0, n_people, n_people - 3)]
        # One twice and another left out, as it goes in a resample.
        found.append(_people(excess, ratings, [1, 0, 0, *drawn]))
    return tuple(found)


def _people(excess: list[list[float]], ratings: list[int], drawn: list[int], why: str = "") -> Case:
    return Case({"excess": excess, "ratings": ratings, "drawn": drawn}, why)


_complete_resample_cases = (
    _people([[1.5, -0.5], [-0.7, 0.4], [0.4, 2.0]], [10, 4, 6], [1, 0, 0]),
    _people([[2.0, 1.0], [-1.0, -0.5], [0.3, -2.0], [0.8, 0.1]], [8, 9, 5, 3], [0, 1, 1, 3]),
    _people([[1.0], [-3.0]], [5, 5], [0, 0], "one person is drawn twice, the other never"),
)
