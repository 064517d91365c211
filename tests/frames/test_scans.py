"""Each table is read once for its faults and once for all measures."""

from __future__ import annotations

import re

import pytest

from recsys_metrics import frames
from recsys_metrics.frames import _engines, _files, _text_files

pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")
ASKED = ["ndcg@1", "recall@1", "precision@1"]


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
    """Return the queries that rows are collected with, as the engine's own frames."""
    asked, collect = [], _engines.collect
    monkeypatch.setattr(_engines, "collect", lambda frame: asked.append(frame) or collect(frame))
    frames.evaluate(*(_files.scan(path, engine) for path in tables), ASKED)
    return [frame.to_native() for frame in asked]


def test_polars_reads_no_row_below_the_largest_cutoff(monkeypatch, tables):
    lists, truth, lengths = (query.explain() for query in queries(monkeypatch, tables, "polars"))
    for plan, path in ((lists, "recs"), (truth, "truth"), (lengths, "recs")):
        assert plan.count(f"{path}.parquet") == 1
    # Polars before 1.43 writes brackets around both sides.
    assert re.search(r'SELECTION: \[?\(?col\("rank"\)\)? <= \(?1', lists)


def test_duckdb_reads_each_table_once_for_the_blocks(monkeypatch, tables):
    pytest.importorskip("duckdb", reason="the extra `duckdb` is not installed")
    for query in queries(monkeypatch, tables, "duckdb"):
        assert query.explain().count("PARQUET_SCAN") == 1


def test_the_bytes_of_a_text_file_are_checked_once(monkeypatch, tmp_path):
    path, checked, check = tmp_path / "truth.csv", [], _text_files._check_text
    path.write_text("user,item\n1,7\n")
    monkeypatch.setattr(_text_files, "_check_text", lambda p: checked.append(p) or check(p))
    with _files.open_files({"relevant": path}, "polars") as opened:
        assert opened.frames["relevant"].collect().rows() == [(2, 1, 7)]
    assert checked == [path]
