"""Propensities, weights and a cap on them: what is lost in bias and won in spread."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, GREEN, GREY, ORANGE
from recsys_metrics.bias.off_policy import Estimate, ips
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import clamp_left, group, line_with_tag
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

CLICKED = {"A": 0.05, "B": 0.10}
TRUTH = sum(CLICKED.values()) / 2
NO_CAP = 1_000

# Of every share below a whole number of rounds, and of those a whole number of clicks.
_ROUNDS = 2_000
_SHARES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
_CAPS = (1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40)


@lru_cache(maxsize=len(_SHARES))
def _log(share: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return clicks and propensities of a log that came out exactly as expected."""
    rewards, propensities = [], []
    for item, chance in (("A", 1 - share), ("B", share)):
        shown = round(_ROUNDS * chance)
        rewards.append(np.arange(shown) < round(shown * CLICKED[item]))
        propensities.append(np.full(shown, chance))
    return np.concatenate(rewards).astype(np.float64), np.concatenate(propensities)


def _spread(estimate: Estimate, n: int) -> float:
    """Return the standard deviation of the estimate over logs of n rounds."""
    return estimate.standard_error * math.sqrt((_ROUNDS - 1) / n)


def _compute(state: State) -> Numbers:
    rewards, propensities = _log(state["share"])
    whole = ips(rewards, propensities, 1 / 2)
    clipped = ips(rewards, propensities, 1 / 2, weights="clipped", cap=state["cap"])
    bias, spread = clipped.value - TRUTH, _spread(clipped, state["n"])
    return {
        "plain": float(rewards.mean()),
        "clipped": clipped.value,
        "bias": bias,
        "spread": spread,
        "error": math.hypot(bias, spread),
        "unclipped": _spread(whole, state["n"]),
        "worth": clipped.effective_sample_size / _ROUNDS * state["n"],
    }


@lru_cache(maxsize=4)
def _best_cap(n: int) -> int:
    """Return the cap with the least total error for so many rounds, where B is shown least."""
    caps = (*_CAPS, NO_CAP)
    found = {cap: _compute({"share": _SHARES[-1], "cap": cap, "n": n})["error"] for cap in caps}
    return min(found, key=lambda cap: found[cap])


def _draw(state: State, numbers: Numbers) -> Picture:
    weights = {item: 0.5 / chance for item, chance in _chances(state).items()}
    cap, before, after = state["cap"], numbers["unclipped"], numbers["error"]
    if cap >= max(weights.values()):
        title = "The cap cuts nothing"
    elif abs(after - before) < 5e-4:
        title = "The cap hardly changes the error"
    else:
        title = "The cap lowers the error" if after < before else "The cap raises the error"
    rows = {
        "logged": (numbers["plain"], 0.0, GREY),
        "IPS": (TRUTH, before, ORANGE),
        "clipped": (numbers["clipped"], numbers["spread"], BLUE),
    }
    parts = [*_weights(weights, cap), *_estimates(rows)]
    alt = (
        f"A click on B weighs {min(weights['B'], cap):.3g} of {weights['B']:.3g}. {title}: "
        f"{after:.3f} with the cap, {before:.3f} without; the bias is {numbers['bias']:.3f}."
    )
    return board(f"{title}: {after:.3f}, not {before:.3f}", 226, parts, alt)


def _chances(state: State) -> dict[str, float]:
    return {"A": 1 - state["share"], "B": state["share"]}


# What a click may weigh, on an axis that ends beyond the largest weight.
_WEIGHT = Scale(0, 56, 24, 470)


