"""Odd answers get a message, and no traceback of ours."""

from __future__ import annotations

import numpy as np
import pytest

from tests.exercises.natural_answers import first_check


@pytest.mark.parametrize("empty", ["()", "[]", ",", '""'])
@pytest.mark.parametrize("name", ["rating.order_rmse", "rating.e1b"])
def test_brackets_without_an_answer_are_no_attempt(name, empty):
    assert first_check(name, empty).outcome.name == "NOT_ATTEMPTED"


def test_an_array_of_one_answer_is_read_as_the_answer():
    assert first_check("rating.e1b", np.array("largest")).outcome == "PASS"
    assert first_check("rating.order_rmse", np.array("ab")).outcome == "WRONG"


def test_a_span_of_time_is_no_number():
    result = first_check("ranking.e4", np.timedelta64(3, "s"))
    assert result.outcome == "ERROR"
    assert "A value of type timedelta64 is no number" in result.message


@pytest.mark.parametrize("value", [2**2000, -(10**399)])
def test_a_function_may_return_a_number_beyond_all_floats(value):
    assert first_check("ranking.write_precision", lambda *_: value).outcome == "WRONG"


def test_an_answer_may_have_any_name():
    result = first_check("ranking.e4", self=3)
    assert result.outcome == "ERROR"
    assert "No answer here is called self" in result.message
