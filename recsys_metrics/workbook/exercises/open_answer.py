"""Exercises that ask for a few words, which the learner marks against a model answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from recsys_metrics.workbook.exercises import answers, base
from recsys_metrics.workbook.exercises.base import (
    Exercise,
    Inputs,
    Mistake,
    Step,
    render_text,
)
from recsys_metrics.workbook.exercises.fields import Field
from recsys_metrics.workbook.exercises.result import (
    CRITERION,
    AnswerPart,
    CheckResult,
    Line,
    Outcome,
)

MODEL = "A good answer"
"""Stands before the model answer."""

# A text with fewer of both is no sentence in any language.
FEWEST_WORDS, FEWEST_LETTERS = 3, 12
TOO_SHORT = "Write a sentence first, in your own words; then mark it."
"""Said of a text of one or two words, which no criterion could be true of."""

_YES = {"true", "yes", "y", "1", "✓", "x"}
_NO = {"false", "no", "n", "0", "✗", "-"}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Text(Exercise):
    """An exercise with words as its answer.

    Parameters
    ----------
    model : str or callable
        A good answer, shown once the learner has marked one of their own.
    criteria : tuple of str or callable
        Short statements about an answer that are either true of it or not: "It names the
        denominator."
    inputs : mapping
        What the texts name; may be empty.
    draw : callable, optional
        Random generator to other inputs.

    Notes
    -----
    ``check("my text")`` shows the criteria; nobody but the learner can say whether they hold.
    ``check("my text", marks=[True, False])`` gives the result and the model answer, a mark for
    each criterion in their order: yes or no, True or False, 1 or 0, in a list or a text.

    Mistakes are not needed; those declared are shown with the worked solution, and their
    `wrong` is not used.
    """

    model: base.TextTemplate
    criteria: tuple[base.TextTemplate, ...]
    inputs: Inputs = field(default_factory=dict)
    draw: Callable[[np.random.Generator], Inputs] | None = None
    mistakes: tuple[Mistake, ...] = ()
    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.criteria:
            raise ValueError(f"{self.id} has no criteria to mark an answer by")

    @property
    def answer(self) -> dict[str, Any]:
        """The model answer, with every mark."""
        return {"text": self._model_text, "marks": [True] * len(self.criteria)}

    @property
    def fields(self) -> tuple[Field, ...]:
        """An area for the text, and a box for each criterion once there is a text."""
        marks = {str(i): said for i, said in enumerate(self._criterion_texts)}
        return (
            Field("text", "Your text", "text"),
            Field("marks", "Is it so in your text?", "many", marks),
        )

    @property
    def check_template(self) -> str:
        """The check, with the text to fill in."""
        return f"{self.access}.check(text=...)"

    @property
    def final_check(self) -> str:
        """Nothing that could be run: the marks are the learner's."""
        return ""

    def check(self, /, *given: Any, **named: Any) -> CheckResult:
        """Show the criteria, or take the learner's marks and show the model answer.

        Parameters
        ----------
        *given
            The text, and then perhaps the marks.
        **named
            The same as ``text=...`` and ``marks=...``.

        Returns
        -------
        Result
            NOT ATTEMPTED until there are marks for a text.
        """
        names = ("text", "marks")
        unknown = [name for name in named if name not in names]
        if unknown or len(given) > 2 or set(names[: len(given)]) & set(named):
            what = f"`{unknown[0]}` is no part of the answer" if unknown else "That was too much"
            return self._reject_call(f"{what}: a text is, and then `marks`.")
        answer = {**dict(zip(names, given, strict=False)), **named}
        text, marks = (answers.make_plain(answer.get(name)) for name in names)
        if answers.is_missing(text):
            part = AnswerPart("text", Outcome.NOT_ATTEMPTED)
            lines = (Line("Answer with", self.check_template, verbatim=True),)
            return self._record_result(CheckResult(self.id, (part,), lines))
        if not isinstance(text, str):
            article = "an" if type(text).__name__[0] in "aeiou" else "a"
            return self._reject_call(f"A text is required, not {article} {type(text).__name__}.")
        if is_too_short(text):
            part = AnswerPart("text", Outcome.NOT_ATTEMPTED)
            return self._record_result(CheckResult(self.id, (part,), (Line("", TOO_SHORT),)))
        self._memory.state["text"] = text
        if _is_unmarked(marks):
            return self._record_result(self._ask_for_marks())
        read = _read(marks)
        if read is None or len(read) != len(self.criteria):
            count = len(self.criteria)
            ways = ", ".join(["yes"] * count)
            return self._reject_call(
                f"There {'is one criterion' if count == 1 else f'are {count} criteria'}: give a "
                f'yes or no for each, `marks="{ways}"` for instance.'
            )
        return self._record_result(self._judge_marks(read))

    def walkthrough(self) -> list[tuple[str, str]]:
        """Return the steps, the model answer and the criteria."""
        good = "\n".join(f"> {line}".rstrip() for line in self._model_text.splitlines())
        often = [f"- *{m.name}*: {render_text(m.cause, self.inputs)}" for m in self.mistakes]
        ends = [("What is often written instead:\n\n" + "\n".join(often), "")] if often else []
        return [
            *super().walkthrough(),
            (f"A good answer:\n\n{good}", ""),
            (f"What makes it good:\n\n{self._checklist}", ""),
            *ends,
        ]

    def format_response(self, result: CheckResult) -> dict[str, str] | None:
        """Return the text; its marks are given anew when it is read again."""
        text = self._memory.state.get("text")
        return {"text": text} if text else None

    def _indistinguishable_mistakes(self) -> Iterator[tuple[str, ...]]:
        """Nothing: no text is judged by what it says."""
        return iter(())

    @property
    def _model_text(self) -> str:
        return render_text(self.model, self.inputs).strip()

    @property
    def _model_line(self) -> Line:
        return Line(MODEL, " ".join(self._model_text.split()))

    @property
    def _criterion_texts(self) -> list[str]:
        """The criteria, as they read."""
        return [render_text(criterion, self.inputs) for criterion in self.criteria]

    @property
    def _checklist(self) -> str:
        return "\n".join(f"{i}. {said}" for i, said in enumerate(self._criterion_texts, 1))

    def _draw(self, rng: np.random.Generator, seed: str) -> Self:
        return replace(self, inputs=self.draw(rng) if self.draw else self.inputs, seed=seed)

    def _ask_for_marks(self) -> CheckResult:
        marks = ", ".join("..." for _ in self.criteria)
        lines = (
            *(Line(f"{CRITERION}, {i}", said) for i, said in enumerate(self._criterion_texts, 1)),
            Line("Now mark yours", f"{self.access}.check(text, marks=[{marks}])", verbatim=True),
        )
        parts = (AnswerPart("text", Outcome.PASS), AnswerPart("marks", Outcome.NOT_ATTEMPTED))
        return CheckResult(self.id, parts, lines, noted="Noted. Is it so in your text?")

    def _judge_marks(self, marks: list[bool]) -> CheckResult:
        missing = [
            said for said, mark in zip(self._criterion_texts, marks, strict=True) if not mark
        ]
        given = f"{marks.count(True)} of {len(marks)}"
        if not missing:
            insight = render_text(self.insight, self.inputs)
            said = (self._model_line, *((Line("", insight),) if insight else ()))
            return CheckResult(self.id, (AnswerPart("marks", Outcome.PASS, given, lines=said),))
        lines = (
            *(Line("Still to say", said) for said in missing),
            self._model_line,
            Line("Try", "Write it once more without looking at the model answer."),
        )
        return CheckResult(self.id, (AnswerPart("marks", Outcome.WRONG, given, lines=lines),))

    def _record_result(self, result: CheckResult) -> CheckResult:
        """Record a result; the solution, which has the model answer, opens with the marks."""
        attempted = self._memory.attempted
        result = super()._record_result(result)
        if result.noted:
            self._memory.attempted = attempted
        return result

    def _reject_call(self, message: str) -> CheckResult:
        lines = (Line("", message), Line("Answer with", self.check_template, verbatim=True))
        return self._record_result(CheckResult(self.id, (), lines, Outcome.ERROR))


def is_too_short(text: str) -> bool:
    """Whether a text is no sentence in any language.

    >>> [is_too_short(text) for text in ("x", "It ignores misses.", "它忽略了用户没有看到的内容")]
    [True, False, False]
    """
    return len(text.split()) < FEWEST_WORDS and len(text.strip()) < FEWEST_LETTERS


def _is_unmarked(marks: Any) -> bool:
    if isinstance(marks, list | tuple):
        return not marks or any(map(answers.is_missing, marks))
    return answers.is_missing(marks)


def _read(marks: Any) -> list[bool] | None:
    """Return marks as yes and no, or None if one of them is neither."""
    if isinstance(marks, str):
        marks = marks.replace(",", " ").replace(";", " ").split()
    if not isinstance(marks, list | tuple):
        marks = [marks]
    texts = [mark if isinstance(mark, str) else answers.format_input(mark) for mark in marks]
    said = [mark.strip().casefold().removesuffix(".0") for mark in texts]
    if not all(mark in _YES | _NO for mark in said):
        return None
    return [mark in _YES for mark in said]
