"""An assignment: which questions it has, and for whom it was released."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from recsys_metrics._core.inputs.json_text import parse_json
from recsys_metrics._core.package_names import COMMAND, DISTRIBUTION
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.custom_exercises import load_kept
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.questions import Question, create_questions, find_exercise

_VERSION = 1


@dataclass(frozen=True)
class Assignment:
    """What was released.

    Attributes
    ----------
    name : str
    points : mapping
        Exercise ids, in the order of the notebook, and what each brings.
    asked : mapping
        For each student, a hash of each question as it was when it was released.
    has_own : bool
        Whether it asks for exercises of the course's own.
    """

    name: str
    points: Mapping[str, int]
    asked: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    has_own: bool = False

    @property
    def students(self) -> list[str]:
        """Ids of those it was released to."""
        return list(self.asked)

    @property
    def out_of(self) -> int:
        """What can be reached."""
        return sum(self.points.values())

    def questions(self, course: Course, student: str) -> list[Question]:
        """Return the questions of a student."""
        return create_questions(
            course.key, self.name, student, list(self.points), self.lookup(course)
        )

    def lookup(self, course: Course) -> Callable[[str], Exercise]:
        """Return what finds an exercise by its id, the course's own ones included."""
        own = load_kept(course.own_exercises(self.name)) if self.has_own else {}
        return partial(find_exercise, own=own)

    def changed(self, student: str, questions: list[Question]) -> list[str]:
        """Return ids of exercises that are no longer what the student was asked."""
        before = self.asked[student]
        return [
            question.id
            for question in questions
            if before.get(question.id) != question.content_hash
            or question.exercise.points != self.points[question.id]
        ]


def load(course: Course, name: str | None = None) -> Assignment:
    """Return an assignment that was released; the only one if no name is given.

    Raises
    ------
    GradingError
        If there is none of this name, or its description is damaged.
    """
    known = course.assignments()
    if name is None:
        if len(known) != 1:
            which = ", ".join(known) or f"none yet; `{COMMAND} course release` makes one"
            raise GradingError(f"name the assignment; there are: {which}")
        name = known[0]
    if name not in known:
        raise GradingError(
            f"no assignment {name!r} was released; there are: {', '.join(known) or 'none yet'}"
        )
    file = course.manifest(name)
    try:
        return _parsed(parse_json(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as problem:
        raise GradingError(f"{file} is damaged ({problem}); take it from a backup") from None


def save(course: Course, assignment: Assignment) -> None:
    """Write the description of an assignment."""
    content = {
        "version": _VERSION,
        "name": assignment.name,
        "points": dict(assignment.points),
        "has_own": assignment.has_own,
        "asked": {student: dict(asked) for student, asked in assignment.asked.items()},
    }
    text = json.dumps(content, indent=1, ensure_ascii=False)
    atomic_files.replace_file(course.manifest(assignment.name), f"{text}\n")


def _parsed(raw: Any) -> Assignment:
    if raw["version"] > _VERSION:
        raise ValueError(f"it was written by a newer {DISTRIBUTION}; upgrade to go on")
    points = {str(one): int(points) for one, points in raw["points"].items()}
    asked = {str(student): dict(hashes) for student, hashes in raw["asked"].items()}
    return Assignment(str(raw["name"]), points, asked, raw.get("has_own") is True)
