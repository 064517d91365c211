"""The bias model on real ratings: damping, users with a higher error, the order of the list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises import movielens
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

# One film -----------------------------------------------------------------------------------------


def _value(ratings: Sequence[float], overall: float, added: int) -> float:
    return (sum(ratings) + added * overall) / (len(ratings) + added)


def _film(ratings: list[float], overall: float, added: int, why: str = "") -> Case:
    return Case({"ratings": ratings, "overall": overall, "added": added}, why)


_FEW = (
    _film([5.0], 3.5, 4, "there is one rating"),
    _film([], 3.6, 3, "nobody has rated the film"),
    _film([3.5, 3.5], 3.5, 2, "the film is as good as the average"),
)


def _draw_films(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return films with two to eight ratings, and the edges."""
    drawn = []
    for size in (2, 3, 5, 8):
        ratings = (rng.integers(1, 11, size=size) / 2).tolist()
        overall = float(rng.choice([3.2, 3.4, 3.6]))
        drawn.append(_film(ratings, overall, int(rng.integers(2, 9))))
    return (*drawn, *_FEW)


_complete_film_value_cases = (
    _film([5.0, 4.0, 4.5], 3.5, 5),
    _film([2.0, 1.0, 3.0, 2.5, 1.5, 2.0], 3.4, 2),
    _film([4.0, 5.0], 3.6, 10, "far more is added than there is"),
    *_FEW,
)

# How much to add --------------------------------------------------------------------------------


def _draw_offered(rng: np.random.Generator) -> Inputs:
    others = rng.choice([*range(1, 11), 12, 14, 16, 20, 25, 30, 40, 50], 5, replace=False)
    return {"share": movielens.draw_share(rng), "offered": [0, *sorted(others.tolist())]}


# For whom it is worse ---------------------------------------------------------------------------


def _worse_off_draw(rng: np.random.Generator) -> Any:
    return {
        "share": movielens.draw_share(rng),
        "added": int(rng.choice([2, 3, 4, 5, 8, 10, 15])),
    }
