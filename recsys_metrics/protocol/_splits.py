"""Split interactions into training and test parts."""

from __future__ import annotations

import datetime
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.checks import (
    MOST_REPEATS,
    Seed,
    check_choice,
    check_count,
    check_share,
    generator,
)
from recsys_metrics._core.inputs.arrays import BoolArray
from recsys_metrics._core.inputs.several import read_several
from recsys_metrics._core.inputs.times import parse_iso_time, read_times
from recsys_metrics._core.iso_times import AmbiguousTimeError
from recsys_metrics.interactions import Interactions, check_interactions

Within = Literal["all", "user"]

# So that 0.7 of 90 events is 63: in binary 90 * 0.7 falls just short of it.
ROUNDING = 1e-9
DEFAULT_SHARE = 0.2
"""Of the events, to test in a temporal split."""


class EmptyPartError(ValueError):
    """A temporal split would leave one of its parts without events.

    Parameters
    ----------
    times : (n,) array
        Of all events, in seconds since 1970.
    cutoff : float
        The last time that trains.
    at
        The same as it was given; None if a share of the events was to be tested.
    test_share : float, optional
        That share, if it was given.
    """

    def __init__(
        self, times: NDArray[Any], cutoff: float, *, at: Any, test_share: float | None
    ) -> None:
        self.times, self.cutoff, self.at, self.test_share = times, cutoff, at, test_share
        super().__init__(self.describe("at=", "test_share"))

    def describe(self, at: str, test_share: str, show: Callable[[float], str] = str) -> str:
        """Return the message with the names of two options, and times as `show` writes them."""
        n, first, last = len(self.times), self.times.min().item(), self.times.max().item()
        if self.at is not None:
            part, when = ("all", "an earlier") if last <= self.cutoff else ("none", "a later")
            return (
                f"with the cut-off time {at}{self.at!s:.60}, {part} of the {n:,} events would "
                f"train; they lie between {show(first)} and {show(last)}. Give {when} time"
            )
        share = f"{DEFAULT_SHARE:g} by default" if self.test_share is None else self.test_share
        tied = int((self.times == last).sum())
        if tied == n:
            return (
                f"the log cannot be split by time: {n:,} event{'s' * (n > 1)}, and one time, "
                f"{show(last)}"
            )
        why = f"that share of {n:,} events is less than one event"
        if int(n * (self.test_share or DEFAULT_SHARE) + ROUNDING):
            why = (
                f"the last {tied:,} of the {n:,} events have the same time, {show(last)}, and stay "
                "together"
            )
        cure = f"Give {test_share} a larger value, or the last time that trains, {at.rstrip('= ')}"
        return f"no event would be tested with {test_share} ({share}): {why}. {cure}"


@dataclass(frozen=True)
class Split:
    """Two parts of one table; unpacks as ``train, test = split``.

    Attributes
    ----------
    train, test : Interactions
        With the users and items of the whole.
    cutoff_time : int, float or None
        The last time that belongs to `train`, in seconds since 1970; None if each user has
        another.

    Examples
    --------
    >>> from recsys_metrics.interactions import Interactions
    >>> from recsys_metrics.protocol import temporal_split
    >>> split = temporal_split(Interactions([0, 1, 0], [0, 1, 2], timestamp=[10, 30, 20]), at=20)
    >>> len(split.train), len(split.test), split.cutoff_time
    (2, 1, 20)
    """

    train: Interactions
    test: Interactions
    cutoff_time: float | None = None

    def __iter__(self) -> Iterator[Interactions]:
        return iter((self.train, self.test))


