"""The grades, in nbgrader's database, so that its interface shows and corrects them.

A score of ours, or of the markers of `words agree`, is nbgrader's *auto score*. What a person gives
in nbgrader is its *manual score*, which counts before ours and which nothing here changes. That of
an answer in words is kept aside when another text comes, since it was given for the earlier one.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from recsys_metrics._core import console
from recsys_metrics._core.package_names import how_to_install
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import GRADEBOOK, Course, Student, enrolled
from recsys_metrics.workbook.course.points_of_texts import (
    EarlierPoints,
    LevelPoints,
    TextRecord,
    TextRecords,
)
from recsys_metrics.workbook.course.release_notebook import answer_metadata, answer_source
from recsys_metrics.workbook.grading.judge import JudgedAnswer
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.points import format_points, write_points
from recsys_metrics.workbook.grading.questions import Question, format_grade_id

MISSING = f"nbgrader is not installed, which keeps the grades: {how_to_install('course')}"


class GradebookError(GradingError):
    """The database does not take what is to be entered: nobody's submission has part in it."""


_BY_HAND = "correct it in nbgrader (Formgrader, Manual Grading), and give the command again"
# The columns of a row of the database that are scores, and what to do about one that is none.
_SCORES = {
    "max_score": "release the assignment again, which writes it anew",
    "auto_score": "take the file from a backup, or empty the cell and grade again",
    "manual_score": _BY_HAND,
    "extra_credit": _BY_HAND,
}


@dataclass(frozen=True)
class Grade:
    """What a student has for one question.

    Attributes
    ----------
    exercise : str
    auto, manual : float or None
        Ours, and a person's, which counts before ours. Markers who gave levels are persons.
    extra : float
        What a person gave on top.
    waits : bool
        Whether a person has to look at it.
    comment : str
        What a person wrote about it.
    earlier : EarlierPoints or None
        What was given for an earlier text, of an answer in words that is to be read again or was
        removed.
    """

    exercise: str
    auto: float | None
    manual: float | None
    extra: float
    waits: bool
    comment: str = ""
    earlier: EarlierPoints | None = None

    @property
    def points(self) -> float | None:
        """What counts; None where nobody has judged it."""
        counts = self.auto if self.manual is None else self.manual
        return None if counts is None else counts + self.extra

    @property
    def is_by_person(self) -> bool:
        """Whether a person has given or added points."""
        return self.manual is not None or self.extra != 0


@dataclass
class EnteredLevels:
    """What became of the points of levels that were to be entered for a student.

    Attributes
    ----------
    changed : list of str
        Exercises that had other points before, none, or were to be read.
    kept : list of str
        Exercises for which a person gave other points in nbgrader.
    """

    changed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


