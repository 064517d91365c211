"""Odd files: every engine gives the number of the plain file, or all refuse in the same words."""

from __future__ import annotations

import bz2
import datetime
import gzip
import json
import lzma
import os
import re
import zlib
from decimal import Decimal
from pathlib import Path

import pytest

from tests.frames.engines import spark
from tests.frames.test_command import run
from tests.tiers import on_spark

pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")

TRUTH = "user,item\n1,A\n2,B\n"
# One hit at the first rank, one at the second.
LISTS = "user,item,rank\n1,A,1\n2,A,1\n2,B,2\n"
OTHERS = "user,item,rank\n1,C,1\n2,C,1\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "truth.csv").write_text(TRUTH)
    return tmp_path


@pytest.fixture(params=["polars", "duckdb"])
def engine(request):
    """Spark reads text as these two do, from what was read once; its own tests are below."""
    if request.param == "duckdb":
        pytest.importorskip("duckdb", reason="the extra `duckdb` is not installed")
    return request.param


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def value(capsys, lists, truth, engine, *more):
    asked = (lists, "-t", truth, "-m", "mrr@2", "--engine", engine, "--format", "json", *more)
    code, out, ended = run(capsys, *asked)
    assert (code, ended) == (0, "")
    return json.loads(out)["measures"]["mrr@2"]["value"]


def refusal(capsys, lists, truth, engine, *more):
    code, _, ended = run(capsys, lists, "-t", truth, "-m", "mrr@2", "--engine", engine, *more)
    assert code == 1
    assert "\n" not in ended
    return ended


NAMES = [
    ("recs[1].csv", "recs1.csv"),
    ("a*.csv", "ab.csv"),
    ("a?.csv", "ab.csv"),
    ("{a,b}.csv", "a.csv"),
    ("~.csv", "x.csv"),
    ("\x1b[x.csv", "x.csv"),
    ("b\\c.csv", "c.csv"),
]


# Text is read before an engine sees it: there, one name shows that of DuckDB.
READ = [("polars", kind, *names) for names in NAMES for kind in ("csv", "parquet")]
READ += [("duckdb", "parquet", *names) for names in NAMES] + [("duckdb", "csv", *NAMES[0])]


@pytest.mark.skipif(os.name != "posix", reason="names that other systems do not allow")
@pytest.mark.parametrize(("engine", "kind", "name", "other"), READ, ids=range(len(READ)))
def test_a_file_name_is_not_a_glob_pattern(folder, capsys, monkeypatch, engine, kind, name, other):
    pytest.importorskip(engine, reason=f"{engine} is not installed")
    monkeypatch.chdir(folder)
    for file, text in ((other, OTHERS), (name, LISTS)):
        path = write(folder / file, text)
        if kind == "parquet":
            pl.read_csv(path, glob=False).write_parquet(path.with_suffix(".parquet"))
            pl.read_csv(path, glob=False).write_ndjson(path.with_suffix(".jsonl"))
    if kind == "parquet" and engine == "polars":
        assert value(capsys, f"{name.removesuffix('csv')}jsonl", "truth.csv", engine) == 0.75
    lists = name if kind == "csv" else f"{name.removesuffix('csv')}parquet"
    assert value(capsys, lists, "truth.csv", engine) == 0.75


FINE = {
    "mixed line ends": "user,item,rank\r\n1,A,1\n2,A,1\r\n2,B,2\n",
    "byte-order mark": "\ufeff" + LISTS,
    "empty lines": LISTS.replace("\n2", "\n\n2") + "\n\n",
    "quoted": '"user","item","rank"\n"1","A","1"\n2,A,1\n2,"B",2\n',
    "several lines in a value": LISTS.replace("item", "item,title")
    .replace("A,1", 'A,"x\ny",1')
    .replace("B,2", 'B,"""",2'),
    "names of other libraries": "userId,movieId,prediction\n1,A,1\n2,A,1\n2,B,0.5\n",
    "a hundred thousand columns": "".join(
        f"{row},{','.join([filler] * 100_000)}\n"
        for row, filler in zip(LISTS.split(), "xyyy", strict=True)
    ),
}


@pytest.mark.parametrize("text", FINE.values(), ids=FINE)
def test_unusual_but_valid_files_are_read(folder, capsys, text):
    path = write(folder / "recs.csv", text)
    assert value(capsys, path, folder / "truth.csv", "polars") == 0.75


def test_every_engine_gets_the_same_table(folder, capsys, engine):
    path = write(folder / "recs.csv", FINE["names of other libraries"])
    assert value(capsys, path, folder / "truth.csv", engine) == 0.75


