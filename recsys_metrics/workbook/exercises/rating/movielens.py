"""Film values on real ratings: how much to add, for whom they are worse, what the list says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from recsys_metrics.interactions import Interactions, concatenate
from recsys_metrics.protocol import leave_last_n_out, temporal_split
from recsys_metrics.rating import rmse
from recsys_metrics.workbook.exercises import movielens
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case


def _film_values(ratings: Interactions, added: int) -> movielens.Reals:
    """Return each film's mean, with some ratings added that say average."""
    overall = movielens.stars(ratings).mean()
    count = np.bincount(ratings.item, minlength=ratings.n_items)
    above = np.bincount(ratings.item, movielens.stars(ratings) - overall, ratings.n_items)
    values: movielens.Reals = overall + above / np.maximum(count + added, 1)
    return values


# One film -----------------------------------------------------------------------------------------


def _value(ratings: Sequence[float], overall: float, added: int) -> float:
    return (sum(ratings) + added * overall) / (len(ratings) + added)


def _plain_mean(ratings: Sequence[float], overall: float, added: int) -> float:
    return overall + sum(r - overall for r in ratings) / len(ratings)


def _plain_mean_guarded(ratings: Sequence[float], overall: float, added: int) -> float:
    return _plain_mean(ratings, overall, added) if ratings else overall


def _not_divided(ratings: Sequence[float], overall: float, added: int) -> float:
    return overall + sum(r - overall for r in ratings)


def _over_added(ratings: Sequence[float], overall: float, added: int) -> float:
    return overall + sum(r - overall for r in ratings) / added


def _zeros_added(ratings: Sequence[float], overall: float, added: int) -> float:
    return overall + sum(ratings) / (len(ratings) + added)


def _one_added(ratings: Sequence[float], overall: float, added: int) -> float:
    return overall + sum(r - overall for r in ratings) / (len(ratings) + 1)


def _average_above(ratings: Sequence[float], overall: float, added: int) -> float:
    above = sum(r - overall for r in ratings)
    return overall + (above + added * overall) / (len(ratings) + added)


def _weights_swapped(ratings: Sequence[float], overall: float, added: int) -> float:
    above = sum(r - overall for r in ratings)
    return overall + above * added / (len(ratings) + added)


def _film(ratings: list[float], overall: float, added: int, why: str = "") -> Case:
    return Case({"ratings": ratings, "overall": overall, "added": added}, why)


_FEW = (
    _film([5.0], 3.5, 4, "there is one rating"),
    _film([], 3.6, 3, "nobody has rated the film"),
    _film([3.5, 3.5], 3.5, 2, "the film is as good as the average"),
)


def _draw_films(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return films with two to eight ratings, and the edges."""
    drawn = []
    for size in (2, 3, 5, 8):
        ratings = (rng.integers(1, 11, size=size) / 2).tolist()
        overall = float(rng.choice([3.2, 3.4, 3.6]))
        drawn.append(_film(ratings, overall, int(rng.integers(2, 9))))
    return (*drawn, *_FEW)


_complete_film_value_cases = (
    _film([5.0, 4.0, 4.5], 3.5, 5),
    _film([2.0, 1.0, 3.0, 2.5, 1.5, 2.0], 3.4, 2),
    _film([4.0, 5.0], 3.6, 10, "far more is added than there is"),
    *_FEW,
)

# How much to add --------------------------------------------------------------------------------


@cache
def _inside(share: float) -> tuple[Interactions, Interactions]:
    """Return the training time cut once more: what is learned from, and what is hidden."""
    train, later = temporal_split(movielens.experiment(share).train, test_share=share)
    _, judges = leave_last_n_out(later, share=1 / 2)
    return train, judges


@cache
def _rmse(share: float, added: int, where: str) -> float:
    data = movielens.experiment(share)
    learned, judged = {
        "inside": _inside(share),
        "test": (data.train, data.hidden),
        "training": (data.train, data.train),
        "future": (data.films.interactions, data.hidden),
    }[where]
    return rmse(movielens.stars(judged), _film_values(learned, added)[judged.item])


def _best(inputs: Inputs, where: str) -> int:
    return int(min(inputs["offered"], key=lambda added: _rmse(inputs["share"], added, where)))


def _chosen(inputs: Inputs, *, by: str = "inside", told: str = "test") -> dict[str, float]:
    added = _best(inputs, by)
    return {"added": added, "rmse": _rmse(inputs["share"], added, told)}


def _draw_offered(rng: np.random.Generator) -> Inputs:
    others = rng.choice([*range(1, 11), 12, 14, 16, 20, 25, 30, 40, 50], 5, replace=False)
    return {"share": movielens.draw_share(rng), "offered": [0, *sorted(others.tolist())]}


def _choose_added_tuned_on_test(inputs: Inputs) -> Any:
    return _chosen(inputs, by="test")


def _choose_added_judged_where_learned(inputs: Inputs) -> Any:
    return _chosen(inputs, by="training")


def _choose_added_value_of_the_choice(inputs: Inputs) -> Any:
    return {"rmse": _rmse(inputs["share"], _best(inputs, "inside"), "inside")}


def _choose_added_leak_from_the_future(inputs: Inputs) -> Any:
    return {"rmse": _rmse(inputs["share"], _best(inputs, "inside"), "future")}


def _choose_added_missing_root(inputs: Inputs) -> Any:
    return {"rmse": _chosen(inputs)["rmse"] ** 2}


# For whom it is worse ---------------------------------------------------------------------------


@cache
def _by_person(share: float, added: int, habit: str = "known") -> dict[str, float]:
    data = movielens.experiment(share)
    hidden, overall = data.hidden, movielens.stars(data.train).mean()
    film = _film_values(data.train, added)
    source = {"known": data.known, "future": concatenate([data.known, data.hidden])}.get(habit)
    guess = film[hidden.item]
    if source is not None:
        left = movielens.stars(source) - film[source.item]
        count = np.bincount(source.user, minlength=source.n_users)
        person = np.bincount(source.user, left, source.n_users) / (count + added)
        guess = guess + person[hidden.user]
    actual, one = movielens.stars(hidden), np.full(len(hidden), overall)
    before = np.asarray(rmse(actual, one, users=hidden.user))
    after = np.asarray(rmse(actual, guess, users=hidden.user))
    further = np.abs(guess - actual) > np.abs(one - actual)
    return {
        "people": float((after > before).mean()),
        "worst": float((after - before).max()),
        "ratings": float(further.mean()),
        "gain": float((before - after).mean()),
    }


def _worse(inputs: Inputs, habit: str = "known") -> dict[str, float]:
    found = _by_person(inputs["share"], inputs["added"], habit)
    return {name: found[name] for name in ("people", "worst")}


def _worse_off_draw(rng: np.random.Generator) -> Any:
    return {
        "share": movielens.draw_share(rng),
        "added": int(rng.choice([2, 3, 4, 5, 8, 10, 15])),
    }


def _worse_off_ratings_for_users(inputs: Inputs) -> Any:
    return {"people": _by_person(inputs["share"], inputs["added"])["ratings"]}


def _worse_off_film_alone(inputs: Inputs) -> Any:
    return _worse(inputs, "none")


def _worse_off_leak_from_the_future(inputs: Inputs) -> Any:
    return _worse(inputs, "future")


def _worse_off_better_for_worse(inputs: Inputs) -> Any:
    return {"people": 1 - _worse(inputs)["people"]}


def _worse_off_mean_for_worst(inputs: Inputs) -> Any:
    return {"worst": _by_person(inputs["share"], inputs["added"])["gain"]}
