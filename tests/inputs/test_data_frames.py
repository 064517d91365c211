"""`evaluate` hands data frames on, whatever library they are of, and loads none to know them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from recsys_metrics import convert, evaluate, frames, judge
from recsys_metrics._core.inputs.frames import is_frame

RECS = {"user": [1, 1, 2, 2], "item": [10, 11, 11, 12], "rank": [1, 2, 1, 2]}
TRUTH = {"user": [1, 2], "item": [11, 12]}
MEASURES = ["mrr@2", "coverage@1"]


def pandas(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def polars(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def lazy(columns):
    return polars(columns).lazy()


def arrow(columns):
    return pytest.importorskip("pyarrow").table(columns)


def duckdb(columns):
    return pytest.importorskip("duckdb").from_arrow(arrow(columns))


@pytest.mark.parametrize("library", [pandas, polars, lazy, arrow, duckdb])
def test_evaluate_accepts_frames_of_every_library(library):
    report = evaluate(library(RECS), library(TRUTH), MEASURES, catalog=4)
    assert [report[name].mean for name in report] == [0.5, 0.5]


SCORED = {"user": ["a", "a", "a", "b", "b"], "item": [10, 9, 7, 1, 2], "score": [1, 1, 2, 3, 0]}
LIKED = {"user": ["a", "b"], "item": [10, 2], "grade": [3, 1]}


def arrow_types():
    arrow = pytest.importorskip("pyarrow")
    decimals = arrow.decimal128(21, 2)
    return {
        "whole numbers": lambda table: table,
        "half the width": lambda table: cast(table, "score", arrow.float32()),
        "decimals": lambda table: cast(table, "score", decimals),
        "scores looked up": lambda table: encode(table, "score"),
        "users looked up": lambda table: encode(table, "user"),
        "large text": lambda table: cast(table, "user", arrow.large_string()),
        "in pieces": lambda table: arrow.concat_tables([table.slice(0, 2), table.slice(2)]),
        "one batch": lambda table: table.combine_chunks().to_batches()[0],
        "other names": lambda table: table.rename_columns(["userId", "docno", "prediction"]),
    }


def cast(table, name, kind):
    return table.set_column(table.column_names.index(name), name, table[name].cast(kind))


def encode(table, name):
    return table.set_column(table.column_names.index(name), name, table[name].dictionary_encode())


@pytest.mark.parametrize("kind", arrow_types())
def test_scores_in_arrow_equal_those_in_polars(kind):
    shown, liked = arrow_types()[kind](arrow(SCORED)), arrow(LIKED)
    asked = ["mrr", "ndcg@2", "recall@1", "coverage@1"]
    expected = frames.evaluate(polars(SCORED), polars(LIKED), asked, catalog=8)
    for call in (frames.evaluate, evaluate):
        report = call(shown, liked, asked, catalog=8)
        assert [report[name].mean for name in asked] == [expected[name].mean for name in asked]
        assert report["mrr"].per_user.tolist() == [1 / 3, 1 / 2]
        assert report.protocol.n_tied == expected.protocol.n_tied == 1
    # As judge takes them.
    user, item, score = shown.schema.names
    lists = convert.lists_from_frame(shown, user=user, item=item, score=score)
    grades = convert.relevant_from_frame(liked, user="user", item="item", grade="grade")
    assert lists == {"a": [7, 9, 10], "b": [1, 2]}
    assert judge(lists, grades).gains.tolist() == [[0, 0, 3], [0, 1, 0]]


@pytest.mark.parametrize("library", [pandas, polars, lazy, arrow, duckdb])
def test_lists_from_frame_accepts_frames_of_every_library(library):
    given = library(SCORED)
    lists = convert.lists_from_frame(given, user="user", item="item", score="score")
    assert lists == {"a": [7, 9, 10], "b": [1, 2]}
    with pytest.raises(ValueError, match="no column 'rank'; there are 'user', 'item', 'score'"):
        convert.lists_from_frame(given, user="user", item="item", rank="rank")
    with pytest.raises(TypeError, match="the column 'user' must be numbers"):
        convert.lists_from_frame(given, user="item", item="score", score="user")
    with pytest.raises(TypeError, match="the column 'user' must be numbers"):
        convert.relevant_from_frame(given, user="item", item="score", grade="user")


def test_evaluate_equals_frames_evaluate():
    recs, truth = polars(RECS), polars(TRUTH)
    options = {"ks": [1, 2], "split": "by hand", "seed": 3, "name": "a model", "threshold": 1}
    ours = evaluate(recs, truth, ["ndcg", "recall"], **options)
    theirs = frames.evaluate(recs, truth, ["ndcg", "recall"], **options)
    assert [ours[name].mean for name in ours] == [theirs[name].mean for name in theirs]
    assert (ours.name, ours.protocol) == (theirs.name, theirs.protocol)
    renamed = recs.rename({"user": "who"}), truth.rename({"user": "who"})
    named = evaluate(*renamed, ["ndcg@2"], columns={"user": "who"})
    assert named["ndcg@2"].mean == ours["ndcg@2"].mean


def test_arguments_not_supported_for_frames_raise():
    recs, truth = polars(RECS), polars(TRUTH)
    with pytest.raises(
        TypeError, match=r"history_rows= is for lists and arrays, .*lists_from_frame"
    ):
        evaluate(recs, truth, ["ndcg@2"], history_rows=[0, 1])
    with pytest.raises(TypeError, match="columns names those of data frames, but none was given"):
        evaluate([[1]], [{1}], ["ndcg@1"], columns={"user": "who"})


def test_data_frames_are_recognised():
    for library in (pandas, polars, lazy, arrow):
        assert is_frame(library(RECS))


def test_other_objects_are_not_data_frames():
    for given in ([], {}, {"user": [1]}, polars(RECS)["user"], pandas(RECS)["user"], 7, None):
        assert not is_frame(given)


def test_recognising_frames_imports_no_library():
    code = (
        "import sys, recsys_metrics as rm\n"
        "rm.evaluate([['a']], [{'a'}], ['ndcg@1'])\n"
        "rm.judge({'u': {'a': 1.0}}, {'u': {'a'}})\n"
        "print([m for m in ('pandas', 'polars', 'pyarrow', 'duckdb', 'narwhals', 'torch')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
