"""What a list is worth whose films were drawn by lot."""

from __future__ import annotations

from functools import cache
from math import comb, prod
from typing import Any

import numpy as np

from recsys_metrics.interactions import Interactions
from recsys_metrics.workbook.exercises import movielens
from recsys_metrics.workbook.exercises.base import Inputs


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


def _lots_draw(rng: np.random.Generator) -> Any:
    return {"share": movielens.draw_share(rng), "k": int(rng.integers(12, 41))}


def _lots_unsaid_tie(inputs: Inputs) -> Any:
    return _by_number(inputs["share"], inputs["k"])


def _lots_rated_in_the_draw(inputs: Inputs) -> Any:
    return _drawn(inputs["share"], inputs["k"], rated_too=True)


def _lots_leak_from_the_future(inputs: Inputs) -> Any:
    return _drawn(inputs["share"], inputs["k"], all_ratings=True)


def _lots_mean_for_chance(inputs: Inputs) -> Any:
    return {"none": 1 - _solve(inputs)["hits"]}


def _lots_whole_catalogue(inputs: Inputs) -> Any:
    return _of_all_films(inputs["share"], inputs["k"])


def _lots_another_k(inputs: Inputs) -> Any:
    return _drawn(inputs["share"], 10)
