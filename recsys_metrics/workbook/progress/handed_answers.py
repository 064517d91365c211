"""Which answer to an exercise is handed in: the one in its card, or one that was checked before.

What stands in the card counts, checked or not. Where that has fewer parts that can be read than an
answer that was checked, the checked one counts, and a sentence says so. No part is judged: whether
an answer is complete is seen in the question. How many lines an order needs is part of its answer,
so a shorter one counts, and a sentence says that it is shorter than the checked one.

`book/_static/handed_answers.js` follows the same rule in the page. The table
`tests/workbook/handed_answers.json` is run in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises import answers
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.fields import Field
from recsys_metrics.workbook.exercises.open_answer import is_too_short
from recsys_metrics.workbook.progress._record import MOST_CHARACTERS, Answer, Event

EMPTY = "is empty"
TOO_LONG = f"is longer than {MOST_CHARACTERS:,} characters"
UNKNOWN = "cannot be read (unknown options)"


@dataclass(frozen=True)
class ReadAnswer:
    """An answer as far as it can be handed in.

    Attributes
    ----------
    answer : str, list of str or dict of str, optional
        Without what was left empty; None if nothing is left.
    parts : int
        How many of its parts can be read.
    fault : str
        What keeps it from being complete, after "the answer"; empty if nothing does.
    """

    answer: Answer | None
    parts: int
    fault: str = ""


@dataclass(frozen=True)
class Candidate:
    """An answer that may be handed in.

    Attributes
    ----------
    read : ReadAnswer
    when : str
        Of its check; empty if it stands in the card and was not checked.
    """

    read: ReadAnswer
    when: str = ""


@dataclass(frozen=True)
class Selection:
    """The answer to an exercise that is handed in.

    Attributes
    ----------
    handed : Candidate or None
        None if there is nothing to hand in.
    last : Candidate or None
        What was entered or checked last; the same as `handed` if that is handed in.
    lines_before : int
        How many lines the order had that was checked, if the one that is handed in has fewer.
    """

    handed: Candidate | None = None
    last: Candidate | None = None
    lines_before: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether the answer that is handed in is a whole one."""
        return self.handed is not None and not self.handed.read.fault

    @property
    def is_unchecked(self) -> bool:
        """Whether the answer that is handed in stands in the card and was not checked."""
        return self.handed is not None and not self.handed.when

    def explain(self, title: str) -> str:
        """Return what is not as it looks in the card, in a sentence; empty if all is.

        Parameters
        ----------
        title : str
            Of the exercise.
        """
        if self.last is None:
            return ""
        fault = self.last.read.fault
        if self.handed is None:
            return f"The answer to {title} {fault} and is not in the file."
        if self.handed is self.last and self.lines_before:
            return (
                f"The answer to {title} was changed after its last check and has fewer lines "
                f"({len(self.handed.read.answer or ())} instead of {self.lines_before}): it is "
                "handed in as it is."
            )
        if self.handed is self.last:
            return f"The answer to {title} {fault} and is handed in as it is." if fault else ""
        lacks = f", which {self.handed.read.fault}," if self.handed.read.fault else ""
        if self.last.when:
            return (
                f"The last answer to {title} that was checked {fault}: the one that was checked "
                f"before{lacks} is handed in."
            )
        return (
            f"The answer to {title} was changed after its last check and {fault}: the checked "
            f"one{lacks} is handed in."
        )


def select_answer(
    exercise: Exercise, checks: Iterable[Event], entered: Answer | None = None
) -> Selection:
    """Return which answer to an exercise is handed in.

    Parameters
    ----------
    exercise : Exercise
    checks : iterable of Event
        Its checks, in the order in which they happened.
    entered : str, list of str or dict of str, optional
        What stands in its card and was not checked; an empty answer if the card was emptied, None
        if nothing was changed since the last check.
    """
    handed: Candidate | None = None
    last: Candidate | None = None
    lines_before = 0
    for event in checks:
        if not (event.answer or event.unsaved):
            continue
        read = (
            read_answer(exercise, event.answer) if event.answer else ReadAnswer(None, 0, TOO_LONG)
        )
        last = Candidate(read, event.when)
        handed = _prefer_later(handed, last)
    if entered is not None:
        read = read_answer(exercise, entered)
        is_checked = last is not None and read.answer == last.read.answer is not None
        is_untouched = last is None and read.fault == EMPTY
        if not (is_checked or is_untouched):
            checked, last = handed, Candidate(read)
            handed = _prefer_later(checked, last)
            if checked and handed is last and _is_shorter_order(exercise, read, checked):
                lines_before = len(checked.read.answer or ())
    return Selection(handed, last, lines_before)


