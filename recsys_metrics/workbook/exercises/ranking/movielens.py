"""Popularity lists for real users: ties at the cut-off, and one user's effect on a mean."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from recsys_metrics import judge, ndcg
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol.candidates import full_ranks
from recsys_metrics.workbook.exercises import movielens
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

_LONGEST = 40
_YEAR = 365 * 24 * 60 * 60

# The rank in the whole catalogue, with one line missing -----------------------------------------


def _full_rank(scores: Mapping[int, float], seen: set[int], film: int) -> float:
    numbers = [*scores]
    grid = np.array([[scores[number] for number in numbers]])
    left_out = np.array([[number in seen for number in numbers]])
    ranks = full_ranks(grid, [[numbers.index(film)]], exclude=left_out, ties="worst")
    return float(ranks.rank[0])


def _scored(scores: Mapping[int, float], seen: set[int], film: int, why: str = "") -> Case:
    return Case({"scores": dict(scores), "seen": seen, "film": film}, why)


def _draw_scores(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return films with counts as scores, so that some are equal, and some of them seen."""
    drawn = []
    for _ in range(6):
        films = [int(number) for number in rng.permutation(np.arange(1, 30))[: rng.integers(5, 12)]]
        scores = {number: int(rng.integers(0, 6)) for number in films}
        scores[films[1]] = scores[films[2]] = scores[films[0]]
        seen = {*films[3 : 3 + int(rng.integers(0, 3))]}
        drawn.append(_scored(scores, seen, films[0]))
    return tuple(drawn)


_complete_full_rank_cases = (
    _scored({1: 9, 2: 7, 3: 7, 4: 5, 5: 2}, {1}, 3, "another film has the same score"),
    _scored({10: 4, 11: 6, 12: 1, 13: 3, 14: 8}, set(), 13),
    _scored({1: 5, 2: 5, 3: 5, 4: 5}, set(), 1, "all scores are equal"),
    _scored({7: 3, 8: 1, 9: 0}, {9}, 7, "the film has the highest score"),
    _scored({3: 2, 5: 2, 6: 9, 8: 2, 9: 1}, {8, 6}, 3, "films above it were seen"),
)

# Ties at the cut --------------------------------------------------------------------------------


@cache
def _popularity(share: float, *, all_ratings: bool = False) -> movielens.Reals:
    """Return the likes of each user's best films, best first, two more than any list holds."""
    data = movielens.experiment(share)
    ratings: Interactions = data.films.interactions if all_ratings else data.train
    return _best_scores(movielens.likes(ratings), share)


@cache
def _ratings(share: float) -> movielens.Reals:
    """Return how often each user's most rated films were rated, likes and all."""
    train = movielens.experiment(share).train
    return _best_scores(np.bincount(train.item, minlength=train.n_items).astype(float), share)


def _best_scores(scores: movielens.Reals, share: float) -> movielens.Reals:
    rows: movielens.Reals = scores[
        movielens.same_for_all(scores, _LONGEST + 2, movielens.seen(share))
    ]
    return rows


@cache
def _tied(share: float, k: int) -> dict[str, int]:
    rows, future = _popularity(share), _popularity(share, all_ratings=True)
    last, next_ = rows[:, k - 1], rows[:, k]
    of_all = np.sort(movielens.likes(movielens.experiment(share).train))[::-1]
    return {
        "cut": int((last == next_).sum()),
        "inside": int((rows[:, : k - 1] == rows[:, 1:k]).any(axis=1).sum()),
        "earlier": int((rows[:, k - 2] == last).sum()),
        "rated": len(rows) * int(of_all[k - 1] == of_all[k]),
        "future": int((future[:, k - 1] == future[:, k]).sum()),
        "later": int((next_ == rows[:, k + 1]).sum()),
        "ratings": int((_ratings(share)[:, k - 1] == _ratings(share)[:, k]).sum()),
        "no tie": int((last != next_).sum()),
    }


