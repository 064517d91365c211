"""What a machine can say about a report: each number again, each fault, the plan, three levels."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum

from recsys_metrics.workbook.course.capstone.expected_numbers import EVIDENCE, NUMBERS, Tables
from recsys_metrics.workbook.course.capstone.frozen_test import FrozenResult, plan_of
from recsys_metrics.workbook.course.capstone.report import CapstoneReport, Cited
from recsys_metrics.workbook.course.capstone.scenario import FAULTS
from recsys_metrics.workbook.grading.limits import GradingError

_FEWEST = 5
_OPEN = ("test", 2)


class ClaimedFault(Enum):
    """What became of a fault."""

    SHOWN = "shown by its number"
    NOT_SHOWN = "claimed, but its number is missing or wrong"
    MISSED = "missed"
    WRONG = "claimed, and it is not there"


@dataclass(frozen=True)
class Checked:
    """A cited number, computed again.

    Attributes
    ----------
    cited : Cited
    right : float or None
        What comes out; None if nothing has that name.
    is_right : bool
    why : str
        What it is instead, if that is known.
    """

    cited: Cited
    right: float | None
    is_right: bool
    why: str = ""


@dataclass(frozen=True)
class Marked:
    """A report, as far as a machine can mark it.

    Attributes
    ----------
    report : Report
    numbers : list of Checked
    faults : dict of str to Claim
        Planted ones and those that the report claims.
    opened : Opened or None
    notes : list of str
        What a marker has to know beyond that.
    """

    report: CapstoneReport
    numbers: list[Checked]
    faults: dict[str, ClaimedFault]
    opened: FrozenResult | None
    notes: list[str]

    def proposed(self) -> dict[str, int]:
        """Return levels of the criteria that can be counted: data, numbers, and of test a bound.

        Of the test: 0 if it is closed or not reported, 1 if the plan is another, else 2: whether
        the conclusion follows the plan is for a reader.
        """
        return {"data": self._data(), "numbers": self._numbers(), "test": self._test()}

    def counted(self) -> dict[str, int]:
        """Return the levels that need no reader: a test that was reported as planned needs one."""
        return {name: level for name, level in self.proposed().items() if (name, level) != _OPEN}

    def _data(self) -> int:
        shown = sum(claim is ClaimedFault.SHOWN for claim in self.faults.values())
        wrong = sum(claim is ClaimedFault.WRONG for claim in self.faults.values())
        planted = len(self.faults) - wrong
        if not shown or wrong >= shown:
            return 0
        if shown == planted:
            return 2 if wrong else 3
        return 2 if shown == planted - 1 and not wrong else 1

    def _numbers(self) -> int:
        names = {one.cited.name for one in self.numbers}
        wrong = {one.cited.name for one in self.numbers if not one.is_right}
        if len(names) < _FEWEST or 2 * len(wrong) > len(names):
            return 0
        if not wrong and len(names) >= 12:
            return 3
        return 2 if len(names) >= 8 and 10 * len(wrong) <= 2 * len(names) else 1

    def _test(self) -> int:
        named = {one.cited.name for one in self.numbers}
        if self.opened is None or "test_gain" not in named:
            return 0
        try:
            return 2 if plan_of(self.report) == self.opened.plan else 1
        except GradingError:
            return 1


def mark(
    report: CapstoneReport, tables: Tables, planted: Collection[str], opened: FrozenResult | None
) -> Marked:
    """Compute everything in a report again that it says by name.

    Parameters
    ----------
    report : Report
    tables : mapping of str to Table
        The course's own copy of the case.
    planted : collection of str
    opened : Opened or None
        The test, if it was opened.
    """
    after = dict(opened.numbers) if opened else {}
    numbers = [_check(one, tables, after) for one in report.cited]
    right = {one.cited.name for one in numbers if one.is_right}
    faults = {}
    for name in [*planted, *(one for one in report.faults if one not in planted)]:
        if name not in report.faults:
            faults[name] = ClaimedFault.MISSED
        elif name not in planted:
            faults[name] = ClaimedFault.WRONG
        else:
            faults[name] = ClaimedFault.SHOWN if EVIDENCE[name] in right else ClaimedFault.NOT_SHOWN
    return Marked(report, numbers, faults, opened, list(_notes(report, opened)))


def _check(cited: Cited, tables: Tables, after: Mapping[str, float]) -> Checked:
    if cited.name in after:
        right, mistakes = after[cited.name], {}
    elif cited.name in NUMBERS:
        number = NUMBERS[cited.name]
        right = number.of(tables)
        if not cited.says(right):
            right = next(filter(cited.says, number.others(tables)), right)
        mistakes = {} if cited.says(right) else number.mistakes(tables)
    elif cited.name.startswith("test_"):
        return Checked(cited, None, is_right=False, why="the test has not been opened")
    else:
        return Checked(cited, None, is_right=False, why="no number has this name")
    if not cited.is_a_number:
        return Checked(cited, right, is_right=False, why=cited.explain_unreadable())
    if cited.says(right):
        # A printed 0.5 may be 0.500, whose zeros Python leaves out.
        if cited.is_coarse and float(f"{right:.3g}") != float(cited.text.rstrip(" %") or 0):
            return Checked(cited, right, is_right=False, why="it has one digit; two are needed")
        return Checked(cited, right, is_right=True)
    why = next((words for words, value in mistakes.items() if cited.says(value)), "")
    if not why and cited.says(-right):
        why = "the sign is the other one"
    if not why and cited.says(100 * right):
        why = "it is in percent and does not say so"
    return Checked(cited, right, is_right=False, why=why)


def _notes(report: CapstoneReport, opened: FrozenResult | None) -> list[str]:
    notes = []
    if unknown := [name for name in report.faults if name not in FAULTS]:
        notes.append(f"There is no fault called {', '.join(unknown)}.")
    if not report.decision:
        said = ", ".join(report.decisions) or "nothing"
        notes.append(f"It takes no decision that can be read: it says {said}.")
    if report.words > 1_200:
        notes.append(f"It has {report.words} words; two pages are about a thousand.")
    if opened is None:
        notes.append("The test has not been opened for this student.")
        return notes
    try:
        if plan_of(report) != opened.plan:
            notes.append("The plan in the report is not the one that the test was opened by.")
    except GradingError as problem:
        notes.append(f"Of the plan in the report: {problem}.")
    return notes
