"""A table that a command prints in every format."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recsys_metrics._core import console
from recsys_metrics.evaluation._rendering import Renderable, View
from recsys_metrics.evaluation._table_style import DEFAULT_STYLE, TableStyle

FORMATS = ("text", "markdown", "latex", "html", "json")


@dataclass(frozen=True, eq=False, repr=False)
class PrintedTable(Renderable):
    """Rows of text that are shown as a report is.

    Attributes
    ----------
    view : View
    """

    view: View

    def _view(self, style: TableStyle = DEFAULT_STYLE) -> View:
        return self.view

    def _names(self) -> list[str]:
        return []


def print_table(table: Renderable, data: Mapping[str, Any], form: str) -> None:
    """Print a table in one of `FORMATS`; its data in JSON."""
    if form == "json":
        console.say(json.dumps(plain(data), indent=2, allow_nan=False))
    elif form == "html":
        title = html.escape(table._view().title)
        console.say(
            "<!doctype html>\n"
            f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body>\n'
            f"{table.to_html()}\n</body></html>"
        )
    elif form == "text":
        console.say(table)
    else:
        text = table.to_markdown() if form == "markdown" else table.to_latex()
        console.say(text.strip())


def plain(value: Any) -> Any:
    """Return a value as JSON has it: there is no NaN and no infinity."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
