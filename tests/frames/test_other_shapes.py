"""Streams of Arrow, and tables with a list in each user's row."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics.frames import TableError

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
arrow = pytest.importorskip("pyarrow")

LISTS, TRUTH = {1: [2, 3], 2: [4, 5]}, {1: {3}, 2: {4}}
MEASURES = ["mrr@2", "recall@1"]
EXPECTED = {name: rm.evaluate(LISTS, TRUTH, MEASURES)[name].mean for name in MEASURES}
LONG = {"user": [1, 1, 2, 2], "item": [2, 3, 4, 5], "rank": [1, 2, 1, 2]}
TRUE = {"user": [1, 2], "item": [3, 4]}


class Stream:
    """What hands out a stream of Arrow and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def values(recommended, relevant, **more):
    report = rm.evaluate(recommended, relevant, MEASURES, **more)
    return {name: report[name].mean for name in MEASURES}


@pytest.mark.parametrize("stream", [arrow.Table.to_reader, Stream], ids=["reader", "capsule"])
def test_streams_of_arrow_are_read(stream):
    tables = [stream(arrow.table(rows)) for rows in (LONG, TRUE)]
    assert values(*tables) == pytest.approx(EXPECTED)


@pytest.mark.parametrize("library", [pandas.DataFrame, polars.DataFrame, arrow.table])
def test_a_list_in_each_row_is_read(library):
    nested = library({"user": [1, 2], "items": [[2, 3], [4, 5]]})
    truth = library({"user_id": [1, 2], "relevant": [[3], [4]]})
    assert values(nested, truth) == pytest.approx(EXPECTED)
    assert values(nested, library(TRUE)) == pytest.approx(EXPECTED)
    assert values(library(LONG), truth) == pytest.approx(EXPECTED)
    assert values(nested, TRUTH) == pytest.approx(EXPECTED)
    other = library({"who": [1, 2], "shown": [[2, 3], [4, 5]]})
    assert values(other, TRUTH, columns={"user": "who"}) == pytest.approx(EXPECTED)


def test_lists_in_rows_that_could_mean_two_things_are_refused():
    scored = polars.DataFrame({"user": [1], "items": [[2, 3]], "scores": [[0.1, 0.9]]})
    with pytest.raises(TableError, match="has lists in 'items' and in 'scores'"):
        rm.evaluate(scored, TRUTH, ["mrr@2"])
    two = polars.DataFrame({"user": [1], "items": [[2, 3]], "ranking": [[3, 2]]})
    with pytest.raises(TableError, match="has several columns of lists: 'items', 'ranking'"):
        rm.evaluate(two, TRUTH, ["mrr@2"])
    twice = polars.DataFrame({"user": [1, 1], "items": [[2], [3]]})
    with pytest.raises(TableError, match="has user 1 in two rows"):
        rm.evaluate(twice, TRUTH, ["mrr@2"])
    nobody = polars.DataFrame({"who": [1], "items": [[2]]})
    with pytest.raises(TableError, match="has no column that looks like the user"):
        rm.evaluate(nobody, TRUTH, ["mrr@2"])


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"a": 2, "b": 0}, "which is no list; numbers of items are read from a table with a row"),
        ("ab", "has 'ab' for user 2, which is no list; a row has the list of the user's items"),
        (5, "has 5 for user 2, which is no list"),
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_what_is_no_list_is_refused_and_not_taken_apart(row, words, first):
    rows, users = ([row, ["a"]], [2, 1]) if first else ([["a"], row], [1, 2])
    nested = pandas.DataFrame({"user": users, "items": rows})
    truth = {1: ["a"], 2: ["b"]}
    with pytest.raises(TableError, match=words):
        rm.evaluate(nested, truth, ["mrr@2"])
    with pytest.raises(TableError, match=words):
        rm.evaluate(nested.assign(items=[["a"], ["b"]]), nested, ["mrr@2"])


