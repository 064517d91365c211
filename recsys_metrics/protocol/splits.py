"""Split interactions into what a recommender may learn from and what it is tested on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.interactions import Interactions

# So that 0.7 of 90 events is 63: in binary 90 * 0.7 falls just short of it.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Split:
    """Two parts of one table; unpacks as ``train, test = split``.

    Attributes
    ----------
    train, test : Interactions
        With the users and items of the whole.
    cut : int or None
        The last time that belongs to `train`, in seconds since 1970; None if each user has
        another.
    """

    train: Interactions
    test: Interactions
    cut: int | None = None

    def __iter__(self) -> Iterator[Interactions]:
        return iter((self.train, self.test))


def temporal_split(
    interactions: Interactions, *, at: int | None = None, test_share: float | None = None
) -> Split:
    """Train on the past and test on the future, with one cut for everyone.

    Parameters
    ----------
    interactions : Interactions
        With timestamps.
    at : int, optional
        The last time that trains, in seconds since 1970.
    test_share : float, optional
        Instead of `at`: about which share of the events is tested. Events at one time stay
        together, so the share is never exceeded. By default 0.2.

    Returns
    -------
    Split
        Nothing in `train` is later than anything in `test`.

    Raises
    ------
    ValueError
        If there are no timestamps, both `at` and `test_share` are given, or a part would be
        empty.

    Notes
    -----
    Of the common splits only this one keeps the future of every user out of the training of
    every other.

    Examples
    --------
    >>> from recsys_metrics.interactions import Interactions
    >>> from recsys_metrics.protocol import temporal_split
    >>> log = Interactions([0, 0, 1, 1], [0, 1, 0, 2], timestamp=[10, 40, 20, 30])
    >>> train, test = temporal_split(log, at=20)
    >>> train.timestamp.tolist(), test.timestamp.tolist()
    ([10, 20], [40, 30])
    """
    times = _times(interactions)
    if at is not None and test_share is not None:
        raise ValueError("give either at or test_share, not both")
    if at is None:
        share = 0.2 if test_share is None else test_share
        if not 0 < share < 1:
            raise ValueError(f"test_share is a share between 0 and 1, got {share!r}")
        # The time of the last event that trains if exactly this share were tested.
        at = int(np.sort(times)[len(times) - int(len(times) * share + ROUNDING) - 1])
    trains = times <= at
    if trains.all() or not trains.any():
        raise ValueError(
            f"cut at {at}, {'all' if trains.all() else 'none'} of the {len(times)} events would "
            f"train; they lie between {times.min()} and {times.max()}"
        )
    return Split(interactions.take(trains), interactions.take(~trains), cut=int(at))


def leave_last_out(interactions: Interactions, *, n: int = 1, share: float | None = None) -> Split:
    """Hide the last events of each user.

    Parameters
    ----------
    interactions : Interactions
        With timestamps.
    n : int
        How many of each user's last events are hidden. A user with fewer keeps at least one.
    share : float, optional
        Instead of `n`: which share of them, rounded down, but at least one if the user has two.

    Returns
    -------
    Split
        `train` holds the rest. Events at one time are taken in the order of their rows.

    Raises
    ------
    ValueError
        If there are no timestamps, n is no whole number of 1 or more, share is not between 0
        and 1, or both are given.

    Notes
    -----
    Within one user nothing leaks. Across users it does: one user's training events may be
    later than another's hidden ones.

    Examples
    --------
    >>> from recsys_metrics.interactions import Interactions
    >>> from recsys_metrics.protocol import leave_last_out
    >>> log = Interactions([0, 0, 1, 1, 1], [0, 1, 0, 2, 1], timestamp=[10, 40, 20, 30, 5])
    >>> train, hidden = leave_last_out(log)
    >>> hidden.user.tolist(), hidden.item.tolist()
    ([0, 1], [1, 2])
    """
    times = _times(interactions)
    if share is not None and not 0 < share < 1:
        raise ValueError(f"share is between 0 and 1, got {share!r}")
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"n is how many events to hide, a whole number of 1 or more; got {n!r}")
    if share is not None and n != 1:
        raise ValueError(f"give either n or share, not both; got n={n} and share={share}")
    order = np.lexsort((np.arange(len(times)), times, interactions.user))
    counts = np.bincount(interactions.user, minlength=interactions.n_users)
    hidden = np.full(len(counts), n)
    if share is not None:
        hidden = np.maximum((counts * share + ROUNDING).astype(int), 1)
    hidden = np.minimum(hidden, np.maximum(counts - 1, 0))
    ends = np.cumsum(counts)
    owner = interactions.user[order]
    tested = np.zeros(len(times), dtype=bool)
    tested[order] = np.arange(len(times)) >= (ends - hidden)[owner]
    return Split(interactions.take(~tested), interactions.take(tested))


def _times(interactions: Interactions) -> NDArray[np.int64]:
    if interactions.timestamp is None:
        raise ValueError(
            "a split by time needs timestamps, and these interactions have none; "
            "pass timestamp= when you make them"
        )
    if not len(interactions):
        raise ValueError("there is no event to split")
    return interactions.timestamp
