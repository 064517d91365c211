"""An item that stands in a list once more: an error, or taken out as the caller says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics import Evaluation, evaluate, judge

rows = st.lists(st.lists(st.integers(0, 6), max_size=7), min_size=1, max_size=5)
wanted = st.lists(st.sets(st.integers(0, 6)), min_size=5, max_size=5)
ASKED = ["recall@3", "ndcg@5", "average_precision@2"]


def test_duplicates_computed_by_hand():
    recommended = ["A", "A", "B", "A", "C"]
    assert judge(recommended, {"B", "C"}, repeats="drop").gains.tolist() == [0, 1, 1, 0, 0]
    assert judge(recommended, {"B", "C"}, repeats="blank").gains.tolist() == [0, 0, 1, 0, 1]
    assert judge(recommended, {"A"}, repeats="drop").n_returned == 3
    assert judge(recommended, {"A"}, repeats="blank").n_returned == 5
    # What comes up from below the cut counts.
    assert judge(recommended, {"C"}, k=3, repeats="drop").gains.tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="recommends item 'A' twice, at ranks 1 and 2"):
        judge(recommended, {"B"})
    with pytest.raises(ValueError, match="repeats must be one of 'raise', 'drop', 'blank'"):
        judge(recommended, {"B"}, repeats="first")


@given(lists=rows, relevant=wanted)
def test_removing_duplicates_equals_lists_without_duplicates(lists, relevant):
    relevant = relevant[: len(lists)]
    once = [list(dict.fromkeys(row)) for row in lists]
    ours = evaluate(lists, relevant, ASKED, repeats="drop")
    expected = evaluate(once, relevant, ASKED)
    for text in ASKED:
        np.testing.assert_array_equal(ours[text].per_user, expected[text].per_user)
    assert ours.protocol.n_repeats == sum(map(len, lists)) - sum(map(len, once))


@pytest.mark.slow
@given(lists=rows, relevant=wanted)
def test_blanking_duplicates_equals_irrelevant_items(lists, relevant):
    relevant = relevant[: len(lists)]
    other = [
        [item if item not in row[:at] else f"blank {at}" for at, item in enumerate(row)]
        for row in lists
    ]
    named = [[str(item) for item in row] for row in other]
    ours = evaluate(lists, relevant, ASKED, repeats="blank")
    expected = evaluate(named, [{str(item) for item in each} for each in relevant], ASKED)
    for text in ASKED:
        np.testing.assert_array_equal(ours[text].per_user, expected[text].per_user)


def test_batches_and_the_report_count_duplicates():
    lists = {"ann": ["A", "A", "B"], "bob": ["C", "B", "C"], "cem": ["A"]}
    relevant = {user: {"B"} for user in lists}
    known = {"repeats": "drop", "history": {"ann": {"A"}, "bob": {"B", "C"}, "cem": set()}}
    whole = evaluate(lists, relevant, ["recall@2"], **known, candidates="all films")
    parts = Evaluation(["recall@2"], **known)
    for user in lists:
        parts.update({user: lists[user]}, {user: relevant[user]})
    report = parts.report(candidates="all films")
    assert report.protocol == whole.protocol
    assert (whole.protocol.n_repeats, whole.protocol.n_in_history) == (2, 3)
    said = dict(whole.protocol.lines())
    assert said["repeats"] == "2; taken out, and what follows moves up"
    assert said["candidates"] == "all films"
    assert said["in the history"] == "3 items in the history of the user it was recommended to"


def test_unknown_protocol_facts_are_not_printed():
    said = dict(evaluate(["A"], {"A"}, ["recall@1"]).protocol.lines())
    assert not {"repeats", "in the history"} & said.keys()


def test_sampled_and_stated_candidates_are_both_printed():
    protocol = evaluate(["A"], {"A"}, ["recall@1"], sampled=99, candidates="new films").protocol
    assert protocol.candidates == "a sample: the relevant items and 99 others; new films"


def test_frames_take_repeats_and_candidates():
    pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")
    shown = pl.DataFrame({"user": [1, 1], "item": [2, 3], "rank": [1, 2]})
    truth = pl.DataFrame({"user": [1], "item": [2]})
    with pytest.raises(TypeError, match="ties= is for lists and arrays"):
        evaluate(shown, truth, ["recall@1"], ties="order")
    report = evaluate(shown, truth, ["recall@1"], candidates="new films", repeats="drop")
    assert report.protocol.n_repeats == 0
    assert report.protocol.candidates == "new films"
