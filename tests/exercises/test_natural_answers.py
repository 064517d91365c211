"""Natural wrong answers: none is taken for right, most get a true cause, none a false one."""

from __future__ import annotations

import pytest

from tests.exercises.natural_answers import functions_tried, numbers_tried

AT_LEAST = 0.8


@pytest.fixture(scope="module")
def tried():
    return numbers_tried() + functions_tried()


def test_the_corpus_is_large_and_leaves_no_exercise_out(tried):
    from tests.exercises.simulated_learners import Function, Numbers, of

    assert len(tried) >= 400
    assert {one.exercise for one in tried} == set(of(Numbers, Function))
    assert len({(one.exercise, one.idea) for one in tried}) == len(tried)


def test_no_wrong_answer_passes(tried):
    assert [one for one in tried if one.outcome == "PASS"] == []


def test_no_cause_is_false(tried):
    assert [one for one in tried if one.is_false] == []


def test_an_answer_whose_cause_is_known_is_named_unless_its_row_says_otherwise(tried):
    # The rows that are marked may only become fewer; a change of a mistake shows here.
    known = [one for one in tried if one.true]
    assert [one for one in known if one.is_named == one.is_unnamed] == []


def test_most_get_a_true_cause(tried, record_property):
    true = [one for one in tried if one.is_named and not one.is_false]
    unnamed = [one for one in tried if not one.is_named]
    counts = f"{len(tried)} wrong answers: {len(true)} get a true cause, {len(unnamed)} none"
    rows = [f"  {one.exercise}: {one.idea}" for one in unnamed]
    record_property("table", "\n".join([counts, *rows]))
    assert len(true) >= AT_LEAST * len(tried)
