"""Tables in text files that people and learning systems write: a roster, times, a gradebook.

And the names of the files that the commands write.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from pathlib import Path

from recsys_metrics.workbook.grading.limits import GradingError

_FORMATS = {".csv": "a table as CSV", ".html": "a page in HTML", ".md": "Markdown", ".zip": "a zip"}
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
_UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


def read_text(file: Path, what: str = "") -> str:
    """Return the text of a file in UTF-8, or in UTF-16 if it begins with the mark of it.

    Raises
    ------
    GradingError
        If it cannot be read, or has another encoding: which one is not certain, and a guess would
        write names wrongly.
    """
    called = f"{what} {file}".strip()
    refuse_device(file, called)
    try:
        content = file.read_bytes()
    except OSError as problem:
        raise GradingError(f"{called} cannot be read: {problem}") from None
    if _is_wide(content):
        raise GradingError(
            f"{called}: neither UTF-8 nor UTF-16 with its byte order mark, but UTF-16 without or "
            "UTF-32; save it as `CSV UTF-8` in Excel, or with the encoding UTF-8 elsewhere"
        )
    try:
        text = content.decode("utf-16" if content.startswith(UTF_16) else "utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content[: problem.start].count(b"\n") + 1
        raise GradingError(
            f"{called}, line {line}: not UTF-8, but an older encoding, such as that of Windows; "
            "save it as `CSV UTF-8` in Excel, or with the encoding UTF-8 elsewhere"
        ) from None
    before, nul, _ = text.partition("\0")
    if nul:
        raise GradingError(
            f"{called}, line {before.count(chr(10)) + 1}: a NUL character, which no text has; "
            "delete it, and see whether anything next to it was lost"
        )
    return text


def _is_wide(content: bytes) -> bool:
    """Whether a table is in UTF-32, or in UTF-16 and does not begin with the mark of it.

    Half of the bytes of a table in UTF-16 are 0, since its commas and most of its letters are
    ASCII; a name in another script has fewer.
    """
    if content.startswith((*UTF_16, codecs.BOM_UTF8)):
        return content.startswith(_UTF_32)
    return content.startswith(_UTF_32) or 4 * content.count(0) > len(content)


def refuse_device(file: Path, called: str = "") -> None:
    """Raise GradingError for a pipe, which would be waited for, a device or a folder."""
    if file.exists() and not file.is_file():
        raise GradingError(
            f"{called or file} is no file but a folder, a pipe or a device; save it as one"
        )


def check_ending(file: Path, ending: str = ".csv") -> None:
    """Raise GradingError if the name of a file to be written promises another format.

    A name without an ending promises none.
    """
    if file.suffix.lower() not in ("", ending):
        raise GradingError(
            f"{file} would not be what its name says: the command writes {_FORMATS[ending]}. Name "
            f"it {ending}: {file.with_suffix(ending).name}"
        )


def find_delimiter(text: str) -> str:
    """Return what is between the cells of a table: a comma, or in some programs `;` or a tab.

    It is the first of these in the first line that is in no quotes, since a later name may have
    another of them in it.

    >>> find_delimiter("id,name"), find_delimiter("Student;ps1, part 2 (11)")
    (',', ';')
    >>> find_delimiter('"Name, first";id')
    ';'
    """
    head = re.sub('"[^"]*"', "", text.partition("\n")[0])
    return next((sign for sign in head if sign in _SEPARATORS), ",")


def find_line_end(text: str) -> str:
    r"""Return what ends the lines of a table: that of Windows if its first line has it.

    >>> find_line_end("id,name\r\nann,Ann\r\n"), find_line_end("id,name")
    ('\r\n', '\n')
    """
    return "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"


def read_rows(file: Path, text: str) -> list[tuple[int, list[str]]]:
    """Return the rows of a table, each with the number of its first line.

    Raises
    ------
    GradingError
        If a quote is opened and not closed, since all that follows would be one cell, or a later
        row repeats the names of the columns.
    """
    bare = text.replace("\r\n", "\n\n").find("\r")
    if bare >= 0:
        raise GradingError(
            f"{file}, line {text[:bare].count(chr(10)) + 1}: the line ends in a carriage return "
            "alone; save the file with the line ends of Unix or Windows"
        )
    csv.field_size_limit(sys.maxsize)
    reader = csv.reader(io.StringIO(text), delimiter=find_delimiter(text), strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for row in reader:
            rows.append((line, row))
            line = reader.line_num + 1
    except csv.Error:
        raise GradingError(
            f"{file}, line {line}: a quote that is opened and not closed, or not doubled inside a "
            "quoted cell; close it"
        ) from None
    _refuse_no_head(file, rows)
    _refuse_repeated_head(file, rows)
    return rows


def _refuse_no_head(file: Path, rows: list[tuple[int, list[str]]]) -> None:
    """Raise GradingError if the first line has no names of columns, and others have cells."""
    if not any(any(map(str.strip, row)) for _, row in rows):
        return
    _, head = rows[0]
    if not any(map(str.strip, head)):
        raise GradingError(
            f"{file}, line 1: the line is blank; delete it, so that the names of the columns are "
            "in the first line"
        )
    if head[0].strip().casefold().startswith("sep="):
        raise GradingError(
            f"{file}, line 1: the line {head[0].strip()!r:.20} is for Excel; delete it, so that "
            "the names of the columns are in the first line"
        )


def _refuse_repeated_head(file: Path, rows: list[tuple[int, list[str]]]) -> None:
    """Raise GradingError if a row repeats the first: it would be taken for a student."""
    (first, head), *others = rows or [(1, [])]
    names = _normalize_cells(head)
    for line, row in others:
        if names and _normalize_cells(row) == names:
            raise GradingError(
                f"{file}, line {line}: the names of the columns of line {first} are repeated, as "
                "where files were joined; delete the line"
            )


def _normalize_cells(row: list[str]) -> list[str]:
    """Return the cells of a row without spaces around them, in lower case, without empty ends."""
    cells = [cell.strip().casefold() for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def refuse_repeated_columns(file: Path, head: list[str]) -> None:
    """Raise GradingError if two columns have one name, since only one would count."""
    for place, name in enumerate(head):
        if name and name in head[:place]:
            raise GradingError(f"{file} has two columns {name!r}; remove or rename one")


def refuse_more_cells(
    where: str,
    head: list[str],
    cells: list[str],
    *,
    delimiter: str,
    are_empty_more: bool = False,
) -> None:
    """Raise GradingError if a row has more cells than columns: a delimiter in one shifts others.

    Empty cells at the end of a row count as well if `are_empty_more`.
    """
    more = cells[len(head) :]
    if any(cell.strip() for cell in more) or (more and are_empty_more and any(cells)):
        raise GradingError(
            f"{where}: {len(cells)} cells for {len(head)} columns; put quotes around a cell that "
            f"has a {_SEPARATORS[delimiter]} in it"
        )
