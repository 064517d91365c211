"""The exercises' cards for the book: all that its script looks up to check an answer.

Every sentence comes from the exercises themselves, most by running their own `check`. An answer
that is picked (an option, some options, an order of lines) is looked up whole. A number is
compared with the values here by the rules of ``exercises/answers.py``, which the script follows.

The table is written in base 64: nobody who reads a page's source or searches a folder meets an
answer by chance. It is no lock, and cannot be one. A digest would be none either, because a
number of three decimals is found by trying a thousand of them, and hints and worked solutions
must be here in any case. What is written are the exercises as they stand in the
chapters, and of each that is reviewed a few variants whose seeds are plain numbers. The numbers of
an assignment's notebook are drawn from a key of the course and never come this way; one that may be
answered in the page gives each student one of these variants.
"""

from __future__ import annotations

import base64
import io
import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.picture import inline_pictures
from recsys_metrics.workbook.exercises import Exercise, answers
from recsys_metrics.workbook.exercises.answers import UnreadableError
from recsys_metrics.workbook.exercises.base import BOOK_SEEDS, Mistake, render_text
from recsys_metrics.workbook.exercises.card import describe_card, describe_result, quieten
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.diagnosis import Suspect
from recsys_metrics.workbook.exercises.function import NO_BODY, OPEN_GAP, Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import (
    FEWEST_LETTERS,
    FEWEST_WORDS,
    TOO_SHORT,
    Text,
)
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.prediction import Predict
from recsys_metrics.workbook.exercises.result import PERHAPS, Line

Table = dict[str, Any]


def as_script(exercise: Exercise) -> str:
    """Return what a card looks up as a script that hands it over to the page."""
    return f"recsysBook.asked({json.dumps(exercise.id)},{_coded(card(exercise))});\n"


def review_as_script(exercise: Exercise, seed: str | None = None) -> str:
    """Return a card and what it looks up, for a page that does not show it by itself."""
    shown = exercise if seed is None else exercise.variant(seed)
    table = {"card": inline_pictures(markup.adapt_for_page(shown._repr_html_())), **card(shown)}
    return f"recsysBook.opened({json.dumps(review_file(exercise, seed))},{_coded(table)});\n"


def review_file(exercise: Exercise, seed: str | None = None) -> str:
    """Return the name of such a script in the site's static files, without its suffix."""
    return f"alone/{exercise.id}" if seed is None else f"reviews/{exercise.id}.{seed}"


def _coded(table: Table) -> str:
    written = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    return json.dumps(base64.b64encode(written.encode()).decode())


def card(exercise: Exercise) -> Table:
    """Return what a card looks up.

    Parameters
    ----------
    exercise : Exercise

    Returns
    -------
    dict
        Its question and fields, the worked solution, and what its kind needs for a feedback.
    """
    variants = list(BOOK_SEEDS) if exercise.has_variants else []
    table: Table = {**describe_card(exercise), "variants": variants}
    for kind, rest in _KINDS.items():
        if isinstance(exercise, kind):
            return table | {"solution": _solution(exercise)} | rest(exercise)
    raise TypeError(f"{exercise.id} is of a kind that the book's pages have no form for")


def _solution(exercise: Exercise) -> str:
    # What a step prints is no part of what it shows.
    with redirect_stdout(io.StringIO()):
        return markup.adapt_for_page(exercise.solution(show=True)._repr_html_())


# Feedback that is looked up whole ------------------------------------------------------------


class _FeedbackTable:
    """Feedback by answer, each of their sentences saved once."""

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise
        self._lines: dict[str, int] = {}
        self._by_answer: dict[str, list[Any]] = {}
        self._expected: list[str] = []

    def add(self, key: str, **given: Any) -> None:
        """Check an answer as a first try and save what a card shows of it."""
        result = describe_result(replace(self._exercise).check(**given))
        parts = result["parts"].values()
        lines = [*(line for part in parts for line in part["lines"]), *result["lines"]]
        self._expected = self._expected or [e for part in parts for e in part["expected"]]
        self._by_answer[key] = [
            result["outcome"],
            next((part["pitfall"] for part in parts if part["pitfall"]), ""),
            [self._lines.setdefault(line, len(self._lines)) for line in lines],
            result["noted"],
            next((p["wrongLine"] for p in parts if p["wrongLine"] is not None), None),
        ]

    def table(self) -> Table:
        return {
            "lines": list(self._lines),
            "feedback": self._by_answer,
            "expected": self._expected,
        }


