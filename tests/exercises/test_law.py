"""The law: what holds for every exercise, whatever its subject and kind."""

from __future__ import annotations

import html
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from recsys_metrics.workbook.exercises import REGISTRY, SUBJECTS, markup
from recsys_metrics.workbook.exercises.base import fill
from recsys_metrics.workbook.exercises.function import Function
from tests.exercises.people import (
    check,
    every,
    every_function,
    every_numbers,
    fresh,
    mistakes,
    solve,
    worked,
)
from tests.exercises.right_ways import RIGHT_WAYS


def forms(value):
    """Return ways to write a value that are all right."""
    digits = f"{value:.3f}"
    written = [
        value,
        round(value, 3),
        round(value, 4),
        round(value, 6),
        np.float64(value),
        np.float32(value),
        np.float16(value),
        np.longdouble(value),
        np.float32(round(value, 4)),
        np.array(value),
        np.array([value]),
        Decimal(repr(value)),
        Decimal(digits),
        Fraction(value),
        Fraction(value).limit_denominator(1000),
        repr(value),
        f"  {digits} ",
        digits.removeprefix("0"),
        f"+{value:.5f}",
        f"{value:.8e}",
        f"{Fraction(value).limit_denominator(10**6)}",
    ]
    if value == round(value):
        written += [int(value), np.int64(value), np.uint8(value), str(int(value))]
    return written


# What an exercise says of itself ---------------------------------------------------------------


def test_the_registry_holds_every_exercise_once():
    assert len(REGISTRY) == sum(map(len, SUBJECTS.values()))
    assert {"ranking.e2", "ranking.e3", "ranking.e4", "ranking.e5", "ranking.e6"} <= set(REGISTRY)
    for exercise_id, exercise in REGISTRY.items():
        assert exercise.id == exercise_id


@every
def test_it_is_complete(exercise):
    assert len(exercise.misconceptions) >= 3
    assert len(exercise.hints) == 3
    assert len(exercise.steps) >= 2
    assert 1 <= exercise.minutes <= 20
    assert 1 <= exercise.points <= 5
    assert exercise.insight


@every
def test_its_mistakes_have_messages_of_their_own(exercise):
    causes = [fill(m.cause, exercise.facts) for m in exercise.misconceptions]
    assert len(set(causes)) == len(causes)
    for misconception in exercise.misconceptions:
        assert misconception.name == misconception.name.strip(". ")
        assert fill(misconception.ask, exercise.facts).endswith(("?", "."))


@every
def test_its_mistakes_are_told_apart(exercise):
    assert exercise.clashes() == []


@every_numbers
def test_mistakes_that_are_declared_alike_are_alike(exercise):
    by_id = {m.id: m for m in exercise.misconceptions}
    for misconception in exercise.misconceptions:
        for other in misconception.looks_like:
            mine, theirs = (exercise.wrong_answers(m) for m in (misconception, by_id[other]))
            assert mine == pytest.approx(theirs)


# What it answers ---------------------------------------------------------------------------------


@every
def test_the_solution_passes(exercise):
    result = solve(fresh(exercise))
    assert result.outcome == "PASS"
    assert result.misconception is None


@every
def test_a_stub_is_not_attempted(exercise):
    exercise = fresh(exercise)
    stubs = [(), (...,), (None,)]
    if isinstance(exercise, Function):
        scope = {}
        exec(exercise.stub, scope)
        stubs += [(scope[exercise.function],)]
    for stub in stubs:
        assert exercise.check(*stub).outcome == "NOT ATTEMPTED"
    assert exercise.solution().title == "Try it first"


@every
def test_the_call_to_copy_is_not_attempted(exercise):
    exercise = fresh(exercise)
    scope = {"ex": type("", (), {exercise.name: exercise})}
    lines = exercise.call.splitlines()
    exec("\n".join(lines[:-1]), scope)
    assert eval(lines[-1], scope).outcome == "NOT ATTEMPTED"


@every_numbers
def test_every_form_of_the_right_numbers_passes(exercise):
    written = {name: forms(value) for name, value in exercise.answer.items()}
    assert min(map(len, written.values())) >= 10
    for name, ways in written.items():
        for way in ways:
            result = fresh(exercise).check(**{**exercise.answer, name: way})
            assert result.outcome == "PASS", (name, way, result)


