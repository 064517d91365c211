"""Per-user values behind a report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.arithmetic import ROUNDING, rounding_of
from recsys_metrics._core.checks import missing_entries
from recsys_metrics._core.inputs.arrays import as_labels
from recsys_metrics._core.inputs.fingerprint import Digests
from recsys_metrics._core.inputs.frames import (
    ColumnError,
    by_key,
    entries_of,
    find_column,
    in_memory,
    is_column,
    is_frame,
    refuse_unsorted_numbers,
)
from recsys_metrics._core.inputs.ids import id_kinds, refuse_names_alike
from recsys_metrics._core.inputs.users import check_same_users
from recsys_metrics._core.sorted_arrays import factorize
from recsys_metrics.evaluation._aggregate import Aggregate, FloatArray, PairedAggregates
from recsys_metrics.measures import Measure
from recsys_metrics.protocol.significance._gains import changed_gains


class UserValues(ABC):
    """One value per user and measure, if they were kept."""

    @property
    @abstractmethod
    def in_memory(self) -> MemoryValues:
        """The values as arrays."""

    @abstractmethod
    def by_group(
        self, groups: Any, measures: Sequence[Measure]
    ) -> tuple[dict[Hashable, int], dict[Measure, dict[Hashable, Aggregate]]]:
        """Return the size of each group, and each measure's aggregates by group."""

    @abstractmethod
    def paired(
        self, old: UserValues, measures: Sequence[Measure]
    ) -> dict[Measure, PairedAggregates]:
        """Return what the gains over the same users' values in another report come to."""


@dataclass(frozen=True)
class GroupsByUser:
    """The groups of some users, as a table has them; the others are in no group.

    Attributes
    ----------
    by_user : mapping
    """

    by_user: Mapping[Hashable, Any]


def names_its_users(groups: Any) -> bool:
    """Return whether groups name the users that are in one, so that others may be in none."""
    return is_frame(groups) or isinstance(groups, GroupsByUser)


