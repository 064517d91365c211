"""Data leakage: test interactions that training can know of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.inputs.arrays import IndexArray
from recsys_metrics._core.sorted_arrays import distinct, factorize, is_in
from recsys_metrics.interactions import Interactions, check_interactions


@dataclass(frozen=True, eq=False, repr=False)
class Leakage:
    """What `leakage` found; its text is a report.

    Attributes
    ----------
    n_train, n_test : int
        Events in either part.
    later_rows : (n,) array of int or None
        Rows of the training part that are later than some test event; None without timestamps,
        like the four that follow.
    later : int or None
        How many such training events there are.
    later_within_user : int or None
        Training events later than some test event of the same user.
    pairs_across_users, pairs_within_user : int or None
        Pairs of a training and a test event in which the training event is later.
    tests_with_later_training : int or None
        Test events that some training event is later than.
    duplicates : int
        Test events whose user has the same item in training.
    cold_users, cold_items : (n,) array of int
        Users and items that are tested but never trained on.
    cold_events : int
        Test events of a cold user or with a cold item.

    Examples
    --------
    >>> from recsys_metrics.interactions import Interactions
    >>> from recsys_metrics.protocol import leakage, temporal_split
    >>> log = Interactions([0, 0, 1, 1], [0, 1, 2, 0], timestamp=[1, 2, 10, 11])
    >>> print(leakage(*temporal_split(log, at=2)))
    No training event is later than any test event.
    Test events whose user trained on the same item: 0.
    Tested but never trained on: users 1, items 1; test events with one of them: 2.
    """

    n_train: int
    n_test: int
    later_rows: IndexArray | None
    later_within_user: int | None
    pairs_across_users: int | None
    pairs_within_user: int | None
    tests_with_later_training: int | None
    duplicates: int
    cold_users: IndexArray
    cold_items: IndexArray
    cold_events: int

    @property
    def later(self) -> int | None:
        """How many training events are later than some test event."""
        return None if self.later_rows is None else len(self.later_rows)

    @property
    def leak_free(self) -> bool | None:
        """Whether no training event is later than any test event; None without timestamps."""
        return None if self.later_rows is None else not len(self.later_rows)

    def __str__(self) -> str:
        if self.later_rows is None:
            time = "There are no timestamps, so leakage from the future cannot be checked."
        elif not len(self.later_rows):
            time = "No training event is later than any test event."
        else:
            time = (
                f"Training events later than some test event: {len(self.later_rows):,} of "
                f"{self.n_train:,} (of the same user: {self.later_within_user:,}).\n"
                "Test events that some training event is later than: "
                f"{self.tests_with_later_training:,} of {self.n_test:,}."
            )
        return (
            f"{time}\n"
            f"Test events whose user trained on the same item: {self.duplicates:,}.\n"
            f"Tested but never trained on: users {len(self.cold_users):,}, items "
            f"{len(self.cold_items):,}; test events with one of them: {self.cold_events:,}."
        )

    def __repr__(self) -> str:
        return (
            f"Leakage(later={self.later}, later_within_user={self.later_within_user}, "
            f"duplicates={self.duplicates}, cold_users={len(self.cold_users)}, "
            f"cold_items={len(self.cold_items)})"
        )


def leakage(train: Interactions, test: Interactions) -> Leakage:
    """Are training events later than the events that are tested?

    Parameters
    ----------
    train, test : Interactions
        Two parts over the same users and items, as a `Split` has them. With timestamps in both,
        times are compared; an event at the same time is not later.

    Returns
    -------
    Leakage

    Raises
    ------
    ValueError
        If a part is empty, or the two number different users or items.

    Notes
    -----
    A model that trains on what happened after a test event knows the future of that event, even
    if it is another user's: it has seen what became popular since. Leaving out each user's last
    event keeps the order within a user only. Everything is counted by sorting, in
    O(n log n).

    References
    ----------
    Ji, Sun, Zhang and Li (2023), A critical study on data leakage in recommender system offline
    evaluation, ACM TOIS 41(3).

    Examples
    --------
    Ann's last event is at time 2, and Bob still trains on his of time 10:

    >>> from recsys_metrics.interactions import Interactions
    >>> from recsys_metrics.protocol import leakage, leave_last_n_out
    >>> log = Interactions([0, 0, 1, 1], [0, 1, 2, 3], timestamp=[1, 2, 10, 11])
    >>> found = leakage(*leave_last_n_out(log))
    >>> found.leak_free, found.later, found.later_within_user
    (False, 1, 0)
    """
    check_interactions("train", train)
    check_interactions("test", test)
    if not len(train) or not len(test):
        raise ValueError(f"there are {len(train)} training and {len(test)} test events; need both")
    for what in ("n_users", "n_items"):
        ours, theirs = getattr(train, what), getattr(test, what)
        if ours != theirs:
            raise ValueError(
                f"the parts number different {what[2:]}: {ours} in train and {theirs} in test; "
                "take both from one table"
            )
    known_users = np.zeros(train.n_users, dtype=bool)
    known_items = np.zeros(train.n_items, dtype=bool)
    known_users[train.user] = True
    known_items[train.item] = True
    cold = ~known_users[test.user] | ~known_items[test.item]
    later_rows, within, across_pairs, within_pairs, overtaken = _count_later(train, test)
    return Leakage(
        n_train=len(train),
        n_test=len(test),
        later_rows=later_rows,
        later_within_user=within,
        pairs_across_users=across_pairs,
        pairs_within_user=within_pairs,
        tests_with_later_training=overtaken,
        duplicates=int(is_in(_pairs(test), _pairs(train)).sum()),
        cold_users=distinct(test.user[~known_users[test.user]]).astype(np.intp),
        cold_items=distinct(test.item[~known_items[test.item]]).astype(np.intp),
        cold_events=int(cold.sum()),
    )


def _count_later(
    train: Interactions, test: Interactions
) -> tuple[IndexArray | None, int | None, int | None, int | None, int | None]:
    """Return the later rows, and what is counted of them; None everywhere without times."""
    if train.timestamp is None or test.timestamp is None:
        return None, None, None, None, None
    # Time as a place among all times, so that user and time fit one sortable number.
    moments, moment = factorize(np.concatenate([train.timestamp, test.timestamp]))
    trained, tested = np.split(moment, [len(train)])
    up_to = np.cumsum(np.bincount(tested, minlength=len(moments)))
    before = np.append(0, up_to)[trained]

    def keys(part: Interactions, moment: IndexArray) -> NDArray[np.int64]:
        return np.sort(part.user.astype(np.int64) * len(moments) + moment)

    own, later = keys(test, tested), keys(train, trained)
    per_user = np.bincount(test.user, minlength=test.n_users)
    first = (np.cumsum(per_user) - per_user)[later // len(moments)]
    own_before = np.searchsorted(own, later) - first
    pairs, own_pairs = int(before.sum()), int(own_before.sum())
    overtaken = int((test.timestamp < train.timestamp.max()).sum())
    return (
        np.flatnonzero(before > 0),
        int((own_before > 0).sum()),
        pairs - own_pairs,
        own_pairs,
        overtaken,
    )


def _pairs(events: Interactions) -> NDArray[np.int64]:
    keys: NDArray[np.int64] = events.user.astype(np.int64) * max(events.n_items, 1) + events.item
    return keys
