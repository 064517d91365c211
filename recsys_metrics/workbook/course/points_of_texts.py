"""Which text the points of an answer in words were given for.

In the gradebook the points of a marker's level are an automatic score, and a person's are a manual
one: so who gave them is never guessed. Both belong to the text that was read. When another text is
graded, what a person gave in nbgrader is kept here, and comes back with the earlier text.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.stored_state import (
    FROM_A_BACKUP,
    Shape,
    is_number,
    is_text,
    or_none,
    read_state,
)
from recsys_metrics.workbook.grading import atomic_files, signatures

_VERSION = 1
_SHAPE: Shape = {
    "version": is_number,
    "students": {
        str: {
            "graded": {str: is_text},
            "levels": {str: {"text": is_text, "points": is_number}},
            "earlier": {
                str: {
                    "text": is_text,
                    "points": or_none(is_number),
                    "extra": is_number,
                    "comment": is_text,
                }
            },
            "comments": {str: [is_text]},
        }
    },
}


@dataclass(frozen=True)
class LevelPoints:
    """The points of the markers' levels.

    Attributes
    ----------
    text : str
        A hash of the text that they were given for.
    points : float
    """

    text: str
    points: float


@dataclass(frozen=True)
class EarlierPoints:
    """What was given for a text that another one has replaced.

    Attributes
    ----------
    text : str
        A hash of the text that it was given for.
    points : float or None
    extra : float
        What a person gave on top.
    comment : str
    """

    text: str
    points: float | None
    extra: float = 0.0
    comment: str = ""

    @property
    def sum(self) -> float:
        """The points, with what was given on top."""
        return (self.points or 0.0) + self.extra


@dataclass
class TextRecord:
    """The answers in words of a student, each by its exercise.

    Attributes
    ----------
    graded : dict of str to str
        A hash of the text that was graded last, which nbgrader shows.
    levels : dict of str to LevelPoints
    earlier : dict of str to EarlierPoints
        What a person gave in nbgrader for another text.
    comments : dict of str to list of str
        What `words agree` has entered: two while the gradebook is written, one before and after.
    """

    graded: dict[str, str] = field(default_factory=dict)
    levels: dict[str, LevelPoints] = field(default_factory=dict)
    earlier: dict[str, EarlierPoints] = field(default_factory=dict)
    comments: dict[str, list[str]] = field(default_factory=dict)

    def find_level(self, exercise: str, text: str) -> LevelPoints | None:
        """Return the points of the levels of a text; None if they are of another, or none."""
        level = self.levels.get(exercise)
        return level if level is not None and level.text == text else None

    def find_earlier(self, exercise: str, text: str) -> EarlierPoints | None:
        """Return what was given, in nbgrader or by levels, for another text than this one."""
        level, earlier = self.levels.get(exercise), self.earlier.get(exercise)
        if level is None or level.text == text:
            return earlier
        if earlier is None:
            return EarlierPoints(level.text, level.points)
        is_both = earlier.points is None and earlier.text == level.text
        return replace(earlier, points=level.points) if is_both else earlier


class TextRecords:
    """The answers in words to an assignment, by student.

    Parameters
    ----------
    course : Course
    assignment : str
    """

    def __init__(self, course: Course, assignment: str) -> None:
        self._file = course.root / "assignments" / f"{assignment}.words.json"
        raw = read_state(self._file, _SHAPE, FROM_A_BACKUP) or {"students": {}}
        self.students = {student: _parse(one) for student, one in raw["students"].items()}

    def of(self, student: str) -> TextRecord:
        """Return the record of a student, an empty one if there is none."""
        return self.students.setdefault(student, TextRecord())

    def save(self) -> None:
        """Write the records down."""
        content = {
            "version": _VERSION,
            "students": {student: asdict(one) for student, one in self.students.items()},
        }
        text = json.dumps(content, indent=1, ensure_ascii=False)
        atomic_files.replace_file(self._file, f"{text}\n")


def _parse(raw: dict[str, Any]) -> TextRecord:
    levels = {name: LevelPoints(**one) for name, one in raw["levels"].items()}
    earlier = {name: EarlierPoints(**one) for name, one in raw["earlier"].items()}
    return TextRecord(raw["graded"], levels, earlier, raw["comments"])


def hash_text(
    course: Course, assignment: str, student: str, exercise: str, text: str, *, in_page: bool
) -> str:
    """Return what changes with a text, but for its blanks, and with the question."""
    question = f"{exercise} {in_page}"
    whose = f"{assignment} text of {student}"
    return signatures.sign_notebook(course.key, whose, f"{question} {' '.join(text.split())}")
