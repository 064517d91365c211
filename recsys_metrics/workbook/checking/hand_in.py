"""What a released notebook holds, for its student, before it is handed in.

Nothing here can say whether an answer is right: the notebook does not hold that.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recsys_metrics._core import console
from recsys_metrics.workbook.checking.grade import run_apart
from recsys_metrics.workbook.common.state_file import real_path, refuse_device
from recsys_metrics.workbook.grading import cell_errors, stray_words, untrusted_text
from recsys_metrics.workbook.grading.questions import PLACEHOLDER, format_grade_id
from recsys_metrics.workbook.grading.stray_words import StrayWords
from recsys_metrics.workbook.grading.submissions import (
    OURS,
    Cell,
    Submission,
    parse_notebook,
)


@dataclass(frozen=True)
class Expected:
    """A question as its notebook describes it.

    Attributes
    ----------
    id, title : str
    is_words, is_number : bool
    names : tuple of str
        Of the answers.
    function : str
        The name of the function that is asked for; empty if none is.
    arguments : tuple of str
        The names of its arguments, in their order.
    prompt : str
        What is asked, in Markdown.
    given : str
        A hash of the code with the given values; empty if there are none.
    stub : str
        The cell of an answer in code before it is answered.
    """

    id: str
    title: str
    is_words: bool
    is_number: bool
    names: tuple[str, ...]
    function: str
    arguments: tuple[str, ...]
    prompt: str
    given: str
    stub: str

    @property
    def grade_id(self) -> str:
        """What nbgrader calls the answer."""
        return format_grade_id(self.id)


@dataclass(frozen=True)
class FoundAnswer:
    """What there is of a question.

    Attributes
    ----------
    question : Expected
    is_there : bool
        Whether all of it is there and can be read.
    says : tuple of str
    """

    question: Expected
    is_there: bool
    says: tuple[str, ...]


def read_expected(path: Path) -> list[Expected]:
    """Return the questions of a released notebook; none of any other file."""
    try:
        refuse_device(path)
        return parse_expected(path.read_bytes())
    except OSError:
        return []


def parse_expected(content: bytes) -> list[Expected]:
    """Return the questions that a released notebook names; none of any other content."""
    try:
        about = untrusted_text.read_json(content)["metadata"][OURS]["questions"]
        return [
            Expected(
                id=str(one["id"]),
                title=str(one["title"]),
                is_words=one["is_words"] is True,
                is_number=one["is_number"] is True,
                names=tuple(map(str, one["names"])),
                function=str(one["function"]),
                arguments=tuple(map(str, one["arguments"])),
                prompt=str(one["prompt"]),
                given=str(one["given"]),
                stub=str(one["stub"]),
            )
            for one in about
        ]
    except (ValueError, RecursionError, LookupError, TypeError):
        return []


def inspect(path: Path, questions: Sequence[Expected], seconds: float) -> list[FoundAnswer]:
    """Run a released notebook and return what there is of each question.

    Parameters
    ----------
    path : Path
    questions : sequence of Expected
    seconds : float
        How long it may take.

    Raises
    ------
    GradingError
        If it is no notebook; the message goes on from "it".
    """
    submission = parse_notebook(path.read_bytes(), questions)
    with tempfile.TemporaryDirectory() as scratch:
        noted = Path(scratch, "answers.jsonl")
        noted.touch()
        cells, owners = _cells(submission, questions, noted)
        run, problem = run_apart(cells, real_path(path).parent, seconds)
        says: dict[int, dict[str, list[Any]]] = {}
        for line in noted.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            says[entry["place"]] = entry["says"]
    missing = submission.find_missing_cells(questions)
    found = []
    for place, question in enumerate(questions):
        good, told = _of_answer(question, place, submission, says.get(place, {}))
        told += _of_unread_names(question, place, submission, says.get(place, {}))
        told += _of_kind(question, place, submission)
        stray = stray_words.find_stray_words(place, questions, submission)
        told += [_of_stray_words(stray)] if stray else []
        if question in missing:
            there = told if says.get(place) else told[1:]
            good, told = False, ["its cell is missing", *there]
        faults = list(_of_setup(question, place, submission))
        for at, text in run.errors.items():
            if owners[at] == place:
                faults.append(f"a cell raises {cell_errors.format_error(text)}")
                faults += [meaning] if (meaning := cell_errors.explain_error(text)) else []
        if problem and not (good or question.is_words):
            faults.append(f"the notebook was not run to its end: {problem}")
        found.append(FoundAnswer(question, good and not faults, (*told, *faults)))
    return found


def report(path: Path, found: Sequence[FoundAnswer]) -> str:
    """Return what was found, in words for the student."""
    width = max(len(one.question.title) for one in found)
    rows = [console.printable(path.name), ""]
    for number, one in enumerate(found, 1):
        sign = "•" if one.is_there else "?"
        head = f"{sign} {number:>2}  {one.question.title:{width}}"
        rows += [f"{head}  {one.says[0]}", *(f"{'':{len(head)}}  {more}" for more in one.says[1:])]
    there = sum(one.is_there for one in found)
    rows += [
        "",
        f"{there} of {len(found)} answers found. Nothing here says whether they are right.",
    ]
    return "\n".join(rows)


def _cells(
    submission: Submission, questions: Sequence[Expected], noted: Path
) -> tuple[list[str], list[int]]:
    """Return what to run, and the place of the question that each cell belongs to, or -1."""
    cells, owners = [], []
    for cell in submission.cells:
        if not cell.is_code:
            continue
        cells.append(cell.source)
        owners.append(cell.question)
        if 0 <= cell.question < len(questions) and not questions[cell.question].is_words:
            one = questions[cell.question]
            given = (str(noted), cell.question, list(one.names), one.function, one.id)
            more = f"arguments={one.arguments!r}, is_number={one.is_number}"
            call = f"(globals(), {', '.join(map(repr, given))}, {more})"
            cells.append(f"__import__({__package__ + '.probe'!r}, fromlist=['']).note{call}")
            owners.append(cell.question)
    return cells, owners


def _of_answer(
    question: Expected, place: int, submission: Submission, says: dict[str, list[Any]]
) -> tuple[bool, list[str]]:
    if question.is_words:
        words = len(submission.get_text(place).split())
        if words:
            return True, [console.count(words, "word")]
        return False, [_of_no_words(_answer_cells(place, submission))]
    if not says or _is_untouched(question, place, submission):
        return False, ["not answered"]
    return all(good for good, _ in says.values()), [
        f"{name}: {text}" for name, (_, text) in says.items()
    ]


def _is_untouched(question: Expected, place: int, submission: Submission) -> bool:
    """Whether a function is as it was released: one with a gap can be called all the same."""
    return bool(question.function) and all(
        cell.source.strip() in {"", question.stub.strip()}
        for cell in submission.cells
        if cell.question == place and cell.is_code and (cell.is_answer or not cell.is_ours)
    )


def _of_no_words(cells: Sequence[Cell]) -> str:
    """Say what is in the cell for an answer in words where no words are."""
    if any(cell.source.strip() for cell in cells):
        return f"not answered: its cell still contains {PLACEHOLDER}"
    return "not answered: its cell is empty"


def _of_kind(question: Expected, place: int, submission: Submission) -> list[str]:
    """Say that the cell of an answer has become one of another kind, which Jupyter's keys do."""
    is_code = not question.is_words
    for cell in _answer_cells(place, submission):
        if cell.is_code != is_code or cell.is_raw:
            kind = "raw" if cell.is_raw else "code" if cell.is_code else "text"
            key, wanted = ("Y", "code") if is_code else ("M", "text")
            effect = ", so it was not run" if is_code else ""
            return [
                f"its cell is a {kind} cell now{effect}; select it and make it a {wanted} cell "
                f"again (in Jupyter with Esc, then {key})"
            ]
    return []


def _of_unread_names(
    question: Expected, place: int, submission: Submission, says: dict[str, list[Any]]
) -> list[str]:
    """Say why a name has no answer although something was assigned below the question."""
    told = []
    for name in question.names:
        if says.get(name, [False])[0]:
            continue
        if submission.is_reset(place, name):
            told.append(
                f"a cell above assigns {name}, but the cell for the answer sets it again; write "
                "the answer into that cell, or delete its line"
            )
        elif other := submission.find_other_case(place, name):
            told.append(f"a cell assigns {other[:60]}, but the answer is read from {name}")
    return told


def _answer_cells(place: int, submission: Submission) -> list[Cell]:
    return [cell for cell in submission.cells if cell.is_answer and cell.question == place]


def _of_stray_words(stray: Sequence[StrayWords]) -> str:
    return (
        f"there are words in {stray_words.list_places(stray)}; an answer in words is written into "
        "the text cell below its question"
    )


def _of_setup(question: Expected, place: int, submission: Submission) -> Iterator[str]:
    if question.given and not submission.has_setup(place, question.given):
        yield "the cell with the given values was changed or removed"
