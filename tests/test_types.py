"""One list gives a float, many an array: mypy reads it here, and pytest sees that it is so."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, assert_type

import numpy as np
import pytest
from numpy.typing import NDArray

from recsys_metrics import beyond_accuracy, ranking, rating
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics.beyond_accuracy import (
    alpha_ndcg,
    average_popularity,
    expected_free_discovery,
    expected_popularity_complement,
    exposure_novelty,
    f_beta_score,
    genre_calibration,
    intent_aware_average_precision,
    intent_aware_expected_reciprocal_rank,
    intent_aware_precision,
    intra_list_diversity,
    long_tail_share,
    popularity_complement,
    popularity_lift,
    popularity_serendipity,
    rank_biased_entropy,
    score_entropy,
    self_information,
    serendipity,
    subtopic_recall,
    unexpectedness,
    unique_category_share,
    unseen_share,
)
from recsys_metrics.bias import fairness
from recsys_metrics.bias.fairness import attention_weighted_rank_fairness, ndkl
from recsys_metrics.measures import measure
from recsys_metrics.protocol import candidates, online
from recsys_metrics.protocol.candidates import corrected_metric, expected_sampled_metric
from recsys_metrics.ranking import (
    Judged,
    average_precision,
    average_recall,
    bpref,
    coverage_error,
    dcg,
    discounts,
    expected_over_ties,
    expected_reciprocal_rank,
    f_beta,
    fall_out,
    fraction_of_concordant_pairs,
    group_auc,
    hit_rate,
    inferred_average_precision,
    interpolated_precision,
    judge,
    judge_scores,
    label_ranking_average_precision,
    least_item_promoted,
    limited_auc,
    matthews_correlation,
    mean_percentile_rank,
    ndcg,
    precision,
    r_precision,
    rank_biased_overlap,
    rank_biased_precision,
    rank_from_scores,
    ranking_loss,
    recall,
    reciprocal_hit_rate,
    reciprocal_rank,
    roc_auc,
)
from recsys_metrics.rating import (
    correlation,
    error_ratio,
    explained_variance,
    mae,
    mape,
    median_absolute_error,
    mse,
    r2,
    rmse,
    smape,
)

LIST, LISTS = ["A", "B"], [["A", "B"], ["B", "C"]]
ONE, MANY = judge(LIST, {"B"}), judge(LISTS, [{"B"}, {"C"}])
LABELS, SCORES = [1, 0, 0], [0.9, 0.5, 0.1]
COUNTS = {"A": 3, "B": 2, "C": 1}
KINDS = {"A": ["war"], "B": ["love"], "C": ["war"]}
GROUPS = {"A": "head", "B": "tail", "C": "tail"}
# Two ratings of each of two users.
SAID, PREDICTED, USERS = [1.0, 2.0, 3.0, 5.0], [2.0, 2.0, 3.0, 4.0], ["a", "a", "b", "b"]


def test_one_list_gives_a_float() -> None:
    for value in (
        assert_type(average_precision(ONE), float),
        assert_type(average_recall(ONE), float),
        assert_type(bpref(ONE), float),
        assert_type(matthews_correlation(ONE, n_items=5), float),
        assert_type(dcg(ONE), float),
        assert_type(expected_reciprocal_rank(ONE, max_grade=1), float),
        assert_type(f_beta(ONE), float),
        assert_type(fall_out(ONE, n_items=5), float),
        assert_type(hit_rate(ONE), float),
        assert_type(interpolated_precision(ONE), float),
        assert_type(ndcg(ONE), float),
        assert_type(precision(ONE), float),
        assert_type(r_precision(ONE), float),
        assert_type(rank_biased_precision(ONE), float),
        assert_type(recall(ONE), float),
        assert_type(reciprocal_hit_rate(ONE), float),
        assert_type(reciprocal_rank(ONE), float),
        assert_type(measure("ndcg@1")(ONE), float),
        assert_type(rank_biased_overlap(LIST, ["A", "C"]), float),
        assert_type(least_item_promoted(LIST, ["B", "A"], 1), float),
        assert_type(inferred_average_precision(LIST, {"A": 1}, {"B"}), float),
        assert_type(popularity_serendipity(LIST, {"A"}, COUNTS, 3, k=2), float),
        assert_type(coverage_error(LABELS, SCORES), float),
        assert_type(label_ranking_average_precision(LABELS, SCORES), float),
        assert_type(limited_auc(LABELS, SCORES, 1), float),
        assert_type(ranking_loss(LABELS, SCORES), float),
        assert_type(roc_auc(labels=LABELS, scores=SCORES), float),
        assert_type(expected_over_ties("ndcg", LABELS, SCORES, 2), float),
        assert_type(mae(SAID, PREDICTED), float),
        assert_type(correlation(SAID, PREDICTED), float),
        assert_type(mape(SAID, PREDICTED), float),
        assert_type(mse(SAID, PREDICTED, weights=[1, 1, 1, 2]), float),
        assert_type(r2(SAID, PREDICTED), float),
        assert_type(rmse(SAID, PREDICTED, users=None), float),
        assert_type(smape(SAID, PREDICTED), float),
        assert_type(error_ratio(SAID, PREDICTED), float),
        assert_type(explained_variance(SAID, PREDICTED), float),
        assert_type(median_absolute_error(SAID, PREDICTED), float),
        assert_type(alpha_ndcg(LIST, {"B"}, KINDS), float),
        assert_type(average_popularity(LIST, COUNTS), float),
        assert_type(expected_free_discovery(LIST, COUNTS, 6), float),
        assert_type(expected_popularity_complement(LIST, COUNTS, 6), float),
        assert_type(exposure_novelty(LIST, COUNTS, 6), float),
        assert_type(genre_calibration([0.7, 0.3], [1.0, 0.0]), float),
        assert_type(genre_calibration({"war": 1.0}, {"love": 1.0}), float),
        assert_type(intent_aware_average_precision(LIST, {"B"}, KINDS), float),
        assert_type(intent_aware_precision(LIST, {"B"}, KINDS), float),
        assert_type(intent_aware_expected_reciprocal_rank(LIST, {"B"}, KINDS), float),
        assert_type(intra_list_diversity(recommended=LIST, features=KINDS), float),
        assert_type(long_tail_share(LIST, COUNTS), float),
        assert_type(popularity_complement(LIST, COUNTS, 6), float),
        assert_type(unseen_share(LIST, {"A"}), float),
        assert_type(unique_category_share(LIST, KINDS), float),
        assert_type(popularity_lift(LIST, {"B"}, COUNTS), float),
        assert_type(popularity_lift(LISTS, [{"B"}, {"C"}], COUNTS, pooling="groups"), float),
        assert_type(rank_biased_entropy(LIST, KINDS), float),
        assert_type(score_entropy(SCORES, base=2), float),
        assert_type(f_beta_score(0.5, 1.0), float),
        assert_type(self_information(LIST, COUNTS, 6), float),
        assert_type(serendipity(LIST, {"B"}, ["A"], k=2), float),
        assert_type(subtopic_recall(LIST, {"B"}, KINDS), float),
        assert_type(unexpectedness(LIST, {"C"}, KINDS), float),
        assert_type(attention_weighted_rank_fairness(LIST, GROUPS), float),
        assert_type(ndkl(LIST, GROUPS), float),
        assert_type(corrected_metric(1, 50, 5, "auc"), float),
        assert_type(expected_sampled_metric(1, 50, 5, "auc"), float),
        assert_type(online.dwell_time(10, 25), float),
        assert_type(online.session_length(start=10, end=25), float),
        assert_type(online.click_through_rate(5, 100), float),
        assert_type(online.clicks_per_user(5, 100), float),
        assert_type(online.window_hit_rate(5, 100), float),
        assert_type(online.conversion_rate(5, clicks=50), float),
        assert_type(online.always_valid_interval(0.02, 0.01, expected_gain=0.02).low, float),
    ):
        assert type(value) is float


def test_many_counts_give_an_array() -> None:
    looks = online.always_valid_interval([0.02, 0.03], [0.01, 0.005], expected_gain=0.02)
    for values in (
        assert_type(online.dwell_time([10, 20], [25, 30]), FloatArray),
        assert_type(online.session_length(start=[10], end=[25]), FloatArray),
        assert_type(online.click_through_rate([5, 6], 100), FloatArray),
        assert_type(online.click_through_rate(5, [100, 200]), FloatArray),
        assert_type(online.clicks_per_user([5], [100]), FloatArray),
        assert_type(online.window_hit_rate([5], [100]), FloatArray),
        assert_type(online.conversion_rate([5], users=[50]), FloatArray),
        assert_type(looks.p_value, FloatArray),
    ):
        assert type(values) is np.ndarray


def test_what_is_relevant_keeps_its_form() -> None:
    strata = {"A": "head", "B": "tail"}
    by_user = fairness.restrict_relevant({"u": {"A", "B"}}, strata, "tail")
    in_order = fairness.restrict_relevant([["A"], {"B": 2}], strata, "tail")
    assert_type(by_user, dict[str, set[Any] | dict[Any, Any]])
    assert_type(in_order, list[set[Any] | dict[Any, Any]])
    assert by_user == {"u": {"B"}}
    assert in_order == [set(), {"B": 2}]


def test_many_lists_give_an_array() -> None:
    labels, scores = [LABELS, LABELS], [SCORES, SCORES]
    wanted = [{"B"}, {"C"}]
    for values in (
        assert_type(average_precision(MANY), FloatArray),
        assert_type(average_recall(MANY), FloatArray),
        assert_type(bpref(MANY), FloatArray),
        assert_type(matthews_correlation(MANY, n_items=5), FloatArray),
        assert_type(dcg(MANY), FloatArray),
        assert_type(expected_reciprocal_rank(MANY, max_grade=1), FloatArray),
        assert_type(f_beta(MANY), FloatArray),
        assert_type(fall_out(MANY, n_items=5), FloatArray),
        assert_type(hit_rate(MANY), FloatArray),
        assert_type(interpolated_precision(MANY), FloatArray),
        assert_type(ndcg(MANY), FloatArray),
        assert_type(precision(MANY), FloatArray),
        assert_type(r_precision(MANY), FloatArray),
        assert_type(rank_biased_precision(MANY), FloatArray),
        assert_type(recall(MANY), FloatArray),
        assert_type(reciprocal_hit_rate(MANY), FloatArray),
        assert_type(reciprocal_rank(MANY), FloatArray),
        assert_type(measure("ndcg@1")(MANY), FloatArray),
        assert_type(rank_biased_overlap(LISTS, [["A"], ["C"]]), FloatArray),
        assert_type(least_item_promoted(LISTS, LISTS, 1), FloatArray),
        assert_type(inferred_average_precision(LISTS, [{"B"}, {"C"}], [{"A"}, ()]), FloatArray),
        assert_type(popularity_serendipity(LISTS, [{"A"}, {"B"}], COUNTS, 3, k=2), FloatArray),
        assert_type(coverage_error(labels, scores), FloatArray),
        assert_type(label_ranking_average_precision(labels, scores), FloatArray),
        assert_type(limited_auc(labels, scores, 1), FloatArray),
        assert_type(ranking_loss(labels, scores), FloatArray),
        assert_type(roc_auc(labels=labels, scores=scores), FloatArray),
        assert_type(expected_over_ties("ndcg", labels, scores, 2), FloatArray),
        assert_type(mae(SAID, PREDICTED, users=USERS), FloatArray),
        assert_type(correlation(SAID, PREDICTED, users=USERS), FloatArray),
        assert_type(mape(SAID, PREDICTED, users=USERS), FloatArray),
        assert_type(mse(SAID, PREDICTED, users=USERS, weights=[1, 1, 1, 2]), FloatArray),
        assert_type(r2(SAID, PREDICTED, users=USERS), FloatArray),
        assert_type(rmse(SAID, PREDICTED, users=USERS), FloatArray),
        assert_type(smape(SAID, PREDICTED, users=USERS), FloatArray),
        assert_type(error_ratio(SAID, PREDICTED, users=USERS), FloatArray),
        assert_type(explained_variance(SAID, PREDICTED, users=USERS), FloatArray),
        assert_type(median_absolute_error(SAID, PREDICTED, users=USERS), FloatArray),
        assert_type(alpha_ndcg(LISTS, wanted, KINDS), FloatArray),
        assert_type(average_popularity(LISTS, COUNTS), FloatArray),
        assert_type(expected_free_discovery(LISTS, COUNTS, 6), FloatArray),
        assert_type(expected_popularity_complement(LISTS, COUNTS, 6), FloatArray),
        assert_type(exposure_novelty(LISTS, COUNTS, 6), FloatArray),
        assert_type(genre_calibration([[0.7, 0.3]] * 2, [[1.0, 0.0]] * 2), FloatArray),
        assert_type(intent_aware_average_precision(LISTS, wanted, KINDS), FloatArray),
        assert_type(intent_aware_precision(LISTS, wanted, KINDS), FloatArray),
        assert_type(intent_aware_expected_reciprocal_rank(LISTS, wanted, KINDS), FloatArray),
        assert_type(intra_list_diversity(recommended=LISTS, features=KINDS), FloatArray),
        assert_type(long_tail_share(LISTS, COUNTS), FloatArray),
        assert_type(popularity_complement(LISTS, COUNTS, 6), FloatArray),
        assert_type(unseen_share(LISTS, [{"A"}, {"B"}]), FloatArray),
        assert_type(unique_category_share(LISTS, KINDS), FloatArray),
        assert_type(popularity_lift(LISTS, wanted, COUNTS), FloatArray),
        assert_type(rank_biased_entropy(LISTS, KINDS), FloatArray),
        assert_type(score_entropy(scores, base=2), FloatArray),
        assert_type(f_beta_score([0.5, 0.2], [1.0, 0.1]), FloatArray),
        assert_type(self_information({"u": LIST, "v": LIST}, COUNTS, 6), FloatArray),
        assert_type(serendipity(LISTS, wanted, ["A"], k=2), FloatArray),
        assert_type(subtopic_recall(LISTS, wanted, KINDS), FloatArray),
        assert_type(unexpectedness(LISTS, wanted, KINDS), FloatArray),
        assert_type(attention_weighted_rank_fairness(LISTS, GROUPS), FloatArray),
        assert_type(ndkl(LISTS, GROUPS), FloatArray),
        assert_type(corrected_metric([1, 2], 50, 5, "auc"), FloatArray),
        assert_type(expected_sampled_metric(np.array([1, 2]), 50, 5, "auc"), FloatArray),
    ):
        assert isinstance(values, np.ndarray)
        assert values.dtype == np.float64
        assert values.shape == (2,)


def test_what_is_one_whatever_the_lists() -> None:
    for value in (
        assert_type(fraction_of_concordant_pairs([3, 2, 1], [2, 3, 1]), float),
        assert_type(group_auc(LABELS, SCORES, ["u", "u", "u"]), float),
        assert_type(mean_percentile_rank([1, 2], 4), float),
    ):
        assert type(value) is float
    assert assert_type(discounts(3), FloatArray).dtype == np.float64
    assert assert_type(rank_from_scores(SCORES, 2), NDArray[np.intp]).dtype == np.intp


def test_judging_tells_one_list_from_many() -> None:
    """A text is a sequence of texts, and yet a list of texts is one list."""
    numbers = [3, 1]
    for one in (
        assert_type(judge(["A", "B"], {"A"}), Judged[float]),
        assert_type(judge(numbers, {1: 2.0}), Judged[float]),
        assert_type(judge(range(3), {1}, threshold=2), Judged[float]),
        assert_type(judge_scores(LABELS, SCORES), Judged[float]),
        assert_type(Judged.from_gains([3, 0, 1], [3, 1, 1]), Judged[float]),
    ):
        assert one.single
        for count in (
            assert_type(one.n_returned, int),
            assert_type(one.n_relevant, int),
            assert_type(one.n_nonrelevant, int),
        ):
            assert type(count) is int
    rows: Sequence[Sequence[str]] = [["A"], ["B"]]
    for many in (
        assert_type(judge([["A"], ["B"]], [{"A"}, {"B"}]), Judged[FloatArray]),
        assert_type(judge({"u": ["A"]}, {"u": {"A"}}), Judged[FloatArray]),
        assert_type(judge(rows, rows), Judged[FloatArray]),
        assert_type(judge([np.arange(2), np.arange(3)], [[1], [1]]), Judged[FloatArray]),
        assert_type(judge([{"A": 0.9, "B": 0.1}], [["A"]]), Judged[FloatArray]),
        assert_type(judge_scores([LABELS], [SCORES]), Judged[FloatArray]),
        assert_type(Judged.from_gains([[3, 0, 1]]), Judged[FloatArray]),
    ):
        assert not many.single
        for counts in (
            assert_type(many.n_returned, NDArray[np.intp]),
            assert_type(many.n_relevant, NDArray[np.intp]),
            assert_type(many.n_nonrelevant, NDArray[np.intp]),
        ):
            assert counts.shape == (len(many),)


def test_the_type_of_an_array_does_not_tell_its_axes() -> None:
    one, many = np.array([1, 2]), np.zeros((1, 2), dtype=int) + np.array([1, 2])
    for items, single in ((one, True), (many, False)):
        judged = assert_type(judge(items, [1] if single else [[1]]), Judged[Any])
        assert judged.single is single
        assert_type(hit_rate(judged), Any)
        assert_type(judged.n_relevant, Any)
        assert_type(self_information(items, [1, 1, 1], 2), Any)
    assert_type(judge(np.zeros((2, 3), dtype=int) + np.arange(3), [[1], [2]]), Judged[Any])
    assert_type(roc_auc(np.array(LABELS), SCORES), Any)


# Each function's text says what it returns; those of one kind begin alike.
_ONE_OR_MANY = re.compile(r"Returns\n-+\nfloat or \(\w+,\) array\n")


def _one_or_many(module: ModuleType) -> set[str]:
    functions = {name: getattr(module, name) for name in module.__all__}
    return {
        name
        for name, function in functions.items()
        if inspect.isfunction(function) and _ONE_OR_MANY.search(inspect.getdoc(function) or "")
    }


def _asserted(test: str) -> set[str]:
    """Return the functions whose results a test of this file asserts the type of."""
    functions = [
        node
        for node in ast.parse(Path(__file__).read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and re.fullmatch(test, node.name)
    ]
    calls = (node for function in functions for node in ast.walk(function))
    return {
        ast.unparse(node.args[0].func)
        for node in calls
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "assert_type"
        and isinstance(node.args[0], ast.Call)
    }


@pytest.mark.parametrize(
    "module", [ranking, rating, beyond_accuracy, fairness, candidates], ids=lambda m: m.__name__
)
def test_every_metric_stands_here(module: ModuleType) -> None:
    metrics = _one_or_many(module)
    assert metrics
    assert metrics <= _asserted("test_one_list_gives_a_float")
    assert metrics <= _asserted("test_many_lists_give_an_array")


def test_everything_of_ranking_stands_here() -> None:
    assert set(ranking.__all__) - _asserted("test_.*") == {"Judged"}


def test_a_decorator_of_the_type_changes_nothing_else() -> None:
    """What a measure reads of a function is its own: names, defaults, annotations."""
    for function in (roc_auc, self_information, mae, expected_over_ties, corrected_metric):
        assert inspect.isfunction(function)
        assert inspect.signature(partial(function)).return_annotation == "Any"
