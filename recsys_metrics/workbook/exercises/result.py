"""What a check says: one of four outcomes, part by part, with the likely cause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from recsys_metrics._core import console
from recsys_metrics._core.colors import BLUE, GREEN, GREY, PURPLE, VERMILION
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.disclosure import ARROW

CRITERION = "Is it so"
"""How a line begins that asks whether a criterion holds for a text."""


NEXT_LABELS = frozenset({"Try"})
"""Labels of what a learner is to do or to think about next, after the cause."""

PERHAPS = ("Perhaps", "Or perhaps")
"""How the labels of possible causes begin: of the first, and of the others."""

EVIDENCE_LABELS = frozenset(
    {"Case", "Here", "Raised", "In words", "Came back", "Printed", "Right so far"}
)
"""Labels of what a function did, from which the cause is concluded."""

NOT_AS_USUAL = "Not saved as usual"
"""What is said in place of *Saved* where something went wrong; a sentence below says what."""


class Outcome(StrEnum):
    """The four things a check can say.

    ERROR means that the answer could not be judged: it is no number, its name is unknown, the
    function broke or did not finish.
    """

    PASS = "PASS"
    WRONG = "WRONG"
    NOT_ATTEMPTED = "NOT ATTEMPTED"
    ERROR = "ERROR"

    @property
    def symbol(self) -> str:
        """The sign that goes with the word, so that colour is never needed."""
        return {"PASS": "✓", "WRONG": "✗", "NOT ATTEMPTED": "?", "ERROR": "!"}[self]

    @property
    def label(self) -> str:
        """The word as a learner reads it."""
        return {
            "PASS": "Correct",
            "WRONG": "Not yet",
            "NOT ATTEMPTED": "Not attempted",
            "ERROR": "Error",
        }[self]

    @property
    def colour(self) -> str:
        """The colour of the outcome's edge."""
        return {"PASS": GREEN, "WRONG": VERMILION, "NOT ATTEMPTED": GREY, "ERROR": PURPLE}[self]


