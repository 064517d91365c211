"""A student's function, played back from what it did in the sandbox.

The checker of the exercise calls a function on the cases and judges what comes back. It gets this
one, which returns, raises and changes what the student's did, and runs nothing of the student's.
"""

from __future__ import annotations

import builtins
import inspect
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.grading import untrusted_values

_PLAIN = re.compile(r"[^\w .,:'()-]")
_NUMBERS = {"none", "ellipsis", "bool", "int", "float", "fraction", "decimal", "scalar"}


class RecordedFunction:
    """A function that does what another one was seen to do, call after call.

    Parameters
    ----------
    exercise : Function
    described : mapping
        What the runner said of the function.
    calls : mapping
        What it said of each call, by the number of the case.
    """

    def __init__(
        self,
        exercise: Function,
        described: Mapping[str, Any],
        calls: Mapping[int, Mapping[str, Any]],
    ) -> None:
        self.__name__ = exercise.function
        self._calls = calls
        self._next = 0
        problem = described.get("problem")
        if isinstance(problem, str):
            self.__signature__ = _Refusal(_PLAIN.sub("", problem)[:120])

    def __call__(self, *arguments: Any) -> Any:
        """Do what was done on the next case."""
        said = self._calls.get(self._next)
        self._next += 1
        if said is None or said.get("late"):
            raise TimeoutError("it did not finish")
        _change(arguments, said.get("changed"))
        if "error" in said:
            raise _error(said)
        return read_result(said.get("value"))


class _Refusal(inspect.Signature):
    """The signature of a function that does not take the arguments it is called with."""

    def __init__(self, problem: str = "") -> None:
        super().__init__()
        self.problem = problem

    def bind(self, *args: Any, **kwargs: Any) -> inspect.BoundArguments:
        """Say why not."""
        raise TypeError(self.problem)


def read_result(said: Any) -> Any:
    """Return what came back from a call.

    The message about it may show the name of its type or how long it is. Those could be made to
    carry a hidden case to the student: so of all that is no number nothing is kept.
    """
    said = said if isinstance(said, dict) else {}
    kind = said.get("kind")
    if kind == "str":
        return "a text"
    if kind in _NUMBERS:
        return untrusted_values.read_value(said)
    able = {name: said[name] for name in ("float", "too_large") if name in said}
    return untrusted_values.read_value({"kind": "other", "type": "value", **able})


def error_name(said: Mapping[str, Any]) -> str:
    """Return the name of what a call raised, if it is one of Python's own."""
    name = said.get("error")
    kind = getattr(builtins, name, None) if isinstance(name, str) else None
    return str(name) if isinstance(kind, type) and issubclass(kind, BaseException) else "an error"


def _error(said: Mapping[str, Any]) -> Exception:
    if said.get("ellipsis") is True:
        return TypeError("a value is still an ellipsis")
    kind = getattr(builtins, error_name(said), None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        try:
            return kind()
        except TypeError:
            pass  # some cannot be made of nothing
    return RuntimeError()


def _change(arguments: tuple[Any, ...], changed: Any) -> None:
    """Change arguments that the student's function had changed, however it had."""
    for place in changed if isinstance(changed, list) else []:
        if isinstance(place, int) and 0 <= place < len(arguments):
            argument = arguments[place]
            if isinstance(argument, list):
                argument.append(None)
            elif isinstance(argument, set):
                argument.add(object())
            elif isinstance(argument, dict):
                argument[object()] = None
            elif isinstance(argument, np.ndarray) and argument.size:
                flat = argument.reshape(-1)
                flat[0] = flat[0] + 1 if argument.dtype.kind in "iuf" else flat[-1]
