"""What exercises on MovieLens are about: other cuts of it, and what is worked out of each once.

A variant has another cut, another K, other settings. Each is a point of a small grid, so that
whatever takes more than a moment is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.interactions import Interactions
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.experiments.movielens import (
    MovieLensExperiment,
    keep_liked,
    movielens_experiment,
)

SHARES = tuple(percent / 100 for percent in range(14, 38, 2))
"""Which share of the ratings comes after the cut-off time; 1/5 in the chapters."""

Bools = NDArray[np.bool_]
Whole = NDArray[np.int64]
Reals = NDArray[np.float64]
Count = Callable[[Inputs], int]
Found = Callable[[Inputs], dict[str, float]]


def draw_share(rng: np.random.Generator) -> float:
    """Return one of the shares."""
    return SHARES[int(rng.integers(len(SHARES)))]


@cache
def experiment(share: float) -> MovieLensExperiment:
    """Return MovieLens with this share of the ratings after the cut-off time."""
    return movielens_experiment() if share == 1 / 5 else movielens_experiment(share)


@cache
def seen(share: float) -> Bools:
    """Return which film each test user has rated when the lists are made."""
    rated: Bools = experiment(share).seen.toarray() != 0
    return rated


@cache
def loved(share: float) -> Bools:
    """Return which held-out films each test user loved."""
    found: Bools = experiment(share).truth.toarray() != 0
    return found


def same_for_all(scores: Reals, k: int, rated: Bools) -> Whole:
    """Return each user's k best films that they have not rated, where all share the scores.

    Films with equal scores stand in the order of their numbers.
    """
    return first_unrated(np.argsort(-scores, kind="stable"), k, rated)


def first_unrated(order: Whole, k: int, rated: Bools) -> Whole:
    """Return the first k films of one order that each user has not rated."""
    # Nobody has rated so many of the best that k are not left.
    order = order[: k + int(rated.sum(axis=1).max())]
    return order[np.argsort(rated[:, order], axis=1, kind="stable")[:, :k]]


def likes(ratings: Interactions) -> Reals:
    """Return how often each film was rated four stars or more."""
    return np.bincount(keep_liked(ratings).item, minlength=ratings.n_items).astype(float)


def stars(ratings: Interactions) -> Reals:
    """Return the stars of ratings; MovieLens always has them."""
    assert ratings.rating is not None
    return ratings.rating


def when(ratings: Interactions) -> Whole:
    """Return the times of ratings; MovieLens always has them."""
    assert ratings.timestamp is not None
    return ratings.timestamp.astype(np.int64, copy=False)