FAULTS = {
    "row 2: '1.0' is a decimal": "user,item,rank\n1.0,A,1\n2.0,B,1\n",
    "column 'score', row 2: '2020-01-01' is no number": "user,item,score\n1,A,2020-01-01\n",
    "column 'score', row 2: 'true' is no number": "user,item,score\n1,A,true\n2,B,false\n",
    "column 'score', row 3: 'high' is no number": "user,item,score\n1,A,1\n1,B,high\n",
    "column 'score', row 3: the score is inf": "user,item,score\n1,A,1\n1,B,inf\n",
    "column 'score', row 3: the score is nan": "user,item,score\n1,A,1\n1,B,nan\n",
    "column 'rank', row 3: the rank is 1.5, no whole": "user,item,rank\n1,A,1\n1,B,1.5\n",
    "column 'rank', row 3: the rank is 3e+09, no whole": "user,item,rank\n1,A,1\n1,B,3000000000\n",
    "column 'user', row 3: nothing is there": "user,item,rank\n1,A,1\n,B,1\n",
    "column 'item', row 3: nothing is there": "user,item,rank\n1,A,1\n1,,2\n",
    "row 4: user 2 has two items at rank 1": "user,item,rank\n1,A,1\n2,A,1\n2,B,1\n",
    "row 1: the line ends in a carriage return alone": "user,item,rank\r1,A,1\r",
    "has the column 'user' twice, of which one would count": "user,user,item,rank\n1,2,A,1\n",
    "several columns for the user: 'User', 'user'": "User,user,item,rank\n1,2,A,1\n",
    "row 3: a NUL byte": "user,item,rank\n1,A,1\n2,\0B,1\n",
    "row 2: not UTF-8": "user,item,rank\n1,é,1\n".encode("latin-1"),
    "row 3: a quote that is opened": 'user,item,rank\n1,A,1\n2,"B,1\n3,C,1\n',
    "row 2: a quote inside a value": 'user,item,rank\n1,A"B,1\n2,C"D,1\n',
    "row 3: 4 values, and the header names 3": "user,item,rank\n1,A,1\n2,B,1,7\n",
}


# What is found in an engine; the rest is found before.
IN_AN_ENGINE = ("the score is", "the rank is", "nothing is there", "two items")
REFUSED = [("polars", *fault) for fault in FAULTS.items()] + [
    ("duckdb", said, text)
    for said, text in FAULTS.items()
    if any(words in said for words in IN_AN_ENGINE)
]


@pytest.mark.parametrize(("engine", "said", "text"), REFUSED, ids=range(len(REFUSED)))
def test_errors_name_the_row(folder, capsys, engine, said, text):
    pytest.importorskip(engine, reason=f"{engine} is not installed")
    path = write(folder / "recs.csv", text)
    ended = refusal(capsys, path, folder / "truth.csv", engine)
    assert said in ended
    assert f"{path}" in ended


def test_a_null_grade_raises(folder, capsys, engine):
    truth = write(folder / "graded.csv", "user,item,grade\n1,A,\n2,B,1\n")
    ended = refusal(capsys, write(folder / "recs.csv", LISTS), truth, engine)
    assert "graded.csv, column 'grade', row 2: nothing is there" in ended


TABLES = {
    "has nested values": {"user": [[1]], "item": ["A"], "rank": [1]},
    "has nested values (S": {"user": [{"a": 1}], "item": ["A"], "rank": [1]},
    "has decimals (Float64) as the user": {"user": [1.0, 2.0], "item": ["A", "B"], "rank": [1, 1]},
    "has text in 'score', where the score should be a number": {
        **{"user": [1], "item": ["A"], "score": ["high"]}
    },
    "column 'user', row 2: nothing is there": {
        "user": [1, None],
        "item": ["A", "B"],
        "rank": [1, 1],
    },
    "several columns for the user": {"User": [1], "user": [1], "item": ["A"], "rank": [1]},
}


@pytest.mark.parametrize(("said", "table"), TABLES.items(), ids=TABLES)
def test_parquet_with_unsupported_types_raises(folder, capsys, engine, said, table):
    path = folder / "recs.parquet"
    pl.DataFrame(table).write_parquet(path)
    ended = refusal(capsys, path, folder / "truth.csv", engine)
    assert said in ended
    assert str(path) in ended


def test_categories_are_text_and_id_types_must_match(folder, capsys, engine):
    kinds = pl.Series(["A", "A", "B"], dtype=pl.Categorical)
    for users in ([1, 2, 2], ["1", "2", "2"]):
        table = pl.DataFrame({"user": users, "item": kinds, "rank": [1, 1, 2]})
        table.write_parquet(folder / "recs.parquet")
        assert value(capsys, folder / "recs.parquet", folder / "truth.csv", engine) == 0.75
    table.with_columns(user=pl.Series([1, 2, 2])).write_parquet(folder / "recs.parquet")
    truth = write(folder / "text.csv", "user,item\n1,A\nx7,B\n")
    ended = refusal(capsys, folder / "recs.parquet", truth, engine)
    assert "text.csv, column 'user', row 3: 'x7' is no whole number, as in" in ended
    assert "recs.parquet" in ended


@pytest.mark.parametrize(
    ("history", "words"),
    [
        ('user,item\n1,"A "\n2,B\n', "has the id 'A', and"),
        ('user,item\n1,A\n"x ",B\n', "has the id 'x', and"),
    ],
)
def test_a_history_whose_ids_only_look_alike_is_refused(folder, capsys, engine, history, words):
    lists = write(folder / "lists.csv", "user,item,rank\n1,A,1\nx,B,1\n")
    truth = write(folder / "truth.csv", "user,item\n1,A\nx,B\n")
    known = write(folder / "history.csv", history)
    for measure in ("recall@1", "self_information@1"):
        more = ("--history", known, "-m", measure)
        ended = refusal(capsys, lists, truth, engine, *more)
        assert words in ended
        assert "they differ only in blanks at an end" in ended


