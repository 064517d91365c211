"""An exercise's card in a notebook: the front end's module, and the exercise's own check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.frontend import read_module, read_style
from recsys_metrics.workbook.exercises import frontend
from recsys_metrics.workbook.exercises.card import describe_card, describe_result, read_form
from recsys_metrics.workbook.exercises.fields import Shown


class CardWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """The card of an exercise, which answers what the module asks.

    Parameters
    ----------
    exercise : Exercise
    offers_variants : bool
        Whether the card may be replaced by one with other numbers.
    """

    _esm = read_module(frontend.CARD)
    _css = read_style(frontend.STYLE)

    spec = traitlets.Dict().tag(sync=True)

    def __init__(self, exercise: Shown, *, offers_variants: bool = True) -> None:
        self._original = self._exercise = exercise
        self._offers_variants = offers_variants
        self._variants = 0
        # What the form had when it was changed last, and how many answers were saved by then.
        self._form: tuple[dict[str, Any], int] | None = None
        super().__init__(spec=self._describe())
        self.on_msg(self._on_message)

    def answer(self, what: str, **more: Any) -> dict[str, Any]:
        """Return the answer to one question of the module.

        Parameters
        ----------
        what : {"check", "enter", "entered", "hint", "solution", "variant", "original"}
        **more
            The `answers` in the form, of a check or as they are entered; the `number` of a hint.
        """
        asked: dict[str, Callable[..., dict[str, Any]]] = {
            "check": self._check,
            "enter": self._enter,
            "entered": lambda: {"answers": self.entered},
            "hint": self._hint,
            "solution": self._solution,
            "variant": self._draw_variant,
            "original": self._return_to_original,
        }
        return asked[what](**more)

    @property
    def entered(self) -> list[str] | dict[str, str] | None:
        """What was entered into the card since an answer was saved; None if nothing was changed."""
        if self._form is None or self._exercise is not self._original:
            return None
        given, saved = self._form
        return read_form(self._exercise, given) if saved == self._exercise.saved_answers else None

    def _enter(self, answers: dict[str, Any]) -> dict[str, Any]:
        self._form = answers, self._exercise.saved_answers
        return {}

    def _on_message(self, _: Any, content: Any, __: Any) -> None:
        question = dict(content)
        turn = question.pop("turn")
        self.send({"turn": turn, **self.answer(**question)})

    def _describe(self) -> dict[str, Any]:
        exercise = self._exercise
        figure = exercise.figure
        described = {
            **describe_card(exercise),
            "picture": figure.inline() if figure else "",
            "hasVariants": exercise.has_variants and self._offers_variants,
            "isVariant": exercise is not self._original,
            "instruction": "" if exercise.fields else "Write the function in the cell below.",
        }
        earlier = exercise.load_previous_answer()
        answers: Any = earlier if isinstance(earlier, dict) else None
        if isinstance(earlier, list) and earlier and exercise.fields:
            field = exercise.fields[0]
            answers = {field.name: earlier[0] if field.kind == "one" else earlier}
        if answers:
            described |= {"earlier": earlier, "result": self._check_earlier(answers)}
        return {**described, "attempted": exercise.attempted}

    def _check_earlier(self, answers: dict[str, Any]) -> dict[str, Any]:
        return describe_result(self._exercise.check_quietly(**answers))

    def _check(self, answers: dict[str, Any]) -> dict[str, Any]:
        self._enter(answers)
        return {"result": describe_result(self._exercise.check(**answers))}

    def _hint(self, number: int) -> dict[str, Any]:
        exercise = self._exercise
        text = exercise.open_hint(number)
        title = f"<p><strong>Hint {number} of {len(exercise.hints)}</strong></p>"
        return {"html": title + markup.render_block(text)}

    def _solution(self) -> dict[str, Any]:
        return {"html": self._exercise.solution()._repr_html_()}

    def _draw_variant(self) -> dict[str, Any]:
        self._form = None
        self._variants += 1
        self._exercise = self._original.variant(self._variants)
        return {"spec": self._describe()}

    def _return_to_original(self) -> dict[str, Any]:
        self._form = None
        self._exercise = self._original
        return {"spec": self._describe()}
