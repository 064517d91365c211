"""What exercises on MovieLens compute with, kept since every mistake begins with the same lists."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import judge, measure
from recsys_metrics.workbook.exercises import movielens
from recsys_metrics.workbook.experiments.movielens import keep_liked, movielens_experiment

YEAR = 365 * 24 * 60 * 60
"""Seconds."""

LONGEST = 20
"""Length of a list that covers all that is asked for."""

ListMistake = Literal["", "leak", "seen", "ties"]

NOTEBOOK = "The data come with the package, so this one is worked out in a notebook."


@lru_cache(maxsize=256)
def popular(years: int, mistake: ListMistake = "") -> NDArray[np.int64]:
    """Return what each user is shown: the most liked films of the last years, 0 for all time."""
    cut = movielens_experiment()
    past, likes = cut.past, keep_liked(cut.known) if mistake == "leak" else cut.past
    if years:
        assert past.timestamp is not None
        assert likes.timestamp is not None
        likes = likes.take(likes.timestamp > past.timestamp.max() - years * YEAR)
    counts = np.bincount(likes.item, minlength=likes.n_items)
    order = np.argsort(-counts, kind="stable")
    if mistake == "ties":
        order = np.argsort(counts, kind="stable")[::-1]
    if mistake == "seen":
        return np.tile(order[:LONGEST], (len(cut.users), 1))
    return movielens.first_unrated(order, LONGEST, movielens.seen(1 / 5))


@lru_cache(maxsize=1024)
def by_user(years: int, name: str, mistake: ListMistake = "") -> NDArray[np.float64]:
    """Return a measure of these lists, user by user."""
    return np.asarray(measure(name)(judge(popular(years, mistake), movielens_experiment().truth)))
