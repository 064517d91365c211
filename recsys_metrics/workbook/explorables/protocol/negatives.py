"""Three recommenders, five held-out items each, and a sample that grows to the whole catalogue."""

from __future__ import annotations

import math
from functools import cache

from recsys_metrics._core.colors import BLUE, GREEN, ORANGE, VERMILION
from recsys_metrics.protocol.candidates import expected_sampled_metric
from recsys_metrics.protocol.candidates._one_item import RankMetric
from recsys_metrics.workbook.charts.board import axes, board
from recsys_metrics.workbook.charts.marks import spread_apart, upright
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

N_ITEMS = 10_000
"""Items in the catalogue, the held-out one included."""

RANKS = {
    "A": (100, 100, 100, 100, 100),
    "B": (40, 40, 8437, 9266, 4482),
    "C": (212, 2, 743, 5342, 1548),
}
"""Full ranks of five held-out items; the example of Krichene and Rendle (2020)."""

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
    words = "number of sampled items"
    parts = axes(_X, _Y, x_ticks=_TICKS, y_ticks=halves, x_label=words, y_label="")
    whole = expected(metric, NEGATIVES[-1])
    ends = spread_apart((_Y(whole[one]) for one in _LOOKS), 20, high=_Y.start)
    for (one, look), end in zip(_LOOKS.items(), ends, strict=True):
        parts += _curve(metric, one, *look, end)
    x = _X(drawn)
    cut = [upright(x, _Y.end - 17, _Y.start, ORANGE)]
    cut += [svg.dot(x, _Y(numbers[one]), _LOOKS[one][0], size=6) for one in RANKS]
    stops = [_X(n) for n in NEGATIVES]
    words = f"{among} items"
    parts.append(
        handles.drag("negatives", stops, (x, 13.5), along="x", parts=cut, words=words, wide=150)
    )
    full = ahead(expected(metric, NEGATIVES[-1]))
    against = "the whole catalogue" if among == "all" else f"{among} sampled items"
    alt = (
        f"{name} of models A, B and C against the number of sampled items, up to the whole "
        f"catalogue. With {against}, {winner} {verb} ahead; in the full ranking, {full}."
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
    question="How many negatives until the right model wins?",
    goals=(
        Goal(
            "Find a sample in which B wins by hit rate.",
            lambda s, n: s["metric"] == "hit_rate" and n["B"] > max(n["A"], n["C"]),
            "A was ahead with fewer sampled items, so the sample size chose the winner.",
        ),
        Goal(
            "Find a sample in which C wins by hit rate.",
            lambda s, n: s["metric"] == "hit_rate" and n["C"] > max(n["A"], n["B"]),
            "C wins the full ranking, but only a large sample shows that.",
        ),
    ),
    guess=Guess(
        "300 negatives instead of 100. The hit rate of B will …",
        {"negatives": 300},
        "B",
        "An item at rank 40 of 10,000 is among the first 10 of any such sample, and B's three "
        "low-ranked items never are.",
    ),
    controls=(
        Control(
            "negatives",
            "Sampled items",
            {n: f"{n:,}" if n < N_ITEMS - 1 else f"all {n:,}" for n in NEGATIVES},
            100,
            "slider",
        ),
        Control("metric", "Metric", _NAMES, "hit_rate"),
    ),
    compute=_compute,
    draw=_draw,
    labels={name: f"Model {name}" for name in RANKS},
)
