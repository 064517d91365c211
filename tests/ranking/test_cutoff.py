"""A cut handed on: lists judged down to rank k, and what may be asked of them then."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import recsys_metrics as rm
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
            with pytest.raises(ValueError, match="'listed' looks at whole lists; call judge"):
                metric(cut, k, no_relevant="zero")
        else:
            expected = metric(whole, k, no_relevant="zero")
            assert metric(cut, k, no_relevant="zero").tolist() == expected.tolist(), label(metric)
        for more, words in ((k + 1, f"k={k + 1} looks further"), (None, "without k whole lists")):
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
        if each != "catalog_coverage@4":
            assert report[each].values.tolist() == beside[each].values.tolist()
    assert report.protocol.lengths == beside.protocol.lengths == (0, 5)
