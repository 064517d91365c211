"""Render reports as text, HTML, Markdown and LaTeX from one set of rows.

What a report shows is a `View`; every kind of report makes its own, and is `Renderable` by it.
"""

from __future__ import annotations

import html
import re
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recsys_metrics._core.console import for_terminal, one_line
from recsys_metrics._core.data_frames import Backend, build_frame
from recsys_metrics.evaluation._table_style import (
    DEFAULT_STYLE,
    Emphasis,
    TableStyle,
    Uncertainty,
)
from recsys_metrics.measures import Measure

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
    emphasis : mapping
        Which cells stand out, by the row's name and the number of the cell.
    """

    title: str
    headings: Sequence[str]
    rows: Mapping[str, tuple[Measure | None, Sequence[str]]]
    legend: str
    show_questions: bool = False
    protocol_rows: Sequence[tuple[str, str]] = ()
    warnings: Sequence[str] = ()
    conclusion: str = ""
    emphasis: Mapping[tuple[str, int], Emphasis] = field(default_factory=dict)

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
    def _view(self, style: TableStyle = DEFAULT_STYLE) -> View:
        """Return what to show."""

    @abstractmethod
    def _names(self) -> list[str]:
        """Return the names in the table that can be replaced by others."""

    def __repr__(self) -> str:
        return for_terminal(render_text(self._view()))

    def _repr_html_(self) -> str:
        return self.to_html()

    def _styled(self, **options: Any) -> View:
        return self._view(TableStyle.read(self._names(), **options))

    def to_html(
        self,
        *,
        digits: int | None = None,
        names: Mapping[str, str] | None = None,
        uncertainty: Uncertainty | None = None,
        emphasize: bool = False,
    ) -> str:
        """Return it as HTML that takes the page's colours.

        Parameters
        ----------
        digits, names, uncertainty, emphasize
            As in `to_latex`.
        """
        view = self._styled(
            digits=digits, names=names, uncertainty=uncertainty, emphasize=emphasize
        )
        return for_terminal(render_html(view))

    def to_markdown(
        self,
        *,
        digits: int | None = None,
        names: Mapping[str, str] | None = None,
        uncertainty: Uncertainty | None = None,
        emphasize: bool = False,
    ) -> str:
        """Return it as Markdown: title, table, legend, and what to read with care.

        Parameters
        ----------
        digits, names, uncertainty, emphasize
            As in `to_latex`.
        """
        view = self._styled(
            digits=digits, names=names, uncertainty=uncertainty, emphasize=emphasize
        )
        return render_markdown(view)

    def to_latex(
        self,
        *,
        label: str = "",
        caption: str | None = None,
        width: str | None = None,
        digits: int | None = None,
        names: Mapping[str, str] | None = None,
        uncertainty: Uncertainty | None = None,
        emphasize: bool = False,
    ) -> str:
        r"""Return it as a LaTeX table, with the legend as its caption; it needs booktabs.

        Parameters
        ----------
        label : str
            What ``\ref`` finds it by.
        caption : str, optional
            LaTeX text for the caption in place of title and legend.
        width : str, optional
            A LaTeX length such as ``\textwidth``, to which the table is scaled down if it is wider;
            it needs graphicx.
        digits : int, optional
            How many decimals; by default three, or one for numbers of 100 and more.
        names : mapping of str to str, optional
            Other names for metrics and recommenders, such as ``{"ndcg": "NDCG"}``; the cut-off is
            added to a metric that is named without one.
        uncertainty : {"interval", "standard error", "none"}, optional
            What stands behind a mean: its 95% confidence interval, its standard error in
            parentheses, or nothing. By default a report has intervals and a leaderboard nothing.
            Differences always have their intervals.
        emphasize : bool
            Whether a leaderboard has the best value of each metric in bold and the second
            underlined, as far as the digits tell them apart.

        Raises
        ------
        ValueError, TypeError
            If a name is not in the table, or an option has another value.
        """
        view = self._styled(
            digits=digits, names=names, uncertainty=uncertainty, emphasize=emphasize
        )
        return render_latex(view, label, caption=caption, width=width)


class RenderableTable(Renderable):
    """What is shown as a table and can also be had as a data frame."""

    @abstractmethod
    def columns(self) -> Mapping[str, Any]:
        """Return the columns of `to_frame`, for any other use."""

    def to_frame(self, *, backend: Backend | None = None) -> Any:
        """Return the rows as a data frame.

        Parameters
        ----------
        backend : {"polars", "pandas", "pyarrow"}, optional
            As in `Report.to_frame`.
        """
        return build_frame(self.columns(), backend)


# As text ----------------------------------------------------------------------------------------


def render_text(view: View) -> str:
    """Return a view as text."""
    parts = [one_line(view.title)]
    if view.conclusion:
        parts += ["", textwrap.fill(view.conclusion, _WIDTH)]
    parts += ["", *_text_table(view), "", textwrap.fill(view.legend, _WIDTH)]
    if view.questions:
        parts += ["", "What they measure", *_format_pairs(view.questions.items())]
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
    # A line end in a name would be a line of the table that nobody computed.
    table = [[one_line(cell) for cell in row] for row in (view.headings, *rows)]
    shown = iter(table)
    widths = [max(len(row[i]) for row in table) for i in range(len(view.headings))]

    def line(cells: Sequence[str]) -> str:
        padded = (text.ljust(width) for text, width in zip(cells, widths, strict=True))
        return "  ".join(padded).rstrip()

    lines = [line(next(shown))]
    for heading, section in sections.items():
        rule = f"{heading} " if heading else ""
        lines += [rule.ljust(sum(widths) + 2 * len(widths) - 2, "─")]
        lines += [line(next(shown)) for _ in section]
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
    escape, questions = _escape_html, view.questions
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
                + "".join(
                    f'<td style="{_LEFT}{_NUMBER}">'
                    f"{_cell_html(text, _HTML_EMPHASIS[view.emphasis.get((name, i))])}</td>"
                    for i, text in enumerate(cells)
                )
                + "</tr>"
            )
    parts = [f'<p style="margin:.2em 0"><strong>{escape(view.title)}</strong></p>']
    if view.conclusion:
        parts.append(f'<p style="margin:.4em 0">{escape(view.conclusion)}</p>')
    parts.append(
        '<div style="overflow-x:auto" tabindex="0" role="region" '
        f'aria-label="{html.escape(view.title)}">'
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


_HTML_EMPHASIS = {"first": "<strong>{}</strong>", "second": "<u>{}</u>", None: "{}"}


def _heading_html(text: str) -> str:
    """Return how a heading stands: over its column, on one line unless that widens the column."""
    return "vertical-align:bottom" + ";white-space:nowrap" * (len(text) <= _NARROW)


def breakable_html(name: str) -> str:
    """Return a name as HTML; a measure may break behind an underscore and before a bracket."""
    escaped = _escape_html(name)
    return escaped if " " in name else escaped.replace("(", "<wbr>(").replace("_", "_<wbr>")


def _escape_html(text: str) -> str:
    """Return text that a browser and MathJax show as it is.

    A dollar and a backslash get an element of their own, since Jupyter typesets what stands
    between two dollars, and a formula does not go on in another element.
    """
    return re.sub(r"[$\\]", lambda sign: f"<span>{sign[0]}</span>", html.escape(text))


def _cell_html(text: str, emphasis: str) -> str:
    value, behind = _split_cell(text)
    shown, rest = emphasis.format(_escape_html(value)), _escape_html(behind)
    if behind.startswith(" ["):
        return f'{shown}<br><small style="white-space:nowrap">{rest.strip()}</small>'
    return shown + rest


def _split_cell(text: str) -> tuple[str, str]:
    """Return a value with its marks, and the interval or standard error behind it."""
    found = re.fullmatch(r"(.+?)( [\[(].*)?", text)
    return (found[1], found[2] or "") if found else (text, "")


# As Markdown and LaTeX --------------------------------------------------------------------------


def render_markdown(view: View) -> str:
    """Return a view as Markdown."""

    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def row(name: str, cells: Sequence[str]) -> str:
        return line(
            [
                _escape_markdown(name),
                *(
                    _emphasize(
                        cell, _MARKDOWN_EMPHASIS[view.emphasis.get((name, i))], _escape_markdown
                    )
                    for i, cell in enumerate(cells)
                ),
            ]
        )

    table = [line(map(_escape_markdown, view.headings)), line(["---"] * len(view.headings))]
    for heading, section in view.sections.items():
        if heading and len(view.sections) > 1:
            table.append(f"| **{heading}** |{'  |' * (len(view.headings) - 1)}")
        table += [row(name, cells) for name, cells in section]
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


def _emphasize(cell: str, emphasis: str, escape: Callable[[str], str]) -> str:
    """Return a cell whose value alone stands out."""
    value, behind = _split_cell(cell)
    return emphasis.replace("{}", escape(value)) + (f" {escape(behind)}" if behind else "")


_MARKDOWN_EMPHASIS = {"first": "**{}**", "second": "<u>{}</u>", None: "{}"}


def _escape_markdown(text: str) -> str:
    # An underscore within a word stands for itself, and an ampersand that begins no entity.
    signs = r"[\\`*|<>\[\]~$]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)"
    return re.sub(signs, lambda found: "\\" + found[0], _join_lines(text))


def render_latex(
    view: View, label: str = "", *, caption: str | None = None, width: str | None = None
) -> str:
    """Return a view as a LaTeX table."""
    columns = "l" + "r" * (len(view.headings) - 1)

    def line(cells: Iterable[str]) -> str:
        row = " & ".join(cells)
        # A bracket behind the end of a row would be an argument of it.
        return ("{}" if row.startswith("[") else "") + row + r" \\"

    def row(name: str, cells: Sequence[str]) -> str:
        styled = (
            _emphasize(cell, _LATEX_EMPHASIS[view.emphasis.get((name, i))], _escape_latex)
            for i, cell in enumerate(cells)
        )
        return line([_escape_latex(name), *styled])

    lines = [line(map(_escape_latex, view.headings)), r"\midrule"]
    for heading, section in view.sections.items():
        if heading and len(view.sections) > 1:
            wide = rf"\multicolumn{{{len(view.headings)}}}{{l}}"
            lines.append(rf"{wide}{{\emph{{{_escape_latex(heading)}}}}} \\")
        lines += [row(name, cells) for name, cells in section]
    said = " ".join(filter(None, [f"{view.title.rstrip('.')}.", view.conclusion, view.legend]))
    notes = [f"{name}: {text}." for name, text in view.protocol_rows] + list(view.warnings)
    table = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *lines, r"\bottomrule"]
    table.append(r"\end{tabular}")
    if width is not None:
        # Wider than the page: scaled down; narrower: left as it is.
        table[0] = (
            rf"\resizebox{{\ifdim\width>{width} {width}\else\width\fi}}{{!}}{{%" "\n" + table[0]
        )
        table[-1] += "}"
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            # The standard classes leave no space between a caption and the table below it.
            r"\setlength{\belowcaptionskip}{\abovecaptionskip}",
            rf"\caption{{{_escape_latex(said) if caption is None else caption}}}",
            *([rf"\label{{{label}}}"] if label else []),
            *table,
            *(rf"% {_join_lines(note)}" for note in notes),
            r"\end{table}",
            "",
        ]
    )


_LATEX_EMPHASIS = {"first": r"\textbf{{}}", "second": r"\underline{{}}", None: "{}"}
_SIGNS = {sign: "\\" + sign for sign in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "<": "$<$",
    ">": "$>$",
    # No text has it any more when it is escaped.
    (_PARTED := "\0"): "{}",
}
# A hyphen before a number that stands alone or opens an interval is a minus.
_MINUS = re.compile(r"(?:(?<=^)|(?<=[\[ ]))-(?=\d)")
# Between these TeX would make one sign of two.
_LIGATURES = re.compile(r"(?<=-)(?=-)|(?<=`)(?=`)|(?<=')(?=')|(?<=,)(?=,)|(?<=[!?])(?=`)")


def _escape_latex(text: str) -> str:
    parted = _LIGATURES.sub(_PARTED, _join_lines(text))
    escaped = "".join(_SIGNS.get(sign, sign) for sign in parted)
    escaped = _MINUS.sub("$-$", escaped)
    # A space before a mark would part it from its number.
    marks = re.compile(f"(?:(?<=[0-9]) )?([{''.join(ON_THE_LINE)}]+)")

    def raised(found: re.Match[str]) -> str:
        return f"$^{{{''.join(map(ON_THE_LINE.__getitem__, found[1]))}}}$"

    return marks.sub(raised, escaped)


def _join_lines(text: str) -> str:
    return for_terminal(" ".join(text.split()))
