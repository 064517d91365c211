"""What users wanted, in two parts: what they had met before, and what was new."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics import evaluate
from recsys_metrics.protocol import repeat_explore

items = st.integers(0, 8)
grades = st.dictionaries(items, st.integers(1, 3), max_size=6)
people = st.dictionaries(st.sampled_from("abcdef"), grades, min_size=1)


def test_splits_computed_by_hand_in_every_form():
    wanted = {"ann": {"A": 3, "B": 1}, "bob": ["C", "A"]}
    met = {"ann": {"B", "Z"}, "eve": {"C"}}
    again, new = repeat_explore(wanted, met)
    assert again == {"ann": {"B": 1}, "bob": []}
    assert new == {"ann": {"A": 3}, "bob": ["C", "A"]}
    assert repeat_explore([{"A", "B"}, {"C"}], [["B"], []]) == ([{"B"}, set()], [{"A"}, {"C"}])
    assert repeat_explore({"A": 2, "B": 1}, ["B"]) == ({"B": 1}, {"A": 2})


@given(wanted=people, met=people)
def test_repeat_and_explore_items_partition_the_relevant_items(wanted, met):
    again, new = repeat_explore(wanted, met)
    for user, asked in wanted.items():
        assert again[user] | new[user] == asked
        assert set(again[user]) <= set(met.get(user, ()))
        assert not set(new[user]) & set(met.get(user, ()))


@given(wanted=people, met=people, seed=st.integers(0, 99))
def test_hits_of_both_parts_sum_to_all_hits(wanted, met, seed):
    rng = np.random.default_rng(seed)
    lists = {user: rng.permutation(9)[:4].tolist() for user in wanted}
    both = [wanted, *repeat_explore(wanted, met)]
    asked = "precision(no_relevant=zero)@4"
    whole, again, new = (evaluate(lists, part, [asked])[asked].per_user for part in both)
    np.testing.assert_allclose(again + new, whole)


@pytest.mark.parametrize(
    ("wanted", "met", "error", "message"),
    [
        ([{"A"}], [], ValueError, "relevant has 1 entries and history 0"),
        ({"ann": {"A"}}, [{"A"}], TypeError, "keyed by user and the other is not"),
        ({"A"}, {"ann": {"A"}}, TypeError, "must have one form"),
        ({1: {"A"}}, {"1": {"A"}}, ValueError, "which never match"),
        ([("A", "B")], [("A",)], TypeError, r"\[set\(row\) for row in relevant\]"),
        ("A", {"A"}, TypeError, "relevant must be a set, a list or a mapping of ids"),
    ],
)
def test_invalid_inputs_raise(wanted, met, error, message):
    with pytest.raises(error, match=message):
        repeat_explore(wanted, met)
