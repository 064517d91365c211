"""Read the features of the items into one row per item that occurs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.blocks import row_blocks
from recsys_metrics._core.checks import first_true, refuse_sparse
from recsys_metrics._core.inputs.arrays import FloatArray, IntArray, as_array, as_numbers, shape_of
from recsys_metrics._core.inputs.categories import read_categories
from recsys_metrics._core.inputs.ids import Ids, refuse_names_alike
from recsys_metrics._core.inputs.lists import Lists
from recsys_metrics._core.inputs.tables import distinct, positions
from recsys_metrics.beyond_accuracy._arguments import check_numbered, describe_value, sort_labels
from recsys_metrics.interactions import Interactions

_UNCOMPARABLE = (
    "has no feature other than 0, so it cannot be compared with others; leave it out, or add a "
    "feature that such items have (no genre listed, say)"
)
_WITHOUT_KIND = "is relevant and has no category; give it one, or remove it from the relevant items"


def read_features(
    features: Any, lists: Lists, *more: IntArray, presence: bool = False, of_users: bool = False
) -> tuple[Any, list[IntArray]]:
    """Return one row of features per item that occurs, and the tables as rows of it.

    The rows come as an array, or as a CSR matrix if the features are sparse or sets; they are
    the caller's to write in, never those that were given. The tables are that of the lists,
    then `more`. `presence` keeps only whether a feature is there, as 1; `of_users` says that sets
    are of users, whose ids may differ in case alone, and not of categories.
    """
    return _read(features, lists, (lists.items, *more), presence, _UNCOMPARABLE, of_users)


def read_kinds(features: Any, lists: Lists, *tables: IntArray) -> tuple[Any, list[IntArray]]:
    """Return which kinds the items of the tables have, as `read_features`.

    What else is in the lists needs no kind: an item that nobody judged has none.
    """
    return _read(features, lists, tables, presence=True, lacks=_WITHOUT_KIND)


def _read(
    features: Any,
    lists: Lists,
    tables: tuple[IntArray, ...],
    presence: bool,
    lacks: str,
    of_users: bool = False,
) -> tuple[Any, list[IntArray]]:
    """Return the features of the items of the tables; `lacks` says what an item without has."""
    features = read_categories(features)
    used = distinct(tables[0])
    if len(tables) > 1:
        used = distinct(np.concatenate([used, *(distinct(table) for table in tables[1:])]))
    used = _sort_ids(used, lists.ids)
    if isinstance(features, Interactions):
        rows = _rows_of_array(_users_by_item(features), used, lists)
    elif isinstance(features, Mapping):
        rows = _rows_of_mapping(features, used, lists.ids, of_users)
    else:
        rows = _rows_of_array(features, used, lists)
    if presence:
        rows = _presence(rows)
    _check_rows(rows, used, lists.ids, lacks)
    if lists.ids.index is None:
        return rows, [positions(table, used) for table in tables]
    ascending = np.argsort(used)
    ranked = [positions(table, used[ascending]) for table in tables]
    # Behind the last entry stands the empty slot's.
    row_of = np.append(ascending, -1)
    return rows, [row_of[table] for table in ranked]


def unit_rows(rows: Any) -> Any:
    """Return each row divided by its length; those of an array are overwritten."""
    if isinstance(rows, np.ndarray):
        for block in row_blocks(*rows.shape):
            part = rows[block]
            squares = np.einsum("ij,ij->i", part, part)
            if not _far_from_the_ends(squares):
                # Scaled first, so that squares neither overflow nor vanish.
                part /= np.abs(part).max(axis=1, keepdims=True, initial=0.0)
                squares = np.einsum("ij,ij->i", part, part)
            part /= np.sqrt(squares)[:, None]
        return rows
    from scipy import sparse

    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return sparse.csr_array(sparse.diags_array(1.0 / lengths) @ rows)


def membership(rows: NDArray[Any], items: NDArray[Any], shape: tuple[int, int]) -> Any:
    """Return a CSR matrix with a 1 for each pair of row and item."""
    from scipy import sparse

    table = sparse.csr_array((np.ones(len(rows)), (rows, items)), shape=shape)
    table.sort_indices()
    return table


def _sort_ids(used: IntArray, ids: Ids) -> IntArray:
    """Return item numbers in the order of their ids, where ids can be sorted.

    Numbers given in order of appearance change with the order of the users; sums over items
    must not, in the last digit, so they run in the order of the ids.
    """
    if ids.index is None:
        return used
    number_of = {ids.label(int(number)): number for number in used}
    return np.array([number_of[label] for label in sort_labels(number_of)], dtype=used.dtype)


def _users_by_item(log: Interactions) -> Any:
    """Return which users interacted with each item, as an items x users matrix."""
    table = membership(log.item, log.user, (log.n_items, log.n_users))
    table.data[:] = 1.0
    return table


def _rows_of_array(features: Any, used: IntArray, lists: Lists) -> Any:
    """Return the rows of an items x features array that belong to the items."""
    check_numbered(lists, "features", features, "id to features")
    table = (
        features.tocsr() if hasattr(features, "tocsr") else as_array(features, "features", fill="0")
    )
    if table.ndim != 2:
        raise ValueError(
            f"features must have one row per item and one column per feature; got shape "
            f"{table.shape}"
        )
    if used.size and used[-1] >= table.shape[0]:
        raise ValueError(
            f"item {used[-1]} has no features: there are {table.shape[0]} rows, numbered from 0"
        )
    if isinstance(table, np.ndarray):
        try:
            return table.take(used, axis=0).astype(np.float64, copy=False)
        except (TypeError, ValueError):
            raise TypeError(
                "features must be numbers; give categories as a mapping from id to a set of them, "
                "or to a text such as 'Action|Comedy'"
            ) from None
    return table[used].astype(np.float64)


def _rows_of_mapping(features: Mapping[Any, Any], used: IntArray, ids: Ids, of_users: bool) -> Any:
    """Return the features of each item from a mapping to vectors or to sets."""
    found = []
    for number in used:
        label = ids.label(int(number))
        entry = features.get(label)
        if entry is None:
            raise ValueError(f"item {label!r} is not in features; give it features or leave it out")
        found.append(entry)
    if not found:
        return np.zeros((0, 1))
    # An empty list is one of labels where the others are, and of numbers where those are.
    in_words = {place: _is_set_of_labels(e) for place, e in enumerate(found) if not _is_empty(e)}
    if all(in_words.values()):
        return _rows_of_sets(found, of_users)
    if any(in_words.values()):
        first = next(iter(in_words))
        odd = next(place for place, is_set in in_words.items() if is_set != in_words[first])
        raise TypeError(
            f"features mixes sets and vectors: item {ids.label(int(used[first]))!r} has "
            f"{describe_value(found[first])}, item {ids.label(int(used[odd]))!r} has "
            f"{describe_value(found[odd])}"
        )
    for number, entry in zip(used, found, strict=True):
        refuse_sparse(f"features of item {ids.label(int(number))!r}", entry)
    sizes = [math.prod(shape_of(entry, "features")) for entry in found]
    if len({*sizes}) > 1:
        odd = next(i for i, size in enumerate(sizes) if size != sizes[0])
        raise ValueError(
            f"feature vectors must be of one length: item {ids.label(int(used[0]))!r} has "
            f"{sizes[0]} features, item {ids.label(int(used[odd]))!r} {sizes[odd]}"
        )
    rows = [as_numbers(entry, "features").ravel() for entry in found]
    return np.array(rows, dtype=np.float64).reshape(len(found), -1)


def _rows_of_sets(entries: list[Any], of_users: bool) -> Any:
    """Return a row of ones and zeros per set of labels."""
    everything: set[Any] = {label for entry in entries for label in entry}
    labels = sort_labels(everything)
    if not of_users:
        refuse_names_alike(labels, "the items have the categories")
    column: dict[Hashable, int] = {label: j for j, label in enumerate(labels)}
    rows = np.repeat(np.arange(len(entries)), [len(set(entry)) for entry in entries])
    columns = np.array([column[label] for entry in entries for label in set(entry)], dtype=np.intp)
    return membership(rows, columns, (len(entries), max(1, len(column))))


def _is_empty(entry: Any) -> bool:
    return isinstance(entry, list | tuple) and not entry


def _is_set_of_labels(entry: Any) -> bool:
    """Return whether an item's features are labels it has, rather than numbers."""
    if isinstance(entry, AbstractSet):
        return True
    return isinstance(entry, list | tuple) and any(isinstance(label, str) for label in entry)