def test_a_folder_of_parquet_is_told_by_its_name(folder, capsys, engine):
    (folder / "recs").mkdir()
    ended = refusal(capsys, folder / "recs", folder / "truth.csv", engine)
    assert "recs: a folder; name a file, or give a folder of Parquet files a name that" in ended


def test_ids_beyond_64_bits_in_text_name_both_cures(folder, capsys, engine):
    wide = pl.Series([2**64 - 1, 2], dtype=pl.UInt64)
    table = pl.DataFrame({"user": wide, "item": ["A", "B"], "rank": [1, 1]})
    table.write_parquet(folder / "recs.parquet")
    truth = write(folder / "text.csv", f"user,item\n{2**64 - 1},A\n2,B\n")
    ended = refusal(capsys, folder / "recs.parquet", truth, engine)
    assert f"row 2: '{2**64 - 1}' does not fit in 64 bits with a sign" in ended
    assert "write the ids of both files as text, or both files as Parquet" in ended


def test_ids_with_leading_zeros_are_text(folder, capsys, engine):
    write(folder / "recs.csv", LISTS.replace("\n1", "\n01").replace("\n2", "\n02"))
    write(folder / "zeros.csv", TRUTH.replace("\n1", "\n01").replace("\n2", "\n02"))
    assert value(capsys, folder / "recs.csv", folder / "zeros.csv", engine) == 0.75
    assert value(capsys, folder / "recs.csv", folder / "truth.csv", engine) == 0


def test_column_names_may_contain_quotes(folder, capsys, engine):
    path = write(folder / "recs.csv", LISTS.replace("user", '"us""er"'))
    assert value(capsys, path, folder / "truth.csv", engine, "--column", 'user=us"er') == 0.75


def test_a_named_pipe_raises(folder, capsys, engine):
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes here")
    os.mkfifo(folder / "pipe.csv")
    assert "pipe.csv: not a file but a pipe" in refusal(
        capsys, folder / "pipe.csv", folder / "truth.csv", engine
    )


def test_folders_of_parquet_files(folder, capsys, engine):
    parts = folder / "recs.parquet"
    parts.mkdir()
    whole = pl.read_csv(write(folder / "recs.csv", LISTS))
    whole[:1].write_parquet(parts / "part[0].parquet")
    whole[1:].write_parquet(parts / "part1.parquet")
    assert value(capsys, parts, folder / "truth.csv", engine) == 0.75
    (folder / "more.csv").mkdir()
    said = refusal(capsys, folder / "more.csv", folder / "truth.csv", engine)
    assert "more.csv: a folder; name a file, or a folder of Parquet files" in said


def test_a_cutoff_beyond_the_integer_range_raises(folder, capsys, engine):
    path = write(folder / "recs.csv", LISTS)
    for cut in ("99999999999999999999", "2147483648"):
        said = refusal(capsys, path, folder / "truth.csv", engine, "-m", f"ndcg@{cut}")
        assert "the cut-off after @ is at most 2,147,483,647" in said


def test_trec_and_json_files_equal_tables(folder, capsys, engine):
    lines = "1 Q0 A 1 2 x\n2 Q0 A 1 2 x\n2 Q0 B 2 1 x\n"
    files = {
        "recs.run": "\ufeff" + lines,
        "scores.json": json.dumps({"1": {"A": 2}, "2": {"A": 2, "B": 1}}),
        "lists.json": json.dumps({"1": ["A"], "2": ["A", "B"]}),
    }
    truths = {
        "truth.csv": TRUTH,
        "truth.qrels": "1 0 A 1\n2 0 B 1\n",
        "truth.json": json.dumps({"1": {"A": 1}, "2": {"B": 1}}),
        "sets.json": json.dumps({"1": ["A"], "2": ["B"]}),
    }
    for name, text in {**files, **truths}.items():
        write(folder / name, text)
    for lists, truth in zip([*files, "recs.run"], truths, strict=True):
        assert value(capsys, folder / lists, folder / truth, engine) == 0.75


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("recs.run", "1 Q0 A 1 2\n", "recs.run, line 1 has 5 columns; a run has user, Q0"),
        (
            "recs.run",
            "1 Q0 A 1 inf x\n",
            "recs.run, line 1 has the score 'inf', not a finite number",
        ),
        ("recs.json", "[1, 2]", "recs.json: an object is needed with the items of each user"),
        ("recs.json", "{", "recs.json: not JSON: "),
        (
            "recs.json",
            '{"user": "u", "item": "A"}\n{"user": "u", "item": "B"}',
            "recs.json: after the first value there is more, in line 2, column 1, and a file of "
            "JSON has one. Put all users into one object; or put the object of each row on a line "
            "of its own, and name the file .jsonl (JSON Lines)",
        ),
        ("recs.json", '{"u": ["A"]} {"v": ["A"]}', "there is more, in line 1, column 14"),
        (
            "recs.jsonl",
            '{"user": "u", "item": "A"} {"user": "u", "item": "B"}',
            "recs.jsonl, line 1: two values in one line; put each object on a line of its own",
        ),
        ("recs.json", '{"u": ["A", "A"]}', "recs.json: user 'u' has item 'A' a second time"),
        ("recs.json", '{"u": ["A"], "v": 1}', "recs.json: user 'v' has 1, where others have a lis"),
        ("recs.json", '{"u": {"A": "x"}}', "recs.json: item 'A' of user 'u' has 'x', no number"),
        ("recs.json", '{"u": {"A": NaN}}', "recs.json, column 'score', user 'u': "),
        ("recs.json", '{"u": [[1]]}', "recs.json: user 'u' has [1], where an id should be"),
    ],
)
def test_invalid_trec_and_json_files_raise(folder, capsys, name, text, said):
    path = write(folder / name, text)
    assert said in refusal(capsys, path, folder / "truth.csv", "polars")