def _count(what: str) -> movielens.Count:
    return lambda inputs: _tied(inputs["share"], inputs["k"])[what]


def _ties_at_cut_draw(rng: np.random.Generator) -> Any:
    return {"share": movielens.draw_share(rng), "k": int(rng.integers(6, _LONGEST + 1))}


_ties_at_cut_solve = _count("cut")

_ties_at_cut_tie_inside = _count("inside")

_ties_at_cut_off_by_one = _count("earlier")

_ties_at_cut_rated_films_kept = _count("rated")

_ties_at_cut_leak_from_the_future = _count("future")

_ties_at_cut_one_rank_later = _count("later")

_ties_at_cut_all_ratings = _count("ratings")

_ties_at_cut_no_tie = _count("no tie")


def _ties_at_cut_share(inputs: Inputs) -> Any:
    tied = _tied(inputs["share"], inputs["k"])
    return tied["cut"] / (tied["cut"] + tied["no tie"])


def _ties_at_cut_another_k(inputs: Inputs) -> Any:
    return _tied(inputs["share"], 10)["cut"]


# One user behind a mean -------------------------------------------------------------------------


@cache
def _of_each(share: float, years: int, k: int, *, all_ratings: bool = False) -> movielens.Reals:
    """Return each user's NDCG of the popular films of the last years; 0 means of all years."""
    data = movielens.experiment(share)
    ratings: Interactions = data.films.interactions if all_ratings else data.train
    if years:
        moment = movielens.when(ratings)
        ratings = ratings.take(moment > moment.max() - years * _YEAR)
    shown = movielens.same_for_all(movielens.likes(ratings), k, movielens.seen(share))
    values: movielens.Reals = ndcg(judge(shown, data.truth), k=k)
    return values


def _lists(inputs: Inputs, *, all_ratings: bool = False) -> tuple[movielens.Reals, movielens.Reals]:
    share, years, k = inputs["share"], inputs["years"], inputs["k"]
    return _of_each(share, 0, k), _of_each(share, years, k, all_ratings=all_ratings)


def _without(gains: movielens.Reals, row: int) -> dict[str, float]:
    return {
        "row": row,
        "gain": float(gains.mean()),
        "without": float(np.delete(gains, row).mean()),
    }


def _decides(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    return _without(new - old, int(np.abs(new - old).argmax()))


def _highest_value(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    return _without(new - old, int(new.argmax()))


def _one_side(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    gains = new - old
    rows = int(gains.argmax()), int(gains.argmin())
    return _without(gains, min(rows, key=lambda row: abs(gains[row])))


def _unpaired(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    without = np.delete(new, new.argmax()).mean() - np.delete(old, old.argmax()).mean()
    return {"without": float(without)}


def _leak(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs, all_ratings=True)
    return _without(new - old, int(np.abs(new - old).argmax()))


def _of_all(values: movielens.Reals, inputs: Inputs) -> dict[str, float]:
    """Return the means of other values than the gains, with the right user left out."""
    old, new = _lists(inputs)
    return _without(values, int(np.abs(new - old).argmax()))


def _sizes(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    return _of_all(np.abs(new - old), inputs)


def _second_alone(inputs: Inputs) -> dict[str, float]:
    return _of_all(_lists(inputs)[1], inputs)


def _first_alone(inputs: Inputs) -> dict[str, float]:
    return _of_all(_lists(inputs)[0], inputs)


def _draw_window(rng: np.random.Generator) -> Inputs:
    """Return a window and a K for which one user stands out from the others."""
    while True:
        inputs = {
            "share": float(rng.choice(movielens.SHARES[1::2])),
            "years": int(rng.integers(2, 6)),
            "k": int(rng.choice([5, 6, 7, 8, 12])),
        }
        old, new = _lists(inputs)
        largest, second = np.sort(np.abs(new - old))[:-3:-1]
        if largest - second > 0.005:
            return inputs


def _who_decides_another_k(inputs: Inputs) -> Any:
    return _decides({**inputs, "k": 10})
