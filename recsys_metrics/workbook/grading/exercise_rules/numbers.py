"""Rules for exercises that ask for numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises.answers import format_value
from recsys_metrics.workbook.exercises.base import render_text
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.grading.custom_exercises import ExerciseFault
from recsys_metrics.workbook.grading.exercise_rules.wording import WITH_MISTAKES, shorten


def find_wrong_types(exercise: Numbers) -> Iterator[str]:
    """Say which answers are no finite number, and what does not follow as it is declared."""
    wrong = _solve_wrongly(exercise, exercise.inputs)
    for name, value in wrong.items():
        yield (
            f"has a worked solution that leaves {value!r} in `{name}`, where a finite number "
            "belongs"
        )
    if wrong:
        return
    right = exercise.answer
    for name, follow in exercise.follows.items():
        try:
            others = {key: value for key, value in right.items() if key != name}
            value = follow({**exercise.inputs, **others})
        except KeyError as missing:
            known = ", ".join([*others, *exercise.inputs])
            itself = " itself" * _can_follow(follow, {**exercise.inputs, **right})
            yield (
                f"says that `{name}` follows from {missing}{itself}; write it with the others: "
                f"{known}"
            )
        else:
            if not np.isclose(value, right.get(name, np.nan)):
                yield (
                    f"says that `{name}` follows from other answers, and of the right ones it "
                    f"makes {value:g} where {right.get(name, np.nan):g} is right"
                )


def _can_follow(follow: Callable[[Mapping[str, Any]], Any], known: Mapping[str, Any]) -> bool:
    try:
        follow(known)
    except KeyError:
        return False
    return True


def _solve_wrongly(exercise: Numbers, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answers to inputs that are no finite numbers."""
    solved: Any = exercise.solve(inputs)
    if not isinstance(solved, Mapping):
        solved = {next(iter(exercise.asks)): solved}  # a single number may come alone
    return {name: value for name, value in solved.items() if not _is_finite(value)}


def _is_finite(value: Any) -> bool:
    try:
        return np.ndim(value) == 0 and bool(np.isfinite(value))
    except (TypeError, ValueError):
        return False


def find_wrong_draw(exercise: Numbers) -> Iterator[str]:
    """Say what is drawn that is not declared, and the other way round."""
    if exercise.draw is None:
        return
    drawn = exercise.draw(np.random.default_rng(0))
    if not isinstance(drawn, Mapping):
        yield (
            f"draws {type(drawn).__name__}; its draw has to return the inputs by their names, "
            f"{{{', '.join(f'{name!r}: ...' for name in exercise.inputs)}}}"
        )
    elif set(drawn) != set(exercise.inputs):
        names, inputs = (", ".join(sorted(one)) for one in (drawn, exercise.inputs))
        more, less = sorted({*drawn} - {*exercise.inputs}), sorted({*exercise.inputs} - {*drawn})
        cures = [f"add `{more[0]}` to `inputs`, or leave it out of the draw"] if more else []
        cures += [f"draw `{less[0]}` too, or leave it out of `inputs`"] if less else []
        yield f"draws {names}; its inputs are {inputs}; {', and '.join(cures)}"
    else:
        yield from [*_find_unequal_lengths(exercise)] or _find_broken_draw(exercise)


def _find_unequal_lengths(exercise: Numbers) -> Iterator[ExerciseFault]:
    """Say that lists have as many entries as each other where they are drawn, and not as declared.

    So a decimal comma is found, `9,5` in a list.
    """
    assert exercise.draw is not None
    draws = [exercise.draw(np.random.default_rng(seed)) for seed in range(WITH_MISTAKES)]
    lists = [name for name, value in exercise.inputs.items() if isinstance(value, list)]
    lists = [name for name in lists if all(isinstance(one[name], list) for one in draws)]
    for one, other in combinations(lists, 2):
        lengths = [len(exercise.inputs[name]) for name in (one, other)]
        if lengths[0] != lengths[1] and all(len(each[one]) == len(each[other]) for each in draws):
            yield ExerciseFault(
                f"has {lengths[0]} entries in `{one}` and {lengths[1]} in `{other}`, and its draw "
                "always gives both equally many; give one missing, or write 9.5 for 9,5",
                ("inputs", one),
            )
            return


def find_quoted_numbers(exercise: Numbers) -> Iterator[ExerciseFault]:
    """Say which input is the text of a number, such as `3,5`."""
    for name, value in exercise.inputs.items():
        if isinstance(value, str) and re.fullmatch(r"[-+]?\d+([.,]\d+)?", value):
            says = f"has the text {value!r} in `inputs`, {name}"
            cure = f"write the number {value.replace(',', '.')} without quotation marks"
            yield ExerciseFault(f"{says}; {cure}", ("inputs", name))


def _find_broken_draw(exercise: Numbers) -> Iterator[ExerciseFault]:
    """Say on which drawn inputs the worked solution breaks, or leaves no number."""
    assert exercise.draw is not None
    for seed in range(WITH_MISTAKES):
        drawn = exercise.draw(np.random.default_rng(seed))
        try:
            wrong = _solve_wrongly(exercise, drawn)
        except Exception as problem:
            says = f"breaks ({type(problem).__name__}: {problem})".partition("\n")[0]
        else:
            left = [f"leaves {shorten(value)} in `{name}`" for name, value in wrong.items()]
            says = next(iter(left), "")
        if says:
            yield ExerciseFault(
                f"draws {shorten(dict(drawn))}, on which the worked solution {says}; draw only "
                "what it can solve",
                ("draw",),
            )
            return


def find_revealed_answers(exercise: Numbers, name: str, value: float) -> Iterator[str]:
    """Say where a text shows what is right before it is answered."""
    told = format_value(value)
    if told in markup.format_python(dict(exercise.inputs)):
        return  # what is given may be an answer, too
    shown = [exercise.statement, *(render_text(hint, exercise.inputs) for hint in exercise.hints)]
    if "." in told and any(re.search(rf"(?<![\d.]){re.escape(told)}(?!\d)", one) for one in shown):
        yield f"shows the right `{name}`, {told}, before it is answered; leave it out of the text"


def find_wrong_values(exercise: Numbers, given: Any) -> str:
    """Return what is wrong with what a mistake in numbers returned, or nothing."""
    asked = ", ".join(f"{name!r}: ..." for name in exercise.asks)
    if given is None:
        return "is `return` missing?"
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in exercise.asks]
        if unknown:
            return f"{unknown[0]!r} is no answer of this exercise; return {{{asked}}}"
        values = [*given.values()]
    elif len(exercise.asks) > 1:
        return f"it has to return a dictionary with the required numbers: {{{asked}}}"
    else:
        values = [given]
    try:
        [*map(float, values)]
    except (TypeError, ValueError):
        return f"it has to return numbers: {{{asked}}}"
    return ""
