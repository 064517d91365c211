"""Exercises that ask to choose from a few options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Self

import numpy as np

from recsys_metrics.workbook.exercises import answers
from recsys_metrics.workbook.exercises.base import (
    Exercise,
    Inputs,
    Mistake,
    TextTemplate,
    render_text,
)
from recsys_metrics.workbook.exercises.fields import Field
from recsys_metrics.workbook.exercises.options import (
    OptionList,
    UnknownOptionError,
    check_keys,
    shuffle_keys,
    split_words,
)
from recsys_metrics.workbook.exercises.result import AnswerPart, CheckResult, Line, Outcome

Selection = str | tuple[str, ...] | frozenset[str]
"""A key; or a tuple, each of its keys on its own; or a frozenset, exactly these keys."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Choice(Exercise):
    """An exercise with options to choose from.

    Parameters
    ----------
    options : mapping
        Key of each option and how it reads. Keys are short words that a learner types; texts may
        name the inputs in braces. They are shown in an order that the seed decides.
    solve : callable
        Inputs to what is right: a key; or a tuple of keys each of which is right on its own; or a
        frozenset of keys, if exactly these are to be chosen.
    inputs : mapping
        What the texts name and the right option follows from; may be empty.
    reasons : mapping
        Why a right option is right, said after a PASS: by key, in markdown.
    draw : callable, optional
        Random generator to other inputs; without it a variant has the options in another order.
    ordered : bool
        Whether the options have an order of their own, and are shown as declared.

    Notes
    -----
    Each option that is wrong has a mistake. Its `wrong_answer` is a function of the inputs
    like `solve`: a key; a tuple of keys, each a sign of the same mistake; None if the mistake
    cannot be made on these inputs. Where several options are to be chosen a key means that this
    one was chosen as well, and a frozenset that exactly these were.

    An answer is an option's key, its number or letter as shown, or its text: ``check("mrr")``,
    ``check(choice="mrr")``, ``check(2)``; several as a list, a set or a text with blanks or
    commas.
    """

    options: Mapping[str, TextTemplate]
    solve: Callable[[Inputs], Selection]
    inputs: Inputs = field(default_factory=dict)
    reasons: Mapping[str, TextTemplate] = field(default_factory=dict)
    draw: Callable[[np.random.Generator], Inputs] | None = None
    ordered: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_keys(self.id, list(self.options))
        unknown = sorted(set(self.reasons) - set(self.options))
        if unknown:
            raise ValueError(f"{self.id} gives a reason for {unknown[0]!r}, which is no option")

    @property
    def answer(self) -> dict[str, str | frozenset[str]]:
        """What to choose; the first option where several are right on their own."""
        first = self._right_selections[0]
        return {"choice": first if self.chooses_all else next(iter(first))}

    @property
    def chooses_all(self) -> bool:
        """Whether all options that are right are to be chosen."""
        return isinstance(self._right_selection, frozenset)

    @property
    def accepted_answers(self) -> tuple[str, ...]:
        """Keys of the options that are right, in the order in which they are shown."""
        right = frozenset().union(*self._right_selections)
        return tuple(key for key in self.option_list.keys if key in right)

    @cached_property
    def option_list(self) -> OptionList:
        """The options in the order in which they are shown."""
        keys = tuple(self.options)
        if not self.ordered:
            keys = shuffle_keys(keys, f"{self.id}/{self.seed}")
        return OptionList(keys, {key: render_text(self.options[key], self.inputs) for key in keys})

    @property
    def statement(self) -> str:
        """The prompt and the options."""
        asks = "\n\nChoose every one that fits." if self.chooses_all else ""
        return f"{self.question}{asks}\n\n{format_options(self.option_list)}"

    @property
    def fields(self) -> tuple[Field, ...]:
        """The options, as buttons or boxes."""
        asks = "Choose every one that fits" if self.chooses_all else "Choose one"
        return (
            Field(
                "choice",
                asks,
                "many" if self.chooses_all else "one",
                {key: self.option_list.texts[key] for key in self.option_list.keys},
            ),
        )

    @property
    def check_template(self) -> str:
        """The check, with its answer to fill in."""
        return f"{self.access}.check(choice=...)"

    @property
    def final_check(self) -> str:
        """The check of the right option."""
        right = " ".join(self.accepted_answers) if self.chooses_all else self.answer["choice"]
        return f'{self.access}.check(choice="{right}")'

    def wrong_answers(self, mistake: Mistake) -> list[dict[str, Any]]:
        """Return the answers of those who make this one mistake."""
        return [
            {"choice": picked if self.chooses_all else next(iter(picked))}
            for picked in self._mistake_selections[mistake.id]
        ]

    def check(self, /, *given: Any, **named: Any) -> CheckResult:
        """Check a choice.

        Parameters
        ----------
        *given
            The option's key, number, letter or text; several where several are asked for.
        **named
            The same as ``choice=...``.

        Returns
        -------
        Result
        """
        answer, problem = read_one_answer("choice", given, named)
        if problem:
            return self._reject_call(problem)
        if is_empty_answer(answer):
            lines = (Line("Answer with", self.check_template, verbatim=True),)
            part = AnswerPart("choice", Outcome.NOT_ATTEMPTED)
            return self._record_result(CheckResult(self.id, (part,), lines))
        try:
            picked = self._read(answer)
        except UnknownOptionError as error:
            return self._reject_call(str(error))
        if not self.chooses_all and len(picked) > 1:
            return self._reject_call(f"One is to be chosen, and {len(picked)} were given.")
        return self._record_result(self._judge(frozenset(picked)))

    def walkthrough(self) -> list[tuple[str, str]]:
        """Return the worked solution, and what speaks for and against each option."""
        cells = super().walkthrough()
        for_and_against = [
            f"- {self._quote_option(key)} {self._reason(key) or 'It fits.'}"
            for key in self.accepted_answers
        ]
        for m in self.mistakes:
            for picked in self._mistake_selections[m.id]:
                extra = [
                    key
                    for key in self.option_list.keys
                    if key in picked - set(self.accepted_answers)
                ]
                if len(picked) == 1 or (self.chooses_all and len(extra) == 1):
                    for key in extra:
                        cause = render_text(m.cause, self.inputs)
                        for_and_against.append(
                            f"- {self._quote_option(key)} No: *{m.name}*. {cause}"
                        )
        return [*cells, ("The options one by one:\n\n" + "\n".join(for_and_against), "")]

    def _indistinguishable_mistakes(self) -> Iterator[tuple[str, ...]]:
        """Yield ids of mistakes that pick what is right, or what another one picks."""
        right = set(self._right_selections)
        wrong = {m.id: set(self._mistake_selections[m.id]) for m in self.own_mistakes}
        for name, ways in wrong.items():
            if right & ways:
                yield (name,)
        for one, other in combinations(wrong, 2):
            if wrong[one] & wrong[other]:
                yield one, other

    @cached_property
    def _right_selections(self) -> tuple[frozenset[str], ...]:
        """The choices that are right, whole."""
        return _list_selections(self._right_selection, frozenset())

    @cached_property
    def _right_selection(self) -> Selection:
        return self.solve(self.inputs)

    @cached_property
    def _mistake_selections(self) -> dict[str, tuple[frozenset[str], ...]]:
        """The choices each mistake leads to, whole, by its id."""
        also = self._right_selections[0] if self.chooses_all else frozenset()
        return {m.id: _list_selections(m.wrong_answer(self.inputs), also) for m in self.mistakes}

    def _draw(self, rng: np.random.Generator, seed: str) -> Self:
        return replace(self, inputs=self.draw(rng) if self.draw else self.inputs, seed=seed)

    def _read(self, answer: Any) -> tuple[str, ...]:
        """Return the keys that are meant; more than one also where one is asked for."""
        if self.chooses_all:
            return self.option_list.find_keys(answer)
        try:
            return self.option_list.find_keys(answer)
        except UnknownOptionError:
            if isinstance(answer, str):
                return (self.option_list.find_key(answer),)  # the message is about the whole text
            raise

    def _judge(self, picked: frozenset[str]) -> CheckResult:
        keys = [key for key in self.option_list.keys if key in picked]
        given = ", ".join(keys)
        if picked in self._right_selections:
            said = [self._reason(key) for key in keys]
            lines = [Line("", reason) for reason in said if reason]
            if not self.chooses_all:
                others = [key for key in self.accepted_answers if key not in picked]
                lines += [
                    Line("", f"`{key}` is right as well. {self._reason(key)}".rstrip())
                    for key in others
                ]
            if self.insight:
                lines.append(Line("", render_text(self.insight, self.inputs)))
            return CheckResult(
                self.id, (AnswerPart("choice", Outcome.PASS, given, lines=tuple(lines)),)
            )
        causes = self._diagnose(picked)
        texts = "; ".join(self.option_list.texts[key] for key in keys)
        lines = [Line("You chose", f"`{given}`: {texts}")]
        if self.chooses_all:
            lines += self._count(picked)
        for mistake, wrong in causes:
            # Why the option is wrong is known; why it was chosen is not.
            about = f"`{', '.join(wrong)}`: " if len(causes) > 1 else ""
            lines.append(Line("Why not", about + render_text(mistake.cause, self.inputs)))
            lines.append(Line("Try", render_text(mistake.hint, self.inputs)))
        if not causes:
            lines.append(Line("", f"A hint: `{self.access}.hint()`."))
        part = AnswerPart(
            "choice",
            Outcome.WRONG,
            given,
            pitfall="; ".join(mistake.name for mistake, _ in causes),
            mistake=causes[0][0].id if causes else None,
            lines=tuple(lines),
            expected=tuple(self.accepted_answers),
        )
        return CheckResult(self.id, (part,))

    def _count(self, picked: frozenset[str]) -> list[Line]:
        """Return how many of the choices fit, not which."""
        fits = len(picked & self._right_selections[0])
        if fits == len(picked):
            return [Line("", "That fits; it is not all that does.")]
        more = (
            "something is missing" if self._right_selections[0] - picked else "nothing is missing"
        )
        return [Line("", f"{fits} of {len(picked)} chosen fit; {more}.")]

    def _diagnose(self, picked: frozenset[str]) -> list[tuple[Mistake, list[str]]]:
        """Return the mistake that leads to this choice, or those to the wrong options within it.

        Each comes with the wrong options that it is about.
        """
        for m in self.mistakes:
            if picked in self._mistake_selections[m.id]:
                return [(m, [])]
        left = picked - self._right_selections[0] if self.chooses_all else frozenset()
        found: list[tuple[Mistake, list[str]]] = []
        for m in self.mistakes:
            ways = [way - self._right_selections[0] for way in self._mistake_selections[m.id]]
            about = frozenset[str]().union(*(way for way in ways if way <= left))
            if about:
                found.append((m, [key for key in self.option_list.keys if key in about]))
                left -= about
        return found

    def _quote_option(self, key: str) -> str:
        return f"`{key}` ({self.option_list.texts[key].rstrip('.')})."

    def _reason(self, key: str) -> str:
        return render_text(self.reasons[key], self.inputs) if key in self.reasons else ""

    def _reject_call(self, message: str) -> CheckResult:
        lines = (Line("", message), Line("Answer with", self.check_template, verbatim=True))
        return self._record_result(CheckResult(self.id, (), lines, Outcome.ERROR))


