"""One error among many: what it does to MAE, RMSE, their ratio and the median."""

from __future__ import annotations

import math

from recsys_metrics.rating import error_ratio, mae, median_absolute_error, rmse
from recsys_metrics.workbook import svg
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, GREY, ORANGE, VERMILION
from recsys_metrics.workbook.picture import Picture

# The ratio of errors from a Gaussian: the root of half of pi.
GAUSSIAN = math.sqrt(math.pi / 2)

_MOST = 4.0
_LEFT, _WIDE, _TOP, _FLOOR = 34, 260, 46, 170
_SCALE = 216


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
        verdict = "Every prediction is exact: there is no ratio"
    elif ratio < 1.0005:
        verdict = "All errors alike: the ratio is 1"
    else:
        verdict = f"RMSE is {ratio:.2f} times MAE"
    parts = [
        svg.text(0, 14, verdict, bold=True),
        *_bars(errors(state)),
        *_levels(numbers),
        *_ratio_scale(numbers),
    ]
    alt = (
        f"{state['n'] - 1} errors of {state['others']:g} stars and one of {state['one']:g}. "
        f"{verdict}; at most it could be {numbers['most']:.2f}."
    )
    return svg.sheet(480, 268, parts, alt)


def _height(size: float) -> float:
    return _FLOOR - size / _MOST * (_FLOOR - _TOP)


def _bars(found: list[float]) -> list[str]:
    """Draw the size of each error as a bar, the one that is moved marked by more than colour."""
    step = _WIDE / len(found)
    wide = max(step - 2, 0.7 * step)
    parts = [svg.line(_LEFT, _FLOOR, _LEFT + _WIDE, _FLOOR)]
    for stars in range(5):
        y = _height(stars)
        parts.append(svg.line(_LEFT - 4, y, _LEFT, y))
        parts.append(svg.text(_LEFT - 8, y + 4, str(stars), anchor="end"))
    for place, size in enumerate(found):
        x, last = _LEFT + place * step, place == len(found) - 1
        if size:
            y = _height(size)
            parts.append(svg.box(x, y, wide, _FLOOR - y, VERMILION if last else GREY))
    x = _LEFT + (len(found) - 0.5) * step
    parts.append(svg.text(0, _TOP - 11, "stars off"))
    parts.append(svg.text(x, _FLOOR + 13, "▲", anchor="middle"))
    parts.append(svg.text(x - 9, _FLOOR + 15, "the one you move", anchor="end"))
    return parts


def _levels(numbers: Numbers) -> list[str]:
    """Draw the three averages of the bars as lines, their names kept apart."""
    rows = [
        ("median", numbers["median"], GREY),
        ("MAE", numbers["mae"], ORANGE),
        ("RMSE", numbers["rmse"], BLUE),
    ]
    parts: list[str] = []
    free = float(_FLOOR)
    right = _LEFT + _WIDE + 6
    for name, size, colour in sorted(rows, key=lambda row: row[1]):
        y = _height(size)
        words = min(y, free)
        free = words - 15
        parts.append(svg.stroke([(_LEFT, y), (right, y), (right + 14, words)], colour))
        parts.append(svg.text(right + 18, words + 4, f"{name} {size:.2f}"))
    return parts


def _ratio_scale(numbers: Numbers) -> list[str]:
    """Draw where the ratio stands between 1 and the most it can be."""
    left, wide, end = _LEFT, 400, 10.0

    def place(ratio: float) -> float:
        return left + math.log(ratio) / math.log(end) * wide

    most = place(numbers["most"])
    parts = [
        svg.text(left, _SCALE - 9, "RMSE / MAE"),
        svg.line(left, _SCALE + 8, place(end), _SCALE + 8),
        svg.box(left, _SCALE + 2, most - left, 12, dashed=True),
    ]
    for tick in (1, 2, 3, 5, 10):
        parts.append(svg.line(place(tick), _SCALE + 14, place(tick), _SCALE + 19))
        parts.append(svg.text(place(tick), _SCALE + 31, str(tick), anchor="middle"))
    gauss = place(GAUSSIAN)
    parts.append(svg.line(gauss, _SCALE - 4, gauss, _SCALE + 19, wide=1.5, dashed=True))
    parts.append(svg.text(gauss, _SCALE + 46, "Gaussian errors", anchor="middle"))
    if numbers["most"] < end:
        parts.append(svg.text(most + 6, _SCALE + 4, "the most it can be"))
    if not math.isnan(numbers["ratio"]):
        parts.append(svg.dot(place(numbers["ratio"]), _SCALE + 8, VERMILION, size=6))
    return parts


outlier = Explorable(
    id="rating.outlier",
    question="How large can the ratio get, and what would make it larger still? Then give all "
    "films the same error: does the ratio see how bad the model is?",
    goals=(
        Goal(
            "Make the ratio as large as it can be, with ten films or more.",
            lambda s, n: s["n"] >= 10 and math.isclose(n["ratio"], n["most"]),
            "One error stands alone: all others are 0.",
        ),
        Goal(
            "Make every error as large as it gets, and the ratio as small.",
            lambda s, n: s["one"] == s["others"] == 4.0,
            "The ratio says how unequal errors are, and nothing of their size.",
        ),
    ),
    controls=(
        Control(
            "one",
            "The one error, in stars",
            {step / 2: f"{step / 2:g}" for step in range(9)},
            2.0,
            "slider",
        ),
        Control(
            "others",
            "All other errors, in stars",
            {size: f"{size:g}" for size in (0.0, 0.1, 0.5, 1.0, 2.0, 4.0)},
            0.5,
            "slider",
        ),
        Control("n", "Films", {n: str(n) for n in (4, 5, 10, 25, 100)}, 10, "slider"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "mae": Quantity("MAE", high=_MOST, unit="stars"),
        "rmse": Quantity("RMSE", high=_MOST, unit="stars"),
        "median": Quantity("Median absolute error", high=_MOST, unit="stars"),
        "ratio": Quantity("RMSE / MAE", high=10.0),
        "most": Quantity("the most it can be, √films", high=10.0),
    },
)
