"""Columns and tables of numbers, checked: how many axes, and which numbers may stand in them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.checks import check_lengths, missing_entries, refuse, zero_one
from recsys_metrics._core.inputs.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    as_array,
    as_labels,
    as_numbers,
)
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics._core.sorted_arrays import factorize


def check_numbers(
    name: str, values: ArrayLike, axes: int = 1, *, may_be_empty: bool = False
) -> FloatArray:
    """Return finite numbers of so many axes."""
    given = as_numbers(values, name)
    check_shape(name, given, axes, may_be_empty=may_be_empty)
    # A sum is finite if every number is, and takes no temporary; only a bad sum is looked into.
    with np.errstate(invalid="ignore", over="ignore"):
        total = given.sum()
    if not np.isfinite(total):
        refuse(~np.isfinite(given), name, given, "; every number must be finite")
    return given


def check_between(
    name: str,
    values: ArrayLike,
    low: float,
    high: float,
    *,
    axes: int = 1,
    open_low: bool = False,
    advice: str = "",
) -> FloatArray:
    """Return numbers of an interval, without its lower end if `open_low`.

    `advice` ends the error that names a number outside it.
    """
    given = check_numbers(name, values, axes)
    least = given.min()
    if least < low or (open_low and least <= low) or given.max() > high:
        odd = (given <= low if open_low else given < low) | (given > high)
        bracket = "(" if open_low else "["
        refuse(odd, name, given, f"; it must be in {bracket}{low:g}, {high:g}]{advice}")
    return given


def check_same_rows(**columns: Any) -> None:
    """Raise if columns that are read row by row differ in length or in the order of their labels.

    Parameters
    ----------
    **columns
        The arguments as the caller gave them, by name; those that are None are left out.
    """
    there = {name: column for name, column in columns.items() if column is not None}
    refuse_other_labels(**there)
    check_lengths(**there)


def match_keys(**columns: Any) -> tuple[Any, ...]:
    """Return columns that came as mappings in the order of the first one's keys.

    Raises
    ------
    ValueError
        If their keys differ, or the labels of pandas columns.
    TypeError
        If some are mappings and others are not, so that nothing says which value belongs to which.
    """
    there = {name: column for name, column in columns.items() if column is not None}
    keyed = {name for name, column in there.items() if isinstance(column, Mapping)}
    if not keyed:
        refuse_other_labels(**there)
        return tuple(columns.values())
    if len(keyed) < len(there):
        plain = next(name for name in there if name not in keyed)
        raise TypeError(
            f"{min(keyed)} is a mapping and {plain} is not, so it is unclear which value "
            f"belongs to which; give both as mappings, or {min(keyed)} as a list in the same order"
        )
    (first, keys), *others = there.items()
    for name, column in others:
        alone = [
            [key for key in keys if key not in column],
            [key for key in column if key not in keys],
        ]
        if any(alone):
            counts = " and ".join(
                f"{len(some):,} only in {whose}, {some[0]!r} for one"
                for some, whose in zip(alone, (first, name), strict=True)
                if some
            )
            raise ValueError(
                f"{first} and {name} have different keys: {counts}. Give both for the same ones"
            )
    return tuple(
        None if column is None else [column[key] for key in keys] for column in columns.values()
    )


def check_zero_one(name: str, values: ArrayLike) -> BoolArray:
    """Return a row of 0 and 1 as booleans."""
    given: NDArray[Any] = as_array(values, name, fill="0")
    check_shape(name, given, kind="0 and 1")
    return zero_one(given, name)


def check_whole(
    name: str, values: ArrayLike, low: int, high: int | None, axes: int = 1
) -> IntArray:
    """Return whole numbers from low up to, and including, high."""
    given: NDArray[Any] = as_array(values, name)
    check_shape(name, given, axes, kind="whole numbers")
    # By kind, because numpy counts time differences among the integers.
    if given.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers; got {given.dtype} values")
    most = np.iinfo(np.intp).max if high is None else high
    odd = (given < low) | (given > most)
    is_open = high is None and int(given.max(initial=0)) <= most
    refuse(odd, name, given, f"; they run from {low} {'up' if is_open else f'to {most}'}")
    return given.astype(np.intp)


def check_shape(
    name: str,
    given: NDArray[Any],
    axes: int = 1,
    *,
    kind: str = "numbers",
    may_be_empty: bool = False,
) -> None:
    """Raise if an array has not so many axes, or holds nothing."""
    if given.ndim != axes:
        what = "one row" if axes == 1 else "a table"
        raise ValueError(f"{name} must be {what} of {kind}; got shape {given.shape}")
    if not given.size and not may_be_empty:
        raise ValueError(f"{name} is empty; there is nothing to estimate from")


def number_labels(name: str, labels: ArrayLike, words: str) -> tuple[NDArray[Any], IndexArray]:
    """Return the labels, ascending, and the number of each entry's; `words` of a missing one."""
    given = as_labels(labels, name)
    if given.dtype == object:
        # Sets are compared by what they hold, which puts them in no order.
        for each in given.flat:
            if isinstance(each, AbstractSet) or not isinstance(each, Hashable):
                raise TypeError(f"{name} has {each!r:.60}, which is no label; use texts or numbers")
    refuse(missing_entries(labels), name, given, words)
    try:
        return factorize(given)
    except TypeError:
        raise TypeError(
            f"{name} must be of one kind that can be sorted, all text or all numbers"
        ) from None
