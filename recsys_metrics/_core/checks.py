"""Checks of arguments that several subjects share, with one wording."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from numbers import Real
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_RANKS = 2**31 - 1
"""What a rank is held in, by arrays of some platforms and by every engine of frames."""

Seed = int | np.random.Generator
# Numpy counts no further.
_LARGEST = 2**63 - 1


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
    most = _LARGEST if most is None else most
    if number > most:
        raise ValueError(f"{name} is {wanted} of at most {most:,}; got {number!s:.40}")
    return number


def generator(seed: Seed) -> np.random.Generator:
    """Return the generator of a seed; a generator is used, and moved on, as it is."""
    if isinstance(seed, np.random.Generator):
        return seed
    words = f"seed is a whole number of 0 or more, or a numpy Generator; got {seed!r:.80}"
    try:
        # Of any length: people take a hash as well.
        number = operator.index(seed)
    except TypeError:
        raise TypeError(words) from None
    if isinstance(seed, bool):
        raise TypeError(words)
    if number < 0:
        raise ValueError(words)
    return np.random.default_rng(number)


def check_at_least(name: str, value: Any, least: float) -> float:
    """Return a finite number that is at least so large."""
    words = f"{name} is a finite number, {least:g} or more; got {value!r:.80}"
    number = _as_number(value, words)
    if not least <= number <= _LARGEST:
        raise ValueError(words)
    return float(number)


def check_positive(name: str, value: Any) -> float:
    """Return a finite number above 0."""
    words = f"{name} is a finite number above 0; got {value!r:.80}"
    number = _as_number(value, words)
    if not 0 < number <= _LARGEST:
        raise ValueError(words)
    return float(number)


def check_flag(name: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} is True or False; got {value!r:.80}")
    return bool(value)


def check_share(name: str, value: Any, meaning: str = "a share", *, whole: bool = False) -> float:
    """Return a number between 0 and 1, of which 1 is allowed if the share can be the whole."""
    ends = "above 0 and at most 1" if whole else "between 0 and 1, both excluded"
    words = f"{name} is {meaning} {ends}; got {value!r:.80}"
    number = _as_number(value, words)
    if not (0 < number < 1 or (whole and number == 1)):
        raise ValueError(words)
    return float(number)


def check_real(name: str, value: Any) -> None:
    """Raise if an argument is no number: text, an array, a decimal."""
    if not isinstance(value, Real | np.number):
        raise TypeError(f"{name} is a number; got {value!r:.80}")


def _as_number(value: Any, words: str) -> float:
    if isinstance(value, bool):
        raise ValueError(words)
    # Not a decimal: one that signals ends a comparison in an error of its own.
    if not isinstance(value, Real | np.number):
        raise TypeError(words)
    return cast(float, value)


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


def check_mapping(name: str, given: Any, of: str) -> None:
    """Raise if an argument is no mapping; `of` says from what to what."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} must be a mapping {of}; got {type(given).__name__}")


def zero_one(given: NDArray[Any], name: str, before: int = 0) -> NDArray[np.bool_]:
    """Return a row of 0 and 1 as booleans; an error counts the entries of rows before."""
    if given.dtype == bool:
        return given
    try:
        one = np.asarray(given == 1)
    except ArithmeticError:  # of a decimal number that signals
        raise ValueError(f"{name} holds a decimal number that is none; it must be 0 or 1") from None
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
    except (TypeError, ValueError, ArithmeticError):
        # pandas' NA has no truth value, and a decimal number that signals compares with none.
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
