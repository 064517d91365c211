"""Seven metrics of one list: its cut, its grades and the gain are the reader's."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

from recsys_metrics._core.colors import BLUE
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics.ranking import (
    Judged,
    average_precision,
    discounts,
    f_beta,
    hit_rate,
    judge,
    ndcg,
    precision,
    recall,
    reciprocal_rank,
)
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.ranked_lists import describe
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess
from recsys_metrics.workbook.explorables.ranking import row

SERVED = ("A", "B", "C", "D", "E")
MISSED = "G"
_START = {"B", "C", "E", MISSED}
_RANKS = 10
_GRADES = {0: "○ not relevant", 1: "● relevant (1)", 3: "● highly relevant (3)"}


def _relevance(item: str) -> Control:
    label = item if item != MISSED else f"{item} (not recommended)"
    return Control(item, label, _GRADES, int(item in _START), "press")


def _grades(state: State) -> dict[str, int]:
    return {item: state[item] for item in (*SERVED, MISSED)}


@cache
def _judged() -> tuple[Judged[FloatArray], dict[tuple[int, ...], int]]:
    """Judge every list that the controls can make at once, and say where each is.

    A state alone takes a thousand times as long, and the book shows fourteen thousand.
    """
    rows = list(itertools.product(_GRADES, repeat=len(SERVED) + 1))
    truths = [dict(zip((*SERVED, MISSED), row, strict=True)) for row in rows]
    return judge([list(SERVED)] * len(rows), truths), {row: at for at, row in enumerate(rows)}


@cache
def _values_of_all(k: int, gain: Any) -> dict[str, Any]:
    judged, _ = _judged()
    return {
        "hit_rate": hit_rate(judged, k),
        "precision": precision(judged, k),
        "recall": recall(judged, k),
        "f1": f_beta(judged, k),
        "reciprocal_rank": reciprocal_rank(judged, k),
        "average_precision": average_precision(judged, k),
        "ndcg": ndcg(judged, k, gain=gain),
    }


def _values(state: State) -> Numbers:
    at = _judged()[1][tuple(_grades(state).values())]
    found = _values_of_all(state["k"], state["gain"])
    return {name: float(values[at]) for name, values in found.items()}


# The list stands still, ten ranks of it, and only its cut moves: five slots and five empty ranks.
_STEP, _EMPTY = 54, 28
_FLOOR = 160
_ENDS = [_STEP * min(k, 5) + _EMPTY * max(k - 5, 0) for k in range(1, _RANKS + 1)]


def _list(state: State, numbers: Numbers) -> Picture:
    k, grades = state["k"], _grades(state)
    parts = [
        row.film(
            *(item, place * _STEP + 2, str(place + 1), item, str(grades[item])),
            wanted=grades[item] > 0,
            counts=place < k,
        )
        for place, item in enumerate(SERVED)
    ]
    parts += [
        _nothing(_ENDS[place] - _EMPTY + 2, str(place + 1), place < k)
        for place in range(len(SERVED), _RANKS)
    ]
    for place, factor in enumerate(discounts(_RANKS)):
        hit = place < min(k, len(SERVED)) and grades[SERVED[place]] > 0
        wide = 24 if place < len(SERVED) else 12
        x, tall = _ENDS[place] - (_STEP if wide == 24 else _EMPTY) / 2 - wide / 2, 56 * factor
        parts.append(svg.box(x, _FLOOR - tall, wide, tall, BLUE if hit else ""))
        if place < len(SERVED):
            middle = x + wide / 2
            parts.append(svg.text(middle, _FLOOR - tall - 6, f"{factor:.2f}", anchor="middle"))
    # Below the tag of the line, which crosses all that stands beside the bars.
    said = _FLOOR + row.BELOW + 16
    parts.append(svg.text(0, said, "discount at each rank, filled for hits"))
    missed = (MISSED, 426, "missed", MISSED, str(grades[MISSED]))
    parts.append(row.film(*missed, wanted=grades[MISSED] > 0, shown=False))
    parts.append(row.cut(_ENDS, k, _FLOOR + 10))
    return board("", said + 6, parts, describe(SERVED, grades, k))


def _nothing(x: float, above: str, counts: bool) -> str:
    wide = _EMPTY - 4
    marks = [
        svg.text(x + wide / 2, row.TOP - 8, above, anchor="middle"),
        svg.box(x, row.TOP, wide, row.SLOT, dashed=True),
    ]
    return f'<g opacity="{0.75 if counts else 0.35}">{"".join(marks)}</g>'


metric_values = Explorable(
    id="ranking.metric_values",
    question="Which metrics can fall as K grows?",
    goals=(
        Goal(
            "Make recall 1 with precision 0.5 or less.",
            lambda s, n: n["recall"] == 1 and n["precision"] <= 0.5,
            "All relevant items are in the list, together with the same number or more that are "
            "not relevant.",
        ),
        Goal(
            "Make precision 1 with an NDCG below 1.",
            lambda s, n: n["precision"] == 1 and n["ndcg"] < 1,
            "Every rank is a hit, but the best items are too low or were not retrieved.",
        ),
    ),
    guess=Guess(
        "K goes from 5 to 6. Precision will …",
        {"k": 6},
        "precision",
        "The sixth rank is empty, so the hits stay the same and the denominator is larger by 1.",
    ),
    controls=(
        Control("k", "Cut-off K", {k: str(k) for k in range(1, _RANKS + 1)}, 5, "slider"),
        *(_relevance(item) for item in (*SERVED, MISSED)),
        Control(
            "gain",
            "Gain in NDCG",
            {"linear": "linear: the grade", "exponential": "exponential: 2^grade − 1"},
            "linear",
        ),
    ),
    compute=_values,
    draw=_list,
    labels={
        "hit_rate": "Hit rate",
        "precision": "Precision",
        "recall": "Recall",
        "f1": "F1",
        "reciprocal_rank": "Reciprocal rank",
        "average_precision": "Average precision",
        "ndcg": "NDCG",
    },
)
