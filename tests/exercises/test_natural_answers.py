"""Natural wrong answers: none is taken for right, most get a true cause, none a false one."""

from __future__ import annotations

import pytest

from tests.exercises.natural_answers import functions_tried, numbers_tried

AT_LEAST = 0.8


@pytest.fixture(scope="module")
def checked_answers():
    return numbers_tried() + functions_tried()


def test_the_corpus_covers_every_exercise(checked_answers):
    from tests.exercises.simulated_learners import Function, Numbers, find_all

    assert len(checked_answers) >= 400
    assert {one.exercise for one in checked_answers} == set(find_all(Numbers, Function))
    assert len({(one.exercise, one.idea) for one in checked_answers}) == len(checked_answers)


def test_no_wrong_answer_passes(checked_answers):
    assert [one for one in checked_answers if one.outcome == "PASS"] == []


def test_no_diagnosis_is_wrong(checked_answers):
    assert [one for one in checked_answers if one.is_false] == []


def test_answers_with_a_known_mistake_are_diagnosed_unless_marked(checked_answers):
    # The rows that are marked may only become fewer; a change of a mistake shows here.
    known = [one for one in checked_answers if one.true]
    assert [one for one in known if one.is_named == one.is_unnamed] == []


def test_most_answers_get_a_correct_diagnosis(checked_answers, record_property):
    true = [one for one in checked_answers if one.is_named and not one.is_false]
    unnamed = [one for one in checked_answers if not one.is_named]
    counts = (
        f"{len(checked_answers)} wrong answers: {len(true)} get a true cause, {len(unnamed)} none"
    )
    rows = [f"  {one.exercise}: {one.idea}" for one in unnamed]
    record_property("table", "\n".join([counts, *rows]))
    assert len(true) >= AT_LEAST * len(checked_answers)
