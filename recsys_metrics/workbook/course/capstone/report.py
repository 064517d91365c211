"""What a report says by name: numbers, faults, a plan, a decision; it is read and never run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property

from recsys_metrics.workbook.grading.submissions import Cell, Submission

DECISIONS = ("a", "b", "neither")
FAULT, DECISION = "fault", "decision"
PLAN_MEASURE, PLAN_MARGIN = "plan_measure", "plan_margin"

OPEN = "..."
"""Where nothing has been said yet."""

_SAID = re.compile(r"`\s*([A-Za-z]\w*)\s*=\s*([^`\n]{1,60}?)\s*`")
_NUMBER = re.compile(r"(<\s*)?([-+\N{MINUS SIGN}]?[\d.,_]+(?:[eE][-+]?\d+)?)\s*(%?)")
_WORD = re.compile(r"\b\w[\w'\N{RIGHT SINGLE QUOTATION MARK}-]*")


@dataclass(frozen=True)
class Cited:
    """A number that a report cites.

    Attributes
    ----------
    name, text : str
        As they were written.
    """

    name: str
    text: str

    @cached_property
    def _parts(self) -> tuple[bool, Decimal] | None:
        found = _NUMBER.fullmatch(self.text)
        if found is None:
            return None
        digits = found[2].replace("\N{MINUS SIGN}", "-").replace("_", "")
        if "," in digits:
            # 1,234 is read as thousands only where it cannot be a decimal comma.
            if not re.fullmatch(r"-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?", digits):
                return None
            digits = digits.replace(",", "")
        try:
            value = Decimal(digits)
        except InvalidOperation:
            return None
        return bool(found[1]), value.scaleb(-2) if found[3] else value

    @property
    def is_a_number(self) -> bool:
        """Whether it can be read: `0.312`, `31.2 %`, `1,234`, `2e-5`, `< 0.001`."""
        return self._parts is not None

    def explain_unreadable(self) -> str:
        """Return why it cannot be read, and how it is written."""
        if re.fullmatch(r"[-+\N{MINUS SIGN}]?\d+,\d+", self.text):
            return "it cannot be read as a number; write a decimal point, as in 0.5"
        return "it cannot be read as a number"

    @property
    def is_coarse(self) -> bool:
        """Whether it has fewer than two digits that say something, and is no count."""
        if self._parts is None or self._parts[0]:
            return False
        value = self._parts[1]
        return len(value.as_tuple().digits) < 2 and value != value.to_integral_value()

    def says(self, value: float) -> bool:
        """Whether a value, rounded as this one was written, is this one."""
        if self._parts is None:
            return False
        is_bound, written = self._parts
        if is_bound:
            return value < float(written)
        exponent = int(written.as_tuple().exponent)
        half = 0.5 * 10.0 ** min(exponent, 0)
        # Rounding twice, and to even or up, may part in the last digit.
        return abs(value - float(written)) <= half * 1.02 + 1e-12


@dataclass(frozen=True)
class CapstoneReport:
    """What a report says by name.

    Attributes
    ----------
    cited : list of Cited
        Numbers, in order; one that is cited twice stands here twice.
    faults : list of str
        What it claims to be wrong with the case.
    decisions : list of str
    plan : dict
        What is given for `plan_measure` and `plan_margin`, where they are, in order.
    text : str
        Its words, in Markdown.
    """

    cited: list[Cited] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    plan: dict[str, list[str]] = field(default_factory=dict)
    text: str = ""

    @property
    def decision(self) -> str:
        """The decision, if there is one and only one that can be taken."""
        taken = set(self.decisions)
        return taken.pop() if len(taken) == 1 and taken <= set(DECISIONS) else ""

    @property
    def words(self) -> int:
        """How many words it has; two pages are about a thousand."""
        return len(_WORD.findall(self.text))


def read(submission: Submission, ours: Collection[str] = ()) -> CapstoneReport:
    """Return what a notebook says in Markdown, but for the cells that were in it."""
    return read_text("\n\n".join(_words(submission.cells, ours)))


def read_text(text: str) -> CapstoneReport:
    """Return what a text says by name.

    >>> said = read_text("Better, `recall_b = 0.31`: `decision = b`, but `fault = time_leak`.")
    >>> said.cited[0].says(0.3126), said.decision, said.faults
    (True, 'b', ['time_leak'])
    """
    report = CapstoneReport(text=text)
    for name, value in _SAID.findall(text):
        if value == OPEN:
            continue
        if name == FAULT:
            if value not in report.faults:
                report.faults.append(value)
        elif name == DECISION:
            report.decisions.append(value.lower())
        elif name in {PLAN_MEASURE, PLAN_MARGIN}:
            report.plan.setdefault(name, []).append(value)
        else:
            report.cited.append(Cited(name, value))
    return report


def _words(cells: Sequence[Cell], ours: Collection[str]) -> Iterator[str]:
    known = {source.strip() for source in ours}
    written = (cell.source.strip() for cell in cells if not cell.is_code)
    return (source for source in written if source not in known)
