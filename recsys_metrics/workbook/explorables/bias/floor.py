"""Propensities that were guessed from popularity, and a floor below which none may fall."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, ORANGE
from recsys_metrics.bias.propensity import popularity_propensity
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import group
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

COUNTS = (400, 225, 100, 49, 25, 9, 4, 1)
"""How often each of eight items was bought."""

LIKED = (0.10, 0.12, 0.15, 0.18, 0.22, 0.26, 0.30, 0.34)
"""Who likes each of them: what is seldom bought is liked better."""

TRUE_POWER = 0.5
_POWERS = {0.25: "a quarter", 0.5: "a half, the truth", 0.75: "three quarters", 1.0: "one"}
_FLOORS = (0.0, 0.05, 0.1, 0.2, 0.4)

_BAR = Scale(0, 1, 186, 36)
_STEP = 47


def assumed(state: State) -> NDArray[np.float64]:
    """Return the propensities that the state's power and floor give."""
    return popularity_propensity(COUNTS, power=state["power"], floor=state["floor"])


def _compute(state: State) -> Numbers:
    true = popularity_propensity(COUNTS, power=TRUE_POWER)
    # What each item weighs on average: as often as it is seen, over what is assumed of it.
    weights, liked = true / assumed(state), np.array(LIKED)
    raw = popularity_propensity(COUNTS, power=state["power"])
    return {
        "logged": float(true @ liked / true.sum()),
        "ips": float((weights * liked).mean()),
        "truth": float(liked.mean()),
        "mean_weight": float(weights.mean()),
        "largest": float((1 / assumed(state)).max()),
        "floored": int((raw < state["floor"]).sum()),
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    true, used = popularity_propensity(COUNTS, power=TRUE_POWER), assumed(state)
    parts = [svg.text(386, 18, "weight"), svg.text(386, _BAR(0) + 20, "bought")]
    for place, (count, at, of) in enumerate(zip(COUNTS, true, used, strict=True)):
        x = 4 + place * _STEP
        parts += [
            svg.text(x + 18, 18, f"{1 / of:.2g}", anchor="middle"),
            svg.box(x, _BAR(float(of)), 36, _BAR(0) - _BAR(float(of)), BLUE),
            svg.box(x + 6, _BAR(float(at)), 24, _BAR(0) - _BAR(float(at)), dashed=True),
            svg.text(x + 18, _BAR(0) + 20, str(count), anchor="middle"),
        ]
    stops = [_BAR(level) for level in _FLOORS]
    y = _BAR(state["floor"])
    words = f"floor {state['floor']:g}" if state["floor"] else "no floor"
    marks = [
        svg.box(0, -1.25, 386, 2.5, ORANGE),
        svg.box(386, -24, 92, 26, ORANGE),
        svg.text(432, -5, words, anchor="middle", ink="#000000"),
    ]
    parts.append(
        handles.drag("floor", stops, [group(marks, y=y)], along="y", grip=(0, y - 28, 478, 44))
    )
    title = f"Estimate {numbers['ips']:.3f}, truth {numbers['truth']:.3f}"
    alt = (
        f"Propensities of eight items from counts to the power {state['power']:g}, with "
        f"{words}: {numbers['floored']:.0f} stand on it. {title}; the mean weight is "
        f"{numbers['mean_weight']:.2f}."
    )
    return board(title, 214, parts, alt)


floor = Explorable(
    id="bias.floor",
    question="The mean weight is 1. Does that make the estimate right?",
    goals=(
        Goal(
            "With a wrong power, bring the mean weight to 1 within a hundredth.",
            lambda s, n: s["power"] != TRUE_POWER and abs(n["mean_weight"] - 1) < 0.01,
            "Two mistakes cancel in the mean weight, and not in the estimate.",
        ),
        Goal(
            "With the true power, floor until three items stand on it.",
            lambda s, n: s["power"] == TRUE_POWER and n["floored"] == 3,
            "The estimate is back at what the log said without any weights.",
        ),
    ),
    guess=Guess(
        "Nothing may weigh more than ten: the floor goes to 0.1. The estimate will …",
        {"floor": 0.1},
        "ips",
        "Only the rarest item is weighed down, and it is the one that is liked best.",
    ),
    hint="Drag the floor. Dashed: how often each item is really seen.",
    controls=(
        Control("floor", "Floor", {f: f"{f:g}" if f else "none" for f in _FLOORS}, 0.0, "slider"),
        Control("power", "Power of the counts", _POWERS, TRUE_POWER),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "logged": Quantity("Liking in the log", 0.0, 2.0),
        "ips": Quantity("IPS, expected", 0.0, 2.0),
        "truth": Quantity("True liking", 0.0, 2.0),
        "mean_weight": Quantity("Mean weight", 0.0, 6.0),
        "largest": Quantity("Largest weight", high=None, places=0),
        "floored": Quantity("On the floor", high=None, places=0, unit="items"),
    },
)
