"""A gain measured over a few runs: how many it takes until one may ship."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.protocol.significance import Interval, Verdict, paired_t_test, t_interval
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, GREEN, VERMILION
from recsys_metrics.workbook.picture import Picture
from recsys_metrics.workbook.plots.protocol import Scale, line, picture, text, x_axis

Z = 1.96
"""What t* tends to with many runs; with few it is too small."""

_RUNS = (3, 5, 8, 12, 20, 50, 100, 200)
_GAINS = (0.0, 0.002, 0.004, 0.006, 0.008, 0.010)
_SPREADS = (0.004, 0.007, 0.010, 0.013)


@cache
def _pattern(n: int) -> NDArray[np.float64]:
    """Return n values like draws from a normal distribution, of mean 0 and deviation 1."""
    from scipy.special import ndtri

    scores = ndtri((np.arange(n) + 0.5) / n)
    pattern: NDArray[np.float64] = scores / scores.std(ddof=1)
    return pattern


def gains(state: State) -> NDArray[np.float64]:
    """Return the gain of each run: exactly this mean and this standard deviation."""
    values: NDArray[np.float64] = state["gain"] + state["spread"] * _pattern(state["runs"])
    return values


def _interval(numbers: Numbers, runs: int) -> Interval:
    return Interval(numbers["mean"], numbers["low"], numbers["high"], level=0.95, n=runs)


def _compute(state: State) -> Numbers:
    runs = gains(state)
    found = t_interval(runs)
    critical = found.critical if state["critical"] == "t" else Z
    half = critical * found.standard_error
    return {
        "mean": state["gain"],
        "standard_error": found.standard_error,
        "critical": critical,
        "low": state["gain"] - half,
        "high": state["gain"] + half,
        "p_value": paired_t_test(np.zeros(len(runs)), runs).p_value,
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    x = Scale(-0.04, 0.05, 20, 420)
    floor, bar = 150, 128
    values, interval = gains(state), _interval(numbers, state["runs"])
    ship = Verdict.of(interval).ship
    says = "Ship: the interval lies above 0" if ship else "Do not ship: the interval holds 0"
    colour = GREEN if ship else VERMILION
    parts = [text(10, 18, says, anchor="start", bold=True)]
    ticks = {-0.04: "−0.04", -0.02: "−0.02", 0.0: "0", 0.02: "0.02", 0.04: "0.04"}
    parts.append(x_axis(x, floor, ticks, "gain of the new recommender in one run"))
    parts.append(line(x(0), 34, x(0), floor, dash="4 3"))
    # Rows, so that neighbours stand above each other rather than on each other.
    rows = 1 if len(values) <= 8 else 4 if len(values) <= 50 else 8
    # One path of round dots: two hundred circles would weigh four times as much.
    dots = "".join(f"M{x(v):.0f} {104 - (i % rows) * 8}h0" for i, v in enumerate(values))
    parts.append(f'<path d="{dots}" stroke="{BLUE}" stroke-width="7" stroke-linecap="round"/>')
    low, high = x(interval.low), x(interval.high)
    parts += [line(low, bar, high, bar, colour=colour, width=5)]
    parts += [line(end, bar - 8, end, bar + 8, colour=colour, width=2) for end in (low, high)]
    parts.append(
        f'<circle cx="{x(interval.estimate):.1f}" cy="{bar}" r="6" fill="{colour}" '
        'stroke="currentColor"/>'
    )
    alt = (
        f"{len(values)} gains around {state['gain']:g} and the interval of their mean, from "
        f"{interval.low:z.3f} to {interval.high:z.3f}. {says}."
    )
    return picture(440, 196, parts, alt)


ship_or_not = Explorable(
    id="protocol.ship_or_not",
    question="The gain stays at 0.002 and wobbles by 0.013. How many runs until you may ship?",
    goals=(
        Goal(
            "Ship by 1.96 what is not significant by the t-test.",
            lambda s, n: s["critical"] == "z" and n["low"] > 0 and n["p_value"] > 0.05,
            "The fewer the runs, the more the spread itself is a guess; 1.96 takes it for known.",
        ),
        Goal(
            "Leave gain and wobble as they are, keep t*, and get the whole interval above 0.",
            lambda s, n: (
                (s["gain"], s["spread"], s["critical"]) == (0.002, 0.013, "t") and n["low"] > 0
            ),
            "A gain this small in a wobble this large takes that many runs.",
        ),
    ),
    controls=(
        Control("runs", "Runs (seeds)", {n: str(n) for n in _RUNS}, 5, "slider"),
        Control("gain", "Mean gain", {g: f"{g:.3f}" for g in _GAINS}, 0.002, "slider"),
        Control(
            "spread",
            "Standard deviation of the gains",
            {s: f"{s:.3f}" for s in _SPREADS},
            0.013,
            "slider",
        ),
        Control(
            "critical",
            "Interval made with",
            {"t": "t*, for so many runs", "z": "1.96 whatever the runs (z for t)"},
            "t",
        ),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "mean": Quantity("Mean gain", high=None),
        "standard_error": Quantity("Standard error", high=None, places=4),
        "critical": Quantity("Standard errors to either side", high=None),
        "low": Quantity("Interval from", high=None, places=4),
        "high": Quantity("to", high=None, places=4),
        "p_value": Quantity("p-value of the paired t-test"),
    },
)
