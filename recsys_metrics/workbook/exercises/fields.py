"""What a card's form asks for, and what a form must know of an exercise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

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
        A line of text for a number or for letters in order, buttons for one option, boxes for
        many, an area for a text.
    options : mapping
        What there is to pick from: what is answered, and how it reads.
    """

    name: str
    label: str
    kind: Literal["number", "one", "many", "order", "text"]
    options: Mapping[str, str] = field(default_factory=dict)


class Fillable(Protocol):
    """What a form must know of an exercise."""

    @property
    def hints(self) -> Sequence[Any]:
        """Its hints, from gentle to nearly there."""

    @property
    def points(self) -> int:
        """What it brings; 0 for a guess."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """What is asked for."""

    @property
    def figure(self) -> Picture | None:
        """Its picture, if it has one."""

    @property
    def label(self) -> str:
        """How it is called."""

    @property
    def effort(self) -> str:
        """What it takes and brings."""

    @property
    def title(self) -> str:
        """Its title."""

    @property
    def question(self) -> str:
        """What is asked, in markdown."""

    @property
    def statement(self) -> str:
        """The same, with all there is to pick from."""

    @property
    def check_template(self) -> str:
        """The lines to copy and complete."""

    @property
    def attempted(self) -> bool:
        """Whether anything was tried."""

    def check(self, /, *given: Any, **named: Any) -> CheckResult:
        """Check an answer."""

    def check_quietly(self, **named: Any) -> CheckResult:
        """Check an answer that was noted before."""

    def load_previous_answer(self) -> Any:
        """Return what was answered last, if anything was."""

    def hint(self, number: int = 1) -> Any:
        """Return a hint."""

    def solution(self, *, show: bool = False) -> Any:
        """Return the worked solution."""
