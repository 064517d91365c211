"""Ranked lists of any form as one table of item numbers.

A list is a row of the table, a rank a column, -1 an empty slot. Ids that are whole numbers are
their own numbers, so that they index an array of counts or features; others get one each, and
`Ids` remembers which.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from recsys_metrics._core.duplicates import repeat_in_rows, repeated, without
from recsys_metrics._core.inputs.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
)
from recsys_metrics._core.inputs.ids import Ids, flatten
from recsys_metrics._core.inputs.parse_lists import ParsedLists, list_label, parse_lists
from recsys_metrics._core.inputs.scores import RankedRows, ScoredTable, TopRows, top_rows
from recsys_metrics._core.inputs.tables import distinct, is_full, pad, positions, ranks_used
from recsys_metrics._core.inputs.ties import ListTies, in_order_of_scores

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
    scored : TopRows, RankedRows, ScoredTable or None
        The lists that came as scores; None where none did.
    whole : (n,) array of int, or None
        How many ranks each list used before it was cut; None where none lost any.
    n_repeats : int or None
        How many repeats were taken out; None where one would have been an error.
    """

    items: IntArray
    ids: Ids
    users: tuple[Hashable, ...] | None
    single: bool
    scored: TopRows | RankedRows | ScoredTable | None = None
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

    @property
    def n_constant(self) -> int:
        """How many lists came as scores that are all equal."""
        return 0 if self.scored is None else self.scored.n_constant

    def n_tied(self, cuts: Iterable[int]) -> int | None:
        """Return how many lists have equal scores on both sides of one of the cuts."""
        return None if self.scored is None else self.scored.n_tied(cuts)

    def name(self, row: int) -> str:
        """Return what an error calls a list."""
        return list_label(row, self.users, self.single)

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
        retrieved = set(self.users)
        extra = [user for user in users if user not in retrieved]
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
    recommended: Any,
    name: str = "recommended",
    *,
    ids: Ids | None = None,
    repeats: Repeats | Literal["keep"] = "raise",
) -> Lists:
    """Return lists of any form as a table; lists that were read before are returned as they are."""
    if isinstance(recommended, Lists):
        return recommended
    return number_lists(parse_lists(recommended, name), ids=ids, repeats=repeats)


def number_lists(
    parsed: ParsedLists,
    *,
    ids: Ids | None = None,
    repeats: Repeats | Literal["keep"] = "raise",
    ties: ListTies = "id",
    k: int | None = None,
) -> Lists:
    """Return parsed lists as a table of item numbers.

    `ids` continues the numbering of other lists, `ties` orders equal scores where scores by item
    came in place of lists. What stands below rank k is counted and not looked at, unless repeats
    above it may be taken out.
    """
    taken_out = repeats in ("drop", "blank")
    rows, whole, scored = _best_rows(parsed, ties, None if taken_out else k)
    ids = ids or Ids({})
    if isinstance(rows, np.ndarray):
        items = _numbers_of_table(rows, parsed)
        if items is None:
            items = _numbers_of_large_ids(rows, ids, parsed.name)
        else:
            ids.take_numbers(parsed.name)
    else:
        items = _number_rows(rows, parsed, ids)
    lists = Lists(items, ids, parsed.users, parsed.single, scored, whole)
    if repeats == "raise":
        _refuse_repeats(lists, parsed.name)
    return lists.without_repeats(repeats, k) if repeats in ("drop", "blank") else lists


def _best_rows(
    parsed: ParsedLists, ties: ListTies, k: int | None
) -> tuple[Any, IndexArray | None, TopRows | RankedRows | None]:
    """Return the first k ranks of each list, how many there were if some are lost, and scores."""
    rows = parsed.rows
    if isinstance(rows, np.ndarray):
        return *_cut(rows, k), None
    kinds = {*map(type, rows)}
    if k is not None and kinds == {dict}:
        top = top_rows(rows, k, ties)
        if top is not None:
            with suppress(TypeError):  # Items of equal scores that have no order.
                best = [*top.rows()]
                return best, top.lengths if top.lengths.max(initial=0) > k else None, top
    if kinds <= {list, range} or not any(isinstance(row, Mapping) for row in rows):
        return *_cut(rows, k), None
    of = "" if parsed.name == "recommended" else f" of {parsed.name}"
    ranked = [
        in_order_of_scores(row, ties, parsed.label(at) + of) if isinstance(row, Mapping) else row
        for at, row in enumerate(rows)
    ]
    pairs = [
        (items, row) for items, row in zip(ranked, rows, strict=True) if isinstance(row, Mapping)
    ]
    return *_cut(ranked, k), RankedRows(pairs)


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


def _numbers_of_table(table: Any, parsed: ParsedLists) -> IntArray | None:
    """Return a checked table of item numbers; None if this machine cannot count so far."""
    if table.size and table.min() < -1:
        row, rank = (int(x) for x in np.argwhere(table < -1)[0])
        raise ValueError(
            f"{parsed.label(row)}{_holds(parsed.name)} the id {table[row, rank]} at rank "
            f"{rank + 1}; ids are 0 or more, and -1 is an empty slot"
        )
    # Narrower numbers would overflow where they are combined with others.
    numbers: IntArray = table.astype(np.int32 if table.dtype == np.int32 else np.intp, copy=False)
    return None if numbers is not table and (numbers != table).any() else numbers


def _numbers_of_large_ids(table: Any, ids: Ids, name: str) -> IntArray:
    """Return a table of the numbers of ids that are too large to be numbers themselves."""
    used = distinct(table)
    numbers = ids.number(used.tolist(), lambda at: (f"{name} contains", ""))
    return np.where(table < 0, -1, numbers[np.searchsorted(used, table)])


def _number_rows(rows: list[Any], parsed: ParsedLists, ids: Ids) -> IntArray:
    """Return lists of ids as a table of their numbers."""
    sizes = np.fromiter(map(len, rows), np.intp, len(rows))

    def where(position: int) -> tuple[str, str]:
        row = int(np.searchsorted(np.cumsum(sizes), position, side="right"))
        rank = position - int(sizes[:row].sum()) + 1
        return f"{parsed.label(row)}{_holds(parsed.name)}", f" at rank {rank}"

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


def _holds(name: str) -> str:
    return " recommends" if name == "recommended" else f" of {name} contains"
