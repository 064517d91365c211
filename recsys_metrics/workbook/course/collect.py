"""Brings a folder of downloads into the course, and names what does not fit.

Whose a notebook is says the folder or the name that the learning system gave it, and the signature
it was released with has to agree. Where they do not, or two claim to be one student, the notebooks
are kept and a person decides. Nothing of the downloads is changed, no link in them is followed,
and no submission is replaced by one from elsewhere.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from recsys_metrics._core import console
from recsys_metrics.workbook.course import course_folder, locking, provenance
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course, Student
from recsys_metrics.workbook.course.identity import Identities, IdentityClaim
from recsys_metrics.workbook.course.provenance import A_PERSON, Origin
from recsys_metrics.workbook.course.times import Worksheet
from recsys_metrics.workbook.grading import atomic_files, submissions
from recsys_metrics.workbook.grading.atomic_files import StorageError
from recsys_metrics.workbook.grading.limits import GradingError

_DEEP = 6
_MANY = 100_000
_CLOCKS = timedelta(minutes=5)
NOBODY = "_nobody"


@dataclass(frozen=True)
class Found:
    """A notebook among the downloads that may be a student's.

    Attributes
    ----------
    path : str
        Within the downloads, as it can be printed.
    student : str
    content : bytes
    when : datetime
    time_from : str
        What says so: "the learning system" or "the file".
    source : str
        The account or the name it was handed in under.
    is_owned : bool
        Whether that, and not the signature alone, says whose it is.
    is_late : bool
        Whether the learning system marks it so.
    number : int
        Of the file in the learning system.
    """

    path: str
    student: str
    content: bytes
    when: datetime
    time_from: str
    source: str
    is_owned: bool
    is_late: bool = False
    number: int = 0

    @property
    def digest(self) -> str:
        """Of the content."""
        return hashlib.sha256(self.content).hexdigest()


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
        A file or a student, and what is wrong.
    """

    new: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)

    def say(self, what: str, says: str) -> None:
        """Note what is wrong with a file or a student."""
        self.problems.append((what, says))


def collect(
    course: Course,
    assignment: Assignment,
    downloads: Path,
    *,
    roster: Sequence[Student] = (),
    worksheet: Worksheet | None = None,
    owner: str = "",
    wait: bool = False,
) -> Collected:
    """Copy what was handed in to where it is graded.

    Parameters
    ----------
    course : Course
    assignment : Assignment
    downloads : Path
    roster : sequence of Student
        What learning systems call the students.
    worksheet : Worksheet, optional
        When they handed in.
    owner : str
        With it `downloads` is one notebook, and a person says that it is this student's.
    wait : bool
        Whether to wait while another works on the course.

    Returns
    -------
    Collected

    Raises
    ------
    GradingError
        If there is no such folder, or another works on the course.
    """
    if owner and owner not in assignment.students:
        raise GradingError(f"{assignment.name} was not released to {owner!r}")
    if owner and not downloads.is_file():
        raise GradingError(f"{downloads} is no file; with --owner name one notebook")
    if not owner and not downloads.is_dir():
        raise GradingError(f"{downloads} is no folder; unpack the downloads and name their folder")
    with locking.held(course, f"collect {assignment.name}", wait=wait):
        one = _Collecting(course, assignment, downloads, roster, worksheet or Worksheet())
        try:
            return one.decided(owner) if owner else one.all()
        finally:
            provenance.save(course, assignment.name, one.origins)


