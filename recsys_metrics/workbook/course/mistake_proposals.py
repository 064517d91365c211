"""A new common mistake for the bank, proposed from the wrong answers of a class."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.wrong_answers import (
    Cluster,
    cluster,
    count_numbers,
    find_unexplained,
)
from recsys_metrics.workbook.exercises.base import Exercise, Mistake
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.order import Order

_LONGEST_ID = 50


@dataclass(frozen=True)
class Proposal:
    """A mistake that the bank does not have yet.

    Attributes
    ----------
    exercise : Exercise
    key : str
        Its id.
    entry : mapping
        As the bank has it under `mistakes`.
    cluster : Cluster
        The answers that it would explain.
    unexplained : int
        How many wrong answers had no mistake.
    """

    exercise: Exercise
    key: str
    entry: Mapping[str, Any]
    cluster: Cluster
    unexplained: int

    def as_yaml(self) -> str:
        """Return the entry as it is copied into the bank, with the reason in comments."""
        import yaml

        subject = self.exercise.id.partition(".")[0]
        explained = len(self.cluster.answers)
        lines = [
            f"{self.exercise.id}: for the mistakes of {self.exercise.python_name} in "
            f"exercises/{subject}/. Put the cause and the hint into your own words.",
            f"It would explain {explained} of {self.unexplained} wrong answers without a mistake:",
            *(f"  {shown} ({n})" for shown, n in count_numbers(self.cluster.answers).most_common()),
        ]
        if self.cluster.tried:
            lines.append(
                f"{self.cluster.tried} edits of the solution were tried. With the answers "
                f"exchanged among the students, the best one explains {self.cluster.by_chance}."
            )
        head = "".join(f"# {line}\n" for line in lines)
        body = yaml.safe_dump({self.key: dict(self.entry)}, sort_keys=False, allow_unicode=True)
        return f"{head}{body}"


def propose(course: Course, assignment: Assignment, exercise: str) -> list[Proposal]:
    """Return mistakes that would explain wrong answers of a class, the most frequent first.

    Parameters
    ----------
    course : Course
    assignment : Assignment
    exercise : str
        Its id.

    Raises
    ------
    GradingError
        If the assignment does not ask it.
    """
    wrong = find_unexplained(course, assignment, exercise)
    asked = assignment.lookup(course)(exercise)
    made = (_propose(asked, one, len(wrong)) for one in cluster(wrong))
    return [one for one in made if one is not None]


def _propose(exercise: Exercise, found: Cluster, unexplained: int) -> Proposal | None:
    if isinstance(exercise, Function):
        return None  # a function's mistake is code that a person writes
    key = _name_key(exercise, found)
    entry: dict[str, Any] = {"name": key.replace("-", " ")}
    if isinstance(exercise, Numbers):
        edit = found.edit
        if edit is None:
            return None
        entry["swap"] = {edit.old: edit.new}
        entry["cause"] = f"You computed `{edit.new}` where the solution has `{edit.old}`."
        entry["hint"] = f"What does `{edit.old}` stand for in this question?"
        mistake = Mistake(key, key, partial(_rerun, exercise, edit), entry["cause"], entry["hint"])
        alike = replace(
            exercise, mistakes=(*exercise.own_mistakes, mistake)
        ).indistinguishable_mistakes()
        others = [other for pair in alike if key in pair for other in pair if other != key]
        if others:
            entry["ambiguous_with"] = others
    elif isinstance(exercise, Order):
        entry["order"] = [*found.answers[0].given]
        entry["cause"] = "You put the lines in this order."
        entry["hint"] = "Which line needs the result of another one?"
    elif isinstance(exercise, Choice):
        picked = [*found.answers[0].given]
        entry |= {"picks_exactly": picked} if exercise.chooses_all else {"picks": picked[0]}
        entry["cause"] = f"You chose {' and '.join(picked)}."
        entry["hint"] = f"What would have to be true for {picked[0]} to be right?"
    return Proposal(exercise, key, entry, found, unexplained)


def _rerun(exercise: Numbers, edit: Any, inputs: Mapping[str, Any]) -> dict[str, float]:
    values = edit.run(replace(exercise, inputs=dict(inputs)))
    return dict(exercise.answer) if values is None else values


def _name_key(exercise: Exercise, found: Cluster) -> str:
    """Return an id that no mistake of the exercise has."""
    words = re.findall(r"[a-z]+|\d+", found.shown.replace("_", " ").lower())
    key = "-".join(words)[:_LONGEST_ID].strip("-") or "unnamed"
    if not key[0].isalpha():
        key = f"picked-{key}"
    known = {one.id for one in exercise.mistakes}
    return next(one for one in _numbered(key) if one not in known)


def _numbered(key: str) -> Iterator[str]:
    yield key
    number = 2
    while True:
        yield f"{key}-{number}"
        number += 1
