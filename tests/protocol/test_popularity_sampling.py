"""Fewer events of popular items: the limit of a box plot, users drawn at random."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import down_sample_popular

PAIRS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 6)), min_size=1, max_size=80)


def test_the_limit_computed_by_hand():
    # Users per item 9, 2, 2, 1, 1: quartiles 1 and 2, so the limit is 2 + 1.5 = 3.5.
    test = Interactions([*range(9), 0, 1, 0, 1, 2, 3], [0] * 9 + [1, 1, 2, 2, 3, 4])
    left = down_sample_popular(test, seed=4)
    assert np.bincount(left.item).tolist() == [3, 2, 2, 1, 1]
    assert (left.n_users, left.n_items) == (test.n_users, test.n_items)
    assert np.bincount(down_sample_popular(test, iqr_factor=0).item).tolist() == [2, 2, 2, 1, 1]
    assert len(down_sample_popular(test, iqr_factor=7)) == len(test)


@pytest.mark.slow
@given(PAIRS, st.floats(0, 3), st.integers(0, 9))
def test_the_number_of_remaining_events_equals_rectools(pairs, factor, seed):
    pairs = list(dict.fromkeys(pairs))
    left = down_sample_popular(
        Interactions(*zip(*pairs, strict=True)), iqr_factor=factor, seed=seed
    )
    # The limit as RecTools computes it (rectools/metrics/debias.py), with pandas.
    users = pd.DataFrame(pairs, columns=["user", "item"])["item"].value_counts()
    quartiles = users.quantile([0.25, 0.75])
    limit = int(quartiles[0.75] + factor * (quartiles[0.75] - quartiles[0.25]))
    assert users.clip(upper=limit).to_dict() == dict(
        zip(*map(np.ndarray.tolist, np.unique(left.item, return_counts=True)), strict=True)
    )
    kept = list(zip(left.user.tolist(), left.item.tolist(), strict=True))
    # In the order of the whole, and each event once.
    assert kept == [pair for pair in pairs if pair in set(kept)]


def test_users_are_sampled_uniformly_with_all_their_events_of_an_item():
    # Item 0 has ten users, user 9 with it twice.
    test = Interactions([*range(10), 9, 0, 0, 1], [0] * 11 + [1, 2, 2])
    drawn = np.zeros(10)
    for seed in range(400):
        left = down_sample_popular(test, iqr_factor=0, seed=seed)
        of_popular = left.user[left.item == 0]
        drawn[np.unique(of_popular)] += 1
        assert (of_popular == 9).sum() in (0, 2)
    # Quartiles of 1, 2 and 10 users: the third is 6.
    assert drawn.sum() == 400 * 6
    assert np.abs(drawn / 400 - 0.6).max() < 0.1


def test_empty_logs_and_invalid_factors():
    empty = Interactions([], [])
    assert len(down_sample_popular(empty)) == 0
    for wrong in (-1, np.nan, np.inf, True):
        with pytest.raises(ValueError, match="iqr_factor is a finite number, 0 or more"):
            down_sample_popular(empty, iqr_factor=wrong)
