"""A table of what is relevant may have a column of 0 and 1 that says so, and that is not read."""

from __future__ import annotations

import polars as pl
import pytest

from recsys_metrics import evaluate
from recsys_metrics.cli import main
from tests.frames.engines import QUICK

LISTS = pl.DataFrame(
    {"user": ["a", "a", "b", "b"], "item": ["A", "B", "B", "C"], "rank": [1, 2, 1, 2]}
)
TRUTH = pl.DataFrame({"user": ["a", "a", "b"], "item": ["A", "B", "C"], "device": ["0", "tv", "1"]})
WARNING = (
    "The table relevant has the column 'clicked' of 0 and 1, which was not read: 1 row with 0 "
    "counts as relevant, too. If the column says what is relevant, name it as the grade: "
    "columns={'grade': 'clicked'}, on the command line --column grade=clicked."
)


def unread(report):
    return [warning for warning in report.warnings if "was not read" in warning]


@pytest.mark.parametrize("labels", [[1, 0, 1], [True, False, True], [1.0, 0.0, 1.0], list("101")])
@pytest.mark.parametrize("make", QUICK)
def test_a_column_of_zeros_and_ones_is_named(make, labels):
    truth = TRUTH.with_columns(clicked=pl.Series(labels))
    found = evaluate(make(LISTS), make(truth), ["recall@2"])
    assert unread(found) == [WARNING]
    if not isinstance(labels[0], bool | str):
        columns = {"grade": "clicked"}
        read = evaluate(make(LISTS), make(truth), ["recall@2"], columns=columns)
        assert not unread(read)
        assert read.user_values.n_relevant.tolist() == [1, 1]
    assert found.user_values.n_relevant.tolist() == [2, 1]


@pytest.mark.parametrize("labels", [[1, 1, 1], [0, 0, 0], [2, 0, 1], [None, 0, 1], ["x", "0", "1"]])
def test_other_columns_are_not_named(labels):
    truth = TRUTH.with_columns(other=pl.Series(labels))
    assert not unread(evaluate(LISTS, truth, ["recall@2"]))


def test_labels_beside_a_grade_are_not_named_and_those_of_a_history_are():
    truth = TRUTH.with_columns(rating=pl.Series([5, 4, 3]), clicked=pl.Series([1, 0, 1]))
    history = TRUTH.with_columns(clicked=pl.Series([0, 0, 1]))
    (warning,) = unread(evaluate(LISTS, truth, ["recall@2"], history=history))
    assert "history has the column 'clicked' of 0 and 1, which was not read: 2 rows" in warning
    assert warning.endswith("If the column says what happened, leave such rows out.")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_the_command_names_them_in_every_kind_of_file(tmp_path, monkeypatch, capsys, kind):
    monkeypatch.chdir(tmp_path)
    LISTS.write_csv("lists.csv")
    write = {"csv": "write_csv", "jsonl": "write_ndjson", "parquet": "write_parquet"}[kind]
    getattr(TRUTH.with_columns(clicked=pl.Series([True, False, True])), write)(f"truth.{kind}")
    command = ["evaluate", "lists.csv", "--truth", f"truth.{kind}", "-m", "recall@2"]
    with pytest.raises(SystemExit):
        main(command)
    assert WARNING in " ".join(capsys.readouterr().out.split())
