"""All rules together: what is wrong with an exercise, whatever its kind."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain
from pathlib import Path

from recsys_metrics.workbook.exercises.bank import MissingAnswerError
from recsys_metrics.workbook.exercises.base import (
    Exercise,
    NarrowDrawError,
    pause_recording,
    run_cells,
)
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Function, describe_location
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.grading import copy_probability
from recsys_metrics.workbook.grading.custom_exercises import EndlessError, ExerciseFault
from recsys_metrics.workbook.grading.exercise_rules.choices import find_unknown_option
from recsys_metrics.workbook.grading.exercise_rules.endless import compute_once
from recsys_metrics.workbook.grading.exercise_rules.functions import (
    check_completed_template,
    explain_failure,
    find_broken_cases,
    find_revealed_gap,
)
from recsys_metrics.workbook.grading.exercise_rules.mistakes import (
    find_broken_mistake,
    find_mistake_faults,
)
from recsys_metrics.workbook.grading.exercise_rules.numbers import (
    find_quoted_numbers,
    find_revealed_answers,
    find_wrong_draw,
    find_wrong_types,
)
from recsys_metrics.workbook.grading.exercise_rules.texts import find_text_fault, list_texts
from recsys_metrics.workbook.grading.exercise_rules.variants import find_variant_faults
from recsys_metrics.workbook.grading.exercise_rules.wording import find_wrong_parameters
from recsys_metrics.workbook.grading.watchdog import watched


def find_faults(
    exercise: Exercise, *, variants: int = copy_probability.VARIANTS, file: Path | None = None
) -> list[str]:
    """Return what is wrong with an exercise, each in words that go on from its id.

    Parameters
    ----------
    exercise : Exercise
    variants : int
        How many to draw.
    file : Path, optional
        What declares it: of what breaks, its line is said.
    """
    # What the workbook's own exercises compute is known to end.
    is_watched = watched(f"{file}: {exercise.id}") if file else nullcontext()
    try:
        with pause_recording(), is_watched:
            if early := [*_find_early_faults(exercise, file)]:
                return early
            missing, steps = [*_find_missing_parts(exercise)], [*_check_solution_steps(exercise)]
            # Mistakes are edits of the solution, so those of a wrong one say nothing.
            wrong_function = bool(steps) and isinstance(exercise, Function)
            mistakes = [] if wrong_function else [*find_mistake_faults(exercise)]
            found = [*missing, *mistakes, *steps]
            return found or [*find_variant_faults(exercise, variants)]
    except EndlessError as problem:
        return [ExerciseFault(problem.says, problem.path)]
    except Exception as problem:
        said = f"breaks: {describe_location(problem, str(file))}".partition("\n")[0]
        if isinstance(problem, NameError) and isinstance(exercise, Numbers):
            said += _explain_unknown_name(problem, exercise)
        if isinstance(problem, MissingAnswerError):
            return [ExerciseFault(f"breaks: {problem}", problem.path)]
        if isinstance(problem, NarrowDrawError):
            return [ExerciseFault(f"has a `draw` that {problem.says}", ("draw",))]
        return [", ".join([said, *getattr(problem, "__notes__", ())])]


def _explain_unknown_name(problem: NameError, exercise: Numbers) -> str:
    near = difflib.get_close_matches(str(problem.name), [*exercise.inputs, *exercise.asks], n=1)
    if near:
        return f" (did you mean {near[0]!r}?)"
    return " (a solution has the inputs, and what it defines or imports)" * (
        "in the solution" in " ".join(getattr(problem, "__notes__", ()))
    )


def _find_early_faults(exercise: Exercise, file: Path | None) -> Iterator[str]:
    """Yield what has to be mended before anything else of an exercise can be checked."""
    checks: list[Callable[[], Iterator[str]]] = [lambda: _find_uncallable_draw(exercise)]
    if isinstance(exercise, Numbers):
        checks.append(lambda: find_quoted_numbers(exercise))
    if file is not None:
        compute_once(exercise)
    if isinstance(exercise, Numbers):
        checks.append(lambda: chain(find_wrong_types(exercise), find_wrong_draw(exercise)))
    checks.append(lambda: _find_broken_parts(exercise))
    if file is not None and isinstance(exercise, Function):
        checks.append(lambda: find_revealed_gap(exercise))
    for check in checks:
        if faults := [*check()]:
            yield from faults
            return


def _find_uncallable_draw(exercise: Exercise) -> Iterator[ExerciseFault]:
    draw = getattr(exercise, "draw", None)
    if draw and (says := find_wrong_parameters(draw, "rng", "a generator of random numbers")):
        yield ExerciseFault(f"has a `draw` that cannot be called: {says}", ("draw",))


def _find_missing_parts(exercise: Exercise) -> Iterator[str]:
    if not 1 <= exercise.minutes <= 20:
        yield f"takes {exercise.minutes} minutes; 1 to 20 are right for one question"
    if not 1 <= exercise.points <= 5:
        yield f"brings {exercise.points} points; give 1 to 5"
    if len(exercise.hints) != 3:
        yield f"has {len(exercise.hints)} hints; give 3, from gentle to nearly there"
    if not exercise.insight:
        yield "has no insight to keep after a correct answer"
    if isinstance(exercise, Text):
        if len(exercise.criteria) < 2:
            yield "has fewer than two criteria"
        return
    least = 2 if isinstance(exercise, Numbers | Function) else 1
    if len(exercise.steps) < least:
        steps = f"{len(exercise.steps)} step{'s' * (len(exercise.steps) != 1)}"
        yield f"has {steps} in its worked solution; give {least} or more"
    wrong = (
        len(exercise.options) - len(exercise.accepted_answers)
        if isinstance(exercise, Choice)
        else 3
    )
    if (own := len(exercise.own_mistakes)) < min(3, wrong):
        yield (f"knows {own} mistake{'s' * (own != 1)} of its own; declare {min(3, wrong)} or more")


def _check_solution_steps(exercise: Exercise) -> Iterator[str]:
    if isinstance(exercise, Function) and (faulty := [*check_completed_template(exercise)]):
        yield from faulty
        return
    names = run_cells([code for _, code in exercise.walkthrough()])[1]
    if isinstance(exercise, Function):
        found = names.get(exercise.function)
        if replace(exercise).check(found).outcome is not Outcome.PASS:
            yield explain_failure(exercise, found)
    elif isinstance(exercise, Numbers):
        for name, value in exercise.answer.items():
            if name not in names or abs(names[name] - value) > 1e-9:
                yield f"has a worked solution that does not end with the right `{name}`"
            yield from find_revealed_answers(exercise, name, value)


def _find_broken_parts(exercise: Exercise) -> Iterator[ExerciseFault]:
    """Say what of an exercise breaks as soon as it is used."""
    broken: list[ExerciseFault] = []
    if isinstance(exercise, Function):
        broken = [*find_broken_cases(exercise)]
    elif isinstance(exercise, Choice):
        broken = [*find_unknown_option(exercise)]
    yield from broken
    # What is made of the right answer would break as well.
    for mistake in () if broken else exercise.mistakes:
        yield from find_broken_mistake(exercise, mistake)
    for path, text in list_texts(exercise):
        if says := find_text_fault(text, exercise, path):
            yield ExerciseFault(says, path)
