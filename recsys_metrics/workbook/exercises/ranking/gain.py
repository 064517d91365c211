"""Discounted gain: NDCG step by step, with grades, and as a function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics import Judged, dcg, ndcg
from recsys_metrics.workbook.charts.ranked_lists import ranked_list
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case
from recsys_metrics.workbook.exercises.ranking import cases, running_list


def _solve(inputs: Inputs) -> dict[str, float]:
    judged, k = running_list.judged(inputs), inputs["k"]
    best = dcg(Judged.from_gains(judged.ideal), k)
    return {"dcg": dcg(judged, k), "idcg": best, "ndcg": ndcg(judged, k)}


# Grades --------------------------------------------------------------------------------------


def _solve_graded(inputs: Inputs) -> dict[str, float]:
    judged = Judged.from_gains(inputs["grades"])
    return {
        "linear": ndcg(judged, gain="linear"),
        "exponential": ndcg(judged, gain="exponential"),
    }


def _draw_grades(rng: np.random.Generator) -> dict[str, Any]:
    """Return grades 0 to 3 in an order that is not the best."""
    n = int(rng.integers(5, 7))
    return {"grades": [int(g) for g in rng.permutation([3, 2, 1, 0, *rng.integers(0, 4, n - 4)])]}


def _picture_of_grades(inputs: Inputs) -> Picture:
    recommended = list("ABCDEFGH"[: len(inputs["grades"])])
    return ranked_list(recommended, dict(zip(recommended, inputs["grades"], strict=True)))


# DCG with one line missing ------------------------------------------------------------------


def _dcg(grades: Sequence[int], k: int) -> float:
    return float(dcg(Judged.from_gains(grades), k, no_relevant="zero"))


def _grades(*grades: int, k: int, why: str = "") -> Case:
    return Case({"grades": [*grades], "k": k}, why)


_NO_GRADES = _grades(k=3, why="the list is empty")


def _draw_dcg(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return lists of grades from 0 to 4, each with a 2 or more below the first rank."""
    drawn = []
    for _ in range(5):
        grades = [int(grade) for grade in rng.integers(0, 5, int(rng.integers(4, 9)))]
        grades[int(rng.integers(1, len(grades)))] = int(rng.integers(2, 5))
        drawn.append(_grades(*grades, k=int(rng.integers(2, len(grades) + 2))))
    return (*drawn, _NO_GRADES)


_complete_dcg_cases = (
    _grades(0, 1, 0, 3, k=4),
    _grades(2, 0, 1, 0, 0, 4, k=6),
    _grades(1, 3, 2, k=2, why="a grade is below rank k"),
    _grades(3, 2, k=5, why="the list is shorter than k"),
    _grades(0, 0, 0, k=3, why="the list has no hit"),
    _NO_GRADES,
)


# The function --------------------------------------------------------------------------------


def _ndcg(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return float(ndcg(cases.judged(recommended, relevant), k, no_relevant="zero"))
