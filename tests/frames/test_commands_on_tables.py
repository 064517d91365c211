"""`split`, `leakage`, `ab-test` and `off-policy`: files in, tables out, errors with the cure."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics._core.whole_files import give_name
from recsys_metrics.cli import main
from recsys_metrics.interactions import Interactions

pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")


DAYS = ["2024-01-01", "2024-01-02", "2024-01-03T12:00:00Z", "2024-01-04", "2024-01-05"]
LOG = {
    "customer": ["ann", "bob", "ann", "bob", "ann"],
    "sku": ["007", "x", "x", "y", "z"],
    "when": DAYS,
    "price": ["1.50", "2", "", "4", "5"],
}
NAMES = ["--column", "user=customer", "--column", "item=sku"]


def run(capsys, *arguments):
    """Return the exit code, what was printed, and what the program ended with."""
    code, ended = 0, ""
    try:
        main([*map(str, arguments)])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
        ended = end.code if isinstance(end.code, str) else ""
    return code, capsys.readouterr().out, ended


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(LOG).write_csv("log.csv")
    return tmp_path


def texts(path):
    return pl.read_csv(path, infer_schema=False).rows()


# split ------------------------------------------------------------------------------------------


def test_a_log_is_split_at_a_date_with_all_columns_as_they_were(folder, capsys):
    parts = ["--train", "train.csv", "--test", "test.csv"]
    code, out, ended = run(capsys, "split", "log.csv", *parts, *NAMES, "--at", "2024-01-03")
    assert (code, ended) == (0, "")
    rows = pl.DataFrame(LOG).with_columns(pl.col("price").replace("", None)).rows()
    assert texts("train.csv") == rows[:2]
    assert texts("test.csv") == rows[2:]
    assert "No training event is later than any test event." in out
    assert "test begins after" in out
    assert "2024-01-03 00:00:00 UTC" in out


@pytest.mark.parametrize(
    ("texts_of_times", "seconds"),
    [
        (["2024-01-01T00:00:00", "2024-01-01T00:00:01.5"], [0, 1.5]),
        (["2024-01-01 00:00:00", "2024-01-02 00:00:00"], [0, 86_400]),
        (["2024-01-01T00:00:00Z", "2024-01-01T01:00:00Z"], [0, 3_600]),
        (["2024-01-01T01:00:00+01:00", "2024-01-01T00:00:00-02:00"], [0, 7_200]),
        (["2024-01-01", "2024-01-02T00:00"], [0, 86_400]),
        (["1704067200", "1704067201"], [0, 1]),
    ],
)
def test_times_are_read_in_every_form(folder, capsys, texts_of_times, seconds):
    columns = {"user": ["a", "b"], "item": ["x", "y"], "time": texts_of_times}
    pl.DataFrame(columns).write_csv("log.csv")
    files = ["--train", "a.csv", "--test", "b.csv", "--test-share", "0.5", "--format", "json"]
    _, out, ended = run(capsys, "split", "log.csv", *files)
    assert ended == ""
    parts = json.loads(out)["parts"]
    assert [part["first"] - 1_704_067_200 for part in parts] == seconds
    assert texts("a.csv") == [("a", "x", texts_of_times[0])]


@pytest.mark.parametrize("dtype", [pl.Time, pl.Duration, pl.Boolean])
def test_a_column_without_dates_is_no_time(folder, capsys, dtype):
    frame = pl.DataFrame({"user": ["a", "b"], "item": ["x", "y"], "time": [0, 1]})
    frame.with_columns(pl.col("time").cast(dtype)).write_parquet("log.parquet")
    _, _, ended = run(capsys, "split", "log.parquet", "--train", "a.csv", "--test", "b.csv")
    assert "log.parquet, column 'time'" in ended
    assert "where times should be; write seconds since 1970 or datetimes" in ended


def test_three_parts_are_those_of_the_library(folder, capsys):
    log = rm.interactions.Interactions(
        *np.random.default_rng(0).integers(9, size=(2, 200)), timestamp=np.arange(200) * 7 % 200
    )
    columns = {"user": log.user, "item": log.item, "timestamp": log.timestamp}
    pl.DataFrame(columns).write_parquet("log.parquet")
    files = {name: f"{name}.parquet" for name in ("train", "validation", "test")}
    options = [text for name, file in files.items() for text in (f"--{name}", file)]
    methods = {
        (): rm.protocol.temporal_split,
        ("--by", "last", "-n", "2"): lambda part: rm.protocol.leave_last_n_out(part, n=2),
        ("--by", "random", "--seed", "3"): lambda part: rm.protocol.random_split(part, seed=3),
        ("--by", "random", "--per-user", "-n", "1"): lambda part: rm.protocol.random_split(
            part, n=1, within="user"
        ),
        ("--by", "session", "--gap", "1"): lambda part: rm.protocol.leave_last_session_out(
            part, gap=1
        ),
    }
    for arguments, method in methods.items():
        code, _, ended = run(capsys, "split", "log.parquet", *options, *arguments)
        assert (code, ended) == (0, "")
        outer = method(log)
        inner = method(outer.train)
        expected = {"train": inner.train, "validation": inner.test, "test": outer.test}
        for name, file in files.items():
            read = pl.read_parquet(file)
            assert read["timestamp"].to_list() == expected[name].timestamp.tolist()
            assert read["user"].to_list() == expected[name].user.tolist()
            (folder / file).unlink()


def test_what_is_printed_of_a_split_in_every_format(folder, capsys):
    for number, form in enumerate(("text", "markdown", "latex", "html", "json")):
        files = ["--train", f"a{number}.csv", "--test", f"b{number}.csv"]
        options = ["--at", "2024-01-03", "--format", form]
        code, out, _ = run(capsys, "split", "log.csv", *files, *NAMES, *options)
        assert code == 0
        assert f"b{number}.csv" in out
    data = json.loads(out)
    assert data["cutoffs"] == {"test": 1704240000}
    assert [part["events"] for part in data["parts"]] == [2, 3]
    assert (data["leakage"]["leak_free"], data["leakage"]["cold_items"]) == (True, 2)


@pytest.mark.parametrize(
    ("times", "arguments", "words"),
    [
        (DAYS[:2] + DAYS[3:], (), "no event would be tested with --test-share (0.2 by default)"),
        (DAYS[:2] + DAYS[3:], (), "larger value, or the last time that trains, --at"),
        (DAYS[:2], ("--at", "2030-01-01"), "cut-off time --at 2030-01-01, all of the 2 events"),
        (DAYS[:2], ("--at", "2030-01-01"), "they lie between 2024-01-01 and 2024-01-02. Give an e"),
        (DAYS[2:], ("--at", "2020-01-01"), "between 2024-01-03 12:00:00 and 2024-01-05. Give a la"),
        ([1, 2], ("--at", "5"), "they lie between 1 and 2. Give an earlier time"),
        (
            DAYS,
            ("--validation", "validation.csv"),
            "tested with --validation-share (0.2 by default): that share of 4 events is",
        ),
    ],
)
def test_a_split_without_a_part_names_the_options_and_times_as_the_file_has_them(
    folder, capsys, times, arguments, words
):
    rows = range(len(times))
    pl.DataFrame({"user": rows, "item": rows, "timestamp": times}).write_csv("days.csv")
    files = ["--train", "train.csv", "--test", "test.csv"]
    code, _, ended = run(capsys, "split", "days.csv", *files, *arguments)
    assert code == 1
    assert words in ended
    assert not Path("train.csv").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "log.csv", "--truth", "log.csv", "-m", "(" * 5000),
        ("evaluate", "log.csv", "--truth", "log.csv", "-m", "ndcg@1", "--format", "x" * 5000),
        ("ab-test", "log.csv", "--control", "x" * 5000, "-m", "price"),
        ("ab-test", "log.csv", "--control", "1", "-m", "price", "--share", "1=" + "x" * 5000),
        ("split", "log.csv", "--train", "a.csv", "--test", "b.csv", "--at", "x" * 5000),
        ("split", "x" * 5000, "--train", "a.csv", "--test", "b.csv"),
    ],
)
def test_a_long_option_is_quoted_by_its_ends(folder, capsys, arguments):
    code, _, ended = run(capsys, *arguments)
    assert code == 1
    assert len(ended) < 700
    assert ended.startswith(f"recsys-workbook {arguments[0]}: ")


@pytest.mark.parametrize("there", ["train.csv", "validation.parquet", "test.tsv"])
def test_a_split_overwrites_no_file_and_writes_none_beside_it(folder, capsys, there):
    (folder / there).write_text("mine")
    files = ["--train", "train.csv", "--validation", "validation.parquet", "--test", "test.tsv"]
    code, _, ended = run(capsys, "split", "log.csv", *files, *NAMES)
    assert code == 1
    assert f"{there} is there already and stays as it is" in ended
    assert (folder / there).read_text() == "mine"
    assert sorted(each.name for each in folder.iterdir()) == sorted(["log.csv", there])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--column", "item=customer"],
            "one column, 'customer', for the user and the item; there are 'customer', 'sku'",
        ),
        ([*NAMES, "--at", "March"], "--at 'March' is no time; write seconds since 1970, or a date"),
        (
            [*NAMES, "--at", "2024-01-02+01:00"],
            "--at '2024-01-02+01:00' is a date, and 01:00 may be its distance from UTC or the time",
        ),
        ([*NAMES, "--at", "2030-01-01"], "all of the 5 events would train"),
        ([*NAMES, "--by", "weekday"], "--by is time, last, session or random, not 'weekday'"),
        ([*NAMES, "--by", "last", "--at", "5"], "--at is for --by time, not last"),
        ([*NAMES, "--validation-at", "5"], "--validation-at needs --validation FILE"),
        ([*NAMES, "--test", "train.csv"], "--train and --test both name train.csv; name a"),
        ([*NAMES, "--test", "no/where.csv"], "no is no folder; make it first"),
        ([*NAMES, "--test", "test.xlsx"], "let the name end in .parquet, .csv or .tsv"),
        (
            [*NAMES[:2], "--column", "item=what"],
            "has no column 'what' for the item; there are 'customer'",
        ),
        ([*NAMES, "--column", "user=who"], "--column names user twice: 'customer' and 'who'"),
    ],
)
def test_what_cannot_be_split_is_told_and_nothing_is_written(folder, capsys, arguments, words):
    files = ["--train", "train.csv"] + ["--test", "test.csv"] * ("--test" not in arguments)
    code, _, ended = run(capsys, "split", "log.csv", *files, *arguments)
    assert code == 1
    assert words in ended
    assert [each.name for each in folder.iterdir()] == ["log.csv"]


def test_all_columns_that_are_missing_are_named_at_once(folder, capsys):
    pl.DataFrame({"a": [1], "b": [2]}).write_csv("log.csv")
    code, _, ended = run(capsys, "split", "log.csv", "--train", "a.csv", "--test", "b.csv")
    cure = "--column user=NAME --column item=NAME --column timestamp=NAME"
    assert code == 1
    assert ended.endswith(f"there are 'a', 'b'. Name them: {cure}")


def test_times_with_an_offset_are_split_in_utc(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    times = ["2026-01-01T00:00:00+01:00", "2026-01-01 00:00:00 UTC", "2026-01-01T03:00:00+02:00"]
    log = pl.DataFrame({"user": ["a", "b", "c"], "item": ["x", "y", "z"], "timestamp": times})
    log.write_csv("log.csv")
    names = ["--train", "train.csv", "--test", "test.csv"]
    code, out, _ = run(capsys, "split", "log.csv", *names, "--at", "2026-01-01T00:30:00+01:00")
    assert code == 0
    assert "2025-12-31 23:00:00" in out
    assert pl.read_csv("train.csv")["user"].to_list() == ["a"]
    assert pl.read_csv("test.csv")["user"].to_list() == ["b", "c"]


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("when", "soon", "column 'when', row 3: 'soon' is no time"),
        ("when", "2024-01-02-05:00", "row 3: '2024-01-02-05:00' is a date, and 05:00 may be its"),
        ("when", "", "column 'when', row 3: no time; leave such rows out"),
        ("sku", "", "column 'sku', row 3: no item; leave such rows out"),
        ("price", "=1+1", "values that a spreadsheet takes for formulas"),
    ],
)
def test_the_row_at_fault_is_named(folder, capsys, column, value, words):
    odd = LOG | {column: [LOG[column][0], value, *LOG[column][2:]]}
    pl.DataFrame(odd).write_csv("log.csv")
    files = ["--train", "train.parquet", "--test", "test.csv"]
    code, _, ended = run(capsys, "split", "log.csv", *files, *NAMES, "--at", "2024-01-03")
    assert code == 1
    assert words in ended
    assert not (folder / "train.parquet").exists()


@pytest.mark.parametrize(
    ("train", "test", "words"),
    [
        (["7.0", "8.0"], ["7", "8"], "train.csv, column 'item', row 2: '7.0' is a decimal; an id"),
        (["A ", "B"], ["A", "B"], "train.csv has the item 'A ' and test.csv the item 'A': they"),
        (["A", "e\u0301"], ["A", "\u00e9"], "they differ only in their Unicode form"),
        (["A", "A "], ["A", "A "], "column 'item' has the item 'A' and 'A ': they differ only in"),
    ],
)
def test_leakage_refuses_items_that_only_look_alike(folder, capsys, train, test, words):
    for name, items in (("train.csv", train), ("test.csv", test)):
        pl.DataFrame({"user": ["a", "b"], "item": items}).write_csv(name)
    code, _, ended = run(capsys, "leakage", "train.csv", "test.csv")
    assert code == 1
    assert words in ended


def test_a_time_in_another_unit_is_named_by_its_file_and_row(folder, capsys):
    seconds = {"user": ["a", "b"], "item": ["A", "B"], "timestamp": [1_700_000_000, 1_700_000_001]}
    pl.DataFrame(seconds).write_csv("good.csv")
    pl.DataFrame(seconds | {"timestamp": [1_700_000_000, 1_700_000_001_000]}).write_csv("odd.csv")
    code, _, ended = run(capsys, "leakage", "good.csv", "odd.csv")
    assert code == 1
    assert "odd.csv, column 'timestamp', row 3: 1700000001000, which in seconds is a" in ended
    assert "good.csv" not in ended


def test_a_repeated_header_is_no_event(folder, capsys):
    pl.DataFrame(LOG).write_csv("log.csv")
    header, *rows = (folder / "log.csv").read_text().splitlines()
    (folder / "log.csv").write_text("\n".join([header, rows[0], header, *rows[1:]]))
    files = ["--train", "train.parquet", "--test", "test.csv"]
    code, _, ended = run(capsys, "split", "log.csv", *files, *NAMES, "--at", "2024-01-03")
    assert code == 1
    assert "log.csv, row 3: the names of the columns are repeated" in ended
    assert not (folder / "train.parquet").exists()


@pytest.mark.parametrize("one", ["./same.csv", "folder/../same.csv", "link/same.csv", "SAME.csv"])
def test_two_spellings_of_one_output_are_refused(folder, capsys, one):
    pl.DataFrame(LOG).write_csv("log.csv")
    (folder / "folder").mkdir()
    (folder / "link").symlink_to(folder)
    files = ["--train", one, "--test", "same.csv"]
    code, _, ended = run(capsys, "split", "log.csv", *files, *NAMES, "--at", "2024-01-03")
    assert code == 1
    assert "--train and --test both name " in ended
    assert ended.endswith("; name a file for each")
    assert not [*folder.glob("[sS][aA][mM][eE].csv")]


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_full_disk_leaves_no_part_of_a_split(folder, capsys, monkeypatch, kind):
    pl.DataFrame(LOG).write_csv("log.csv")
    names = []

    def fill_disk(draft, file):
        names.append(file.name)
        if len(names) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        give_name(draft, file)

    monkeypatch.setattr("recsys_metrics.frames._whole_tables.give_name", fill_disk)
    files = ["--train", f"train.{kind}", "--test", f"test.{kind}"]
    code, _, ended = run(capsys, "split", "log.csv", *files, *NAMES, "--at", "2024-01-03")
    assert code == 1
    assert ended.endswith(f"test.{kind}: No space left on device")
    assert [file.name for file in folder.iterdir()] == ["log.csv"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_polars_says_in_a_sentence_that_a_disk_is_full():
    from recsys_metrics.frames._writing import write_parquet

    with pytest.raises(OSError, match=r"^No space left on device"):
        write_parquet(pl.DataFrame(LOG), Path("/dev/full"))


# leakage ----------------------------------------------------------------------------------------


def test_leakage_counts_what_the_library_counts(folder, capsys):
    train = {"user": ["a", "a", "b"], "item": ["x", "y", "x"], "timestamp": [1, 9, 3]}
    test = {"user": ["a", "c"], "item": ["x", "z"], "timestamp": [5, 4]}
    pl.DataFrame(train).write_csv("train.csv")
    pl.DataFrame(test).write_parquet("test.parquet")
    code, out, _ = run(capsys, "leakage", "train.csv", "test.parquet", "--format", "json")
    data = json.loads(out)
    part = Interactions([0, 0, 1], [0, 1, 0], timestamp=[1, 9, 3], n_users=3, n_items=3)
    other = Interactions([0, 2], [0, 2], timestamp=[5, 4], n_users=3, n_items=3)
    found = rm.protocol.leakage(part, other)
    assert code == 0
    assert (data["later"], data["later_within_user"]) == (found.later, found.later_within_user)
    # By hand: the event of time 9 is later than both tests, and one of these is its user's.
    assert (data["later"], data["later_within_user"], data["leak_free"]) == (1, 1, False)
    assert (data["duplicates"], data["cold_users"], data["cold_items"]) == (1, 1, 1)
    _, text, _ = run(capsys, "leakage", "train.csv", "test.parquet")
    assert "Training events later than some test event: 1 of 3 (of the same user: 1)." in text
    for form in ("markdown", "latex", "html"):
        code, shown, _ = run(capsys, "leakage", "train.csv", "test.parquet", "--format", form)
        assert code == 0
        assert "1 of 2 (50.0" in shown


def test_leakage_without_times_and_with_names_of_one_file(folder, capsys):
    pl.DataFrame({"who": ["a"], "item": ["x"], "timestamp": [1]}).write_csv("train.csv")
    pl.DataFrame({"user": ["a"], "item": ["x"]}).write_csv("test.csv")
    code, out, ended = run(capsys, "leakage", "train.csv", "test.csv", "--column", "user=who")
    assert (code, ended) == (0, "")
    assert "There are no timestamps" in out
    assert "1 of 1 (100.0%)" in out
    code, _, ended = run(capsys, "leakage", "train.csv", "test.csv")
    assert "train.csv has no column that looks like the user" in ended
    assert ended.endswith("--column user=NAME")


# ab-test ----------------------------------------------------------------------------------------

N = 600
rng = np.random.default_rng(4)
ARM = np.array(["old", "new"])[np.arange(N) % 2]
VIEWS = rng.poisson(20, N) + 1
USERS = {
    "customer": np.arange(N),
    "variant": ARM,
    "revenue": rng.normal(10, 2, N) + (ARM == "new"),
    "before": rng.normal(10, 2, N),
    "views": VIEWS,
    "clicks": rng.binomial(VIEWS, 0.1),
    "converted": rng.random(N) < 0.2,
    "seconds": rng.lognormal(1, 0.5, N),
}
METRICS = ["-m", "revenue", "-m", "CTR=ratio(clicks, views)", "-m", "converted"]
OPTIONS = [*METRICS, "-m", "load=quantile(seconds, 0.75)", "--before", "revenue=before"]
MORE = ["--lower-is-better", "load", "--guardrail", "load=0.5", "--column", "user=customer"]


@pytest.fixture
def users(folder):
    pl.DataFrame(USERS).write_csv("users.csv")
    pl.DataFrame(USERS).write_parquet("users.parquet")
    pl.DataFrame(USERS).write_ndjson("users.jsonl")
    return folder


def test_a_scorecard_of_a_file_is_that_of_its_frame(users, capsys):
    card = rm.scorecard(
        pl.DataFrame(USERS),
        arm="variant",
        control="old",
        metrics={
            "revenue": "revenue",
            "CTR": "ratio(clicks, views)",
            "converted": "converted",
            "load": "quantile(seconds, 0.75)",
        },
        before={"revenue": "before"},
        lower_is_better=["load"],
        guardrails={"load": 0.5},
        user="customer",
    )
    for file in ("users.csv", "users.parquet", "users.jsonl"):
        _, out, ended = run(capsys, "ab-test", file, "--control", "old", *OPTIONS, *MORE)
        assert ended == ""
        assert out.strip() == str(card)
    arguments = ["users.csv", "--control", "old", *OPTIONS, *MORE, "--format"]
    _, out, _ = run(capsys, "ab-test", *arguments, "json")
    data = json.loads(out)
    assert data["conclusion"] == card.conclusion
    assert [row["difference"] for row in data["rows"]] == card.columns()["difference"]
    assert data["rows"][-1]["guardrail_holds"] == card["load"].guardrail.holds
    _, out, _ = run(capsys, "ab-test", *arguments, "markdown")
    assert out.strip() == card.to_markdown().strip()
    _, out, _ = run(capsys, "ab-test", *arguments, "latex")
    assert out.strip() == card.to_latex().strip()
    _, out, _ = run(capsys, "ab-test", *arguments, "html")
    assert card.to_html() in out


def test_a_sample_ratio_mismatch_and_planned_shares(users, capsys):
    rows = pl.DataFrame(USERS).filter((pl.col("variant") == "old") | (pl.col("customer") < 300))
    rows.write_csv("users.csv")
    call = ["ab-test", "users.csv", "--control", "old", *METRICS]
    _, out, _ = run(capsys, *call)
    assert "No conclusion: sample ratio mismatch" in out
    _, out, _ = run(capsys, *call, "--share", "old=2", "--share", "new=1")
    assert "new against old: better by revenue" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--control", "A", *METRICS],
            "--control A: there is no such arm; there are new, old",
        ),
        (
            [
                "--control",
                "old",
                "-m",
                "revnue",
                "-m",
                "ratio(clics, views)",
                "--column",
                "arm=arm",
            ],
            "no column 'arm' for the arm, no column 'revnue', no column 'clics'; there are 'cust",
        ),
        (["--control", "old", *METRICS, "--guardrail", "CTR"], "is not NAME=MARGIN"),
        (
            ["--control", "old", *METRICS, "--guardrail", "x=1"],
            "--guardrail x: there is no such me",
        ),
        (
            ["--control", "old", *METRICS, "--before", "x=before"],
            "--before x: there is no such metr",
        ),
        (
            ["--control", "old", *METRICS, "--lower-is-better", "x"],
            "there are revenue, CTR, convert",
        ),
        (
            ["--control", "old", *METRICS, "--share", "x=1"],
            "--share x: there is no such arm; there",
        ),
        (
            ["--control", "old", *METRICS, "--share", "old=1"],
            "--share names no share of the arm 'n",
        ),
        (
            ["--control", "old", "-m", "a=clicks", "-m", "a=views"],
            "-m names a twice: clicks and vi",
        ),
        (
            ["--control", "old", *METRICS, "--share", "old=0.9", "--share", "new=0.3"],
            "the values of --share sum to 1.2 ('old': 0.9, 'new': 0.3); shares of the users sum",
        ),
        (["--control", "old", "-m", "rate(revenue)"], "use mean(revenue), or the name of the col"),
        (["--control", "old", "-m", "=clicks"], "there is no name before the equals sign"),
        (["--control", "old", "-m", "clicks", "--before", "clicks=clicks"], "of the metric itself"),
        (["--control", "old", *METRICS, "--guardrail", "CTR=1_0"], "CTR=1_0: '1_0' is no number"),
        (["--control", "old", *METRICS, "--guardrail", "CTR=x"], "CTR=x: 'x' is no number"),
        (["--control", "old", *METRICS, "--column", "item=x"], "with one of the roles user, arm"),
        (["--control", "old", *METRICS, "--format", "pdf"], "--format is text, markdown, latex"),
        (["--control", "old", *METRICS, "--correction", "x"], "--correction is holm, benjamini"),
        (["--control", "old", "-m", "variant"], "row 2: 'old' is no finite number. A user who did"),
        (["--control", "old", "-m", "CTR=ratio(clicks)"], "ratio(clicks) is not a column of the"),
    ],
)
def test_what_cannot_be_compared_is_told(users, capsys, arguments, words):
    code, _, ended = run(capsys, "ab-test", "users.csv", *arguments)
    assert code == 1
    assert words in ended


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Date, pl.List(pl.Int64)])
def test_a_column_of_another_type_is_no_metric(users, capsys, dtype):
    value = pl.lit("x" if dtype == pl.Categorical else [1] if dtype != pl.Date else 5)
    frame = pl.DataFrame(USERS).with_columns(clicks=value.cast(dtype))
    frame.write_parquet("users.parquet")
    _, _, ended = run(capsys, "ab-test", "users.parquet", "--control", "old", "-m", "clicks")
    assert "users.parquet, column 'clicks': " in ended
    assert "where numbers should be" in ended


@pytest.mark.parametrize("file", ["users.csv", "users.parquet"])
def test_a_user_without_a_past_is_new(users, capsys, file):
    table = pl.DataFrame(USERS)
    new = pl.int_range(table.height) % 7 == 0
    table = table.with_columns(past=pl.when(~new).then(pl.col("revenue") * 0.5 + pl.col("views")))
    table.write_parquet(file) if file.endswith("parquet") else table.write_csv(file)
    options = ["-m", "revenue", "--before", "revenue=past", "--format", "json"]
    _, out, ended = run(capsys, "ab-test", file, "--control", "old", *options)
    assert ended == ""
    expected = rm.scorecard(table, control="old", metrics=["revenue"], before={"revenue": "past"})
    shown = json.loads(out)
    assert shown["rows"][0]["difference"] == pytest.approx(expected.columns()["difference"][0])
    assert "have no value in 'past' and count as new" in shown["warnings"][0]
    odd = table.with_columns(past=pl.lit("none"))
    odd.write_parquet(file) if file.endswith("parquet") else odd.write_csv(file)
    _, _, ended = run(capsys, "ab-test", file, "--control", "old", *options)
    assert "'none' is no finite number" in ended


def test_a_gap_in_a_file_is_named_by_its_row(users, capsys):
    table = pl.DataFrame(USERS).with_columns(pl.col("revenue").replace(USERS["revenue"][3], None))
    table.write_csv("users.csv")
    _, _, ended = run(capsys, "ab-test", "users.csv", "--control", "old", "-m", "revenue")
    assert "users.csv, column 'revenue', row 5: nothing is there. A user who did nothing" in ended
    table.with_columns(variant=pl.lit(None, pl.String)).write_csv("users.csv")
    _, _, ended = run(capsys, "ab-test", "users.csv", "--control", "old", "-m", "views")
    assert "users.csv, column 'variant', row 2: no arm" in ended


# off-policy -------------------------------------------------------------------------------------

ROUNDS = {
    "click": [1, 0, 1, 1, 0, 1],
    "propensity": [0.5, 0.25, 0.1, 0.25, 0.5, 0.3],
    "target": [0.6, 0.2, 0.6, 0.2, 0.4, 0.3],
}


def test_off_policy_estimates_are_those_of_the_frame(folder, capsys):
    frame = pl.DataFrame(ROUNDS)
    frame.write_csv("log.csv")
    frame.write_parquet("log.parquet")
    frame.write_ndjson("log.jsonl")
    found = rm.frames.off_policy(frame, ["ips", "clipped_ips"], cap=3, columns={"reward": "click"})
    options = ["-e", "ips", "-e", "clipped_ips", "--cap", "3", "--column", "reward=click"]
    for file in ("log.csv", "log.parquet", "log.jsonl"):
        _, out, ended = run(capsys, "off-policy", file, *options, "--format", "json")
        assert ended == ""
        for estimate, shown in zip(found.values(), json.loads(out)["estimates"], strict=True):
            assert shown["value"] == pytest.approx(estimate.value)
            assert shown["interval"] == pytest.approx([*estimate.interval()])
    for form in ("text", "markdown", "latex", "html"):
        _, out, _ = run(capsys, "off-policy", "log.csv", *options, "--format", form)
        assert f"{found['ips'].value:.4g}" in out


def test_off_policy_keeps_the_rounds_of_a_user_together(folder, capsys):
    frame = pl.DataFrame({**ROUNDS, "visitor": ["07", "7", "b", "b", "c", "c"]})
    frame.write_csv("log.csv")
    frame.write_parquet("log.parquet")
    columns = {"reward": "click", "user": "visitor"}
    named = [f"--column={role}={name}" for role, name in columns.items()]
    found = rm.frames.off_policy(frame, columns=columns)
    for file in ("log.csv", "log.parquet"):
        _, out, _ = run(capsys, "off-policy", file, *named, "--format", "json")
        shown = json.loads(out)
        assert shown["users"] == 4
        for estimate, one in zip(found.values(), shown["estimates"], strict=True):
            assert one["standard_error"] == pytest.approx(estimate.standard_error)
            assert one["interval"] == pytest.approx([*estimate.interval()])
        _, out, _ = run(capsys, "off-policy", file, *named)
        assert "over the 4 users, whose rounds are kept together" in " ".join(out.split())
        _, out, _ = run(capsys, "off-policy", file, "--column=reward=click")
        assert "name the column of users (--column user=NAME)" in " ".join(out.split())


@pytest.mark.parametrize(("file", "row"), [("log.csv", 3), ("log.parquet", 2)])
def test_off_policy_names_the_row_without_a_user(folder, capsys, file, row):
    frame = pl.DataFrame({**ROUNDS, "user": ["a", None, "b", "b", "c", "c"]})
    frame.write_parquet(file) if file.endswith("parquet") else frame.write_csv(file)
    code, _, ended = run(capsys, "off-policy", file, "--column=reward=click")
    assert code == 1
    assert f"1 row of the log has no user: column 'user' is empty in row {row}. Give each" in ended


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        (
            [[1, 2, 0, 0], [2, 3, 0, 0], [3, 0, 0, 0], [4, 0, 0, 0]],
            ("-m", "ratio(x, y)"),
            "column 'y' of arm 'b' is 0 for every user, so there is nothing to divide by; wait",
        ),
        (
            [[1, -2, 0, 0], [2, 3, 0, 0], [3, 1, 0, 0], [4, 2, 0, 0]],
            ("-m", "ratio(x, y)"),
            "column 'y' of arm 'a' is -2; a denominator is 0 or more",
        ),
        (
            [[5, 0, 0, 0], [5, 0, 0, 0], [3, 0, 0, 0], [4, 0, 0, 0]],
            ("-m", "x"),
            "column 'x' of arm 'a': all 2 users have the same value (5)",
        ),
        (
            [[1, 0, 0, 0], [2, 0, 0, 0], [1e200, 0, 0, 0], [4, 0, 0, 0]],
            ("-m", "x"),
            "column 'x' of arm 'b' is 1e+200, too large to square",
        ),
        (
            [[1, 0, 1e200, 0], [2, 0, 2, 0], [3, 0, 4, 0], [4, 0, 3, 0]],
            ("-m", "x", "--before", "x=p"),
            "column 'p' of arm 'a' is 1e+200, too large to square",
        ),
        (
            [[1, 2, 1, 5], [2, 1, 2, 5], [3, 1, 4, 5], [4, 2, 3, 5]],
            ("-m", "CTR=ratio(x, y)", "--before", "CTR=p,q"),
            "column 'q' is 5 for every user of a group",
        ),
        (
            [[1, 0, 0, 0], [2, 0, 0, 0], [3, 0, 0, 0], [4, 0, 0, 0]],
            ("-m", "quantile(x, 0.9)"),
            "column 'x' of arm 'a' has 2 users, too few",
        ),
    ],
)
def test_an_error_of_a_test_names_the_column_and_the_arm(tmp_path, capsys, rows, options, words):
    columns = dict(zip("xypq", map(list, zip(*rows, strict=True)), strict=True))
    file = tmp_path / "ab.csv"
    pl.DataFrame({"arm": ["a", "a", "b", "b"], **columns}, strict=False).write_csv(file)
    code, _, ended = run(capsys, "ab-test", file, "--control", "a", *options)
    assert code == 1
    assert words in ended
    for parameter in ("control", "treatment", "_per", "before["):
        assert parameter not in ended


def test_a_column_that_is_called_like_a_parameter_keeps_its_name(tmp_path, capsys):
    file = tmp_path / "ab.csv"
    pl.DataFrame({"arm": [*"aabb"], "control": [1, 1, 2, 3]}).write_csv(file)
    _, _, ended = run(capsys, "ab-test", file, "--control", "a", "-m", "control")
    assert "metric 'control', arm 'b' against 'a': column 'control' of arm 'a': all 2" in ended


@pytest.mark.parametrize("file", ["log.csv", "log.parquet"])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--column reward=NAME"),
        (
            ["-e", "doubly_robust"],
            "Name them: --column model=NAME --column reward=NAME --column va",
        ),
        (["-e", "clipped_ips", "--column", "reward=click"], "cap"),
        (["-e", "magic", "--column", "reward=click"], "magic"),
        (["--cap", "5", "--column", "reward=click"], "--cap 5: no estimator takes it"),
        (["--threshold", "5", "--column", "reward=click"], "--threshold 5: no estimator takes it"),
        (["--level", "2", "--column", "reward=click"], "level is a confidence"),
    ],
)
def test_what_cannot_be_estimated_is_told(folder, capsys, file, arguments, words):
    frame = pl.DataFrame(ROUNDS)
    frame.write_parquet(file) if file.endswith("parquet") else frame.write_csv(file)
    code, _, ended = run(capsys, "off-policy", file, *arguments)
    assert code == 1
    assert words in ended


@pytest.mark.parametrize(("file", "row"), [("log.csv", 6), ("log.jsonl", 5), ("log.parquet", 5)])
@pytest.mark.parametrize(
    ("role", "number", "words"),
    [
        (
            "pscore",
            0.0,
            "1 row of the log has a propensity that is not above 0 and at most 1: colu",
        ),
        ("pscore", 1.5, "'pscore' is 1.5 in row {}. The event was observed"),
        ("target", -0.1, "column 'target' is -0.1 in row {}. Percentages need"),
        ("pscore", 1e-320, "'target' over 'pscore', is inf in row {}. If its propensity is too"),
        ("pscore", 1e-200, "'target' over 'pscore', is 4e+199 in row {}. If its propensity"),
    ],
)
def test_off_policy_names_the_row_and_the_column(folder, capsys, file, row, role, number, words):
    log = {"reward": ROUNDS["click"], "pscore": ROUNDS["propensity"], "target": ROUNDS["target"]}
    log[role] = [*log[role][:4], number, log[role][5]]
    frame = pl.DataFrame(log)
    getattr(frame, {"csv": "write_csv", "jsonl": "write_ndjson"}.get(file[4:], "write_parquet"))(
        file
    )
    for form in ("text", "json"):
        code, out, ended = run(
            capsys, "off-policy", file, "--column", "propensity=pscore", "--format", form
        )
        assert (code, out) == (1, "")
        assert ended.startswith(f"recsys-workbook off-policy: {file}: ")
        assert words.format(row) in ended


def test_every_command_on_tables_shows_an_example(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    for command in ("split", "leakage", "ab-test", "off-policy"):
        code, out, _ = run(capsys, command, "--help")
        assert code == 0
        assert f"Example: recsys-workbook {command}" in out


def test_lists_are_no_table_with_columns(folder, capsys):
    (folder / "log.json").write_text('{"ann": ["A"]}')
    _, _, ended = run(capsys, "off-policy", "log.json")
    assert "a table with named columns is needed" in ended
    _, _, ended = run(capsys, "off-policy", "none.csv")
    assert "none.csv: there is no such file" in ended


FRACTIONS = [
    pl.Series([1.9, 1.1, 0.5]),
    pl.Series([1900, 1100, 500]).cast(pl.Datetime("ms")),
    pl.Series(["1970-01-01T00:00:01.9+00:00", "1970-01-01T00:00:01.1", "1970-01-01"]),
]


@pytest.mark.parametrize("when", FRACTIONS, ids=["float", "datetime", "text"])
def test_the_last_event_is_the_last_within_its_second(folder, capsys, when):
    log = pl.DataFrame({"user": [1, 1, 1], "item": ["A", "B", "C"], "timestamp": when})
    log.write_parquet("log.parquet")
    parts = ("--train", "train.parquet", "--test", "test.parquet", "--by", "last")
    assert run(capsys, "split", "log.parquet", *parts)[0] == 0
    assert pl.read_parquet("test.parquet").equals(log[:1])
    assert pl.read_parquet("train.parquet").equals(log[1:])


def test_a_time_that_leads_out_of_all_years_is_none(folder, capsys):
    (folder / "odd.csv").write_text("user,item,timestamp\n1,A,0001-01-01T00:00:00+14:00\n")
    parts = ("--train", "train.csv", "--test", "test.csv", "--by", "last")
    _, _, ended = run(capsys, "split", "odd.csv", *parts)
    assert "row 2: '0001-01-01T00:00:00+14:00' is no time" in ended


@pytest.mark.parametrize("at", ["20240301", "1_0", "\u0661"])
def test_a_time_that_is_not_plain_is_refused(folder, capsys, at):
    parts = ("--train", "train.csv", "--test", "test.csv", *NAMES)
    _, _, ended = run(capsys, "split", "log.csv", *parts, "--at", at)
    assert "is no time; write seconds since 1970, or a date with its dashes" in ended


def test_columns_whose_names_are_patterns_are_kept(folder, capsys):
    (folder / "odd.csv").write_text(
        "user,item,timestamp,^note$,*,^us.*$\n1,A,1,a,b,c\n1,B,2,d,e,f\n"
    )
    parts = ("--train", "train.csv", "--test", "test.csv", "--by", "last")
    assert run(capsys, "split", "odd.csv", *parts)[0] == 0
    assert Path("train.csv").read_text() == "user,item,timestamp,^note$,*,^us.*$\n1,A,1,a,b,c\n"


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_column_with_the_name_of_row_numbers_is_not_dropped(folder, capsys, ending):
    log = pl.DataFrame({"user": [1, 1], "item": ["A", "B"], "timestamp": [1, 2], "_row": [7, 8]})
    getattr(log, {"jsonl": "write_ndjson"}.get(ending, f"write_{ending}"))(f"odd.{ending}")
    parts = ("--train", "train.csv", "--test", "test.csv", "--by", "last")
    code, _, ended = run(capsys, "split", f"odd.{ending}", *parts)
    assert code == 1
    assert f"odd.{ending} has a column '_row'" in ended


def test_one_column_is_not_two_probabilities(folder, capsys):
    log = {"reward": [1, 0], "propensity": [0.5, 0.2], "target": [0.1, 0.2]}
    pl.DataFrame(log).write_csv("log.csv")
    _, _, ended = run(capsys, "off-policy", "log.csv", "--column", "target=propensity")
    assert "has one column, 'propensity', for the propensity and the target" in ended


# Names and damage -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ["split", "a\nb.csv", "--train", "x.csv", "--test", "y.csv"],
        ["leakage", "log.csv", "a\nb.csv"],
        ["evaluate", "a\nb.csv", "-t", "log.csv"],
        ["evaluate", "log.csv", "-t", "log.csv", "--config", "a\nb.csv"],
        ["off-policy", "a\nb.csv"],
    ],
)
def test_a_line_end_in_the_name_of_a_file_begins_no_line_of_an_error(folder, capsys, arguments):
    code, _, ended = run(capsys, *arguments)
    assert code == 1
    assert "a\\nb.csv" in ended
    assert "\n" not in ended


def test_off_policy_names_a_damaged_file(folder, capsys):
    Path("log.parquet").write_bytes(b"PAR1 and not more")
    code, _, ended = run(capsys, "off-policy", "log.parquet")
    assert (code, ended.partition(" parquet: ")[0]) == (
        1,
        "recsys-workbook off-policy: log.parquet: cannot be read:",
    )


def test_off_policy_refuses_the_name_that_numbers_of_rows_have(folder, capsys):
    pl.DataFrame({"_row": [1], "reward": [1]}).write_parquet("log.parquet")
    code, _, ended = run(capsys, "off-policy", "log.parquet")
    assert code == 1
    assert "log.parquet has a column '_row'" in ended


def test_numbers_among_dates_are_named_by_the_row_that_is_none(folder, capsys):
    Path("log.csv").write_text("user,item,time\na,x,1\na,y,2\nb,x,soon\nb,y,4\n")
    parts = ["--train", "train.csv", "--test", "test.csv"]
    code, _, ended = run(capsys, "split", "log.csv", *parts)
    assert code == 1
    assert "column 'time', row 4: 'soon' is no number, and '1' in another row is one" in ended


@pytest.mark.parametrize("values", [[b"1", b"2"], [[1], [2]], [{"a": 1}, {"a": 2}]])
def test_values_that_csv_does_not_hold_are_named_by_their_column(folder, capsys, values):
    log = pl.DataFrame({"user": ["a", "a"], "item": ["x", "y"], "time": [1, 2], "more": values})
    log.write_parquet("log.parquet")
    csv = ["--train", "train.csv", "--test", "test.parquet", "--test-share", "0.5"]
    code, _, ended = run(capsys, "split", "log.parquet", *csv)
    assert code == 1
    assert "train.csv: the column 'more' has values of type" in ended
    assert not Path("train.csv").exists()
    parquet = ["--train", "train.parquet", "--test", "test.parquet", "--test-share", "0.5"]
    assert run(capsys, "split", "log.parquet", *parquet)[0] == 0
    assert pl.read_parquet("train.parquet")["more"].to_list() == values[:1]


def test_a_name_as_long_as_the_system_takes_is_written_and_a_longer_one_is_named(folder, capsys):
    long = f"{'n' * 240}.parquet"
    code, _, ended = run(capsys, "split", "log.csv", "--train", long, "--test", "b.csv", *NAMES)
    assert (code, ended, Path(long).exists()) == (0, "", True)
    long = f"{'n' * 300}.csv"
    code, _, ended = run(capsys, "split", "log.csv", "--train", long, "--test", "c.csv", *NAMES)
    assert (code, ended.startswith("recsys-workbook split: --train nnn")) == (1, True)
    assert ended.endswith("name too long; give another name")
    code, _, ended = run(capsys, "evaluate", "--example", long)
    assert (code, ended.startswith("recsys-workbook evaluate: --example nnn")) == (1, True)
