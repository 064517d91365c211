"""A marker's pages and levels; names are not on them, and each marker has an order of their own."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from recsys_metrics.workbook.course import inter_rater_agreement
from recsys_metrics.workbook.course.capstone import marking, marks
from recsys_metrics.workbook.course.capstone.files import Capstone, HandedReport
from recsys_metrics.workbook.course.capstone.marker_page import page
from recsys_metrics.workbook.course.capstone.marking import ClaimedFault, Marked
from recsys_metrics.workbook.course.capstone.report import CapstoneReport
from recsys_metrics.workbook.course.capstone.rubric import COUNTED, criteria
from recsys_metrics.workbook.course.text_tables import check_ending
from recsys_metrics.workbook.grading import atomic_files, signatures
from recsys_metrics.workbook.grading.escaped_html import escape_html
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.points import write_points
from recsys_metrics.workbook.grading.static_page import render_page


@dataclass(frozen=True)
class MarkerFiles:
    """What was written for a marker.

    Attributes
    ----------
    index, sheet : Path
    told : list of str
        A line a report, by its code.
    problems : list of (str, str)
        Files that are no report, and why.
    """

    index: Path
    sheet: Path
    told: list[str]
    problems: list[tuple[str, str]]


def write_pages(capstone: Capstone, downloads: Path, marker: str) -> MarkerFiles:
    """Write a page for each report, a list of them, and a table for levels.

    Raises
    ------
    GradingError
        If no report is there.
    """
    reports, problems = _collected(capstone, downloads)
    if not reports:
        raise GradingError(f"no report of {capstone.name} is in {downloads}")
    place = capstone.marking(marker)
    place.mkdir(parents=True, exist_ok=True)
    told, links = [], []
    known = {}
    for student in in_order(capstone, list(reports), marker):
        code = marks.code_of(capstone, student, reports[student].text)
        given = capstone.given[student]
        for earlier in place.glob(f"{capstone.code(student)}-*.html"):
            earlier.unlink()
        tables = capstone.tables(student)
        marked = marking.mark(
            reports[student], tables, given["faults"], capstone.opened_for(student)
        )
        text = page(f"Report {code}", marked, given["truth"], {})
        atomic_files.replace_file(place / f"{code}.html", text)
        told.append(f"{code}: {in_a_line(marked)}")
        known[code] = marked.counted()
        link = f"<a href='{code}.html'>{code}</a>"
        links.append(f"<li>{link}: {escape_html(in_a_line(marked))}</li>")
    index, sheet = place / "index.html", place / inter_rater_agreement.SHEET
    body = f"<h1>{escape_html(capstone.name)}</h1><ol>{''.join(links)}</ol>"
    atomic_files.replace_file(index, render_page(capstone.name, body))
    codes = [line.partition(":")[0] for line in told]
    if new := inter_rater_agreement.complete_sheet(sheet, codes, marks.COLUMNS, known):
        problems.append((str(sheet), f"rows were added for {', '.join(new)}"))
    current = marks.current_codes(capstone)
    if again := [current[one] for one, _ in marks.list_stale(capstone, {marker: _marked(sheet)})]:
        problems.append(
            ("to be read anew, handed in again since you gave levels", ", ".join(again))
        )
    return MarkerFiles(index, sheet, told, problems)


def _marked(sheet: Path) -> list[str]:
    """Return the codes of the rows in which more than the counted levels is filled in."""
    read = [name for name in marks.COLUMNS if name not in COUNTED]
    rows = inter_rater_agreement.read_cells(sheet)
    code = inter_rater_agreement.CODE
    return [row.get(code, "") for row in rows if any(row.get(one) for one in read)]


def in_a_line(marked: Marked) -> str:
    """Return what a machine can say about a report, in a line."""
    right = sum(one.is_right for one in marked.numbers)
    counts = dict.fromkeys(ClaimedFault, 0)
    for claim in marked.faults.values():
        counts[claim] += 1
    planted = len(marked.faults) - counts[ClaimedFault.WRONG]
    parts = [
        f"{right} of {len(marked.numbers)} numbers right",
        f"{counts[ClaimedFault.SHOWN]} of {planted} faults shown",
    ]
    if counts[ClaimedFault.WRONG]:
        parts.append(f"{counts[ClaimedFault.WRONG]} claimed that are not there")
    return ", ".join(parts)


def in_order(capstone: Capstone, students: list[str], marker: str) -> list[str]:
    """Return students in an order that says nothing, another one for each marker."""
    key, name = capstone.course.key, capstone.name
    return sorted(
        students, key=lambda one: signatures.derive_seed(key, f"{name} order", marker, one)
    )


def compare(capstone: Capstone, file: Path) -> Iterator[str]:
    """Say how far the markers agree, two by two, and write the marks.

    Raises
    ------
    GradingError
        If the file is there, or nobody has given levels.
    """
    check_ending(file)
    if file.exists():
        raise GradingError(f"{file} is there already and stays as it is; give another name")
    sheets = marks.read_sheets(capstone)
    if not sheets:
        raise GradingError(f"nobody has written levels into {capstone.root / 'marking'} yet")
    now = {*marks.current_codes(capstone).values()}
    of_now = {
        who: {code: levels for code, levels in rows.items() if code in now}
        for who, rows in sheets.items()
    }
    yield from inter_rater_agreement.told(
        {who: rows for who, rows in of_now.items() if rows},
        marks.COLUMNS,
        {one.id: one.title for one in criteria()},
    )
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["id", *marks.COLUMNS, "points", "maximum"])
    given = marks.marks_of(capstone)
    for student, mark in given.items():
        cells = [write_points(level) for level in mark.levels.values()]
        rows.writerow([student, *cells, write_points(mark.points), marks.OUT_OF])
    atomic_files.replace_file(file, out.getvalue())
    if stale := marks.list_stale(capstone, sheets):
        whose = ", ".join(f"{student} ({who})" for student, who in stale)
        yield f"Levels left out, given for a report that was handed in again since: {whose}"
    yield f"{file}: marks of {len(given)} of {len(capstone.given)} students"


def _collected(
    capstone: Capstone, downloads: Path
) -> tuple[dict[str, CapstoneReport], list[tuple[str, str]]]:
    reports: dict[str, CapstoneReport] = {}
    problems: list[tuple[str, str]] = []
    refused: dict[str, HandedReport] = {}
    for one in capstone.submissions(downloads):
        if one.report is None:
            problems.append((one.label, one.problem))
            refused.setdefault(one.student, one)
        elif one.student in reports:
            problems.append((one.label, "there are two; the newer one was taken"))
        else:
            reports[one.student] = one.report
            marks.keep_report(capstone, one.student, one.report.text, one.path)
    for student, one in refused.items():
        if student and student not in reports:
            marks.keep_refusal(capstone, one)
    return reports, problems
