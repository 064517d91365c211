"""A retrieval stage that is cut off, a list made of what is left, and the metrics of both."""

from __future__ import annotations

import math

from recsys_metrics.ranking import judge, ndcg, stage_recall
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess
from recsys_metrics.workbook.explorables.ranking import row

_SHOWN = 3
"""Items in the final list."""

RETRIEVED = {"good": "ADXFYPZUVW", "fair": "XAYDZUFPVW", "poor": "XYAZUDVFWP"}
"""The candidates in the order of the retrieval stage."""

RELEVANT = frozenset("ADF")

RANKED = {"perfect": "ADFPXYZUVW", "fair": "PWAUDXFZYV"}
"""The same candidates in the order of the ranking stage, which sees those that are retrieved."""

_STEP = 48
_MOST = 10
_ENDS = [_STEP * k - 1 for k in range(1, _MOST + 1)]
_LOST = 240


def lists(state: State) -> tuple[list[str], list[str]]:
    """Return the items that are retrieved, and those that are shown."""
    kept = [*RETRIEVED[state["retrieval"]][: state["k"]]]
    order = RANKED.get(state["ranking"], RETRIEVED[state["retrieval"]])
    return kept, sorted(kept, key=order.index)[:_SHOWN]


def _compute(state: State) -> Numbers:
    kept, shown = lists(state)
    found = stage_recall({"retrieval": [kept], "ranking": [shown]}, [RELEVANT])
    reached = RELEVANT & {*kept}
    return {
        "retrieval": float(found.recall[0, 0]),
        "conditional": float(ndcg(judge(shown, reached), _SHOWN)) if reached else math.nan,
        "whole": float(ndcg(judge(shown, RELEVANT), _SHOWN)),
        "lost_before": float(found.lost[0, 0]),
        "lost_in": float(found.lost[1, 0]),
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    kept, shown = lists(state)
    order = RETRIEVED[state["retrieval"]]
    parts = [
        row.film(
            *("", place * _STEP + 1, str(place + 1), item),
            wanted=item in RELEVANT,
            counts=place < state["k"],
        )
        for place, item in enumerate(order)
    ]
    floor = row.TOP + row.SLOT + 12
    parts.append(row.cut(_ENDS, state["k"], floor))
    below = floor + row.BELOW + 4
    second = [
        row.film("", place * _STEP + 1, str(place + 1), item, wanted=item in RELEVANT)
        for place, item in enumerate(shown)
    ]
    missed = [item for item in order if item in RELEVANT and item not in shown]
    for place, item in enumerate(missed):
        stage = "ranking" if item in kept else "retrieval"
        x = _LOST + place * (_STEP + 30)
        second.append(row.film("", x, stage, item, wanted=True, shown=False))
    parts.append(svg.text(0, below + 17, "the list"))
    if missed:
        parts.append(svg.text(_LOST - 15, below + 17, "lost in"))
    parts.append(f'<g transform="translate(0 {below + 18})">{"".join(second)}</g>')
    return board("", below + 18 + row.TOP + row.SLOT + 2, parts, _alt(state, numbers))


def _alt(state: State, numbers: Numbers) -> str:
    kept, shown = lists(state)
    n_shown = sum(item in RELEVANT for item in shown)
    n_kept = sum(item in RELEVANT for item in kept)
    given = f"{numbers['conditional']:.2f}" if n_kept else "not defined"
    return (
        f"{len(kept)} of ten items are retrieved, with {n_kept} of three relevant items, and "
        f"{len(shown)} shown, with {n_shown}. NDCG of the list {numbers['whole']:.2f}, of the "
        f"ranking stage on the retrieved items {given}."
    )


def _best(state: State) -> float:
    """Return the highest NDCG of the list over all numbers of candidates."""
    return max(_compute({**state, "k": k})["whole"] for k in range(1, _MOST + 1))


def _is_best(state: State, numbers: Numbers) -> bool:
    return (state["retrieval"], state["ranking"]) == ("poor", "fair") and numbers["whole"] == _best(
        state
    )


two_stages = Explorable(
    id="ranking.two_stages",
    question="How many items should be retrieved?",
    goals=(
        Goal(
            "Make the conditional NDCG 1 and the NDCG of the list below 0.5.",
            lambda s, n: n["conditional"] == 1 and n["whole"] < 1 / 2,
            "The ranking is perfect for the relevant items it receives, and most are missing.",
        ),
        Goal(
            "Poor retrieval, fair ranking: find the highest NDCG of the list.",
            _is_best,
            "With more items the list gains relevant ones, and then ranking errors as well.",
        ),
    ),
    guess=Guess(
        "4 items are retrieved instead of 8. The conditional NDCG will …",
        {"k": 4},
        "conditional",
        "Relevant items that are not retrieved do not count, and fewer others compete.",
    ),
    controls=(
        Control("k", "Retrieved items", {k: str(k) for k in range(1, _MOST + 1)}, 8, "slider"),
        Control(
            "retrieval",
            "Retrieval is",
            {"good": "good", "fair": "fair", "poor": "poor"},
            "fair",
        ),
        Control(
            "ranking",
            "Ranking is",
            {"perfect": "perfect", "fair": "fair", "none": "left out"},
            "fair",
        ),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "retrieval": "Recall of retrieval",
        "conditional": "NDCG given retrieved",
        "whole": "NDCG of the list",
        "lost_before": "Lost in retrieval",
        "lost_in": "Lost in ranking",
    },
)
