"""Reading what a learner typed, and whether it is the value that was asked for.

Right is right, however it is written: an int, a float of any precision, a fraction, a text from
a form, rounded to three decimals or not at all.
"""

from __future__ import annotations

import re
import reprlib
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.result import Outcome

PLACES = 3
"""An answer is judged to this many decimals, or to as many more as it has."""

# A value computed in single precision is right; the last digits of a double are nobody's aim.
_RELATIVE = 1e-6
_FUZZ = 1e-12
_NO_END = 99
_FAR = 10**100
_TOO_FAR = "That is further from 1 than any metric gets."

_DECIMAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_RATIO = re.compile(rf"({_DECIMAL})\s*/\s*({_DECIMAL})")
_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+%?")
_LONGEST = 60


@dataclass(frozen=True)
class Reading:
    """A number as it was written.

    Parameters
    ----------
    value : float
        The number that stands there.
    places : int
        How many decimals it was written with; 99 where they do not end.
    slack : float
        How far a float of low precision can be from what was meant.
    """

    value: float
    places: int
    slack: float = 0.0


class UnreadableError(ValueError):
    """What was given is no number; the message says why and what to do.

    Parameters
    ----------
    says : str
        For the learner, in markdown.
    outcome : Outcome
        WRONG for a computation that went astray (nan, infinity), else ERROR.
    """

    def __init__(self, says: str, outcome: Outcome = Outcome.ERROR) -> None:
        super().__init__(says)
        self.says = says
        self.outcome = outcome


def is_missing(given: Any) -> bool:
    """Whether nothing was answered: `...`, None, or an empty field."""
    if isinstance(given, str):
        return given.strip() in {"", "...", "…", "?"}
    return given is None or given is Ellipsis


def read(given: Any, *, percent: bool = False) -> Reading:
    """Return the number that was given.

    Parameters
    ----------
    given
        Anything at all.
    percent : bool
        Whether a text may be a percentage.

    Returns
    -------
    Reading

    Raises
    ------
    UnreadableError
        If it is no single finite number.

    Examples
    --------
    >>> read(" .442 ")
    Reading(value=0.442, places=3, slack=0.0)
    >>> read("53/120").places
    99
    """
    if isinstance(given, str):
        return _read_text(given, percent=percent)
    if isinstance(given, bool | np.bool_):
        raise UnreadableError(f"`{given}` is a yes or no; a number is asked for.")
    if isinstance(given, np.generic):
        return _read_scalar(given)
    if isinstance(given, Rational):
        return _read_fraction(Fraction(given))
    if isinstance(given, Decimal):
        return _read_decimal(given)
    if isinstance(given, float):
        return _read_decimal(Decimal(repr(float(given))))
    if isinstance(given, complex):
        raise UnreadableError("That is a complex number; a real one is asked for.")
    if isinstance(given, list | tuple | set | frozenset | dict):
        raise UnreadableError(
            f"That is a {type(given).__name__} of {len(given)}; one number is asked for."
        )
    if hasattr(given, "__array__"):
        return _read_array(given)
    if callable(given):
        raise UnreadableError("That is a function; call it, and give the number it returns.")
    try:
        value = float(given)
    except Exception:
        # Whatever it is, it is a learner's, and may fail in its own way.
        raise UnreadableError(f"A value of type `{type(given).__name__}` is no number.") from None
    return _read_decimal(Decimal(repr(value)))


def agrees(reading: Reading, value: float) -> bool:
    """Whether a reading is this value, rounded to the decimals it was written with.

    Fewer than three decimals are right only where the value rounded to three has no more. Ties
    may be rounded either way; digits that are cut off instead of rounded are not right.

    >>> agrees(read(0.442), 53 / 120), agrees(read(0.44), 53 / 120), agrees(read(0.441), 53 / 120)
    (True, False, False)
    """
    half_a_digit = _unit(max(PLACES, reading.places)) / 2
    return abs(reading.value - value) <= max(half_a_digit + _FUZZ, _leeway(reading, value))


def agrees_roughly(reading: Reading, value: float) -> bool:
    """Whether a reading is this value to three decimals, whatever the decimals behind them.

    They are off where somebody worked by hand and rounded each step, which is no mistake. Cut
    off digits are.

    >>> by_hand = (0.5 + 0.667 + 0.6) / 4
    >>> agrees_roughly(read(by_hand), 53 / 120), agrees_roughly(read(0.4416), 53 / 120)
    (True, False)
    """
    if agrees(reading, value):
        return True
    to_places = _unit(PLACES) / 2 + _FUZZ
    return abs(reading.value - value) <= to_places and not _is_cut_off(reading, value)


