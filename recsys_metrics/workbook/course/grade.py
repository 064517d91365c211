"""Grades an assignment, one student after the other; what befalls one does not befall another.

Three things end the whole run, and each says so: a disk that takes nothing more, a gradebook that
cannot be written, and a user who interrupts. All else ends in the report of one student.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recsys_metrics._core import console, iso_times
from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook.course import (
    course_folder,
    feedback,
    grading_report,
    locking,
    page_writing,
    points_of_texts,
    provenance,
    reasons,
    regrade,
    similarity,
)
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course, Student
from recsys_metrics.workbook.course.deadlines import Late
from recsys_metrics.workbook.course.gradebook import (
    Grade,
    Gradebook,
    GradebookError,
    checksums,
    opened,
)
from recsys_metrics.workbook.course.grading_report import NOTHING, NothingHandedInError
from recsys_metrics.workbook.course.provenance import Origin
from recsys_metrics.workbook.grading import (
    atomic_files,
    hand_ins,
    judge,
    sandbox,
    stray_words,
    submissions,
)
from recsys_metrics.workbook.grading.atomic_files import StorageError
from recsys_metrics.workbook.grading.judge import JudgedAnswer
from recsys_metrics.workbook.grading.limits import (
    GradingError,
    Refusal,
    RefusedSubmissionError,
)
from recsys_metrics.workbook.grading.points import format_points
from recsys_metrics.workbook.grading.questions import Question
from recsys_metrics.workbook.grading.sandbox import Stop, Trace
from recsys_metrics.workbook.grading.submissions import Submission


@dataclass
class GradedStudent:
    """What became of a student's submission.

    Attributes
    ----------
    student : str
    problem : str
        Why it could not be graded; empty if it could.
    refusal : Refusal
        Of which kind that is.
    refused_file : str
        The name of a file of answers that was not taken.
    notes : list of str
        What an instructor should know of it.
    judged_answers : list of JudgedAnswer
    seconds : float
        What it took in the sandbox.
    digest : str
        Of the file that was graded.
    answers : dict
        What is compared with the answers of others, by exercise.
    handed_in : datetime or None
        When, if that is known.
    time_from : str
        What says when: "the learning system" or "the file".
    late : Late or None
        None where it was in time, or nothing is due.
    grades : list of Grade
        What is in the gradebook after it was graded.
    in_page : bool
        Whether it was answered in the book's page, which has variants of its own.
    hints : dict
        How many hints were opened in the page, by exercise, as the page says.
    words : dict
        A hash of each answer in words, by exercise.
    cells : dict
        A hash of what was written below each question, by exercise.
    """

    student: str
    problem: str = ""
    refusal: Refusal = Refusal.OTHER
    refused_file: str = ""
    notes: list[str] = field(default_factory=list)
    judged_answers: list[JudgedAnswer] = field(default_factory=list)
    seconds: float = 0.0
    digest: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    handed_in: datetime | None = None
    time_from: str = ""
    late: Late | None = None
    grades: list[Grade] = field(default_factory=list)
    in_page: bool = False
    hints: dict[str, int] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    cells: dict[str, str] = field(default_factory=dict)

    @property
    def reached(self) -> float | None:
        """What was reached so far, with what a person gave; None if it could not be graded."""
        rows = self.grades or self.judged_answers
        known = [one.points for one in rows if one.points is not None]
        return None if self.problem else sum(known)

    @property
    def points(self) -> float | None:
        """What counts of it, after what lateness costs; None if it could not be graded."""
        reached = self.reached
        return reached if reached is None or self.late is None else self.late.points(reached)

    @property
    def lateness(self) -> str:
        """What there is to say of lateness; empty if it was in time."""
        return "" if self.late is None else self.late.said(self.reached or 0.0)

    @property
    def waiting(self) -> int:
        """How many answers a person has to read."""
        return sum(one.waits for one in self.grades)

    @property
    def by_person(self) -> str:
        """What there is to say of what a person gave; empty if that is nothing."""
        given = sum(one.is_by_person for one in self.grades)
        comments = sum(bool(one.comment.strip()) for one in self.grades)
        said = [f"{given} answer{'s' * (given > 1)} graded by a person"] if given else []
        said += [f"{comments} comment{'s' * (comments > 1)}"] if comments else []
        earlier = sum(one.earlier is not None for one in self.grades)
        said += [f"{earlier} answer{'s' * (earlier > 1)} with points for an earlier text"] * (
            earlier > 0
        )
        return ", ".join(said)


@dataclass(frozen=True)
class _Read:
    """A submission that was read, and is to be run."""

    graded: GradedStudent
    questions: list[Question]
    submission: Submission
    stamp: str | None


class Grading:
    """The grading of an assignment.

    Parameters
    ----------
    course : Course
    assignment : Assignment
    sandboxed : bool
        False to run submissions as ordinary processes.
    jobs : int
        How many to run at a time.
    wait : bool
        Whether to wait while another works on the course.
    """

    def __init__(
        self,
        course: Course,
        assignment: Assignment,
        *,
        sandboxed: bool = True,
        jobs: int = 1,
        wait: bool = False,
    ) -> None:
        self.course = course
        self.assignment = assignment
        self._sandboxed = sandboxed
        self._jobs = jobs
        self._wait = wait
        self._origins: dict[str, Origin] = {}
        self._left: set[str] = set()
        self._requests: list[regrade.Request] = []

    def run(self, students: Sequence[str] | None = None) -> Iterator[GradedStudent]:
        """Grade submissions, and yield each student when all about them is written.

        Parameters
        ----------
        students : sequence of str, optional
            Only these.

        Raises
        ------
        GradingError
            If one of them is unknown, nobody of all has handed anything in, there is no sandbox, or
            another works on the course.
        StorageError
            If the disk takes nothing more; what was graded is kept.
        """
        wanted = self._wanted(students)
        self._left = set(course_folder.list_left(self.course, wanted))
        if self.assignment.has_own and not self._sandboxed:
            raise GradingError(
                f"{self.assignment.name} has exercises of the course's own, and without a sandbox "
                "a submission could read them; grade it in a sandbox"
            )
        if self._sandboxed:
            sandbox.require_sandbox(self.course.root, self.course.limits)
        with locking.held(self.course, f"grade {self.assignment.name}", wait=self._wait):
            yield from self._held(wanted, is_whole_class=not students)

    def _held(self, wanted: Sequence[str], *, is_whole_class: bool) -> Iterator[GradedStudent]:
        self._origins = provenance.read(self.course, self.assignment.name)
        if is_whole_class and not any(map(self._has_handed_in, wanted)):
            name = self.assignment.name
            raise GradingError(
                f"nobody has handed in {name}, so nothing is graded; `{COMMAND} course collect "
                f"{name} FILE` takes in what was handed in, and --student ID grades one who handed "
                "in nothing"
            )
        self._requests = regrade.read(self.course, self.assignment.name)
        before = grading_report.read_grades(self.course, self.assignment)
        stop = Stop()
        with opened(self.course) as book:
            book.require_assignments([self.assignment.name])
            known = {one.id: one for one in book.students()}
            pool = ThreadPoolExecutor(self._jobs)
            try:
                for graded, read, trace in self._ran(wanted, pool, stop):
                    whose = known.get(graded.student, Student(graded.student))
                    earlier = before.get(graded.student, {})
                    self._finish(book, graded, read, trace, earlier)
                    before[graded.student] = _as_json(graded, earlier)
                    grading_report.save(self.course, self.assignment.name, before)
                    page_writing.write(
                        *(self.course, self.assignment, whose, book, before),
                        *(self._origins, self._requests),
                    )
                    yield graded
            finally:
                stop.request()
                pool.shutdown(cancel_futures=True)

    def _has_handed_in(self, student: str) -> bool:
        try:
            self._file(GradedStudent(student))
        except NothingHandedInError:
            return False
        except GradingError:
            return True  # what cannot be read has a page that says so
        return True

    def _wanted(self, students: Sequence[str] | None) -> list[str]:
        known = self.assignment.students
        unknown = [one for one in students or () if one not in known]
        if unknown:
            raise GradingError(
                f"{self.assignment.name} was not released to {unknown[0]!r}; "
                f"it was released to {', '.join(known)}"
            )
        self.assignment.find_deadline(self.course)
        return list(students or known)

    def _ran(
        self, students: Sequence[str], pool: ThreadPoolExecutor, stop: Stop
    ) -> Iterator[tuple[GradedStudent, _Read | None, Trace]]:
        """Run submissions, a few at a time, and yield each as it ends."""
        running: dict[Future[Trace], _Read] = {}
        for student in students:
            graded = GradedStudent(student)
            read = self._read(graded)
            if read is None:
                yield graded, None, Trace()
                continue
            try:
                job = judge.create_job(read.questions, read.submission)
            except Exception as problem:
                graded.problem = _broke("it could not be run", problem)
                yield graded, None, Trace()
                continue
            future = pool.submit(
                sandbox.run_submission,
                job,
                self.course.root,
                self.course.limits,
                sandboxed=self._sandboxed,
                stop=stop,
            )
            running[future] = read
            if len(running) >= 2 * self._jobs:
                yield from _ended(running)
        while running:
            yield from _ended(running)

    def _read(self, graded: GradedStudent) -> _Read | None:
        """Read what a student handed in, or say why it cannot be graded."""
        try:
            file = self._file(graded)
            content = course_folder.read_bounded(file, self.course.limits.notebook_mb)
            graded.digest = hashlib.sha256(content).hexdigest()
            questions = self.assignment.questions(self.course, graded.student)
            submission = submissions.parse_notebook(content, questions)
            self._check_owner(graded, submission)
            if submission.is_from_page:
                questions = self.assignment.questions(self.course, graded.student, in_page=True)
                graded.notes.append("it was answered in the page, which shows the solutions")
                graded.in_page, graded.hints = True, dict(submission.hints)
            self._note_time(graded, file)
        except GradingError as problem:
            graded.problem = str(problem)
            if isinstance(problem, RefusedSubmissionError):
                graded.refusal, graded.refused_file = problem.refusal, problem.file
            return None
        except Exception as problem:
            graded.problem = _broke("it could not be read", problem)
            return None
        if submission.is_stripped:
            graded.notes.append(
                "its cells have lost their marks; answers were found by their names"
            )
        for question in submission.find_missing_cells(questions):
            note = f"the cell of question {question.number} is missing"
            if names := reasons.find_elsewhere(questions.index(question), questions, submission):
                note += f" ({' and '.join(names)} in a cell of another question)"
            graded.notes.append(note)
        # What an update of the library has changed was not changed by the student.
        updated = self.assignment.changed(graded.student, questions, in_page=graded.in_page)
        for place, question in enumerate(questions):
            stray = stray_words.find_stray_words(place, questions, submission)
            if stray and question.id not in updated:
                is_there = bool(submission.get_text(place))
                lies = "is not all in" if is_there else "is not in"
                reads = "to be read is also" if is_there else "to be read is"
                graded.notes.append(
                    f"the answer to question {question.number} {lies} its cell; {reads} what is in "
                    f"{stray_words.list_places(stray)}"
                )
        for question in submission.find_changed_setup(questions):
            if question.id not in updated:
                graded.notes.append(
                    f"the cell with the given values of question {question.number} was changed"
                )
        return _Read(graded, questions, submission, _stamped(file))

    def _note_time(self, graded: GradedStudent, file: Path) -> None:
        """Note when a submission was handed in, what says so, and whether that was too late."""
        origin, stamp = self._origins.get(graded.student, Origin()), _moment(_stamped(file))
        when, time_from = origin.when or stamp, origin.time_from
        if origin.digest not in ("", graded.digest):
            # Put there by hand: what is noted is the time of the notebook that it replaced.
            when, time_from = stamp, ""
            if stamp == origin.when:
                when = course_folder.file_time(file)
                provenance.write_timestamp(file, when)
        if when is None:
            when = course_folder.file_time(file)
        graded.time_from = time_from or "the file"
        graded.handed_in = when
        deadline = self.assignment.find_deadline(self.course)
        graded.late = deadline.late(graded.student, when) if deadline else None
        if graded.late and graded.time_from == "the file":
            graded.notes.append("its time is the file's, no learning system's")
        if when > datetime.now(UTC):
            graded.notes.append(f"its time has not come yet: {when:%Y-%m-%d %H:%M}")
        if deadline and origin.is_late and graded.late is None:
            graded.notes.append("the learning system marks it as late, its time does not")

    def _file(self, graded: GradedStudent) -> Path:
        """Return the notebook that a student handed in, whatever it is called."""
        file = self.course.notebook("submitted", graded.student, self.assignment.name)
        if file.exists() or file.is_symlink():
            return file
        if any(path.is_symlink() for path in (file.parent, file.parent.parent)):
            raise GradingError("its folder is a symbolic link, which is never followed")
        others = sorted(
            other
            for other in file.parent.glob("*.ipynb")
            if not course_folder.is_left_out(other.name, is_folder=False)
        )
        if not others:
            origin = self._origins.get(graded.student, Origin())
            if not origin.problem:
                raise NothingHandedInError(NOTHING)
            raise RefusedSubmissionError(origin.problem, origin.refusal, origin.refused_file)
        if len(others) > 1:
            names = ", ".join(console.printable(other.name) for other in others)
            raise GradingError(f"there are {names}; name the one to grade {file.name}")
        graded.notes.append(f"it was called {console.printable(others[0].name)}")
        return others[0]

    def _check_owner(self, graded: GradedStudent, submission: Submission) -> None:
        owner = submission.find_owner(self.course.key)
        if owner is None:
            graded.notes.append("its signature is lost; it was graded by where it lay")
        elif owner[0] != graded.student:
            raise RefusedSubmissionError(
                f"it is the notebook of {owner[0]}", Refusal.NOTEBOOK_OF_ANOTHER
            )
        elif owner[1] != self.assignment.name:
            raise GradingError(f"it is a notebook of {owner[1]}")
        elif self.assignment.is_withdrawn(submission, self.course.key):
            raise GradingError(f"it is of {hand_ins.format_withdrawn(self.assignment.name)}")

    def _finish(
        self,
        book: Gradebook,
        graded: GradedStudent,
        read: _Read | None,
        trace: Trace,
        earlier: Mapping[str, Any],
    ) -> None:
        """Judge what was run, and write down all about it."""
        try:
            if read is not None:
                self._record(book, graded, read, trace, earlier)
        except (StorageError, GradebookError):
            raise
        except Exception as problem:
            book.undo()
            graded.judged_answers, graded.grades, graded.late = [], [], None
            graded.problem = _broke("its content could not be graded", problem)
        origin = self._origins.get(graded.student, Origin())
        if graded.student in self._left:
            graded.notes.append(f"is no longer in {course_folder.ROSTER}")
        if origin.problem and origin.problem != graded.problem:
            graded.notes.append(f"what came after it was not taken: {origin.problem}")

    def _record(
        self,
        book: Gradebook,
        graded: GradedStudent,
        read: _Read,
        trace: Trace,
        earlier: Mapping[str, Any],
    ) -> None:
        name = self.assignment.name
        graded.seconds = trace.seconds
        ended = reasons.explain_end(read.submission, trace)
        graded.notes += [ended] if ended else []
        graded.judged_answers = self._judged(graded, read, trace)
        graded.answers = similarity.kept(read.questions, graded.judged_answers, trace)
        graded.words = similarity.digest_words(read.questions, read.submission)
        sums = checksums(read.questions)
        shown = feedback.autograded(read.questions, read.submission, sums, graded.student)
        content = feedback.content(
            graded.judged_answers,
            ended,
            reasons.explain(read.questions, read.submission, trace, graded.judged_answers),
            reasons.errors_elsewhere(read.submission, trace),
        )
        # Whatever may fail for one student has been done by now; what follows is for the disk.
        texts = {
            one.id: points_of_texts.hash_text(
                *(self.course, name, graded.student, one.id),
                stray_words.read_answer(place, read.questions, read.submission),
                in_page=graded.in_page,
            )
            for place, one in enumerate(read.questions)
            if one.is_words
        }
        graded.cells = {
            one.id: read.submission.hash_answer(place) for place, one in enumerate(read.questions)
        }
        before = book.grades(self.assignment, graded.student) or []
        is_again = earlier.get("digest") != graded.digest
        book.record(
            *(name, graded.student, graded.judged_answers),
            changed=_list_changed(graded, before, earlier) if is_again else (),
            when=read.stamp,
            texts=texts,
        )
        graded.grades = book.grades(self.assignment, graded.student) or []
        graded.notes += [] if is_again else _list_changes(before, graded.grades)
        page_writing.save(self.course, name, graded.student, content)
        atomic_files.replace_file(self.course.notebook("autograded", graded.student, name), shown)

    def _judged(self, graded: GradedStudent, read: _Read, trace: Trace) -> list[JudgedAnswer]:
        judged_answers = judge.judge_submission(read.questions, read.submission, trace)
        in_page = read.submission.is_from_page
        changed = self.assignment.changed(graded.student, read.questions, in_page=in_page)
        if not changed:
            return judged_answers
        graded.notes.append(f"changed since it was released, to be read: {', '.join(changed)}")
        why = "This question has changed since it was handed out; a person looks at the answer."
        return [
            judge.defer_to_marker(question, why) if question.id in changed else judged_answer
            for question, judged_answer in zip(read.questions, judged_answers, strict=True)
        ]


def _ended(
    running: dict[Future[Trace], _Read],
) -> Iterator[tuple[GradedStudent, _Read | None, Trace]]:
    """Yield what has ended, after one more has."""
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        read = running.pop(future)
        problem = future.exception()
        if problem is None:
            yield read.graded, read, future.result()
        elif isinstance(problem, OSError) and atomic_files.is_disk_full(problem):
            raise atomic_files.explain_refusal(tempfile.gettempdir(), problem)
        else:
            read.graded.problem = _broke("it could not be run", problem)
            yield read.graded, None, Trace()


def _list_changed(
    graded: GradedStudent, before: Sequence[Grade], earlier: Mapping[str, Any]
) -> list[str]:
    """Return the exercises below which something else was written, or that have other points.

    Parameters
    ----------
    graded : GradedStudent
    before : sequence of Grade
        What is in the gradebook.
    earlier : mapping
        What the grading before has found.
    """
    cells, points = earlier.get("cells", {}), {one.exercise: one.auto for one in before}
    return [
        one.exercise
        for one in graded.judged_answers
        if cells.get(one.exercise) != graded.cells[one.exercise]
        or points.get(one.exercise) != one.points
    ]


def _list_changes(before: Sequence[Grade], now: Sequence[Grade]) -> list[str]:
    """Say which points of the same notebook are no longer those of the grading before."""
    changes = [
        f"{new.exercise} {_points(old)}, now {_points(new)}"
        for old, new in zip(before, now, strict=False)
        if old.points != new.points
    ]
    return [f"points changed since the last grading: {', '.join(changes)}"] if changes else []


def _points(grade: Grade) -> str:
    return "to be read" if grade.points is None else format_points(grade.points)


def _broke(what: str, problem: BaseException) -> str:
    """Say that something unexpected came up; a student's text may be in the words of it."""
    return console.printable(f"{what} ({type(problem).__name__}: {problem})")


