"""What a student has for an assignment: the gradebook's points, after what lateness costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.gradebook import Grade, Gradebook, opened
from recsys_metrics.workbook.course.grading_report import read_grades
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.grading.limits import GradingError


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
    """

    points: float | None
    waits: int = 0
    note: str = ""
    reached: float = 0.0
    late: str = ""


def total_of(
    course: Course,
    assignment: Assignment,
    student: str,
    book: Gradebook,
    reports: Mapping[str, Any],
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
    """
    grades, report = book.grades(assignment, student), reports.get(student, {})
    note = report.get("problem", "")
    if grades is None:
        return Total(None, note=note or "not graded")
    reached = sum(grade.points or 0.0 for grade in grades)
    points, late = _late(course, assignment.name, student, report, reached)
    waits = sum(grade.waits for grade in grades)
    notes = "; ".join(filter(None, (note, _unwritten(grades, report), late)))
    return Total(points, waits, notes, reached, late)


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


def totals_of(course: Course, assignment: Assignment) -> dict[str, Total]:
    """Return what each student has for an assignment."""
    reports = read_grades(course, assignment)
    with opened(course) as book:
        book.require_assignments([assignment.name])
        return {
            student: total_of(course, assignment, student, book, reports)
            for student in assignment.students
        }


def _late(
    course: Course, assignment: str, student: str, report: dict[str, Any], points: float
) -> tuple[float, str]:
    """Return what counts of points after what lateness costs, and the arithmetic.

    The deadline is that of the settings now: an extension that was given since counts.
    """
    deadline, when = course.deadline_of(assignment), report.get("handed_in")
    if deadline is None:
        return points, ""
    if not when:
        raise GradingError(
            f"{course.report(assignment)} does not say when {student} handed in, so what lateness "
            f"costs is not known; grade {assignment} again"
        )
    late = deadline.late(student, datetime.fromisoformat(when))
    return (points, "") if late is None else (late.points(points), late.said(points))
