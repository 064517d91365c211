"""Writes the notebooks of an assignment, one for each student."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook.course import assignment as assignments
from recsys_metrics.workbook.course import course_folder, gradebook, locking, release_notebook
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course, Student
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.grading import (
    atomic_files,
    copy_probability,
    exercise_rules,
    signatures,
)
from recsys_metrics.workbook.grading.custom_exercises import get_python_file, load_kept, locate
from recsys_metrics.workbook.grading.custom_exercises import list_data_files as own_data
from recsys_metrics.workbook.grading.custom_exercises import load_exercises as load_own
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.questions import (
    Question,
    create_page_questions,
    create_plain_questions,
    create_questions,
    find_exercise,
)

OF_OPEN_ANSWERS = 0.3
"""The least that answers in words or by code should bring, of an assignment's points."""

PREVIEW = Student("_preview", "Preview")
"""Nobody: an id of the roster begins with a letter or a digit."""

# At each release; all of the law takes longer, and has a command of its own.
_A_LOOK = 40


@dataclass
class Released:
    """What was done.

    Attributes
    ----------
    assignment : Assignment
    written, unchanged : list of str
        Students whose notebook is new, and whose was there.
    kept : list of str
        Students whose notebook is there and asks other than what would be written now.
    kept_with_head : list of str
        Students whose notebook is there, with another first cell than it would have now.
    same : list of str
        Ids of the exercises that have one right answer for all students.
    in_words_or_code : list of str
        Ids of the exercises that are answered so.
    corrected : bool
        Whether the notebooks that are there are graded by a corrected file from now on.
    """

    assignment: Assignment
    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    kept_with_head: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    in_words_or_code: list[str] = field(default_factory=list)
    corrected: bool = False

    @property
    def same_points(self) -> int:
        """What the exercises bring that have one right answer for all."""
        return sum(self.assignment.points[one] for one in self.same)

    @property
    def too_much_is_same(self) -> bool:
        """Whether that is more than a tenth of the assignment."""
        return self.same_points > copy_probability.OF_AN_ASSIGNMENT * self.assignment.out_of

    @property
    def open_points(self) -> int:
        """What the exercises bring that are answered in words or by code."""
        return sum(self.assignment.points[one] for one in self.in_words_or_code)

    @property
    def too_little_is_open(self) -> bool:
        """Whether that is less than three tenths of the assignment."""
        return self.open_points < OF_OPEN_ANSWERS * self.assignment.out_of


def release(
    course: Course,
    name: str,
    exercises: Sequence[str],
    students: Sequence[Student],
    *,
    own: Path | None = None,
    page: bool = False,
    wait: bool = False,
) -> Released:
    """Write a notebook for each student who has none yet.

    Parameters
    ----------
    course : Course
    name : str
        Of the assignment.
    exercises : sequence of str
        Ids.
    students : sequence of Student
        Those who come later may be released to later: nothing that is there is written again.
    own : Path, optional
        A file with exercises of the course's own. A copy is kept with the assignment, and students
        are graded by that. A corrected file replaces it if students see the same of it.
    page : bool
        Whether it may be answered in the book's pages as well, which show the solutions.
    wait : bool
        Whether to wait while another works on the course.

    Returns
    -------
    Released

    Raises
    ------
    GradingError
        If an assignment of this name has other questions, an exercise of the course's own does
        not hold to the law, or another works on the course.
    """
    course_folder.check_name(name)
    gradebook.require()
    with locking.held(course, f"release {name}", wait=wait):
        return _release(course, name, exercises, students, own, page=page)


def preview(
    course: Course,
    name: str,
    exercises: Sequence[str],
    students: Sequence[Student],
    *,
    own: Path | None = None,
    page: bool = False,
) -> tuple[Released, Path, list[Exercise]]:
    """Write one notebook to look at, with numbers of no student, and release nothing.

    Parameters
    ----------
    course, name, exercises, students, own, page
        As for `release`.

    Returns
    -------
    done : Released
        What a release would do.
    file : Path
        The notebook.
    asked : list of Exercise
        With the numbers of the notebook.

    Raises
    ------
    GradingError
        As `release` does for what is to be released.
    """
    course_folder.check_name(name)
    held = _held(own) if own else {}
    asked = _assignment(course, name, exercises, held)
    lookup = partial(find_exercise, own=held) if held else asked.lookup(course)
    done = _describe(asked, lookup)
    for student in students:
        there = course.notebook("release", student.id, name).exists()
        (done.unchanged if there else done.written).append(student.id)
    questions = create_questions(course.key, name, PREVIEW.id, list(asked.points), lookup)
    file = course.root / "preview" / f"{name}.ipynb"
    in_page = _is_for_page(course, asked, page=page)
    seeds = asked.page_seeds(course, PREVIEW.id) if in_page else None
    text = release_notebook.build(course, name, questions, PREVIEW, seeds)
    atomic_files.replace_file(file, text)
    return done, file, [one.exercise for one in questions]


