"""What goes back to a student, and what nbgrader shows the instructor."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course, Student
from recsys_metrics.workbook.course.gradebook import Grade
from recsys_metrics.workbook.course.release_notebook import (
    DIGITS,
    answer_metadata,
    answer_source,
)
from recsys_metrics.workbook.course.totals import Total
from recsys_metrics.workbook.exercises.result import Line
from recsys_metrics.workbook.grading.escaped_html import escape_html
from recsys_metrics.workbook.grading.judge import JudgedAnswer
from recsys_metrics.workbook.grading.points import format_points
from recsys_metrics.workbook.grading.questions import Question
from recsys_metrics.workbook.grading.static_page import render_page
from recsys_metrics.workbook.grading.submissions import Submission

# Where a link may lead. All else is text: javascript:, data:, an address within the server.
_LEADS = r"(?!\s*(?:https?://|mailto:|#))"
# What a bracket would need to be one end of a link, or the beginning of the address of one.
# Of one answer on a page.
MOST_SIGNS = 100_000
_LINK = re.compile(rf"\](?=[(:]{_LEADS})", re.IGNORECASE)
# What MathJax turns into a link, a style (which can name an address) or an attribute.
_MACROS = ("bbox", "class", "cssId", "href", "mmlToken", "require", "style")
_MACRO = re.compile(rf"\\+(?=(?:{'|'.join(_MACROS)})(?![A-Za-z]))")

_STYLE = """\
th, td { padding: .2em 1.2em .2em 0 }
td.number { text-align: right; font-variant-numeric: tabular-nums }
h2 { font-size: 1.15rem; margin-top: 2em }
.comment { border-left: 3px solid #2563eb; padding-left: 1em; white-space: pre-wrap }
"""


@dataclass(frozen=True)
class ShownQuestion:
    """What a page shows of a question, whatever a person gives for it later.

    Attributes
    ----------
    exercise, title : str
    outcome : str
        With its symbol.
    out_of : int
    needs_marking : bool
        Whether a person has to judge it.
    html : str
        What the check says.
    reasons : str
        Why the answer brought nothing where the reason lies in the notebook, in HTML; it is shown
        even after a person has read the answer.
    """

    exercise: str
    title: str
    outcome: str
    out_of: int
    needs_marking: bool
    html: str
    reasons: str


@dataclass(frozen=True)
class PageContent:
    """What a grading found, as a page shows it.

    Attributes
    ----------
    questions : tuple of ShownQuestion
        In the order of the notebook.
    run : str
        What there is to say of the run, in HTML.
    """

    questions: tuple[ShownQuestion, ...] = ()
    run: str = ""


def content(
    judged_answers: Sequence[JudgedAnswer],
    ended: str,
    reasons: Sequence[Sequence[Line]],
    errors: Mapping[int, str],
) -> PageContent:
    """Return what a page shows of a graded submission.

    Parameters
    ----------
    judged_answers : sequence of JudgedAnswer
    ended : str
        Why the run did not come to its end, and where; empty if it did.
    reasons : sequence of sequence of Line
        Of each judged answer, what lies in the notebook and not in the answer.
    errors : mapping
        What code cells raised that belong to no question, by their number.
    """
    run = (
        [
            f"<p>The notebook was not run to its end: {escape_html(ended)}. "
            "What was answered before counts.</p>"
        ]
        if ended
        else []
    )
    if errors:
        told = "\n".join(f"code cell {cell}: {text}" for cell, text in errors.items())
        run.append("<p>Code cells above the first question that raised an error:</p>")
        run.append(markup.render_code_block(told[:4_000]))
    questions = [
        ShownQuestion(
            one.exercise,
            one.title,
            f"{one.outcome.symbol} {one.outcome.label}",
            one.out_of,
            one.needs_marking,
            # In the notebook that was handed out nothing is there that could be asked for a hint.
            markup.remove_hint(one.result._repr_html_()),
            "\n".join(line.as_html() for line in why),
        )
        for one, why in zip(judged_answers, reasons, strict=True)
    ]
    return PageContent(tuple(questions), "\n".join(run))


def page(
    course: Course,
    assignment: Assignment,
    student: Student,
    shown: PageContent,
    grades: Sequence[Grade],
    total: Total,
    notes: Sequence[str] = (),
) -> str:
    """Return the page of a student, with what a person gave and wrote.

    Parameters
    ----------
    course : Course
    assignment : Assignment
    student : Student
    shown : PageContent
        What the grading found.
    grades : sequence of Grade
        In the gradebook; none where nothing was graded.
    total : Total
    notes : sequence of str
        What else there is to say about the submission.
    """
    title = f"{assignment.name} · {course.name}"
    name = student.name or student.id
    by_exercise = {one.exercise: one for one in grades}
    rows = [(one, by_exercise[one.exercise]) for one in shown.questions]
    deadline = assignment.find_deadline(course)
    parts = [
        f"<h1>{escape_html(title)}</h1>",
        f"<p>{escape_html(name)}: {_sum(total, assignment.out_of)}</p>",
        f"<p>Due {deadline.as_words(student.id)}.</p>" if deadline else "",
        f"<p>{DIGITS}</p>{_overview(rows)}" if rows else "",
        *(f"<p>{escape_html(note)}</p>" for note in notes),
        shown.run,
    ]
    for number, (one, grade) in enumerate(rows, 1):
        heading = f"Question {number}. {escape_html(one.title)}"
        # Of an answer that a person has read, the check has nothing to say.
        is_read = one.needs_marking and not grade.waits
        parts.append(f"<h2>{heading} · {_points(one, grade)}</h2>")
        parts += [_of_person(grade), "" if is_read else one.html, one.reasons]
    return render_page(title, "\n".join(filter(None, parts)), style=_STYLE)


def _sum(total: Total, out_of: int) -> str:
    if total.points is None:
        return "<strong>not graded yet</strong>"
    before = total.reached
    lost = "" if total.points == before else f", {format_points(before)} before what lateness costs"
    still = f", and {total.waits} answer{'s' * (total.waits > 1)} to be read by a person"
    reached = f"<strong>{format_points(total.points)} of {out_of} points</strong>"
    return f"{reached}{lost}{still if total.waits else ''}"


def _points(shown: ShownQuestion, grade: Grade) -> str:
    reached = "–" if grade.points is None else format_points(grade.points)
    return f"{reached} of {shown.out_of}"


def _of_person(grade: Grade) -> str:
    """Return what a person gave and wrote, in HTML; empty where there is nothing."""
    said, earlier = [], grade.earlier
    if earlier and earlier.points is not None:
        said.append(
            f"Your instructor gave {_number(earlier.sum)} for an earlier text of this answer. "
            "Points count for the text that was read alone, so "
            + (
                "what you have handed in since is to be read once more"
                if grade.waits
                else "they do not count now that you have removed it"
            )
        )
    if grade.manual is not None:
        said.append(f"Your instructor gave {_number(grade.manual)} for this answer")
        if grade.auto is not None and grade.auto != grade.manual:
            said[-1] += f"; this counts in place of the {format_points(grade.auto)} of the check"
    if grade.extra:
        said.append(f"Your instructor added {_number(grade.extra)}")
    if grade.waits and said and not earlier:
        said.append("You have handed in again since, so the answer is to be read once more")
    text = f"<p>{'. '.join(said)}.</p>" if said else ""
    written = {"writes": grade.comment, "wrote about an earlier text": ""}
    if earlier:
        written["wrote about an earlier text"] = earlier.comment
    for verb, words in written.items():
        if words.strip():
            comment = escape_html(cut_words(words.strip()))
            text += f'<p>Your instructor {verb}:</p><p class="comment">{comment}</p>'
    return text


def _number(points: float) -> str:
    shown = format_points(points)
    return f"{shown} point{'s' * (shown != '1')}"


def autograded(
    questions: Sequence[Question],
    submission: Submission,
    checksums: dict[str, str],
    student: str = "",
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
    student : str
        Whose id and name the head of the notebook says, which nbgrader's view does not show.
    """
    cells: list[dict[str, Any]] = []
    there: set[int] = set()
    for number, cell in enumerate(submission.cells):
        metadata: dict[str, Any] = {}
        if cell.is_answer and cell.question not in there:
            there.add(cell.question)
            metadata = _graded(questions[cell.question], checksums)
        source = cell.source
        if student and not cell.is_code and cell.question < 0:
            source = _without_name(source, student)
        cells.append(_cell(f"cell-{number}", cell.is_code, source, metadata))
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


def _without_name(head: str, student: str) -> str:
    """Return the head of a notebook without the line that says whose it is."""
    whose = re.escape(student)
    return re.sub(rf"^For (?:.* \({whose}\)|{whose})\.$", "", head, flags=re.MULTILINE)


def _graded(question: Question, checksums: dict[str, str]) -> dict[str, Any]:
    metadata = answer_metadata(question)
    return {"nbgrader": {**metadata, "checksum": checksums[question.grade_id]}}


def _cell(name: str, is_code: bool, source: str, metadata: dict[str, Any]) -> dict[str, Any]:
    cell: dict[str, Any] = {"id": name, "metadata": metadata, "source": source}
    if is_code:
        return {**cell, "cell_type": "code", "execution_count": None, "outputs": []}
    return {**cell, "cell_type": "markdown", "source": inert(source)}


def cut_words(words: str) -> str:
    """Return an answer with no more of it than a person reads, and with how much is left out.

    Drawing megabytes of Markdown takes minutes.
    """
    if len(words) <= MOST_SIGNS:
        return words
    return (
        f"{words[:MOST_SIGNS]}\n\n… *The answer has {len(words):,} characters; only the first "
        f"{MOST_SIGNS:,} are shown here. The rest is in the notebook that was handed in.*"
    )


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


def _overview(rows: Sequence[tuple[ShownQuestion, Grade]]) -> str:
    body = "".join(
        f"<tr><td class='number'>{number}</td><td>{escape_html(one.title)}</td>"
        f"<td>{_word(one, grade)}</td><td class='number'>{_points(one, grade)}</td></tr>"
        for number, (one, grade) in enumerate(rows, 1)
    )
    head = "<tr><th>No.</th><th>Question</th><th>Outcome</th><th>Points</th></tr>"
    return f"<table>{head}{body}</table>"


def _word(shown: ShownQuestion, grade: Grade) -> str:
    if grade.waits:
        return "• To be read"
    return "• Read by a person" if grade.manual is not None else shown.outcome
