"""Predictions moved and stretched: what notices, and what does not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.ranking import concordant_pairs
from recsys_metrics.rating import explained_variance, mae, r2, rmse
from recsys_metrics.workbook import svg
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, VERMILION
from recsys_metrics.workbook.picture import Picture

ACTUAL = (5.0, 4.5, 4.0, 3.5, 3.0, 2.5, 1.5, 1.0)
PREDICTED = (4.5, 4.0, 4.2, 3.0, 3.4, 2.0, 2.4, 1.5)

_SIDE, _LEFT, _TOP = 190, 44, 30


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
        "fcp": concordant_pairs(ACTUAL, predicted),
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    predicted = moved(state)
    right = numbers["fcp"]
    verdict = f"RMSE {numbers['rmse']:.2f} stars; {right:.0%} of pairs in the right order"
    parts = [
        svg.text(0, 14, verdict, bold=True),
        *_axes(),
        svg.line(_x(0), _y(0), _x(6), _y(6), dashed=True),
    ]
    for actual, guess in zip(ACTUAL, predicted, strict=True):
        low, high = (min(max(value, 0.0), 6.0) for value in (actual, float(guess)))
        parts.append(
            f'<line x1="{_x(actual):.1f}" x2="{_x(actual):.1f}" y1="{_y(low):.1f}" '
            f'y2="{_y(high):.1f}" stroke="{VERMILION}" stroke-width="2"/>'
        )
        if 0 <= guess <= 6:
            parts.append(svg.dot(_x(actual), _y(float(guess)), BLUE, size=5))
        else:
            sign = "▲" if guess > 6 else "▼"
            parts.append(svg.text(_x(actual), _y(high) + 4, sign, anchor="middle", ink=BLUE))
    alt = (
        f"Eight predictions against ratings, shifted by {state['shift']:g} and stretched by "
        f"{state['stretch']:g}: RMSE {numbers['rmse']:.3f}, R² {numbers['r2']:.3f}, "
        f"{right:.0%} of the pairs in the right order."
    )
    return svg.sheet(400, 264, parts, alt)


def _x(stars: float) -> float:
    return _LEFT + stars / 6 * (_SIDE + 60)


def _y(stars: float) -> float:
    return _TOP + _SIDE - stars / 6 * _SIDE


def _axes() -> list[str]:
    parts = [svg.line(_x(0), _y(0), _x(6), _y(0)), svg.line(_x(0), _y(0), _x(0), _y(6))]
    for stars in range(7):
        parts.append(svg.line(_x(stars), _y(0), _x(stars), _y(0) + 4))
        parts.append(svg.text(_x(stars), _y(0) + 17, str(stars), anchor="middle"))
        parts.append(svg.line(_x(0) - 4, _y(stars), _x(0), _y(stars)))
        parts.append(svg.text(_x(0) - 8, _y(stars) + 4, str(stars), anchor="end"))
    parts.append(svg.text(_x(6), _y(0) + 34, "rating, in stars", anchor="end"))
    parts.append(svg.text(_x(6) + 8, _y(6) + 4, "exact"))
    parts.append(svg.text(_x(0) + 8, _y(6) + 4, "predicted, in stars"))
    return parts


def _signed(values: list[float]) -> dict[float, str]:
    return {value: f"{value:+g}".replace("-", "−") if value else "0" for value in values}


shift = Explorable(
    id="rating.shift",
    question="Shift all predictions up. Which numbers change, and which never do? "
    "Find a stretch that changes the order.",
    goals=(
        Goal(
            "Push R² below 0 without changing the order of the films.",
            lambda s, n: n["r2"] < 0 and s["stretch"] > 0,
            "The numbers are useless as ratings, and the list is the same.",
        ),
        Goal(
            "Change the share of pairs in the right order.",
            lambda s, n: s["stretch"] <= 0,
            "Only predictions that are all alike, or turned round, lose the order.",
        ),
    ),
    controls=(
        Control(
            "shift",
            "Added to every prediction",
            _signed([step / 4 for step in range(-8, 9)]),
            0.0,
            "slider",
        ),
        Control(
            "stretch",
            "Stretched around their mean",
            {
                -1.0: "turned round",
                0.0: "all alike",
                0.25: "a quarter",
                0.5: "half",
                1.0: "as they are",
                1.5: "one and a half times",
                2.0: "twice",
            },
            1.0,
            "slider",
        ),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "mae": Quantity("MAE", high=4.0, unit="stars"),
        "rmse": Quantity("RMSE", high=4.0, unit="stars"),
        "r2": Quantity("R²", low=-5.0),
        "explained": Quantity("Explained variance", low=-5.0),
        "fcp": Quantity("Pairs in the right order (FCP)"),
    },
)
