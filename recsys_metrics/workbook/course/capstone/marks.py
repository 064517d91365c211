"""The marks of a capstone: the mean of what its markers gave, and the pages that go back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from recsys_metrics.workbook.course import inter_rater_agreement, return_feedback
from recsys_metrics.workbook.course.capstone import marking, student_page
from recsys_metrics.workbook.course.capstone.files import Capstone
from recsys_metrics.workbook.course.capstone.report import read_text
from recsys_metrics.workbook.course.capstone.rubric import COUNTED, MOST, criteria
from recsys_metrics.workbook.course.course_folder import ROSTER, Course, Student, roster
from recsys_metrics.workbook.course.return_feedback import HandedBack
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError

COLUMNS = {one.id: MOST for one in criteria()}
OUT_OF = sum(COLUMNS.values())


@dataclass(frozen=True)
class CapstoneMark:
    """What a student's report was given.

    Attributes
    ----------
    levels : dict of str to float
        By criterion, the mean over the markers.
    comments : tuple of str
        What the markers wrote beside their levels.
    """

    levels: dict[str, float]
    comments: tuple[str, ...] = ()

    @property
    def points(self) -> float:
        """The sum of the levels."""
        return round(sum(self.levels.values()), 2)


def list_capstones(course: Course) -> list[str]:
    """Return the names of a course's capstones."""
    return sorted(file.parents[1].name for file in course.root.glob("capstone/*/kept/cases.json"))


def find_capstone(course: Course, name: str) -> Capstone | None:
    """Return the capstone of a name; None if there is none."""
    return Capstone(course, name) if name in list_capstones(course) else None


def read_sheets(capstone: Capstone) -> dict[str, dict[str, dict[str, int]]]:
    """Return the levels of each marker who gave any, by code.

    A row in which nobody but the machine has filled in levels is not marked yet.
    """
    return inter_rater_agreement.read_sheets(
        _sheets(capstone),
        COLUMNS,
        {capstone.code(student) for student in capstone.given},
        counted=COUNTED,
    )


def marks_of(capstone: Capstone) -> dict[str, CapstoneMark]:
    """Return the marks of the students whose reports were marked."""
    sheets = read_sheets(capstone)
    comments = inter_rater_agreement.read_comments(_sheets(capstone))
    found = {}
    for student in capstone.given:
        code = capstone.code(student)
        levels = inter_rater_agreement.means(sheets, COLUMNS, code)
        if levels is not None:
            found[student] = CapstoneMark(levels, tuple(comments.get(code, ())))
    return found


def points_of(capstone: Capstone) -> dict[str, float | None]:
    """Return the points of each student who has a case; None for one who has no mark."""
    marks = marks_of(capstone)
    return {one: marks[one].points if one in marks else None for one in capstone.given}


def _sheets(capstone: Capstone) -> list[Path]:
    return sorted(capstone.root.glob(f"marking/*/{inter_rater_agreement.SHEET}"))


# What goes back -------------------------------------------------------------------------------


def keep_report(capstone: Capstone, student: str, text: str, path: str) -> None:
    """Keep a report as it was marked, and the path under which the platform had it."""
    content = json.dumps({"path": path, "text": text}, ensure_ascii=False)
    atomic_files.replace_file(_report(capstone, student), f"{content}\n")


def hand_back(capstone: Capstone, file: Path) -> HandedBack:
    """Write the pages of the students whose reports were marked into a new archive.

    Raises
    ------
    GradingError
        If the file is there already, or nobody's report was marked.
    """
    pages = dict(_pages(capstone))
    for student, (_, text) in pages.items():
        atomic_files.replace_file(capstone.course.feedback(student, capstone.name), text)
    paths = {student: path for student, (path, _) in pages.items()}
    return return_feedback.archive_pages(
        capstone.course, capstone.name, list(capstone.given), paths, file
    )


def _pages(capstone: Capstone) -> Iterator[tuple[str, tuple[str, str]]]:
    people: dict[str, Student] = {}
    with suppress(GradingError):  # who has left the roster has a page under their id
        people = {one.id: one for one in roster(capstone.course.root / ROSTER)}
    for student, mark in marks_of(capstone).items():
        try:
            report = json.loads(_report(capstone, student).read_text(encoding="utf-8"))
            path, text = str(report["path"]), str(report["text"])
        except (OSError, ValueError, LookupError, TypeError):
            raise GradingError(
                f"the report of {student} is not there any more; give `course capstone mark "
                f"{capstone.name}` the folder of the reports again"
            ) from None
        marked = marking.mark(
            read_text(text),
            capstone.tables(student),
            capstone.given[student]["faults"],
            capstone.opened_for(student),
        )
        who = people.get(student)
        name = f"{who.first_name} {who.last_name}".strip() if who else ""
        yield (
            student,
            (
                path,
                student_page.page(
                    f"{capstone.name} · {capstone.course.name}",
                    name or student,
                    marked,
                    mark.levels,
                    mark.comments,
                    capstone.given[student]["truth"],
                ),
            ),
        )


def _report(capstone: Capstone, student: str) -> Path:
    return capstone.root / "kept" / "reports" / f"{student}.json"