def test_errors_name_the_command_line_option(folder, capsys, engine):
    path = write(folder / "recs.csv", LISTS.replace("user", "who"))
    said = refusal(capsys, path, folder / "truth.csv", engine)
    assert said.endswith("Name it: --column user=NAME")


@on_spark
def test_spark_reads_file_names_literally_and_text_like_the_other_engines(folder, capsys):
    spark()
    for name, text in (("recs[1]{a}*.parquet", LISTS), ("recs1a.parquet", OTHERS)):
        pl.read_csv(write(folder / "x.csv", text)).write_parquet(folder / name)
    assert value(capsys, folder / "recs[1]{a}*.parquet", folder / "truth.csv", "spark") == 0.75


@on_spark
def test_spark_errors_name_the_row(folder, capsys):
    spark()
    path = write(folder / "recs.csv", "user,item,rank\n1,A,1\n,B,1\n")
    said = refusal(capsys, path, folder / "truth.csv", "spark")
    assert "recs.csv, column 'user', row 3: nothing is there" in said


LINES = '{"user": 1, "item": "A", "rank": 1}\n{"user": 2, "item": "A", "rank": 1}\n'
LINES += '{"rank": 2, "item": "B", "user": 2, "more": [1]}\n'


@pytest.mark.parametrize(
    "text",
    [
        LINES,
        LINES.replace("\n", "\r\n\r\n"),
        LINES.rstrip(),
        LINES.replace('"rank": 1', '"rank": "1"'),
        LINES.replace('"A"', '"[a]"').replace('"B"', '"B"'),
    ],
    ids=["plain", "empty lines", "no last line end", "numbers as text", "text like a list"],
)
def test_json_lines_files_equal_tables(folder, capsys, engine, text):
    truth = TRUTH.replace("A", "[a]") if "[a]" in text else TRUTH
    write(folder / "truth.csv", truth)
    path = write(folder / "recs.jsonl", text)
    assert value(capsys, path, folder / "truth.csv", engine) == 0.75
    wanted = '{"user": 1, "item": "A"}\n{"user": 2, "item": "B", "grade": 1.0}\n'
    lines = write(folder / "truth.ndjson", wanted.replace("A", "[a]") if "[a]" in text else wanted)
    if engine == "polars":
        # A grade that is missing from one row only.
        said = refusal(capsys, path, lines, engine)
        assert "truth.ndjson, column 'grade', row 1: nothing is there" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LINES + "{", "line 4: not a JSON object: "),
        (LINES + '["a"]\n', "line 4: an object is needed, such as"),
        (LINES.replace('"A"', '["A"]', 1), "line 1: ['A'], where the id of the item should be"),
        (LINES.replace("1,", "true,", 1), "line 1: True, where the id of the user should be"),
        (LINES.replace('"rank": 2', '"rank": NaN'), "line 3: not a JSON object: NaN is no number"),
        (LINES.replace('"rank": 2', '"rank": "x"'), "column 'rank', row 3: 'x' is no number"),
        (LINES.replace('"rank": 2', '"rank": 0'), "column 'rank', row 3: the rank is 0"),
        (LINES.replace('"user": 2', '"user": 2.5'), "line 2: 2.5 is a decimal, where the id"),
        (LINES.replace('"user": 1', '"user": "1"'), "line 2: the user is 2, and in a line above"),
        (LINES.replace('"item": "A"', '"item": ""', 1), "'item', row 1: an empty text is there"),
        (LINES.replace("user", "who"), " has no column that looks like the user"),
        (LINES.encode("utf-16"), "line 1: not UTF-8"),
        ("\n\n", "there is no row in it"),
    ],
)
def test_invalid_json_lines_files_raise(folder, capsys, text, said):
    path = write(folder / "recs.jsonl", text)
    ended = refusal(capsys, path, folder / "truth.csv", "polars")
    assert said in ended
    assert str(path) in ended


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        (
            "a.json",
            '{"1": [1, "1"], "2": ["B"]}',
            "has the item '1', and there is the item 1; write all ids",
        ),
        (
            "a.jsonl",
            '{"user": "1", "item": "A", "item": "B", "rank": 1}\n',
            "line 1: not a JSON object: .*'item'",
        ),
        ("a.csv", "user,item\n".encode("utf-16"), "text in UTF-16; save the file in UTF-8"),
        (
            "a.csv",
            "\ufeffuser,item,rank\n1,A,1\n\ufeff2,B,1\n",
            r"a\.csv, row 3: a byte-order mark within the text, as where files were joined",
        ),
        (
            "a.csv",
            "user,item,score\n1,A,1\nuser,item,score\n2,B,1\n",
            r"a\.csv, row 3: the names of the columns are repeated, .*; delete the row",
        ),
        (
            "a.tsv",
            "note\tuser\titem\trank\n\t1\tA\t1\n\tUser\t item\trank\n\t2\tB\t1\n",
            r"a\.tsv, row 3: the names of the columns are repeated, .*; delete the row",
        ),
        ("b.csv", "\ufeff\ufeffuser,item,rank\n1,A,1\n", "row 1: a byte-order mark within"),
        ("\udcff.csv", "user,item,rank\n1,A,1\n", "the name of the file is not UTF-8, and no"),
    ],
)
def test_what_would_be_taken_without_a_word_is_refused(name, text, says, folder, capsys):
    lists = write(folder / name, text)
    assert re.search(says, refusal(capsys, lists, folder / "truth.csv", "polars"))


