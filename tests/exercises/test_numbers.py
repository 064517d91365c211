"""Exercises that ask for numbers: what each kind of answer is told."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from recsys_metrics.workbook.exercises import ranking as ex
from recsys_metrics.workbook.exercises.base import Mistake
from recsys_metrics.workbook.exercises.numbers import Numbers


@pytest.fixture
def e4():
    return replace(ex.average_precision_of_list)


@pytest.fixture
def e5():
    return replace(ex.ndcg_from_scratch)


def part(result, name):
    return next(part for part in result.parts if part.name == name)


# Done when ---------------------------------------------------------------------------------------


def test_e4_recognises_division_by_the_hits(e4):
    result = e4.check(0.589)
    assert result.outcome == "WRONG"
    assert result.mistake == "hits-divisor"
    assert result.message.startswith("Not yet: hits divisor")
    assert "number of hits instead of the number of all relevant items" in result.message
    assert "0.589" in result.message
    assert "0.44" not in result.message


def test_e4_recognises_a_second_division(e4):
    assert e4.check(0.147).mistake == "divided-twice"


@pytest.mark.parametrize("right", [0.44167, np.float32(0.4417), Fraction(53, 120), "44.2 %"])
def test_e4_accepts_the_correct_value(e4, right):
    assert e4.check(right).outcome == "PASS"
    assert e4.check(ap=right).passed


@pytest.mark.parametrize(
    ("answer", "outcome"), [(float("nan"), "WRONG"), (None, "NOT ATTEMPTED"), (True, "ERROR")]
)
def test_e4_rejects_invalid_values(e4, answer, outcome):
    assert e4.check(answer).outcome == outcome


# Parts -------------------------------------------------------------------------------------------


def test_each_part_has_its_outcome(e5):
    result = e5.check(dcg=1.518, idcg=2.131)
    assert [p.outcome for p in result.parts] == ["PASS", "WRONG", "NOT ATTEMPTED"]
    assert result.outcome == "WRONG"
    assert part(result, "idcg").mistake == "own-list-ideal"


def test_the_overall_outcome_is_the_most_severe(e5):
    assert e5.check(dcg=1.518).outcome == "NOT ATTEMPTED"
    assert e5.check(dcg=1.0).outcome == "WRONG"
    assert e5.check(dcg=1.0, idcg="two").outcome == "ERROR"


def test_ndcg_does_not_depend_on_the_base_of_the_logarithm(e5):
    result = e5.check(dcg=2.190, idcg=3.696, ndcg=0.593)
    assert [p.outcome for p in result.parts] == ["WRONG", "WRONG", "PASS"]
    assert [p.mistake for p in result.parts] == ["natural-log", "natural-log", None]
    assert result.message.count("The same cause.") == 1


def test_a_carried_forward_mistake_is_not_counted_again(e5):
    result = e5.check(dcg=1.3, idcg=2.562, ndcg=1.3 / 2.562)
    assert "follows from your other answers" in part(result, "ndcg").lines[0].text
    assert part(result, "dcg").mistake is None


def test_rounded_steps_pass_with_a_note(e5):
    result = e5.check(1.518, 2.562, 1.518 / 2.562)
    assert result.outcome == "PASS"
    assert "Keep more digits" in result.message


def test_the_mistake_that_fits_the_other_answers_is_named():
    # An MRR of 1.5 is the mean rank, or the sum of the reciprocal ranks.
    assert (
        replace(ex.reciprocal_rank_and_mean).check(rr=2, mrr=1.5).mistake == "rank-not-reciprocal"
    )
    assert replace(ex.reciprocal_rank_and_mean).check(rr=0.5, mrr=1.5).mistake == "sum-not-mean"


def test_two_fitting_mistakes_are_both_named_with_their_hints():
    result = replace(ex.reciprocal_rank_and_mean).check(mrr=1.5)
    assert part(result, "mrr").pitfall == ""
    assert "Or perhaps sum for mean: " in result.message
    assert "Perhaps rank for reciprocal: " in result.message
    assert "How many users are there?" in result.message


def test_an_observation_is_no_cause_and_makes_one_claim():
    exercise = ex.average_precision_of_list
    result = replace(exercise).check(ap=1 - exercise.answer["ap"])
    (line,) = (line for line in result.parts[0].lines if line.label != "You gave")
    assert (line.label, line.text) == (
        "",
        "Your number is 1 minus the value asked for. "
        "Which of the two parts does the question ask for?",
    )
    assert (result.parts[0].pitfall, result.parts[0].mistake) == ("", None)


def test_the_wrong_counts_of_the_source_are_recognised():
    result = replace(ex.fcp).check(1, 2, 0.333)
    assert result.mistake == "items-not-pairs"
    assert "Perhaps items for pairs: " in result.message
    assert "Or perhaps swapped counts: " in result.message


def test_swapped_gain_functions_are_recognised():
    right = ex.graded_gain.answer
    swapped = {"linear": right["exponential"], "exponential": right["linear"]}
    assert replace(ex.graded_gain).check(**swapped).mistake == "borrowed-gain"


# Tries -------------------------------------------------------------------------------------------


def test_the_answer_belongs_to_the_part_that_is_wrong(e5):
    assert e5.check(dcg=1.0, idcg=2.562).expected == "dcg = 1.518"
    assert e5.check(dcg=1.0, idcg=1.0).expected == "dcg = 1.518; idcg = 2.562"


def test_an_unreadable_answer_does_not_count_as_an_attempt(e4):
    for junk in (None, True, "half", [1, 2]):
        assert e4.check(junk).expected == ""
    assert e4.check(app=1).expected == ""


def test_an_answer_without_a_known_mistake_refers_to_a_hint(e4):
    assert "ex.average_precision_of_list.hint()" in e4.check(0.1234).message
    assert "give three decimals" in e4.check(0.1).message


def test_too_few_decimals_are_recognised(e4):
    result = e4.check(0.44)
    assert result.outcome == "WRONG"
    assert result.mistake is None
    assert "Right so far. Give three decimals" in result.message


# The call ----------------------------------------------------------------------------------------


def test_a_misspelt_name_gets_a_suggestion(e5):
    result = e5.check(ncdg=0.593)
    assert result.outcome == "ERROR"
    assert "Did you mean ndcg?" in result.message
    assert "ex.ndcg_from_scratch.check(dcg=..., idcg=..., ndcg=...)" in result.message


def test_an_unknown_name_gets_no_suggestion(e5):
    assert "Did you mean" not in e5.check(zzz=1).message


def test_too_many_answers_are_an_error(e4, e5):
    assert "3 answers are required, and 4 were given" in e5.check(1, 2, 3, 4).message
    assert "One answer is required, and 2 were given" in e4.check(1, 2).message


def test_an_answer_given_twice_is_an_error(e4):
    result = e4.check(0.442, ap=0.442)
    assert result.outcome == "ERROR"
    assert "given twice" in result.message


# Hints and solution ------------------------------------------------------------------------------


def test_hints_count_down(e4):
    assert "Hint 1 of 3" in repr(e4.hint())
    assert "Hint 2 of 3" in repr(e4.hint())
    assert "1 more: ex.average_precision_of_list.hint()." in repr(e4.hint(2))
    assert "more" not in repr(e4.hint(3))
    assert repr(e4.hint()) == repr(e4.hint()) == repr(e4.hint(3))
    for number in (0, 4, True, "1"):
        assert "hint(1) to hint(3)" in repr(e4.hint(number))


def test_the_solution_needs_an_attempt(e4):
    assert "show=True" in repr(e4.solution())
    e4.check(...)
    assert "Try it first" in repr(e4.solution())
    e4.check(0.1)
    assert "sum(at_hits) / len(relevant)" in repr(e4.solution())


def test_the_solution_can_be_forced(e4):
    assert "# 0.442" in repr(e4.solution(show=True))


def test_the_solution_of_a_variant_starts_from_its_inputs(e4):
    variant = e4.variant(3)
    assert f"k = {variant.inputs['k']}" in repr(variant.solution(show=True))


# Declarations ------------------------------------------------------------------------------------


def declare(**changes):
    wrong = Mistake(id="w", name="w", wrong_answer=lambda i: 2, cause="It is 2.", hint="Is it 2?")
    declared = {
        "id": "test.one",
        "title": "One",
        "prompt": "Give {n}.",
        "asks": {"n": "n"},
        "inputs": {"n": 1},
        "solve": lambda inputs: inputs["n"],
        "draw": lambda rng: {"n": 1},
        "mistakes": (wrong,),
        "hints": (),
        "steps": (),
        "minutes": 1,
    }
    return Numbers(**{**declared, **changes})


def test_an_id_without_a_subject_raises():
    with pytest.raises(ValueError, match=r"subject\.name"):
        declare(id="E5")


def test_a_duplicate_mistake_raises():
    wrong = declare().mistakes[0]
    with pytest.raises(ValueError, match="'w' twice"):
        declare(mistakes=(wrong, wrong))


def test_a_mistake_with_the_correct_answer_is_indistinguishable():
    assert declare(solve=lambda inputs: 2).indistinguishable_mistakes() == [("w",)]


def test_texts_can_be_functions_of_the_inputs():
    assert "Give 1 twice" in repr(declare(prompt=lambda inputs: f"Give {inputs['n']} twice"))
