"""The notebook that a student gets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recsys_metrics._core import console
from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook.course.course_folder import Course, Student
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.grading import signatures
from recsys_metrics.workbook.grading.escaped_markdown import escape_markdown
from recsys_metrics.workbook.grading.questions import PICTURE, PLACEHOLDER, Question
from recsys_metrics.workbook.grading.submissions import OURS, hash_code

DIGITS = "Numbers count to three decimals; more decimals, fractions and expressions count too."
_RULES = """\
Fill in the cells that contain `...` and the cells for words.
The numbers are yours alone: another student has others.

- The notebook is run from the top, and an answer counts as the last cell of its question leaves it.
- You may add cells for your steps, above or below an answer; keep those that are there.
- Nothing outside of this file is read, and the internet is not there when it is graded.
- Before you hand in, `{command} check {name}.ipynb` says what is found in it, and nothing about
  right or wrong.
- Save the notebook and hand in this one file.
"""


_IN_PAGE = """\
- You may answer in the book instead: open this file on its page *Hand in*, which asks for other
  numbers, and hand in the file that the page saves.
"""


def build(
    course: Course,
    assignment: str,
    questions: Sequence[Question],
    student: Student,
    page: Mapping[str, str | None] | None = None,
    release: int = 1,
) -> str:
    """Return the notebook of a student, as text.

    Parameters
    ----------
    course : Course
    assignment : str
    questions : sequence of Question
        The student's.
    student : Student
    page : mapping, optional
        The variants to be answered in the book's pages, where they may be used.
    release : int
        Of the assignment: 2 after one that was taken back.
    """
    name = f"{student.first_name} {student.last_name}".strip()
    whose = f"For {escape_markdown(name)} ({student.id})." if name else f"For {student.id}."
    points = sum(question.exercise.points for question in questions)
    counts = f"{console.count(len(questions), 'question')}, {console.count(points, 'point')}."
    deadline = course.deadline_of(assignment)
    due = f"Due {deadline.as_words(student.id)}. " if deadline else ""
    rules = _RULES.format(command=COMMAND, name=assignment)
    signed: dict[str, Any] = {
        "assignment": assignment,
        "student": student.id,
        "tag": signatures.sign_notebook(course.key, assignment, student.id, release),
        "questions": [_expected(question) for question in questions],
    }
    if page is not None:
        signed["page"] = dict(page)
        rules += _IN_PAGE
    head = f"{whose}\n\n**{due}{counts}** {DIGITS}\n\n{rules}"
    return _written(course, assignment, questions, head, signed)


def build_source(course: Course, assignment: str, questions: Sequence[Question]) -> str:
    """Return the instructor's own notebook, with the numbers of the workbook."""
    text = "The questions with the workbook's numbers. Every student has others.\n"
    return _written(course, assignment, questions, text, {"assignment": assignment})


def answer_metadata(question: Question) -> dict[str, Any]:
    """Return what makes nbgrader see an answer.

    To nbgrader each answer is one that a person grades, also those that we grade: so its own
    autograder, which would trust the student's kernel, never gives a point.
    """
    return {
        "grade": True,
        "grade_id": question.grade_id,
        "locked": False,
        "points": question.exercise.points,
        "schema_version": 3,
        "solution": True,
        "task": False,
    }


def answer_source(question: Question) -> str:
    """Return the cell of an answer before it is answered."""
    return PLACEHOLDER if question.is_words else question.stub


def _written(
    course: Course,
    assignment: str,
    questions: Sequence[Question],
    text: str,
    about: Mapping[str, Any],
) -> str:
    head = f"# {assignment} · {escape_markdown(course.name)}\n\n{text}"
    cells = [_markdown("title", head, _fixed())]
    for question in questions:
        cells += list_cells(question)
    content = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            # What is written into a cell of ours is found by what was there before.
            OURS: {**about, "head": head},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _expected(question: Question) -> dict[str, Any]:
    """Return what a check before handing in looks for; all of it stands in the notebook anyway."""
    return {
        "id": question.id,
        "title": question.exercise.title,
        "is_words": question.is_words,
        "is_number": isinstance(question.exercise, Numbers),
        "names": [*question.names],
        "function": question.function,
        "arguments": question.arguments,
        "prompt": question.prompt,
        "given": hash_code(question.setup_code) if question.setup_code else "",
        "stub": question.stub,
    }


def list_cells(question: Question) -> Iterator[dict[str, Any]]:
    """Yield the cells of a question, as Jupyter keeps them."""
    exercise, name = question.exercise, question.grade_id
    yield _markdown(f"{name}-prompt", question.prompt, _fixed(name, "prompt"))
    if drawn := exercise.figure:
        # Drawn by a cell, since no Jupyter shows a drawing that a text holds.
        drawing = repr(drawn._repr_html_())
        source = f"{PICTURE}\nfrom IPython.display import HTML\n\nHTML({drawing})"
        yield _code(f"{name}-picture", source, _fixed(name, "picture"))
    if question.setup_code:
        yield _code(
            f"{name}-given", question.setup_code, {OURS: {"question": name, "role": "given"}}
        )
    metadata = {"deletable": False, "nbgrader": answer_metadata(question)}
    cell = _markdown if question.is_words else _code
    yield cell(f"{name}-answer", answer_source(question), metadata)


def _fixed(question: str = "", role: str = "") -> dict[str, Any]:
    """Return the metadata of a cell that Jupyter neither edits nor deletes."""
    ours = {OURS: {"question": question, "role": role}} if question else {}
    return {"deletable": False, "editable": False, **ours}


def _markdown(name: str, source: str, metadata: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name[:64], "metadata": metadata, "source": source}


def _code(name: str, source: str, metadata: dict[str, Any]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name[:64],
        "metadata": metadata,
        "outputs": [],
        "source": source,
    }
