"""On MovieLens: what a map gains for one genre, and another badge."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.sorted_arrays import distinct, factorize
from recsys_metrics.calibration import PlattScaling, TemperatureScaling
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.on_films import (
    NOTEBOOK,
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


one_genre = Numbers(
    id="calibration.one_genre",
    title="Does the map help here too?",
    prompt=f"""
A map that helps on average need not help for every kind of film. Take the ratings of films of the
genre {{genre}} in the late part.

`movielens_match_percent()` of `recsys_metrics.workbook` has the ratings of this chapter, the
scores, the parts and `.select_genre(...)`. Fit `{{scaling}}(on="log-odds")` on all of the middle
part, and take the {{grade}} of each of these ratings, after the map less before it. Average the
change within each person first, so that a person counts once.

What is the mean change over people, and where does its 95 % t interval end? Give all three in
thousandths. {NOTEBOOK}
""",
    asks={
        "gain": "mean change, in thousandths",
        "low": "lower end, in thousandths",
        "high": "upper end, in thousandths",
    },
    inputs={"genre": "Horror", "grade": "Brier score", "scaling": "PlattScaling"},
    solve=_genre_gain,
    draw=_draw_genre,
    misconceptions=(
        Misconception(
            id="events-for-people",
            name="events for people",
            wrong_answer=_genre_gain_of(whole=False),
            cause="Every rating was taken for a case of its own. One person's ratings stand or "
            "fall together, and a few people give most of them.",
            hint="How many people are there, and what is the mean change of each?",
        ),
        Misconception(
            id="unpaired",
            name="unpaired users",
            wrong_answer=lambda inputs: unpaired(
                *_by_person(*_genre_facts(inputs)), scale=_THOUSANDTHS
            ),
            cause="Before and after were treated as two groups of people. They are the same "
            "people, with the same ratings.",
            hint="Each person has one change. How much do these vary?",
        ),
        Misconception(
            id="judged-on-the-fit",
            name="judged on the fit",
            wrong_answer=_genre_gain_of(judged_on="middle"),
            cause="The ratings are those of the middle part, on which the map was fitted.",
            hint="Which part has the map not seen?",
        ),
        Misconception(
            id="fitted-on-test",
            name="fitted on the test part",
            wrong_answer=_genre_gain_of(fitted_on="late"),
            cause="The map was fitted on the late part, which is there to judge it.",
            hint="Which part is left for fitting the map?",
        ),
        Misconception(
            id="before-less-after",
            name="change turned round",
            wrong_answer=lambda inputs: turned(_genre_gain(inputs)),
            cause="What came after the map was taken from what was before it.",
            hint="A lower grade is better. Which sign has a change for the better?",
        ),
        as_they_are(
            "in thousandths",
            lambda inputs: paired(*_by_person(*_genre_facts(inputs)), scale=1.0),
        ),
        Misconception(
            id="other-grade",
            name="another grade",
            wrong_answer=_other_grade,
            cause="The ratings were graded by the other of the two: Brier score and log loss.",
            hint="Which of them squares a distance, and which takes a logarithm?",
        ),
    ),
    hints=(
        "Rows of the late part with `data.select_genre(genre)[data.late]`; a map is fitted by "
        "`.fit(scores, liked)` and used by `.predict(scores)`.",
        "`np.unique(users, return_inverse=True)` numbers the people; `np.bincount(who, change)` "
        "adds their changes up, `np.bincount(who)` counts their ratings.",
        "`t_interval(1000 * change_by_person)` has the mean and both ends.",
    ),
    steps=(
        Step(
            "Fit on the middle part, and take the late ratings of this genre.",
            "import numpy as np\nfrom recsys_metrics import calibration\n"
            "from recsys_metrics.workbook import movielens_match_percent\n\n"
            "data = movielens_match_percent()\n"
            'fitted = getattr(calibration, scaling)(on="log-odds")\n'
            "fitted.fit(data.score[data.middle], data.liked[data.middle])\n"
            "rows = data.late[data.select_genre(genre)[data.late]]\n"
            "len(rows)",
        ),
        Step(
            "Grade what the model said and what the map makes of it.",
            "happened = data.liked[rows]\n"
            "changes = []\n"
            "for p in (data.score[rows], fitted.predict(data.score[rows])):\n"
            "    told = np.where(happened, p, 1 - p)  # of what happened\n"
            '    changes.append((1 - told) ** 2 if grade == "Brier score" else -np.log(told))\n'
            "change = changes[1] - changes[0]\n"
            "round(float(change.mean()), 4)",
        ),
        Step(
            "One value for each person, and the interval over people.",
            "from recsys_metrics.protocol.significance import t_interval\n\n"
            "people, who = np.unique(data.user[rows], return_inverse=True)\n"
            "by_person = np.bincount(who, change) / np.bincount(who)\n"
            "found = t_interval(1000 * by_person)\n"
            "gain, (low, high) = found.estimate, found\n"
            "len(people), round(gain, 2), round(low, 2), round(high, 2)",
        ),
    ),
    insight="People are the units, and before and after are the same people. Whether the interval "
    "leaves 0 out is the answer for this kind of film.",
    minutes=10,
    points=3,
)


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


another_badge = Numbers(
    id="calibration.another_badge",
    title="Another badge",
    prompt=f"""
