"""Tables of learning systems: whom they list, and their own table with our grades in it.

- Canvas, "Export Entire Gradebook" (Gradebook, Export): columns "Student", "ID", "SIS User ID",
  "SIS Login ID", "Section", and one for each assignment, "ps1 (4711)". Below the head stand rows
  for the whole class, of which one begins with "Points Possible".
- Moodle, "Download grading worksheet" (mod/assign/feedback/offline): columns "Identifier"
  ("Participant 1001"), "Full name", "Email address", "Grade", "Maximum grade",
  "Last modified (grade)".
- Moodle, "Participants", downloaded as CSV: "First name", "Last name" ("Surname" before 4.0),
  "Email address", perhaps "ID number".

In English, as these systems write them, with commas, semicolons or tabs between the cells. Of a
table that goes back only the grades are changed.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recsys_metrics._core import console, csv_injection
from recsys_metrics.workbook.course import text_tables
from recsys_metrics.workbook.course.course_folder import (
    COLUMNS,
    ROSTER,
    Course,
    Student,
    enrolled,
    find_fault_of_id,
)
from recsys_metrics.workbook.course.identity import Identities
from recsys_metrics.workbook.course.roster_matches import complete_name, match_students
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.points import write_points

# Rows of Canvas's gradebook that are about all students.
_OF_THE_CLASS = ("Points Possible",)
_NO_ID = re.compile(r"[^A-Za-z0-9._@-]+")
# A gradebook may have two groups of assignments of one name; these columns are read.
_READ_ONCE = {
    *("student", "id", "sis user id", "sis login id", "section", "identifier", "full name"),
    *(
        "email address",
        "first name",
        "last name",
        "surname",
        "id number",
        "maximum grade",
        "grade can be changed",
    ),
}
_MOST_POINTS = 1e9
_NO_MAXIMUM = {"", "-", "(read only)"}


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
    unread : list of str
        Students who are left out, because answers of theirs are to be read.
    locked : list of str
        Students whose grade Moodle says cannot be changed; it stays as it is.
    unknown : list of str
        Rows that are nobody's in the course, as they name themselves.
    """

    text: str = ""
    graded: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    locked: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class LmsRow:
    """Whom a row of a table names.

    Attributes
    ----------
    names : tuple of str
        Login, e-mail and name.
    number : str
        The system's own; Moodle's is that of the participant in this one assignment.
    about : str
        How a message calls the row.
    """

    names: tuple[str, ...]
    number: str
    about: str


@dataclass(frozen=True)
class LmsTable:
    """A table of a learning system, and which one wrote it."""

    file: Path
    system: str
    head: list[str]
    rows: list[list[str]]
    lines: list[int]
    line_end: str
    delimiter: str

    def cell(self, row: Sequence[str], *names: str) -> str:
        """Return what stands below the first of some heads that there is."""
        lowered = [one.strip().casefold() for one in self.head]
        for name in names:
            if name.casefold() in lowered and (at := lowered.index(name.casefold())) < len(row):
                return row[at].strip()
        return ""

    def named(self, row: Sequence[str]) -> LmsRow | None:
        """Return whom a row names; None for a row of the whole class."""
        if self.system == "Canvas":
            names = [self.cell(row, one) for one in ("SIS Login ID", "SIS User ID", "Student")]
            number, about = self.cell(row, "ID"), names[-1]
            if about in _OF_THE_CLASS or not any([*names, number]):
                return None
            last, comma, first = about.partition(",")
            names += [f"{first.strip()} {last.strip()}"] if comma else []
            return LmsRow(tuple(names), number, about or names[0] or number)
        found = re.search(r"\d+$", self.cell(row, "Identifier"))
        names = [self.cell(row, one) for one in ("Email address", "Full name")]
        full = f"{self.cell(row, 'First name')} {self.cell(row, 'Last name', 'Surname')}".strip()
        about = names[-1] or full or self.cell(row, "Identifier")
        return LmsRow((*names, full), found[0] if found else "", about)

    def student(self, row: Sequence[str]) -> Student | None:
        """Return whom a row lists; None if nobody.

        The id is made of the login or the e-mail, else of the name, or of the number in the system
        where the name has letters that an id has not. It is empty if none of these makes one.
        """
        if self.system == "Canvas":
            login, name = self.cell(row, "SIS Login ID"), self.cell(row, "Student")
            number, email = self.cell(row, "ID"), login if "@" in login else ""
            if name in (*_OF_THE_CLASS, "Student, Test", "Test Student"):
                return None
        else:
            email, name = self.cell(row, "Email address"), self.cell(row, "Full name")
            login, number = email, self.cell(row, "ID number")
        last, comma, first = name.partition(",")
        if not comma:
            first, last = _split_name(name)
        first = self.cell(row, "First name") or first.strip()
        last = self.cell(row, "Last name", "Surname") or last.strip()
        if not any((login, first, last, number)):
            return None
        called = ".".join(_without_accents(one) for one in (first, last) if one)
        by_number = [number, called] if _NO_ID.search(called.replace(" ", "")) else [called, number]
        made = (_make_id(one) for one in (login.partition("@")[0], *by_number))
        return Student(next(filter(None, made), ""), first, last, email, number)