def _presence(rows: Any) -> Any:
    if isinstance(rows, np.ndarray):
        return np.where(np.isnan(rows), np.nan, rows != 0)
    rows = rows.copy()
    rows.data = np.where(np.isnan(rows.data), np.nan, rows.data != 0)
    rows.eliminate_zeros()
    return rows


def _far_from_the_ends(squares: FloatArray) -> bool:
    """Whether no sum of squares is 0, infinite, NaN, or so small or large that it lost digits."""
    return bool(squares.min(initial=1.0) > 1e-200 and squares.max(initial=1.0) < 1e200)


def _check_rows(rows: Any, used: IntArray, ids: Ids, lacks: str) -> None:
    """Raise if an item's features are not finite, or all zero."""
    if isinstance(rows, np.ndarray) and _far_from_the_ends(np.einsum("ij,ij->i", rows, rows)):
        return
    values = rows if isinstance(rows, np.ndarray) else rows.data
    if not np.isfinite(values).all():
        table = rows if isinstance(rows, np.ndarray) else rows.toarray()
        row, column = first_true(~np.isfinite(table))
        raise ValueError(
            f"item {ids.label(int(used[row]))!r} has the feature {rows[row, column]} in column "
            f"{column}; a feature is a finite number"
        )
    if at := first_true(np.asarray((rows != 0).sum(axis=1)).ravel() == 0):
        raise ValueError(f"item {ids.label(int(used[at]))!r} {lacks}")
