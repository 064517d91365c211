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
def files(tmp_path):
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


def test_a_report_and_a_comparison(files, capsys):
    code, out, _ = run(
        capsys,
        files / "new.csv",
        "-t",
        files / "truth.csv",
        "-m",
        "mrr",
        "-m",
        "coverage",
        "-k",
        "2",
        "--catalog",
        "4",
        "--compare",
        files / "old.parquet",
        "--split",
        "last basket",
    )
    assert code == 0
    for said in ("reciprocal_rank", "0.833", "catalog_coverage", "0.750", "last basket"):
        assert said in out
    assert "By reciprocal_rank@2: do not ship" in out
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
def test_json_is_the_same_from_every_engine(files, capsys, engine):
    there_or_skip(engine)
    code, out, _ = run(
        capsys,
        files / "new.csv",
        "-t",
        files / "truth.csv",
        "-m",
        "ndcg@2",
        "--format",
        "json",
        "--compare",
        files / "old.parquet",
        "--engine",
        engine,
    )
    data = json.loads(out)
    assert code == 0
    assert data["measures"]["ndcg@2"]["users"] == 3
    lists = [["A", "B"], ["A", "C"], ["B"]]
    arrays = rm.evaluate(lists, [{"B": 2}, {"A": 1}, {"B": 3, "C": 1}], ["ndcg@2"])
    assert data["measures"]["ndcg@2"]["value"] == pytest.approx(arrays["ndcg@2"].mean)
    assert data["comparison"]["ship"] is False
    assert data["comparison"]["decided_on"] == "ndcg@2"
    assert data["protocol"]["lists"] == "3, of 1 to 2 items"


@every_engine
@pytest.mark.parametrize("name", ["each.parquet", "each.csv"])
def test_values_of_every_user_go_to_a_file(files, capsys, name, engine):
    there_or_skip(engine)
    asked = (files / "new.csv", "-t", files / "truth.csv", "-m", "mrr@2", "--engine", engine)
    code, _, _ = run(capsys, *asked, "--per-user", files / name)
    read = pl.read_parquet if name.endswith("parquet") else pl.read_csv
    frame = read(files / name).sort("user")
    assert code == 0
    assert frame["reciprocal_rank@2"].to_list() == [0.5, 1, 1]
    before = (files / name).read_bytes()
    code, _, ended = run(capsys, *asked, "--per-user", files / name)
    assert code == 1
    assert f"{name} is there already and stays as it is" in ended
    assert (files / name).read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is a thing of POSIX")
