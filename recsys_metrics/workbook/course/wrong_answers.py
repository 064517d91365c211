"""Wrong answers of a class that no common mistake explains, those alike together.

The numbers of two students differ, so numbers are alike if one edit of the worked solution gives
them both. Options and orders are alike if they are equal, and functions if their code is equal
once its names are replaced.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course, read_bounded
from recsys_metrics.workbook.course.gradebook import opened
from recsys_metrics.workbook.course.grading_report import read_grades
from recsys_metrics.workbook.course.solution_edits import Edit, list_edits
from recsys_metrics.workbook.exercises import answers as reading
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.options import UnknownOptionError
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.grading import submissions
from recsys_metrics.workbook.grading.limits import GradingError

FEWEST = 2
"""So many students give an answer before it is a cluster."""
_SHUFFLES = 19
_LONGEST_CODE = 20_000


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer that no mistake explains.

    Attributes
    ----------
    exercise : Exercise
        The student's variant.
    given : mapping, tuple of str or str
        The wrong numbers by name, the keys that were picked or put in order, or the code.
    """

    exercise: Exercise
    given: Any


@dataclass(frozen=True)
class Cluster:
    """Wrong answers that are alike.

    Attributes
    ----------
    shown : str
        What they have in common.
    answers : tuple of WrongAnswer
    edit : Edit or None
        The edit of the solution that gives them, of numbers.
    tried : int
        Among how many edits it was chosen.
    by_chance : int
        How many answers the best edit explains if answers are exchanged among the students, at most
        in 19 trials; 0 where nothing was exchanged.
    """

    shown: str
    answers: tuple[WrongAnswer, ...]
    edit: Edit | None = None
    tried: int = 0
    by_chance: int = 0


def find_unexplained(course: Course, assignment: Assignment, exercise: str) -> list[WrongAnswer]:
    """Return the wrong answers to an exercise that none of its mistakes explains.

    Parameters
    ----------
    course : Course
    assignment : Assignment
    exercise : str
        Its id.
    """
    if exercise not in assignment.points:
        raise GradingError(
            f"{assignment.name} does not ask {exercise}; it asks {', '.join(assignment.points)}"
        )
    found, full = [], find_full_marks(course, assignment)
    for student, report in read_grades(course, assignment).items():
        if (student, exercise) in full or student in assignment.left:
            continue
        said = report.get("questions", {}).get(exercise, {})
        if said.get("outcome") not in {str(Outcome.WRONG), str(Outcome.ERROR)} or said["mistake"]:
            continue
        in_page = report.get("in_page") is True
        questions = assignment.questions(course, student, in_page=in_page)
        place = next(n for n, question in enumerate(questions) if question.id == exercise)
        asked = questions[place].exercise
        if isinstance(asked, Function):
            given: Any = _read_code(course, assignment, student, place)
        else:
            given = _read_given(asked, report.get("answers", {}).get(exercise, {}).get("wrong"))
        if given and not (isinstance(asked, Numbers) and _is_explained(asked, given)):
            found.append(WrongAnswer(asked, given))
    return found


def find_full_marks(course: Course, assignment: Assignment) -> set[tuple[str, str]]:
    """Return the answers that a person gave all points for, as student and exercise.

    Whatever the check said of them was mistaken, so they are no wrong answers.
    """
    with opened(course) as book:
        return {
            (student, one.exercise)
            for student in assignment.students
            for one in book.grades(assignment, student) or ()
            if one.manual is not None and one.manual >= assignment.points[one.exercise]
        }


def cluster(wrong: Sequence[WrongAnswer]) -> list[Cluster]:
    """Return wrong answers to one exercise, those alike together, the most frequent first.

    Parameters
    ----------
    wrong : sequence of WrongAnswer
    """
    if not wrong:
        return []
    if isinstance(wrong[0].exercise, Numbers):
        return _NumberClusters(wrong).find()
    alike: dict[Any, list[WrongAnswer]] = defaultdict(list)
    for one in wrong:
        key = _normalise(one.given) if isinstance(one.given, str) else one.given
        alike[key].append(one)
    clusters = [
        Cluster(_show(key), tuple(some)) for key, some in alike.items() if len(some) >= FEWEST
    ]
    return sorted(clusters, key=lambda one: -len(one.answers))


