"""Escape CSV cells that a spreadsheet would take for a formula.

The rule is OWASP's ("CSV Injection"): a cell whose first sign is one of = + - @, a tab or a line's
end is run by Excel, LibreOffice or Google Sheets when the file is opened; the full-width signs and
blanks before a sign are no protection, since some programs take them for the usual ones or strip
them. An apostrophe before it makes it text. Numbers stay numbers.
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
NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def harmless(cell: object) -> object:
    """Return a cell as it may stand in a CSV file.

    Examples
    --------
    >>> harmless("=1+1"), harmless("-0.5"), harmless(-0.5), harmless("Ann")
    ("'=1+1", '-0.5', -0.5, 'Ann')
    """
    if not isinstance(cell, str) or not re.match(FORMULA, cell) or re.fullmatch(NUMBER, cell):
        return cell
    return f"'{cell}"


def written(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as the text of a CSV file."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
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
    for name, kind in frame.schema.items():
        column = pl.col(name)
        if kind.base_type() in kinds:
            text = column.cast(pl.String)
            runs = text.str.contains(FORMULA) & ~text.str.contains(NUMBER)
            column = pl.when(runs).then(pl.lit("'") + text).otherwise(text)
        columns.append(column.alias(str(harmless(name))))
    return frame.select(columns)
