"""Rank-biased overlap, limited AUC and mean percentile rank, against their plain definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recsys_metrics as rm
from recsys_metrics.protocol.candidates import full_ranks
from tests.examples import examples

rankings = st.lists(st.integers(0, 12), max_size=10, unique=True)
patience = st.floats(0.05, 0.95)


def overlap_share(one, other, depth):
    return len(set(one[:depth]) & set(other[:depth])) / depth


def define_plainly(one, other, p, rest):
    deepest = max(len(one), len(other))
    weights = [(1 - p) * p ** (d - 1) for d in range(1, deepest + 1)]
    seen = sum(w * overlap_share(one, other, d) for d, w in enumerate(weights, start=1))
    if rest == "disjoint":
        common = len({*one} & {*other})
        below = range(deepest + 1, deepest + 3000)
        return seen + sum((1 - p) * p ** (d - 1) * common / d for d in below)
    if rest != "extrapolate":
        return seen / (sum(weights) if rest == "normalize" else 1)
    # Endlessly far: a list that ended goes on to agree as it did at its end.
    short, long = sorted((one, other), key=len)
    n, m = len(short), len(long)
    if not n:
        return 0.0
    total, at_end = 0.0, overlap_share(short, long, n)
    for d in range(1, 3000):
        if d <= n:
            agreement = overlap_share(one, other, d)
        else:
            known = len(set(short) & set(long[: min(d, m)]))
            agreement = (known + at_end * (min(d, m) - n)) / min(d, m)
        total += (1 - p) * p ** (d - 1) * agreement
    return total


@examples(150)
@given(one=rankings, other=rankings, p=patience)
def test_overlap_equals_its_definition(one, other, p):
    for rest in ("extrapolate", "disjoint", "nothing", "normalize"):
        found = rm.rank_biased_overlap(one, other, p=p, rest=rest)
        if not one and not other:
            assert math.isnan(found)
            continue
        assert found == pytest.approx(define_plainly(one, other, p, rest), abs=1e-9)
        assert -1e-12 <= found <= 1 + 1e-12
        assert found == pytest.approx(rm.rank_biased_overlap(other, one, p=p, rest=rest))


@pytest.mark.parametrize(("n", "least"), [(1, 0.256), (3, 0.523), (10, 0.856)])
def test_the_least_overlap_of_equal_lists(n, least):
    """By the closed form of Webber, Moffat and Zobel, equation 11."""
    items, p = [*range(n)], 0.9
    powers = sum((d - n) * p**d / d for d in range(1, n + 1))
    closed = (1 - p) / p * (powers - n * math.log(1 - p))
    found = rm.rank_biased_overlap(items, items, p=p, rest="disjoint")
    assert found == pytest.approx(closed) == pytest.approx(least, abs=5e-4)


def test_equal_lists_agree_and_disjoint_ones_do_not():
    assert rm.rank_biased_overlap([*"ABC"], [*"ABC"]) == pytest.approx(1)
    assert rm.rank_biased_overlap([*"ABC"], [*"XYZ"]) == 0
    assert rm.rank_biased_overlap([*"ABC"], [*"ABC"], p=0.5, rest="nothing") == 1 - 0.5**3
    assert rm.rank_biased_overlap([*"ABX"], [*"ABY"], 2) == pytest.approx(1)


@pytest.mark.parametrize(
    ("one", "other", "how", "error", "message"),
    [
        (["A", "A"], ["B"], {}, ValueError, "the list of one contains item 'A' twice"),
        ([["A"]], [["B"], ["C"]], {}, ValueError, "one has 1 lists and other 2"),
        ([["A"]], ["B"], {}, TypeError, "must both be one list of ids"),
        ("AB", ["A"], {}, TypeError, "one is the single id 'AB', not a list"),
        (["A"], ["A"], {"p": 1}, ValueError, "between 0 and 1, both excluded; got 1"),
        (["A"], ["A"], {"k": 0}, ValueError, "k is how many ranks count"),
    ],
)
def test_invalid_rankings_raise(one, other, how, error, message):
    with pytest.raises(error, match=message):
        rm.rank_biased_overlap(one, other, **how)


def plain_limited_auc(labels, scores, k):
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    shown = set(order[:k])
    level = [scores[i] if i in shown else -math.inf for i in range(len(scores))]
    pairs = [
        1.0 if level[i] > level[j] else 0.5 if level[i] == level[j] else 0.0
        for i, good in enumerate(labels)
        if good
        for j, bad in enumerate(labels)
        if not bad
    ]
    return sum(pairs) / len(pairs) if pairs else math.nan


def test_limited_auc_equals_its_definition():
    rng = np.random.default_rng(0)
    for _ in range(300):
        labels = rng.integers(0, 2, 9)
        scores = rng.integers(-3, 4, 9) / 2
        for k in (1, 3, 9, 20):
            found = rm.limited_auc(labels, scores, k, ties="order")
            np.testing.assert_allclose(found, plain_limited_auc(labels, scores, k))
        np.testing.assert_equal(rm.limited_auc(labels, scores, 9), rm.roc_auc(labels, scores))


def test_limited_auc_without_a_hit_is_below_one_half():
    assert rm.limited_auc([0, 0, 1, 0], [4, 3, 2, 1], 2) == pytest.approx(0.5 / 3)
    assert rm.limited_auc([[0, 1], [1, 0]], [[2, 1], [2, 1]], 1).tolist() == [0, 1]


def test_limited_auc_needs_a_cutoff():
    with pytest.raises(TypeError, match=r"k is how many ranks are shown.*got None"):
        rm.limited_auc([0, 1], [1, 2], None)
    with pytest.raises(ValueError, match="score 1 is NaN"):
        rm.limited_auc([0, 1], [1, math.nan], 1)


def test_mean_percentile_rank_by_hand():
    assert rm.mean_percentile_rank([1, 1], 5) == 0
    assert rm.mean_percentile_rank([5], 5) == 1
    assert rm.mean_percentile_rank([1, 5, 3], 5) == 0.5
    assert rm.mean_percentile_rank([1, 2], [3, 2], weights=[3, 1]) == 0.25
    rng = np.random.default_rng(0)
    ranks = full_ranks(rng.random((4000, 20)), [[i % 20] for i in range(4000)]).rank
    assert rm.mean_percentile_rank(ranks, 20) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("ranks", "n", "weights", "message"),
    [
        ([], 3, None, "one row of ranks with a weight each"),
        ([1], 3, [1, 2], "one row of ranks with a weight each"),
        ([1, 4], 3, None, "rank 1 is 4 of 3 candidates"),
        ([0], 3, None, "rank 0 is 0 of 3 candidates"),
        ([1], 1, None, "which is 2 or more"),
        ([1], 3, [-1], "weights are finite, 0 or more, and not all 0"),
        ([1], 3, [0], "weights are finite, 0 or more, and not all 0"),
    ],
)
def test_invalid_ranks_raise(ranks, n, weights, message):
    with pytest.raises(ValueError, match=message):
        rm.mean_percentile_rank(ranks, n, weights=weights)
