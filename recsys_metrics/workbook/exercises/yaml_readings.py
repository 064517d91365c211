"""What YAML reads otherwise than its author types it: `0100` as 64, `no` as false.

An author of exercises means what is on the screen. A value that YAML would change without a word is
therefore refused, with both readings and the cure.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

_DEEPEST = 50
# Of more digits than this no float holds the number.
_MOST_DIGITS = 308
_PLAIN_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_PLAIN_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
# Python and most people read these as numbers, and YAML 1.1 as text. With a comma, as in 1,400, it
# is a text for all of them.
_TEXT_FOR_YAML = re.compile(
    r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?0[oO][0-7]+"
)
# Fields that hold names and no prose, so that a comment may follow on their line.
_NAMES = {
    *("kind", "id", "part", "draw", "solve", "function", "cases", "picture", "python", "shared"),
    *("picks", "answer"),
}
_CORE = "tag:yaml.org,2002:"


@dataclass(frozen=True)
class Misreading:
    """A value that YAML reads otherwise than it is typed.

    Attributes
    ----------
    line : int
    path : tuple of str
        The keys and places that lead to it; empty where only the line is known.
    says : str
        Both readings and the cure.
    """

    line: int
    path: tuple[str, ...]
    says: str

    def __str__(self) -> str:
        where = ", ".join(f"entry {int(key) + 1}" if key.isdigit() else key for key in self.path)
        return f"{where}: {self.says}" if where else self.says


def find_misread_structure(text: str, loader: Any) -> Misreading | None:
    """Return what a text marks as an anchor, an alias or a type, or where it is nested too deep.

    Parameters
    ----------
    text : str
    loader : class
        What reads YAML. It is asked for events alone: values would be nested as deep as the text.

    Raises
    ------
    yaml.YAMLError
        If the text is not valid YAML.
    """
    import yaml

    depth, anchor = 0, None
    for event in yaml.parse(text, loader):
        line = event.start_mark.line + 1
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEPEST:
                return Misreading(
                    line,
                    (),
                    f"values within values, {_DEEPEST} deep and more; an exercise needs fewer than "
                    "10, so look for brackets that are not closed",
                )
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            # A few aliases of aliases would stand for more values than memory holds.
            return Misreading(
                line,
                (),
                f"*{event.anchor} represents a value above; write the value itself, or put quotes "
                "around the text",
            )
        if anchor is None and getattr(event, "anchor", None):
            anchor = Misreading(
                line,
                (),
                f"YAML reads `&{event.anchor}` as the name of a value, and not as part of the "
                "text; put the whole text in quotation marks, or delete the name",
            )
        if anchor is None and (tag := getattr(event, "tag", None)):
            shown = tag.replace(_CORE, "!!")
            anchor = Misreading(
                line,
                (),
                f"YAML reads `{shown}` as a tag, the type of a value, and not as part of the text; "
                "put the whole text in quotation marks, or delete the tag",
            )
    return anchor


def find_misread_value(root: Any, text: str) -> Misreading | None:
    """Return the first value of a text that YAML reads otherwise than it is typed.

    Parameters
    ----------
    root : yaml.Node
        What the text was composed to.
    text : str
    """
    lines = text.splitlines() if re.search(r"[ \t]#", text) else []
    for node, path, is_key in _walk(root, ()):
        if node.style not in (None, ""):  # in quotation marks, or a block of text
            continue
        says = "" if is_key and node.tag == f"{_CORE}bool" else _explain_value(node, path)
        if not says and not is_key and lines:
            says = _explain_comment(node, path, lines)
        if says:
            return Misreading(node.start_mark.line + 1, path, says)
    return None


def keep_swaps_as_typed(root: Any) -> None:
    """Make text of all values below the field `swap`: they are parts of code, not numbers."""
    for node, path, is_key in _walk(root, ()):
        is_swap = "swap" in path[:-1] or (is_key and "swap" in path)
        # The key `swap` is no value, and what is empty was not typed.
        if is_swap and node.style in (None, "") and node.value and node.tag != f"{_CORE}str":
            node.tag = f"{_CORE}str"


def _walk(node: Any, path: tuple[str, ...]) -> Iterator[tuple[Any, tuple[str, ...], bool]]:
    """Yield each scalar with the keys that lead to it, and whether it is a key."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                yield key, path, True
                yield from _walk(value, (*path, key.value))
            else:
                yield from _walk(value, path)
    elif isinstance(node, yaml.SequenceNode):
        for place, value in enumerate(node.value):
            yield from _walk(value, (*path, str(place)))
    else:
        yield node, path, False