def _choice(exercise: Choice) -> Table:
    feedback = _FeedbackTable(exercise)
    keys = exercise.option_list.keys
    if not exercise.chooses_all:
        for key in keys:
            feedback.add(key, choice=key)
    else:
        for picked in _subsets(keys):
            feedback.add(" ".join(picked), choice=list(picked))
    return feedback.table()


def _predict(exercise: Predict) -> Table:
    feedback = _FeedbackTable(exercise)
    for key in exercise.option_list.keys:
        feedback.add(key, guess=key)
    return feedback.table()


def _text(exercise: Text) -> Table:
    feedback = _FeedbackTable(exercise)
    count = len(exercise.criteria)
    for marks in itertools.product([False, True], repeat=count):
        picked = [str(i) for i, mark in enumerate(marks) if mark]
        feedback.add(" ".join(picked), text="a text of mine", marks=list(marks))
    fewest = {"words": FEWEST_WORDS, "letters": FEWEST_LETTERS}
    return {"short": TOO_SHORT, "fewest": fewest, **feedback.table()}


def _order(exercise: Order) -> Table:
    feedback = _FeedbackTable(exercise)
    letters = exercise.option_list.labels
    for order in exercise.accepted_answers:
        feedback.add(" ".join(order), order=list(order))
    for mistake in exercise.mistakes:
        for wrong in exercise.wrong_answers(mistake):
            feedback.add(" ".join(wrong["order"]), order=list(wrong["order"]))
    # What is said of any other order is decided where it leaves the last right one it follows.
    known = {order[:n] for order in exercise.accepted_answers for n in range(len(order) + 1)}
    so_far = _FeedbackTable(exercise)
    for begun in sorted(known, key=lambda row: (len(row), row)):
        if begun and begun not in exercise.accepted_answers:
            so_far.add(" ".join((*begun, "")), order=list(begun))
        for letter in letters:
            row = (*begun, letter)
            if letter not in begun and row not in known:
                so_far.add(" ".join(row), order=list(row))
    return {**feedback.table(), "soFar": so_far.table()}


def _subsets(keys: Iterable[str]) -> Iterable[tuple[str, ...]]:
    keys = tuple(keys)
    return itertools.chain.from_iterable(
        itertools.combinations(keys, n) for n in range(1, len(keys) + 1)
    )


# Numbers -------------------------------------------------------------------------------------


def _numbers(exercise: Numbers) -> Table:
    facts = exercise.inputs
    return {
        "right": exercise.answer,
        "shown": {name: [answers.format_value(value)] for name, value in exercise.answer.items()},
        "known": [_suspect(one) for one in exercise.suspects],
        "arithmetic": [_suspect(one) for one in exercise.arithmetic_mistakes],
        "follows": {
            name: traced
            for name, follows in exercise.follows.items()
            if (traced := trace(follows, exercise.answer, exercise.inputs)) is not None
        },
        "words": {"units": sorted(answers.UNITS), "turns": sorted(answers.TURNS)},
        "insight": markup.render_inline(render_text(exercise.insight, facts)),
        "says": sayings(),
    }


def _suspect(one: Suspect) -> Table:
    return {
        "id": one.id,
        "name": markup.escape(one.name),
        "values": dict(one.values),
        "both": one.both,
        "tier": one.tier,
        "observation": one.is_observation,
        "needsDigits": one.needs_digits,
        "cause": markup.render_inline(one.cause),
        "hint": markup.render_inline(one.hint),
    }


