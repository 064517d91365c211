"""Escape CSV cells that a spreadsheet would take for a formula.

The rule is OWASP's ("CSV Injection"): a cell whose first sign is one of = + - @, a tab or a line's
end is run by Excel, LibreOffice or Google Sheets when the file is opened; the full-width signs and
blanks before a sign are no protection, since some programs take them for the usual ones or strip
them. An apostrophe before it makes it text. Numbers stay numbers.

Where the decimal sign is a comma, Excel takes a semicolon for the end of a cell, whatever the file
is separated by and quoted with. So the same holds behind each semicolon within a cell.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

# Both are read by Python and by Polars alike.
_BLANK = "[\\s\u200b\u2060\ufeff]*"
FORMULA = rf"^(?:[\t\r\n]|{_BLANK}[=+\-@\uff1d\uff0b\uff0d\uff20])"
# A plus or a minus alone may be a smiley.
INNER_FORMULA = rf"(;{_BLANK})([=@\uff1d\uff20]|[+\-\uff0b\uff0d][\w(.\"'])"
NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def harmless(cell: object) -> object:
    """Return a cell as it may stand in a CSV file.

    Examples
    --------
    >>> harmless("=1+1"), harmless("-0.5"), harmless(-0.5), harmless("Ann")
    ("'=1+1", '-0.5', -0.5, 'Ann')
    >>> harmless("Ann;=1+1")
    "Ann;'=1+1"
    """
    if not isinstance(cell, str) or re.fullmatch(NUMBER, cell):
        return cell
    inner = re.sub(INNER_FORMULA, r"\1'\2", cell)
    return f"'{inner}" if re.match(FORMULA, cell) else inner


def plain(cell: str) -> str:
    """Return a cell without the apostrophe that `harmless` puts before a formula.

    Examples
    --------
    >>> plain("'=1+1"), plain("'s-Gravenhage"), plain(harmless("-Ann"))
    ('=1+1', "'s-Gravenhage", '-Ann')
    """
    return cell[1:] if cell.startswith("'") and re.match(FORMULA, cell[1:]) else cell


def written(rows: Iterable[Iterable[object]], delimiter: str = ",") -> str:
    """Return rows as the text of a CSV file with a delimiter between its cells."""
    text = io.StringIO()
    table = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    table.writerows([_one_kind_of_line(harmless(cell)) for cell in row] for row in rows)
    return text.getvalue()


def _one_kind_of_line(cell: object) -> object:
    # A lone carriage return is not quoted, and readers take it for the end of the row.
    if not isinstance(cell, str):
        return cell
    return cell.replace("\r\n", "\n").replace("\r", "\n")


def harmless_frame(frame: Any) -> Any:
    """Return a Polars frame as it may be written into a CSV file, its column names included."""
    import polars as pl

    kinds = (pl.String, pl.Categorical, pl.Enum)
    columns = []
    for place, (name, kind) in enumerate(frame.schema.items()):
        # By its place: a name such as ^x$ is a pattern.
        column = pl.nth(place)
        if kind.base_type() in kinds:
            given = column.cast(pl.String)
            runs = given.str.contains(FORMULA) & ~given.str.contains(NUMBER)
            text = given.str.replace_all(INNER_FORMULA, "${1}'${2}")
            column = pl.when(runs).then(pl.lit("'") + text).otherwise(text)
        columns.append(column.alias(str(harmless(name))))
    return frame.select(columns)
