"""Why an answer brought nothing, where the reason lies in the notebook and not in the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recsys_metrics.workbook.exercises import answers
from recsys_metrics.workbook.exercises.answers import UnreadableError
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.result import Line, Outcome
from recsys_metrics.workbook.grading import cell_errors, stray_words, untrusted_values
from recsys_metrics.workbook.grading.judge import JudgedAnswer
from recsys_metrics.workbook.grading.questions import Question
from recsys_metrics.workbook.grading.sandbox import Trace
from recsys_metrics.workbook.grading.stray_words import StrayWords
from recsys_metrics.workbook.grading.submissions import Submission

# Metrics that lie between 0 and 1, as labels of answers name them.
_SHARES = re.compile(
    r"(?:precision|recall|reciprocal rank|F1|F with β|AP|DCG|MRR|AUC|FCP|NDCG|hit rate|coverage|"
    r"gini index|probability|conversion rate|click-through rate|Brier score|ECE)\b"
)
# DCG has no upper bound, and these words say that a label is not the metric itself.
_OTHERWISE = re.compile(
    r"\bI?DCG\b|\bper\b|\bpercent\b|minus|−|difference|change|gain|gap|thousandths|ratio|smallest|"
    r"fraction of|number|expected|highest"
)
_PERCENT = 100
_FEW_NAMES = 3
_COMMAND = re.compile(
    r"^[ \t]*(?:\w+[ \t]*=[ \t]*)?(![^\n=][^\n]*|%(?:pip|conda)\b[^\n]*)", re.MULTILINE
)
_COMMA = re.compile(r"=\s*[-+]?\d+,\d+\s*(?:#.*)?$", re.MULTILINE)


def has_unit_range(label: str) -> bool:
    """Return whether a label names a value that lies between 0 and 1.

    >>> has_unit_range("NDCG@5"), has_unit_range("DCG@5"), has_unit_range("RMSE, in stars")
    (True, False, False)
    """
    found = _SHARES.search(label) or _SHARES.search(label[:1].lower() + label[1:])
    return found is not None and not _OTHERWISE.search(label)


def explain(
    questions: Sequence[Question],
    submission: Submission,
    trace: Trace,
    judged_answers: Sequence[JudgedAnswer],
) -> list[tuple[Line, ...]]:
    """Return what a student should know of each question beyond what its check says.

    Parameters
    ----------
    questions : sequence of Question
    submission : Submission
    trace : Trace
    judged_answers : sequence of JudgedAnswer

    Returns
    -------
    list of tuple of Line
        For each question. Where the answer is right, only the errors of its cells.
    """
    missing = {question.id for question in submission.find_missing_cells(questions)}
    unreached = submission.find_unreached(trace.stopped_in, questions)
    changed = {question.id for question in submission.find_changed_setup(questions)}
    found = []
    for place, (question, judged) in enumerate(zip(questions, judged_answers, strict=True)):
        lines: list[Line] = []
        if judged.outcome is not Outcome.PASS and question.id in missing:
            says = "The cell for this answer is missing from the notebook you handed in."
            lines.append(Line("", f"{says} {_say_elsewhere(place, questions, submission)}".strip()))
        if judged.outcome is not Outcome.PASS and place in submission.find_uncoded(questions):
            lines.append(
                Line(
                    "",
                    "The cell for this answer is a text now, so it was not run. Select it, make "
                    "it a code cell again (in Jupyter with Esc, then Y), and hand in the notebook.",
                )
            )
        if stray := stray_words.find_stray_words(place, questions, submission):
            lines.append(_of_stray_words(stray, also=bool(submission.get_text(place))))
        # A person reads what an update of the library has changed: no student has changed that.
        if judged.outcome is not Outcome.PASS and not judged.needs_marking:
            if question.id in changed:
                lines.append(
                    Line(
                        "",
                        "The cell with the given values was changed or removed. The answer is "
                        "judged with the values that you were given.",
                    )
                )
            if place in unreached:
                lines.append(_of_end(place, submission, trace))
            else:
                lines += _of_function(question, place, submission, trace)
            lines += _of_calls(question, place, trace)
            lines += _of_names(question, place, submission, trace)
            lines += _of_range(question, place, trace, judged)
            lines += _of_unread_names(question, place, submission, judged)
        # Also where the answer is right: a cell that was stopped costs the cells below it.
        lines += _of_errors(place, submission, trace)
        if judged.outcome is not Outcome.PASS:
            lines += _of_commands(place, submission)
        found.append(tuple(lines))
    return found


def find_elsewhere(
    place: int, questions: Sequence[Question], submission: Submission
) -> dict[str, list[int]]:
    """Return which names of a question's answer are assigned below other questions only."""
    names = [{*one.names, one.function} - {""} for one in questions]
    return submission.find_elsewhere(place, names)