def _weights(weights: dict[str, float], cap: float) -> list[str]:
    """Draw what a click weighs: its bar is dragged, and so is the cap on it."""
    parts = []
    for row, (item, weight) in enumerate(weights.items()):
        y, kept = 2 + 27 * row, min(weight, cap)
        # What the cap leaves is filled, what it takes is dashed.
        parts += [
            svg.text(0, y + 17, item),
            svg.box(_WEIGHT(0), y, _WEIGHT(weight) - _WEIGHT(0), 20, dashed=True),
            svg.box(_WEIGHT(0), y, _WEIGHT(kept) - _WEIGHT(0), 20, BLUE),
        ]
    ends = [_WEIGHT(0.5 / share) for share in _SHARES]
    x = _WEIGHT(weights["B"])
    end = group([svg.box(-4, 25, 8, 28, GREEN)], x=x)
    parts.append(handles.drag("share", ends, [end], along="x", grip=(x - 20, 18, 40, 40)))
    stops = [_WEIGHT(min(one, 54)) for one in (*_CAPS, NO_CAP)]
    x = _WEIGHT(min(cap, 54))
    words, wide = "no cap" if cap == NO_CAP else f"cap {cap}", 76
    moved = line_with_tag(x, 0, 62, words, wide=wide)
    grip = (clamp_left(x, wide), 40, wide, 54)
    parts.append(handles.drag("cap", stops, [moved], along="x", grip=grip))
    return parts


def _estimates(rows: dict[str, tuple[float, float, str]]) -> list[str]:
    """Draw each way to estimate: the mean over logs, one standard deviation to either side."""
    top, floor = 104, 182
    place = Scale(0, 0.2, 74, 462)
    parts = [
        svg.line(place(TRUTH), top - 6, place(TRUTH), floor, wide=1.5, dashed=True),
        svg.text(place(TRUTH) + 5, top + 5, "truth"),
        svg.line(place(0), floor, place(0.2), floor),
    ]
    for tick in (0, 0.05, 0.1, 0.15, 0.2):
        parts.append(svg.line(place(tick), floor, place(tick), floor + 4))
        parts.append(svg.text(place(tick), floor + 20, f"{tick:g}", anchor="middle"))
    parts.append(
        svg.text(place(0.2), floor + 40, "clicks per round, ± one deviation", anchor="end")
    )
    for row, (name, (value, spread, colour)) in enumerate(rows.items()):
        y = top + 18 + 24 * row
        low, high = (place(min(max(end, 0.0), 0.2)) for end in (value - spread, value + spread))
        parts.append(svg.text(0, y + 6, name))
        parts.append(svg.box(low, y - 3, high - low, 6, colour))
        parts.append(svg.text(place(0) - 3, y + 5, "◂" if value < spread else "", anchor="end"))
        parts.append(svg.dot(place(value), y, colour, size=6))
    return parts


clipping = Explorable(
    id="bias.clipping",
    question="Which cap errs least with 200 rounds, and which with 25,000?",
    hint="Drag the cap, and the end of B's bar: what a click on B weighs.",
    guess=Guess(
        "The log grows from 1,000 to 25,000 rounds. The bias will …",
        {"n": 25_000},
        "bias",
        "The cap takes as much from every click on B, however many there are.",
    ),
    goals=(
        Goal(
            "Keep one look in a hundred for B, and find the best cap for 200 rounds.",
            lambda s, n: (s["share"], s["n"]) == (0.01, 200) and s["cap"] == _best_cap(200),
            "With few rounds a low cap wins: bias is cheaper than spread.",
        ),
        Goal(
            "Find the best cap for 25,000 rounds.",
            lambda s, n: (s["share"], s["n"]) == (0.01, 25_000) and s["cap"] == _best_cap(25_000),
            "With many rounds the spread is small, and a cap costs more than it saves.",
        ),
    ),
    controls=(
        Control("share", "B's propensity", {s: f"{s:g}" for s in _SHARES}, 0.01, "slider"),
        Control(
            "cap", "Cap on weights", {**{c: str(c) for c in _CAPS}, NO_CAP: "none"}, 10, "slider"
        ),
        Control(
            "n", "Rounds in the log", {n: f"{n:,}" for n in (200, 1_000, 5_000, 25_000)}, 1_000
        ),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "plain": Quantity("Clicks as logged", 0.0, 0.2),
        "clipped": Quantity("Clipped IPS, mean", 0.0, 0.2),
        "bias": Quantity("Its bias", -0.1, 0.1),
        "spread": Quantity("Its deviation", 0.0, 0.2),
        "error": Quantity("Total error", 0.0, 0.2),
        "unclipped": Quantity("Without a cap", 0.0, 0.2),
        "worth": Quantity("Sample worth", high=None, places=0, unit="rounds"),
    },
)
