"""One error among many: what it does to MAE, RMSE, their ratio and the median."""

from __future__ import annotations

import math

from recsys_metrics._core.colors import BLUE, GREEN, GREY, ORANGE, VERMILION
from recsys_metrics.rating import error_ratio, mae, median_absolute_error, rmse
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import group, path, spread_apart
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

# The ratio of errors from a Gaussian: the root of half of pi.
GAUSSIAN = math.sqrt(math.pi / 2)

_MOST = 4.0
_ONE = {step / 2: f"{step / 2:g}" for step in range(9)}
_OTHERS = {size: f"{size:g}" for size in (0.0, 0.1, 0.5, 1.0, 2.0, 4.0)}

_LEFT, _RIGHT, _TOP, _FLOOR = 22, 340, 26, 142
_HEIGHT = Scale(0, _MOST, _FLOOR, _TOP)
_RATIO = Scale(1, 10, 122, 440, math.log)
_BELOW = _FLOOR + 40


def errors(state: State) -> list[float]:
    """Return the sizes of all errors, the one that is moved last."""
    return [state["others"]] * (state["n"] - 1) + [state["one"]]


def _compute(state: State) -> Numbers:
    found = errors(state)
    nothing = [0.0] * len(found)
    return {
        "mae": mae(nothing, found),
        "rmse": rmse(nothing, found),
        "median": median_absolute_error(nothing, found),
        "ratio": error_ratio(nothing, found),
        "most": math.sqrt(len(found)),
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    ratio = numbers["ratio"]
    if math.isnan(ratio):
        title = "All predictions are exact: the ratio is undefined"
    elif ratio < 1.0005:
        title = "All errors are equal: the ratio is 1"
    else:
        title = f"RMSE is {ratio:.2f} times MAE"
    # What is dragged lies above the rest.
    parts = [*_bars(state), *_levels(numbers), *_ratio_scale(numbers), *_held(state)]
    alt = (
        f"{state['n'] - 1} errors of {state['others']:g} stars and one of {state['one']:g}. "
        f"{title}; its maximum is {numbers['most']:.2f}."
    )
    return board(title, _BELOW + 42, parts, alt)


def _bars(state: State) -> list[str]:
    """Draw the size of each error as a bar, the one that is moved marked by its knob."""
    found = errors(state)
    step = (_RIGHT - _LEFT) / len(found)
    wide = max(step - 2, 0.7 * step)
    parts = [svg.line(_LEFT, _FLOOR, _RIGHT, _FLOOR), svg.text(_LEFT, _TOP - 12, "stars off")]
    parts += [svg.text(_LEFT - 6, _HEIGHT(n) + 5, str(n), anchor="end") for n in (0, 2, 4)]
    for place, size in enumerate(found):
        last = place == len(found) - 1
        x, y = _LEFT + place * step, _HEIGHT(size)
        parts.append(svg.box(x, y, wide, _FLOOR - y, VERMILION if last else GREY))
    return parts


def _held(state: State) -> list[str]:
    """Draw what is dragged: the top of the last bar alone, the tops of the others together."""
    step = (_RIGHT - _LEFT) / state["n"]
    one, half = _RIGHT - step / 2 - min(1, 0.15 * step), max(22, step / 2)
    end = one - half
    y = _HEIGHT(state["others"])
    # The grip alone: a line along the bars would lie on the averages that are as high.
    middle = ((_LEFT + end) / 2, y)
    drags = [handles.drag("others", [*map(_HEIGHT, _OTHERS)], middle, along="y")]
    y = _HEIGHT(state["one"])
    return [*drags, handles.drag("one", [*map(_HEIGHT, _ONE)], (one, y), along="y")]


def _levels(numbers: Numbers) -> list[str]:
    """Draw the three averages of the bars as lines, their names kept apart."""
    rows = [("median", GREEN), ("mae", ORANGE), ("rmse", BLUE)]
    names = {"median": "median", "mae": "MAE", "rmse": "RMSE"}
    places = [_HEIGHT(numbers[name]) for name, _ in rows]
    parts: list[str] = []
    for (name, colour), y, words in zip(
        rows, places, spread_apart(places, 19, 8, _FLOOR), strict=True
    ):
        line = [(_LEFT, y), (_RIGHT + 6, y), (_RIGHT + 26, words)]
        look = f'fill="none" stroke="{colour}" stroke-width="2.2"'
        parts.append(path(line, look))
        parts.append(svg.text(_RIGHT + 31, words + 5, f"{names[name]} {numbers[name]:.2f}"))
    return parts


def _ratio_scale(numbers: Numbers) -> list[str]:
    """Draw where the ratio stands between 1 and the most it can be."""
    parts = [
        svg.text(0, _BELOW + 5, "RMSE / MAE"),
        svg.line(_RATIO(1), _BELOW, _RATIO(10), _BELOW),
        svg.box(_RATIO(1), _BELOW - 7, _RATIO(numbers["most"]) - _RATIO(1), 14, dashed=True),
        svg.text(_RATIO(numbers["most"]) + 4, _BELOW - 11, "maximum", anchor="end"),
    ]
    for tick in (1, 2, 3, 5, 10):
        parts.append(svg.line(_RATIO(tick), _BELOW + 7, _RATIO(tick), _BELOW + 12))
        parts.append(svg.text(_RATIO(tick), _BELOW + 28, str(tick), anchor="middle"))
    gauss = _RATIO(GAUSSIAN)
    parts.append(svg.line(gauss, _BELOW - 12, gauss, _BELOW + 7, wide=1.5, dashed=True))
    parts.append(svg.text(gauss + 6, _BELOW + 28, "bell", anchor="middle"))
    ratio = numbers["ratio"]
    known = not math.isnan(ratio)
    here = [svg.dot(0, 0, VERMILION, size=7)]
    parts.append(group(here, x=_RATIO(ratio if known else 1), y=_BELOW, opacity=float(known)))
    return parts


outlier = Explorable(
    id="rating.outlier",
    question="What makes RMSE much larger than MAE?",
    goals=(
        Goal(
            "With 10 films or more, make the ratio as large as possible.",
            lambda s, n: s["n"] >= 10 and math.isclose(n["ratio"], n["most"]),
            "There is one error, and all others are 0.",
        ),
        Goal(
            "Make all errors as large as possible and the ratio 1.",
            lambda s, n: s["one"] == s["others"] == 4.0,
            "The ratio measures how unequal the errors are, and not how large they are.",
        ),
    ),
    guess=Guess(
        "The 9 small errors become 0. RMSE/MAE will …",
        {"others": 0.0},
        "ratio",
        "All of the error is now in one film, and the ratio measures how unequal the errors are.",
    ),
    controls=(
        Control("one", "The one error, in stars", _ONE, 4.0, "slider"),
        Control("others", "All other errors", _OTHERS, 0.5, "slider"),
        Control("n", "Films", {n: str(n) for n in (4, 5, 10, 25, 100)}, 10, "slider"),
    ),
    compute=_compute,
    draw=_draw,
    in_picture=("mae", "rmse", "median", "ratio"),
    labels={
        "mae": Quantity("MAE", high=_MOST, unit="stars"),
        "rmse": Quantity("RMSE", high=_MOST, unit="stars"),
        "median": Quantity("Median error", high=_MOST, unit="stars"),
        "ratio": Quantity("RMSE / MAE", high=10.0),
        "most": Quantity("maximum of the ratio", high=10.0),
    },
)
