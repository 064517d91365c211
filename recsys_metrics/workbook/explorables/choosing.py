"""Explorables of chapters 00 and 07: one recommender before three judges, and a goal."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.beyond_accuracy import catalog_coverage, intra_list_diversity
from recsys_metrics.ranking import judge, ndcg
from recsys_metrics.rating import mae
from recsys_metrics.workbook import svg
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.two_lists import goal
from recsys_metrics.workbook.palette import BLUE
from recsys_metrics.workbook.picture import Picture

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

_SLOT, _STEP, _LEFT, _TOP = 34, 42, 48, 40


def predictions(state: State) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return predicted stars: for the rated films, learned by heart, and for the others."""
    rated = RATED + state["shift"] + state["wobble"] * _WOBBLE_RATED
    mixed = (1 - state["crowd"]) * TRUE + state["crowd"] * CROWD
    return rated, mixed + state["shift"] + state["wobble"] * _WOBBLE


def lists(state: State) -> list[list[int]]:
    """Return everybody's list: the highest predictions, or the highest of each genre in turn."""
    served = []
    for scores in predictions(state)[1]:
        order = np.argsort(-scores, kind="stable")
        if state["varied"]:
            place = np.zeros(len(order), dtype=np.intp)
            for genre in range(3):
                own = order[_GENRE[order] == genre]
                place[own] = np.arange(len(own))
            order = order[np.argsort(place[order], kind="stable")]
        served.append([int(film) for film in order[: state["k"]]])
    return served


def _compute(state: State) -> Numbers:
    served = lists(state)
    liked = [dict.fromkeys(np.flatnonzero(row >= LIKED).tolist(), 1) for row in TRUE]
    return {
        "mae": mae(RATED.ravel(), predictions(state)[0].ravel()),
        "ndcg": float(ndcg(judge(served, liked), state["k"]).mean()),
        "coverage": catalog_coverage(served, len(FILMS)),
        "diversity": float(intra_list_diversity(served, features=_FEATURES).mean()),
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    served = lists(state)
    says = (
        f"{numbers['mae']:.2f} stars off · NDCG {numbers['ndcg']:.2f} · "
        f"{numbers['coverage']:.0%} of films"
    )
    parts = [svg.text(0, 14, says, bold=True)]
    for rank in range(state["k"]):
        x = _LEFT + rank * _STEP + _SLOT / 2
        parts.append(svg.text(x, _TOP - 6, str(rank + 1), anchor="middle"))
    for row, (name, films) in enumerate(zip(PEOPLE, served, strict=True)):
        y = _TOP + row * _STEP
        parts.append(svg.text(0, y + 22, name))
        for rank, film in enumerate(films):
            parts += _film(_LEFT + rank * _STEP, y, FILMS[film], TRUE[row, film] >= LIKED)
    bottom = _TOP + len(PEOPLE) * _STEP + 12
    parts.append(svg.text(0, bottom, "● would be liked · ○ would not"))
    parts.append(svg.text(0, bottom + 18, "D drama, A action, C comedy"))
    hits = sum(TRUE[row, film] >= LIKED for row, films in enumerate(served) for film in films)
    alt = (
        f"Lists of {state['k']} for four people, {hits} of {4 * state['k']} films would be liked. "
        f"In three numbers, {says}."
    )
    return svg.sheet(330, bottom + 28, parts, alt)


def _film(x: float, y: float, name: str, liked: bool) -> list[str]:
    ink = "#ffffff" if liked else ""
    return [
        svg.box(x, y, _SLOT, _SLOT, BLUE if liked else ""),
        svg.text(x + _SLOT / 2, y + 15, name, anchor="middle", ink=ink),
        svg.text(x + _SLOT / 2, y + 29, "●" if liked else "○", anchor="middle", ink=ink),
    ]


three_verdicts = Explorable(
    id="choosing.three_verdicts",
    question="Ruin the first answer and leave the lists as they are. Then make the first answer "
    "perfect and the lists useless. What moves the third answer?",
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
    controls=(
        Control(
            "shift",
            "Added to every prediction",
            {0.0: "nothing", 0.5: "half a star", 2.0: "two stars"},
            0.0,
        ),
        Control(
            "wobble",
            "Chance in every prediction",
            {0.0: "none", 0.5: "half a star or so", 2.0: "two stars or so"},
            0.0,
        ),
        Control(
            "crowd",
            "Unseen films are guessed from",
            {0.0: "the person's taste", 0.5: "both", 1.0: "everybody's taste"},
            0.0,
        ),
        Control(
            "varied",
            "The list takes",
            {False: "the highest predictions", True: "genres in turn"},
            False,
        ),
        Control("k", "K, films in a list", {k: str(k) for k in range(1, 7)}, 3, "slider"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "mae": Quantity("How close? MAE, rated films", high=3.0, unit="stars"),
        "ndcg": "How well ordered? NDCG@K",
        "coverage": "How good beyond? films shown",
        "diversity": "How good beyond? diversity",
    },
)

EXPLORABLES: tuple[Explorable, ...] = (three_verdicts, goal)
