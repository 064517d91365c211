"""Answers in words that were not written into the cell for them.

A person reads all that a student wrote and that may be the answer, each piece with where it is:
nobody can say by rule which of them is the answer.
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
_WORDS = re.compile(r"\w+")
_COMMENT = re.compile(r"^[ \t]*#+[ \t]?", re.MULTILINE)
# The lines of a cell with a picture, beside the one that has the drawing.
_DRAWING = {PICTURE, "from IPython.display import HTML"}
_FEW_WORDS = 10
"""A text of fewer words, such as "see above", may point to what is somewhere else."""


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

    It is what is in the cell for it, and what was written elsewhere, each piece with the cell it is
    in.

    Parameters
    ----------
    place : int
        Of the question.
    questions : sequence of Prompted
    submission : Submission
    """
    written = submission.get_text(place)
    head = "This is also" if written else "The cell for the answer is empty. This is"
    stray = find_stray_words(place, questions, submission)
    pieces = [f"*{head} in {one.where}:*\n\n{one.text}" for one in stray]
    return "\n\n".join([written, *pieces] if written else pieces)


def find_stray_words(
    place: int, questions: Sequence[Prompted], submission: Submission
) -> list[StrayWords]:
    """Return what was written elsewhere and may be the answer to a question that asks for words.

    That is what was added below the question itself. Where this and its cell have few words, it is
    also what was added below other questions, but not a single piece below another question that
    asks for words and is open itself: that is the answer to that one. A piece that names the
    question by its number is always of these.

    Parameters
    ----------
    place : int
        Of the question.
    questions : sequence of Prompted
    submission : Submission
    """
    if not questions[place].is_words:
        return []
    is_open = not submission.get_text(place)
    own = [
        StrayWords(where, text)
        for cell in submission.cells
        if cell.question == place
        for where, text in _read_cell(cell, place, questions, submission, is_open=is_open)
    ]
    said = [submission.get_text(place), *(one.text for one in own)]
    is_short = len(_WORDS.findall(" ".join(said))) < _FEW_WORDS
    named = re.compile(rf"\bq(?:uestion)?[ .]*{place + 1}\b", re.IGNORECASE)
    found: list[StrayWords] = []
    for cell in submission.cells:
        if cell.question == place:
            found, own = [*found, *own], []
            continue
        is_of_other = _has_one_piece(cell.question, questions, submission)
        for where, text in _read_cell(cell, place, questions, submission, is_open=False):
            if (is_short and not is_of_other) or named.search(text):
                found.append(StrayWords(where, text))
    return found


def list_places(stray: Sequence[StrayWords]) -> str:
    """Return where words were found, as a message lists it."""
    return " and ".join(dict.fromkeys(one.where for one in stray))


def _has_one_piece(place: int, questions: Sequence[Prompted], submission: Submission) -> bool:
    """Whether the answer in words to a question is open, and one piece below it can only be it."""
    if place < 0 or not questions[place].is_words or submission.get_text(place):
        return False
    cells = [cell for cell in submission.cells if cell.question == place]
    pieces = [
        piece
        for cell in cells
        for piece in _read_cell(cell, place, questions, submission, is_open=True)
    ]
    return len(pieces) == 1


def _read_cell(
    cell: Cell,
    place: int,
    questions: Sequence[Prompted],
    submission: Submission,
    *,
    is_open: bool,
) -> Iterator[tuple[str, str]]:
    """Yield where a cell is, and what of it may be an answer in words to a question."""
    whose = f"of question {cell.question + 1}" if cell.question >= 0 else "above the first question"
    is_own = cell.question == place
    head = submission.head
    # What `get_text` reads is in the cell for the answer.
    is_read = is_own and submission.is_for_words(cell)
    if cell.role in {"prompt", "heading"} and not cell.is_code:
        if text := _added(cell.source, questions[cell.question].prompt, is_open=is_own and is_open):
            yield f"the cell that asks question {cell.question + 1}", text
    elif cell.role == "title" or (head and not cell.is_code and head in cell.source):
        if head and (text := _added(cell.source, head, is_open=True)):
            yield "the first cell of the notebook", text
    elif cell.is_code and not is_read and PICTURE in cell.source:
        if text := _written_on_picture(cell.source):
            yield f"the cell with the picture {whose}", text
    elif cell.is_code and not is_read and (cell.is_answer or not cell.is_ours):
        if text := _said_in_code(cell.source, is_open=is_own and is_open):
            yield f"a code cell {whose}", text
    elif not (cell.is_code or cell.is_ours or is_read) and _WORD.search(
        text := cell.source.strip().removeprefix(PLACEHOLDER)
    ):
        yield f"a text cell {whose}", text.strip()
    if cell.attachments:
        names = ", ".join(console.printable(name, 60) for name in cell.attachments)
        where = f"a file attached to a cell {whose}"
        yield where, f"{names.replace('`', '')} (it is in the notebook that was handed in)"


def _added(source: str, asked: str, *, is_open: bool) -> str:
    """Return the lines of a text of ours that were not in it, or that were written on.

    An update of the library may have changed the text of a question. Then not all of it is there,
    and something is said of it only if nothing else is there to be read.
    """
    known = {line.strip() for line in asked.splitlines()}
    lines = [line.strip() for line in source.splitlines()]
    if not is_open and not all(line in "\n".join(lines) for line in known):
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


def _said_in_code(source: str, *, is_open: bool) -> str:
    """Return the words of a code cell: its comments, or below an open question all of it."""
    if not _WORD.search(source):
        return ""
    body = _parse(source)
    if body is not None and all(_is_text(node) for node in body):
        text = _COMMENT.sub("", source).strip()
        # Code that was commented out is no text.
        if is_open or not any(isinstance(node, _CODE) for node in _parse(text) or ()):
            return text
    return _as_block(source) if is_open else ""


_CODE = (
    *(ast.Assign, ast.AugAssign, ast.FunctionDef, ast.Import, ast.ImportFrom, ast.Return),
    *(ast.For, ast.While, ast.If, ast.With),
)


def _parse(source: str) -> list[ast.stmt] | None:
    try:
        return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _as_block(source: str) -> str:
    return "\n".join(f"    {line}" for line in source.splitlines())
