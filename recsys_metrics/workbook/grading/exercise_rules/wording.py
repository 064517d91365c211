"""How the rules name functions and values, and how many variants they draw."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

WITH_MISTAKES = 40
ELSEWHERE = 5
_LONGEST = 80


def name_function(function: Callable[..., Any]) -> str:
    """Return the name of a function."""
    return str(getattr(function, "__name__", "it"))


def shorten(value: Any) -> str:
    """Return a value as Python writes it, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def find_wrong_parameters(
    function: Callable[..., Any], argument: str = "given", what: str = "a dictionary of the inputs"
) -> str:
    """Return what to say of a function that does not take the inputs, or nothing."""
    try:
        inspect.signature(function).bind({})
    except TypeError:
        name = name_function(function)
        return f"{name} takes one argument, {what}: `def {name}({argument}):`"
    except ValueError:
        return ""  # a compiled function has no signature to ask
    return ""
