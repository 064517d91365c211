"""Looks at answers where a notebook has left them, in the process that runs it.

`note` is called after each cell of a question. It says what an answer is, and has no means to know
whether it is right.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recsys_metrics.workbook.exercises import REGISTRY, answers
from recsys_metrics.workbook.exercises.answers import UnreadableError
from recsys_metrics.workbook.exercises.function import Function, are_equal


def note(
    found: Mapping[str, Any],
    file: str,
    place: int,
    names: Sequence[str],
    function: str,
    exercise: str,
    *,
    arguments: Sequence[str],
    is_number: bool,
) -> None:
    """Write down what there is of a question.

    Parameters
    ----------
    found : mapping
        The notebook's variables.
    file : str
        A line of JSON is added to it.
    place : int
        Of the question.
    names : sequence of str
        Of its answers.
    function : str
        The name of the function that is asked for; empty if none is.
    exercise : str
        Its id: one of the workbook has examples to call a function with.
    arguments : sequence of str
        The names of its arguments, in their order.
    is_number : bool
        Whether the answers are numbers.
    """
    says = {name: _about_value(found.get(name), is_number=is_number) for name in names}
    if function:
        is_there, text = _about_function(found.get(function), exercise)
        says[function] = is_there, text + _about_arguments(found.get(function), arguments)
    with Path(file).open("a", encoding="utf-8") as out:
        out.write(json.dumps({"place": place, "says": says}) + "\n")


def _about_value(value: Any, *, is_number: bool) -> tuple[bool, str]:
    """Return whether there is an answer that can be read, and what there is."""
    value = answers.make_plain(value)
    if answers.is_missing(value):
        return False, "not answered"
    if not is_number:
        return True, answers.format_brief(value)
    try:
        answers.read_number(value)
    except UnreadableError as problem:
        return False, problem.message
    return True, answers.format_brief(value)


def _about_function(value: Any, exercise: str) -> tuple[bool, str]:
    if value is None or value is Ellipsis:
        return False, "there is no function of this name"
    if not callable(value):
        return False, "this is no function"
    known = REGISTRY.get(exercise)
    if not isinstance(known, Function):
        return True, "a function"
    case = known.cases[0]
    arguments = case.copy_arguments()
    try:
        result = value(*arguments)
    except Exception as problem:
        return False, f"raises {type(problem).__name__} on an example: {problem}"[:200]
    if result is None or result is Ellipsis:
        return False, "returns nothing on an example"
    changed = [
        name
        for (name, was), now in zip(case.arguments.items(), arguments, strict=True)
        if not are_equal(was, now)
    ]
    if changed:
        return True, f"runs on an example, and changes its argument {' and '.join(changed)}"
    return True, "runs on an example"


def _about_arguments(value: Any, arguments: Sequence[str]) -> str:
    """Return that the arguments of a function have other names than those it is called with."""
    try:
        names = [*inspect.signature(value).parameters]
    except (TypeError, ValueError):
        return ""  # it is no function, or a compiled one
    if names == [*arguments]:
        return ""
    return (
        f"; its arguments are ({', '.join(names)})"[:200]
        + f", and it is called with ({', '.join(arguments)}), in this order"
    )
