"""Each table is read once for all measures, and once more to look for faults."""

from __future__ import annotations

import sys

import pytest

from recsys_metrics import frames
from recsys_metrics.frames import _files, _text_files
from tests.frames.engines import java_or_skip, spark
from tests.tiers import on_spark

pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")
ASKED = ["ndcg@10", "recall@10", "precision@10", "map@10", "map", "mrr", "hit_rate@5", "bpref"]


@pytest.fixture
def tables(tmp_path):
    pl.DataFrame({"user": [1, 1, 2], "item": [7, 8, 7], "rank": [1, 2, 1]}).write_parquet(
        tmp_path / "recs.parquet"
    )
    pl.DataFrame({"user": [1, 2], "item": [8, 7], "grade": [2, 1]}).write_parquet(
        tmp_path / "truth.parquet"
    )
    return tmp_path / "recs.parquet", tmp_path / "truth.parquet"


def queries(monkeypatch, tables, engine):
    """Return the queries of one call, as the engine's own frames."""
    asked = []

    def keep(frame):
        asked.append(frame.to_native())
        return one_row(frame)

    module = sys.modules["recsys_metrics.frames._evaluate"]
    one_row = module.one_row
    monkeypatch.setattr(module, "one_row", keep)
    frames.evaluate(*(_files.scan(path, engine) for path in tables), ASKED)
    return asked


def test_polars_scans_each_table_once(monkeypatch, tables):
    (query,) = queries(monkeypatch, tables, "polars")
    plan = query.explain()
    assert plan.count("recs.parquet") == 1
    assert plan.count("truth.parquet") == 1


def test_duckdb_scans_each_table_once(monkeypatch, tables):
    pytest.importorskip("duckdb", reason="the extra `duckdb` is not installed")
    (query,) = queries(monkeypatch, tables, "duckdb")
    assert query.explain().count("PARQUET_SCAN") == 2


@on_spark
def test_spark_scans_each_table_once(monkeypatch, tables):
    java_or_skip()
    spark()
    (query,) = queries(monkeypatch, tables, "spark")
    plan = query._jdf.queryExecution().executedPlan().toString()
    assert plan.count("FileScan parquet") == 2


def test_the_bytes_of_a_text_file_are_checked_once(monkeypatch, tmp_path):
    path, checked, check = tmp_path / "truth.csv", [], _text_files._check_text
    path.write_text("user,item\n1,7\n")
    monkeypatch.setattr(_text_files, "_check_text", lambda p: checked.append(p) or check(p))
    with _files.open_files({"relevant": path}, "polars") as opened:
        assert opened.frames["relevant"].collect().rows() == [(2, 1, 7)]
    assert checked == [path]
