"""Random splits and folds, and what `leakage` counts."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import k_folds, leakage, leave_last_n_out, random_split, temporal_split
from tests.examples import examples

events = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(0, 9)), min_size=2, max_size=40
)


def log_of(rows):
    users, items, times = zip(*rows, strict=True)
    return Interactions(users, items, timestamp=times, n_users=5, n_items=6)


def rows_of(log):
    return sorted(zip(log.user, log.item, log.timestamp, strict=True))


@examples(60)
@given(events, st.floats(0.05, 0.95), st.integers(0, 9))
def test_a_random_split_has_the_test_share_and_keeps_all_events(rows, share, seed):
    log = log_of(rows)
    expected = int(len(rows) * share + 1e-9)
    if not expected:
        with pytest.raises(ValueError, match="0 would be tested"):
            random_split(log, test_share=share, seed=seed)
        return
    train, test = random_split(log, test_share=share, seed=seed)
    assert len(test) == expected
    assert sorted(rows_of(train) + rows_of(test)) == rows_of(log)
    again = random_split(log, test_share=share, seed=seed)
    assert rows_of(again.test) == rows_of(test)


@examples(60)
@given(events, st.integers(1, 3), st.integers(0, 9))
def test_n_random_events_of_each_user(rows, n, seed):
    log = log_of(rows)
    counts = np.bincount(log.user, minlength=5)
    hidden = np.minimum(n, np.maximum(counts - 1, 0))
    if not hidden.any():
        with pytest.raises(ValueError, match="at least one event on either side"):
            random_split(log, n=n, within="user", seed=seed)
        return
    test = random_split(log, n=n, within="user", seed=seed).test
    assert np.bincount(test.user, minlength=5).tolist() == hidden.tolist()


def test_a_share_per_user_samples_events_uniformly():
    log = Interactions([0] * 5 + [1] * 2 + [2], range(8))
    drawn = np.zeros(8)
    for seed in range(300):
        train, test = random_split(log, within="user", test_share=0.4, seed=seed)
        assert np.bincount(test.user, minlength=3).tolist() == [2, 1, 0]
        assert len(train) == 5
        drawn[test.item] += 1
    assert drawn[7] == 0
    assert np.abs(drawn[:5] / 300 - 0.4).max() < 0.1
    assert np.abs(drawn[5:7] / 300 - 0.5).max() < 0.1


@examples(60)
@given(events, st.integers(2, 5), st.sampled_from(["all", "user"]))
def test_every_event_is_in_one_test_fold(rows, n, within):
    log = log_of(rows)
    if len(rows) < n:
        with pytest.raises(ValueError, match="cannot be dealt out"):
            k_folds(log, n_folds=n)
        return
    splits = k_folds(log, n_folds=n, within=within, seed=3)
    sizes = [len(split.test) for split in splits]
    assert max(sizes) - min(sizes) <= 1
    assert sorted(row for split in splits for row in rows_of(split.test)) == rows_of(log)
    for train, test in splits:
        assert len(train) + len(test) == len(log)
        if within == "user":
            share = np.bincount(log.user, minlength=5) / n
            assert (np.abs(np.bincount(test.user, minlength=5) - share) < 1).all()


def test_folds_are_created_lazily():
    log = Interactions(np.arange(200_000) % 5000, np.arange(200_000) % 700)
    table = log.user.nbytes + log.item.nbytes
    tracemalloc.start()
    try:
        folds = k_folds(log, n_folds=10, seed=1)
        held, _ = tracemalloc.get_traced_memory()
        for train, test in folds:
            assert len(train) == 9 * len(test)
            del train, test
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < table / 4
    assert peak < 2.5 * table


def test_folds_are_a_sequence():
    folds = k_folds(Interactions([0, 0, 0, 1, 1], [0, 1, 2, 0, 2]), n_folds=3)
    assert isinstance(folds, Sequence)
    assert folds[-1].test.item.tolist() == folds[2].test.item.tolist()
    assert [len(split.test) for split in folds[1:]] == [2, 1]
    with pytest.raises(IndexError):
        folds[3]


@examples(80)
@given(events, events)
def test_leakage_equals_a_count_over_all_pairs(train_rows, test_rows):
    found = leakage(log_of(train_rows), log_of(test_rows))
    later = [
        (row, u == v) for row, (u, _, t) in enumerate(train_rows) for v, _, s in test_rows if t > s
    ]
    assert found.later_rows.tolist() == sorted({row for row, _ in later})
    assert found.later_within_user == len({row for row, own in later if own})
    assert found.pairs_within_user == sum(own for _, own in later)
    assert found.pairs_across_users == sum(not own for _, own in later)
    newest = max(t for _, _, t in train_rows)
    assert found.tests_with_later_training == sum(s < newest for _, _, s in test_rows)
    assert found.leak_free == (not later)
    pairs = {(u, i) for u, i, _ in train_rows}
    assert found.duplicates == sum((u, i) in pairs for u, i, _ in test_rows)
    users, items = {u for u, _ in pairs}, {i for _, i in pairs}
    assert found.cold_users.tolist() == sorted({u for u, _, _ in test_rows} - users)
    assert found.cold_items.tolist() == sorted({i for _, i, _ in test_rows} - items)
    assert found.cold_events == sum(u not in users or i not in items for u, i, _ in test_rows)


@examples(60)
@given(events)
def test_temporal_splits_are_leak_free_and_leave_last_n_out_within_users(rows):
    log = log_of(rows)
    if len(set(log.timestamp.tolist())) > 1:
        cut = int(np.sort(log.timestamp)[0])
        assert leakage(*temporal_split(log, at=cut)).leak_free
    train, test = leave_last_n_out(log)
    if len(test):
        found = leakage(train, test)
        assert found.later_within_user == 0
        assert found.pairs_within_user == 0


def test_the_report_reads_well():
    log = Interactions([0, 0, 1, 1], [0, 1, 2, 3], timestamp=[1, 2, 10, 11])
    found = leakage(*leave_last_n_out(log))
    assert str(found).splitlines() == [
        "Training events later than some test event: 1 of 2 (of the same user: 0).",
        "Test events that some training event is later than: 1 of 2.",
        "Test events whose user trained on the same item: 0.",
        "Tested but never trained on: users 0, items 2; test events with one of them: 2.",
    ]
    assert repr(found) == (
        "Leakage(later=1, later_within_user=0, duplicates=0, cold_users=0, cold_items=2)"
    )
    assert str(leakage(*temporal_split(log, at=2))).startswith("No training event is later")


def test_without_timestamps_leakage_is_unknown():
    log = Interactions([0, 0, 1, 1], [0, 1, 0, 1])
    found = leakage(*random_split(log, test_share=0.5, seed=1))
    assert found.leak_free is None
    assert found.later is None
    assert found.pairs_across_users is None
    assert "There are no timestamps" in str(found)


def test_a_seed_is_a_number_or_a_generator():
    log = Interactions(np.arange(50), np.arange(50))
    first = random_split(log, seed=4).test.user
    assert first.tolist() == random_split(log, seed=np.random.default_rng(4)).test.user.tolist()
    assert first.tolist() != random_split(log, seed=5).test.user.tolist()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda log: random_split(log, test_share=0),
            ValueError,
            "share between 0 and 1, both excluded; got 0",
        ),
        (lambda log: random_split(log, test_share=True), ValueError, "got True"),
        (lambda log: random_split(log, test_share=0.5, n=1), ValueError, "either test_share or n"),
        (lambda log: random_split(log, n=1), ValueError, "within='user'"),
        (lambda log: random_split(log, n=0, within="user"), ValueError, "n is a whole number of 1"),
        (lambda log: random_split(log, within="item"), ValueError, "'all', 'user'; got 'item'"),
        (lambda log: random_split(log.take([])), ValueError, "no event to split"),
        (lambda log: random_split(log, test_share=0.1), ValueError, "0 would be tested"),
        (lambda log: random_split(log, seed=-1), ValueError, "seed is a whole number of 0"),
        (lambda log: random_split(log, seed="a"), TypeError, "seed is a whole number of 0"),
        (lambda log: k_folds(log, n_folds=1), ValueError, "n_folds is a whole number of 2"),
        (lambda log: k_folds(log, n_folds=2.0), TypeError, "n_folds is a whole number of 2"),
        (lambda log: k_folds(log, within="x"), ValueError, "'all', 'user'"),
        (lambda log: k_folds(log, n_folds=3), ValueError, "2 events cannot be dealt out to 3"),
        (lambda log: leakage(log, log.take([])), ValueError, "2 training and 0 test"),
        (
            lambda log: leakage(log, Interactions([0], [0], n_users=1, n_items=9)),
            ValueError,
            "different items: 2 in train and 9 in test",
        ),
        (
            lambda log: leakage(log, Interactions([5], [1])),
            ValueError,
            "different users: 1 in train and 6 in test",
        ),
    ],
)
def test_invalid_arguments_raise(call, error, message):
    with pytest.raises(error, match=message):
        call(Interactions([0, 0], [0, 1], timestamp=[10, 20]))
