"""A class of forty whose mistakes are known, because they are planted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from recsys_metrics.workbook.course.solution_edits import Edit, list_edits
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.grading.questions import Question
from tests.course.simulated_people import Desk, write_answer, write_correct_answer

AP, F1, RMSE, CHOICE, CODE = EXERCISES = [
    "ranking.e4",
    "ranking.e2",
    "rating.e1",
    "ranking.e9a" if "ranking.e9a" in REGISTRY else "ranking.comparable",
    "ranking.write_precision",
]
STUDENTS = [f"s{number:02d}" for number in range(40)]
KNOWN = "k-denominator"
# What nobody declared: the hits so far for the precision, and precision divided by one slot more.
HITS_SO_FAR = ("found / rank", "found")
ONE_SLOT_MORE = ("k", "(k + 1)")
WRONG_CODE = """\
def my_precision(recommended, relevant, k):
    {hits} = len([{one} for {one} in recommended[:k] if {one} in relevant])
    return {hits} / (k + 3)  # {note}
"""


def find_edit(exercise: str, swap: tuple[str, str]) -> Edit:
    """Return an edit that is among those that are tried."""
    found = [one for one in list_edits(REGISTRY[exercise]) if (one.old, one.new) == swap]
    assert found, swap
    return found[0]


def make(desk: Callable[..., Desk]) -> tuple[Desk, dict[str, dict[str, str]]]:
    """Return a desk to which the class has handed in, and what was planted, by exercise.

    The first students are the weakest. Each exercise is missed by some of the weaker half, but
    for the choice, which every second student misses.
    """
    at = desk(STUDENTS, EXERCISES)
    rng = np.random.default_rng(40)
    so_far, one_more = find_edit(AP, HITS_SO_FAR), find_edit(F1, ONE_SLOT_MORE)
    planted: dict[str, dict[str, str]] = {one: {} for one in EXERCISES}
    for number, student in enumerate(STUDENTS):
        asked = at.asked(student)
        answers = {one: write_correct_answer(asked[one]) for one in EXERCISES}

        def plant(exercise: str, kind: str, source: str, to: str = student) -> None:
            planted[exercise][to] = kind
            answers[exercise] = source  # noqa: B023

        if number < 9:
            plant(AP, "hits-so-far", _numbers(asked[AP], so_far.run(asked[AP].exercise)))
        elif number < 17:
            exercise = asked[AP].exercise
            mistake = next(one for one in exercise.mistakes if one.id == KNOWN)
            plant(AP, KNOWN, _numbers(asked[AP], exercise.wrong_answers(mistake)))
        elif number < 21:
            plant(AP, "slip", f"ap = {rng.uniform(2, 3):.3f}")
        if number < 6:
            plant(F1, "one-more", _numbers(asked[F1], one_more.run(asked[F1].exercise)))
        if number < 15:
            exercise = asked[RMSE].exercise
            mistake = exercise.own_mistakes[0]
            plant(RMSE, mistake.id, _numbers(asked[RMSE], exercise.wrong_answers(mistake)))
        if number % 2:
            wrong = sorted(set(asked[CHOICE].exercise.option_list.keys) - _right(asked[CHOICE]))
            plant(CHOICE, wrong[0], f"choice = {wrong[0]!r}")
        if 5 <= number < 9:
            names = {"hits": f"n{number}", "one": "abcdefghi"[number], "note": student}
            plant(CODE, "k-plus-3", WRONG_CODE.format(**names))
        at.put(f"{student}.ipynb", at.answered(student, answers))
    return at, planted


def _right(question: Question) -> set[str]:
    answers: Any = question.exercise
    return set(answers.accepted_answers)


def _numbers(question: Question, values: Any) -> str:
    return write_answer(question, {name: round(value, 4) for name, value in values.items()})
