"""A gain measured over a few runs: how many it takes until the interval excludes 0."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, GREEN, SKY, VERMILION
from recsys_metrics.protocol.significance import Interval, paired_t_test, t_interval
from recsys_metrics.workbook.charts.board import WIDE, board
from recsys_metrics.workbook.charts.marks import clamp_left, tag, tag_width
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

Z = 1.96
"""What t* tends to with many runs; with few it is too small."""

_RUNS = (3, 5, 8, 20, 50, 100, 200)
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


def _half(state: State) -> float:
    """Return how far the interval goes to either side."""
    found = t_interval(gains(state))
    return (found.critical if state["critical"] == "t" else Z) * found.standard_error


def _compute(state: State) -> Numbers:
    runs = gains(state)
    found = t_interval(runs)
    critical = found.critical if state["critical"] == "t" else Z
    half = _half(state)
    return {
        "mean": state["gain"],
        "standard_error": found.standard_error,
        "critical": critical,
        "low": state["gain"] - half,
        "high": state["gain"] + half,
        "p_value": paired_t_test(np.zeros(len(runs)), runs).p_value,
    }


_X = Scale(-0.04, 0.05, 28, 466)
_TICKS = {-0.04: "−0.04", -0.02: "−0.02", 0.0: "0", 0.02: "0.02", 0.04: "0.04"}
_MEAN, _CLOUD, _BAR, _FLOOR = 40, 100, 124, 178


def _draw(state: State, numbers: Numbers) -> Picture:
    runs, gain = state["runs"], state["gain"]
    interval = _interval(numbers, runs)
    says = f"The CI {'excludes' if interval.low > 0 else 'includes'} 0"
    parts = [svg.line(_X(0), _MEAN + 2, _X(0), _FLOOR, dashed=True)]
    parts += [svg.line(_X.start, _FLOOR, _X.end, _FLOOR)]
    for value, words in _TICKS.items():
        parts.append(svg.line(_X(value), _FLOOR, _X(value), _FLOOR + 4))
        parts.append(svg.text(_X(value), _FLOOR + 20, words, anchor="middle"))
    parts.append(svg.text(_X.end, _FLOOR + 41, "gain of the new model in one run", anchor="end"))
    parts += [*_cloud(state), _mean(state), *_bar(state, interval), _switch(state, numbers)]
    alt = (
        f"{runs} gains around {gain:g} and the 95% CI of their mean, from "
        f"{interval.low:z.3f} to {interval.high:z.3f}, computed with "
        f"{'t*' if state['critical'] == 't' else '1.96'}. {says}."
    )
    return board(says, _FLOOR + 46, parts, alt)


def _mean(state: State) -> str:
    """Draw the mean gain on a tag that is dragged."""
    x, words = _X(state["gain"]), f"mean {state['gain']:.3f}"
    marks = [svg.line(x, 27, x, _BAR, wide=1.6), *tag(x, 0, words)]
    wide = tag_width(words)
    stops = [_X(value) for value in _GAINS]
    return handles.drag("gain", stops, marks, along="x", grip=(clamp_left(x, wide), -8, wide, 46))


def _cloud(state: State) -> list[str]:
    """Draw the runs, the outermost of which is dragged."""
    values = gains(state)
    # Rows, so that neighbours stand above each other rather than on each other.
    rows = 1 if len(values) <= 8 else 4 if len(values) <= 50 else 8
    # One path of round dots: two hundred circles would weigh four times as much.
    dots = "".join(f"M{_X(v):.0f} {_CLOUD - (i % rows) * 7}h0" for i, v in enumerate(values))
    far = float(_pattern(state["runs"])[-1])
    x, y = _X(state["gain"] + far * state["spread"]), _CLOUD - ((len(values) - 1) % rows) * 7
    marks = [svg.dot(x, y, BLUE, size=8), svg.line(x, y - 4, x, y + 4, wide=1.5)]
    stops = [_X(state["gain"] + far * spread) for spread in _SPREADS]
    grip = (x - 20, _CLOUD - 60, 40.0, 68.0)
    return [
        f'<path d="{dots}" stroke="{BLUE}" stroke-width="7" stroke-linecap="round"/>',
        handles.drag("spread", stops, marks, along="x", grip=grip),
    ]


def _bar(state: State, interval: Interval) -> list[str]:
    """Draw the interval, whose lower end is dragged: more runs bring it in."""
    colour = GREEN if interval.low > 0 else VERMILION
    low, high = _X(interval.low), _X(interval.high)
    words = f"{state['runs']} runs"
    marks = [svg.stroke([(low, _BAR - 8), (low, _BAR + 14)], colour), *tag(low, _BAR + 13, words)]
    stops = [_X(state["gain"] - _half({**state, "runs": runs})) for runs in _RUNS]
    wide = tag_width(words)
    grip = (clamp_left(low, wide), _BAR - 12, wide, 56)
    return [
        svg.box(low, _BAR - 3, high - low, 6, colour),
        svg.stroke([(high, _BAR - 8), (high, _BAR + 8)], colour),
        svg.dot(_X(interval.estimate), _BAR, colour, size=6),
        handles.drag("runs", stops, marks, along="x", grip=grip),
    ]


def _switch(state: State, numbers: Numbers) -> str:
    """Draw how many standard errors the interval goes to either side, and whether by t or by z."""
    kind = "t*" if state["critical"] == "t" else "z"
    words, wide = f"{kind} = {numbers['critical']:.2f}", 112.0
    marks = tag(WIDE - wide / 2, 0, words, wide=wide, fill=SKY)
    return handles.press("critical", marks, grip=(WIDE - wide, -8, wide, 46))


ship_or_not = Explorable(
    id="protocol.ship_or_not",
    question="A gain of 0.002, standard deviation 0.013. How many runs until the CI excludes 0?",
    goals=(
        Goal(
            "Find an interval with 1.96 that excludes 0 although the t-test is not significant.",
            lambda s, n: s["critical"] == "z" and n["low"] > 0 and n["p_value"] > 0.05,
            "With few runs the standard deviation is uncertain too; 1.96 treats it as known.",
        ),
        Goal(
            "Leave gain and standard deviation as they are, keep t*, and get the CI above 0.",
            lambda s, n: (
                (s["gain"], s["spread"], s["critical"]) == (0.002, 0.013, "t") and n["low"] > 0
            ),
            "A gain this small with a standard deviation this large takes that many runs.",
        ),
    ),
    guess=Guess(
        "1.96 in place of t* makes the interval narrower. The p-value of the t-test will …",
        {"critical": "z"},
        "p_value",
        "The test depends on the runs alone, and a narrower interval adds no evidence.",
    ),
    hint="Drag the mean, the last dot, the end of the interval. Press the blue tag.",
    controls=(
        Control("runs", "Runs (seeds)", {n: str(n) for n in _RUNS}, 5, "slider"),
        Control("gain", "Mean gain", {g: f"{g:.3f}" for g in _GAINS}, 0.002, "slider"),
        Control(
            "spread",
            "Standard deviation",
            {s: f"{s:.3f}" for s in _SPREADS},
            0.013,
            "slider",
        ),
        Control(
            "critical",
            "Interval computed with",
            {
                "t": "t*, which depends on the number of runs",
                "z": "1.96 for any number of runs (z)",
            },
            "t",
            "press",
        ),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "mean": Quantity("Mean gain", high=None),
        "standard_error": Quantity("Standard error", high=None, places=4),
        "critical": Quantity("Standard errors to each side", high=None),
        "low": Quantity("CI from", high=None, places=4),
        "high": Quantity("to", high=None, places=4),
        "p_value": Quantity("p-value of the t-test"),
    },
)
