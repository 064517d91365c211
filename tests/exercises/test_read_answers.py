"""Reading what was typed: right is right, and what is no number says so."""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.workbook.exercises import answers
from recsys_metrics.workbook.exercises.answers import (
    UnreadableError,
    agrees,
    agrees_roughly,
    read_number,
)

AP = 53 / 120


@pytest.mark.parametrize(
    "right",
    [
        AP,
        0.442,
        0.4417,
        0.44167,
        0.441666666666,
        np.float64(AP),
        np.float32(AP),
        np.float32(0.4417),
        np.float16(AP),
        np.longdouble(AP),
        np.array(AP),
        np.array([[AP]]),
        Fraction(53, 120),
        Decimal("0.442"),
        Decimal("0.44167"),
        "0.4417",
        " .442 ",
        "+.442",
        "53/120",
        " 53 / 120 ",
        "4.4167e-1",
        "0.44200000",
    ],
    ids=repr,
)
def test_a_correct_value_is_accepted_in_any_notation(right):
    assert agrees(read_number(right), AP)


@pytest.mark.parametrize(
    "wrong",
    [
        0.44,
        0.4,
        0.441,
        0.443,
        0.4416,
        0.4418,
        0.44166,
        0.4426,
        "0.44",
        "0.441",
        "52/120",
        -AP,
        44.2,
    ],
    ids=repr,
)
def test_a_different_value_is_rejected(wrong):
    assert not agrees(read_number(wrong), AP)


@pytest.mark.parametrize("short", [0.6, "0.6", "3/5", np.float32(0.6), Decimal("0.600")])
def test_a_value_with_few_decimals_needs_no_padding(short):
    assert agrees(read_number(short), 0.6)


def test_integers_are_accepted_in_any_type():
    for four in (4, 4.0, "4", "4.", "4.000", np.int8(4), np.uint64(4), Fraction(4), Decimal(4)):
        assert agrees(read_number(four), 4.0)
    assert not agrees(read_number(4), 4.002)


def test_trailing_zeros_may_be_omitted():
    # 0.440 typed as a number is 0.44.
    assert agrees(read_number(0.440), 0.43987)
    assert agrees(read_number("0.5"), 0.49967)
    assert not agrees(read_number(0.44), 0.4392)


@pytest.mark.parametrize("half", ["0.062", "0.063", 0.0625])
def test_a_half_may_be_rounded_up_or_down(half):
    assert agrees(read_number(half), 0.0625)


def test_rounded_intermediate_steps_are_accepted_to_three_decimals():
    by_hand = (0.5 + 0.667 + 0.6) / 4
    assert not agrees(read_number(by_hand), AP)
    assert agrees_roughly(read_number(by_hand), AP)
    assert not agrees_roughly(read_number(0.4411), AP)
    assert not agrees_roughly(read_number(0.4416), AP)  # cut off, not rounded


@given(value=st.floats(0.001, 10), places=st.integers(3, 12))
def test_a_correctly_rounded_value_is_always_accepted(value, places):
    assert agrees(read_number(round(value, places)), value)
    assert agrees(read_number(f"{value:.{places}f}"), value)
    assert agrees(read_number(np.float32(value)), value)
    assert agrees(read_number(np.float16(value)), value)


@given(value=st.floats(0.001, 10), gap=st.floats(0.0011, 1), places=st.integers(3, 12))
def test_no_answer_agrees_with_two_distinguishable_values(value, gap, places):
    for written in (round(value, places), value):
        assert not (agrees_roughly(read_number(written), value + gap))


