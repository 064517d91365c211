"""Reading what a learner typed, and whether it is the value that was asked for.

Right is right, however it is written: an int, a float of any precision, a fraction, a text from
a form with its unit or its name, a sum that is not worked out yet, rounded to three decimals or
not at all. The page's script reads by the same rules (`book/_static/reading.js`).
"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Rational
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises import expression
from recsys_metrics.workbook.exercises.expression import NotAnExpressionError
from recsys_metrics.workbook.exercises.result import Outcome

PLACES = 3
"""An answer is judged to this many decimals, or to as many more as it has."""
DECIMAL_POINT = "Python reads a comma as the end of a number: write a decimal point, as in `0.5`."

# A value computed in single precision is right; the last digits of a double are nobody's aim.
_RELATIVE = 1e-6
_FUZZ = 1e-12
_NO_END = 99
_HALF_A_DIGIT = 10.0**-PLACES / 2
_FAR = 10**100
_TOO_FAR = "That number is too large: it is further from 1 than any metric gets."
_STEP_TOO_FAR = (
    "A step of that computation is larger than a computer's numbers with 64 bits can be, so it has "
    "no result. Shorten the fraction, or give the number."
)
_DIVIDES = "That divides by 0."
_UNDEFINED = "That takes a root or a logarithm that is not defined."
_NO_NUMBER = (
    'That text is no number. Write `0.25`, `".25"`, `"1/4"` or `"sqrt(1/16)"`, for instance.'
)

_DECIMAL = rf"[+-]?{expression.DECIMAL}"
_ALONE = re.compile(rf"({_DECIMAL})|\( ?({_DECIMAL}) ?\)")
_MINUS = re.compile(
    "[\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{FIGURE DASH}\N{EN DASH}\N{EM DASH}"
    "\N{MINUS SIGN}\N{SMALL HYPHEN-MINUS}\N{FULLWIDTH HYPHEN-MINUS}]"
)
_SIGN_APART = re.compile(r"^([-+]) (?=[0-9.,])")
# Copied numbers come with marks of direction and of line ends that nobody sees.
_UNSEEN = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
# A keyboard for Chinese or Japanese gives each sign in a second width.
_WIDE = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_ALIKE = {"×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "⁄": "/", "∕": "/", "[": "(", "]": ")"}
_SIGNS = _WIDE | str.maketrans({**_ALIKE, "［": "(", "］": ")"})
_NAMED = re.compile(r"(?:[^\W\d_][^=:≈]{0,40})?[=:≈~]\s*(.+)")
_PERCENT = re.compile(r"(.*\S)\s*(?:%|per ?cent|pct)", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"([^\W\d_]+)\s+(.+)")
_WORD_AFTER = re.compile(r"(.*[0-9.)])\s*([^\W\d_]+)\.?")
_WORDS = re.compile(r"[^\W\d_]+")
# A comma between digits is a decimal one, unless it may be one of thousands.
_COMMA = re.compile(r"(?<![0-9.])([0-9]*),(?=[0-9])")
_HEAD = "[+-]?[1-9][0-9]{0,2}"
_DECIMAL_OR_THOUSANDS = re.compile(rf"{_HEAD},[0-9]{{3}}")
_THOUSANDS = re.compile(
    rf"{_HEAD}(?:(?:,[0-9]{{3}}){{2,}}|(?:,[0-9]{{3}})+(?=\.)|(?:[ _'’][0-9]{{3}})+)(?:\.[0-9]+)?"
)
_THOUSANDS_BY_DOTS = re.compile(rf"{_HEAD}(?:\.[0-9]{{3}})+(?:\.[0-9]{{3}}|,[0-9]+)")
_WHICH_COMMA = (
    "A comma before three digits can be read in two ways: `1,234` is 1.234 if it is a decimal "
    "comma, and 1234 if it separates thousands. Write the number without a comma, as `1.234` or "
    "`1234`."
)
_LONGEST = 120
_SHOWN = 60

UNITS = frozenset(
    word
    for singular in (
        *("bit", "nat", "star", "minute", "film", "item", "pair", "click", "user", "event"),
        *("point", "rank", "value", "slot", "order"),
    )
    for word in (singular, f"{singular}s")
) | {"min"}
"""Words that may stand beside a number; those of the field's own label may, too."""