def _split_name(name: str) -> tuple[str, str]:
    """Return a full name as first and last name, to which a particle in small letters belongs.

    >>> _split_name("Anna Maria de Vries"), _split_name("anna lee"), _split_name("Suharto")
    (('Anna Maria', 'de Vries'), ('anna', 'lee'), ('', 'Suharto'))
    """
    *first, last = name.split() or [""]
    while len(first) > 1 and first[-1].islower() and not name.islower():
        last = f"{first.pop()} {last}"
    return " ".join(first), last


def _without_accents(text: str) -> str:
    """Return text with plain letters for those that have an accent.

    >>> _without_accents("José Ñandú")
    'Jose Nandu'
    """
    parts = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def _make_id(text: str) -> str:
    """Return text as an id; empty if it makes none.

    >>> _make_id("De La Cruz"), _make_id("李"), _make_id("con")
    ('de-la-cruz', '', '')
    """
    made = _NO_ID.sub("-", text).strip("-._@")[:64].rstrip("-._@").lower()
    return "" if find_fault_of_id(made) else made


def listed(file: Path) -> list[Student]:
    """Return the students that a learning system's table lists.

    Parameters
    ----------
    file : Path
        A gradebook of Canvas, or a grading worksheet or list of participants of Moodle.

    Returns
    -------
    list of Student
        One of whose login, name and number no id can be made has an empty one.

    Raises
    ------
    GradingError
        If it is none of these, or lists nobody.
    """
    table = read(file)
    students = [one for row in table.rows if (one := table.student(row)) is not None]
    if not students:
        raise GradingError(f"{file} lists no students")
    return students


