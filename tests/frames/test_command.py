"""`recsys-workbook evaluate`: files in, a report out, and errors that say where."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

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
    for said in ("mrr", "0.833", "coverage@2", "0.750", "last basket"):
        assert said in out
    assert "By mrr@2: no conclusion, 3 users are too few" in out
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
    assert frame["mrr@2"].to_list() == [0.5, 1, 1]
    before = (example_files / name).read_bytes()
    code, _, ended = run(capsys, *asked, "--per-user", example_files / name)
    assert code == 1
    assert f"{name} is there already and stays as it is" in ended
    assert (example_files / name).read_bytes() == before


@every_engine
def test_the_report_is_saved_to_a_file(example_files, capsys, engine):
    there_or_skip(engine)
    file = example_files / "report.json"
    truth = ("-t", example_files / "truth.csv", "-m", "mrr@2", "--engine", engine)
    asked = (example_files / "new.csv", *truth, "--save-report", file)
    code, out, _ = run(capsys, *asked)
    report = rm.Report.load(file)
    assert code == 0
    assert "0.833" in out
    assert sorted(report["mrr@2"].per_user.tolist()) == [0.5, 1, 1]
    before = file.read_bytes()
    code, _, ended = run(capsys, *asked)
    assert code == 1
    assert "report.json is there already and stays as it is; give --save-report a new name" in ended
    assert file.read_bytes() == before
    two = (example_files / "new.csv", example_files / "old.parquet", *truth)
    code, _, ended = run(capsys, *two, "--save-report", example_files / "two.json")
    assert code == 1
    assert "--save-report is of one file of lists, and RECS names 2" in ended


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
    for step in (b"reading the files", b"evaluating new.csv", b"evaluating old.parquet"):
        assert step in shown
    assert b"comparing user by user" in shown
    assert b"writing each.csv" in shown
    assert b"4/5" in shown
    assert "mrr@2" in report
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
        (["-m", "ngcd@10"], "unknown metric 'ngcd'; did you mean 'ndcg'?"),
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
    assert json.loads(out)["measures"]["mrr@2"]["users"] == 3


@pytest.mark.parametrize("metric", ["serendipity@2", "novelty@2"])
def test_a_history_may_be_text_with_whole_numbers(example_files, capsys, metric):
    broken(example_files, "history.csv", "user,item\n1,A\n2,B\n9,C\n")
    code, out, ended = run(
        capsys,
        example_files / "new.csv",
        "-t",
        example_files / "truth.csv",
        "--history",
        example_files / "history.csv",
        "-m",
        metric,
        "--format",
        "json",
    )
    assert (code, ended) == (0, "")
    assert json.loads(out)["measures"][metric]["users"] == 3


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
    assert "No confidence interval for mrr@2 in group old: 1 user cannot show" in out
    code, out, _ = run(capsys, *asked, "--groups", example_files / "groups.csv", "--format", "json")
    groups = json.loads(out)["groups"]
    assert {group: each["mrr@2"]["value"] for group, each in groups.items()} == {
        "old": 0.5,
        "young": 1.0,
    }


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "\n\nuser,item,rank\n1,A,1\n", r"a\.csv, row 1: the line is blank"),
        ("a.csv", "sep=,\nuser,item,rank\n1,A,1\n", r"row 1: the line 'sep=,' is for Excel"),
        ("a.csv", b"\xef\xbb\xbf", r"a\.csv: there is nothing in the file but a byte-order mark"),
        ("a.csv", gzip.compress(b"user,item,rank\n", mtime=0), r"a\.csv: compressed with gzip"),
        ("a.json", '{"1": ["\\ud83d"]}', r"a\.json: not JSON: .ud83d is half a character"),
        (
            "a.jsonl",
            '{"user": 1, "item": "A", "rank": 1}\n{"user": 1, "item": "\\ud83d", "rank": 2}\n',
            r"a\.jsonl, line 2: not a JSON object: .ud83d is half a character",
        ),
        (
            "a.jsonl",
            '{"user": 1, "item": "A", "score": 1}\n{"user": 1, "item": "B", "score": 1e5000}\n',
            r"a\.jsonl.*(line|row) 2",
        ),
    ],
    ids=["blank", "sep", "mark", "gzip", "half in JSON", "half in lines", "1e5000"],
)
def test_files_with_an_odd_beginning_or_text_are_named(name, content, said, example_files, capsys):
    file = example_files / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    code, _, ended = run(capsys, file, "-t", example_files / "truth.csv", "-m", "mrr@2")
    assert code
    assert re.search(said, ended)


def test_lines_after_a_byte_order_mark_are_read(example_files, capsys):
    file = example_files / "a.jsonl"
    lines = [{"user": 1, "item": "A", "rank": 1}, {"user": 2, "item": "B", "rank": 1}]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    asked = ("-t", example_files / "truth.csv", "-m", "mrr@2", "--format", "json")
    outputs = []
    for encoding in ("utf-8", "utf-8-sig"):
        file.write_text(text, encoding=encoding)
        outputs.append(run(capsys, file, *asked))
    assert outputs[0] == outputs[1]
    assert outputs[0][0] == 0


def test_outputs_have_a_known_format_and_names_of_their_own(example_files, capsys):
    asked = (example_files / "new.csv", "-t", example_files / "truth.csv", "-m", "mrr@2")
    code, _, said = run(capsys, *asked, "--per-user", example_files / "pu.xlsx")
    assert code
    assert "let the name end in .csv, .parquet or .pq" in said
    same = example_files / "same.csv"
    code, _, said = run(capsys, *asked, "--per-user", same, "--save-config", same)
    assert code
    assert "--per-user and --save-config both name" in said
    assert not same.exists()
    (example_files / "folder").mkdir()
    other = example_files / "folder" / ".." / "new.csv"
    code, _, said = run(capsys, asked[0], other, *asked[1:])
    assert code
    assert f"RECS names {other} twice" in said
    code, _, said = run(capsys, *asked, "--compare", other)
    assert code
    assert "these are the lists to compare; name others" in said


def test_users_without_a_group_are_counted(example_files, capsys):
    broken(example_files, "groups.csv", "user,segment\n1,old\n3,young\n")
    asked = (example_files / "new.csv", "-t", example_files / "truth.csv", "-m", "mrr@2")
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["evaluate", *map(str, asked), "--groups", str(example_files / "groups.csv")])
    out, said = capsys.readouterr()
    assert "old (1)  young (1)" in out
    assert said.startswith("1 of 3 users have no row in ")
    assert said.endswith("groups.csv and are in no group\n")


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
    assert data["groups"]["young"]["mrr@2"]["value"] is None
    assert "No user has both a list and something relevant" in data["warnings"][0]


def test_example_files_can_be_written_and_evaluated(tmp_path, capsys):
    folder = tmp_path / "shop"
    code, out, _ = run(capsys, "--example", folder)
    assert code == 0
    command = out.splitlines()[-1].split()
    assert command[:2] == ["recsys-workbook", "evaluate"]
    code, out, ended = run(capsys, *command[2:], "--format", "json")
    assert (code, ended) == (0, "")
    data = json.loads(out)
    assert set(data["groups"]) == {"new", "regular"}
    assert 0 < data["measures"]["ndcg@10"]["value"] < 1


def test_the_example_has_a_default_folder_and_data_set(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(capsys, "--example")
    assert (code, out.splitlines()[0]) == (
        0,
        "clicks of a simulated shop written to recsys-example; try",
    )
    code, out, ended = run(capsys, *out.splitlines()[-1].split()[2:], "--format", "json")
    assert (code, ended) == (0, "")
    data = json.loads(out)
    assert data["measures"]["ndcg@10"]["users"] > 300
    # Customers prefer categories, so that their own history tells more than what is popular.
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
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "truth.csv").symlink_to(kept)
    code, _, _ = run(capsys, "--example", tmp_path / "shop")
    assert code == 0
    assert kept.read_text() == "mine"
    assert not (tmp_path / "shop" / "truth.csv").is_symlink()
    assert {file.name for file in (tmp_path / "shop").iterdir()} == {
        "categories.csv",
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


# An item of several categories has a row for each, or one row with `|` between them.
CATEGORIES = {
    "csv": "movieId,genres\nA,Drama|War\nB,Drama\nC,Comedy\nD,War\n",
    "jsonl": "".join(
        json.dumps({"item": item, "category": category}) + "\n"
        for item, category in [
            *zip("AABCD", ("Drama", "War", "Drama", "Comedy", "War"), strict=True)
        ]
    ),
    "json": json.dumps({"A": ["Drama", "War"], "B": "Drama", "C": "Comedy", "D": "War"}),
}


@pytest.mark.parametrize("kind", CATEGORIES)
def test_categories_are_read_from_a_file(example_files, capsys, monkeypatch, kind):
    monkeypatch.chdir(example_files)
    (example_files / f"genres.{kind}").write_text(CATEGORIES[kind])
    pl.DataFrame({"user": [1, 2, 3], "item": ["D", "B", "C"]}).write_csv("history.csv")
    wanted = ["ild@2", "unexpectedness@2", "genre_calibration@2", "subtopic_recall@2"]
    options = [text for name in wanted for text in ("-m", name)]
    code, out, ended = run(
        capsys,
        *("new.csv", "-t", "truth.csv", "--features", f"genres.{kind}", *options),
        *("--history", "history.csv", "--format", "json"),
    )
    assert (code, ended) == (0, "")
    printed = json.loads(out)["measures"]
    report = rm.evaluate(
        {1: ["A", "B"], 2: ["A", "C"], 3: ["B"]},
        {1: {"B": 2}, 2: {"A": 1}, 3: {"B": 3, "C": 1}},
        wanted,
        history={1: {"D"}, 2: {"B"}, 3: {"C"}},
        features={"A": {"Drama", "War"}, "B": {"Drama"}, "C": {"Comedy"}, "D": {"War"}},
    )
    means = [values["value"] for values in printed.values()]
    assert means == pytest.approx([result.mean for result in report.values()])


def test_an_item_without_a_category_is_named(example_files, capsys, monkeypatch):
    monkeypatch.chdir(example_files)
    (example_files / "genres.csv").write_text("item,genre\nA,Drama\nB,\n")
    given = ("new.csv", "-t", "truth.csv", "-m", "ild@2", "--features", "genres.csv")
    _, _, ended = run(capsys, *given)
    assert "genres.csv, column 'genre', row 3: nothing is there" in ended
    (example_files / "genres.csv").write_text("item,genre\nA,Drama\nB,War\n")
    _, _, ended = run(capsys, *given)
    assert "'C'" in ended


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["-t", "truth.csv"], "'--truth': it is given 2 times; give it once"),
        (["--engine", "polars", "--engine", "duckdb"], "'--engine': it is given 2 times"),
    ],
)
def test_an_option_of_one_value_is_given_once(example_files, capfd, more, says):
    with pytest.raises(SystemExit) as end:
        main(["evaluate", "new.csv", "-t", "truth.csv", *more])
    assert end.value.code == 2
    assert says in capfd.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["-k", "2", "-m", "recall@3"], "-k 2: every metric has a cut-off; write -m without one"),
        (
            ["--save-report", "o.json", "--save-config", "o.json"],
            "--save-report and --save-config both name o.json",
        ),
        (["--per-user", "o.csv", "--save-report", "./O.csv"], "--per-user and --save-report both"),
        (["--column", "user=a", "--column", "user=b"], "--column names user twice: 'a' and 'b'"),
    ],
)
def test_options_that_contradict_each_other_end_the_command_first(tmp_path, capsys, more, says):
    lists = tmp_path / "lists.csv"
    lists.write_text("user,item,rank\n1,A,1\n")
    truth = tmp_path / "truth.csv"
    truth.write_text("user,item\n1,A\n")
    code, _, ended = run(capsys, lists, "-t", truth, *more)
    assert (code, says in ended) == (1, True)
    code, _, ended = run(capsys, lists, "-t", lists)
    assert "RECS and --truth both name" in ended


def test_cut_offs_alone_are_those_of_the_default_metrics(tmp_path, capsys):
    lists, truth = tmp_path / "lists.csv", tmp_path / "truth.csv"
    lists.write_text("user,item,rank\n1,A,1\n1,B,2\n1,C,3\n")
    truth.write_text("user,item\n1,B\n")
    _, out, _ = run(capsys, lists, "-t", truth, "-k", "1", "-k", "2", "--format", "json")
    values = {name: each["value"] for name, each in json.loads(out)["measures"].items()}
    assert [*values] == [f"{name}@{k}" for name in ("ndcg", "recall", "hit_rate") for k in (1, 2)]
    assert (values["recall@1"], values["recall@2"]) == (0, 1)


def test_an_example_replaces_nothing_of_the_users(tmp_path, capsys):
    (tmp_path / "truth.csv").write_text("mine")
    code, _, ended = run(capsys, tmp_path, "--example")
    assert (code, "truth.csv is there already and stays as it is" in ended) == (1, True)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("truth.csv", "mine")]
    code, _, ended = run(capsys, tmp_path / "truth.csv", "--example")
    assert (code, "a file is there; name a folder" in ended) == (1, True)
    (tmp_path / "truth.csv").unlink()
    for _ in range(2):
        assert run(capsys, tmp_path, "--example")[0] == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_output_that_cannot_be_written_or_encoded(tmp_path):
    lists, truth = tmp_path / "lists.csv", tmp_path / "truth.csv"
    lists.write_text("user,item,rank\n1,A,1\n")
    truth.write_text("user,item\n1,A\n")
    call = [sys.executable, "-m", "recsys_metrics.cli", "evaluate", lists, "-t", truth]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "the output cannot be written: No space left on device" in done.stderr
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    split = ["--split", "über 😀"]
    for form in ("text", "json"):
        done = subprocess.run(
            [*call, *split, "--format", form], capture_output=True, text=True, env=environment
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert "\\u00fcber \\ud83d\\ude00" in done.stdout
    assert json.loads(done.stdout)["protocol"]["split"] == split[1]


def test_a_report_on_unsigned_ids_of_64_bits_is_saved(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    users = pl.Series([2**63 + 5, 2**64 - 1], dtype=pl.UInt64)
    pl.DataFrame({"user": users, "item": ["a", "a"]}).write_parquet("truth.parquet")
    pl.DataFrame({"user": users, "item": ["a", "a"], "rank": [1, 1]}).write_parquet("r.parquet")
    asked = ["r.parquet", "-t", "truth.parquet", "-m", "mrr@3", "--save-report", "s.json"]
    code, out, _ = run(capsys, *asked)
    assert code == 0
    assert "1.000" in out
    assert [*rm.Report.load("s.json").users] == users.to_list()


def test_groups_are_in_a_saved_report(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    users = [f"u{n}" for n in range(40)]
    pl.DataFrame({"user": users, "item": ["a"] * 40, "rank": [1] * 40}).write_csv("lists.csv")
    pl.DataFrame({"user": users, "item": ["a"] * 40}).write_csv("truth.csv")
    pl.DataFrame({"user": users[:30], "group": ["new"] * 10 + ["old"] * 20}).write_csv("groups.csv")
    options = ["--truth", "truth.csv", "-m", "hit_rate@1", "--groups", "groups.csv"]
    with pytest.raises(SystemExit):
        main(["evaluate", "lists.csv", *options, "--save-report", "main.json"])
    assert rm.Report.load("main.json").by("group").sizes == {"new": 10, "old": 20}


@pytest.mark.parametrize("command", ["evaluate", "gate"])
def test_repeats_and_samples_are_options(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    users = [f"u{n}" for n in range(40)]
    lists = {"user": users * 2, "item": ["a"] * 80, "rank": [1] * 40 + [2] * 40}
    for name in ("new.csv", "old.csv"):
        pl.DataFrame(lists).write_csv(name)
    pl.DataFrame({"user": users, "item": ["a"] * 40}).write_csv("truth.csv")
    Path("gate.toml").write_text("[[check]]\nmetric = 'recall@2'\nmargin = 0.1\n")
    files = {"evaluate": ["new.csv"], "gate": ["new.csv", "old.csv", "--config", "gate.toml"]}
    options = [command, *files[command], "--truth", "truth.csv"]
    options += ["-m", "recall@2"] if command == "evaluate" else []
    with pytest.raises(SystemExit) as ended:
        main(options)
    said = str(ended.value.code) + capsys.readouterr().err
    assert "new.csv, row 42: user 'u0' has item 'a' a second time; keep one of the rows" in said
    assert "take repeats out: --repeats drop. The lists of several recommenders go into" in said
    with pytest.raises(SystemExit) as ended:
        main([*options, "--repeats", "drop", "--sampled", "99"])
    assert ended.value.code in (0, None)
    out = " ".join(capsys.readouterr().out.split())
    if command == "evaluate":
        assert "repeats 40; taken out, and what follows moves up" in out
        assert "a sample: the relevant items and 99 others" in out
    with pytest.raises(SystemExit) as ended:
        main([*options, "--repeats", "keep"])
    said = str(ended.value.code) + capsys.readouterr().err
    assert "--repeats is raise, drop or blank, not 'keep'" in said


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("repeats", ["drop", "blank"])
def test_repeated_relevant_items_count_once_and_contradict_no_other(
    tmp_path, monkeypatch, capsys, engine, repeats
):
    monkeypatch.chdir(tmp_path)
    Path("lists.csv").write_text("user,item,rank\nu1,a,1\nu2,b,1\n")
    Path("truth.csv").write_text("user,item,grade\nu1,a,2\nu2,b,1\nu1,a,2\n")
    options = ["evaluate", "lists.csv", "--truth", "truth.csv", "--engine", engine]
    with pytest.raises(SystemExit) as ended:
        main([*options, "--repeats", repeats])
    assert ended.value.code in (0, None)
    out = " ".join(capsys.readouterr().out.split())
    assert "repeats none; " in out
    assert "; 1 among the relevant items, which count once" in out
    Path("truth.csv").write_text("user,item,grade\nu1,a,2\nu2,b,1\nu1,a,5\n")
    with pytest.raises(SystemExit) as ended:
        main([*options, "--repeats", repeats])
    said = str(ended.value.code) + capsys.readouterr().err
    words = "(user 'u1' has item 'a' with the grades 2 and 5); keep the grade that counts"
    assert "truth.csv has 1 pair" in said
    assert words in said


def test_what_is_stated_is_printed_and_saved(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"user": ["u"], "item": ["a"], "rank": [1]}).write_csv("lists.csv")
    pl.DataFrame({"user": ["u"], "item": ["a"]}).write_csv("truth.csv")
    stated = ["--candidates", "all but what was bought", "--seed", "7", "--save-config", "run.toml"]
    with pytest.raises(SystemExit):
        main(["evaluate", "lists.csv", "--truth", "truth.csv", *stated, "--save-report", "a.json"])
    with pytest.raises(SystemExit):
        main(["evaluate", "lists.csv", "--config", "run.toml", "--save-report", "b.json"])
    for name in ("a.json", "b.json"):
        protocol = rm.Report.load(name).protocol
        assert (protocol.candidates, protocol.seed) == ("all but what was bought", "7")