def near_miss(reading: Reading, value: float, *, percent: bool = False) -> str:
    """Return what to say about an answer that is nearly this value, or nothing.

    Parameters
    ----------
    reading : Reading
        An answer that does not agree with the value.
    value : float
        The value asked for.
    percent : bool
        Whether a percentage would have been right in a text.

    Returns
    -------
    str
    """
    if 0 < value <= 1 and agrees(
        Reading(reading.value / 100, reading.places + 2, reading.slack), value
    ):
        written = ' (a percentage as text, `"25 %"`, is read as one)' if percent else ""
        return f"That is the value in percent. Give the share, a number from 0 to 1{written}."
    cut_off = _is_cut_off(reading, value)
    rounded = abs(reading.value - value) <= _unit(reading.places) / 2
    if reading.places == PLACES - 1 and (cut_off or rounded):
        return "Right so far. Give three decimals: other mistakes look the same with two."
    if reading.places >= PLACES and cut_off:
        return "These digits are cut off. Round to the nearest last digit instead."
    return ""


def say(value: float) -> str:
    """Return a value as the workbook writes it, to three decimals at most.

    >>> say(53 / 120), say(0.6), say(4.0)
    ('0.442', '0.6', '4')
    """
    rounded = round(value, PLACES)
    return f"{rounded:g}" if abs(value - rounded) < 1e-9 else f"{value:.{PLACES}f}"


def written(given: Any) -> str:
    """Return what was given, as briefly as it can be shown."""
    try:
        if type(given) in (int, float, Fraction, Decimal) or isinstance(given, np.generic):
            text = str(given)
            return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
        return reprlib.repr(given)
    except Exception:
        # An int can be too long to be written, and a learner's own object unable to show itself.
        return f"<{type(given).__name__}>"


def _unit(places: int) -> float:
    return float(10.0**-places)


def _leeway(reading: Reading, value: float) -> float:
    """Return what single precision and the float's own spacing may cost."""
    return max(_RELATIVE * abs(value), reading.slack)


def _is_cut_off(reading: Reading, value: float) -> bool:
    gap = abs(reading.value - value)
    return abs(reading.value) < abs(value) and gap < _unit(reading.places) - _FUZZ


def _read_text(text: str, *, percent: bool) -> Reading:
    given = text.strip().replace("−", "-")
    bare = given.removesuffix("%").rstrip()
    if len(given) <= _LONGEST:
        if bare != given and re.fullmatch(_DECIMAL, bare):
            if not percent:
                raise UnreadableError("Give the number itself, not a percentage.")
            share = Decimal(bare).scaleb(-2)
            return _read_decimal(share)
        if re.fullmatch(_DECIMAL, given):
            return _read_decimal(Decimal(given))
        ratio = _RATIO.fullmatch(given)
        if ratio:
            over, under = (Fraction(part) for part in ratio.groups())
            if under == 0:
                raise UnreadableError("That fraction divides by 0.", Outcome.WRONG)
            return _read_fraction(over / under)
        if _COMMA.fullmatch(given):
            raise UnreadableError('Write the decimal point as a dot, `"0.25"` for instance.')
        if given.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
            return _read_decimal(Decimal(given))
    raise UnreadableError('That text is no number. Write `0.25`, `".25"` or `"1/4"`, for instance.')


def _read_decimal(number: Decimal) -> Reading:
    if number.is_nan():
        raise UnreadableError(
            "`nan` means *not a number*: 0 was divided by 0, or a missing value came in.",
            Outcome.WRONG,
        )
    if number.is_infinite():
        raise UnreadableError("That is infinite: something was divided by 0.", Outcome.WRONG)
    # Compared by its exponent: a decimal can be too large for any arithmetic.
    if number.adjusted() > 100:
        raise UnreadableError(_TOO_FAR, Outcome.WRONG)
    exponent = number.normalize().as_tuple().exponent
    return Reading(float(number), max(0, -int(exponent)))


def _read_fraction(number: Fraction) -> Reading:
    if abs(number) > _FAR:
        raise UnreadableError(_TOO_FAR, Outcome.WRONG)
    rest, twos, fives = number.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return Reading(float(number), max(twos, fives) if rest == 1 else _NO_END)


def _read_scalar(number: np.generic) -> Reading:
    if isinstance(number, np.floating):
        if not np.isfinite(number):
            return _read_decimal(Decimal(str(float(number))))
        # The shortest text that means this float in its own precision: what was typed.
        text = np.format_float_positional(number, unique=True, trim="-")
        reading = _read_decimal(Decimal(text))
        spacing = float(np.spacing(np.abs(number)))
        slack = spacing / 2 + abs(float(number) - reading.value)
        return Reading(reading.value, reading.places, slack)
    if isinstance(number, np.integer):
        return _read_fraction(Fraction(int(number)))
    if isinstance(number, np.complexfloating):
        raise UnreadableError("That is a complex number; a real one is asked for.")
    raise UnreadableError(f"A value of type `{type(number).__name__}` is no number.")


def _read_array(given: Any) -> Reading:
    try:
        array = np.asarray(given)
    except Exception:
        raise UnreadableError(f"A value of type `{type(given).__name__}` is no number.") from None
    if array.size != 1:
        raise UnreadableError(f"That is an array of {array.size} values; one number is asked for.")
    return read(array.reshape(-1)[0])
