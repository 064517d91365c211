"""What the files on bias share: checked columns of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._checks import check_choice as check_choice
from recsys_metrics._checks import check_count as check_count
from recsys_metrics._checks import check_lengths as check_lengths
from recsys_metrics._checks import check_share, zero_one
from recsys_metrics._checks import missing_entries as missing_entries
from recsys_metrics._gini import inequality
from recsys_metrics._inputs.arrays import BoolArray as BoolArray
from recsys_metrics._inputs.arrays import FloatArray as FloatArray
from recsys_metrics._inputs.arrays import IntArray as IntArray
from recsys_metrics._inputs.arrays import as_array, as_numbers
from recsys_metrics._intervals import normal_quantile as normal_quantile
from recsys_metrics._sorted import factorize


def check_level(level: Any) -> float:
    """Return a confidence between 0 and 1."""
    return check_share("level", level, "a confidence")


def check_numbers(name: str, values: ArrayLike, axes: int = 1) -> FloatArray:
    """Return finite numbers of so many axes."""
    given = as_numbers(values, name)
    if given.ndim != axes:
        what = "one row" if axes == 1 else "a table"
        raise ValueError(f"{name} must be {what} of numbers; got shape {given.shape}")
    if not given.size:
        raise ValueError(f"{name} is empty; there is nothing to estimate from")
    # A sum is finite if every number is, and takes no temporary; only a bad sum is looked into.
    if not np.isfinite(given.sum()) and not np.isfinite(given).all():
        where = np.unravel_index(int((~np.isfinite(given)).argmax()), given.shape)
        raise ValueError(f"{name}{_at(where)} is {given[where]}; every number must be finite")
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
        where = np.unravel_index(int(odd.argmax()), given.shape)
        bracket = "(" if open_low else "["
        raise ValueError(
            f"{name}{_at(where)} is {given[where]:g}; it must be in {bracket}{low:g}, {high:g}]"
            f"{advice}"
        )
    return given


def check_propensities(propensities: ArrayLike, axes: int = 1) -> FloatArray:
    """Return probabilities of logged events, each above 0: the event was observed."""
    return check_between(
        "propensities",
        propensities,
        0.0,
        1.0,
        axes=axes,
        open_low=True,
        advice=": the event was observed, so its probability is above 0. Percentages need a "
        "division by 100, estimates of 0 a floor (clip_propensities)",
    )


def check_zero_one(name: str, values: ArrayLike) -> BoolArray:
    """Return a row of 0 and 1 as booleans."""
    given: NDArray[Any] = as_array(values, name)
    if given.ndim != 1:
        raise ValueError(f"{name} must be one row of 0 and 1; got shape {given.shape}")
    if not given.size:
        raise ValueError(f"{name} is empty; there is nothing to count")
    return zero_one(given, name)


def check_whole(
    name: str, values: ArrayLike, low: int, high: int | None, axes: int = 1
) -> IntArray:
    """Return whole numbers from low up to, and including, high."""
    given: NDArray[Any] = as_array(values, name)
    if given.ndim != axes:
        what = "one row" if axes == 1 else "a table"
        raise ValueError(f"{name} must be {what} of whole numbers; got shape {given.shape}")
    if not given.size:
        raise ValueError(f"{name} is empty; there is nothing to count")
    if not np.issubdtype(given.dtype, np.integer):
        raise TypeError(f"{name} must be whole numbers; got {given.dtype} values")
    odd = (given < low) | (given > (given.max() if high is None else high))
    if odd.any():
        where = np.unravel_index(int(odd.argmax()), given.shape)
        upto = "up" if high is None else f"to {high}"
        raise ValueError(f"{name}{_at(where)} is {given[where]}; they run from {low} {upto}")
    return given.astype(np.intp)


def number_items(name: str, items: ArrayLike) -> tuple[NDArray[Any], IntArray]:
    """Return the items, ascending, and the number of each entry's item."""
    given = as_array(items, name)
    missing = missing_entries(items)
    if missing.any():
        where = np.unravel_index(int(missing.argmax()), given.shape)
        raise ValueError(
            f"{name}{_at(where)} is {given[where]!s}, which is no item; leave out what was shown "
            "without a known item"
        )
    try:
        return factorize(given)
    except TypeError:
        raise TypeError(
            f"{name} must be of one kind that can be sorted, all text or all numbers"
        ) from None


def gini(amounts: FloatArray) -> float:
    """Return Gini's index over all entries, zeros included; at most (n - 1)/n."""
    return inequality(amounts) / len(amounts) if amounts.any() else 0.0


def _at(where: tuple[Any, ...]) -> str:
    return "[" + ", ".join(str(int(i)) for i in where) + "]"
