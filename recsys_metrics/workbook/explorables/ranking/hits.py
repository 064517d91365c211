"""The hits of a list, counted four ways, and the first of them."""

from __future__ import annotations

from recsys_metrics.ranking import f_beta, hit_rate, judge, precision, recall, reciprocal_rank
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.ranked_lists import describe
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess
from recsys_metrics.workbook.explorables.ranking import row

SERVED = tuple("MNOPQR")
MISSED = tuple("TUV")
"""What the user wants besides, and the list does not show."""

_WANTED = {False: "○ not relevant", True: "● relevant"}
_STEP = 52
_ENDS = [_STEP * k for k in range(1, len(SERVED) + 1)]
_FLOOR = row.TOP + row.SLOT + 12


def _grades(state: State) -> dict[str, int]:
    return {item: int(state.get(item, True)) for item in (*SERVED, *MISSED)}


def _compute(state: State) -> Numbers:
    judged, k = judge(list(SERVED), _grades(state)), state["k"]
    return {
        "hit_rate": hit_rate(judged, k),
        "precision": precision(judged, k),
        "recall": recall(judged, k),
        "f1": f_beta(judged, k),
        "reciprocal_rank": reciprocal_rank(judged, k),
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    k = state["k"]
    parts = [
        row.film(
            *(item, place * _STEP + 3, str(place + 1), item), wanted=state[item], counts=place < k
        )
        for place, item in enumerate(SERVED)
    ]
    left = _ENDS[-1] + 14
    parts += [
        row.film("", left + place * 51, above, item, wanted=True, shown=False)
        for place, (item, above) in enumerate(zip(MISSED, ("", "missed", ""), strict=True))
    ]
    parts.append(row.cut(_ENDS, k, _FLOOR))
    return board("", _FLOOR + row.BELOW - 10, parts, describe(SERVED, _grades(state), k))


def _n_hits(state: State) -> int:
    return sum(state[item] for item in SERVED)


hits = Explorable(
    id="ranking.hits",
    question="Which metrics depend on the position of a hit?",
    goals=(
        Goal(
            "2 hits and K = 6: make the reciprocal rank 1.",
            lambda s, n: _n_hits(s) == 2 and s["k"] == 6 and n["reciprocal_rank"] == 1,
            "One hit moved to the top, and no other metric changed.",
        ),
        Goal(
            "Make precision 1 and recall 1/3 or less.",
            lambda s, n: n["precision"] == 1 and n["recall"] <= 1 / 3,
            "A short list wastes no slot, but most relevant items are not retrieved.",
        ),
    ),
    guess=Guess(
        "K goes from 6 to 5. Precision will …",
        {"k": 5},
        "precision",
        "The sixth film was not a hit, so the number of hits stays the same and the list is "
        "shorter.",
    ),
    controls=(
        Control("k", "Cut-off K", {k: str(k) for k in range(1, 7)}, 6, "slider"),
        *(Control(item, item, _WANTED, item in "OQ", "press") for item in SERVED),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "hit_rate": "Hit rate",
        "precision": "Precision",
        "recall": "Recall",
        "f1": "F1",
        "reciprocal_rank": "Reciprocal rank",
    },
)
