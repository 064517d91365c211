"""Isotonic regression by hand: pool what falls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.numbers import Numbers


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


def _one_pass(labels: Sequence[int]) -> list[float]:
    """Pool from left to right, and never look back."""
    pools: list[list[int]] = []
    for label in labels:
        if pools and sum(pools[-1]) / len(pools[-1]) > label:
            pools[-1].append(label)
        else:
            pools.append([label])
    return [sum(pool) / len(pool) for pool in pools for _ in pool]


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


def _unweighted(labels: Sequence[int]) -> list[float]:
    """Pool rightly, but give a pool the plain mean of the two rates."""
    pools = [(float(label), 1) for label in labels]
    while True:
        falls = [i for i, (a, b) in enumerate(pairwise(pools)) if a[0] > b[0] + 1e-12]
        if not falls:
            return [value for value, size in pools for _ in range(size)]
        i = falls[0]
        (value, size), (other, more) = pools[i : i + 2]
        pools[i : i + 2] = [((value + other) / 2, size + more)]


def _running_highest(labels: Sequence[int]) -> list[float]:
    return [float(value) for value in np.maximum.accumulate(labels)]


def _sorted_labels(labels: Sequence[int]) -> list[float]:
    return [float(value) for value in sorted(labels)]


def _running_mean(labels: Sequence[int]) -> list[float]:
    return [float(sum(labels[: i + 1]) / (i + 1)) for i in range(len(labels))]


def _falling(labels: Sequence[int]) -> list[float]:
    """Fit values that never rise."""
    return _fit(labels[::-1])[::-1]


def _overall(labels: Sequence[int]) -> list[float]:
    return [sum(labels) / len(labels)] * len(labels)


# By hand --------------------------------------------------------------------------------------


def _answers(values: Sequence[float], inputs: Inputs) -> dict[str, float]:
    return {"pools": float(_n_pools(values)), "value": values[inputs["event"] - 1]}


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    while True:
        n = int(rng.integers(11, 19))
        labels = [int(y) for y in rng.random(n) < np.linspace(0.25, 0.75, n)]
        values = _fit(labels)
        inside = [i + 1 for i, v in enumerate(values) if 0 < v < 1 and abs(v - 0.5) > 1e-9]
        if inside and _n_pools(values) > 2:
            # By its value and not by its place: a large pool is no likelier than a small one.
            value = rng.choice(sorted({values[place - 1] for place in inside}))
            inside = [place for place in inside if values[place - 1] == value]
            return {"labels": labels, "event": int(rng.choice(inside))}


pools = Numbers(
    id="calibration.pools",
    title="Pool adjacent violators",
    prompt="""
These are the labels of events, from the lowest score to the highest; no two scores are equal:
{labels}.

