"""Reliability bins: what is the model's fault, and what is the fault of bins and few events."""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, GREEN, ORANGE
from recsys_metrics.calibration import (
    ReliabilityCurve,
    expected_calibration_error,
    log_loss,
    reliability_curve,
)
from recsys_metrics.workbook.charts.board import axes, board
from recsys_metrics.workbook.charts.marks import upright
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

Model = Literal["calibrated", "over-confident", "wavy"]

_MOST = 10_000
_BINS = (1, 2, 5, 10, 15, 20, 30, 50)


def _truth(model: Model, said: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the true probability of events with such a predicted probability."""
    odds = np.log(said) - np.log1p(-said)
    return {
        "calibrated": said,
        "over-confident": 1 / (1 + np.exp(-0.5 * odds)),
        "wavy": np.clip(said + 0.09 * np.sin(10 * np.pi * said), 0, 1),
    }[model]


@cache
def simulated(model: Model) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]:
    """Return labels, what the model said, and the true probabilities of the most events.

    A smaller sample is their beginning. Low probabilities are more common than high ones, as
    with clicks.
    """
    rng = np.random.default_rng(5)
    said = rng.beta(0.9, 1.8, size=_MOST)
    true = _truth(model, said)
    return rng.random(_MOST) < true, said, true


def _numbers(state: State) -> Numbers:
    happened, said, true = (column[: state["events"]] for column in simulated(state["model"]))
    bins = {"n_bins": state["n_bins"], "binning": state["binning"]}
    curve = reliability_curve(happened, said, **bins)
    near = 1e-12  # the ends of an interval belong to it
    agrees = (curve.lower - near <= curve.predicted) & (curve.predicted <= curve.upper + near)
    return {
        "ece": expected_calibration_error(happened, said, **bins),
        "largest": expected_calibration_error(happened, said, norm="max", **bins),
        "true_gap": float(np.abs(said - true).mean()),
        "agree": float(agrees.mean()),
        "log_loss": log_loss(happened, said),
    }


_X, _Y = Scale(0, 1, 44, 466), Scale(0, 1, 178, 38)
_FIFTHS = {fifth / 5: f"{fifth / 5:g}" for fifth in range(6)}
_HALVES = {0.0: "0", 0.5: "0.5", 1.0: "1"}
_PALE = 'fill="currentColor" fill-opacity="0.25" stroke="currentColor" stroke-opacity="0.45"'
_GRID = np.linspace(0.002, 0.998, 84)
_TALL, _BELOW, _TAG, _PRESS = 48.0, _Y.start + 28, 88.0, 124.0


def _cut(state: State, n_bins: int) -> ReliabilityCurve:
    happened, said, _ = (column[: state["events"]] for column in simulated(state["model"]))
    return reliability_curve(happened, said, n_bins=n_bins, binning=state["binning"])


def _diagram(state: State, numbers: Numbers) -> Picture:
    curve = _cut(state, state["n_bins"])
    stops = [_X(float(_cut(state, n).right[0])) for n in _BINS]
    edge = stops[_BINS.index(state["n_bins"])]
    parts = [*_counts(curve), *_axes(edge)]
    parts.append(svg.line(_X(0), _Y(0), _X(1), _Y(1), dashed=True))
    truth = zip(_GRID, _truth(state["model"], _GRID), strict=True)
    parts.append(svg.stroke([(_X(x), _Y(y)) for x, y in truth], GREEN))
    parts += [*_points(curve), _edge(state, edge, stops), _binning(state)]
    fewest, most = int(curve.count.min()), int(curve.count.max())
    alt = (
        f"Reliability diagram for {state['events']:,} events and a model that is "
        f"{state['model']}, with {len(curve)} bins of {fewest:,} to {most:,} events "
        f"({state['binning']}). The intervals of {round(numbers['agree'] * len(curve))} bins "
        f"contain the diagonal; the ECE is {numbers['ece']:.3f} and the true mean gap "
        f"{numbers['true_gap']:.3f}."
    )
    title = f"ECE is {numbers['ece']:.3f}, the true gap {numbers['true_gap']:.3f}"
    return board(title, _BELOW + 32, parts, alt)


def _axes(edge: float) -> list[str]:
    """Draw both axes and name what is drawn; the edge of the first bin has no number under it."""
    named = axes(_X, _Y, x_ticks={}, y_ticks=_HALVES, x_label="", y_label="")
    for value, words in _FIFTHS.items():
        label = svg.text(_X(value), _Y.start + 19, words, anchor="middle")
        near = abs(_X(value) - edge) < 6 * len(words) + 5
        named.append(f'<g opacity="{0 if near else 1}">{label}</g>')
    ends = float(edge < _X(0.7))
    return [
        *named,
        # At the end of the axis that the grip leaves free.
        svg.text(_X(ends), _BELOW + 19, "predicted", anchor="end" if ends else "start"),
        svg.dot(50, 23, BLUE, size=5),
        svg.text(60, 29, "observed"),
        svg.stroke([(150, 23), (170, 23)], GREEN),
        svg.text(175, 29, "truth"),
        f'<rect x="230" y="17" width="13" height="12" {_PALE}/>',
        svg.text(248, 29, "events"),
    ]


def _points(curve: ReliabilityCurve) -> list[str]:
    """Draw the observed rate in each bin, and its interval; two paths, however many bins."""
    small = len(curve) > 25
    lines = dots = ""
    columns = (curve.predicted, curve.observed, curve.lower, curve.upper)
    for said, happened, low, high in zip(*columns, strict=True):
        lines += f"M{_X(said):.1f} {_Y(low):.1f}V{_Y(high):.1f}"
        dots += f"M{_X(said):.1f} {_Y(happened):.1f}h0"
    # Many intervals side by side would be louder than the points, which are read first.
    look = 'stroke-width="1" stroke-opacity="0.45"' if small else 'stroke-width="2.5"'
    return [
        f'<path d="{lines}" fill="none" stroke="{BLUE}" {look}/>',
        f'<path d="{dots}" stroke="{BLUE}" stroke-width="{6 if small else 10}" '
        'stroke-linecap="round"/>',
    ]


def _counts(curve: ReliabilityCurve) -> list[str]:
    """Draw how many events each bin holds, behind the curve."""
    bars = ""
    columns = (curve.left, curve.right, curve.count / curve.count.max())
    for low, high, share in zip(*columns, strict=True):
        tall = share * _TALL
        bars += f"M{_X(low):.1f} {_Y(0):.0f}v{-tall:.1f}H{_X(high):.1f}v{tall:.1f}z"
    return [f'<path d="{bars}" {_PALE}/>']


def _edge(state: State, x: float, stops: list[float]) -> str:
    """Draw the right edge of the first bin, which is dragged."""
    words = f"{state['n_bins']} bin{'s' if state['n_bins'] > 1 else ''}"
    line, at = [upright(x, _Y(0) - _TALL - 10, _BELOW, ORANGE)], (x, _BELOW + 13.5)
    return handles.drag("n_bins", stops, at, along="x", parts=line, words=words, wide=112)


def _binning(state: State) -> str:
    """Draw how the bins are cut, which is pressed."""
    words = state["binning"].replace("-", " ")
    return handles.button("binning", words, (_X.end - _PRESS, 2, _PRESS, 28))


reliability_bins = Explorable(
    id="calibration.reliability_bins",
    question="When is ECE larger than the true gap?",
    goals=(
        Goal(
            "Get ECE above 0.1 for the calibrated model.",
            lambda s, n: s["model"] == "calibrated" and n["ece"] > 0.1,
            "With few events in many bins, the gaps are due to chance.",
        ),
        Goal(
            "Wavy model: get ECE below 1/3 of the true gap.",
            lambda s, n: s["model"] == "wavy" and 3 * n["ece"] < n["true_gap"],
            "Within a wide bin, probabilities that are too high and too low cancel.",
        ),
    ),
    guess=Guess(
        "The calibrated model in 50 bins, not 10. Log loss will …",
        {"n_bins": 50},
        "log_loss",
        "Log loss is computed event by event and does not use bins. The ECE of the same events "
        "changed.",
    ),
    controls=(
        Control(
            "model",
            "The model is",
            {"calibrated": "calibrated", "over-confident": "over-confident", "wavy": "wavy"},
            "calibrated",
        ),
        Control(
            "events",
            "Events",
            {n: f"{n:,}" for n in (50, 200, 1_000, 10_000)},
            200,
            "slider",
        ),
        Control(
            "n_bins",
            "Bins",
            {n: str(n) for n in _BINS},
            10,
            "slider",
        ),
        Control(
            "binning",
            "Binning",
            {
                "equal-width": "equal width: edges at equal steps",
                "equal-mass": "equal mass: the same number of events in each",
            },
            "equal-width",
            "press",
        ),
    ),
    compute=_numbers,
    draw=_diagram,
    in_picture=("ece", "true_gap"),
    labels={
        "ece": "ECE",
        "largest": "Largest gap",
        "true_gap": "True gap",
        "agree": "CI contains diagonal",
        "log_loss": Quantity("Log loss", high=None),
    },
)
