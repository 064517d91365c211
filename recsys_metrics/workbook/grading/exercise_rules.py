"""What every exercise is held to, those of the workbook and those of a course alike."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises import answers, time_limit
from recsys_metrics.workbook.exercises.answers import format_value
from recsys_metrics.workbook.exercises.base import (
    Exercise,
    Mistake,
    pause_recording,
    render_text,
    run_cells,
)
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Function, are_equal, describe_location
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.result import CheckResult, Outcome
from recsys_metrics.workbook.grading import copy_probability, custom_exercises, mutants
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.progress import hash_content

_WITH_MISTAKES = 40
_ELSEWHERE = 5


# Those who answer ----------------------------------------------------------------------------


def check_solution(exercise: Exercise) -> CheckResult:
    """Check the declared solution."""
    if isinstance(exercise, Function):
        return exercise.check(exercise.solve)
    return exercise.check(**get_answer(exercise))


def get_answer(exercise: Exercise) -> dict[str, Any]:
    """Return what is right, by the names that `check` takes."""
    found: dict[str, Any] = exercise.answer  # type: ignore[attr-defined]
    return found


def list_mistakes(exercise: Exercise) -> Iterator[tuple[Mistake, dict[str, Any]]]:
    """Yield every mistake of an exercise's own with what someone who makes it would answer."""
    if not isinstance(exercise, Numbers | Function | Choice | Order):
        return  # nothing is judged by what it says
    for mistake in exercise.own_mistakes:
        if isinstance(exercise, Function):
            for wrong in (mistake.wrong_answer, *mistake.variants):
                yield mistake, {"function": wrong}
        elif isinstance(exercise, Numbers):
            for values in exercise.wrong_answers_by_way(mistake):
                yield mistake, values
        else:
            for given in exercise.wrong_answers(mistake):
                yield mistake, given


def check_mistake(exercise: Exercise, given: dict[str, Any]) -> CheckResult:
    """Check what `mistakes` gave."""
    if isinstance(exercise, Function):
        return exercise.check(given["function"])
    return exercise.check(**given)


# The law -------------------------------------------------------------------------------------


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
    try:
        with pause_recording():
            found = [*_incomplete(exercise), *_mistaken(exercise), *_check_solution_steps(exercise)]
            found += _drawn_otherwise(exercise)
            return found or [*_in_variants(exercise, variants)]
    except Exception as problem:
        return [f"breaks: {describe_location(problem, str(file))}".partition("\n")[0]]


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