Fit an isotonic regression by pooling. How many different values does it have, and which value
does event number {event} get, counted from 1?
""",
    asks={"pools": "different values", "value": "value of event {event}"},
    inputs={"labels": [0, 0, 1, 1, 0, 0, 0, 1, 0, 1], "event": 4},
    solve=lambda inputs: _answers(_fit(inputs["labels"]), inputs),
    draw=_draw,
    misconceptions=(
        Misconception(
            id="unweighted-pools",
            name="unweighted pools",
            wrong_answer=lambda inputs: _answers(_unweighted(inputs["labels"]), inputs),
            cause="Two pools were put together by the mean of their two rates. Each event counts, "
            "so the larger pool counts more.",
            hint="How many events are in the pool, and how many of them are 1?",
        ),
        Misconception(
            id="one-step-each",
            name="stopped too soon",
            wrong_answer=lambda inputs: _answers(_neighbours_once(inputs["labels"]), inputs),
            cause="Each falling pair was pooled once. The new pools can fall again.",
            hint="Does your result still fall somewhere?",
        ),
        Misconception(
            id="running-highest",
            name="highest so far",
            wrong_answer=lambda inputs: _answers(_running_highest(inputs["labels"]), inputs),
            cause="Each event got the highest label so far. That never falls, but it is far from "
            "the labels it overruns.",
            hint="What is the best single number for a 1 followed by a 0?",
        ),
        Misconception(
            id="sorted-labels",
            name="labels sorted",
            wrong_answer=lambda inputs: _answers(_sorted_labels(inputs["labels"]), inputs),
            cause="The labels were sorted. Events then get the labels of others.",
            hint="How many of the events around this one were clicked?",
        ),
        Misconception(
            id="no-pooling",
            name="labels as they are",
            wrong_answer=lambda inputs: _answers([float(y) for y in inputs["labels"]], inputs),
            cause="These are the labels, as they are. They fall in places.",
            hint="Where is a 1 followed by a 0?",
        ),
    ),
    hints=(
        "Start with each event in a pool of its own, and look for a pool that is higher than the "
        "next one.",
        "Put those two together: the value is the number of 1s divided by the number of events. "
        "Then look again, to the left as well.",
        "Stop when no pool is higher than the next. Neighbours of equal value are one value.",
    ),
    steps=(
        Step(
            "Each event is a pool, and a pool falls if its rate is above that of the next.",
            "def rate(pool):\n"
            "    return sum(pool) / len(pool)\n\n\n"
            "def falling(pools):\n"
            "    places = range(len(pools) - 1)\n"
            "    return [i for i in places if rate(pools[i]) > rate(pools[i + 1])]",
        ),
        Step(
            "As long as one falls, put it together with the next.",
            "pools = [[label] for label in labels]\n"
            "while falls := falling(pools):\n"
            "    i = falls[0]\n"
            "    pools[i : i + 2] = [pools[i] + pools[i + 1]]\n"
            "pools",
        ),
        Step(
            "Each event gets the rate of its pool.",
            "values = [rate(pool) for pool in pools for _ in pool]\n"
            "[round(value, 3) for value in values]",
        ),
        Step(
            "Count the different values, and look up the event.",
            "pools = len(set(values))\nvalue = values[event - 1]\npools, round(value, 3)",
        ),
    ),
    insight="The order in which falling pairs are pooled does not matter: there is one best fit.",
    minutes=5,
    points=2,
)


# The function ---------------------------------------------------------------------------------


def _right(labels: Sequence[int], place: int) -> float:
    return _fit(labels)[place]


def _w_one_pass(labels: Sequence[int], place: int) -> float:
    return _one_pass(labels)[place]


def _w_neighbours_once(labels: Sequence[int], place: int) -> float:
    return _neighbours_once(labels)[place]


def _w_unweighted(labels: Sequence[int], place: int) -> float:
    return _unweighted(labels)[place]


def _w_running_highest(labels: Sequence[int], place: int) -> float:
    return _running_highest(labels)[place]


def _w_running_mean(labels: Sequence[int], place: int) -> float:
    return _running_mean(labels)[place]


def _w_falling(labels: Sequence[int], place: int) -> float:
    return _falling(labels)[place]


def _w_overall(labels: Sequence[int], place: int) -> float:
    return _overall(labels)[place]


def _case(labels: list[int], place: int, why: str = "") -> Case:
    return Case({"labels": labels, "place": place}, why)


_EDGES = (
    _case([0, 0, 1, 1], 2, "nothing falls"),
    _case([1, 1, 0, 0, 0], 4, "everything falls into one pool"),
    _case([1], 0, "there is one event"),
)

write_isotonic = Function(
    id="calibration.write_isotonic",
    title="Write isotonic regression",
    function="my_isotonic",
    prompt="""
Write `my_isotonic(labels, place)`. `labels` holds 0 and 1, from the lowest score to the highest;
no two scores are equal.