def temporal_split(
    interactions: Interactions, *, at: Any = None, test_share: float | None = None
) -> Split:
    """Train on the past and test on the future, with one cut-off time for all users.

    Parameters
    ----------
    interactions : Interactions
        With timestamps.
    at : int, float, date, datetime or str, optional
        The last time that trains: seconds since 1970, a date (its first second), a datetime, or
        the text of one in ISO's form. Without a time zone it is read as UTC.
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
    TypeError
        If `at` is no time.

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
    times = times_of(interactions)
    if at is not None and test_share is not None:
        raise ValueError("give either at or test_share, not both")
    if at is not None:
        cutoff = _parse_time(at)
    else:
        share = check_share("test_share", DEFAULT_SHARE if test_share is None else test_share)
        # The time of the last event that trains if exactly this share were tested.
        cutoff = np.sort(times)[len(times) - int(len(times) * share + ROUNDING) - 1].item()
    trains = times <= cutoff
    if trains.all() or not trains.any():
        raise EmptyPartError(times, cutoff, at=at, test_share=test_share)
    return Split(interactions.take(trains), interactions.take(~trains), cutoff_time=cutoff)


def rolling_splits(
    interactions: Interactions,
    *,
    at: Sequence[Any] | None = None,
    n_splits: int | None = None,
    test_share: float | None = None,
    window: int | None = None,
) -> Iterator[Split]:
    """Train on the past and test on what follows, at several cut-off times.

    Parameters
    ----------
    interactions : Interactions
        With timestamps.
    at : sequence of int, float, date, datetime or str, optional
        The last time that trains in each split, as in `temporal_split`, ascending. A split tests
        what follows up to the next of them; the last one tests all that follows.
    n_splits : int, optional
        Instead of `at`: how many splits, which test about as many events each. By default 5.
    test_share : float, optional
        Together with `n_splits`: about which share of the events is tested by all of them
        together. By default 0.5.
    window : int, optional
        How many seconds before its moment train in each split: the window slides. By default the
        whole past trains, and the window grows.

    Returns
    -------
    iterator of Split
        Each is made when it is asked for, so that not all of them are in memory at once.

    Raises
    ------
    ValueError
        If there are no timestamps, the moments do not rise, `at` comes with what it replaces, or
        a part would be empty.
    TypeError
        If a moment is no time, or the window no whole number.

    Notes
    -----
    As in `temporal_split` nothing that trains is later than what it is tested on. The values of
    the splits are those of one method at several moments; they share training events, so their
    spread says less than as many independent values would.

    Examples
    --------
    >>> from recsys_metrics.interactions import Interactions
    >>> from recsys_metrics.protocol import rolling_splits
    >>> log = Interactions([0, 0, 1, 1], [0, 1, 0, 2], timestamp=[10, 40, 20, 30])
    >>> for train, test in rolling_splits(log, at=[10, 20]):
    ...     print(train.timestamp.tolist(), test.timestamp.tolist())
    [10] [20]
    [10, 20] [40, 30]
    """
    times = times_of(interactions)
    if at is not None:
        if n_splits is not None or test_share is not None:
            raise ValueError("give either at, or n_splits and test_share")
        moments = [_parse_time(each) for each in read_several("at", at, "times")]
    else:
        n = check_count("n_splits", 5 if n_splits is None else n_splits, most=MOST_REPEATS)
        share = check_share("test_share", 0.5 if test_share is None else test_share)
        tested = int(len(times) * share + ROUNDING)
        # The time of the last event that trains if exactly so many were tested.
        places = len(times) - 1 - tested + tested * np.arange(n) // n
        moments = np.partition(times, places)[places].tolist()
    length = None if window is None else check_count("window", window, meaning="seconds")
    rises = all(one < next_ for one, next_ in pairwise(moments))
    if not moments or not rises:
        cure = "give fewer splits" if at is None else "give each time once, the earliest first"
        raise ValueError(f"the times {moments!r:.80} do not increase; {cure}")
    return _make_rolling_split(interactions, times, moments, length)


def _make_rolling_split(
    interactions: Interactions, times: NDArray[Any], moments: list[Any], window: int | None
) -> Iterator[Split]:
    for moment, until in zip_longest(moments, moments[1:], fillvalue=times.max().item()):
        trains = times <= moment
        if window is not None:
            trains &= longer_than(times, moment - window, 0)
        tests = (times > moment) & (times <= until)
        for part, events in (("train", trains), ("be tested", tests)):
            if not events.any():
                raise ValueError(
                    f"with the cut-off time {moment}, no event would {part}; they lie "
                    f"between {times.min()} and "
                    f"{times.max()}"
                )
        yield Split(interactions.take(trains), interactions.take(tests), cutoff_time=moment)


def leave_last_n_out(
    interactions: Interactions, *, n: int = 1, share: float | None = None
) -> Split:
    """Hold out the last events of each user.

    Parameters
    ----------
    interactions : Interactions
        With timestamps.
    n : int
        How many of each user's last events are held out. A user with fewer keeps at least one.
    share : float, optional
        Instead of `n`: which share of them, rounded down, but at least one if the user has two.

    Returns
    -------
    Split
        `train` holds the rest. Events at one time are taken in the order of their rows.

    Raises
    ------
    TypeError, ValueError
        If there are no timestamps, n is no whole number of 1 or more, share is not between 0
        and 1, or both are given.

    Notes
    -----
    Within one user nothing leaks. Across users it does: one user's training events may be
    later than another's held-out ones.

    Examples
    --------
    >>> from recsys_metrics.interactions import Interactions
    >>> from recsys_metrics.protocol import leave_last_n_out
    >>> log = Interactions([0, 0, 1, 1, 1], [0, 1, 0, 2, 1], timestamp=[10, 40, 20, 30, 5])
    >>> train, hidden = leave_last_n_out(log)
    >>> hidden.user.tolist(), hidden.item.tolist()
    ([0, 1], [1, 2])
    """
    times = times_of(interactions)
    n = check_count("n", n, meaning="how many events to hold out")
    if share is not None:
        share = check_share("share", share)
        if n != 1:
            raise ValueError(f"give either n or share, not both; got n={n} and share={share}")
    tested = _last_of_each_user(interactions, times, n, share)
    return Split(interactions.take(~tested), interactions.take(tested))


def random_split(
    interactions: Interactions,
    *,
    test_share: float | None = None,
    n: int | None = None,
    within: Within = "all",
    seed: Seed = 0,
) -> Split:
    """Hold out events drawn at random.

    Parameters
    ----------
    interactions : Interactions
        Timestamps are not needed, nor looked at.
    test_share : float, optional
        Which share is tested, rounded down: of all events, or of those of each user, but then at
        least one if the user has two. By default 0.2.
    n : int, optional
        Instead of `test_share`, with `within="user"`: how many events of each user are held out.
        A user with fewer keeps at least one.
    within : {"all", "user"}
        Whether events are drawn from the whole table or from each user's.
    seed : int or numpy.random.Generator
        The same seed gives the same split.

    Returns
    -------
    Split
        Both parts keep the order of the rows.

    Raises
    ------
    TypeError, ValueError
        If a share is not between 0 and 1, both `n` and `test_share` are given, `n` is given
        without `within="user"`, or a part would be empty.

    Notes
    -----
    It trains on the future: events after the one that is tested, of the same user and of all
    others. `leakage` counts them.

    Examples
    --------
    One random event of each user, the random leave-one-out:

    >>> from recsys_metrics.interactions import Interactions
    >>> from recsys_metrics.protocol import random_split
    >>> log = Interactions([0, 0, 0, 1, 1], [0, 1, 2, 0, 2])
    >>> train, test = random_split(log, within="user", n=1, seed=7)
    >>> len(train), test.user.tolist()
    (3, [0, 1])
    """
    check_choice("within", within, Within)
    if n is not None and test_share is not None:
        raise ValueError("give either test_share or n, not both")
    if n is not None and within != "user":
        raise ValueError("n counts events of each user; pass within='user', or give test_share")
    share = check_share("test_share", 0.2 if test_share is None else test_share)
    check_interactions("interactions", interactions)
    events = len(interactions)
    if not events:
        raise ValueError("there is no event to split")
    lot = generator(seed).permutation(events)
    if within == "all":
        tested = np.zeros(events, dtype=bool)
        tested[lot[: int(events * share + ROUNDING)]] = True
    elif n is None:
        tested = _last_of_each_user(interactions, lot, 1, share)
    else:
        tested = _last_of_each_user(interactions, lot, check_count("n", n))
    if not tested.any() or tested.all():
        raise ValueError(
            f"of {events} events {int(tested.sum())} would be tested; a split needs at least one "
            "event on either side"
        )
    return Split(interactions.take(~tested), interactions.take(tested))


class Folds(Sequence[Split]):
    """The splits of `k_folds`, each made when it is requested.

    Examples
    --------
    >>> from recsys_metrics.interactions import Interactions
    >>> from recsys_metrics.protocol import k_folds
    >>> folds = k_folds(Interactions([0, 0, 0, 1, 1], [0, 1, 2, 0, 2]), n_folds=2)
    >>> len(folds), len(folds[-1].test), [len(train) for train, test in folds]
    (2, 2, [2, 3])
    """

    def __init__(self, interactions: Interactions, fold: NDArray[Any], n_folds: int) -> None:
        self._interactions = interactions
        self._fold = fold
        self._numbers = range(n_folds)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, number: int) -> Split: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[Split, ...]: ...

    def __getitem__(self, number: int | slice) -> Split | tuple[Split, ...]:
        if isinstance(number, slice):
            return tuple(self[each] for each in self._numbers[number])
        tested = self._fold == self._numbers[number]
        return Split(self._interactions.take(~tested), self._interactions.take(tested))

    def __repr__(self) -> str:
        return f"Folds({len(self)} of {self._interactions!r})"


def k_folds(
    interactions: Interactions, *, n_folds: int = 5, within: Within = "all", seed: Seed = 0
) -> Folds:
    """Test every event once, in as many splits as there are folds.

    Parameters
    ----------
    interactions : Interactions
        Timestamps are not needed, nor looked at.
    n_folds : int
        2 or more.
    within : {"all", "user"}
        Whether the whole table is dealt out, or each user's events are, so that every fold has
        about the same share of each user.
    seed : int or numpy.random.Generator
        The same seed gives the same folds.

    Returns
    -------
    Folds
        A sequence of `Split`; the sizes of the tested parts differ by at most one event. A split
        is cut when it is asked for, so that one fold after another takes the memory of one.

    Raises
    ------
    TypeError, ValueError
        If n_folds is below 2 or there are fewer events than folds.

    Notes
    -----
    Like any random split it trains on the future. The folds share most of their training
    events, so their values are not independent, and the spread over folds is smaller than that
    over new data.

    Examples
    --------
    >>> from recsys_metrics.interactions import Interactions
    >>> from recsys_metrics.protocol import k_folds
    >>> log = Interactions([0, 0, 0, 1, 1], [0, 1, 2, 0, 2])
    >>> [len(test) for train, test in k_folds(log, n_folds=2)]
    [3, 2]
    """
    check_choice("within", within, Within)
    check_interactions("interactions", interactions)
    folds = check_count("n_folds", n_folds, 2)
    events = len(interactions)
    if events < folds:
        raise ValueError(f"{events} events cannot be dealt out to {folds} folds")
    order = generator(seed).permutation(events)
    if within == "user":
        # One after another, user by user, like cards: both sizes come out even.
        order = order[np.argsort(interactions.user[order], kind="stable")]
    fold = np.empty(events, dtype=np.min_scalar_type(folds))
    fold[order] = np.resize(np.arange(folds, dtype=fold.dtype), events)
    return Folds(interactions, fold, folds)


def _last_of_each_user(
    interactions: Interactions, order: NDArray[Any], n: int, share: float | None = None
) -> BoolArray:
    """Return which events come last for their user: n, or a share; at least one stays behind."""
    counts = np.bincount(interactions.user, minlength=interactions.n_users)
    last = np.full(len(counts), n)
    if share is not None:
        last = np.maximum((counts * share + ROUNDING).astype(int), 1)
    last = np.minimum(last, np.maximum(counts - 1, 0))
    # The last places of each user's, where the rows stand user by user.
    begins = np.cumsum(counts) - np.cumsum(last)
    places = np.arange(int(last.sum())) + np.repeat(begins, last)
    are_last = np.zeros(len(order), dtype=bool)
    are_last[user_by_user(interactions.user, order)[places]] = True
    return are_last


def user_by_user(users: NDArray[Any], order: NDArray[Any]) -> NDArray[np.intp]:
    """Return the rows user by user, each user's in order, and in that of the rows where it ties.

    It is `np.lexsort((order, users))`, in a third of the time and less memory where both fit one
    number.
    """
    if not len(users):
        return np.zeros(0, dtype=np.intp)
    if order.dtype.kind == "f":
        return np.lexsort((order, users))
    least, span = int(order.min()), int(order.max()) - int(order.min()) + 1
    if (int(users.max()) + 1) * span >= 2**63:
        return np.lexsort((order, users))
    keys = users.astype(np.int64)
    keys *= span
    keys += order
    keys -= least
    rows = np.argsort(keys)
    keys = keys[rows]
    # Sorted without regard to the order of equal ones, which is put right for those alone.
    equal = np.zeros(len(keys) + 1, dtype=bool)
    np.equal(keys[1:], keys[:-1], out=equal[1:-1])
    tied = np.flatnonzero(equal[1:] | equal[:-1])
    rows[tied] = rows[tied][np.lexsort((rows[tied], keys[tied]))]
    return rows


def _parse_time(at: Any) -> float:
    """Return a time as the timestamps have it: seconds since 1970, a date, a datetime or a text."""
    if isinstance(at, str):
        try:
            parse_iso_time(at)
        except AmbiguousTimeError as problem:
            raise ValueError(f"at={problem}") from None
        except ValueError:
            raise ValueError(
                f"at={at!r:.60} is no time in ISO's form, such as 2024-01-31 or "
                "2024-01-31T18:30:00+01:00"
            ) from None
    if isinstance(at, str | np.datetime64 | datetime.date) or hasattr(at, "tzinfo"):
        moment: float = read_times([at], "at")[0].item()
        return moment
    if isinstance(at, float) and math.isfinite(at):
        return float(at)
    try:
        if isinstance(at, bool | np.bool_ | np.timedelta64):
            raise TypeError
        return operator.index(at)
    except TypeError:
        raise TypeError(
            f"at is a date, a datetime, or a number of seconds since 1970; got {at!r:.60}"
        ) from None


def longer_than(times: NDArray[Any], since: Any, seconds: int) -> BoolArray:
    """Return which times are more than so many seconds after others.

    The difference of two floats is off by less than a microsecond, which counts as none.
    """
    apart = times - since
    if apart.dtype.kind != "f":
        return np.asarray(apart > seconds)
    return np.asarray(np.rint(apart * 10**6) > seconds * 10**6)


def times_of(interactions: Interactions) -> NDArray[Any]:
    """Return the timestamps; raise if there are none, or no event."""
    check_interactions("interactions", interactions)
    if interactions.timestamp is None:
        raise ValueError(
            "a split by time needs timestamps, and these interactions have none; "
            "pass timestamp= when you make them"
        )
    if not len(interactions):
        raise ValueError("there is no event to split")
    return interactions.timestamp
