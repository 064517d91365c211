"""What a learner has tried and passed, kept in one file across updates of the workbook.

=============  ==================================================================
file           holds
=============  ==================================================================
`_record`      the file: a history of what happened, merged without loss
`_reviews`     from that history, when each exercise is worth asking again
=============  ==================================================================

The file is `progress.json` in the user's data folder. The environment variable
`RECSYS_METRICS_PROGRESS` names another one, or says ``off``. Without it, only checks in a live
notebook are noted: those whose cell was run by somebody who could be asked a question (a program
that runs a notebook, to build the book, to test it or to grade it, says of each cell that there
is nobody to ask), and those from a button of a card.

All that is told of an exercise, where it stands, what was answered last, when it is due, is worked
out from the history and never kept beside it. An event remembers a hash of what was asked, so that
a pass outlives an update and an exercise that has become another one is offered again.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import warnings
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recsys_metrics._core.package_names import USER_FOLDER
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.interactive import is_attended
from recsys_metrics.workbook.common.state_file import resolve_place
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.result import CheckResult, Outcome
from recsys_metrics.workbook.progress import _record
from recsys_metrics.workbook.progress._record import Answer, Event, ProgressWarning, format_history

if TYPE_CHECKING:
    from recsys_metrics.workbook.progress._reviews import Review

__all__ = [
    "VARIABLE",
    "Answer",
    "Event",
    "ExerciseProgress",
    "ProgressWarning",
    "collect_goals",
    "collect_guesses",
    "format_history",
    "hash_content",
    "is_recording",
    "load_goals",
    "load_guess",
    "load_history",
    "load_previous_answer",
    "load_summary",
    "merge_file",
    "progress_file",
    "record_check",
    "record_goal",
    "record_guess",
    "record_help",
    "record_review",
    "schedule_question_reviews",
    "schedule_reviews",
    "summarize_history",
]

VARIABLE = "RECSYS_METRICS_PROGRESS"
TOO_LONG = (
    "Your answer was not saved, only its outcome: an answer may have "
    f"{_record.MOST_CHARACTERS:,} characters at most. Shorten it and check it again."
)
TOO_LONG_NAME = (
    f"This was not saved: the seed of a variant may have {_record.MOST_CHARACTERS:,} characters at "
    "most."
)
# What could not be written yet, a full disk for instance: by the file in which it belongs.
_unwritten: dict[Path, list[Event]] = {}


@dataclass(frozen=True)
class ExerciseProgress:
    """What is known of one exercise.

    Attributes
    ----------
    content : str
        Hash of what was asked when it was last tried.
    outcome : str
        The last one.
    tries : int
    passes : int
        How often it was passed on different days.
    passed : bool
        Whether it ever was.
    when : str
        Of the last try.
    mistake : str or None
        Id of the likely cause of the last try.
    answer : optional
        The last one.
    """

    content: str
    outcome: str
    tries: int = 0
    passes: int = 0
    passed: bool = False
    when: str = ""
    mistake: str | None = None
    answer: Answer | None = None

    def matches(self, exercise: Exercise) -> bool:
        """Whether what was tried is what the exercise asks today."""
        return self.content in ("", hash_content(exercise))

    def add_check(self, check: Event) -> ExerciseProgress:
        """Return what is known after one more check."""
        same = not (self.content and check.content) or self.content == check.content
        right = check.outcome == Outcome.PASS
        again = same and self.passed and self.when[:10] == check.when[:10]
        return ExerciseProgress(
            content=check.content or self.content,
            outcome=check.outcome,
            tries=self.tries + check.tries,
            passes=(self.passes if same else 0) + (check.passes if right and not again else 0),
            passed=right or (same and self.passed),
            when=check.when,
            mistake=check.mistake,
            answer=check.answer,
        )


def progress_file() -> Path | None:
    """Return where progress is kept, or None if it is switched off."""

    def of_the_user() -> Path:
        from platformdirs import user_data_path

        return user_data_path(USER_FOLDER, appauthor=False) / "progress.json"

    return resolve_place(VARIABLE, of_the_user)


def is_recording() -> bool:
    """Whether a check made here and now is a learner's, and is to be noted."""
    if VARIABLE in os.environ:
        return progress_file() is not None
    return is_attended()


