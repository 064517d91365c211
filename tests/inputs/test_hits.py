"""What is read of lists, sets and mappings without numbering items is what all other forms give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recsys_metrics as rm
from recsys_metrics._core.inputs.align import align
from recsys_metrics._core.inputs.fingerprint import digests_of, hash_ids
from recsys_metrics._core.inputs.hits import Hits, align_hits
from recsys_metrics._core.inputs.parse_lists import parse_lists
from recsys_metrics._core.inputs.parse_sets import parse_sets
from recsys_metrics._core.inputs.scores import top_rows
from recsys_metrics._core.inputs.ties import in_order_of_scores
from recsys_metrics.ranking._judging import judged_hits, judged_lists
from tests.examples import examples

text = st.sampled_from([*"abcdefgh", "ä", ""])
numbers = st.integers(0, 9)
users = st.sampled_from(["ann", "bob", "cem", "dee"])
scores = st.sampled_from([0.5, 1, 2, 2.0, -3, 1e-9])


def read_hits(recommended, relevant, k: int, ties) -> Hits | None:
    return align_hits(parse_lists(recommended), parse_sets(relevant), k, ties)


def inputs(items):
    """Draw lists or scores, and sets or grades, by user or in an order."""
    rows = st.lists(items, max_size=6, unique=True)
    runs = st.dictionaries(items, scores, max_size=6)
    sets, listed = st.sets(items, max_size=5), st.lists(items, max_size=5, unique=True)
    graded = st.dictionaries(items, st.sampled_from([0, 1, 2, 0.5]), max_size=5)
    by_user = [
        st.tuples(st.dictionaries(users, row, min_size=1), st.dictionaries(users, truth))
        for row in (rows, runs)
        for truth in (sets, listed, graded)
    ]
    in_order = [
        st.lists(st.tuples(row, truth), min_size=1, max_size=4).map(
            lambda pairs: tuple(map(list, zip(*pairs, strict=True)))
        )
        for row in (rows, runs)
        for truth in (sets, listed, graded)
    ]
    return st.one_of(*by_user, *in_order)


@examples(300)
@given(
    given_=inputs(text) | inputs(numbers),
    k=st.integers(1, 7),
    ties=st.sampled_from(["id", "order"]),
)
def test_hits_are_those_of_the_reader_of_all_forms(given_, k, ties):
    try:
        lists, relevant = align(parse_lists(given_[0]), parse_sets(given_[1]), ties=ties, k=k)
    except ValueError:
        with pytest.raises(ValueError, match="no user of recommended is in relevant"):
            read_hits(*given_, k, ties)
        return
    hits = read_hits(*given_, k, ties)
    if hits is None:  # Nothing that tells text from numbers.
        assert not len(relevant.items)
        assert not (lists.items >= 0).any()
        return
    slow, fast = judged_lists(lists, relevant, None), judged_hits(hits, None)
    np.testing.assert_array_equal(fast.gains, slow.gains)
    np.testing.assert_array_equal(fast.ideal, slow.ideal)
    assert (fast.users, fast._cut) == (slow.users, slow._cut)
    for counts in ("n_returned", "n_relevant", "n_nonrelevant"):
        np.testing.assert_array_equal(getattr(fast, counts), getattr(slow, counts))
    np.testing.assert_array_equal(hits.digests, digests_of(relevant, lists.ids))
    assert hits.n_tied([1, k]) == lists.n_tied([1, k])


@examples(200)
@given(
    runs=st.lists(st.dictionaries(st.integers(0, 30), scores | st.floats(-2, 2)), min_size=1),
    k=st.integers(1, 9),
    ties=st.sampled_from(["id", "id-descending", "order"]),
)
def test_the_best_items_are_the_first_of_a_full_sort(runs, k, ties):
    found = top_rows(runs, k, ties)
    expected = [in_order_of_scores(run, ties, "the list")[:k] for run in runs]
    assert [[*row] for row in found.rows()] == expected


@pytest.mark.parametrize(
    "odd",
    [
        {"u": ["a", "b", "a"]},
        {"u": ["a", 1]},
        {"u": ["a", None]},
        {"u": ["a", b"b"]},
        {"u": ["a", ["b"]]},
        {"u": {"a": 0.5, "b": "0.4"}},
        {"u": {"a": 0.5, "b": None}},
        {"u": {"a": 0.5, "b": float("nan")}},
        {"u": {"a": float("inf")}},
        {"u": ["a"], "v": [["a"]]},
    ],
)
def test_what_is_unusual_is_left_to_the_reader_of_all_forms(odd):
    assert read_hits(odd, {"u": {"a"}}, 3, "id") is None


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ({"u": "ab"}, "each user needs a list of ids"),
        ({"u": ("a", "b")}, r"write \['a', 'b'\] if it is one"),
        ({None: ["a"]}, "recommended has the user None"),
    ],
)
def test_a_form_that_no_list_has_is_refused_before_the_relevant_items_are_read(odd, message):
    with pytest.raises((TypeError, ValueError), match=message):
        parse_lists(odd)


def test_whole_numbers_that_floats_do_not_tell_apart_are_sorted_one_by_one():
    runs = {"u": {"a": 2**60, "b": 2**60 + 1}}
    assert top_rows([*runs.values()], 1, "id") is None
    assert rm.judge(runs, {"u": {"b"}}, k=1).gains.tolist() == [[1.0]]


def test_a_list_below_the_cut_off_is_not_looked_at():
    assert rm.judge({"u": ["a", "b", "b"]}, {"u": {"b"}}, k=2).gains.tolist() == [[0.0, 1.0]]
    with pytest.raises(ValueError, match="'b' twice, at ranks 2 and 3"):
        rm.judge({"u": ["a", "b", "b"]}, {"u": {"b"}}, k=3)


def test_lists_of_very_different_lengths_take_no_large_table():
    runs = [dict.fromkeys(range(20_000), 1.0), *({1: 0.5} for _ in range(5_000))]
    assert top_rows(runs, 2, "id") is None


def test_hashes_are_the_same_in_every_process_and_for_every_neighbour():
    alone = [int(hash_ids([each])[0]) for each in ("a", "item 417", "", "ä")]
    assert hash_ids(["a", "item 417", "", "ä"]).tolist() == alone
    assert alone[:2] == [2376879666915547241, 7349158799708416484]  # of another process
    mixed = hash_ids(["a", 3, (1, "b")]).tolist()
    assert mixed[:2] == [alone[0], int(hash_ids([3])[0])]
    assert len({*hash_ids([f"item{n}" for n in range(10_000)]).tolist()}) == 10_000
