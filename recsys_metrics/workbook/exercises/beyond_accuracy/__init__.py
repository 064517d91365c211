"""Exercises on what accuracy does not see, in the order of the chapter.

`from recsys_metrics.workbook.exercises import beyond_accuracy as ex`, then `ex.e8a` shows one.
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
    e8a,
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
    e8b,
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
        e8a,
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
        e8b,
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
    "e8a",
    "e8b",
    "explain_trade",
    "explain_variety",
    "first_guess",
    "four_films",
    "fourth_place",
    "in_bits",
    "lift",
    "mix_of_genres",
    "of_the_limit",
    "order_diversity",
    "popular_films",
    "read_profile",
    "three_lists",
    "three_surprises",
    "two_tails",
    "variety_budget",
    "who_is_surprised",
    "write_gini",
]
