"""Films that share a score: whoever sorts them decides what the list is worth."""

from __future__ import annotations

import math

import numpy as np

from recsys_metrics._core.colors import GREEN, ORANGE
from recsys_metrics.ranking import Judged, dcg
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import upright
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess
from recsys_metrics.workbook.explorables.ranking import row

_FILMS = 6
_BEFORE = 1
"""Films above those that share a score."""

_MOST = 5
_STEP = 70
_HIT = {False: "○ not relevant", True: "● relevant"}
_ENDS = [_STEP * k for k in range(1, _FILMS + 1)]
_SCORES = row.TOP + row.SLOT + 60


def _marks(state: State) -> list[int]:
    return [int(state[f"r{place}"]) for place in range(1, _FILMS + 1)]


def orders(state: State) -> dict[str, list[float]]:
    """Return the grade at each rank: as sorted by number, at best, at worst, and on average."""
    marks = _marks(state)
    tied = slice(_BEFORE, _BEFORE + state["tied"])
    found: dict[str, list[float]] = {"number": [float(mark) for mark in marks]}
    block = sorted(marks[tied], reverse=True)
    # Over all orders each place of a tie is a hit as often as any other of it.
    mean = [float(np.mean(block))] * len(block)
    for name, of in (("best", block), ("worst", block[::-1]), ("expected", mean)):
        found[name] = [float(mark) for mark in (*marks[:_BEFORE], *of, *marks[tied.stop :])]
    return found


def _compute(state: State) -> Numbers:
    n_relevant, k = sum(_marks(state)), state["k"]
    best = dcg(Judged.from_gains([1.0] * max(n_relevant, 1)), k) if n_relevant else math.nan
    # NDCG is a sum over ranks, so its mean over all orders is that of the mean gains.
    found = {name: dcg(Judged.from_gains(gains), k) / best for name, gains in orders(state).items()}
    return {**found, "gap": found["best"] - found["worst"]}


def _draw(state: State, numbers: Numbers) -> Picture:
    k, tied = state["k"], state["tied"]
    marks = _marks(state)
    parts = [
        row.film(
            *(f"r{place}", (place - 1) * _STEP + 12, str(place), ""),
            wanted=bool(mark),
            counts=place <= k,
        )
        for place, mark in enumerate(marks, 1)
    ]
    for place in range(_FILMS):
        # One score for the tied films, and each other one its own.
        level = 44 if place < _BEFORE else 30 if place < _BEFORE + tied else 20 - 3 * place + 6
        shared = _BEFORE <= place < _BEFORE + tied
        x = place * _STEP + 17
        parts.append(svg.box(x, _SCORES - level, 36, level, GREEN if shared and tied > 1 else ""))
    parts.append(svg.text(_STEP * _FILMS + 10, _SCORES - 4, "score"))
    stops = [_STEP * (_BEFORE + n) for n in range(1, _MOST + 1)]
    x = stops[tied - 1]
    end = upright(x, _SCORES - 38, _SCORES, ORANGE, wide=3)
    parts.append(handles.drag("tied", stops, (x, _SCORES + 12), along="x", parts=[end]))
    parts.append(row.cut(_ENDS, k, _SCORES + 28))
    return board("", _SCORES + 28 + row.BELOW - 8, parts, _alt(state, numbers))


def _alt(state: State, numbers: Numbers) -> str:
    marks = "".join("●" if mark else "○" for mark in _marks(state))
    tied, k = state["tied"], state["k"]
    shared = (
        "no scores are tied"
        if tied == 1
        else f"the films at ranks {_BEFORE + 1} to {_BEFORE + tied} are tied"
    )
    if not any(_marks(state)):
        return f"Six films by score, none relevant, cut off at {k}; {shared}: NDCG is undefined."
    return (
        f"Six films by score, {marks}, cut off at {k}; {shared}. Depending on how ties are "
        f"broken, NDCG is between {numbers['worst']:.2f} and {numbers['best']:.2f}."
    )


def _mixed(state: State) -> bool:
    block = _marks(state)[_BEFORE : _BEFORE + state["tied"]]
    return 0 < sum(block) < len(block)


ties = Explorable(
    id="ranking.ties",
    question="How far can tied scores move NDCG?",
    goals=(
        Goal(
            "Make best minus worst larger than 2/3.",
            lambda s, n: n["gap"] > 2 / 3,
            "The tie contains the relevant films, and the cut-off includes only part of the tie.",
        ),
        Goal(
            "4 or more tied, at least one relevant: make best equal worst.",
            lambda s, n: s["tied"] >= 4 and _mixed(s) and n["gap"] == 0,
            "The cut-off is above the tie, so no tied film is in the list.",
        ),
    ),
    guess=Guess(
        "K goes from 3 to 5, so that the list includes the whole tie. Best minus worst will …",
        {"k": 5},
        "gap",
        "All tied films are now in the list, and only their order can vary.",
    ),
    controls=(
        Control("k", "Cut-off K", {k: str(k) for k in range(1, _FILMS + 1)}, 3, "slider"),
        Control(
            "tied",
            "Tied films",
            {n: str(n) for n in range(1, _MOST + 1)},
            4,
            "slider",
        ),
        *(
            Control(f"r{place}", f"Film {place}", _HIT, place in (1, 4, 5), "press")
            for place in range(1, _FILMS + 1)
        ),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "number": "NDCG by film number",
        "best": "… best case",
        "worst": "… worst case",
        "expected": "… mean over all orders",
        "gap": "Best minus worst",
    },
)