class Gradebook:
    """nbgrader's database of one course, and which texts its points were given for."""

    def __init__(self, api: Any, course: Course) -> None:
        self._api = api
        self._course = course
        self._texts: dict[str, TextRecords] = {}

    def enter(self, assignment: Assignment, questions: Sequence[Question]) -> None:
        """Enter an assignment and its questions, or bring them up to date.

        Parameters
        ----------
        assignment : Assignment
        questions : sequence of Question
            Of anybody: their cells are the same for all before they are answered.
        """
        with self._written():
            self._enter(assignment, questions)

    def _enter(self, assignment: Assignment, questions: Sequence[Question]) -> None:
        name = assignment.name
        self._api.update_or_create_assignment(name)
        self._api.update_or_create_notebook(name, name)
        sums = checksums(questions)
        for question in questions:
            kind = "markdown" if question.is_words else "code"
            where = (question.grade_id, name, name)
            points = assignment.points[question.id]
            self._api.update_or_create_grade_cell(*where, max_score=points, cell_type=kind)
            self._api.update_or_create_solution_cell(*where)
            self._api.update_or_create_source_cell(
                *where,
                cell_type=kind,
                locked=False,
                source=answer_source(question),
                checksum=sums[question.grade_id],
            )

    def enrol(self, students: Sequence[Student]) -> None:
        """Enter students, or bring their names up to date."""
        with self._written():
            for one in students:
                self._api.update_or_create_student(
                    one.id, first_name=one.first_name, last_name=one.last_name, email=one.email
                )

    def remove(self, assignment: str) -> None:
        """Remove an assignment that has no grades, if it is there."""
        with self._written():
            if assignment in {one.name for one in self._api.assignments}:
                self._api.remove_assignment(assignment)

    def require_assignments(self, names: Sequence[str]) -> None:
        """Raise GradebookError if the database lacks an assignment: it may be another one."""
        known = {one.name for one in self._api.assignments}
        if lost := [name for name in names if name not in known]:
            raise GradebookError(
                f"the gradebook does not know {', '.join(lost)}, so {GRADEBOOK} is another one or "
                "was emptied; take it from a backup, or release and grade again, which loses what "
                "was given by hand"
            )

    def students(self) -> list[Student]:
        """Return all students, by their ids.

        Names and addresses are those of the roster, where they may have been corrected since the
        release; of a student whom it does not list, those of the release.
        """
        listed = {one.id: one for one in enrolled(self._course)}
        found = [
            listed.get(one.id)
            or Student(one.id, one.first_name or "", one.last_name or "", one.email or "")
            for one in self._api.students
        ]
        return sorted(found, key=lambda student: student.id)

    def record(
        self,
        assignment: str,
        student: str,
        judged_answers: Sequence[JudgedAnswer],
        *,
        changed: Collection[str],
        when: str | None,
        texts: Mapping[str, str],
    ) -> None:
        """Enter what became of a submission.

        Parameters
        ----------
        assignment, student : str
        judged_answers : sequence of JudgedAnswer
        changed : collection of str
            Exercises to which another answer was handed in than the one graded before. What a
            person has given for that one still counts, and is marked to be looked at; in an answer
            in words it counts for the text alone that it was given for.
        when : str or None
            When it was handed in; nbgrader compares it with the file beside the submission.
        texts : mapping of str to str
            A hash of each answer in words, by exercise.

        Raises
        ------
        GradebookError
            If the database cannot be written: a full disk, or nbgrader is busy with it.
        """
        with self._written():
            self._record(
                assignment, student, judged_answers, changed=changed, when=when, texts=texts
            )

    @contextmanager
    def _written(self) -> Iterator[None]:
        """Say in a sentence that the database could not be written."""
        from nbgrader.api import InvalidEntry, app_log
        from sqlalchemy.exc import OperationalError

        before, app_log.disabled = app_log.disabled, True  # it would print a traceback
        try:
            yield
        except (OperationalError, InvalidEntry) as problem:
            self.undo()
            # nbgrader wraps all that a database says in an error of its own.
            cause: BaseException | None = problem
            while cause is not None and not isinstance(cause, OperationalError):
                cause = cause.__context__
            if cause is None:
                raise
            raise GradebookError(
                f"the gradebook could not be written ({cause.orig}); free some space, close other "
                "programs that use it, and give the same command again. What was done is kept"
            ) from None
        finally:
            app_log.disabled = before

    def undo(self) -> None:
        """Forget what was begun and not yet kept."""
        self._api.db.rollback()

    def _record(
        self,
        assignment: str,
        student: str,
        judged_answers: Sequence[JudgedAnswer],
        *,
        changed: Collection[str],
        when: str | None,
        texts: Mapping[str, str],
    ) -> None:
        # nbgrader puts a submission together in steps that are no sound ones before the last.
        with self._api.db.no_autoflush:
            self._api.update_or_create_submission(assignment, student, timestamp=when)
        notebook = self._api.find_submission_notebook(assignment, assignment, student)
        grades = {grade.name: grade for grade in notebook.grades}
        comments = {comment.name: comment for comment in notebook.comments}
        record = self.texts(assignment).of(student)
        for one in judged_answers:
            grade = grades[format_grade_id(one.exercise)]
            comment = comments[format_grade_id(one.exercise)]
            grade.auto_score = one.points
            comment.auto_comment = str(one.result)
            text = texts.get(one.exercise)
            before = record.graded.get(one.exercise)
            if text is not None and before is not None:
                _record_text(record, one, grade, comment, text)
                continue
            reviewed = grade.manual_score is not None
            grade.needs_manual_grade = (one.points is None and not reviewed) or (
                reviewed and (one.exercise in changed or grade.needs_manual_grade)
            )
        # First what was taken out of the gradebook, and last that the new texts were graded: should
        # the run end between the files, the next one does the same again.
        self.texts(assignment).save()
        self._api.db.commit()
        record.graded |= texts
        self.texts(assignment).save()

    def set_lateness(
        self, assignment: str, student: str, when: datetime | None, lost: float
    ) -> None:
        """Enter what lateness costs now: a time, a deadline or points may have changed since.

        Parameters
        ----------
        assignment, student : str
            With a submission in the gradebook.
        when : datetime or None
            When what was graded was handed in. nbgrader has no time of what nobody noted one for.
        lost : float
            What lateness costs, in points.
        """
        with self._written():
            notebook = self._api.find_submission_notebook(assignment, assignment, student)
            notebook.late_submission_penalty = lost
            if when is not None and notebook.assignment.timestamp is not None:
                notebook.assignment.timestamp = when.astimezone(UTC).replace(tzinfo=None)
            self._api.db.commit()

    def texts(self, assignment: str) -> TextRecords:
        """Return which texts the points of an assignment were given for."""
        if assignment not in self._texts:
            self._texts[assignment] = TextRecords(self._course, assignment)
        return self._texts[assignment]

    def enter_levels(
        self, assignment: str, student: str, levels: Mapping[str, LevelPoints]
    ) -> EnteredLevels:
        """Enter the points of levels, which give way to what a person gave in nbgrader.

        Those of a text that was not graded yet count from its grading on. The caller saves the
        records of the texts.

        Parameters
        ----------
        assignment, student : str
        levels : mapping of str to LevelPoints
            By exercise.

        Returns
        -------
        EnteredLevels
        """
        from nbgrader.api import MissingEntry

        entered, record = EnteredLevels(), self.texts(assignment).of(student)
        before = dict(record.levels)
        record.levels |= levels
        with self._written():
            try:
                notebook = self._api.find_submission_notebook(assignment, assignment, student)
            except MissingEntry:
                return entered
            grades = {grade.name: grade for grade in notebook.grades}
            for exercise, level in levels.items():
                if record.graded.setdefault(exercise, level.text) != level.text:
                    continue
                grade = grades[format_grade_id(exercise)]
                if grade.manual_score is not None:
                    if grade.manual_score != level.points:
                        entered.kept.append(exercise)
                elif (
                    before.get(exercise) != level
                    or grade.auto_score != level.points
                    or grade.needs_manual_grade
                ):
                    entered.changed.append(exercise)
                    grade.needs_manual_grade = False
                grade.auto_score = level.points
            self._api.db.commit()
        return entered

    def comment(
        self,
        assignment: str,
        student: str,
        exercise: str,
        text: str,
        *,
        own: Collection[str],
    ) -> bool | None:
        """Enter a comment on an answer, except where a person wrote one in nbgrader.

        Parameters
        ----------
        assignment, student, exercise : str
        text : str
            Empty to remove the comment.
        own : collection of str
            The comments that were entered before, which give way.

        Returns
        -------
        bool or None
            Whether the gradebook has changed; None where a person's comment stays, or nothing was
            graded.
        """
        from nbgrader.api import MissingEntry

        with self._written():
            try:
                notebook = self._api.find_submission_notebook(assignment, assignment, student)
            except MissingEntry:
                return None
            (there,) = [one for one in notebook.comments if one.name == format_grade_id(exercise)]
            before = there.manual_comment or ""
            if before and before not in own:
                return None
            if before == text:
                return False
            there.manual_comment = text or None
            self._api.db.commit()
        return True

    def grades(self, assignment: Assignment, student: str) -> list[Grade] | None:
        """Return a student's grades, one for each question; None where nothing was graded."""
        from nbgrader.api import MissingEntry

        name = assignment.name
        try:
            notebook = self._api.find_submission_notebook(name, name, student)
        except MissingEntry:
            return None
        grades = {grade.name: grade for grade in notebook.grades}
        comments = {one.name: one.manual_comment or "" for one in notebook.comments}
        record = self.texts(name).of(student)
        return [
            _grade(
                student,
                exercise,
                grades[format_grade_id(exercise)],
                comments.get(format_grade_id(exercise), ""),
                record,
            )
            for exercise in assignment.points
        ]


