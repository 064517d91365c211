"""Pairs of a user and an item: held-out items, items seen in training."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeGuard

import numpy as np

from recsys_metrics._core.inputs.arrays import IndexArray, IntArray, as_array, is_array
from recsys_metrics._core.inputs.frames import (
    refuse_frame,
    refuse_other_labels,
    refuse_unsorted_numbers,
)
from recsys_metrics._core.inputs.ids import whole_numbers


class Events(Protocol):
    """Events of numbered users with numbered items, as `Interactions` holds them."""

    user: Any
    item: Any
    rating: Any
    n_users: int
    n_items: int


def are_events(given: Any) -> TypeGuard[Events]:
    """Whether something holds what `Events` do; a runtime check of the protocol takes 20 µs."""
    return all(hasattr(given, name) for name in Events.__annotations__)


def read_pairs(
    given: Any, name: str, shape: tuple[int, int] | None = None
) -> tuple[IndexArray, IndexArray]:
    """Return users and items, user after user and within a user by item number, each pair once.

    `given` is `Interactions`; a sparse or boolean matrix, users x items; an array with one item
    of each user, or a row of items, -1 for nothing; one sequence of item numbers for each user,
    or for a single user that sequence itself. `shape` is that of the scores the pairs belong to;
    None where nobody knows it yet.
    """
    refuse_frame(given, name)
    users, items = _pairs(given, name, shape)
    wrong = items < 0
    if shape is not None:
        wrong |= (items >= shape[1]) | (users >= shape[0])
    if wrong.any():
        at = int(wrong.argmax())
        of = "" if shape is None else f", but scores has {shape[0]} users and {shape[1]} items"
        raise ValueError(f"{name} names item {items[at]} for user {users[at]}{of}")
    keys = users * (int(items.max(initial=0)) + 1) + items
    if (keys[1:] > keys[:-1]).all():
        return users, items
    order = np.argsort(keys, kind="stable")
    keys, users, items = keys[order], users[order], items[order]
    first = np.ones(len(keys), dtype=bool)
    first[1:] = keys[1:] != keys[:-1]
    return users[first], items[first]


def check_labels_of_scores(scores: Any, **pairs: Any) -> None:
    """Raise if pandas labels scores in another order than they are read in.

    Parameters
    ----------
    scores
        Scores of users and items, or of the items of one user; columns are the items' numbers.
    **pairs
        What belongs to the rows of the scores, in the forms of `read_pairs`, by name.
    """
    if getattr(scores, "ndim", 2) == 1:
        refuse_unsorted_numbers("scores", scores, rows="item")
        return
    numbered = any(are_events(given) or hasattr(given, "tocoo") for given in pairs.values())
    user = "user" if numbered else ""
    refuse_unsorted_numbers("scores", scores, rows=user, columns="item")
    refuse_other_labels(scores=scores, **pairs)


def _pairs(given: Any, name: str, shape: tuple[int, int] | None) -> tuple[IndexArray, IndexArray]:
    users: IntArray
    items: IntArray
    if are_events(given):
        users, items = given.user, given.item
    elif hasattr(given, "tocoo"):
        _check_shape(given.shape, name, shape)
        table = given.tocoo()
        kept = table.data != 0
        users, items = table.row[kept], table.col[kept]
    elif is_array(given) and (array := as_array(given, name)).dtype.kind in "biu":
        single = array.ndim == 1 and shape is not None and shape[0] == 1
        table = array[None] if single else array
        if array.dtype == bool:
            _check_shape(table.shape, name, shape)
            users, items = np.nonzero(table)
        elif table.ndim in (1, 2):
            _check_count(len(table), name, shape)
            table = table.reshape(len(table), -1)
            users, columns = np.nonzero(table != -1)
            items = table[users, columns]
        else:
            raise TypeError(f"{name} has {table.ndim} axes; users x items are two")
    else:
        users, items = _of_sequences(given, name, shape)
    return np.asarray(users, dtype=np.intp), np.asarray(items, dtype=np.intp)


def _of_sequences(
    given: Any, name: str, shape: tuple[int, int] | None
) -> tuple[IntArray, IntArray]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise TypeError(f"{name} gives the item numbers of each user; got {given!r:.60}")
    rows = list(given)
    if shape is not None and shape[0] == 1 and rows and whole_numbers(rows) is not None:
        rows = [rows]
    _check_count(len(rows), name, shape)
    try:
        parts = [np.asarray(as_array(row, name) if is_array(row) else list(row)) for row in rows]
    except TypeError as problem:
        if any(map(is_array, rows)):
            raise
        raise TypeError(
            f"{name} gives the item numbers of each user: Interactions, a users x items matrix, "
            f"one sequence per user, or an array with one item per user ({problem})"
        ) from None
    filled = [part for part in parts if len(part)]
    for part in filled:
        if part.dtype.kind not in "iu":
            raise TypeError(f"{name} must contain item numbers, got {part.dtype}")
    items = np.concatenate(filled) if filled else np.empty(0, dtype=np.intp)
    return np.repeat(np.arange(len(parts)), [len(part) for part in parts]), items


def _check_shape(got: tuple[int, ...], name: str, shape: tuple[int, int] | None) -> None:
    if shape is not None and got != shape:
        raise ValueError(f"{name} has shape {got} and scores {shape}")


def _check_count(count: int, name: str, shape: tuple[int, int] | None) -> None:
    if shape is not None and count != shape[0]:
        raise ValueError(f"{name} has {count} entries and scores {shape[0]} users")
