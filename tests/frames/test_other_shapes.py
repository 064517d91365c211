"""Streams of Arrow, and tables with a list in each user's row."""

from __future__ import annotations

import sys

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


def test_all_missing_columns_are_named_at_once():
    odd = polars.DataFrame({"usr": [1], "itm": [2], "pos": [1]})
    with pytest.raises(TableError, match=r"like the user or the item or the rank; .* them: c"):
        rm.evaluate(odd, polars.DataFrame(TRUE), ["mrr@2"])


def test_without_narwhals_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(ImportError, match=r"recsys-workbook\[frames\]"):
        rm.evaluate(polars.DataFrame(LONG), polars.DataFrame(TRUE), ["mrr@2"])
