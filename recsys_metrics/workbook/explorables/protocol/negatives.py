"""Three recommenders, five hidden items each, and a sample that grows to the whole catalogue."""

from __future__ import annotations

import math
from functools import cache

from recsys_metrics._core.colors import BLUE, GREEN, VERMILION
from recsys_metrics.protocol.candidates import expected_sampled_metric
from recsys_metrics.protocol.candidates._one_item import RankMetric
from recsys_metrics.workbook.charts.board import axes, board
from recsys_metrics.workbook.charts.marks import clamp_left, spread_apart, tag
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

N_ITEMS = 10_000
"""Items in the catalogue, the hidden one included."""

RANKS = {
    "A": (100, 100, 100, 100, 100),
    "B": (40, 40, 8437, 9266, 4482),
    "C": (212, 2, 743, 5342, 1548),
}
"""Full ranks of five hidden items; the example of Krichene and Rendle (2020)."""

NEGATIVES = (10, 20, 50, 100, 200, 300, 500, 700, 1000, 1200, 1500, 2000, 3000, 5000, N_ITEMS - 1)

_METRICS: dict[str, tuple[RankMetric, int | None]] = {
    "hit_rate": ("hit_rate", 10),
    "ndcg": ("ndcg", 10),
    "reciprocal_rank": ("reciprocal_rank", None),
    "auc": ("auc", None),
}
_NAMES = {
    "hit_rate": "Hit rate at 10",
    "ndcg": "NDCG at 10",
    "reciprocal_rank": "Reciprocal rank",
    "auc": "AUC",
}
_LOOKS = {"A": (VERMILION, ""), "B": (GREEN, "9 4"), "C": (BLUE, "3 3")}
_ALONG = sorted({*NEGATIVES, *(round(10 ** (step / 14)) for step in range(14, 56))})
"""Where the curves are drawn."""

_X = Scale(NEGATIVES[0], NEGATIVES[-1], 34, 444, math.log10)
_Y = Scale(0, 1, 176, 44)
_TICKS = {10.0: "10", 100.0: "100", 1000.0: "1,000", float(NEGATIVES[-1]): "all"}
_TAG = 104


@cache
def expected(metric: str, negatives: int) -> dict[str, float]:
    """Return each recommender's value on average over all samples of this size."""
    kind, k = _METRICS[metric]
    return {
        name: float(expected_sampled_metric(ranks, N_ITEMS, negatives, kind, k=k).mean())
        for name, ranks in RANKS.items()
    }


def ahead(values: Numbers) -> str:
    """Return the recommenders with the highest value."""
    best = max(values.values())
    return " and ".join(name for name, value in values.items() if best - value < 1e-9)


def _compute(state: State) -> Numbers:
    return expected(state["metric"], state["negatives"])


def _draw(state: State, numbers: Numbers) -> Picture:
    metric, drawn = state["metric"], state["negatives"]
    winner, name = ahead(numbers), _NAMES[metric]
    verb = "are" if " and " in winner else "is"
    among = "all" if drawn == NEGATIVES[-1] else f"{drawn:,}"
    halves = {0.0: "0", 0.5: "0.5", 1.0: "1"}
    words = "items that the hidden one is ranked against"
    parts = axes(_X, _Y, x_ticks=_TICKS, y_ticks=halves, x_label=words, y_label="")
    whole = expected(metric, NEGATIVES[-1])
    ends = spread_apart((_Y(whole[one]) for one in _LOOKS), 20, high=_Y.start)
    for (one, look), end in zip(_LOOKS.items(), ends, strict=True):
        parts += _curve(metric, one, *look, end)
    x = _X(drawn)
    cut = [svg.line(x, _Y.end - 17, x, _Y.start, wide=2), *tag(x, 0, f"{among} drawn", wide=_TAG)]
    cut += [svg.dot(x, _Y(numbers[one]), _LOOKS[one][0], size=6) for one in RANKS]
    stops = [_X(n) for n in NEGATIVES]
    grip = (clamp_left(x, _TAG), 0, _TAG, _Y.start + 4)
    parts.append(handles.drag("negatives", stops, cut, along="x", grip=grip))
    full = ahead(expected(metric, NEGATIVES[-1]))
    against = "the whole catalogue" if among == "all" else f"{among} sampled items"
    alt = (
        f"{name} of A, B and C against more and more sampled items, up to all. "
        f"Against {against} {winner} {verb} ahead; in the full ranking {full}."
    )
    title = f"{name}, among {among}: {winner} {verb} ahead"
    return board(title, _Y.start + 46, parts, alt)


def _curve(metric: str, name: str, colour: str, dash: str, end: float) -> list[str]:
    points = " ".join(f"{_X(n):.1f},{_Y(expected(metric, n)[name]):.1f}" for n in _ALONG)
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return [
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="3"{dashed}/>',
        # From the end of the line to its name, which may have been moved.
        svg.stroke([(_X.end, _Y(expected(metric, _ALONG[-1])[name])), (_X.end + 11, end)], colour),
        svg.text(_X.end + 14, end + 5, name, bold=True),
    ]


sampled_negatives = Explorable(
    id="protocol.sampled_negatives",
    question="How many must be drawn until the winner of the full ranking wins?",
    goals=(
        Goal(
            "Find a sample for which B wins by hit rate.",
            lambda s, n: s["metric"] == "hit_rate" and n["B"] > max(n["A"], n["C"]),
            "A led with fewer items drawn: the sample chose the winner.",
        ),
        Goal(
            "Find a sample for which C wins by hit rate.",
            lambda s, n: s["metric"] == "hit_rate" and n["C"] > max(n["A"], n["B"]),
            "It is the winner of the full ranking, and it takes a large sample to see that.",
        ),
    ),
    guess=Guess(
        "Three times as many are drawn: 100 becomes 300. The hit rate of B will …",
        {"negatives": 300},
        "B",
        "Rank 40 of ten thousand is among the first ten of any such sample, and the three far "
        "ranks of B of none.",
    ),
    hint="Drag the line.",
    controls=(
        Control(
            "negatives",
            "Items drawn",
            {n: f"{n:,}" if n < N_ITEMS - 1 else f"all {n:,}" for n in NEGATIVES},
            100,
            "slider",
        ),
        Control("metric", "Metric", _NAMES, "hit_rate"),
    ),
    compute=_compute,
    draw=_draw,
    labels={name: f"Recommender {name}" for name in RANKS},
)
