"""Ranking metrics: judge lists once, then compute any metric.

A ranking metric is a function of judged lists: the grade found at each rank, and the
grades that could have been found. `judge` makes them from lists of item ids and what is
relevant; each metric takes them and a cut-off `k`. One list gives a float, many lists an
array with one value per list.

=============================  ==================================================
file                           holds
=============================  ==================================================
`_judging`, `_judged`          `judge`, and what it returns: `Judged`
`_hits`                        hit rate, precision, recall, F, R-precision
`_averages`                    average precision, average recall
`_gain`                        DCG and NDCG
`_stopping`                    reciprocal rank, rank-biased precision, where a reader stops
`_levels`                      precision at a recall, fall-out, MCC, bpref
`_sampled`                     average precision where a sample was judged
`_pairs`                       AUC, limited and per user, concordant pairs
`_overlap`                     how alike two rankings are
`_top_k`                       lists and exact ranks from a table of scores
`_stages`                      what each stage of a pipeline keeps and loses
`_labels`                      LRAP, coverage error, ranking loss
`_ties`                        equal scores: every order at once, or one of them
=============================  ==================================================

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from recsys_metrics.ranking._auc import (
    fraction_of_concordant_pairs,
    group_auc,
    limited_auc,
    roc_auc,
)
from recsys_metrics.ranking._average_precision import average_precision, average_recall
from recsys_metrics.ranking._browsing_models import (
    expected_reciprocal_rank,
    rank_biased_precision,
    reciprocal_hit_rate,
    reciprocal_rank,
)
from recsys_metrics.ranking._confusion_matrix import (
    bpref,
    fall_out,
    interpolated_precision,
    matthews_correlation,
)
from recsys_metrics.ranking._dcg import dcg, discounts, ndcg
from recsys_metrics.ranking._incomplete_judgments import inferred_average_precision
from recsys_metrics.ranking._judged import Judged
from recsys_metrics.ranking._judging import judge
from recsys_metrics.ranking._multilabel import (
    coverage_error,
    label_ranking_average_precision,
    ranking_loss,
)
from recsys_metrics.ranking._precision_recall import (
    f_beta,
    hit_rate,
    precision,
    r_precision,
    recall,
)
from recsys_metrics.ranking._rank_biased_overlap import least_item_promoted, rank_biased_overlap
from recsys_metrics.ranking._rank_scores import mean_percentile_rank, rank_from_scores
from recsys_metrics.ranking._stages import StageRecall, stage_recall
from recsys_metrics.ranking._ties import expected_over_ties, judge_scores

__all__ = [
    "Judged",
    "StageRecall",
    "average_precision",
    "average_recall",
    "bpref",
    "coverage_error",
    "dcg",
    "discounts",
    "expected_over_ties",
    "expected_reciprocal_rank",
    "f_beta",
    "fall_out",
    "fraction_of_concordant_pairs",
    "group_auc",
    "hit_rate",
    "inferred_average_precision",
    "interpolated_precision",
    "judge",
    "judge_scores",
    "label_ranking_average_precision",
    "least_item_promoted",
    "limited_auc",
    "matthews_correlation",
    "mean_percentile_rank",
    "ndcg",
    "precision",
    "r_precision",
    "rank_biased_overlap",
    "rank_biased_precision",
    "rank_from_scores",
    "ranking_loss",
    "recall",
    "reciprocal_hit_rate",
    "reciprocal_rank",
    "roc_auc",
    "stage_recall",
]


def __dir__() -> list[str]:
    return __all__
