"""Those who answer an exercise: with its solution, and with each of its mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recsys_metrics.workbook.exercises.base import Exercise, Mistake
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.result import CheckResult


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
