"""Isotonic regression by hand: pool what falls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case


def _fit(labels: Sequence[int]) -> list[float]:
    """Return each event's value: a pool that falls below the one on its left joins it."""
    pools: list[tuple[int, int]] = []
    for label in labels:
        ones, size = label, 1
        while pools and pools[-1][0] * size > ones * pools[-1][1]:
            others, more = pools.pop()
            ones, size = ones + others, size + more
        pools.append((ones, size))
    return [ones / size for ones, size in pools for _ in range(size)]


def _n_pools(values: Sequence[float]) -> int:
    return 1 + sum(abs(b - a) > 1e-12 for a, b in pairwise(values))


# Mistakes, each as the value of every event ---------------------------------------------------


def _neighbours_once(labels: Sequence[int]) -> list[float]:
    """Replace each falling pair by its mean, once."""
    values = [float(label) for label in labels]
    place = 0
    while place < len(values) - 1:
        if values[place] > values[place + 1]:
            values[place] = values[place + 1] = (values[place] + values[place + 1]) / 2
            place += 1
        place += 1
    return values


def _without_a_look_back(labels: Sequence[int]) -> list[float]:
    """Return pools that take in what falls on their right, and never join one on their left."""
    values: list[float] = []
    while len(values) < len(labels):
        rest = labels[len(values) :]
        size = 1
        while size < len(rest) and rest[size] < sum(rest[:size]) / size:
            size += 1
        values += [sum(rest[:size]) / size] * size
    return values


def _runs(labels: Sequence[int], *, joined: bool) -> list[float]:
    """Return pools of some 1s and the 0s behind them, joined with those ahead that are lower."""
    starts = [0, *(i + 1 for i, pair in enumerate(pairwise(labels)) if pair == (0, 1))]
    runs = [labels[a:b] for a, b in pairwise([*starts, len(labels)])]
    values: list[float] = []
    while runs:
        pool = [*runs.pop(0)]
        while joined and runs and sum(runs[0]) * len(pool) < sum(pool) * len(runs[0]):
            pool += runs.pop(0)
        values += [sum(pool) / len(pool)] * len(pool)
    return values


def _one_block(labels: Sequence[int]) -> list[float]:
    """Return the labels, with one pool from the first fall to the last."""
    falls = [place for place, (one, next_) in enumerate(pairwise(labels)) if one > next_]
    if not falls:
        return [float(label) for label in labels]
    first, last = falls[0], falls[-1] + 2
    while first and labels[first - 1]:
        first -= 1  # the 1s on the left of a fall belong to it, as do the 0s on its right
    while last < len(labels) and not labels[last]:
        last += 1
    pool = [sum(labels[first:last]) / (last - first)] * (last - first)
    return [*map(float, labels[:first]), *pool, *map(float, labels[last:])]


# By hand --------------------------------------------------------------------------------------


def _answers(values: Sequence[float], inputs: Inputs) -> dict[str, float]:
    return {"pools": float(_n_pools(values)), "value": values[inputs["event"] - 1]}


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    while True:
        n = int(rng.integers(12, 22))
        labels = [int(y) for y in rng.random(n) < np.linspace(0.25, 0.75, n)]
        values = _fit(labels)
        inside = [i + 1 for i, v in enumerate(values) if 0 < v < 1 and abs(v - 0.5) > 1e-9]
        if inside and _n_pools(values) > 2:
            # By its value and not by its place: a large pool is no likelier than a small one.
            value = rng.choice(sorted({values[place - 1] for place in inside}))
            inside = [place for place in inside if values[place - 1] == value]
            return {"labels": labels, "event": int(rng.choice(inside))}


def _pools_solve(inputs: Inputs) -> Any:
    return _answers(_fit(inputs["labels"]), inputs)


def _pools_one_step_each(inputs: Inputs) -> Any:
    return _answers(_neighbours_once(inputs["labels"]), inputs)


def _pools_no_look_back(inputs: Inputs) -> Any:
    return _answers(_without_a_look_back(inputs["labels"]), inputs)


