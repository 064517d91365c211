"""Columns of ids as numbers and the ids they stand for, by the library that holds the column.

A column of pandas, Polars or Arrow is often encoded already (categories, dictionaries), and where
it is not, its library numbers it far faster than Python goes through its entries.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, KeysView, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from recsys_metrics._core.checks import is_missing
from recsys_metrics._core.inputs.arrays import IndexArray, as_array, is_array, refuse_mixed_kinds
from recsys_metrics._core.inputs.frames import entries_of, is_column
from recsys_metrics._core.inputs.ids import kind, refuse_arrays
from recsys_metrics._core.sorted_arrays import factorize, is_in

_COLLECTIONS = (list, dict, set)


def number_ids(
    column: Iterable[Any], known: Iterable[Hashable], name: str
) -> tuple[IndexArray, tuple[Hashable, ...]]:
    """Return the number of the id in each row, and the ids by number.

    Ids that are `known` keep their numbers; others get the next ones, in order of appearance.

    Raises
    ------
    ValueError
        If an id is missing (None, NaN, NaT, pandas' NA).
    """
    known, column = _as_entries(known, f"{name}_ids"), _as_entries(column, name, keep_columns=True)
    if (odd := next(filter(is_missing, known), known)) is not known:
        raise ValueError(f"{name}_ids has {odd!r}, which is no id; leave it out")
    index = _number_known(known, f"{name}_ids")
    try:
        encoded = _encoded(column)
    except Exception:  # each library has errors of its own for lists in a column
        _refuse_collections(entries_of(column), name)
        raise
    entries: Any
    if encoded is None:
        entries = column if isinstance(column, Sequence | np.ndarray) else [*column]
        listed = entries.tolist() if isinstance(entries, np.ndarray) else entries
        refuse_mixed_kinds([*index, *listed] if index else listed, name)
        _refuse_collections(listed, name)
        codes = np.array([index.setdefault(each, len(index)) for each in listed], dtype=np.intp)
        missing = [number for label, number in index.items() if is_missing(label)]
        bad = is_in(codes, missing)
    else:
        entries = column
        codes, labels = encoded
        if not {*map(type, labels)}.isdisjoint(_COLLECTIONS):
            _refuse_collections(entries_of(column), name)
        refuse_mixed_kinds([*index, *labels], name)
        # A code of -1 is the last entry of the table: no id.
        table = np.array([*map(is_missing, labels), True])
        bad = table[codes]
        if not bad.any():
            codes = _renumber(codes, labels, index)
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(
            f"row {row} has the {name} {_entry(entries, row)!r}, which is no id; leave out events "
            f"whose {name} is not known"
        )
    return codes, tuple(index)


def _refuse_collections(ids: Iterable[Any], name: str) -> None:
    """Raise for the first id that is a list or another collection that cannot be one."""
    ids = [*ids]
    if {*map(type, ids)}.isdisjoint(_COLLECTIONS):
        return
    for row, each in enumerate(ids):
        if type(each) in _COLLECTIONS:
            raise TypeError(
                f"row {row} has the {name} {each!r:.60}, a {type(each).__name__}, which is no id; "
                "ids are strings, numbers or tuples"
            )


def _number_known(known: Iterable[Hashable], name: str) -> dict[Hashable, int]:
    index: dict[Hashable, int] = {}
    for number, each in enumerate(known):
        if not isinstance(each, Hashable):
            raise TypeError(f"{name} has {each!r:.60}, {kind(each)}, which cannot be an id")
        index[each] = number
    return index


def _as_entries(ids: Any, name: str, *, keep_columns: bool = False) -> Any:
    """Return ids of any form as a sequence, or a column of a frame or of numbers as it is."""
    if isinstance(ids, str | bytes):
        raise TypeError(f"{name} is the single id {ids!r}; write [{ids!r}] for one id")
    if isinstance(ids, AbstractSet | Mapping) and not isinstance(ids, KeysView):
        raise TypeError(
            f"{name} is {kind(ids)}, which has no row for each event; pass a list or a column"
        )
    if is_column(ids):
        return ids if keep_columns else entries_of(ids)
    if is_array(ids):
        array = as_array(ids, name)
        return array if keep_columns else array.tolist()
    if not isinstance(ids, Iterable):
        raise TypeError(f"{name} must be a list of ids; got {kind(ids)}")
    entries = ids if isinstance(ids, Sequence) else [*ids]
    refuse_arrays(entries, f"an entry of {name}")
    return entries


def _renumber(
    codes: IndexArray, labels: Sequence[Hashable], index: dict[Hashable, int]
) -> IndexArray:
    """Return the number of each row in an index of ids, which gets those that it lacks."""
    first = np.full(len(labels), len(codes), dtype=np.intp)
    # Backwards, so that of several rows the first is written last.
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    used = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(codes))]
    numbers = np.full(len(labels), -1, dtype=np.intp)
    for code in used.tolist():
        numbers[code] = index.setdefault(labels[code], len(index))
    return numbers[codes]


def _encoded(column: Any) -> tuple[IndexArray, list[Any]] | None:
    """Return codes, -1 for what is missing, and the id of each; None for a plain sequence."""
    if isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "iu":
        names, codes = factorize(column)
        return codes, names.tolist()
    if not is_column(column):
        return None
    if hasattr(column, "factorize"):  # pandas
        codes, labels = column.factorize()
        return codes.astype(np.intp), labels.tolist()
    if hasattr(column, "dictionary_encode"):  # PyArrow
        whole = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        encoded = whole if hasattr(whole, "dictionary") else whole.dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return codes.astype(np.intp), encoded.dictionary.to_pylist()
    if hasattr(column, "to_physical"):  # Polars
        labels = column.drop_nulls().unique(maintain_order=True)
        codes = column.to_physical().replace_strict(
            labels.to_physical(), np.arange(len(labels)), default=-1
        )
        return codes.to_numpy().astype(np.intp), labels.to_list()
    return None


def _entry(entries: Any, row: int) -> Any:
    """Return what stands in a row of a column or a sequence."""
    at = entries.iloc[row] if hasattr(entries, "iloc") else entries[row]
    return at.as_py() if hasattr(at, "as_py") else at
