"""Three recommenders, five hidden items each, and a sample that grows to the whole catalogue."""

from __future__ import annotations

import math
from functools import cache

from recsys_metrics.protocol.candidates import expected_sampled_metric
from recsys_metrics.protocol.candidates._one_item import RankMetric
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, GREEN, ORANGE
from recsys_metrics.workbook.picture import Picture
from recsys_metrics.workbook.plots.protocol import (
    Scale,
    line,
    picture,
    spread_out,
    text,
    x_axis,
)

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
_LOOKS = {"A": (ORANGE, ""), "B": (GREEN, "7 4"), "C": (BLUE, "2 3")}


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
    x = Scale(NEGATIVES[0], NEGATIVES[-1], 42, 400, math.log10)
    y = Scale(0, 1, 228, 44)
    winner = ahead(numbers)
    verb = "are" if " and " in winner else "is"
    against = "the whole catalogue" if drawn == NEGATIVES[-1] else f"{drawn:,} sampled items"
    parts = [text(10, 18, f"Against {against}, {winner} {verb} ahead", anchor="start", bold=True)]
    ticks = {10.0: "10", 100.0: "100", 1000.0: "1,000", float(NEGATIVES[-1]): "all"}
    parts.append(x_axis(x, y(0), ticks, "items that the hidden one is ranked against"))
    parts.append(line(x.start, y(0), x.start, y(1)))
    parts += [text(x.start - 6, y(end) + 4, f"{end:g}", anchor="end") for end in (0, 0.5, 1)]
    parts.append(line(x(drawn), y(1) - 8, x(drawn), y(0), width=1.5))
    ends = spread_out({name: y(expected(metric, NEGATIVES[-1])[name]) for name in RANKS})
    for name, (colour, dash) in _LOOKS.items():
        curve = " ".join(f"{x(n):.1f},{y(expected(metric, n)[name]):.1f}" for n in NEGATIVES)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(
            f'<polyline points="{curve}" fill="none" stroke="{colour}" stroke-width="2.5"{dashed}/>'
            f'<circle cx="{x(drawn):.1f}" cy="{y(numbers[name]):.1f}" r="5" fill="{colour}" '
            'stroke="currentColor"/>'
        )
        parts.append(text(x.end + 12, ends[name] + 4, name, anchor="start", size=14, bold=True))
    full = ahead(expected(metric, NEGATIVES[-1]))
    alt = (
        f"{_NAMES[metric]} of A, B and C against more and more sampled items, up to all. "
        f"Against {against} {winner} {verb} ahead; in the full ranking {full}."
    )
    return picture(440, 270, parts, alt)


sampled_negatives = Explorable(
    id="protocol.sampled_negatives",
    question="How many items must be drawn before the winner is the one of the full ranking?",
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
    labels={name: f"Recommender {name}" for name in RANKS},
)
