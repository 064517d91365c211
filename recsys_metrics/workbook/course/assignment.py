"""An assignment: which questions it has, and for whom it was released."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from recsys_metrics._core import console
from recsys_metrics._core.package_names import COMMAND, DISTRIBUTION
from recsys_metrics.workbook.course.course_folder import (
    SETTINGS,
    Course,
    find_fault_of_id,
    list_left,
)
from recsys_metrics.workbook.course.deadlines import Deadline
from recsys_metrics.workbook.course.stored_state import (
    FROM_A_BACKUP,
    Shape,
    check_shape,
    is_count,
    is_flag,
    is_text,
    read_state,
)
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.custom_exercises import load_kept
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.questions import (
    Question,
    choose_page_seeds,
    create_page_questions,
    create_questions,
    find_exercise,
)
from recsys_metrics.workbook.grading.submissions import Submission

_VERSION = 1
_SHAPE: Shape = {
    "version": is_count,
    "name": is_text,
    "points": {str: is_count},
    "has_own?": is_flag,
    "asked": {str: {str: is_text}},
    "asked_in_page?": {str: {str: is_text}},
    "draws?": {str: {str: is_count}},
    "release?": is_count,
}


@dataclass(frozen=True)
class Assignment:
    """What was released.

    Attributes
    ----------
    name : str
    points : mapping
        Exercise ids, in the order of the notebook, and what each brings.
    asked : mapping
        For each student, a hash of each question as it was when it was released.
    has_own : bool
        Whether it asks for exercises of the course's own.
    asked_in_page : mapping
        As `asked`, of the questions as the book's pages ask them; empty where the assignment is
        answered in a notebook alone.
    draws : mapping
        For each student, which draw of each of the course's own exercises was handed out: it stays
        when a solution is corrected. A function has none, as its cases are hidden.
    release : int
        1, or more after releases of this name that were taken back.
    left : tuple of str
        Students of these who are left out, because the roster no longer lists them.
    """

    name: str
    points: Mapping[str, int]
    asked: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    has_own: bool = False
    asked_in_page: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    draws: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    release: int = 1
    left: tuple[str, ...] = ()

    @property
    def students(self) -> list[str]:
        """Ids of those it was released to, without those who are left out."""
        return [one for one in self.asked if one not in self.left]

    @property
    def out_of(self) -> int:
        """What can be reached."""
        return sum(self.points.values())

    def questions(self, course: Course, student: str, *, in_page: bool = False) -> list[Question]:
        """Return the questions of a student, as the notebook or as the book's pages ask them.

        Raises
        ------
        GradingError
            If the student was not asked them in the pages.
        """
        if in_page:
            if student not in self.asked_in_page:
                raise GradingError(
                    f"it was answered in the page, and {self.name} was released without --page; "
                    "hand in the notebook"
                )
            return create_page_questions(course.key, self.name, student, list(self.points))
        return self.create_questions(course, student, self.lookup(course))

    def create_questions(
        self, course: Course, student: str, lookup: Callable[[str], Exercise]
    ) -> list[Question]:
        """Return the questions of a student with the exercises of another file."""
        draws = self.draws.get(student)
        return create_questions(course.key, self.name, student, list(self.points), lookup, draws)

    def page_seeds(self, course: Course, student: str) -> dict[str, str | None]:
        """Return the variants that a student answers in the book's pages, by exercise."""
        exercises = {one: find_exercise(one) for one in self.points}
        return choose_page_seeds(course.key, self.name, student, exercises)

    def lookup(self, course: Course) -> Callable[[str], Exercise]:
        """Return what finds an exercise by its id, the course's own ones included."""
        own = load_kept(course.own_exercises(self.name)) if self.has_own else {}
        return partial(find_exercise, own=own)

    def is_withdrawn(self, submission: Submission, key: str) -> bool:
        """Whether a notebook is of a release of this assignment that was taken back."""
        signed = submission.find_release(key) if submission.assignment == self.name else 0
        return signed not in {0, self.release}

    def find_deadline(self, course: Course) -> Deadline | None:
        """Return when it is due; None where it is never late.

        Raises
        ------
        GradingError
            If only a name in other letters has a deadline, or a student has an extension to whom
            it was not released.
        """
        if faults := self.list_unknown_extensions(course):
            raise GradingError(faults[0])
        return course.deadline_of(self.name)

    def list_unknown_extensions(self, course: Course) -> list[str]:
        """Say which extensions are of no student it was released to: an id may be mistyped."""
        deadline = course.deadline_of(self.name)
        folded = {student.casefold(): student for student in self.asked}
        faults = []
        for student in deadline.extensions if deadline else ():
            if student in self.asked:
                continue
            near = difflib.get_close_matches(student.casefold(), folded, n=1)
            guess = f"Did you mean {folded[near[0]]!r}? " if near else ""
            faults.append(
                f"{SETTINGS} has an extension for {console.printable(student)!r:.80}, to whom "
                f"{self.name} was not released. {guess}Correct the id below "
                f"[deadlines.{self.name}.extensions], or remove the line"
            )
        return faults

    def changed(
        self, student: str, questions: list[Question], *, in_page: bool = False
    ) -> list[str]:
        """Return ids of exercises that are no longer what the student was asked."""
        before = (self.asked_in_page if in_page else self.asked)[student]
        return [
            question.id
            for question in questions
            if before.get(question.id) != question.content_hash
            or question.exercise.points != self.points[question.id]
        ]


