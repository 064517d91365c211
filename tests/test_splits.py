"""Splits by time: what trains, what tests, what happens at ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import leave_last_out, temporal_split

events = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), min_size=2, max_size=40)


def log_of(rows):
    users, times = zip(*rows, strict=True)
    return Interactions(users, range(len(rows)), timestamp=times)


@settings(max_examples=200)
@given(events, st.floats(0.05, 0.95))
def test_nothing_that_trains_is_later_than_anything_that_tests(rows, share):
    log = log_of(rows)
    try:
        split = temporal_split(log, test_share=share)
    except ValueError:
        # Only where one time holds all that would be tested.
        times = np.sort(log.timestamp)
        assert times[int(np.ceil(len(times) * (1 - share))) - 1] == times[-1]
        return
    train, test = split
    assert train.timestamp.max() == split.cut < test.timestamp.min()
    assert len(train) + len(test) == len(log)
    assert len(test) <= share * len(log) + 1e-9


@settings(max_examples=200)
@given(events, st.integers(1, 3))
def test_each_user_keeps_one_event_and_loses_the_last(rows, n):
    log = log_of(rows)
    train, hidden = leave_last_out(log, n=n)
    for user in set(log.user.tolist()):
        mine = [(t, i) for i, (u, t) in enumerate(rows) if u == user]
        out = min(n, len(mine) - 1)
        assert set(hidden.item[hidden.user == user]) == {i for _, i in sorted(mine)[-out:] if out}
    assert len(train) + len(hidden) == len(log)


def test_a_share_of_each_user():
    log = Interactions([0] * 5 + [1] * 2 + [2], range(8), timestamp=range(8))
    train, hidden = leave_last_out(log, share=0.5)
    assert hidden.item.tolist() == [3, 4, 6]
    assert np.bincount(train.user).tolist() == [3, 1, 1]


def test_a_share_that_is_a_whole_number_of_events_is_met_exactly():
    # 90 * 0.7 is 62.99… in binary, and 10 * (1 - 0.7) is 3.00…4.
    log = Interactions([0] * 90, range(90), timestamp=range(90))
    assert len(leave_last_out(log, share=0.7).test) == 63
    assert len(temporal_split(log.take(range(10)), test_share=0.7).test) == 7


def test_events_at_one_time_stay_together_and_rows_break_ties_within_a_user():
    log = Interactions([0, 1, 2, 0], [0, 1, 2, 3], timestamp=[5, 5, 9, 5])
    assert len(temporal_split(log, at=5).test) == 1
    assert leave_last_out(log).test.item.tolist() == [3]


def test_leaving_the_last_out_leaks_across_users():
    # Ann's hidden event is at time 20; Bob still trains on his of time 30.
    log = Interactions([0, 0, 1, 1], [0, 1, 2, 3], timestamp=[10, 20, 30, 40])
    train, hidden = leave_last_out(log)
    assert train.timestamp.max() > hidden.timestamp.min()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda log: temporal_split(Interactions([0], [0])), "needs timestamps"),
        (lambda log: leave_last_out(Interactions([0], [0])), "needs timestamps"),
        (lambda log: temporal_split(log, at=1, test_share=0.5), "either at or test_share"),
        (lambda log: temporal_split(log, test_share=1.0), "share between 0 and 1"),
        (lambda log: temporal_split(log, at=99), "all of the 2 events would train"),
        (lambda log: temporal_split(log, at=0), "none of the 2 events would train"),
        (lambda log: leave_last_out(log, n=0), "1 or more"),
        (lambda log: leave_last_out(log, n=2, share=0.5), "either n or share"),
        (lambda log: leave_last_out(log, share=0.0), "between 0 and 1"),
        (lambda log: temporal_split(log.take([])), "no event to split"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call(Interactions([0, 0], [0, 1], timestamp=[10, 20]))


def test_half_an_event_cannot_be_hidden():
    with pytest.raises(TypeError, match=r"a whole number of 1 or more; got 1.5"):
        leave_last_out(Interactions([0], [0], timestamp=[0]), n=1.5)


@pytest.mark.parametrize("at", [1.5, 15.0, np.datetime64("2020-01-01"), "2020-01-01", True])
def test_a_cut_that_is_no_whole_number_is_refused(at):
    log = Interactions([0, 0], [0, 1], timestamp=[1, 20])
    with pytest.raises(TypeError, match="at is a whole number of seconds since 1970"):
        temporal_split(log, at=at)
    split = temporal_split(log, at=np.int32(5))
    assert (split.cut, type(split.cut), len(split.test)) == (5, int, 1)
