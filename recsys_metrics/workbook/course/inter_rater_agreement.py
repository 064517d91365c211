"""Two markers of the same answers: the tables they fill in, and how far they agree."""

from __future__ import annotations

import codecs
import csv
import io
import math
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from recsys_metrics.protocol.judges import cohen_kappa
from recsys_metrics.workbook.course.text_tables import (
    find_delimiter,
    find_line_end,
    read_rows,
    read_text,
    refuse_more_cells,
    refuse_repeated_columns,
)
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError

SHEET = "levels.csv"
CODE = "report"
HASH = 4
"""Digits of the hash of a text in a code: of two texts of a student one in 65,536 has the same."""
_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}

Levels = Mapping[str, Mapping[str, int]]
"""By code of a student, by column."""


@dataclass(frozen=True)
class TextCodes:
    """The codes that there can be: of each student one for every text that was ever handed in.

    Attributes
    ----------
    students : collection of str
        What begins the codes of each student.
    texts : int
        How many hashes of texts follow.
    """

    students: Collection[str]
    texts: int = 1

    def __contains__(self, code: object) -> bool:
        whose, *hashes = str(code).split("-")
        return whose in self.students and list(map(len, hashes)) == [HASH] * self.texts


Columns = Mapping[str, int]
"""What is marked, and the highest level of each."""


@dataclass(frozen=True)
class Agreement:
    """How far two markers agree.

    Attributes
    ----------
    both : int
        How many both have marked.
    kappa : dict of str to float
        Quadratically weighted, by column; NaN where both gave one level to all.
    overall : float
        The same over all columns at once.
    same : float
        Share of levels that are equal.
    """

    both: int
    kappa: dict[str, float]
    overall: float
    same: float


def agree(one: Levels, other: Levels, columns: Columns) -> Agreement:
    """Return how far two markers agree on those that both have marked.

    Parameters
    ----------
    one, other : mapping
    columns : mapping of str to int

    Raises
    ------
    GradingError
        If there is none.
    """
    both = sorted(set(one) & set(other))
    if not both:
        raise GradingError("nobody has the levels of both markers")
    pairs = {
        name: [[levels[code][name] for code in both] for levels in (one, other)] for name in columns
    }
    kappa = {name: cohen_kappa(*pairs[name], weights="quadratic") for name in columns}
    first, second = (
        [level for name in columns for level in pairs[name][place]] for place in (0, 1)
    )
    overall = cohen_kappa(first, second, weights="quadratic")
    return Agreement(len(both), kappa, overall, float(np.mean(np.equal(first, second))))


def told(
    sheets: Mapping[str, Levels], columns: Columns, titles: Mapping[str, str]
) -> Iterator[str]:
    """Say how far markers agree, two by two.

    A dash stands where both gave one level to all: then nothing can be said about agreement, and
    neither can it by a kappa of one report.

    Parameters
    ----------
    sheets : mapping
        Levels by marker.
    columns : mapping of str to int
    titles : mapping of str to str
        How each column reads.
    """
    for one, other in combinations(sheets, 2):
        if not {*sheets[one]} & {*sheets[other]}:
            yield f"{one} and {other}: none in common"
            continue
        found = agree(sheets[one], sheets[other], columns)
        if found.both == 1:
            yield (
                f"{one} and {other}: 1 in common, {found.same:.0%} of levels equal; one is too few "
                "for a weighted kappa"
            )
            continue
        yield (
            f"{one} and {other}: {found.both} in common, weighted kappa {_said(found.overall)}, "
            f"{found.same:.0%} of levels equal"
        )
        for name in columns:
            yield f"  {_said(found.kappa[name]):>5}  {titles[name]}"


def _said(kappa: float) -> str:
    return f"{kappa:.2f}" if math.isfinite(kappa) else "–"


def means(sheets: Mapping[str, Levels], columns: Columns, code: str) -> dict[str, float] | None:
    """Return the mean level of each column over the markers; None where nobody gave one."""
    levels = [by_code[code] for by_code in sheets.values() if code in by_code]
    if not levels:
        return None
    return {name: float(np.mean([one[name] for one in levels])) for name in columns}


def empty_sheet(codes: Sequence[str], columns: Columns, known: Levels | None = None) -> str:
    """Return a table to fill in, a row a student, with the levels that are known already."""
    known = known or {}
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow([CODE, *columns, "comment"])
    for code in codes:
        rows.writerow([code, *(known.get(code, {}).get(name, "") for name in columns), ""])
    return out.getvalue()