class _Traced:
    """A number that notes what is done with it."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree

    def _with(self, sign: str, one: Any, other: Any) -> _Traced:
        return _Traced([sign, *(x.tree if isinstance(x, _Traced) else x for x in (one, other))])

    def __add__(self, other: Any) -> _Traced:
        return self._with("+", self, other)

    def __radd__(self, other: Any) -> _Traced:
        return self._with("+", other, self)

    def __sub__(self, other: Any) -> _Traced:
        return self._with("-", self, other)

    def __rsub__(self, other: Any) -> _Traced:
        return self._with("-", other, self)

    def __mul__(self, other: Any) -> _Traced:
        return self._with("*", self, other)

    def __rmul__(self, other: Any) -> _Traced:
        return self._with("*", other, self)

    def __truediv__(self, other: Any) -> _Traced:
        return self._with("/", self, other)

    def __rtruediv__(self, other: Any) -> _Traced:
        return self._with("/", other, self)

    def __pow__(self, other: Any) -> _Traced:
        return self._with("**", self, other)

    def __abs__(self) -> _Traced:
        return _Traced(["abs", self.tree])

    def sqrt(self) -> _Traced:
        """As numpy asks for it."""
        return _Traced(["**", self.tree, 0.5])


def trace(
    follows: Callable[[Mapping[str, Any]], Any],
    names: Iterable[str],
    inputs: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """Return how an answer follows from others as a tree of signs, names and numbers.

    Parameters
    ----------
    follows : callable
        Answers by name to the one that follows from them.
    names : iterable of str
        The answers' names.
    inputs : mapping
        What is given, which becomes numbers of the tree.

    Returns
    -------
    list or None
        None where more than arithmetic is done; the book then does not say that an answer
        follows from the others.
    """
    try:
        found = follows({**inputs, **{name: _Traced({"name": name}) for name in names}})
    except (TypeError, ValueError):
        return None
    return found.tree if isinstance(found, _Traced) else None


@cache
def sayings() -> Table:
    """Return what is said of any number, found by giving such numbers to an exercise."""
    unreadable = {
        "zero": "1/0",
        "undefined": "sqrt(-1)",
        "nan": "nan",
        "infinite": "inf",
        "far": "1e200",
        "text": "five",
        "thousands": "1,234",
    }
    return {
        "unreadable": {name: _unread(example) for name, example in unreadable.items()},
        "near": {
            "coarse": _near("0.44"),
            "perhaps": markup.render_inline(answers.PERHAPS_ROUNDED),
            "cutOff": _near("0.44166"),
            "close": _near("0.4425"),
        },
        "rounded": _say(a=0.4418, b=0.2208),
        "same": _say(a=1.5, b=2.5, of="b"),
        "roundedLike": _say(a=7.88),
        "perhaps": list(PERHAPS),
        "ask": quieten(Line("Try", "{}").as_html()).split("{}"),
        "orCoarse": _say(-1, a=0.44),
        "carried": _say(a=0.87, b=0.435, of="b"),
        "none": _say(a=0.957),
        "noneShort": _say(a=0.9),
    }


def _unread(example: str) -> list[str]:
    try:
        answers.read_number(example)
    except UnreadableError as problem:
        return [problem.outcome.name, markup.adapt_for_page(markup.render_inline(problem.message))]
    raise ValueError(f"{example!r} was read as a number")


def _near(example: str) -> str:
    said = answers.explain_near_miss(answers.read_number(example), 53 / 120)
    if not said:
        raise ValueError(f"nothing is said of {example!r} for 53/120")
    return markup.adapt_for_page(markup.render_inline(said))


def _say(at: int = 0, *, of: str = "a", **given: float) -> str:
    """Return a sentence without a label that an answer gets, by default the first."""
    result = _specimen().check(**given)
    part = next(part for part in result.parts if part.name == of)
    plain = [line.text for line in part.lines if not line.label]
    return markup.adapt_for_page(markup.render_inline(plain[at]))


def _specimen() -> Numbers:
    """Return an exercise that can be answered in every way there is."""

    def mistake(name: str, **values: float) -> Mistake:
        return Mistake(name, name, lambda _: values, "Cause.", "Ask?")

    return Numbers(
        id="book.specimen",
        title="",
        prompt="",
        asks={"a": "a", "b": "b"},
        inputs={},
        solve=lambda _: {"a": 53 / 120, "b": 53 / 240},
        draw=lambda _: {},
        follows={"b": lambda own: own["a"] / 2},
        mistakes=(
            mistake("both", a=1.5, b=2.5),
            mistake("one", a=3.5),
            mistake("other", a=3.5),
            mistake("near", a=0.44),
            mistake("short", a=0.3),
            mistake("fine", a=7.8765),
        ),
        hints=(),
        steps=(),
        minutes=1,
    )


# Functions, which Python checks in the page -----------------------------------------------------


def _function(exercise: Function) -> Table:
    values = ", ".join(map(markup.format_python, exercise.cases[0].arguments.values()))
    return {
        "stub": f"{exercise.draft}\n",
        "trial": f"{exercise.function}({values})",
        "unwritten": Line("", OPEN_GAP if exercise.template else NO_BODY).as_html(),
    }


_KINDS: dict[type[Exercise], Callable[[Any], Table]] = {
    Function: _function,
    Numbers: _numbers,
    Choice: _choice,
    Order: _order,
    Predict: _predict,
    Text: _text,
}
