"""JSON that is read as it stands: what Python's reader would drop or not survive is an error."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

# A float has at most 309 digits before its point.
_MOST_DIGITS = 309
# With more digits than a float may hold.
_LONG_WHOLE = re.compile(r"(-?[0-9]{16,})\.0+")


def parse_json(text: str | bytes, *, with_nan: bool = False) -> Any:
    """Return what a text in JSON holds; NaN and infinities only where the caller looks for them.

    Raises
    ------
    ValueError
        If it is no JSON, an object has a key twice (of which Python takes the last), a number is
        none of JSON or larger than any float, or it is nested too deeply.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_whole_number,
            parse_float=_number,
            parse_constant=float if with_nan else _refuse_constant,
        )
    except RecursionError:
        raise ValueError("it is nested too deeply to be read") from None


def find_second_value(problem: ValueError) -> str:
    """Return where a text in JSON goes on after its end, in words; empty if another is wrong."""
    if not (isinstance(problem, json.JSONDecodeError) and problem.msg == "Extra data"):
        return ""
    return f"after the first value there is more, in line {problem.lineno}, column {problem.colno}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        key, times = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {key!r:.80} occurs {times} times; keep one")
    return found


def _whole_number(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a whole number of {len(digits):,} digits, larger than any float")
    return int(digits)


def _number(text: str) -> float:
    # A whole number with decimals that are all 0 keeps its digits, as one without them does.
    if whole := _LONG_WHOLE.fullmatch(text):
        return _whole_number(whole[1])
    return float(text)


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is no number of JSON")