def _describe(asked: Assignment, lookup: Callable[[str], Exercise]) -> Released:
    return Released(
        asked,
        same=[one for one in asked.points if lookup(one).same_for_all],
        in_words_or_code=[one for one in asked.points if isinstance(lookup(one), Text | Function)],
    )


def _release(
    course: Course,
    name: str,
    exercises: Sequence[str],
    students: Sequence[Student],
    own: Path | None,
    *,
    page: bool,
) -> Released:
    held = _held(own) if own else {}
    asked = _assignment(course, name, exercises, held)
    corrected = own is not None and _keep(course, asked, own)
    if corrected:
        asked = _describe_anew(course, asked, held)
    lookup = asked.lookup(course)
    done = _describe(asked, lookup)
    done.corrected = corrected
    hashes, in_page, draws = dict(asked.asked), dict(asked.asked_in_page), dict(asked.draws)
    page = _is_for_page(course, asked, page=page)
    for student in students:
        questions = asked.questions(course, student.id)
        seeds = asked.page_seeds(course, student.id) if page else None
        text = release_notebook.build(course, name, questions, student, seeds, asked.release)
        file = course.notebook("release", student.id, name)
        if not file.exists():
            atomic_files.replace_file(file, text)
            done.written.append(student.id)
        elif file.is_file() and file.read_bytes() == text.encode():
            done.unchanged.append(student.id)
        elif _has_same_questions(file, text):
            done.kept_with_head.append(student.id)
        else:
            done.kept.append(student.id)
        if student.id in done.written or student.id not in hashes:
            hashes[student.id] = {question.id: question.content_hash for question in questions}
            if page:
                posed = create_page_questions(course.key, name, student.id, list(asked.points))
                in_page[student.id] = {question.id: question.content_hash for question in posed}
            draws[student.id] = {
                one.id: one.exercise.draw_number
                for one in questions
                if one.id not in REGISTRY and not one.function
            }
    done.assignment = replace(asked, asked=hashes, asked_in_page=in_page, draws=draws)
    source = create_plain_questions(list(asked.points), lookup)
    with gradebook.opened(course) as book:
        book.enter(done.assignment, source)
        book.enrol(students)
    atomic_files.replace_file(
        course.root / "source" / name / f"{name}.ipynb",
        release_notebook.build_source(course, name, source),
    )
    assignments.save(course, done.assignment)
    return done


def _has_same_questions(file: Path, text: str) -> bool:
    """Whether only the first cell of a notebook is not what would be written now."""
    try:
        before = json.loads(file.read_bytes())["cells"]
    except (OSError, ValueError, TypeError, LookupError):
        return False
    return isinstance(before, list) and before[1:] == json.loads(text)["cells"][1:]


def _is_for_page(course: Course, asked: Assignment, *, page: bool) -> bool:
    """Return whether an assignment may be answered in the book's pages, as it began."""
    if page and asked.has_own:
        raise GradingError(
            f"{asked.name} has exercises of the course's own, which the book's pages do not have; "
            "release it without --page, or these exercises under another name"
        )
    if page and asked.asked and not asked.asked_in_page:
        raise GradingError(
            f"{asked.name} was released without --page, and its notebooks do not say what to "
            "answer in the pages; give this assignment another name"
        )
    return page or bool(asked.asked_in_page)


def _held(file: Path) -> dict[str, Exercise]:
    """Return a course's own exercises, if nothing is the matter with them."""
    found = load_own(file)
    for exercise in found.values():
        faults = exercise_rules.find_faults(exercise, variants=_A_LOOK, file=get_python_file(file))
        if faults:
            raise GradingError(
                f"{locate(file, exercise.id, faults[0])}: {exercise.id} {faults[0]}; "
                f"`{COMMAND} course own check {file}` lists all that is to be mended"
            )
    return found


