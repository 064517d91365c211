"""What `words agree --enter` has put into the gradebook, so that it is told from what people gave.

To nbgrader a level's points are a manual score like that of a person. Only what is in the gradebook
as it was entered is ours, and gives way to other levels.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.stored_state import (
    FROM_A_BACKUP,
    Shape,
    is_number,
    is_text,
    read_state,
)
from recsys_metrics.workbook.grading import atomic_files

_VERSION = 1
_SHAPE: Shape = {
    "version": is_number,
    "students": {str: {"points": {str: [is_number]}, "comments": {str: [is_text]}}},
}


@dataclass
class Entered:
    """What was entered of a student, by exercise.

    There are two values while the gradebook is written, and one before and after.

    Attributes
    ----------
    points : dict of str to list of float
    comments : dict of str to list of str
    """

    points: dict[str, list[float]] = field(default_factory=dict)
    comments: dict[str, list[str]] = field(default_factory=dict)

    def is_own_score(self, exercise: str, score: float | None) -> bool:
        """Whether a manual score is none, or the one that was entered."""
        given = self.points.get(exercise, ())
        return score is None or any(math.isclose(score, one) for one in given)

    def is_own_comment(self, exercise: str, comment: str) -> bool:
        """Whether a comment is empty, or the one that was entered."""
        return not comment or comment in self.comments.get(exercise, ())


def read(course: Course, assignment: Assignment) -> dict[str, Entered]:
    """Return what was entered, by student; empty if nothing was."""
    raw = read_state(_file(course, assignment), _SHAPE, FROM_A_BACKUP)
    return {student: Entered(**one) for student, one in raw["students"].items()} if raw else {}


def save(course: Course, assignment: Assignment, students: Mapping[str, Entered]) -> None:
    """Write down what was entered, by student."""
    content = {"version": _VERSION, "students": {one: vars(of) for one, of in students.items()}}
    text = json.dumps(content, indent=1, ensure_ascii=False)
    atomic_files.replace_file(_file(course, assignment), f"{text}\n")


def _file(course: Course, assignment: Assignment) -> Path:
    return course.root / "assignments" / f"{assignment.name}.words.json"
