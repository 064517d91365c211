"""Splits: counting leaks, choosing a split, and reporting a result after tuning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import leakage
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case


def _events(times: Sequence[int]) -> Interactions:
    """Return events of one user with one item each, at these times."""
    return Interactions([0] * len(times), range(len(times)), timestamp=times, n_items=100)


def _leaks(train: Sequence[int], test: Sequence[int]) -> int:
    later = leakage(_events(train), _events(test)).later
    assert later is not None
    return later


def _case(train: list[int], test: list[int], why: str = "") -> Case:
    return Case({"train": train, "test": test}, why)


_STATED = (
    _case([1, 2, 6, 5, 8], [3, 9, 10]),
    _case([1, 2, 3, 4], [5, 6], "no training event is later than a test event"),
    _case([3, 8, 9, 2], [4, 3, 7], "a training event and a test event have the same time"),
    _case([12, 11, 1], [2, 20]),
    _case([9, 9, 9], [1, 8], "every training event is later"),
    _case([5, 1, 9, 4], [8, 3, 6], "the earliest test event is in the middle of the list"),
    _case(
        [5, 6, 4, 8, 1],
        [4, 2, 6, 3],
        "the earliest test event is at neither end of the list",
    ),
)


def _draw(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return other times, some of them shared between the two parts."""
    drawn = []
    for _ in range(6):
        train = [int(t) for t in rng.integers(1, 21, size=int(rng.integers(3, 8)))]
        test = [int(t) for t in rng.integers(4, 24, size=int(rng.integers(2, 5)))]
        drawn.append(_case(train, test))
    later = int(rng.integers(0, 9))
    return (
        *drawn,
        _case([t + later for t in (5, 1, 9, 4)], [t + later for t in (8, 3, 6)]),
        _case([1, 2, 3], [4, 5], "nothing leaks"),
        _case([5, 2], [5], "two events have the same time"),
    )


# The choice ----------------------------------------------------------------------------------

_STORIES = (
    "A news site retrains its recommender every night",
    "A shop retrains its recommender every Sunday",
    "A film service retrains its recommender once a day",
    "A music service retrains its recommender every hour",
)


def _story(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "story": _STORIES[int(rng.integers(len(_STORIES)))],
        "millions": int(rng.integers(2, 90)),
    }


def _always(key: str) -> Any:
    def picks(inputs: Inputs) -> str:
        return key

    return picks


_choose_split_solve = _always("moment")


# After tuning --------------------------------------------------------------------------------


def _draw_settings(rng: np.random.Generator) -> dict[str, Any]:
    while True:
        start = int(rng.integers(90, 300))
        test = start + rng.choice(40, size=4, replace=False)
        validation = test + rng.integers(-9, 14, size=4)
        # The two parts prefer different settings, and one of them alone.
        if len(set(validation)) == 4 and validation.argmax() != test.argmax():
            return {"validation": validation.tolist(), "test": test.tolist()}
