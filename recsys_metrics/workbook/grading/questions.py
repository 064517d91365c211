"""What an exercise asks for in a notebook: names to fill in, a function, or words."""

from __future__ import annotations

import builtins
import hashlib
import keyword
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises import PARTS, REGISTRY, list_exercises
from recsys_metrics.workbook.exercises.base import BOOK_SEEDS, Exercise, render_text
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.grading import signatures
from recsys_metrics.workbook.grading.escaped_markdown import escape_markdown
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.progress import hash_content

_TAKEN = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins)}


@dataclass(frozen=True)
class Question:
    """An exercise as one student gets it.

    Attributes
    ----------
    number : int
        From 1, in the order of the notebook.
    exercise : Exercise
        The student's variant.
    """

    number: int
    exercise: Exercise

    @property
    def id(self) -> str:
        """The exercise's id."""
        return self.exercise.id

    @property
    def grade_id(self) -> str:
        """What nbgrader calls the answer."""
        return format_grade_id(self.id)

    @property
    def is_words(self) -> bool:
        """Whether a person has to read the answer."""
        return isinstance(self.exercise, Text)

    @property
    def function(self) -> str:
        """The name of the function that is asked for; empty if none is."""
        return self.exercise.function if isinstance(self.exercise, Function) else ""

    @property
    def arguments(self) -> list[str]:
        """The names of the arguments of the function that is asked for."""
        asked = self.exercise
        return [*asked.cases[0].arguments] if isinstance(asked, Function) else []

    @cached_property
    def names(self) -> dict[str, str]:
        """What each answer is called in the notebook, and as `check` takes it."""
        exercise = self.exercise
        if isinstance(exercise, Numbers):
            taken = {*_TAKEN, *exercise.inputs}
            return {f"my_{name}" if name in taken else name: name for name in exercise.asks}
        if isinstance(exercise, Choice):
            return {"choice": "choice"}
        if isinstance(exercise, Order):
            return {"order": "order"}
        return {}

    @property
    def setup_code(self) -> str:
        """The code that defines what is given; may be empty."""
        if not isinstance(self.exercise, Numbers):
            return ""
        code = "\n".join(
            f"{name} = {markup.format_python(value)}"
            for name, value in self.exercise.inputs.items()
        )
        return f"import numpy as np\n\n{code}" if "np.array(" in code else code

    @property
    def stub(self) -> str:
        """The answer before it is given: the same for every student."""
        if isinstance(self.exercise, Function):
            return self.exercise.draft
        return "\n".join(f"{name} = ..." for name in self.names)

    @property
    def instructions(self) -> str:
        """How to answer, in markdown."""
        exercise = self.exercise
        if isinstance(exercise, Numbers):
            rows = [
                f"- `{name}`: {render_text(exercise.asks[asked], exercise.inputs)}"
                for name, asked in self.names.items()
            ]
            return "Fill these in, in the cell below that contains `...`:\n\n" + "\n".join(rows)
        if isinstance(exercise, Function):
            what = "the line with `...` of " if exercise.template else ""
            return (
                f"Complete {what}`{exercise.function}` in the cell below. The function must not "
                "change its arguments."
            )
        if isinstance(exercise, Choice):
            if exercise.chooses_all:
                shape = '`choice = ["one", "another"]`, with the name of each option that fits'
            else:
                shape = '`choice = "name"`, with the name of an option'
            return f"Answer in the cell below, in the form {shape}."
        if isinstance(exercise, Order):
            return 'Answer in the cell below with the letters in order, as in `order = "b a c"`.'
        return "Write your answer into the cell below, instead of the text there."

    @property
    def prompt(self) -> str:
        """What is asked, in Markdown, with its heading."""
        title = escape_markdown(self.exercise.title)
        head = f"## Question {self.number}. {title}\n\n*{self.exercise.effort}*"
        return "\n\n".join([head, self.exercise.statement, self.instructions])

    @property
    def content_hash(self) -> str:
        """A hash of all that the student was asked, and is judged by."""
        return hashlib.sha256(
            "\0".join([hash_content(self.exercise), str(self.exercise.points)]).encode()
        ).hexdigest()[:16]


PICTURE = "# Run this cell to see the picture."
"""The first line of a cell that draws a picture."""
PLACEHOLDER = "*Your answer.*"
"""What stands in the cell of an answer in words."""


def format_grade_id(exercise: str) -> str:
    """Return what nbgrader calls an exercise.

    >>> format_grade_id("ranking.e4")
    'ranking-e4'
    """
    return exercise.replace(".", "-")