def find_faults_elsewhere(file: Path) -> list[str]:
    """Return the exercises of a file whose variants another process draws otherwise.

    What is released today is graded by another process, with another order of its sets.
    """
    said = []
    for order in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-P", "-m", __name__, str(file)],
            env={
                **os.environ,
                "PYTHONHASHSEED": order,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            *_, said_last = done.stderr.strip().splitlines() or ["it said nothing"]
            raise GradingError(f"{file} could not be drawn from in another process: {said_last}")
        said.append(dict(line.split("\t") for line in done.stdout.splitlines()))
    first, second = said
    return [one for one in first if first[one] != second.get(one)]


def _incomplete(exercise: Exercise) -> Iterator[str]:
    if not 1 <= exercise.minutes <= 20:
        yield f"takes {exercise.minutes} minutes; 1 to 20 are right for one question"
    if not 1 <= exercise.points <= 5:
        yield f"brings {exercise.points} points; give 1 to 5"
    if len(exercise.hints) != 3:
        yield f"has {len(exercise.hints)} hints; give 3, from gentle to nearly there"
    if not exercise.insight:
        yield "has no insight to keep after a Pass"
    if isinstance(exercise, Text):
        if len(exercise.criteria) < 2:
            yield "has fewer than two criteria"
        return
    least = 2 if isinstance(exercise, Numbers | Function) else 1
    if len(exercise.steps) < least:
        yield f"has {len(exercise.steps)} steps in its worked solution; give {least} or more"
    wrong = (
        len(exercise.options) - len(exercise.accepted_answers)
        if isinstance(exercise, Choice)
        else 3
    )
    if (own := len(exercise.own_mistakes)) < min(3, wrong):
        yield f"knows {own} mistakes of its own; declare {min(3, wrong)} or more"


def _mistaken(exercise: Exercise) -> Iterator[str]:
    for ids in exercise.indistinguishable_mistakes():
        told = "is right" if len(ids) == 1 else "cannot be told apart"
        yield f"declares a mistake that {told}: {', '.join(ids)}"
    causes = [render_text(one.cause, exercise.inputs) for one in exercise.own_mistakes]
    if len(set(causes)) < len(causes):
        yield "says the same of two mistakes"
    yield from _judged_wrongly(exercise)
    if isinstance(exercise, Choice):
        for key in set(exercise.options) - set(exercise.accepted_answers):
            picked = {*exercise.accepted_answers, key} if exercise.chooses_all else key
            if not replace(exercise).check(picked).mistake:
                yield f"does not say why the option {key} is wrong"


def _judged_wrongly(exercise: Exercise) -> Iterator[str]:
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


def _check_solution_steps(exercise: Exercise) -> Iterator[str]:
    names = run_cells([code for _, code in exercise.walkthrough()])[1]
    if isinstance(exercise, Function):
        found = names.get(exercise.function)
        if replace(exercise).check(found).outcome is not Outcome.PASS:
            yield "has a worked solution that does not pass"
    elif isinstance(exercise, Numbers):
        for name, value in exercise.answer.items():
            if name not in names or abs(names[name] - value) > 1e-9:
                yield f"has a worked solution that does not end with the right `{name}`"
            yield from _find_revealed_answers(exercise, name, value)


def _find_revealed_answers(exercise: Numbers, name: str, value: float) -> Iterator[str]:
    told = format_value(value)
    if told in markup.format_python(dict(exercise.inputs)):
        return  # what is given may be an answer, too
    shown = [exercise.statement, *(render_text(hint, exercise.inputs) for hint in exercise.hints)]
    if "." in told and any(re.search(rf"(?<![\d.]){re.escape(told)}(?!\d)", one) for one in shown):
        yield f"shows the right `{name}`, {told}, before it is answered"


def _drawn_otherwise(exercise: Exercise) -> Iterator[str]:
    if isinstance(exercise, Numbers) and exercise.draw is not None:
        drawn = set(exercise.draw(np.random.default_rng(0)))
        if drawn != set(exercise.inputs):
            names, inputs = (", ".join(sorted(one)) for one in (drawn, set(exercise.inputs)))
            yield f"draws {names}; its inputs are {inputs}"


def _in_variants(exercise: Exercise, count: int) -> Iterator[str]:
    for seed in range(min(count, _WITH_MISTAKES)):
        found = [*_judged_wrongly(exercise.variant(seed))]
        if found:
            yield found[0]
            return
    limit = copy_probability.highest_chance(exercise)
    if limit is None or count < 2:
        return
    chance = copy_probability.copy_chance(exercise, variants=count)
    # Of few variants a pair more or less is chance itself.
    if chance > limit + (0 if count >= copy_probability.VARIANTS else limit):
        cure = (
            "vary its case, or declare it `same_for_all=True`"
            if isinstance(exercise, Choice)
            else "draw from more, vary how many there are, or ask for a second number"
        )
        share = f"has one right answer for {chance:.0%} of all pairs of students"
        yield f"{share} ({limit:.0%} at most); {cure}"


if __name__ == "__main__":
    for exercise_id, exercise in custom_exercises.load_exercises(Path(sys.argv[1])).items():
        drawn = [hash_content(exercise.variant(seed)) for seed in range(_ELSEWHERE)]
        print(exercise_id, "".join(drawn), sep="\t")
