"""Checks of arguments that every subject makes, said the same way everywhere."""

from __future__ import annotations

import operator
from typing import Any, get_args

import numpy as np


def check_choice(name: str, value: Any, choices: Any) -> None:
    """Raise if a convention has none of its values."""
    allowed = get_args(choices)
    if value not in allowed:
        listed = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{name} must be one of {listed}; got {value!r}")


def check_count(name: str, value: Any, least: int = 1) -> int:
    """Return a whole number that is at least so large."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number; got {value!r}") from None
    if number < least:
        raise ValueError(f"{name} must be {least} or more; got {number}")
    return number