def _keep(course: Course, asked: Assignment, file: Path) -> bool:
    """Keep a copy of a file of exercises with the assignment, and of what stands beside it.

    Return whether it is a corrected one of an assignment that was handed out.
    """
    name = asked.name
    kept = course.own_exercises(name)
    new = {one.name: one.read_bytes() for one in (file, *own_data(file))}
    before = {one.name: one.read_bytes() for one in kept.glob("*") if one.is_file()}
    if before == new:
        return False
    handed_out = list(course.root.glob(f"release/*/{name}"))
    is_correction = bool(before and handed_out)
    if is_correction:
        if other := _find_other_question(course, asked, load_own(file)):
            raise GradingError(
                f"{name} was released with other exercises, and its {len(handed_out)} notebooks "
                f"are graded by these: students would see something else of {other}. To correct "
                "what they do not see, such as the solution, a mistake or a hint, leave the texts, "
                f"values and points as they are. Otherwise release {file} under another name; or, "
                f"if nobody has handed anything in, take {name} back first, with "
                f"`{COMMAND} course release {name} --undo`"
            )
        earlier = kept / f"until-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"
        for called, content in before.items():
            atomic_files.replace_file(earlier / called, content)
            (earlier / called).chmod(0o600)
    kept.mkdir(parents=True, exist_ok=True, mode=0o700)
    for old in before.keys() - new.keys():
        (kept / old).unlink()
    for called, content in new.items():
        atomic_files.replace_file(kept / called, content)
        (kept / called).chmod(0o600)
    return is_correction


def _find_other_question(
    course: Course, asked: Assignment, own: Mapping[str, Exercise]
) -> str | None:
    """Return an exercise of which a student would see something else than was handed out.

    A student sees the cells, and is marked in words by a number of statements.
    """
    lookups = asked.lookup(course), partial(find_exercise, own=own)
    for student in asked.students:
        sides = [asked.create_questions(course, student, one) for one in lookups]
        for before, now in zip(*sides, strict=True):
            if now.id in own and _list_seen(before) != _list_seen(now):
                return str(before.id)
            if now.id in own:
                _check_kept_draw(now, student)
    return None


def _check_kept_draw(question: Question, student: str) -> None:
    """Refuse a corrected exercise that cannot judge the values that a student has."""
    try:
        question.exercise.indistinguishable_mistakes()
    except GradingError:
        raise
    except Exception as problem:
        raise GradingError(
            f"{question.id} breaks on the values that {student} was given "
            f"({type(problem).__name__}: {problem}); students keep their values, so its solution "
            "and each of its mistakes have to give a result for them"
        ) from None


def _list_seen(question: Question) -> list[object]:
    """Return what a student sees of a question, and what its points are counted by."""
    exercise = question.exercise
    statements = len(exercise.criteria) if isinstance(exercise, Text) else 0
    cells = [cell["source"] for cell in release_notebook.list_cells(question)]
    return [*cells, exercise.points, statements]


def _describe_anew(course: Course, asked: Assignment, own: Mapping[str, Exercise]) -> Assignment:
    """Return an assignment whose own exercises are those of a corrected file.

    What is not seen, such as the hidden cases of a function, may be other than before.
    """
    lookup = partial(find_exercise, own=own)
    hashes = {}
    for student, before in asked.asked.items():
        questions = asked.create_questions(course, student, lookup)
        mine = {one.id: one.content_hash for one in questions if one.id in own}
        hashes[student] = {**before, **mine}
    return replace(asked, asked=hashes)


def _count_withdrawn(course: Course, name: str) -> int:
    """Return how many releases of a name were taken back: their notebooks are not graded."""
    folder = re.compile(rf"{re.escape(name)}-\d{{8}}T\d+Z")
    return sum(bool(folder.fullmatch(one.name)) for one in course.root.glob("withdrawn/*"))


def _assignment(
    course: Course, name: str, exercises: Sequence[str], own: Mapping[str, Exercise]
) -> Assignment:
    twice = sorted({one for one in exercises if list(exercises).count(one) > 1})
    if twice:
        raise GradingError(f"{twice[0]} is named twice; name each exercise once")
    course_folder.refuse_other_case(name, course.assignments())
    if name in course.assignments() and not own:
        # Released again, for those who joined later, without naming the file once more.
        before = assignments.load(course, name)
        own = load_kept(course.own_exercises(name)) if before.has_own else {}
    points = {one: find_exercise(one, own).points for one in exercises}
    if not points:
        raise GradingError("an assignment has at least one exercise; name a chapter")
    if name not in course.assignments():
        again = _count_withdrawn(course, name)
        if again >= signatures.MOST_RELEASES:
            raise GradingError(
                f"{name} was released and taken back {again} times; give this assignment another "
                "name"
            )
        return Assignment(
            name, points, has_own=any(one in own for one in points), release=again + 1
        )
    before = assignments.load(course, name)
    if list(before.points) != list(points):
        raise GradingError(
            f"{name} was released with other questions ({', '.join(before.points)}); "
            "give this assignment another name"
        )
    return before
