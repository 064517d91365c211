"""Exercises that ask to put lines in order, with lines among them that do not belong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Self

import numpy as np

from recsys_metrics.workbook.exercises.base import (
    Exercise,
    Inputs,
    Mistake,
    TextTemplate,
    render_text,
)
from recsys_metrics.workbook.exercises.choice import is_empty_answer, read_one_answer
from recsys_metrics.workbook.exercises.fields import Field
from recsys_metrics.workbook.exercises.options import (
    OptionList,
    UnknownOptionError,
    check_keys,
    shuffle_keys,
)
from recsys_metrics.workbook.exercises.result import AnswerPart, CheckResult, Line, Outcome

Keys = tuple[str, ...]

# So many are tried until one is no right order.
_SHUFFLES = 100


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Order(Exercise):
    """An exercise with an order of lines as its answer.

    Parameters
    ----------
    lines : mapping
        Key of each line and how it reads. Lines that are not in the solution are distractors.
        A line of code is shown as it is, indentation included; a sentence may name the inputs
        in braces.
    solve : callable
        Inputs to the keys in order; or a list of such orders, all of them right.
    code : bool
        Whether the lines are code.
    inputs : mapping
        What the texts name; may be empty.
    draw : callable, optional
        Random generator to other inputs; without it a variant has the lines in another order.
    shuffle : int, optional
        Which of the shuffles of the lines is shown; by default the first that is no right order.

    Notes
    -----
    A mistake's `wrong_answer` is a function of the inputs: the keys in the order of someone who
    makes it, a list of such orders, or None if the mistake cannot be made.

    Keys are for the declaration alone. A learner calls a line by the letter beside it, and the
    letters follow the order in which the lines are shown, which the seed decides: so the names
    of the lines give nothing away. An answer is a list of letters or a text of them,
    ``check(order=["b", "a"])``, ``check("b a")``, ``check("ba")``; the numbers of the lines and
    their texts are read as well. ``answer`` and ``wrong_answers`` speak in letters, too.
    """

    lines: Mapping[str, TextTemplate]
    solve: Callable[[Inputs], Keys | list[Keys]]
    code: bool = True
    inputs: Inputs = field(default_factory=dict)
    draw: Callable[[np.random.Generator], Inputs] | None = None
    shuffle: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_keys(self.id, list(self.lines))
        for order in (
            *self._orders,
            *(o for orders in self._mistake_orders.values() for o in orders),
        ):
            unknown = [key for key in order if key not in self.lines]
            if unknown:
                raise ValueError(f"{self.id} orders {unknown[0]!r}, which is no line")

    @property
    def answer(self) -> dict[str, tuple[str, ...]]:
        """The letters in order; the first order where several are right."""
        return {"order": self._letters(self._orders[0])}

    @property
    def accepted_answers(self) -> tuple[tuple[str, ...], ...]:
        """Every order that is right, in letters."""
        return tuple(map(self._letters, self._orders))

    @cached_property
    def option_list(self) -> OptionList:
        """The lines in the order in which they are shown, which is drawn to be no right one."""
        keys = self._shuffle_lines(self._shuffle_number)
        return OptionList(keys, {key: self._text(key) for key in keys}, by_letter=True)

    def _shuffle_lines(self, number: int) -> Keys:
        return shuffle_keys(self.lines, f"{self.id}/{self.seed}/{number}")

    @cached_property
    def _shuffle_number(self) -> int:
        if self.shuffle is not None:
            return self.shuffle
        for number in range(_SHUFFLES):
            keys = self._shuffle_lines(number)
            places = [[keys.index(key) for key in order] for order in self._orders]
            if not any(sorted(where) == where for where in places):
                break
        return number

    @property
    def draw_number(self) -> int:
        """Which of the draws of its seed a variant is, with which of the shuffles of its lines."""
        return super().draw_number * _SHUFFLES + self._shuffle_number

    def take_draw(self, seed: str, number: int) -> Self:
        """Return one of the draws of a seed, with a shuffle that may be a right order by now."""
        number, shuffle = divmod(number, _SHUFFLES)
        drawn = super(Order, replace(self, shuffle=shuffle)).take_draw(seed, number)
        drawn._memory.original = self
        return drawn

    @property
    def statement(self) -> str:
        """The prompt and the lines."""
        labels = zip(self.option_list.labels, self.option_list.keys, strict=True)
        if self.code:
            rows = [f"    {label}   {self.option_list.texts[key]}" for label, key in labels]
        else:
            rows = [f"- `{label}` {self.option_list.texts[key]}" for label, key in labels]
        spare = len(self.lines) > max(map(len, self._orders))
        says = "\n\nNot all lines are needed." if spare else ""
        return f"{self.question}{says}\n\n" + "\n".join(rows)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The lines by their letters, as they are shown."""
        shown = self.option_list
        texts = (shown.texts[key] for key in shown.keys)
        options = dict(zip(shown.labels, texts, strict=True))
        has_spare = len(self.lines) > max(map(len, self._orders))
        note = "Not all of them are needed." if has_spare else ""
        return (Field("order", "Your order", "order", options, is_code=self.code, note=note),)

    @property
    def check_template(self) -> str:
        """The check, with the order to fill in."""
        return f"{self.access}.check(order=...)"

    @property
    def final_check(self) -> str:
        """The check of the right order."""
        return f'{self.access}.check(order="{" ".join(self.answer["order"])}")'

    def wrong_answers(self, mistake: Mistake) -> list[dict[str, tuple[str, ...]]]:
        """Return the answers of those who make this one mistake."""
        return [{"order": self._letters(order)} for order in self._mistake_orders[mistake.id]]

    def check(self, /, *given: Any, **named: Any) -> CheckResult:
        """Check an order.

        Parameters
        ----------
        *given
            The letters of the lines, as a list or as one text.
        **named
            The same as ``order=...``.

        Returns
        -------
        Result
        """
        answer, problem = read_one_answer("order", given, named)
        if problem:
            return self._reject_call(problem)
        if is_empty_answer(answer):
            lines = (Line("Answer with", self.check_template, verbatim=True),)
            part = AnswerPart("order", Outcome.NOT_ATTEMPTED)
            return self._record_result(CheckResult(self.id, (part,), lines))
        if isinstance(answer, set | frozenset):
            return self._reject_call("A set has no order. Give a list, or a text such as `b a c`.")
        try:
            keys = self.option_list.find_keys(answer)
        except UnknownOptionError as error:
            return self._reject_call(str(error))
        return self._record_result(self._judge(keys))

    def walkthrough(self) -> list[tuple[str, str]]:
        """Return the worked solution, with the lines in order at its end."""
        cells = super().walkthrough()
        others = len(self._orders) - 1
        more = f"\n\nThere {'is' if others == 1 else 'are'} {others} more right" if others else ""
        more += f" order{'s' if others > 1 else ''}." if others else ""
        return [*cells, (f"In order:\n\n{self._written(self._orders[0])}{more}", "")]

    def _indistinguishable_mistakes(self) -> Iterator[tuple[str, ...]]:
        """Yield ids of mistakes that order rightly, or as another one does."""
        right = set(self._orders)
        wrong = {m.id: set(self._mistake_orders[m.id]) for m in self.own_mistakes}
        for name, orders in wrong.items():
            if right & orders:
                yield (name,)
        for one, other in combinations(wrong, 2):
            if wrong[one] & wrong[other]:
                yield one, other

    @cached_property
    def _orders(self) -> tuple[Keys, ...]:
        return _orders_of(self.solve(self.inputs))

    @cached_property
    def _mistake_orders(self) -> dict[str, tuple[Keys, ...]]:
        """The orders of each mistake, by its id."""
        return {m.id: _orders_of(m.wrong_answer(self.inputs)) for m in self.mistakes}

    def _draw(self, rng: np.random.Generator, seed: str) -> Self:
        return replace(self, inputs=self.draw(rng) if self.draw else self.inputs, seed=seed)

    def _text(self, key: str) -> str:
        text = self.lines[key]
        return text if self.code and isinstance(text, str) else render_text(text, self.inputs)

    def _letters(self, keys: Keys) -> tuple[str, ...]:
        return tuple(map(self.option_list.label, keys))

    def _written(self, keys: Keys) -> str:
        """Return lines in an order, as markdown."""
        if self.code:
            return "\n".join(f"    {self.option_list.texts[key]}" for key in keys)
        return "\n".join(f"{i}. {self.option_list.texts[key]}" for i, key in enumerate(keys, 1))

    def _judge(self, keys: Keys) -> CheckResult:
        given = " ".join(self._letters(keys))
        if keys in self._orders:
            lines = [self._as_line("In order", keys)]
            if self.insight:
                lines.append(Line("", render_text(self.insight, self.inputs)))
            return CheckResult(
                self.id, (AnswerPart("order", Outcome.PASS, given, lines=tuple(lines)),)
            )
        cause = next((m for m in self.mistakes if keys in self._mistake_orders[m.id]), None)
        lines = [Line("You gave", given, verbatim=True)]
        if cause:
            lines.append(Line("Likely cause", render_text(cause.cause, self.inputs)))
            lines.append(Line("Try", render_text(cause.hint, self.inputs)))
        else:
            lines += self._how_far(keys)
        part = AnswerPart(
            "order",
            Outcome.WRONG,
            given,
            pitfall=cause.name if cause else "",
            mistake=cause.id if cause else None,
            lines=tuple(lines),
            expected=tuple(self.answer["order"]),
            wrong_line=self._find_wrong_line(keys),
        )
        return CheckResult(self.id, (part,))

    def _nearest(self, keys: Keys) -> Keys:
        """Return the right order that an order follows longest."""
        return max(self._orders, key=lambda order: _count_common_lines(order, keys))

    def _find_wrong_line(self, keys: Keys) -> int | None:
        """Return the place of the first wrong line, or None where lines are only missing."""
        right = _count_common_lines(self._nearest(keys), keys)
        return right if right < len(keys) else None

    def _how_far(self, keys: Keys) -> list[Line]:
        """Return up to where an order is right, and what there is to look at next."""
        nearest = self._nearest(keys)
        right = _count_common_lines(nearest, keys)
        if right == len(keys):
            return [Line("", f"Right so far, and not complete: more comes after line {right}.")]
        if right == len(nearest):
            return [Line("", f"All that is needed is there before line {right + 1}.")]
        hint = f"A hint: `{self.access}.hint()`."
        line = "this one"
        if self.code:
            line = f"`{self.option_list.texts[keys[right]].strip()}`"
        before = {0: "", 1: "Line 1 is right. "}.get(right, f"Lines 1 to {right} are right. ")
        ask = (
            "do all the others need"
            if right == 0
            else "has to run next"
            if self.code
            else "follows"
        )
        wrong = f"Line {right + 1} should not be {line}: which line {ask}?"
        return [Line("", f"{before}{wrong} {hint}")]

    def _as_line(self, label: str, keys: Keys) -> Line:
        texts = [self.option_list.texts[key] for key in keys]
        if self.code:
            return Line(label, "\n".join(texts), verbatim=True)
        return Line(label, " → ".join(text.rstrip(".") for text in texts))

    def _reject_call(self, message: str) -> CheckResult:
        lines = (Line("", message), Line("Answer with", self.check_template, verbatim=True))
        return self._record_result(CheckResult(self.id, (), lines, Outcome.ERROR))


def _orders_of(found: Keys | list[Keys] | None) -> tuple[Keys, ...]:
    """Return orders, whether one came, several or none."""
    if found is None:
        return ()
    return tuple(map(tuple, found)) if isinstance(found, list) else (tuple(found),)


def _count_common_lines(order: Keys, keys: Keys) -> int:
    """Return how many lines two orders begin with in common."""
    pairs = zip(order, keys, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(order), len(keys)))
