"""Checks of arguments that the modules of the protocol share."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_choice, check_squares, refuse
from recsys_metrics._core.inputs.arrays import (
    FloatArray,
    MatchedValues,
    as_columns_of_scores,
    as_scores,
)
from recsys_metrics._core.inputs.columns import check_shape, match_keys

Missing = Literal["raise", "omit"]
Source = Literal["test", "live", "labels"]
Alternative = Literal["two-sided", "greater", "less"]


def sample(
    name: str,
    values: ArrayLike,
    *,
    least: int = 2,
    missing: Missing = "raise",
    source: Source = "test",
) -> FloatArray:
    """Return one axis of finite numbers, with the NaN left out if that was asked for.

    `source` says where they come from: users of a test set; users of an experiment, of whom nobody
    may be left out; or lists that were labelled.
    """
    check_choice("missing", missing, Missing)
    numbers = _numbers(name, values)
    if missing == "omit":
        numbers = numbers[~np.isnan(numbers)]
    _finite(name, numbers, source)
    if source == "live":
        check_squares(name, numbers)
    _check_enough(name, len(numbers), least, source)
    return numbers


def paired_gains(
    a: MatchedValues, b: MatchedValues, *, least: int = 2, missing: Missing = "raise"
) -> FloatArray:
    """Return b - a, pair by pair."""
    first, second = paired_values(a, b, least=least, missing=missing)
    with np.errstate(over="ignore"):
        gains: FloatArray = second - first
    refuse(~np.isfinite(gains), "b - a", gains, ", more than a number can hold; divide both first")
    return gains


def paired_values(
    a: MatchedValues, b: MatchedValues, *, least: int = 2, missing: Missing = "raise"
) -> tuple[FloatArray, FloatArray]:
    """Return the values of each pair, finite; without pairs that lack one if that was asked for."""
    check_choice("missing", missing, Missing)
    columns = match_keys(a=a, b=b)
    # Numbers that a float takes for equal would have no difference.
    first, second = as_columns_of_scores(dict(zip("ab", columns, strict=True)))
    check_shape("a", first, may_be_empty=True)
    check_shape("b", second, may_be_empty=True)
    if len(first) != len(second):
        raise ValueError(
            f"a paired test compares case by case, but a has {len(first)} values and b "
            f"{len(second)}; give both for the same users (or seeds) in the same order"
        )
    if missing == "omit":
        known = ~(np.isnan(first) | np.isnan(second))
        first, second = first[known], second[known]
    _finite("a", first)
    _finite("b", second)
    _check_enough("a and b", len(first), least)
    return first, second


def _numbers(name: str, values: ArrayLike) -> FloatArray:
    # Whole numbers that a float takes for equal would not vary.
    numbers = as_scores(values, name)
    check_shape(name, numbers, may_be_empty=True)
    return numbers


# What to do about a value that is not there.
_MISSING: dict[Source, str] = {
    "test": "; a user with nothing relevant has no value, pass missing='omit' to leave such users "
    "out",
    "live": ". A user who did nothing has the value 0. If a value was not recorded, find out why "
    "before you leave users out: those who were assigned and are left out afterwards bias the "
    "comparison",
    "labels": "; a list with nothing relevant has no value: leave it out, with the judge's value "
    "and that of people",
}
# What to do about too few values.
_MORE: dict[Source, str] = {
    "test": "run more seeds or test more users",
    "live": "wait for more users",
    "labels": "label more lists",
}


def _finite(name: str, numbers: FloatArray, source: Source = "test") -> None:
    refuse(
        np.isnan(numbers),
        name,
        numbers,
        f", not a finite number{_MISSING[source]}",
    )
    refuse(np.isinf(numbers), name, numbers, ", not a finite number")


def _check_enough(name: str, count: int, least: int, source: Source = "test") -> None:
    if count < least:
        raise ValueError(
            f"{name}: {count} value{'s' * (count != 1)}, but it takes at least {least} to know "
            f"how much they vary; {_MORE[source]}"
        )
