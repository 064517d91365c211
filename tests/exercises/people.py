"""Those who answer exercises: one who knows, those who make each mistake."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.base import run_cells
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.numbers import Numbers

NUMBERS = {i: e for i, e in REGISTRY.items() if isinstance(e, Numbers)}
FUNCTIONS = {i: e for i, e in REGISTRY.items() if isinstance(e, Function)}

every = pytest.mark.parametrize("exercise", REGISTRY.values(), ids=REGISTRY)
every_numbers = pytest.mark.parametrize("exercise", NUMBERS.values(), ids=NUMBERS)
every_function = pytest.mark.parametrize("exercise", FUNCTIONS.values(), ids=FUNCTIONS)


def fresh(exercise):
    """Return the exercise without a memory of other tests."""
    return replace(exercise)


def solve(exercise):
    """Check the declared solution."""
    if isinstance(exercise, Function):
        return exercise.check(exercise.solve)
    return exercise.check(**exercise.answer)


def mistakes(exercise):
    """Return every declared mistake with what someone who makes it would answer."""
    for misconception in exercise.misconceptions:
        if isinstance(exercise, Function):
            for wrong in (misconception.wrong, *misconception.also):
                yield misconception, {"function": wrong}
        else:
            yield misconception, exercise.wrong_answers(misconception)


def check(exercise, answer):
    """Check what `mistakes` gave."""
    if isinstance(exercise, Function):
        return exercise.check(answer["function"])
    return exercise.check(**answer)


def worked(exercise):
    """Run the worked solution and return what it defined."""
    return run_cells([code for _, code in exercise.walkthrough()])[1]
