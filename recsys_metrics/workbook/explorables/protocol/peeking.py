"""Looking at a test while it runs: what each rule for stopping does when nothing was gained."""

from __future__ import annotations

from functools import cache

import numpy as np

from recsys_metrics._core.colors import BLUE, GREEN, ORANGE, VERMILION
from recsys_metrics.protocol.online import (
    GroupSequential,
    always_valid_interval,
    group_sequential,
)
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

ALPHA = 0.05
PLANNED = 2.8016
"""The gain that one look finds four times in five, in standard errors of the last look."""

_N_ANALYSES = (1, 2, 3, 5, 10, 20, 50)
_RULES = {
    "peeking": "1.96 each time (peeking)",
    "pocock": "Pocock",
    "obrien-fleming": "O'Brien and Fleming",
    "always-valid": "always valid",
}
_X, _Y = Scale(0, 1, 40, 392), Scale(0, 0.35, 178, 50)
_TICKS = {share: f"{share:g}" for share in (0, 0.2, 0.4, 0.6, 0.8, 1)}
_TAG = 98.0


@cache
def design(looks: int, rule: str) -> GroupSequential:
    """Return the bounds of so many looks, evenly spaced, under a rule for stopping."""
    if rule == "pocock":
        return group_sequential(looks, alpha=ALPHA, family="pocock", by="constant")
    late = group_sequential(looks, alpha=ALPHA)
    if rule == "obrien-fleming":
        return late
    if rule == "peeking":
        bounds = np.full(looks, group_sequential(1, alpha=ALPHA).bounds[0])
    else:
        errors = 1 / np.sqrt(late.fractions)
        always = always_valid_interval(
            np.zeros(looks), errors, expected_gain=PLANNED, level=1 - ALPHA
        )
        bounds = always.high / errors
    return _stopped_at(late, bounds.tolist())


def _stopped_at(planned: GroupSequential, bounds: list[float]) -> GroupSequential:
    """Return the looks that were planned, as many as there are bounds, with these bounds."""
    # A chance to stop asks only where the looks and the bounds are.
    return GroupSequential(
        planned.fractions[: len(bounds)], tuple(bounds), (), ALPHA, planned.family, planned.by
    )


@cache
def _alarms(looks: int, rule: str) -> tuple[float, ...]:
    """Return the chance of a false alarm by each look."""
    planned = design(looks, rule)
    return tuple(
        _stopped_at(planned, list(planned.bounds[:n])).power(0.0) for n in range(1, looks + 1)
    )


@cache
def _finds(looks: int, rule: str) -> float:
    return design(looks, rule).power(PLANNED)


def _compute(state: State) -> Numbers:
    looks, rule = state["looks"], state["rule"]
    bounds = design(looks, rule).bounds
    return {
        "alarms": _alarms(looks, rule)[-1],
        "finds": _finds(looks, rule),
        "first": bounds[0],
        "last": bounds[-1],
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    looks, rule = state["looks"], state["rule"]
    kept = numbers["alarms"] < ALPHA + 0.001
    colour = GREEN if kept else VERMILION
    shares = {share: f"{share:g}" for share in (0.0, 0.1, 0.2, 0.3)}
    words = "fraction of the planned sample"
    parts = axes(_X, _Y, x_ticks=_TICKS, y_ticks=shares, x_label=words, y_label="")
    promised = _Y(ALPHA)
    parts.append(svg.stroke([(_X(0), promised), (_X(1), promised)], BLUE, dashed=True))
    steps = [f"M{_X(0):.0f} {_Y(0):.1f}"]
    for n, share in enumerate(_alarms(looks, rule), 1):
        steps.append(f"H{_X(n / looks):.1f}V{_Y(share):.1f}")
    parts.append(f'<path d="{"".join(steps)}" fill="none" stroke="{colour}" stroke-width="3"/>')
    marks = "".join(f"M{_X(n / looks):.1f} {_Y(0) - 9:.1f}v9" for n in range(1, looks + 1))
    parts.append(f'<path d="{marks}" fill="none" stroke="currentColor" stroke-width="1.6"/>')
    ends = spread_apart([promised, _Y(numbers["alarms"])], 18)
    for end, name in zip(ends, ("nominal", "alarms"), strict=True):
        parts.append(svg.text(_X.end + 8, end + 5, name))
    x = _X(1 / looks)
    line, stops = [upright(x, 27, _Y(0), ORANGE)], [_X(1 / n) for n in _N_ANALYSES]
    words = _said(looks)
    parts.append(
        handles.drag("looks", stops, (x, 13.5), along="x", parts=line, words=words, wide=112)
    )
    alt = (
        f"{_said(looks)} of a test with no true gain, with the bounds {_RULES[rule]}. By the last "
        f"analysis a fraction of {numbers['alarms']:.3f} of such tests have raised a false "
        "alarm, compared with a nominal 0.05 (dashed)."
    )
    alarms = f"{numbers['alarms']:.1%}"
    title = f"{_said(looks)}: {alarms} false alarms{', as planned' if kept else ', not 5%'}"
    return board(title, _Y.start + 46, parts, alt)


def _said(looks: int) -> str:
    return f"{looks} {'analyses' if looks > 1 else 'analysis'}"


peeking = Explorable(
    id="protocol.peeking",
    question="How often does peeking raise a false alarm?",
    goals=(
        Goal(
            "Get false alarms in more than 25% of tests.",
            lambda s, n: s["rule"] == "peeking" and n["alarms"] > 0.25,
            "There was no true gain in any of them.",
        ),
        Goal(
            "10 analyses or more, 5% false alarms, power above 75%.",
            lambda s, n: s["looks"] >= 10 and n["alarms"] < 0.0505 and n["finds"] > 0.75,
            "Bounds that are strict early and lenient late cost little power.",
        ),
    ),
    guess=Guess(
        "There is a true gain, and there are 50 analyses instead of 10. The power will …",
        {"looks": 50},
        "finds",
        "Each analysis is another chance to stop, with or without a true gain, so the power of "
        "peeking looks good.",
    ),
    controls=(
        Control("looks", "Interim analyses", {n: str(n) for n in _N_ANALYSES}, 10, "slider"),
        Control("rule", "Bounds", _RULES, "peeking"),
    ),
    compute=_compute,
    draw=_draw,
    in_picture=("alarms",),
    labels={
        "alarms": "False alarms",
        "finds": "Power",
        "first": Quantity("First bound, z", high=None, places=2),
        "last": Quantity("Last bound, z", high=None, places=2),
    },
)
