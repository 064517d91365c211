"""Exercises that ask for an order: what each kind of answer is told."""

from __future__ import annotations

import pytest

from recsys_metrics.workbook.exercises.base import Mistake
from recsys_metrics.workbook.exercises.order import Order

LINES = {
    "a": "def share(hits, k):",
    "b": "    found = sum(hits[:k])",
    "c": "    empty = {}",
    "d": "    return found / k",
    "x": "    return found / len(hits)",
}


def declare(**changes):
    short = Mistake(
        id="short-list",
        name="short list",
        wrong_answer=lambda inputs: [("a", "b", "c", "x"), ("a", "c", "b", "x")],
        cause="It divides by what was recommended.",
        hint="What is a list of one worth?",
    )
    declared = {
        "id": "test.share",
        "title": "A share",
        "prompt": "Put the lines in order.",
        "lines": LINES,
        "solve": lambda inputs: [("a", "b", "c", "d"), ("a", "c", "b", "d")],
        "mistakes": (short,),
        "hints": ("a", "b", "c"),
        "steps": (),
        "minutes": 2,
        "insight": "K is asked for, K divides.",
    }
    return Order(**{**declared, **changes})


def letters(exercise, keys):
    return [exercise.option_list.label(key) for key in keys]


def test_every_correct_order_passes_and_shows_the_program():
    exercise = declare()
    for keys in ("abcd", "acbd"):
        result = exercise.check(letters(exercise, keys))
        assert result.passed
        program = "\n".join(LINES[key] for key in keys)
        assert program in result.parts[0].lines[0].text
        assert "K is asked for" in result.message


def test_letters_follow_the_displayed_position():
    exercise = declare()
    assert exercise.option_list.labels == tuple("abcde")
    assert sorted(exercise.answer["order"]) != list(exercise.answer["order"])
    assert not exercise.check("abcd").passed


def test_a_known_mistake_is_recognised_in_each_of_its_orders():
    exercise = declare()
    for keys in ("abcx", "acbx"):
        result = exercise.check(letters(exercise, keys))
        assert result.mistake == "short-list"
        assert "It divides by what was recommended." in result.message
    assert result.expected == ", ".join(exercise.answer["order"])


def test_feedback_reports_the_correct_prefix():
    exercise = declare()
    a, b, c, d, x = letters(exercise, "abcdx")

    def says(*given):
        return declare().check(list(given)).message

    line = LINES["d"].strip()
    next_one = f"Lines 1 to 2 are right. Line 3 should not be {line}: which line has to run next?"
    assert next_one in says(a, b, d)
    assert next_one in says(a, c, d)
    assert f"Line 1 is right. Line 2 should not be {line}" in says(a, d)
    assert f"Line 1 should not be {line}: which line do all the others need?" in says(d, a)
    assert "Right so far, and not complete: more comes after line 2." in says(a, b)
    assert "All that is needed is there before line 5." in says(a, b, c, d, x)


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("d", 0),
        ("ad", 1),
        ("abd", 2),
        ("acd", 2),
        ("abcx", 3),
        ("abcdx", 4),
        ("ab", None),
        ("abcd", None),
    ],
)
def test_the_first_wrong_line_is_known_of_every_order(given, place):
    exercise = declare()
    (part,) = exercise.check(letters(exercise, given)).parts
    assert part.wrong_line == place


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("zz", "z is none of them. Give a, b, c, d or e."),
        ("aa", "a is given twice"),
        (["a", "f"], "f is none of them"),
        ([1, 6], "There is no number 6"),
        ({"a"}, "A set has no order"),
        (3.5, "There is no number"),
        ([["a"]], "is none of them"),
    ],
    ids=repr,
)
def test_an_invalid_order_is_an_error(given, says):
    result = declare().check(given)
    assert result.outcome == "ERROR"
    assert says in result.message


def test_lines_are_matched_regardless_of_indentation():
    rows = [LINES[key].strip() for key in "abcd"]
    assert declare().check(rows).passed
    assert declare().check("\n".join(LINES[key] for key in "abcd")).passed


def test_code_is_shown_unchanged():
    exercise = declare()
    for text in LINES.values():
        assert text in repr(exercise)
        assert text in exercise._repr_html_()


def test_lines_may_refer_to_the_inputs():
    exercise = declare(
        code=False,
        lines={"one": "Cut at {k}.", "two": "Count.", "three": "Divide by {k}."},
        inputs={"k": 5},
        solve=lambda inputs: ("one", "two", "three"),
        mistakes=(),
    )
    assert "Cut at 5." in repr(exercise)
    assert "Not all lines" not in repr(exercise)
    result = exercise.check("one two three")
    assert result.passed
    assert "Cut at 5 → Count → Divide by 5" in result.message


def test_superfluous_lines_are_announced():
    assert "Not all lines are needed." in repr(declare())


def test_the_displayed_order_is_never_correct():
    for seed in range(300):
        exercise = declare(
            lines={"a": "1", "b": "2"},
            solve=lambda i: ("a", "b"),
            mistakes=(),
            seed=str(seed),
        )
        assert exercise.option_list.keys == ("b", "a")


def test_an_empty_answer_is_not_attempted():
    for nothing in (..., None, "", [], [..., ...]):
        assert declare().check(nothing).outcome == "NOT ATTEMPTED"
    assert declare().check(order=...).outcome == "NOT ATTEMPTED"


def test_an_invalid_declaration_raises():
    with pytest.raises(ValueError, match="'z', which is no line"):
        declare(solve=lambda inputs: ("a", "z"))


def test_the_worked_solution_ends_with_the_lines_in_order():
    shown = repr(declare().solution(show=True))
    assert "\n".join(f"    {LINES[key]}" for key in "abcd") in shown
    assert "There is 1 more right order." in shown