def _record_text(
    record: TextRecord, one: JudgedAnswer, grade: Any, comment: Any, text: str
) -> None:
    """Give an answer in words the points of its own text, and keep those of the earlier one.

    Parameters
    ----------
    record : TextRecord
    one : JudgedAnswer
    grade, comment
        The rows of the database.
    text : str
        A hash of the text.
    """
    name, before = one.exercise, record.graded[one.exercise]
    if text != before:
        known = record.earlier.get(name)
        given = EarlierPoints(
            before, grade.manual_score, grade.extra_credit or 0.0, comment.manual_comment or ""
        )
        if given != EarlierPoints(before, None):
            record.earlier[name] = given
        back = known if known is not None and known.text == text else None
        if back is not None and record.earlier[name] == back:
            del record.earlier[name]
        grade.manual_score = back.points if back else None
        grade.extra_credit = back.extra if back else None
        comment.manual_comment = (back.comment or None) if back else None
    level = record.find_level(name, text)
    if level is not None:
        grade.auto_score = level.points
    earlier = record.find_earlier(name, text)
    if earlier is not None and earlier.points is not None:
        comment.auto_comment += f"\n{format_points(earlier.sum)} points for an earlier text"
    is_marked = grade.manual_score is not None or level is not None
    # Where the text was deleted there is nothing to read.
    grade.needs_manual_grade = not is_marked and one.points is None


