"""A badge on films that are promised to be liked: where it begins, and what it keeps."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, ORANGE, SKY
from recsys_metrics.calibration import PlattScaling
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import group, tag
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.experiments.comparison_table import compare_values
from recsys_metrics.workbook.experiments.match_percent import movielens_match_percent
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

_CUTS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9)
_MAPS = {"raw": "the model as it is", "platt": "after Platt"}
_BINS = np.linspace(0, 1, 21)


@cache
def said(which: str) -> NDArray[np.float64]:
    """Return what is said of each of the newest ratings: by the model, or after its map."""
    promises = movielens_match_percent()
    scores = promises.score[promises.late]
    if which == "raw":
        return scores
    middle = promises.middle
    learnt = PlattScaling(on="log-odds").fit(promises.score[middle], promises.liked[middle])
    mapped: NDArray[np.float64] = learnt.predict(scores)
    return mapped


@cache
def _badges(which: str, cut: float) -> dict[str, float]:
    promises = movielens_match_percent()
    has = said(which) >= cut
    told, came = said(which)[has], promises.liked[promises.late][has].astype(float)
    who = promises.user[promises.late][has]
    gap = compare_values(told, came, people=who, names=("said", "liked"), unit="person")
    low, high = gap.interval
    return {
        "badges": int(has.sum()),
        "said": float(told.mean()),
        "liked": float(came.mean()),
        "too_much": gap.difference,
        "low": low,
        "high": high,
    }


def _compute(state: State) -> Numbers:
    return dict(_badges(state["map"], state["cut"]))


_X = Scale(0, 1, 10, 350)
_FLOOR, _TALL = 104, 74
_PLACE = Scale(0.4, 1, 74, 470)


def _draw(state: State, numbers: Numbers) -> Picture:
    cut, which = state["cut"], state["map"]
    counts = np.histogram(said(which), _BINS)[0]
    most = max(int(np.histogram(said(name), _BINS)[0].max()) for name in _MAPS)
    parts = [svg.line(_X(0), _FLOOR, _X(1), _FLOOR)]
    for left, count in zip(_BINS, counts, strict=False):
        tall = _TALL * count / most
        fill = BLUE if left >= cut - 1e-9 else ""
        parts.append(svg.box(_X(float(left)) + 1, _FLOOR - tall, 15, tall, fill))
    parts += [svg.text(_X(end), _FLOOR + 20, f"{end:g}", anchor="middle") for end in (0, 0.5, 1)]
    parts.append(svg.text(_X(1) + 12, _FLOOR + 20, "said"))
    parts.append(
        handles.press(
            "map",
            tag(430, 56, "Platt" if which == "platt" else "as it is", fill=SKY),
            grip=(376, 44, 104, 50),
        )
    )
    y = 154
    parts += [svg.text(0, y + 6, "said"), svg.text(0, y + 34, "liked")]
    parts.append(svg.dot(_PLACE(numbers["said"]), y, ORANGE, size=7))
    ends = [_PLACE(numbers["said"] - numbers[end]) for end in ("high", "low")]
    parts.append(svg.box(ends[0], y + 25, ends[1] - ends[0], 6, BLUE))
    parts.append(svg.dot(_PLACE(numbers["liked"]), y + 28, BLUE, size=7))
    x = _PLACE(numbers["said"])
    parts.append(svg.line(x, y + 8, x, y + 44, dashed=True))
    parts.append(svg.line(_PLACE.start, y + 46, _PLACE.end, y + 46))
    parts += [
        svg.text(_PLACE(end), y + 66, f"{end:g}", anchor="middle") for end in (0.4, 0.6, 0.8, 1.0)
    ]
    stops = [_X(one) for one in _CUTS]
    marks = [svg.box(-1.5, 18, 3, _FLOOR - 18, ORANGE)]
    moved = group(marks, x=_X(cut))
    words = "".join(tag(_X(cut), -2, f"from {cut:g}", wide=92))
    grip = (_X(cut) - 46, -4, 92, _FLOOR + 2)
    parts.append(handles.drag("cut", stops, [moved, words], along="x", grip=grip))
    title = f"{numbers['badges']:,} badges, {100 * numbers['liked']:.0f} in a hundred of them liked"
    alt = (
        f"What {_MAPS[which]} says of twenty thousand ratings; {numbers['badges']:,} of them get a "
        f"badge, from {cut:g} on. Said of these on average {numbers['said']:.3f}, liked "
        f"{numbers['liked']:.3f}; the gap is between {numbers['low']:.3f} and "
        f"{numbers['high']:.3f}."
    )
    return board(title, y + 70, parts, alt)


badge = Explorable(
    id="calibration.badge",
    question="Where may a badge begin that says “liked nine times in ten”?",
    goals=(
        Goal(
            "Give badges of which nine in ten are liked.",
            lambda s, n: n["liked"] >= 0.9,
            "It takes the map: from 0.9 on, what is said is about what comes.",
        ),
        Goal(
            "Give five thousand badges or more that do not clearly promise too much.",
            lambda s, n: n["badges"] >= 5000 and n["low"] <= 0,
            "A promise can be kept at every height, if it says what it promises.",
        ),
    ),
    guess=Guess(
        "Platt's map instead, and the badge still begins at 0.9. What is liked will …",
        {"map": "platt"},
        "liked",
        "The map takes the badge from films of which the model was too sure.",
    ),
    hint="Drag where the badge begins. Press the blue tag: with a map, or without.",
    controls=(
        Control("cut", "Badge from", {cut: f"{cut:g}" for cut in _CUTS}, 0.9, "slider"),
        Control("map", "What is said", _MAPS, "raw", "press"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "badges": Quantity("Badges", high=None, places=0),
        "said": "Said of them",
        "liked": "Liked",
        "too_much": Quantity("Too much", -0.1, 0.1),
        "low": Quantity("… from", -0.1, 0.1),
        "high": Quantity("… to", -0.1, 0.1),
    },
)
