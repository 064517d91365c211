"""The gradebook as a table, for any other system."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from recsys_metrics._core import csv_injection
from recsys_metrics.workbook.course import assignment as assignments
from recsys_metrics.workbook.course import provenance
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.capstone.files import Capstone
from recsys_metrics.workbook.course.capstone.marks import OUT_OF, list_capstones, refusals_of
from recsys_metrics.workbook.course.capstone.marks import points_of as points_of_capstone
from recsys_metrics.workbook.course.course_folder import ROSTER, Course, Student, list_left, roster
from recsys_metrics.workbook.course.gradebook import Gradebook, opened
from recsys_metrics.workbook.course.grading_report import read_grades
from recsys_metrics.workbook.course.text_tables import check_ending
from recsys_metrics.workbook.course.totals import total_of
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.points import write_points

STUDENT = ("id", "last_name", "first_name", "email")
QUESTION = (
    *("id", "assignment", "question", "points", "maximum", "automatic", "manual", "extra"),
    *("to_be_read", "outcome", "mistake", "comment"),
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
        If nothing was released, or the file is something else, by its name or by what is in it.
    """
    check_ending(file)
    released = [assignments.load_enrolled(course, name) for name in course.assignments()]
    for one in released:
        one.find_deadline(course)  # a mistyped one is said before anybody has a grade, too
    if not (released or list_capstones(course)):
        raise GradingError("nothing was released yet, so there are no grades")
    _check(file)
    with opened(course) as book:
        book.require_assignments([one.name for one in released])
        of = _questions if questions else _students
        rows = list(of(course, released, book))
    atomic_files.replace_file(file, csv_injection.written(rows))
    return len(rows) - 1


_OF_ASSIGNMENT = ("", " maximum", " to be read", " note")


def _check(file: Path) -> None:
    """Raise GradingError unless a file is new or an earlier export, without columns of others."""
    other = GradingError(f"{file} is there and is no earlier export; give another name")
    try:
        if not file.exists():
            return
        # A pipe would be waited for, and a device has no end.
        if not file.is_file():
            raise other
        with file.open(encoding="utf-8", errors="replace", newline="") as lines:
            head = next(csv.reader([lines.readline()]), [])
    except OSError as problem:
        raise GradingError(f"{file} cannot be written: {problem.strerror}") from None
    if not _is_export(head):
        raise other


def _is_export(head: list[str]) -> bool:
    """Whether these are the columns of an export and no more: whose they were would be lost."""
    first, rest = head[: len(STUDENT)], head[len(STUDENT) :]
    names = rest[:: len(_OF_ASSIGNMENT)]
    columns = [f"{name}{more}" for name in names for more in _OF_ASSIGNMENT]
    return head == [*QUESTION] or (first == [*STUDENT] and bool(rest) and rest == columns)


def _students(
    course: Course, released: list[Assignment], book: Gradebook
) -> Iterator[list[object]]:
    capstones = list_capstones(course)
    names = [*(one.name for one in released), *capstones]
    yield [*STUDENT, *(f"{name}{column}" for name in names for column in _OF_ASSIGNMENT)]
    marks = {name: points_of_capstone(Capstone(course, name)) for name in capstones}
    refused = {name: refusals_of(Capstone(course, name)) for name in capstones}
    reports = {one.name: read_grades(course, one) for one in released}
    origins = {one.name: provenance.read(course, one.name) for one in released}
    people = _people(course, book, marks)
    left = set(list_left(course, [one.id for one in people]))
    for student in people:
        if student.id in left:
            continue
        row: list[object] = [student.id, student.last_name, student.first_name, student.email]
        for one in released:
            if student.id not in one.asked:
                row += ["", "", "", "not released to"]
                continue
            total = total_of(course, one, student.id, book, reports[one.name], origins[one.name])
            points = "" if total.points is None else write_points(total.points)
            row += [points, one.out_of, total.waits or "", total.note]
        for name, given in marks.items():
            if student.id not in given:
                row += ["", "", "", "has no case"]
                continue
            mark = given[student.id]
            why = refused[name].get(student.id)
            note = f"not marked: {why}" if why else "not marked"
            row += ["", OUT_OF, "", note] if mark is None else [write_points(mark), OUT_OF, "", ""]
        yield row


def _people(
    course: Course, book: Gradebook, marks: Mapping[str, Mapping[str, float | None]]
) -> list[Student]:
    """Return the students of the gradebook, and those who have a case and no assignment."""
    there = {one.id: one for one in book.students()}
    with_case = dict.fromkeys(one for given in marks.values() for one in given)
    if others := [one for one in with_case if one not in there]:
        listed: dict[str, Student] = {}
        with suppress(GradingError):  # who has left the roster has a row with their id
            listed = {one.id: one for one in roster(course.root / ROSTER)}
        there |= {one: listed.get(one, Student(one)) for one in others}
    return list(there.values())


def _questions(
    course: Course, released: list[Assignment], book: Gradebook
) -> Iterator[list[object]]:
    yield list(QUESTION)
    for one in released:
        report = read_grades(course, one)
        for student in sorted(one.students):
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
                    grade.comment,
                ]


def _number(value: float | None) -> str:
    return "" if value is None else write_points(value)
