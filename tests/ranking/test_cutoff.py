"""A cut handed on: lists judged down to rank k, and what may be asked of them then."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import recsys_metrics as rm
from dev.tools.build_measure_texts import REFUSED, means, saved
from recsys_metrics import Evaluation, Measure, evaluate, judge
from tests.examples import examples
from tests.ranking.test_identities import METRICS, label, users

LETTERS, WANTED = ["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}


def test_truncated_lists_computed_by_hand():
    judged = judge(LETTERS, WANTED, k=2)
    assert judged.gains.tolist() == [0, 1]
    assert (judged.n_returned, judged.n_relevant) == (5, 4)
    assert rm.precision(judged, 2) == 0.5
    assert rm.recall(judged, 2) == 0.25
    assert rm.precision(judged, 1) == 0
    assert repr(judged) == "Judged(○ ● …; 4 relevant)"
    many = judge({"ann": LETTERS, "bob": ["B"]}, {"ann": WANTED, "eve": {"A"}}, k=2)
    assert many.n_returned.tolist() == [5, 1, 0]
    assert many.gains.tolist() == [[0, 1], [0, 0], [0, 0]]
    assert repr(many) == "Judged(3 lists of up to 5, down to rank 2)"


def whole_and_cut(cases, k, form):
    lists, truths = [[*each] for each, _ in cases], [truth for _, truth in cases]
    if form == "table":
        # An empty slot inside a list, where a rank stays used.
        wide = max(map(len, lists), default=0) + 2
        table = np.full((len(lists), wide), -1)
        for row, items in enumerate(lists):
            table[row, [*range(len(items) - 1), len(items)][: len(items)]] = items
        indptr = np.cumsum([0, *map(len, truths)])
        flat = [pair for truth in truths for pair in truth.items()]
        items, grades = np.array(flat, dtype=int).reshape(-1, 2).T
        lists, truths = table, sparse.csr_array((grades, items, indptr), shape=(len(lists), 16))
    elif form == "scores":
        lists = {row: {x: -at for at, x in enumerate(items)} for row, items in enumerate(lists)}
        truths = dict(enumerate(truths))
    return judge(lists, truths), judge(lists, truths, k=k)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["lists", "table", "scores"])
@examples(15)
@given(cases=users, k=st.integers(1, 14))
def test_metrics_of_truncated_lists_equal_full_lists_or_raise(form, cases, k):
    whole, cut = whole_and_cut(cases, k, form)
    assert cut.n_returned.tolist() == whole.n_returned.tolist()
    deeper = bool((whole.n_returned > k).any())
    for metric in METRICS:
        listed = "listed" in metric.keywords.values()
        if deeper and listed:
            with pytest.raises(ValueError, match="'listed' needs whole lists; call judge"):
                metric(cut, k, no_relevant="zero")
        else:
            expected = metric(whole, k, no_relevant="zero")
            assert metric(cut, k, no_relevant="zero").tolist() == expected.tolist(), label(metric)
        for more, words in (
            (k + 1, f"k={k + 1} needs deeper ranks"),
            (None, "without k whole lists"),
        ):
            if deeper:
                with pytest.raises(ValueError, match=f"down to rank {k}, and {words}"):
                    metric(cut, more, no_relevant="zero")
            else:
                expected = metric(whole, more, no_relevant="zero")
                assert metric(cut, more, no_relevant="zero").tolist() == expected.tolist()


def test_items_below_the_cutoff_are_counted_but_not_checked():
    lists = [["A", "B", "A"], ["B", "A", ["no id"]]]
    assert judge(lists, [{"A"}, {"A"}], k=2).n_returned.tolist() == [3, 3]
    with pytest.raises(ValueError, match="item 'A' twice, at ranks 1 and 3"):
        judge(lists[:1], [{"A"}], k=3)
    table = np.array([[0, 1, 0], [1, 0, 1]])
    assert rm.recall(judge(table, [{0}, {0}], k=2), 2).tolist() == [1, 1]
    report = evaluate(table, [{0}, {0}], ["recall@1", "coverage@2"], catalog=2)
    assert report.protocol.lengths == (3, 3)


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "10"])
def test_the_cutoff_must_be_a_positive_integer(k):
    with pytest.raises((TypeError, ValueError), match=r"k is how many ranks count|k must"):
        judge(LETTERS, WANTED, k=k)


def gain_of_first(judged):
    return judged.gains[:, 0]


def gain_to_the_end(judged, k):
    return judged.gains.sum(axis=1)


@pytest.mark.parametrize(
    ("measures", "depth"),
    [
        (["ndcg@2", "recall@3"], 3),
        (["ndcg@2", "coverage@4"], 4),
        (["ndcg@2", "recall"], None),
        (["ndcg(ideal=listed)@2"], None),
        (["ndcg(ideal=list)@2"], 2),
        (["recall(denominator=listed)@2"], None),
        (["average_precision(denominator=listed)@2"], None),
        ([Measure.of(gain_of_first).at(3)], 3),
        ([Measure.of(gain_to_the_end, bounds=(0, 9)).at(1)], None),
    ],
    ids=str,
)
def test_evaluate_reads_lists_down_to_the_largest_cutoff(measures, depth):
    lists = {"ann": LETTERS, "bob": [*"GFEDC"], "cem": ["A"]}
    wanted = {"ann": {"B": 2, "E": 1}, "bob": {"G": 1, "D": 3}, "cem": {"C": 1}, "dee": {"A": 1}}
    context = {"catalog": [*"ABCDEFG"]}
    assert Evaluation(measures, **context)._settings.depth == depth
    report = evaluate(lists, wanted, measures, **context)
    # Asked for whole lists beside them, nothing is cut.
    beside = evaluate(lists, wanted, [*measures, "reciprocal_rank"], **context)
    for each in report:
        assert report[each].mean == beside[each].mean
        if each != "coverage@4":
            assert report[each].values.tolist() == beside[each].values.tolist()
    assert report.protocol.lengths == beside.protocol.lengths == (0, 5)


@pytest.mark.parametrize("ranked", [True, False], ids=["lists", "scores"])
@pytest.mark.parametrize("text", ["ndcg", "ndcg(gain=exponential)", "recall", "reciprocal_rank"])
def test_memory_grows_with_the_lists_and_not_with_the_cutoff(text, ranked):
    lists = {"ann": LETTERS, "bob": ["B"], "cem": ["G", "B"]}
    if not ranked:
        lists = {user: {item: -at for at, item in enumerate(row)} for user, row in lists.items()}
        # Of equal scores, and none at all.
        lists |= {"dee": dict.fromkeys("ECB", 0.5), "eve": {}}
    wanted = {user: {"B": 1, "E": 3, "G": 2} for user in lists}
    small = evaluate(lists, wanted, [f"{text}@10"])[f"{text}@10"]
    tracemalloc.start()
    try:
        large = evaluate(lists, wanted, [f"{text}@10000000"])[f"{text}@10000000"]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert large.per_user.tolist() == small.per_user.tolist()
    assert peak < 8e6


def test_precision_at_each_prefix_beyond_the_list_needs_no_table_of_ranks():
    judged = judge(LETTERS, WANTED)
    for k in (5, 6, 7, 5000, 100_000):
        hits = np.isin(np.arange(1, k + 1), [2, 3, 5])
        expected = float((np.cumsum(hits) / np.arange(1, k + 1)).mean())
        found = rm.average_precision(judged, k, denominator="prefixes")
        assert found == pytest.approx(expected, rel=1e-12)
    tracemalloc.start()
    try:
        rm.average_precision(judged, 10**7, denominator="prefixes")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8e6


def peak_of(compute):
    """Return a value and the memory that it took."""
    compute()  # what is imported on first use is no memory of the value
    tracemalloc.start()
    try:
        value = compute()
        return value, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("text", [t for t in saved() if "@3" in t and saved()[t] != REFUSED])
def test_no_measure_needs_memory_for_ranks_that_no_list_has(text):
    deep = text.replace("@3", f"@{10**9}")
    _, peak = peak_of(lambda: means([deep]))
    assert peak < 4e6


@pytest.mark.parametrize("k", [1, 2, 65_536, 65_537, 200_000])
@pytest.mark.parametrize(
    ("discount", "denominators"),
    [
        ("log2", lambda ranks: np.log2(ranks + 1)),
        ("log2-from-2", lambda ranks: np.log2(np.maximum(ranks, 2))),
        ("none", np.ones_like),
        (np.sqrt, np.sqrt),
        (np.arange(1.0, 200_001), lambda ranks: ranks),
    ],
    ids=["log2", "log2-from-2", "none", "function", "table"],
)
def test_the_ideal_of_k_items_of_gain_1_is_the_sum_of_the_discounts(k, discount, denominators):
    ranks = np.arange(1.0, k + 1)
    expected = math.fsum(1 / denominators(ranks))
    judged = judge(["B"], {"B"})
    found = 1 / rm.ndcg(judged, k, discount=discount, ideal="full")
    first = float(denominators(np.array([1.0]))[0])
    assert found == pytest.approx(expected * first, rel=1e-13)


def test_the_ideal_of_k_items_reads_a_discount_in_blocks_and_still_checks_all_of_it():
    judged = judge(["B"], {"B"})
    _, peak = peak_of(lambda: rm.ndcg(judged, 10**6, discount=np.sqrt, ideal="full"))
    assert peak < 4e6
    falls = np.r_[np.full(65_536, 2.0), np.ones(9)]
    with pytest.raises(ValueError, match="discount of rank 65537 is 1; it is less than at the ran"):
        rm.ndcg(judged, 65_540, discount=falls, ideal="full")
    with pytest.raises(ValueError, match="ranks 1 to 65545, and there is the rank 65546"):
        rm.ndcg(judged, 10**9, discount=np.sort(falls), ideal="full")
