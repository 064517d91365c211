"""Five counts, the Lorenz curve under the line of equality, and the numbers made of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from recsys_metrics.beyond_accuracy import gini, lorenz_curve, shannon_entropy
from recsys_metrics.workbook import svg
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, ORANGE
from recsys_metrics.workbook.picture import Picture

ITEMS = "ABCDE"
_TIMES = {0: "0 times", 2: "2 times", 8: "8 times"}
_START = dict(zip(ITEMS, (8, 2, 0, 0, 0), strict=True))

# The square of the curve, and the floor of the bars.
_LEFT, _TOP, _SIDE = 250, 34, 190
_FLOOR = _TOP + _SIDE


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
    given = _counts(state)
    ordered = sorted(ITEMS, key=lambda item: (state[item], item))
    parts = [svg.text(0, 14, _finding(numbers), bold=True)]
    parts += _bars(ordered, [state[item] for item in ordered])
    parts += _curve(given, numbers)
    words = ", ".join(f"{item} {state[item]}" for item in ITEMS)
    alt = f"Times shown: {words}. {_finding(numbers)}."
    return svg.sheet(480, 268, parts, alt)


def _finding(numbers: Numbers) -> str:
    value = numbers["gini"]
    if math.isnan(value):
        return "Nothing is shown, so nothing is shared out"
    if value < 1e-9:
        return "All five are shown alike: Gini 0"
    if numbers["normalized"] > 1 - 1e-9:
        return f"One item gets everything: Gini {value:.3f}, normalized 1"
    return f"Gini {value:.3f}: the curve hangs below the line"


def _bars(ordered: Sequence[str], heights: Sequence[int]) -> list[str]:
    """Draw the counts, the smallest first, as the curve takes them."""
    parts = [svg.line(0, _FLOOR, 205, _FLOOR)]
    for place, (item, height) in enumerate(zip(ordered, heights, strict=True)):
        x, tall = 8 + 40 * place, height * 20
        parts.append(svg.box(x, _FLOOR - tall, 28, tall, BLUE))
        parts.append(svg.text(x + 14, _FLOOR - tall - 5, str(height), anchor="middle"))
        parts.append(svg.text(x + 14, _FLOOR + 16, item, anchor="middle", bold=True))
    parts.append(svg.text(0, _FLOOR + 36, "times shown, fewest first"))
    return parts


def _curve(given: Sequence[int], numbers: Numbers) -> list[str]:
    """Draw the share of all showings that the least shown items hold."""
    right = _LEFT + _SIDE
    parts = [
        svg.line(_LEFT, _FLOOR, right, _FLOOR),
        svg.line(_LEFT, _FLOOR, _LEFT, _TOP),
        svg.line(_LEFT, _FLOOR, right, _TOP, dashed=True),
        svg.text(_LEFT - 5, _FLOOR + 4, "0", anchor="end"),
        svg.text(_LEFT - 5, _TOP + 4, "1", anchor="end"),
        svg.text(right, _FLOOR + 16, "all items", anchor="end"),
        svg.text(_LEFT, _FLOOR + 36, "share of the items, least shown first"),
        svg.text(_LEFT + 6, _TOP + 4, "share of all showings"),
    ]
    if math.isnan(numbers["gini"]):
        return parts
    curve = lorenz_curve(given)
    points = [
        (_LEFT + float(x) * _SIDE, _FLOOR - float(y) * _SIDE)
        for x, y in zip(curve.items, curve.share, strict=True)
    ]
    outline = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts.append(f'<polygon points="{outline}" fill="{ORANGE}" opacity="0.4"/>')
    parts.append(svg.stroke(points, BLUE))
    parts += [svg.dot(x, y, BLUE, size=3.5) for x, y in points]
    return parts


_LABELS: dict[str, str | Quantity] = {
    "gini": "Gini",
    "normalized": "Gini, normalized",
    "area": Quantity("area under the curve", 0.0, 0.5),
    "shown_only": "Gini of the shown items only",
    "coverage": "coverage",
    "bits": Quantity("entropy", 0.0, math.log2(5), unit="bits"),
    "alike": Quantity("as even as n items shown alike", 0.0, 5.0, places=2),
}

counts = Explorable(
    id="beyond_accuracy.counts",
    question="Which counts give a Gini of 0, and which the most that five items can reach? "
    "Which numbers do not notice an item that nobody is shown?",
    goals=(
        Goal(
            "Make the Gini index 0.",
            lambda s, n: abs(n["gini"]) < 1e-9,
            "Equal counts, whatever their height.",
        ),
        Goal(
            "Make the Gini index the most it can be, and that of the shown items only 0.",
            lambda s, n: math.isclose(n["normalized"], 1) and abs(n["shown_only"]) < 1e-9,
            "One item has everything; who counts shown items alone sees perfect evenness.",
        ),
    ),
    controls=tuple(Control(item, f"Item {item} is shown", _TIMES, _START[item]) for item in ITEMS),
    compute=_compute,
    draw=_draw,
    labels=_LABELS,
)