@pytest.mark.parametrize(
    ("given_", "says", "outcome"),
    [
        (float("nan"), "not a number", "WRONG"),
        (np.float32("nan"), "not a number", "WRONG"),
        ("nan", "not a number", "WRONG"),
        (Decimal("NaN"), "not a number", "WRONG"),
        (float("-inf"), "divided by 0", "WRONG"),
        (np.array(np.inf), "divided by 0", "WRONG"),
        ("1/0", "divides by 0", "WRONG"),
        (10**5000, "further from 1", "WRONG"),
        ("1e999", "further from 1", "WRONG"),
        (Decimal("1e99999999"), "further from 1", "WRONG"),
        (True, "yes or no", "ERROR"),
        (np.False_, "yes or no", "ERROR"),
        (np.array(True), "yes or no", "ERROR"),
        (1j, "complex", "ERROR"),
        (np.complex64(1), "complex", "ERROR"),
        ([0.442, 0.5], "list of 2", "ERROR"),
        ([0.442], "list of 1; one number", "ERROR"),
        ((0.442,), "tuple of 1; one number", "ERROR"),
        ([[0.442]], "list of 1; one number", "ERROR"),
        ("10,000", "1.234 if it is a decimal comma, and 1234 if it separates", "ERROR"),
        ("-1,234", "Write the number without a comma, as `1.234` or `1234`", "ERROR"),
        ({"ap": 0.442}, "dict of 1", "ERROR"),
        (np.array([0.4, 0.5]), "2 values", "ERROR"),
        (np.array([]), "0 values", "ERROR"),
        (np.datetime64("2026-01-01"), "no number", "ERROR"),
        (np.array(["0.442x"]), "no number", "ERROR"),
        (max, "call it", "ERROR"),
        (object(), "no number", "ERROR"),
        ("half", "no number", "ERROR"),
        ("0.4.4", "no number", "ERROR"),
        ("1_0", "no number", "ERROR"),
        ("٠.٤", "no number", "ERROR"),
        ("0" * 1000, "no number", "ERROR"),
        ("0,4,4", "no number", "ERROR"),
        ("minus 0.442", "no number", "ERROR"),
        ("0.442 furlongs", "no number", "ERROR"),
        ("1 - AP = 0.442", "no number", "ERROR"),
        ("sqrt(-1)", "not defined", "WRONG"),
        ("log(0)", "not defined", "WRONG"),
        ("10 ** 999", "further from 1", "WRONG"),
        ("10**5000/10**5000", "A step of that computation is larger", "WRONG"),
        ("__import__('os')", "no number", "ERROR"),
        ("(" * 119, "no number", "ERROR"),
    ],
    ids=lambda value: answers.format_input(value)[:12],
)
def test_unreadable_answers_explain_the_reason(given_, says, outcome):
    with pytest.raises(UnreadableError, match=says) as problem:
        read_number(given_)
    assert problem.value.outcome == outcome


def test_percentages_are_parsed():
    assert agrees(read_number("44.2 %"), AP)
    assert agrees(read_number("44.17%"), AP)
    assert agrees(read_number("44,2 percent"), AP)
    assert not agrees(read_number("44 %"), AP)
    assert not agrees(read_number("0.442 %"), AP)


@pytest.mark.parametrize(
    "unusual",
    [
        "0,442",
        "AP = 0.442",
        "AP@5: 0,4417",
        "ap 0.442",
        "≈ 0.442",
        "0.442 bits",
        "[0.442]",
        "(0.5 + 2/3 + 3/5) / 4",
        "(1/2 + 2/3 + 3/5) ÷ 4",
        "sqrt(0.19506944)",
        "0.66458^2 + 0",
        "44.2 %",
    ],
    ids=repr,
)
def test_unusual_notations_are_accepted(unusual):
    assert agrees(read_number(unusual, about="ap AP@5"), AP)


@pytest.mark.parametrize("dash", "-−–—‐‑‒﹣－")
def test_any_dash_is_parsed_as_minus(dash):
    assert read_number(f"{dash}0.5").value == -0.5
    assert read_number(f"1 {dash} 0.25").value == 0.75


@pytest.mark.parametrize("nothing", [None, ..., "", "  ", "...", "…", "?"])
def test_placeholders_count_as_missing(nothing):
    assert answers.is_missing(nothing)


