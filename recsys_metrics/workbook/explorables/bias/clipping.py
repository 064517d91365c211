"""Propensities, weights and a cap on them: what is lost in bias and won in spread."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.bias.off_policy import Estimate, clipped_ips, ips
from recsys_metrics.workbook import svg
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, GREY, ORANGE
from recsys_metrics.workbook.picture import Picture

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
    clipped = clipped_ips(rewards, propensities, 1 / 2, cap=state["cap"])
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
    if min(cap, max(weights.values())) == max(weights.values()):
        verdict = "The cap cuts nothing"
    elif abs(after - before) < 5e-4:
        verdict = "Clipping changes the error by less than a thousandth"
    else:
        verdict = "Clipping lowers the error" if after < before else "Clipping raises the error"
    rows = {
        "clicks as logged": (numbers["plain"], 0.0, GREY),
        "IPS": (TRUTH, before, ORANGE),
        "clipped IPS": (numbers["clipped"], numbers["spread"], BLUE),
    }
    parts = [
        svg.text(0, 14, f"{verdict}: {after:.3f}, without a cap {before:.3f}", bold=True),
        *_weight_bars(weights, cap),
        *_estimates(rows),
    ]
    alt = (
        f"A click on B weighs {min(weights['B'], cap):.3g} of {weights['B']:.3g}. {verdict}: "
        f"{after:.3f} with the cap, {before:.3f} without; the bias is {numbers['bias']:.3f}."
    )
    return svg.sheet(480, 216, parts, alt)


def _chances(state: State) -> dict[str, float]:
    return {"A": 1 - state["share"], "B": state["share"]}


def _weight_bars(weights: dict[str, float], cap: float) -> list[str]:
    """Draw what a click weighs, and dashed what the cap takes from it."""
    left, wide, parts = 120, 280, []
    for row, (item, weight) in enumerate(weights.items()):
        y, kept = 26 + 24 * row, min(weight, cap)
        full, used = weight / 50 * wide, kept / 50 * wide
        words = f"{kept:.3g}" if kept == weight else f"{kept:.3g} of {weight:.3g}"
        parts += [
            svg.text(0, y + 12, f"a click on {item} counts"),
            svg.box(left, y, full, 15, dashed=True) if kept < weight else "",
            svg.box(left, y, used, 15, BLUE),
            svg.text(left + full + 6, y + 12, words),
        ]
    return parts


def _estimates(rows: dict[str, tuple[float, float, str]]) -> list[str]:
    """Draw each way to estimate: the mean over logs, one standard deviation to either side."""
    left, wide, most, top, floor = 120, 330, 0.2, 106, 180

    def place(value: float) -> float:
        return left + min(max(value, 0.0), most) / most * wide

    parts = [
        svg.line(place(TRUTH), top - 10, place(TRUTH), floor, wide=1.5, dashed=True),
        svg.text(place(TRUTH) + 4, top - 4, "truth"),
        svg.line(left, floor, left + wide, floor),
    ]
    for tick in (0, 0.05, 0.1, 0.15, 0.2):
        parts.append(svg.line(place(tick), floor, place(tick), floor + 4))
        parts.append(svg.text(place(tick), floor + 17, f"{tick:g}", anchor="middle"))
    parts.append(svg.text(left, floor + 32, "clicks per round: mean over logs, ± one deviation"))
    for row, (name, (value, spread, colour)) in enumerate(rows.items()):
        y = top + 14 + 22 * row
        low, high = place(value - spread), place(value + spread)
        parts.append(svg.text(0, y + 4, name))
        parts.append(svg.box(low, y - 2.5, high - low, 5, colour) if spread else "")
        if value - spread < 0:
            parts.append(svg.text(left - 3, y + 4, "◂", anchor="end"))
        parts.append(svg.dot(place(value), y, colour, size=5))
    return parts


clipping = Explorable(
    id="bias.clipping",
    question="B is shown seldom, and a cap limits what a click on it may weigh. Which cap has the "
    "least total error with 200 rounds, and which with 25,000?",
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
        "plain": Quantity("clicks as logged", 0.0, 0.2),
        "clipped": Quantity("clipped IPS, mean over logs", 0.0, 0.2),
        "bias": Quantity("its bias", -0.1, 0.1),
        "spread": Quantity("its standard deviation", 0.0, 0.2),
        "error": Quantity("total error, √(bias² + deviation²)", 0.0, 0.2),
        "unclipped": Quantity("total error without a cap", 0.0, 0.2),
        "worth": Quantity("effective sample size", high=None, places=0, unit="rounds"),
    },
)