def test_a_damaged_parquet_file_is_named_alone(folder, capsys):
    lists = folder / "lists.parquet"
    pl.DataFrame({"user": ["1"], "item": ["A"], "rank": [1]}).write_parquet(lists)
    content = bytearray(lists.read_bytes())
    content[4:40] = bytes(36)
    lists.write_bytes(content)
    said = refusal(capsys, lists, folder / "truth.csv", "polars")
    assert re.search(r"lists\.parquet: damaged, so it cannot be read to its end: ", said)
    assert "truth.csv" not in said


def test_ids_of_two_types_name_both_files(folder, capsys):
    lists, truth = folder / "lists.parquet", folder / "wanted.parquet"
    day = [datetime.date(2020, 1, 1)]
    pl.DataFrame({"user": day, "item": ["A"], "rank": [1]}).write_parquet(lists)
    pl.DataFrame({"user": ["1"], "item": ["A"]}).write_parquet(truth)
    said = refusal(capsys, lists, truth, "polars")
    assert re.search(r"lists\.parquet has values \(Date\) as the user in 'user'; an id is", said)


def test_text_behind_a_closing_quote_is_named(folder, capsys, engine):
    write(folder / "recs.csv", 'user,item,rank\n1,A,1\n2,"B" ,2\n')
    said = refusal(capsys, folder / "recs.csv", folder / "truth.csv", engine)
    assert "recs.csv, row 3: a quote inside a value" in said


def test_a_key_that_stands_twice_by_way_of_an_escape_is_refused(folder, capsys, engine):
    text = '{"user": 1, "us\\u0065r": 2, "item": "A", "rank": 1}\n'
    text += '{"user": 2, "item": "B", "rank": 1}\n'
    write(folder / "recs.jsonl", text)
    said = refusal(capsys, folder / "recs.jsonl", folder / "truth.csv", engine)
    assert "recs.jsonl, line 1: not a JSON object: the key 'user' occurs 2 times" in said


TWICE = '{"user": 1, "item": "A", "item": "C", "rank": 1}\n'


@pytest.mark.parametrize("empty", ["", "\n" * 9, " \n\t\r\n" * 9], ids=range(3))
def test_a_repeated_key_is_refused_however_many_lines_are_empty(folder, capsys, engine, empty):
    write(folder / "recs.jsonl", empty + TWICE + empty + LINES[LINES.index("\n") + 1 :])
    said = refusal(capsys, folder / "recs.jsonl", folder / "truth.csv", engine)
    line = empty.count("\n") + 1
    assert f"line {line}: not a JSON object: the key 'item' occurs 2 times" in said


def test_a_repeated_key_is_refused_if_other_lines_lack_the_key(folder, capsys, engine):
    text = '{"user": 1, "item": "A", "rank": 1, "rank": 2}\n{"user": 2, "item": "B"}\n'
    write(folder / "recs.jsonl", text)
    said = refusal(capsys, folder / "recs.jsonl", folder / "truth.csv", engine)
    assert "line 1: not a JSON object: the key 'rank' occurs 2 times" in said


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        *((f"recs.{ending}", gzip.compress) for ending in ("csv", "tsv", "json", "run", "jsonl")),
        ("recs.csv", bz2.compress),
        ("recs.csv", lzma.compress),
        ("recs.json", zlib.compress),
        ("recs.csv", lambda content: b"PK\x03\x04" + content),
    ],
)
def test_compressed_text_is_named_as_such(folder, capsys, engine, name, pack):
    write(folder / name, pack(b"user,item,rank\n1,A,1\n"))
    said = refusal(capsys, folder / name, folder / "truth.csv", engine)
    assert re.search(rf"compressed with \w+, although its name ends in \{Path(name).suffix}", said)
    assert "decompress it first" in said


