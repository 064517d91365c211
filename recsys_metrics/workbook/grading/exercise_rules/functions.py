"""Rules for exercises that ask for a function: its cases, its template, its solution."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises import answers, time_limit
from recsys_metrics.workbook.exercises.answers import UnreadableError
from recsys_metrics.workbook.exercises.base import Exercise, render_text, run_cells
from recsys_metrics.workbook.exercises.function import Case, Function, are_equal
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.grading import mutants
from recsys_metrics.workbook.grading.custom_exercises import ExerciseFault
from recsys_metrics.workbook.grading.exercise_rules.wording import ELSEWHERE, name_function, shorten

# A text that is shorter stands in many a hint by chance.
_SHORTEST_ANSWER = 3


def passes(exercise: Function, function: Callable[..., Any]) -> bool:
    """Whether a function is right on every case and leaves its arguments alone."""
    for case, expected in zip(exercise.cases, exercise.expected, strict=True):
        arguments = case.copy_arguments()
        try:
            given = function(*arguments)
            if isinstance(given, str) or not answers.agrees(answers.read_number(given), expected):
                return False
        except Exception:
            return False
        if not all(map(are_equal, arguments, case.arguments.values())):
            return False
    return True


def find_unnoticed_changes(exercise: Exercise) -> list[str]:
    """Return changes of a function's solution that its cases do not notice, each in words.

    They may be harmless: a change that makes no difference on any input cannot be noticed. Else a
    case is missing.
    """
    if not isinstance(exercise, Function):
        return []
    try:
        changed = list(mutants.create_mutants(exercise.solve))
    except (OSError, TypeError, AssertionError):
        return ["has a solution that is no plain function, so nothing in it was changed"]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        # One that ends does so within milliseconds.
        return [
            label
            for label, mutant in changed
            if time_limit.run_with_limit(passes, (exercise, mutant), seconds=0.5).value
        ]


def find_broken_cases(exercise: Function) -> Iterator[ExerciseFault]:
    """Say which case is none, or does not fit the function, of those declared and drawn."""
    if not callable(exercise.solve):
        says = f"has a `solve` that is no function, but {shorten(exercise.solve)}"
        yield ExerciseFault(f"{says}; give the name of the right function", ("solve",))
        return
    if fault := _find_broken_case(exercise, exercise.cases, "cases"):
        yield fault
        return
    for seed in range(ELSEWHERE):
        drawn: Any = exercise.draw(np.random.default_rng(seed))
        if fault := _find_broken_case(exercise, drawn, "draw"):
            yield fault
            return


def _find_broken_case(exercise: Function, cases: Any, field: str) -> ExerciseFault | None:
    has = f"has a `{field}` that returns" if field == "draw" else "has `cases` that are"
    if not isinstance(cases, tuple | list) or not all(isinstance(one, Case) for one in cases):
        one = " one case" if isinstance(cases, Case) else f" {shorten(cases)}"
        cure = "a tuple of cases is needed, with a comma after each: `(case(...),)`"
        return ExerciseFault(f"{has}{one}; {cure}", (field,))
    if not cases:
        return ExerciseFault(f"{has} an empty tuple; give at least one case", (field,))
    for place, case in enumerate(cases, 1):
        which = f"case {place} of `{field}`"
        says = _find_wrong_arguments(exercise, case) or _find_failure_of_solve(exercise, case)
        if says:
            of = "solve" if says.startswith("`solve` returns") else field
            return ExerciseFault(f"has a case that fails, {which}: {says}", (of,))
    return None


def _find_wrong_arguments(exercise: Function, case: Case) -> str:
    """Return how the arguments of a case differ from the parameters of `solve`, or nothing."""
    try:
        parameters = inspect.signature(exercise.solve).parameters
    except (TypeError, ValueError):
        return ""
    names, given = [*parameters], [*case.arguments]
    needed = [name for name, one in parameters.items() if one.default is one.empty]
    if any(one.kind in {one.VAR_POSITIONAL, one.VAR_KEYWORD} for one in parameters.values()):
        return ""
    if given == names[: len(given)] and len(given) >= len(needed):
        return ""
    takes = f"{name_function(exercise.solve)}({', '.join(names)})"
    shown = f"{{{', '.join(f'{name!r}: ...' for name in given)}}}"
    if sorted(given) == sorted(names):
        says = "name them in the order of the function, in which they are passed"
    elif unknown := [name for name in given if name not in names]:
        says = f"the function has no parameter {unknown[0]!r}"
    else:
        missing = [name for name in names if name not in given]
        says = f"{missing[0]!r} is missing, or comes too late"
    return f"its arguments are {shown}, and `solve` is `{takes}`; {says}"


def _find_failure_of_solve(exercise: Function, case: Case) -> str:
    """Return how `solve` breaks on a case, or nothing."""
    try:
        value: Any = exercise.solve(*case.copy_arguments())
    except Exception as problem:
        said = f"{type(problem).__name__}: {problem}".partition("\n")[0]
        return f"`solve` breaks on {_format_call(exercise, case)}: {said}"
    try:
        if isinstance(value, str):
            raise UnreadableError("text")
        answers.read_number(value)
    except UnreadableError:
        cure = "is `return` missing?" if value is None else "a number has to come back"
        call = _format_call(exercise, case)
        return f"`solve` returns {shorten(value)} on {call}; {cure}"
    return ""


def explain_failure(exercise: Function, found: Any) -> ExerciseFault:
    """Say on which case a worked solution or the completed template differs from `solve`."""
    by_solution = _find_difference(exercise, found)
    if not exercise.template:
        return _failure("has a worked solution that does not pass", by_solution, "solution")
    completed = run_cells([exercise.completed_function])[1][exercise.function]
    by_template = _find_difference(exercise, completed)
    redefined = any(f"def {exercise.function}(" in step.code for step in exercise.steps)
    if by_template and redefined and by_template == by_solution:
        says = "has a `solve` that differs from the completed template and the worked solution"
        return _failure(says, by_solution, "solve")
    if by_template:
        says = f"has a completed template, with `{exercise.template_answer}`, that does not pass"
        return _failure(says, by_template, "template_answer")
    return _failure("has a worked solution that does not pass", by_solution, "solution")


def _failure(says: str, difference: str, field: str) -> ExerciseFault:
    return ExerciseFault(f"{says}: {difference}" if difference else says, (field,))


def _find_difference(exercise: Function, function: Any) -> str:
    """Return on which case a function is not right, with what came back, or nothing."""
    for case, expected in zip(exercise.cases, exercise.expected, strict=True):
        arguments = case.copy_arguments()
        call = _format_call(exercise, case)
        try:
            given = function(*arguments)
        except Exception as problem:
            return f"on {call} it breaks ({type(problem).__name__}: {problem})"
        try:
            if not isinstance(given, str) and answers.agrees(answers.read_number(given), expected):
                if all(map(are_equal, arguments, case.arguments.values())):
                    continue
                return f"on {call} it changes its arguments"
        except UnreadableError:
            pass
        return f"on {call} it returns {shorten(given)}, and `solve` returns {shorten(expected)}"
    return ""


def check_completed_template(exercise: Function) -> Iterator[ExerciseFault]:
    """Say that the completed template does not pass, whatever the worked solution defines."""
    if exercise.template:
        completed = run_cells([exercise.completed_function])[1][exercise.function]
        if replace(exercise).check(completed).outcome is not Outcome.PASS:
            found = run_cells([code for _, code in exercise.walkthrough()])[1]
            yield explain_failure(exercise, found.get(exercise.function))


def find_revealed_gap(exercise: Function) -> Iterator[ExerciseFault]:
    """Say which hint gives the text of the gap."""
    told = exercise.template_answer.strip()
    for place, hint in enumerate(exercise.hints):
        if len(told) >= _SHORTEST_ANSWER and told in render_text(hint, exercise.inputs):
            says = f"gives the missing text, `{told}`, in hint {place + 1}; describe it in words"
            yield ExerciseFault(says, ("hints", str(place)))


def _format_call(exercise: Function, case: Case) -> str:
    values = ", ".join(map(markup.format_python, case.arguments.values()))
    return f"{exercise.function}({values})"


def takes_arguments(function: Callable[..., Any], case: Case) -> bool:
    """Whether a function can be called with the arguments of a case."""
    try:
        inspect.signature(function).bind(*case.arguments.values())
    except TypeError:
        return False
    except ValueError:
        return True  # a compiled function has no signature to ask
    return True
