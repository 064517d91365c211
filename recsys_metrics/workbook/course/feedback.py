"""What goes back to a student, and what nbgrader shows the instructor."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.course.course_folder import Course, Student
from recsys_metrics.workbook.course.release_notebook import answer_metadata, answer_source
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.grading.judge import JudgedAnswer
from recsys_metrics.workbook.grading.questions import Question
from recsys_metrics.workbook.grading.sandbox import Trace
from recsys_metrics.workbook.grading.static_page import render_page
from recsys_metrics.workbook.grading.submissions import Submission

# Where a link may lead. All else is text: javascript:, data:, an address within the server.
_LEADS = r"(?!\s*(?:https?://|mailto:|#))"
# What a bracket would need to be one end of a link, or the beginning of the address of one.
_LINK = re.compile(rf"\](?=[(:]{_LEADS})", re.IGNORECASE)
# What MathJax turns into a link, a style (which can name an address) or an attribute.
_MACROS = ("bbox", "class", "cssId", "href", "mmlToken", "require", "style")
_MACRO = re.compile(rf"\\+(?=(?:{'|'.join(_MACROS)})(?![A-Za-z]))")

_STYLE = """\
th, td { padding: .2em 1.2em .2em 0 }
td.number { text-align: right; font-variant-numeric: tabular-nums }
h2 { font-size: 1.15rem; margin-top: 2em }
"""


def page(
    course: Course,
    assignment: str,
    student: Student,
    judged_answers: Sequence[JudgedAnswer],
    trace: Trace,
    notes: Sequence[str] = (),
    *,
    counted: float | None = None,
) -> str:
    """Return the page of a student.

    Parameters
    ----------
    course : Course
    assignment : str
    student : Student
    judged_answers : sequence of JudgedAnswer
    trace : Trace
    notes : sequence of str
        What else there is to say about the submission.
    counted : float, optional
        What counts of the points, where lateness costs some.
    """
    title = f"{assignment} · {course.name}"
    name = f"{student.first_name} {student.last_name}".strip() or student.id
    reached = sum(one.points for one in judged_answers if one.points is not None)
    counted = reached if counted is None else counted
    before = "" if counted == reached else f", {reached:g} before what lateness costs"
    out_of = sum(one.out_of for one in judged_answers)
    parts = [
        f"<h1>{markup.escape(title)}</h1>",
        f"<p>{markup.escape(name)}: <strong>{counted:g} of {out_of} points</strong>"
        f"{before}{_still(judged_answers)}</p>",
        _overview(judged_answers),
    ]
    said = [*notes, *([f"The run did not end: {trace.problem}."] if trace.problem else [])]
    parts += [f"<p>{markup.escape(note)}</p>" for note in said]
    if trace.errors:
        errors = "\n".join(f"cell {cell + 1}: {text}" for cell, text in trace.errors.items())
        parts.append("<p>Code cells that raised an error when they were run:</p>")
        parts.append(markup.render_code_block(errors[:4_000]))
    for number, one in enumerate(judged_answers, 1):
        heading = f"Question {number}. {markup.escape(one.title)}"
        shown = one.result._repr_html_()
        if one.result.exercise not in REGISTRY:  # nobody but the course can ask it for a hint
            shown = markup.remove_hint(shown)
        parts.append(f"<h2>{heading} · {points(one)}</h2>\n{shown}")
    return render_page(title, "\n".join(parts), style=_STYLE)


def points(judged_answer: JudgedAnswer) -> str:
    """Return what a question brought, in words."""
    reached = "–" if judged_answer.points is None else f"{judged_answer.points:g}"
    return f"{reached} of {judged_answer.out_of}"


def autograded(
    questions: Sequence[Question], submission: Submission, checksums: dict[str, str]
) -> str:
    """Return the notebook that nbgrader's interface shows.

    It is put together anew: the student's words and code, nothing of the student's metadata and
    outputs, which a browser would show and run.

    Parameters
    ----------
    questions : sequence of Question
    submission : Submission
    checksums : dict
        nbgrader's, of each answer before it was answered, by its grade id.
    """
    cells: list[dict[str, Any]] = []
    there: set[int] = set()
    for number, cell in enumerate(submission.cells):
        metadata: dict[str, Any] = {}
        if cell.is_answer and cell.question not in there:
            there.add(cell.question)
            metadata = _graded(questions[cell.question], checksums)
        cells.append(_cell(f"cell-{number}", cell.is_code, cell.source, metadata))
    for place, question in enumerate(questions):
        # nbgrader shows a grade beside its cell, also where the student has removed it.
        if place not in there:
            source, is_code = answer_source(question), not question.is_words
            cells.append(_cell(f"missing-{place}", is_code, source, _graded(question, checksums)))
    content = {
        "cells": cells,
        "metadata": {"kernelspec": {"display_name": "Python 3", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _graded(question: Question, checksums: dict[str, str]) -> dict[str, Any]:
    metadata = answer_metadata(question)
    return {"nbgrader": {**metadata, "checksum": checksums[question.grade_id]}}


def _cell(name: str, is_code: bool, source: str, metadata: dict[str, Any]) -> dict[str, Any]:
    cell: dict[str, Any] = {"id": name, "metadata": metadata, "source": source}
    if is_code:
        return {**cell, "cell_type": "code", "execution_count": None, "outputs": []}
    return {**cell, "cell_type": "markdown", "source": inert(source)}


def inert(words: str) -> str:
    """Return a student's Markdown so that opening it fetches nothing and runs nothing.

    Nothing is left of HTML, of pictures, and of links that lead elsewhere than to http, https,
    mailto or a place on the page. What is taken away still reads as it was written, and it is
    taken away by what no reader of Markdown takes for a link, whichever one the page is drawn by.

    >>> inert("[a](https://b.c), [a](javascript:b), ![a](https://b.c), a[1], <b>")
    '[a](https://b.c), [a] (javascript:b), ! [a](https://b.c), a[1], &lt;b>'
    """
    words = words.replace("<", "&lt;").replace("![", "! [")
    return _MACRO.sub(" ", _LINK.sub("] ", words))


def _still(judged_answers: Sequence[JudgedAnswer]) -> str:
    waiting = sum(one.points is None for one in judged_answers)
    if not waiting:
        return ""
    return f", and {waiting} answer{'s' if waiting > 1 else ''} to be read by a person"


def _overview(judged_answers: Sequence[JudgedAnswer]) -> str:
    rows = "".join(
        f"<tr><td class='number'>{number}</td><td>{markup.escape(one.title)}</td>"
        f"<td>{_word(one)}</td><td class='number'>{points(one)}</td></tr>"
        for number, one in enumerate(judged_answers, 1)
    )
    head = "<tr><th>No.</th><th>Question</th><th>Outcome</th><th>Points</th></tr>"
    return f"<table>{head}{rows}</table>"


def _word(judged_answer: JudgedAnswer) -> str:
    if judged_answer.points is None:
        return "• To be read"
    return f"{judged_answer.outcome.symbol} {judged_answer.outcome.label}"