TURNS = frozenset(["minus", "less", "not", "over", "without", "per", "plus", "times"])
"""Words of a label that would turn the number beside them into another."""

ROUNDED = "Right so far. Give three decimals: other mistakes look the same with fewer."
PERHAPS_ROUNDED = (
    "It may be the right value, rounded, or another value: with so few digits both look the same. "
    "Give three decimals."
)


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
    zeros : int
        How many zeros more it ends in.
    """

    value: float
    places: int
    slack: float = 0.0
    zeros: int = 0


class UnreadableError(ValueError):
    """What was given is no number; the message says why and what to do.

    Parameters
    ----------
    message : str
        For the learner, in markdown.
    outcome : Outcome
        WRONG for a computation that went astray (nan, infinity), else ERROR.
    """

    def __init__(self, message: str, outcome: Outcome = Outcome.ERROR) -> None:
        super().__init__(message)
        self.message = message
        self.outcome = outcome


# Of a list within a list within a list no part is looked at.
_DEEPEST = 3
_MOST_PARTS = 1_000
_PLAIN_PART: dict[type, Callable[[Any], Any]] = {
    str: lambda given: str.__getitem__(given, slice(None)),
    int: lambda given: int.__add__(given, 0),
    float: float.__pos__,
    Decimal: lambda given: Decimal(Decimal.__str__(given)),
}
_PLAIN = {type(None), type(...), bool, int, float, complex, str, bytes, Decimal, Fraction}


def make_plain(given: Any) -> Any:
    """Return an answer as what it is made of, without what a class of a learner's own adds to it.

    A type may say that it is another one, that it equals everything, or fail when it is asked. What
    is no kind of number, text or list, and can be looked at, is returned as it is.

    Parameters
    ----------
    given
        Anything at all.

    Examples
    --------
    >>> class Always(float):
    ...     def __eq__(self, other): return True
    >>> type(make_plain([Always(0.5)])[0])
    <class 'float'>
    """
    if type(given) in _PLAIN:
        return given
    try:
        return _take_apart(given, 0)
    except Exception:
        # What breaks whoever looks at it is shown by the name of its type, and is nothing else.
        return type(type(given).__name__, (), {})()


def _take_apart(given: Any, depth: int) -> Any:
    kind = type(given)
    if kind in _PLAIN:
        return given
    for base, plain in _PLAIN_PART.items():
        if issubclass(kind, base) and not issubclass(kind, np.generic):
            return plain(given)
    for base in (list, tuple, set, frozenset):
        if issubclass(kind, base):
            parts = [*base.__iter__(given)]
            if depth < _DEEPEST and len(parts) <= _MOST_PARTS:
                parts = [_take_apart(part, depth + 1) for part in parts]
            return base(parts)
    if issubclass(kind, dict):
        return dict(dict.items(given))
    hasattr(given, "ndim")
    if given.__class__ is not kind:
        raise TypeError("it says that it is of another type")
    return given


def is_missing(given: Any) -> bool:
    """Whether nothing was answered: `...`, None, or an empty field."""
    if isinstance(given, str):
        return _UNSEEN.sub("", given).strip() in {"", "...", "…", "?"}
    return given is None or given is Ellipsis


def read_number(given: Any, *, about: str = "") -> Reading:
    """Return the number that was given.

    Parameters
    ----------
    given
        Anything at all.
    about : str
        The label of what is asked for; its words may stand beside the number in a text.

    Returns
    -------
    Reading

    Raises
    ------
    UnreadableError
        If it is no single finite number.

    Examples
    --------
    >>> read_number(" .442 ")
    Reading(value=0.442, places=3, slack=0.0, zeros=0)
    >>> read_number("53/120").places
    99
    >>> [read_number(text).value for text in ("AP = 0,442", "44.2 %", "3.441 bits", "–sqrt(1/4)")]
    [0.442, 0.442, 3.441, -0.5]
    """
    # Nearly all that is read; to ask of what kind any other value is takes longer than to read it.
    if type(given) is float:
        return _read_shortest(repr(given))
    given = make_plain(given)
    if isinstance(given, str):
        return _read_text(given, about)
    if isinstance(given, bool | np.bool_):
        raise UnreadableError(f"`{given}` is a yes or no; a number is required.")
    if isinstance(given, np.generic):
        return _read_scalar(given)
    if isinstance(given, Rational):
        return _read_fraction(Fraction(given))
    if isinstance(given, Decimal):
        return _read_decimal(given)
    if isinstance(given, float):
        return _read_shortest(repr(float(given)))
    if isinstance(given, complex):
        raise UnreadableError("That is a complex number; a real one is required.")
    if isinstance(given, tuple) and len(given) == 2 and all(type(part) is int for part in given):
        raise UnreadableError(f"That is a pair of numbers. {DECIMAL_POINT}")
    if isinstance(given, list | tuple | set | frozenset | dict):
        raise UnreadableError(
            f"That is a {type(given).__name__} of {len(given)}; one number is required."
        )
    if hasattr(given, "__array__"):
        return _read_array(given)
    if callable(given):
        raise UnreadableError("That is a function; call it, and give the number it returns.")
    try:
        value = float(given)
    except OverflowError:
        raise UnreadableError(_TOO_FAR, Outcome.WRONG) from None
    except Exception:
        # Whatever it is, it is a learner's, and may fail in its own way.
        raise UnreadableError(f"A value of type `{type(given).__name__}` is no number.") from None
    return _read_decimal(Decimal(repr(value)))


def agrees(reading: Reading, value: float) -> bool:
    """Whether a reading is this value, rounded to the decimals it was written with.

    Fewer than three decimals are right only where the value rounded to three has no more. Ties
    may be rounded either way; digits that are cut off instead of rounded are not right.

    >>> [agrees(read_number(typed), 53 / 120) for typed in (0.442, 0.44, 0.441)]
    [True, False, False]
    """
    gap = abs(reading.value - value)
    if gap > _HALF_A_DIGIT + _FUZZ and gap > _leeway(reading, value):
        return False  # by more than the coarsest of what follows, and most values differ by far
    half_a_digit = _unit(max(PLACES, reading.places)) / 2
    return gap <= half_a_digit + _FUZZ or gap <= _leeway(reading, value)


def agrees_roughly(reading: Reading, value: float) -> bool:
    """Whether a reading is this value to three decimals, whatever the decimals behind them.

    They are off where somebody worked by hand and rounded each step, which is no mistake. Both
    must round to the same three decimals, and where a value is small to the same three digits.
    Cut off digits are no rounding.

    >>> by_hand = (0.5 + 0.667 + 0.6) / 4
    >>> [agrees_roughly(read_number(typed), 53 / 120) for typed in (by_hand, 0.4416)]
    [True, False]
    >>> agrees_roughly(read_number(0.0034), 0.003), agrees_roughly(read_number(-0.0077), -0.0073)
    (False, False)
    """
    return resembles(reading, value) and (agrees(reading, value) or not _is_cut_off(reading, value))


def resembles(reading: Reading, value: float) -> bool:
    """Whether a reading agrees with a value, or rounds to what it rounds to; cut off or not.

    A wrong answer is not judged by its last digit: steps may have been rounded or cut.
    """
    if agrees(reading, value):
        return True
    if not abs(reading.value - value) <= _HALF_A_DIGIT + _FUZZ:
        return False
    places = max(PLACES, PLACES - 1 - math.floor(math.log10(abs(value)))) if value else PLACES
    return (
        reading.places > places
        and abs(reading.value - value) <= _unit(places) / 2 + _FUZZ
        and _round_alike(reading.value, value, 10.0**places)
    )


def is_coarse(reading: Reading, value: float) -> bool:
    """Whether a reading is this value with fewer decimals than are asked for.

    To two decimals, rounded or cut off, or with at least two digits where it has fewer; zeros
    count as they were typed.

    >>> typed_and_right = [("2.20", 2.1972), (0.53, 0.525), (0.4, 0.44)]
    >>> [is_coarse(read_number(typed), right) for typed, right in typed_and_right]
    [True, True, False]
    """
    typed = reading.places + reading.zeros
    if typed >= PLACES or not reading.value:
        return False
    gap = abs(reading.value - value)
    two_digits = abs(reading.value) >= 10.0 ** (1 - typed)
    return (
        gap <= _unit(PLACES - 1) / 2 + _FUZZ
        or (typed == PLACES - 1 and _is_cut_off(reading, value))
        or (two_digits and gap <= _unit(typed) / 2 + _FUZZ)
    )


def is_likely_rounded(reading: Reading, value: float) -> bool:
    """Whether so many digits of a coarse reading are right that it is hardly anything else.

    Two decimals are, or a gap of at most 1%.

    >>> typed_and_right = [(0.53, 0.525), (2.2, 2.1972), (16, 15.5)]
    >>> [is_likely_rounded(read_number(typed), right) for typed, right in typed_and_right]
    [True, True, False]
    """
    two_decimals = reading.places + reading.zeros == PLACES - 1
    return two_decimals or abs(reading.value - value) <= 0.01 * abs(value) + _FUZZ


def resembles_roughly(reading: Reading, value: float) -> bool:
    """Whether a reading is this value, be it with fewer decimals than are asked for."""
    return resembles(reading, value) or is_coarse(reading, value)


def is_close(reading: Reading, value: float) -> bool:
    """Whether only the last digits of a reading are off, as when a step was rounded too early.

    >>> typed_and_right = [(0.443, 53 / 120), (0.45, 53 / 120), (4, 3), (0.03376, 0.03521)]
    >>> [is_close(read_number(typed), right) for typed, right in typed_and_right]
    [True, False, False, False]
    """
    gap = abs(reading.value - value)
    # Of five decimals, the third is none of the last digits.
    is_last = reading.places <= PLACES + 1 and gap <= 0.05 * abs(value)
    near = 1.5 * _unit(PLACES) if is_last else 0.0
    return reading.places >= PLACES - 1 and gap <= max(near, 0.007 * abs(value)) + _FUZZ


def explain_near_miss(reading: Reading, value: float) -> str:
    """Return what to say about an answer that is nearly this value, or nothing.

    Parameters
    ----------
    reading : Reading
        An answer that does not agree with the value.
    value : float
        The value asked for.

    Returns
    -------
    str
    """
    if is_coarse(reading, value):
        return ROUNDED if is_likely_rounded(reading, value) else PERHAPS_ROUNDED
    if reading.places >= PLACES and _is_cut_off(reading, value):
        return "These digits are cut off. Round to the nearest last digit instead."
    if is_close(reading, value):
        return (
            "Close: only the last digits differ. Was a step rounded too early, or the result not "
            "to the nearest digit? Keep five digits in the steps."
        )
    return ""


def format_value(value: float) -> str:
    """Return a value as the workbook writes it, to three decimals at most.

    >>> format_value(53 / 120), format_value(0.6), format_value(4.0)
    ('0.442', '0.6', '4')
    """
    rounded = round(value, PLACES)
    return f"{rounded:g}" if abs(value - rounded) < 1e-9 else f"{value:.{PLACES}f}"


def format_input(given: Any) -> str:
    """Return what was given, as briefly as it can be shown."""
    try:
        if type(given) in (int, float, Fraction, Decimal) or isinstance(given, np.generic):
            text = str(given)
            return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
        return reprlib.repr(given)
    except Exception:
        # An int can be too long to be written, and a learner's own object unable to show itself.
        return f"<{type(given).__name__}>"


def format_brief(given: Any) -> str:
    """Return what was given, a number that was computed with six digits.

    >>> format_brief(0.44166666666666665), format_brief(0.25)
    ('0.441667', '0.25')
    """
    if isinstance(given, float | np.floating) and len(str(given)) > len("-0.123456"):
        return f"{float(given):.6g}"
    return format_input(given)


def _unit(places: int) -> float:
    return float(10.0**-places)


def _leeway(reading: Reading, value: float) -> float:
    """Return what single precision and the float's own spacing may cost."""
    return max(_RELATIVE * abs(value), reading.slack)


