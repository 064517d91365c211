"""How likely it is that two students share a right answer, so that one copied is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from recsys_metrics.workbook.exercises.answers import PLACES
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.order import Order

VARIANTS = 300
"""How many variants the chance is computed from."""

OF_NUMBERS = 0.05
"""The most it may be where numbers, an order or the results of a function are asked for."""

OF_CHOICES = 0.35
"""The most it may be where there are options: one in three, and what 300 draws leave open."""

OF_AN_ASSIGNMENT = 0.1
"""The most that questions with one answer for all may bring, of an assignment's points."""


def copy_chance(exercise: Exercise, *, variants: int = VARIANTS) -> float:
    """Return the chance that two students have the same right answer.

    Of a function it is the chance that it has to return the same on each of the cases that are
    drawn for them; the function itself is the same for everybody.

    Parameters
    ----------
    exercise : Exercise
        One that is judged by what it asks for: numbers, a function, a choice, an order.
    variants : int
        How many to compare, each with each other one.
    """
    return share_equal(right_answer(exercise.variant(seed)) for seed in range(variants))


def count_drawn_cases(exercise: Function, *, variants: int = VARIANTS) -> str:
    """Return how many cases are drawn for a student: `3`, or `2 to 5` where that differs."""
    counts = {len(exercise.variant(seed).cases) for seed in range(variants)}
    return " to ".join(map(str, sorted({min(counts), max(counts)})))


def share_equal(answers: Iterable[Hashable]) -> float:
    """Return the share of pairs that are equal.

    >>> share_equal("aab")
    0.3333333333333333
    """
    counts = Counter(answers)
    n = counts.total()
    return sum(count * (count - 1) for count in counts.values()) / (n * (n - 1))


def right_answer(exercise: Exercise) -> Hashable:
    """Return what is right, so that two that cannot be told apart are equal."""
    if isinstance(exercise, Numbers):
        return tuple(round(value, PLACES) for value in exercise.answer.values())
    if isinstance(exercise, Function):
        return tuple(round(value, PLACES) for value in exercise.expected)
    if isinstance(exercise, Choice | Order):
        return frozenset(exercise.accepted_answers)  # in whatever order they are shown
    raise TypeError(f"{exercise.id} is not judged by its answers")


def highest_chance(exercise: Exercise) -> float | None:
    """Return the most that the chance may be; None where it is no matter of chance."""
    if isinstance(exercise, Numbers | Function | Order):
        return OF_NUMBERS
    return OF_CHOICES if isinstance(exercise, Choice) and not exercise.same_for_all else None