def test_a_terminal_sees_the_steps_and_a_pipe_only_the_report(files):
    import pty

    command = [sys.executable, "-m", "recsys_metrics.cli", "evaluate", "new.csv", "-t", "truth.csv"]
    command += ["-m", "mrr@2", "--compare", "old.parquet", "--per-user", "each.csv"]
    ours, theirs = pty.openpty()
    done = subprocess.Popen(
        command,
        cwd=files,
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


def test_colours_that_are_forced_make_no_terminal(files, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with pytest.raises(SystemExit):
        main(["evaluate", str(files / "new.csv"), "-t", str(files / "truth.csv"), "-m", "mrr@2"])
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
def test_the_file_and_the_row_at_fault_are_named(files, capsys, text, said):
    path = broken(files, "bad.csv", text)
    code, _, ended = run(capsys, path, "-t", files / "truth.csv", "-m", "mrr@2")
    assert code == 1
    assert said in ended
    assert ended.startswith("recsys-workbook evaluate: ")
    assert "bad.csv" in ended


def test_files_that_cannot_be_opened(files, capsys):
    whole = (files / "old.parquet").read_bytes()
    (files / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    for name, said in (
        ("cut.parquet", "cut.parquet: cannot be read"),
        ("none.csv", "none.csv: there is no such file"),
        ("notes.txt", "notes.txt: not a CSV, TSV, Parquet, TREC or JSON (Lines) file"),
    ):
        if name.endswith("txt"):
            broken(files, name, "x")
        code, _, ended = run(capsys, files / name, "-t", files / "truth.csv")
        assert code == 1
        assert said in ended


def test_measures_and_options_that_cannot_be_read(files, capsys):
    for more, said in (
        (["-m", "ngcd@10"], "unknown measure 'ngcd'; did you mean 'ndcg'?"),
        (["-m", "coverage@10"], "-m coverage@10 needs --catalog N"),
        (["--engine", "dask"], "--engine is polars, duckdb or spark, not 'dask'"),
        (["--column", "who"], "--column 'who' is not ROLE=NAME"),
    ):
        code, _, ended = run(capsys, files / "new.csv", "-t", files / "truth.csv", *more)
        assert code == 1
        assert said in ended


def test_columns_by_name(files, capsys):
    renamed = pl.DataFrame(SHOWN).rename({"user": "who", "rank": "place"})
    renamed.write_csv(files / "named.csv")
    code, out, ended = run(
        capsys,
        files / "named.csv",
        "-t",
        files / "truth.csv",
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


def test_it_needs_no_workbook(monkeypatch, files, capsys):
    for name in ("ipywidgets", "matplotlib", "IPython"):
        monkeypatch.setitem(sys.modules, name, None)
    code, _, _ = run(capsys, files / "new.csv", "-t", files / "truth.csv", "-m", "mrr@2")
    assert code == 0


@every_engine
def test_every_engine_names_the_file_and_the_row(files, capsys, engine):
    there_or_skip(engine)
    whole = (files / "old.parquet").read_bytes()
    (files / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    for name, text, said in (
        ("twice.csv", "user,item,rank\n1,A,1\n1,A,2\n", "row 3: user 1 has item 'A' a second time"),
        ("zero.csv", "user,item,rank\n1,A,1\n1,B,0\n", "column 'rank', row 3: the rank is 0"),
        ("words.csv", "user,item,score\n1,A,0.5\n1,B,high\n", "row 3: 'high' is no number"),
        ("short.csv", "user,item\n1,A\n", "no column of ranks or scores"),
        ("none.csv", "", "the file is empty"),
        ("cut.parquet", None, "cut.parquet"),
    ):
        path = files / name if text is None else broken(files, name, text)
        code, _, ended = run(
            capsys, path, "-t", files / "truth.csv", "-m", "mrr@2", "--engine", engine
        )
        assert code == 1
        assert said in ended
        assert "\n" not in ended


@every_engine
def test_values_for_each_group(files, capsys, engine):
    there_or_skip(engine)
    broken(files, "groups.csv", "user,segment\n1,old\n2,young\n3,young\n")
    asked = (files / "new.csv", "-t", files / "truth.csv", "-m", "mrr@2", "--engine", engine)
    code, out, _ = run(capsys, *asked, "--groups", files / "groups.csv")
    assert code == 0
    assert "old (1)  young (2)" in out
    assert "No interval for reciprocal_rank@2 in group old: 1 user cannot show" in out
    code, out, _ = run(capsys, *asked, "--groups", files / "groups.csv", "--format", "json")
    groups = json.loads(out)["groups"]
    assert {group: each["reciprocal_rank@2"]["value"] for group, each in groups.items()} == {
        "old": 0.5,
        "young": 1.0,
    }


def test_json_has_no_nan(files, capsys):
    broken(files, "groups.csv", "user,segment\n1,old\n2,young\n3,young\n")
    broken(files, "none.csv", "user,item\n9,A\n")
    asked = (files / "new.csv", "-t", files / "none.csv", "-m", "mrr@2", "--format", "json")
    code, out, _ = run(
        capsys, *asked, "--groups", files / "groups.csv", "--compare", files / "old.parquet"
    )
    assert code == 0

    def refuse(constant):
        raise AssertionError(constant)

    data = json.loads(out, parse_constant=refuse)
    assert data["groups"]["young"]["reciprocal_rank@2"]["value"] is None
    assert "No user has both a list and something relevant" in data["warnings"][0]


def test_example_files_and_the_command_for_them(tmp_path, capsys):
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


def test_the_example_has_a_folder_and_data_by_default(tmp_path, capsys, monkeypatch):
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
    assert data["comparison"]["ship"]
    code, _, ended = run(capsys, "--example", "one", "two")
    assert (code, ended) == (
        1,
        "recsys-workbook evaluate: --example writes to one folder, and 2 are named",
    )


def test_no_id_runs_in_a_spreadsheet_and_no_name_moves_the_terminal(tmp_path, capsys):
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


def test_a_fault_of_ours_is_not_told_as_the_users(files, capsys, monkeypatch):
    from recsys_metrics import frames

    def broken(*tables, **options):
        raise TypeError("a fault in the library")

    monkeypatch.setattr(frames, "evaluate", broken)
    with pytest.raises(TypeError, match="a fault in the library"):
        run(capsys, files / "new.csv", "-t", files / "truth.csv", "-m", "mrr@2")


def test_a_folder_that_is_not_there_is_said_before_anything_is_evaluated(files, capsys):
    each = files / "no" / "each.csv"
    asked = [files / "new.csv", "-t", files / "truth.csv", "-m", "mrr@2", "--per-user", each]
    code, out, ended = run(capsys, *asked)
    assert (code, out) == (1, "")
    assert f"{each.parent} is no folder; make it first" in ended


def test_an_example_replaces_a_link_and_not_what_it_leads_to(tmp_path, capsys):
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


def test_values_of_each_user_are_not_written_through_a_link(files, capsys):
    link = files / "each.csv"
    link.symlink_to(files / "target.csv")
    asked = [files / "new.csv", "-t", files / "truth.csv", "-m", "mrr@2", "--per-user", link]
    code, _, ended = run(capsys, *asked)
    assert code == 1
    assert "each.csv is there already and stays as it is" in ended
    assert not (files / "target.csv").exists()
