"""A score that the notebook's own process cannot write.

The notebook runs in the course's sandbox, where a stand-in takes what is handed to each check. The
answers come out as values and are judged here, by the exercises' own checkers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recsys_metrics.workbook.checking import recorder
from recsys_metrics.workbook.checking.notebook import Call, NotebookError, read_cells, select_calls
from recsys_metrics.workbook.checking.report import (
    CheckReport,
    GradedExercise,
    NoSandboxError,
    report_missing_check,
    report_unreached,
)
from recsys_metrics.workbook.common.state_file import real_path
from recsys_metrics.workbook.exercises import REGISTRY, SUBJECTS
from recsys_metrics.workbook.exercises.answers import is_missing
from recsys_metrics.workbook.exercises.base import pause_recording
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.result import CheckResult, Outcome
from recsys_metrics.workbook.grading import judge, sandbox, untrusted_values
from recsys_metrics.workbook.grading.limits import GradingError, Limits
from recsys_metrics.workbook.grading.questions import Question
from recsys_metrics.workbook.grading.sandbox import Job, Trace

_NO_QUESTION = -1
_SHARE_OF_A_CELL = 0.25
_LEAST_CELL_SECONDS = 10
_MODULE = "recsys_metrics.workbook.exercises"


@dataclass(frozen=True)
class _Asked:
    """An exercise that counts.

    Attributes
    ----------
    call : Call or None
        Its last check in the notebook, if there is one.
    question : Question
    """

    call: Call | None
    question: Question

    @property
    def seed(self) -> str | None:
        """Of its variant."""
        return self.call.seed if self.call else None


def score_notebook(path: Path, *, exercises: Sequence[str] = (), seconds: float) -> CheckReport:
    """Run a notebook in a sandbox and judge what its checks were given.

    Parameters
    ----------
    path : Path
        A notebook, or the text paired with it.
    exercises : sequence of str
        Ids of those that count, whether or not the notebook checks them; by default those that
        it checks.
    seconds : float
        How long it may take; one cell is interrupted after a quarter of it, at least 10 s.

    Returns
    -------
    Report
        The last answer counts where an exercise is checked more than once.

    Raises
    ------
    NoSandboxError
        If there is no sandbox to run it in.
    NotebookError
        If the file cannot be read, or calls no check and nothing says what counts.
    """
    # A cell that never ends may not take the time of those below it.
    a_cell = min(seconds, max(_LEAST_CELL_SECONDS, seconds * _SHARE_OF_A_CELL))
    limits = replace(Limits(), seconds=round(seconds), cell_seconds=round(a_cell))
    root = real_path(path).parent
    require_sandbox(root, limits)
    cells = read_cells(path)
    calls = select_calls(cells, exercises)
    if not (calls or exercises):
        raise NotebookError(f"{path} calls no check of an exercise")
    asked = _asked(calls, exercises)
    of_cell, run = _cells(cells, calls, asked)
    trace = sandbox.run_submission(_job(asked, run), root, limits)
    errors = {of_cell[number]: said for number, said in trace.errors.items()}
    with pause_recording():
        graded = [_graded(one, place, trace, errors) for place, one in enumerate(asked)]
    return CheckReport(path.name, tuple(graded), trace.problem)


def require_sandbox(root: Path, limits: Limits | None = None) -> None:
    """Raise NoSandboxError, and say what to do, unless a notebook can be run in a sandbox."""
    try:
        sandbox.require_sandbox(root, limits or Limits())
    except GradingError as problem:
        raise NoSandboxError(
            "no score is written without a sandbox, since a notebook could write its own: "
            f"{problem} (--unsandboxed is a switch of `course grade`; for a score there is none)"
        ) from None


def _asked(calls: Sequence[Call], exercises: Sequence[str]) -> list[_Asked]:
    last = {(call.exercise, call.seed): call for call in calls}
    named: list[tuple[str, str | None]] = [(one, None) for one in exercises]
    keys = named or list(last)
    found = []
    for number, (name, seed) in enumerate(keys, 1):
        # Made for this alone: an exercise remembers what was tried.
        exercise = replace(REGISTRY[name])
        exercise = exercise if seed is None else exercise.variant(seed)
        found.append(_Asked(last.get((name, seed)), Question(number, exercise)))
    return found


def _cells(
    cells: Sequence[str], calls: Sequence[Call], asked: Sequence[_Asked]
) -> tuple[list[int], list[tuple[str, int]]]:
    """Return what to run, and beside it which cell of the notebook each belongs to."""
    recording = Path(recorder.__file__).read_text(encoding="utf-8")
    begin = f"{recording}\ninstall_recorder({tuple(SUBJECTS)!r})"
    rows = [(-1, (f"exec({begin!r}, {{}})", _NO_QUESTION))]
    places = {(one.question.id, one.seed): place for place, one in enumerate(asked)}
    for number, source in enumerate(cells[: max((call.cell for call in calls), default=-1) + 1]):
        here = dict.fromkeys((c.exercise, c.seed) for c in calls if c.cell == number)
        taking = [(_hand_over(*key, places[key]), places[key]) for key in here]
        rows += [(number, cell) for cell in [(source, _NO_QUESTION), *taking]]
    return [number for number, _ in rows], [cell for _, cell in rows]


def _hand_over(exercise: str, seed: str | None, place: int) -> str:
    """Return the code that puts what was last given to a check where the runner looks for it."""
    # The notebook knows an exercise by its name in the module of its subject.
    subject = exercise.partition(".")[0]
    name = f"{subject}.{REGISTRY[exercise].python_name}"
    given = ", ".join(map(repr, (name, seed, *_names(place))))
    return f"__import__({_MODULE!r}, fromlist=['']).hand_over(globals(), {given})"


def _names(place: int) -> tuple[str, str, str]:
    """Return the names of what was given by place, of its names, and of what they were given."""
    return f"given_{place}", f"named_{place}", f"values_{place}"


def _job(asked: Sequence[_Asked], cells: Sequence[tuple[str, int]]) -> Job:
    questions = [one.question for one in asked]
    return Job(
        cells=tuple(cells),
        names=tuple(_names(place) for place, _ in enumerate(questions)),
        functions=tuple(
            f"given_{place}_alone" if one.function else "" for place, one in enumerate(questions)
        ),
        arities=judge.list_arities(questions),
        cases=judge.list_cases(questions),
    )


def _graded(one: _Asked, place: int, trace: Trace, errors: dict[int, str]) -> GradedExercise:
    question = one.question
    if one.call is None:
        return report_missing_check(question.id, is_score=True)
    given = _given(place, trace)
    if given is None:
        return report_unreached(one.call, errors, trace.problem, is_score=True)
    if question.is_words:
        judged_answer = judge.defer_to_marker(question, _about_words(*given))
    else:
        judged_answer = judge.judge_answer(
            question, place, trace, lambda: _checked(question, place, trace, *given)
        )
    outcome, points, message = (
        judged_answer.outcome,
        judged_answer.points,
        judged_answer.result.message,
    )
    if points is None and not question.is_words:
        # The checker failed. No instructor looks at it here, so it may not leave the maximum.
        outcome, points = Outcome.ERROR, 0
        message = (
            "Error\n  This answer is none that the exercise can check; it counts as not solved."
        )
    return GradedExercise(
        one.call.name,
        judged_answer.title,
        outcome,
        points,
        judged_answer.out_of,
        judged_answer.mistake,
        message,
    )


def _given(place: int, trace: Trace) -> tuple[list[Any], dict[str, Any]] | None:
    """Return what a check was called with, by place and by name; None if it was not called."""
    said = trace.values.get(place, {})
    by_place, names, by_name = (
        untrusted_values.read_value(said.get(name)) for name in _names(place)
    )
    if not (isinstance(by_place, list) and isinstance(names, list) and isinstance(by_name, list)):
        return None
    return by_place, dict(zip(map(str, names), by_name, strict=False))


def _about_words(given: list[Any], named: dict[str, Any]) -> str:
    nothing = is_missing(named.get("text", given[0] if given else None))
    return "Nothing was written." if nothing else "A person reads this answer."


def _checked(
    question: Question, place: int, trace: Trace, given: list[Any], named: dict[str, Any]
) -> CheckResult:
    exercise = question.exercise
    if isinstance(exercise, Function) and len(given) == 1 and not named:
        return exercise.check(judge.replay_function(exercise, place, trace))
    return exercise.check(*given, **named)