def _stamped(file: Path) -> str | None:
    """Return when a notebook was handed in, as nbgrader keeps it; None where nobody noted it."""
    try:
        text = course_folder.read_bounded(file.with_name("timestamp.txt"), 0.001).decode().strip()
    except (GradingError, UnicodeDecodeError):
        return None
    return text if _moment(text) else None


def _moment(stamp: str | None) -> datetime | None:
    try:
        when = iso_times.parse_any_zone((stamp or "").removesuffix("UTC").strip())
    except ValueError:
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _as_json(graded: GradedStudent, before: Mapping[str, Any]) -> dict[str, Any]:
    # Where nothing new could be graded the gradebook has the grade of the submission before.
    when = graded.handed_in.isoformat() if graded.handed_in else before.get("handed_in", "")
    return {
        "digest": graded.digest,
        "problem": graded.problem,
        "refusal": graded.refusal,
        "refused_file": graded.refused_file,
        "notes": graded.notes,
        "seconds": round(graded.seconds, 2),
        "answers": graded.answers,
        "words": graded.words,
        "cells": graded.cells or before.get("cells", {}),
        "in_page": graded.in_page,
        "hints": graded.hints,
        "handed_in": when,
        "time_from": graded.time_from,
        "late": graded.lateness,
        "questions": {
            one.exercise: {
                "outcome": "" if one.points is None else str(one.outcome),
                "mistake": one.mistake,
            }
            for one in graded.judged_answers
        },
    }