def test_a_column_that_begins_as_zlib_does_is_named(folder, capsys, engine):
    write(folder / "recs.csv", "x^2,user,item,rank\n9,1,A,1\n9,2,B,1\n")
    said = refusal(capsys, folder / "recs.csv", folder / "truth.csv", engine)
    assert "the first name in its header begins with x^" in said
    write(folder / "recs.run", "x^2 Q0 A 1 1 x\n")
    write(folder / "truth.csv", "user,item\nx^2,A\n")
    assert value(capsys, folder / "recs.run", folder / "truth.csv", engine) == 1


def test_ids_that_read_like_a_key_are_no_repeat(folder, capsys, engine):
    text = LINES.replace('"A"', '"item"')
    write(folder / "recs.jsonl", text)
    write(folder / "truth.csv", TRUTH.replace("A", "item"))
    assert value(capsys, folder / "recs.jsonl", folder / "truth.csv", engine) == 0.75


def test_compressed_json_lines_are_refused(folder, capsys, engine):
    write(folder / "recs.jsonl", gzip.compress(TWICE.encode()))
    said = refusal(capsys, folder / "recs.jsonl", folder / "truth.csv", engine)
    assert "compressed with gzip, although its name ends in .jsonl; decompress it first" in said


@pytest.fixture
def parts(folder):
    """A folder with both lists, in a file each."""
    whole = pl.read_csv(write(folder / "recs.csv", LISTS))
    (folder / "recs.parquet").mkdir()
    whole[:1].write_parquet(folder / "recs.parquet" / "part-0.parquet")
    whole[1:].write_parquet(folder / "recs.parquet" / "part-1.parquet")
    return folder / "recs.parquet"


@pytest.mark.parametrize("name", ["_temporary/0/part-9.parquet", ".part-0.parquet", "a/_b.parquet"])
def test_leftovers_in_a_parquet_folder_are_not_counted(folder, parts, capsys, engine, name):
    (parts / name).parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame({"user": [1], "item": ["Z"], "rank": [9]}).write_parquet(parts / name)
    write(parts / "_SUCCESS", "")
    write(parts / ".part-0.parquet.crc", "xx")
    hidden = parts.rename(folder / "_recs.parquet")
    assert value(capsys, hidden, folder / "truth.csv", engine) == 0.75
    lists = value_of_lists(capsys, hidden, folder / "truth.csv", engine)
    assert lists == value_of_lists(capsys, folder / "recs.csv", folder / "truth.csv", engine)


def value_of_lists(capsys, lists, truth, engine):
    asked = (lists, "-t", truth, "-m", "precision@9", "--engine", engine, "--format", "json")
    code, out, _ = run(capsys, *asked)
    assert code == 0
    found = json.loads(out)
    return found["protocol"], found["measures"]


def test_folders_without_parquet_and_with_other_files_are_refused(folder, parts, capsys, engine):
    write(parts / "notes.txt", "x")
    said = refusal(capsys, parts, folder / "truth.csv", engine)
    assert "and notes.txt is none by its name; move it elsewhere" in said
    (folder / "none.parquet").mkdir()
    said = refusal(capsys, folder / "none.parquet", folder / "truth.csv", engine)
    assert "none.parquet: there is no Parquet file in the folder" in said


def test_folders_named_after_the_values_of_a_column_are_read(folder, capsys, engine):
    for user, items in ((1, ["A"]), (2, ["A", "B"])):
        part = folder / "recs.parquet" / f"user={user}"
        part.mkdir(parents=True)
        table = {"item": items, "rank": range(1, len(items) + 1)}
        pl.DataFrame(table).write_parquet(part / "p.parquet")
    assert value(capsys, folder / "recs.parquet", folder / "truth.csv", engine) == 0.75


def test_parts_with_columns_of_two_types_are_refused(folder, parts, capsys, engine):
    other = pl.DataFrame({"user": ["3"], "item": ["A"], "rank": [1]})
    other.write_parquet(parts / "part-2.parquet")
    said = refusal(capsys, parts, folder / "truth.csv", engine)
    assert re.search(
        r"part-2\.parquet, column 'user': values of type String here, and values of type Int64 "
        r"in \S*part-0\.parquet; write all parts with the same types",
        said,
    )
    other.select("rank", user=pl.lit(1, pl.Int64)).write_parquet(parts / "part-2.parquet")
    said = refusal(capsys, parts, folder / "truth.csv", engine)
    assert "part-2.parquet, column 'item': no such column here" in said


@pytest.mark.parametrize(
    ("name", "separator", "said"),
    [
        (
            "a.csv",
            ";",
            "the separator is a semicolon, and .csv files are separated by commas; save",
        ),
        ("a.tsv", ";", "the separator is a semicolon, and .tsv files are separated by tabs; save"),
        ("a.csv", "\t", "is a tab, and .csv files are separated by commas; let the name end in .t"),
        (
            "a.tsv",
            ",",
            "is a comma, and .tsv files are separated by tabs; let the name end in .csv",
        ),
    ],
)
def test_another_separator_is_named_with_the_cure(folder, capsys, engine, name, separator, said):
    write(folder / name, LISTS.replace(",", separator))
    ended = refusal(capsys, folder / name, folder / "truth.csv", engine)
    assert f"{folder / name}: the separator " in ended
    assert said in ended


