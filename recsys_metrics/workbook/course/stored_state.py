"""Reads the files in which a course keeps its state, and holds each to its shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from recsys_metrics._core import console
from recsys_metrics._core.inputs.json_text import parse_json
from recsys_metrics.workbook.grading.limits import GradingError, Refusal

FROM_A_BACKUP = "take it from a backup"

Shape: TypeAlias = "Callable[[Any], bool] | list[Shape] | Mapping[Any, Shape]"
"""A test of a value; `[shape]`, a list of it; `{str: shape}`, a table of it under any keys; or a
table of fields, of which those whose name ends in a question mark may be missing."""


def read_state(file: Path, shape: Shape, cure: str) -> Any:
    """Return what a file holds, or None if there is no such file.

    Raises
    ------
    GradingError
        If it cannot be read, or has another shape; the message ends in the cure.
    """
    if file.exists() and not file.is_file():
        # A pipe would be waited for, and a device has no end.
        raise GradingError(f"{file} is no file but a folder, a pipe or a device; {cure}")
    try:
        content = parse_json(file.read_text(encoding="utf-8-sig"))
        check_shape(content, shape)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as problem:
        says = console.printable(str(problem))
        raise GradingError(f"{file} is damaged ({says}); {cure}") from None
    return content


def is_text(value: Any) -> bool:
    """Whether a value is a text that a file in UTF-8 can hold."""
    try:
        return isinstance(value, str) and value.encode("utf-8") is not None
    except UnicodeEncodeError:
        return False


def is_flag(value: Any) -> bool:
    """Whether a value is true or false."""
    return isinstance(value, bool)


def is_refusal(value: Any) -> bool:
    """Whether a value is a kind of refusal of a submission."""
    return isinstance(value, str) and value in {str(one) for one in Refusal}


def is_number(value: Any) -> bool:
    """Whether a value is a finite number."""
    return type(value) in (int, float) and math.isfinite(value)


def or_none(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return a test that null passes as well."""
    return lambda value: value is None or test(value)


def or_empty(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return a test that an empty text passes as well."""
    return lambda value: value == "" or test(value)


def is_count(value: Any) -> bool:
    """Whether a value is a whole number of 0 or more."""
    return type(value) is int and value >= 0


def check_shape(value: Any, shape: Shape, where: str = "") -> None:
    """Raise ValueError if a value has another shape, about the first part that has."""
    if isinstance(shape, list):
        if isinstance(value, list):
            for place, one in enumerate(value, 1):
                check_shape(one, shape[0], f"{where}[{place}]")
            return
    elif isinstance(shape, Mapping):
        if isinstance(value, dict):
            _check_table(value, shape, where)
            return
    elif shape(value):
        return
    raise ValueError(f"{where or 'all of it'} is {value!r:.40}")


def _check_table(table: dict[str, Any], shape: Mapping[Any, Shape], where: str) -> None:
    within = f"{where}." if where else ""
    if str in shape:
        shape = dict.fromkeys(filter(is_text, table), shape[str])
    fields = {name.removesuffix("?"): part for name, part in shape.items()}
    for name in table:
        if name not in fields:
            raise ValueError(f"{within}{name!r:.40} is no known name")
        check_shape(table[name], fields[name], f"{within}{name}")
    for name in shape:
        if not name.endswith("?") and name not in table:
            raise ValueError(f"{within}{name} is missing")
