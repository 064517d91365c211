"""Brings a folder of downloads into the course, and names what does not fit.

Whose a notebook is says the folder or the name that the learning system gave it, and the signature
it was released with has to agree. Where they do not, or two claim to be one student, the notebooks
are kept and a person decides. Nothing of the downloads is changed, no link in them is followed,
and no submission is replaced by one from elsewhere.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath

from recsys_metrics._core import console
from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook.checking.hand_in import parse_expected
from recsys_metrics.workbook.course import (
    archives,
    course_folder,
    hand_in_notebook,
    locking,
    provenance,
)
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course, Student
from recsys_metrics.workbook.course.identity import Identities, IdentityClaim, find_participant
from recsys_metrics.workbook.course.provenance import A_PERSON, Origin
from recsys_metrics.workbook.course.times import Worksheet
from recsys_metrics.workbook.grading import atomic_files, hand_ins, stray_words, submissions
from recsys_metrics.workbook.grading.atomic_files import StorageError
from recsys_metrics.workbook.grading.limits import GradingError, Refusal
from recsys_metrics.workbook.grading.questions import create_plain_questions

_NO_NOTEBOOK = "is no notebook"
_UNANSWERED = "nothing is answered in it"
_ARCHIVE = "is an archive that is not a zip, and is not opened"
_ARCHIVES = (".7z", ".rar", ".tar", ".tgz", ".gz", ".bz2", ".xz")
_DEEP = 6
_MANY = 100_000
_CLOCKS = timedelta(minutes=5)
NOBODY = "_nobody"
# Of these a person may take one file as a student's.
_FOR_A_PERSON = ("to_decide", "submitted_earlier")
# What the commands write: notebooks in it were handed out, or were collected before.
_OWN_FOLDERS = (
    *(*course_folder.FOLDERS, *_FOR_A_PERSON),
    *("assignments", "capstone", "handout", "preview", "withdrawn", "words"),
)


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
    has_account : bool
        Whether the source is an account of a learning system.
    is_late : bool
        Whether the learning system marks it so.
    number : int
        Of the file in the learning system.
    damage : str
        Why it is no notebook of the assignment; empty if it is one.
    is_answered : bool
        Whether anything in it was answered.
    is_copy : bool
        Whether its name is that of a copy that a program keeps.
    changed : datetime, optional
        When the file was changed last; `when` if that is not known.
    """

    path: str
    student: str
    content: bytes
    when: datetime
    time_from: str
    source: str
    is_owned: bool
    has_account: bool = False
    is_late: bool = False
    number: int = 0
    damage: str = ""
    is_answered: bool = False
    is_copy: bool = False
    changed: datetime | None = None

    @property
    def rank(self) -> tuple[object, ...]:
        """What of several is taken: a notebook, an answered one, the newest.

        Canvas numbers files as they come, a file that is handed in again anew, and the times in its
        zip are those of the making of the zip: so there the number says which one is newer.
        """
        return (
            not self.damage,
            self.is_answered,
            not self.is_copy,
            self.number,
            # A learning system's table has one time for all files of a student.
            self.changed or self.when,
            self.path,
        )

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
    refused : dict of str to str
        Why nothing is taken of students who have handed something in.
    problems : list of (str, str)
        A file or a student, and what is wrong.
    times : Counter of str
        What says when notebooks were handed in, with how many those are.
    left_out : list of str
        Files and folders that macOS, Jupyter or an Office program writes, and no student hands in.
    """

    new: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    problems: list[tuple[str, str]] = field(default_factory=list)
    times: Counter[str] = field(default_factory=Counter)
    left_out: list[str] = field(default_factory=list)

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
        A folder, or the zip that a platform gives.
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
        If there is no such folder, it is the course's own, or another works on the course.
    """
    if owner and owner not in assignment.students:
        raise GradingError(f"{assignment.name} was not released to {owner!r}")
    if owner and not downloads.is_file():
        raise GradingError(f"{downloads} is no file; with --owner name one notebook")
    is_zip = downloads.is_file() and archives.is_zip(downloads)
    if not owner and not downloads.is_dir() and not is_zip:
        what = "is neither a folder nor a zip" if downloads.exists() else "is not there"
        raise GradingError(
            f"{downloads} {what}; name the zip that your platform gives, or a folder. One notebook "
            "alone takes --owner ID"
        )
    _refuse_own(course, downloads, owner)
    done = Collected()
    opened = archives.unpacked(downloads, course.limits.notebook_mb, done.say)
    with (
        locking.held(course, f"collect {assignment.name}", wait=wait),
        opened if is_zip and not owner else nullcontext(downloads) as place,
    ):
        one = _Collecting(course, assignment, place, roster, worksheet or Worksheet(), done)
        try:
            return one.decided(owner) if owner else one.all()
        finally:
            provenance.save(course, assignment.name, one.origins)


