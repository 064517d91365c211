"""Answers in words that were not written into the cell for them.

Where that cell is empty or gone, a person reads what the student has written elsewhere: nobody can
say by rule whether it is the answer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from recsys_metrics._core import console
from recsys_metrics.workbook.grading.questions import PICTURE, PLACEHOLDER
from recsys_metrics.workbook.grading.submissions import Cell, Submission

_WORD = re.compile(r"\w")
_COMMENT = re.compile(r"^[ \t]*#+[ \t]?", re.MULTILINE)
# The lines of a cell with a picture, beside the one that has the drawing.
_DRAWING = {PICTURE, "from IPython.display import HTML"}


class Prompted(Protocol):
    """A question, as far as it matters here."""

    @property
    def is_words(self) -> bool:
        """Whether the answer is a text."""

    @property
    def prompt(self) -> str:
        """What is asked, in Markdown."""


@dataclass(frozen=True)
class StrayWords:
    """What a student wrote elsewhere.

    Attributes
    ----------
    where : str
        Which cell it is in: "a text cell of question 2".
    text : str
        In Markdown.
    """

    where: str
    text: str


def read_answer(place: int, questions: Sequence[Prompted], submission: Submission) -> str:
    """Return what a person reads as the answer to a question that asks for words.

    It is what stands below the question; where that is nothing, what was written elsewhere, each
    piece with the cell it is in.

    Parameters
    ----------
    place : int
        Of the question.
    questions : sequence of Prompted
    submission : Submission
    """
    return submission.get_text(place) or "\n\n".join(
        f"*The cell for the answer is empty. This is in {one.where}:*\n\n{one.text}"
        for one in find_stray_words(place, questions, submission)
    )


def find_stray_words(
    place: int, questions: Sequence[Prompted], submission: Submission
) -> list[StrayWords]:
    """Return what was written elsewhere, if nothing is below a question that asks for words.

    Words below another question that asks for words are that question's answer, unless its own
    cell is filled in.

    Parameters
    ----------
    place : int
        Of the question.
    questions : sequence of Prompted
    submission : Submission
    """
    if not questions[place].is_words or submission.get_text(place):
        return []
    open_questions = {
        other
        for other, question in enumerate(questions)
        if question.is_words and other != place and not _is_filled_in(other, submission)
    }
    return [
        StrayWords(where, text)
        for cell in submission.cells
        if cell.question not in open_questions
        for where, text in _read_cell(cell, place, questions, submission.head)
    ]


def list_places(stray: Sequence[StrayWords]) -> str:
    """Return where words were found, as a message lists it."""
    return " and ".join(dict.fromkeys(one.where for one in stray))


def _is_filled_in(place: int, submission: Submission) -> bool:
    return any(
        cell.is_answer and cell.question == place and cell.source.strip() not in {"", PLACEHOLDER}
        for cell in submission.cells
    )


def _read_cell(
    cell: Cell, place: int, questions: Sequence[Prompted], head: str
) -> Iterator[tuple[str, str]]:
    """Yield where a cell is, and what of it may be an answer in words to a question."""
    whose = f"of question {cell.question + 1}" if cell.question >= 0 else "above the first question"
    is_own = cell.question == place
    if cell.role in {"prompt", "heading"} and not cell.is_code:
        if text := _added(cell.source, questions[cell.question].prompt, is_own=is_own):
            yield f"the cell that asks question {cell.question + 1}", text
    elif cell.role == "title" or (head and not cell.is_code and head in cell.source):
        if head and (text := _added(cell.source, head, is_own=True)):
            yield "the first cell of the notebook", text
    elif cell.is_code and PICTURE in cell.source:
        if text := _written_on_picture(cell.source):
            yield f"the cell with the picture {whose}", text
    elif cell.is_code and (cell.is_answer or not cell.is_ours):
        if text := _said_in_code(cell.source, is_own=is_own):
            yield f"a code cell {whose}", text
    elif not cell.is_code and not cell.is_ours and _WORD.search(cell.source):
        yield f"a text cell {whose}", cell.source.strip()
    if cell.attachments:
        names = ", ".join(console.printable(name, 60) for name in cell.attachments)
        where = f"a file attached to a cell {whose}"
        yield where, f"{names.replace('`', '')} (it is in the notebook that was handed in)"


def _added(source: str, asked: str, *, is_own: bool) -> str:
    """Return the lines of a text of ours that were not in it, or that were written on.

    An update of the library may have changed the text of another question. Then not all of it is
    there, and nothing is said of it.
    """
    known = {line.strip() for line in asked.splitlines()}
    lines = [line.strip() for line in source.splitlines()]
    if not is_own and not all(line in "\n".join(lines) for line in known):
        return ""
    text = "\n".join(line for line in lines if line not in known or not line).strip()
    return text if _WORD.search(text) else ""


def _written_on_picture(source: str) -> str:
    """Return what was added to the code that draws a picture."""
    lines = [
        _COMMENT.sub("", line)
        for line in source.splitlines()
        if line.strip() not in _DRAWING and not line.startswith("HTML(")
    ]
    text = "\n".join(lines).strip()
    return text if _WORD.search(text) else ""


def _said_in_code(source: str, *, is_own: bool) -> str:
    """Return the words of a code cell: its comments, or below the question itself all of it."""
    if not _WORD.search(source):
        return ""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _as_block(source) if is_own else ""
    if all(_is_text(node) for node in body):
        return _COMMENT.sub("", source).strip()
    return _as_block(source) if is_own else ""


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _as_block(source: str) -> str:
    return "\n".join(f"    {line}" for line in source.splitlines())