class _Collecting:
    """One run."""

    def __init__(
        self,
        course: Course,
        assignment: Assignment,
        downloads: Path,
        roster: Sequence[Student],
        worksheet: Worksheet,
    ) -> None:
        self._course = course
        self._assignment = assignment
        self._downloads = downloads
        self._identities = Identities(assignment.students, roster, worksheet.participants)
        self._times = worksheet.times(self._identities)
        self.origins = provenance.read(course, assignment.name)
        self._done = Collected()

    def all(self) -> Collected:
        found: dict[str, list[Found]] = {}
        for path in _files(self._downloads, self._downloads, self._done):
            try:
                one = self._look(path)
            except StorageError:
                raise
            except Exception as problem:
                says = f"could not be looked at ({type(problem).__name__}: {problem})"
                self._done.say(self._shown(path), console.printable(says))
                continue
            if one is not None:
                found.setdefault(one.student, []).append(one)
        for student in self._assignment.students:
            try:
                chosen = self._chosen(student, found.get(student, []))
                if chosen is not None:
                    self._take(chosen)
            except OSError as problem:
                says = f"could not be looked at ({problem.strerror or problem})"
                self._done.say(student, console.printable(f"what is there {says}"))
                continue
            if chosen is None and not self._submission(student).exists() and student not in found:
                self._done.missing.append(student)
        return self._done

    def decided(self, owner: str) -> Collected:
        """Take one notebook as a student's since a person says so."""
        content = course_folder.read_bounded(self._downloads, self._course.limits.notebook_mb)
        when, time_from = self._when(owner, self._downloads)
        found = Found(
            console.printable(self._downloads.name), owner, content, when, time_from, A_PERSON, True
        )
        kept = self._course.to_decide(owner, self._assignment.name).glob("*.ipynb")
        refused = {hashlib.sha256(one.read_bytes()).hexdigest() for one in kept} - {found.digest}
        self._take(found, refused=refused)
        return self._done

    def _look(self, path: Path) -> Found | None:
        """Return a notebook that may be taken, or say why it is not."""
        shown, say = self._shown(path), self._done.say
        claim = self._identities.claim(path.relative_to(self._downloads))
        named = claim.students if claim else ()
        owner = named[0] if len(named) == 1 else ""
        if path.suffix.lower() != ".ipynb":
            if owner:
                say(shown, f"is no notebook; {owner} should hand in the .ipynb")
            return None
        try:
            content = course_folder.read_bounded(path, self._course.limits.notebook_mb)
        except GradingError as problem:
            say(shown, f"is not taken: {problem}")
            self._refuse(owner, str(problem))
            return None
        damage, signed = "", None
        try:
            signed = submissions.parse_notebook(content).find_owner(self._course.key)
        except GradingError as problem:
            damage = str(problem)
        if signed is not None and signed[1] != self._assignment.name:
            says = f"is a notebook of {signed[1]}, not of {self._assignment.name}"
            say(shown, says)
            self._refuse(owner, f"what was handed in {says}")
            return None
        if signed is not None and signed[0] not in self._assignment.students:
            say(shown, f"belongs to {signed[0]}, who is not on the list")
            return None
        signer = signed[0] if signed else ""
        if len(named) > 1 and signer not in named:
            whose = " or ".join(named)
            self._ask(shown, content, f"could be of {whose}, and its signature is lost", signer)
            return None
        if claim is not None and claim.system and not named:
            by = f", and its signature says it is {signer}'s" if signer else ""
            self._ask(
                shown,
                content,
                f"was handed in as {claim.source}, whom the roster does not know{by}; write the "
                "number into the column lms_id of roster.csv, or the name",
                signer,
            )
            return None
        if owner and signer and owner != signer:
            self._ask(
                shown,
                content,
                f"is the notebook of {signer}, handed in as {owner}'s; it is not taken",
                owner,
            )
            self._refuse(owner, f"what was handed in is the notebook of {signer}")
            return None
        student = owner or signer
        if not student:
            says = "names no student, and its signature is lost"
            self._ask(shown, content, f"{says}; put the id into its name", "")
            return None
        if damage:
            say(shown, f"is taken as it is, but {damage}")
        return self._found(shown, student, content, path, claim if owner else None)

    def _found(
        self, shown: str, student: str, content: bytes, path: Path, claim: IdentityClaim | None
    ) -> Found:
        when, time_from = self._when(student, path)
        return Found(
            path=shown,
            student=student,
            content=content,
            when=when,
            time_from=time_from,
            source=claim.source if claim else f"the file {shown}",
            is_owned=claim is not None,
            is_late=claim is not None and claim.is_late,
            number=claim.number if claim else 0,
        )

    def _when(self, student: str, path: Path) -> tuple[datetime, str]:
        if student in self._times:
            return self._times[student], "the learning system"
        return datetime.fromtimestamp(path.stat().st_mtime, UTC), "the file"

    def _chosen(self, student: str, found: list[Found]) -> Found | None:
        """Return the notebook to take of those that may be a student's, if that is certain."""
        known = self.origins.get(student, Origin())
        found = [one for one in found if one.digest not in known.refused]
        owned = [one for one in found if one.is_owned]
        strays = [one for one in found if not one.is_owned] if owned else []
        found = owned or found
        if not found:
            return None
        newest = max(found, key=lambda one: (one.number, one.when, one.path))
        for stray in strays:
            if stray.content != newest.content:
                says = f"has the signature of {student}, who handed in {newest.path}"
                self._ask(stray.path, stray.content, says, student)
        claims = {one.source for one in found if one.content != newest.content} | {newest.source}
        if len(claims) > 1:
            for one in found:
                keep = self._keep(student, one.content)
                self._done.say(
                    one.path, f"is one of {len(claims)} that claim to be {student}'s; {keep}"
                )
            self._refuse(student, "several notebooks claim to be this student's; a person decides")
            return None
        if known.is_other(newest.source, newest.digest, is_owned=newest.is_owned):
            keep = self._keep(student, newest.content)
            says = f"comes from {newest.source}, what is there from {known.source}; {keep}"
            self._done.say(newest.path, says)
            return None
        others = {one.digest: one for one in found if one.content != newest.content}
        for one in others.values():
            _put_aside(self._course.earlier(student, self._assignment.name), one.content)
        if others:
            names = ", ".join(sorted({one.path.rpartition("/")[2] for one in others.values()}))
            taken = newest.path.rpartition("/")[2]
            self._done.say(
                student,
                f"{len(found)} files; taken is {taken}, not {names} (kept in submitted_earlier)",
            )
        return newest

    def _take(self, found: Found, *, refused: set[str] | None = None) -> None:
        student, name = found.student, self._assignment.name
        file = self._submission(student)
        if file.is_symlink() or (file.exists() and not file.is_file()):
            self._done.say(student, f"{file} is no plain file; remove it")
            return
        known = self.origins.get(student, Origin())
        now = datetime.now(UTC)
        if found.when > now + _CLOCKS:
            self._done.say(
                student, f"its time, {_utc(found.when)} by {found.time_from}, has not come yet"
            )
        # A file's time changes when it is copied or unpacked again; the first one is the best.
        when, time_from = found.when, found.time_from
        if not file.exists():
            self._done.new.append(student)
        elif file.read_bytes() == found.content:
            self._done.unchanged.append(student)
            if known.when is not None and time_from == "the file":
                when, time_from = known.when, known.time_from
        else:
            _put_aside(self._course.earlier(student, name), file.read_bytes())
            self._done.replaced.append(student)
            if known.when is not None and found.when < known.when:
                says = f"what was taken now is older ({_utc(found.when)}) than what was there"
                self._done.say(student, f"{says} ({_utc(known.when)})")
        self.origins[student] = Origin(
            source=found.source,
            path=found.path,
            is_owned=found.is_owned,
            when=when,
            time_from=time_from,
            is_late=found.is_late,
            refused=sorted({*known.refused, *(refused or ())} - {found.digest}),
        )
        atomic_files.replace_file(file, found.content)
        text = f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
        atomic_files.replace_file(file.with_name("timestamp.txt"), text)

    def _ask(self, shown: str, content: bytes, says: str, whose: str) -> None:
        """Keep a notebook for a person to decide, and say so."""
        self._done.say(shown, f"{says}; {self._keep(whose, content)}")

    def _keep(self, whose: str, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()[:12]
        place = self._course.to_decide(whose or NOBODY, self._assignment.name)
        file = place / f"{digest}.ipynb"
        if not file.exists():
            atomic_files.replace_file(file, content)
        return f"kept as {file.relative_to(self._course.root)} for you to decide"

    def _refuse(self, student: str, why: str) -> None:
        """Note why what a student handed in was not taken, for the student's own report."""
        if student:
            known = self.origins.get(student, Origin())
            self.origins[student] = known.but(why)

    def _submission(self, student: str) -> Path:
        return self._course.notebook("submitted", student, self._assignment.name)

    def _shown(self, path: Path) -> str:
        return console.printable(str(path.relative_to(self._downloads)))


def _files(downloads: Path, here: Path, done: Collected, depth: int = 0) -> Iterator[Path]:
    """Yield the plain files of a folder and those beneath it, in alphabetical order."""
    shown = console.printable(str(here.relative_to(downloads)))
    try:
        entries = sorted(os.scandir(here), key=lambda entry: entry.name)
    except OSError as problem:
        done.say(shown, f"cannot be read: {problem.strerror}")
        return
    if len(entries) > _MANY:
        done.say(shown, f"holds {len(entries)} files; only the first {_MANY} are looked at")
    for entry in entries[:_MANY]:
        path = Path(entry.path)
        name = console.printable(str(path.relative_to(downloads)))
        if entry.is_symlink():
            done.say(name, "is a symbolic link, which is never followed")
        elif entry.is_dir(follow_symlinks=False):
            if depth < _DEEP:
                yield from _files(downloads, path, done, depth + 1)
            else:
                done.say(name, "lies too deep to be looked at")
        elif entry.is_file(follow_symlinks=False):
            yield path
        else:
            done.say(name, "is no plain file")


def _put_aside(place: Path, content: bytes) -> None:
    """Keep what was handed in before, or beside another, under the time it was put away."""
    digest = hashlib.sha256(content).hexdigest()[:8]
    if place.is_dir() and any(place.glob(f"*-{digest}.ipynb")):
        return
    now = datetime.now(UTC)
    atomic_files.replace_file(place / f"{now:%Y%m%dT%H%M%SZ}-{digest}.ipynb", content)


def _utc(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
