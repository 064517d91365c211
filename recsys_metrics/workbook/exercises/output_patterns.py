"""What the values of a wrong function have in common, where no declared mistake gives them.

Only the values are looked at: this works where the function's text cannot be read, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from recsys_metrics.workbook.exercises import answers
from recsys_metrics.workbook.exercises.answers import UnreadableError
from recsys_metrics.workbook.exercises.code_repairs import CodeMistake

ABOVE_ONE = "above-one"
"""The id of what is said of values above 1, which is shown on such a case."""
_ABOVE_ONE = CodeMistake(
    ABOVE_ONE,
    "above 1",
    "It comes to more than 1 on some of the cases, and 1 is the most there can be.",
    "What is the denominator, and can it be smaller than the numerator?",
)


@dataclass(frozen=True)
class FunctionOutput:
    """What a function did on one case.

    Parameters
    ----------
    value
        What came back.
    error : BaseException or None
        What was raised.
    expected : float
    arguments : mapping
    why : str
        What is special about the case.
    """

    value: Any
    error: BaseException | None
    expected: float
    arguments: Mapping[str, Any]
    why: str


def find_output_pattern(cases: Sequence[FunctionOutput]) -> CodeMistake | None:
    """Return the mistake that all cases together speak for, if any.

    Parameters
    ----------
    cases : sequence of Shown
        Every case that was tried.

    Returns
    -------
    CodeMistake or None
    """
    return _unguarded(cases) or _transformed(cases) or _above_one(cases)


def find_general_pattern(mistake: str) -> CodeMistake | None:
    """Return the mistake of an id that says the same of any function.

    >>> find_general_pattern("percent-for-share").cause
    'Each value is a hundred times the right one.'
    """
    known = [_ABOVE_ONE, *(one for one, _ in _CHANGES)]
    return next((one for one in known if one.id == mistake), None)


def _unguarded(cases: Sequence[FunctionOutput]) -> CodeMistake | None:
    """Say that all is right but where something was divided by 0 or was empty."""
    broken = [case for case in cases if _is_broken(case)]
    if not 0 < len(broken) <= len(cases) - 2 or not all(
        _is_right(case) for case in cases if case not in broken
    ):
        return None
    many = len(broken) > 1
    one = "one of them where" if many else "in which"
    where = next((f", {one} {case.why}" for case in broken if case.why), "")
    ends = f"{len(broken)} of the cases end" if many else "One of the cases ends"
    return CodeMistake(
        "no-guard",
        "unguarded case",
        f"{ends} without a value{where}; all others are right.",
        "What should come back then? Return that before anything else is done.",
    )


def _is_broken(case: FunctionOutput) -> bool:
    if case.error is not None:
        return isinstance(case.error, ZeroDivisionError | IndexError | ValueError)
    try:
        return math.isnan(case.value)
    except Exception:  # no number, a whole one beyond all floats, or an object that fails
        return False


def _above_one(cases: Sequence[FunctionOutput]) -> CodeMistake | None:
    """Say that a share is above 1, where one of the cases has the best there is."""
    if not {0.0, 1.0} <= {case.expected for case in cases}:
        return None
    if any(not 0 <= case.expected <= 1 for case in cases):
        return None
    values = [value for case in cases if (value := _value(case)) is not None]
    if not values or max(values) <= 1 + 1e-9:
        return None
    return _ABOVE_ONE


def _transformed(cases: Sequence[FunctionOutput]) -> CodeMistake | None:
    """All values are the right ones with one thing done to them."""
    found = [_value(case) for case in cases]
    if any(value is None for value in found):
        return None
    for mistake, change in _changes(cases):
        pairs = [(case, value) for case in cases if (value := _changed(change, case)) is not None]
        if len(pairs) < len(cases):
            continue
        differs = sum(
            not answers.agrees(answers.read_number(value), case.expected) for case, value in pairs
        )
        if differs >= 2 and all(
            answers.agrees(answers.read_number(case.value), value) for case, value in pairs
        ):
            return mistake
    return None


_Change = Callable[[FunctionOutput], float]


_CHANGES: tuple[tuple[CodeMistake, _Change], ...] = (
    (
        CodeMistake(
            "sign-turned",
            "sign reversed",
            "All values have the wrong sign.",
            "Should they be above or below 0?",
        ),
        lambda case: -case.expected,
    ),
    (
        CodeMistake(
            "one-minus",
            "one minus",
            "Each value is 1 minus the right one.",
            "Which of the two parts does the question ask for?",
        ),
        lambda case: 1 - case.expected,
    ),
    (
        CodeMistake(
            "percent-for-share",
            "percent for share",
            "Each value is a hundred times the right one.",
            "Does the question ask for a share or for a percentage?",
        ),
        lambda case: 100 * case.expected,
    ),
    (
        CodeMistake(
            "upside-down",
            "upside down",
            "Each value is 1 divided by the right one.",
            "What is divided by what?",
        ),
        lambda case: 1 / case.expected,
    ),
    (
        CodeMistake(
            "square",
            "square",
            "Each value is the square of the right one.",
            "Is a root missing, or was something squared that is not?",
        ),
        lambda case: case.expected**2,
    ),
    (
        CodeMistake(
            "root",
            "root",
            "Each value is the root of the right one.",
            "Is there a root to take here?",
        ),
        lambda case: math.sqrt(case.expected),
    ),
)


def _changes(cases: Sequence[FunctionOutput]) -> Iterator[tuple[CodeMistake, _Change]]:
    yield from _CHANGES
    for name in cases[0].arguments:
        yield from _by_count(name)


def _by_count(name: str) -> Iterator[tuple[CodeMistake, _Change]]:
    yield (
        CodeMistake(
            "not-divided",
            "sum for mean",
            f"Each value is too large by the factor `{name}`: a division is missing.",
            f"Where is it divided by `{name}`, or by how many it has?",
        ),
        lambda case: case.expected * _count(case.arguments[name]),
    )
    yield (
        CodeMistake(
            "divided-once-more",
            "divided twice",
            f"Each value is divided by `{name}`, or by how many it has, once too often.",
            "Which of the divisions is one too many?",
        ),
        lambda case: case.expected / _count(case.arguments[name]),
    )


def _count(value: Any) -> float:
    """Return the number that an argument is, or how many it holds."""
    if isinstance(value, Sequence | AbstractSet | Mapping) and not isinstance(value, str):
        return float(len(value))
    return float(value)


def _changed(change: _Change, case: FunctionOutput) -> float | None:
    """Return a changed value; nothing to divide by leaves a 0 as it is."""
    try:
        return change(case)
    except ZeroDivisionError:
        return None if case.expected else 0.0
    except (ValueError, TypeError):
        return None


def _value(case: FunctionOutput) -> float | None:
    if case.error is not None:
        return None
    try:
        return answers.read_number(case.value).value
    except UnreadableError:
        return None


def _is_right(case: FunctionOutput) -> bool:
    value = _value(case)
    return value is not None and answers.agrees(answers.read_number(case.value), case.expected)