def _pools_runs_joined_ahead(inputs: Inputs) -> Any:
    return _answers(_runs(inputs["labels"], joined=True), inputs)


def _pools_runs(inputs: Inputs) -> Any:
    return _answers(_runs(inputs["labels"], joined=False), inputs)


def _pools_one_block(inputs: Inputs) -> Any:
    return _answers(_one_block(inputs["labels"]), inputs)


def _pools_no_pooling(inputs: Inputs) -> Any:
    return _answers([float(y) for y in inputs["labels"]], inputs)


def _alone(value: float, inputs: Inputs) -> Any:
    """Return the right number of values, with another value of the event."""
    return {**_pools_solve(inputs), "value": float(value)}


def _pool(inputs: Inputs) -> list[int]:
    """Return the labels of the event's pool."""
    values = _fit(inputs["labels"])
    value = values[inputs["event"] - 1]
    return [y for y, of in zip(inputs["labels"], values, strict=True) if of == value]


def _pools_label(inputs: Inputs) -> Any:
    return _alone(inputs["labels"][inputs["event"] - 1], inputs)


def _pools_ones(inputs: Inputs) -> Any:
    return _alone(sum(_pool(inputs)), inputs)


def _pools_size(inputs: Inputs) -> Any:
    return _alone(len(_pool(inputs)), inputs)


def _pools_zeros(inputs: Inputs) -> Any:
    return _alone(1 - _pools_solve(inputs)["value"], inputs)


def _pools_falls(inputs: Inputs) -> Any:
    falls = sum(one > next_ for one, next_ in pairwise(inputs["labels"]))
    return {**_pools_solve(inputs), "pools": float(falls)}


def _pools_larger(inputs: Inputs) -> Any:
    values = _fit(inputs["labels"])
    return {**_pools_solve(inputs), "pools": float(len({v for v in values if 0 < v < 1}))}


def _pools_rest(inputs: Inputs) -> Any:
    rest = inputs["labels"][inputs["event"] - 1 :]
    return _alone(sum(rest) / len(rest), inputs)


def _pools_over_all(inputs: Inputs) -> Any:
    return _alone(sum(_pool(inputs)) / len(inputs["labels"]), inputs)


def _pools_odds(inputs: Inputs) -> Any:
    ones = sum(_pool(inputs))
    return _alone(ones / (len(_pool(inputs)) - ones), inputs)


def _pairs_once(labels: Sequence[int], place: int) -> float:
    """Set each falling pair to its mean, from left to right, and go on with the result."""
    values = [float(label) for label in labels]
    for i in range(len(values) - 1):
        if values[i] > values[i + 1]:
            values[i] = values[i + 1] = (values[i] + values[i + 1]) / 2
    return values[place]


# The function ---------------------------------------------------------------------------------


def _right(labels: Sequence[int], place: int) -> float:
    return _fit(labels)[place]


def _case(labels: list[int], place: int, why: str = "") -> Case:
    return Case({"labels": labels, "place": place}, why)


_EDGES = (
    _case([0, 0, 1, 1], 2, "no label falls"),
    _case([1, 1, 0, 0, 0], 4, "all events are in one pool"),
    _case([1], 0, "there is one event"),
)

_write_isotonic_cases = (
    _case([0, 1, 0, 0, 1, 1, 0, 1], 1),
    _case([0, 1, 0, 0, 1, 1, 0, 1], 5, "one pool has three events"),
    _case([1, 0, 1, 0, 0, 1], 0, "a merge creates a new violation on its left"),
    _case([0, 1, 1, 1, 0, 0, 1, 0, 1], 7, "several pools have to be merged"),
    *_EDGES,
)


def _write_isotonic_draw(rng: np.random.Generator) -> Any:
    return (
        *(
            _case([int(y) for y in rng.random(n) < 0.5], int(rng.integers(n)))
            for n in (6, 7, 8, 9, 10)
        ),
        *_EDGES,
    )