@dataclass(frozen=True)
class MemoryValues(UserValues):
    """Values in arrays.

    Attributes
    ----------
    by_measure : mapping from Measure to (n,) array
        NaN for users who are left out.
    users : tuple or None
        The users' keys in that order, where the lists came keyed by user.
    n_relevant : (n,) array
        How many items are relevant to each user.
    digests : (n,) array of uint64 or None
        A digest of what is relevant to each user, so that reports of different truths are not
        compared.
    may_compare : bool
        False where no digests were kept on request.
    """

    by_measure: Mapping[Measure, FloatArray]
    users: tuple[Hashable, ...] | None
    n_relevant: NDArray[Any]
    digests: Digests | None = None
    may_compare: bool = True

    @property
    def in_memory(self) -> MemoryValues:
        """These values."""
        return self

    def by_group(
        self, groups: Any, measures: Sequence[Measure]
    ) -> tuple[dict[Hashable, int], dict[Measure, dict[Hashable, Aggregate]]]:
        """Group values by an array in the order of the users, a mapping or a table of users."""
        names, sizes, members = self._split_by_group(groups)
        found = {
            measure: {
                name: Aggregate.from_values(self.by_measure[measure][rows])
                for name, rows in zip(names, members, strict=True)
            }
            for measure in measures
        }
        return dict(zip(names, sizes, strict=True)), found

    def find_members(self, groups: Any) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return the users who are in a group, and which; of a table those who have a row in it."""
        if not names_its_users(groups):
            return np.arange(len(self.n_relevant)), self.labels(groups)
        if self.users is None:
            raise TypeError(
                "groups is a table of users, so the lists must be keyed by user, too; with an "
                "array pass users="
            )
        by_user = groups.by_user if isinstance(groups, GroupsByUser) else read_groups(groups)
        ours, theirs = map(id_kinds, (self.users, by_user))
        if ours and theirs and ours != theirs:
            raise ValueError(
                f"groups has {' and '.join(sorted(theirs))} as the user and the report "
                f"{' and '.join(sorted(ours))}, so they can never match; cast the column"
            )
        check_same_users(self.users, by_user, "the report", "groups", must_meet=False)
        rows = np.array([row for row, user in enumerate(self.users) if user in by_user], np.intp)
        if not len(rows):
            raise ValueError("no user of the report is in the table of groups")
        labels = [by_user[self.users[row]] for row in rows.tolist()]
        return rows, as_labels(labels, "groups", fill="'none'")

    def labels(self, groups: Any, grouping: str = "group") -> NDArray[Any]:
        """Return the group of each user in their order."""
        n = len(self.n_relevant)
        groups = self._by_index(groups, grouping)
        if isinstance(groups, Mapping):
            if self.users is None:
                raise TypeError(
                    f"the grouping {grouping!r} is keyed by user, so the lists must be too; "
                    "with an array pass users="
                )
            without = [user for user in self.users if user not in groups]
            if without:
                raise ValueError(
                    f"the grouping {grouping!r} has no group for user {without[0]!r}"
                    f"{_explain_other_kinds(self.users, groups)}"
                )
            groups = [groups[user] for user in self.users]
        if isinstance(groups, str) or not hasattr(groups, "__iter__"):
            raise TypeError(
                f"the grouping {grouping!r} is {groups!r:.60}, and not the groups of the users; "
                "groups is a mapping from the name of a grouping: groups={'segment': groups}"
            )
        labels: NDArray[Any] = as_labels(groups, f"the grouping {grouping!r}", fill="'none'")
        if labels.shape != (n,):
            raise ValueError(
                f"the grouping {grouping!r} has shape {labels.shape}; give one group for each of "
                f"{n} lists"
            )
        missing = missing_entries(groups)
        if missing.any():
            row = int(missing.argmax())
            whose = f"list {row}" if self.users is None else f"user {self.users[row]!r}"
            raise ValueError(
                f"the grouping {grouping!r} contains {groups[row]!r} for {whose}; "
                "give users of unknown group a name of their own"
            )
        refuse_names_alike(labels.tolist(), f"the grouping {grouping!r} has the groups")
        return labels

    def _by_index(self, groups: Any, grouping: str) -> Any:
        """Return a column of pandas as a mapping where its index has ids like the users'."""
        if not is_column(groups):
            return groups
        name = f"the grouping {grouping!r}"
        if self.users is None:
            refuse_unsorted_numbers(name, groups, rows="list")
            return groups
        keyed = by_key(groups)
        if keyed is not None:
            return groups if id_kinds(keyed) != id_kinds(self.users) else keyed
        numbers = range(len(groups))
        if hasattr(groups, "iloc") and [*self.users] != [*numbers] and {*self.users} == {*numbers}:
            raise ValueError(
                f"{name} is a column with the index 0 to {len(groups) - 1}, and the users have "
                f"these numbers in another order, user {self.users[0]!r} first: are the labels "
                "users, or do they count the rows? For users pass .to_dict() of it, for rows in "
                "the order of the lists .to_numpy()"
            )
        return groups

    def paired(
        self, old: UserValues, measures: Sequence[Measure]
    ) -> dict[Measure, PairedAggregates]:
        """Pair users by their keys, or by their place where there are none."""
        other = old.in_memory
        order = self.match_users(other)
        return {
            measure: _pair_values(self.by_measure[measure], other.by_measure[measure][order])
            for measure in measures
        }

    def paired_by_group(
        self, old: MemoryValues, groups: Any, measures: Sequence[Measure]
    ) -> tuple[dict[Hashable, int], dict[Measure, dict[Hashable, PairedAggregates]]]:
        """Return the size of each group, and what the paired gains of its users come to."""
        order = self.match_users(old)
        names, sizes, members = self._split_by_group(groups)
        found = {
            measure: {
                name: _pair_values(
                    self.by_measure[measure][rows], old.by_measure[measure][order][rows]
                )
                for name, rows in zip(names, members, strict=True)
            }
            for measure in measures
        }
        return dict(zip(names, sizes, strict=True)), found

    def _split_by_group(
        self, groups: Any
    ) -> tuple[list[Hashable], list[int], list[NDArray[np.intp]]]:
        """Return the names of the groups, their sizes, and the rows of the users of each."""
        rows, labels = self.find_members(groups)
        try:
            names, number = factorize(labels)
        except TypeError:
            raise TypeError("groups must be of one kind that can be sorted, such as text") from None
        order = np.argsort(number, kind="stable")
        starts = np.searchsorted(number[order], np.arange(1, len(names)))
        sizes = np.bincount(number, minlength=len(names))
        return names.tolist(), sizes.tolist(), np.split(rows[order], starts)

    def of_users(self, users: Sequence[Hashable]) -> MemoryValues:
        """Return the values of some of the users, in the order given."""
        place = {user: row for row, user in enumerate(self.users or ())}
        rows = np.array([place[user] for user in users], dtype=np.intp)
        return replace(
            self,
            by_measure={measure: values[rows] for measure, values in self.by_measure.items()},
            users=tuple(users),
            n_relevant=self.n_relevant[rows],
            digests=None if self.digests is None else self.digests[rows],
        )

    def match_users(self, old: MemoryValues) -> Any:
        """Return where each user of these values stands in the old ones."""
        if not (self.may_compare and old.may_compare):
            raise ValueError(
                "a report was evaluated with digests=False, so it is not known whether both are of "
                "the same users and the same truth; evaluate with digests=True to compare"
            )
        if (self.users is None) != (old.users is None):
            raise ValueError(
                "one report is keyed by user and the other is not, so users cannot be paired. "
                "Make lists of ids from an array of item numbers, "
                "convert.lists_from_array(array, users=…, items=…), and evaluate both by user"
            )
        n, m = len(self.n_relevant), len(old.n_relevant)
        if self.users is not None and old.users is not None:
            refuse_other_users(self.users, old.users)
        elif n != m:
            raise ValueError(f"the reports are of {n:,} and {m:,} users; compare on the same users")
        order: Any = np.arange(n)
        if self.users is not None and old.users is not None and self.users != old.users:
            position = {user: i for i, user in enumerate(old.users)}
            order = np.array([position[user] for user in self.users])
        differs = self.n_relevant != old.n_relevant[order]
        if self.digests is not None and old.digests is not None:
            differs |= self.digests != old.digests[order]
        if differs.any():
            row = int(differs.argmax())
            who = f"user {self.users[row]!r}" if self.users is not None else f"list {row}"
            ours, theirs = self.n_relevant[row], old.n_relevant[order][row]
            what = f"{ours} and {theirs} items" if ours != theirs else f"{ours} items, not the same"
            n_users = int(np.count_nonzero(differs))
            cure = "evaluate both against the same"
            if n_users == n:
                cure += (
                    ". If one names items by their number and the other by their id, turn the "
                    "numbers into ids: convert.lists_from_array(array, users=…, items=…)"
                )
            raise ValueError(
                f"the reports do not agree on what is relevant to {n_users:,} of {n:,} users, "
                f"{who} for one: {what}. A difference over another truth means nothing; {cure}"
            )
        return order


