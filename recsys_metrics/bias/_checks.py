"""What the files on bias share: checked columns of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._checks import check_choice as check_choice
from recsys_metrics._checks import check_count as check_count
from recsys_metrics._checks import check_lengths as check_lengths
from recsys_metrics._checks import check_share, zero_one
from recsys_metrics._gini import inequality
from recsys_metrics._inputs.arrays import BoolArray as BoolArray
from recsys_metrics._inputs.arrays import FloatArray as FloatArray
from recsys_metrics._inputs.arrays import IntArray as IntArray
from recsys_metrics._inputs.arrays import as_array, as_numbers


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
    name: str, values: ArrayLike, low: float, high: float, *, axes: int = 1, open_low: bool = False
) -> FloatArray:
    """Return numbers of an interval, without its lower end if `open_low`."""
    given = check_numbers(name, values, axes)
    least = given.min()
    if least < low or (open_low and least <= low) or given.max() > high:
        odd = (given <= low if open_low else given < low) | (given > high)
        where = np.unravel_index(int(odd.argmax()), given.shape)
        bracket = "(" if open_low else "["
        raise ValueError(
            f"{name}{_at(where)} is {given[where]:g}; it must be in {bracket}{low:g}, {high:g}]"
        )
    return given


def check_propensities(propensities: ArrayLike, axes: int = 1) -> FloatArray:
    """Return probabilities of what was logged; none can be 0, for it did happen."""
    try:
        return check_between("propensities", propensities, 0.0, 1.0, axes=axes, open_low=True)
    except ValueError as problem:
        if "must be in" not in str(problem):
            raise
        raise ValueError(
            f"{problem}: the probability of something that was logged is above 0. Percentages "
            "need a division by 100, estimates of 0 a floor (clip_propensities)"
        ) from None


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


def normal_quantile(level: float) -> float:
    """Return how many standard errors an interval of that confidence reaches to either side."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))


def gini(amounts: FloatArray) -> float:
    """Return Gini's index over all entries, zeros included; at most (n - 1)/n."""
    return inequality(amounts) / len(amounts) if amounts.any() else 0.0


def _at(where: tuple[Any, ...]) -> str:
    return "[" + ", ".join(str(int(i)) for i in where) + "]"
