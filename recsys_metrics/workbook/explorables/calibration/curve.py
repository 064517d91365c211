"""Platt's a and b, moved by hand, over twenty events."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, ORANGE, VERMILION
from recsys_metrics.calibration import brier_score, expected_calibration_error, log_loss
from recsys_metrics.ranking import roc_auc
from recsys_metrics.workbook.charts.board import axes, board
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

SAID = (
    *(0.03, 0.05, 0.08, 0.12, 0.18, 0.22, 0.30, 0.38, 0.45, 0.55),
    *(0.62, 0.68, 0.75, 0.80, 0.85, 0.88, 0.91, 0.94, 0.96, 0.98),
)
CLICKED = (0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1)
N_BINS = 5

_GRID = np.linspace(0.005, 0.995, 67)
_A = [-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0]
_B = [step / 5 for step in range(-8, 9)]
_HIGH = 1 / (1 + np.exp(-2.0))
"""What has log-odds of 2: there the curve is at a b more than 2 a."""


def _curve(said: NDArray[np.float64], a: float, b: float) -> NDArray[np.float64]:
    """Return log-odds times a, plus b, as probabilities again."""
    odds = np.log(said) - np.log1p(-said)
    mapped: NDArray[np.float64] = 1 / (1 + np.exp(-(a * odds + b)))
    return mapped


def _numbers(state: State) -> Numbers:
    mapped = _curve(np.array(SAID), state["a"], state["b"])
    return {
        "log_loss": log_loss(CLICKED, mapped),
        "brier": brier_score(CLICKED, mapped),
        "ece": expected_calibration_error(CLICKED, mapped, n_bins=N_BINS),
        "auc": roc_auc(CLICKED, mapped),
        "mean": float(mapped.mean()),
    }


_X, _Y = Scale(0, 1, 40, 388), Scale(0, 1, 180, 26)
_FIFTHS = {fifth / 5: f"{fifth / 5:g}" for fifth in range(6)}
_HALVES = {0.0: "0", 0.5: "0.5", 1.0: "1"}


def _picture(state: State, numbers: Numbers) -> Picture:
    a, b = state["a"], state["b"]
    mapped = _curve(np.array(SAID), a, b)
    parts = axes(
        _X,
        _Y,
        x_ticks=_FIFTHS,
        y_ticks=_HALVES,
        x_label="predicted by the model",
        y_label="calibrated",
    )
    parts.append(svg.line(_X(0), _Y(0), _X(1), _Y(1), dashed=True))
    # What each event is short of: the distance that the losses grow with.
    short = "".join(
        f"M{_X(p):.1f} {_Y(q):.1f}V{_Y(y):.1f}"
        for p, q, y in zip(SAID, mapped, CLICKED, strict=True)
    )
    parts.append(f'<path d="{short}" stroke="{VERMILION}" stroke-width="1.5"/>')
    points = zip(_GRID, _curve(_GRID, a, b), strict=True)
    parts.append(svg.stroke([(_X(p), _Y(q)) for p, q in points], BLUE))
    parts += [
        svg.dot(_X(p), _Y(y), ORANGE if y else "", size=5)
        for p, y in zip(SAID, CLICKED, strict=True)
    ]
    parts += [
        svg.text(_X.end + 9, _Y(1) + 5, "clicked"),
        svg.text(_X.end + 9, _Y(0) + 5, "no click"),
    ]
    parts.append(_handle("b", 0.5, [_at(0.5, a, value) for value in _B], _at(0.5, a, b)))
    parts.append(_handle("a", _HIGH, [_at(_HIGH, value, b) for value in _A], _at(_HIGH, a, b)))
    alt = (
        f"The calibration map for a = {a:g} and b = {b:g} over 20 events, with clicked events at "
        "the top and the others at the bottom, each joined to the curve. Log loss is "
        f"{numbers['log_loss']:.3f}, ECE {numbers['ece']:.3f}, AUC {numbers['auc']:.3f}."
    )
    title = f"a = {a:g}, b = {b:g}: log loss {numbers['log_loss']:.3f}".replace("-", "−")
    return board(title, _Y.start + 46, parts, alt)


def _at(said: float, a: float, b: float) -> float:
    return _Y(float(_curve(np.array(said), a, b)))


def _handle(name: str, said: float, stops: list[float], y: float) -> str:
    """Draw a point of the curve that is dragged up and down, with its letter."""
    x = _X(said)
    return handles.drag(name, stops, (x, y), along="y", words=name)


def _written(values: list[float]) -> dict[float, str]:
    return {value: f"{value:g}".replace("-", "−") for value in values}


@lru_cache(maxsize=1)
def _lowest() -> tuple[float, float]:
    """Return the slope and the intercept on offer that have the lowest log loss."""
    best = min(platt_curve.states(), key=lambda state: _numbers(state)["log_loss"])
    return best["a"], best["b"]


platt_curve = Explorable(
    id="calibration.platt_curve",
    question="Which curve gives the lowest log loss?",
    goals=(
        Goal(
            "Get ECE below 0.02 with one probability for all events.",
            lambda s, n: s["a"] == 0 and n["ece"] < 0.02,
            "A constant prediction of the base rate is calibrated, but it does not discriminate "
            "between events.",
        ),
        Goal(
            "Find the lowest log loss.",
            lambda s, n: (s["a"], s["b"]) == _lowest(),
            "A slope below 1 pulls the probabilities towards the middle.",
        ),
    ),
    guess=Guess(
        "The slope a goes from 1 to 0.5. AUC will …",
        {"a": 0.5},
        "auc",
        "The order of the events does not change, and AUC depends only on the order.",
    ),
    controls=(
        Control("a", "a, slope on the log-odds", _written(_A), 1.0, "slider"),
        Control("b", "b, intercept", _written(_B), 0.0, "slider"),
    ),
    compute=_numbers,
    draw=_picture,
    in_picture=("log_loss",),
    labels={
        "log_loss": Quantity("Log loss", high=2.5),
        "brier": "Brier score",
        "ece": f"ECE in {N_BINS} bins",
        "auc": "AUC",
        "mean": "Mean probability",
    },
)