def _explain_other_kinds(users: Collection[Hashable], groups: Collection[Hashable]) -> str:
    """Return the cure where groups are keyed by ids of another kind than the users'."""
    ours, theirs = map(id_kinds, (users, groups))
    if not ours or not theirs or ours == theirs:
        return ""
    return (
        f"; its users are {' and '.join(sorted(theirs))} and those of the report "
        f"{' and '.join(sorted(ours))}, so they can never match. Evaluate with users= of the same "
        "kind"
    )


def read_groups(table: Any) -> Mapping[Hashable, Any]:
    """Return the group of each user of a table.

    Raises
    ------
    ValueError
        If it has no columns of users and groups, or not one group for each user.
    """
    frame = in_memory(table, "groups")
    try:
        columns = [find_column(frame, role, None, needed=True) for role in ("user", "group")]
    except ColumnError as error:
        raise ValueError(
            "groups is a table and needs a column of users and one of their groups, called user "
            f"and group or the like: {error.problem}. Rename the columns, or pass a mapping from "
            "user to group"
        ) from None
    try:
        return group_by_user(*map(entries_of, columns))
    except ValueError as problem:
        raise ValueError(f"groups {problem}") from None


def group_by_user(users: Sequence[Any], groups: Sequence[Any]) -> dict[Hashable, Any]:
    """Return the group of each user, of the rows of a table.

    Raises
    ------
    ValueError
        If a row lacks a user or a group, two groups look alike, or a user is in several groups;
        the message goes on from the name of the table.
    """
    for role, column in (("user", users), ("group", groups)):
        if n_missing := int(np.count_nonzero(missing_entries(column))):
            rows = f"{n_missing:,} row{'s' if n_missing != 1 else ''}"
            raise ValueError(f"has {rows} without a {role}; leave them out")
    refuse_names_alike(groups, "has the groups")
    by_user: dict[Hashable, Any] = {}
    pairs = zip(users, groups, strict=True)
    several: dict[Hashable, Any] = {}
    for user, group in pairs:
        if by_user.setdefault(user, group) != group:
            several.setdefault(user, group)
    if several:
        user, group = next(iter(several.items()))
        n_users = f"{len(several):,} user{'s' if len(several) != 1 else ''}"
        raise ValueError(
            f"has {n_users} in several groups, user {user!r} in {by_user[user]!r} and {group!r} "
            "for one; keep one row for each user"
        )
    return by_user


