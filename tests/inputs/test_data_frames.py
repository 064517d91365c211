"""`evaluate` hands data frames on, whatever library they are of, and loads none to know them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from recsys_metrics import evaluate, frames
from recsys_metrics._inputs.frames import is_frame

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


@pytest.mark.parametrize("library", [pandas, polars, lazy])
def test_frames_of_every_library(library):
    report = evaluate(library(RECS), library(TRUTH), MEASURES, catalog=4)
    assert [report[name].mean for name in report] == [0.5, 0.5]


def test_a_relation_of_duckdb():
    connection = pytest.importorskip("duckdb").connect()
    recs, truth = (connection.from_arrow(arrow(columns)) for columns in (RECS, TRUTH))
    report = evaluate(recs, truth, MEASURES, catalog=4)
    assert [report[name].mean for name in report] == [0.5, 0.5]


def test_the_same_as_frames_evaluate():
    recs, truth = polars(RECS), polars(TRUTH)
    options = {"ks": [1, 2], "split": "by hand", "seed": 3, "name": "a model", "threshold": 1}
    ours = evaluate(recs, truth, ["ndcg", "recall"], **options)
    theirs = frames.evaluate(recs, truth, ["ndcg", "recall"], **options)
    assert [ours[name].mean for name in ours] == [theirs[name].mean for name in theirs]
    assert (ours.name, ours.protocol) == (theirs.name, theirs.protocol)
    renamed = recs.rename({"user": "who"}), truth.rename({"user": "who"})
    named = evaluate(*renamed, ["ndcg@2"], columns={"user": "who"})
    assert named["ndcg@2"].mean == ours["ndcg@2"].mean


def test_what_frames_have_no_use_for_is_refused():
    recs, truth = polars(RECS), polars(TRUTH)
    with pytest.raises(TypeError, match=r"features= is for lists and arrays, .*lists_from_frame"):
        evaluate(recs, truth, ["ndcg@2"], features={10: {"x"}})
    with pytest.raises(TypeError, match="columns names those of data frames, but recommended is"):
        evaluate([[1]], [{1}], ["ndcg@1"], columns={"user": "who"})


def test_what_is_a_frame():
    for library in (pandas, polars, lazy, arrow):
        assert is_frame(library(RECS))


def test_what_is_no_frame():
    for given in ([], {}, {"user": [1]}, polars(RECS)["user"], pandas(RECS)["user"], 7, None):
        assert not is_frame(given)


def test_no_library_is_loaded_to_know_its_frames():
    code = (
        "import sys, recsys_metrics as rm\n"
        "rm.evaluate([['a']], [{'a'}], ['ndcg@1'])\n"
        "rm.judge({'u': {'a': 1.0}}, {'u': {'a'}})\n"
        "print([m for m in ('pandas', 'polars', 'pyarrow', 'duckdb', 'narwhals', 'torch')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
