"""Render reports as text, HTML, Markdown and LaTeX from one set of rows.

What a report shows is a `View`; every kind of report makes its own, and is `Shown` by it.
"""

from __future__ import annotations

import html
import re
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from recsys_metrics._core.checks import check_choice
from recsys_metrics._core.console import for_terminal

if TYPE_CHECKING:
    from recsys_metrics.measures import Measure

Backend = Literal["polars", "pandas", "pyarrow"]

LETTERS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
"""What stands for a recommender beside a value that is better than its own."""
ABOVE, BELOW = "⁺", "⁻"
ON_THE_LINE = dict(zip(LETTERS + ABOVE + BELOW, "abcdefghijklmnoprstuvwxyz+-", strict=True))

_WIDTH = 100
_FAMILIES = {None: "", "accuracy": "Accuracy", "beyond accuracy": "Beyond accuracy"}


@dataclass(frozen=True)
class View:
    """What a report shows: a table under headings, and notes below.

    Attributes
    ----------
    title, headings
        What stands above the columns.
    rows : mapping
        Measure, if it is of one, and cells of each row, by the row's name.
    legend : str
        How a cell reads.
    show_questions : bool
        Whether it says what each row answers.
    protocol_rows : sequence of (str, str)
        How the numbers came about.
    warnings : sequence of str
        What to keep in mind.
    conclusion : str
        What to read first.
    """

    title: str
    headings: Sequence[str]
    rows: Mapping[str, tuple[Measure | None, Sequence[str]]]
    legend: str
    show_questions: bool = False
    protocol_rows: Sequence[tuple[str, str]] = ()
    warnings: Sequence[str] = ()
    conclusion: str = ""

    @property
    def sections(self) -> dict[str, list[tuple[str, Sequence[str]]]]:
        """Names and cells of the rows, under the heading of their measure's family."""
        sections: dict[str, list[tuple[str, Sequence[str]]]] = {}
        for family, heading in _FAMILIES.items():
            for name, (measure, cells) in self.rows.items():
                if (measure and measure.metric.family) == family:
                    sections.setdefault(heading, []).append((name, cells))
        return sections

    @property
    def questions(self) -> dict[str, str]:
        """What each row answers, by the row's name; empty where that is not said."""
        if not self.show_questions:
            return {}
        rows = ((name, measure) for name, (measure, _) in self.rows.items())
        return {name: measure.metric.question for name, measure in rows if measure}


class Renderable(ABC):
    """What is shown as text, HTML, Markdown and LaTeX, by one view."""

    @abstractmethod
    def _view(self) -> View:
        """Return what to show."""

    def __repr__(self) -> str:
        return for_terminal(render_text(self._view()))

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """Return it as HTML that takes the page's colours."""
        return for_terminal(render_html(self._view()))

    def to_markdown(self) -> str:
        """Return it as Markdown: title, table, legend, and what to read with care."""
        return render_markdown(self._view())

    def to_latex(self, *, label: str = "") -> str:
        r"""Return it as a LaTeX table, with the legend as its caption; it needs booktabs.

        Parameters
        ----------
        label : str
            What ``\ref`` finds it by.
        """
        return render_latex(self._view(), label)


# What a report shows ----------------------------------------------------------------------------


def format_with_interval(value: float, ends: Any) -> str:
    """Return a value and the ends of its interval, if there are any."""
    if np.isnan(value):
        return "not defined"
    if ends is None:
        return format_number(value)
    low, high = ends
    if np.isnan(low) or np.isnan(high):
        return format_number(value)
    return f"{format_number(value)} [{format_number(low)}, {format_number(high)}]"


def format_number(value: float, *, signed: bool = False) -> str:
    """Return a number with three decimals, or with none where it is large."""
    if np.isnan(value):
        return "–"
    places = 3 if abs(value) < 100 else 1
    # Adding 0 turns the -0.0 that rounding can leave into 0.0.
    rounded = round(value, places) + 0.0
    return f"{rounded:{'+' if signed and rounded else ''},.{places}f}"


# As text ----------------------------------------------------------------------------------------


