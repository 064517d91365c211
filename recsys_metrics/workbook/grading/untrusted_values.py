"""What came out of the sandbox, as values that can be trusted to be values.

Nothing is unpickled or evaluated here: each kind of value is read by its own rule, and whatever
does not fit one becomes an object of a type that is known by its name and can do nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np

_LONGEST = 4_000
_ITEMS = 500
_DEEP = 4
_INTEGER = re.compile(r"-?[0-9]{1,400}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
_DTYPES = {
    name: getattr(np, name)
    for name in (
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "longdouble"),
    )
}


def read_value(said: Any, depth: int = 0) -> Any:
    """Return the value that was meant.

    Parameters
    ----------
    said
        What the runner wrote of it, or anything at all.

    Examples
    --------
    >>> read_value({"kind": "fraction", "value": "1/4"})
    Fraction(1, 4)
    >>> type(read_value({"kind": "other", "type": "Score"})).__name__
    'Score'
    """
    if not isinstance(said, dict):
        return _foreign("value")
    reader = _READERS.get(str(said.get("kind")))
    try:
        return reader(said, depth) if reader else _foreign(said.get("type"))
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, InvalidOperation):
        return _foreign("value")


def read_name(said: Any) -> str:
    """Return a name from the sandbox if it is one, else "value"."""
    return said if isinstance(said, str) and _NAME.fullmatch(said) else "value"


def _integer(said: dict[str, Any], _: int) -> int:
    if not _INTEGER.fullmatch(said["value"]):
        raise ValueError("no integer")
    return int(said["value"])


def _text(said: dict[str, Any], _: int) -> str:
    return str(said["value"])[:_LONGEST]


def _fraction(said: dict[str, Any], _: int) -> Fraction:
    over, _slash, under = said["value"].partition("/")
    return Fraction(_integer({"value": over}, 0), _integer({"value": under}, 0))


def _decimal(said: dict[str, Any], _: int) -> Decimal:
    value = Decimal(str(said["value"])[:400])
    # A signalling one ends any comparison in an error.
    return Decimal("NaN") if value.is_snan() else value


def _float(said: dict[str, Any], _: int) -> float:
    return float(str(said["value"])[:60])


def _bool(said: dict[str, Any], _: int) -> bool:
    return said["value"] is True


def _scalar(said: dict[str, Any], _: int) -> Any:
    if said["dtype"] == "bool":
        return np.bool_(said["value"] == "True")
    make = _DTYPES.get(said["dtype"], np.float64)
    given = str(said["value"])[:400]
    number = int(given) if issubclass(make, np.integer) else float(given)
    if isinstance(number, int):
        bounds = np.iinfo(make)
        if not bounds.min <= number <= bounds.max:
            raise ValueError("too large for its type")
    with np.errstate(over="ignore"):
        return make(number)


def _array(said: dict[str, Any], _: int) -> Any:
    size = said["size"]
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise ValueError("no size")
    # So many zeros: what it held is not asked for. A checker may look at each of them, and nothing
    # ends a check: a view of one zero has any size and takes no memory in the sandbox either.
    return np.zeros(min(size, _LONGEST)) if size != 1 else _foreign("array")


def _items(make: Callable[[list[Any]], Any]) -> Callable[[dict[str, Any], int], Any]:
    def reader(said: dict[str, Any], depth: int) -> Any:
        items = said["items"]
        if not isinstance(items, list) or depth > _DEEP or len(items) > _ITEMS:
            raise ValueError("too large")
        return make([read_value(item, depth + 1) for item in items])

    return reader


def _other(said: dict[str, Any], _: int) -> Any:
    if said.get("callable"):
        return _nothing
    if said.get("too_large") is True:
        return type(read_name(said.get("type")), (_TooLarge,), {})()
    value = float(said["float"]) if "float" in said else None
    return _foreign(said.get("type"), value)


def _nothing(*_: Any) -> None:
    """Stand for a function where none was asked for."""


class _TooLarge:
    """A number that is larger than any float."""

    def __float__(self) -> float:
        raise OverflowError("too large to convert to float")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def _foreign(of: Any, value: float | None = None) -> Any:
    """Return an object of which only the name of its type is known, and perhaps its value."""
    name = read_name(of)
    # What is shown of it is what was given, and no address in the grader's memory.
    if value is None or math.isnan(value):
        return type(name, (), {"__repr__": lambda self: f"<{name}>"})()
    able = {"__float__": lambda self: value, "__repr__": lambda self: f"{name}({value!r})"}
    return type(name, (), able)()


_READERS: dict[str, Callable[[dict[str, Any], int], Any]] = {
    "none": lambda said, depth: None,
    "ellipsis": lambda said, depth: Ellipsis,
    "idle": lambda said, depth: None,
    "bool": _bool,
    "int": _integer,
    "float": _float,
    "str": _text,
    "fraction": _fraction,
    "decimal": _decimal,
    "list": _items(list),
    "tuple": _items(tuple),
    "set": _items(set),
    "frozenset": _items(frozenset),
    "scalar": _scalar,
    "array": _array,
    "other": _other,
}
