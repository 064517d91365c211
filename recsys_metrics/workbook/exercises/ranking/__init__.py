"""Exercises on ranked lists, in the order of the chapter.

After `from recsys_metrics.workbook.exercises import ranking as ex`, `ex.ndcg_from_scratch` shows
an exercise.
"""

from __future__ import annotations

from itertools import chain

from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.ranking.averages import (
    average_precision_of_list,
    complete_area,
    order_average_precision,
    two_areas,
    two_recalls,
    which_denominator,
    write_average_precision,
)
from recsys_metrics.workbook.exercises.ranking.comparing import (
    comparable,
    explain_ideal,
    which_pages,
    wrong_cell,
)
from recsys_metrics.workbook.exercises.ranking.gain import (
    complete_dcg,
    graded_gain,
    ndcg_from_scratch,
    write_ndcg,
)
from recsys_metrics.workbook.exercises.ranking.guess import (
    first_guess,
    lower_loss,
    one_hit_more,
    pairs_apart,
    top_and_bottom,
)
from recsys_metrics.workbook.exercises.ranking.hits import (
    complete_recall,
    precision_recall_f1,
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
    auc_by_pairs,
    complete_auc,
    explain_auc,
    fcp,
    tied_auc,
    write_fcp,
)
from recsys_metrics.workbook.exercises.ranking.reciprocal import (
    reciprocal_rank_and_mean,
    three_reciprocals,
)
from recsys_metrics.workbook.exercises.ranking.users import one_number

PARTS: dict[str, tuple[Exercise, ...]] = {
    "02_ranking": (
        first_guess,
        precision_recall_f1,
        two_betas,
        where_k_turns,
        complete_recall,
        write_precision,
        reciprocal_rank_and_mean,
        three_reciprocals,
    ),
    "02_ranking_averages": (
        one_hit_more,
        average_precision_of_list,
        order_average_precision,
        which_denominator,
        which_pages,
        two_areas,
        complete_area,
        write_average_precision,
        two_recalls,
    ),
    "02_ranking_gains": (
        top_and_bottom,
        complete_dcg,
        ndcg_from_scratch,
        explain_ideal,
        graded_gain,
        wrong_cell,
        write_ndcg,
    ),
    "02_ranking_pairs": (
        lower_loss,
        auc_by_pairs,
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
    "auc_by_pairs",
    "average_precision_of_list",
    "comparable",
    "complete_area",
    "complete_auc",
    "complete_dcg",
    "complete_full_rank",
    "complete_recall",
    "explain_auc",
    "explain_ideal",
    "fcp",
    "first_guess",
    "graded_gain",
    "lower_loss",
    "ndcg_from_scratch",
    "one_hit_more",
    "one_number",
    "order_average_precision",
    "pairs_apart",
    "precision_recall_f1",
    "reciprocal_rank_and_mean",
    "three_reciprocals",
    "tied_auc",
    "ties_at_cut",
    "top_and_bottom",
    "two_areas",
    "two_betas",
    "two_recalls",
    "where_k_turns",
    "which_denominator",
    "which_pages",
    "who_decides",
    "write_average_precision",
    "write_fcp",
    "write_ndcg",
    "write_precision",
    "wrong_cell",
]