def render_text(view: View) -> str:
    """Return a view as text."""
    parts = [view.title]
    if view.conclusion:
        parts += ["", textwrap.fill(view.conclusion, _WIDTH)]
    parts += ["", *_text_table(view), "", textwrap.fill(view.legend, _WIDTH)]
    if view.questions:
        parts += ["", "What they ask", *_format_pairs(view.questions.items())]
    if view.protocol_rows:
        parts += ["", "How this came about", *_format_pairs(view.protocol_rows)]
    if view.warnings:
        parts += ["", "Read with care"]
        parts += [
            textwrap.fill(text, _WIDTH, initial_indent="- ", subsequent_indent="  ")
            for text in view.warnings
        ]
    return "\n".join(parts)


def _text_table(view: View) -> list[str]:
    sections = view.sections
    rows = [[name, *cells] for section in sections.values() for name, cells in section]
    table = [list(view.headings), *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(view.headings))]

    def line(cells: Sequence[str]) -> str:
        padded = (text.ljust(width) for text, width in zip(cells, widths, strict=True))
        return "  ".join(padded).rstrip()

    lines = [line(view.headings)]
    for heading, section in sections.items():
        rule = f"{heading} " if heading else ""
        lines += [rule.ljust(sum(widths) + 2 * len(widths) - 2, "─")]
        lines += [line([name, *cells]) for name, cells in section]
    return lines


def _format_pairs(pairs: Any) -> list[str]:
    rows = list(pairs)
    wide = max(len(name) for name, _ in rows)
    return [
        textwrap.fill(
            text, _WIDTH, initial_indent=f"{name:<{wide}}  ", subsequent_indent=" " * (wide + 2)
        )
        for name, text in rows
    ]


# As HTML ----------------------------------------------------------------------------------------


_LEFT = "text-align:left;padding:3px 14px 3px 0;vertical-align:top;background:none;"
_LINE = "border-bottom:1px solid currentColor;"
_NARROW = 14
_NUMBER = "white-space:nowrap;font-variant-numeric:tabular-nums"


def render_html(view: View) -> str:
    """Return a view as HTML that takes the page's colours."""
    escape, questions = html.escape, view.questions
    head = "".join(
        f'<th scope="col" style="{_LEFT}{_LINE}{_heading_html(text)}">{escape(text)}</th>'
        for text in view.headings
    )
    body = ""
    for heading, section in view.sections.items():
        if heading:
            body += (
                f'<tr><th scope="rowgroup" colspan="{len(view.headings)}" '
                f'style="{_LEFT}padding-top:10px">{escape(heading)}</th></tr>'
            )
        for name, cells in section:
            asks = questions.get(name, "")
            small = f'<br><small style="font-weight:400">{escape(asks)}</small>' if asks else ""
            body += (
                f'<tr><th scope="row" style="{_LEFT}font-weight:600">'
                f"{breakable_html(name)}{small}</th>"
                + "".join(f'<td style="{_LEFT}{_NUMBER}">{_cell_html(text)}</td>' for text in cells)
                + "</tr>"
            )
    parts = [f'<p style="margin:.2em 0"><strong>{escape(view.title)}</strong></p>']
    if view.conclusion:
        parts.append(f'<p style="margin:.4em 0">{escape(view.conclusion)}</p>')
    parts.append(
        '<div style="overflow-x:auto" tabindex="0" role="region" '
        f'aria-label="{escape(view.title, quote=True)}">'
        '<table style="border-collapse:collapse;color:inherit;margin:.4em 0">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
    parts.append(f'<p style="margin:.4em 0"><small>{escape(view.legend)}</small></p>')
    if view.warnings:
        listed = "".join(f"<li>{escape(text)}</li>" for text in view.warnings)
        parts.append(
            '<p style="margin:.6em 0 0"><strong>Read with care</strong></p>'
            f'<ul style="margin:.2em 0">{listed}</ul>'
        )
    if view.protocol_rows:
        rows = "".join(
            f'<tr><th scope="row" style="{_LEFT}font-weight:600">{escape(name)}</th>'
            f'<td style="{_LEFT}">{escape(text)}</td></tr>'
            for name, text in view.protocol_rows
        )
        parts.append(
            '<details style="margin:.6em 0"><summary>How this came about</summary>'
            f'<table style="border-collapse:collapse;color:inherit">{rows}</table></details>'
        )
    return f'<div style="color:inherit">{"".join(parts)}</div>'


def _heading_html(text: str) -> str:
    """Return how a heading stands: over its column, on one line unless that widens the column."""
    return "vertical-align:bottom" + ";white-space:nowrap" * (len(text) <= _NARROW)


def breakable_html(name: str) -> str:
    """Return a name as HTML; a measure may break behind an underscore and before a bracket."""
    escaped = html.escape(name)
    return escaped if " " in name else escaped.replace("(", "<wbr>(").replace("_", "_<wbr>")


def _cell_html(text: str) -> str:
    value, bracket, interval = text.partition(" [")
    if not bracket:
        return html.escape(text)
    return (
        f'{html.escape(value)}<br><small style="white-space:nowrap">'
        f"[{html.escape(interval)}</small>"
    )


# As Markdown and LaTeX --------------------------------------------------------------------------


def render_markdown(view: View) -> str:
    """Return a view as Markdown."""

    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(_escape_markdown(cell) for cell in cells)} |"

    table = [line(view.headings), line(["---"] * len(view.headings))]
    for heading, section in view.sections.items():
        if heading and len(view.sections) > 1:
            table.append(f"| **{heading}** |{'  |' * (len(view.headings) - 1)}")
        table += [line([name, *cells]) for name, cells in section]
    parts = [f"**{_escape_markdown(view.title)}**", "\n".join(table), _escape_markdown(view.legend)]
    if view.conclusion:
        parts.insert(1, _escape_markdown(view.conclusion))
    if view.protocol_rows:
        parts.append(
            "\n".join(
                f"- {_escape_markdown(a)}: {_escape_markdown(b)}" for a, b in view.protocol_rows
            )
        )
    if view.warnings:
        parts += [
            "Read with care:",
            "\n".join(f"- {_escape_markdown(text)}" for text in view.warnings),
        ]
    return "\n\n".join(parts) + "\n"


