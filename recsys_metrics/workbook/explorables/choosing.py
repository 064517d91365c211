"""Explorables of chapters 00 and 07: one recommender before three judges, and a goal."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, GREEN, ORANGE, VERMILION
from recsys_metrics.beyond_accuracy import catalog_coverage, intra_list_diversity
from recsys_metrics.ranking import judge, ndcg
from recsys_metrics.rating import mae
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import group, path, upright
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess
from recsys_metrics.workbook.explorables.minimum_detectable_effect import minimum_detectable_effect
from recsys_metrics.workbook.explorables.panels import Panel, stack
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

_MOST = 6
_SHIFTS = {half / 2: f"{half / 2:g} stars" for half in range(5)}


def predictions(state: State) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return predicted stars: for the rated films, learned by heart, and for the others."""
    mixed = (1 - state["crowd"]) * TRUE + state["crowd"] * CROWD
    return RATED + state["shift"], mixed + state["shift"]


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


_CROWD = {0.0: "own taste", 0.5: "both", 1.0: "average taste"}
_VARIED = {False: "the highest", True: "genres in turn"}
_STARS = Scale(1, 7, 98, 462)
_SLOT, _STEP, _LEFT = 44.0, 52.0, 2.0
_ENDS = [_LEFT + rank * _STEP - 4 for rank in range(1, _MOST + 1)]


def _draw(state: State, numbers: Numbers) -> Picture:
    k, orders = state["k"], lists({**state, "k": _MOST})
    times = [sum(film in films[:k] for films in orders) for film in range(len(FILMS))]
    shown = sum(map(bool, times))
    hits = sum(TRUE[row, film] >= LIKED for row, films in enumerate(orders) for film in films[:k])
    parts, height = stack(
        (
            Panel(
                "Close: predicted and given stars", f"MAE {numbers['mae']:.2f}", 62, _close(state)
            ),
            Panel(
                *(f"Ordered: {PEOPLE[0]}'s list", f"NDCG@{k} {numbers['ndcg']:.3f}"),
                *(76, _ordered(orders[0], k)),
            ),
            Panel(
                *("Beyond: users of 4 who get it", f"{shown} of {len(FILMS)} films"),
                *(58, _beyond(times)),
            ),
        )
    )
    buttons = [
        handles.button("crowd", _CROWD[state["crowd"]], (0, 0, 274, 30), name="new films:"),
        handles.button("varied", _VARIED[state["varied"]], (286, 0, 194, 30), name="list:"),
    ]
    alt = (
        f"Lists of {k} films for four users; {hits} of the {4 * k} films are relevant. MAE is "
        f"{numbers['mae']:.2f} stars, NDCG {numbers['ndcg']:.2f} and coverage "
        f"{numbers['coverage']:.0%} of the films."
    )
    return board("", height + 42, [*parts, group(buttons, y=height + 10)], alt)


def _close(state: State) -> list[str]:
    """Draw what a person gave and what is predicted, joined; the predictions are dragged."""
    given, predicted = RATED[0], predictions(state)[0][0]
    moved = float(predicted.max())
    parts = [svg.text(0, 12, "rated"), svg.text(0, 50, "predicted")]
    for true, guess in zip(given, predicted, strict=True):
        ends = [(_STARS(true), 6.0), (_STARS(guess), 44.0)]
        parts.append(path(ends, f'stroke="{VERMILION}" stroke-width="2"'))
        parts.append(svg.dot(_STARS(true), 6, size=6))
        parts.append(svg.dot(_STARS(guess), 44, BLUE, size=6))
    stops = [_STARS(float(given.max()) + value) for value in _SHIFTS]
    words = f"+{state['shift']:g}"
    return [*parts, handles.drag("shift", stops, (_STARS(moved), 44), along="x", words=words)]


def _ordered(films: list[int], k: int) -> list[str]:
    """Draw a person's list with what would be liked, and the cut-off, which is dragged."""
    parts = []
    for rank, film in enumerate(films):
        liked = bool(TRUE[0, film] >= LIKED)
        name = f"{FILMS[film]}{'●' if liked else '○'}"
        ink = "#ffffff" if liked else ""
        slot = [
            svg.box(0, 0, _SLOT, 34, BLUE if liked else ""),
            svg.text(_SLOT / 2, 23, name, anchor="middle", ink=ink),
        ]
        parts.append(group(slot, x=_LEFT + rank * _STEP, opacity=1 if rank < k else 0.4))
    said = f"{sum(TRUE[0, film] >= LIKED for film in films[:k])} of {k} liked ●"
    parts.append(svg.text(svg.WIDE, 23, said, anchor="end"))
    line, at = upright(_ENDS[k - 1], -2, 48, ORANGE), (_ENDS[k - 1], 62)
    cut = handles.drag("k", _ENDS, at, along="x", parts=[line], words=f"K = {k}")
    return [*parts, cut]


def _beyond(times: list[int]) -> list[str]:
    """Draw for each film how many of the four people are shown it."""
    parts, step = [svg.line(0, 36, svg.WIDE, 36)], svg.WIDE / len(FILMS)
    for film, number in enumerate(times):
        x, tall = (film + 0.5) * step, 8.0 * number
        parts.append(svg.box(x - 16, 36 - tall, 32, tall, GREEN))
        parts.append(svg.text(x, 55, FILMS[film], anchor="middle", bold=number > 0))
    return parts


three_questions = Explorable(
    id="choosing.three_questions",
    question="Can the stars be wrong and the list right?",
    goals=(
        Goal(
            "Make MAE 2 and keep NDCG at 1.",
            lambda s, n: n["mae"] >= 2 and math.isclose(n["ndcg"], 1),
            "Adding the same number to all predictions does not change their order.",
        ),
        Goal(
            "Keep MAE at 0 and get NDCG below 1/3.",
            lambda s, n: n["mae"] < 1e-9 and n["ndcg"] < 1 / 3,
            "Errors on rated films tell you nothing about films that nobody has rated.",
        ),
    ),
    guess=Guess(
        "All predictions rise by 2 stars. NDCG will …",
        {"shift": 2.0},
        "ndcg",
        "All predictions for a user rise by the same amount, so their order does not change.",
    ),
    controls=(
        Control("shift", "Added to all predictions", _SHIFTS, 0.0, "slider"),
        Control("crowd", "New films predicted from", _CROWD, 0.0, "press"),
        Control("varied", "A list contains", _VARIED, False, "press"),
        Control("k", "K, films in a list", {k: str(k) for k in range(1, _MOST + 1)}, 3, "slider"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "mae": Quantity("Close: MAE", high=2.0, unit="stars"),
        "ndcg": "Ordered: NDCG@K",
        "coverage": "Beyond: films shown",
        "diversity": "Beyond: diversity",
    },
    in_picture=("mae", "ndcg", "coverage"),
)

EXPLORABLES: tuple[Explorable, ...] = (three_questions, goal, minimum_detectable_effect)
