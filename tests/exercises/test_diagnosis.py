"""Causes of wrong numbers: none contradicts a right answer; mistakes of arithmetic are known."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from recsys_metrics.workbook.exercises import REGISTRY, answers
from recsys_metrics.workbook.exercises.code_repairs import find_repair
from recsys_metrics.workbook.exercises.diagnosis import Suspect, find_unsure
from tests.exercises.natural_answers import compile_function, first_check
from tests.exercises.simulated_learners import every_numbers, fresh


def suspected(exercise, **typed):
    """Return the names of the causes of each answer that is wrong, be they named or asked about."""
    given = {**exercise.answer, **typed}
    readings = {name: answers.read_number(value) for name, value in given.items()}
    found = exercise._diagnose(readings, exercise._find_carried(readings))
    return {name: " or ".join(one.name for one in causes) for name, causes in found.items()}


def pitfalls(name, **typed):
    result = first_check(name, **{**REGISTRY[name].answer, **typed})
    return [*suspected(REGISTRY[name], **typed).values()], result.message


@every_numbers
def test_a_correct_value_with_two_decimals_is_recognised(exercise):
    for name, value in exercise.answer.items():
        for typed in (f"{value:.2f}", round(value, 2)):
            if round(value, 2) == 0 or answers.agrees(answers.read_number(typed), value):
                continue
            result = fresh(exercise).check(**{**exercise.answer, name: typed})
            assert "Right so far. Give three decimals" in result.message, (name, typed)


@every_numbers
def test_an_error_in_the_last_digit_is_called_close(exercise):
    for name, value in exercise.answer.items():
        if abs(value) > 0.03 and value != round(value):
            # Away from 0: towards it, the error may be that of digits that were cut off.
            typed = f"{value + np.copysign(0.001, value):.4f}"
            result = fresh(exercise).check(**{**exercise.answer, name: typed})
            assert "rounded too early" in result.message, name


@every_numbers
def test_a_reversed_sign_is_diagnosed(exercise):
    for name, value in exercise.answer.items():
        # 0 has no sign to turn, and nobody turns that of a film's number.
        known = not value or name in exercise.identifiers
        assert known or suspected(exercise, **{name: -value})[name], name


@every_numbers
def test_swapped_answers_are_diagnosed(exercise):
    right, names = exercise.answer, list(exercise.answer)
    for one, other in pairwise(names):
        if abs(right[one] - right[other]) > 0.01:
            found = suspected(exercise, **{one: right[other], other: right[one]})
            assert found[one], (one, other)
            assert found[other], (one, other)


def test_a_correct_answer_rules_out_mistakes():
    lost = REGISTRY["beyond_accuracy.e8b"].answer["lost"]
    assert pitfalls("beyond_accuracy.e8b", lost=-lost)[0] == ["sign reversed"]
    assert pitfalls("rating.e1", mae=1.225, rmse=1)[0] == ["answers exchanged"] * 2
    assert "target forgotten" not in pitfalls("bias.ips_and_snips", ips=0.5, snips=2.5 / 5.5)[1]
    assert pitfalls("protocol.e11", low=-0.00655, high=0.01255)[0] == ["degrees of freedom"] * 2


def test_a_cause_that_may_be_a_coincidence_is_asked_about():
    result = first_check("ranking.e4", ap=0.6)
    assert result.parts[0].pitfall == "", result.message
    assert any(line.label.startswith("Perhaps ") for line in result.parts[0].lines), result.message
    # A cause beside an answer that nothing explains is not sure, however many digits it has.
    suspect = Suspect("a", "a", "", "", {"one": 0.123, "other": 0.5})
    right = {"one": 0.9, "other": 0.5}
    for other, found, unsure in (
        (0.5, {"one": [suspect]}, set()),
        (0.7, {"one": [suspect], "other": []}, {"one"}),
    ):
        typed = {"one": answers.read_number(0.123), "other": answers.read_number(other)}
        assert find_unsure(typed, right, found, []) == unsure
        assert find_unsure(typed, right, found, ["other"]) == set()
    swapped = first_check("ranking.e2", precision=0.75, recall=0.6, f1=0.6667)
    assert [part.pitfall for part in swapped.parts[:2]] == ["swapped denominators"] * 2


def test_a_mistake_to_two_decimals_is_asked_about():
    result = first_check("rating.ratio", **{**REGISTRY["rating.ratio"].answer, "ratio": 0.37})
    part = next(part for part in result.parts if part.name == "ratio")
    assert "Give three decimals to be sure" in result.message
    assert "Perhaps gap for ratio: You subtracted the MAE from the RMSE" in result.message
    # Nothing is recorded as the learner's mistake.
    assert (part.pitfall, part.mistake) == ("", None)
    assert "to be sure" not in pitfalls("rating.ratio", ratio=0.366)[1]
    # One digit fits too much.
    assert "to be sure" not in pitfalls("rating.ratio", ratio=0.4)[1]


@every_numbers
def test_a_right_answer_is_never_doubted(exercise):
    typed = {name: f"{value:.2f}" for name, value in exercise.answer.items()}
    message = fresh(exercise).check(**typed).message
    assert "to be sure" not in message, message


def test_an_incompatible_wrong_answer_rules_out_mistakes():
    assert "one minus" not in pitfalls("ranking.e2", precision=0.4, recall=0.5, f1=0.444)[1]


def test_interval_ends_must_agree_to_three_decimals():
    result = first_check("protocol.e11", mean=0.003, low=-0.0077, high=0.0137)
    assert [part.outcome for part in result.parts] == ["PASS", "WRONG", "WRONG"]
    assert first_check("protocol.e11", mean=0.0034, low=-0.0073, high=0.0133).outcome == "WRONG"


def test_related_exercises_share_their_mistakes():
    for name, row in (("protocol.seed_interval", "ndcg"), ("protocol.e11", "gains")):
        known = {one.id for one in REGISTRY[name].suspects}
        assert {"one-sided-t", "degrees-of-freedom", "half-width", "z-for-t"} <= known, row
    for name in ("ranking.e3", "choosing.two_goals"):
        known = {one.name for one in REGISTRY[name].suspects}
        assert {"every hit counted", "rank for reciprocal", "off-by-one rank"} <= known


def test_a_shared_mistake_is_named_unless_one_of_the_exercise_explains_as_much():
    right = REGISTRY["ranking.e2"].answer
    product = right["precision"] * right["recall"]
    assert pitfalls("ranking.e2", f1=product)[0] == ["product for mean"]
    # It has too few decimals to be told, where one of the exercise's own with as few is named.
    assert pitfalls("ranking.e2", f1=f"{product:.1f}")[0] == [""]
    # The interval with 1 standard error is a shared mistake of one exercise, and the other's own.
    for name in ("protocol.seed_interval", "protocol.e11"):
        (one,) = (one for one in REGISTRY[name].suspects if one.id == "one-standard-error")
        assert pitfalls(name, low=one.values["low"], high=one.values["high"])[0] == [one.name] * 2
        assert one.tier == (name == "protocol.e11")


@every_numbers
def test_a_declared_mistake_is_never_answered_with_another_one_alone(exercise):
    """Where inputs make two mistakes equal, the message asks about both."""
    for one in (exercise, exercise.variant(0), exercise.variant(1)):
        for mistake in one.mistakes:
            for wrong in one.wrong_answers_by_way(mistake):
                readings = {name: answers.read_number(value) for name, value in wrong.items()}
                found = one._diagnose(readings, one._find_carried(readings))
                for name, causes in found.items():
                    ids = [cause.id for cause in causes]
                    assert not ids or mistake.id in ids, (one.key, mistake.id, name, ids)
                    assert len(set(ids)) == len(ids), (one.key, name, ids)


@pytest.mark.slow
@pytest.mark.sweep("exercise", keep=15)
@every_numbers
def test_shared_mistakes_apply_to_variants(exercise):
    for seed in range(20):
        variant = exercise.variant(seed)
        for suspect in variant.suspects:
            assert set(suspect.values) == set(variant.answer)
            assert all(value == value for value in suspect.values.values())


@pytest.mark.parametrize("typed", ["60%", "60 percent", "0,6", "P = 0.6", "3/5"])
def test_shares_are_parsed_equally_in_all_exercises(typed):
    right = REGISTRY["calibration.upper_bin"].answer
    assert first_check("calibration.upper_bin", **{**right, "observed": typed}).passed
    right = REGISTRY["ranking.e2"].answer
    assert first_check("ranking.e2", **{**right, "precision": typed}).passed


# Functions ---------------------------------------------------------------------------------------


def test_a_code_mistake_is_named_with_its_expression():
    code = (
        "def f(recommended, relevant, k):\n    return sum(x in relevant for x in "
        "recommended[:k]) // k"
    )
    result = first_check("ranking.write_precision", compile_function(code))
    assert result.mistake == "floor-division"
    assert "// k" in result.message


def test_a_repair_that_does_not_fix_the_code_is_not_suggested():
    code = "def f(recommended, relevant, k):\n    return len(relevant) * 0.037"
    assert first_check("ranking.write_precision", compile_function(code)).mistake is None


def test_a_function_without_a_source_is_compared_by_its_values():
    scope = {}
    code = (
        "def f(recommended, relevant, k):\n    return 100 * len(set(recommended[:k]) & "
        "relevant) / k"
    )
    exec(compile(code, "<nowhere>", "exec"), scope)
    result = first_check("ranking.write_precision", scope["f"])
    assert result.mistake == "percent-for-share"


def test_only_a_rank_or_a_count_is_called_one_too_large_or_small():
    # Without the 1 taken off, `int` rounds the probabilities up, which is right by chance.
    code = (
        "def f(labels, probabilities, n_bins):\n    bins = {}\n"
        "    for y, p in zip(labels, probabilities):\n"
        "        bins.setdefault(int(p * n_bins), []).append((y, p))\n"
        "    total = sum(abs(sum(y - p for y, p in events)) for events in bins.values())\n"
        "    return total / len(labels)"
    )
    mistake = first_check("calibration.write_ece", compile_function(code)).mistake
    assert mistake == "bin-of-its-own"
    right = REGISTRY["calibration.write_ece"]._passes
    assert find_repair(compile_function(code), right) is None
    shifted = "def f(ranks):\n    return sum(1 / rank for rank in ranks)"

    def passes(function):
        try:
            return function([1, 2]) == pytest.approx(1 / 2 + 1 / 3)
        except (TypeError, NameError):
            return False

    mended = find_repair(compile_function(shifted), passes)
    assert (mended.id, "With `rank` in line 2 one larger" in mended.cause) == ("off-by-one", True)


def test_repairs_keep_the_variables_of_a_closure():
    code = (
        "def make():\n    half = 2\n    def f(actual, predicted):\n"
        "        total = sum((a - p) ^ half for a, p in zip(actual, predicted))\n"
        "        return (total / len(actual)) ** 0.5\n    return f\nf = make()"
    )
    assert first_check("rating.write_rmse", compile_function(code)).mistake == "caret-for-power"


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("protocol.report_number", {"report": 136, "overstated": 10}),
        ("protocol.users_needed", {"gain": 0.1, "each": 14400, "half": 57600}),
        ("ranking.e3", {"rr": 0.25, "mrr": 0.225}),
        ("bias.e7", {"weight_a": 2.5, "weight_b": 5, "total_a": 75, "total_b": 50}),
    ],
)
def test_an_answer_that_follows_from_a_wrong_one_is_no_mistake_of_its_own(name, typed):
    exercise = REGISTRY[name]
    first = next(iter(typed))
    given = {**{key: value for key, value in exercise.inputs.items() if key not in typed}, **typed}
    for followed, follows in exercise.follows.items():
        given[followed] = follows({key: value for key, value in given.items() if key != followed})
    result = first_check(name, **{key: given[key] for key in typed})
    wrong = [part for part in result.parts if part.outcome == "WRONG"]
    assert wrong[0].name == first
    assert any("follows from your other answers" in line.text for line in wrong[-1].lines)


def test_a_simple_number_is_not_called_twice_the_value():
    one = REGISTRY["ranking.one_number"].variant("w1")
    result = fresh(one).check(left_out=0.443, as_zero=0.354, pooled=2 * one.answer["pooled"])
    assert "twice the value" not in result.message


def test_a_whole_number_that_may_be_rounded_is_not_called_right():
    assert answers.explain_near_miss(answers.read_number("16"), 15.5) == answers.PERHAPS_ROUNDED
    assert answers.explain_near_miss(answers.read_number("0.44"), 53 / 120) == answers.ROUNDED
