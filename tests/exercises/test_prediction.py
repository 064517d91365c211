"""Guesses: noted, answered kindly, never judged."""

from __future__ import annotations

import pytest

from recsys_metrics.workbook.exercises.prediction import Predict


def declare(**changes):
    declared = {
        "id": "test.guess",
        "title": "Longer lists",
        "prompt": "What does recall do as K grows?",
        "options": {"rises": "It rises.", "falls": "It falls.", "both": "It may do either."},
        "beliefs": {
            "rises": "You think of hits that are kept.",
            "falls": "You think of slots that are wasted.",
            "both": "You think that it depends.",
        },
        "observed": "It never fell.",
    }
    return Predict(**{**declared, **changes})


@pytest.mark.parametrize("guess", ["rises", "falls", "both"])
def test_every_prediction_is_recorded(guess):
    result = declare().check(guess)
    assert result.outcome == "PASS"
    assert result.mistake is None
    assert repr(result).startswith(f"• Noted: {guess}")
    assert "You think" in result.message
    assert "never fell" not in result.message
    assert "Outcome" not in result._repr_html_()


def test_a_prediction_may_be_passed_as_choice():
    assert declare().check(choice="rises").passed
    assert declare().check(guess="It rises").passed


def test_predictions_have_no_points():
    exercise = declare()
    assert exercise.points == 0
    assert "no points" in repr(exercise)
    assert repr(exercise).startswith("Predict: Longer lists")


def test_look_back_compares_the_prediction_with_the_result():
    exercise = declare()
    assert repr(exercise.look_back()) == "Longer lists: No guess was noted.\n\nIt never fell."
    exercise.check("falls")
    assert "You guessed: It falls." in repr(exercise.look_back())
    exercise.check("rises")
    assert "You guessed: It rises." in repr(exercise.look_back())


def test_an_empty_answer_is_not_attempted_and_an_unknown_one_an_error():
    assert declare().check(...).outcome == "NOT ATTEMPTED"
    assert declare().check().outcome == "NOT ATTEMPTED"
    result = declare().check("sideways")
    assert result.outcome == "ERROR"
    assert "sideways is none of them" in result.message
    assert declare().check(answer="rises").outcome == "ERROR"


def test_the_result_needs_a_prediction():
    exercise = declare()
    assert exercise.solution().title == "Try it first"
    exercise.check("both")
    assert "It never fell." in repr(exercise.solution())


def test_each_option_needs_a_comment():
    with pytest.raises(ValueError, match="differ in 'both'"):
        declare(beliefs={"rises": "a", "falls": "b"})
