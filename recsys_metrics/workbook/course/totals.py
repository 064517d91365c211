"""What a student has for an assignment: the gradebook's points, after what lateness costs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recsys_metrics.workbook.course import provenance
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course, read_bounded
from recsys_metrics.workbook.course.gradebook import Grade, Gradebook, opened
from recsys_metrics.workbook.course.grading_report import read_grades
from recsys_metrics.workbook.course.provenance import Origin
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.points import format_points


@dataclass(frozen=True)
class Total:
    """What a student has for an assignment, with what a person gave.

    Attributes
    ----------
    points : float or None
        After what lateness costs; None where nothing was graded.
    waits : int
        How many answers a person has to read.
    note : str
        What else there is to say.
    reached : float
        The points before what lateness costs.
    late : str
        The arithmetic of lateness; empty where it was in time.
    handed_in : datetime or None
        When what was graded was handed in, if that is known.
    """

    points: float | None
    waits: int = 0
    note: str = ""
    reached: float = 0.0
    late: str = ""
    handed_in: datetime | None = None


def total_of(
    course: Course,
    assignment: Assignment,
    student: str,
    book: Gradebook,
    reports: Mapping[str, Any],
    origins: Mapping[str, Origin],
) -> Total:
    """Return what a student has for an assignment.

    Parameters
    ----------
    course : Course
    assignment : Assignment
    student : str
    book : Gradebook
    reports : mapping
        What the gradings found, by student.
    origins : mapping
        What was collected, by student.
    """
    grades, report = book.grades(assignment, student), reports.get(student, {})
    origin = origins.get(student, Origin())
    note = report.get("problem", "")
    if grades is None:
        return Total(None, note=note or "not graded")
    reached = sum(grade.points or 0.0 for grade in grades)
    when = _handed_in(report, origin)
    points, late = _late(course, assignment, student, when, reached)
    waits = sum(grade.waits for grade in grades)
    since = "" if note else _collected_since(course, assignment, student, report, origin)
    about = (_unwritten(grades, report), _earlier(grades))
    notes = "; ".join(filter(None, (note, since, *about, late)))
    return Total(points, waits, notes, reached, late, when)


def _unwritten(grades: list[Grade], report: dict[str, Any]) -> str:
    """Return which questions have points of a person although there was no answer."""
    questions = report.get("questions", {})
    found = [
        grade.exercise
        for grade in grades
        if grade.manual
        and questions.get(grade.exercise, {}).get("outcome") == str(Outcome.NOT_ATTEMPTED)
    ]
    return f"points without an answer: {', '.join(found)}" if found else ""


def _earlier(grades: list[Grade]) -> str:
    """Return which answers have points that do not count, because they are of an earlier text."""
    found = [
        f"{grade.exercise} ({format_points(grade.earlier.sum)})"
        for grade in grades
        if grade.earlier and grade.earlier.points is not None
    ]
    return f"points for an earlier text: {', '.join(found)}" if found else ""


def totals_of(course: Course, assignment: Assignment) -> dict[str, Total]:
    """Return what each student has for an assignment."""
    assignment.find_deadline(course)  # a mistyped one is said before anybody has a grade, too
    reports, origins = read_grades(course, assignment), provenance.read(course, assignment.name)
    with opened(course) as book:
        book.require_assignments([assignment.name])
        return {
            student: total_of(course, assignment, student, book, reports, origins)
            for student in assignment.students
        }


def _late(
    course: Course,
    assignment: Assignment,
    student: str,
    when: datetime | None,
    points: float,
) -> tuple[float, str]:
    """Return what counts of points after what lateness costs, and the arithmetic.

    The deadline is that of the settings now, and the time that of the last collection: an
    extension and a table of times count that were given since the grading.
    """
    deadline = assignment.find_deadline(course)
    if deadline is None:
        return points, ""
    if when is None:
        raise GradingError(
            f"{course.report(assignment.name)} does not say when {student} handed in, so what "
            f"lateness costs is not known; grade {assignment.name} again"
        )
    late = deadline.late(student, when)
    return (points, "") if late is None else (late.points(points), late.said(points))


def _handed_in(report: Mapping[str, Any], origin: Origin) -> datetime | None:
    """Return when what was graded was handed in, by the last collection if that took the same."""
    is_graded = origin.digest == report.get("digest") and not report.get("problem")
    if is_graded and origin.when is not None:
        return origin.when
    when = report.get("handed_in")
    return datetime.fromisoformat(when) if when else None


def _collected_since(
    course: Course,
    assignment: Assignment,
    student: str,
    report: Mapping[str, Any],
    origin: Origin,
) -> str:
    """Return what to say where another notebook than the graded one was collected."""
    if origin.digest in ("", report.get("digest")):
        return ""
    file = course.notebook("submitted", student, assignment.name)
    with suppress(GradingError):
        content = read_bounded(file, course.limits.notebook_mb)
        if hashlib.sha256(content).hexdigest() == origin.digest:
            return f"handed in again since it was graded; grade {assignment.name} again"
    return ""
