"""Sessions: runs of a user's events without a long pause."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.checks import check_count
from recsys_metrics._core.inputs.arrays import IndexArray
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol._splits import Split, longer_than, times_of, user_by_user

_GAP = 1800


def sessions(interactions: Interactions, *, gap: int = _GAP) -> NDArray[np.intp]:
    """Which events belong to one visit?

    Parameters
    ----------
    interactions : Interactions
        With timestamps.
    gap : int
        The longest pause within a session, in seconds; by default half an hour.

    Returns
    -------
    (n,) array of int
        The number of each event's session, from 0: user by user, the earliest first.

    Raises
    ------
    TypeError, ValueError
        If there are no timestamps, or the gap is no whole number of 1 or more.

    Notes
    -----
    With the sessions in the place of the users, `leave_last_n_out` hides the last event of each
    session, to be told from those before it.

    Examples
    --------
    >>> from recsys_metrics.interactions import Interactions
    >>> from recsys_metrics.protocol import leave_last_n_out, sessions
    >>> log = Interactions([0, 0, 1, 0], [3, 1, 2, 0], timestamp=[60, 0, 90, 9_000])
    >>> sessions(log).tolist()
    [0, 0, 2, 1]
    >>> visits = Interactions(sessions(log), log.item, timestamp=log.timestamp)
    >>> leave_last_n_out(visits).test.item.tolist()
    [3]
    """
    return _number_sessions(interactions, gap)[0]


def leave_last_session_out(interactions: Interactions, *, gap: int = _GAP) -> Split:
    """Hold out the last session of each user.

    Parameters
    ----------
    interactions : Interactions
        With timestamps.
    gap : int
        The longest pause within a session, in seconds, as in `sessions`.

    Returns
    -------
    Split
        The events of a user with one session all train.

    Raises
    ------
    TypeError, ValueError
        As in `sessions`; also if no user has two sessions.

    Notes
    -----
    A session is held out as a whole, so that no test event is given away by events of the same
    visit. Across users the future leaks, as in `leave_last_n_out`.

    Examples
    --------
    >>> from recsys_metrics.interactions import Interactions
    >>> from recsys_metrics.protocol import leave_last_session_out
    >>> log = Interactions([0, 0, 1, 0], [3, 1, 2, 0], timestamp=[60, 0, 90, 9_000])
    >>> train, hidden = leave_last_session_out(log)
    >>> hidden.item.tolist()
    [0]
    """
    number, per_user = _number_sessions(interactions, gap)
    last = np.where(per_user > 1, np.cumsum(per_user) - 1, -1)
    tested = number == last[interactions.user]
    if not tested.any():
        raise ValueError(
            f"no user has two sessions with a pause of more than {gap} seconds between them, so "
            "nothing can be held out; give a shorter gap"
        )
    return Split(interactions.take(~tested), interactions.take(tested))


def _number_sessions(interactions: Interactions, gap: int) -> tuple[IndexArray, IndexArray]:
    """Return the number of each event's session, and how many sessions each user has."""
    longest = check_count("gap", gap, meaning="the longest pause within a session, in seconds")
    times = times_of(interactions)
    rows = user_by_user(interactions.user, times)
    users, times = interactions.user[rows], times[rows]
    begins = np.ones(len(rows), dtype=bool)
    begins[1:] = (users[1:] != users[:-1]) | longer_than(times[1:], times[:-1], longest)
    number = np.empty(len(rows), dtype=np.intp)
    number[rows] = np.cumsum(begins) - 1
    return number, np.bincount(users[begins], minlength=interactions.n_users)
