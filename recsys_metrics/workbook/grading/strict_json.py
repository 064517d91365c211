"""A file of JSON that a page of ours saved: exactly that shape, or a sentence that says why not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from recsys_metrics._core import console
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.untrusted_text import (
    MOST_VALUES,
    RepeatedKeyError,
    count_values,
    refuse_repeats,
)

_MOST_BYTES = 2_000_000
_MOST_DIGITS = 20
_TYPES = {
    bool: "true or false",
    dict: "an object",
    float: "a number with a point",
    int: "a whole number",
    list: "a list",
    str: "a text",
    type(None): "null",
}


def read_strictly(content: bytes) -> Any:
    """Return what a file of JSON holds, in UTF-8, with each key once, and without NaN.

    Parameters
    ----------
    content : bytes

    Raises
    ------
    GradingError
        If it is anything else; the message goes on from "it".
    """
    if not content.strip():
        raise GradingError("it is empty")
    if len(content) > _MOST_BYTES:
        raise GradingError(f"it is larger than {_MOST_BYTES // 10**6} MB, as no answers are")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise GradingError("it is not in UTF-8") from None
    if count_values(content) > MOST_VALUES:
        raise GradingError(f"it contains more than {MOST_VALUES:,} values")
    try:
        return json.loads(
            text,
            object_pairs_hook=refuse_repeats,
            parse_constant=_refuse_constant,
            parse_int=_read_integer,
        )
    except RecursionError:
        raise GradingError("it is nested too deep") from None
    except RepeatedKeyError as problem:
        raise GradingError(f"{problem}; one of them is lost") from None
    except ValueError as problem:
        says = str(problem).partition(":")[0]
        raise GradingError(f"it is damaged or cut off ({shown(says)})") from None


def check_keys(raw: Any, shape: Mapping[str, Any], what: str) -> None:
    """Refuse anything but an object with these keys and values of these types.

    Parameters
    ----------
    raw
        Anything at all.
    shape : mapping
        The type of each value.
    what : str
        How the message begins.

    Raises
    ------
    GradingError
    """
    if not isinstance(raw, dict):
        raise GradingError(f"{what} is no object with the keys {', '.join(shape)}")
    for name in shape:
        if name not in raw:
            raise GradingError(f"{what} has no {name!r}")
    for name, value in raw.items():
        if name not in shape:
            raise GradingError(f"{what} has {shown(name)}, which is never saved")
        # True is an int to Python.
        is_flag = isinstance(value, bool) and shape[name] is int
        if is_flag or not isinstance(value, shape[name]):
            raise GradingError(f"{what} has {_TYPES[type(value)]} as {name!r}")


def is_moment(value: Any) -> bool:
    """Whether a value is a time in ISO 8601 that has its distance from UTC."""
    try:
        when = datetime.fromisoformat(value)
        when.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return False
    return when.tzinfo is not None


def shown(value: Any) -> str:
    """Return a value of a file as a message can show it."""
    return console.printable(repr(value)[:80])


def _refuse_constant(name: str) -> Any:
    raise GradingError(f"it contains {name}, which is no JSON")


def _read_integer(digits: str) -> int:
    # Python refuses thousands of digits with an error of its own.
    if len(digits) > _MOST_DIGITS:
        raise GradingError(f"it contains a number of {len(digits):,} digits")
    return int(digits)