def test_a_missing_list_is_an_empty_one_and_a_set_has_no_order():
    truth = {1: ["a"], 2: ["b"]}
    for nothing in (None, np.nan, pandas.NA):
        for rows in ([["a"], nothing], [nothing, ["b"]]):
            nested = pandas.DataFrame({"user": [1, 2], "items": pandas.Series(rows, dtype=object)})
            assert rm.evaluate(nested, truth, ["mrr@2"])["mrr@2"].mean == 0.5
    sets = pandas.DataFrame({"user": [1, 2], "items": [{"a"}, {"b"}]})
    assert rm.evaluate({1: ["a"], 2: ["b"]}, {1: {"a"}, 2: {"b"}}, ["mrr@2"])["mrr@2"].mean == 1
    assert rm.evaluate(sets.assign(items=[["a"], ["b"]]), sets, ["mrr@2"])["mrr@2"].mean == 1
    with pytest.raises(TableError, match="for user 1, which is no list; a set has no order"):
        rm.evaluate(sets, truth, ["mrr@2"])


def test_users_and_columns_beside_lists_are_read_as_in_long_tables():
    truth = {1: ["a"]}
    for users, words in (
        (pandas.Series([True]), "values .Boolean. as the user"),
        (pandas.Series([True], dtype=object), "values .Boolean. as the user"),
        (pandas.Series([1.0]), "decimals .Float64. as the user"),
    ):
        with pytest.raises(TableError, match=words):
            rm.evaluate(pandas.DataFrame({"user": users, "items": [["a"]]}), truth, ["mrr@2"])
    nested = pandas.DataFrame({"user": [1], "items": [["a"]]})
    with pytest.raises(TableError, match="the column 'grade' with one value for each list"):
        rm.evaluate(nested, nested.assign(grade=0), ["mrr@2"])
    with pytest.raises(TableError, match="several columns for the user: 'user', 'user_id'"):
        rm.evaluate(nested.assign(user_id=2), truth, ["mrr@2"])
    with pytest.raises(TableError, match="no column 'whoo' for the user"):
        rm.evaluate(nested, truth, ["mrr@2"], columns={"user": "whoo"})


def test_all_missing_columns_are_named_at_once():
    odd = polars.DataFrame({"usr": [1], "itm": [2], "pos": [1]})
    with pytest.raises(TableError, match=r"like the user or the item or the rank; .* them: c"):
        rm.evaluate(odd, polars.DataFrame(TRUE), ["mrr@2"])


def test_without_narwhals_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(ImportError, match=r"recsys-workbook\[frames\]"):
        rm.evaluate(polars.DataFrame(LONG), polars.DataFrame(TRUE), ["mrr@2"])


@pytest.mark.parametrize("library", [pandas.DataFrame, polars.DataFrame, arrow.table])
def test_a_list_of_categories_is_several_and_not_one(library):
    # The lists of one text each are those of the joined texts: A and B share one of two.
    lists, truth = {1: ["A", "B"]}, {1: ["A"]}
    sets = {"A": {"x"}, "B": {"x", "y"}}
    measure = "intra_list_diversity@2"
    expected = rm.evaluate(lists, truth, [measure], features=sets)[measure].mean
    long = [{"user": [1, 1], "item": ["A", "B"], "rank": [1, 2]}, {"user": [1], "item": ["A"]}]
    for given in ([lists, truth], [library(each) for each in long]):
        for rows in ([["x"], ["x", "y"]], ["x", "x|y"]):
            table = library({"item": ["A", "B"], "category": rows})
            found = rm.evaluate(*given, [measure], features=table)[measure].mean
            assert found == pytest.approx(expected)
            found = rm.evaluate(
                *given, [measure], features=table, columns={"category": "category"}
            )[measure].mean
            assert found == pytest.approx(expected)
        vectors = library({"item": ["A", "B"], "category": [[0.1, 0.2], [0.3, 0.4]]})
        with pytest.raises(TypeError, match=r"features has \[0.1, 0.2\] as the category of item"):
            rm.evaluate(*given, [measure], features=vectors)
