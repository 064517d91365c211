"""Predictions moved and stretched: what notices, and what does not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, GREY, VERMILION
from recsys_metrics.ranking import fraction_of_concordant_pairs
from recsys_metrics.rating import explained_variance, mae, r2, rmse
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

ACTUAL = (5.0, 4.5, 4.0, 3.5, 3.0, 2.5, 1.5, 1.0)
PREDICTED = (4.5, 4.0, 4.2, 3.0, 3.4, 2.0, 2.4, 1.5)

_SHIFTS = [step / 4 for step in range(-8, 9)]
_STRETCHES = {
    -1.0: "reversed",
    0.0: "all equal",
    0.25: "× 0.25",
    0.5: "× 0.5",
    1.0: "unchanged",
    1.5: "× 1.5",
    2.0: "× 2",
}
# Predictions may leave the stars that there are.
_X, _Y = Scale(0, 5, 60, 452), Scale(-2.2, 8, 186, 6)


def moved(state: State) -> NDArray[np.float64]:
    """Return the predictions, stretched around their mean and then shifted."""
    first = np.array(PREDICTED)
    stretched: NDArray[np.float64] = (
        first.mean() + state["stretch"] * (first - first.mean()) + state["shift"]
    )
    return stretched


def _compute(state: State) -> Numbers:
    predicted = moved(state)
    return {
        "mae": mae(ACTUAL, predicted),
        "rmse": rmse(ACTUAL, predicted),
        "r2": r2(ACTUAL, predicted),
        "explained": explained_variance(ACTUAL, predicted),
        "fcp": fraction_of_concordant_pairs(ACTUAL, predicted),
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    predicted = moved(state)
    right = numbers["fcp"]
    title = f"RMSE {numbers['rmse']:.2f}; {right:.0%} of pairs in the right order"
    parts = [*_axes(), svg.line(_X(0), _Y(0), _X(5), _Y(5), dashed=True)]
    for actual, guess in zip(ACTUAL, predicted, strict=True):
        low, high = sorted((actual, float(guess)))
        x = _X(actual)
        parts.append(
            f'<rect x="{x - 1:.1f}" y="{_Y(high):.1f}" width="2" height="{_Y(low) - _Y(high):.1f}" '
            f'fill="{VERMILION}"/>'
        )
        parts.append(svg.dot(x, _Y(float(guess)), BLUE, size=6))
    parts += [_mean_of(state), _best_of(state)]
    alt = (
        f"Eight predictions against ratings, shifted by {state['shift']:g} and stretched by "
        f"{state['stretch']:g}: RMSE {numbers['rmse']:.3f}, R² {numbers['r2']:.3f}, "
        f"{right:.0%} of the pairs in the right order."
    )
    return board(title, _Y(-2.2) + 14, parts, alt)


def _mean_of(state: State) -> str:
    """Draw the mean of all predictions, which is dragged up and down."""
    middle = float(np.mean(PREDICTED))
    y, stops = _Y(middle + state["shift"]), [_Y(middle + by) for by in _SHIFTS]
    marks = [
        svg.line(_X(0), y, _X(4.6), y),
        svg.text(_X(0.35) + 18, y - 6, "mean"),
    ]
    return handles.drag("shift", stops, (_X(0.35), y), along="y", parts=marks)


def _best_of(state: State) -> str:
    """Draw a knob on the film that was liked best; it stretches all predictions."""
    middle = float(np.mean(PREDICTED)) + state["shift"]
    reach = PREDICTED[0] - float(np.mean(PREDICTED))
    stops = [_Y(middle + by * reach) for by in _STRETCHES]
    y = _Y(middle + state["stretch"] * reach)
    return handles.drag("stretch", stops, (_X(5), y), along="y")


def _axes() -> list[str]:
    parts = [
        f'<rect x="{_X(0):.1f}" y="{_Y(5):.1f}" width="{_X(5) - _X(0):.1f}" '
        f'height="{_Y(0.5) - _Y(5):.1f}" fill="{GREY}" opacity="0.18"/>',
        svg.line(_X(0), _Y(-2.2), _X(0), _Y(8)),
        svg.line(_X(0), _Y(0), _X(5), _Y(0)),
        svg.text(_X(0) + 8, _Y(8) + 9, "predicted, in stars"),
        svg.text(_X(5), _Y(-2.2) + 8, "rated, in stars", anchor="end"),
    ]
    parts += [svg.text(_X(n), _Y(0) + 18, str(n), anchor="middle") for n in range(1, 6)]
    parts += [svg.text(_X(0) - 8, _Y(n) + 5, str(n), anchor="end") for n in (0, 5)]
    return parts


def _signed(values: list[float]) -> dict[float, str]:
    return {value: f"{value:+g}".replace("-", "−") if value else "0" for value in values}


shift = Explorable(
    id="rating.shift",
    question="Which numbers change when all predictions shift?",
    goals=(
        Goal(
            "Get R² below 0 and keep the order of the films.",
            lambda s, n: n["r2"] < 0 and s["stretch"] > 0,
            "The predictions are useless as ratings, but the ranking is the same.",
        ),
        Goal(
            "Change the fraction of pairs in the right order.",
            lambda s, n: s["stretch"] <= 0,
            "Only predictions that are all equal or reversed change the order.",
        ),
    ),
    guess=Guess(
        "All predictions rise by 1 star. Explained variance will …",
        {"shift": 1.0},
        "explained",
        "Explained variance ignores a constant error; R² and RMSE do not.",
    ),
    controls=(
        Control("shift", "Added to every prediction", _signed(_SHIFTS), 0.0, "slider"),
        Control("stretch", "Stretched around their mean", _STRETCHES, 1.0, "slider"),
    ),
    compute=_compute,
    draw=_draw,
    in_picture=("rmse", "fcp"),
    labels={
        "mae": Quantity("MAE", high=4.0, unit="stars"),
        "rmse": Quantity("RMSE", high=4.0, unit="stars"),
        "r2": Quantity("R²", low=-5.0),
        "explained": Quantity("Explained variance", low=-5.0),
        "fcp": Quantity("FCP, pairs in order"),
    },
)
