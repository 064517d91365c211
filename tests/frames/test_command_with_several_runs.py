"""Several files of lists at once, the forms of what is printed, and options that are refused."""

from __future__ import annotations

import json

import pytest

import recsys_metrics as rm
from recsys_metrics.cli import main
from tests.frames.test_command import run

pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")

USERS = [f"u{number}" for number in range(60)]
LISTS = {
    "ease": {user: ["A", "B"] for user in USERS},
    "knn": {user: ["A", "B"] if number < 20 else ["B", "C"] for number, user in enumerate(USERS)},
    "popular": {user: ["B", "C"] for user in USERS},
}
TRUTH = {user: ["A"] for user in USERS}


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Three files of lists, each of another kind, and of what is relevant."""
    monkeypatch.chdir(tmp_path)
    rows = {
        name: [
            {"user": user, "item": item, "rank": rank}
            for user, items in lists.items()
            for rank, item in enumerate(items, start=1)
        ]
        for name, lists in LISTS.items()
    }
    pl.DataFrame(rows["ease"]).write_parquet("ease.parquet")
    rm.convert.write_run("knn.run", LISTS["knn"])
    (tmp_path / "popular.jsonl").write_text("\n".join(map(json.dumps, rows["popular"])))
    rm.convert.write_qrels("truth.qrels", {user: set(items) for user, items in TRUTH.items()})
    return "ease.parquet", "knn.run", "popular.jsonl", "-t", "truth.qrels", "-m", "hit_rate@1"


def test_several_files_make_a_leaderboard(runs, capsys):
    code, out, ended = run(capsys, *runs)
    assert (code, ended) == (0, "")
    assert out.startswith("3 recommenders\n")
    assert "a ease.parquet   1.000 ᵇᶜ" in out
    assert "b knn.run        0.333 ᶜ" in out
    # Each number with its interval and its protocol below.
    assert out.count("How this came about") == 4
    assert "0.333 [0." in out


def test_the_leaderboard_is_printed_alone(runs, capsys):
    _, whole, _ = run(capsys, *runs)
    _, table, _ = run(capsys, *runs, "--table-only")
    assert whole.startswith(table.rstrip("\n"))
    assert table.count("How this came about") == 1
    _, out, _ = run(capsys, *runs, "--table-only", "--format", "json")
    assert [*json.loads(out)] == ["leaderboard"]
    for form in ("markdown", "latex", "html"):
        _, whole, _ = run(capsys, *runs, "--format", form)
        _, table, _ = run(capsys, *runs, "--table-only", "--format", form)
        assert "3 recommenders" in table
        assert len(table) < len(whole) / 2


def test_a_comparison_is_printed_alone_and_one_report_has_no_table(runs, capsys):
    options = [*runs[3:], "--compare", "popular.jsonl"]
    _, whole, _ = run(capsys, "ease.parquet", *options)
    _, table, _ = run(capsys, "ease.parquet", *options, "--table-only")
    assert table.startswith("ease.parquet against popular.jsonl")
    assert whole.endswith(table)
    _, out, _ = run(capsys, "ease.parquet", *options, "--table-only", "--format", "json")
    assert [*json.loads(out)] == ["name", "comparison"]
    _, out, ended = run(capsys, "ease.parquet", *runs[3:], "--table-only")
    assert not out
    assert "--table-only prints the leaderboard of several files, and RECS names one; name" in ended


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_the_leaderboard_equals_compare_many(runs, capsys, engine):
    pytest.importorskip(engine, reason=f"{engine} is not installed")
    _, out, ended = run(capsys, *runs, "-m", "mrr@2", "--engine", engine, "--format", "json")
    assert ended == ""
    data = json.loads(out)
    truth = {user: set(items) for user, items in TRUTH.items()}
    names = {"ease": "ease.parquet", "knn": "knn.run", "popular": "popular.jsonl"}
    reports = [
        rm.evaluate(lists, truth, ["hit_rate@1", "mrr@2"], name=names[name])
        for name, lists in LISTS.items()
    ]
    board = rm.compare_many(reports)
    assert data["leaderboard"]["order"] == [*board.by_report]
    assert [report["name"] for report in data["reports"]] == [*names.values()]
    for pair in data["leaderboard"]["pairs"]:
        theirs = board[pair["measure"]][pair["new"], pair["old"]]
        assert pair["gain"] == pytest.approx(theirs.gain, abs=1e-12)
        assert pair["p_adjusted"] == pytest.approx(theirs.p_adjusted, rel=1e-9)
    assert data["leaderboard"]["better_than"]["knn.run"]["hit_rate@1"] == ["popular.jsonl"]
    assert data["leaderboard"]["any_difference"]["hit_rate@1"] < 1e-6


@pytest.mark.parametrize("more", [(), ("knn.run",)], ids=["apart", "among them"])
def test_all_runs_can_be_compared_with_one(runs, capsys, more):
    asked = [each for each in runs if each != "knn.run"]
    code, out, _ = run(capsys, *more, *asked, "--compare", "knn.run")
    assert code == 0
    assert out.startswith("3 recommenders against knn.run\n")
    assert "1.000 ⁺" in out
    assert "0.000 ⁻" in out


def test_groups_apply_to_every_file(runs, capsys):
    pl.DataFrame({"user": USERS, "group": ["x"] * 20 + ["y"] * 40}).write_csv("groups.csv")
    asked = ("ease.parquet", *runs[1:], "--groups", "groups.csv")
    _, out, _ = run(capsys, *asked[:1], *asked[2:], "--compare", "knn.run", "--format", "json")
    of_knn = json.loads(out)["reports"][2]["groups"]
    assert of_knn["x"]["hit_rate@1"]["value"] == 1
    assert of_knn["y"]["hit_rate@1"]["value"] == 0


@pytest.mark.parametrize(
    ("form", "parts"),
    [
        ("markdown", ["**3 recommenders**", "| a ease.parquet | 1.000 ᵇᶜ |", "**knn.run**"]),
        ("latex", [r"a ease.parquet & 1.000$^{bc}$ \\", r"\caption{knn.run. "]),
        ("html", ['<meta charset="utf-8">', "<strong>3 recommenders</strong>", "</html>"]),
    ],
)
def test_output_formats_are_written(runs, capsys, form, parts):
    code, out, _ = run(capsys, *runs, "--format", form)
    assert code == 0
    for part in parts:
        assert part in out


def test_file_names_are_escaped_in_html(runs, capsys, tmp_path):
    (tmp_path / "knn.run").rename(tmp_path / "<b>&.run")
    _, out, _ = run(capsys, "<b>&.run", *runs[3:], "--format", "html")
    assert "<b>" not in out
    assert "<title>&lt;b&gt;&amp;.run</title>" in out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["knn.run"], "RECS names knn.run twice; name each file once"),
        (["--per-user", "x.csv"], "--per-user is of one file of lists, and RECS names 3"),
        (["--format", "xml"], "--format is text, markdown, latex, html or json, not 'xml'"),
        (["--threshold", "nan"], "--threshold is the lowest grade"),
        (["-m", "novelty@2"], "-m novelty@2 needs --history FILE"),
        (["-m", "gini@2"], "-m gini@2 needs --catalog N"),
        (["-m", "ild@2"], "-m ild@2 needs --features FILE"),
        (["-m", "serendipity@2"], "-m serendipity@2 needs --history FILE"),
        (["-m", "ndcg(gain=x)@2"], "-m ndcg(gain=x)@2: "),
        (["--column", "score=points"], "--column score=points: no file has such a column"),
        (["--save-config", "no/e.toml"], "--save-config no/e.toml: no is no folder"),
    ],
)
def test_an_error_names_the_option(runs, capsys, more, said):
    code, out, ended = run(capsys, *runs, *more)
    assert (code, out) == (1, "")
    assert ended.startswith(f"recsys-workbook evaluate: {said}")


def test_errors_name_the_catalog_option(runs, capsys):
    _, _, ended = run(capsys, *runs, "-m", "coverage@2", "--catalog", "1")
    assert "2 distinct items were recommended from a catalogue of 1" in ended


def test_comparing_a_file_with_itself_raises(runs, capsys):
    _, _, ended = run(capsys, "knn.run", *runs[3:], "--compare", "knn.run")
    assert "--compare knn.run: these are the lists to compare; name others" in ended


def test_too_many_files_need_the_compare_option(runs, capsys):
    _, _, ended = run(capsys, *map(str, range(30)), *runs[3:])
    assert "too many to compare each with each" in ended
    assert ended.endswith("--compare RECS")


@pytest.mark.parametrize(
    ("asked", "option"), [(["-t", "x.csv"], "RECS"), (["x.csv"], "--truth"), (["-k", "0"], "-k")]
)
def test_missing_options_end_with_exit_code_2(capsys, asked, option):
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", *asked])
    assert ended.value.code == 2
    assert f"'{option}'" in capsys.readouterr().err


def test_a_named_column_may_exist_in_one_file_only(runs, capsys):
    pl.DataFrame({"user": USERS, "segment": "x", "kind": "y"}).write_csv("groups.csv")
    pl.read_parquet("ease.parquet").rename({"rank": "at"}).write_csv("named.csv")
    named = ("--column", "rank=at", "--column", "group=kind")
    asked = ("knn.run", *runs[3:], "--compare", "named.csv", "--groups", "groups.csv")
    code, out, ended = run(capsys, *asked, *named, "--format", "json")
    assert (code, ended) == (0, "")
    data = json.loads(out)
    assert [*data["groups"]] == ["y"]
    assert data["comparison"]["gains"]["hit_rate@1"]["gain"] == pytest.approx(-2 / 3)


def test_a_named_score_column_precedes_ranks(runs, capsys):
    table = pl.DataFrame({"user": ["u0"] * 2, "item": ["A", "B"], "rank": [2, 1], "points": [2, 1]})
    table.write_csv("both.csv")
    pl.DataFrame({"user": ["u0"], "item": ["A"]}).write_csv("truth.csv")
    asked = ("both.csv", "-t", "truth.csv", "-m", "mrr@2", "--format", "json")
    value = {}
    for more in ((), ("--column", "score=points")):
        data = json.loads(run(capsys, *asked, *more)[1])
        value[more] = data["measures"]["mrr@2"]["value"]
    assert [*value.values()] == [0.5, 1]
