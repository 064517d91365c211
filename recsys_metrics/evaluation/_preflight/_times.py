"""Checks of events with times: repeats of training events, and training from the future."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from recsys_metrics._core.inputs.arrays import FloatArray, IndexArray
from recsys_metrics.evaluation._preflight._finding import Finding, Severity
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import leakage

# A cut for all users leaks if training goes on for at most this share of its period before the
# cut, and the time that separates the parts best has at most this share of the test events on its
# wrong side. Splits within each user can look the same by chance if there are few users.
_SHORT = 0.1
_MISPLACED = 0.05
_FEW_USERS = 20


def check_times(train: Interactions, test: Interactions) -> Iterator[Finding]:
    """Yield training events that are tested, or later than the events that are tested."""
    found = leakage(train, test)
    if found.duplicates:
        yield Finding(
            "leak",
            "fault",
            f"{found.duplicates:,} of {found.n_test:,} test events have the user and the item of a "
            "training event.",
            "Split once, without repeats. If users take items again, as groceries, say "
            "repeat_consumption=True.",
            found.duplicates,
            found.n_test,
        )
    if found.later_rows is None or not found.later:
        return
    within = found.later_within_user or 0
    message = (
        f"{found.later:,} of {found.n_train:,} training events are later than some test event"
        f"{f', {within:,} of them of the same user' if within else ', none of the same user'}."
    )
    severity: Severity = "fault" if within else "note"
    cure = (
        "Split by time, protocol.temporal_split: a random split shows the recommender the future."
        if within
        else "If each user's last events were left out, this is by design; protocol.temporal_split "
        "cuts at one time for all users."
    )
    if not within and (window := _overlap_of_cut(train, test, found.later_rows)) is not None:
        severity = "fault"
        message += (
            f" All of them lie between the first test event ({window.first}) and {window.last}, "
            f"which is {window.share:.2g} of the training period, and {window.after:,} of "
            f"{found.n_test:,} test events are later: the cut-off time differs between events."
        )
        cure = (
            "Cut all events at one time, protocol.temporal_split, and check time zones, units and "
            "days that are in both parts."
        )
    yield Finding("future", severity, message, cure, found.later, found.n_train)


@dataclass(frozen=True)
class _Overlap:
    """Where training goes on after the first test event."""

    first: Any
    last: Any
    share: float
    after: int


def _overlap_of_cut(train: Any, test: Any, later: IndexArray) -> _Overlap | None:
    """Return the overlap of training and test at a cut for all users, None for other splits.

    A cut is for all users if one time separates nearly all events, which it does not if each user's
    last events are tested. Sessions that are kept whole reach over it, and are no leak.
    """
    first, last = test.timestamp.min(), train.timestamp.max()
    period, window = float(first - train.timestamp.min()), float(last - first)
    if len(np.unique(test.user)) < _FEW_USERS:
        return None
    if window > _SHORT * period or _misplaced(train, test) > _MISPLACED * len(test):
        return None
    if 2 * _count_within_sessions(train, test, later) > len(later):
        return None
    return _Overlap(first, last, window / period, int((test.timestamp > last).sum()))


def _count_within_sessions(train: Any, test: Any, later: IndexArray) -> int:
    """Return how many late events may belong to a session that began before the first test event.

    If sessions are kept whole, the pause of a user at the first test event is shorter than any
    between the last training event and the first test event of a user.
    """
    n, cut = train.n_users, test.timestamp.min()
    early = train.timestamp <= cut
    before = _extreme_by_user(np.maximum, train.user[early], train.timestamp[early], n)
    after = _extreme_by_user(np.minimum, train.user[later], train.timestamp[later], n)
    trained = _extreme_by_user(np.maximum, train.user, train.timestamp, n)
    tested = _extreme_by_user(np.minimum, test.user, test.timestamp, n)
    return int(((after - before)[train.user[later]] < (tested - trained).min()).sum())


def _extreme_by_user(which: np.ufunc, user: IndexArray, time: Any, n: int) -> FloatArray:
    """Return the first or the last time of each user; infinite if there is none."""
    extreme = np.full(n, -np.inf if which is np.maximum else np.inf)
    which.at(extreme, user, time)
    return extreme


def _misplaced(train: Any, test: Any) -> int:
    """Return how many events are on the wrong side of the time that separates the parts best."""
    trained, tested = np.sort(train.timestamp), np.sort(test.timestamp)
    late = len(trained) - np.searchsorted(trained, trained, side="right")
    return int((late + np.searchsorted(tested, trained, side="right")).min())
