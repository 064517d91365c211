"""Ranked lists of any form as one table of item numbers.

A list is a row of the table, a rank a column, -1 an empty slot. Ids that are whole numbers are
their own numbers, so that they index an array of counts or features; others get one each, and
`Ids` remembers which.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, Literal

import numpy as np

from recsys_metrics._core.duplicates import repeat_in_rows, repeated, without
from recsys_metrics._core.inputs.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    as_array,
    is_array,
)
from recsys_metrics._core.inputs.frames import by_key, entries_of, is_column, refuse_frame
from recsys_metrics._core.inputs.ids import Ids, flatten, kind
from recsys_metrics._core.inputs.tables import distinct, is_full, pad, positions, ranks_used
from recsys_metrics._core.inputs.ties import ListTies, in_order_of_scores
from recsys_metrics._core.inputs.users import refuse_no_user

Repeats = Literal["raise", "drop", "blank"]
"""What becomes of an item that stands in a list once more.

"raise"  it is an error
"drop"   it is taken out, and what follows moves up
"blank"  it is taken out, and its rank stays used, as one whose item nobody wants
"""


@dataclass(frozen=True, eq=False)
class Lists:
    """Ranked lists as one table.

    Attributes
    ----------
    items : (n, K) array of int
        Number of the item at each rank, -1 for an empty slot.
    ids : Ids
        The id of each number.
    users : tuple or None
        Whose list each is, where the lists came keyed by user.
    single : bool
        Whether this is one list rather than many with one among them.
    scored : sequence of _Ranked, or None
        The lists that came as scores by item; None where none did.
    whole : (n,) array of int, or None
        How many ranks each list used before it was cut; None where none lost any.
    n_repeats : int or None
        How many repeats were taken out; None where one would have been an error.
    """

    items: IntArray
    ids: Ids
    users: tuple[Hashable, ...] | None
    single: bool
    scored: Sequence[_Ranked] | None = None
    whole: IndexArray | None = None
    n_repeats: int | None = None

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def filled(self) -> BoolArray:
        """Where a slot holds an item."""
        return self.items >= 0

    @cached_property
    def lengths(self) -> IntArray:
        """How many items each list holds."""
        if self.full:
            return np.full(len(self), self.items.shape[1])
        lengths: IntArray = self.filled.sum(axis=1)
        return lengths

    @cached_property
    def full(self) -> bool:
        """Whether no slot is empty."""
        return is_full(self.items)

    @property
    def ranks(self) -> IndexArray:
        """How many ranks each list uses, those that were cut off among them."""
        return ranks_used(self.items) if self.whole is None else self.whole

    def n_tied(self, cuts: Iterable[int]) -> int | None:
        """Return how many lists have equal scores on both sides of one of the cuts."""
        if self.scored is None:
            return None
        cuts = set(cuts)
        return sum(any(map(row.ties_at, cuts)) for row in self.scored)

    def name(self, row: int) -> str:
        """Return what an error calls a list."""
        return _name(row, self.users, self.single)

    def cut(self, k: int | None) -> Lists:
        """Return the first k ranks of each list."""
        return self if k is None else replace(self, items=self.items[:, :k])

    def without_repeats(self, how: Literal["drop", "blank"], k: int | None) -> Lists:
        """Return the first k ranks of the lists with each item once, and count the rest."""
        cells = repeated(self.items)
        items = without(self.items, cells, how) if cells.any() else self.items
        whole = None if k is None or k >= items.shape[1] else ranks_used(items)
        n_repeats = int(np.count_nonzero(cells))
        return replace(self, items=items[:, :k], whole=whole, n_repeats=n_repeats)

    def as_batch(self) -> Lists:
        """Return one list as many with one among them."""
        return replace(self, single=False) if self.single else self

    def with_labels(self) -> Lists:
        """Return the same lists, where whole numbers are ids like any other."""
        used = distinct(self.items)
        index: dict[Hashable, int] = {int(item): j for j, item in enumerate(used)}
        return replace(self, items=positions(self.items, used), ids=Ids(index))

    def with_users(self, users: Sequence[Hashable]) -> Lists:
        """Return the lists with an empty one behind them for each user who has none."""
        if self.users is None:
            return self
        served = set(self.users)
        extra = [user for user in users if user not in served]
        if not extra:
            return self
        empty = np.full((len(extra), self.items.shape[1]), -1, dtype=self.items.dtype)
        whole = None if self.whole is None else np.pad(self.whole, (0, len(extra)))
        items, users = np.concatenate([self.items, empty]), (*self.users, *extra)
        return replace(self, items=items, users=users, whole=whole)

    def finish(self, values: FloatArray) -> Any:
        """Return a float for one list, else the array."""
        return float(values[0]) if self.single else values


def read_lists(
    given: Any,
    name: str = "recommended",
    *,
    ids: Ids | None = None,
    repeats: Repeats | Literal["keep"] = "raise",
    ties: ListTies = "id",
    k: int | None = None,
) -> Lists:
    """Return lists of any form as a table; lists that were read before are returned as they are.

    `ids` continues the numbering of other lists, `ties` orders equal scores where scores by item
    came in place of lists. What stands below rank k is counted and not looked at, unless repeats
    above it may be taken out.
    """
    if isinstance(given, Lists):
        return given
    rows, users, single = _read_rows(given, name, ties)
    scored = [row for row in rows if isinstance(row, _Ranked)] if isinstance(rows, list) else []
    taken_out = repeats in ("drop", "blank")
    rows, whole = _cut(rows, None if taken_out else k)
    ids = ids or Ids({})
    if isinstance(rows, np.ndarray):
        items = _numbers_of_table(rows, users, single, name)
        if items is None:
            items = _numbers_of_large_ids(rows, ids, name)
        else:
            ids.take_numbers(name)
    else:
        items = _number_rows(rows, users, single, name, ids)
    lists = Lists(items, ids, users, single, scored or None, whole)
    if repeats == "raise":
        _refuse_repeats(lists, name)
    return lists.without_repeats(repeats, k) if repeats in ("drop", "blank") else lists


def _cut(rows: Any, k: int | None) -> tuple[Any, IndexArray | None]:
    """Return the first k ranks of a table or of rows, and how many there were if some are lost."""
    if k is None:
        return rows, None
    if isinstance(rows, np.ndarray):
        whole = ranks_used(rows)
        rows = np.ascontiguousarray(rows[:, :k])
        return rows, whole if whole.max(initial=0) > k else None
    whole = np.fromiter(map(len, rows), np.intp, len(rows))
    if whole.max(initial=0) <= k:
        return rows, None
    return [row[:k] for row in rows], whole


def _read_rows(
    given: Any, name: str, ties: ListTies
) -> tuple[Any, tuple[Hashable, ...] | None, bool]:
    """Return the lists (a table or a list of sequences), the users, and whether it is one."""
    refuse_frame(given, name)
    keyed = by_key(given)
    if keyed is not None:
        return _rows_by_user(keyed, name, ties)
    if isinstance(given, str | bytes):
        raise TypeError(
            f"{name} is the single id {given!r}, not a list of ids; write [{given!r}] for a list "
            "of one"
        )
    if isinstance(given, AbstractSet):
        raise TypeError(f"{name} is a set, which has no order; a ranked list needs one")
    if hasattr(given, "tocsr"):
        raise TypeError(
            f"{name} is a sparse matrix, which has no order. If it holds scores, rank them first: "
            "rank_from_scores(scores.toarray(), k)"
        )
    if is_column(given):
        given = entries_of(given)
    elif is_array(given):
        table = as_array(given, name)
        if table.ndim not in (1, 2):
            raise TypeError(
                f"an array of ids has shape (K,) or (n, K), but {name} has {table.ndim} dimensions"
            )
        if table.dtype.kind in "iu":
            return np.atleast_2d(table), None, table.ndim == 1
        if table.dtype.kind in "fc":
            raise TypeError(
                f"{name} is an array of floats; ids are whole numbers. "
                "If these are scores, rank them first: rank_from_scores(scores, k)"
            )
        given = table.tolist()
    elif isinstance(given, range):
        given = list(given)
    if not isinstance(given, Sequence) or (
        isinstance(given, tuple) and not all(map(_is_row, given))
    ):
        raise TypeError(
            f"{name} must be a list of ids, a list of lists, a mapping from user to list, or an "
            f"array, not {kind(given)} ({given!r:.60})"
        )
    return _rows_in_order(list(given), name, ties)


def _rows_in_order(
    entries: list[Any], name: str, ties: ListTies
) -> tuple[Any, tuple[Hashable, ...] | None, bool]:
    """Return what lists in an order, or one list, hold."""
    n_rows = len(entries) if _are_plain(entries) else sum(map(_is_row, entries))
    if not n_rows:
        if entries and all(isinstance(entry, tuple) for entry in entries):
            first = entries[0]
            raise TypeError(
                f"{name} holds tuples, {first!r:.60} for one: is each a list of {len(first)} ids, "
                f"or one id of {len(first)} parts? For lists write [list(row) for row in {name}]; "
                f"if the tuples are ids, so that this is one list of {len(entries)} items, write "
                f"[{name}], many lists with one among them"
            )
        return [entries], None, True
    if n_rows < len(entries):
        is_row = [_is_row(entry) for entry in entries]
        odd = is_row.index(not is_row[0])
        raise TypeError(
            f"{name} mixes lists and ids: entry 0 is {kind(entries[0])} ({entries[0]!r:.40}), "
            f"entry {odd} is {kind(entries[odd])} ({entries[odd]!r:.40})"
        )
    return _plain_rows(entries, None, name, ties), None, False


def _rows_by_user(
    keyed: Mapping[Any, Any], name: str, ties: ListTies
) -> tuple[Any, tuple[Hashable, ...], bool]:
    """Return the lists of a mapping from user to list, or to scores by item."""
    users = tuple(keyed)
    refuse_no_user(users, name)
    rows = [*keyed.values()]
    for user, row in () if _are_plain(rows) else keyed.items():
        if _is_row(row):
            continue
        if isinstance(row, Real | np.number):
            raise TypeError(
                f"{name} maps {user!r} to the number {row!r}: is that the score of an item in one "
                f"list, or the one item of a user? Scores come by user, {{'u': {{{user!r}: "
                f"{row!r}}}}}, and so do lists, {{{user!r}: [{row!r}]}}"
            )
        cure = f"; write {list(row)!r:.40} if it is one" if isinstance(row, tuple | str) else ""
        raise TypeError(
            f"{name} is a mapping, so each user needs a list of ids, or scores by item; user "
            f"{user!r} has {kind(row)} ({row!r:.40}){cure}"
        )
    return _plain_rows(rows, users, name, ties), users, False


def _plain_rows(
    rows: list[Any], users: tuple[Hashable, ...] | None, name: str, ties: ListTies
) -> Any:
    """Return rows of all forms as lists and ranges, or as a table if all are arrays of numbers."""
    if _are_plain(rows):
        return rows
    plain: list[Any] = []
    for at, row in enumerate(rows):
        if isinstance(row, AbstractSet):
            raise TypeError(
                f"{_name(at, users)}{_of(name)} is {kind(row)}, which has no order; a ranked list "
                "needs one"
            )
        if isinstance(row, Mapping):
            plain.append(_Ranked(in_order_of_scores(row, ties, _name(at, users) + _of(name)), row))
        elif is_column(row):
            plain.append(entries_of(row))
        elif is_array(row):
            array = as_array(row, _name(at, users) + _of(name))
            if array.ndim != 1:
                raise TypeError(
                    f"{_name(at, users)}{_of(name)} is an array of shape {array.shape}; a list "
                    "has one axis"
                )
            if array.dtype.kind in "fc":
                raise TypeError(
                    f"{_name(at, users)}{_of(name)} is an array of floats; ids are whole numbers"
                )
            plain.append(array)
        else:
            plain.append(row)
    if plain and all(isinstance(row, np.ndarray) and row.dtype.kind in "iu" for row in plain):
        # As in a table, -1 is an empty slot here, which among Python's numbers would be an id.
        sizes = np.array([len(row) for row in plain], dtype=np.intp)
        return pad(np.concatenate(plain), sizes)
    return plain


class _Ranked(list[Any]):
    """Items in the order of their scores."""

    def __init__(self, items: list[Any], scores: Mapping[Any, Any]) -> None:
        super().__init__(items)
        self.scores = scores

    def ties_at(self, k: int) -> bool:
        """Return whether the items at rank k and below it have equal scores."""
        return k < len(self) and bool(self.scores[self[k - 1]] == self.scores[self[k]])


def _numbers_of_table(
    table: Any, users: tuple[Hashable, ...] | None, single: bool, name: str
) -> IntArray | None:
    """Return a checked table of item numbers; None if this machine cannot count so far."""
    if table.size and table.min() < -1:
        row, rank = (int(x) for x in np.argwhere(table < -1)[0])
        raise ValueError(
            f"{_name(row, users, single)}{_holds(name)} the id {table[row, rank]} at rank "
            f"{rank + 1}; ids are 0 or more, and -1 is an empty slot"
        )
    # Narrower numbers would overflow where they are combined with others.
    numbers: IntArray = table.astype(np.int32 if table.dtype == np.int32 else np.intp, copy=False)
    return None if numbers is not table and (numbers != table).any() else numbers


def _numbers_of_large_ids(table: Any, ids: Ids, name: str) -> IntArray:
    """Return a table of the numbers of ids that are too large to be numbers themselves."""
    used = distinct(table)
    numbers = ids.number(used.tolist(), lambda at: (f"{name} holds", ""))
    return np.where(table < 0, -1, numbers[np.searchsorted(used, table)])


def _number_rows(
    rows: list[Any], users: tuple[Hashable, ...] | None, single: bool, name: str, ids: Ids
) -> IntArray:
    """Return lists of ids as a table of their numbers."""
    sizes = np.fromiter(map(len, rows), np.intp, len(rows))

    def where(position: int) -> tuple[str, str]:
        row = int(np.searchsorted(np.cumsum(sizes), position, side="right"))
        rank = position - int(sizes[:row].sum()) + 1
        return f"{_name(row, users, single)}{_holds(name)}", f" at rank {rank}"

    return pad(ids.number(flatten(rows), where), sizes)


def _refuse_repeats(lists: Lists, name: str) -> None:
    """Raise if a list holds an item twice."""
    repeat = repeat_in_rows(lists.items)
    if repeat is not None:
        row, first, second = repeat
        raise ValueError(
            f"{lists.name(row)}{_holds(name)} item "
            f"{lists.ids.label(int(lists.items[row, first]))!r} twice, at ranks {first + 1} and "
            f"{second + 1}; a metric would count it twice. Remove the repeat or rank each item "
            "once"
        )


def _name(row: int, users: tuple[Hashable, ...] | None, single: bool = False) -> str:
    if single:
        return "the list"
    return f"list {row}" if users is None else f"list {row} (user {users[row]!r})"


def _of(name: str) -> str:
    return "" if name == "recommended" else f" of {name}"


def _holds(name: str) -> str:
    return " recommends" if name == "recommended" else f" of {name} holds"


def _are_plain(rows: Sequence[Any]) -> bool:
    """Whether all are lists and ranges, told by their types alone: there may be millions."""
    return {*map(type, rows)} <= {list, range}


def _is_row(entry: Any) -> bool:
    """Whether a value is a list of ids, or takes the place of one, rather than an id."""
    return not isinstance(entry, str | int | tuple) and (
        isinstance(entry, list | range | AbstractSet | Mapping)
        or is_column(entry)
        or is_array(entry)
    )