def _grade(student: str, exercise: str, grade: Any, comment: str, record: TextRecord) -> Grade:
    """Return a row of the database as a grade.

    Raises
    ------
    GradebookError
        If a score is none, as another program may write it.
    """
    most = math.inf
    for column, cure in _SCORES.items():
        value = getattr(grade, column)
        if fault := _find_score_fault(value, math.inf if column == "extra_credit" else most):
            raise GradebookError(
                f"{GRADEBOOK}, the row of {student} for {exercise}, column {column}: {fault}; "
                f"{cure}"
            )
        most = value if column == "max_score" else most
    auto, manual, waits = grade.auto_score, grade.manual_score, bool(grade.needs_manual_grade)
    text = record.graded.get(exercise, "")
    if record.find_level(exercise, text):
        auto, manual = None, auto if manual is None else manual
    earlier = record.find_earlier(exercise, text) if waits or manual is None else None
    return Grade(exercise, auto, manual, grade.extra_credit or 0.0, waits, comment, earlier)


def _find_score_fault(value: Any, most: float) -> str:
    """Return why a value is no score; empty if it is one, or none was given."""
    if value is None:
        return ""
    wanted = (
        f"a number from 0 to {write_points(most)}"
        if math.isfinite(most)
        else "a number of 0 or more"
    )
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{console.printable(str(value))!r:.60} is no number, and a score is {wanted}"
    # Points of parts may add up to a little more than the whole.
    if not math.isfinite(value) or not 0 <= value <= most + 1e-9:
        return f"{write_points(value)} is no score, which is {wanted}"
    return ""


@contextmanager
def opened(course: Course) -> Iterator[Gradebook]:
    """Open the gradebook of a course, and make it if there is none.

    Raises
    ------
    GradingError
        Without nbgrader, or if the database cannot be opened.
    """
    require()
    _import_without_servers()
    from nbgrader.api import Gradebook as Database
    from sqlalchemy import URL
    from sqlalchemy.exc import SQLAlchemyError

    made = not os.path.lexists(course.gradebook)
    # In a text, a `?` in the path would end it, and %41 would be an A.
    url = URL.create("sqlite", database=str(course.gradebook.absolute()))
    try:
        with _own_programs():
            api = Database(url, course_id=course.name)
    except (SQLAlchemyError, OSError) as problem:
        if made:
            course.gradebook.unlink(missing_ok=True)
        says = str(problem).partition("\n")[0]
        raise GradingError(f"{course.gradebook} cannot be opened as a gradebook: {says}") from None
    try:
        yield Gradebook(api, course)
    finally:
        api.close()


@contextmanager
def _own_programs() -> Iterator[None]:
    """Let nbgrader find the programs of its own environment, whether that is activated or not.

    To make a database it calls `alembic` by its name alone.
    """
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


def require() -> None:
    """Raise GradingError if nbgrader is not installed."""
    if find_spec("nbgrader") is None:
        raise GradingError(MISSING)


def _import_without_servers() -> None:
    """Import nbgrader's database without the servers that the package itself imports first.

    They take three times as long, and every command would wait for them. Who imports the package
    later gets all of it.
    """
    spec = None if "nbgrader" in sys.modules else find_spec("nbgrader")
    if spec is None:
        return
    package = ModuleType(spec.name)
    package.__path__ = list(spec.submodule_search_locations or ())
    sys.modules[spec.name] = package
    try:
        import_module("nbgrader.api")
    finally:
        del sys.modules[spec.name]


def checksums(questions: Sequence[Question]) -> dict[str, str]:
    """Return nbgrader's checksum of each answer before it was answered, by its grade id."""
    _import_without_servers()
    from nbformat import NotebookNode
    from nbgrader.utils import compute_checksum

    return {
        question.grade_id: compute_checksum(
            NotebookNode(
                cell_type="markdown" if question.is_words else "code",
                source=answer_source(question),
                metadata=NotebookNode(nbgrader=NotebookNode(answer_metadata(question))),
            )
        )
        for question in questions
    }
