"""Checks of arguments that the modules of the protocol share."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_choice, refuse
from recsys_metrics._core.inputs.arrays import FloatArray, MatchedValues, as_numbers
from recsys_metrics._core.inputs.columns import check_shape, match_keys

Missing = Literal["raise", "omit"]
Alternative = Literal["two-sided", "greater", "less"]


def sample(
    name: str,
    values: ArrayLike,
    *,
    least: int = 2,
    missing: Missing = "raise",
    live: bool = False,
) -> FloatArray:
    """Return one axis of finite numbers, with the NaN left out if that was asked for.

    `live` says that they are values of an experiment's users, of whom nobody may be left out.
    """
    check_choice("missing", missing, Missing)
    numbers = _numbers(name, values)
    if missing == "omit":
        numbers = numbers[~np.isnan(numbers)]
    _finite(name, numbers, _LIVE if live else _OFFLINE)
    _check_enough(name, len(numbers), least)
    return numbers


def paired_gains(
    a: MatchedValues, b: MatchedValues, *, least: int = 2, missing: Missing = "raise"
) -> FloatArray:
    """Return b - a, pair by pair."""
    check_choice("missing", missing, Missing)
    first, second = map(_numbers, ("a", "b"), match_keys(a=a, b=b))
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
    with np.errstate(over="ignore"):
        gains: FloatArray = second - first
    refuse(~np.isfinite(gains), "b - a", gains, ", more than a number can hold; divide both first")
    return gains


def _numbers(name: str, values: ArrayLike) -> FloatArray:
    numbers = as_numbers(values, name)
    check_shape(name, numbers, may_be_empty=True)
    return numbers


_OFFLINE = (
    "; a user with nothing relevant has no value, pass missing='omit' to leave such users out"
)
_LIVE = (
    ". A user who did nothing has the value 0. If a value was not recorded, find out why before "
    "you leave users out: those who were assigned and are left out afterwards bias the comparison"
)


def _finite(name: str, numbers: FloatArray, cure: str = _OFFLINE) -> None:
    refuse(
        np.isnan(numbers),
        name,
        numbers,
        f", not a finite number{cure}",
    )
    refuse(np.isinf(numbers), name, numbers, ", not a finite number")


def _check_enough(name: str, count: int, least: int) -> None:
    if count < least:
        raise ValueError(
            f"{name}: {count} value{'s' * (count != 1)}, but it takes at least {least} to know "
            "how much they vary; run more seeds or test more users"
        )
