"""One list gives a float, many an array: mypy reads it here, and pytest sees that it is so."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, assert_type

import numpy as np
import pytest
from numpy.typing import NDArray

from dev.tools import build_type_tests
from recsys_metrics import ranking
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics.beyond_accuracy import (
    genre_calibration,
    intra_list_diversity,
    popularity_lift,
    popularity_serendipity,
    self_information,
    serendipity,
)
from recsys_metrics.bias import fairness
from recsys_metrics.measures import measure
from recsys_metrics.protocol import online
from recsys_metrics.protocol.candidates import corrected_metric, expected_sampled_metric
from recsys_metrics.ranking import (
    Judged,
    StageRecall,
    discounts,
    expected_over_ties,
    fraction_of_concordant_pairs,
    group_auc,
    hit_rate,
    judge,
    judge_scores,
    mean_percentile_rank,
    rank_from_scores,
    roc_auc,
    stage_recall,
)
from recsys_metrics.rating import (
    mae,
    mse,
    rmse,
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
        assert_type(measure("ndcg@1")(ONE), float),
        assert_type(roc_auc(labels=LABELS, scores=SCORES), float),
        assert_type(mse(SAID, PREDICTED, weights=[1, 1, 1, 2]), float),
        assert_type(rmse(SAID, PREDICTED, users=None), float),
        assert_type(genre_calibration({"war": 1.0}, {"love": 1.0}), float),
        assert_type(intra_list_diversity(recommended=LIST, features=KINDS), float),
        assert_type(popularity_lift(LISTS, [{"B"}, {"C"}], COUNTS, pooling="groups"), float),
        assert_type(popularity_serendipity(LIST, {"A"}, COUNTS, 3, k=2), float),
        assert_type(serendipity(LIST, {"B"}, ["A"], k=2), float),
        assert_type(expected_over_ties("ndcg", LABELS, SCORES, 2), float),
        assert_type(online.dwell_time(10, 25), float),
        assert_type(online.dwell_time(start=10, end=25), float),
        assert_type(online.click_through_rate(5, 100), float),
        assert_type(online.clicks_per_user(5, 100), float),
        assert_type(online.click_through_probability(5, 100), float),
        assert_type(online.conversion_rate(5, clicks=50), float),
        assert_type(online.always_valid_interval(0.02, 0.01, expected_gain=0.02).low, float),
    ):
        assert type(value) is float


def test_many_counts_give_an_array() -> None:
    looks = online.always_valid_interval([0.02, 0.03], [0.01, 0.005], expected_gain=0.02)
    for values in (
        assert_type(online.dwell_time([10, 20], [25, 30]), FloatArray),
        assert_type(online.dwell_time(start=[10], end=[25]), FloatArray),
        assert_type(online.click_through_rate([5, 6], 100), FloatArray),
        assert_type(online.click_through_rate(5, [100, 200]), FloatArray),
        assert_type(online.clicks_per_user([5], [100]), FloatArray),
        assert_type(online.click_through_probability([5], [100]), FloatArray),
        assert_type(online.conversion_rate([5], users=[50]), FloatArray),
        assert_type(looks.p_value, FloatArray),
    ):
        assert type(values) is np.ndarray


def test_restricted_relevant_items_keep_their_type() -> None:
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
        assert_type(measure("ndcg@1")(MANY), FloatArray),
        assert_type(popularity_serendipity(LISTS, [{"A"}, {"B"}], COUNTS, 3, k=2), FloatArray),
        assert_type(expected_over_ties("ndcg", labels, scores, 2), FloatArray),
        assert_type(mse(SAID, PREDICTED, users=USERS, weights=[1, 1, 1, 2]), FloatArray),
        assert_type(self_information({"u": LIST, "v": LIST}, COUNTS, 6), FloatArray),
        assert_type(serendipity(LISTS, wanted, ["A"], k=2), FloatArray),
        assert_type(expected_sampled_metric(np.array([1, 2]), 50, 5, "auc"), FloatArray),
    ):
        assert isinstance(values, np.ndarray)
        assert values.dtype == np.float64
        assert values.shape == (2,)


def test_results_that_do_not_depend_on_the_number_of_lists() -> None:
    for value in (
        assert_type(fraction_of_concordant_pairs([3, 2, 1], [2, 3, 1]), float),
        assert_type(group_auc(LABELS, SCORES, ["u", "u", "u"]), float),
        assert_type(mean_percentile_rank([1, 2], 4), float),
    ):
        assert type(value) is float
    assert assert_type(discounts(3), FloatArray).dtype == np.float64
    stages = {"retrieval": [["A", "B"]], "ranking": [["B"]]}
    assert assert_type(stage_recall(stages, [{"B"}]), StageRecall).names == ("retrieval", "ranking")
    assert assert_type(rank_from_scores(SCORES, 2), NDArray[np.intp]).dtype == np.intp


def test_judge_distinguishes_one_list_from_many() -> None:
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


def test_arrays_have_no_static_dimension() -> None:
    one, many = np.array([1, 2]), np.zeros((1, 2), dtype=int) + np.array([1, 2])
    for items, single in ((one, True), (many, False)):
        judged = assert_type(judge(items, [1] if single else [[1]]), Judged[Any])
        assert judged.single is single
        assert_type(hit_rate(judged), Any)
        assert_type(judged.n_relevant, Any)
        assert_type(self_information(items, [1, 1, 1], 2), Any)
    assert_type(judge(np.zeros((2, 3), dtype=int) + np.arange(3), [[1], [2]]), Judged[Any])
    assert_type(roc_auc(np.array(LABELS), SCORES), Any)


def test_the_generated_file_has_all_metrics() -> None:
    pytest.importorskip("ruff")
    assert build_type_tests.FILE.read_text(encoding="utf-8") == build_type_tests.text(), (
        "run python dev/tools/build_type_tests.py"
    )


def _asserted(file: Path) -> set[str]:
    """Return the functions whose results a file asserts the type of."""
    calls = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {
        ast.unparse(node.args[0].func).rpartition(".")[2]
        for node in calls
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "assert_type"
        and isinstance(node.args[0], ast.Call)
    }


def test_every_ranking_name_is_type_checked() -> None:
    asserted = _asserted(Path(__file__)) | _asserted(build_type_tests.FILE)
    assert set(ranking.__all__) - asserted == {"Judged", "StageRecall"}


def test_the_type_decorator_preserves_signatures() -> None:
    """What a measure reads of a function is its own: names, defaults, annotations."""
    for function in (roc_auc, self_information, mae, expected_over_ties, corrected_metric):
        assert inspect.isfunction(function)
        assert inspect.signature(partial(function)).return_annotation == "Any"
