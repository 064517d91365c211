"""On MovieLens: what a map gains for one genre, and another badge."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.sorted_arrays import distinct, factorize
from recsys_metrics.calibration import PlattScaling, TemperatureScaling
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.on_films import (
    as_they_are,
    paired,
    turned,
    unpaired,
)
from recsys_metrics.workbook.experiments.match_percent import MatchPercent, movielens_match_percent

_MAPS = {"PlattScaling": PlattScaling, "TemperatureScaling": TemperatureScaling}
_GRADES = ("Brier score", "log loss")
_GENRES = (
    "Action",
    "Adventure",
    "Animation",
    "Children",
    "Comedy",
    "Crime",
    "Drama",
    "Fantasy",
    "Horror",
    "IMAX",
    "Musical",
    "Mystery",
    "Romance",
    "Sci-Fi",
    "Thriller",
    "War",
)
_THOUSANDTHS = 1000.0

Part = Literal["early", "middle", "late"]


@lru_cache(maxsize=8)
def _mapped(name: str, fitted_on: Part) -> NDArray[np.float64]:
    """Return every rating's probability after a map."""
    data = movielens_match_percent()
    part = getattr(data, fitted_on)
    fitted = _MAPS[name](on="log-odds").fit(data.score[part], data.liked[part])
    return np.asarray(fitted.predict(data.score))


@lru_cache(maxsize=64)
def _of_genre(genre: str) -> NDArray[np.bool_]:
    return movielens_match_percent().select_genre(genre)


def _grade(grade: str, data: MatchPercent, p: NDArray[np.float64]) -> NDArray[np.float64]:
    told = np.where(data.liked, p, 1 - p)
    return (1 - told) ** 2 if grade == "Brier score" else -np.log(told)


# One genre -------------------------------------------------------------------------------------

_Grades = tuple[NDArray[np.float64], NDArray[np.float64]]


@lru_cache(maxsize=512)
def _by_person(
    genre: str,
    grade: str,
    name: str,
    judged_on: Part = "late",
    fitted_on: Part = "middle",
    whole: bool = True,
) -> _Grades:
    """Return the grades of the scores as they are and after the map, a value for each person."""
    data = movielens_match_percent()
    rows = getattr(data, judged_on)
    rows = rows[_of_genre(genre)[rows]]
    both = [_grade(grade, data, p)[rows] for p in (data.score, _mapped(name, fitted_on))]
    if whole:
        _, who = factorize(data.user[rows])
        both = [np.bincount(who, values) / np.bincount(who) for values in both]
    return both[0], both[1]


def _genre_facts(inputs: Inputs) -> tuple[str, str, str]:
    return inputs["genre"], inputs["grade"], inputs["scaling"]


def _genre_gain(inputs: Inputs) -> dict[str, float]:
    return paired(*_by_person(*_genre_facts(inputs)), scale=_THOUSANDTHS)


def _genre_gain_of(**slip: Any) -> Any:
    return lambda inputs: paired(*_by_person(*_genre_facts(inputs), **slip), scale=_THOUSANDTHS)


def _other_grade(inputs: Inputs) -> dict[str, float]:
    (other,) = set(_GRADES) - {inputs["grade"]}
    return _genre_gain({**inputs, "grade": other})


def _draw_genre(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "genre": str(rng.choice(_GENRES)),
        "grade": str(rng.choice(_GRADES)),
        "scaling": str(rng.choice(list(_MAPS))),
    }


_one_genre_events_for_people = _genre_gain_of(whole=False)


def _one_genre_unpaired(inputs: Inputs) -> Any:
    return unpaired(*_by_person(*_genre_facts(inputs)), scale=_THOUSANDTHS)


_one_genre_judged_on_the_fit = _genre_gain_of(judged_on="middle")

_one_genre_fitted_on_test = _genre_gain_of(fitted_on="late")


def _one_genre_before_less_after(inputs: Inputs) -> Any:
    return turned(_genre_gain(inputs))


_one_genre_as_they_are = as_they_are(
    "in thousandths",
    lambda inputs: paired(*_by_person(*_genre_facts(inputs)), scale=1.0),
).wrong_answer


# Another badge ---------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _badges_at(
    percent: int, part: Part = "late", fitted_on: Part = "middle", mapped: bool = True
) -> dict[str, float]:
    data = movielens_match_percent()
    rows = getattr(data, part)
    p = (_mapped("PlattScaling", fitted_on) if mapped else data.score)[rows]
    badge = p >= percent / 100
    return {
        "badges": 100 * float(badge.mean()),
        "people": float(len(distinct(data.user[rows][badge]))),
        "said": 100 * float(p[badge].mean()),
        "liked": 100 * float(data.liked[rows][badge].mean()),
    }


def _badges(inputs: Inputs) -> dict[str, float]:
    return _badges_at(inputs["percent"])


def _badges_of(**slip: Any) -> Any:
    return lambda inputs: _badges_at(inputs["percent"], **slip)


def _as_shares(inputs: Inputs) -> dict[str, float]:
    right = _badges(inputs)
    return {name: right[name] / 100 for name in ("badges", "said", "liked")}


def _draw_badge(rng: np.random.Generator) -> dict[str, Any]:
    # The chapter's own badge stands at 90.
    return {"percent": int(rng.integers(55, 89))}


_another_badge_as_it_is = _badges_of(mapped=False)

_another_badge_judged_on_the_fit = _badges_of(part="middle")

_another_badge_fitted_on_test = _badges_of(fitted_on="late")


def _another_badge_ratings_for_people(inputs: Inputs) -> Any:
    return {"people": _badges(inputs)["badges"] / 100 * len(movielens_match_percent().late)}


def _another_badge_threshold_for_promise(inputs: Inputs) -> Any:
    return {"said": float(inputs["percent"])}


_another_badge_as_they_are = as_they_are("in per cent", _as_shares).wrong_answer


def _another_badge_badge_of_the_chapter(inputs: Inputs) -> Any:
    return _badges_at(90)
