"""What the last gradings found of each student: outcomes, mistakes, and the time of handing in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from recsys_metrics._core import console
from recsys_metrics.workbook.course import similarity
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.stored_state import (
    Shape,
    is_flag,
    is_number,
    is_refusal,
    is_text,
    or_empty,
    or_none,
    read_state,
)
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.strict_json import is_moment

_VERSION = 1
_SHAPE: Shape = {
    "version?": is_number,
    "students": {
        str: {
            **dict.fromkeys(("digest?", "problem?", "time_from?", "late?"), is_text),
            "refused_file?": is_text,
            "refusal?": is_refusal,
            "notes?": [is_text],
            "seconds?": is_number,
            "answers?": {str: similarity.is_kept},
            "words?": {str: is_text},
            "cells?": {str: is_text},
            "in_page?": is_flag,
            "hints?": {str: is_number},
            "handed_in?": or_empty(is_moment),
            "questions?": {str: {"outcome?": is_text, "mistake?": or_none(is_text)}},
        }
    },
}
_CURE = "remove it and grade again"
NOTHING = "nothing was handed in"


class NothingHandedInError(GradingError):
    """A student has no submission, as opposed to one that cannot be read."""


def save(course: Course, assignment: str, students: Mapping[str, Any]) -> None:
    """Write what gradings found, by student."""
    content = {"version": _VERSION, "students": students}
    text = json.dumps(content, indent=1, ensure_ascii=False)
    atomic_files.replace_file(course.report(assignment), f"{text}\n")


def read_report(course: Course, assignment: str) -> dict[str, Any]:
    """Return what the last gradings found, by student; empty if there was none."""
    raw = read_state(course.report(assignment), _SHAPE, _CURE)
    return dict(raw["students"]) if raw else {}


def read_grades(course: Course, assignment: Assignment) -> dict[str, Any]:
    """Return what `read_report` does, of the students and the questions of the assignment alone.

    Raises
    ------
    GradingError
        If the file is damaged, or has a student or a question that is not of the assignment.
    """
    report, file = read_report(course, assignment.name), course.report(assignment.name)
    for student, one in report.items():
        if student not in assignment.asked:
            raise GradingError(
                f"{file} has a grade of {console.printable(student)!r:.80}, to whom "
                f"{assignment.name} was not released; {_CURE}"
            )
        for question in (*one.get("questions", {}), *one.get("answers", {})):
            if question not in assignment.points:
                raise GradingError(
                    f"{file} has an answer of {student} to {console.printable(question)!r:.80}, "
                    f"which {assignment.name} does not ask; {_CURE}"
                )
    return report
