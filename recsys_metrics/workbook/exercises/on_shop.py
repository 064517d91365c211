"""What exercises on the capstone's shop compute with: every mistake begins with the same lists."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import judge, measure
from recsys_metrics.workbook.exercises.movielens import first_unrated
from recsys_metrics.workbook.experiments.shop import WEEK, shop_experiment

LONGEST = 20
"""Length of a list that covers all that is asked for."""

ListMistake = Literal["", "leak", "seen", "ties"]


@lru_cache(maxsize=256)
def popular(weeks: int, mistake: ListMistake = "") -> NDArray[np.int64]:
    """Return what each user is shown: the most clicked items of the last weeks, 0 for all time."""
    shop = shop_experiment()
    if mistake == "leak":
        clicks = shop.log.clicks()[0]
        assert clicks.timestamp is not None
        recent = clicks.timestamp >= (shop.cut - weeks * WEEK if weeks else 0)
        pairs = clicks.take(recent).matrix()
        counts = np.asarray(pairs.sum(axis=0))
    else:
        counts = shop.popularity(weeks or None)[0]
    order = np.argsort(-counts, kind="stable")
    if mistake == "ties":
        order = np.argsort(counts, kind="stable")[::-1]
    if mistake == "seen":
        return np.tile(order[:LONGEST], (len(shop.users), 1))
    return first_unrated(order, LONGEST, shop.seen.toarray() > 0)


@lru_cache(maxsize=1024)
def by_user(weeks: int, name: str, mistake: ListMistake = "") -> NDArray[np.float64]:
    """Return a metric of these lists, user by user."""
    return np.asarray(measure(name)(judge(popular(weeks, mistake), shop_experiment().truth)))