def refuse_other_users(new: Collection[Hashable], old: Collection[Hashable]) -> None:
    """Raise if two reports are of different users."""
    ours, theirs = {*new}, {*old}
    sides = [
        f"{len(alone):,} only in {words}, {min(alone, key=repr)!r} for one"
        for alone, words in ((ours - theirs, "this report"), (theirs - ours, "the other"))
        if alone
    ]
    if sides:
        raise ValueError(
            f"the reports are of {len(ours):,} and {len(theirs):,} users, {' and '.join(sides)}. "
            f"Evaluate both on the same users, or pass users='shared' to compare on the "
            f"{len(ours & theirs):,} that both have"
        )


class NoValues(UserValues):
    """No values, where only sums of them were kept."""

    @property
    def in_memory(self) -> MemoryValues:
        """What there is none of."""
        raise ValueError(
            "the values of single users were not stored, so there are no groups, comparisons or "
            "resamples of them; evaluate with keep='per_user', and save with per_user=True"
        )

    def by_group(self, groups: Any, measures: Sequence[Measure]) -> Any:
        """Raise: there is nothing to group."""
        return self.in_memory.by_group(groups, measures)

    def labels(self, groups: Any, grouping: str = "group") -> NDArray[Any]:
        """Raise: there is nothing to group."""
        return self.in_memory.labels(groups, grouping)

    def paired(
        self, old: UserValues, measures: Sequence[Measure]
    ) -> dict[Measure, PairedAggregates]:
        """Raise: there is nothing to pair."""
        return self.in_memory.paired(old, measures)


def _pair_values(new: FloatArray, old: FloatArray) -> PairedAggregates:
    both = ~(np.isnan(new) | np.isnan(old))
    new, old = new[both], old[both]
    gains = new - old
    # Two values of a user as near as this are one.
    near = rounding_of(np.concatenate([new, old])) + ROUNDING * np.abs(old)
    gains[np.abs(gains) <= near] = 0.0
    if not len(gains):
        return PairedAggregates(np.nan, np.nan, Aggregate.from_values(gains), 0, 0, gains)
    better, worse = (int(np.count_nonzero(side)) for side in (gains > 0, gains < 0))
    return PairedAggregates(
        float(new.mean()),
        float(old.mean()),
        Aggregate.from_values(gains),
        better,
        worse,
        changed_gains(gains),
    )