def _refuse_own(course: Course, downloads: Path, owner: str) -> None:
    """Raise GradingError if downloads are a course's own files, by whatever path."""

    def lies_in(path: Path, folder: Path) -> bool:
        return folder.exists() and any(map(folder.samefile, (path, *path.parents)))

    place, root = downloads.resolve(), course.root.resolve()
    cure = "name the zip that your platform gives, or a folder with nothing but what was handed in"
    if place.is_dir() and lies_in(root, place) and not place.samefile(root):
        raise GradingError(f"{downloads} contains the course's own folder; {cure}")
    # The notebooks of a copy, or of another course, are no submissions either.
    others = [one for one in (place, *place.parents) if (one / course_folder.SETTINGS).exists()]
    for one in (root, *others):
        if place.samefile(one):
            raise GradingError(f"{downloads} is the folder of a course; {cure}")
        for name in _OWN_FOLDERS:
            if lies_in(place, one / name) and not (owner and name in _FOR_A_PERSON):
                raise GradingError(
                    f"{downloads} belongs to the folder {name} of a course, which the commands "
                    f"write; {cure}"
                )


class _Collecting:
    """One run."""

    def __init__(
        self,
        course: Course,
        assignment: Assignment,
        downloads: Path,
        roster: Sequence[Student],
        worksheet: Worksheet,
        done: Collected,
    ) -> None:
        self._course = course
        self._assignment = assignment
        self._downloads = downloads
        self.origins = provenance.read(course, assignment.name)
        # Moodle gives a number to one participant alone, so a table that told it once is enough.
        known = {
            number: (student,)
            for student, one in self.origins.items()
            if one.is_owned and (number := find_participant(one.path))
        }
        participants = {**known, **worksheet.participants}
        self._identities = Identities(assignment.students, roster, participants)
        self._times, unknown = worksheet.times(self._identities)
        self._stats: dict[bytes, os.stat_result] = {}
        self._done = done
        self._questions = create_plain_questions(list(assignment.points), assignment.lookup(course))
        for row in unknown:
            says = f"does not name one student of {assignment.name}; its time is not used"
            self._done.say(str(row), f"{says}. Correct the id, or the roster")

    def all(self) -> Collected:
        found: dict[str, list[Found]] = {}
        for path in _files(self._downloads, self._downloads, self._done):
            try:
                one = self._look(path)
            except StorageError:
                raise
            except GradingError as problem:
                self._done.say(self._shown(path), f"is not taken: {problem}")
                continue
            except Exception as problem:
                says = f"could not be read ({type(problem).__name__}: {problem})"
                self._done.say(self._shown(path), console.printable(says))
                continue
            if one is not None:
                found.setdefault(one.student, []).append(one)
        left = course_folder.list_left(self._course, self._assignment.students)
        for student in self._assignment.students:
            try:
                chosen = self._chosen(student, found.get(student, []))
                if chosen is not None:
                    self._take(chosen)
            except OSError as problem:
                says = f"could not be read ({problem.strerror or problem})"
                self._done.say(student, console.printable(f"what is there {says}"))
                continue
            if chosen is None and student not in left and not self._submission(student).exists():
                if why := self.origins.get(student, Origin()).problem:
                    self._done.refused[student] = why
                elif student not in found:
                    self._done.missing.append(student)
        return self._done

    def decided(self, owner: str) -> Collected:
        """Take one notebook as a student's since a person says so."""
        name, content = self._content(self._downloads)
        if hand_ins.is_hand_in(name, content):
            content, _ = hand_in_notebook.convert(
                self._course, self._assignment, content, self._questions
            )
            signed = self._read(content)[1]
            if signed is not None and signed[0] != owner:
                # Its answers are to the variants of that student.
                raise GradingError(f"{self._downloads} is the file of {signed[0]}, not of {owner}")
        when, time_from = self._when(owner, self._downloads)
        # The page goes back into the folder that the learning system gave the student.
        place = self.origins.get(owner, Origin()).path or console.printable(self._downloads.name)
        found = Found(place, owner, content, when, time_from, A_PERSON, True)
        damage, _, is_answered = self._read(content)
        if lacks := damage or ("" if is_answered else _UNANSWERED):
            shown = console.printable(self._downloads.name)
            self._done.say(shown, f"is taken as it is, but {lacks}")
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
        if says := _explain_no_notebook(path):
            is_json = path.suffix.lower() == ".json" or hand_ins.is_hand_in(path.name, b"")
            if is_json and says != _ARCHIVE:
                says = f"is no file of answers, which begins with {{; {hand_in_notebook.CURE}"
                say(shown, says)
                self._refuse(owner, f"what was handed in, {path.name}, {says}", shown)
            elif owner:
                self._refuse_file(shown, owner, says)
            elif says == _ARCHIVE:
                say(shown, f"{says}; unpack it and collect again")
            return None
        try:
            name, content = self._content(path)
        except GradingError as problem:
            says = str(problem)
            if hand_ins.is_hand_in(path.name, b""):  # which has no outputs to clear
                says = f"{says.partition(';')[0]}; {hand_in_notebook.CURE}"
            if archives.is_zip(path) and not owner:
                again = f"`{COMMAND} course collect {self._assignment.name} {path.name}`"
                say(shown, f"{problem}; if your platform gave it, name it alone: {again}")
            else:
                say(shown, f"is not taken: {says}")
            self._refuse(owner, f"what was handed in, {path.name}, cannot be taken: {says}", shown)
            return None
        self._stats[content] = path.stat()
        if hand_ins.is_hand_in(name, content):
            try:
                content, notes = hand_in_notebook.convert(
                    self._course, self._assignment, content, self._questions
                )
            except GradingError as problem:
                says = console.printable(f"is not taken: {problem}", 500)
                says = f"{says}; {hand_in_notebook.CURE}"
                say(shown, says)
                why = f"what was handed in, {path.name}, {says}"
                if isinstance(problem, hand_ins.OtherAssignmentError):
                    self._refuse(owner, why, shown)
                else:
                    # The reason is in the words of the format, and may name another student.
                    kind = Refusal.FILE_OF_ANSWERS
                    self._refuse(owner, why, shown, refusal=kind, refused_file=path.name)
                return None
            self._stats[content] = path.stat()
            for note in notes:
                say(shown, note)
        damage, signed, is_answered = self._read(content)
        if damage and not course_folder.is_notebook(name):
            if owner:
                self._refuse_file(shown, owner, _NO_NOTEBOOK)
            elif path.suffix.lower() == ".json":
                say(shown, f"{_NO_NOTEBOOK}; the student should hand in the .ipynb")
            return None
        if signed is not None and signed[1] != self._assignment.name:
            says = f"is a notebook of {signed[1]}, not of {self._assignment.name}"
            say(shown, says)
            self._refuse(owner, f"what was handed in {says}", shown)
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
            says = f"what was handed in is the notebook of {signer}; hand in your own"
            self._refuse(owner, says, shown, refusal=Refusal.NOTEBOOK_OF_ANOTHER)
            return None
        student = owner or signer
        if not student:
            says = "names no student, and its signature is lost"
            self._ask(shown, content, f"{says}; put the id into its name", "")
            return None
        found = self._found(shown, student, content, path, claim, is_owned=bool(owner))
        is_copy = course_folder.is_copy(name)
        return replace(found, damage=damage, is_answered=is_answered, is_copy=is_copy)

    def _content(self, path: Path) -> tuple[str, bytes]:
        """Return the name and the content of a notebook, which may lie alone in a zip."""
        most = self._course.limits.notebook_mb
        if archives.is_zip(path):
            name, content = archives.read_only_notebook(path, most)
            return PurePosixPath(name).name, content
        return path.name, course_folder.read_bounded(path, most)

    def _read(self, content: bytes) -> tuple[str, tuple[str, str] | None, bool]:
        """Return why it is no notebook of the assignment, who signed it, whether it is answered."""
        try:
            came = submissions.parse_notebook(content, self._questions)
        except GradingError as problem:
            return str(problem), None, False
        name = self._assignment.name
        damage = "" if came.has_questions else f"it has no question of {name}"
        if self._assignment.is_withdrawn(came, self._course.key):
            damage = f"it is of {hand_ins.format_withdrawn(name)}"
        is_answered = came.is_answered(self._questions) or _has_stray_words(content)
        return damage, came.find_owner(self._course.key), is_answered

    def _found(
        self,
        shown: str,
        student: str,
        content: bytes,
        path: Path,
        claim: IdentityClaim | None,
        *,
        is_owned: bool,
    ) -> Found:
        # An account is the same whether a table or a signature tells those of one name apart.
        is_known = claim is not None and (is_owned or bool(claim.system))
        claim = claim if is_known else None
        when, time_from = self._when(student, path)
        try:
            changed = course_folder.file_time(path)
        except GradingError:
            changed = when
        return Found(
            path=shown,
            student=student,
            content=content,
            when=when,
            time_from=time_from,
            source=claim.source if claim else f"the file {shown}",
            is_owned=is_owned,
            has_account=claim is not None and bool(claim.system),
            is_late=claim is not None and claim.is_late,
            number=claim.number if claim else 0,
            changed=changed,
        )

    def _when(self, student: str, path: Path) -> tuple[datetime, str]:
        if student in self._times:
            return self._times[student], "the learning system"
        return course_folder.file_time(path), "the file"

    def _chosen(self, student: str, found: list[Found]) -> Found | None:
        """Return the notebook to take of those that may be a student's, if that is certain."""
        known = self.origins.get(student, Origin())
        found = [one for one in found if one.digest not in known.refused]
        owned = [one for one in found if one.is_owned]
        strays = [one for one in found if not one.is_owned] if owned else []
        found = owned or found
        if not found:
            return None
        newest = max(found, key=lambda one: one.rank)
        for stray in strays:
            # A copy in the account of another is one to decide on, whatever is in it.
            is_of_another = stray.has_account and stray.source != newest.source
            if stray.content != newest.content or is_of_another:
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
        lacks = newest.damage or ("" if newest.is_answered else _UNANSWERED)
        if lacks and self._has_answers(student):
            says = f"is not taken: {lacks}. The notebook collected before stays"
            self._ask(newest.path, newest.content, says, student)
            self._done.unchanged.append(student)
            return None
        if lacks:
            self._done.say(newest.path, f"is taken as it is, but {lacks}")
        others = {one.digest: one for one in found if one.content != newest.content}
        for one in others.values():
            earlier = self._course.earlier(student, self._assignment.name)
            _put_aside(earlier, one.content, self._stats.get(one.content))
        if others:
            for one in others.values():
                if one.damage:
                    self._done.say(one.path, f"is not taken: {one.damage}")
            taken, *left = _tell_apart([newest.path, *(one.path for one in others.values())])
            names = ", ".join(sorted(set(left)))
            self._done.say(
                student,
                f"{len(found)} files; taken is {taken}, not {names} (kept in submitted_earlier)",
            )
        return newest

    def _take(self, found: Found, *, refused: set[str] | None = None) -> None:
        student, name = found.student, self._assignment.name
        file = self._submission(student)
        stamp = file.with_name("timestamp.txt")
        for folder in (file.parent.parent, file.parent):
            if folder.is_symlink():
                self._done.say(student, f"{folder} is a symbolic link; replace it by a folder")
                return
            if folder.exists() and not folder.is_dir():
                self._done.say(student, f"{folder} is no folder; remove it")
                return
        for place in (file, stamp):
            if place.is_symlink() or (place.exists() and not place.is_file()):
                self._done.say(student, f"{place} is no plain file; remove it")
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
            elif known.when is not None:
                self._say_other_lateness(student, known.when, when)
        else:
            _put_aside(self._course.earlier(student, name), file.read_bytes())
            self._done.replaced.append(student)
            if known.when is not None and found.when < known.when:
                says = f"what was taken now is older ({_utc(found.when)}) than what was there"
                self._done.say(student, f"{says} ({_utc(known.when)})")
        self._done.times[time_from] += 1
        self.origins[student] = Origin(
            source=found.source,
            path=found.path,
            digest=found.digest,
            is_owned=found.is_owned,
            when=when,
            time_from=time_from,
            is_late=found.is_late,
            refused=sorted({*known.refused, *(refused or ())} - {found.digest}),
        )
        atomic_files.replace_file(file, found.content)
        provenance.write_timestamp(file, when)

    def _say_other_lateness(self, student: str, before: datetime, now: datetime) -> None:
        """Say that the same notebook has another time, if that changes what lateness costs."""
        try:
            deadline = self._assignment.find_deadline(self._course)
        except GradingError:
            return  # `grade` says what is wrong with it
        if deadline is None:
            return
        late = (deadline.late(student, when) for when in (before, now))
        costs = [one.percent if one else 0.0 for one in late]
        if costs[0] != costs[1]:
            self._done.say(
                student,
                f"is the same notebook as before, and its time alone has changed, from "
                f"{_utc(before)} to {_utc(now)}: lateness now costs {costs[1]:g}% of the points, "
                f"not {costs[0]:g}%. If it was only uploaded again, give the earlier time with "
                "--times, or an extension",
            )

    def _ask(self, shown: str, content: bytes, says: str, whose: str) -> None:
        """Keep a notebook for a person to decide, and say so."""
        self._done.say(shown, f"{says}; {self._keep(whose, content)}")

    def _keep(self, whose: str, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()[:12]
        place = self._course.to_decide(whose or NOBODY, self._assignment.name)
        file = place / f"{digest}.ipynb"
        if not file.exists():
            atomic_files.replace_file(file, content)
            # A person may take it later, and it is not late for that.
            _keep_time(file, self._stats.get(content))
        return f"kept as {file.relative_to(self._course.root)} for you to decide"

    def _refuse(
        self,
        student: str,
        why: str,
        path: str = "",
        *,
        refusal: Refusal = Refusal.OTHER,
        refused_file: str = "",
    ) -> None:
        """Note why what a student handed in was not taken, for the student's own report."""
        if student:
            known = self.origins.get(student, Origin())
            self.origins[student] = known.but(
                why, path, refusal=refusal, refused_file=console.printable(refused_file)
            )

    def _refuse_file(self, shown: str, owner: str, says: str) -> None:
        """Say that a student has handed in something else than a notebook."""
        self._done.say(shown, f"{says}; {owner} should hand in the .ipynb")
        name = shown.rpartition("/")[2]
        self._refuse(owner, f"what was handed in, {name}, {says}; hand in the .ipynb", shown)

    def _has_answers(self, student: str) -> bool:
        """Whether a notebook of a student with answers was collected before."""
        file = self._submission(student)
        try:
            content = course_folder.read_bounded(file, self._course.limits.notebook_mb)
        except (GradingError, OSError):
            return False
        return self._read(content)[2]

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
        done.say(shown, f"contains {len(entries)} files; only the first {_MANY} are read")
    for entry in entries[:_MANY]:
        path = Path(entry.path)
        name = console.printable(str(path.relative_to(downloads)))
        is_folder = entry.is_dir(follow_symlinks=False)
        if course_folder.is_left_out(entry.name, is_folder=is_folder):
            done.left_out.append(f"{name}/" if is_folder else name)
        elif entry.is_symlink():
            done.say(name, "is a symbolic link, which is never followed; put the file itself there")
        elif is_folder:
            if depth < _DEEP:
                yield from _files(downloads, path, done, depth + 1)
            else:
                done.say(name, "lies too deep to be read")
        elif entry.is_file(follow_symlinks=False):
            yield path
        else:
            done.say(name, "is no plain file; put a copy of the file there")


def _tell_apart(paths: Sequence[str]) -> list[str]:
    """Return the names of files, or all their paths if two names look alike.

    >>> _tell_apart(["ann/a.ipynb", "ann/b.ipynb"])
    ['a.ipynb', 'b.ipynb']
    >>> _tell_apart(["ann/a/ps1.ipynb", "ann/b/PS1.ipynb "])
    ["'ann/a/ps1.ipynb'", "'ann/b/PS1.ipynb '"]
    """
    names = [path.rpartition("/")[2] for path in paths]
    looks = {unicodedata.normalize("NFKC", name).casefold().strip() for name in names}
    return names if len(looks) == len(names) else [f"'{path}'" for path in paths]


def _explain_no_notebook(path: Path) -> str:
    """Return what a file is instead of a notebook; empty if it may be one, whatever its name is.

    A browser adds `.txt` or `.json` to names, and leaves out endings that it does not know.
    """
    if course_folder.is_notebook(path.name) or archives.is_zip(path):
        return ""
    if path.suffix.lower() in _ARCHIVES:
        return _ARCHIVE
    with path.open("rb") as stream:
        start = stream.read(64)
    marks = codecs.BOM_UTF8 + codecs.BOM_UTF16 + b"\0 \t\r\n"
    return "" if start.lstrip(marks).startswith(b"{") else _NO_NOTEBOOK


def _has_stray_words(content: bytes) -> bool:
    """Whether a student wrote into a cell that is not for answers, by what the notebook asked."""
    asked = parse_expected(content)
    came = submissions.parse_notebook(content, asked)
    return any(stray_words.find_stray_words(place, asked, came) for place, _ in enumerate(asked))


def _put_aside(place: Path, content: bytes, stat: os.stat_result | None = None) -> None:
    """Keep what was handed in before, or beside another, under the time it was put away."""
    digest = hashlib.sha256(content).hexdigest()[:8]
    if place.is_dir() and any(place.glob(f"*-{digest}.ipynb")):
        return
    now = datetime.now(UTC)
    file = place / f"{now:%Y%m%dT%H%M%SZ}-{digest}.ipynb"
    atomic_files.replace_file(file, content)
    _keep_time(file, stat)


def _keep_time(file: Path, stat: os.stat_result | None) -> None:
    """Give a copy the time at which the file that was handed in was changed last."""
    if stat is not None:
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def _utc(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