def _say_elsewhere(place: int, questions: Sequence[Question], submission: Submission) -> str:
    """Say that what a missing cell was asked for is assigned in a cell of another question."""
    found = find_elsewhere(place, questions, submission)
    if not found:
        return ""
    names = " and ".join(f"`{name}`" for name in found)
    places = sorted({one for places in found.values() for one in places})
    are, them = ("is", "it") if len(found) == 1 else ("are", "them")
    return (
        f"{names} {are} assigned in {' and '.join(map(_name_cell, places))}, and {are} not judged: "
        "several questions may use one name, so an answer counts only below the heading of its own "
        f"question. Copy {them} into a cell there."
    )


def _of_stray_words(stray: Sequence[StrayWords], *, also: bool) -> Line:
    """Say where the words were found that a person reads as the answer, or with it."""
    places = stray_words.list_places(stray)
    if also:
        return Line("", f"Your instructor also reads what you wrote in {places}.")
    return Line(
        "",
        f"Nothing is in the cell for this answer, so your instructor reads what you wrote in "
        f"{places}. Write an answer in words into the text cell below its question.",
    )


def errors_elsewhere(submission: Submission, trace: Trace) -> dict[int, str]:
    """Return the errors of code cells that belong to no question, by number from 1."""
    questions = [cell.question for cell in submission.cells if cell.is_code]
    return {
        cell + 1: cell_errors.format_error(text)
        for cell, text in trace.errors.items()
        if questions[cell] < 0
    }


def explain_end(submission: Submission, trace: Trace) -> str:
    """Return why a run did not come to its end, and where; empty if it did."""
    if not trace.problem:
        return ""
    if trace.stopped_in is not None:
        return f"{trace.problem}, in {_name_cell(_place_of_end(submission, trace))}"
    if trace.broken:
        called = " and ".join(str(place + 1) for place in sorted(trace.broken))
        return f"{trace.problem}, while the function of question {called} was called"
    return trace.problem


def _place_of_end(submission: Submission, trace: Trace) -> int:
    cells = [cell.question for cell in submission.cells if cell.is_code]
    return cells[trace.stopped_in or 0]


def _name_cell(place: int) -> str:
    return "a cell above the first question" if place < 0 else f"a cell of question {place + 1}"


def _of_end(place: int, submission: Submission, trace: Trace) -> Line:
    """Say that the run ended in a cell of a question, or before it came there."""
    ended = _place_of_end(submission, trace)
    if ended == place:
        return Line(
            "", f"The run of the notebook ended in a cell of this question: {trace.problem}."
        )
    return Line(
        "",
        f"This answer was not run, because the notebook ended in {_name_cell(ended)}: "
        f"{trace.problem}.",
    )


def _of_calls(question: Question, place: int, trace: Trace) -> Iterator[Line]:
    """Say that the run ended while a function was called, or before it was."""
    if not question.function or place not in trace.functions or not trace.problem:
        return
    if place in trace.broken:
        yield Line("", f"The run ended while this function was called: {trace.broken[place]}.")
    elif not trace.calls.get(place):
        yield Line("", f"This function was not called, because the run had ended: {trace.problem}.")


