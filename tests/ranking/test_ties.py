"""Equal scores: the mean over all orders is that of listing all orders."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import recsys_metrics as rm

METRICS = ["ndcg", "dcg", "precision", "recall", "hit_rate", "reciprocal_rank", "average_precision"]
GAINS = ["linear", "binary", "exponential", "exponential-from-threshold"]


def every_order(grades, scores):
    """Yield the grades in every order that the scores allow."""
    groups = [np.flatnonzero(scores == value) for value in np.unique(scores)[::-1]]
    for orders in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield grades[[index for group in orders for index in group]]


def rows(seed, n=12, width=6):
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, 4, (n, width)) * (rng.random((n, 1)) > 0.1)
    return grades.astype(float), rng.integers(0, 3, (n, width)) / 2


def mean_of_all_orders(name, grades, scores, k, threshold=None, **conventions):
    lists = np.array(list(every_order(grades, scores)))
    judged = rm.Judged.from_gains(lists, threshold=threshold)
    return getattr(rm, name)(judged, k, no_relevant="zero", **conventions).mean()


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("k", [None, 1, 2, 4, 6, 9])
@pytest.mark.parametrize("threshold", [None, 2])
def test_expected_value_equals_the_mean_over_all_orders(name, k, threshold):
    grades, scores = rows(1)
    found = rm.expected_over_ties(name, grades, scores, k, threshold=threshold, no_relevant="zero")
    expected = [
        mean_of_all_orders(name, row, given, k, threshold)
        for row, given in zip(grades, scores, strict=True)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("gain", GAINS)
@pytest.mark.parametrize("discount", ["log2", "log2-from-2", "none"])
def test_every_gain_and_discount_option_equals_the_mean_over_orders(gain, discount):
    grades, scores = rows(2)
    conventions = {"gain": gain, "discount": discount}
    found = rm.expected_over_ties("ndcg", grades, scores, 3, threshold=2, **conventions)
    for row, given, value in zip(grades, scores, found, strict=True):
        if np.isnan(value):
            continue
        expected = mean_of_all_orders("ndcg", row, given, 3, 2, **conventions)
        assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_without_ties_it_equals_the_metric(name):
    rng = np.random.default_rng(3)
    grades, scores = rng.integers(0, 3, (20, 9)), rng.permuted(np.eye(20, 9) * 0 + range(9), axis=1)
    judged = rm.judge_scores(grades, scores)
    expected = getattr(rm, name)(judged, 4)
    np.testing.assert_allclose(rm.expected_over_ties(name, grades, scores, 4), expected, atol=1e-12)


def test_expected_ndcg_equals_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    rng = np.random.default_rng(4)
    grades, scores = rng.integers(0, 5, (1000, 25)), rng.integers(0, 6, (1000, 25))
    for k in (1, 5, 40):
        ours = rm.expected_over_ties("ndcg", grades, scores, k, no_relevant="zero")
        assert ours.mean() == pytest.approx(metrics.ndcg_score(grades, scores, k=k), abs=1e-12)


def test_label_ranking_average_precision_uses_the_worst_rank_of_a_tie():
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    rng = np.random.default_rng(6)
    for _ in range(300):
        labels, scores = rng.integers(0, 2, 8), rng.permutation(8) // 2
        theirs = metrics.label_ranking_average_precision_score([labels], [scores])
        # It gives each relevant item the last rank of its group, and counts the group's others.
        last = {s: (scores >= s).sum() for s in scores}
        hits = {s: ((scores >= s) & (labels == 1)).sum() for s in scores}
        shares = [hits[s] / last[s] for s, label in zip(scores, labels, strict=True) if label]
        assert theirs == pytest.approx(np.mean(shares) if shares else 1)
        worst = rm.judge_scores(labels, scores, ties="worst")
        ours = rm.average_precision(worst, no_relevant="one")
        assert ours <= theirs + 1e-12
        if len(set(scores)) == len(scores) or not labels.any():
            assert ours == pytest.approx(theirs)


@pytest.mark.parametrize("name", METRICS)
def test_expected_value_lies_between_worst_and_best_order(name):
    grades, scores = rows(5)
    for row, given in zip(grades, scores, strict=True):
        orders = np.array(list(every_order(row, given)))
        values = getattr(rm, name)(rm.Judged.from_gains(orders), 3, no_relevant="zero")
        for word, extreme in (("worst", values.min()), ("best", values.max())):
            judged = rm.judge_scores(row, given, ties=word)
            assert getattr(rm, name)(judged, 3, no_relevant="zero") == pytest.approx(extreme)


def test_stable_order_follows_the_input():
    grades, scores = [3, 1, 2], [0.5, 0.9, 0.5]
    assert rm.judge_scores(grades, scores, ties="order").gains.tolist() == [1, 3, 2]
    turned = rm.judge_scores(grades[::-1], scores[::-1], ties="order")
    assert turned.gains.tolist() == [1, 2, 3]


def test_by_default_no_tie_is_resolved_in_favour_of_the_relevant_item():
    candidates, same = [[1, 0, 0, 0, 0]], [[7.0] * 5]
    for turned in (candidates, [candidates[0][::-1]]):
        assert rm.hit_rate(rm.judge_scores(turned, same), 1).tolist() == [0]
        assert rm.reciprocal_rank(rm.judge_scores(turned, same)).tolist() == [0.2]
    with pytest.warns(UserWarning, match="1 of 1 rows has equal scores for all items"):
        rm.rank_from_scores(same, 1)


@pytest.mark.parametrize("k", [1, 3])
def test_rows_of_equal_scores_are_counted_in_a_warning(k):
    scores = np.array([[2.0, 2, 2, 2], [1, 2, 2, 2], [5, 5, 5, 5], [0, 0, 0, 0]])
    with pytest.warns(UserWarning, match=r"3 of 4 rows have equal scores .*ties='random'"):
        lists = rm.rank_from_scores(scores, k)
    assert lists[0].tolist() == list(range(k))
    with pytest.warns(UserWarning, match="4 of 4 rows have"):
        rm.rank_from_scores(scores, k, exclude=[[], [0], [1], []])
    for quiet in ({"ties": "random"}, {"exclude": [[0, 1, 2], [], [], [1, 2, 3]]}):
        assert rm.rank_from_scores(scores, k, **quiet).shape == (4, k)
    # One user in four of whom the model knows nothing is no sign that it learned nothing.
    assert rm.rank_from_scores(np.vstack([scores[:3], [[1, 2, 3, 4]]]), k).shape == (4, k)


def test_one_row_gives_a_float_and_many_an_array():
    assert rm.expected_over_ties("hit_rate", [0, 1], [1, 1], 1) == 0.5
    assert rm.expected_over_ties("hit_rate", [[0, 1]], [[1, 1]], 1).tolist() == [0.5]


def test_a_user_without_relevant_items():
    assert np.isnan(rm.expected_over_ties("dcg", [0, 0], [1, 1]))
    assert rm.expected_over_ties("recall", [0, 0], [1, 1], no_relevant="one") == 1
    with pytest.raises(ValueError, match="no relevant item"):
        rm.expected_over_ties("ndcg", [0, 0], [1, 1], no_relevant="raise")


@pytest.mark.parametrize(
    ("grades", "scores", "message"),
    [
        ([1, 0], [1], r"grades have shape \(2,\) and scores \(1,\)"),
        ([], [], "each candidate needs one of either"),
        ([[1, 0]], [[1, np.nan]], r"the score at \(0, 1\) is NaN"),
        ([1, -1], [1, 2], "a grade is a finite number, 0 or more"),
    ],
)
def test_invalid_rows_raise(grades, scores, message):
    for call in (rm.judge_scores, lambda g, s: rm.expected_over_ties("ndcg", g, s)):
        with pytest.raises(ValueError, match=message):
            call(grades, scores)


def test_a_long_row_of_ties_is_fast():
    grades, scores = np.arange(200_000) % 2, np.zeros(200_000)
    assert rm.expected_over_ties("precision", grades, scores, 7) == pytest.approx(0.5)
