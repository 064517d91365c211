"""Ours and theirs, as a table: which metric of the field is which callable here, and who has it.

The facts are those of `recsys_metrics.peers.read_metric_catalog`. Every callable that is named is
imported when the table is made, so a name that is gone is an error.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

from recsys_metrics.peers import read_metric_catalog
from recsys_metrics.workbook.common.tables import Table

# What a cell says that holds nothing.
NOTHING = "–"

_WORD = r"_|(?<=[a-z])(?=[A-Z])"
_BREAK = r"\g<0><wbr>"


def resolve(path: str) -> Callable[..., Any]:
    """Return the callable of a path within `recsys_metrics`.

    Raises
    ------
    LookupError
        If there is none.

    Examples
    --------
    >>> from recsys_metrics.workbook.cards.metric_catalog import resolve
    >>> resolve("rating.mae")([5, 2], [4, 2])
    0.5
    """
    module, _, name = f"recsys_metrics.{path}".rpartition(".")
    function = getattr(import_module(module), name, None)
    if not callable(function):
        raise LookupError(f"data/metrics.csv names {path}, and {module} has no callable {name}")
    return function  # type: ignore[no-any-return]


class MetricTable(Table):
    """A table of metrics and libraries that fits a page: names break, a note stands below ours."""

    def _repr_html_(self) -> str:
        cell = "text-align:left;vertical-align:top;padding:0.2em 0.8em 0.2em 0;line-height:1.3"
        code = "font-size:0.9em;padding:0;background:none;hyphens:manual"
        widths = {"Metric": 31, "Ours, and how, or why not": 37, "Theirs": 32}
        head = "".join(
            f'<th scope="col" style="{cell};width:{width}%">{text}</th>'
            for text, width in widths.items()
        )
        body = ""
        for metric, ours, note, theirs in self.rows:
            calls = [
                # A long name breaks where a word of it ends.
                f'<code style="{code}">{re.sub(_WORD, _BREAK, name)}</code>'
                for name in ours.split(", ")
                if name != NOTHING
            ]
            below = [html.escape(note).replace("=", "=<wbr>")] if note != NOTHING else []
            body += (
                f'<tr><th scope="row" style="{cell};font-weight:normal">{html.escape(metric)}</th>'
                f'<td data-heading="Ours" style="{cell}">{"<br>".join(calls + below)}</td>'
                f'<td data-heading="Theirs" style="{cell}">{html.escape(theirs)}</td></tr>'
            )
        return (
            '<table class="stacks" style="font-size:0.85em;width:100%;table-layout:fixed;'
            'overflow-wrap:anywhere;hyphens:auto">'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def metric_table(subject: str) -> MetricTable:
    """Return the table of a subject: the metric, our callables, the libraries that have it.

    Parameters
    ----------
    subject : str
        "rating", "ranking", "beyond accuracy", "protocol", "calibration" or "bias".

    Raises
    ------
    KeyError
        If there is no such subject.
    LookupError
        If a callable is missing.
    """
    entries = [entry for entry in read_metric_catalog() if entry.subject == subject]
    if not entries:
        subjects = ", ".join(dict.fromkeys(entry.subject for entry in read_metric_catalog()))
        raise KeyError(f"there is no subject {subject!r}; there are {subjects}")
    rows = [
        (
            entry.metric,
            ", ".join(resolve(path).__name__ for path in entry.ours) or NOTHING,
            entry.note or NOTHING,
            ", ".join(entry.libraries) or NOTHING,
        )
        for entry in entries
    ]
    return MetricTable(["Metric", "Ours", "How, or why not", "Theirs"], rows)
