"""Exercises on ranked lists, in the order of the chapter.

`from recsys_metrics.workbook.exercises import ranking as ex`, then `ex.e5` shows one.
"""

from __future__ import annotations

from itertools import chain

from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.ranking.averages import (
    complete_area,
    e4,
    order_average_precision,
    two_areas,
    two_recalls,
    which_divisor,
    write_average_precision,
)
from recsys_metrics.workbook.exercises.ranking.comparing import (
    comparable,
    explain_ideal,
    which_pages,
    wrong_cell,
)
from recsys_metrics.workbook.exercises.ranking.gain import complete_dcg, e5, graded_gain, write_ndcg
from recsys_metrics.workbook.exercises.ranking.guess import (
    first_guess,
    lower_loss,
    one_hit_more,
    pairs_apart,
    top_and_bottom,
)
from recsys_metrics.workbook.exercises.ranking.hits import (
    complete_recall,
    e2,
    two_betas,
    where_k_turns,
    write_precision,
)
from recsys_metrics.workbook.exercises.ranking.movielens import (
    complete_full_rank,
    ties_at_cut,
    who_decides,
)
from recsys_metrics.workbook.exercises.ranking.pairs import (
    complete_auc,
    e6,
    explain_auc,
    fcp,
    tied_auc,
    write_fcp,
)
from recsys_metrics.workbook.exercises.ranking.reciprocal import e3, three_reciprocals
from recsys_metrics.workbook.exercises.ranking.users import one_number

PARTS: dict[str, tuple[Exercise, ...]] = {
    "02_ranking": (
        first_guess,
        e2,
        two_betas,
        where_k_turns,
        complete_recall,
        write_precision,
        e3,
        three_reciprocals,
    ),
    "02_ranking_averages": (
        one_hit_more,
        e4,
        order_average_precision,
        which_divisor,
        which_pages,
        two_areas,
        complete_area,
        write_average_precision,
        two_recalls,
    ),
    "02_ranking_gains": (
        top_and_bottom,
        complete_dcg,
        e5,
        explain_ideal,
        graded_gain,
        wrong_cell,
        write_ndcg,
    ),
    "02_ranking_pairs": (
        lower_loss,
        e6,
        tied_auc,
        complete_auc,
        explain_auc,
        fcp,
        write_fcp,
        one_number,
        comparable,
    ),
    "02_ranking_movielens": (
        pairs_apart,
        ties_at_cut,
        complete_full_rank,
        who_decides,
    ),
}
EXERCISES = tuple(chain.from_iterable(PARTS.values()))

__all__ = [
    "EXERCISES",
    "PARTS",
    "comparable",
    "complete_area",
    "complete_auc",
    "complete_dcg",
    "complete_full_rank",
    "complete_recall",
    "e2",
    "e3",
    "e4",
    "e5",
    "e6",
    "explain_auc",
    "explain_ideal",
    "fcp",
    "first_guess",
    "graded_gain",
    "lower_loss",
    "one_hit_more",
    "one_number",
    "order_average_precision",
    "pairs_apart",
    "three_reciprocals",
    "tied_auc",
    "ties_at_cut",
    "top_and_bottom",
    "two_areas",
    "two_betas",
    "two_recalls",
    "where_k_turns",
    "which_divisor",
    "which_pages",
    "who_decides",
    "write_average_precision",
    "write_fcp",
    "write_ndcg",
    "write_precision",
    "wrong_cell",
]
