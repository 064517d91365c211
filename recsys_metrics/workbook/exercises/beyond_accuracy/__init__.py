"""Exercises on what accuracy does not see, in the order of the chapter.

After `from recsys_metrics.workbook.exercises import beyond_accuracy as ex`,
`ex.gini_of_exposure` shows an exercise.
"""

from __future__ import annotations

from itertools import chain

from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.beyond_accuracy.comparing import (
    crowd_coverage,
    explain_trade,
    read_profile,
)
from recsys_metrics.workbook.exercises.beyond_accuracy.concentration import (
    bits_by_hand,
    gini_of_exposure,
    write_gini,
)
from recsys_metrics.workbook.exercises.beyond_accuracy.guess import (
    drawn_by_lot,
    first_guess,
    popular_films,
)
from recsys_metrics.workbook.exercises.beyond_accuracy.lines import (
    complete_diversity,
    complete_gini,
    complete_worth,
)
from recsys_metrics.workbook.exercises.beyond_accuracy.lists import (
    four_films,
    in_bits,
    lift,
    order_diversity,
)
from recsys_metrics.workbook.exercises.beyond_accuracy.movielens import (
    of_the_limit,
    variety_budget,
)
from recsys_metrics.workbook.exercises.beyond_accuracy.reranking import fourth_place
from recsys_metrics.workbook.exercises.beyond_accuracy.surprise import (
    serendipity_of_list,
    three_surprises,
    who_is_surprised,
)
from recsys_metrics.workbook.exercises.beyond_accuracy.tails import two_tails
from recsys_metrics.workbook.exercises.beyond_accuracy.users import mix_of_genres, three_lists
from recsys_metrics.workbook.exercises.beyond_accuracy.words import explain_variety

PARTS: dict[str, tuple[Exercise, ...]] = {
    "03_beyond_accuracy": (
        first_guess,
        crowd_coverage,
        complete_gini,
        gini_of_exposure,
        write_gini,
        bits_by_hand,
        lift,
        two_tails,
        mix_of_genres,
    ),
    "03_beyond_accuracy_variety": (
        drawn_by_lot,
        in_bits,
        complete_diversity,
        four_films,
        order_diversity,
        serendipity_of_list,
        three_surprises,
        who_is_surprised,
        three_lists,
        read_profile,
        explain_variety,
    ),
    "03_beyond_accuracy_movielens": (
        popular_films,
        complete_worth,
        fourth_place,
        of_the_limit,
        variety_budget,
        explain_trade,
    ),
}
EXERCISES = tuple(chain.from_iterable(PARTS.values()))

__all__ = [
    "EXERCISES",
    "PARTS",
    "bits_by_hand",
    "complete_diversity",
    "complete_gini",
    "complete_worth",
    "crowd_coverage",
    "drawn_by_lot",
    "explain_trade",
    "explain_variety",
    "first_guess",
    "four_films",
    "fourth_place",
    "gini_of_exposure",
    "in_bits",
    "lift",
    "mix_of_genres",
    "of_the_limit",
    "order_diversity",
    "popular_films",
    "read_profile",
    "serendipity_of_list",
    "three_lists",
    "three_surprises",
    "two_tails",
    "variety_budget",
    "who_is_surprised",
    "write_gini",
]
