"""Keeps what a grading found of each student, and writes their pages from that and the gradebook.

A person gives points and comments after the grading, so the pages are written again whenever they
are given back, and no submission is run for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from recsys_metrics.workbook.course import feedback, provenance, regrade
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course, Student
from recsys_metrics.workbook.course.feedback import PageContent, ShownQuestion
from recsys_metrics.workbook.course.gradebook import Gradebook, opened
from recsys_metrics.workbook.course.grading_report import NOTHING, read_grades
from recsys_metrics.workbook.course.hand_in_notebook import CURE
from recsys_metrics.workbook.course.provenance import Origin
from recsys_metrics.workbook.course.regrade import Request
from recsys_metrics.workbook.course.stored_state import (
    Shape,
    is_count,
    is_flag,
    is_text,
    read_state,
)
from recsys_metrics.workbook.course.totals import total_of
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import Refusal

_QUESTION: Shape = {
    **dict.fromkeys(("exercise", "title", "outcome", "html", "reasons"), is_text),
    "out_of": is_count,
    "needs_marking": is_flag,
}
_SHAPE: Shape = {"questions": [_QUESTION], "run": is_text}

_NOT_YOURS = (
    "what was handed in is a notebook that is not yours; hand in your own, or talk to your "
    "instructor"
)


def save(course: Course, assignment: str, student: str, content: PageContent) -> None:
    """Keep what a grading found of a student."""
    text = json.dumps(asdict(content), indent=1, ensure_ascii=False)
    atomic_files.replace_file(_file(course, assignment, student), f"{text}\n")


def write(
    course: Course,
    assignment: Assignment,
    student: Student,
    book: Gradebook,
    reports: Mapping[str, Any],
    origins: Mapping[str, Origin],
    requests: Sequence[Request],
) -> None:
    """Write the page of a student who has handed something in; of others there is none.

    Parameters
    ----------
    course : Course
    assignment : Assignment
    student : Student
    book : Gradebook
    reports : mapping
        What the gradings found, by student.
    origins : mapping
        What was collected, by student.
    requests : sequence of Request
        All about the assignment.

    Raises
    ------
    GradingError
        If the file of what a grading found of the student is damaged.
    """
    report = reports.get(student.id)
    if report is None or report.get("problem") == NOTHING:
        return
    grades = book.grades(assignment, student.id)
    shown = _read(course, assignment.name, student.id) if grades else PageContent()
    total = total_of(course, assignment, student.id, book, reports, origins)
    if grades:
        lost = total.reached - (total.points or 0.0)
        book.set_lateness(assignment.name, student.id, total.handed_in, lost)
    notes = []
    if report.get("problem"):
        before = " Your points are those of what you handed in before." if grades else ""
        notes.append(f"It could not be graded: {_told(report)}.{before}")
    notes += [f"{total.late[0].upper()}{total.late[1:]}."] if total.late else []
    notes += regrade.said(requests, student.id, list(assignment.points))
    page = feedback.page(course, assignment, student, shown, grades or (), total, notes)
    atomic_files.replace_file(course.feedback(student.id, assignment.name), page)


def write_all(course: Course, assignment: Assignment) -> None:
    """Write the pages of all students of an assignment anew, from the gradebook as it is now."""
    reports, origins = read_grades(course, assignment), provenance.read(course, assignment.name)
    requests = regrade.read(course, assignment.name)
    with opened(course) as book:
        book.require_assignments([assignment.name])
        known = {one.id: one for one in book.students()}
        for student in assignment.students:
            whose = known.get(student, Student(student))
            write(course, assignment, whose, book, reports, origins, requests)


def _told(report: Mapping[str, Any]) -> str:
    """Return a problem as the student it concerns reads it: no other student is in it."""
    match Refusal(report.get("refusal", "")):
        case Refusal.NOTEBOOK_OF_ANOTHER:
            return _NOT_YOURS
        case Refusal.FILE_OF_ANSWERS:
            # Only what such a file has to be helps its own student.
            named = "".join(f", {file}," for file in [report.get("refused_file")] if file)
            return f"what was handed in{named} is not a file that the page saved for you; {CURE}"
        case _:
            return str(report["problem"])


def _file(course: Course, assignment: str, student: str) -> Path:
    return course.root / "assignments" / f"{assignment}_pages" / f"{student}.json"


def _read(course: Course, assignment: str, student: str) -> PageContent:
    raw = read_state(_file(course, assignment, student), _SHAPE, "remove it and grade again")
    if raw is None:
        return PageContent()
    return PageContent(tuple(ShownQuestion(**one) for one in raw["questions"]), raw["run"])
