"""A gain measured over a few runs: how many it takes until the interval excludes 0."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, GREEN, ORANGE, VERMILION
from recsys_metrics.protocol.significance import paired_t_test, t_interval
from recsys_metrics.workbook.charts.board import axes, board
from recsys_metrics.workbook.charts.marks import group, path, upright
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


_X = Scale(_RUNS[0], _RUNS[-1], 62, 440, math.log10)
_Y = Scale(-0.036, 0.046, 210, 44)


def _draw(state: State, numbers: Numbers) -> Picture:
    runs, gain, low, high = state["runs"], state["gain"], numbers["low"], numbers["high"]
    says = f"The CI {'excludes' if low > 0 else 'includes'} 0"
    parts = axes(
        *(_X, _Y),
        x_ticks={float(n): str(n) for n in _RUNS},
        y_ticks={-0.02: "−0.02", 0.0: "0", 0.02: "0.02", 0.04: "0.04"},
        x_label="runs (seeds)",
        y_label="",
    )
    parts += [*_band(state), *_runs(state, numbers), _mean(state)]
    kind = "t*" if state["critical"] == "t" else "z"
    words = f"{kind} = {numbers['critical']:.2f}"
    parts += [
        handles.button("spread", f"{state['spread']:.3f}", (232, 178, 118, 28), name="SD"),
        handles.button("critical", words, (358, 178, 122, 28)),
    ]
    alt = (
        f"{runs} gains around {gain:g} and the 95% CI of their mean, from "
        f"{low:z.3f} to {high:z.3f}, computed with "
        f"{'t*' if state['critical'] == 't' else '1.96'}. {says}."
    )
    title = f"{says}: {low:z.3f} to {high:z.3f}".replace("-", "−")
    return board(title, _Y.start + 46, parts, alt)


def _band(state: State) -> list[str]:
    """Draw the interval over the number of runs, and where it would be 0."""
    halves = [_half({**state, "runs": n}) for n in _RUNS]
    upper = [(_X(n), _Y(state["gain"] + half)) for n, half in zip(_RUNS, halves, strict=True)]
    lower = [(_X(n), _Y(state["gain"] - half)) for n, half in zip(_RUNS, halves, strict=True)]
    return [
        path([*upper, *lower[::-1]], f'fill="{BLUE}" opacity="0.22"', closed=True),
        svg.line(_X.start, _Y(0), _X.end, _Y(0), wide=1.6),
    ]


def _runs(state: State, numbers: Numbers) -> list[str]:
    """Draw the interval of as many runs as there are, which are dragged."""
    x, stops = _X(state["runs"]), [_X(n) for n in _RUNS]
    low, high = _Y(numbers["low"]), _Y(numbers["high"])
    colour = GREEN if numbers["low"] > 0 else VERMILION
    marks = [
        upright(x, 27, _Y.start, ORANGE, wide=1.5),
        upright(x, high, low, colour, wide=6),
        *(svg.box(x - 9, y - 1.5, 18, 3, colour) for y in (low, high)),
        svg.dot(x, _Y(state["gain"]), colour, size=6),
    ]
    words = f"{state['runs']} runs"
    return [handles.drag("runs", stops, (x, 13.5), along="x", parts=marks, words=words, wide=122)]


def _mean(state: State) -> str:
    """Draw the mean gain, which is dragged up and down."""
    y, stops = _Y(state["gain"]), [_Y(value) for value in _GAINS]
    line = [group([svg.box(_X.start, -1, _X.end - _X.start, 2, ORANGE)], y=y)]
    words = f"{state['gain']:.3f}"
    return handles.drag("gain", stops, (440, y), along="y", parts=line, words=words)


ship_or_not = Explorable(
    id="protocol.ship_or_not",
    question="How many runs until the confidence interval excludes 0?",
    goals=(
        Goal(
            "With z, exclude 0 while the t-test has p > 0.05.",
            lambda s, n: s["critical"] == "z" and n["low"] > 0 and n["p_value"] > 0.05,
            "With few runs the standard deviation is uncertain too; 1.96 treats it as known.",
        ),
        Goal(
            "With t*, gain 0.002 and SD 0.013: exclude 0.",
            lambda s, n: (
                (s["gain"], s["spread"], s["critical"]) == (0.002, 0.013, "t") and n["low"] > 0
            ),
            "A gain this small with a standard deviation this large takes that many runs.",
        ),
    ),
    guess=Guess(
        "The interval uses 1.96, not t*. The p-value of the t-test will …",
        {"critical": "z"},
        "p_value",
        "The test depends only on the runs, and a narrower interval adds no evidence.",
    ),
    hint="Shaded: the CI at each number of runs.",
    controls=(
        Control("runs", "Runs (seeds)", {n: str(n) for n in _RUNS}, 5, "slider"),
        Control("gain", "Mean gain", {g: f"{g:.3f}" for g in _GAINS}, 0.002, "slider"),
        Control(
            "spread",
            "Standard deviation",
            {s: f"{s:.3f}" for s in _SPREADS},
            0.013,
            "press",
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
    in_picture=("mean", "critical", "low", "high"),
)
