"""Slots for two groups of providers: equal shares, equal rates, and what they cost."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from recsys_metrics.bias.fairness import exposure_by_group
from recsys_metrics.ranking import discounts
from recsys_metrics.workbook import svg
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, ORANGE
from recsys_metrics.workbook.picture import Picture

SLOTS, CATALOGUE = 20, 100
LIKED = {"A": 0.3, "B": 0.2}

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
    served = [{"A": 0, "B": owned}[group] for group in feed]
    share = exposure_by_group([served], groups, attention="none", per="share")
    rate = exposure_by_group([served], groups, attention="none", per="rate")
    looks = exposure_by_group([served], groups, attention="log2", per="rate")
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
    parts = [svg.text(0, 14, finding, bold=True)]
    for place, group in enumerate(slots(state)):
        x, y = 44 * (place % 10), 30 + 34 * (place // 10)
        fill, ink = (BLUE, "#ffffff") if group == "A" else (ORANGE, "#000000")
        parts.append(svg.box(x, y, 38, 26, fill))
        parts.append(svg.text(x + 19, y + 18, group, anchor="middle", bold=True, ink=ink))
    parts.append(svg.text(0, 112, "the feed, best slot first"))
    for row, (name, share) in enumerate(
        (
            ("of the catalogue", state["owned"] / CATALOGUE),
            ("of the slots", numbers["share"]),
            ("of the attention", _looks(state)),
        )
    ):
        y = 128 + 26 * row
        parts += [
            svg.text(0, y + 13, name),
            svg.box(120, y, 260 * share, 17, BLUE),
            svg.box(120 + 260 * share, y, 260 * (1 - share), 17, ORANGE),
            svg.line(250, y - 3, 250, y + 20, dashed=True),
            svg.text(388, y + 13, f"A {share:.0%}, B {1 - share:.0%}"),
        ]
    alt = (
        f"A owns {state['owned']} % of the catalogue and has {state['slots']} of {SLOTS} slots. "
        f"{finding}; the gap of shares is {numbers['gap']:.2f}."
    )
    return svg.sheet(480, 206, parts, alt)


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
    question="A owns 80 % of the catalogue. Which number of slots gives both groups the same "
    "share, and which the same rate? Can both hold?",
    goals=(
        Goal(
            "Let A own four fifths, and give both groups the same rate.",
            lambda s, n: s["owned"] == 80 and math.isclose(n["rate_a"], n["rate_b"]),
            "Then the shares are as unequal as the catalogue.",
        ),
        Goal(
            "Give both groups the same share and the same rate.",
            lambda s, n: math.isclose(n["share"], 0.5) and math.isclose(n["rate_a"], n["rate_b"]),
            "That takes groups of equal size.",
        ),
    ),
    controls=(
        Control("slots", "Slots for A, of 20", {n: str(n) for n in range(SLOTS + 1)}, 17, "slider"),
        Control(
            "owned", "A's part of the catalogue", {s: f"{s} %" for s in (20, 50, 80)}, 50, "choice"
        ),
        Control("order", "Order", _ORDERS, "mixed"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "share": "A's share of the slots",
        "gap": "gap of the shares",
        "rate_a": Quantity("A's rate, share over part owned", 0.0, 5.0),
        "rate_b": Quantity("B's rate", 0.0, 5.0),
        "ratio": "ratio of the rates, low over high",
        "looks": "the same, slots weighed by attention",
        "clicks": Quantity("expected clicks per look", 0.0, 0.5),
    },
)