def create_questions(
    key: str,
    assignment: str,
    student: str,
    exercises: list[str],
    lookup: Callable[[str], Exercise] | None = None,
    draws: Mapping[str, int] | None = None,
) -> list[Question]:
    """Return the questions of one student.

    Parameters
    ----------
    key : str
        The course's.
    assignment, student : str
    exercises : list of str
        Ids.
    lookup : callable, optional
        An id to the exercise; `find` by default.
    draws : mapping, optional
        The number of the draw that the student was asked for before, by exercise; by default the
        first that is usable.
    """
    lookup, draws = lookup or find_exercise, draws or {}
    seeds = {one: signatures.derive_seed(key, assignment, student, one) for one in exercises}
    return [
        Question(number, _alone(lookup(one), seeds[one], draws.get(one)))
        for number, one in enumerate(exercises, 1)
    ]


def choose_page_seeds(
    key: str, assignment: str, student: str, exercises: Mapping[str, Exercise]
) -> dict[str, str | None]:
    """Return the variant that a student answers in the book's pages, by exercise.

    None stands for the exercise as the chapter has it.
    """
    return {
        name: signatures.choose_seed(key, assignment, student, name, BOOK_SEEDS)
        if exercise.varies_in_page
        else None
        for name, exercise in exercises.items()
    }


def create_page_questions(
    key: str, assignment: str, student: str, exercises: list[str]
) -> list[Question]:
    """Return the questions of a student who answers in the book's pages.

    A function is also called with the arguments of the student's own variant, which no page has.

    Parameters
    ----------
    key : str
        The course's.
    assignment, student : str
    exercises : list of str
        Ids of exercises of the workbook.
    """
    asked = {one: find_exercise(one) for one in exercises}
    seeds = choose_page_seeds(key, assignment, student, asked)
    own = create_questions(key, assignment, student, exercises)
    return [
        question
        if question.function
        else Question(question.number, _in_page(asked[question.id], seeds[question.id]))
        for question in own
    ]


def create_plain_questions(
    exercises: list[str], lookup: Callable[[str], Exercise] | None = None
) -> list[Question]:
    """Return the questions with the numbers they are declared with, for the instructor."""
    lookup = lookup or find_exercise
    return [Question(number, lookup(one)) for number, one in enumerate(exercises, 1)]


def find_exercise(exercise: str, own: Mapping[str, Exercise] | None = None) -> Exercise:
    """Return an exercise that can be graded.

    Parameters
    ----------
    exercise : str
        Its id.
    own : mapping, optional
        A course's own exercises, by id.

    Raises
    ------
    GradingError
        If there is none of this id, or nothing about it to grade.
    """
    found = (own or {}).get(exercise) or REGISTRY.get(exercise)
    if found is None:
        raise GradingError(
            f"no exercise has the id {exercise!r}; `{COMMAND} course release ps1 02_ranking "
            "--preview` lists those of a chapter"
        )
    if not found.points:
        raise GradingError(f"{exercise} is a guess without points; it cannot be graded")
    return found


def list_exercise_ids(chapters: list[str]) -> list[str]:
    """Return the ids of the exercises of some chapters that bring points.

    Parameters
    ----------
    chapters : list of str
        A subject, ``ranking``; or a part of one, by its file, ``02_ranking``.
    """
    found: list[str] = []
    for name in chapters:
        chapter = list_exercises(name)
        if not chapter:
            raise GradingError(f"there is no chapter {name!r}; there are {', '.join(PARTS)}")
        found += [one.id for one in chapter if one.points and one.id not in found]
    return found


def list_parts(chapters: list[str]) -> list[str]:
    """Return the names of the parts that some chapters have exercises in; of all, if none is named.

    Parameters
    ----------
    chapters : list of str
        As in `of_chapters`.
    """
    if not chapters:
        return list(PARTS)
    ids = set(list_exercise_ids(chapters))
    return [stem for stem, held in PARTS.items() if any(one.id in ids for one in held)]


def _alone(exercise: Exercise, seed: str, draw: int | None = None) -> Exercise:
    """Return a variant that shares no memory with others, and is not kept in one.

    A function is tried on the cases of the exercise, too.
    """
    alone = replace(exercise)
    variant = alone.variant(seed) if draw is None else alone.take_draw(seed, draw)
    return variant.with_fixed_cases() if isinstance(variant, Function) else variant


def _in_page(exercise: Exercise, seed: str | None) -> Exercise:
    return replace(exercise) if seed is None else _alone(exercise, seed)
