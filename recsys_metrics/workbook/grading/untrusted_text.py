"""The border that text from a submission crosses once: behind it, all text can be written.

A notebook, and what its code says in the sandbox, arrive as JSON. JSON can hold half a surrogate
pair, which no file can; signs that a terminal obeys; and marks that turn the direction of reading,
so that an instructor sees other code than was run. Each of them becomes the sign for "unreadable".
"""

from __future__ import annotations

import json
import re
from typing import Any

_UNREADABLE = "\ufffd"
_REFUSED = re.compile(
    "["
    "\x00-\x08\x0b\x0e-\x1f\x7f-\x9f"  # control characters but tab, line feed and form feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks of direction
    "\u2028\u2029"  # ends of a line that Python does not take for one
    "\ud800-\udfff"  # halves of a pair
    "\ufff9-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e007f"  # letters that nobody sees
    "]"
)
# Of what has no escaped quotes any more: then each quote is looked at once.
_STRING = re.compile(rb'"[^"]*"')
_CHUNK = 65_536
# So many values take some sixty megabytes; a notebook full of outputs has a few thousand.
MOST_VALUES = 500_000


class TooManyValuesError(ValueError):
    """JSON that would take too much memory to be read."""


class RepeatedKeyError(ValueError):
    """JSON with two values of one name, of which readers would take one without a word."""


def read_json(content: bytes | str) -> Any:
    r"""Return what JSON from a submission holds, with all of its text cleaned.

    Parameters
    ----------
    content : bytes or str

    Raises
    ------
    ValueError, RecursionError
        If it is no JSON, nested too deep to be read, of more than `MOST_VALUES` values, or names
        a value twice in one object.

    Examples
    --------
    >>> read_json(b'{"a": ["\\ud800", 1]}')
    {'a': ['\ufffd', 1]}
    """
    if isinstance(content, bytes):
        # An editor of Windows may have saved it in UTF-16.
        content = content.decode(json.detect_encoding(content))
    if count_values(content.encode("utf-8", "surrogatepass")) > MOST_VALUES:
        raise TooManyValuesError(f"it contains more than {MOST_VALUES:,} values")
    return _cleaned(json.loads(content, object_pairs_hook=refuse_repeats))


def refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON whose names are all different.

    Raises
    ------
    RepeatedKeyError
        Otherwise; the message goes on from "it".

    Examples
    --------
    >>> read_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    recsys_metrics.workbook.grading.untrusted_text.RepeatedKeyError: it has 'a' twice in one object
    """
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise RepeatedKeyError(f"it has {clean_text(repr(name[:80]))} twice in one object")
        found[name] = value
    return found


def count_values(content: bytes) -> int:
    """Return how many values JSON can hold at most, before anything of it is read.

    Parameters
    ----------
    content : bytes

    Examples
    --------
    >>> count_values(b'[1, {"a": []}]')
    5
    """

    def at_most(text: bytes) -> int:
        return 1 + sum(map(text.count, (b",", b"[", b"{")))

    # Text has commas as well, and is left out where it decides.
    count = at_most(content)
    if count <= MOST_VALUES // 100:
        return count
    return at_most(_STRING.sub(b"", content.replace(b"\\\\", b"").replace(b'\\"', b"")))


def clean_text(text: str) -> str:
    """Return text without what cannot be written or seen; lines end as Python ends them."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0c", "\n")
    if not _REFUSED.search(plain):
        return plain
    # In parts: a text of signs to replace would be millions of pieces at once.
    parts = (plain[at : at + _CHUNK] for at in range(0, len(plain), _CHUNK))
    return "".join(_REFUSED.sub(_UNREADABLE, part) for part in parts)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    if isinstance(value, dict):
        return {clean_text(name): _cleaned(one) for name, one in value.items()}
    return value
