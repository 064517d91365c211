"""Hands out notebooks: one archive that Moodle distributes, and a table to mail them with.

Moodle gives each student another file only as a *feedback file*. It takes a zip of them
(mod/assign/feedback/file/importziplib.php) in which each student's folder is named by the number
of the participant in this assignment, `Ann Lee_1001_assignsubmission_file`; that the student has
handed nothing in yet does not matter. The grading worksheet has the numbers.
"""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from recsys_metrics._core import console, csv_injection
from recsys_metrics.workbook.course import archives, lms
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import ROSTER, Course, Student, enrolled
from recsys_metrics.workbook.course.identity import Identities
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.submissions import parse_notebook

COLUMNS = (
    *("id", "first_name", "last_name", "email", "assignment", "questions", "points", "due"),
    "attachment",
)


@dataclass
class Handout:
    """What was written to hand an assignment out.

    Attributes
    ----------
    archive, mail : Path
    moodle, plain : list of str
        Students with a folder named as Moodle names it, and those with one named by their id.
    absent : list of str
        Students whom the table does not list; their notebooks are in neither file.
    without_email : list of str
    unknown : list of str
        Rows that are no one student's of the course.
    replaced : int
        How many notebooks of others the earlier archive had, in whose place this one is.
    """

    archive: Path
    mail: Path
    moodle: list[str] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    without_email: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    replaced: int = 0


def files(course: Course, assignment: str) -> tuple[Path, Path]:
    """Return where the archive and the table of an assignment are written."""
    place = course.root / "handout"
    return place / f"{assignment}.zip", place / f"{assignment}_mail.csv"


def write(course: Course, assignment: Assignment, table: Path) -> Handout:
    """Write the archive and the table for the students of a learning system's table.

    Parameters
    ----------
    course : Course
    assignment : Assignment
        One that was released.
    table : Path
        Moodle's grading worksheet of the assignment; of another table the folders have ids.

    Returns
    -------
    Handout

    Raises
    ------
    GradingError
        If the table is none that is known, two of its rows name one student, or none of them is a
        student of the course.
    """
    listed = lms.read(table)
    roster = {one.id: one for one in enrolled(course)}
    identities = Identities(assignment.students, list(roster.values()))
    done = Handout(*files(course, assignment.name))
    folders: dict[str, str] = {}
    for row in listed.rows:
        named = listed.named(row)
        if named is None:
            continue
        whose = identities.whose(*named.names, number=named.number)
        if len(whose) != 1:
            done.unknown.append(console.printable(named.about))
            continue
        (student,) = whose
        if student in folders:
            raise GradingError(
                f"{table}: two rows would be {student}, one of them "
                f"{console.printable(named.about)}; write the number of each into the column "
                f"lms_id of {ROSTER}"
            )
        is_moodle = listed.system == "Moodle" and bool(named.number)
        folders[student] = _moodle_folder(named) if is_moodle else student
        (done.moodle if is_moodle else done.plain).append(student)
    if not folders:
        raise GradingError(
            f"{table} lists no student to whom {assignment.name} was released; "
            f"{ROSTER} has the e-mails and names by which they are found"
        )
    done.absent = [one for one in assignment.students if one not in folders]
    content = io.BytesIO()
    rows: list[list[object]] = [[*COLUMNS]]
    deadline = assignment.find_deadline(course)
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for student in sorted(folders):
            notebook = course.notebook("release", student, assignment.name)
            text = _read(notebook, assignment.name)
            # One moment for all, so that equal notebooks make an equal archive.
            member = zipfile.ZipInfo(f"{folders[student]}/{notebook.name}")
            packed.writestr(member, text, zipfile.ZIP_DEFLATED)
            who = roster.get(student, Student(student))
            due = f"{deadline.of(student):%Y-%m-%d %H:%M %Z}".strip() if deadline else ""
            rows.append(
                [
                    *(who.id, who.first_name, who.last_name, who.email),
                    *(assignment.name, len(assignment.points), assignment.out_of, due),
                    notebook.absolute(),
                ]
            )
            done.without_email += [] if who.email else [student]
    earlier = _find_students(done.archive, assignment.name, course.limits.notebook_mb)
    done.replaced = len(earlier - folders.keys())
    atomic_files.replace_file(done.archive, content.getvalue())
    atomic_files.replace_file(done.mail, csv_injection.written(rows))
    return done


def _find_students(archive: Path, assignment: str, megabytes: float) -> set[str]:
    """Return whose notebooks an archive holds; none if it is not there or not sound.

    The notebooks say so themselves: a folder has one name for Moodle and another for mail.
    """
    try:
        books = archives.read_named(archive, f"{assignment}.ipynb", megabytes)
        return {parse_notebook(one).student for one in books}
    except (OSError, GradingError):
        return set()


def _moodle_folder(named: lms.LmsRow) -> str:
    # The parts of the name stand between underscores, and a slash would begin another folder.
    name = re.sub(r"[_/\\ ]+", " ", archives.plain_name(named.about)).strip() or "student"
    return f"{name}_{named.number}_assignsubmission_file"


def _read(notebook: Path, assignment: str) -> bytes:
    try:
        return notebook.read_bytes()
    except OSError as problem:
        raise GradingError(
            f"{notebook} cannot be read ({problem.strerror}); release {assignment} again"
        ) from None
