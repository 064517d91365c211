"""How far film means are pulled to the overall mean: best for the stars, best for the list."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.ranking import judge, ndcg, rank_from_scores
from recsys_metrics.rating import rmse
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.experiments.movielens import movielens_experiment
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

_ADDED = {n: f"{n:,}" for n in (0, 1, 2, 3, 5, 10, 25, 100, 1000)}
_PERSON = {False: "item bias alone", True: "item + user bias"}
_K = 10
# As many ratings that say average are added to each person's habit, as chapter 01 does.
_TO_PERSON = 5
_OTHERS = 40
_OFTEN = 100


@dataclass(frozen=True)
class _Values:
    """What so many added ratings make of the films, of the errors and of the lists."""

    value: NDArray[np.float64]
    rmse: dict[bool, float]
    ndcg: float
    shown: NDArray[np.intp]
    ratings: float


@dataclass(frozen=True)
class _Films:
    """The films of the training ratings: how often each was rated, and how far above the mean."""

    overall: float
    count: NDArray[Any]
    above: NDArray[np.float64]


@cache
def _films() -> _Films:
    train = movielens_experiment().train
    stars = np.asarray(train.rating)
    overall = float(stars.mean())
    count = np.bincount(train.item, minlength=train.n_items)
    above = np.bincount(train.item, stars - overall, train.n_items).astype(np.float64)
    return _Films(overall, count, above)


@cache
def _with(added: int) -> _Values:
    data, films = movielens_experiment(), _films()
    known, hidden = data.known, data.hidden
    value = films.overall + films.above / np.maximum(films.count + added, 1)
    left = np.asarray(known.rating) - value[known.item]
    given = np.bincount(known.user, minlength=known.n_users)
    person = np.bincount(known.user, left, known.n_users) / (given + _TO_PERSON)
    of_film = value[hidden.item]
    stars = np.asarray(hidden.rating)
    # A person's habit is one number for all their films: it moves none of them in the list.
    scores = np.tile(value, (len(data.users), 1))
    shown = rank_from_scores(scores, _K, exclude=data.seen, ties="random")
    return _Values(
        value=value,
        rmse={False: rmse(stars, of_film), True: rmse(stars, of_film + person[hidden.user])},
        ndcg=float(np.mean(ndcg(judge(shown, data.truth), _K))),
        shown=shown,
        ratings=float(np.median(films.count[shown])),
    )


def _compute(state: State) -> Numbers:
    found = _with(state["added"])
    return {
        "rmse": found.rmse[state["person"]],
        "ndcg": found.ndcg,
        "ratings": found.ratings,
        "films": len(distinct(found.shown)),
    }


@cache
def _drawn() -> tuple[int, ...]:
    """Choose the films that are drawn: each top ten, and others from rarely to often rated."""
    tops = {film for added in _ADDED for film in _top(added)}
    count = _films().count
    rated = np.flatnonzero(count)
    by_count = rated[np.argsort(count[rated], kind="stable")]
    # The rarely rated are many; steps that shrink towards the end show both kinds.
    places = len(by_count) - np.geomspace(1, len(by_count), _OTHERS)
    return tuple(sorted(tops | {int(by_count[int(place)]) for place in places}))


@cache
def _top(added: int) -> tuple[int, ...]:
    return tuple(int(film) for film in np.argsort(-_with(added).value, kind="stable")[:_K])


_X = Scale(1, 350, 46, 470, math.log)
_Y = Scale(1.5, 5, 142, 46)
_FLOOR, _LANE = 146, 194
_STOPS = [80 + 46 * place for place in range(len(_ADDED))]


def _draw(state: State, numbers: Numbers) -> Picture:
    added, films = state["added"], _films()
    value, top = _with(added).value, _top(added)
    parts = [*_axes(films.overall)]
    for film in _drawn():
        look = f'fill="{BLUE}" opacity="1"' if film in top else 'fill="currentColor" opacity="0.4"'
        x, y = _X(float(films.count[film])), _Y(float(value[film]))
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" {look}/>')
    first = textwrap.shorten(movielens_experiment().films.titles[top[0]], 26, placeholder=" …")
    parts.append(svg.text(0, 25, f"first: {first}"))
    parts += [_person(state["person"]), *_lane(added)]
    middle = numbers["ratings"]
    alt = (
        f"Damping of {_ADDED[added]} average ratings per film, predicted from "
        f"{_PERSON[state['person']]}: RMSE {numbers['rmse']:.3f}, NDCG@10 {numbers['ndcg']:.3f}; "
        f"half of the recommended films have {middle:g} ratings or fewer."
    )
    few = "one rating" if middle == 1 else f"{middle:g} ratings or fewer"
    return board(f"Half of the recommended films have {few}", _LANE + 38, parts, alt)


def _axes(overall: float) -> list[str]:
    parts = [
        svg.line(_X(1), _FLOOR, _X(350), _FLOOR),
        svg.line(_X(1), _FLOOR, _X(1), _Y(5)),
        svg.line(_X(1), _Y(overall), _X(350), _Y(overall), dashed=True),
        svg.text(470, _FLOOR - 6, "ratings of a film", anchor="end"),
    ]
    parts += [svg.text(_X(n), _FLOOR + 19, str(n), anchor="middle") for n in (1, 10, 100)]
    parts += [svg.text(_X(1) - 9, _Y(n) + 5, f"{n}★", anchor="end") for n in (2, 3, 4, 5)]
    return parts


def _person(known: bool) -> str:
    return handles.button("person", _PERSON[known], (316, 4, 164, 30))


def _lane(added: int) -> list[str]:
    """Draw the numbers of ratings that can be added, with a knob at the one that is."""
    x = _STOPS[list(_ADDED).index(added)]
    parts = [
        svg.line(_STOPS[0], _LANE, _STOPS[-1], _LANE),
        svg.text(0, _LANE + 6, "added"),
    ]
    parts += [
        svg.text(stop, _LANE + 30, words, anchor="middle", bold=stop == x)
        for stop, words in zip(_STOPS, _ADDED.values(), strict=True)
    ]
    return [*parts, handles.drag("added", _STOPS, (x, _LANE), along="x")]


added = Explorable(
    id="rating.added",
    question="Which damping is best for ratings and for lists?",
    goals=(
        Goal(
            "Find the lowest RMSE of the item bias alone.",
            lambda s, n: (
                not s["person"] and n["rmse"] < min(_with(m).rmse[False] for m in _ADDED) + 5e-4
            ),
            "The best damping is 2 or 3, but from 1 to 10 the RMSE of this sample is nearly "
            "constant.",
        ),
        Goal(
            "Find a median of 100 ratings with little damping.",
            lambda s, n: s["added"] == min(m for m in _ADDED if _with(m).ratings >= _OFTEN),
            "Films with few ratings are pulled from the top of the list, and films with many "
            "ratings stay.",
        ),
    ),
    guess=Guess(
        "Set the damping to 1,000 average ratings per film. NDCG@10 will …",
        {"added": 1000},
        "ndcg",
        "The predictions are close to the mean, and in this sample the films at the top are "
        "those that many users liked.",
    ),
    controls=(
        Control("added", "Damping: average ratings added", _ADDED, 5, "slider"),
        Control("person", "Predicted from", _PERSON, False, "press"),
    ),
    compute=_compute,
    draw=_draw,
    in_picture=("ratings",),
    labels={
        "rmse": Quantity("RMSE", high=1.5, unit="stars"),
        "ndcg": "NDCG@10",
        "ratings": Quantity("median ratings", high=None, places=0),
        "films": Quantity("films recommended", high=None, places=0),
    },
)
