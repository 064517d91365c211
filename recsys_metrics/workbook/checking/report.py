"""What became of a notebook's checks, however they were run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recsys_metrics.workbook.checking.notebook import Call
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.grading.points import Scored


class NoSandboxError(Exception):
    """There is no sandbox, and so no score; in words for whoever asked for one."""


@dataclass(frozen=True)
class GradedExercise(Scored):
    """What became of one exercise, and what its check said.

    Attributes
    ----------
    message : str
    """

    message: str = ""


@dataclass(frozen=True)
class CheckReport:
    """What a notebook's checks said, in the order in which they stand there.

    Attributes
    ----------
    notebook : str
    graded : tuple of Graded
    problem : str
        What kept the run from its end; empty if nothing did.
    """

    notebook: str
    graded: tuple[GradedExercise, ...]
    problem: str = ""

    @property
    def points(self) -> float:
        """What was reached, without what a person has to read."""
        return sum(one.points or 0 for one in self.graded)

    @property
    def out_of(self) -> int:
        """What could be reached, without what a person has to read."""
        return sum(one.out_of for one in self.graded if not one.needs_marking)

    @property
    def passed(self) -> bool:
        """Whether every check passed that brings points; a guess cannot fail."""
        scored = [one for one in self.graded if one.out_of and not one.needs_marking]
        return all(one.outcome is Outcome.PASS for one in scored)


def report_unreadable(path: Path, exercises: Sequence[str], problem: str) -> CheckReport:
    """Return the report on a file that is no notebook, where it is known what counts."""
    graded = tuple(report_missing_check(one, is_score=True) for one in exercises)
    return CheckReport(path.name, graded, problem)


def report_missing_check(exercise: str, *, is_score: bool = False) -> GradedExercise:
    """Return that a notebook holds no check of an exercise that is asked for.

    In a score, an answer in words has no points, whatever became of it: a person gives them.
    """
    of = REGISTRY[exercise]
    says = "The notebook contains no check of it."
    points = None if is_score and isinstance(of, Text) else 0
    return GradedExercise(
        exercise, of.title, Outcome.NOT_ATTEMPTED, points, of.points, message=says
    )


def report_unreached(
    call: Call, errors: Mapping[int, str], problem: str, *, is_score: bool = False
) -> GradedExercise:
    """Return that a check was not reached, and why.

    Parameters
    ----------
    call : Call
    errors : mapping
        What cells raised, by their number.
    problem : str
        What kept the run from its end.
    is_score : bool
        Whether an answer in words has no points, whatever became of it.
    """
    of = REGISTRY[call.exercise]
    says = errors.get(call.cell) or problem or "the check was not reached"
    earlier = [
        f"cell {number + 1}: {error}" for number, error in errors.items() if number < call.cell
    ]
    if earlier:
        says += f" (before it, {earlier[0]})"
    points = None if is_score and isinstance(of, Text) else 0
    return GradedExercise(call.name, of.title, Outcome.ERROR, points, of.points, message=says)