def load(course: Course, name: str) -> Assignment:
    """Return an assignment that was released.

    Raises
    ------
    GradingError
        If there is none of this name, or its description is damaged.
    """
    known = course.assignments()
    if name not in known:
        there = (
            f"there are: {', '.join(known)}. Each command begins with its name, as in "
            f"`{COMMAND} course grade {known[0]}`"
            if known
            else f"there is none yet. `{COMMAND} course release ps1 02_ranking` makes one"
        )
        raise GradingError(f"no assignment {console.printable(name, 60)!r} was released; {there}")
    file = course.manifest(name)
    raw = read_state(file, lambda raw: _is_sound(raw, name), FROM_A_BACKUP)
    if raw is None:
        raise GradingError(f"{file} is not there any more; {FROM_A_BACKUP}")
    return Assignment(
        name,
        raw["points"],
        raw["asked"],
        raw.get("has_own") is True,
        raw.get("asked_in_page", {}),
        raw.get("draws", {}),
        raw.get("release", 1),
    )


def load_enrolled(course: Course, name: str) -> Assignment:
    """Return an assignment without the students whom the course's roster no longer lists."""
    found = load(course, name)
    return replace(found, left=tuple(list_left(course, found.asked)))


def save(course: Course, assignment: Assignment) -> None:
    """Write the description of an assignment."""
    content = {
        "version": _VERSION,
        "name": assignment.name,
        "points": dict(assignment.points),
        "has_own": assignment.has_own,
        "asked": {student: dict(asked) for student, asked in assignment.asked.items()},
        "asked_in_page": {
            student: dict(asked) for student, asked in assignment.asked_in_page.items()
        },
        "draws": {student: dict(draws) for student, draws in assignment.draws.items()},
        "release": assignment.release,
    }
    text = json.dumps(content, indent=1, ensure_ascii=False)
    atomic_files.replace_file(course.manifest(assignment.name), f"{text}\n")


def _is_sound(raw: Any, name: str) -> bool:
    """Return True for the description of an assignment; raise ValueError for anything else."""
    if isinstance(raw, dict) and is_count(raw.get("version")) and raw["version"] > _VERSION:
        raise ValueError(f"it was written by a newer {DISTRIBUTION}; upgrade to go on")
    check_shape(raw, _SHAPE)
    if raw["name"] != name:
        raise ValueError(f"name is {raw['name']!r:.80}")
    # They name folders, into which is written.
    for student in raw["asked"]:
        if find_fault_of_id(student):
            raise ValueError(f"asked has the student {student!r:.80}, an id that names no folder")
    return True