def test_two_roles_cannot_name_one_column(folder, capsys, engine):
    asked = ("--column", "user=item", "--column", "item=item")
    write(folder / "recs.csv", LISTS)
    said = refusal(capsys, folder / "recs.csv", folder / "truth.csv", engine, *asked)
    assert "recs.csv has one column, 'item', for the user and the item; there are 'user', " in said
    # One name may stand for two roles in two files.
    write(folder / "recs.csv", LISTS.replace("rank", "value"))
    write(folder / "truth.csv", "user,item,value\n1,A,1\n2,B,1\n")
    asked = ("--column", "rank=value", "--column", "grade=value")
    assert value(capsys, folder / "recs.csv", folder / "truth.csv", engine, *asked) == 0.75


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_types_that_are_no_ids_and_scores_that_no_float_holds(folder, capsys, engine):
    pytest.importorskip(engine)
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    truth = folder / "truth.parquet"
    pq.write_table(pa.table({"user": [1, 2], "item": [1, 2]}), truth)

    def said(**columns):
        table = {"user": [1, 2], "item": [1, 2], "score": [2, 1], **columns}
        pq.write_table(pa.table(table), folder / "lists.parquet")
        return refusal(capsys, folder / "lists.parquet", truth, engine)

    spans = pa.array([datetime.timedelta(1), datetime.timedelta(2)])
    for ids, kind in ((spans, "Duration"), ([True, False], "Boolean"), ([b"1", b"2"], "Binary")):
        assert f"values ({kind}" in said(user=ids)
        assert "an id is a whole number or text" in said(item=ids)
    assert "where the score should be a number" in said(score=spans)
    large = pa.array([2**53, 2**53 + 1], pa.decimal128(38, 0))
    assert "row 1: the score 9007199254740992 has more digits" in said(score=large)
    pq.write_table(pa.table({"user": ["1", "2"], "item": [1, 2]}), truth)
    assert "column 'user', row 1: an empty text is there" in said(user=["", "2"])


def test_parts_may_have_other_columns_but_no_ids_in_two_readings(folder, capsys):
    lists = folder / "lists.parquet"
    lists.mkdir()
    part = pl.DataFrame({"user": ["1"], "item": ["A"], "rank": [1]})
    part.write_parquet(lists / "a.parquet")
    more = pl.DataFrame({"user": ["2", "2"], "item": ["A", "B"], "rank": [1, 2], "more": [1, 2]})
    more.write_parquet(lists / "b.parquet")
    truth = folder / "truth.parquet"
    pl.DataFrame({"user": ["1", "2"], "item": ["A", "B"]}).write_parquet(truth)
    assert value(capsys, lists, truth, "polars") == value(capsys, lists, truth, "duckdb") == 0.75
    parts = folder / "parts.parquet"
    (parts / "user=007").mkdir(parents=True)
    part.drop("user").write_parquet(parts / "user=007" / "a.parquet")
    assert "the folder user=007 has an id that one engine" in refusal(
        capsys, parts, truth, "polars"
    )


ODD_COLUMNS = [
    ("^u.*$,item,score,u1\n1,A,1,9\n", "has the column '^u.*$' for the user, a name that engines"),
    ("*,item,score\n1,A,1\n", "has the column '*' for the user, a name that engines read as"),
    ("user,item,score,_row\n1,A,1,9\n", "has a column '_row', the name under which the numbers"),
]


@pytest.mark.parametrize(("text", "said"), ODD_COLUMNS)
def test_names_of_columns_that_engines_read_otherwise_are_refused(
    folder, capsys, engine, text, said
):
    lists = write(folder / "odd.csv", text)
    name = text.partition(",")[0]
    more = () if name == "user" else ("--column", f"user={name}")
    assert said in refusal(capsys, lists, folder / "truth.csv", engine, *more)


def test_scores_that_a_float_does_not_tell_apart_raise(folder, capsys, engine):
    pl = pytest.importorskip("polars")
    texts = ["0.9000000000000000000001", "0.9000000000000000000002"]
    scores = pl.Series(texts).cast(pl.Decimal(38, 30))
    lists = folder / "lists.parquet"
    pl.DataFrame({"user": ["ann"] * 2, "item": ["A", "B"], "score": scores}).write_parquet(lists)
    said = refusal(capsys, lists, folder / "truth.csv", engine)
    assert "has 2 different scores, of which a float tells only 1 apart" in said


def test_users_beyond_63_bits_are_named(folder, capsys, engine):
    pl = pytest.importorskip("polars")
    users = pl.Series([2**63 + 1], dtype=pl.UInt64)
    lists, truth = folder / "lists.parquet", folder / "truth.parquet"
    pl.DataFrame({"user": users, "item": ["A"], "score": [1]}).write_parquet(lists)
    pl.DataFrame({"user": [1], "item": ["A"]}).write_parquet(truth)
    said = refusal(capsys, lists, truth, engine)
    assert "has 9223372036854775809 as the user in 'user', more than the 64-bit whole" in said


