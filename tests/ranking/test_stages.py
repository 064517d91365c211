"""Recall after each stage: by hand, by sets, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recsys_metrics as rm
from recsys_metrics import stage_recall
from tests.examples import examples

RETRIEVED = {"ann": ["A", "B", "C", "D"], "bob": ["E", "F"], "cem": ["G"]}
SHOWN = {"ann": ["B", "A"], "bob": ["F"], "cem": []}
RELEVANT = {"ann": {"A", "C"}, "bob": {"F", "G", "H"}, "cem": set()}


def test_two_stages_by_hand():
    found = stage_recall({"retrieval": RETRIEVED, "ranking": SHOWN}, RELEVANT)
    assert found.names == ("retrieval", "ranking")
    assert found.users == ("ann", "bob", "cem")
    assert found.n_relevant.tolist() == [2, 3, 0]
    assert found.n_items.tolist() == [[4, 2, 1], [2, 1, 0]]
    assert found.hits.tolist() == [[2, 1, 0], [1, 1, 0]]
    nan = np.nan
    np.testing.assert_allclose(found.recall, [[1, 1 / 3, nan], [1 / 2, 1 / 3, nan]])
    np.testing.assert_allclose(found.conditional_recall, [[1, 1 / 3, nan], [1 / 2, 1, nan]])
    np.testing.assert_allclose(found.lost, [[0, 2 / 3, nan], [1 / 2, 0, nan]])


def test_the_table_has_the_means_over_users_with_a_value():
    stages = {"retrieval": RETRIEVED, "ranking": SHOWN}
    lines = str(stage_recall(stages, RELEVANT)).splitlines()
    assert [line.split() for line in lines] == [
        ["Stage", "Items", "Recall", "Conditional", "Lost"],
        ["retrieval", "2.3", "0.667", "0.667", "0.333"],
        ["ranking", "1.0", "0.417", "0.750", "0.250"],
    ]
    frame = stage_recall(stages, RELEVANT).to_frame(backend="pandas")
    assert frame["lost"].tolist() == pytest.approx([1 / 3, 1 / 4])


LISTS = st.lists(st.permutations(range(12)), min_size=1, max_size=6)


@given(LISTS, st.data())
@examples(100)
def test_every_quotient_is_that_of_sets(lists, data):
    cuts = sorted(
        data.draw(st.lists(st.integers(0, 12), min_size=1, max_size=4)),
        reverse=True,
    )
    relevant = [data.draw(st.sets(st.integers(0, 15), max_size=6)) for _ in lists]
    stages = {f"to {n}, {cut}": [each[:cut] for each in lists] for n, cut in enumerate(cuts)}
    found = stage_recall(stages, relevant)
    for user, wanted in enumerate(relevant):
        entering = wanted
        for stage, items in enumerate(stages.values()):
            leaving = entering & set(items[user])
            expected = len(leaving) / len(entering) if entering else np.nan
            assert found.conditional_recall[stage, user] == pytest.approx(expected, nan_ok=True)
            assert found.hits[stage, user] == len(wanted & set(items[user]))
            entering = leaving
    # What is lost and what is left make up the whole, and conditional recalls multiply.
    some = found.n_relevant > 0
    np.testing.assert_allclose((found.lost.sum(axis=0) + found.recall[-1])[some], 1)
    whole = ~np.isnan(found.conditional_recall).any(axis=0)
    product = found.conditional_recall.prod(axis=0)
    np.testing.assert_allclose(product[whole], found.recall[-1][whole])


@given(LISTS, st.integers(1, 12), st.data())
@examples(60)
def test_the_recall_of_a_stage_is_that_of_its_lists(lists, cut, data):
    relevant = [data.draw(st.sets(st.integers(0, 15), max_size=6)) for _ in lists]
    stages = {"retrieval": lists, "ranking": [each[:cut] for each in lists]}
    found = stage_recall(stages, relevant)
    expected = rm.recall(rm.judge(stages["ranking"], relevant))
    np.testing.assert_array_equal(found.recall[1], expected)


def test_arrays_mappings_and_scores_give_the_same():
    arrays = {
        "retrieval": np.array([[4, 2, 7, -1], [1, 3, 5, 6]]),
        "ranking": np.array([[7, -1], [6, 1]]),
    }
    relevant = [{7, 9}, {1, 2}]
    keyed = {
        name: {f"u{row}": [i for i in each if i >= 0] for row, each in enumerate(of.tolist())}
        for name, of in arrays.items()
    }
    # A run: scores, some of them negative, in place of lists.
    runs = {
        name: {
            user: {item: -float(rank) for rank, item in enumerate(items)}
            for user, items in of.items()
        }
        for name, of in keyed.items()
    }
    of_users = {"u0": {7, 9}, "u1": {1, 2}}
    first = stage_recall(arrays, relevant)
    assert first.users is None
    for stages in (keyed, runs, {"retrieval": runs["retrieval"], "ranking": keyed["ranking"]}):
        other = stage_recall(stages, of_users)
        assert other.hits.tolist() == first.hits.tolist() == [[1, 1], [1, 1]]
        assert other.n_items.tolist() == first.n_items.tolist() == [[3, 4], [1, 2]]


def test_a_user_missing_from_a_stage_has_an_empty_list_there():
    stages = {"retrieval": {"ann": ["A"], "bob": ["B"]}, "ranking": {"bob": ["B"]}}
    found = stage_recall(stages, {"bob": {"B"}, "ann": {"A"}, "eve": {"C"}})
    assert found.users == ("ann", "bob", "eve")
    assert found.hits.tolist() == [[1, 1, 0], [0, 1, 0]]
    assert found.n_relevant.tolist() == [1, 1, 1]
    # Without an entry among the relevant, either.
    found = stage_recall(stages, {"bob": {"B"}})
    assert found.n_relevant.tolist() == [0, 1]


def test_grades_count_from_the_threshold():
    stages = {"retrieval": [["A", "B"]], "ranking": [["B"]]}
    relevant = [{"A": 5, "B": 2, "C": 4}]
    assert stage_recall(stages, relevant).hits.tolist() == [[2], [1]]
    found = stage_recall(stages, relevant, threshold=4)
    assert (found.hits.tolist(), found.n_relevant.tolist()) == ([[1], [0]], [2])


@pytest.mark.parametrize(
    ("stages", "error", "words"),
    [
        ([["A"]], TypeError, "mapping from the name of a stage"),
        ({}, ValueError, "there is no stage"),
        ({"ranking": ["A", "B"]}, TypeError, "'ranking' is one list"),
        ({"one": [["A"]], "two": [["A", "B"]]}, ValueError, "of list 0, 1 of the items"),
    ],
)
def test_ambiguous_stages_are_refused(stages, error, words):
    with pytest.raises(error, match=words):
        stage_recall(stages, [{"A"}] if stages != {"ranking": ["A", "B"]} else {"A"})


def test_an_item_from_nowhere_is_refused_with_its_user():
    stages = {"retrieval": {"ann": ["A"], "bob": ["B"]}, "ranking": {"bob": ["A"], "ann": ["A"]}}
    with pytest.raises(ValueError, match=r"of user 'bob', 1 .* stage 'ranking' .* 'retrieval'"):
        stage_recall(stages, {"ann": {"A"}})
