"""The outcome of each question, made by the exercise's own checker, outside of the sandbox."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises.arithmetic_mistakes import COMPARED_WITH
from recsys_metrics.workbook.exercises.base import pause_recording
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.result import PERHAPS, AnswerPart, CheckResult, Line, Outcome
from recsys_metrics.workbook.grading import stray_words, untrusted_values
from recsys_metrics.workbook.grading.points import Scored
from recsys_metrics.workbook.grading.questions import Question
from recsys_metrics.workbook.grading.recorded_function import RecordedFunction, error_name
from recsys_metrics.workbook.grading.sandbox import Job, Trace
from recsys_metrics.workbook.grading.submissions import Submission

# What an outcome may tell a student whose work can be handed in again. All else stays here: the
# expected value, the case, what came back on it, what was printed.
_TOLD = {
    *("", "Likely cause", "Why not", "Try"),
    *("You gave", "You chose", "In order", "Right so far"),
}
_POSSIBLE = tuple(f"{label} " for label in PERHAPS)


@dataclass(frozen=True)
class JudgedAnswer(Scored):
    """What became of one question.

    Attributes
    ----------
    parts : tuple of Part
        What is said of each answer; nothing in it is secret.
    lines : tuple of Line
        What is said of all of them.
    """

    parts: tuple[AnswerPart, ...] = ()
    lines: tuple[Line, ...] = ()

    @property
    def result(self) -> CheckResult:
        """What is said, as a check says it."""
        noted = "To be read by a person" if self.needs_marking else ""
        return CheckResult(self.exercise, self.parts, self.lines, self.outcome, noted)


def create_job(questions: Sequence[Question], submission: Submission) -> Job:
    """Return what has to be run of a submission.

    The arguments of the functions are those of the exercise, and then those of the student's own
    variant. The latter were drawn with the course's key and are nowhere but here.
    """
    return Job(
        cells=tuple((cell.source, cell.question) for cell in submission.cells if cell.is_code),
        names=tuple(tuple(question.names) for question in questions),
        functions=tuple(question.function for question in questions),
        arities=list_arities(questions),
        cases=list_cases(questions),
    )


def list_arities(questions: Sequence[Question]) -> tuple[int, ...]:
    """Return how many arguments the function takes that each question asks for; 0 if none."""
    return tuple(len(one.cases[0].arguments) if one else 0 for one in _functions(questions))


def list_cases(questions: Sequence[Question]) -> bytes:
    """Return what the functions are called with, as `runner` reads it; nothing else is in it."""
    return pickle.dumps(
        [
            (place, one.seconds, [pickle.dumps([*case.arguments.values()]) for case in one.cases])
            for place, one in enumerate(_functions(questions))
            if one is not None
        ]
    )


def judge_submission(
    questions: Sequence[Question], submission: Submission, trace: Trace
) -> list[JudgedAnswer]:
    """Return the outcome of each question.

    Parameters
    ----------
    questions : sequence of Question
        The student's, made for this alone: they remember what was tried.
    submission : Submission
    trace : Trace
        What came out of the sandbox.
    """
    failed = _find_failed(questions, submission, trace)
    with pause_recording():
        return [
            _in_words(question, stray_words.read_answer(place, questions, submission))
            if question.is_words
            else _tried(
                judge_answer(question, place, trace, partial(_checked, question, place, trace)),
                failed=place in failed,
                is_there=not question.function or place in trace.functions,
            )
            for place, question in enumerate(questions)
        ]


def _find_failed(questions: Sequence[Question], submission: Submission, trace: Trace) -> set[int]:
    """Return the places of the questions that were attempted and came to nothing.

    A cell raised an error, or was not run to its end, or defines a function of another name.
    """
    cells = [cell.question for cell in submission.cells if cell.is_code]
    named = {
        place
        for place, question in enumerate(questions)
        if question.function
        and place not in trace.functions
        and {*submission.find_functions(place)} - {question.function}
    }
    return {
        *(cells[number] for number in trace.errors),
        *submission.find_unreached(trace.stopped_in, questions),
        *named,
    }


def _tried(judged: JudgedAnswer, *, failed: bool, is_there: bool) -> JudgedAnswer:
    """Return that an answer that came to nothing, or that has points, was attempted."""
    if judged.outcome is Outcome.NOT_ATTEMPTED and judged.points:
        return replace(judged, outcome=Outcome.WRONG)
    if failed and judged.outcome is Outcome.NOT_ATTEMPTED and not judged.needs_marking:
        parts = tuple(replace(part, outcome=Outcome.ERROR) for part in judged.parts)
        # The reason is said beside it, and "there is no function yet" is none.
        lines = judged.lines if is_there else ()
        return replace(judged, outcome=Outcome.ERROR, parts=parts, lines=lines)
    return judged


def defer_to_marker(question: Question, why: str) -> JudgedAnswer:
    """Return that a person has to judge a question."""
    return _judged_answer(question, Outcome.NOT_ATTEMPTED, None, lines=(Line("", why),))


def report_not_attempted(question: Question) -> JudgedAnswer:
    """Return the outcome of a question without an answer."""
    return _judged_answer(question, Outcome.NOT_ATTEMPTED, 0)


def _in_words(question: Question, text: str) -> JudgedAnswer:
    if not text:
        return report_not_attempted(question)
    return defer_to_marker(question, "Your instructor reads this answer.")


def judge_answer(
    question: Question, place: int, trace: Trace, check: Callable[[], CheckResult]
) -> JudgedAnswer:
    """Return the outcome of an answer: what its check says, and of that what may be told.

    Parameters
    ----------
    question : Question
    place : int
        Of the question, in what was run.
    trace : Trace
    check : callable
        Checks the answer; it was made of values, and runs nothing of the student's.
    """
    try:
        result = check()
    except Exception as problem:
        # What was answered is a student's, and a checker may not have met it before. It costs
        # nobody else their grade, and a person looks at it.
        why = f"This answer could not be judged ({type(problem).__name__}); a person looks at it."
        return defer_to_marker(question, why)
    return _judged_answer(
        question,
        result.outcome,
        _points(question, result),
        mistake=result.mistake,
        parts=tuple(_part(question, part) for part in result.parts),
        lines=(*_lines(question, result.lines), *_about_calls(question, place, trace, result)),
    )


def _checked(question: Question, place: int, trace: Trace) -> CheckResult:
    exercise = question.exercise
    if isinstance(exercise, Function):
        return exercise.check(replay_function(exercise, place, trace))
    said = trace.values.get(place, {})
    given = {
        asked: untrusted_values.read_value(said[name])
        for name, asked in question.names.items()
        if name in said
    }
    return exercise.check(**given)


def replay_function(exercise: Function, place: int, trace: Trace) -> Any:
    """Return what was given for a function: one that does what it did, or what it was instead."""
    described = trace.functions.get(place, {"kind": "none"})
    if described.get("kind") != "function":
        return untrusted_values.read_value(described)
    if exercise.template and described.get("gap"):
        return None
    return RecordedFunction(exercise, described, trace.calls.get(place, {}))


def _functions(questions: Sequence[Question]) -> list[Function | None]:
    every = (question.exercise for question in questions)
    return [one if isinstance(one, Function) else None for one in every]


def _points(question: Question, result: CheckResult) -> float:
    """Return the points: where several numbers are asked for each brings its share."""
    out_of = question.exercise.points
    if isinstance(question.exercise, Numbers) and result.parts:
        right = sum(part.outcome is Outcome.PASS for part in result.parts)
        return out_of * right / len(question.exercise.asks)
    return float(out_of) if result.outcome is Outcome.PASS else 0.0


def _about_calls(
    question: Question, place: int, trace: Trace, result: CheckResult
) -> Iterator[Line]:
    """Say what a function did that broke, and no more of it than that."""
    if not question.function or result.outcome is not Outcome.ERROR:
        return
    calls = trace.calls.get(place, {})
    raised = [error_name(said) for said in calls.values() if "error" in said]
    if any(said.get("late") for said in calls.values()):
        yield Line("", "On one of the cases it did not finish in time. Does a loop never end?")
    elif raised:
        yield Line("Raised", raised[0], verbatim=True)


def _part(question: Question, part: AnswerPart) -> AnswerPart:
    lines = _lines(question, part.lines)
    if question.function and not part.mistake:
        # What to try is about the case then, which the student does not see.
        lines = tuple(line for line in lines if line.label != "Try")
    return AnswerPart(part.name, part.outcome, part.response, part.pitfall, part.mistake, lines)


def _lines(question: Question, lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return what may be told, without the seed that an example of a call would name.

    What compares a number with the right one gives that away, so it is not told.
    """
    variant = f".variant({markup.format_python(question.exercise.seed)})"
    return tuple(
        Line(line.label, line.text.replace(variant, ""), line.verbatim)
        for line in lines
        if (line.label in _TOLD or line.label.startswith(_POSSIBLE))
        and COMPARED_WITH not in line.text
    )


def _judged_answer(
    question: Question, outcome: Outcome, points: float | None, **more: Any
) -> JudgedAnswer:
    exercise = question.exercise
    return JudgedAnswer(question.id, exercise.title, outcome, points, exercise.points, **more)
