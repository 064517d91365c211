"""A file of answers that the book's page or a notebook saved, as it came back.

Nothing in it is believed. Its shape is exactly what is written there, so whatever has more, less or
something else in it was written by another program and is refused. The answers become the cells of
a notebook, numbers and options as literals, and are run and judged as those of a notebook are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recsys_metrics.workbook.exercises import answers as reading
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.grading import signatures
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.questions import Question
from recsys_metrics.workbook.grading.strict_json import (
    check_keys,
    is_moment,
    read_strictly,
    shown,
)
from recsys_metrics.workbook.grading.untrusted_text import clean_text
from recsys_metrics.workbook.progress.hand_in import FORMAT, VERSION

_LONGEST = 20_000
_MOST_HINTS = 20
_SHAPE = {
    "format": str,
    "version": int,
    "assignment": str,
    "student": str,
    "tag": str,
    "saved": str,
    "answers": list,
}
_ANSWER = {
    "exercise": str,
    "variant": str | None,
    "when": str,
    "hints": int,
    "solution": bool,
    "answer": object,
}
_SAYS = re.compile(rb'"format"\s*:\s*"' + FORMAT.encode())
_BEGINS = re.compile(rb"[^{]{0,9}\{\s*" + _SAYS.pattern)


@dataclass(frozen=True)
class HandedAnswer:
    """An answer as it was handed in.

    Attributes
    ----------
    exercise : str
    variant : str or None
        What it says that was asked.
    source : str
        The answer as the cell of a notebook: literals, a function, or words.
    hints : int
        How many were opened, as it says.
    solution : bool
        Whether the worked solution was, as it says.
    unreadable : tuple of str
        Names of answers that are no numbers.
    """

    exercise: str
    variant: str | None
    source: str
    hints: int
    solution: bool
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True)
class HandedFile:
    """A file of answers that came back.

    Attributes
    ----------
    student : str
        Whose it is, by its signature.
    answers : tuple of HandedAnswer
    """

    student: str
    answers: tuple[HandedAnswer, ...]


def is_hand_in(name: str, content: bytes) -> bool:
    """Whether a file is meant to be one of answers, by its name or by what it says of itself."""
    plain = content.replace(b"\0", b"")  # another encoding is refused later, in a sentence
    if name.lower().endswith(".ipynb"):
        return bool(_BEGINS.match(plain))
    is_named = "hand-in" in name.lower() and b'"nbformat"' not in plain
    return is_named or bool(_SAYS.search(plain))


def format_withdrawn(name: str) -> str:
    """Say of which release a notebook or a file of answers is that was taken back."""
    return (
        f"a release of {name} that was taken back, and is not graded; answer the notebook that was "
        f"released last, and hand in that one"
    )


class OtherAssignmentError(GradingError):
    """A file of answers to another assignment."""


def parse_hand_in(
    content: bytes, questions: Sequence[Question], name: str, key: str, release: int = 1
) -> HandedFile:
    """Read a file of answers, and find out first whose it is.

    Parameters
    ----------
    content : bytes
    questions : sequence of Question
        Of the assignment.
    name : str
        Of the assignment.
    key : str
        The course's, with which the file is signed.
    release : int
        Of the assignment: 2 after one that was taken back.

    Raises
    ------
    GradingError
        If it is not exactly what the book's page or a notebook saves, or of another assignment or
        student; the message goes on from "it".
    """
    raw = read_strictly(content)
    check_keys(raw, _SHAPE, "it")
    if raw["format"] != FORMAT:
        raise GradingError(f"it has the format {shown(raw['format'])}, not {FORMAT!r}")
    if raw["version"] != VERSION:
        raise GradingError(
            f"it is of version {raw['version']}, and this program reads version {VERSION}"
        )
    assignment, student, tag = (clean_text(raw[one]) for one in ("assignment", "student", "tag"))
    # What a file of something else answers would only mislead.
    if assignment != name:
        raise OtherAssignmentError(f"it is of {assignment!r:.80}, not of {name}")
    signed = signatures.find_release(key, assignment, student, tag)
    if not signed:
        raise GradingError(f"its signature is not that of {student!r:.80}")
    if signed != release:
        raise GradingError(f"it is of {format_withdrawn(name)}")
    if not is_moment(raw["saved"]):
        raise GradingError(f"it was saved at {shown(raw['saved'])}, which is no time")
    if not raw["answers"]:
        raise GradingError("it has no answers, and without one nothing is saved")
    asked = {question.id: question for question in questions}
    given: dict[str, HandedAnswer] = {}
    for number, one in enumerate(raw["answers"], 1):
        answer = _parse_answer(one, f"its answer {number}", asked)
        if answer.exercise in given:
            raise GradingError(f"it answers {answer.exercise} twice; one answer counts")
        given[answer.exercise] = answer
    return HandedFile(student, tuple(given.values()))


def check_variants(file: HandedFile, seeds: Mapping[str, str | None]) -> None:
    """Refuse a file with an answer to something else than its student was asked.

    Parameters
    ----------
    file : HandedFile
    seeds : mapping
        The student's variant of each exercise.

    Raises
    ------
    GradingError
    """
    for one in file.answers:
        if one.variant != seeds[one.exercise]:
            raise GradingError(
                f"it answers {_variant(one.variant)} of {one.exercise}, and {file.student} was "
                f"asked {_variant(seeds[one.exercise])}"
            )


def _variant(seed: str | None) -> str:
    return "the first numbers" if seed is None else f"variant {shown(seed)}"


def _parse_answer(raw: Any, what: str, asked: Mapping[str, Question]) -> HandedAnswer:
    check_keys(raw, _ANSWER, what)
    if raw["exercise"] not in asked:
        raise GradingError(f"{what} is to {shown(raw['exercise'])}, which was not asked")
    what = f"its answer to {raw['exercise']}"
    if not is_moment(raw["when"]):
        raise GradingError(f"{what} was given at {shown(raw['when'])}, which is no time")
    if not 0 <= raw["hints"] <= _MOST_HINTS:
        raise GradingError(f"{what} has {shown(raw['hints'])} hints, as no exercise has")
    question = asked[raw["exercise"]]
    source, unreadable = _write_source(question, raw["answer"], what)
    return HandedAnswer(
        question.id, raw["variant"], source, raw["hints"], raw["solution"], unreadable
    )


def _write_source(question: Question, answer: Any, what: str) -> tuple[str, tuple[str, ...]]:
    exercise = question.exercise
    if isinstance(exercise, Numbers):
        return _write_numbers(question, exercise, answer, what)
    if isinstance(exercise, Choice):
        picked = _list_picked(answer, exercise.option_list.keys, what)
        if not exercise.chooses_all and len(picked) != 1:
            raise GradingError(f"{what} has {len(picked)} options, and one is chosen")
        return f"choice = {picked if exercise.chooses_all else picked[0]!r}", ()
    if isinstance(exercise, Order):
        picked = _list_picked(answer, exercise.option_list.labels, what)
        return f"order = {' '.join(picked)!r}", ()
    if isinstance(exercise, Text):
        if not (isinstance(answer, dict) and answer.keys() == {"text"}):
            raise GradingError(f"{what} is no text")
        return _clean(answer["text"], what), ()
    return _clean(answer, what), ()


def _write_numbers(
    question: Question, exercise: Numbers, answer: Any, what: str
) -> tuple[str, tuple[str, ...]]:
    if not isinstance(answer, dict) or not answer:
        raise GradingError(f"{what} has no numbers by their names")
    names = {asked: name for name, asked in question.names.items()}
    lines, unreadable = [], []
    for asked, value in answer.items():
        if asked not in names:
            raise GradingError(f"{what} has the number {shown(asked)}, which was not asked")
        if not isinstance(value, str) or len(value) > _LONGEST:
            raise GradingError(f"{what} has a {asked} that nobody typed")
        text = clean_text(value)
        # It stays a text, which the check reads as it reads a card: no code is made of it.
        lines.append(f"{names[asked]} = {text!r}")
        if not _is_number(exercise, asked, text):
            unreadable.append(asked)
    return "\n".join(lines), tuple(unreadable)


def _is_number(exercise: Exercise, name: str, text: str) -> bool:
    about = next(f"{field.name} {field.label}" for field in exercise.fields if field.name == name)
    try:
        reading.read_number(text, about=about)
    except reading.UnreadableError:
        return False
    return True


def _list_picked(answer: Any, known: Sequence[str], what: str) -> list[str]:
    if not isinstance(answer, list) or not answer:
        raise GradingError(f"{what} is no list of what was picked")
    for number, one in enumerate(answer):
        if not isinstance(one, str) or one not in known:
            raise GradingError(f"{what} has {shown(one)}, which is not there to be picked")
        if one in answer[:number]:
            raise GradingError(f"{what} has {shown(one)} twice")
    return answer


def _clean(text: Any, what: str) -> str:
    if not isinstance(text, str):
        raise GradingError(f"{what} is no text")
    if len(text) > _LONGEST:
        raise GradingError(f"{what} has {len(text):,} characters, more than {_LONGEST:,}")
    return clean_text(text)