def format_options(shown: OptionList) -> str:
    """Return options as a list in markdown, numbered unless their names are numbers."""
    names = all(not label.isdigit() for label in shown.labels)
    return "\n".join(
        f"{f'{place}.' if names else '-'} `{shown.label(key)}`: {shown.texts[key]}"
        for place, key in enumerate(shown.keys, 1)
    )


def read_one_answer(name: str, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, str]:
    """Return the one answer a check was called with, or what was wrong with the call.

    Several answers by place are one answer that consists of several.
    """
    others = [other for other in named if other != name]
    if others:
        return None, f"No answer here is called `{others[0]}`; it is `{name}`."
    if given and named:
        return None, f"`{name}` was given twice, by place and by name."
    if named:
        return answers.make_plain(named[name]), ""
    return answers.make_plain(given[0] if len(given) == 1 else given or None), ""


# No answer is a list of lists of lists.
_DEEPEST = 20


def is_empty_answer(answer: Any, depth: int = 0) -> bool:
    """Whether nothing was chosen: `...`, None, an empty field or brackets, a list of these."""
    if depth > _DEEPEST:  # a list may hold itself
        return False
    if isinstance(answer, str) and not split_words(answer):
        return True
    if isinstance(answer, list | tuple | set | frozenset):
        return all(is_empty_answer(part, depth + 1) for part in answer)
    return answers.is_missing(answer)


def _list_selections(picked: Selection | None, also: frozenset[str]) -> tuple[frozenset[str], ...]:
    """Return whole choices: of a key, of each key of a tuple, of the keys of a frozenset."""
    if picked is None:
        return ()
    if isinstance(picked, frozenset):
        return (picked,)
    keys = (picked,) if isinstance(picked, str) else picked
    return tuple(also | {key} for key in keys)