def test_a_parquet_file_without_a_row_raises(folder, capsys, engine):
    pl = pytest.importorskip("polars")
    lists = folder / "lists.parquet"
    pl.DataFrame({"user": [], "item": [], "score": []}).write_parquet(lists)
    said = refusal(capsys, lists, folder / "truth.csv", engine)
    assert "lists.parquet: there is no row in it" in said


@pytest.mark.parametrize("name", ["score", "price"])
def test_decimals_that_no_engine_holds_name_the_file(folder, capsys, engine, name):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    wide = pyarrow.array([Decimal("1.5"), Decimal(2)], pyarrow.decimal256(50, 10))
    columns = {"user": [1, 2], "item": [1, 2], "rank": [1, 1], name: wide}
    parquet.write_table(pyarrow.table(columns), folder / "wide.parquet")
    asked = (folder / "wide.parquet", "-t", folder / "truth.csv", "-m", "mrr@2")
    _, _, said = run(capsys, *asked, "--engine", engine)
    assert f"wide.parquet, column '{name}': decimals of 50 digits, and engines hold 38" in said
    assert "write it as float64" in said


def test_two_columns_of_one_name_in_parquet_name_the_cure(folder, capsys, engine):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    names = ["user", "item", "rank", "rank"]
    table = pyarrow.Table.from_arrays([pyarrow.array([1, 2])] * 4, names=names)
    parquet.write_table(table, folder / "twice.parquet")
    asked = (folder / "twice.parquet", "-t", folder / "truth.csv", "-m", "mrr@2")
    _, _, said = run(capsys, *asked, "--engine", engine)
    assert "twice.parquet has two columns 'rank'; rename one, or leave it out" in said


def test_a_nul_in_an_id_is_a_character_that_is_not_seen(folder, capsys, engine):
    rows = [{"user": "u1\0", "item": "A", "rank": 1}, {"user": "u2", "item": "A", "rank": 1}]
    lists = write(folder / "lists.jsonl", "\n".join(map(json.dumps, rows)))
    plain = [{"user": "u1", "item": "A"}, {"user": "u2", "item": "A"}]
    truth = write(folder / "truth.jsonl", "\n".join(map(json.dumps, plain)))
    _, _, said = run(capsys, lists, "-t", truth, "-m", "mrr@2", "--engine", engine)
    assert "they differ only in characters that are not seen" in said


def test_a_large_float_of_json_lines_is_a_score(folder, capsys):
    # Polars makes of 1e20 the text of a whole number with 21 digits.
    lists = folder / "lists.jsonl"
    rows = [("A", "1e20"), ("B", "2.5e300"), ("C", "0.5")]
    lists.write_text(
        "".join(f'{{"user": 1, "item": "{item}", "score": {score}}}\n' for item, score in rows)
    )
    truth = folder / "truth.csv"
    truth.write_text("user,item\n1,A\n")
    assert value(capsys, lists, truth, "polars") == 0.5


def test_a_list_of_categories_in_json_lines_is_not_one_text(folder, capsys):
    lists = write(folder / "lists.csv", "user,item,rank\n1,A,1\n1,B,2\n")
    features = folder / "features.jsonl"
    features.write_text('{"item": "A", "category": "x"}\n{"item": "B", "category": ["x", "y"]}\n')
    more = ("--features", features, "-m", "intra_list_diversity@2")
    said = refusal(capsys, lists, folder / "truth.csv", "polars", *more)
    assert "line 2: ['x', 'y'], where a category should be; write text, and | between" in said


@pytest.mark.parametrize(
    "scores",
    [
        ("0.1000000000000000000001", "0.1000000000000000000002"),
        ("1e-400", "1e-399"),
        ("0", "1e-400"),
        ("4e-324", "5e-324"),
        ("0.3", "0.30000000000000000001"),
    ],
)
def test_scores_in_text_that_a_float_does_not_tell_apart_raise(folder, capsys, engine, scores):
    one, other = scores
    lists = write(folder / "lists.csv", f"user,item,score\nann,A,{one}\nann,B,{other}\nann,C,1\n")
    said = refusal(capsys, lists, folder / "truth.csv", engine)
    assert "column 'score', row 2: " in said
    assert "are 2 different scores, of which a float tells only 1 apart; write ranks" in said


def test_one_score_in_two_texts_is_a_tie(folder, capsys):
    scores = ("0.50000000000000000000", ".5", "5e-1", "0e-400", "0.0")
    rows = "".join(f"ann,{item},{score}\n" for item, score in zip("ABCDE", scores, strict=True))
    lists = write(folder / "lists.csv", f"user,item,score\n{rows}")
    truth = write(folder / "wanted.csv", "user,item,grade\nann,B,0.10000000000000000000001\n")
    code, _, ended = run(capsys, lists, "-t", truth, "-m", "mrr@5")
    assert code == 0, ended


def test_grades_in_text_that_a_float_takes_for_0_raise(folder, capsys, engine):
    lists = write(folder / "lists.csv", "user,item,rank\nann,A,1\n")
    truth = write(folder / "wanted.csv", "user,item,grade\nann,A,1e-400\nann,B,1\n")
    said = refusal(capsys, lists, truth, engine)
    assert "column 'grade', row 2: '1e-400' is so small that a float takes it for 0" in said
