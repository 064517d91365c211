"""What a list is worth whose films were drawn by lot."""

from __future__ import annotations

from functools import cache
from math import comb, prod

import numpy as np

from recsys_metrics.interactions import Interactions
from recsys_metrics.workbook.exercises import movielens
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers


@cache
def _best(share: float, *, all_ratings: bool = False) -> movielens.Whole:
    """Return the films with the highest mean."""
    data = movielens.experiment(share)
    ratings: Interactions = data.films.interactions if all_ratings else data.train
    count = np.bincount(ratings.item, minlength=ratings.n_items)
    stars = np.bincount(ratings.item, movielens.stars(ratings), ratings.n_items)
    mean = stars / np.maximum(count, 1)
    return np.flatnonzero(mean == mean.max())


@cache
def _drawn(
    share: float, k: int, *, all_ratings: bool = False, rated_too: bool = False
) -> dict[str, float]:
    films = _best(share, all_ratings=all_ratings)
    left = ~movielens.seen(share)[:, films]
    hits = (movielens.loved(share)[:, films] & left).sum(axis=1).tolist()
    among = [len(films)] * len(left) if rated_too else left.sum(axis=1).tolist()
    return {
        "hits": sum(k * r / m for r, m in zip(hits, among, strict=True)),
        "none": prod(comb(m - r, k) / comb(m, k) for r, m in zip(hits, among, strict=True)),
    }


def _solve(inputs: Inputs) -> dict[str, float]:
    return _drawn(inputs["share"], inputs["k"])


@cache
def _by_number(share: float, k: int) -> dict[str, float]:
    films = _best(share)
    shown = films[movielens.same_for_all(np.zeros(len(films)), k, movielens.seen(share)[:, films])]
    hits = int(np.take_along_axis(movielens.loved(share), shown, axis=1).sum())
    return {"hits": hits, "none": float(hits == 0)}


@cache
def _of_all_films(share: float, k: int) -> dict[str, float]:
    left = (~movielens.seen(share)).sum(axis=1)
    found = movielens.loved(share).sum(axis=1)
    chances = [
        np.prod(1 - k / (m - np.arange(r))) for r, m in zip(found.tolist(), left, strict=True)
    ]
    return {"hits": float((k * found / left).sum()), "none": float(np.prod(chances))}


lots = Numbers(
    id="choosing.lots",
    title="What a lot is worth",
    prompt="""
Take each film's plain mean over the training ratings. The films with the highest mean tie.
Each test user is shown {k} of them by lot, of those that the user has not rated yet.

How many hits are to be expected from all users together? And what is the chance that there is not
one? No lot needs to be drawn: count, for each user, the films in the draw and the loved ones among
them.

"""
    + movielens.HOW,
    asks={"hits": "hits to be expected", "none": "chance of no hit at all"},
    inputs={"share": 0.2, "k": 20},
    solve=_solve,
    draw=lambda rng: {"share": movielens.draw_share(rng), "k": int(rng.integers(12, 41))},
    misconceptions=(
        Misconception(
            id="unsaid-tie",
            name="the unsaid tie",
            wrong_answer=lambda inputs: _by_number(inputs["share"], inputs["k"]),
            cause="The lists were sorted, so the films with the lowest numbers won every tie. "
            "That is one way to break it, of very many.",
            hint="How likely is each of the tied films to be shown, if lots are drawn?",
        ),
        Misconception(
            id="rated-in-the-draw",
            name="rated films in the draw",
            wrong_answer=lambda inputs: _drawn(inputs["share"], inputs["k"], rated_too=True),
            cause="The lots were drawn from all films that tie, those included that the user has "
            "rated already and is not shown again.",
            hint="From how many films is drawn for a user who has rated three of them?",
        ),
        Misconception(
            id="leak-from-the-future",
            name="leak from the future",
            wrong_answer=lambda inputs: _drawn(inputs["share"], inputs["k"], all_ratings=True),
            cause="The film means were taken over all ratings, the hidden ones among them. A film "
            "that somebody will love tomorrow then stands among the best today.",
            hint="Which ratings are known when the lists are made?",
        ),
        Misconception(
            id="mean-for-chance",
            name="mean for chance",
            wrong_answer=lambda inputs: {"none": 1 - _solve(inputs)["hits"]},
            cause="One less the expected hits is no chance; with many users it falls below 0.",
            hint="What is the chance that one user has no hit, and that all of them have none?",
        ),
        Misconception(
            id="whole-catalogue",
            name="lots for the whole catalogue",
            wrong_answer=lambda inputs: _of_all_films(inputs["share"], inputs["k"]),
            cause="The lots were drawn from all films that the user has not rated. The predictor "
            "leaves the choice open only among those with the highest mean.",
            hint="Between which films does the predictor not choose?",
        ),
        Misconception(
            id="another-k",
            name="another K",
            wrong_answer=lambda inputs: _drawn(inputs["share"], 10),
            cause="Those are lists of ten, as in the chapter. Here they hold {k} films.",
            hint="How many places has one list here?",
        ),
    ),
    hints=(
        "Every film in a user's draw is shown with the same chance: the places over the films.",
        "If m films are in the draw and r of them are loved, {k} places bring {k} times r over m "
        "hits on average. Add this up over the users.",
        "For no hit, all {k} must come from the m − r others: `comb(m - r, {k}) / comb(m, {k})`. "
        "The users' draws are independent, so multiply.",
    ),
    steps=(
        Step(
            "The films that tie at the top:",
            "import numpy as np\n"
            "from recsys_metrics.workbook import movielens_experiment\n\n"
            "data = movielens_experiment(share)\n"
            "train = data.train\n"
            "count = np.bincount(train.item, minlength=train.n_items)\n"
            "stars = np.bincount(train.item, train.rating, train.n_items)\n"
            "mean = stars / np.maximum(count, 1)\n"
            "best = np.flatnonzero(mean == mean.max())\n"
            "len(best)",
        ),
        Step(
            "For each user, the films in the draw and the loved ones among them:",
            "left = data.seen[:, best].toarray() == 0\n"
            "loved = left & (data.truth[:, best].toarray() != 0)\n"
            "m, r = left.sum(axis=1).tolist(), loved.sum(axis=1).tolist()\n"
            "min(m), max(m), sum(r)",
        ),
        Step(
            "Each of them is shown with the chance k over m:",
            "hits = sum(k * loved / among for loved, among in zip(r, m))\nround(hits, 3)",
        ),
        Step(
            "No hit at all, user by user:",
            "from math import comb, prod\n\n"
            "none = prod(comb(among - loved, k) / comb(among, k) for loved, among in zip(r, m))\n"
            "round(none, 3)",
        ),
    ),
    insight="Where scores tie, a list has no result of its own, only an expected one. Report "
    "that, or say who sorted.",
    minutes=10,
    points=3,
)
