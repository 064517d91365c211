"""Options of the command in a file: what is read, what is refused, and what is written."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.cli._config import write_config
from tests.frames.test_command import example_files, run  # noqa: F401

CONFIG = """
recommendations = ["new.csv"]
truth = "truth.csv"
measure = ["mrr@2"]
format = "json"
"""


def test_a_config_file_equals_the_command_line_options(example_files, capsys):  # noqa: F811
    (example_files / "evaluation.toml").write_text(CONFIG)
    code, out, ended = run(capsys, "--config", example_files / "evaluation.toml")
    assert (code, ended) == (0, "")
    asked = (
        example_files / "new.csv",
        "-t",
        example_files / "truth.csv",
        "-m",
        "mrr@2",
        "--format",
        "json",
    )
    assert json.loads(out) == json.loads(run(capsys, *asked)[1])


def test_the_command_line_overrides_the_file(example_files, capsys):  # noqa: F811
    (example_files / "evaluation.toml").write_text(CONFIG + "k = 2\nmemory = 1\n")
    more = (example_files / "old.parquet", "-m", "recall", "-k", "1")
    code, out, _ = run(capsys, *more, "--config", example_files / "evaluation.toml")
    data = json.loads(out)
    assert code == 0
    assert data["name"] == str(example_files / "old.parquet")
    assert [*data["measures"]] == ["recall@1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('mesure = ["mrr@2"]', "there is no option 'mesure'; did you mean 'measure'?"),
        ('per_user = "x.csv"', "there is no option 'per_user'; did you mean 'per-user'?"),
        ('config = "x.toml"', "there is no option 'config'; "),
        ("truth = 3", "truth is 3, where the path of a file, in quotes is needed"),
        ('truth = ["a.csv"]', "truth is a list, and takes one value"),
        ("memory = true", "memory is True, where a whole number is needed"),
        ("memory = 0", "memory is 0; it is 1 or more"),
        ("k = [0]", "k is 0; it is from 1 to 2,147,483,647"),
        ('k = ["2"]', "k is '2', where a whole number is needed"),
        ("measure = mrr@2", "not TOML: "),
    ],
)
def test_errors_in_a_config_file_are_reported(example_files, capsys, text, said):  # noqa: F811
    path = example_files / "evaluation.toml"
    path.write_text(text)
    code, _, ended = run(capsys, example_files / "new.csv", "--config", path)
    assert code == 1
    assert ended.startswith(f"recsys-workbook evaluate: --config {path}: {said}")


def test_a_missing_or_binary_file_is_reported(example_files, capsys):  # noqa: F811
    code, _, ended = run(capsys, "--config", example_files / "none.toml")
    assert code == 1
    assert ended.startswith(f"recsys-workbook evaluate: --config {example_files / 'none.toml'}: ")
    (example_files / "odd.toml").write_bytes(b'split = "\xff"')
    assert "odd.toml: not UTF-8" in run(capsys, "--config", example_files / "odd.toml")[2]


def test_a_saved_config_can_be_rerun_from_any_folder(example_files, capsys, monkeypatch):  # noqa: F811
    (example_files / "sub").mkdir()
    saved = example_files / "sub" / "evaluation.toml"
    monkeypatch.chdir(example_files)
    asked = ("new.csv", "old.parquet", "-t", "truth.csv", "-m", "mrr@2", "-m", "recall@2")
    more = ("--threshold", "2", "--split", 'the "last" basket\t\x7f', "--format", "json")
    _, first, ended = run(capsys, *asked, *more, "--save-config", saved)
    assert ended == ""
    data = tomllib.loads(saved.read_text())
    assert data["recommendations"] == ["../new.csv", "../old.parquet"]
    assert data["truth"] == "../truth.csv"
    assert (data["threshold"], data["engine"], data["memory"]) == (2.0, "polars", 3)
    monkeypatch.chdir(example_files.parent)
    again = json.loads(run(capsys, "--config", saved)[1])
    assert [report["name"] for report in again["reports"]] == [
        str(example_files / name) for name in asked[:2]
    ]
    for ours, theirs in zip(again["reports"], json.loads(first)["reports"], strict=True):
        assert ours["measures"] == theirs["measures"]
        assert ours["protocol"] == theirs["protocol"]
    before = saved.read_bytes()
    code, out, ended = run(capsys, "--config", saved, "--save-config", saved)
    assert (code, out) == (1, "")
    assert "is there already and stays as it is; give --save-config a new name" in ended
    assert saved.read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="links need a right of their own elsewhere")
def test_a_config_in_a_linked_folder(example_files, capsys, monkeypatch):  # noqa: F811
    (example_files / "far" / "away").mkdir(parents=True)
    (example_files / "link").symlink_to(example_files / "far" / "away")
    monkeypatch.chdir(example_files)
    asked = ("new.csv", "-t", "truth.csv", "-m", "mrr@2", "--save-config", "link/e.toml")
    assert run(capsys, *asked)[0] == 0
    assert run(capsys, "--config", "link/e.toml")[0] == 0


def test_a_failed_run_writes_no_config(example_files, capsys):  # noqa: F811
    asked = (
        example_files / "new.csv",
        "-t",
        example_files / "none.csv",
        "--save-config",
        example_files / "e.toml",
    )
    assert run(capsys, *asked)[0] == 1
    assert not (example_files / "e.toml").exists()


@given(
    st.text(st.characters(codec="utf-8")),
    st.floats(allow_nan=False),
    st.lists(st.integers(-(2**63), 2**63 - 1)),
)
def test_written_configs_can_be_read(text, number, numbers):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "x.toml")
        write_config(file, {"a_b": text, "c": number, "d": numbers, "e": None}, "evaluate")
        assert tomllib.loads(file.read_text(encoding="utf-8")) == {
            "a-b": text,
            "c": number,
            "d": numbers,
        }


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name here")
def test_no_configuration_is_read_from_a_pipe_or_a_device(example_files, capsys):  # noqa: F811
    os.mkfifo(example_files / "pipe.toml")
    for path in (example_files / "pipe.toml", Path("/dev/zero"), example_files):
        code, _, ended = run(capsys, "--config", path)
        assert (code, "not a file but a folder, a pipe or a device" in ended) == (1, True)


def test_a_flag_is_read_and_written(example_files, capsys):  # noqa: F811
    lists = [example_files / "new.csv", example_files / "old.parquet"]
    options = [*lists, "-t", example_files / "truth.csv", "-m", "mrr"]
    saved = example_files / "saved.toml"
    _, table, _ = run(capsys, *options, "--table-only", "--save-config", saved)
    assert "table-only = true" in saved.read_text()
    assert run(capsys, "--config", saved)[1].count("How this came about") == 0
    assert len(run(capsys, *options)[1]) > len(table)
    saved.write_text("table-only = 1\n")
    _, _, ended = run(capsys, *options, "--config", saved)
    assert "table-only is 1, where true or false is needed" in ended
