"""Checks of arguments that several subjects share, with one wording."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_RANKS = 2**31 - 1
"""What a rank is held in, by arrays of some platforms and by every engine of frames."""


def check_choice(name: str, value: Any, choices: Any) -> None:
    """Raise if a convention has none of the values of its `Literal`."""
    allowed = choices.__args__
    if value not in allowed:
        listed = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{name} must be one of {listed}; got {value!r}")


def check_count(
    name: str, value: Any, least: int = 1, meaning: str = "", most: int | None = None
) -> int:
    """Return a whole number that is at least so large, and at most so large if that is said."""
    wanted = f"{meaning}, a whole number" if meaning else "a whole number"
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {wanted} of {least} or more; got {value!r}") from None
    if number < least:
        raise ValueError(f"{name} is {wanted} of {least} or more; got {number}")
    if most is not None and number > most:
        raise ValueError(f"{name} is {wanted} of at most {most:,}; got {number}")
    return number


def check_share(name: str, value: Any, meaning: str = "a share") -> float:
    """Return a number strictly between 0 and 1."""
    if isinstance(value, bool) or not 0 < value < 1:
        raise ValueError(f"{name} is {meaning} between 0 and 1, both excluded; got {value!r}")
    return float(value)


def check_level(level: Any) -> float:
    """Return a confidence between 0 and 1."""
    return check_share("level", level, "a confidence")


def first_true(mask: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the indices of the first True, none if there is none."""
    if not mask.any():
        return ()
    return tuple(int(i) for i in np.unravel_index(int(mask.argmax()), mask.shape))


def refuse(
    wrong: NDArray[np.bool_], name: str, values: NDArray[Any], words: str, before: int = 0
) -> None:
    """Raise if an entry is wrong, about the first: name, index, value, then the words.

    The index of a row counts the entries of rows before.
    """
    if wrong.any():
        at = first_true(wrong)
        index = f"[{', '.join(str(before + i) for i in at)}]" if at else ""
        raise ValueError(f"{name}{index} is {str(values[at]).removesuffix('.0')}{words}")


def zero_one(given: NDArray[Any], name: str, before: int = 0) -> NDArray[np.bool_]:
    """Return a row of 0 and 1 as booleans; an error counts the entries of rows before."""
    if given.dtype == bool:
        return given
    one = np.asarray(given == 1)
    refuse(~one & (given != 0), name, given, "; it must be 0 or 1", before)
    return one


class UndefinedMetricError(ValueError):
    """A metric that has no value for these lists: a report leaves it out and says why."""


def check_lengths(**columns: Any) -> None:
    """Raise if the columns differ in length."""
    if len({len(column) for column in columns.values()}) > 1:
        listed = ", ".join(f"{name} {len(column)}" for name, column in columns.items())
        raise ValueError(f"each row needs every column, but the lengths differ: {listed}")


def is_missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, NaT, pandas' NA."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        # pandas' NA has no truth value.
        return type(value).__name__ == "NAType"


def missing_entries(values: ArrayLike) -> NDArray[np.bool_]:
    """Return where a value stands for none: None, NaN, NaT, pandas' NA."""
    given = np.asarray(values)
    if not isinstance(values, np.ndarray) and given.dtype.kind not in "biu":
        # Numpy writes the NaN of a list of strings as the string "nan".
        given = np.asarray(values, dtype=object)
    if given.dtype.kind == "O":
        return np.array([is_missing(value) for value in given.flat], bool).reshape(given.shape)
    return np.asarray(given != given)


def between_zero_and_one(values: NDArray[np.float64]) -> bool:
    """Whether all numbers are from 0 to 1; wrongly False where there is a -0.

    Read as whole numbers without a sign, the bits of the floats from 0 up are in the order of
    the floats, and those of negative numbers and of NaN stand above: one comparison does it.
    """
    return bool(values.view(np.uint64).max(initial=0) <= np.float64(1.0).view(np.uint64))