def _explain_value(node: Any, path: Sequence[str]) -> str:
    typed = node.value
    match node.tag.removeprefix(_CORE):
        case "int":
            return _explain_int(typed)
        case "float":
            return _explain_float(typed)
        case "bool" if typed.lower() not in {"true", "false"} and path[-1:] != ("same_for_all",):
            value = "true" if typed.lower() in {"yes", "on"} else "false"
            return _explain(typed, f"`{value}`", f"write `{value}`, if that is meant")
        case "null" if typed and not (typed == "null" and "inputs" in path):
            return _explain(typed, "nothing", "leave it out, if nothing is meant")
        case "timestamp":
            return _explain(typed, f"a {_name_time(typed)} and not as text", "")
        case "merge":
            return _explain(typed, "a command to merge fields", "write the fields themselves")
        case "value":
            return _explain(typed, "a mark of its own", "")
        case "str" if "inputs" in path and _TEXT_FOR_YAML.fullmatch(typed):
            return _explain(typed, "text and not as a number", _write_number(typed))
    return ""


def _write_number(typed: str) -> str:
    """Return how to write a number that YAML reads as text."""
    value = float(int(typed, 8) if "o" in typed.lower() else float(typed))
    if math.isinf(value):
        return "write a number that a float holds"
    whole = int(value) if value.is_integer() and abs(value) < 2**53 else value
    return f"write {whole!r} for the number"


def _explain(typed: str, reading: str, cure: str) -> str:
    shown = typed if len(typed) <= 40 else f"{typed[:39]}…"
    quoted = f'put it in quotation marks to keep it as text: "{shown}"'
    return f"YAML reads `{shown}` as {reading}; {f'{cure}, or {quoted}' if cure else quoted}"


def _explain_int(typed: str) -> str:
    if _PLAIN_INT.fullmatch(typed):
        digits = len(typed.lstrip("+-"))
        if digits <= _MOST_DIGITS:
            return ""
        return _explain(typed, f"a number of {digits:,} digits, and no float holds it", "")
    plain = typed.replace("_", "").lower()
    sign, plain = (-1 if plain[0] == "-" else 1), plain.lstrip("+-")
    if ":" in plain:
        number, why = sign * _read_base_60(plain), ", in base 60"
    elif plain.startswith(("0b", "0x")):
        number, why = sign * int(plain, 0), f", in base {2 if plain[1] == 'b' else 16}"
    elif plain.startswith("0"):
        number, why = sign * int(plain, 8), ", in base 8"
    else:
        number, why = sign * int(plain), ""
    candidates = [f"{number}"]
    if plain.isdigit() and sign * int(plain) != number:
        candidates.append(f"{sign * int(plain)}")
    return _explain(
        typed, f"the number {number}{why}", f"write {' or '.join(candidates)} for the number"
    )


def _read_base_60(plain: str) -> int:
    number = 0
    for digits in plain.split(":"):
        number = 60 * number + int(digits)
    return number


def _explain_float(typed: str) -> str:
    plain = typed.replace("_", "").lower()
    if ":" in plain:
        *whole, last = plain.lstrip("+-").split(":")
        seconds = 60 * _read_base_60(":".join(whole)) + float(last)
        number = -seconds if plain[0] == "-" else seconds
        return _explain(
            typed, f"the number {number:g}, in base 60", f"write {number:g} for the number"
        )
    if plain.lstrip("+-") in {".inf", ".nan"}:
        return _explain(typed, "no finite number", "write a finite number")
    number = float(plain)
    if math.isinf(number):
        return _explain(typed, "infinity, since it is larger than any float", "write another")
    if Decimal(plain) != Decimal(repr(number)):
        return _explain(
            typed, f"{number!r}, since a float holds no more digits", f"write {number!r}"
        )
    if not _PLAIN_FLOAT.fullmatch(typed):
        return _explain(typed, f"the number {number!r}", f"write {number!r} for the number")
    return ""


def _name_time(typed: str) -> str:
    try:
        datetime.date.fromisoformat(typed)
    except ValueError:
        return "date and a time"
    return "date"


def _explain_comment(node: Any, path: Sequence[str], lines: Sequence[str]) -> str:
    """Return what to say of a text that a comment ends, which may have been meant as text."""
    keys = [key for key in path if not key.isdigit()]
    if node.tag != f"{_CORE}str" or (keys and keys[-1] in _NAMES):
        return ""
    rest = lines[node.end_mark.line][node.end_mark.column :]
    if not re.match(r"[ \t]+#", rest):
        return ""
    shown = rest.strip() if len(rest.strip()) <= 40 else f"{rest.strip()[:39]}…"
    return (
        f"YAML reads `{shown}` as a comment, and the text ends before it; put the whole text in "
        "quotation marks, or the comment on a line of its own"
    )
