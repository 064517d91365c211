"""The fast ways give what the plain definitions give, on random input and at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

import recsys_metrics as rm
from recsys_metrics.protocol.candidates import full_ranks
from recsys_metrics.ranking import _auc, _dcg, _full_catalog, _per_list, _rank_scores
from recsys_metrics.ranking._average_precision import _sum_of_precisions_at_hits
from tests.examples import examples


def draw_judged(n, depth, *, n_items=40, highest=4, seed=0):
    rng = np.random.default_rng(seed)
    items = rng.random((n, n_items)).argsort(axis=1)[:, :depth].astype(np.int32)
    table = rng.integers(0, highest + 1, (n, n_items)) * (rng.random((n, n_items)) < 0.3)
    rows, columns = np.nonzero(table)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    return rm.judge(items, (indptr, columns, table[rows, columns]))


@pytest.mark.parametrize("k", [1, 3, 8, 9, 10])
@pytest.mark.parametrize(
    "kernel", [lambda hits: hits.any(axis=1), lambda hits: hits.sum(axis=1), None]
)
def test_kernels_on_hit_patterns_equal_kernels_on_hits(k, kernel):
    judged = draw_judged(5_000, 12)
    kernel = kernel or _sum_of_precisions_at_hits
    assert len(judged) >= 4 << k, "or the patterns would not be used"
    fast = _per_list.over_hits(judged, k, kernel)
    plain = _per_list.over_levels(judged, k, judged._is_relevant, kernel)
    assert (fast == plain).all()


def test_the_lowest_bit_of_a_hit_pattern_is_rank_1():
    judged = rm.Judged.from_gains([[1, 0, 1], [0, 0, 0], [0, 1, 1]])
    assert judged._hit_pattern.tolist() == [0b101, 0, 0b110]


@pytest.mark.parametrize("depth", [0, 1, 7, 8, 16, 20])
def test_patterns_of_every_depth(depth):
    judged = draw_judged(50, depth)
    hits = judged._is_relevant[judged._codes[:, :16]]
    assert (judged._hit_pattern == (hits << np.arange(hits.shape[1])).sum(axis=1)).all()


@given(
    n=st.integers(1, 40),
    k=st.none() | st.integers(1, 30),
    highest=st.integers(1, 6),
    seed=st.integers(0, 1000),
    of=st.sampled_from(["linear", "binary", "exponential"]),
)
@examples(60)
def test_the_ideal_from_counts_equals_the_sorted_ideal(n, k, highest, seed, of):
    judged = draw_judged(n, 10, highest=highest, seed=seed)
    worth = _dcg.compute_gains(judged._levels, of, None)
    fast, plain = (f(judged, k, worth, "log2") for f in (_dcg._best, _dcg._best_in_order))
    np.testing.assert_allclose(fast, plain, rtol=1e-13, atol=0)


def test_many_distinct_grades_use_the_general_algorithm():
    rng = np.random.default_rng(0)
    judged = rm.Judged.from_gains(rng.random((20, 30)))
    assert len(judged._levels) > 32
    np.testing.assert_allclose(rm.ndcg(judged, ideal="list"), rm.ndcg(judged), rtol=1e-13)


def test_judged_items_are_counted_by_level():
    judged = draw_judged(300, 5)
    for row, counts in enumerate(judged._level_counts):
        codes = judged._truth_codes[judged._truth_indptr[row] : judged._truth_indptr[row + 1]]
        assert counts.tolist() == [(codes == code).sum() for code in range(len(judged._levels))]


def a_table(n_users, n_items, *, ties, seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((n_users, n_items)).astype(np.float32)
    if ties:
        table = np.round(table, 1)
    table[rng.random(table.shape) < 0.01] = -np.inf
    return table


@pytest.mark.parametrize("equal", [False, True])
@pytest.mark.parametrize("k", [1, 10, 60])
def test_preselection_by_a_threshold_keeps_the_top_items(equal, k):
    table = a_table(7, 2_000, ties=equal, seed=k)
    seen = [np.sort(np.argsort(-row)[: 5 * u]) for u, row in enumerate(table)]
    most = max(map(len, seen))
    assert _full_catalog.can_prefilter(2_000, k + most) == (k + most <= 125)
    copy = table.copy()
    for row, items in zip(copy, seen, strict=True):
        row[items] = -np.inf
    nothing = np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    plain = _rank_scores._best_of(copy, k, nothing, None)
    assert (rm.rank_from_scores(table, k, exclude=seen) == plain).all()


def test_rows_with_fewer_candidates_than_k():
    table = np.full((2, 2_000), -np.inf)
    table[0, [5, 3]] = 1.0, 2.0
    assert rm.rank_from_scores(table, 4).tolist() == [[3, 5, -1, -1], [-1, -1, -1, -1]]


def test_excluded_items_as_a_table_of_item_numbers():
    table = a_table(6, 1_500, ties=False, seed=1)
    seen = np.random.default_rng(0).integers(0, 1_500, (6, 9))
    as_rows = rm.rank_from_scores(table, 10, exclude=[row.tolist() for row in seen])
    assert (rm.rank_from_scores(table, 10, exclude=seen) == as_rows).all()
    with pytest.raises(ValueError, match="5 entries and scores 6 users"):
        rm.rank_from_scores(table, 10, exclude=seen[:5])


@pytest.mark.parametrize("ties", ["id", "best", "worst", "average"])
def test_ranks_by_comparison_equal_ranks_by_sorting(ties):
    table = np.round(np.random.default_rng(3).standard_normal((4, 1_200)), 1)
    held = [[3, 900], [5], [], [0, 1, 1_199]]
    method = {"id": "ordinal", "best": "min", "worst": "max", "average": "average"}
    expected = []
    for row, items in zip(table, held, strict=True):
        by_rank = rankdata(-row, method=method[ties])
        expected += [by_rank[item] for item in items]
    assert full_ranks(table, held, ties=ties).rank.tolist() == expected


@pytest.mark.parametrize("n_wanted", [0, 1, 12, 24, 25, 700, 1_500])
@pytest.mark.parametrize("equal", [False, True])
def test_auc_of_a_wide_row_equals_auc_by_ranks(n_wanted, equal):
    rng = np.random.default_rng(n_wanted)
    scores = a_table(3, 1_500, ties=equal, seed=n_wanted).astype(np.float64)
    labels = rng.random((3, 1_500)).argsort(axis=1) < n_wanted
    user = np.repeat(np.arange(3), 1_500)
    plain, _, _ = _auc._areas(user, labels.ravel(), scores.ravel(), 3)
    np.testing.assert_array_equal(rm.roc_auc(labels, scores), plain)


def test_errors_in_a_wide_row_name_the_label_and_the_score():
    labels, scores = np.zeros((2, 1_100)), np.zeros((2, 1_100))
    labels[1, 7] = 2
    with pytest.raises(ValueError, match=r"labels\[1107\] is 2;"):
        rm.roc_auc(labels, scores)
    labels[1, 7], scores[1, 9] = 1, np.nan
    with pytest.raises(ValueError, match="score 1109 is NaN"):
        rm.roc_auc(labels, scores)
    scores[1, 9] = 0
    with pytest.raises(ValueError, match="all 1100 labels in row 0 are not relevant"):
        rm.roc_auc(labels, scores, one_class="raise")