It returns the value that the isotonic fit gives to the event at `place`, counted from 0: the
values never fall, and their squared error is the least.
""",
    solve=_right,
    cases=(
        _case([0, 1, 0, 0, 1, 1, 0, 1], 1),
        _case([0, 1, 0, 0, 1, 1, 0, 1], 5, "a pool of three"),
        _case([1, 0, 1, 0, 0, 1], 0, "pooling makes a new fall on its left"),
        _case([0, 1, 1, 1, 0, 0, 1, 0, 1], 7, "one pool after another falls"),
        *_EDGES,
    ),
    draw=lambda rng: (
        *(
            _case([int(y) for y in rng.random(n) < 0.5], int(rng.integers(n)))
            for n in (6, 7, 8, 9, 10)
        ),
        *_EDGES,
    ),
    misconceptions=(
        Misconception(
            id="never-looks-back",
            name="no look back",
            wrong_answer=_w_one_pass,
            cause="Each label joins the last pool or starts a new one. When a pool becomes lower "
            "it may fall below the one on its left, and that is never looked at again.",
            hint="After each pooling, how does the pool compare with the one on its left?",
        ),
        Misconception(
            id="one-step-each",
            name="stopped too soon",
            wrong_answer=_w_neighbours_once,
            cause="Each falling pair is pooled once, and the result may still fall.",
            hint="When may the pooling stop?",
        ),
        Misconception(
            id="unweighted-pools",
            name="unweighted pools",
            wrong_answer=_w_unweighted,
            cause="Two pools are put together by the mean of their two rates, as if they were of "
            "one size.",
            hint="What must a pool remember besides its rate?",
        ),
        Misconception(
            id="running-highest",
            name="highest so far",
            wrong_answer=_w_running_highest,
            cause="Each event gets the highest label so far. That never falls, but a single early "
            "1 lifts everything after it.",
            hint="What is the best single number for a 1 followed by a 0?",
        ),
        Misconception(
            id="running-mean",
            name="mean so far",
            wrong_answer=_w_running_mean,
            cause="Each event gets the mean of all labels so far.",
            hint="Does your result never fall?",
        ),
        Misconception(
            id="wrong-direction",
            name="wrong direction",
            wrong_answer=_w_falling,
            cause="The values never rise. They are to never fall.",
            hint="Which of two neighbours violates the rule: a 0 before a 1, or a 1 before a 0?",
        ),
        Misconception(
            id="base-rate",
            name="base rate for all",
            wrong_answer=_w_overall,
            cause="Every event gets the mean of all labels.",
            hint="Which events must share a value, and which need not?",
        ),
    ),
    hints=(
        "Keep a list of pools, each with its number of events and its number of 1s.",
        "Add the labels one by one, each as a new pool. As long as the last pool but one is "
        "higher than the last, put the two together.",
        "A `while` loop, not an `if`: putting together can make a new fall on the left. At the "
        "end walk through the pools until you reach `place`.",
    ),
    steps=(
        Step(
            "One pass from left to right. The inner loop looks back as long as something falls.",
            "def pooled(labels):\n"
            "    pools = []\n"
            "    for label in labels:\n"
            "        pools.append([label, 1])\n"
            "        while len(pools) > 1 and pools[-2][0] * pools[-1][1] > "
            "pools[-1][0] * pools[-2][1]:\n"
            "            ones, size = pools.pop()\n"
            "            pools[-1][0] += ones\n"
            "            pools[-1][1] += size\n"
            "    return pools\n\n\n"
            "pooled([0, 1, 0, 0, 1, 1, 0, 1])",
        ),
        Step(
            "Spread each pool's rate over its events.",
            "def my_isotonic(labels, place):\n"
            "    values = [ones / size for ones, size in pooled(labels) for _ in range(size)]\n"
            "    return values[place]",
        ),
    ),
    insight="Each event is put into a pool once and merged away at most once: that is why the "
    "time grows in line with the events, after sorting.",
    minutes=10,
    points=3,
)
