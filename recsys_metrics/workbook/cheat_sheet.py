"""The cheat sheet: every metric in one row, its value made by the call that the row shows."""

from __future__ import annotations

import csv
import html
from collections.abc import Mapping
from importlib import import_module
from importlib.resources import files
from types import MappingProxyType
from typing import Any, NamedTuple

from recsys_metrics.workbook.tables import Table, say


class Row(NamedTuple):
    """A metric in words, and the call that gives its value."""

    name: str
    question: str
    words: str
    range: str
    open: str
    call: str


def _read() -> Mapping[str, tuple[Row, ...]]:
    """Return the rows of each subject, in the order of the file."""
    text = files("recsys_metrics.workbook").joinpath("cheat_sheet.csv").read_text(encoding="utf-8")
    sheets: dict[str, tuple[Row, ...]] = {}
    for cells in csv.DictReader(text.splitlines()):
        subject = cells.pop("subject")
        sheets[subject] = (*sheets.get(subject, ()), Row(**cells))
    return MappingProxyType(sheets)


SHEETS = _read()


class Sheet(Table):
    """A table of metrics that prints: two short lines a metric, the call under the formula."""

    def _repr_html_(self) -> str:
        cell = "text-align:left;vertical-align:top;padding:0.15em 0.4em;line-height:1.25"
        code = "font-size:0.9em;padding:0;background:none;overflow-wrap:anywhere"
        widths = {"Metric": 24, "In words, and the call": 40, "Range": 12, "Say": 14, "Value": 10}
        head = "".join(
            f'<th scope="col" style="{cell};width:{width}%">{text}</th>'
            for text, width in widths.items()
        )
        body = ""
        for row in self.rows:
            name, question, words, span, what, call = (html.escape(text) for text in row[:-1])
            # A long call breaks behind these, not within a word.
            call = call.replace("(", "(<wbr>").replace("_", "_<wbr>")
            body += (
                f'<tr><th scope="row" style="{cell}"><strong>{name}</strong><br>'
                f'<span style="font-weight:normal">{question}</span></th>'
                f'<td style="{cell}">{words}<br><code style="{code}">{call}</code></td>'
                f'<td style="{cell}">{span}</td><td style="{cell}">{what}</td>'
                f'<td style="{cell};text-align:right">{say(row[-1])}</td></tr>'
            )
        return (
            # On paper the code that makes the tables would take more space than they do.
            "<style>.sheet{font-size:0.85em;width:100%;table-layout:fixed}"
            "@media print{.cell_input,.cell details{display:none!important}"
            ".sheet{font-size:7pt!important}}</style>"
            '<table class="sheet">'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


_MODULES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "protocol": ("protocol.significance", "protocol.candidates", "protocol.online"),
        "bias": ("bias.off_policy", "bias.fairness"),
    }
)


def sheet(subject: str, **names: Any) -> Sheet:
    """Return the rows of a subject, each with the value of its call.

    Parameters
    ----------
    subject : str
        One of the six subjects; its functions are known to the calls.
    **names
        The data of the example, as the calls name them.

    Raises
    ------
    KeyError
        If there is no such subject.
    NameError
        If a call names something that was not given.

    Examples
    --------
    >>> from recsys_metrics.workbook.cheat_sheet import sheet
    >>> sheet("rating", said=[5, 2], guess=[4, 2]).rows[0]
    ('MAE', 'how far off?', 'mean of |error|', '0 up', 'per user', 'mae(said, guess)', 0.5)
    """
    known: dict[str, Any] = {}
    for module in _MODULES.get(subject, (subject,)):
        known |= vars(import_module(f"recsys_metrics.{module}"))
    # The calls are this package's own; that they are text is what keeps the value in step with
    # what is shown of how to get it.
    rows = [(*row, eval(row.call, {**known, **names})) for row in SHEETS[subject]]
    headings = ["Metric", "Question", "In words", "Range", "Say", "Call", "Value"]
    return Sheet(headings, rows)
