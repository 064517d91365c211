"""Checks of arguments that several subjects share, with one wording."""

from __future__ import annotations

import math
import operator
from collections.abc import Collection, Hashable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_RANKS = 2**31 - 1
"""What a rank is held in, by arrays of some platforms and by every engine of frames."""
MOST_ENTRIES = 10**8
"""How many numbers an argument may ask for that says the length of an array."""
MOST_REPEATS = 10**6
"""How often something may be drawn, split or cut again: more takes hours and shows nothing new."""

LARGEST_SQUARED = 1e140
"""The sum of the squares of many such numbers is a float."""

Seed = int | np.random.Generator
# Numpy counts no further.
_LARGEST = 2**63 - 1


def is_one_of(value: Any, words: Collection[str]) -> bool:
    """Whether a value is one of some words; a column or pandas' NA has no answer of its own."""
    return isinstance(value, str) and value in words


def is_among(value: Any, keys: Iterable[Hashable]) -> bool:
    """Whether a value is one of some keys; what has no hash, a list or a column, is none."""
    try:
        return value in {*keys}
    except TypeError:
        return False


def check_choice(name: str, value: Any, choices: Any) -> None:
    """Raise if a convention has none of the values of its `Literal`."""
    allowed = choices.__args__
    if not is_one_of(value, allowed):
        listed = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{name} must be one of {listed}; got {value!r:.80}")


def check_count(
    name: str, value: Any, least: int = 1, meaning: str = "", most: int | None = None
) -> int:
    """Return a whole number that is at least so large, and at most so large if that is said."""
    wanted = f"{meaning}, a whole number" if meaning else "a whole number"
    try:
        if isinstance(value, bool | np.bool_ | np.timedelta64):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {wanted} of {least} or more; got {value!r:.80}") from None
    if number < least:
        raise ValueError(f"{name} is {wanted} of {least} or more; got {number}")
    most = _LARGEST if most is None else most
    if number > most:
        raise ValueError(f"{name} is {wanted} of at most {most:,}; got {number!s:.40}")
    return number


def check_entries(name: str, number: int) -> None:
    """Raise if numbers are so high that a table with a cell for each would hold too many."""
    if number > MOST_ENTRIES:
        raise ValueError(
            f"{name} are so high that a table with a cell for each has {number:,} cells, more than "
            f"{MOST_ENTRIES:,}; number them from the start, without gaps"
        )


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
    if isinstance(seed, bool | np.timedelta64):
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
    return number


def check_positive(name: str, value: Any) -> float:
    """Return a finite number above 0."""
    words = f"{name} is a finite number above 0; got {value!r:.80}"
    number = _as_number(value, words)
    if not 0 < number <= _LARGEST:
        raise ValueError(words)
    return number


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
    return number


def is_real(value: Any) -> bool:
    """Whether a value is a real number: none of numpy's complex ones, and no span of time."""
    return isinstance(value, Real | np.number) and not isinstance(
        value, np.complexfloating | np.timedelta64
    )


def check_real(name: str, value: Any) -> float:
    """Return a number; raise for a truth value, text, an array, a decimal, a complex number."""
    if isinstance(value, bool) or not is_real(value):
        raise TypeError(f"{name} is a number; got {value!r:.80}")
    try:
        return to_float(value)
    except OverflowError:
        raise ValueError(f"{name} is larger than a float holds; got {value!s:.40}…") from None


def to_float(value: Any) -> float:
    """Return a number with 64 bits: 0.7 with 32 bits as 0.7, and not a little less.

    Raises
    ------
    OverflowError
        If it is finite and larger than a float holds.
    """
    if not isinstance(value, np.floating):
        return float(value)
    if value.itemsize < 8:
        return float(str(value))
    with np.errstate(over="ignore"):
        number = float(value)
    if math.isinf(number) and not np.isinf(value):
        raise OverflowError
    return number


def _as_number(value: Any, words: str) -> float:
    if isinstance(value, bool):
        raise ValueError(words)
    # Not a decimal: one that signals ends a comparison in an error of its own.
    if not is_real(value):
        raise TypeError(words)
    try:
        return to_float(value)
    except OverflowError:
        raise ValueError(words) from None


# What is left of 1 - alpha as a float has no digits beyond.
_LEAST_ALPHA = 1e-15


def check_level(level: Any) -> float:
    """Return a confidence between 0 and 1, so far from 1 that the tails are known."""
    confidence = check_share("level", level, "a confidence")
    if 1 - confidence < _LEAST_ALPHA:
        raise ValueError(
            f"level is {confidence!r}, and the tails of an interval are not known within "
            f"{_LEAST_ALPHA:g} of 1; give a lower one"
        )
    return confidence


def check_alpha(alpha: Any) -> float:
    """Return the level of a test, so far from 0 that the tails are known."""
    chance = check_share("alpha", alpha)
    if chance < _LEAST_ALPHA:
        raise ValueError(
            f"alpha is {chance:g}; the tails of a test are not known below {_LEAST_ALPHA:g}"
        )
    return chance


