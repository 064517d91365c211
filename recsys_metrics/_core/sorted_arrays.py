"""Distinct values, the place of each, and membership, by sorting.

`np.unique` and `np.isin` hash whole numbers since numpy 2.3, which on millions of them takes up to
60 times as long as a sort. Here whole numbers are sorted, or looked up where they are dense; all
else is numpy's, and so are the results.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

IntpArray = NDArray[np.intp]


def distinct(values: ArrayLike) -> NDArray[Any]:
    """Return the distinct values, ascending: `np.unique(values)`."""
    given = np.asarray(values)
    if given.dtype.kind not in "biu" or not given.size:
        return np.unique(given)
    low, high = int(given.min()), int(given.max())
    if given.dtype.kind == "b" or not _is_dense(high - low, given.size):
        ordered = np.sort(given, axis=None)
        return ordered[starts_of_runs(ordered)]
    if low > 0 and _is_dense(high, given.size):
        low = 0  # a table from 0 is asked by the values as they are, which need no copy
    met = np.zeros(high - low + 1, dtype=bool)
    # Around 0 the values are positions as they are: those below it count from the end.
    around_zero = low <= 0 <= high
    met[given.reshape(-1) if around_zero else _above(given.reshape(-1), low)] = True
    found = np.flatnonzero(met)
    if around_zero:
        n_below = np.count_nonzero(found > high)
        found = np.roll(found, n_below)
        found[:n_below] -= len(met)
        return found.astype(given.dtype)
    # Modulo the width of the type, as the sum is, so that narrow types come out right.
    shifted: NDArray[Any] = found.astype(given.dtype) + given.dtype.type(low)
    return shifted


def factorize(values: ArrayLike) -> tuple[NDArray[Any], IntpArray]:
    """Return the distinct values, ascending, and the place of each entry's value among them.

    The places have the shape of `values`.
    """
    given = np.asarray(values)
    if given.dtype.kind not in "biu" or not given.size:
        try:
            names, codes = np.unique(given, return_inverse=True)
        except TypeError:
            kinds = " and ".join(sorted({type(each).__name__ for each in given.flat}))
            raise TypeError(f"values of {kinds} have no order; give all of one type") from None
        return names, codes.reshape(given.shape)
    flat = given.reshape(-1)
    low, high = int(flat.min()), int(flat.max())
    if _is_dense(high - low, flat.size):
        offsets = _above(flat, low)
        number = np.zeros(high - low + 1, dtype=np.intp)
        number[offsets] = 1
        np.cumsum(number, out=number)
        codes = number[offsets] - 1
    else:
        order, starts = _order(flat)
        codes = np.empty(flat.size, dtype=np.intp)
        codes[order] = np.cumsum(starts) - 1
    names = np.empty(int(codes.max()) + 1, dtype=flat.dtype)
    names[codes] = flat
    return names, codes.reshape(given.shape)


def factorize_pairs(
    first: ArrayLike, second: ArrayLike
) -> tuple[NDArray[Any], NDArray[Any], IntpArray]:
    """Return both halves of the distinct pairs of two columns, and the place of each row's pair."""
    (one, of_one), (other, of_other) = factorize(first), factorize(second)
    keys, codes = factorize(of_one.astype(np.int64) * len(other) + of_other)
    return one[keys // len(other)], other[keys % len(other)], codes


def first_rows(values: ArrayLike) -> tuple[NDArray[Any], IntpArray]:
    """Return the distinct values, ascending, and where each occurs first."""
    given = np.asarray(values)
    if given.dtype.kind not in "biu" or not given.size:
        return np.unique(given, return_index=True)
    flat = given.reshape(-1)
    order, starts = _order(flat, stable=True)
    first = order[starts]
    return flat[first], first


def is_in(values: ArrayLike, members: ArrayLike) -> NDArray[np.bool_]:
    """Return which values are among the members."""
    given, among = np.asarray(values), np.asarray(members).reshape(-1)
    shared = np.result_type(given, among)
    if shared.kind not in "biu" or not given.size or not among.size:
        # Left to choose, numpy 1.26 takes a table that fails for signed beside unsigned numbers.
        return np.isin(given, among, kind="sort")
    flat, among = (part.astype(shared, copy=False) for part in (given.reshape(-1), among))
    found = np.zeros(flat.size, dtype=bool)
    low, high = int(among.min()), int(among.max())
    if _is_dense(high - low, flat.size + among.size):
        member = np.zeros(high - low + 1, dtype=bool)
        member[_above(among, low)] = True
        inside = (flat >= low) & (flat <= high)
        found[inside] = member[_above(flat[inside], low)]
        return found.reshape(given.shape)
    among = np.sort(among)
    # Sorted questions walk through the sorted members once, instead of missing the cache.
    order, _ = _order(flat)
    asked = flat[order]
    found[order] = among[np.minimum(np.searchsorted(among, asked), among.size - 1)] == asked
    return found.reshape(given.shape)


def _is_dense(spread: int, size: int) -> bool:
    """Whether a table with an entry for every possible value is not much larger than the data."""
    return spread <= 4 * size


def starts_of_runs(*ordered: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where a row of one or more columns differs from the row before."""
    starts = np.ones(ordered[0].size, dtype=bool)
    np.not_equal(ordered[0][1:], ordered[0][:-1], out=starts[1:])
    for column in ordered[1:]:
        starts[1:] |= column[1:] != column[:-1]
    return starts


def _above(flat: NDArray[Any], low: int) -> NDArray[np.int64]:
    """Return how far whole numbers are above the lowest, which has to fit 63 bits."""
    wide = flat if flat.dtype.kind == "u" else flat.astype(np.int64)
    return np.asarray((wide - low).astype(np.int64, copy=False))


def _order(flat: NDArray[Any], *, stable: bool = False) -> tuple[IntpArray, NDArray[np.bool_]]:
    """Return the order of whole numbers, and where in it a new one begins."""
    low, high = int(flat.min()), int(flat.max())
    bits = (flat.size - 1).bit_length()
    if (high - low).bit_length() + bits > 63:
        order = np.argsort(flat, kind="stable" if stable else None)
        return order, starts_of_runs(flat[order])
    # Value and place in one number: to sort them is much faster than an argsort.
    packed = np.sort((_above(flat, low) << bits) | np.arange(flat.size))
    return (packed & ((1 << bits) - 1)).astype(np.intp), starts_of_runs(packed >> bits)
