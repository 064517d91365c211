"""Guesses, made before the result shows: no points, and no wrong ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from recsys_metrics.workbook.common.note import Note
from recsys_metrics.workbook.exercises.base import (
    Exercise,
    Inputs,
    Mistake,
    Step,
    TextTemplate,
    render_text,
)
from recsys_metrics.workbook.exercises.choice import (
    format_options,
    is_empty_answer,
    read_one_answer,
)
from recsys_metrics.workbook.exercises.fields import Field
from recsys_metrics.workbook.exercises.options import (
    OptionList,
    UnknownOptionError,
    check_keys,
    shuffle_keys,
)
from recsys_metrics.workbook.exercises.result import AnswerPart, CheckResult, Line, Outcome


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Predict(Exercise):
    """A guess to commit to, for a chapter's *Predict first*.

    Parameters
    ----------
    options : mapping
        Key of each option and how it reads, as in `Choice`.
    beliefs : mapping
        The belief behind each option, by key: what someone who guesses so has in mind, kindly,
        and where to watch for it. It does not tell the result.
    observed : str or callable
        What the result was, for `look_back`.
    inputs, draw, ordered
        As in `Choice`.

    Notes
    -----
    Any option is a PASS that reads *Noted*. There are no points, and needs to be no
    mistakes, hints or steps.
    """

    options: Mapping[str, TextTemplate]
    beliefs: Mapping[str, TextTemplate]
    observed: TextTemplate = ""
    inputs: Inputs = field(default_factory=dict)
    draw: Callable[[np.random.Generator], Inputs] | None = None
    ordered: bool = False
    mistakes: tuple[Mistake, ...] = ()
    hints: tuple[TextTemplate, ...] = ()
    steps: tuple[Step, ...] = ()
    minutes: int = 1
    points: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_keys(self.id, list(self.options))
        if set(self.beliefs) != set(self.options):
            differ = sorted(set(self.beliefs) ^ set(self.options))
            raise ValueError(f"{self.id}: `options` and `beliefs` differ in {differ[0]!r}")

    @property
    def label(self) -> str:
        """How the guess is called on its card."""
        variant = "" if self.seed is None else f", variant {self.seed}"
        return f"Predict{variant}"

    @property
    def answer(self) -> dict[str, str]:
        """One of the guesses; all are taken."""
        return {"guess": self.option_list.keys[0]}

    @cached_property
    def option_list(self) -> OptionList:
        """The options in the order in which they are shown."""
        keys = tuple(self.options)
        if not self.ordered:
            keys = shuffle_keys(keys, f"{self.id}/{self.seed}")
        return OptionList(keys, {key: render_text(self.options[key], self.inputs) for key in keys})

    @property
    def statement(self) -> str:
        """The question and the options."""
        return f"{self.question}\n\n{format_options(self.option_list)}"

    @property
    def fields(self) -> tuple[Field, ...]:
        """The options, as buttons."""
        options = {key: self.option_list.texts[key] for key in self.option_list.keys}
        return (Field("guess", "Your guess", "one", options),)

    @property
    def check_template(self) -> str:
        """The check, with the guess to fill in."""
        return f"{self.access}.check(guess=...)"

    @property
    def final_check(self) -> str:
        """A look back at the guess."""
        return f"{self.access}.look_back()"

    def check(self, /, *given: Any, **named: Any) -> CheckResult:
        """Note a guess.

        Parameters
        ----------
        *given
            The option's key, number, letter or text.
        **named
            The same as ``guess=...``, or ``choice=...``.

        Returns
        -------
        Result
            PASS for every option.
        """
        if "choice" in named and "guess" not in named:
            named = {"guess" if name == "choice" else name: v for name, v in named.items()}
        answer, problem = read_one_answer("guess", given, named)
        if problem:
            return self._reject_call(problem)
        if is_empty_answer(answer):
            nothing = AnswerPart("guess", Outcome.NOT_ATTEMPTED)
            how = (Line("Answer with", self.check_template, verbatim=True),)
            return self._record_result(CheckResult(self.id, (nothing,), how))
        try:
            key = self.option_list.find_key(answer)
        except UnknownOptionError as error:
            return self._reject_call(str(error))
        self._memory.state["guess"] = key
        lines = (
            Line("Your guess", self.option_list.texts[key]),
            Line("", render_text(self.beliefs[key], self.inputs)),
        )
        part = AnswerPart("guess", Outcome.PASS, key, lines=lines)
        return self._record_result(CheckResult(self.id, (part,), noted=f"Noted: {key}"))

    def look_back(self) -> Note:
        """Return what was guessed beside what came out.

        Returns
        -------
        Note
        """
        key = self._memory.state.get("guess") or next(iter(self.load_previous_answer() or ()), "")
        guessed = self.option_list.texts.get(key)
        guess = f"You guessed: {guessed}" if guessed else "No guess was noted."
        out = render_text(self.observed, self.inputs)
        return Note(self.title, f"{guess}\n\n{out}".rstrip(), look_back=self.id)

    def _indistinguishable_mistakes(self) -> Iterator[tuple[str, ...]]:
        """Nothing: no guess is wrong."""
        return iter(())

    def walkthrough(self) -> list[tuple[str, str]]:
        """Return the belief behind each guess, and what came out."""
        beliefs = "\n".join(
            f"- `{key}`: {render_text(self.beliefs[key], self.inputs)}"
            for key in self.option_list.keys
        )
        out = render_text(self.observed, self.inputs)
        ends = [(out, "")] if out else []
        return [*super().walkthrough(), (f"Behind each guess is a belief.\n\n{beliefs}", ""), *ends]

    def _draw(self, rng: np.random.Generator, seed: str) -> Self:
        return replace(self, inputs=self.draw(rng) if self.draw else self.inputs, seed=seed)

    def _reject_call(self, message: str) -> CheckResult:
        lines = (Line("", message), Line("Answer with", self.check_template, verbatim=True))
        return self._record_result(CheckResult(self.id, (), lines, Outcome.ERROR))
