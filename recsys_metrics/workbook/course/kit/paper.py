"""An exam as a page that prints, and its key."""

from __future__ import annotations

from collections.abc import Sequence

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.course.kit.exam import ExamQuestion, letter
from recsys_metrics.workbook.grading.static_page import render_page

_STYLE = """\
section { break-inside: avoid; margin-bottom: 2em }
h2 { margin: 1.5em 0 .3em }
ol { list-style: lower-alpha; padding-left: 1.6em }
li { margin: .25em 0 }
li p { margin: 0 }
.about { color: light-dark(#4b5563, #9ca3af); font-size: .9rem }
.right { font-weight: bold }
@page { size: A4; margin: 2cm }
@media print { body { font-size: 11pt; margin: 0; max-width: none } }
"""


def exam_page(title: str, questions: Sequence[ExamQuestion], *, key: bool) -> str:
    """Return an exam as a page.

    Parameters
    ----------
    title : str
    questions : sequence of Question
    key : bool
        Whether to say what is right, and which mistake leads to each wrong option.
    """
    total = sum(one.points for one in questions)
    parts = [
        f"<h1>{markup.escape(title)}</h1>",
        f"<p>{len(questions)} questions, {total} points. One option of each is right.</p>",
    ]
    if key:
        parts.append(
            "<p>Each variant is named as <code>exercise.variant(seed)</code> has it. How hard a "
            "question is, is estimated from the steps of its worked solution.</p>"
        )
    else:
        parts.append("<p>Name: ______________________________</p>")
    return render_page(
        title,
        "\n".join([*parts, *(_section(at, one, key) for at, one in enumerate(questions, 1))]),
        style=_STYLE,
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
            f"<p class='about'>Right: <strong>{one.key}</strong>. <code>{one.exercise}</code>, "
            f"variant <code>{markup.escape(one.seed)}</code>; {one.difficulty}, {steps}.</p>"
        )
    return (
        f"<section><h2>{at}. {markup.render_inline(one.title)} ({points})</h2>"
        f"{markup.render_block(one.text)}"
        f"<ol>{''.join(rows)}</ol>{about}</section>"
    )


def answer_row(questions: Sequence[ExamQuestion]) -> str:
    """Return the letters of a key in one line: ``1 b, 2 d``."""
    assert letter(0) == "a"
    return ", ".join(f"{at} {one.key}" for at, one in enumerate(questions, 1))
