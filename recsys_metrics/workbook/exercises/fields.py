"""What a card's form asks for, and what a card must know of an exercise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, Self

from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.exercises.result import CheckResult


@dataclass(frozen=True)
class Field:
    """A field of a card's form.

    Parameters
    ----------
    name : str
        Of the answer it is about, as `check` takes it.
    label : str
    kind : {"number", "one", "many", "order", "text"}
        A line of text for a number, buttons for one option, boxes for many, lines to put in
        order, an area for a text.
    options : mapping
        What there is to pick from: what is answered, and how it reads.
    is_code : bool
        Whether the options are lines of code; else they are markdown.
    note : str
        What else to know before answering.
    """

    name: str
    label: str
    kind: Literal["number", "one", "many", "order", "text"]
    options: Mapping[str, str] = field(default_factory=dict)
    is_code: bool = False
    note: str = ""


class Shown(Protocol):
    """What a card must know of an exercise."""

    @property
    def id(self) -> str:
        """Subject and name."""

    @property
    def title(self) -> str:
        """What it is about, in markdown."""

    @property
    def label(self) -> str:
        """How it is called."""

    @property
    def effort(self) -> str:
        """What it takes and brings."""

    @property
    def points(self) -> int:
        """What it brings; 0 for a guess."""

    @property
    def question(self) -> str:
        """What is asked, in markdown."""

    @property
    def figure(self) -> Picture | None:
        """Its picture, if it has one."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """What is asked for."""

    @property
    def hints(self) -> Sequence[Any]:
        """Its hints, from gentle to nearly there."""

    @property
    def check_template(self) -> str:
        """The check, with its answers to fill in."""

    @property
    def has_variants(self) -> bool:
        """Whether a variant has another answer."""

    @property
    def attempted(self) -> bool:
        """Whether anything was tried."""

    @property
    def saved_answers(self) -> int:
        """How many answers were saved."""

    def variant(self, seed: str | int) -> Self:
        """Return the same with other numbers."""

    def check(self, /, *given: Any, **named: Any) -> CheckResult:
        """Check an answer."""

    def check_quietly(self, **named: Any) -> CheckResult:
        """Check an answer that was noted before, and note nothing."""

    def open_hint(self, number: int) -> str:
        """Return a hint in markdown, and count it."""

    def solution(self) -> Any:
        """Return the worked solution, once something was tried."""

    def load_previous_answer(self) -> Any:
        """Return what was answered last."""
