"""The feedback loop, round by round: one group of items starts with clicks, the other without."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, ORANGE, VERMILION
from recsys_metrics.bias.feedback import FeedbackLoop, simulate_feedback_loop
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import spread_apart, upright
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

# The new items are liked a little better than the old ones, each beside its twin.
OLD = np.array([0.40, 0.35, 0.30, 0.25, 0.20, 0.15])
NEW = OLD + 0.05
LIKED = np.concatenate([OLD, NEW])
GROUPS = np.repeat(["old", "new"], 6)
USERS, SLOTS, ROUNDS = 200, 3, 13

# Clicks that the old items have from before the new ones came, and the looks it took.
HEAD_START = np.where(GROUPS == "old", 30.0, 0.0)
LOOKS_BEFORE = HEAD_START / np.concatenate([OLD, OLD])

_EXPLORED = (0.0, 0.05, 0.1, 0.2, 0.4, 1.0)

Array = NDArray[np.float64]


def by_clicks(clicks: Array, looks: Array) -> Array:
    """Score items by all their clicks."""
    scores: Array = clicks.sum(axis=0) + HEAD_START
    return scores


def by_clicks_per_look(clicks: Array, looks: Array) -> Array:
    """Score items by clicks per look, with one look at a usual rate added."""
    scores: Array = (by_clicks(clicks, looks) + 0.3) / (looks.sum(axis=0) + LOOKS_BEFORE + 1)
    return scores


_LEARNERS: dict[str, Any] = {"clicks": by_clicks, "rate": by_clicks_per_look}


@lru_cache(maxsize=len(_LEARNERS) * len(_EXPLORED))
def course(learner: str, exploration: float) -> FeedbackLoop:
    """Return the whole course of events of one way to serve."""
    return simulate_feedback_loop(
        np.tile(LIKED, (USERS, 1)),
        n_rounds=ROUNDS,
        k=SLOTS,
        model=_LEARNERS[learner],
        exploration=exploration,
        groups=GROUPS,
        seed=0,
    )


def _compute(state: State) -> Numbers:
    found, turn = course(state["learner"], state["exploration"]), state["round"]
    return {
        "gini": float(found.gini[turn]),
        "new": float(found.group_exposure[turn, found.groups.index("new")]),
        "coverage": float(found.coverage[turn]),
        "clicks": float(found.exposure[turn] @ LIKED) / (USERS * SLOTS),
        "best": found.best_click_rate,
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    found, turn = course(state["learner"], state["exploration"]), state["round"]
    shares = found.exposure[turn] / found.exposure[turn].sum()
    finding = f"Round {turn}: the new items get {numbers['new']:.0%} of the attention"
    alt = (
        f"{finding}. The Gini index of exposure is {numbers['gini']:.2f}. The expected clicks per "
        f"slot are {numbers['clicks']:.3f} of a possible {numbers['best']:.3f}."
    )
    return board("", 246, [*_items(shares), *_history(found, turn)], alt)


def _items(shares: Array) -> list[str]:
    """Draw each item's share of the attention, and below it how well it is liked."""
    floor, tall, step = 98, 60, 39
    parts = [svg.line(0, floor, 480, floor)]
    for place, share in enumerate(shares):
        old = place < 6
        x = 4 + place * step + (0 if old else 8)
        high = min(share / 0.5, 1.0) * tall
        parts += [
            svg.box(x, floor - high, 30, high, BLUE if old else ORANGE),
            svg.text(x + 15, floor - high - 3, f"{100 * share:.0f}", anchor="middle"),
            svg.text(x + 15, floor + 18, f"{LIKED[place]:.2f}"[1:], anchor="middle"),
        ]
    parts.append(svg.text(4, 14, "old items: % of attention"))
    parts.append(svg.text(476, 14, "new items", anchor="end"))
    return parts


def _history(found: FeedbackLoop, turn: int) -> list[str]:
    """Draw Gini and the new items' share over all rounds, and the line at this one."""
    x, y = Scale(0, ROUNDS - 1, 24, 384), Scale(0, 1, 210, 134)
    parts = [svg.line(x(0), y(0), x.end, y(0)), svg.line(x(0), y(0), x(0), y(1))]
    # The nought stands above the tag, which comes below it in the first rounds.
    parts += [svg.text(x(0) - 7, y(end) + 4, f"{end}", anchor="end") for end in (0, 1)]
    new = found.group_exposure[:, found.groups.index("new")]
    rows = {"Gini": (found.gini, VERMILION), "new": (new, BLUE)}
    ends = spread_apart((y(float(values[-1])) for values, _ in rows.values()), 18, high=y(0) - 12)
    for (name, (values, colour)), end in zip(rows.items(), ends, strict=True):
        points = [(x(at), y(float(value))) for at, value in enumerate(values)]
        parts.append(svg.stroke(points, colour, dashed=name != "Gini"))
        parts.append(svg.dot(*points[turn], colour, size=5))
        parts.append(svg.text(x.end + 8, end + 6, f"{name} {values[turn]:.2f}"))
    stops = [x(at) for at in range(ROUNDS)]
    line, at = upright(stops[turn], y(1), y(0) + 8, ORANGE), (stops[turn], y(0) + 21)
    words = f"round {turn}"
    moved = handles.drag("round", stops, at, along="x", parts=[line], words=words, wide=118)
    return [*parts, moved]


loop = Explorable(
    id="bias.loop",
    question="What gives new items attention?",
    hint="Below each item: its P(click) if examined.",
    guess=Guess(
        "40% of the lists are random. The clicks per slot will …",
        {"exploration": 0.4},
        "clicks",
        "Random lists also show items that users like less, and the model does not learn from "
        "them that the new items are better.",
    ),
    goals=(
        Goal(
            "No exploration: give new items more than half.",
            lambda s, n: s["exploration"] == 0 and s["round"] > 0 and n["new"] > 0.5,
            "Clicks per examination do not penalise items that were never shown.",
        ),
        Goal(
            "Ranking by clicks: give new items half in round 12.",
            lambda s, n: s["learner"] == "clicks" and s["round"] == 12 and n["new"] >= 0.49,
            "Only completely random lists achieve this, and they use nothing that the model has "
            "learned.",
        ),
    ),
    controls=(
        Control("round", "Round", {r: str(r) for r in range(ROUNDS)}, ROUNDS - 1, "slider"),
        Control(
            "exploration",
            "Random lists",
            {share: f"{share:.0%}" for share in _EXPLORED},
            0.0,
            "slider",
        ),
        Control(
            "learner",
            "The model ranks by",
            {"clicks": "clicks", "rate": "clicks per examination"},
            "clicks",
        ),
    ),
    compute=_compute,
    draw=_draw,
    in_picture=("gini", "new"),
    labels={
        "gini": "Gini of exposure",
        "new": "Share of new items",
        "coverage": "Items shown",
        "clicks": "Clicks per slot",
        "best": "Best possible",
    },
)
