"""Exercises on rating error, in the order of the chapter.

=============  ====================================================
file           holds
=============  ====================================================
`stars`        how ratings are drawn, and what an error is
`guess`        the guesses at the start of the parts
`errors`       MAE and RMSE: computed, ordered, written
`error_ratio`  the error ratio
`explained`    the user's own mean, R², explained variance
`people`       users against ratings, and which number to take
`movielens`    real ratings: what to add to a film, who is worse off
=============  ====================================================

`from recsys_metrics.workbook.exercises import rating as ex`, then `ex.<name>` shows one.
"""

from __future__ import annotations

from itertools import chain

from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.rating.error_ratio import ratio, which_ratio
from recsys_metrics.workbook.exercises.rating.errors import (
    complete_mae,
    mae_and_rmse,
    mae_or_rmse,
    order_rmse,
    weighs,
    write_rmse,
)
from recsys_metrics.workbook.exercises.rating.explained import complete_r2, own_mean, two_r2
from recsys_metrics.workbook.exercises.rating.guess import (
    first_guess,
    how_many_change,
    mean_or_median,
)
from recsys_metrics.workbook.exercises.rating.movielens import (
    best_for_lists,
    choose_added,
    complete_film_value,
    worse_off,
)
from recsys_metrics.workbook.exercises.rating.people import (
    explain_drop,
    macro_pooled,
    which_error,
    write_macro,
)

PARTS: dict[str, tuple[Exercise, ...]] = {
    "01_rating": (
        first_guess,
        complete_mae,
        weighs,
        order_rmse,
        mae_and_rmse,
        mae_or_rmse,
        write_rmse,
        ratio,
        which_ratio,
    ),
    "01_rating_guess": (
        mean_or_median,
        own_mean,
        complete_r2,
        two_r2,
        macro_pooled,
        write_macro,
        which_error,
    ),
    "01_rating_movielens": (
        how_many_change,
        complete_film_value,
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
    "complete_film_value",
    "complete_mae",
    "complete_r2",
    "explain_drop",
    "first_guess",
    "how_many_change",
    "macro_pooled",
    "mae_and_rmse",
    "mae_or_rmse",
    "mean_or_median",
    "order_rmse",
    "own_mean",
    "ratio",
    "two_r2",
    "weighs",
    "which_error",
    "which_ratio",
    "worse_off",
    "write_macro",
    "write_rmse",
]