@every_numbers
def test_the_right_numbers_pass_by_place(exercise):
    assert fresh(exercise).check(*exercise.answer.values()).outcome == "PASS"


@every_function
def test_every_right_way_passes(exercise):
    ways = RIGHT_WAYS[exercise.id]
    assert len(ways) >= 4
    for way in ways:
        assert fresh(exercise).check(way).outcome == "PASS", way.__name__


@every
def test_every_mistake_is_named(exercise):
    for misconception, answer in mistakes(exercise):
        result = check(fresh(exercise), answer)
        alike = {misconception.id, *misconception.looks_like}
        alike |= {m.id for m in exercise.misconceptions if misconception.id in m.looks_like}
        assert result.outcome == "WRONG"
        assert result.misconception in alike
        assert misconception.name in result.message
        assert fill(misconception.cause, exercise.facts).replace("*", "") in result.message


@every_numbers
def test_every_mistake_is_named_when_it_is_rounded(exercise):
    for misconception, answer in mistakes(exercise):
        rounded = {name: round(value, 3) for name, value in answer.items()}
        assert misconception.name in fresh(exercise).check(**rounded).message


@every_numbers
@pytest.mark.parametrize(
    "junk",
    [float("nan"), float("inf"), True, np.True_, 1j, [0.5], np.array([0.5, 0.5]), "half", "", max],
    ids=repr,
)
def test_what_is_no_number_never_passes(exercise, junk):
    for name in exercise.answer:
        assert fresh(exercise).check(**{**exercise.answer, name: junk}).outcome != "PASS"


# What it gives away ------------------------------------------------------------------------------


def visible(page):
    """Return the text and the labels of a page."""
    labels = re.findall(r'aria-label="([^"]*)"', page)
    return html.unescape(" ".join([re.sub(r"<[^>]*>", " ", page), *labels]))


def tokens(value):
    """Return the ways in which a value could be printed."""
    return {f"{value:.{n}f}" for n in range(2, 7)} | {f"{value:g}", repr(value)}


@every_numbers
def test_nothing_shows_the_answer_before_it_was_tried(exercise):
    exercise = fresh(exercise)
    shown = [visible(exercise._repr_html_()), repr(exercise), repr(exercise.solution())]
    shown += [repr(exercise.hint(i)) for i in (1, 2, 3)]
    given = {
        f"{float(x):g}" for x in np.ravel(next(iter(exercise.inputs.values()))) if _is_number(x)
    }
    for value in exercise.answer.values():
        if value == round(value):
            continue  # a count such as 3 stands in any text
        for token in tokens(value) - given:
            pattern = rf"(?<![\d.]){re.escape(token)}(?!\d)"
            assert not any(re.search(pattern, text) for text in shown), token


def _is_number(x):
    return np.issubdtype(np.asarray(x).dtype, np.number)


@every_numbers
def test_the_expected_value_comes_with_the_second_wrong_try(exercise):
    # A value that is no part's and no mistake's.
    off = dict.fromkeys(exercise.answer, 98.7654)
    exercise = fresh(exercise)
    first, second = exercise.check(**off), exercise.check(**off)
    assert "Expected" not in first.message
    assert second.message.count("Expected") == len(exercise.answer)


# The worked solution -----------------------------------------------------------------------------


@every
def test_the_worked_solution_finds_the_answer(exercise):
    names = worked(exercise)
    found = {name: names[name] for name in exercise.answer}
    if isinstance(exercise, Function):
        assert fresh(exercise).check(*found.values()).outcome == "PASS"
    else:
        assert found == pytest.approx(exercise.answer, abs=1e-12)


@every
def test_the_worked_solution_is_shown_after_a_try(exercise):
    exercise = fresh(exercise)
    assert exercise.solution().title == "Try it first"
    solve(exercise)
    shown = visible(exercise.solution()._repr_html_())
    for text, code in exercise.walkthrough():
        assert code in shown
        assert visible(markup.inline(text)) in shown
