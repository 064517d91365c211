"""A badge on films that are promised to be liked: where it begins, and what it keeps."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, ORANGE
from recsys_metrics.calibration import PlattScaling
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import upright
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
_MAPS = {"raw": "the model without a map", "platt": "Platt scaling"}
_BINS = np.linspace(0, 1, 21)


@cache
def said(which: str) -> NDArray[np.float64]:
    """Return the probability of each of the newest ratings: of the model, or after its map."""
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
    parts.append(svg.text(_X(1) + 12, _FLOOR + 20, "predicted"))
    parts.append(
        handles.button("map", "Platt" if which == "platt" else "no map", (376, 54, 104, 30))
    )
    y = 154
    parts += [svg.text(0, y + 6, "predicted"), svg.text(0, y + 34, "observed")]
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
    line, words = [upright(_X(cut), 18, _FLOOR, ORANGE)], f"from {cut:g}"
    parts.append(
        handles.drag("cut", stops, (_X(cut), 12), along="x", parts=line, words=words, wide=120)
    )
    title = f"{numbers['badges']:,} badges, of which {numbers['liked']:.0%} are liked"
    alt = (
        f"Histogram of the probabilities that {_MAPS[which]} predicts for about 20,000 ratings. "
        f"{numbers['badges']:,} of them get a badge, from {cut:g} on. Their mean predicted "
        f"probability is {numbers['said']:.3f} and the observed fraction liked is "
        f"{numbers['liked']:.3f}; the 95% CI of the gap is {numbers['low']:.3f} to "
        f"{numbers['high']:.3f}."
    )
    return board(title, y + 70, parts, alt)


badge = Explorable(
    id="calibration.badge",
    question="From which probability are 90% liked?",
    goals=(
        Goal(
            "Give badges of which 90% or more are liked.",
            lambda s, n: n["liked"] >= 0.9,
            "This takes the map. From 0.9 on, its predictions are close to the observed fraction.",
        ),
        Goal(
            "5,000 badges or more, and a gap whose CI includes 0.",
            lambda s, n: n["badges"] >= 5000 and n["low"] <= 0,
            "Probabilities can be well calibrated at any threshold, including a low one.",
        ),
    ),
    guess=Guess(
        "Platt scaling, and the badge still from 0.9. The fraction liked will …",
        {"map": "platt"},
        "liked",
        "In this figure, the map removes badges from films with over-confident predictions.",
    ),
    controls=(
        Control("cut", "Badge from", {cut: f"{cut:g}" for cut in _CUTS}, 0.9, "slider"),
        Control("map", "Probabilities", _MAPS, "raw", "press"),
    ),
    compute=_compute,
    draw=_draw,
    in_picture=("badges", "liked"),
    labels={
        "badges": Quantity("Badges", high=None, places=0),
        "said": "Mean predicted",
        "liked": "Observed, liked",
        "too_much": Quantity("Predicted − observed", -0.1, 0.1),
        "low": Quantity("95% CI from", -0.1, 0.1),
        "high": Quantity("to", -0.1, 0.1),
    },
)
