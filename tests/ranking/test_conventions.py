"""Every convention of every metric: a wrong value is named, with what there is to choose from."""

from __future__ import annotations

import inspect
import re
from typing import get_args, get_type_hints

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics.measures import METRICS

JUDGED = rm.judge([["A", "B"], ["C"]], [{"A": 1, "B": 0}, {"D": 2}])
RANKING = {name: m.function for name, m in METRICS.items() if m.family == "accuracy"}


def choices():
    """Yield every convention that is a choice of words, of everything in `ranking`."""
    functions = {name: getattr(rm.ranking, name) for name in rm.ranking.__all__}
    for name, function in functions.items():
        if not inspect.isfunction(function):
            continue
        for convention, hint in get_type_hints(function).items():
            words = get_args(hint)
            if words and all(isinstance(word, str) for word in words):
                yield name, convention, words


CHOICES = list(choices())
ARGUMENTS = {
    "roc_auc": ([0, 1], [0.1, 0.2]),
    "group_auc": ([0, 1], [0.1, 0.2], [0, 0]),
    "fraction_of_concordant_pairs": ([1, 2], [0.1, 0.2]),
    "rank_from_scores": ([[0.1, 0.2]], 1),
    "judge": (["A"], {"A"}),
    "expected_over_ties": (),
    "limited_auc": ([0, 1], [0.1, 0.2], 1),
    "label_ranking_average_precision": ([0, 0], [0.1, 0.2]),
    "coverage_error": ([0, 0], [0.1, 0.2]),
    "ranking_loss": ([0, 0], [0.1, 0.2]),
    "rank_biased_overlap": (["A"], ["A"]),
    "inferred_average_precision": (["A"], {"A": 1}, {"B"}),
    "least_item_promoted": (["A"], ["A"], 1),
    "judge_scores": ([[0, 1]], [[0.1, 0.2]]),
    "discounts": (3,),
}


def call(name, **conventions):
    needed = {"max_grade": 2} if name == "expected_reciprocal_rank" else {}
    if name in ("fall_out", "matthews_correlation"):
        needed = {"n_items": 9}
    if name == "fraction_of_concordant_pairs":
        needed = {"users": [0, 0]}
    if name == "expected_over_ties":
        needed = {"metric": "ndcg", "grades": [[0, 1]], "scores": [[0.1, 0.2]]}
    return getattr(rm, name)(*ARGUMENTS.get(name, (JUDGED,)), **{**needed, **conventions})


def test_more_than_30_options_are_tested():
    assert len(CHOICES) >= 30


@pytest.mark.parametrize(("name", "convention", "words"), CHOICES, ids=str)
def test_an_invalid_option_lists_the_valid_ones(name, convention, words):
    listed = ", ".join(map(repr, words))
    said = f"^{re.escape(f'{convention} must be one of {listed}; got')} 'nonsense'$"
    with pytest.raises(ValueError, match=said):
        call(name, **{convention: "nonsense"})


@pytest.mark.parametrize("name", RANKING)
@pytest.mark.parametrize(("k", "error"), [(0, ValueError), (1.5, TypeError), (True, TypeError)])
def test_k_must_be_a_positive_integer(name, k, error):
    with pytest.raises(error, match="k is how many ranks count"):
        call(name, k=k)


@pytest.mark.parametrize("name", RANKING)
def test_unjudged_lists_raise(name):
    needed = {"max_grade": 2} if name == "expected_reciprocal_rank" else {}
    with pytest.raises(TypeError, match="takes judged lists, not a list; call judge"):
        RANKING[name](["A"], **needed)


@pytest.mark.parametrize("name", RANKING)
def test_users_without_relevant_items_follow_the_option(name):
    nothing = rm.judge({"ann": ["A"], "bob": ["A"]}, {"ann": {"A": 1}, "bob": {"A": 0}})
    alone = rm.judge({"ann": ["A"]}, {"ann": {"A": 1}})
    needed = {"max_grade": 2} if name == "expected_reciprocal_rank" else {}
    metric = RANKING[name]
    for word, value in (("nan", np.nan), ("zero", 0.0), ("one", 1.0)):
        found = metric(nothing, no_relevant=word, **needed)
        np.testing.assert_equal(found[1], value)
        assert found[0] == metric(alone, **needed)[0]
    with pytest.raises(ValueError, match=r"^list 1 \(user 'bob'\) has no relevant item"):
        metric(nothing, no_relevant="raise", **needed)


def test_r_precision_is_cut_at_k_and_the_number_of_relevant_items():
    # Relevant: four. Hits at ranks 1, 3 and 6.
    judged = rm.Judged.from_gains([1, 0, 1, 0, 0, 1], ideal=[1] * 4)
    assert [rm.r_precision(judged, k) for k in (1, 2, 3, 4, 6)] == [0.25, 0.25, 0.5, 0.5, 0.5]
    assert rm.r_precision(judged) == 0.5


@pytest.mark.parametrize("gain", ["exponential", "exponential-from-threshold"])
def test_a_grade_with_an_infinite_gain_raises(gain):
    plays = rm.judge([["a", "b"]], [{"a": 3, "b": 5000}])
    for metric in (rm.dcg, rm.ndcg):
        with pytest.raises(ValueError, match=f"gain='{gain}' raises 2 .* the grade 5000 is too"):
            metric(plays, 2, gain=gain)
        assert np.isfinite(metric(plays, 2)).all()
    high = rm.judge([["a", "b"]], [{"a": 1000, "b": 1000}])
    assert rm.ndcg(high, 1, gain=gain) == 1.0


def test_a_large_max_grade_has_stopping_probabilities():
    plays = rm.judge([["a", "b"]], [{"a": 4999, "b": 5000}])
    # The first satisfies with 1/2, the second with 1, at rank 2.
    assert rm.expected_reciprocal_rank(plays, 2, max_grade=5000) == 0.5 + 0.5 / 2