def combine_outcomes(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome of several parts: what needs attention first.

    ERROR before WRONG before NOT ATTEMPTED before PASS; of no parts, NOT ATTEMPTED.
    """
    found = set(outcomes)
    for outcome in (Outcome.ERROR, Outcome.WRONG, Outcome.NOT_ATTEMPTED, Outcome.PASS):
        if outcome in found:
            return outcome
    return Outcome.NOT_ATTEMPTED


@dataclass(frozen=True)
class Line:
    """One labelled thing that feedback says.

    Parameters
    ----------
    label : str
        "Likely cause", "Try", …; empty for a sentence that stands alone.
    text : str
        Our own words in markdown, or anything at all if it is verbatim.
    verbatim : bool
        Whether the text is shown as it is, as code. Whatever comes from a learner is.
    """

    label: str
    text: str
    verbatim: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", _as_shown(self.text))

    def as_text(self) -> str:
        """Return the line as plain text."""
        body = self.text if self.verbatim else markup.strip_markup(self.text)
        if "\n" in body:
            body = "".join(f"\n    {row}".rstrip(" ") for row in body.splitlines())
        space = "" if body.startswith("\n") else " "
        return f"{self.label}:{space}{body}" if self.label else body

    def as_html(self) -> str:
        """Return the line as HTML."""
        if self.verbatim and "\n" in self.text:
            body = markup.render_code_block(self.text)
            return f'<div style="margin:.3em 0">{self._label()}{body}</div>'
        body = markup.render_code(self.text) if self.verbatim else markup.render_inline(self.text)
        return f'<p style="margin:.3em 0">{self._label()}{body}</p>'

    def as_inline(self) -> str:
        """Return a line without a break as HTML that stands among others."""
        return self._label() + (markup.render_code if self.verbatim else markup.render_inline)(
            self.text
        )

    def _label(self) -> str:
        return f"<strong>{markup.escape(self.label)}:</strong> " if self.label else ""


@dataclass(frozen=True)
class AnswerPart:
    """The outcome of one answer.

    Parameters
    ----------
    name : str
        The answer's name, or the function's.
    outcome : Outcome
    response : str
        What came back, as written; empty if nothing did.
    pitfall : str
        The name of the likely cause, *hits divisor* for instance; empty if none is known.
    mistake : str or None
        The id of the likely cause.
    lines : tuple of Line
        Cause, what to try, and what else there is to say.
    expected : tuple of str
        The right answer where this one is wrong, which is shown on request: a number, options,
        letters in order.
    wrong_line : int or None
        The place of the first line that is wrong, counted from 0, where the answer is an order.
    """

    name: str
    outcome: Outcome
    response: str = ""
    pitfall: str = ""
    mistake: str | None = None
    lines: tuple[Line, ...] = ()
    expected: tuple[str, ...] = ()
    wrong_line: int | None = None


@dataclass(frozen=True, repr=False)
class CheckResult:
    """What `check` answers; it shows itself in a notebook.

    Parameters
    ----------
    exercise : str
        The exercise's id.
    parts : tuple of Part
        One for each answer, in the declared order; empty if the call itself was at fault.
    lines : tuple of Line
        What concerns all parts.
    fault : Outcome, optional
        The outcome where there are no parts.
    noted : str
        What is said instead of its outcome, where there is nothing to judge yet: a
        prediction, a text before its marks. Neither right nor wrong then.
    saving : str
        What was not saved of the answer, or not in the usual place; empty if all was well.
    """

    exercise: str
    parts: tuple[AnswerPart, ...]
    lines: tuple[Line, ...] = ()
    fault: Outcome | None = None
    noted: str = ""
    saving: str = ""

    @cached_property
    def outcome(self) -> Outcome:
        """One of PASS, WRONG, NOT ATTEMPTED, ERROR."""
        return self.fault or combine_outcomes(part.outcome for part in self.parts)

    @property
    def passed(self) -> bool:
        """Whether everything asked for is right."""
        return self.outcome is Outcome.PASS

    @property
    def mistake(self) -> str | None:
        """Id of the likely cause, of the first part that has one."""
        return next((p.mistake for p in self.parts if p.mistake), None)

    @property
    def expected(self) -> str:
        """The right answers to the parts that are wrong; empty if none is."""
        wrong = {part.name: ", ".join(part.expected) for part in self.parts if part.expected}
        if len(self.parts) == 1:
            return "".join(wrong.values())
        return "; ".join(f"{name} = {value}" for name, value in wrong.items())

    @property
    def message(self) -> str:
        """Everything the check says, as plain text."""
        rows = [self._headline()]
        if len(self.parts) == 1:
            rows += [f"  {line.as_text()}" for line in self.parts[0].lines]
        elif self.passed or self.noted:
            rows += [f"  {line.as_text()}" for line in self._distinct_lines()]
        else:
            for part in self.parts:
                rows.append(f"  {part.outcome.symbol} {_describe_part(part)}")
                rows += [f"      {line.as_text()}" for line in part.lines]
        rows += [f"  {line.as_text()}" for line in self.lines]
        if self.saving:
            rows.append(f"  {self.saving}")
        if self.expected:
            rows.append("  The attribute `expected` of this result has the answer.")
        return "\n".join(rows)

    def __repr__(self) -> str:
        return f"{self._symbol} {self.message}"

    def _repr_html_(self) -> str:
        if not self.noted and {part.outcome for part in self.parts} == {Outcome.NOT_ATTEMPTED}:
            return self._render_not_attempted()
        body = ""
        if len(self.parts) == 1:
            body = "".join(line.as_html() for line in self.parts[0].lines)
        elif self.passed or self.noted:
            body = "".join(line.as_html() for line in self._distinct_lines())
        else:
            body = "".join(_part_as_html(part) for part in self.parts)
        body += "".join(line.as_html() for line in self.lines)
        if self.saving:
            body += f'<p style="margin:.3em 0">{markup.escape(self.saving)}</p>'
        if self.expected:
            body += (
                f"<details><summary>{ARROW}Show the answer</summary>"
                f"{markup.render_code(self.expected)}</details>"
            )
        label, colon, name = self._headline().partition(": ")
        head = f"{self._symbol} {markup.escape(label)}{colon}<em>{markup.escape(name)}</em>"
        return markup.render_box(
            f'<p style="margin:.2em 0"><strong>{head}</strong></p>{body}',
            edge=BLUE if self.noted else self.outcome.colour,
            label=_outcome_text(self),
        )

    def _render_not_attempted(self) -> str:
        """Return one quiet line: the card above has the question, and the cell what to fill in."""
        lines = [line for part in self.parts for line in part.lines]
        texts = " ".join(
            line.as_inline() for line in (*lines, *self.lines) if "\n" not in line.text
        )
        head = f"{Outcome.NOT_ATTEMPTED.symbol} {Outcome.NOT_ATTEMPTED.label}."
        return (
            f'<div role="group" aria-label="{_outcome_text(self)}" '
            f'style="margin:.4em 0;opacity:.8">'
            f"<small>{head} {texts}</small></div>"
        )

    @property
    def _symbol(self) -> str:
        return "•" if self.noted else self.outcome.symbol

    def _distinct_lines(self) -> list[Line]:
        """Return what is said about the parts, each thing once."""
        return list(dict.fromkeys(line for part in self.parts for line in part.lines))

    def _headline(self) -> str:
        label = self.outcome.label
        if self.noted:
            return NOT_AS_USUAL if self.saving else self.noted
        if len(self.parts) != 1:
            return f"{label}: {', '.join(p.name for p in self.parts)}" if self.passed else label
        only = self.parts[0]
        if only.pitfall:
            return f"{label}: {only.pitfall}"
        return (
            f"{label}: {only.name} = {_as_shown(only.response)}"
            if self.passed and only.response
            else (f"{label}: {only.name}")
        )


def _as_shown(text: str) -> str:
    """Return words that may be a learner's, as a page and a terminal can show them.

    Half a character is in no message to a page, and some signs a terminal obeys.
    """
    return console.for_terminal(text, keep="\n\t")


def _outcome_text(result: CheckResult) -> str:
    return "Noted" if result.noted else f"Outcome: {result.outcome}"


def _describe_part(part: AnswerPart) -> str:
    """Return the name of a part, what was given, and the outcome in words."""
    response = f" = {_as_shown(part.response)}" if part.response else ""
    outcome = f"{part.outcome.label}: {part.pitfall}" if part.pitfall else part.outcome.label
    return f"{part.name}{response}  {outcome}"


def _part_as_html(part: AnswerPart) -> str:
    response = f" = {_as_shown(part.response)}" if part.response else ""
    about = f"{markup.render_code(part.name + response)} &nbsp;"
    outcome = markup.escape(part.outcome.label)
    if part.pitfall:
        outcome += f": <em>{markup.escape(part.pitfall)}</em>"
    lines = "".join(line.as_html() for line in part.lines)
    return (
        f'<p style="margin:.5em 0 .1em">{about}'
        f"<strong>{part.outcome.symbol} {outcome}</strong></p>"
        + (f'<div style="margin-left:1.4em">{lines}</div>' if lines else "")
    )
