"""Exercises on rating error, in the order of the chapter.

=============  ====================================================
file           holds
=============  ====================================================
`stars`        how ratings are drawn, and what an error is
`guess`        the guess at the start
`errors`       MAE and RMSE: computed, ordered, written
`ratio`        the error ratio
`explained`    the user's own mean, R², explained variance
`people`       users against ratings, and which number to take
`movielens`    real ratings: what to add to a film, who is worse off
=============  ====================================================

`from recsys_metrics.workbook.exercises import rating as ex`, then `ex.<name>` shows one.
"""

from __future__ import annotations

from itertools import chain

from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.rating.errors import e1, e1b, order_rmse, write_rmse
from recsys_metrics.workbook.exercises.rating.explained import own_mean, two_r2
from recsys_metrics.workbook.exercises.rating.guess import first_guess
from recsys_metrics.workbook.exercises.rating.movielens import (
    best_for_lists,
    choose_added,
    worse_off,
)
from recsys_metrics.workbook.exercises.rating.people import (
    explain_drop,
    macro_pooled,
    which_error,
)
from recsys_metrics.workbook.exercises.rating.ratio import ratio, which_ratio

PARTS: dict[str, tuple[Exercise, ...]] = {
    "01_rating": (
        first_guess,
        order_rmse,
        e1,
        e1b,
        write_rmse,
        ratio,
        which_ratio,
    ),
    "01_rating_guess": (
        own_mean,
        two_r2,
        macro_pooled,
        which_error,
    ),
    "01_rating_movielens": (
        choose_added,
        worse_off,
        best_for_lists,
        explain_drop,
    ),
}
EXERCISES = tuple(chain.from_iterable(PARTS.values()))

__all__ = [
    "EXERCISES",
    "PARTS",
    "best_for_lists",
    "choose_added",
    "e1",
    "e1b",
    "explain_drop",
    "first_guess",
    "macro_pooled",
    "order_rmse",
    "own_mean",
    "ratio",
    "two_r2",
    "which_error",
    "which_ratio",
    "worse_off",
    "write_rmse",
]
