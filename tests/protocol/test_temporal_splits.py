"""Splits by time: what trains, what tests, what happens at ties."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import (
    leakage,
    leave_last_n_out,
    leave_last_session_out,
    rolling_splits,
    sessions,
    temporal_split,
)
from recsys_metrics.protocol._splits import user_by_user
from tests.examples import examples

events = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), min_size=2, max_size=40)


def log_of(rows):
    users, times = zip(*rows, strict=True)
    return Interactions(users, range(len(rows)), timestamp=times)


@examples(200)
@given(events, st.floats(0.05, 0.95))
def test_training_events_precede_test_events(rows, share):
    log = log_of(rows)
    try:
        split = temporal_split(log, test_share=share)
    except ValueError:
        # Only where one time holds all that would be tested.
        times = np.sort(log.timestamp)
        assert times[int(np.ceil(len(times) * (1 - share))) - 1] == times[-1]
        return
    train, test = split
    assert train.timestamp.max() == split.cutoff_time < test.timestamp.min()
    assert len(train) + len(test) == len(log)
    assert len(test) <= share * len(log) + 1e-9


@examples(200)
@given(events, st.integers(1, 3))
def test_leave_last_n_out_keeps_one_event_per_user(rows, n):
    log = log_of(rows)
    train, hidden = leave_last_n_out(log, n=n)
    for user in set(log.user.tolist()):
        mine = [(t, i) for i, (u, t) in enumerate(rows) if u == user]
        out = min(n, len(mine) - 1)
        assert set(hidden.item[hidden.user == user]) == {i for _, i in sorted(mine)[-out:] if out}
    assert len(train) + len(hidden) == len(log)


def test_a_share_of_each_user():
    log = Interactions([0] * 5 + [1] * 2 + [2], range(8), timestamp=range(8))
    train, hidden = leave_last_n_out(log, share=0.5)
    assert hidden.item.tolist() == [3, 4, 6]
    assert np.bincount(train.user).tolist() == [3, 1, 1]


def test_an_integer_number_of_test_events_is_exact():
    # 90 * 0.7 is 62.99… in binary, and 10 * (1 - 0.7) is 3.00…4.
    log = Interactions([0] * 90, range(90), timestamp=range(90))
    assert len(leave_last_n_out(log, share=0.7).test) == 63
    assert len(temporal_split(log.take(range(10)), test_share=0.7).test) == 7


def test_equal_timestamps_stay_together_and_rows_break_ties_within_a_user():
    log = Interactions([0, 1, 2, 0], [0, 1, 2, 3], timestamp=[5, 5, 9, 5])
    assert len(temporal_split(log, at=5).test) == 1
    assert leave_last_n_out(log).test.item.tolist() == [3]


def test_leave_last_n_out_leaks_across_users():
    # Ann's hidden event is at time 20; Bob still trains on his of time 30.
    log = Interactions([0, 0, 1, 1], [0, 1, 2, 3], timestamp=[10, 20, 30, 40])
    train, hidden = leave_last_n_out(log)
    assert train.timestamp.max() > hidden.timestamp.min()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda log: temporal_split(Interactions([0], [0])), "needs timestamps"),
        (lambda log: leave_last_n_out(Interactions([0], [0])), "needs timestamps"),
        (lambda log: temporal_split(log, at=1, test_share=0.5), "either at or test_share"),
        (lambda log: temporal_split(log, test_share=1.0), "share between 0 and 1"),
        (lambda log: temporal_split(log, at=99), "all of the 2 events would train"),
        (lambda log: temporal_split(log, at=0), "none of the 2 events would train"),
        (lambda log: leave_last_n_out(log, n=0), "1 or more"),
        (lambda log: leave_last_n_out(log, n=2, share=0.5), "either n or share"),
        (lambda log: leave_last_n_out(log, share=0.0), "between 0 and 1"),
        (lambda log: temporal_split(log.take([])), "no event to split"),
    ],
)
def test_invalid_arguments_raise(call, message):
    with pytest.raises(ValueError, match=message):
        call(Interactions([0, 0], [0, 1], timestamp=[10, 20]))


def test_a_fractional_number_of_test_events_raises():
    with pytest.raises(TypeError, match=r"a whole number of 1 or more; got 1.5"):
        leave_last_n_out(Interactions([0], [0], timestamp=[0]), n=1.5)


@pytest.mark.parametrize("at", [np.nan, 1 + 0j, np.timedelta64(3, "s"), True])
def test_a_cutoff_time_that_is_no_time_raises(at):
    log = Interactions([0, 0], [0, 1], timestamp=[1, 20])
    with pytest.raises(TypeError, match="a number of seconds since 1970"):
        temporal_split(log, at=at)
    split = temporal_split(log, at=np.int32(5))
    assert (split.cutoff_time, type(split.cutoff_time), len(split.test)) == (5, int, 1)


# Rolling moments --------------------------------------------------------------------------------


def test_cutoff_times_computed_by_hand():
    log = Interactions([0, 0, 1, 1, 0], range(5), timestamp=[10, 40, 20, 30, 50])
    splits = list(rolling_splits(log, at=[10, 20]))
    assert [split.cutoff_time for split in splits] == [10, 20]
    assert [train.item.tolist() for train, _ in splits] == [[0], [0, 2]]
    assert [test.item.tolist() for _, test in splits] == [[2], [1, 3, 4]]
    # The window slides: what is as old as it is long no longer trains.
    slid = [train.item.tolist() for train, _ in rolling_splits(log, at=[20, 40], window=20)]
    assert slid == [[0, 2], [1, 3]]


@given(events, st.integers(1, 4), st.floats(0.1, 0.9))
def test_rolling_splits_test_each_late_event_once_without_leakage(rows, n, share):
    log = log_of(rows)
    try:
        splits = list(rolling_splits(log, n_splits=n, test_share=share))
    except ValueError as problem:
        if "do not increase" not in str(problem) and "no event would" not in str(problem):
            raise
        return
    assert len(splits) == n
    for (train, test), (_, before) in zip(splits[1:], splits, strict=False):
        assert leakage(train, test).leak_free
        assert before.timestamp.max() <= train.timestamp.max()
    tested = [item for _, test in splits for item in test.item.tolist()]
    assert sorted(tested) == sorted(log.item[log.timestamp > splits[0].cutoff_time].tolist())
    # A moment for all is the split at that moment.
    (alone,) = rolling_splits(log, at=[splits[0].cutoff_time])
    assert (
        alone.test.item.tolist() == temporal_split(log, at=splits[0].cutoff_time).test.item.tolist()
    )


def test_rolling_splits_have_equal_sizes_for_distinct_times():
    log = Interactions([0] * 100, range(100), timestamp=range(100))
    sizes = [(len(train), len(test)) for train, test in rolling_splits(log)]
    assert sizes == [(50, 10), (60, 10), (70, 10), (80, 10), (90, 10)]
    assert [len(test) for _, test in rolling_splits(log, n_splits=3, test_share=0.2)] == [6, 7, 7]


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"at": [20, 10]}, r"\[20, 10\] do not increase; give each time once"),
        ({"at": []}, "do not increase"),
        ({"at": [10], "n_splits": 2}, "either at, or n_splits"),
        ({"at": [10], "test_share": 0.2}, "either at, or n_splits"),
        ({"n_splits": 9}, "do not increase; give fewer splits"),
        ({"at": [5]}, "cut-off time 5, no event would train; they lie between 10 and 40"),
        ({"at": [40]}, "cut-off time 40, no event would be tested"),
        ({"n_splits": 0}, "n_splits"),
        ({"window": 0}, "window"),
    ],
)
def test_invalid_rolling_splits_raise(told, message):
    log = Interactions([0, 0, 1, 1], range(4), timestamp=[10, 40, 20, 30])
    with pytest.raises(ValueError, match=message):
        list(rolling_splits(log, **told))


def test_rolling_splits_validate_arguments_immediately():
    with pytest.raises(ValueError, match="needs timestamps"):
        rolling_splits(Interactions([0], [0]))
    with pytest.raises(TypeError, match="a number of seconds"):
        rolling_splits(Interactions([0, 0], [0, 1], timestamp=[1, 2]), at=[True])


# Sessions ---------------------------------------------------------------------------------------


def test_sessions_computed_by_hand():
    times = [0, 100, 50, 3000, 4801, 100]
    log = Interactions([1, 0, 1, 1, 1, 1], range(6), timestamp=times)
    # User 0 has one session; of user 1 the pause before 3000 is too long, and 1801 by a second.
    assert sessions(log).tolist() == [1, 0, 1, 2, 3, 1]
    assert sessions(log, gap=1801).tolist() == [1, 0, 1, 2, 2, 1]
    train, hidden = leave_last_session_out(log, gap=1801)
    assert hidden.item.tolist() == [3, 4]
    assert train.item.tolist() == [0, 1, 2, 5]
    with pytest.raises(ValueError, match="no user has two sessions with a pause of more than 9000"):
        leave_last_session_out(log, gap=9000)
    with pytest.raises(ValueError, match="gap"):
        sessions(log, gap=0)


@given(events, st.integers(1, 4), st.randoms())
def test_sessions_equal_their_plain_definition_in_any_order_of_rows(rows, gap, random):
    random.shuffle(rows)
    number = sessions(log_of(rows), gap=gap).tolist()
    expected, before = {}, None
    for count, (user, time) in enumerate(sorted(set(rows))):
        new = before is None or before[0] != user or time - before[1] > gap
        expected[user, time] = expected[before] + new if count else 0
        before = user, time
    assert number == [expected[row] for row in rows]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-3, 3)), max_size=30))
def test_user_by_user_order_equals_lexsort(rows):
    users, order = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    expected = np.lexsort((order, users)).tolist()
    assert user_by_user(users, order).tolist() == expected
    # Too far apart for both to fit one number.
    assert user_by_user(users, order * 2**60).tolist() == expected


@pytest.mark.parametrize(
    ("times", "told", "message"),
    [
        # 0.2 of four events is 0.8 of an event.
        ([1, 2, 3, 4], {}, "with test_share (0.2 by default): that share of 4 events is less than"),
        ([1, 2, 3, 4], {"test_share": 0.1}, "(0.1): that share of 4 events is less than one event"),
        ([1, 2, 3, 4], {}, "Give test_share a larger value, or the last time that trains, at"),
        (
            [1, 2, 3, 3, 3],
            {},
            "the last 3 of the 5 events have the same time, 3, and stay together",
        ),
        ([3, 3, 3, 3, 3], {}, "the log cannot be split by time: 5 events, and one time, 3"),
        ([3], {}, "the log cannot be split by time: 1 event, and one time, 3"),
        ([1, 2], {"at": "2030-01-01"}, "at=2030-01-01, all of the 2 events would train; they lie"),
        ([1, 2], {"at": 2}, "lie between 1 and 2. Give an earlier time"),
        ([1, 2], {"at": 0}, "lie between 1 and 2. Give a later time"),
    ],
)
def test_a_split_without_a_part_names_what_was_given_and_the_cure(times, told, message):
    log = Interactions([0] * len(times), range(len(times)), timestamp=times)
    with pytest.raises(ValueError, match=re.escape(message)):
        temporal_split(log, **told)