def check_resamples(n_resamples: Any, level: float) -> int:
    """Return how often to resample: so often that a quantile of each tail lies between draws."""
    number = check_count("n_resamples", n_resamples, most=MOST_REPEATS)
    # But for the last digits of 1 - level.
    least = math.ceil(2 / (1 - level) - 1e-6)
    if number < least:
        raise ValueError(
            f"n_resamples is {number}, and each tail of a {100 * level:g}% interval needs at least "
            f"one resample; give {least:,} or more"
        )
    return number


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


def check_squares(name: str, numbers: NDArray[np.float64]) -> None:
    """Raise if the squares of numbers leave what a float holds, to either side; NaN is none."""
    sizes = np.abs(numbers)
    words = ", too large to square; divide all values by one number first"
    refuse(sizes > LARGEST_SQUARED, name, numbers, words)
    if 0 < np.fmax.reduce(sizes, axis=None, initial=0.0) < 1 / LARGEST_SQUARED:
        words = ", too small to square; multiply all values by one number first"
        refuse(sizes > 0, name, numbers, words)


def check_mapping(name: str, given: Any, of: str) -> None:
    """Raise if an argument is no mapping; `of` says from what to what."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} must be a mapping {of}; got {type(given).__name__}")


def describe_no_real_numbers(given: NDArray[Any]) -> str:
    """Return what an array holds that numpy turns into other numbers; nothing if there is none.

    Of a complex number numpy would drop a part, and of a date or a duration it would count days.
    """
    if given.dtype.kind not in "cmM":
        return ""
    odd = given[given.imag != 0] if given.dtype.kind == "c" else given
    first = next(iter((odd if odd.size else given).flat), None)
    return f"{given.dtype} values" + ("" if first is None else f", {first!s:.40} for one")


def zero_one(given: NDArray[Any], name: str, before: int = 0) -> NDArray[np.bool_]:
    """Return a row of 0 and 1 as booleans; an error counts the entries of rows before."""
    if given.dtype == bool:
        return given
    if others := describe_no_real_numbers(given):
        raise TypeError(f"{name} must be 0 and 1; got {others}")
    if given.dtype.kind in "USO":
        texts = (each for each in given.ravel().tolist() if isinstance(each, str | bytes))
        if (text := next(texts, None)) is not None:
            raise TypeError(f"{name} must be 0 and 1; got {text!r:.60}, a text. Use numbers")
    if given.dtype == object:
        # One by one: pandas' NA and a decimal number that signals compare with none.
        known = np.array([_is_zero_or_one(each) for each in given.flat], dtype=bool)
        refuse(~known.reshape(given.shape), name, given, "; it must be 0 or 1", before)
    one = np.asarray(given == 1, dtype=bool)
    refuse(~one & (given != 0), name, given, "; it must be 0 or 1", before)
    return one


def refuse_sparse(name: str, given: Any) -> None:
    """Raise if a column is a sparse matrix, which has no row of values."""
    if hasattr(given, "tocsr"):
        raise TypeError(
            f"{name} is a sparse matrix, and one row of values is needed: {name}.toarray().ravel()"
        )


def check_bounds(bounds: Any) -> tuple[float, float]:
    """Return the least and the most that a value can be."""
    words = f"bounds are the least and the most a value can be; got {bounds!r:.80}"
    try:
        # Sets have no first, and bytes are numbers of letters.
        if isinstance(bounds, bytes | AbstractSet | Mapping):
            raise TypeError
        least, most = (check_real("a bound", bound) for bound in bounds)
    except (TypeError, ValueError):
        raise TypeError(words) from None
    if not least < most:
        raise ValueError(words)
    return least, most


def parse_number(text: str) -> float:
    """Return the number that a text is; Python reads 1_0 as ten, and the digits of any script."""
    if "_" in text or not text.isascii():
        raise ValueError(f"{text!r:.60} is no number")
    return float(text)


def _is_zero_or_one(value: Any) -> bool:
    try:
        return not isinstance(value, complex | np.complexfloating) and (
            bool(value == 0) or bool(value == 1)
        )
    except (TypeError, ValueError, ArithmeticError):
        return False


class UndefinedMetricError(ValueError):
    """A metric that has no value for these lists: a report leaves it out and says why."""


def check_lengths(**columns: Any) -> None:
    """Raise if the columns differ in length."""
    lengths = {name: _length_of(name, column) for name, column in columns.items()}
    if len({*lengths.values()}) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise ValueError(f"each row needs every column, but the lengths differ: {listed}")


def _length_of(name: str, column: Any) -> int:
    refuse_sparse(name, column)
    try:
        return len(column)
    except TypeError:
        raise TypeError(
            f"{name} must be a list, an array or a column; got {column!r:.60}"
        ) from None


def is_missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, NaT, pandas' NA."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError, ArithmeticError):
        # pandas' NA has no truth value, and a decimal NaN that signals compares with none.
        return type(value).__name__ == "NAType" or (isinstance(value, Decimal) and value.is_nan())


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