The app wants a second badge: on films that you will like with a chance of at least {{percent}} %.

`movielens_match_percent()` of `recsys_metrics.workbook` has the ratings of this chapter, the
scores and the parts. Fit Platt scaling over log-odds on the middle part, and give the badges in the
late part. How many of its ratings get one, in per cent, and how many different people? What was
promised for these films on average, and how many were liked, both in per cent? {NOTEBOOK}
""",
    asks={
        "badges": "ratings with a badge, in per cent",
        "people": "people with a badge",
        "said": "promised, in per cent",
        "liked": "liked, in per cent",
    },
    inputs={"percent": 75},
    solve=_badges,
    draw=_draw_badge,
    misconceptions=(
        Misconception(
            id="as-it-is",
            name="scores as they are",
            wrong_answer=_badges_of(mapped=False),
            cause="The badges were given by the model's own scores, which promise too much.",
            hint="Which numbers are compared with the threshold?",
        ),
        Misconception(
            id="judged-on-the-fit",
            name="judged on the fit",
            wrong_answer=_badges_of(part="middle"),
            cause="The badges were given in the middle part, on which the map was fitted.",
            hint="Which part has the map not seen?",
        ),
        Misconception(
            id="fitted-on-test",
            name="fitted on the test part",
            wrong_answer=_badges_of(fitted_on="late"),
            cause="The map was fitted on the late part, whose badges it then promises.",
            hint="Which part is left for fitting the map?",
        ),
        Misconception(
            id="ratings-for-people",
            name="ratings for people",
            wrong_answer=lambda inputs: {
                "people": _badges(inputs)["badges"] / 100 * len(movielens_match_percent().late)
            },
            cause="Badges were counted, not the people who get them.",
            hint="How many different users stand in these rows?",
        ),
        Misconception(
            id="threshold-for-promise",
            name="threshold for promise",
            wrong_answer=lambda inputs: {"said": float(inputs["percent"])},
            cause="That is the least that is promised for any badge, not what is promised on "
            "average.",
            hint="What is the mean probability of those above the threshold?",
        ),
        as_they_are("in per cent", _as_shares),
        Misconception(
            id="badge-of-the-chapter",
            name="another threshold",
            wrong_answer=lambda inputs: _badges_at(90),
            cause="The badges are those of the chapter, from nine tenths on.",
            hint="From which chance on is this badge given?",
        ),
    ),
    hints=(
        'Fit `PlattScaling(on="log-odds")` on the scores and likes of `data.middle`.',
        "`p = platt.predict(data.score[data.late])`, and `badge = p >= percent / 100`.",
        "`badge.mean()`, `len(np.unique(...))` of their users, and two means over them.",
    ),
    steps=(
        Step(
            "Fit on the middle part, apply to the late one.",
            "import numpy as np\nfrom recsys_metrics.calibration import PlattScaling\n"
            "from recsys_metrics.workbook import movielens_match_percent\n\n"
            "data = movielens_match_percent()\n"
            'platt = PlattScaling(on="log-odds")\n'
            "platt.fit(data.score[data.middle], data.liked[data.middle])\n"
            "p = platt.predict(data.score[data.late])\nplatt",
        ),
        Step(
            "Who gets a badge, and how often?",
            "badge = p >= percent / 100\n"
            "badges = 100 * float(badge.mean())\n"
            "people = len(np.unique(data.user[data.late][badge]))\n"
            "round(badges, 2), people",
        ),
        Step(
            "What was said, and what came true.",
            "said = 100 * float(p[badge].mean())\n"
            "liked = 100 * float(data.liked[data.late][badge].mean())\n"
            "round(said, 2), round(liked, 2)",
        ),
    ),
    insight="A few people get most of the badges, and it is people that an "
    "interval of the share would have to resample.",
    minutes=6,
    points=2,
)