def hash_content(exercise: Exercise) -> str:
    """Return a hash of what an exercise asks: words, inputs, cases, the call."""
    cases = [markup.format_python(case.arguments) for case in getattr(exercise, "cases", ())]
    asked = [
        exercise.statement,
        exercise.check_template,
        markup.format_python(dict(exercise.inputs)),
        *cases,
    ]
    return hashlib.sha256("\0".join(asked).encode()).hexdigest()[:16]


def record_check(exercise: Exercise, result: CheckResult) -> str:
    """Note the result of a check, if it is one to be noted; never fail.

    Parameters
    ----------
    exercise : Exercise
    result : Result

    Returns
    -------
    str
        What was not saved, or not in the usual place; empty if all was well.
    """
    if _find_file() is None or (result.outcome is Outcome.NOT_ATTEMPTED and not result.noted):
        return ""
    answer = exercise.format_response(result)
    with _record.listen_to_warnings() as heard:
        unsaved = _record_exercise(
            exercise,
            outcome=str(result.outcome),
            mistake=result.mistake,
            answer=answer,
            seconds=exercise.seconds_shown(),
        )
    if answer and not unsaved:
        exercise.count_saved_answer()
    said = " ".join(dict.fromkeys([unsaved, *heard])).strip()
    # The name of a file may have halves of characters, which no message to a card can have.
    return said.encode("utf-8", "replace").decode()


def record_help(exercise: Exercise, what: str, number: int) -> None:
    """Note that a hint or the solution was opened, if it is to be noted; never fail.

    Parameters
    ----------
    exercise : Exercise
    what : {"hint", "solution"}
    number : int
        Of the hint.
    """
    _record_exercise(exercise, what=what, number=number)


def record_goal(explorable: str, place: int) -> None:
    """Note that a goal of an explorable was found, if it is to be noted; never fail.

    Parameters
    ----------
    explorable : str
        Its id.
    place : int
        Of the goal, from 0.
    """
    _record_event(exercise=explorable, what="goal", number=place + 1)


def record_guess(explorable: str, guess: str) -> None:
    """Note what was guessed before an explorable was moved, if it is to be noted; never fail.

    Parameters
    ----------
    explorable : str
        Its id.
    guess : str
    """
    _record_event(exercise=explorable, what="guess", answer=guess)


def load_guess(explorable: str) -> str:
    """Return what was guessed first of an explorable; nothing where nobody learns."""
    return collect_guesses(load_history() if is_recording() else ()).get(explorable, "")


def collect_guesses(events: Iterable[Event]) -> dict[str, str]:
    """Return the first guess that was made of each explorable."""
    made: dict[str, str] = {}
    for event in events:
        if event.what == "guess" and isinstance(event.answer, str):
            made.setdefault(event.exercise, event.answer)
    return made


def record_review(question: str, outcome: str) -> None:
    """Note how a recall question was, if it is to be noted; never fail.

    Parameters
    ----------
    question : str
        Its id.
    outcome : {"PASS", "PART", "WRONG"}
    """
    _record_event(exercise=question, outcome=outcome)


def load_goals(explorable: str) -> set[int]:
    """Return which goals of an explorable were found, by place; none where nobody learns."""
    return collect_goals(load_history() if is_recording() else ()).get(explorable, set())


def collect_goals(events: Iterable[Event]) -> dict[str, set[int]]:
    """Return which goals were found, by place, of each explorable."""
    found: dict[str, set[int]] = {}
    for event in events:
        if event.what == "goal":
            found.setdefault(event.exercise, set()).add(event.number - 1)
    return found


def _find_file() -> Path | None:
    """Return where what happens here and now is to be noted, or None if it is not."""
    return progress_file() if is_recording() else None


def _record_exercise(exercise: Exercise, **known: object) -> str:
    # To say what an exercise asks takes longer than to check an answer to it.
    if _find_file() is None:
        return ""
    about = {"exercise": exercise.id, "seed": exercise.seed, "content": hash_content(exercise)}
    return _record_event(**about, **known)


def _record_event(**known: object) -> str:
    """Note an event, and say if a part of it is too long to be saved."""
    file = _find_file()
    if file is None:
        return ""
    waiting = _unwritten.setdefault(file, [])
    event = _record.create_event([*_read_if_possible(file), *waiting], **known)
    if not _record.is_sound(event):
        return TOO_LONG_NAME
    waiting.append(event)
    try:
        _write_waiting(file)
    except OSError as problem:
        _record.warn(
            f"Your progress could not be written to {file}: {problem}. The check is not affected, "
            "and what was to be noted is kept as long as this notebook runs: it is written with "
            "the next check that can be noted.",
            stacklevel=3,
        )
    return TOO_LONG if event.unsaved else ""


