"""Rules for the common mistakes of an exercise: each is wrong, and is told from the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from recsys_metrics.workbook.exercises.base import Exercise, Mistake, render_text
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.grading.custom_exercises import ExerciseFault
from recsys_metrics.workbook.grading.exercise_rules.answering import (
    check_mistake,
    check_solution,
    list_mistakes,
)
from recsys_metrics.workbook.grading.exercise_rules.choices import (
    find_unexplained_options,
    find_wrong_picks,
)
from recsys_metrics.workbook.grading.exercise_rules.functions import takes_arguments
from recsys_metrics.workbook.grading.exercise_rules.numbers import find_wrong_values
from recsys_metrics.workbook.grading.exercise_rules.wording import (
    find_wrong_parameters,
    name_function,
    shorten,
)


def find_mistake_faults(exercise: Exercise) -> Iterator[str]:
    """Say which mistakes are right, cannot be told apart, are not named, or are missing."""
    right, alike = set[str](), set[str]()
    or_case = ", or add a case on which it matters" if isinstance(exercise, Function) else ""
    or_cases = ", add a case on which they differ" if isinstance(exercise, Function) else ""
    for ids in exercise.indistinguishable_mistakes():
        if len(ids) == 1:
            right |= {*ids}
            yield (
                f"declares a mistake that is right: {ids[0]} does not change the answer; change it "
                f"until it does{or_case}"
            )
        elif not right & {*ids}:
            alike |= {*ids}
            yield (
                f"declares a mistake that cannot be distinguished: {' and '.join(ids)} lead to the "
                f"same answer; change one{or_cases}, or name the other in its `ambiguous_with`"
            )
    yield from _find_equal_causes(exercise)
    for fault in find_misjudged_answers(exercise):
        # A mistake that is right or like another cannot be named, which was said.
        if not any(fault == f"does not name the mistake {one}" for one in right | alike):
            yield fault
    if isinstance(exercise, Choice):
        yield from find_unexplained_options(exercise)


def _find_equal_causes(exercise: Exercise) -> Iterator[ExerciseFault]:
    by_cause: dict[str, str] = {}
    for one in exercise.own_mistakes:
        first = by_cause.setdefault(render_text(one.cause, exercise.inputs), one.id)
        if first != one.id:
            yield ExerciseFault(
                f"says the same of two mistakes, {first} and {one.id}; write what was done in each",
                ("mistakes", one.id, "cause"),
            )


def find_misjudged_answers(exercise: Exercise) -> Iterator[str]:
    """Say which answers its own check does not judge as they were declared."""
    seed = "" if exercise.seed is None else f" (variant {exercise.seed})"
    if replace(exercise).check().outcome is not Outcome.NOT_ATTEMPTED:
        yield f"is attempted where nothing was answered{seed}"
    if check_solution(replace(exercise)).outcome is not Outcome.PASS:
        yield f"does not pass with its own solution{seed}"
    for mistake, given in list_mistakes(exercise):
        result = check_mistake(replace(exercise), given)
        if result.outcome is not Outcome.WRONG or mistake.name not in result.message:
            yield f"does not name the mistake {mistake.id}{seed}"


def find_broken_mistake(exercise: Exercise, mistake: Mistake) -> Iterator[ExerciseFault]:
    """Say what breaks in the functions in Python by which a mistake is made."""
    path = ("mistakes", mistake.id, "function")
    if isinstance(exercise, Function):
        for wrong in (mistake.wrong_answer, *mistake.variants):
            if not takes_arguments(wrong, exercise.cases[0]):
                asked = exercise.signature.removeprefix("def ")
                says = f"{name_function(wrong)} does not take the arguments of `{asked}`"
                yield ExerciseFault(
                    f"has the mistake {mistake.id}, whose function fails: {says}", path
                )
                return
    if not isinstance(exercise, Numbers | Choice):
        return
    for wrong in (mistake.wrong_answer, *mistake.variants):
        name = name_function(wrong)
        if says := find_wrong_parameters(wrong):
            yield ExerciseFault(f"has the mistake {mistake.id}, whose function fails: {says}", path)
            return
        try:
            given = wrong(exercise.inputs)
        except Exception as problem:
            if not getattr(problem, "__notes__", ()):
                problem.add_note(f"in {name}, the function of the mistake {mistake.id}")
            raise
        says = (
            find_wrong_values(exercise, given)
            if isinstance(exercise, Numbers)
            else find_wrong_picks(exercise, given)
        )
        if says:
            yield ExerciseFault(
                f"has the mistake {mistake.id}, whose function {name} returned "
                f"{shorten(given)}; {says}",
                path,
            )
            return
