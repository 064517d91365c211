"""Brings a folder of downloads into the course, and names what does not fit.

Whose a notebook is says the signature it was released with. Where that was lost its name has to
say it, or the name of a folder it is in. Nothing of the downloads is changed, and no link in them
is followed.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from recsys_metrics.workbook.course import folder, notebook
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.folder import Course, CourseError

_DEEP = 6
_MANY = 100_000


@dataclass(frozen=True)
class Found:
    """A notebook among the downloads that is to be taken.

    Attributes
    ----------
    path : Path
        Within the downloads.
    student : str
    content : bytes
    when : float
        When the file was changed last.
    signed : bool
        Whether the notebook itself says whose it is.
    """

    path: Path
    student: str
    content: bytes
    when: float
    signed: bool


@dataclass
class Collected:
    """What was done.

    Attributes
    ----------
    new, replaced, unchanged : list of str
        Students whose submission is the first, is another than before, is the same.
    missing : list of str
        Students of whom there is nothing, now or before.
    problems : list of (str, str)
        A file or a student, and what is the matter.
    """

    new: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)


def collect(course: Course, assignment: Assignment, downloads: Path) -> Collected:
    """Copy what was handed in to where it is graded.

    Parameters
    ----------
    course : Course
    assignment : Assignment
    downloads : Path

    Returns
    -------
    Collected

    Raises
    ------
    CourseError
        If there is no such folder.
    """
    if not downloads.is_dir():
        raise CourseError(f"{downloads} is no folder; unpack the downloads and name their folder")
    done = Collected()
    found: dict[str, list[Found]] = {}
    for path in _files(downloads, downloads, done):
        one = _look(course, assignment, downloads, path, done)
        if one is not None:
            found.setdefault(one.student, []).append(one)
    for student in assignment.students:
        if student in found:
            _take(course, assignment.name, _newest(found[student], done), done)
        elif not course.notebook("submitted", student, assignment.name).exists():
            done.missing.append(student)
    return done


def _files(downloads: Path, here: Path, done: Collected, depth: int = 0) -> Iterator[Path]:
    """Yield the plain files of a folder and those beneath it, in alphabetical order."""
    try:
        entries = sorted(os.scandir(here), key=lambda entry: entry.name)
    except OSError as problem:
        done.problems.append((_shown(downloads, here), f"cannot be read: {problem.strerror}"))
        return
    for entry in entries[:_MANY]:
        path = Path(entry.path)
        if entry.is_symlink():
            says = "is a symbolic link, which is never followed"
            done.problems.append((_shown(downloads, path), says))
        elif entry.is_dir(follow_symlinks=False):
            if depth < _DEEP:
                yield from _files(downloads, path, done, depth + 1)
            else:
                done.problems.append((_shown(downloads, path), "lies too deep to be looked at"))
        elif entry.is_file(follow_symlinks=False):
            yield path
        else:
            done.problems.append((_shown(downloads, path), "is no plain file"))


def _look(
    course: Course, assignment: Assignment, downloads: Path, path: Path, done: Collected
) -> Found | None:
    """Return a notebook that is to be taken, or say why it is not."""
    shown = _shown(downloads, path)
    named = _named(path.relative_to(downloads), assignment.students)
    if path.suffix.lower() != ".ipynb":
        if named:
            done.problems.append((shown, f"is no notebook; {named[0]} should hand in the .ipynb"))
        return None
    try:
        content = folder.read_bounded(path, course.limits.notebook_mb)
    except CourseError as problem:
        done.problems.append((shown, f"is not taken: {problem}"))
        return None
    try:
        signed = notebook.parse(content).belongs_to(course)
    except CourseError as problem:
        signed = None
        if len(named) == 1:
            done.problems.append((shown, f"is taken as it is, but {problem}"))
    if signed is not None:
        student, of = signed
        if of != assignment.name:
            done.problems.append((shown, f"is a notebook of {of}, not of {assignment.name}"))
            return None
        if student not in assignment.students:
            done.problems.append((shown, f"belongs to {student}, who is not on the list"))
            return None
        if named and student not in named:
            done.problems.append(
                (shown, f"is the notebook of {student}, handed in as {named[0]}'s; it is not taken")
            )
            return None
    elif len(named) == 1:
        student = named[0]
    else:
        whose = f"could be of {' or '.join(named)}" if named else "names no student"
        done.problems.append(
            (shown, f"{whose}, and its signature is lost; put the id into its name")
        )
        return None
    return Found(path, student, content, path.stat().st_mtime, signed is not None)


def _named(path: Path, students: Sequence[str]) -> list[str]:
    """Return the students whose id stands in a path, as a word of its own."""
    text = str(path.with_suffix("")).casefold()
    found = [
        one
        for one in students
        if re.search(rf"(?<![a-z0-9]){re.escape(one.casefold())}(?![a-z0-9])", text)
    ]
    # An id may be part of a longer one: "ann" of "ann-marie".
    return [
        one
        for one in found
        if not any(one != other and one.casefold() in other.casefold() for other in found)
    ]


def _newest(found: list[Found], done: Collected) -> Found:
    """Return the one to take of several, and name the others."""
    newest = max(found, key=lambda one: (one.when, one.signed, str(one.path)))
    others = [one for one in found if one.content != newest.content]
    if others:
        names = ", ".join(one.path.name for one in others)
        done.problems.append(
            (newest.student, f"{len(found)} files; taken is {newest.path.name}, not {names}")
        )
    return newest


def _take(course: Course, assignment: str, found: Found, done: Collected) -> None:
    file = course.notebook("submitted", found.student, assignment)
    stamp = file.with_name("timestamp.txt")
    if file.is_symlink() or (file.exists() and not file.is_file()):
        done.problems.append((found.student, f"{file} is no plain file; remove it"))
        return
    if file.exists():
        before = file.read_bytes()
        if before == found.content:
            done.unchanged.append(found.student)
            return
        _put_aside(course.earlier(found.student, assignment), before)
        done.replaced.append(found.student)
    else:
        done.new.append(found.student)
    folder.replace_file(file, found.content)
    when = datetime.fromtimestamp(found.when, UTC)
    folder.replace_file(stamp, f"{when:%Y-%m-%d %H:%M:%S.%f} UTC")


def _put_aside(place: Path, content: bytes) -> None:
    """Keep what was handed in before under the time it was replaced."""
    digest = hashlib.sha256(content).hexdigest()[:8]
    now = datetime.now(UTC)
    folder.replace_file(place / f"{now:%Y%m%dT%H%M%SZ}-{digest}.ipynb", content)


def _shown(downloads: Path, path: Path) -> str:
    # A file may have any name; what is printed is one line of text.
    return str(path.relative_to(downloads)).encode("unicode_escape").decode()[:200]
