"""Looking at a test while it runs: what each rule for stopping does when nothing was gained."""

from __future__ import annotations

from functools import cache

import numpy as np

from recsys_metrics._core.colors import BLUE, GREEN, VERMILION
from recsys_metrics.protocol.online import (
    GroupSequential,
    always_valid_interval,
    group_sequential,
)
from recsys_metrics.workbook.charts.board import axes, board
from recsys_metrics.workbook.charts.marks import clamp_left, spread_apart, tag
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
    "peeking": "1.96 each time: peeking",
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
    words = "share of the planned users seen"
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
    for end, name in zip(ends, ("promised", "alarms"), strict=True):
        parts.append(svg.text(_X.end + 8, end + 5, name))
    x = _X(1 / looks)
    first = [svg.line(x, 27, x, _Y(0), wide=2), *tag(x, 0, _said(looks), wide=_TAG)]
    stops = [_X(1 / n) for n in _N_ANALYSES]
    grip = (clamp_left(x, _TAG), 0.0, _TAG, _Y(0) + 4)
    parts.append(handles.drag("looks", stops, first, along="x", grip=grip))
    alt = (
        f"{_RULES[rule]}, {_said(looks)} at a test in which nothing is gained: by the last look "
        f"{numbers['alarms']:.3f} of such tests have raised an alarm, where 0.05 are promised "
        f"(dashed)."
    )
    alarms = f"{numbers['alarms']:.1%}".replace("%", " %")
    title = f"{_said(looks)}: {alarms} false alarms, {'as' if kept else 'not as'} promised"
    return board(title, _Y.start + 46, parts, alt)


def _said(looks: int) -> str:
    return f"{looks} look{'s' if looks > 1 else ''}"


peeking = Explorable(
    id="protocol.peeking",
    question="Nothing is gained. Which rule keeps its word, at what price?",
    goals=(
        Goal(
            "Make peeking alarm in more than one test of four.",
            lambda s, n: s["rule"] == "peeking" and n["alarms"] > 0.25,
            "Nothing was gained in any of them.",
        ),
        Goal(
            "Look ten times or more, keep one alarm in twenty, and find the planned gain in three "
            "tests of four.",
            lambda s, n: s["looks"] >= 10 and n["alarms"] < 0.0505 and n["finds"] > 0.75,
            "Bounds that are strict early and kind late cost little.",
        ),
    ),
    guess=Guess(
        "A real gain, and 50 looks in place of 10. What peeking finds will …",
        {"looks": 50},
        "finds",
        "Each look is one more chance to stop, with a gain as without: so peeking looks good.",
    ),
    hint="Drag the first look; the others follow at the same distance.",
    controls=(
        Control("looks", "Looks", {n: str(n) for n in _N_ANALYSES}, 10, "slider"),
        Control("rule", "Stop at", _RULES, "peeking"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "alarms": "False alarms",
        "finds": "Finds planned gain",
        "first": Quantity("First bound", high=None, places=2, unit="errors"),
        "last": Quantity("Last bound", high=None, places=2, unit="errors"),
    },
)
