"""Whose a file is, by the folder or the name that a learning system gave it.

Three layouts are known. The outermost part of a path that has one of them decides, since what lies
within is the student's to name.

- Moodle, "Download all submissions" (mod/assign/classes/downloader.php): a folder
  `Ann Lee_1001_assignsubmission_file` for each student, or files
  `Ann Lee_1001_assignsubmission_file_ps1.ipynb`. The number is the participant's in this one
  assignment; the grading worksheet lists it.
- Canvas, "Download Submissions" (lib/content_zipper.rb): files `leeann_17_4711_ps1.ipynb`, or
  `leeann_LATE_17_4711_…`. The first number is the user's, the second the file's.
- Plain folders: a folder or a file with the student's id, lms_id, e-mail or whole name in its name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath

from recsys_metrics._core import console
from recsys_metrics.workbook.course.course_folder import Student

_MOODLE = re.compile(r"(?P<name>[^_]*)_(?P<user>\d+)_assignsubmission_[a-z]+(?:_.*)?")
_CANVAS = re.compile(r"(?P<name>\w*?)(?:_?(?P<late>LATE))?_(?P<user>\d+)_(?P<file>\d+)_.+")
_CANVAS_ANONYMOUS = re.compile(r"(?P<late>LATE_)?anon_[A-Za-z0-9]+_(?P<file>\d+)_.+")
# Moodle's name for everybody while an assignment is marked anonymously.
_MOODLE_ANONYMOUS = "participant"
# What a browser or a person adds to a name that is there already: " (3)", "-2", " - Copy (4)".
_AGAIN = re.compile(r"(?<=.)([\s_-]*\(\d{1,3}\)|[\s_-]+\d{1,3}|[\s_-]+[Cc]opy)+$")


@dataclass(frozen=True)
class IdentityClaim:
    """What a path says of its owner.

    Attributes
    ----------
    students : tuple of str
        Whose it could be; one where the path names one student.
    source : str
        The account or the name that it was handed in under, in words.
    system : str
        "Moodle", "Canvas", or empty for plain folders.
    is_late : bool
        Whether the learning system marks it as late.
    number : int
        Of the file in the learning system: a later one is larger.
    """

    students: tuple[str, ...]
    source: str
    system: str = ""
    is_late: bool = False
    number: int = 0


def find_participant(path: str) -> str:
    """Return Moodle's number of the participant in a path of its downloads; empty if none.

    >>> find_participant("all/Ann Lee_1001_assignsubmission_file/ps1.ipynb")
    '1001'
    """
    found = filter(None, map(_MOODLE.fullmatch, PurePosixPath(path).parts))
    return next((one["user"] for one in found), "")


class Identities:
    """The students of an assignment, as a learning system and a roster know them.

    Parameters
    ----------
    students : sequence of str
        Ids.
    roster : sequence of Student
        What is known of them.
    participants : mapping
        Moodle's numbers in this assignment and whom they are given to: an id, an e-mail or a name.
    """

    def __init__(
        self,
        students: Sequence[str],
        roster: Sequence[Student] = (),
        participants: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        rows = {one.id: one for one in roster}
        self._students = [rows.get(one, Student(one)) for one in students]
        self._participants = participants or {}

    def claim(self, path: PurePath) -> IdentityClaim | None:
        """Return what a path within the downloads says of its owner; None if it says nothing."""
        for place, part in enumerate(path.parts, 1):
            is_file = place == len(path.parts)
            claim = self._moodle(part) or (self._canvas(part) if is_file else None)
            claim = claim or self._plain(part, is_file=is_file)
            if claim is not None:
                return claim
        return None

    def whose(self, *names: str, number: str = "") -> tuple[str, ...]:
        """Return the students whom a learning system means.

        Parameters
        ----------
        names : str
            Each may be an id, an lms_id, an e-mail or a name.
        number : str
            The system's own, which is an lms_id and never an id: they may be equal by chance.
        """
        by_number = self._called(number, lambda one: one.lms_ids) if number else ()
        by_name: tuple[str, ...] = ()
        for name in filter(None, (name.strip() for name in names)):
            by_name = self._called(name, lambda one: [one.id, one.email, *one.lms_ids]) or tuple(
                one.id for one in self._students if _letters(name) in _names(one)
            )
            if by_name:
                break
        if not (by_number and by_name):
            return by_number or by_name
        # The number tells those of one name apart; where the two disagree nobody is meant for sure.
        both = tuple(one for one in by_name if one in by_number)
        return both or (*by_number, *by_name)

    def _called(self, name: str, names: Callable[[Student], list[str]]) -> tuple[str, ...]:
        return tuple(
            one.id
            for one in self._students
            if _folded(name) in {_folded(other) for other in names(one) if other}
        )

    def _moodle(self, part: str) -> IdentityClaim | None:
        found = _MOODLE.fullmatch(part)
        if found is None:
            return None
        number, name = found["user"], found["name"]
        source = console.printable(f"Moodle's {name} ({number})")
        anonymous = _letters(name) == _MOODLE_ANONYMOUS
        listed = self._participants.get(number, ())
        students = self.whose(*listed, "" if anonymous else name, number=number)
        return IdentityClaim(students, source, "" if anonymous and not students else "Moodle")

    def _canvas(self, part: str) -> IdentityClaim | None:
        found = _CANVAS_ANONYMOUS.fullmatch(part)
        if found is not None:
            source = console.printable(f"Canvas's {part}")
            return IdentityClaim((), source, "", bool(found["late"]), int(found["file"]))
        found = _CANVAS.fullmatch(part)
        if found is None:
            return None
        number, name = found["user"], found["name"]
        source = console.printable(f"Canvas's {name} ({number})")
        students = self.whose(name, number=number)
        return IdentityClaim(students, source, "Canvas", bool(found["late"]), int(found["file"]))

    def _plain(self, part: str, *, is_file: bool) -> IdentityClaim | None:
        name = PurePath(part).stem if is_file and part.lower().endswith(".ipynb") else part
        students = self.whose(name) or self._words(name)
        if not students:
            return None
        whose = students[0] if len(students) == 1 else " or ".join(students)
        return IdentityClaim(students, f"the name {whose}")

    def _words(self, text: str) -> tuple[str, ...]:
        """Return the students whose id, lms_id or e-mail stands in a text as a word of its own."""
        folded, without = _folded(text), _folded(_AGAIN.sub("", text))
        found: dict[str, str] = {}
        for one in self._students:
            words = [_folded(word) for word in (one.id, one.email, *one.lms_ids) if word]
            # A browser's number is nobody's id, not even that of student 3.
            there = [
                word for word in words if _stands(word, without if _is_short(word) else folded)
            ]
            if there:
                found[one.id] = max(there, key=len)
        # An id may be part of a longer one: "ann" of "ann-marie".
        return tuple(
            student
            for student, word in found.items()
            if not any(word != other and word in other for other in found.values())
        )


def _folded(text: str) -> str:
    # In names of files an underscore stands for a space.
    return unicodedata.normalize("NFC", text).casefold().replace("_", " ")


def _stands(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _is_short(word: str) -> bool:
    return word.isdecimal() and len(word) <= 3


def _letters(text: str) -> str:
    """Return a name without what learning systems leave out of the names of files."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return "".join(sign for sign in folded if sign.isalnum())


def _names(student: Student) -> set[str]:
    orders = (
        f"{student.first_name}{student.last_name}",
        f"{student.last_name}{student.first_name}",
    )
    return {_letters(one) for one in orders if student.first_name and student.last_name}
