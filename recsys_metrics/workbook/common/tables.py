"""Tables of a chapter: made by execution, read as a table everywhere."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recsys_metrics.evaluation._difference import format_p_value
from recsys_metrics.evaluation._rendering import breakable_html


class FormattedNumber(str):
    """A number in digits of its own choosing, or the dash in its place."""

    __slots__ = ()


@dataclass(frozen=True)
class Table:
    """Rows under headings; numbers to three decimals, with thousands separators.

    Below the heading "p" stands "< 0.001" for what three decimals would call 0.

    Parameters
    ----------
    headings : sequence of str
        One per column.
    rows : sequence of sequences
        The first entry of a row names it.
    stacks : bool
        Whether the cells of a row stand below one another in the book where a screen is narrow,
        each behind its heading: for many words in many columns.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[Any]]
    stacks: bool = False

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.headings):
                raise ValueError(
                    f"row {row!r} has {len(row)} entries for {len(self.headings)} headings"
                )

    def _repr_html_(self) -> str:
        head = "".join(
            f'<th scope="col" style="text-align:{_side(column)}">{html.escape(str(text))}</th>'
            for text, column in zip(self.headings, self._columns(), strict=True)
        )
        body = "".join(
            "<tr>"
            + f'<th scope="row" style="text-align:left">{breakable_html(format_value(row[0]))}</th>'
            + "".join(
                _cell(value, heading, stacks=self.stacks)
                for value, heading in zip(row[1:], self.headings[1:], strict=True)
            )
            + "</tr>"
            for row in self.rows
        )
        kind = ' class="stacks"' if self.stacks else ""
        return f"<table{kind}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _columns(self) -> list[list[Any]]:
        return [[row[i] for row in self.rows] if i else [""] for i in range(len(self.headings))]

    def __repr__(self) -> str:
        texts = [
            list(map(str, self.headings)),
            *(list(map(_under, row, self.headings)) for row in self.rows),
        ]
        widths = [max(len(row[i]) for row in texts) for i in range(len(self.headings))]
        return "\n".join(
            "  ".join(
                text.ljust(width) if i == 0 else text.rjust(width)
                for i, (text, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in texts
        )


def table(headings: Sequence[str], rows: Sequence[Sequence[Any]] | Mapping[str, Any]) -> Table:
    """Return a table from rows, or from a mapping of a row's name to its value or values."""
    if isinstance(rows, Mapping):
        rows = [
            (name, *values) if isinstance(values, list | tuple) else (name, values)
            for name, values in rows.items()
        ]
    return Table(headings, rows)


def format_value(value: Any) -> str:
    """Return a value as the workbook writes it."""
    if isinstance(value, float | np.floating):
        return "–" if np.isnan(value) else f"{value:z,.3f}"
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def _side(values: Sequence[Any]) -> str:
    """Return where a column stands: numbers to the right, words to the left."""
    numbers = (int, float, np.number, FormattedNumber)
    words = any(isinstance(v, bool) or not isinstance(v, numbers) for v in values)
    return "left" if words else "right"


def _under(value: Any, heading: str) -> str:
    """Return a value as the workbook writes it below this heading."""
    is_p = heading == "p" and isinstance(value, float | np.floating) and not np.isnan(value)
    return format_p_value(float(value)) if is_p else format_value(value)


def _cell(value: Any, heading: str, *, stacks: bool) -> str:
    behind = f' data-heading="{html.escape(heading)}"' if stacks and heading else ""
    said = html.escape(_under(value, heading))
    return f'<td{behind} style="text-align:{_side([value])}">{said}</td>'
