"""Labels, keys and scores that a type or a float makes equal, or different, without a word."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

import recsys_metrics as rm
from recsys_metrics import beyond_accuracy, calibration, convert, ranking, rating
from recsys_metrics.evaluation import hypervolume, pareto_front
from recsys_metrics.protocol import candidates, judges, online, repeat_explore, significance

THIRD = Fraction(1, 3)
WIDER = np.finfo(np.longdouble).nmant > 52
LONG = [np.longdouble(1), np.longdouble(1) + np.longdouble(1e-18)]
SAME_AS_FLOATS = {
    "fractions": [THIRD, THIRD + Fraction(1, 10**20)],
    "decimals": [Decimal("0.1"), Decimal("0.1000000000000000000001")],
    "a fraction and a float": [0.5, Fraction(1, 2) + Fraction(1, 10**20)],
}
if WIDER:
    SAME_AS_FLOATS |= {"longdouble": np.array(LONG), "a list of longdouble": LONG}

# Labels and keys --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("human", "machine"),
    [
        ([1.0, 0.0], ["1", "0"]),
        ([1, 0], ["1", "0"]),
        ([1, 0], ["1.0", "0.0"]),
        (["1", "0"], np.array([1, 0])),
        ([b"1", b"0"], ["1", "0"]),
        ([True, False], ["True", "False"]),
        (np.array([1, 0]), np.array(["1", "0"], dtype=object)),
    ],
)
def test_raters_whose_labels_only_look_equal_are_refused(human, machine):
    for function in (judges.cohen_kappa, judges.agreement):
        with pytest.raises(ValueError, match=r"human has the label .* never match. If they are"):
            function([*human] * 10, [*machine] * 10)


def test_raters_with_labels_of_other_types_are_refused():
    with pytest.raises(TypeError, match="give both raters the same labels of one type"):
        judges.cohen_kappa(["yes", "no"], [1, 0])


def test_equal_labels_of_other_types_stay_equal():
    assert judges.cohen_kappa([1, 0], [1.0, 0.0]) == judges.cohen_kappa([True, False], [1, 0]) == 1
    assert judges.cohen_kappa(np.array(["a", "b"]), ["a", "b"]) == 1


@pytest.mark.parametrize("key", ["1", b"a", "2.0"])
def test_mappings_whose_keys_only_look_equal_are_refused(key):
    own = {"1": 1, b"a": "a", "2.0": 2}[key]
    with pytest.raises(ValueError, match=r"target has the genre .* recommended the genre"):
        beyond_accuracy.genre_calibration({own: 0.5, "x": 0.5}, {key: 0.5, "x": 0.5})
    for relevant, met in (
        ({own}, {key}),
        ([{own}], [{key}]),
        ({"u": {own}}, {"u": {key}}),
        ({"u": {own: 2}}, {"u": [key]}),
    ):
        with pytest.raises(ValueError, match=r"relevant has the item .* history the item"):
            repeat_explore(relevant, met)
    for unseen in ("one", "drop"):
        with pytest.raises(ValueError, match=r"lists has the item|the lists has|item_counts"):
            beyond_accuracy.self_information([[own]], {key: 3}, 10, unseen=unseen)
    with pytest.raises(ValueError, match=r"recommended has the user .* training the user"):
        beyond_accuracy.category_shares({own: ["i"]}, {key: ["i"]}, {"i": "c"}, per="list")


def test_users_that_are_bytes_on_one_side_are_refused():
    with pytest.raises(ValueError, match=r"a bytes and a str, which never match.*turn the ids of"):
        rm.evaluate({b"u": [1]}, {"u": {1}}, ["ndcg@1"])


def test_mappings_with_other_keys_are_no_lookalikes():
    assert beyond_accuracy.genre_calibration({1: 0.5, 2: 0.5}, {3: 0.5, 4: 0.5}) > 6
    assert beyond_accuracy.genre_calibration({1: 0.5, 2: 0.5}, {1.0: 0.5, 2.0: 0.5}) == 0
    assert repeat_explore({1, "x"}, {1, "y"}).repeat == {1}


# Scores -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scores", SAME_AS_FLOATS.values(), ids=SAME_AS_FLOATS)
@pytest.mark.parametrize(
    "function",
    [
        lambda scores: rm.roc_auc([1, 0], scores),
        lambda scores: ranking.group_auc([1, 0], scores, ["u", "u"]),
        lambda scores: ranking.rank_from_scores(scores, 1),
        lambda scores: pareto_front([[score] for score in scores]),
        lambda scores: candidates.full_ranks(scores, [1]),
        lambda scores: rating.correlation(scores, [1, 2], kind="spearman"),
        lambda scores: online.mann_whitney(scores, [1, 2, 3]),
        lambda scores: online.mann_whitney(scores[:1], scores[1:]),
        lambda scores: calibration.IsotonicCalibration().fit(scores, [0, 1]),
    ],
)
def test_scores_that_are_one_as_a_float_are_refused(function, scores):
    with pytest.raises(ValueError, match=r"two different numbers that are one as a float"):
        function(scores)


@pytest.mark.parametrize(
    "scores",
    [
        [THIRD, Fraction(1, 4)],
        [Decimal("0.1"), Decimal("0.05")],
        [Fraction(1, 2), 0.5, Decimal("0.5"), 0.25],
        np.array([0.1, 0.05, 0.1], np.longdouble),
    ],
)
def test_scores_of_other_types_that_floats_tell_apart_are_read(scores):
    labels = [1] * (len(scores) - 1) + [0]
    expected = rm.roc_auc(labels, [float(score) for score in scores])
    assert rm.roc_auc(labels, scores) == expected


@pytest.mark.parametrize("pair", SAME_AS_FLOATS.values(), ids=SAME_AS_FLOATS)
def test_scores_by_item_are_compared_exactly(pair):
    scores = {"u": {"a": pair[0], "b": pair[1], "c": 0.0 if pair[0] < 1 else 0}}
    if isinstance(pair[0], Decimal):
        scores["u"]["c"] = Decimal(0)
    assert convert.lists_from_scores(scores)["u"] == ["b", "a", "c"]
    found = rm.evaluate(scores, {"u": {"b"}}, ["precision@1"])
    assert found["precision@1"].value == 1


def test_a_longdouble_that_is_no_number_is_no_score():
    with pytest.raises(ValueError, match="a score is a finite number"):
        convert.lists_from_scores({"u": {"a": np.longdouble("inf"), "b": np.longdouble(1)}})
    assert convert.lists_from_scores({"u": {"a": np.longdouble(1)}})["u"] == ["a"]


@pytest.mark.parametrize(
    "test", [significance.win_tie_loss, significance.wilcoxon, significance.paired_t_test]
)
def test_paired_whole_numbers_that_are_one_as_a_float_are_refused(test):
    with pytest.raises(ValueError, match="whole numbers with more digits than a float stores"):
        test([2**53, 1, 2], [2**53 + 1, 1, 3])


LARGE = 2**60
KINDS_OF_WHOLE_NUMBERS = {
    "list": list,
    "numpy": np.array,
    "unsigned": lambda values: np.array(values, np.uint64),
    "beyond 64 bits": lambda values: [value * 2**20 + 1 for value in values],
    "pandas": pd.Series,
    "pandas with gaps": lambda values: pd.Series(values, dtype="Int64"),
    "polars": pl.Series,
}


@pytest.mark.parametrize("kind", KINDS_OF_WHOLE_NUMBERS.values(), ids=KINDS_OF_WHOLE_NUMBERS)
@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: pareto_front(np.column_stack([a, b]).tolist()),
        lambda a, b: hypervolume([[1, 2]], reference=b[:2]),
        lambda a, b: significance.sign_test(a, b),
        lambda a, b: significance.win_tie_loss(a, b),
        lambda a, b: significance.paired_t_test(a, b),
        lambda a, b: significance.wilcoxon(a, b),
        lambda a, b: significance.t_interval(a),
        lambda a, b: significance.mean_interval(a),
        lambda a, b: significance.bootstrap_interval(a),
        lambda a, b: significance.friedman({"a": a, "b": b, "c": a}),
        lambda a, b: online.dwell_time(a, b),
        lambda a, b: online.trimmed_mean(a),
        lambda a, b: online.ab_test(a, b),
    ],
)
def test_whole_numbers_that_no_float_tells_apart_are_refused(function, kind):
    a, b = kind([LARGE + 1, LARGE + 3, LARGE + 5]), kind([LARGE + 7, LARGE + 10, LARGE + 12])
    with pytest.raises(ValueError, match=r"than a float stores|that are one as a float"):
        function(a, b)


def test_rows_of_a_bootstrap_are_read_as_values_are():
    rows = np.array([[LARGE + 1, 1], [LARGE + 2, 1]])
    with pytest.raises(ValueError, match=r"values contains whole numbers with more digits than"):
        significance.bootstrap_interval(rows, statistic=lambda own: float(own.mean()))


def test_large_whole_numbers_that_are_floats_are_values():
    assert significance.t_interval([LARGE, LARGE * 2]).estimate == LARGE * 1.5
    assert online.dwell_time(LARGE, LARGE * 2) == LARGE
