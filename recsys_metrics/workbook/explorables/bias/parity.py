"""Slots for two groups of providers: equal shares, equal rates, and what they cost."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from recsys_metrics._core.colors import BLUE, ORANGE
from recsys_metrics.bias.fairness import exposure_by_group
from recsys_metrics.ranking import discounts
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

SLOTS, CATALOGUE = 20, 100
LIKED = {"A": 0.3, "B": 0.2}

# Where on the sheet a part of the whole ends.
_PART = Scale(0, 1, 92, 478)
_OWNED = (20, 50, 80)
_ORDERS = {"first": "A's items first", "mixed": "evenly mixed", "last": "A's items last"}


def slots(state: State) -> list[str]:
    """Return whose item stands in each slot, the best slot first."""
    n = state["slots"]
    if state["order"] == "mixed":
        # Like the strokes of a drawn line: after i slots A has had i n/20 of them, rounded.
        so_far = [(place * n + SLOTS // 2) // SLOTS for place in range(SLOTS + 1)]
        return ["A" if b > a else "B" for a, b in pairwise(so_far)]
    ordered = ["A"] * n + ["B"] * (SLOTS - n)
    return ordered if state["order"] == "first" else ordered[::-1]


def _compute(state: State) -> Numbers:
    feed, owned = slots(state), state["owned"]
    # Items are numbered, A's first; which of a group's stands in a slot does not matter here.
    groups = np.repeat(["A", "B"], [owned, CATALOGUE - owned])
    recommended = [{"A": 0, "B": owned}[group] for group in feed]
    share = exposure_by_group([recommended], groups, attention="none", per="share")
    rate = exposure_by_group([recommended], groups, attention="none", per="rate")
    looks = exposure_by_group([recommended], groups, attention="log2", per="rate")
    attention = discounts(SLOTS)
    liked = np.array([LIKED[group] for group in feed])
    return {
        "share": share.per_group["A"],
        "gap": share.gap,
        "rate_a": rate.per_group["A"],
        "rate_b": rate.per_group["B"],
        "ratio": rate.ratio,
        "looks": looks.ratio,
        "clicks": float(attention @ liked / attention.sum()),
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    finding = _finding(numbers)
    parts = []
    for place, group in enumerate(slots(state)):
        x, y = 48 * (place % 10), 30 * (place // 10)
        fill = BLUE if group == "A" else ORANGE
        ink = "#ffffff" if group == "A" else "#000000"
        parts.append(svg.box(x, y, 42, 25, fill))
        parts.append(svg.text(x + 21, y + 18, group, anchor="middle", bold=True, ink=ink))
    for row, (name, share) in enumerate(
        (
            ("catalogue", state["owned"] / CATALOGUE),
            ("slots", numbers["share"]),
            ("attention", _looks(state)),
        )
    ):
        y, end = 78 + 36 * row, _PART(share)
        # Where a part is too small for its words, they are left out.
        of_a = f"A {100 * share:.0f}%" if share > 0.22 else ""
        of_b = f"B {100 - 100 * share:.0f}%" if share < 0.78 else ""
        parts += [
            svg.text(0, y + 17, name),
            svg.box(_PART(0), y, end - _PART(0), 24, BLUE),
            svg.box(end, y, _PART(1) - end, 24, ORANGE),
            svg.text(_PART(0) + 8, y + 18, of_a, ink="#ffffff"),
            svg.text(_PART(1) - 6, y + 18, of_b, anchor="end", ink="#000000"),
        ]
    parts.append(svg.line(_PART(0.5), 72, _PART(0.5), 178, dashed=True))
    stops = [_PART(n / SLOTS) for n in range(SLOTS + 1)]
    parts.append(_edge("slots", stops, stops[state["slots"]], 114))
    stops = [_PART(share / CATALOGUE) for share in _OWNED]
    parts.append(_edge("owned", stops, _PART(state["owned"] / CATALOGUE), 78))
    alt = (
        f"A has {state['owned']}% of the catalogue and {state['slots']} of {SLOTS} slots. "
        f"{finding}; the difference in exposure shares is {numbers['gap']:.2f}."
    )
    return board(finding, 182, parts, alt)


def _edge(control: str, stops: list[float], x: float, y: float) -> str:
    """Draw the edge between A's part and B's, which is dragged."""
    return handles.drag(control, stops, (x, y + 12), along="x")


def _finding(numbers: Numbers) -> str:
    shares, rates = numbers["gap"] < 1e-9, numbers["ratio"] > 1 - 1e-9
    if shares and rates:
        return "Equal shares and equal rates"
    if shares:
        return "Equal shares, unequal rates"
    return "Equal rates, unequal shares" if rates else "Neither shares nor rates are equal"


def _looks(state: State) -> float:
    attention = discounts(SLOTS)
    of_a = np.array([group == "A" for group in slots(state)])
    return float(attention[of_a].sum() / attention.sum())


parity = Explorable(
    id="bias.parity",
    question="Can both groups have equal shares and equal rates?",
    guess=Guess(
        "A has 80% and goes from 17 slots to 10. The ratio of rates will …",
        {"slots": 10},
        "ratio",
        "With 10 slots each, the exposure shares are equal, but B has a fifth of the catalogue "
        "and therefore four times the exposure rate.",
    ),
    goals=(
        Goal(
            "A has 80%: make the exposure rates equal.",
            lambda s, n: s["owned"] == 80 and math.isclose(n["rate_a"], n["rate_b"]),
            "The exposure shares are then as unequal as the groups' sizes.",
        ),
        Goal(
            "Make the exposure shares and the rates equal.",
            lambda s, n: math.isclose(n["share"], 0.5) and math.isclose(n["rate_a"], n["rate_b"]),
            "This is possible only if the groups have equal sizes.",
        ),
    ),
    controls=(
        Control("slots", "Slots for A", {n: str(n) for n in range(SLOTS + 1)}, 17, "slider"),
        Control(
            "owned", "A's catalogue share", {part: f"{part}%" for part in _OWNED}, 80, "slider"
        ),
        Control("order", "Order", _ORDERS, "mixed"),
    ),
    compute=_compute,
    draw=_draw,
    in_picture=("share",),
    labels={
        "share": "A's share of slots",
        "gap": "Difference in shares",
        "rate_a": Quantity("A's rate", 0.0, 5.0),
        "rate_b": Quantity("B's rate", 0.0, 5.0),
        "ratio": "Ratio of rates",
        "looks": "With attention",
        "clicks": Quantity("Clicks per examination", 0.0, 0.5),
    },
)
