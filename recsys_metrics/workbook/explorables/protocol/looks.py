"""Looking at a test while it runs: what each rule for stopping does when nothing was gained."""

from __future__ import annotations

from functools import cache

import numpy as np

from recsys_metrics.protocol.online import (
    GroupSequential,
    always_valid_interval,
    group_sequential,
)
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, GREEN, VERMILION
from recsys_metrics.workbook.picture import Picture
from recsys_metrics.workbook.plots.protocol import Scale, line, picture, text, x_axis

ALPHA = 0.05
PLANNED = 2.8016
"""The gain that one look finds four times in five, in standard errors of the last look."""

_LOOKS = (1, 2, 3, 5, 10, 20, 50)
_RULES = {
    "peeking": "1.96 at each look (peeking)",
    "pocock": "Pocock's bounds",
    "obrien-fleming": "O'Brien and Fleming's bounds",
    "always-valid": "always-valid interval",
}
_HIGHEST = 0.35


@cache
def design(looks: int, rule: str) -> GroupSequential:
    """Return the bounds of so many looks, evenly spaced, under a rule for stopping."""
    if rule == "pocock":
        return group_sequential(looks, alpha=ALPHA, family="pocock")
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
    x, y = Scale(0, 1, 46, 414), Scale(0, _HIGHEST, 170, 34)
    kept = numbers["alarms"] < ALPHA + 0.001
    colour = GREEN if kept else VERMILION
    says = f"{looks} look{'s' if looks > 1 else ''}: {numbers['alarms']:.1%} false alarms"
    says += ", as promised" if kept else ", more than promised"
    parts = [text(10, 18, says.replace("%", " %"), anchor="start", bold=True)]
    ticks = {share: f"{share:g}" for share in (0, 0.2, 0.4, 0.6, 0.8, 1)}
    parts.append(x_axis(x, y(0), ticks, "share of the planned users seen so far"))
    shares = (0.0, 0.1, 0.2, 0.3)
    parts += [text(x(0) - 8, y(share) + 4, f"{share:g}", anchor="end") for share in shares]
    parts.append(line(x(0), y(ALPHA), x(1), y(ALPHA), colour=BLUE, width=1.5, dash="6 3"))
    steps = [f"M{x(0):.0f} {y(0):.1f}"]
    for n, share in enumerate(_alarms(looks, rule), 1):
        steps.append(f"H{x(n / looks):.1f}V{y(share):.1f}")
    parts.append(f'<path d="{"".join(steps)}" fill="none" stroke="{colour}" stroke-width="3"/>')
    alt = (
        f"{_RULES[rule]}, {looks} looks at a test in which nothing is gained: by the last look "
        f"{numbers['alarms']:.3f} of such tests have raised an alarm, where 0.05 are promised "
        f"(dashed)."
    )
    return picture(440, 216, parts, alt)


looks = Explorable(
    id="protocol.looks",
    question="Nothing is gained. From how many looks on does peeking alarm in more than one test "
    "of five, and which rule keeps one in twenty at the lowest price?",
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
    controls=(
        Control("looks", "Looks", {n: str(n) for n in _LOOKS}, 3, "slider"),
        Control("rule", "Stop at", _RULES, "peeking"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "alarms": "False alarms",
        "finds": "Finds the gain that was planned for",
        "first": Quantity("Bound at the first look", high=None, places=2, unit="errors"),
        "last": Quantity("Bound at the last look", high=None, places=2, unit="errors"),
    },
)
