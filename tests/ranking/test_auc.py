"""AUC, per-user AUC and concordant pairs against definitions, scipy-free peers and traps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics import fraction_of_concordant_pairs, group_auc, roc_auc
from tests.examples import examples
from tests.ranking import reference

few = st.integers(-3, 3)
rows = st.lists(st.tuples(st.integers(0, 1), few), min_size=1, max_size=25)
rated = st.lists(st.tuples(st.integers(0, 3), few, few), min_size=1, max_size=25)


def test_auc_of_two_relevant_and_three_other_items():
    assert roc_auc([1, 1, 0, 0, 0], [0.9, 0.6, 0.7, 0.4, 0.3]) == pytest.approx(5 / 6)
    assert roc_auc([1, 1, 0, 0], [0.8, 0.5, 0.6, 0.3]) == 0.75


def test_ties_count_one_half_and_negative_scores_are_valid():
    assert roc_auc([1, 1, 0, 0, 0], [0.5] * 5) == 0.5
    assert roc_auc([1, 0], [-1, -2]) == 1.0
    assert roc_auc([1, 0], [0, -2]) == 1.0


def test_labels_of_one_class_are_nan_or_raise():
    assert math.isnan(roc_auc([1, 1], [0.3, 0.4]))
    with pytest.raises(ValueError, match="all 2 labels are relevant"):
        roc_auc([1, 1], [0.3, 0.4], one_class="raise")
    with pytest.raises(ValueError, match="all 2 labels in row 1 are not relevant"):
        roc_auc([[1, 0], [0, 0]], [[0.3, 0.4], [1, 2]], one_class="raise")


@examples(200)
@given(rows)
def test_auc_equals_the_share_of_pairs(cases):
    labels, scores = zip(*cases, strict=True)
    np.testing.assert_allclose(roc_auc(labels, scores), reference.roc_auc(labels, scores))


def test_a_table_of_users_equals_its_rows():
    rng = np.random.default_rng(1)
    labels, scores = rng.integers(0, 2, (40, 12)), rng.integers(0, 5, (40, 12))
    alone = [roc_auc(row, score) for row, score in zip(labels, scores, strict=True)]
    np.testing.assert_array_equal(roc_auc(labels, scores), alone)


def test_group_auc_weights():
    labels = [1, 0, 0, 1, 0, 1, 1]
    scores = [0.9, 0.8, 0.95, 0.2, 0.3, 0.5, 0.6]
    users = ["a", "a", "a", "b", "b", "c", "c"]
    # a: 1 of 2 pairs, b: 0 of 1, c has no pair.
    assert group_auc(labels, scores, users) == pytest.approx(3 * 0.5 / 5)
    assert group_auc(labels, scores, users, weights="positives") == pytest.approx(0.25)
    assert group_auc(labels, scores, users, weights="users") == pytest.approx(0.25)
    assert math.isnan(group_auc([1, 1], [1, 2], ["a", "a"]))


def test_group_auc_ignores_the_scale_between_users():
    labels, users = [1, 0, 1, 0], [0, 0, 1, 1]
    assert roc_auc(labels, [2, 1, 20, 10]) == 0.75
    assert group_auc(labels, [2, 1, 20, 10], users) == 1.0


def test_fcp_of_the_documents_example():
    # A over B over C is wanted, B A C is shown: only A-B is turned round.
    assert fraction_of_concordant_pairs([3, 2, 1], [2, 3, 1]) == pytest.approx(2 / 3)


@examples(200)
@given(
    rated,
    st.sampled_from(["pairs", "users"]),
    st.sampled_from(["worst", "average", "best"]),
    st.booleans(),
)
def test_fcp_equals_the_list_of_pairs(cases, pooling, ties, count_tied):
    users, preference, scores = zip(*cases, strict=True)
    np.testing.assert_allclose(
        fraction_of_concordant_pairs(
            preference, scores, users=users, pooling=pooling, ties=ties, count_tied=count_tied
        ),
        reference.fraction_of_concordant_pairs(
            preference, scores, users, pooling, ties, count_tied
        ),
    )


def test_fcp_of_many_items_agrees_with_the_number_of_inversions():
    rng = np.random.default_rng(2)
    n = 2000
    preference, scores = rng.permutation(n), rng.permutation(n)
    order = np.argsort(scores)
    later_is_liked_more = np.triu(preference[order][None, :] > preference[order][:, None], 1).sum()
    assert fraction_of_concordant_pairs(preference, scores) == later_is_liked_more / (
        n * (n - 1) / 2
    )


def test_fcp_with_users_pooled_or_averaged():
    # One user with three right pairs, one with a single wrong pair.
    preference, scores, users = [3, 2, 1, 2, 1], [3, 2, 1, 1, 2], [0, 0, 0, 1, 1]
    assert fraction_of_concordant_pairs(preference, scores, users=users) == 0.75
    assert fraction_of_concordant_pairs(preference, scores, users=users, pooling="users") == 0.5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: roc_auc([1, 0], [0.5]), r"labels have shape \(2,\) and scores \(1,\)"),
        (lambda: roc_auc([1, 2], [0.5, 0.1]), r"labels\[1\] is 2; it must be 0 or 1"),
        (lambda: roc_auc([1, 0], [0.5, math.nan]), "score 1 is NaN"),
        (lambda: roc_auc(1, 0.5), "one or two axes"),
        (lambda: roc_auc([1, 0], [1, 2], one_class="half"), "one_class must be one of"),
        (lambda: group_auc([1, 0], [1, 2], ["a"]), "must be of one length"),
        (lambda: group_auc([1, 0], [1, 2], ["a", "b"], weights="clicks"), "weights must be one of"),
        (lambda: fraction_of_concordant_pairs([1, 2], [1]), "must be of one length"),
        (lambda: fraction_of_concordant_pairs([1, math.inf], [1, 2]), r"preference\[1\] is inf"),
        (
            lambda: fraction_of_concordant_pairs([1, 2], [1, 2], pooling="all"),
            "pooling must be one of",
        ),
        (lambda: fraction_of_concordant_pairs([1, 2], [1, 2], ties="win"), "ties must be one of"),
    ],
)
def test_invalid_arguments_raise(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_without_a_pair_fcp_is_nan():
    assert math.isnan(fraction_of_concordant_pairs([1, 1], [1, 2]))
    assert math.isnan(fraction_of_concordant_pairs([2, 1], [1, 1], count_tied=False))
    assert fraction_of_concordant_pairs([2, 1], [1, 1]) == 0.0
    assert fraction_of_concordant_pairs([2, 1], [1, 1], ties="average") == 0.5
