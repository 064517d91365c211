"""Explorables of chapters 00 and 07: one recommender before three judges, and a goal."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, GREY, ORANGE, VERMILION
from recsys_metrics.beyond_accuracy import catalog_coverage, intra_list_diversity
from recsys_metrics.ranking import judge, ndcg
from recsys_metrics.rating import mae
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import group, knob, tag
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess
from recsys_metrics.workbook.explorables.minimum_detectable_effect import minimum_detectable_effect
from recsys_metrics.workbook.explorables.two_lists import goal

PEOPLE = ("Ann", "Ben", "Cem", "Dee")
FILMS = ("D1", "D2", "D3", "A1", "A2", "A3", "C1", "C2", "C3")
"""Nine films nobody has seen yet: three dramas, three of action, three comedies."""

# What each of them would give: to the films above, and to six films they have rated.
TRUE = np.array(
    [
        [5.0, 4.0, 4.5, 2.0, 1.5, 2.5, 3.0, 4.0, 2.0],
        [2.0, 3.0, 1.0, 5.0, 4.0, 4.5, 3.5, 2.0, 4.0],
        [3.0, 2.0, 2.5, 3.5, 4.0, 2.0, 5.0, 4.5, 4.0],
        [4.0, 5.0, 3.0, 1.0, 2.0, 2.5, 4.5, 3.5, 4.0],
    ]
)
RATED = np.array(
    [
        [5.0, 4.0, 2.0, 1.0, 3.0, 3.0],
        [2.0, 3.0, 5.0, 4.0, 4.0, 2.0],
        [3.0, 2.0, 4.0, 3.0, 5.0, 4.0],
        [5.0, 4.0, 1.0, 2.0, 4.0, 5.0],
    ]
)
CROWD = np.array([2.5, 3.0, 2.0, 4.5, 4.0, 5.0, 3.5, 3.0, 2.5])
"""What everybody else gives to the nine films, on average."""

LIKED = 4.0

_GENRE = np.repeat(np.arange(3), 3)
_FEATURES = np.eye(3)[_GENRE]
# Fixed, so that one state has one picture.
_RNG = np.random.default_rng(4)
_WOBBLE, _WOBBLE_RATED = _RNG.normal(size=TRUE.shape), _RNG.normal(size=RATED.shape)

_MOST = 6
_SHIFTS = {0.0: "nothing", 0.5: "half a star", 2.0: "two stars"}


def predictions(state: State) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return predicted stars: for the rated films, learned by heart, and for the others."""
    rated = RATED + state["shift"] + state["wobble"] * _WOBBLE_RATED
    mixed = (1 - state["crowd"]) * TRUE + state["crowd"] * CROWD
    return rated, mixed + state["shift"] + state["wobble"] * _WOBBLE


def lists(state: State) -> list[list[int]]:
    """Return everybody's list: the highest predictions, or the highest of each genre in turn."""
    recommended = []
    for scores in predictions(state)[1]:
        order = np.argsort(-scores, kind="stable")
        if state["varied"]:
            place = np.zeros(len(order), dtype=np.intp)
            for genre in range(3):
                own = order[_GENRE[order] == genre]
                place[own] = np.arange(len(own))
            order = order[np.argsort(place[order], kind="stable")]
        recommended.append([int(film) for film in order[: state["k"]]])
    return recommended


def _compute(state: State) -> Numbers:
    recommended = lists(state)
    liked = [dict.fromkeys(np.flatnonzero(row >= LIKED).tolist(), 1) for row in TRUE]
    return {
        "mae": mae(RATED.ravel(), predictions(state)[0].ravel()),
        "ndcg": float(ndcg(judge(recommended, liked), state["k"]).mean()),
        "coverage": catalog_coverage(recommended, len(FILMS)),
        "diversity": float(intra_list_diversity(recommended, features=_FEATURES).mean()),
    }


# The lists stand still, six films of each person; how many of them are shown is the line's.
_SLOT, _STEP, _LEFT, _TOP, _ROW = 44, 48, 46, 34, 31
_ENDS = [_LEFT + rank * _STEP - 2 for rank in range(1, _MOST + 1)]
_FLOOR = _TOP + len(PEOPLE) * _ROW
_OFF = Scale(0, 3, 378, 476)
_CHIPS = 32
_CROWD = {0.0: "own taste", 0.5: "both", 1.0: "everybody's taste"}
_VARIED = {False: "the highest", True: "genres in turn"}
# Each genre's name and films, side by side.
_GENRES = (("drama", 0, 61), ("action", 155, 216), ("comedy", 313, 386))


def _draw(state: State, numbers: Numbers) -> Picture:
    k, orders = state["k"], lists({**state, "k": _MOST})
    shown = {film for films in orders for film in films[:k]}
    hits = sum(TRUE[row, film] >= LIKED for row, films in enumerate(orders) for film in films[:k])
    parts = [*_people(state, orders), *_catalogue(shown), *_cut(k), *_added(state["shift"])]
    made = [
        *_chip("crowd", f"new films: {_CROWD[state['crowd']]}", 0, 270),
        *_chip("varied", f"list: {_VARIED[state['varied']]}", 280, 200),
        group(parts, y=_CHIPS),
    ]
    alt = (
        f"Lists of {k} for four people, {hits} of {4 * k} films would be liked. "
        f"In three numbers, {numbers['mae']:.2f} stars off, NDCG {numbers['ndcg']:.2f}, "
        f"{numbers['coverage']:.0%} of films."
    )
    title = f"{hits} of {4 * k} films shown would be liked ●"
    return board(title, _CHIPS + _FLOOR + 42, made, alt)