def _write_waiting(file: Path) -> None:
    """Write what is to be noted in a file, and was not yet."""
    waiting = _unwritten[file]
    noted = [*waiting]
    _record.append_events(file, noted)
    # Another thread may have added one of its own.
    waiting[:] = [event for event in waiting if event not in noted]


@atexit.register
def _write_at_the_end() -> None:
    """Try once more to write what waits, since nothing of it is kept when the program ends."""
    for file, waiting in _unwritten.items():
        if waiting:
            with suppress(OSError):
                _write_waiting(file)


def _read_if_possible(file: Path) -> list[Event]:
    """Return what a file holds; a file that cannot be read cannot be written, which is said."""
    try:
        return _record.read_history(file)
    except OSError:
        return []


def load_history() -> list[Event]:
    """Return all that was noted, in the order in which it happened.

    Returns
    -------
    list of Event
        Empty if nothing is known yet. A damaged file is put aside, with a warning.
    """
    file = progress_file()
    if file is None:
        return []
    try:
        events = _record.read_history(file)
        return _record.sort_events([*events, *_unwritten.get(file, ())])
    except OSError as problem:
        warnings.warn(
            f"Your progress in {file} could not be read: {problem}. Nothing of it was changed.",
            ProgressWarning,
            stacklevel=2,
        )
        return [*_unwritten.get(file, ())]


def summarize_history(events: Iterable[Event]) -> dict[str, ExerciseProgress]:
    """Return where each exercise stands, by its id, or id and seed of a variant.

    Parameters
    ----------
    events : iterable of Event
        In the order in which they happened.
    """
    known: dict[str, ExerciseProgress] = {}
    for event in events:
        if event.what == "check":
            known[event.key] = known.get(event.key, ExerciseProgress("", "")).add_check(event)
    return known


def load_summary() -> dict[str, ExerciseProgress]:
    """Return what is known, by exercise id, or id and seed of a variant."""
    return summarize_history(load_history())


def schedule_reviews(events: Sequence[Event]) -> dict[str, Review]:
    """Return when each exercise that was ever passed is worth asking again, by its id.

    Parameters
    ----------
    events : sequence of Event
        In the order in which they happened.
    """
    # The exercises call this package, and reviews look through all exercises.
    from recsys_metrics.workbook.progress._reviews import schedule_reviews

    return schedule_reviews(events)


def schedule_question_reviews(
    events: Sequence[Event], questions: Collection[str]
) -> dict[str, Review]:
    """Return when each recall question that was ever marked is worth asking again, by its id.

    Parameters
    ----------
    events : sequence of Event
        In the order in which they happened.
    questions : collection of str
        Ids of the questions as they are asked today.
    """
    from recsys_metrics.workbook.progress._reviews import schedule_question_reviews

    return schedule_question_reviews(events, questions)


def load_previous_answer(exercise: Exercise) -> Answer | None:
    """Return what a learner answered last to an exercise as it is asked today.

    Parameters
    ----------
    exercise : Exercise

    Returns
    -------
    str, list of str or dict of str, optional
        None where nobody learns, nothing was answered, or something else was asked.
    """
    if not is_recording():
        return None
    entry = load_summary().get(exercise.key)
    return entry.answer if entry and entry.matches(exercise) else None


def is_own_name(file: Path) -> bool:
    """Whether a file that a learner names would be taken over as one of ours, and removed."""
    own = progress_file()
    return own is not None and _record.is_own_name(file, own.resolve())


def merge_file(file: Path) -> tuple[int, int]:
    """Add what a saved file knows, from another machine or from the book's pages.

    Parameters
    ----------
    file : Path

    Returns
    -------
    new, unread : int
        How many events were new here, and how many could not be read.

    Raises
    ------
    ValueError
        If the file holds no progress, or progress is switched off.
    OSError
        If one of the two files cannot be read or written.
    """
    own = progress_file()
    if own is None:
        raise ValueError(f"progress is switched off by {VARIABLE}")
    try:
        events, unread = _record.read_saved_file(file)
    except ValueError as problem:
        raise ValueError(f"{file} was not taken: {problem}") from None
    return _record.append_events(own, events), unread
