"""One guess for every film: which is best depends on who measures."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, GREY, ORANGE
from recsys_metrics.rating import mae, rmse
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import group, path, spread_apart, upright
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess
from recsys_metrics.workbook.explorables.panels import ruler

OTHERS = (5.0, 5.0, 4.0, 4.0)

_GUESSES = tuple(step / 10 for step in range(20, 51))
_LASTS = {step / 2: f"{step / 2:g}" for step in (1, 2, 3, 4, 6, 8, 10)}
_MOST = 2.8
_X, _Y = Scale(0.5, 5, 44, 410), Scale(0, _MOST, 134, 16)
_FLOOR, _BELOW = 134, 176


def ratings(state: State) -> list[float]:
    """Return the five ratings, the one that is moved last."""
    return [*OTHERS, state["last"]]


@cache
def _of_guess(last: float, guess: float) -> tuple[float, float]:
    actual = [*OTHERS, last]
    constant = [guess] * len(actual)
    return mae(actual, constant), rmse(actual, constant)


def _compute(state: State) -> Numbers:
    absolute, squared = _of_guess(state["last"], state["guess"])
    return {
        "mae": absolute,
        "rmse": squared,
        "median": float(np.median(ratings(state))),
        "mean": float(np.mean(ratings(state))),
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    guess = state["guess"]
    curves = np.array([_of_guess(state["last"], at) for at in _GUESSES])
    best = [name for name in ("mean", "median") if abs(numbers[name] - guess) < 1e-9]
    said = {
        0: "neither mean nor median",
        1: f"the {''.join(best[:1])}",
        2: "both the mean and the median",
    }[len(best)]
    title = f"The guess {guess:g} is {said}"
    ends = [_Y(curves[-1, 1]), _Y(curves[-1, 0])]
    names = spread_apart(ends, 19, 8, _FLOOR)
    parts = [
        *_axes(),
        _curve(curves[:, 1], BLUE),
        _curve(curves[:, 0], ORANGE, dashed=True),
        _lowest(numbers["mean"], _of_guess(state["last"], numbers["mean"])[1], BLUE),
        _lowest(numbers["median"], _of_guess(state["last"], numbers["median"])[0], ORANGE),
        svg.text(_X(5) + 8, names[0] + 5, "RMSE"),
        svg.text(_X(5) + 8, names[1] + 5, "MAE"),
        *_ratings(ratings(state)),
    ]
    x = _X(guess)
    line = [upright(x, 8, _FLOOR, ORANGE)]
    parts.append(handles.drag("guess", [*map(_X, _GUESSES)], (x, 8), along="x", parts=line))
    alt = (
        f"Ratings 5, 5, 4, 4 and {state['last']:g}, and one constant guess, {guess:g}. RMSE is "
        f"lowest at the mean, {numbers['mean']:g}, and MAE at the median, {numbers['median']:g}."
    )
    return board(title, _BELOW + 32, parts, alt)


def _curve(sizes: NDArray[np.float64], colour: str, *, dashed: bool = False) -> str:
    look = f'fill="none" stroke="{colour}" stroke-width="2.4"'
    look += ' stroke-dasharray="5 3"' if dashed else ""
    return path(zip(map(_X, _GUESSES), map(_Y, sizes), strict=True), look)


def _axes() -> list[str]:
    parts = ruler(_X, _FLOOR, {float(stars): str(stars) for stars in range(1, 6)})
    parts.append(svg.line(_X(0.5), _FLOOR, _X(0.5), 8))
    parts += [svg.text(_X(0.5) - 8, _Y(n) + 5, str(n), anchor="end") for n in range(3)]
    parts.append(svg.text(_X(0.5) + 8, 16, "stars off"))
    parts.append(svg.text(_X(5) + 14, _FLOOR + 20, "stars"))
    return parts


def _lowest(at: float, value: float, colour: str) -> str:
    """Mark the lowest point of a curve with a dot and a foot."""
    foot = svg.line(0, 0, 0, _FLOOR - _Y(value), dashed=True)
    return group([foot, svg.dot(0, 0, colour, size=6)], x=_X(at), y=_Y(value))


def _ratings(actual: list[float]) -> list[str]:
    """Draw the ratings under the axis, the last below the others, to be dragged."""
    parts = [svg.text(_X(5) + 14, _BELOW + 2, "rated")]
    parts += [
        svg.dot(_X(stars), _BELOW - 10 + 14 * actual[:place].count(stars), GREY, size=6)
        for place, stars in enumerate(actual[:-1])
    ]
    x, y = _X(actual[-1]), _BELOW + 20
    parts.append(handles.drag("last", [*map(_X, _LASTS)], (x, y), along="x"))
    return parts


constant = Explorable(
    id="rating.constant",
    question="Which constant guess has the lowest error?",
    goals=(
        Goal(
            "Last rating 1 star or less: find the lowest MAE.",
            lambda s, n: s["last"] <= 1 and s["guess"] == n["median"],
            "It is the median, which one unusual rating does not change.",
        ),
        Goal(
            "Make one guess optimal for both metrics.",
            lambda s, n: s["guess"] == n["median"] and math.isclose(n["mean"], n["median"]),
            "The mean and the median are equal, so both metrics have the same optimum.",
        ),
    ),
    guess=Guess(
        "The guess moves from the mean to the median, 4. MAE will …",
        {"guess": 4.0},
        "mae",
        "Two guesses become exact, and MAE does not depend on how far away the unusual rating is.",
    ),
    controls=(
        Control(
            "guess",
            "One guess for every film",
            {guess: f"{guess:g}" for guess in _GUESSES},
            3.8,
            "slider",
        ),
        Control("last", "The last rating", _LASTS, 1.0, "slider"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "mae": Quantity("MAE", high=_MOST, unit="stars"),
        "rmse": Quantity("RMSE", high=_MOST, unit="stars"),
        "median": Quantity("Median rating", high=5.0, unit="stars"),
        "mean": Quantity("Mean rating", high=5.0, unit="stars"),
    },
)
