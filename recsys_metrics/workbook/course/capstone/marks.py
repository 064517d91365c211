"""The marks of a capstone: the mean of what its markers gave, and the pages that go back."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from recsys_metrics.workbook.course import inter_rater_agreement, return_feedback
from recsys_metrics.workbook.course.capstone import marking, student_page
from recsys_metrics.workbook.course.capstone.files import Capstone, HandedReport
from recsys_metrics.workbook.course.capstone.report import read_text
from recsys_metrics.workbook.course.capstone.rubric import COUNTED, MOST, criteria
from recsys_metrics.workbook.course.course_folder import ROSTER, Course, Student, roster
from recsys_metrics.workbook.course.return_feedback import HandedBack
from recsys_metrics.workbook.grading import atomic_files, signatures
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
        return sum(self.levels.values())


def list_capstones(course: Course) -> list[str]:
    """Return the names of a course's capstones."""
    return sorted(file.parents[1].name for file in course.root.glob("capstone/*/kept/cases.json"))


def find_capstone(course: Course, name: str) -> Capstone | None:
    """Return the capstone of a name; None if there is none."""
    return Capstone(course, name) if name in list_capstones(course) else None


def code_of(capstone: Capstone, student: str, text: str) -> str:
    """Return what stands for a student and the text of a report: levels belong to a text."""
    words = " ".join(text.split())
    whose = f"{capstone.name} report of {student}"
    signed = signatures.sign_notebook(capstone.course.key, whose, words)
    return f"{capstone.code(student)}-{signed[: inter_rater_agreement.HASH]}"


def current_codes(capstone: Capstone) -> dict[str, str]:
    """Return the code of each student's report as it was read last; of others there is none."""
    kept = {student: _read_kept(capstone, student) for student in capstone.given}
    return {
        student: code_of(capstone, student, report["text"])
        for student, report in kept.items()
        if report and not report["problem"]
    }


def read_sheets(capstone: Capstone) -> dict[str, dict[str, dict[str, int]]]:
    """Return the levels of each marker who gave any, by code.

    A row in which nobody but the machine has filled in levels is not marked yet.
    """
    return inter_rater_agreement.read_sheets(
        _sheets(capstone),
        COLUMNS,
        inter_rater_agreement.TextCodes({capstone.code(student) for student in capstone.given}),
        counted=COUNTED,
    )


def list_stale(capstone: Capstone, sheets: Mapping[str, Collection[str]]) -> list[tuple[str, str]]:
    """Return each student and marker with levels for an earlier report and none for that of now.

    Parameters
    ----------
    capstone : Capstone
    sheets : mapping of str to collection of str
        The codes of the rows that each marker has filled in.
    """
    found = []
    for student, code in current_codes(capstone).items():
        whose = f"{capstone.code(student)}-"
        found += [
            (student, marker)
            for marker, rows in sheets.items()
            if code not in rows and any(one.startswith(whose) for one in rows)
        ]
    return found


def marks_of(capstone: Capstone) -> dict[str, CapstoneMark]:
    """Return the marks of the students whose reports were marked."""
    sheets = read_sheets(capstone)
    comments = inter_rater_agreement.read_comments(_sheets(capstone))
    found = {}
    codes = current_codes(capstone)
    rows = [code for levels_of in sheets.values() for code in levels_of]
    for student in capstone.given:
        code = codes.get(student, "")
        if not code and _read_kept(capstone, student) is None:
            # What was kept is lost: the pages say so, of those who have a mark.
            whose = f"{capstone.code(student)}-"
            code = next((row for row in reversed(rows) if row.startswith(whose)), "")
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
    _keep(capstone, student, path=path, text=text, problem="")


def keep_refusal(capstone: Capstone, handed: HandedReport) -> None:
    """Keep why what a student handed in was not taken, where no report of theirs is there."""
    known = _read_kept(capstone, handed.student)
    if known is not None and not known["problem"]:
        return
    says = (
        "what was handed in is a notebook that is not yours; hand in your own, or talk to your "
        "instructor"
        if handed.is_foreign
        else f"what was handed in, {handed.name}, was not taken: {handed.problem}"
    )
    _keep(capstone, handed.student, path=handed.path, text="", problem=says)


def refusals_of(capstone: Capstone) -> dict[str, str]:
    """Return why the reports of some students were not taken, as it is told to them."""
    kept = {one: _read_kept(capstone, one) for one in capstone.given}
    return {one: report["problem"] for one, report in kept.items() if report and report["problem"]}


def hand_back(capstone: Capstone, file: Path) -> HandedBack:
    """Write the pages of the students whose reports were marked into an archive.

    Who handed in something that is no report gets a page that says why.

    Raises
    ------
    GradingError
        If the file is there and is no earlier archive of these pages, or nobody's report was
        marked.
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
    title, marks = f"{capstone.name} · {capstone.course.name}", marks_of(capstone)
    for student in capstone.given:
        kept, mark = _read_kept(capstone, student), marks.get(student)
        who = people.get(student)
        name = f"{who.first_name} {who.last_name}".strip() if who else ""
        if mark is None:
            if kept and kept["problem"]:
                text = student_page.refusal(title, name or student, kept["problem"])
                yield student, (kept["path"], text)
            continue
        if kept is None or kept["problem"]:
            raise GradingError(
                f"the report of {student} is not there any more; give `course capstone mark "
                f"{capstone.name}` the folder of the reports again"
            )
        given = capstone.given[student]
        marked = marking.mark(
            read_text(kept["text"]),
            capstone.tables(student),
            given["faults"],
            capstone.opened_for(student),
        )
        text = student_page.page(
            title, name or student, marked, mark.levels, mark.comments, given["truth"]
        )
        yield student, (kept["path"], text)


def _report(capstone: Capstone, student: str) -> Path:
    return capstone.root / "kept" / "reports" / f"{student}.json"


def _keep(capstone: Capstone, student: str, **what: str) -> None:
    content = json.dumps(what, ensure_ascii=False)
    atomic_files.replace_file(_report(capstone, student), f"{content}\n")


def _read_kept(capstone: Capstone, student: str) -> dict[str, str] | None:
    """Return what was kept of a student's report; None if there is nothing."""
    try:
        kept = json.loads(_report(capstone, student).read_text(encoding="utf-8"))
        return {name: str(kept[name]) for name in ("path", "text", "problem")}
    except (OSError, ValueError, LookupError, TypeError):
        return None
