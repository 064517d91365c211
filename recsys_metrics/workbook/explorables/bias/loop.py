"""The feedback loop, round by round: one group of items starts with clicks, the other without."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.bias.feedback import FeedbackLoop, simulate_feedback_loop
from recsys_metrics.workbook import svg
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, ORANGE, VERMILION
from recsys_metrics.workbook.picture import Picture

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
    finding = f"Round {turn}: {numbers['new']:.0%} of the attention goes to the new items"
    parts = [
        svg.text(0, 14, finding, bold=True),
        *_items(shares),
        *_history(found, turn),
    ]
    alt = (
        f"{finding}. Gini over the items is {numbers['gini']:.2f}, and {numbers['clicks']:.3f} "
        f"clicks a slot are expected of a possible {numbers['best']:.3f}."
    )
    return svg.sheet(480, 300, parts, alt)


def _items(shares: Array) -> list[str]:
    """Draw each item's share of the attention, and over it how well it is liked."""
    floor, tall, step = 132, 92, 39
    parts = [svg.line(0, floor, 480, floor)]
    for place, share in enumerate(shares):
        x = 6 + place * step + (8 if place >= 6 else 0)
        old = place < 6
        high = min(share / 0.5, 1.0) * tall
        parts += [
            svg.box(x, floor - high, 26, high, BLUE if old else ORANGE),
            svg.text(x + 13, floor - high - 4, f"{share:.0%}", anchor="middle"),
            svg.text(x + 13, floor + 14, f"{LIKED[place]:g}", anchor="middle"),
        ]
    parts.append(svg.text(6, floor + 30, "old items: chance of a click, if looked at"))
    parts.append(svg.text(474, floor + 30, "new items: the same", anchor="end"))
    return parts


def _history(found: FeedbackLoop, turn: int) -> list[str]:
    """Draw Gini and the new items' share over all rounds, with a mark at this one."""
    left, right, top, floor = 30, 370, 180, 278

    def place(at: int, value: float) -> tuple[float, float]:
        return left + at / (ROUNDS - 1) * (right - left), floor - value * (floor - top)

    new = found.group_exposure[:, found.groups.index("new")]
    x = place(turn, 0)[0]
    parts = [
        svg.line(left, floor, right, floor),
        svg.line(left, top, left, floor),
        svg.line(x, top, x, floor, dashed=True),
    ]
    parts += [
        svg.text(left - 5, place(0, value)[1] + 4, f"{value:g}", anchor="end")
        for value in (0.0, 0.5, 1.0)
    ]
    parts += [
        svg.text(place(at, 0)[0], floor + 15, str(at), anchor="middle") for at in (0, 4, 8, 12)
    ]
    ends = [place(ROUNDS - 1, float(values[-1]))[1] for values in (found.gini, new)]
    apart = max(0.0, 15 - abs(ends[0] - ends[1])) / 2 * (1 if ends[0] >= ends[1] else -1)
    for name, values, colour, end in (
        ("Gini", found.gini, VERMILION, ends[0] + apart),
        ("new items' share", new, ORANGE, ends[1] - apart),
    ):
        points = [place(at, float(value)) for at, value in enumerate(values)]
        parts.append(svg.stroke(points, colour, dashed=name != "Gini"))
        parts.append(svg.dot(*points[turn], colour))
        parts.append(svg.text(right + 8, end + 4, name))
    parts.append(svg.text(right + 18, floor + 15, "round"))
    return parts


loop = Explorable(
    id="bias.loop",
    question="Every new item is liked better than its old twin. How much exploration gives the "
    "new items half of the attention, and what else does?",
    goals=(
        Goal(
            "Give the new items more than half of the attention, without any exploration.",
            lambda s, n: s["exploration"] == 0 and s["round"] > 0 and n["new"] > 0.5,
            "Clicks per look do not punish what was never shown.",
        ),
        Goal(
            "Rank by clicks, and give the new items half of the attention in the last round.",
            lambda s, n: s["learner"] == "clicks" and s["round"] == 12 and n["new"] >= 0.49,
            "Only lists that are all random do it, and they use nothing of what was learnt.",
        ),
    ),
    controls=(
        Control("round", "Round", {r: str(r) for r in range(ROUNDS)}, ROUNDS - 1, "slider"),
        Control(
            "exploration",
            "Lists at random",
            {share: f"{share:.0%}" for share in _EXPLORED},
            0.0,
            "slider",
        ),
        Control(
            "learner",
            "The model ranks by",
            {"clicks": "clicks", "rate": "clicks per look"},
            "clicks",
        ),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "gini": "Gini of the round's exposure",
        "new": "new items' share of attention",
        "coverage": "share of items shown",
        "clicks": "expected clicks per slot",
        "best": "the best there could be",
    },
)
