"""Exercises that ask for numbers."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises import answers
from recsys_metrics.workbook.exercises.answers import Reading, UnreadableError
from recsys_metrics.workbook.exercises.arithmetic_mistakes import (
    SWAPPED,
    find_arithmetic_mistakes,
    find_swapped_answers,
)
from recsys_metrics.workbook.exercises.base import Exercise, Inputs, Mistake, render_text
from recsys_metrics.workbook.exercises.diagnosis import (
    Suspect,
    diagnose,
    find_unsure,
    is_doubtful,
)
from recsys_metrics.workbook.exercises.fields import Field
from recsys_metrics.workbook.exercises.result import PERHAPS, AnswerPart, CheckResult, Line, Outcome

Values = Mapping[str, float]

# Two values are told apart if no answer with three decimals could mean both.
_APART = 1.0 / 10**answers.PLACES

_ROUNDED_LIKE = "Give three decimals to be sure."

_ROUNDED_STEPS = (
    Line("", "Right to three decimals. Keep more digits in the steps to get the later ones."),
)


class _CallError(ValueError):
    """`check` was called in a way that no answer can be read from."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Numbers(Exercise):
    """An exercise with one or more numbers as its answer.

    Parameters
    ----------
    asks : mapping
        Name of each answer and how it reads, ``{"dcg": "DCG@{k}"}``; the order is that of
        positional answers.
    inputs : mapping
        What the numbers follow from; texts name them in braces.
    solve : callable
        Inputs to the value of each answer, by name (or to the one value).
    draw : callable
        Random generator to other inputs.
    follows : mapping
        How an answer follows from the others and from the inputs, so that a mistake carried on is
        told from a new one: ``{"ndcg": lambda own: own["dcg"] / own["idcg"]}``.
    identifiers : tuple of str
        Names of the answers that are the number of a film or of a row: no mistake of arithmetic
        leads to another one.

    Notes
    -----
    A mistake's values are those of `solve` with the mistake's own written over them. An answer
    can fit several mistakes: none is named that contradicts another answer that is right. Of
    the others the one that leaves the fewest answers open is named, then the one that explains
    the most, and where that leaves two, both are. What no declared mistake explains is compared
    with the mistakes of arithmetic that are made with any number.
    """

    asks: Mapping[str, str]
    inputs: Inputs
    solve: Callable[[Inputs], Any]
    draw: Callable[[np.random.Generator], Inputs]
    follows: Mapping[str, Callable[[Values], float]] = field(default_factory=dict)
    identifiers: tuple[str, ...] = ()

    @property
    def answer(self) -> dict[str, float]:
        """The right value of each answer, in the order in which they are asked for."""
        return {name: self._right[name] for name in self.asks}

    @property
    def fields(self) -> tuple[Field, ...]:
        """A line for each answer."""
        return tuple(
            Field(name, markup.strip_markup(render_text(label, self.inputs)), "number")
            for name, label in self.asks.items()
        )

    @property
    def check_template(self) -> str:
        """The check, with its answers to fill in."""
        return f"{self.access}.check({', '.join(f'{name}=...' for name in self.asks)})"

    @property
    def final_check(self) -> str:
        """The check of what the worked solution found."""
        return f"{self.access}.check({', '.join(f'{name}={name}' for name in self.asks)})"

    def wrong_answers(self, mistake: Mistake) -> dict[str, float]:
        """Return the answers of someone who makes this one mistake, in the first of its ways."""
        return dict(self._values_of(mistake)[0])

    def wrong_answers_by_way(self, mistake: Mistake) -> list[dict[str, float]]:
        """Return the answers that each way to make a mistake leads to."""
        return [*map(dict, self._values_of(mistake))]

    def check(self, /, *given: Any, **named: Any) -> CheckResult:
        """Check the answers.

        Parameters
        ----------
        *given
            In the order of `asks`.
        **named
            By name.

        Returns
        -------
        Result
        """
        try:
            by_name = self._name_answers(given, named)
        except _CallError as problem:
            lines = (Line("", str(problem)), Line("Try", f"`{self.check_template}`"))
            return self._record_result(CheckResult(self.id, (), lines, Outcome.ERROR))
        labels = {name: f"{name} {label}" for name, label in self._labels.items()}
        readings: dict[str, Reading] = {}
        unreadable: dict[str, UnreadableError] = {}
        for name, value in by_name.items():
            try:
                if not answers.is_missing(value):
                    readings[name] = answers.read_number(value, about=labels[name])
            except UnreadableError as problem:
                unreadable[name] = problem
        carried = self._find_carried(readings)
        diagnoses = self._diagnose(readings, carried)
        unsure = find_unsure(readings, self._right, diagnoses, carried)
        parts: list[AnswerPart] = []
        for name in self.asks:
            shown = answers.format_brief(by_name[name]) if name in by_name else ""
            if name in readings and isinstance(by_name[name], str):
                shown = by_name[name].strip()  # a form's number is typed; quotes are Python's
            if name in unreadable:
                part = self._unreadable(name, shown, unreadable[name])
            elif name not in readings:
                part = AnswerPart(name, Outcome.NOT_ATTEMPTED)
            elif answers.agrees_roughly(readings[name], self._right[name]):
                rounded = not answers.agrees(readings[name], self._right[name])
                part = AnswerPart(
                    name, Outcome.PASS, shown, lines=_ROUNDED_STEPS if rounded else ()
                )
            else:
                told = any(diagnoses[name] == diagnoses.get(earlier.name) for earlier in parts)
                part = self._wrong(
                    name,
                    shown,
                    readings[name],
                    diagnoses[name],
                    told=told,
                    unsure=name in unsure,
                    carried=name in carried,
                )
            parts.append(part)
        result = CheckResult(self.id, tuple(parts))
        if result.passed and self.insight:
            result = replace(result, lines=(Line("", render_text(self.insight, self.inputs)),))
        elif result.outcome is Outcome.NOT_ATTEMPTED:
            result = replace(
                result, lines=(Line("Answer with", self.check_template, verbatim=True),)
            )
        return self._record_result(result)

    def format_response(self, result: CheckResult) -> dict[str, str] | None:
        """Return what was given, by name."""
        readable = [part for part in result.parts if part.outcome is not Outcome.ERROR]
        return {part.name: part.response for part in readable if part.response} or None

    def _indistinguishable_mistakes(self) -> Iterator[tuple[str, ...]]:
        """Yield ids of mistakes whose values cannot be told apart."""
        wrong = dict[str, list[dict[str, float]]]()
        alike = {m.id: set(m.ambiguous_with) for m in self.own_mistakes}
        # One by one: most draws that are not taken are known by the first few.
        for other in self.own_mistakes:
            ways = self._values_of(other)
            if any(_are_same(values, self._right) for values in ways):
                yield (other.id,)
            for one in wrong:
                declared = other.id in alike[one] or one in alike[other.id]
                if not declared and any(_are_same(a, b) for a in wrong[one] for b in ways):
                    yield one, other.id
            wrong[other.id] = ways

    @cached_property
    def _right(self) -> dict[str, float]:
        return self._by_name(self.solve(self.inputs))

    def _values_of(self, mistake: Mistake) -> list[dict[str, float]]:
        """Return the answers of each way to make a mistake."""
        if mistake.id not in self._computed_mistakes:
            self._computed_mistakes[mistake.id] = [
                {**self._right, **self._by_name(wrong(self.inputs))}
                for wrong in (mistake.wrong_answer, *mistake.variants)
            ]
        return self._computed_mistakes[mistake.id]

    @cached_property
    def _computed_mistakes(self) -> dict[str, list[dict[str, float]]]:
        return {}

    def _draw(self, rng: np.random.Generator, seed: str) -> Self:
        return replace(self, inputs=self.draw(rng), seed=seed)

    def _by_name(self, values: Any) -> dict[str, float]:
        """Return values by name, whether they came so or as the one there is."""
        if isinstance(values, Mapping):
            return {name: float(value) for name, value in values.items()}
        if len(self.asks) > 1:
            raise TypeError(
                f"{self.id} asks for {', '.join(self.asks)}: its functions return a dictionary "
                f"with these names; one returned {values!r}"
            )
        (name,) = self.asks
        return {name: float(values)}

    def _name_answers(self, given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """Return the answers by name, or say what was wrong with the call."""
        names = list(self.asks)
        if len(given) > len(names):
            many = "one answer is" if len(names) == 1 else f"{len(names)} answers are"
            raise _CallError(f"{many.capitalize()} required, and {len(given)} were given.")
        for name in named:
            if name not in names:
                near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
                guess = f" Did you mean `{near[0]}`?" if near else ""
                raise _CallError(f"No answer here is called `{name}`.{guess}")
        twice = [name for name in names[: len(given)] if name in named]
        if twice:
            raise _CallError(f"`{twice[0]}` was given twice, by place and by name.")
        by_name = {**dict(zip(names, given, strict=False)), **named}
        return {name: answers.make_plain(value) for name, value in by_name.items()}

    @cached_property
    def suspects(self) -> tuple[Suspect, ...]:
        """Each way to make each mistake, and answers in each other's place."""
        known = [one for mistake in self.mistakes for one in self._suspects_of(mistake)]
        return (*known, *find_swapped_answers(self.answer, self._labels))

    def _suspects_of(self, mistake: Mistake) -> Iterator[Suspect]:
        for values in self.wrong_answers_by_way(mistake):
            yield Suspect(
                mistake.id,
                mistake.name,
                render_text(mistake.cause, self.inputs),
                render_text(mistake.hint, self.inputs),
                values,
                tier=int(mistake.shared or SWAPPED in mistake.ambiguous_with),
            )

    @cached_property
    def arithmetic_mistakes(self) -> tuple[Suspect, ...]:
        """The mistakes of arithmetic that are made with any number."""
        code = "\n".join(step.code for step in self.steps)
        measured = {n: v for n, v in self.answer.items() if n not in self.identifiers}
        return tuple(find_arithmetic_mistakes(measured, self._labels, self.inputs, code))

    @cached_property
    def _labels(self) -> dict[str, str]:
        return {asked.name: asked.label for asked in self.fields}

    def _diagnose(
        self, readings: Mapping[str, Reading], carried: Sequence[str]
    ) -> dict[str, list[Suspect]]:
        """Return the likely causes of each answer that is wrong; more than one if in doubt."""
        if all(answers.agrees_roughly(given, self._right[n]) for n, given in readings.items()):
            return {}
        return diagnose(
            readings, self.answer, self.suspects, lambda: self.arithmetic_mistakes, carried
        )

    def _find_carried(self, readings: Mapping[str, Reading]) -> list[str]:
        """Return the answers that follow from the learner's other answers."""
        return [name for name in readings if self._is_carried_on(name, readings)]

    def _unreadable(self, name: str, shown: str, problem: UnreadableError) -> AnswerPart:
        given = Line("You gave", shown, verbatim=True)
        lines = (given, Line("", problem.message))
        is_wrong = problem.outcome is Outcome.WRONG
        expected = (answers.format_value(self._right[name]),) if is_wrong else ()
        return AnswerPart(name, problem.outcome, shown, lines=lines, expected=expected)

    def _wrong(
        self,
        name: str,
        shown: str,
        reading: Reading,
        causes: list[Suspect],
        *,
        told: bool,
        unsure: bool,
        carried: bool,
    ) -> AnswerPart:
        lines = [Line("You gave", shown, verbatim=True)] if len(self.asks) == 1 else []
        doubtful = any(is_doubtful(cause, name, reading) for cause in causes)
        if causes and told:
            lines.append(Line("", "The same cause."))
        elif causes:
            lines += self._causes(causes, doubtful=doubtful, unsure=unsure)
            if answers.is_coarse(reading, self._right[name]):
                lines.append(Line("", "Or it is right so far: then give three decimals."))
            elif doubtful:
                lines.append(Line("", _ROUNDED_LIKE))
        elif carried:
            lines.append(Line("", "It follows from your other answers; only those need work."))
        else:
            near = answers.explain_near_miss(reading, self._right[name])
            lines.append(Line("", near or self._explain_unknown_value(reading)))
        declared = [cause for cause in causes if not cause.is_observation and not doubtful]
        named = declared if len(causes) == 1 and not unsure else []
        return AnswerPart(
            name,
            Outcome.WRONG,
            shown,
            pitfall="".join(cause.name for cause in named),
            mistake=declared[0].id if declared else None,
            lines=tuple(lines),
            expected=(answers.format_value(self._right[name]),),
        )

    def _causes(self, causes: list[Suspect], *, doubtful: bool, unsure: bool) -> list[Line]:
        """Return what was probably done and what to try, or what tells the candidates apart."""
        is_sure = not doubtful and not unsure and not causes[0].is_observation
        if len(causes) == 1 and is_sure:
            return [Line("Likely cause", causes[0].cause), Line("Try", causes[0].hint)]
        labels = (PERHAPS[0], *[PERHAPS[1]] * len(causes))
        return [
            Line("" if one.is_observation else f"{label} {one.name}", f"{one.cause} {one.hint}")
            for label, one in zip(labels, causes, strict=False)
        ]

    def _is_carried_on(self, name: str, readings: Mapping[str, Reading]) -> bool:
        """Whether an answer is what the learner's other answers lead to."""
        # The inputs are known; an answer of the same name is the learner's.
        own = {key: value for key, value in self.inputs.items() if key not in self.asks}
        own |= {other: r.value for other, r in readings.items() if other != name}
        try:
            return name in self.follows and answers.resembles(
                readings[name], self.follows[name](own)
            )
        except (KeyError, ZeroDivisionError):
            return False

    def _explain_unknown_value(self, reading: Reading) -> str:
        digits = (
            "If it is rounded, give three decimals. " if 0 < reading.places < answers.PLACES else ""
        )
        return f"None of the usual mistakes gives this. {digits}A hint: `{self.access}.hint()`."


def _are_same(one: Values, other: Values) -> bool:
    return all(abs(one[name] - other[name]) <= _APART + 1e-9 for name in one)
