"""The rule that what an exercise computes comes to an end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.grading.custom_exercises import EndlessError


def compute_once(exercise: Exercise) -> None:
    """Compute each thing of an exercise once; what breaks otherwise is said by other rules.

    Raises
    ------
    EndlessError
        If something does not come to an end.
    """
    for function, arguments in _list_computed(exercise):
        try:
            function(*arguments)
        except EndlessError:
            raise
        except (Exception, SystemExit):
            continue


def _list_computed(exercise: Exercise) -> Iterator[tuple[Callable[..., Any], Sequence[Any]]]:
    """Yield what an exercise computes, with its arguments."""
    if isinstance(exercise, Numbers):
        yield exercise.solve, [exercise.inputs]
        for one in exercise.own_mistakes:
            yield exercise.wrong_answers_by_way, [one]
    elif isinstance(exercise, Choice | Order):
        yield exercise.solve, [exercise.inputs]
    elif isinstance(exercise, Function) and callable(exercise.solve):
        for case in exercise.cases if isinstance(exercise.cases, tuple | list) else ():
            if isinstance(case, Case):
                yield exercise.solve, case.copy_arguments()
    if draw := getattr(exercise, "draw", None):
        yield draw, [np.random.default_rng(0)]