@pytest.mark.parametrize("something", [0, 0.0, False, "0", float("nan"), np.array(0)])
def test_zero_does_not_count_as_missing(something):
    assert not answers.is_missing(something)


def test_near_misses_are_explained():
    assert "three decimals" in answers.explain_near_miss(read_number(0.44), AP)
    assert "cut off" in answers.explain_near_miss(read_number(0.441), AP)
    assert "rounded too early" in answers.explain_near_miss(read_number(0.443), AP)
    assert answers.explain_near_miss(read_number(0.4), AP) == ""
    assert answers.explain_near_miss(read_number(0.45), AP) == ""
    assert answers.explain_near_miss(read_number(0.5), AP) == ""


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("0.53", 0.525),
        (0.53, 0.525),
        ("0.28", 0.275),
        ("2.20", 2.1972),
        (2.2, 2.1972),
        (18, 18.125),
    ],
)
def test_a_correct_value_with_too_few_decimals_is_recognised(typed, value):
    assert "Right so far" in answers.explain_near_miss(read_number(typed), value)


def test_no_wrong_value_agrees_to_three_decimals():
    for typed, value in ((0.0034, 0.003), (-0.0077, -0.007314), (0.0137, 0.013314)):
        assert not agrees_roughly(read_number(typed), value)
    assert not agrees_roughly(read_number(0.6885), 0.6875)
    assert agrees_roughly(read_number(0.003), 0.003)
    assert agrees_roughly(read_number(-0.0073), -0.007314)


def test_numeric_objects_are_parsed():
    class Share:
        def __float__(self):
            return 0.5

    assert agrees(read_number(Share()), 0.5)


def test_objects_that_cannot_be_converted_raise():
    class Symbol:
        def __float__(self):
            raise TypeError

    class OnAnotherDevice:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError

    for thing in (Symbol(), OnAnotherDevice(), b"0.5x"):
        with pytest.raises(UnreadableError, match="no number"):
            read_number(thing)


def test_any_answer_is_displayed_in_short_form():
    class Mute:
        def __repr__(self):
            raise RuntimeError

    assert answers.format_input(np.float32(0.4417)) == "0.4417"
    assert answers.format_input(Fraction(53, 120)) == "53/120"
    assert len(answers.format_input("x" * 1000)) < 50
    assert len(answers.format_input(Fraction(10**200, 3))) < 70
    assert "Mute" in answers.format_input(Mute())
    assert answers.format_input(10**5000) == "<int>"


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1,000,000", 1_000_000),
        ("10,000.5", 10_000.5),
        ("10 000", 10_000),
        ("10\u202f000", 10_000),
        ("10_000", 10_000),
        ("-2'500", -2500),
        ("1.000,5", 1000.5),
        ("1.000.000", 1_000_000),
        ("10 000 clicks", 10_000),
        ("0,442", 0.442),
        ("12,5", 12.5),
    ],
)
def test_separated_thousands_are_read(typed, value):
    assert read_number(typed).value == value


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("\u202d0.442\u202c", 0.442),  # as the calculator of Windows copies it
        ("\ufeff0.442\u200b", 0.442),
        ("－４４．２％", -0.442),
        ("［１／４］", 0.25),
        ("1⁄2", 0.5),
        ("1/10**1000", 0.0),
    ],
)
def test_copied_numbers_and_those_of_other_keyboards_are_read(typed, value):
    assert read_number(typed).value == value
    assert answers.is_missing("\u200b\ufeff ")


def test_a_power_of_no_number_is_undefined():
    with pytest.raises(UnreadableError, match="not defined"):
        read_number("(-2)^(1e999-1e999)")


def test_the_precision_of_a_notebook_changes_no_reading():
    with decimal.localcontext(prec=2, traps=[decimal.Inexact]):
        readings = [read_number(given) for given in ("0.44166", Decimal("0.44166"), "44.166 %")]
    assert [(reading.value, reading.places) for reading in readings] == [(0.44166, 5)] * 3