def _is_cut_off(reading: Reading, value: float) -> bool:
    gap = abs(reading.value - value)
    return abs(reading.value) < abs(value) and gap < _unit(reading.places) - _FUZZ


def _round_alike(one: float, other: float, scale: float) -> bool:
    """Whether two values round to the same number; a half may go either way."""
    first, second = one * scale, other * scale
    low = max(math.ceil(first - 0.5 - _RELATIVE), math.ceil(second - 0.5 - _RELATIVE))
    high = min(math.floor(first + 0.5 + _RELATIVE), math.floor(second + 0.5 + _RELATIVE))
    return low <= high


def _read_text(text: str, about: str) -> Reading:
    text = _UNSEEN.sub("", text)
    if len(text.strip()) > _LONGEST:
        raise UnreadableError(_NO_NUMBER)
    given = " ".join(_MINUS.sub("-", text).translate(_SIGNS).split())
    given = _SIGN_APART.sub(r"\1", given)
    reading = _read_bare(given)
    if reading is None and (named := _NAMED.fullmatch(given)):
        given = named[1]
        reading = _read_bare(given)
    words = (UNITS | {word.lower() for word in _WORDS.findall(about)}) - TURNS
    if reading is None and (before := _WORD_BEFORE.fullmatch(given)) and before[1].lower() in words:
        reading = _read_bare(before[2])
    if reading is None and (after := _WORD_AFTER.fullmatch(given)) and after[2].lower() in words:
        reading = _read_bare(after[1])
    if reading is None:
        raise UnreadableError(_NO_NUMBER)
    return reading


