"""Answers of any type, size and shape end in a message, and never in a traceback."""

from __future__ import annotations

import functools
import itertools
from decimal import Decimal
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.prediction import Predict
from tests.exercises.simulated_learners import fresh

HUGE = 10**5000


class Silent:
    """An object that cannot show itself."""

    def __repr__(self):
        raise RuntimeError

    __str__ = __float__ = __index__ = __repr__


class Number(float):
    """A float that agrees with everything, and cannot show itself."""

    def __eq__(self, other):
        return True

    __hash__ = float.__hash__
    __le__ = __lt__ = __ge__ = __eq__

    def __sub__(self, other):
        return Number(0)

    __rsub__ = __abs__ = __sub__

    def __repr__(self):
        raise ValueError


class Precise(Decimal):
    def is_nan(self):
        raise ValueError


class Word(str):
    def strip(self, *_):
        return "mrr"

    __eq__ = Number.__eq__
    __hash__ = str.__hash__


class Unending(list):
    def __iter__(self):
        return itertools.count()

    def __len__(self):
        raise ValueError


def make_object(**methods):
    """Return an object whose methods raise an error, or return a value."""

    def method(found):
        def call(self, *_):
            if isinstance(found, Exception):
                raise found
            return found

        return call

    return type("Odd", (), {name: method(found) for name, found in methods.items()})()


class Liar:
    __class__ = int


def endless():
    nested = []
    nested.append(nested)
    return nested


ANSWERS = [HUGE, -HUGE, [HUGE], {HUGE}, (HUGE, 1), {1, 2}, {"a": HUGE}, Decimal("sNaN"),
           Decimal("1e999999"), Fraction(HUGE, 3), Fraction(1, HUGE), Silent(), [Silent()],
           endless(), np.array([HUGE], dtype=object), 1j, b"\xff", object, "\ud800",
           float("inf"), np.zeros((3, 3)), 10**20, 99, Number(77), [Number(77)], Precise("77"),
           Word("ninety"), [Word("ninety")], Unending(["none"]), Liar(), iter([]), np.array([]),
           itertools.count(), (word for word in ("no", "yes")),
           make_object(__getattr__=ValueError()), make_object(__getattribute__=ValueError()),
           make_object(__iter__=ValueError()), make_object(__class__=5),
           make_object(__array__=ValueError()), make_object(__float__=RecursionError()),
           make_object(__hash__=ValueError(), __eq__=ValueError()),
           make_object(__repr__=5)]  # fmt: skip
OF_EACH_TYPE = {type(exercise): exercise for exercise in REGISTRY.values()}


@pytest.mark.parametrize("exercise", OF_EACH_TYPE.values(), ids=lambda one: type(one).__name__)
def test_an_odd_answer_ends_in_a_message(exercise):
    for answer in ANSWERS:
        result = fresh(exercise).check(answer)
        assert not result.passed or isinstance(exercise, Predict)
        said = str(result) + result._repr_html_()[:0]
        assert said
        assert len(said) < 5000


def test_odd_marks_end_in_a_message():
    exercise = REGISTRY["ranking.explain_ideal"]
    for marks in (HUGE, [HUGE], endless(), Silent()):
        assert str(fresh(exercise).check("A sentence of some length.", marks))


def one(*_):
    return 1


def make_callable(**names):
    """Return an object that may be called, with something odd under a name that is looked up."""

    def fails(self):
        raise RuntimeError("looked up")

    odd = {
        name: property(fails) if value is fails_when_asked else value
        for name, value in names.items()
    }
    return type("Odd", (), {"__call__": one, **odd})()


fails_when_asked = object()
wraps_itself = functools.partial(one)
wraps_itself.__wrapped__ = wraps_itself
CALLABLES = [wraps_itself, mock.Mock(return_value=1), make_callable(__name__=5),
             make_callable(__signature__=5), make_callable(__signature__=fails_when_asked),
             make_callable(__wrapped__=fails_when_asked), make_callable(__code__=5)]  # fmt: skip


@pytest.mark.parametrize("function", CALLABLES, ids=lambda each: type(each).__name__)
def test_whatever_can_be_called_ends_in_a_message(function):
    result = fresh(REGISTRY["rating.complete_mae"]).check(function)
    assert (result.passed, bool(str(result))) == (False, True)


def test_a_function_may_return_whatever_there_is():
    for answer in ANSWERS:
        result = fresh(REGISTRY["rating.complete_mae"]).check(lambda *_, answer=answer: answer)
        assert result.outcome == "WRONG"
        assert len(str(result)) < 5000


@pytest.mark.parametrize("exercise", OF_EACH_TYPE.values(), ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("name", ["\ud800", "\x1b[2J", "self", "given"])
def test_no_word_of_a_learner_is_obeyed_or_breaks_a_page(exercise, name):
    calls = [((name,), {}), ((), {name: 1})]
    for given, named in calls:
        result = fresh(exercise).check(*given, **named)
        assert str(result).replace("\n", "").isprintable()
        assert result._repr_html_().encode()


@pytest.mark.parametrize("said", ["\ud800", "\x1b[2J", "\u202e"])
def test_what_a_function_prints_or_raises_is_shown_and_not_obeyed(said):
    def prints(*_):
        print(said)
        raise ValueError(said)

    result = fresh(REGISTRY["rating.complete_mae"]).check(prints)
    assert ascii(said)[1:-1] in str(result)
    assert str(result).replace("\n", "").isprintable()
    assert result._repr_html_().encode()