def _is_shorter_order(exercise: Exercise, read: ReadAnswer, checked: Candidate) -> bool:
    is_order = bool(exercise.fields) and exercise.fields[0].kind == "order"
    return is_order and len(read.answer or ()) < len(checked.read.answer or ())


def _prefer_later(earlier: Candidate | None, later: Candidate) -> Candidate | None:
    if later.read.answer is None:
        return earlier
    return later if earlier is None or later.read.parts >= earlier.read.parts else earlier


def read_answer(exercise: Exercise, given: Answer) -> ReadAnswer:
    """Return an answer as far as it can be handed in.

    Parameters
    ----------
    exercise : Exercise
    given : str, list of str or dict of str
        As a card keeps it: code, what was picked or put in order, or what was typed by the name of
        its field.
    """
    kind = exercise.fields[0].kind if exercise.fields else "function"
    if kind in ("one", "many", "order"):
        return _read_picked(exercise.fields[0], given if isinstance(given, list) else [])
    if kind == "function":
        return _read_words(given if isinstance(given, str) else "", given)
    typed = given if isinstance(given, dict) else {}
    if kind == "text":
        text = typed.get("text", "")
        read = _read_words(text, {"text": text})
        is_short = read.parts and is_too_short(text)
        return ReadAnswer(read.answer, 0, "is too short for a sentence") if is_short else read
    return _read_numbers(exercise.fields, typed)


def _read_words(text: str, answer: Answer) -> ReadAnswer:
    if not text.strip():
        return ReadAnswer(None, 0, EMPTY)
    return ReadAnswer(None, 0, TOO_LONG) if _is_too_long(text) else ReadAnswer(answer, 1)


def _is_too_long(text: str) -> bool:
    return len(text) > MOST_CHARACTERS


def _read_picked(field: Field, picked: list[str]) -> ReadAnswer:
    keys = [*dict.fromkeys(picked)]
    if not keys:
        return ReadAnswer(None, 0, EMPTY)
    # An exercise may have had other options when they were picked.
    if any(key not in field.options for key in keys) or (field.kind == "one" and len(keys) > 1):
        return ReadAnswer(None, 0, UNKNOWN)
    # How many lines an order needs would be part of the answer.
    return ReadAnswer(keys, 1)


def _read_numbers(fields: tuple[Field, ...], typed: Mapping[str, str]) -> ReadAnswer:
    written = {field.name: typed.get(field.name, "").strip() for field in fields}
    given = {name: text for name, text in written.items() if not answers.is_missing(text)}
    if not given:
        return ReadAnswer(None, 0, EMPTY)
    if any(map(_is_too_long, given.values())):
        return ReadAnswer(None, 0, TOO_LONG)
    empty = ", ".join(field.label for field in fields if field.name not in given)
    unread = [f for f in fields if f.name in given and not _is_number(f, given[f.name])]
    strange = ", ".join(field.label for field in unread)
    faults = [f"empty: {empty}"] * bool(empty) + [f"no number: {strange}"] * bool(strange)
    says = "is not complete" if empty else "cannot be read"
    fault = f"{says} ({'; '.join(faults)})" if faults else ""
    return ReadAnswer(given, len(given) - len(unread), fault)


def _is_number(field: Field, text: str) -> bool:
    try:
        answers.read_number(text, about=f"{field.name} {field.label}")
    except answers.UnreadableError:
        return False
    return True


def format_title(exercise: Exercise) -> str:
    """Return the title of an exercise as its card shows it."""
    return markup.strip_markup(exercise.title)
