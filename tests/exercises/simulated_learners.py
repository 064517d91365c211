"""Those who answer exercises: one who knows, those who make each mistake."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.base import run_cells
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.prediction import Predict
from recsys_metrics.workbook.grading.exercise_rules import (
    check_mistake,
    check_solution,
    list_mistakes,
)

__all__ = ["check_mistake", "check_solution", "list_mistakes"]


def find_all(*kinds):
    """Return the exercises of some kinds, by id."""
    return {i: e for i, e in REGISTRY.items() if isinstance(e, kinds)}


def each(*kinds):
    """Return a mark that runs a test on every exercise of some kinds."""
    found = find_all(*kinds)
    return pytest.mark.parametrize("exercise", found.values(), ids=found)


every = each(object)
every_numbers = each(Numbers)
every_function = each(Function)
every_choice = each(Choice)
every_order = each(Order)
every_guess = each(Predict)
every_text = each(Text)
every_pick = each(Choice, Order, Predict)
every_judged = each(Numbers, Function, Choice, Order)


def fresh(exercise):
    """Return the exercise without a memory of other tests."""
    return replace(exercise)


def run_worked_solution(exercise):
    """Run the worked solution and return what it defined."""
    return run_cells([code for _, code in exercise.walkthrough()])[1]
