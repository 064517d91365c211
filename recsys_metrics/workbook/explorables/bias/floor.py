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


def _weight_text(weight: float) -> str:
    """Return a weight in two digits, or in all of a whole number's."""
    return f"{weight:.0f}" if weight >= 10 else f"{weight:.2g}"


def _draw(state: State, numbers: Numbers) -> Picture:
    true, used = popularity_propensity(COUNTS, power=TRUE_POWER), assumed(state)
    parts = [svg.text(386, 18, "weight"), svg.text(386, _BAR(0) + 32, "bought")]
    for place, (count, at, of) in enumerate(zip(COUNTS, true, used, strict=True)):
        x = 4 + place * _STEP
        parts += [
            svg.text(x + 18, 18, _weight_text(1 / of), anchor="middle"),
            svg.box(x, _BAR(float(of)), 36, _BAR(0) - _BAR(float(of)), BLUE),
            svg.box(x + 6, _BAR(float(at)), 24, _BAR(0) - _BAR(float(at)), dashed=True),
            svg.text(x + 18, _BAR(0) + 20, str(count), anchor="middle"),
        ]
    stops = [_BAR(level) for level in _FLOORS]
    y = _BAR(state["floor"])
    words = f"floor {state['floor']:g}" if state["floor"] else "no floor"
    line = group([svg.box(0, -1.25, 386, 2.5, ORANGE)], y=y)
    parts.append(
        handles.drag("floor", stops, (420, y), along="y", parts=[line], words=words, wide=120)
    )
    title = f"Estimate {numbers['ips']:.3f}, truth {numbers['truth']:.3f}"
    alt = (
        f"Propensities of eight items, estimated from counts to the power {state['power']:g}, "
        f"with {words}: {numbers['floored']:.0f} are raised to it. {title}; the mean weight is "
        f"{numbers['mean_weight']:.2f}."
    )
    return board(title, 222, parts, alt)


floor = Explorable(
    id="bias.floor",
    question="Is a mean weight of 1 enough?",
    goals=(
        Goal(
            "With a wrong power, get a mean weight of 1.00.",
            lambda s, n: s["power"] != TRUE_POWER and abs(n["mean_weight"] - 1) < 0.01,
            "Two errors cancel in the mean weight, but not in the estimate.",
        ),
        Goal(
            "With the true power, raise 3 items to the floor.",
            lambda s, n: s["power"] == TRUE_POWER and n["floored"] == 3,
            "The estimate is again that of the log without any weights.",
        ),
    ),
    guess=Guess(
        "The floor goes to 0.1: no weight above 10. The estimate will …",
        {"floor": 0.1},
        "ips",
        "Only the rarest item loses weight, and it is the one that users like best.",
    ),
    hint="Dashed: the true propensities.",
    controls=(
        Control("floor", "Floor", {f: f"{f:g}" if f else "none" for f in _FLOORS}, 0.0, "slider"),
        Control("power", "Exponent of counts", _POWERS, TRUE_POWER),
    ),
    compute=_compute,
    draw=_draw,
    in_picture=("ips", "truth", "largest"),
    labels={
        "logged": Quantity("Naive mean", 0.0, 2.0),
        "ips": Quantity("IPS, expected", 0.0, 2.0),
        "truth": Quantity("True mean", 0.0, 2.0),
        "mean_weight": Quantity("Mean weight", 0.0, 6.0),
        "largest": Quantity("Largest weight", high=None, places=0),
        "floored": Quantity("At the floor", high=None, places=0, unit="items"),
    },
)