class _NumberClusters:
    """The edits that give the numbers of most students, one after another."""

    def __init__(self, wrong: Sequence[WrongAnswer]) -> None:
        self._wrong = wrong
        plain = wrong[0].exercise.original
        assert isinstance(plain, Numbers)
        self._edits = list_edits(plain)

    @cached_property
    def _values(self) -> list[list[dict[str, float] | None]]:
        """What each edit gives on the inputs of each student."""
        students = [one.exercise for one in self._wrong]
        by_seed: dict[tuple[int, str | None], Any] = {}
        rows = []
        for number, edit in enumerate(self._edits):
            row = []
            for exercise in students:
                assert isinstance(exercise, Numbers)
                key = number, exercise.seed
                if key not in by_seed:
                    by_seed[key] = edit.run(exercise)
                row.append(by_seed[key])
            rows.append(row)
        return rows

    def _fits(self, order: Sequence[int]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return which answer each edit gives, with the answers of students in another order."""
        fits = np.zeros((len(self._edits), len(self._wrong)), dtype=bool)
        for row, values in enumerate(self._values):
            for place, value in enumerate(values):
                given = self._wrong[order[place]].given
                fits[row, place] = value is not None and _gives(
                    value, given, self._wrong[place].exercise
                )
        return fits

    def find(self) -> list[Cluster]:
        """Return the clusters; an edit that explains no more than chance does is none."""
        same = [*range(len(self._wrong))]
        if not self._edits or len(same) < FEWEST:
            return []
        fits = self._fits(same)
        most = self._by_chance() if len({one.exercise.seed for one in self._wrong}) > 1 else 0
        found: list[Cluster] = []
        while True:
            counts = fits.sum(axis=1)
            best = min(
                range(len(self._edits)),
                key=lambda n: (-counts[n], len(self._edits[n].old + self._edits[n].new)),
            )
            if counts[best] < FEWEST or counts[best] <= most:
                return found
            edit, places = self._edits[best], np.flatnonzero(fits[best]).tolist()
            found.append(
                Cluster(
                    f"{edit.new or 'nothing'} in place of {edit.old}",
                    tuple(self._wrong[place] for place in places),
                    edit,
                    len(self._edits),
                    most,
                )
            )
            fits[:, places] = False

    def _by_chance(self) -> int:
        rng = np.random.default_rng(0)
        return max(
            int(self._fits(rng.permutation(len(self._wrong)).tolist()).sum(axis=1).max())
            for _ in range(_SHUFFLES)
        )


def _gives(values: Mapping[str, float], given: Mapping[str, float], exercise: Exercise) -> bool:
    """Whether an edit gives the wrong numbers, and leaves right what was right."""
    assert isinstance(exercise, Numbers)
    return all(
        _agrees(given[name], value) if name in given else _agrees(exercise.answer[name], value)
        for name, value in values.items()
    )


def _agrees(given: float, value: float) -> bool:
    return reading.agrees_roughly(reading.read_number(given), value)


def _is_explained(exercise: Numbers, given: Mapping[str, float]) -> bool:
    """Whether a mistake of the exercise gives these numbers, be it one of several."""
    return any(
        _gives(values, given, exercise)
        for mistake in exercise.mistakes
        for values in exercise.wrong_answers_by_way(mistake)
    )


def _read_given(exercise: Exercise, kept: Any) -> Any:
    """Return what was given as the exercise names it; None where that cannot be said."""
    if isinstance(exercise, Numbers):
        is_of_it = isinstance(kept, dict) and kept.keys() <= exercise.asks.keys()
        return kept if is_of_it else None
    if not isinstance(kept, str):
        return None
    if isinstance(exercise, Order):
        keys = dict(zip(exercise.option_list.labels, exercise.option_list.keys, strict=True))
        return tuple(keys[letter] for letter in kept if letter in keys)
    if isinstance(exercise, Choice):
        try:
            return tuple(sorted({exercise.option_list.find_key(one) for one in kept.split()}))
        except UnknownOptionError:
            return None
    return None


def _read_code(course: Course, assignment: Assignment, student: str, place: int) -> str:
    file = course.notebook("submitted", student, assignment.name)
    questions = assignment.questions(course, student)
    try:
        content = read_bounded(file, course.limits.notebook_mb)
        came = submissions.parse_notebook(content, questions)
    except GradingError:
        return ""
    cells = (one for one in came.cells if one.is_code and one.question == place)
    return "\n".join(one.source for one in cells if one.is_answer)[:_LONGEST_CODE]


def _normalise(code: str) -> str:
    """Return code without comments and docstrings, and with names in their order.

    Nothing that a student has called anything is left in it, so it can be shown to others. What is
    no Python is not told apart.
    """
    try:
        tree = ast.parse(code)
        names: dict[str, str] = {}
        own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)
               and isinstance(node.ctx, ast.Store)}  # fmt: skip
        own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and ast.get_docstring(node, clean=False):
                node.body = node.body[1:] or [ast.Pass()]
            for field in ("id", "arg", "name"):
                name = getattr(node, field, None)
                if isinstance(name, str) and name in own:
                    setattr(node, field, names.setdefault(name, f"name{len(names)}"))
        return ast.unparse(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "code that is no Python"


def _show(given: Any) -> str:
    return given if isinstance(given, str) else ", ".join(given)


def count_numbers(wrong: Sequence[WrongAnswer]) -> Counter[str]:
    """Return how often each set of wrong numbers was given, as text."""
    return Counter(
        ", ".join(f"{name} = {value:g}" for name, value in one.given.items())
        if isinstance(one.given, dict)
        else _show(one.given)
        for one in wrong
    )
