"""Requests to look at a grade again: who asked, why, what was answered, and the points each time.

They are kept beside the assignment and never removed. What was asked and answered stands on the
student's page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook.course import locking
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.gradebook import opened
from recsys_metrics.workbook.course.stored_state import (
    FROM_A_BACKUP,
    Shape,
    is_number,
    is_text,
    or_empty,
    or_none,
    read_state,
)
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.points import format_points
from recsys_metrics.workbook.grading.strict_json import is_moment

_VERSION = 1
_SHAPE: Shape = {
    "version?": is_number,
    "requests": [
        {
            **dict.fromkeys(("student", "question", "why", "answer?"), is_text),
            "asked": is_moment,
            "answered?": or_empty(is_moment),
            **dict.fromkeys(("before", "after?"), or_none(is_number)),
        }
    ],
}


@dataclass(frozen=True)
class Request:
    """One request.

    Attributes
    ----------
    student : str
    question : str
        Id of an exercise; empty if it is about all of them.
    asked, answered : str
        When, in ISO 8601; the second is empty as long as the request is open.
    why, answer : str
        In the words of the student and of who answered.
    before, after : float or None
        Points for the question, or for all of them, when it was asked and when it was answered;
        None where nothing was graded.
    """

    student: str
    question: str
    asked: str
    why: str
    before: float | None
    answered: str = ""
    answer: str = ""
    after: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether nobody has answered yet."""
        return not self.answered

    def __str__(self) -> str:
        about = self.question or "all questions"
        said = f"{self.student}, {about}, asked on {self.asked[:10]} ({_points(self.before)}): "
        said += self.why
        if self.is_open:
            return said
        change = f"{_points(self.before)}, now {_points(self.after)}"
        return f"{_end(said)} Answered on {self.answered[:10]} ({change}): {self.answer}"


def read(course: Course, assignment: str) -> list[Request]:
    """Return the requests about an assignment, in the order in which they were made.

    Raises
    ------
    GradingError
        If the file is damaged.
    """
    raw = read_state(course.requests(assignment), _SHAPE, FROM_A_BACKUP)
    return [Request(**one) for one in raw["requests"]] if raw else []


def ask(course: Course, assignment: Assignment, student: str, question: str, why: str) -> Request:
    """Note a request, with the points of this moment.

    Raises
    ------
    GradingError
        If the student or the question is not of the assignment, or the same is open already.
    """
    _check(assignment, student, question)
    with locking.held(course, f"request {assignment.name}"):
        known = read(course, assignment.name)
        if any(one.is_open and (one.student, one.question) == (student, question) for one in known):
            raise GradingError(
                f"{student} has asked about {question or 'all questions'} already, and nobody has "
                f"answered; answer with `{COMMAND} course request {assignment.name} {student} "
                f"{f'--question {question} ' if question else ''}--answer WORDS`"
            )
        before = points(course, assignment, student, question)
        new = Request(student, question, _now(), why, before)
        _save(course, assignment.name, [*known, new])
    return new


def answer(
    course: Course,
    assignment: Assignment,
    student: str,
    question: str,
    words: str,
    *,
    grade: Callable[[], object],
) -> Request:
    """Close an open request with words, grade again, and note the points after it.

    Parameters
    ----------
    course : Course
    assignment : Assignment
    student, question : str
    words : str
    grade : callable
        Grades the student's submission again and writes the page, with the answer on it.

    Raises
    ------
    GradingError
        If no such request is open.
    """
    at = _set(
        course,
        assignment.name,
        _open(assignment.name, student, question),
        answered=_now(),
        answer=words,
    )
    grade()
    after = points(course, assignment, student, question)
    _set(course, assignment.name, lambda known: at, after=after)
    return read(course, assignment.name)[at]


def _open(assignment: str, student: str, question: str) -> Callable[[Sequence[Request]], int]:
    """Return what finds an open request."""

    def find(known: Sequence[Request]) -> int:
        for at, one in enumerate(known):
            if one.is_open and (one.student, one.question) == (student, question):
                return at
        raise GradingError(
            f"{student} has no open request about {question or 'all questions'}; "
            f"`{COMMAND} course request {assignment}` lists them"
        )

    return find


def _set(
    course: Course, assignment: str, find: Callable[[Sequence[Request]], int], **values: object
) -> int:
    """Change one request, and return its place."""
    with locking.held(course, f"request {assignment}"):
        known = read(course, assignment)
        at = find(known)
        known[at] = replace(known[at], **values)  # type: ignore[arg-type]
        _save(course, assignment, known)
    return at


def points(
    course: Course, assignment: Assignment, student: str, question: str = ""
) -> float | None:
    """Return what a student has for a question, or for all, before what lateness costs."""
    with opened(course) as book:
        book.require_assignments([assignment.name])
        grades = book.grades(assignment, student)
    if grades is None:
        return None
    return sum(one.points or 0.0 for one in grades if question in ("", one.exercise))


def said(requests: Sequence[Request], student: str, asked: Sequence[str]) -> list[str]:
    """Return what stands on a student's page of requests.

    Parameters
    ----------
    requests : sequence of Request
    student : str
    asked : sequence of str
        The exercises of the assignment in their order: a page has them by number.
    """
    found = []
    for one in requests:
        if one.student == student:
            number = asked.index(one.question) + 1 if one.question in asked else 0
            about = f"question {number}" if number else one.question or "all questions"
            text = f"You asked on {one.asked[:10]} about {about}: {one.why}"
            found.append(text)
            if not one.is_open:
                found.append(f"Answered on {one.answered[:10]}: {one.answer}")
    return found


def _check(assignment: Assignment, student: str, question: str) -> None:
    if student not in assignment.students:
        raise GradingError(
            f"{assignment.name} was not released to {student!r}; it was released to "
            f"{', '.join(assignment.students)}"
        )
    if question and question not in assignment.points:
        raise GradingError(
            f"{assignment.name} does not ask {question!r}; it asks {', '.join(assignment.points)}"
        )


def _end(text: str) -> str:
    """Return a text that ends as a sentence."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _points(value: float | None) -> str:
    if value is None:
        return "not graded"
    shown = format_points(value)
    return f"{shown} point{'s' * (shown != '1')}"


def _now() -> str:
    return datetime.now(UTC).astimezone().isoformat(timespec="seconds")


def _save(course: Course, assignment: str, requests: Sequence[Request]) -> None:
    content = {"version": _VERSION, "requests": [asdict(one) for one in requests]}
    text = json.dumps(content, indent=1, ensure_ascii=False)
    atomic_files.replace_file(course.requests(assignment), f"{text}\n")
