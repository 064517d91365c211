"""Variants: other numbers, the same idea, the same on every machine."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import fields

import pytest

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises import ranking as ex
from recsys_metrics.workbook.exercises.base import Mistake
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.prediction import Predict
from recsys_metrics.workbook.exercises.time_limit import Run
from recsys_metrics.workbook.grading import copy_probability, exercise_rules
from tests.exercises.simulated_learners import (
    check_mistake,
    check_solution,
    every,
    every_judged,
    fresh,
    list_mistakes,
    run_worked_solution,
)
from tests.tiers import another_program

# The rules of an exercise are checked on its own numbers in every run; of its variants, these:
some_exercises = pytest.mark.sweep("exercise", keep=12)
N_VARIANTS = 50
N_BLOCKS = 10
PINNED = {"recommended": list("ABCDE"), "relevant": set("BEHI"), "k": 5}


def call(function, arguments, *, seconds):
    """Run a function of ours without a thread, which is most of the time a check takes."""
    try:
        return Run(value=function(*arguments))
    except Exception as error:
        return Run(error=error)


@pytest.fixture(scope="module", autouse=True)
def none_kept_for_long():
    """Thousands of variants would stay in the worker's memory, and in each look for garbage."""
    yield
    for exercise in REGISTRY.values():
        exercise._memory.variants.clear()


def forget(variant):
    """Drop what a variant has worked out: its suspects are many times its own size.

    What is right is small, and asked for again.
    """
    kept = {field.name for field in fields(variant)} | {"expected", "_right"}
    for name in vars(variant).keys() - kept:
        del vars(variant)[name]


@pytest.mark.sweep("block", keep=1, each="exercise")
@every
@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_every_variant_passes_with_its_solution_and_names_its_mistakes(
    exercise, block, monkeypatch
):
    monkeypatch.setattr("recsys_metrics.workbook.exercises.function.run_with_limit", call)
    for seed in range(block, N_VARIANTS, N_BLOCKS):
        variant = exercise.variant(seed)
        assert check_solution(variant).outcome == "PASS"
        for mistake, answer in list_mistakes(variant):
            result = check_mistake(variant, answer)
            assert result.outcome == "WRONG"
            assert mistake.name in result.message, (seed, mistake.id, result)
        forget(variant)


# Of these fewest draws have to be drawn again: one to three in two hundred.
N_DRAWS = 100
SELDOM_DRAWN_AGAIN = (
    "beyond_accuracy.e8a",
    "beyond_accuracy.lift",
    "bias.ips_and_snips",
    "calibration.platt",
)


@pytest.mark.parametrize("name", SELDOM_DRAWN_AGAIN)
def test_the_number_of_variants_reveals_indistinguishable_mistakes(name, monkeypatch):
    exercise = fresh(REGISTRY[name])
    with monkeypatch.context() as patch:
        patch.setattr(type(exercise), "_indistinguishable_mistakes", lambda self: iter(()))
        variants = [exercise.variant(seed) for seed in range(N_DRAWS)]
    assert any(variant.indistinguishable_mistakes() for variant in variants)


@some_exercises
@every_judged
def test_two_students_rarely_share_the_right_answer(exercise):
    limit = copy_probability.highest_chance(exercise)
    # The variants above are kept by the exercise; more are drawn where those do not settle it.
    chance = copy_probability.copy_chance(exercise, variants=N_VARIANTS)
    if chance > (limit or copy_probability.OF_CHOICES) / 2:
        chance = copy_probability.copy_chance(exercise)
    if limit is None:
        # What is said to be the same for all should not be so without need.
        assert exercise.same_for_all
        assert chance > copy_probability.OF_CHOICES
    else:
        assert chance <= limit
        assert not exercise.same_for_all


@some_exercises
@every
def test_exercises_follow_the_rules_for_custom_exercises(exercise):
    if exercise.points:
        assert exercise_rules.find_faults(exercise, variants=1) == []


@some_exercises
@every
def test_variants_differ_and_keep_their_type(exercise):
    variants = [exercise.variant(seed) for seed in range(30)]
    assert {type(v) for v in variants} == {type(exercise)}
    seen = {repr((v.inputs, v.statement, getattr(v, "cases", ()))) for v in variants}
    # Of few things there are few orders; a text or a guess may have one question only.
    orders = (
        math.factorial(len(exercise.option_list.keys)) if hasattr(exercise, "option_list") else 30
    )
    asks_once = isinstance(exercise, Text | Predict)
    assert len(seen) > min(15, orders // 2) or asks_once
    assert exercise.variant(7) is exercise.variant("7")
    assert 'variant("7")' in variants[7].check_template


@some_exercises
@every
def test_the_worked_solution_of_a_variant_finds_its_answer(exercise):
    for seed in range(8):
        variant = exercise.variant(seed)
        if isinstance(variant, Numbers):
            names = run_worked_solution(variant)
            assert {n: names[n] for n in variant.answer} == pytest.approx(variant.answer)


PRINT_ALL = """
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.common.markup import format_python
for exercise in REGISTRY.values():
    variant = exercise.variant(7)
    cases = getattr(variant, "cases", ())
    facts = format_python(dict(variant.inputs))
    print([exercise.id, facts, variant.statement, [format_python(c.arguments) for c in cases]])
"""


@another_program
def test_variants_are_the_same_in_every_process(capsys):
    exec(PRINT_ALL, {})  # this process, whose sets have an order of their own, has drawn them above
    here = capsys.readouterr().out
    order = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    done = subprocess.run(
        [sys.executable, "-c", PRINT_ALL],
        env={"PYTHONHASHSEED": order, "PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == here
    assert len(here.splitlines()) == len(REGISTRY)


def test_variants_do_not_change_between_releases():
    # A new release of numpy could draw other numbers; a student's sheet must not change.
    assert ex.average_precision_of_list.variant("s123").inputs == PINNED
    assert ex.average_precision_of_list.variant("s123").variant("s123").inputs == PINNED


def test_the_solution_of_a_variant_opens_with_a_check_of_that_variant():
    exercise = fresh(ex.average_precision_of_list)
    exercise.variant(1).check(0.123)
    assert exercise.variant(1).attempted
    assert not exercise.variant(2).attempted
    assert not exercise.attempted


def test_a_draw_with_indistinguishable_mistakes_is_reported():
    same = {"wrong_answer": lambda inputs: inputs["n"] + 1, "cause": "…", "hint": "…"}
    exercise = Numbers(
        id="test.narrow",
        title="Too narrow",
        prompt="{n}",
        asks={"n": "n"},
        inputs={"n": 1},
        solve=lambda inputs: inputs["n"],
        draw=lambda rng: {"n": int(rng.integers(9))},
        mistakes=(
            Mistake(id="one", name="one", **same),
            Mistake(id="two", name="two", **same),
        ),
        hints=(),
        steps=(),
        minutes=1,
    )
    assert exercise.indistinguishable_mistakes() == [("one", "two")]
    said = r"test\.narrow: .* the mistakes one and two lead to the same answer"
    with pytest.raises(RuntimeError, match=said):
        exercise.variant(1)
