"""Exercises that ask for words: the learner marks them."""

from __future__ import annotations

import pytest

from recsys_metrics.workbook.exercises.open_answer import Text


def declare(**changes):
    declared = {
        "id": "test.say",
        "title": "Say it",
        "prompt": "Why is {metric} higher here?",
        "model": "Because nothing was missed\nand {metric} divides by that.",
        "criteria": ("It says that nothing was missed.", "It names the denominator."),
        "inputs": {"metric": "recall"},
        "hints": ("a", "b", "c"),
        "minutes": 3,
        "insight": "A denominator is half of a metric.",
    }
    return Text(**{**declared, **changes})


def test_an_answer_gets_the_criteria_and_no_model_answer():
    result = declare().check("It found all.")
    assert result.outcome == "NOT ATTEMPTED"
    assert [part.outcome for part in result.parts] == ["PASS", "NOT ATTEMPTED"]
    assert repr(result).startswith("• Noted.")
    assert "Because" not in result.message
    assert "It names the denominator." in result.message
    assert "ex.say.check(text, marks=[..., ...])" in result.message


@pytest.mark.parametrize(
    "marks", [[True, True], (1, 1), "yes yes", "y, y", "Yes; YES", [1.0, "true"], "✓ ✓"]
)
def test_meeting_all_criteria_passes(marks):
    result = declare().check("It found all.", marks=marks)
    assert result.outcome == "PASS"
    assert "2 of 2" in result.message
    assert "half of a metric" in result.message
    assert "Because nothing was missed and recall divides by that." in result.message


@pytest.mark.parametrize("marks", [[True, False], [1, 0], "yes no", "y,n", "✓ ✗"])
def test_criteria_that_are_not_met_are_listed(marks):
    result = declare().check("It found all.", marks)
    assert result.outcome == "WRONG"
    assert "Still to say: It names the denominator." in result.message
    assert "It says that nothing was missed" not in result.message
    assert "Because nothing was missed and recall divides by that." in result.message


@pytest.mark.parametrize("text", ["x", "asdf", "it does"])
def test_a_word_or_two_is_no_attempt(text):
    exercise = declare()
    for result in (exercise.check(text), exercise.check(text, marks=[True, True])):
        assert result.outcome == "NOT ATTEMPTED"
        assert "Write a sentence first" in result.message
    assert exercise.solution().title == "Try it first"


@pytest.mark.parametrize("marks", [[True], "yes", "yes maybe", [2, 3], 7, [True] * 3, object()])
def test_marks_that_do_not_match_the_criteria_are_an_error(marks):
    result = declare().check("It found all.", marks=marks)
    assert result.outcome == "ERROR"
    assert "There are 2 criteria" in result.message


@pytest.mark.parametrize("marks", [None, ..., [], [..., ...], [True, ...], ""])
def test_placeholder_marks_are_not_attempted(marks):
    assert declare().check("It found all.", marks=marks).outcome == "NOT ATTEMPTED"


@pytest.mark.parametrize("text", ["", "   ", "...", None, ...])
def test_an_empty_answer_is_not_attempted_and_reveals_nothing(text):
    exercise = declare()
    for result in (exercise.check(text), exercise.check(text, marks=[True, True])):
        assert result.outcome == "NOT ATTEMPTED"
        assert "Because" not in result.message
    assert exercise.solution().title == "Try it first"


def test_a_wrong_call_is_an_error():
    assert "text is required, not a list" in declare().check(["x"]).message
    assert declare().check("x", "yes yes", 3).outcome == "ERROR"
    assert declare().check("x", text="x").outcome == "ERROR"
    assert "`words`" in declare().check(words="x").lines[0].text


def test_marks_make_the_solution_available():
    exercise = declare()
    exercise.check("It found all.")
    assert exercise.solution().title == "Try it first"
    exercise.check("It found all.", marks="no no")
    assert "A good answer" in repr(exercise.solution())


def test_missing_criteria_raise():
    with pytest.raises(ValueError, match="no criteria"):
        declare(criteria=())


def test_answers_are_escaped():
    result = declare().check("<img src=x>", marks="<b>")
    assert "<img" not in result._repr_html_()
