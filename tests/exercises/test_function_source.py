"""The source of a function with what it needs, so that it runs where nothing else is."""

from __future__ import annotations

import math
from math import log2

import numpy as np

from recsys_metrics.workbook.exercises.function_source import read_source


def count_hits(recommended, relevant):
    return len(set(recommended) & set(relevant))


def is_even(number):
    return number == 0 or is_odd(number - 1)


def is_odd(number):
    return number != 0 and is_even(number - 1)


def with_helpers(recommended, relevant, k):
    """Use a helper, a module by another name, a module, and a name from a module."""
    hits = count_hits(recommended[:k], relevant)
    return float(np.sqrt(hits)) + math.floor(log2(8)) + is_even(4)


def run(source):
    names = {}
    exec(source, names)
    return names


def test_the_source_runs_by_itself_under_the_name_that_is_asked_for():
    source = read_source(with_helpers, "asked")
    asked = run(source)["asked"]
    arguments = (["A", "B", "C"], {"A", "B"}, 2)
    assert asked(*arguments) == with_helpers(*arguments)
    assert source.endswith("asked = with_helpers")


def test_a_function_of_the_right_name_stays_as_it_is_written():
    source = read_source(count_hits, "count_hits")
    assert source == (
        "def count_hits(recommended, relevant):\n    return len(set(recommended) & set(relevant))"
    )


def test_a_function_within_another_is_taken_to_the_margin():
    def inner(a):
        return a + 1

    assert run(read_source(inner, "inner"))["inner"](1) == 2


def test_where_there_is_no_source_nothing_is_said():
    names = {}
    exec("def hidden(a): return a", names)
    for one in (names["hidden"], lambda a: a, max, 5, None):
        assert read_source(one, "asked") is None
