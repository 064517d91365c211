"""`recsys-workbook evaluate`: files in, a report out, and errors that say where."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import recsys_metrics as rm
from recsys_metrics.cli import main
from tests.frames.engines import spark
from tests.tiers import on_spark

pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")

SHOWN = {"user": [1, 1, 2, 2, 3], "item": ["A", "B", "A", "C", "B"], "rank": [1, 2, 1, 2, 1]}
OTHER = {"user": [1, 1, 2, 2, 3], "item": ["C", "B", "B", "C", "C"], "rank": [1, 2, 1, 2, 1]}
WANTED = {"user": [1, 2, 3, 3], "item": ["B", "A", "B", "C"], "grade": [2, 1, 3, 1]}


@pytest.fixture
def example_files(tmp_path):
    pl.DataFrame(SHOWN).write_csv(tmp_path / "new.csv")
    pl.DataFrame(OTHER).write_parquet(tmp_path / "old.parquet")
    pl.DataFrame(WANTED).write_csv(tmp_path / "truth.csv")
    return tmp_path


def run(capsys, *arguments):
    """Return the exit code, what was printed, and what the program ended with."""
    ended = ""
    code = 0
    try:
        main(["evaluate", *map(str, arguments)])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
        ended = end.code if isinstance(end.code, str) else ""
    return code, capsys.readouterr().out, ended


def test_a_report_and_a_comparison(example_files, capsys):
    code, out, _ = run(
        capsys,
        example_files / "new.csv",
        "-t",
        example_files / "truth.csv",
        "-m",
        "mrr",
        "-m",
        "coverage",
        "-k",
        "2",
        "--catalog",
        "4",
        "--compare",
        example_files / "old.parquet",
        "--split",
        "last basket",
    )
    assert code == 0
    for said in ("reciprocal_rank", "0.833", "catalog_coverage", "0.750", "last basket"):
        assert said in out
    assert "By reciprocal_rank@2: no conclusion, 3 users are too few" in out
    assert out.count("How this came about") == 1
    assert "Read with care" in out


ENGINES = pytest.mark.parametrize("engine", ["polars", "duckdb", "spark"])
SOME = pytest.mark.sweep("engine", keep=1, always=["polars"], pools={"spark": on_spark})


def every_engine(test):
    return SOME(ENGINES(test))


def there_or_skip(engine):
    if engine == "duckdb":
        pytest.importorskip("duckdb", reason="the extra `duckdb` is not installed")
    if engine == "spark":
        spark()


@every_engine
def test_json_output_is_the_same_for_every_engine(example_files, capsys, engine):
    there_or_skip(engine)
    code, out, _ = run(
        capsys,
        example_files / "new.csv",
        "-t",
        example_files / "truth.csv",
        "-m",
        "ndcg@2",
        "--format",
        "json",
        "--compare",
        example_files / "old.parquet",
        "--engine",
        engine,
    )
    data = json.loads(out)
    assert code == 0
    assert data["measures"]["ndcg@2"]["users"] == 3
    lists = [["A", "B"], ["A", "C"], ["B"]]
    arrays = rm.evaluate(lists, [{"B": 2}, {"A": 1}, {"B": 3, "C": 1}], ["ndcg@2"])
    assert data["measures"]["ndcg@2"]["value"] == pytest.approx(arrays["ndcg@2"].mean)
    assert data["comparison"]["outcome"] is None
    assert data["comparison"]["decided_on"] == "ndcg@2"
    assert data["protocol"]["lists"] == "3, of 1 to 2 items"


@every_engine
@pytest.mark.parametrize("name", ["each.parquet", "each.csv"])
def test_per_user_values_are_written_to_a_file(example_files, capsys, name, engine):
    there_or_skip(engine)
    asked = (
        example_files / "new.csv",
        "-t",
        example_files / "truth.csv",
        "-m",
        "mrr@2",
        "--engine",
        engine,
    )
    code, _, _ = run(capsys, *asked, "--per-user", example_files / name)
    read = pl.read_parquet if name.endswith("parquet") else pl.read_csv
    frame = read(example_files / name).sort("user")
    assert code == 0
    assert frame["reciprocal_rank@2"].to_list() == [0.5, 1, 1]
    before = (example_files / name).read_bytes()
    code, _, ended = run(capsys, *asked, "--per-user", example_files / name)
    assert code == 1
    assert f"{name} is there already and stays as it is" in ended
    assert (example_files / name).read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is a thing of POSIX")
def test_progress_is_shown_only_on_a_terminal(example_files):
    import pty

    command = [sys.executable, "-m", "recsys_metrics.cli", "evaluate", "new.csv", "-t", "truth.csv"]
    command += ["-m", "mrr@2", "--compare", "old.parquet", "--per-user", "each.csv"]
    ours, theirs = pty.openpty()
    done = subprocess.Popen(
        command,
        cwd=example_files,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            found = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not found:
            break
        shown += found
    os.close(ours)
    report = done.communicate(timeout=60)[0].decode()
    assert done.returncode == 0
    for step in (b"looking into the files", b"judging new.csv", b"judging old.parquet"):
        assert step in shown
    assert b"comparing user by user" in shown
    assert b"writing each.csv" in shown
    assert b"4/5" in shown
    assert "reciprocal_rank@2" in report
    assert "judging" not in report


def test_forced_colours_do_not_enable_progress(example_files, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with pytest.raises(SystemExit):
        main(
            [
                "evaluate",
                str(example_files / "new.csv"),
                "-t",
                str(example_files / "truth.csv"),
                "-m",
                "mrr@2",
            ]
        )
    assert capsys.readouterr().err == ""


def broken(files, name, text):
    (files / name).write_text(text, encoding="utf-8")
    return files / name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("user,item,rank\n1,A,1\n1,A,2\n", "row 3: user 1 has item 'A' a second time"),
        ("user,item,rank\n1,A,1\n1,B,0\n", "column 'rank', row 3: the rank is 0"),
        ("user,item,rank\n1,A,1\n1,B,\n", "column 'rank', row 3: nothing is there"),
        ("user,item,score\n1,A,0.5\n1,B,high\n", "column 'score', row 3: 'high' is no number"),
        ("user,item\n1,A\n", "no column of ranks or scores"),
        ("who,item,rank\n1,A,1\n", "bad.csv has no column that looks like the user"),
        ("", "the file is empty"),
        ("user,item,rank\n", "bad.csv: there is no row in it"),
    ],
)
def test_errors_name_the_file_and_the_row(example_files, capsys, text, said):
    path = broken(example_files, "bad.csv", text)
    code, _, ended = run(capsys, path, "-t", example_files / "truth.csv", "-m", "mrr@2")
    assert code == 1
    assert said in ended
    assert ended.startswith("recsys-workbook evaluate: ")
    assert "bad.csv" in ended


def test_files_that_cannot_be_opened_are_reported(example_files, capsys):
    whole = (example_files / "old.parquet").read_bytes()
    (example_files / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    for name, said in (
        ("cut.parquet", "cut.parquet: cannot be read"),
        ("none.csv", "none.csv: there is no such file"),
        ("notes.txt", "notes.txt: not a CSV, TSV, Parquet, TREC or JSON (Lines) file"),
    ):
        if name.endswith("txt"):
            broken(example_files, name, "x")
        code, _, ended = run(capsys, example_files / name, "-t", example_files / "truth.csv")
        assert code == 1
        assert said in ended


def test_invalid_metrics_and_options_are_reported(example_files, capsys):
    for more, said in (
        (["-m", "ngcd@10"], "unknown measure 'ngcd'; did you mean 'ndcg'?"),
        (["-m", "coverage@10"], "-m coverage@10 needs --catalog N"),
        (["--engine", "dask"], "--engine is polars, duckdb or spark, not 'dask'"),
        (["--column", "who"], "--column 'who' is not ROLE=NAME"),
    ):
        code, _, ended = run(
            capsys, example_files / "new.csv", "-t", example_files / "truth.csv", *more
        )
        assert code == 1
        assert said in ended


def test_columns_can_be_named(example_files, capsys):
    renamed = pl.DataFrame(SHOWN).rename({"user": "who", "rank": "place"})
    renamed.write_csv(example_files / "named.csv")
    code, out, ended = run(
        capsys,
        example_files / "named.csv",
        "-t",
        example_files / "truth.csv",
        "-m",
        "mrr@2",
        "--column",
        "user=who",
        "--column",
        "rank=place",
        "--format",
        "json",
    )
    assert (code, ended) == (0, "")
    assert json.loads(out)["measures"]["reciprocal_rank@2"]["users"] == 3


def test_the_command_does_not_import_the_workbook(monkeypatch, example_files, capsys):
    for name in ("ipywidgets", "matplotlib", "IPython"):
        monkeypatch.setitem(sys.modules, name, None)
    code, _, _ = run(
        capsys, example_files / "new.csv", "-t", example_files / "truth.csv", "-m", "mrr@2"
    )
    assert code == 0


@every_engine
def test_errors_of_every_engine_name_the_file_and_the_row(example_files, capsys, engine):
    there_or_skip(engine)
    whole = (example_files / "old.parquet").read_bytes()
    (example_files / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    for name, text, said in (
        ("twice.csv", "user,item,rank\n1,A,1\n1,A,2\n", "row 3: user 1 has item 'A' a second time"),
        ("zero.csv", "user,item,rank\n1,A,1\n1,B,0\n", "column 'rank', row 3: the rank is 0"),
        ("words.csv", "user,item,score\n1,A,0.5\n1,B,high\n", "row 3: 'high' is no number"),
        ("short.csv", "user,item\n1,A\n", "no column of ranks or scores"),
        ("none.csv", "", "the file is empty"),
        ("cut.parquet", None, "cut.parquet"),
    ):
        path = example_files / name if text is None else broken(example_files, name, text)
        code, _, ended = run(
            capsys, path, "-t", example_files / "truth.csv", "-m", "mrr@2", "--engine", engine
        )
        assert code == 1
        assert said in ended
        assert "\n" not in ended


@every_engine
def test_values_can_be_grouped(example_files, capsys, engine):
    there_or_skip(engine)
    broken(example_files, "groups.csv", "user,segment\n1,old\n2,young\n3,young\n")
    asked = (
        example_files / "new.csv",
        "-t",
        example_files / "truth.csv",
        "-m",
        "mrr@2",
        "--engine",
        engine,
    )
    code, out, _ = run(capsys, *asked, "--groups", example_files / "groups.csv")
    assert code == 0
    assert "old (1)  young (2)" in out
    assert "No interval for reciprocal_rank@2 in group old: 1 user cannot show" in out
    code, out, _ = run(capsys, *asked, "--groups", example_files / "groups.csv", "--format", "json")
    groups = json.loads(out)["groups"]
    assert {group: each["reciprocal_rank@2"]["value"] for group, each in groups.items()} == {
        "old": 0.5,
        "young": 1.0,
    }


def test_json_has_no_nan(example_files, capsys):
    broken(example_files, "groups.csv", "user,segment\n1,old\n2,young\n3,young\n")
    broken(example_files, "none.csv", "user,item\n9,A\n")
    asked = (
        example_files / "new.csv",
        "-t",
        example_files / "none.csv",
        "-m",
        "mrr@2",
        "--format",
        "json",
    )
    code, out, _ = run(
        capsys,
        *asked,
        "--groups",
        example_files / "groups.csv",
        "--compare",
        example_files / "old.parquet",
    )
    assert code == 0

    def refuse(constant):
        raise AssertionError(constant)

    data = json.loads(out, parse_constant=refuse)
    assert data["groups"]["young"]["reciprocal_rank@2"]["value"] is None
    assert "No user has both a list and something relevant" in data["warnings"][0]


def test_example_files_can_be_written_and_evaluated(tmp_path, capsys):
    folder = tmp_path / "films"
    code, out, _ = run(capsys, "--example", folder)
    assert code == 0
    command = out.splitlines()[-1].split()
    assert command[:2] == ["recsys-workbook", "evaluate"]
    code, out, ended = run(capsys, *command[2:], "--format", "json")
    assert (code, ended) == (0, "")
    data = json.loads(out)
    assert set(data["groups"]) == {"knows few", "knows many"}
    assert 0 < data["measures"]["ndcg@10"]["value"] < 1


def test_the_example_has_a_default_folder_and_data_set(tmp_path, capsys, monkeypatch):
    from recsys_metrics.frames import _example

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_example, "content_folder", lambda: None)
    code, out, _ = run(capsys, "--example")
    assert (code, out.splitlines()[0]) == (
        0,
        "ratings that were simulated written to recsys-example; try",
    )
    code, out, ended = run(capsys, *out.splitlines()[-1].split()[2:], "--format", "json")
    assert (code, ended) == (0, "")
    data = json.loads(out)
    assert data["measures"]["ndcg@10"]["users"] > 300
    # Users prefer a genre, so that their own history tells more than what is popular.
    assert data["comparison"]["outcome"] == "better"
    code, _, ended = run(capsys, "--example", "one", "two")
    assert (code, ended) == (
        1,
        "recsys-workbook evaluate: --example writes to one folder, and 2 are named",
    )


def test_ids_and_names_are_escaped_for_spreadsheets_and_terminals(tmp_path, capsys):
    users = ["=1+1", "@SUM(A1)", "-5", "ann"]
    hostile = "g\x1b[31mRED\x1b]0;title\x07"
    new, truth, groups = (tmp_path / name for name in ("\x1b7new.csv", "truth.csv", "g.csv"))
    pl.DataFrame({"user": users, "item": "A", "rank": 1}).write_csv(new)
    pl.DataFrame({"user": users, "item": "A"}).write_csv(truth)
    pl.DataFrame({"user": users, "group": hostile}).write_csv(groups)
    each = tmp_path / "each.csv"
    asked = [new, "-t", truth, "-m", "mrr@1", "--groups", groups, "--per-user", each]
    code, out, _ = run(capsys, *asked)
    assert code == 0
    assert out.replace("\n", "").isprintable()
    assert "g\\x1b[31mRED" in out
    assert sorted(pl.read_csv(each)["user"]) == ["'=1+1", "'@SUM(A1)", "-5", "ann"]
    _, _, ended = run(capsys, new, "-t", tmp_path / "\x1b7no.csv", "-m", "mrr@1")
    assert "\\x1b7no.csv" in ended
    assert ended.isprintable()


def test_internal_errors_are_not_reported_as_user_errors(example_files, capsys, monkeypatch):
    from recsys_metrics import frames

    def broken(*tables, **options):
        raise TypeError("a fault in the library")

    monkeypatch.setattr(frames, "evaluate", broken)
    with pytest.raises(TypeError, match="a fault in the library"):
        run(capsys, example_files / "new.csv", "-t", example_files / "truth.csv", "-m", "mrr@2")


def test_a_missing_output_folder_is_reported_before_evaluation(example_files, capsys):
    each = example_files / "no" / "each.csv"
    asked = [
        example_files / "new.csv",
        "-t",
        example_files / "truth.csv",
        "-m",
        "mrr@2",
        "--per-user",
        each,
    ]
    code, out, ended = run(capsys, *asked)
    assert (code, out) == (1, "")
    assert f"{each.parent} is no folder; make it first" in ended


def test_an_example_replaces_a_symbolic_link_and_not_its_target(tmp_path, capsys):
    kept = tmp_path / "kept.csv"
    kept.write_text("mine")
    (tmp_path / "films").mkdir()
    (tmp_path / "films" / "truth.csv").symlink_to(kept)
    code, _, _ = run(capsys, "--example", tmp_path / "films")
    assert code == 0
    assert kept.read_text() == "mine"
    assert not (tmp_path / "films" / "truth.csv").is_symlink()
    assert {file.name for file in (tmp_path / "films").iterdir()} == {
        "groups.csv",
        "history.parquet",
        "knn.parquet",
        "popular.csv",
        "truth.csv",
    }


def test_per_user_values_are_not_written_through_a_symbolic_link(example_files, capsys):
    link = example_files / "each.csv"
    link.symlink_to(example_files / "target.csv")
    asked = [
        example_files / "new.csv",
        "-t",
        example_files / "truth.csv",
        "-m",
        "mrr@2",
        "--per-user",
        link,
    ]
    code, _, ended = run(capsys, *asked)
    assert code == 1
    assert "each.csv is there already and stays as it is" in ended
    assert not (example_files / "target.csv").exists()
