"""One line to complete: the weighted gap, the step downhill, people kept whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp

import numpy as np

from recsys_metrics.workbook.exercises.function import Case

# The weighted gap -----------------------------------------------------------------------------

_Bins = Sequence[float]
_OfBins = Callable[[_Bins, _Bins, Sequence[int]], float]


def _adding(part: Callable[[float, int, Sequence[int]], float]) -> _OfBins:
    """Return what adds up this part of each bin, made of its gap and its events."""

    def of(said: _Bins, happened: _Bins, events: Sequence[int]) -> float:
        bins = zip(said, happened, events, strict=True)
        return float(sum(part(abs(p - share), n, events) for p, share, n in bins))

    return of


def _signed(said: _Bins, happened: _Bins, events: Sequence[int]) -> float:
    return float(np.average(np.subtract(said, happened), weights=events))


def _draw_bins(rng: np.random.Generator) -> tuple[Case, ...]:
    found = []
    for n_bins in (2, 3, 4, 5):
        said = (rng.choice(np.arange(1, 20), n_bins, replace=False) / 20).tolist()
        happened = (rng.choice(np.arange(1, 20), n_bins, replace=False) / 20).tolist()
        happened[0] = said[0] / 2
        events = [int(n) for n in rng.choice(np.arange(2, 60), n_bins, replace=False)]
        found.append(_bins(sorted(said), happened, events))
    return (*found, _ONE_BIN)


def _bins(said: list[float], happened: list[float], events: list[int], why: str = "") -> Case:
    return Case({"said": said, "happened": happened, "events": events}, why)


_ONE_BIN = _bins([0.5], [0.25], [8], "all events in one bin")

_complete_ece_cases = (
    _bins([0.2, 0.8], [0.2, 0.6], [5, 5], "the bins of the chapter"),
    _bins([0.2, 0.5, 0.8], [0.2, 1.0, 0.6], [5, 1, 5]),
    _bins([0.1, 0.4, 0.9], [0.3, 0.35, 0.5], [60, 30, 10]),
    _ONE_BIN,
)

_complete_ece_solve = _adding(lambda gap, n, events: gap * n / sum(events))

_complete_ece_unweighted_bins = _adding(lambda gap, _, events: gap / len(events))

_complete_ece_not_weighted = _adding(lambda gap, *_: gap)

_complete_ece_not_divided = _adding(lambda gap, n, _: gap * n)

_complete_ece_by_bins = _adding(lambda gap, n, events: gap * n / len(events))

_complete_ece_squared_gaps = _adding(lambda gap, n, events: gap**2 * n / sum(events))

# The step downhill ----------------------------------------------------------------------------

_OfEvents = Callable[[Sequence[float], Sequence[int], float, float], float]


def _stepping(part: Callable[[float, float, int], float]) -> _OfEvents:
    """Return the slope after a step by the mean of this, made of shortfall, log-odds and label."""

    def of(x: Sequence[float], clicked: Sequence[int], a: float, b: float) -> float:
        total = 0.0
        for z, y in zip(x, clicked, strict=True):
            total += part(y - 1 / (1 + exp(-(a * z + b))), z, y)
        return a + total / len(x)

    return of


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

_complete_step_solve = _stepping(lambda short, z, _: short * z)

_complete_step_slope_for_intercept = _stepping(lambda short, *_: short)

_complete_step_uphill = _stepping(lambda short, z, _: -short * z)

_complete_step_label_for_shortfall = _stepping(lambda _, z, y: y * z)

_complete_step_without_sign = _stepping(lambda short, z, _: short * abs(z))

_complete_step_squared = _stepping(lambda short, *_: short**2)

# People kept whole ----------------------------------------------------------------------------

_Rows = Sequence[Sequence[float]]
_OfPeople = Callable[[_Rows, Sequence[int], Sequence[int]], float]


def _gap_by(gap: Callable[[_Rows, Sequence[int], int], float]) -> _OfPeople:
    """Return the ECE whose gap of a bin is made so, of everybody's rows and those drawn."""

    def of(excess: _Rows, ratings: Sequence[int], drawn: Sequence[int]) -> float:
        total = sum(abs(gap(excess, drawn, b)) for b in range(len(excess[0])))
        return float(total / sum(ratings[who] for who in drawn))

    return of


def _over_ratings(excess: _Rows, ratings: Sequence[int], drawn: Sequence[int]) -> float:
    shares = [[value / n for value in row] for row, n in zip(excess, ratings, strict=True)]
    return _gap_by(lambda rows, who, b: sum(rows[one][b] for one in who))(shares, ratings, drawn)


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
    _people([[1.0], [-3.0]], [5, 5], [0, 0], "one person twice, the other not at all"),
)

_complete_resample_solve = _gap_by(lambda excess, drawn, b: sum(excess[who][b] for who in drawn))

_complete_resample_gap_of_each_person = _gap_by(
    lambda excess, drawn, b: sum(abs(excess[who][b]) for who in drawn)
)

_complete_resample_each_once = _gap_by(
    lambda excess, drawn, b: sum(excess[who][b] for who in set(drawn))
)

_complete_resample_everybody = _gap_by(lambda excess, _, b: sum(row[b] for row in excess))

_complete_resample_mean_for_sum = _gap_by(
    lambda excess, drawn, b: sum(excess[who][b] for who in drawn) / len(drawn)
)

_complete_resample_one_person = _gap_by(lambda excess, drawn, b: excess[drawn[0]][b])
