"""The random cases hold what libraries are known to disagree about, and enough of each."""

from __future__ import annotations

import pytest

from recsys_metrics import convert
from tests.peers.cases import CUTS, N_CASES, OF_A_CUT, Cases, draw, kinds, tied
from tests.peers.worlds import CUTS as OF_WORLDS
from tests.peers.worlds import worlds


def test_every_kind_of_case_is_drawn_often():
    drawn = draw(empty_lists=True)
    seen = {k: kinds(drawn, k) for k in CUTS}
    for kind in seen[1]:
        assert max(counts[kind] for counts in seen.values()) >= 30, kind
    assert seen[40]["k beyond everything"] == N_CASES
    assert seen[40]["a list longer than k"] == 0
    assert all(draw().lists.values())


def test_the_kinds_are_counted_right():
    cases = Cases(
        {0: [1, 2, 3], 1: [1], 2: [], 3: [5, 6]},
        {0: {1: 3, 9: 1}, 1: {1: 1}, 2: {4: 0}, 3: {5: 1, 6: 1, 7: 1}},
    )
    assert kinds(cases, 2) == {
        "a list shorter than k": 1,
        "a list longer than k": 1,
        "k beyond everything": 0,
        "more relevant than k": 1,
        "nothing relevant": 1,
        "no list": 1,
        "grades above 1": 1,
        "relevant, and not listed": 2,
    }
    assert not any(kinds(cases, None)[kind] for kind in OF_A_CUT)


def test_most_tied_scores_are_tied_and_fall_as_in_trec_eval():
    scored, cases = tied(draw())
    some = [row for row in scored.values() if len(set(row.values())) < len(row)]
    assert len(some) > 0.7 * N_CASES
    for user, row in scored.items():
        ranked = [f"{item:02d}" for item in cases.lists[int(user)]]
        assert ranked == sorted(row, key=lambda item, row=row: (row[item], item), reverse=True)
        assert {user: ranked} == convert.lists_from_scores({user: row}, ties="id-descending")


@pytest.mark.parametrize("met_only", [False, True])
def test_the_worlds_hold_what_matters_beyond_accuracy(met_only):
    made = list(worlds(met_only=met_only))
    assert len(made) == N_CASES
    lengths = [len(row) for world in made for row in world.lists.values()]
    for k in OF_WORLDS[1:3]:
        assert sum(length < k for length in lengths) > 100
        assert sum(length > k for length in lengths) > 100
    new = [
        world.item_counts[item] == 0
        for world in made
        for row in world.lists.values()
        for item in row
    ]
    assert any(new) != met_only
    assert all((world.features > 0).any(axis=1).all() for world in made)
