"""One guess for every film: which is best depends on who measures."""

from __future__ import annotations

from functools import cache

import numpy as np

from recsys_metrics.rating import mae, rmse
from recsys_metrics.workbook import svg
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, ORANGE, VERMILION
from recsys_metrics.workbook.picture import Picture

OTHERS = (5.0, 5.0, 4.0, 4.0)

_GUESSES = tuple(step / 10 for step in range(20, 51))
_LEFT, _WIDE, _TOP, _FLOOR, _MOST = 40, 330, 30, 176, 2.8


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
        2: "mean and median in one",
    }[len(best)]
    verdict = f"A guess of {guess:g} is {said}"
    parts = [
        svg.text(0, 14, verdict, bold=True),
        *_axes(),
        svg.stroke(zip(map(_x, _GUESSES), map(_y, curves[:, 1]), strict=True), BLUE),
        svg.stroke(zip(map(_x, _GUESSES), map(_y, curves[:, 0]), strict=True), ORANGE, dashed=True),
        svg.line(_x(guess), _TOP - 8, _x(guess), _FLOOR, wide=1.5),
        *_lowest("mean", numbers["mean"], _of_guess(state["last"], numbers["mean"])[1]),
        *_lowest("median", numbers["median"], _of_guess(state["last"], numbers["median"])[0]),
        svg.text(_x(5) + 8, _y(curves[-1, 1]) + 4, "RMSE"),
        svg.text(_x(5) + 8, max(_y(curves[-1, 0]), _y(curves[-1, 1]) + 15) + 4, "MAE"),
        *_ratings(ratings(state)),
    ]
    alt = (
        f"Ratings 5, 5, 4, 4 and {state['last']:g}, and one guess for all, {guess:g}. RMSE is "
        f"lowest at the mean, {numbers['mean']:g}; MAE at the median, {numbers['median']:g}."
    )
    return svg.sheet(460, 238, parts, alt)


def _x(stars: float) -> float:
    return _LEFT + (stars - 0.5) / 4.5 * _WIDE


def _y(size: float) -> float:
    return _FLOOR - size / _MOST * (_FLOOR - _TOP)


def _axes() -> list[str]:
    parts = [svg.line(_LEFT, _FLOOR, _LEFT + _WIDE, _FLOOR), svg.line(_LEFT, _TOP, _LEFT, _FLOOR)]
    for stars in range(1, 6):
        parts.append(svg.line(_x(stars), _FLOOR, _x(stars), _FLOOR + 4))
        parts.append(svg.text(_x(stars), _FLOOR + 17, str(stars), anchor="middle"))
    for stars in range(3):
        parts.append(svg.line(_LEFT - 4, _y(stars), _LEFT, _y(stars)))
        parts.append(svg.text(_LEFT - 8, _y(stars) + 4, str(stars), anchor="end"))
    parts.append(svg.text(_LEFT + 8, _TOP + 4, "stars off"))
    parts.append(svg.text(_LEFT + _WIDE + 16, _FLOOR + 17, "the guess"))
    return parts


def _lowest(name: str, at: float, value: float) -> list[str]:
    """Mark the lowest point of a curve with a dot and a foot."""
    colour = BLUE if name == "mean" else ORANGE
    return [
        svg.line(_x(at), _y(value), _x(at), _FLOOR, dashed=True),
        svg.dot(_x(at), _y(value), colour, size=5),
    ]


def _ratings(actual: list[float]) -> list[str]:
    """Draw the ratings under the axis, equal ones side by side."""
    parts = [svg.text(0, _FLOOR + 40, "rated")]
    for place, stars in enumerate(actual):
        beside = actual[:place].count(stars) * 11
        moved = place == len(actual) - 1
        x, y = _x(stars) - beside, _FLOOR + 36
        parts.append(svg.dot(x, y, VERMILION if moved else "", size=4.5))
        if moved:
            parts.append(svg.text(x, y + 19, "▲ moved", anchor="middle"))
    return parts


constant = Explorable(
    id="rating.constant",
    question="Which guess has the lowest MAE, which the lowest RMSE? Then move the last rating "
    "down: which of the two best guesses goes after it?",
    goals=(
        Goal(
            "Move the last rating to one star or less, and find the guess with the lowest RMSE.",
            lambda s, n: s["last"] <= 1 and abs(s["guess"] - n["mean"]) < 0.051,
            "It is the mean: it went down with the last rating, and the median stayed.",
        ),
        Goal(
            "With the last rating at one star or less, find the guess with the lowest MAE.",
            lambda s, n: s["last"] <= 1 and s["guess"] == n["median"],
            "It is the median: one strange rating does not move it.",
        ),
    ),
    controls=(
        Control(
            "guess",
            "One guess for every film",
            {guess: f"{guess:g}" for guess in _GUESSES},
            4.0,
            "slider",
        ),
        Control(
            "last",
            "The last rating",
            {step / 2: f"{step / 2:g}" for step in (1, 2, 3, 4, 6, 8, 10)},
            4.0,
            "slider",
        ),
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
