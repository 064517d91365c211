"""Ranked lists as they come: which form they have, and whose each list is.

Nothing is numbered here and nothing compared with the relevant items. `lists.number_lists` and
`hits.align_hits` go on from here.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from recsys_metrics._core.inputs.arrays import IntArray, as_array, is_array
from recsys_metrics._core.inputs.frames import (
    by_key,
    entries_of,
    ids_of_row,
    is_column,
    refuse_frame,
)
from recsys_metrics._core.inputs.ids import kind
from recsys_metrics._core.inputs.tables import pad
from recsys_metrics._core.inputs.users import refuse_no_user


@dataclass(frozen=True, eq=False)
class ParsedLists:
    """Ranked lists of any form.

    Attributes
    ----------
    rows : list of sequences or mappings, or (n, K) array of int
        The ids of each list, best first, or its scores by item; a table has -1 for an empty slot.
    users : tuple or None
        Whose list each is, where the lists came keyed by user.
    single : bool
        Whether this is one list rather than many with one among them.
    name : str
        What the caller named the argument.
    """

    rows: list[Any] | IntArray
    users: tuple[Hashable, ...] | None
    single: bool
    name: str

    @property
    def is_nothing(self) -> bool:
        """Whether there is no list, or one without an item, which look alike."""
        return self.single and isinstance(self.rows, list) and not any(map(len, self.rows))

    def label(self, row: int) -> str:
        """Return what an error calls a list."""
        return list_label(row, self.users, self.single)


def list_label(row: int, users: Sequence[Hashable] | None, single: bool = False) -> str:
    """Return what an error calls a list."""
    if single:
        return "the list"
    return f"list {row}" if users is None else f"list {row} (user {users[row]!r})"


def parse_lists(recommended: Any, name: str = "recommended") -> ParsedLists:
    """Return lists of any form with their users.

    Raises
    ------
    TypeError
        If they have no order, or are of none of the forms that `judge` takes, or of two.
    """
    refuse_frame(recommended, name)
    by_user = by_key(recommended)
    if by_user is not None:
        return _parse_mapping(by_user, name)
    if isinstance(recommended, str | bytes):
        raise TypeError(
            f"{name} is the single id {recommended!r}, not a list of ids; write "
            f"[{recommended!r}] for a list of one"
        )
    if isinstance(recommended, AbstractSet):
        raise TypeError(f"{name} is a set, which has no order; a ranked list needs one")
    if hasattr(recommended, "tocsr"):
        raise TypeError(
            f"{name} is a sparse matrix, which has no order. If it contains scores, rank "
            f"them first: "
            "rank_from_scores(scores.toarray(), k)"
        )
    if is_column(recommended):
        recommended = entries_of(recommended)
    elif is_array(recommended):
        table = as_array(recommended, name)
        if table.ndim not in (1, 2):
            raise TypeError(
                f"an array of ids has shape (K,) or (n, K), but {name} has {table.ndim} dimensions"
            )
        if table.dtype.kind in "iu":
            return ParsedLists(np.atleast_2d(table), None, table.ndim == 1, name)
        _refuse_mask_of_hits(table, name)
        if table.dtype.kind in "fc":
            raise TypeError(
                f"{name} is an array of floats; ids are whole numbers. "
                "If these are scores, rank them first: rank_from_scores(scores, k)"
            )
        _refuse_text_padding(table, name)
        recommended = table.tolist()
    elif isinstance(recommended, range):
        recommended = list(recommended)
    if not isinstance(recommended, Sequence) or (
        isinstance(recommended, tuple) and not all(map(_is_row, recommended))
    ):
        raise TypeError(
            f"{name} must be a list of ids, a list of lists, a mapping from user to list, or an "
            f"array, not {kind(recommended)} ({recommended!r:.60})"
        )
    return _parse_sequence(list(recommended), name)


def _parse_sequence(entries: list[Any], name: str) -> ParsedLists:
    """Return lists in an order, or one list."""
    n_rows = len(entries) if _are_plain(entries) else sum(map(_is_row, entries))
    if not n_rows:
        if entries and all(isinstance(entry, tuple) for entry in entries):
            first = entries[0]
            raise TypeError(
                f"{name} contains tuples, {first!r:.60} for one: is each a list of "
                f"{len(first)} ids, "
                f"or one id of {len(first)} parts? For lists write [list(row) for row in {name}]; "
                f"if the tuples are ids, so that this is one list of {len(entries)} items, write "
                f"[{name}], many lists with one among them"
            )
        return ParsedLists([entries], None, True, name)
    if n_rows < len(entries):
        is_row = [_is_row(entry) for entry in entries]
        odd = is_row.index(not is_row[0])
        raise TypeError(
            f"{name} mixes lists and ids: entry 0 is {kind(entries[0])} ({entries[0]!r:.40}), "
            f"entry {odd} is {kind(entries[odd])} ({entries[odd]!r:.40})"
        )
    return ParsedLists(_plain_rows(entries, None, name), None, False, name)


def _parse_mapping(by_user: Mapping[Any, Any], name: str) -> ParsedLists:
    """Return the lists of a mapping from user to list, or to scores by item."""
    users = tuple(by_user)
    refuse_no_user(users, name)
    rows = [*by_user.values()]
    for user, row in () if _are_plain(rows) else by_user.items():
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
    return ParsedLists(_plain_rows(rows, users, name), users, False, name)


def _plain_rows(
    rows: list[Any], users: tuple[Hashable, ...] | None, name: str
) -> list[Any] | IntArray:
    """Return rows as lists, ranges and mappings, or as a table if all are arrays of numbers."""
    if _are_plain(rows):
        return rows
    plain: list[Any] = []
    for at, row in enumerate(rows):
        label = list_label(at, users) + ("" if name == "recommended" else f" of {name}")
        if isinstance(row, AbstractSet):
            raise TypeError(f"{label} is {kind(row)}, which has no order; a ranked list needs one")
        if is_column(row):
            plain.append(ids_of_row(row, label))
        elif is_array(row):
            array = as_array(row, label)
            if array.ndim != 1:
                raise TypeError(f"{label} is an array of shape {array.shape}; a list has one axis")
            _refuse_mask_of_hits(array, label)
            if array.dtype.kind in "fc":
                raise TypeError(f"{label} is an array of floats; ids are whole numbers")
            _refuse_text_padding(array, label)
            plain.append(array)
        else:
            plain.append(row)
    if plain and all(isinstance(row, np.ndarray) and row.dtype.kind in "iu" for row in plain):
        # As in a table, -1 is an empty slot here, which among Python's numbers would be an id.
        sizes = np.array([len(row) for row in plain], dtype=np.intp)
        joined = _join_whole_numbers(plain)
        return [row.tolist() for row in plain] if joined is None else pad(joined, sizes)
    return plain


def _join_whole_numbers(rows: list[IntArray]) -> IntArray | None:
    """Return arrays of whole numbers as one of signed numbers; None if one has no place there.

    Left to itself NumPy makes floats of signed and unsigned ones, among which ids are equal.
    """
    if any(row.dtype.kind == "u" and row.size and int(row.max()) >= 2**63 for row in rows):
        return None
    signed = [row.astype(np.int64) if row.dtype.kind == "u" else row for row in rows]
    return np.concatenate(signed)


def _refuse_mask_of_hits(table: Any, name: str) -> None:
    """Raise if an array says True or False of items, which as ids are 1 and 0."""
    if table.dtype.kind == "b":
        raise TypeError(
            f"{name} is an array of booleans, and lists hold ids. If it says which items were "
            "recommended, pass their numbers, numpy.flatnonzero(row); if it says which of the "
            "recommended items were hits, give the ids of either"
        )


def _refuse_text_padding(table: Any, name: str) -> None:
    """Raise if an array of text has entries that may be empty slots."""
    if table.dtype.kind not in "US":
        return
    for padding in ("", "nan", "None"):
        if (table == np.asarray(padding).astype(table.dtype.kind)).any():
            raise ValueError(
                f"{name} is an array of text with {padding!r}: is it an empty slot, or the id of "
                f"an item? Leave empty slots out, [[item for item in row if item != {padding!r}] "
                f"for row in table.tolist()]; if it is an id, pass {name}.tolist()"
            )


def _are_plain(rows: Sequence[Any]) -> bool:
    """Whether all are of Python's own types, told by these types alone: there may be millions."""
    return {*map(type, rows)} <= {list, range, dict}


def _is_row(entry: Any) -> bool:
    """Whether a value is a list of ids, or takes the place of one, rather than an id."""
    return not isinstance(entry, str | int | tuple) and (
        isinstance(entry, list | range | AbstractSet | Mapping)
        or is_column(entry)
        or is_array(entry)
    )
