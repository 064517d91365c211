"""Five counts, the Lorenz curve under the line of equality, and the numbers made of them."""

from __future__ import annotations

import math

import numpy as np

from recsys_metrics._core.colors import BLUE, ORANGE
from recsys_metrics.beyond_accuracy import gini, lorenz_curve, shannon_entropy
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import group, path
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

ITEMS = "ABCDE"
_TIMES = {0: "0 times", 2: "2 times", 4: "4 times", 8: "8 times"}
_START = dict(zip(ITEMS, (8, 2, 0, 0, 0), strict=True))

# The bars, and the square of the curve on the same floor.
_TOP, _FLOOR = 24, 174
_TALL = Scale(0, 8, _FLOOR, _TOP + 28)
_X, _Y = Scale(0, 1, 290, 470), Scale(0, 1, _FLOOR, _TOP)


def _counts(state: State) -> list[int]:
    return [state[item] for item in ITEMS]


def _compute(state: State) -> Numbers:
    given = _counts(state)
    shown = [count for count in given if count]
    if not shown:
        return dict.fromkeys(_LABELS, math.nan) | {"coverage": 0.0}
    bits = shannon_entropy(given)
    return {
        "gini": gini(given),
        "normalized": gini(given, normalized=True),
        "area": lorenz_curve(given).area,
        "shown_only": gini(shown),
        "coverage": len(shown) / len(given),
        "bits": bits,
        "alike": 2**bits,
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    parts = [*_curve(state, numbers), *_bars(state)]
    words = ", ".join(f"{item} {state[item]}" for item in ITEMS)
    alt = f"Impressions: {words}. {_finding(numbers)}."
    return board(_finding(numbers), _FLOOR + 44, parts, alt)


def _finding(numbers: Numbers) -> str:
    value = numbers["gini"]
    if math.isnan(value):
        return "There are no impressions to distribute"
    if value < 1e-9:
        return "All five are shown equally often: Gini 0"
    if numbers["normalized"] > 1 - 1e-9:
        return f"One item gets every impression: Gini {value:.3f}"
    return f"Gini {value:.3f}: curve below the diagonal"


def _bars(state: State) -> list[str]:
    """Draw how often each item is shown as a bar, whose top is dragged."""
    parts = [svg.line(4, _FLOOR, 236, _FLOOR), svg.text(4, 12, "impressions")]
    stops = [_TALL(times) for times in _TIMES]
    for place, item in enumerate(ITEMS):
        x, top = 28 + 46 * place, _TALL(state[item])
        parts.append(svg.box(x - 14, top, 28, _FLOOR - top, BLUE))
        parts.append(svg.text(x, _FLOOR + 32, item, anchor="middle", bold=True))
        count = [svg.text(x, top - 19, str(state[item]), anchor="middle")]
        parts.append(handles.drag(item, stops, (x, top), along="y", parts=count))
    return parts


def _curve(state: State, numbers: Numbers) -> list[str]:
    """Draw the share of impressions that the least shown items have."""
    ordered = sorted(ITEMS, key=lambda item: (state[item], item))
    shares = np.linspace(0, 1, len(ITEMS) + 1)
    defined = not math.isnan(numbers["gini"])
    held = lorenz_curve(_counts(state)).share if defined else shares
    points = [(_X(float(x)), _Y(float(y))) for x, y in zip(shares, held, strict=True)]
    line = path(points, f'fill="none" stroke="{BLUE}" stroke-width="2.4"')
    seen = float(defined)
    parts = [
        group([path(points, f'fill="{ORANGE}" opacity="0.4"', closed=True)], opacity=seen),
        svg.line(_X(0), _FLOOR, _X(1), _FLOOR),
        svg.line(_X(0), _FLOOR, _X(0), _TOP),
        svg.line(_X(0), _FLOOR, _X(1), _TOP, dashed=True),
        group([line, *(svg.dot(x, y, BLUE, size=4) for x, y in points)], opacity=seen),
        svg.text(_X(0) - 7, _FLOOR + 5, "0", anchor="end"),
        svg.text(_X(0) - 7, _TOP + 5, "1", anchor="end"),
        svg.text(_X(1), 12, "share of impressions", anchor="end"),
        svg.text(_X(1), _FLOOR + 40, "items, least shown first", anchor="end"),
    ]
    for place, item in enumerate(ordered):
        x = _X((place + 0.5) / len(ITEMS))
        parts.append(svg.text(x, _FLOOR + 20, item, anchor="middle"))
    return parts


_LABELS: dict[str, str | Quantity] = {
    "gini": "Gini",
    "normalized": "normalized",
    "area": Quantity("area under the curve", 0.0, 0.5),
    "shown_only": "Gini, shown only",
    "coverage": "coverage",
    "bits": Quantity("entropy", 0.0, math.log2(5), unit="bits"),
    "alike": Quantity("effective number", 0.0, 5.0, places=2, unit="items"),
}

counts = Explorable(
    id="beyond_accuracy.counts",
    question="Which impressions make the Gini index large?",
    goals=(
        Goal(
            "Make the Gini index 0.",
            lambda s, n: abs(n["gini"]) < 1e-9,
            "The Gini index is 0 whenever all counts are equal, however large they are.",
        ),
        Goal(
            "Maximise the Gini index while the Gini of shown items only is 0.",
            lambda s, n: math.isclose(n["normalized"], 1) and abs(n["shown_only"]) < 1e-9,
            "One item has every impression. Over shown items only, the index ignores the other "
            "four items and reports perfect equality.",
        ),
    ),
    guess=Guess(
        "C goes from 0 impressions to 2. The Gini of shown items only will …",
        {"C": 2},
        "shown_only",
        "It ignored C while C had no impressions, and now it includes an item with few.",
    ),
    controls=tuple(Control(item, f"Item {item}", _TIMES, _START[item], "slider") for item in ITEMS),
    compute=_compute,
    draw=_draw,
    in_picture=("gini",),
    labels=_LABELS,
)