def filled(
    course: Course,
    assignment: str,
    file: Path,
    points: Mapping[str, float | None],
    *,
    out_of: float,
    scale: bool = False,
    unread: Collection[str] = (),
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
    out_of : float
        The most points of the assignment.
    scale : bool
        Whether points become parts of the most that the table has for the column.
    unread : collection of str
        Students whose cell stays as it is, because answers of theirs are to be read.

    Raises
    ------
    GradingError
        If the table is neither, has no column or several for the grade, or another maximum for
        it than the assignment, and `scale` is False.
    """
    table = read(file)
    column = _grade_column(table, assignment)
    maximum = _maximum(table, column, out_of)
    factor = 1.0
    if maximum is not None and maximum != out_of:
        here, there = write_points(out_of), write_points(maximum)
        if not maximum:
            raise GradingError(
                f"{file}: the maximum of {assignment} in {table.system} is 0. Set it to {here} "
                "there and download the table again"
            )
        if not scale:
            raise GradingError(
                f"{file}: {assignment} has {here} points here, and the maximum in "
                f"{table.system} is {there}. Set it to {here} there and download the table "
                f"again, or give --scale, which writes {there} for {here} points"
            )
        factor = maximum / out_of
    identities = Identities(list(points), enrolled(course))
    done = Filled()
    taken: dict[str, str] = {}
    rows = [list(row) for row in table.rows]
    for line, row in zip(table.lines, rows, strict=True):
        named = table.named(row)
        if named is None:
            continue
        about, number = named.about, named.number
        whose = identities.whose(*named.names, number=number)
        if len(whose) != 1:
            several = f" (could be {' or '.join(whose)}; correct {ROSTER})" if whose else ""
            done.unknown.append(f"{about}{several}")
            continue
        if whose[0] in taken:
            raise GradingError(
                f"{file}: two rows would be {whose[0]}, {console.printable(taken[whose[0]])} and "
                f"{console.printable(about)}; leave one, or write the numbers of both into the "
                f"column lms_id of {ROSTER}"
            )
        taken[whose[0]] = f"{about} ({number})" if number else about
        value = points[whose[0]]
        if value is None:
            done.without.append(whose[0])
            continue
        if whose[0] in unread:
            done.unread.append(whose[0])
            continue
        if table.cell(row, "Grade can be changed").casefold() == "no":
            done.locked.append(whose[0])
            continue
        row += [""] * (column + 1 - len(row))
        # Points that a person gave on top may make more than the maximum.
        if fault := _find_grade_fault(row[column], max(out_of * factor, value * factor)):
            raise GradingError(
                f"{file}, line {line}, column {table.head[column]!r}: {about} has {fault}, and "
                "the grade would replace it. Empty the cell, or delete the row to leave it as it "
                f"is in {table.system}, and give the command again"
            )
        row[column] = write_points(value * factor)
        done.graded.append(whose[0])
    # Other cells came from the system, which has to know them again: they stay as they were.
    text = io.StringIO()
    writer = csv.writer(text, delimiter=table.delimiter, lineterminator=table.line_end)
    writer.writerows([table.head, *rows])
    is_marked = file.read_bytes().startswith((codecs.BOM_UTF8, *text_tables.UTF_16))
    done.text = ("\ufeff" if is_marked else "") + text.getvalue()
    return done


@dataclass
class RosterChange:
    """What a table changed in a roster.

    Attributes
    ----------
    added : list of str
        Ids of students who were not there.
    known : list of str
        Ids of those who were.
    completed : dict of list of str
        For each of these whose row had empty cells, the columns that the table filled.
    unlike : list of str
        Sentences about students of whom it is not certain which row is theirs.
    without_id : list of str
        Names of students who were not added, because no id could be made for them.
    """

    added: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    completed: dict[str, list[str]] = field(default_factory=dict)
    unlike: list[str] = field(default_factory=list)
    without_id: list[str] = field(default_factory=list)


def add_to_roster(course: Course, students: Sequence[Student]) -> RosterChange:
    """Write students who are not there yet below the course's roster, and fill empty cells.

    A cell that holds something stays as it is.

    Raises
    ------
    GradingError
        If the roster has no column `id` or none that the new students need, or two of these would
        have one id.
    """
    file = course.root / ROSTER
    before = text_tables.read_text(file) if file.exists() else ",".join(COLUMNS) + "\n"
    delimiter = text_tables.find_delimiter(before)
    (_, first), *numbered = text_tables.read_rows(file, before) or [(1, [])]
    head = [one.strip().lower() for one in first]
    if "id" not in head:
        raise GradingError(
            f"the first line of {file} names no column `id`; make it {delimiter.join(COLUMNS)!r}"
        )
    roster = enrolled(course)
    matches = match_students(students, roster)
    done = RosterChange(known=matches.known, unlike=matches.doubts)
    new = [one for one in matches.new if one.id]
    done.without_id = [one.name or one.email or one.lms_id for one in matches.new if not one.id]
    _refuse_one_id(file, new)
    _refuse_lacking_columns(file, head, new)
    done.added = [one.id for one in new]
    lines = before.rstrip("\n").split("\n")
    by_id = {one.id.casefold(): one for one in roster}
    taken = {each.casefold() for one in roster for each in (one.email, *one.lms_ids)}
    for line, cells in numbered:
        row = cells + [""] * (len(head) - len(cells))
        student = row[head.index("id")].strip()
        match = matches.rows.get(student.casefold())
        known = complete_name(by_id[student.casefold()], match) if match else None
        filled = _fill_empty_cells(row, head, known, taken) if known else []
        # A row of several lines is left to its author.
        if filled and not any("\n" in cell for cell in cells):
            lines[line - 1] = csv_injection.written([row], delimiter).rstrip("\n")
            done.completed[student] = filled
    if new or done.completed:
        rows = [[getattr(one, name, "") for name in head] for one in new]
        below = csv_injection.written(rows, delimiter)
        atomic_files.replace_file(file, "\n".join(lines) + "\n" + below)
    return done


def _refuse_one_id(file: Path, new: Sequence[Student]) -> None:
    """Raise GradingError if two new students would have one id."""
    by_id: dict[str, Student] = {}
    for one in new:
        other = by_id.setdefault(one.id, one)
        if other is not one:
            both = f"{console.printable(one.name)} and {console.printable(other.name)}"
            raise GradingError(
                f"{both} would both be called {one.id!r}; write these two into {file} "
                "yourself, with an id for each and what tells them apart: the e-mail address "
                "or, as lms_id, the number in the learning system"
            )


def _refuse_lacking_columns(file: Path, head: Sequence[str], new: Sequence[Student]) -> None:
    """Raise GradingError if a roster has no column for what is known of new students."""
    lacking = [name for name in COLUMNS if name not in head and any(vars(one)[name] for one in new)]
    if lacking:
        raise GradingError(
            f"{file} has no column {' and no column '.join(map(repr, lacking))}, which the new "
            "students need; write it behind the others in its first line"
        )


def _fill_empty_cells(row: list[str], head: list[str], one: Student, taken: set[str]) -> list[str]:
    """Write what a table knows into the empty cells of a row, and return their columns."""
    filled = []
    for name in COLUMNS:
        value = getattr(one, name)
        if name not in head or not value or row[head.index(name)].strip():
            continue
        # What tells two students apart stands in one row alone.
        if name in {"email", "lms_id"}:
            if value.casefold() in taken:
                continue
            taken.add(value.casefold())
        row[head.index(name)] = value
        filled.append(name)
    return filled


def read(file: Path) -> LmsTable:
    """Return a table of a learning system.

    Raises
    ------
    GradingError
        If it is none that is known.
    """
    content = text_tables.read_text(file)
    (_, head), *numbered = text_tables.read_rows(file, content) or [(1, [])]
    line_end = text_tables.find_line_end(content)
    delimiter = text_tables.find_delimiter(content)
    lowered = [one.strip().casefold() for one in head]
    text_tables.refuse_repeated_columns(file, [one for one in lowered if one in _READ_ONCE])
    for line, row in numbered:
        # The last column may be that of the grades, which are empty before they are filled in.
        text_tables.refuse_more_cells(
            f"{file}, line {line}", head, row, delimiter=delimiter, are_empty_more=True
        )
    lines, rows, names = [line for line, _ in numbered], [row for _, row in numbered], {*lowered}
    if {"student", "id", "section"} <= names:
        return LmsTable(file, "Canvas", head, rows, lines, line_end, delimiter)
    if "email address" in names and ({"identifier", "full name"} <= names or "first name" in names):
        return LmsTable(file, "Moodle", head, rows, lines, line_end, delimiter)
    raise GradingError(
        f"{file} is neither a gradebook of Canvas (Student, ID, …, Section) nor a grading "
        "worksheet (Identifier, Full name, Email address, Grade) or a list of participants of "
        f"Moodle, in English; its first line is {console.printable(delimiter.join(head))}"
    )


def _grade_column(table: LmsTable, assignment: str) -> int:
    """Return which column takes the grades."""
    if table.system == "Moodle":
        wanted, found = "`Grade`", [at for at, one in enumerate(table.head) if one == "Grade"]
        missing, several = "download the grading worksheet of this assignment", "Delete"
    else:
        wanted = f"`{assignment} (…)`"
        name = re.compile(rf"{re.escape(assignment)}(?: \(\d+\))?", re.IGNORECASE)
        found = [at for at, one in enumerate(table.head) if name.fullmatch(one.strip())]
        missing = f"make an assignment called {assignment} in Canvas, and export again"
        several = "Rename the other assignment in Canvas and export again, or delete"
    if not found:
        raise GradingError(f"{table.file} has no column {wanted}; {missing}")
    if len(found) > 1:
        names = " and ".join(f"{table.head[at].strip()!r} (column {at + 1})" for at in found)
        raise GradingError(
            f"{table.file} has {len(found)} columns that could take the grades of {assignment}: "
            f"{names}. {several} from the file the column that should not be filled"
        )
    return found[0]


def _maximum(table: LmsTable, column: int, out_of: float) -> float | None:
    """Return the most points that the system has for a column, if its table says so.

    Raises
    ------
    GradingError
        If a separator may be that of thousands or of decimals, and neither makes it `out_of`; if
        it is too large, or rows differ in it.
    """
    if table.system == "Canvas":
        heads = [row for row in table.rows if table.cell(row, "Student") == "Points Possible"]
        said = {row[column] for row in heads if column < len(row)}
    else:
        said = {table.cell(row, "Maximum grade") for row in table.rows}
    numbers = set()
    for text in said:
        readings = _read_number(text)
        if not readings and text.strip() not in _NO_MAXIMUM:
            raise GradingError(
                f"{table.file}: the maximum {console.printable(text.strip(), 60)!r} is no number "
                "of points; correct it there and download the table again"
            )
        if len(readings) > 1 and out_of not in readings:
            raise GradingError(
                f"{table.file}: the maximum {text.strip()!r} can be "
                f"{' or '.join(readings.values())}; write it there without the separator"
            )
        numbers |= {out_of} if out_of in readings else {*readings}
    largest = max(numbers, default=0)
    if largest > _MOST_POINTS:
        raise GradingError(
            f"{table.file}: the maximum of {write_points(largest)} points is larger than "
            f"{write_points(_MOST_POINTS)}; correct it there and download the table again"
        )
    if len(numbers) > 1:
        several = " and ".join(write_points(number) for number in sorted(numbers))
        raise GradingError(
            f"{table.file} gives different maxima for the grade: {several}; keep the rows of one "
            "assignment"
        )
    return numbers.pop() if numbers else None


def _find_grade_fault(text: str, most: float) -> str:
    """Return what is in a cell that no grade is, which a person may have written by hand.

    >>> _find_grade_fault("7.5", 9), _find_grade_fault("EX", 9)
    ('', "'EX', which is no number")
    """
    given = text.strip()
    if given in _NO_MAXIMUM:
        return ""
    shown = repr(console.printable(given, 40))
    negative = given.startswith(("-", "\N{MINUS SIGN}"))
    readings = _read_number(given.lstrip("-+\N{MINUS SIGN}"))
    if not readings:
        return f"{shown}, which is no number"
    if negative and any(readings):
        return f"{shown}, which is negative"
    if min(readings) > most:
        return f"{shown}, which is more than the maximum of {write_points(most)}"
    return ""


def _read_number(text: str) -> dict[float, str]:
    """Return what a number of points can be, and how it is written without a separator.

    >>> [*_read_number("1,000")], [*_read_number("1,000.5")], [*_read_number("12,5")]
    ([1.0, 1000.0], [1000.5], [12.5])
    """
    plain = re.sub(r"(?<=[0-9])[\s'](?=[0-9]{3})", "", text.strip())
    if not re.fullmatch(r"[0-9]+([.,][0-9]{3})*([.,][0-9]+)?", plain):
        return {}
    whole, mark, decimals = re.fullmatch(r"(.*?)(?:([.,])([0-9]+))?", plain).groups()  # type: ignore[union-attr]
    marks = set(re.findall("[.,]", whole))
    thousands = re.sub("[.,]", "", plain)
    point = f"{re.sub('[.,]', '', whole)}.{decimals}"
    if mark is None:
        readings = [thousands]
    elif marks:
        readings = [thousands] if marks == {mark} else [point]
    elif len(decimals) == 3 and re.fullmatch("[1-9][0-9]{0,2}", whole):
        readings = [point, thousands]
    else:
        readings = [point]
    return {float(one): write_points(float(one)) for one in readings}