def complete_sheet(
    file: Path, codes: Sequence[str], columns: Columns, known: Levels | None = None
) -> list[str]:
    """Write a table to fill in, or add the rows that one there lacks; return the codes added.

    What is in a table that is there stays as it is, in its encoding and with its line ends.

    Raises
    ------
    GradingError
        If it cannot be read, or lacks a column.
    """
    if not file.exists():
        atomic_files.replace_file(file, empty_sheet(codes, columns, known))
        return []
    text = read_text(file)
    delimiter = find_delimiter(text)
    (_, head), *rows = read_rows(file, text) or [(1, [])]
    head = [name.strip() for name in head]
    _check_head(file, head, columns)
    there = {row[head.index(CODE)].strip() for _, row in rows if len(row) > head.index(CODE)}
    added = [code for code in codes if code not in there]
    if not added:
        return []
    known, out = known or {}, io.StringIO()
    ends = find_line_end(text)
    writer = csv.writer(out, delimiter=delimiter, lineterminator=ends)
    for code in added:
        cells: dict[str, object] = {**known.get(code, {}), CODE: code}
        writer.writerow([cells.get(name, "") for name in head])
    before = file.read_bytes()
    encoding = next((name for mark, name in _MARKS.items() if before.startswith(mark)), "utf-8")
    more = out.getvalue() if text.endswith("\n") else f"{ends}{out.getvalue()}"
    atomic_files.replace_file(file, before + more.encode(encoding))
    return added


def _check_head(file: Path, head: list[str], columns: Columns) -> None:
    """Raise GradingError if a table lacks a column, or has one twice."""
    refuse_repeated_columns(file, head)
    if lacking := [name for name in (CODE, *columns) if name not in head]:
        raise GradingError(
            f"{file} has no column {lacking[0]!r}; its first line should be "
            f"{','.join([CODE, *columns, 'comment'])!r}"
        )


def read_sheets(
    files: Iterable[Path],
    columns: Columns,
    codes: Container[str],
    *,
    counted: Container[str] = (),
) -> dict[str, dict[str, dict[str, int]]]:
    """Return the levels of each marker who gave any; a marker's table lies in their folder.

    `codes` are those of all reports that there are.
    """
    found = {file.parent.name: read_sheet(file, columns, codes, counted=counted) for file in files}
    return {who: levels for who, levels in found.items() if levels}


def read_comments(files: Iterable[Path]) -> dict[str, list[str]]:
    """Return what markers wrote into the column `comment`, by code."""
    found: dict[str, list[str]] = {}
    for file in files:
        for row in read_cells(file):
            if comment := row.get("comment", ""):
                found.setdefault(row.get(CODE, ""), []).append(comment)
    return found


def read_cells(file: Path) -> list[dict[str, str]]:
    """Return the rows of a table as they are, by the names of its columns, without blanks."""
    text = read_text(file)
    (_, head), *rows = read_rows(file, text) or [(1, [])]
    names = [name.strip() for name in head]
    return [dict(zip(names, map(str.strip, cells), strict=False)) for _, cells in rows]


def read_sheet(
    file: Path,
    columns: Columns,
    codes: Container[str] | None = None,
    *,
    counted: Container[str] = (),
) -> dict[str, dict[str, int]]:
    """Return the levels of a table, of those that are filled in.

    Parameters
    ----------
    file : Path
    columns : mapping of str to int
    codes : container of str, optional
        Those of all reports that there are.
    counted : container of str
        Columns that were filled in before anybody marked: they alone are no mark.

    Raises
    ------
    GradingError
        If it cannot be read, a row is half filled in, a level is none, or a report is unknown or
        has levels in two rows.
    """
    table = read_text(file)
    delimiter = find_delimiter(table)
    (_, head), *rows = read_rows(file, table) or [(1, [])]
    head = [name.strip() for name in head]
    _check_head(file, head, columns)
    found: dict[str, dict[str, int]] = {}
    for number, cells in rows:
        refuse_more_cells(f"{file}, line {number}", head, cells, delimiter=delimiter)
        row = dict(zip(head, cells, strict=False))
        given = {name: (row.get(name) or "").strip() for name in columns}
        if not any(text for name, text in given.items() if name not in counted):
            continue
        for name, text in given.items():
            if text not in {str(level) for level in range(columns[name] + 1)}:
                raise GradingError(
                    f"{file}, line {number}: {name} is {text!r}; give a level from 0 to "
                    f"{columns[name]}, or leave the whole row empty"
                )
        code = (row.get(CODE) or "").strip()
        if code in found:
            raise GradingError(
                f"{file}, line {number}: {code!r} has levels a second time; keep one row for it"
            )
        if codes is not None and code not in codes:
            raise GradingError(
                f"{file}, line {number}: there is no report {code!r:.60}; compare it with the "
                "codes on the pages"
            )
        found[code] = {name: int(text) for name, text in given.items()}
    return found