def _read_bare(text: str) -> Reading | None:
    """Return the number, percentage or expression that a text is, with nothing beside it."""
    text = _without_thousands(text)
    if "." not in text:
        text = _COMMA.sub(r"\1.", text)
    number = _ALONE.fullmatch(text)
    if number:
        return _read_decimal(Decimal(number[1] or number[2]))
    percent = _PERCENT.fullmatch(text)
    if percent and re.fullmatch(_DECIMAL, percent[1]):
        return _read_decimal(Decimal(percent[1]), shift=-2)
    if text.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        return _read_decimal(Decimal(text.lstrip("+-")))
    try:
        value = expression.evaluate(text.lower())
    except NotAnExpressionError:
        return None
    except ZeroDivisionError:
        raise UnreadableError(_DIVIDES, Outcome.WRONG) from None
    except ArithmeticError:
        raise UnreadableError(_UNDEFINED, Outcome.WRONG) from None
    if math.isnan(value):  # infinity divided by infinity, or less infinity
        raise UnreadableError(_STEP_TOO_FAR, Outcome.WRONG)
    if abs(value) > _FAR:
        raise UnreadableError(_TOO_FAR, Outcome.WRONG)
    return Reading(value, _NO_END)


def _without_thousands(text: str) -> str:
    """Return a number without what separates its thousands; ask where that is not certain."""
    if _DECIMAL_OR_THOUSANDS.fullmatch(text):
        raise UnreadableError(_WHICH_COMMA)
    if _THOUSANDS.fullmatch(text):
        return re.sub("[ _'’,]", "", text)
    if _THOUSANDS_BY_DOTS.fullmatch(text):
        return text.replace(".", "").replace(",", ".")
    return text