def _chip(control: str, words: str, x: float, wide: float) -> list[str]:
    """Draw a convention of the recommender as a board that can be pressed."""
    marks = [
        f'<rect x="{x}" y="0" width="{wide}" height="27" rx="6" fill="{GREY}" opacity="0.22"/>',
        svg.text(x + wide / 2, 19, words, anchor="middle"),
    ]
    return [handles.press(control, marks, grip=(x, -9, wide, 40))]


def _people(state: State, orders: list[list[int]]) -> list[str]:
    """Draw a list for each person, and how far off the stars of their rated films are."""
    off = np.abs(predictions(state)[0] - RATED).mean(axis=1)
    parts = []
    for row, (name, films) in enumerate(zip(PEOPLE, orders, strict=True)):
        y = _TOP + row * _ROW
        parts.append(svg.text(0, y + 19, name))
        for rank, film in enumerate(films):
            liked = TRUE[row, film] >= LIKED
            slot = _film(FILMS[film], bool(liked))
            faded = 1 if rank < state["k"] else 0.45
            parts.append(group(slot, x=_LEFT + rank * _STEP, y=y, opacity=faded))
        parts.append(svg.box(_OFF(0), y + 3, _OFF(off[row]) - _OFF(0), 20, VERMILION))
    parts.append(svg.line(_OFF(0), _TOP, _OFF(0), _FLOOR))
    return parts


def _film(name: str, liked: bool) -> list[str]:
    ink = "#ffffff" if liked else ""
    return [
        svg.box(0, 0, _SLOT, 26, BLUE if liked else ""),
        svg.text(_SLOT / 2, 19, f"{name}{'●' if liked else '○'}", anchor="middle", ink=ink),
    ]


def _catalogue(shown: set[int]) -> list[str]:
    """Draw the nine films by genre; those that nobody is shown are dashed and faint."""
    y, parts = _FLOOR + 12, []
    for genre, (name, left, right) in enumerate(_GENRES):
        parts.append(svg.text(left, y + 19, name))
        for own in range(3):
            film = 3 * genre + own
            box = [
                svg.box(0, 0, 28, 27, dashed=film not in shown),
                svg.text(14, 20, FILMS[film], anchor="middle", bold=film in shown),
            ]
            faded = 1 if film in shown else 0.4
            parts.append(group(box, x=right + 31 * own, y=y, opacity=faded))
    return parts


def _cut(k: int) -> list[str]:
    x = _ENDS[k - 1]
    cut = [svg.stroke([(x, 20), (x, _FLOOR + 4)], ORANGE), *tag(x, 2, f"K = {k}", wide=56)]
    return [handles.drag("k", _ENDS, cut, along="x", grip=(x - 28, 0, 56, _FLOOR + 6))]


def _added(shift: float) -> list[str]:
    """Draw what is added to every prediction as a knob over the errors of the rated films."""
    x = _OFF(shift)
    knobs = [svg.line(x, 10, x, _FLOOR, dashed=True), knob(x, 10, VERMILION)]
    stops = [_OFF(value) for value in _SHIFTS]
    grip = (x - 22, 0, 44, _FLOOR)
    return [
        svg.line(_OFF(0), 10, _OFF(3), 10),
        handles.drag("shift", stops, knobs, along="x", grip=grip),
        svg.text(_OFF(3), 33, "stars off", anchor="end"),
    ]


three_questions = Explorable(
    id="choosing.three_questions",
    question="Ruin the first answer and keep the second. Then the other way.",
    goals=(
        Goal(
            "Ruin the first answer and keep the second perfect.",
            lambda s, n: n["mae"] >= 2 and math.isclose(n["ndcg"], 1),
            "What moves all predictions alike moves no film.",
        ),
        Goal(
            "Keep the first answer perfect and ruin the second.",
            lambda s, n: n["mae"] < 1e-9 and n["ndcg"] < 1 / 3,
            "Errors on rated films say nothing of films that nobody rated.",
        ),
    ),
    guess=Guess(
        "Every prediction gets two stars more. NDCG@K will …",
        {"shift": 2.0},
        "ndcg",
        "All films of a person rise alike, so their order stays.",
    ),
    hint="Press a board; drag the knob or the line at K.",
    controls=(
        Control("shift", "Added to predictions", _SHIFTS, 0.0, "slider"),
        Control(
            "wobble",
            "Chance in them",
            {0.0: "none", 0.5: "half a star", 2.0: "two stars"},
            0.0,
        ),
        Control("crowd", "New films are guessed from", _CROWD, 0.0, "press"),
        Control("varied", "A list takes", _VARIED, False, "press"),
        Control("k", "K, films in a list", {k: str(k) for k in range(1, _MOST + 1)}, 3, "slider"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "mae": Quantity("Close: MAE", high=3.0, unit="stars"),
        "ndcg": "Ordered: NDCG@K",
        "coverage": "Beyond: films shown",
        "diversity": "Beyond: diversity",
    },
)

EXPLORABLES: tuple[Explorable, ...] = (three_questions, goal, minimum_detectable_effect)
