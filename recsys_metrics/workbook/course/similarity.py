"""Wrong answers that are right for somebody else: what they show, and how likely it is by chance.

It is evidence and no proof. Two students who worked together, one who copied, and one whose
file was copied all look the same from here.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from recsys_metrics.workbook.course.stored_state import is_number, is_text
from recsys_metrics.workbook.exercises import answers as reading
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.grading import stray_words, untrusted_values
from recsys_metrics.workbook.grading.copy_probability import VARIANTS
from recsys_metrics.workbook.grading.judge import JudgedAnswer
from recsys_metrics.workbook.grading.questions import Question
from recsys_metrics.workbook.grading.sandbox import Trace
from recsys_metrics.workbook.grading.submissions import Submission

_MOST = 50
_LONGEST = 60
_FEWEST_WORDS = 8

Said = Mapping[str, Any]
"""What is kept of an answer: `wrong`, what was given and is not right; `right`, what would be.

Numbers are kept by name. Of things to pick from every way to name the right ones is kept.
"""


@dataclass(frozen=True)
class Match:
    """A student some of whose wrong answers are another one's right ones.

    Attributes
    ----------
    student : str
        Whose answers are wrong.
    other : str
        For whom they would have been right.
    exercises : tuple of str
        Ids of those.
    wrong : int
        How many of the student's answers are wrong.
    chance : float
        That as many or more of them fit one student who has nothing to do with this one.
    """

    student: str
    other: str
    exercises: tuple[str, ...]
    wrong: int
    chance: float


def kept(
    questions: Sequence[Question], judged_answers: Sequence[JudgedAnswer], trace: Trace
) -> dict[str, Said]:
    """Return what is compared of a submission, by exercise, as JSON can hold it.

    Parameters
    ----------
    questions : sequence of Question
    judged_answers : sequence of JudgedAnswer
    trace : Trace
    """
    found: dict[str, Said] = {}
    for place, (question, judged_answer) in enumerate(zip(questions, judged_answers, strict=True)):
        right = _right(question.exercise)
        if right is None:
            continue
        said = trace.values.get(place, {})
        given = {
            asked: untrusted_values.read_value(said[name])
            for name, asked in question.names.items()
            if name in said
        }
        is_wrong = judged_answer.outcome in {Outcome.WRONG, Outcome.ERROR}
        wrong = _wrong(question.exercise, given) if is_wrong else None
        found[question.id] = {"right": right, **({"wrong": wrong} if wrong else {})}
    return found


def is_kept(value: Any) -> bool:
    """Whether a value is what `kept` keeps of an answer."""
    if not isinstance(value, dict) or not value.keys() <= {"right", "wrong"}:
        return False
    right, wrong = value.get("right"), value.get("wrong", "")
    numbers = [each for one in (right, wrong) if isinstance(one, dict) for each in one.values()]
    words = right if isinstance(right, list) else []
    return (
        isinstance(right, dict | list)
        and isinstance(wrong, dict | str)
        and all(map(is_number, numbers))
        and all(map(is_text, words))
    )


def digest_words(questions: Sequence[Question], submission: Submission) -> dict[str, str]:
    """Return a hash of each answer in words by exercise, whatever its case, blanks and signs.

    Answers of a few words are left out, since two students may well find the same ones.

    Parameters
    ----------
    questions : sequence of Question
    submission : Submission
    """
    found = {}
    for place, question in enumerate(questions):
        stray = stray_words.find_stray_words(place, questions, submission)
        said = [submission.get_text(place), *(one.text for one in stray)]
        words = re.findall(r"\w+", " ".join(said).casefold())
        if question.is_words and len(words) >= _FEWEST_WORDS:
            found[question.id] = hashlib.sha256(" ".join(words).encode()).hexdigest()[:16]
    return found


def find_same_words(of_student: Mapping[str, Mapping[str, str]]) -> list[tuple[str, list[str]]]:
    """Return the students who wrote the same words, with the exercise, the most first.

    Parameters
    ----------
    of_student : mapping
        What `digest_words` returned for each.

    Examples
    --------
    >>> find_same_words({"ann": {"a.b": "1f"}, "bob": {"a.b": "1f"}, "cleo": {"a.b": "2e"}})
    [('a.b', ['ann', 'bob'])]
    """
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for student, said in of_student.items():
        for exercise, digest in said.items():
            groups[exercise, digest].append(student)
    same = [(exercise, who) for (exercise, _), who in groups.items() if len(who) > 1]
    return sorted(same, key=lambda one: -len(one[1]))


def matches(
    of_student: Mapping[str, Mapping[str, Said]], find: Callable[[str], Exercise]
) -> list[Match]:
    """Return the matches that chance alone would hardly give among so many students.

    Parameters
    ----------
    of_student : mapping
        What was kept of each student's submission.
    find : callable
        The id of an exercise to the exercise.

    Returns
    -------
    list of Match
        The least likely first.
    """
    pairs = len(of_student) * (len(of_student) - 1)

    @cache
    def drawn(exercise: str) -> list[Any]:
        """Return what is right for students who have nothing to do with anybody here."""
        one = find(exercise)
        return [_right(one.variant(f"somebody {number}")) for number in range(VARIANTS)]

    @cache
    def by_chance(student: str, exercise: str) -> float:
        wrong = of_student[student][exercise]["wrong"]
        fits = sum(_fits(wrong, right) for right in drawn(exercise))
        return (fits + 1) / (VARIANTS + 1)

    found = []
    for student, other, exercises, wrong in _same(of_student):
        chance = at_least(len(exercises), [by_chance(student, one) for one in wrong])
        # So many pairs are looked at that some match: of those nothing is said.
        if chance * pairs <= OF_A_CLASS:
            found.append(Match(student, other, exercises, len(wrong), chance))
    return sorted(found, key=lambda match: match.chance)[:_MOST]


OF_A_CLASS = 0.05
"""A match is named if chance would give a class no more such matches than this."""


def at_least(count: int, chances: Sequence[float]) -> float:
    """Return the chance that so many of some independent things happen.

    >>> at_least(1, [0.5, 0.5]), at_least(2, [0.5, 0.5]), at_least(0, [])
    (0.75, 0.25, 1.0)
    """
    exactly = [1.0]
    for chance in chances:
        missed = [old * (1 - chance) for old in [*exactly, 0.0]]
        happened = [old * chance for old in [0.0, *exactly]]
        exactly = [a + b for a, b in zip(missed, happened, strict=True)]
    return sum(exactly[count:])


def _same(
    of_student: Mapping[str, Mapping[str, Said]],
) -> Iterator[tuple[str, str, tuple[str, ...], list[str]]]:
    """Yield each student and other one of whom an answer is right where the student's is not."""
    for student, said in of_student.items():
        wrong = [exercise for exercise, one in said.items() if "wrong" in one]
        for other, theirs in of_student.items() if wrong else ():
            both = [exercise for exercise in wrong if exercise in theirs]
            exercises = tuple(
                one for one in both if _fits(said[one]["wrong"], theirs[one]["right"])
            )
            if exercises and other != student:
                yield student, other, exercises, both


