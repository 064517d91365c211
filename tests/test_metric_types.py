"""One list gives a float, and many an array. Written by dev/tools/build_type_tests.py."""

from __future__ import annotations

from typing import assert_type

import numpy as np

from recsys_metrics import beyond_accuracy, ranking, rating
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics.bias import fairness
from recsys_metrics.protocol import candidates

LIST, LISTS = ["A", "B"], [["A", "B"], ["B", "C"]]
ONE, MANY = ranking.judge(LIST, {"B"}), ranking.judge(LISTS, [{"B"}, {"C"}])
LABELS, SCORES = [1, 0, 0], [0.9, 0.5, 0.1]
COUNTS = {"A": 3, "B": 2, "C": 1}
CATEGORIES = {"A": ["war"], "B": ["love"], "C": ["war"]}
GROUPS = {"A": "head", "B": "tail", "C": "tail"}
# Two ratings of each of two users.
ACTUAL, PREDICTED, USERS = [1.0, 2.0, 3.0, 5.0], [2.0, 2.0, 3.0, 4.0], ["a", "a", "b", "b"]


def test_one_list_gives_a_float() -> None:
    for value in (
        assert_type(ranking.average_precision(ONE), float),
        assert_type(ranking.average_recall(ONE), float),
        assert_type(ranking.bpref(ONE), float),
        assert_type(ranking.coverage_error(LABELS, SCORES), float),
        assert_type(ranking.dcg(ONE), float),
        assert_type(ranking.expected_over_ties("ndcg", LABELS, SCORES), float),
        assert_type(ranking.expected_reciprocal_rank(ONE, max_grade=1), float),
        assert_type(ranking.f_beta(ONE), float),
        assert_type(ranking.fall_out(ONE, n_items=50), float),
        assert_type(ranking.hit_rate(ONE), float),
        assert_type(ranking.inferred_average_precision(LIST, {"B"}, {"A"}), float),
        assert_type(ranking.interpolated_precision(ONE), float),
        assert_type(ranking.label_ranking_average_precision(LABELS, SCORES), float),
        assert_type(ranking.least_item_promoted(LIST, LIST, 1), float),
        assert_type(ranking.limited_auc(LABELS, SCORES, 1), float),
        assert_type(ranking.matthews_correlation(ONE, n_items=50), float),
        assert_type(ranking.ndcg(ONE), float),
        assert_type(ranking.precision(ONE), float),
        assert_type(ranking.r_precision(ONE), float),
        assert_type(ranking.rank_biased_overlap(LIST, LIST), float),
        assert_type(ranking.rank_biased_precision(ONE), float),
        assert_type(ranking.ranking_loss(LABELS, SCORES), float),
        assert_type(ranking.recall(ONE), float),
        assert_type(ranking.reciprocal_hit_rate(ONE), float),
        assert_type(ranking.reciprocal_rank(ONE), float),
        assert_type(ranking.roc_auc(LABELS, SCORES), float),
        assert_type(rating.correlation(ACTUAL, PREDICTED), float),
        assert_type(rating.error_ratio(ACTUAL, PREDICTED), float),
        assert_type(rating.explained_variance(ACTUAL, PREDICTED), float),
        assert_type(rating.mae(ACTUAL, PREDICTED), float),
        assert_type(rating.mape(ACTUAL, PREDICTED), float),
        assert_type(rating.median_absolute_error(ACTUAL, PREDICTED), float),
        assert_type(rating.mse(ACTUAL, PREDICTED), float),
        assert_type(rating.r2(ACTUAL, PREDICTED), float),
        assert_type(rating.rmse(ACTUAL, PREDICTED), float),
        assert_type(rating.smape(ACTUAL, PREDICTED), float),
        assert_type(beyond_accuracy.alpha_ndcg(LIST, {"B"}, CATEGORIES), float),
        assert_type(beyond_accuracy.average_popularity(LIST, COUNTS), float),
        assert_type(beyond_accuracy.expected_free_discovery(LIST, COUNTS, 6), float),
        assert_type(beyond_accuracy.expected_popularity_complement(LIST, COUNTS, 6), float),
        assert_type(beyond_accuracy.exposure_novelty(LIST, COUNTS, 6), float),
        assert_type(beyond_accuracy.f_beta_score(0.5, 1.0), float),
        assert_type(beyond_accuracy.genre_calibration([0.7, 0.3], [1.0, 0.0]), float),
        assert_type(beyond_accuracy.intent_aware_average_precision(LIST, {"B"}, CATEGORIES), float),
        assert_type(
            beyond_accuracy.intent_aware_expected_reciprocal_rank(LIST, {"B"}, CATEGORIES), float
        ),
        assert_type(beyond_accuracy.intent_aware_precision(LIST, {"B"}, CATEGORIES), float),
        assert_type(beyond_accuracy.intra_list_diversity(LIST, features=CATEGORIES), float),
        assert_type(beyond_accuracy.long_tail_share(LIST, COUNTS), float),
        assert_type(beyond_accuracy.popularity_complement(LIST, COUNTS, 6), float),
        assert_type(beyond_accuracy.popularity_lift(LIST, {"A"}, COUNTS), float),
        assert_type(beyond_accuracy.popularity_serendipity(LIST, {"B"}, COUNTS, 3, k=1), float),
        assert_type(beyond_accuracy.rank_biased_entropy(LIST, CATEGORIES), float),
        assert_type(beyond_accuracy.score_entropy(SCORES, base=2), float),
        assert_type(beyond_accuracy.self_information(LIST, COUNTS, 6), float),
        assert_type(beyond_accuracy.serendipity(LIST, {"B"}, ["A"], k=1), float),
        assert_type(beyond_accuracy.subtopic_recall(LIST, {"B"}, CATEGORIES), float),
        assert_type(beyond_accuracy.unexpectedness(LIST, {"A"}, CATEGORIES), float),
        assert_type(beyond_accuracy.unique_category_share(LIST, CATEGORIES), float),
        assert_type(beyond_accuracy.unseen_share(LIST, {"A"}), float),
        assert_type(fairness.attention_weighted_rank_fairness(LIST, GROUPS), float),
        assert_type(fairness.ndkl(LIST, GROUPS), float),
        assert_type(candidates.corrected_metric(1, 50, 5, "auc", method="rank"), float),
        assert_type(candidates.expected_sampled_metric(1, 50, 5, "auc"), float),
    ):
        assert type(value) is float


