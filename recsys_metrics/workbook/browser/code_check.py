"""Code that a reader writes on a page of the book: tried on a case, and checked.

The page has a Python of its own and calls `check` and `attempt` there; both also run in any other
Python. Nothing is noted here: the page keeps its reader's record.
"""

from __future__ import annotations

import ast
import json
import linecache
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.base import pause_recording
from recsys_metrics.workbook.exercises.card import describe_result
from recsys_metrics.workbook.exercises.error_messages import explain_error
from recsys_metrics.workbook.exercises.function import Function, describe_location
from recsys_metrics.workbook.exercises.result import CheckResult, Line, Outcome
from recsys_metrics.workbook.exercises.time_limit import run_with_limit

# As errors name what the reader wrote.
_CODE, _CASE = "<your code>", "<your case>"
# Of a value that is shown.
_LONGEST = 2_000


def check(
    exercise: str,
    source: str,
    tell: Callable[[str], object],
    *,
    seconds: float = 10.0,
) -> str:
    """Check the function that a text defines.

    Parameters
    ----------
    exercise : str
        Id of an exercise that asks for a function, and the seed of a variant after a space.
    source : str
        What the reader wrote.
    tell : callable
        Called before each step that runs the reader's code, with the feedback if it never ends: in
        a browser, no code is ended but with all that runs beside it.
    seconds : float
        How long a step may take.

    Returns
    -------
    str
        JSON with what a card shows, see `describe_result`.

    Raises
    ------
    KeyError
        If there is no such exercise.
    TypeError
        If it asks for something else than a function.
    """
    asked = _exercise(exercise, seconds)

    def as_json(result: CheckResult) -> str:
        return json.dumps(describe_result(result))

    says = (
        f"Your code did not finish within {seconds:g} s, before the function was called. Does a "
        "loop never end?"
    )
    endless = CheckResult(asked.id, (), (Line("", says),), Outcome.ERROR)
    tell(as_json(endless))
    names, problem, printed = _names(source, seconds)
    if names is None:
        return as_json(endless)
    if problem:
        lines = _describe_error(problem)
        if printed:
            lines.append(Line("Printed", printed, verbatim=True))
        return as_json(CheckResult(asked.id, (), tuple(lines), Outcome.ERROR))
    written = [
        one
        for one in names.values()
        if isinstance(one, FunctionType) and one.__code__.co_filename == _CODE
    ]
    answer = names.get(asked.function, written[0] if len(written) == 1 else None)
    if answer is None and written:
        says = f"Which of your functions is the answer? Call it `{asked.function}`."
        return as_json(CheckResult(asked.id, (), (Line("", says),), Outcome.ERROR))
    with pause_recording():
        attempts = asked.check_in_steps(answer)
        while True:
            try:
                unfinished = next(attempts)
            except StopIteration as end:
                return as_json(_with_name(end.value, asked.function, names, answer))
            tell(as_json(unfinished()))


def _with_name(
    result: CheckResult, function: str, names: Mapping[str, Any], answer: FunctionType | None
) -> CheckResult:
    """Add that an answer has another name than the one that is judged in what is handed in."""
    if answer is None or function in names:
        return result
    says = (
        f"Your function is called `{answer.__name__}`. If you hand it in, call it `{function}`: "
        "only a function of this name brings points."
    )
    return replace(result, lines=(*result.lines, Line("", says)))


def run_case(source: str, case: str, *, seconds: float = 10.0) -> str:
    """Run a text and then a case, as a notebook would, and return what there is to see.

    Parameters
    ----------
    source, case : str
        What the reader wrote: a function, and what tries it.
    seconds : float
        How long each of the two may take.

    Returns
    -------
    str
        JSON with `lines` in HTML: what was printed, what came back, or what was raised.
    """
    names, raised, printed = _names(source, seconds)
    problem = None if names is None else raised
    value = None
    if names is not None and not raised:
        # A case may hold an array.
        names.setdefault("np", np)
        value, problem, more = _run(case, names, _CASE, seconds)
        printed += more
    lines = [Line("Printed", printed, verbatim=True)] if printed else []
    if problem is None:
        lines.append(Line("", f"It did not finish within {seconds:g} s. Does a loop never end?"))
    elif problem:
        lines += _describe_error(problem)
    elif value is not None:
        lines.append(Line("Came back", _shown(value), verbatim=True))
    elif not printed:
        lines.append(Line("", "It ran, and nothing came back."))
    return json.dumps({"lines": [line.as_html() for line in lines]})


def run_source(source: str, names: dict[str, Any], file: str) -> Any:
    """Run a text among names, and return the value of its last line if that is an expression.

    Parameters
    ----------
    source : str
    names : dict
        What is known, to which is added what the text defines.
    file : str
        What errors call the text.
    """
    # Without a time it is never read anew from a file of that name.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    tree = ast.parse(source, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, file, "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), file, "eval"), names)


@cache
def _exercise(name: str, seconds: float) -> Function:
    """Return an exercise that allows a step so much time, and keeps what it has worked out."""
    named, _, seed = name.partition(" ")
    asked = REGISTRY[named].variant(seed) if seed else REGISTRY[named]
    if not isinstance(asked, Function):
        raise TypeError(f"{name} asks for {type(asked).__name__.lower()}, not for a function")
    return replace(asked, seconds=seconds)


def _names(source: str, seconds: float) -> tuple[dict[str, Any] | None, str, str]:
    """Return what a text defines, or None if it does not end; what it raised; what it printed."""
    names: dict[str, Any] = {"__name__": "__main__", "input": _refuse_input}
    _, problem, printed = _run(source, names, _CODE, seconds)
    return (None if problem is None else names), problem or "", printed


def _run(
    source: str, names: dict[str, Any], file: str, seconds: float
) -> tuple[Any, str | None, str]:
    """Return the value of a text's last line, what it raised (None: no end), what it printed."""
    ended = run_with_limit(run_source, (source, names, file), seconds=seconds)
    problem = ""
    if ended.error is not None:
        problem = f"{describe_location(ended.error, _CODE, _CASE)}\n{explain_error(ended.error)}"
    return ended.value, problem if ended.finished else None, ended.printed.strip()


def _describe_error(problem: str) -> list[Line]:
    """Return what is said of an error: as Python says it, and in words where there are some."""
    said, _, words = problem.rpartition("\n")
    lines = [Line("Raised", said, verbatim=True)]
    return [*lines, Line("In words", words)] if words else lines


def _refuse_input(prompt: object = "") -> str:
    raise RuntimeError("input() has no one to ask: a function gets its values as arguments")


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except Exception as error:
        return f"a {type(value).__name__} that cannot show itself ({type(error).__name__})"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
