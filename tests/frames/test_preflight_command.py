"""`recsys-workbook preflight`: exit codes, formats, times, and errors."""

from __future__ import annotations

import json

import pytest

from recsys_metrics.cli import main
from tests.evaluation.simulated_evaluation import simulate

pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")


def table(sets, **columns):
    rows = [(user, item) for user, own in sets.items() for item in own]
    frame = pl.DataFrame(rows, schema=["user", "item"], orient="row")
    return frame.with_columns(**columns)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    shop = simulate(1)
    ranked = pl.int_range(1, pl.len() + 1).over("user").alias("rank")
    lists = table(shop.lists).with_columns(ranked)
    lists.write_csv(tmp_path / "lists.csv")
    lists.with_columns(item=pl.col("item").reverse().over("user")).write_parquet(
        tmp_path / "reversed.parquet"
    )
    table(shop.truth, timestamp=pl.lit(20)).write_csv(tmp_path / "truth.csv")
    table(shop.history, timestamp=pl.lit(10)).write_csv(tmp_path / "history.csv")
    table(shop.history, timestamp=pl.lit(30)).write_csv(tmp_path / "future.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments):
    code = 0
    try:
        main(["preflight", *map(str, arguments)])
    except SystemExit as end:
        code = end.code
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.usefixtures("folder")
def test_a_sound_evaluation_ends_with_0(capsys):
    code, out, _ = run(capsys, "lists.csv", "-t", "truth.csv", "--history", "history.csv",
                       "--again", "lists.csv", "--catalog", 300)  # fmt: skip
    assert code == 0
    assert "No fault found" in out
    assert "future" in out.split("Checks:")[1]


@pytest.mark.usefixtures("folder")
def test_faults_end_with_1_and_are_listed_as_json(capsys):
    code, out, _ = run(capsys, "reversed.parquet", "-t", "truth.csv", "--history", "future.csv",
                       "--again", "lists.csv", "--format", "json")  # fmt: skip
    data = json.loads(out)
    assert code == 1
    found = {each["check"]: each for each in data["findings"]}
    assert {"order", "future", "same-twice"} <= set(found)
    assert found["same-twice"]["count"] == found["same-twice"]["total"] == 200
    assert found["order"]["p_value"] < 0.001
    assert [each["name"] for each in data["references"]][-1] == "oracle"
    code, *_ = run(capsys, "reversed.parquet", "-t", "truth.csv", "--accept", "order")
    assert code == 0


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none.csv", "-t", "truth.csv"], "there is no such file"),
        (["lists.csv", "-t", "truth.csv", "--format", "xml"], "--format is"),
        (["lists.csv", "-t", "truth.csv", "-m", "coverage@10"], "not a metric of ranked lists"),
        (["lists.csv", "-t", "truth.csv", "--accept", "tie"], "accept names 'tie'"),
        (["lists.csv", "-t", "truth.csv", "--column", "user=who"], "who"),
        (["lists.csv"], "--truth"),
    ],
)
def test_errors_end_with_3(capsys, arguments, says):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (3, "")
    assert says in err


def test_a_damaged_file_is_named_and_no_traceback(folder, capsys):
    pl.DataFrame({"user": ["u1"] * 9, "item": [*"abcdefghi"]}).write_parquet("cut.parquet")
    content = bytearray((folder / "cut.parquet").read_bytes())
    content[4:40] = bytes(36)
    (folder / "cut.parquet").write_bytes(content)
    code, _, err = run(capsys, "lists.csv", "-t", "truth.csv", "--history", "cut.parquet")
    assert code == 3
    assert err.startswith("recsys-workbook preflight: cut.parquet: damaged, so it cannot be read")


def test_a_row_with_too_many_values_is_named_where_a_column_is_not_read(folder, capsys):
    (folder / "long.csv").write_text("user,item,seen\nu1,a,1\nu2,b,1,9\n")
    code, _, err = run(capsys, "lists.csv", "-t", "truth.csv", "--history", "long.csv")
    assert code == 3
    assert "long.csv, row 3: 4 values, and the header names 3 columns" in err


@pytest.mark.usefixtures("folder")
def test_the_column_of_times_is_named_where_several_could_be_meant(capsys):
    history = pl.read_csv("history.csv").with_columns(date=pl.lit("2024-01-01"))
    history.write_csv("dated.csv")
    asked = ("lists.csv", "-t", "truth.csv", "--history", "dated.csv")
    code, _, err = run(capsys, *asked)
    assert code == 3
    assert "several columns for the timestamp: 'timestamp', 'date'" in err
    assert "--column timestamp=NAME" in err
    code, out, err = run(capsys, *asked, "--column", "timestamp=timestamp")
    assert (code, err) == (0, "")
    assert "future" in out.split("Checks:")[1]
    code, _, err = run(capsys, *asked, "--column", "timestamp=whenever")
    assert code == 3
    assert "--column timestamp=whenever: no file has such a column for the timestamp" in err
