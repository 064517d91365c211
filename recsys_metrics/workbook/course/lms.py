"""Tables of learning systems: whom they list, and their own table with our grades in it.

- Canvas, "Export Entire Gradebook" (Gradebook, Export): columns "Student", "ID", "SIS User ID",
  "SIS Login ID", "Section", and one for each assignment, "ps1 (4711)". Below the head stand rows
  for the whole class, of which one begins with "Points Possible".
- Moodle, "Download grading worksheet" (mod/assign/feedback/offline): columns "Identifier"
  ("Participant 1001"), "Full name", "Email address", "Grade", "Last modified (grade)".
- Moodle, "Participants", downloaded as CSV: "First name", "Last name" ("Surname" before 4.0),
  "Email address", perhaps "ID number".

In English, as these systems write them. Of a table that goes back only the grades are changed.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recsys_metrics._core import console, csv_injection
from recsys_metrics.workbook.course import text_tables
from recsys_metrics.workbook.course.course_folder import COLUMNS, ROSTER, Course, Student, enrolled
from recsys_metrics.workbook.course.identity import Identities
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError

_NO_ID = re.compile(r"[^A-Za-z0-9._@-]+")


@dataclass
class Filled:
    """A learning system's table with grades in it.

    Attributes
    ----------
    text : str
        The table.
    graded : list of str
        Students whose grade was written into it.
    without : list of str
        Students whom it lists and who have no grade.
    unknown : list of str
        Rows that are nobody's in the course, as they name themselves.
    """

    text: str = ""
    graded: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Table:
    """A table, and what kind it is."""

    file: Path
    system: str
    head: list[str]
    rows: list[list[str]]

    def cell(self, row: Sequence[str], *names: str) -> str:
        """Return what stands below the first of some heads that there is."""
        lowered = [one.strip().casefold() for one in self.head]
        for name in names:
            if name.casefold() in lowered and (at := lowered.index(name.casefold())) < len(row):
                return row[at].strip()
        return ""

    def student(self, row: Sequence[str]) -> Student | None:
        """Return whom a row lists, with an id made of the login or the e-mail; None if nobody."""
        if self.system == "Canvas":
            login, name = self.cell(row, "SIS Login ID"), self.cell(row, "Student")
            number, email = self.cell(row, "ID"), login if "@" in login else ""
            if not number or name in ("Points Possible", "Student, Test", "Test Student"):
                return None
        else:
            email, name = self.cell(row, "Email address"), self.cell(row, "Full name")
            login, number = email, self.cell(row, "ID number")
        last, comma, first = name.partition(",")
        if not comma:
            first, _, last = name.rpartition(" ")
        first = self.cell(row, "First name") or first.strip()
        last = self.cell(row, "Last name", "Surname") or last.strip()
        called = _NO_ID.sub("-", login.partition("@")[0] or f"{first}.{last}").strip("-._@")
        return Student(called[:64].lower(), first, last, email, number) if called else None


def listed(file: Path) -> list[Student]:
    """Return the students that a learning system's table lists.

    Parameters
    ----------
    file : Path
        A gradebook of Canvas, or a grading worksheet or list of participants of Moodle.

    Raises
    ------
    GradingError
        If it is none of these, lists nobody, or two of its students would have one id.
    """
    table = _read(file)
    students: dict[str, Student] = {}
    for row in table.rows:
        one = table.student(row)
        if one is None:
            continue
        if (other := students.get(one.id)) is not None:
            names = f"{console.printable(one.name)} and {console.printable(other.name)}"
            raise GradingError(
                f"{file}: {names} would both be called {one.id!r}; write these two into "
                f"{ROSTER} yourself, with an id for each"
            )
        students[one.id] = one
    if not students:
        raise GradingError(f"{file} lists no students")
    return list(students.values())


def filled(
    course: Course, assignment: str, file: Path, points: Mapping[str, float | None]
) -> Filled:
    """Return a learning system's own table with the points of an assignment in it.

    Parameters
    ----------
    course : Course
    assignment : str
        Its column in Canvas begins with this name.
    file : Path
        A gradebook of Canvas or a grading worksheet of Moodle, as it was downloaded.
    points : mapping
        By student; None for one who has no grade, whose cell stays as it is.

    Raises
    ------
    GradingError
        If the table is neither, or has no column or several for the grade.
    """
    table = _read(file)
    column = _grade_column(table, assignment)
    identities = Identities(list(points), enrolled(course))
    done = Filled()
    rows = [list(row) for row in table.rows]
    for row in rows:
        if table.system == "Canvas":
            names = [table.cell(row, one) for one in ("SIS Login ID", "SIS User ID", "Student")]
            number, about = table.cell(row, "ID"), names[-1]
            if not number:
                continue
            last, comma, first = about.partition(",")
            names += [f"{first.strip()} {last.strip()}"] if comma else []
        else:
            found = re.search(r"\d+$", table.cell(row, "Identifier"))
            names = [table.cell(row, one) for one in ("Email address", "Full name")]
            number, about = found[0] if found else "", names[-1] or table.cell(row, "Identifier")
        whose = identities.whose(*names, number=number)
        if len(whose) != 1:
            done.unknown.append(about)
            continue
        value = points[whose[0]]
        if value is None:
            done.without.append(whose[0])
            continue
        row += [""] * (column + 1 - len(row))
        row[column] = f"{value:g}"
        done.graded.append(whose[0])
    # Other cells came from the system, which has to know them again: they stay as they were.
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([table.head, *rows])
    done.text = text.getvalue()
    return done


def add_to_roster(course: Course, students: Sequence[Student]) -> tuple[list[str], list[str]]:
    """Write students who are not there yet below the course's roster; what is there stays.

    Returns
    -------
    added, known : list of str
        Ids.
    """
    file = course.root / ROSTER
    before = file.read_text(encoding="utf-8-sig") if file.exists() else ",".join(COLUMNS) + "\n"
    head = [one.strip() for one in before.partition("\n")[0].split(",")]
    if "id" not in head:
        raise GradingError(
            f"the first line of {file} names no column `id` between commas; make it "
            f"{','.join(COLUMNS)!r}"
        )
    there = {one.id.casefold(): one for one in enrolled(course)}
    emails = {one.email.casefold(): one.id for one in there.values() if one.email}
    numbers = {number.casefold(): one.id for one in there.values() for number in one.lms_ids}
    new, known = [], []
    for one in students:
        called = emails.get(one.email.casefold()) or numbers.get(one.lms_id.casefold())
        if called or one.id.casefold() in there:
            known.append(called or one.id)
        else:
            new.append(one)
    lacking = [name for name in COLUMNS if name not in head and any(vars(one)[name] for one in new)]
    if lacking:
        raise GradingError(
            f"{file} has no column {' and no column '.join(map(repr, lacking))}, which the new "
            "students need; write it behind the others in its first line"
        )
    if new:
        rows = [[getattr(one, name, "") for name in head] for one in new]
        atomic_files.replace_file(file, before.rstrip("\n") + "\n" + csv_injection.written(rows))
    return [one.id for one in new], known


def _read(file: Path) -> _Table:
    content = text_tables.read_text(file)
    head, *rows = [row for _, row in text_tables.read_rows(file, content)] or [[]]
    names = {one.strip().casefold() for one in head}
    if {"student", "id", "section"} <= names:
        return _Table(file, "Canvas", head, rows)
    if "email address" in names and ({"identifier", "full name"} <= names or "first name" in names):
        return _Table(file, "Moodle", head, rows)
    raise GradingError(
        f"{file} is neither a gradebook of Canvas (Student, ID, …, Section) nor a grading "
        "worksheet (Identifier, Full name, Email address, Grade) or a list of participants of "
        f"Moodle, in English; its first line is {console.printable(','.join(head))}"
    )


def _grade_column(table: _Table, assignment: str) -> int:
    """Return which column takes the grades."""
    if table.system == "Moodle":
        wanted, found = "`Grade`", [at for at, one in enumerate(table.head) if one == "Grade"]
    else:
        wanted = f"`{assignment} (…)`"
        name = re.compile(rf"{re.escape(assignment)}(?: \(\d+\))?", re.IGNORECASE)
        found = [at for at, one in enumerate(table.head) if name.fullmatch(one.strip())]
    if len(found) != 1:
        raise GradingError(
            f"{table.file} has {len(found) or 'no'} column{'s' * (len(found) > 1)} {wanted}; "
            + (
                "download the grading worksheet of this assignment"
                if table.system == "Moodle"
                else f"make an assignment called {assignment} in Canvas, and export again"
            )
        )
    return found[0]