# The same few values are compared with those of every declared mistake.
@lru_cache(maxsize=4096)
def _read_shortest(text: str) -> Reading:
    return _read_decimal(Decimal(text))


def _read_decimal(number: Decimal, shift: int = 0) -> Reading:
    if number.is_nan():
        raise UnreadableError(
            "`nan` means *not a number*: 0 was divided by 0, or a missing value came in.",
            Outcome.WRONG,
        )
    if number.is_infinite():
        raise UnreadableError("That is infinite: something was divided by 0.", Outcome.WRONG)
    # By its digits: a decimal can be too large for any arithmetic, and how exact arithmetic with
    # decimals is, a learner's notebook may have set.
    sign, digits, written = number.as_tuple()
    exponent = int(written) + shift
    if number.adjusted() + shift > 100:
        raise UnreadableError(_TOO_FAR, Outcome.WRONG)
    zeros = next((n for n, digit in enumerate(reversed(digits)) if digit), -exponent)
    places = max(0, -(exponent + zeros))
    value = float(Decimal((sign, digits, exponent)))
    return Reading(value, places, zeros=max(0, max(0, -exponent) - places))


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
    # NumPy counts a span of time among the whole numbers.
    if isinstance(number, np.integer) and not isinstance(number, np.timedelta64):
        return _read_fraction(Fraction(int(number)))
    if isinstance(number, np.complexfloating):
        raise UnreadableError("That is a complex number; a real one is required.")
    raise UnreadableError(f"A value of type `{type(number).__name__}` is no number.")


def _read_array(given: Any) -> Reading:
    try:
        array = np.asarray(given)
    except Exception:
        raise UnreadableError(f"A value of type `{type(given).__name__}` is no number.") from None
    if array.size != 1:
        raise UnreadableError(f"That is an array of {array.size} values; one number is required.")
    return read_number(array.reshape(-1)[0])
