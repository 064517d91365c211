"""Code that is written on a page of the book: the same feedback as in a notebook."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest

from recsys_metrics.workbook.browser import code_check
from recsys_metrics.workbook.common.hooks import on_check
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.card import describe_result
from recsys_metrics.workbook.exercises.function import Function

FUNCTIONS = {name: one for name, one in REGISTRY.items() if isinstance(one, Function)}
OURS = "from recsys_metrics.workbook.exercises import REGISTRY\n"
SERVED = "def my_precision(recommended, relevant, k):\n    {}\n    return 1"
NAME = "ranking.write_precision"


# Where no thread can be started only who opened the page can end a loop.
endless = pytest.mark.skipif(sys.platform == "emscripten", reason="no thread here to end")


def run_check(source, name=NAME, **options):
    """Return the reply, and what was told to be said if a step did not end."""
    told = []
    reply = json.loads(code_check.check(name, source, told.append, **options))
    return reply, [json.loads(one) for one in told]


def part(reply):
    (only,) = reply["parts"].values()
    return only


def words(reply):
    parts = [line for one in reply.get("parts", {}).values() for line in one["lines"]]
    said = " ".join([*parts, *reply["lines"]])
    return re.sub(r"<[^>]+>", "", said).replace("&#x27;", "'")


def test_there_are_more_than_ten_function_exercises():
    assert len(FUNCTIONS) > 10


@pytest.mark.sweep("name", keep=8)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_outcomes_and_messages_equal_those_of_a_notebook(name):
    asked = replace(FUNCTIONS[name])
    ways = {"solve": asked.solve}
    ways |= {f"mistakes[{at}].wrong_answer": m.wrong_answer for at, m in enumerate(asked.mistakes)}
    for way, function in ways.items():
        source = f"{OURS}{asked.function} = REGISTRY[{name!r}].{way}"
        reply, told = run_check(source, name)
        expected = replace(FUNCTIONS[name]).check(function)
        assert reply == describe_result(expected), way
        assert reply["outcome"] == ("PASS" if way == "solve" else "WRONG")
        assert not re.search(r"\bex\.|\.check\(|\.hint\(", words(reply)), way
        # Before the code, each case, and the search for a cause.
        assert len(told) == 1 + len(asked.cases) + (way != "solve")
        assert {one["outcome"] for one in told} <= {"ERROR", "WRONG"}


@endless
def test_an_endless_function_is_reported_with_its_case():
    for reply in (
        run_check(SERVED.format("while True: pass"), seconds=0.1)[0],
        run_check(SERVED.format("while True: pass"), seconds=0.1)[1][-1],
    ):
        assert reply["outcome"] == "ERROR"
        assert "Case: my_precision(" in words(reply)
        assert "did not finish within 0.1 s" in words(reply)
        assert not any(one["expected"] for one in reply["parts"].values())


@endless
def test_endless_module_code_is_reported():
    reply, told = run_check("while True: pass", seconds=0.1)
    assert [reply] == told
    assert "before the function was called" in words(reply)


@pytest.mark.parametrize(
    ("source", "outcome", "says"),
    [
        ("", "NOT_ATTEMPTED", "no function yet"),
        (SERVED.format("...").replace("return 1", ""), "NOT_ATTEMPTED", "no body yet"),
        ("def f(:", "ERROR", "SyntaxError: invalid syntax, in line 1: def f(:"),
        ("x = 1\n1 / 0", "ERROR", "ZeroDivisionError: division by zero, in line 2: 1 / 0"),
        ("print('so far')\nexit", "ERROR", "so far"),
        ("import sys\nsys.exit()", "ERROR", "SystemExit, in line 2"),
        (SERVED.format("input()"), "ERROR", "no one to ask"),
        (SERVED.format("return my_precision(recommended, relevant, k)"), "ERROR", "RecursionError"),
        ("def one(): ...\ndef other(): ...", "ERROR", "Call it my_precision."),
        ("my_precision = 0.5", "ERROR", "without calling it"),
        ("import math\ndef mine(a, b): return 1", "ERROR", "called with 3 arguments"),
    ],
)
def test_invalid_answers_are_reported(source, outcome, says):
    if source.endswith("exit"):
        source += "()"
    reply, _ = run_check(source)
    assert reply["outcome"] == outcome
    assert says in words(reply)


def test_a_single_function_may_have_another_name():
    right = (
        "def mine(recommended, relevant, k):\n    return sum(i in relevant for i in "
        "recommended[:k]) / k"
    )
    reply = run_check(right)[0]
    assert reply["outcome"] == "PASS"
    says = "Your function is called mine. If you hand it in, call it my_precision: only a function"
    assert says in words(reply)
    helper = f"def other(): ...\n{right.replace('mine', 'my_precision')}"
    reply = run_check(helper)[0]
    assert reply["outcome"] == "PASS"
    assert "If you hand it in" not in words(reply)


def test_the_expected_value_comes_apart_from_the_words():
    result = run_check(SERVED.format(""))[0]
    assert "0.6" not in words(result)
    assert part(result)["expected"] == ["0.6"]


def test_code_mistakes_are_diagnosed_from_the_source():
    early = (
        "def my_precision(recommended, relevant, k):\n    hits = 0\n    for item in "
        "recommended[:k]:\n"
        "        hits += item in relevant\n        return hits / k"
    )
    assert part(run_check(early)[0])["pitfall"] == "return inside the loop"


def test_checks_do_not_notify_listeners():
    heard = []
    on_check.append(lambda *told: heard.append(told))
    try:
        run_check("")
        run_check(SERVED.format(""))
    finally:
        on_check.pop()
    assert heard == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_variant_is_checked_with_its_own_cases(name):
    variant = REGISTRY[name].variant("2")
    source = f"{OURS}{variant.function} = REGISTRY[{name!r}].variant(2).solve"
    reply, _ = run_check(source, f"{name} 2")
    assert reply["outcome"] == "PASS"
    assert code_check._exercise(f"{name} 2", 10.0).cases == variant.cases
    assert code_check._exercise(name, 10.0).cases == REGISTRY[name].cases


def test_only_a_function_can_be_checked():
    with pytest.raises(TypeError, match=r"ranking\.e4 asks for numbers, not for a function"):
        code_check.check("ranking.e4", "", print)


def run_case(source, case, **options):
    return words(json.loads(code_check.run_case(source, case, **options)))


def test_a_case_shows_the_output_of_a_cell():
    doubles = "def f(x):\n    print('got', x)\n    return 2 * x"
    assert run_case(doubles, "f(3)") == "Printed: got 3 Came back: 6"
    assert run_case(doubles, "y = f(3)\ny == 6") == "Printed: got 3 Came back: True"
    assert run_case("", "x = 1") == "It ran, and nothing came back."
    assert run_case("", "np.array([1, 2]).sum() == 3") == f"Came back: {np.True_!r}"
    wrong = "Raised: NameError: name 'y' is not defined, in line 2: return y In words: Nothing is "
    wrong += "called y here. Is it made further up, and written so? A text is in quotes: &quot;y"
    wrong += "&quot;."
    assert run_case("def f(x):\n    return y", "f(3)") == wrong
    assert run_case("class A:\n    def __repr__(self): 1 / 0", "A()").endswith(
        "a A that cannot show itself (ZeroDivisionError)"
    )
    long = run_case("", "'x' * 9000")
    assert len(long) < 2100


@endless
def test_an_endless_case_is_reported():
    assert "did not finish within 0.1 s" in run_case("", "while True: pass", seconds=0.1)


def test_user_code_is_escaped():
    shown = json.loads(code_check.run_case("", "'<img src=x>'"))["lines"]
    assert "<img" not in "".join(shown)


@endless
def test_an_endless_later_case_is_reported():
    later = SERVED.format("if k > 5 or len(recommended) < 5:\n        while True: pass")
    reply, told = run_check(later, seconds=0.1)
    assert reply["outcome"] == "WRONG"
    assert "Came back: 1 " in words(reply)
    assert "A later case did not finish within 0.1 s." in words(reply)
    assert told[-1] == reply
