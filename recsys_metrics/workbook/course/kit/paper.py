"""An exam as a page that prints, and its key."""

from __future__ import annotations

from collections.abc import Sequence

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.course.kit.exam import ExamQuestion, letter
from recsys_metrics.workbook.grading.escaped_html import escape_html
from recsys_metrics.workbook.grading.static_page import render_page

_STYLE = """\
section { break-inside: avoid; margin-bottom: 1.2em; border-top: 1px solid #8886 }
h2 { margin: .6em 0 .2em; font-size: 1.05rem }
p { margin: .35em 0 }
table { font-size: .92em }
ol { list-style: lower-alpha; padding-left: 1.6em; margin: .4em 0 }
ol.short { display: flex; flex-wrap: wrap; gap: .3em 3em }
li { margin: .2em 0 }
li p { margin: 0 }
.about { color: light-dark(#4b5563, #9ca3af); font-size: .9rem }
.right { font-weight: bold }
.head { display: flex; flex-wrap: wrap; gap: .8em 2em; margin: 1em 0 }
.head span { border-bottom: 1px solid; flex: 1 0 11em; padding-top: .6em; white-space: nowrap }
.score td, .score th { border: 1px solid #8889; padding: .15em .5em; text-align: center;
  min-width: 1.6em }
@page { size: A4; margin: 1.6cm 1.8cm 1.8cm;
  @bottom-right { content: counter(page) " of " counter(pages); font: 9pt sans-serif } }
@media print { body { font-size: 10pt; line-height: 1.35; margin: 0; max-width: none; padding: 0 }
  h1 { font-size: 15pt; margin: 0 } }
"""
# Options of this length stand beside each other.
_SHORT = 16


def exam_page(
    title: str,
    questions: Sequence[ExamQuestion],
    *,
    key: bool,
    course: str = "",
    date: str = "",
    minutes: int | None = None,
) -> str:
    """Return an exam as a page.

    Parameters
    ----------
    title : str
    questions : sequence of Question
    key : bool
        Whether to say what is right, and which mistake leads to each wrong option.
    course, date : str
        For the head; without a date there is a line to write it on.
    minutes : int, optional
        How long students have.
    """
    total = sum(one.points for one in questions)
    time = f", {minutes} minutes" if minutes else ""
    about = " · ".join(filter(None, (course, date)))
    parts = [
        f"<h1>{escape_html(title)}</h1>",
        f"<p>{escape_html(about)}</p>" if about else "",
        f"<p>{len(questions)} questions, {total} points{time}. One option of each is right.</p>",
    ]
    if key:
        parts.append(
            "<p>How hard a question is, is estimated from the steps of its worked solution.</p>"
        )
    else:
        lines = ["Name:", "Student number:", *([] if date else ["Date:"]), "Signature:"]
        parts.append(
            '<div class="head">' + "".join(f"<span>{one}</span>" for one in lines) + "</div>"
        )
        parts.append(_score_table(questions, total))
    return render_page(
        title,
        "\n".join([*parts, *(_section(at, one, key) for at, one in enumerate(questions, 1))]),
        style=_STYLE,
    )


def _score_table(questions: Sequence[ExamQuestion], total: int) -> str:
    """Return the table in which a marker adds up the points."""
    numbers = "".join(f"<th>{at}</th>" for at in range(1, len(questions) + 1))
    of = "".join(f"<td>{one.points}</td>" for one in questions)
    empty = "<td>&nbsp;</td>" * (len(questions) + 1)
    return (
        f'<div class="scroll"><table class="score"><tr><th>Question</th>{numbers}<th>Sum</th></tr>'
        f"<tr><th>Points</th>{of}<td>{total}</td></tr><tr><th>Reached</th>{empty}</tr></table></div>"
    )


def _section(at: int, one: ExamQuestion, key: bool) -> str:
    rows = []
    for option in one.options:
        why = markup.render_block(option.why) if key and option.why else ""
        right = ' class="right"' if key and option.right else ""
        rows.append(f"<li{right}>{markup.render_block(option.text)}{why}</li>")
    points = "1 point" if one.points == 1 else f"{one.points} points"
    about = ""
    if key:
        steps = "1 step" if one.steps == 1 else f"{one.steps} steps"
        about = (
            f"<p class='about'>Right: <strong>{one.key}</strong>. <code>{one.exercise}</code>; "
            f"{one.difficulty}, {steps}.</p>"
        )
    is_short = not key and all(len(option.text) <= _SHORT for option in one.options)
    kind = ' class="short"' if is_short else ""
    return (
        f"<section><h2>{at}. {escape_html(one.title)} ({points})</h2>"
        f"{markup.render_block(one.text)}"
        f"<ol{kind}>{''.join(rows)}</ol>{about}</section>"
    )


def answer_row(questions: Sequence[ExamQuestion]) -> str:
    """Return the letters of a key in one line: ``1 b, 2 d``."""
    assert letter(0) == "a"
    return ", ".join(f"{at} {one.key}" for at, one in enumerate(questions, 1))
