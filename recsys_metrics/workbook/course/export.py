"""The gradebook as a table, for any other system."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from recsys_metrics._core import csv_injection
from recsys_metrics.workbook.course import assignment as assignments
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.grade import read_report
from recsys_metrics.workbook.course.gradebook import Gradebook, opened
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError

STUDENT = ("id", "last_name", "first_name", "email")
QUESTION = (
    *("id", "assignment", "question", "points", "maximum", "automatic", "manual", "extra"),
    *("to_be_read", "outcome", "mistake"),
)


def export(course: Course, file: Path, *, questions: bool = False) -> int:
    """Write the grades into a CSV file.

    Parameters
    ----------
    course : Course
    file : Path
        An earlier export is replaced, and nothing else.
    questions : bool
        A row for each question instead of a row for each student.

    Returns
    -------
    int
        How many rows there are below the first.

    Raises
    ------
    GradingError
        If nothing was released, or the file is something else.
    """
    released = [assignments.load(course, name) for name in course.assignments()]
    if not released:
        raise GradingError("nothing was released yet, so there are no grades")
    _check(file)
    with opened(course) as book:
        of = _questions if questions else _students
        rows = list(of(course, released, book))
    atomic_files.replace_file(file, csv_injection.written(rows))
    return len(rows) - 1


def _check(file: Path) -> None:
    if not file.exists():
        return
    head = file.read_text(encoding="utf-8", errors="replace").partition("\n")[0]
    if not head.startswith((",".join(STUDENT), ",".join(QUESTION))):
        raise GradingError(f"{file} is there and is no earlier export; give another name")


def _students(
    course: Course, released: list[Assignment], book: Gradebook
) -> Iterator[list[object]]:
    more = ("", " maximum", " to be read", " note")
    yield [*STUDENT, *(f"{one.name}{column}" for one in released for column in more)]
    reports = {one.name: read_report(course, one.name) for one in released}
    for student in book.students():
        row: list[object] = [student.id, student.last_name, student.first_name, student.email]
        for one in released:
            if student.id not in one.asked:
                row += ["", "", "", "not released to"]
                continue
            total = total_of(course, one, student.id, book, reports[one.name])
            points = "" if total.points is None else f"{total.points:g}"
            row += [points, one.out_of, total.waits or "", total.note]
        yield row


def _questions(
    course: Course, released: list[Assignment], book: Gradebook
) -> Iterator[list[object]]:
    yield list(QUESTION)
    for one in released:
        report = read_report(course, one.name)
        for student in sorted(one.asked):
            grades = book.grades(one, student)
            found = report.get(student, {}).get("questions", {})
            for grade in grades or ():
                said = found.get(grade.exercise, {})
                yield [
                    student,
                    one.name,
                    grade.exercise,
                    _number(grade.points),
                    one.points[grade.exercise],
                    _number(grade.auto),
                    _number(grade.manual),
                    _number(grade.extra or None),
                    "yes" if grade.waits else "",
                    said.get("outcome", ""),
                    said.get("mistake") or "",
                ]


@dataclass(frozen=True)
class Total:
    """What a student has for an assignment.

    Attributes
    ----------
    points : float or None
        After what lateness costs; None where nothing was graded.
    waits : int
        How many answers a person has to read.
    note : str
        What else there is to say.
    """

    points: float | None
    waits: int
    note: str


def total_of(
    course: Course,
    assignment: Assignment,
    student: str,
    book: Gradebook,
    reports: dict[str, Any],
) -> Total:
    """Return what a student has for an assignment.

    Parameters
    ----------
    course : Course
    assignment : Assignment
    student : str
    book : Gradebook
    reports : dict
        What the gradings found, by student.
    """
    grades, report = book.grades(assignment, student), reports.get(student, {})
    note = report.get("problem", "")
    if grades is None:
        return Total(None, 0, note or "not graded")
    points = sum(grade.points or 0.0 for grade in grades)
    points, late = _late(course, assignment.name, student, report, points)
    waits = sum(grade.waits for grade in grades)
    return Total(points, waits, "; ".join(filter(None, (note, late))))


def points_of(course: Course, assignment: Assignment) -> dict[str, float | None]:
    """Return what each student has for an assignment; None for one who has no grade."""
    reports = read_report(course, assignment.name)
    with opened(course) as book:
        return {
            student: total_of(course, assignment, student, book, reports).points
            for student in assignment.students
        }


def _late(
    course: Course, assignment: str, student: str, report: dict[str, Any], points: float
) -> tuple[float, str]:
    """Return what counts of points after what lateness costs, and the arithmetic.

    The deadline is that of the settings now: an extension that was given since counts.
    """
    deadline, when = course.deadlines.get(assignment), report.get("handed_in")
    if deadline is None or not when:
        return points, ""
    late = deadline.late(student, datetime.fromisoformat(when))
    return (points, "") if late is None else (late.points(points), late.said(points))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