def _of_names(
    question: Question, place: int, submission: Submission, trace: Trace
) -> Iterator[Line]:
    """Say which names a function uses that nothing defines, if that is what it raised.

    The names are those that stand in the code, whichever of them was raised on which case.
    """
    raised = {said.get("error") for said in trace.calls.get(place, {}).values()}
    if not question.function or "NameError" not in raised:
        return
    if names := submission.find_undefined(place)[:_FEW_NAMES]:
        shown = " and ".join(f"`{name[:60]}`" for name in names)
        yield Line("", f"No cell of the notebook defines {shown}.")


def _of_errors(place: int, submission: Submission, trace: Trace) -> Iterator[Line]:
    cells = [cell for cell in submission.cells if cell.is_code]
    for number, text in trace.errors.items():
        if cells[number].question != place:
            continue
        if text.partition(":")[0] == cell_errors.LATE:
            says = "A cell of this question took too long and was stopped. Does a loop never end?"
            yield Line("", says)
        else:
            said = cell_errors.format_error(text)
            yield Line("A cell of this question raised an error", said, verbatim=True)
            if meaning := cell_errors.explain_error(text):
                yield Line("", meaning)
            if text.startswith("SyntaxError") and _COMMA.search(cells[number].source):
                yield Line("", answers.DECIMAL_POINT)


def _of_commands(place: int, submission: Submission) -> Iterator[Line]:
    """Say that a command for another program did nothing."""
    for cell in submission.cells:
        if cell.is_code and cell.question == place and (found := _COMMAND.search(cell.source)):
            shown = found[1].strip().replace("`", "")[:60]
            yield Line(
                "",
                f"No other program can be started when the notebook is graded, so `{shown}` did "
                "nothing.",
            )
            return


def _of_function(
    question: Question, place: int, submission: Submission, trace: Trace
) -> Iterator[Line]:
    """Say that the function that was asked for is not there, and which ones are."""
    if not question.function or place in trace.functions:
        return
    there = [name for name in submission.find_functions(place) if name != question.function]
    if there:
        names = " and ".join(f"`{name}`" for name in there)
        yield Line(
            "",
            f"No function is called `{question.function}`, and only a function of this name is "
            f"judged. The cell defines {names}.",
        )


def _of_unread_names(
    question: Question, place: int, submission: Submission, judged: JudgedAnswer
) -> Iterator[Line]:
    """Say why a name has no answer although something was assigned below the question."""
    empty = {part.name for part in judged.parts if part.outcome is Outcome.NOT_ATTEMPTED}
    for name, asked in question.names.items():
        if asked not in empty:
            continue
        if submission.is_reset(place, name):
            yield Line(
                "",
                f"A cell above assigns `{name}`, but the cell for this answer runs after it and "
                f"sets `{name}` to `...` again. Write the answer into that cell, or delete its "
                f"line with `{name}`.",
            )
        elif other := submission.find_other_case(place, name):
            yield Line(
                "",
                f"The cell assigns `{other[:60]}`, but the answer is read from `{name}`: capital "
                "and small letters make different names.",
            )


def _of_range(question: Question, place: int, trace: Trace, judged: JudgedAnswer) -> Iterator[Line]:
    if not isinstance(question.exercise, Numbers) or judged.mistake:
        return
    labels = {asked.name: asked.label for asked in question.exercise.fields}
    said = trace.values.get(place, {})
    outside: dict[str, float] = {}
    for name, asked in question.names.items():
        if name not in said or not has_unit_range(labels[asked]):
            continue
        try:
            value = answers.read_number(untrusted_values.read_value(said[name])).value
        except UnreadableError:
            continue
        if not 0 <= value <= 1:
            outside[name] = value
    if outside:
        *first, last = (f"`{name}`" for name in outside)
        names = f"{', '.join(first)} and {last}" if first else last
        is_one = len(outside) == 1
        says = f"{names} {'is' if is_one else 'are'} out of range: "
        says += "this value lies" if is_one else "these values lie"
        says += " between 0 and 1."
        if all(1 < value <= _PERCENT for value in outside.values()):
            says += ' Divide a percentage by 100, or write it as a text with its sign, as `"25%"`.'
        yield Line("", says)
