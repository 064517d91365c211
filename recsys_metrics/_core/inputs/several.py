"""Arguments that take several things of a kind: metrics, reports, tables."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, KeysView, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from recsys_metrics._core.inputs.arrays import as_array, is_array, refuse_mixed_kinds
from recsys_metrics._core.inputs.frames import (
    entries_of,
    is_column,
    is_frame,
    refuse_unsorted_numbers,
)
from recsys_metrics._core.inputs.ids import kind


def read_several(
    name: str, given: Any, words: str, *, alone: type | tuple[type, ...] = ()
) -> list[Any]:
    """Return the entries of an argument that is a list.

    Parameters
    ----------
    name : str
        Of the argument.
    given
        What the caller passed.
    words : str
        What the list holds: "metrics such as ['ndcg@10', 'recall@10']".
    alone : type or tuple of type
        Types of which one need not stand in a list.

    Raises
    ------
    TypeError
        If it is one thing, or a data frame, whose entries would be the names of its columns.
    """
    if isinstance(given, alone):
        return [given]
    if isinstance(given, str | bytes) or not isinstance(given, Iterable) or is_frame(given):
        raise TypeError(f"{name} must be a list of {words}; got {kind(given)}")
    return entries_of(given) if is_column(given) else [*given]


def read_ids(name: str, given: Any, rows: str) -> list[Any]:
    """Return ids that stand in the order of the rows of another argument.

    Parameters
    ----------
    name : str
        Of the argument.
    given
        A list, an array or a column.
    rows : str
        What each id belongs to: "list".

    Raises
    ------
    TypeError, ValueError
        If it is a single id, or has no order or another one, or an entry cannot be an id.
    """
    cure = f"Pass a list with an id for each {rows}, in their order"
    if isinstance(given, str | bytes):
        raise TypeError(f"{name} is the single id {given!r:.60}. {cure}")
    unordered = isinstance(given, AbstractSet) and not isinstance(given, KeysView)
    if unordered or isinstance(given, Mapping):
        why = "has no order" if unordered else "may name them by its keys or by its values"
        raise TypeError(f"{name} is {kind(given)}, which {why}. {cure}")
    if is_frame(given) or not isinstance(given, Iterable):
        raise TypeError(f"{name} must be a list of ids; got {kind(given)}. {cure}")
    refuse_unsorted_numbers(name, given, rows=rows)
    if is_array(given):
        column = as_array(given, name)
        if column.ndim != 1:
            raise TypeError(f"{name} must be one row of ids; got shape {column.shape}. {cure}")
        ids = list(column.tolist())
    else:
        # One by one, a column of PyArrow gives scalars that equal no id.
        ids = entries_of(given) if is_column(given) else [*given]
    for at, each in enumerate(ids):
        if not isinstance(each, Hashable):
            raise TypeError(f"{name}[{at}] is {each!r:.60}, {kind(each)}, which cannot be an id")
    refuse_odd_ids(ids, name)
    return ids


def refuse_odd_ids(ids: list[Any], name: str) -> None:
    """Raise if True or False, or text and bytes, stand among ids."""
    if not {bool, np.bool_}.isdisjoint(map(type, ids)):
        truth = next(each for each in ids if isinstance(each, bool | np.bool_))
        raise TypeError(f"{name} has {truth!r}, and True and False are no ids")
    if {str, bytes} <= {*map(type, ids)}:
        refuse_mixed_kinds(ids, name)