def _right(exercise: Exercise) -> Any:
    """Return every way to be right, as JSON holds it; None where nothing is compared."""
    if isinstance(exercise, Numbers):
        return dict(exercise.answer)
    if isinstance(exercise, Order):
        return ["".join(order) for order in exercise.accepted_answers]
    if isinstance(exercise, Choice):
        places = [exercise.option_list.keys.index(key) for key in exercise.accepted_answers]
        names = [
            list(exercise.accepted_answers),
            [str(place + 1) for place in places],
            ["abcdefghijklmnopqrstuvwxyz"[place] for place in places],
        ]
        if exercise.chooses_all:
            return [" ".join(sorted(way)) for way in names]
        return [name for way in names for name in way]
    return None


def _wrong(exercise: Exercise, given: Mapping[str, Any]) -> Any:
    """Return what was given and is not right; nothing if nothing can be compared."""
    if isinstance(exercise, Numbers):
        numbers = {
            name: _number(value, f"{name} {exercise.asks[name]}") for name, value in given.items()
        }
        right = exercise.answer
        return {
            name: value
            for name, value in numbers.items()
            if value is not None and not _agrees(value, right[name])
        }
    return _picked(next(iter(given.values()), None), joined=isinstance(exercise, Order))


def _number(value: Any, about: str) -> float | None:
    try:
        return float(reading.read_number(value, about=about).value)
    except (reading.UnreadableError, OverflowError, TypeError, ValueError):
        return None


def _picked(value: Any, *, joined: bool) -> str:
    """Return what was picked as plain words in an order of their own; a sequence in its order."""
    things = value if isinstance(value, list | tuple | set | frozenset) else [value]
    text = " ".join(str(thing) for thing in things if isinstance(thing, str | int))
    words = re.findall(r"[a-z0-9_-]+", text.casefold())
    return ("".join(words) if joined else " ".join(sorted(words)))[:_LONGEST]


def _fits(wrong: Any, right: Any) -> bool:
    """Whether what is wrong for one is right for another."""
    if isinstance(wrong, dict) != isinstance(right, dict):
        return False  # the exercise asks for something else now
    if isinstance(wrong, dict):
        return bool(wrong) and all(
            name in right and _agrees(value, right[name]) for name, value in wrong.items()
        )
    return wrong in [name.casefold() for name in right]


def _agrees(value: float, right: float) -> bool:
    return reading.agrees_roughly(reading.read_number(value), right)
