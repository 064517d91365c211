"""Propensities, weights and a cap on them: what is lost in bias and won in spread."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, GREY, ORANGE, VERMILION
from recsys_metrics.bias.off_policy import Estimate, ips
from recsys_metrics.workbook.charts.board import axes, board
from recsys_metrics.workbook.charts.marks import spread_apart, upright
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


_ALONG = {**{cap: str(cap) for cap in _CAPS}, NO_CAP: "none"}
_X = Scale(_CAPS[0], 60, 50, 420, math.log10)
_MOST = 0.16
_Y = Scale(0, _MOST, 196, 74)
_N = {n: f"{n:,}" for n in (200, 1_000, 5_000, 25_000)}


def _at(cap: float) -> float:
    return _X(min(cap, 60))


def _draw(state: State, numbers: Numbers) -> Picture:
    cap, before, after = state["cap"], numbers["unclipped"], numbers["error"]
    weight = 0.5 / state["share"]
    if cap >= weight:
        title = "The cap clips no weight"
    elif abs(after - before) < 5e-4:
        title = "The cap hardly changes the error"
    else:
        title = "The cap lowers the error" if after < before else "The cap raises the error"
    parts = axes(
        *(_X, _Y),
        x_ticks={1.0: "1", 2.0: "2", 5.0: "5", 10.0: "10", 20.0: "20", 60.0: "none"},
        y_ticks={0.0: "0", 0.05: "0.05", 0.1: "0.1", 0.15: "0.15"},
        x_label="cap on the importance weights",
        y_label="",
    )
    parts += [*_curves(state), _grip(state, numbers)]
    parts += [
        handles.button("share", f"{state['share']:.0%}", (0, 0, 164, 30), name="B shown in"),
        handles.button("n", _N[state["n"]], (176, 0, 222, 30), name="impressions"),
    ]
    alt = (
        f"A click on B has a weight of {min(weight, cap):.3g}, where {weight:.3g} is unclipped. "
        f"{title}: {after:.3f} with the cap and {before:.3f} without; the bias is "
        f"{numbers['bias']:.3f}."
    )
    return board(f"{title}: {after:.3f}, not {before:.3f}", _Y.start + 46, parts, alt)


@lru_cache(maxsize=len(_SHARES) * len(_N))
def _errors(share: float, n: int) -> dict[str, list[float]]:
    """Return the total error over the caps, and what it is made of."""
    found = [_compute({"share": share, "cap": cap, "n": n}) for cap in _ALONG]
    return {name: [abs(one[name]) for one in found] for name in ("error", "spread", "bias")}


def _curves(state: State) -> list[str]:
    """Draw the error over the caps, and bias and standard deviation, of which it is made."""
    looks = {"error": (BLUE, "error"), "spread": (GREY, "SD"), "bias": (VERMILION, "bias")}
    found = _errors(state["share"], state["n"])
    # Both meet the error where they make all of it: SD at the right, bias at the left.
    parts = []
    for name, (colour, _) in reversed(looks.items()):
        points = [
            (_at(cap), _Y(min(size, _MOST))) for cap, size in zip(_ALONG, found[name], strict=True)
        ]
        parts.append(svg.stroke(points, colour, dashed=name != "error"))
    ends = {name: _Y(min(found[name][-1], _MOST)) for name in ("error", "bias")}
    low = spread_apart(ends.values(), 20, _Y.end, _Y.start - 18)  # off the label of the axis
    same = abs(found["spread"][-1] - found["error"][-1]) < 1e-3
    names = ("SD" if not same else "error", "bias")
    parts += [svg.text(_at(NO_CAP) + 6, y + 6, words) for y, words in zip(low, names, strict=True)]
    return parts


def _grip(state: State, numbers: Numbers) -> str:
    """Draw the cap, which is dragged, with the error and its parts there."""
    x, stops = _at(state["cap"]), [_at(cap) for cap in _ALONG]
    marks = [upright(x, 64, _Y.start, ORANGE)]
    for name, colour in (("bias", VERMILION), ("spread", GREY), ("error", BLUE)):
        marks.append(svg.dot(x, _Y(min(abs(numbers[name]), _MOST)), colour, size=6))
    words = "no cap" if state["cap"] == NO_CAP else f"cap {state['cap']}"
    return handles.drag("cap", stops, (x, 52), along="x", parts=marks, words=words, wide=100)


clipping = Explorable(
    id="bias.clipping",
    question="Which cap gives the smallest error?",
    hint="Dashed: bias and standard deviation (SD).",
    guess=Guess(
        "The log grows from 1,000 to 25,000 impressions. The bias will …",
        {"n": 25_000},
        "bias",
        "The cap lowers the weight of every click on B by the same amount, however many "
        "impressions there are.",
    ),
    goals=(
        Goal(
            "B in 1%: the best cap for 200 impressions.",
            lambda s, n: (s["share"], s["n"], s["cap"]) == (0.01, 200, _best_cap(200)),
            "In a short log a low cap is best, because it reduces the standard deviation by more "
            "than it adds in bias.",
        ),
        Goal(
            "B in 1%: the best cap for 25,000.",
            lambda s, n: (s["share"], s["n"], s["cap"]) == (0.01, 25_000, _best_cap(25_000)),
            "In a long log the standard deviation is small, so a cap adds more bias than it saves.",
        ),
    ),
    controls=(
        Control("share", "B's propensity", {s: f"{s:g}" for s in _SHARES}, 0.01, "press"),
        Control("cap", "Cap on weights", _ALONG, 10, "slider"),
        Control("n", "Impressions in the log", _N, 1_000, "press"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "plain": Quantity("Logged click rate", 0.0, 0.2),
        "clipped": Quantity("Clipped IPS", 0.0, 0.2),
        "bias": Quantity("Bias", -0.1, 0.1),
        "spread": Quantity("SD", 0.0, 0.2),
        "error": Quantity("RMSE", 0.0, 0.2),
        "unclipped": Quantity("Without a cap", 0.0, 0.2),
        "worth": Quantity("ESS", high=None, places=0),
    },
    in_picture=("error", "unclipped"),
)