def _escape_markdown(text: str) -> str:
    # An underscore within a word stands for itself.
    signs = r"[\\`*|<>\[\]]|(?<!\w)_|_(?!\w)"
    return re.sub(signs, lambda found: "\\" + found[0], _join_lines(text))


def render_latex(view: View, label: str) -> str:
    """Return a view as a LaTeX table."""
    columns = "l" + "r" * (len(view.headings) - 1)

    def line(cells: Iterable[str]) -> str:
        row = " & ".join(map(_escape_latex, cells))
        # A bracket behind the end of a row would be an argument of it.
        return ("{}" if row.startswith("[") else "") + row + r" \\"

    lines = [line(view.headings), r"\midrule"]
    for heading, section in view.sections.items():
        if heading and len(view.sections) > 1:
            wide = rf"\multicolumn{{{len(view.headings)}}}{{l}}"
            lines.append(rf"{wide}{{\emph{{{_escape_latex(heading)}}}}} \\")
        lines += [line([name, *cells]) for name, cells in section]
    said = " ".join(filter(None, [f"{view.title.rstrip('.')}.", view.conclusion, view.legend]))
    notes = [f"{name}: {text}." for name, text in view.protocol_rows] + list(view.warnings)
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_escape_latex(said)}}}",
            *([rf"\label{{{label}}}"] if label else []),
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            *(rf"% {_join_lines(note)}" for note in notes),
            r"\end{table}",
            "",
        ]
    )


_SIGNS = {sign: "\\" + sign for sign in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "<": "$<$",
    ">": "$>$",
}


def _escape_latex(text: str) -> str:
    escaped = "".join(_SIGNS.get(sign, sign) for sign in _join_lines(text))
    # A space before a mark would part it from its number.
    marks = re.compile(f"(?:(?<=[0-9]) )?([{''.join(ON_THE_LINE)}]+)")

    def raised(found: re.Match[str]) -> str:
        return f"$^{{{''.join(map(ON_THE_LINE.__getitem__, found[1]))}}}$"

    return marks.sub(raised, escaped)


def _join_lines(text: str) -> str:
    return for_terminal(" ".join(text.split()))


# As a frame -------------------------------------------------------------------------------------


def build_frame(columns: Mapping[str, Sequence[Any]], backend: str | None) -> Any:
    """Return columns as a data frame of a library, by default of the first that is installed."""
    libraries = get_args(Backend)
    if backend is None:
        backend = next((name for name in libraries if find_spec(name)), "polars")
    check_choice("backend", backend, Backend)
    try:
        library = import_module(backend)
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"a frame needs one of {', '.join(libraries)}, and {backend} is not installed: "
            f"pip install {backend}. Report.columns() gives the same columns without it"
        ) from None
    frame = library.table if backend == "pyarrow" else library.DataFrame
    return frame(dict(columns))