def test_many_lists_give_an_array() -> None:
    for values in (
        assert_type(ranking.average_precision(judged=MANY), FloatArray),
        assert_type(ranking.average_recall(judged=MANY), FloatArray),
        assert_type(ranking.bpref(judged=MANY), FloatArray),
        assert_type(
            ranking.coverage_error(labels=[LABELS, LABELS], scores=[SCORES, SCORES]), FloatArray
        ),
        assert_type(ranking.dcg(judged=MANY), FloatArray),
        assert_type(
            ranking.expected_over_ties(
                metric="ndcg", grades=[LABELS, LABELS], scores=[SCORES, SCORES]
            ),
            FloatArray,
        ),
        assert_type(ranking.expected_reciprocal_rank(judged=MANY, max_grade=1), FloatArray),
        assert_type(ranking.f_beta(judged=MANY), FloatArray),
        assert_type(ranking.fall_out(judged=MANY, n_items=50), FloatArray),
        assert_type(ranking.hit_rate(judged=MANY), FloatArray),
        assert_type(
            ranking.inferred_average_precision(
                recommended=LISTS, relevant=[{"B"}, {"C"}], unjudged=[{"A"}, {"D"}]
            ),
            FloatArray,
        ),
        assert_type(ranking.interpolated_precision(judged=MANY), FloatArray),
        assert_type(
            ranking.label_ranking_average_precision(
                labels=[LABELS, LABELS], scores=[SCORES, SCORES]
            ),
            FloatArray,
        ),
        assert_type(ranking.least_item_promoted(reranked=LISTS, original=LISTS, k=1), FloatArray),
        assert_type(
            ranking.limited_auc(labels=[LABELS, LABELS], scores=[SCORES, SCORES], k=1), FloatArray
        ),
        assert_type(ranking.matthews_correlation(judged=MANY, n_items=50), FloatArray),
        assert_type(ranking.ndcg(judged=MANY), FloatArray),
        assert_type(ranking.precision(judged=MANY), FloatArray),
        assert_type(ranking.r_precision(judged=MANY), FloatArray),
        assert_type(ranking.rank_biased_overlap(one=LISTS, other=LISTS), FloatArray),
        assert_type(ranking.rank_biased_precision(judged=MANY), FloatArray),
        assert_type(
            ranking.ranking_loss(labels=[LABELS, LABELS], scores=[SCORES, SCORES]), FloatArray
        ),
        assert_type(ranking.recall(judged=MANY), FloatArray),
        assert_type(ranking.reciprocal_hit_rate(judged=MANY), FloatArray),
        assert_type(ranking.reciprocal_rank(judged=MANY), FloatArray),
        assert_type(ranking.roc_auc(labels=[LABELS, LABELS], scores=[SCORES, SCORES]), FloatArray),
        assert_type(
            rating.correlation(actual=ACTUAL, predicted=PREDICTED, users=USERS), FloatArray
        ),
        assert_type(
            rating.error_ratio(actual=ACTUAL, predicted=PREDICTED, users=USERS), FloatArray
        ),
        assert_type(
            rating.explained_variance(actual=ACTUAL, predicted=PREDICTED, users=USERS), FloatArray
        ),
        assert_type(rating.mae(actual=ACTUAL, predicted=PREDICTED, users=USERS), FloatArray),
        assert_type(rating.mape(actual=ACTUAL, predicted=PREDICTED, users=USERS), FloatArray),
        assert_type(
            rating.median_absolute_error(actual=ACTUAL, predicted=PREDICTED, users=USERS),
            FloatArray,
        ),
        assert_type(rating.mse(actual=ACTUAL, predicted=PREDICTED, users=USERS), FloatArray),
        assert_type(rating.r2(actual=ACTUAL, predicted=PREDICTED, users=USERS), FloatArray),
        assert_type(rating.rmse(actual=ACTUAL, predicted=PREDICTED, users=USERS), FloatArray),
        assert_type(rating.smape(actual=ACTUAL, predicted=PREDICTED, users=USERS), FloatArray),
        assert_type(
            beyond_accuracy.alpha_ndcg(
                recommended=LISTS, relevant=[{"B"}, {"C"}], features=CATEGORIES
            ),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.average_popularity(recommended=LISTS, item_counts=COUNTS), FloatArray
        ),
        assert_type(
            beyond_accuracy.expected_free_discovery(
                recommended=LISTS, item_counts=COUNTS, n_events=6
            ),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.expected_popularity_complement(
                recommended=LISTS, item_counts=COUNTS, n_users=6
            ),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.exposure_novelty(recommended=LISTS, item_counts=COUNTS, n_users=6),
            FloatArray,
        ),
        assert_type(beyond_accuracy.f_beta_score(first=[0.5, 0.2], second=[1.0, 0.1]), FloatArray),
        assert_type(
            beyond_accuracy.genre_calibration(
                target=[[0.7, 0.3], [0.7, 0.3]], recommended=[[1.0, 0.0], [0.5, 0.5]]
            ),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.intent_aware_average_precision(
                recommended=LISTS, relevant=[{"B"}, {"C"}], features=CATEGORIES
            ),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.intent_aware_expected_reciprocal_rank(
                recommended=LISTS, relevant=[{"B"}, {"C"}], features=CATEGORIES
            ),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.intent_aware_precision(
                recommended=LISTS, relevant=[{"B"}, {"C"}], features=CATEGORIES
            ),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.intra_list_diversity(recommended=LISTS, features=CATEGORIES), FloatArray
        ),
        assert_type(
            beyond_accuracy.long_tail_share(recommended=LISTS, item_counts=COUNTS), FloatArray
        ),
        assert_type(
            beyond_accuracy.popularity_complement(recommended=LISTS, item_counts=COUNTS, n_users=6),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.popularity_lift(
                recommended=LISTS, history=[{"A"}, {"B"}], item_counts=COUNTS
            ),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.popularity_serendipity(
                recommended=LISTS, relevant=[{"B"}, {"C"}], item_counts=COUNTS, catalog=3, k=1
            ),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.rank_biased_entropy(recommended=LISTS, features=CATEGORIES), FloatArray
        ),
        assert_type(beyond_accuracy.score_entropy(scores=[SCORES, SCORES], base=2), FloatArray),
        assert_type(
            beyond_accuracy.self_information(recommended=LISTS, item_counts=COUNTS, n_users=6),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.serendipity(
                recommended=LISTS, relevant=[{"B"}, {"C"}], baseline=["A"], k=1
            ),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.subtopic_recall(
                recommended=LISTS, relevant=[{"B"}, {"C"}], features=CATEGORIES
            ),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.unexpectedness(
                recommended=LISTS, history=[{"A"}, {"B"}], features=CATEGORIES
            ),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.unique_category_share(recommended=LISTS, categories=CATEGORIES),
            FloatArray,
        ),
        assert_type(
            beyond_accuracy.unseen_share(recommended=LISTS, history=[{"A"}, {"B"}]), FloatArray
        ),
        assert_type(
            fairness.attention_weighted_rank_fairness(recommended=LISTS, groups=GROUPS), FloatArray
        ),
        assert_type(fairness.ndkl(recommended=LISTS, groups=GROUPS), FloatArray),
        assert_type(
            candidates.corrected_metric(
                ranks=[1, 2], n_items=50, n_samples=5, metric="auc", method="rank"
            ),
            FloatArray,
        ),
        assert_type(
            candidates.expected_sampled_metric(ranks=[1, 2], n_items=50, n_samples=5, metric="auc"),
            FloatArray,
        ),
    ):
        assert isinstance(values, np.ndarray)
        assert values.dtype == np.float64
        assert values.shape == (2,)
