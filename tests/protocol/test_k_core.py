"""k-cores: who is left when users and items with few events are removed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import k_core

events = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=40)
least = st.integers(1, 4)


def pairs_of(log):
    return [*zip(log.user.tolist(), log.item.tolist(), strict=True)]


def log_of(pairs):
    return Interactions(*zip(*pairs, strict=True)) if pairs else Interactions([], [])


def peel(pairs, k, seed, sides=(0, 1)):
    """Remove one user or item with fewer than k events at a time, in a random order."""
    rng, left = np.random.default_rng(seed), list(pairs)
    while True:
        rare = [
            (side, who)
            for side in sides
            for who, n in Counter(pair[side] for pair in left).items()
            if n < k
        ]
        if not rare:
            return left
        side, who = rare[int(rng.integers(len(rare)))]
        left = [pair for pair in left if pair[side] != who]


def test_removing_a_user_can_remove_an_item_and_then_another_user():
    pairs = [(0, 0), (0, 1), (1, 0), (1, 2), (2, 2), (3, 0), (3, 1)]
    assert pairs_of(k_core(log_of(pairs), 2)) == [(0, 0), (0, 1), (3, 0), (3, 1)]
    assert pairs_of(k_core(log_of(pairs), 2, of="users")) == [p for p in pairs if p[0] != 2]
    assert len(k_core(log_of(pairs), 2, of="items")) == 7
    assert len(k_core(log_of(pairs), 3)) == 0


@given(pairs=events, k=least, seed=st.integers(0, 99))
def test_a_core_is_what_is_left_in_whatever_order_users_and_items_are_removed(pairs, k, seed):
    log = log_of(pairs)
    assert pairs_of(k_core(log, k)) == peel(pairs, k, seed)
    assert pairs_of(k_core(log, k, of="users")) == peel(pairs, k, seed, sides=(0,))
    assert pairs_of(k_core(log, k, of="items")) == peel(pairs, k, seed, sides=(1,))


@given(pairs=events, k=least)
def test_a_core_contains_the_next_one_and_is_its_own_core(pairs, k):
    core = k_core(log_of(pairs), k)
    assert not Counter(pairs_of(k_core(core, k + 1))) - Counter(pairs_of(core))
    assert pairs_of(k_core(core, k)) == pairs_of(core)


def test_a_core_keeps_the_numbers_and_the_columns_of_the_log():
    log = Interactions([4, 4, 2], [1, 5, 5], rating=[1, 2, 3], timestamp=[7, 8, 9], n_items=9)
    core = k_core(log, 2, of="items")
    assert (core.n_users, core.n_items, core.user.tolist()) == (5, 9, [4, 2])
    assert (core.rating.tolist(), core.timestamp.tolist()) == ([2, 3], [8, 9])


@pytest.mark.parametrize(
    ("given_", "error", "message"),
    [
        ({"k": 0}, ValueError, "k is the least number of events"),
        ({"k": 2.5}, TypeError, "k is the least number of events"),
        ({"k": 2, "of": "user"}, ValueError, "'users'"),
    ],
)
def test_invalid_inputs_raise(given_, error, message):
    with pytest.raises(error, match=message):
        k_core(Interactions([0], [0]), **given_)
    with pytest.raises(TypeError, match="interactions"):
        k_core([(0, 0)], 1)
