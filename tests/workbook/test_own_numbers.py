"""A reader's own files on a page: the command line's numbers, and errors that name the file."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from recsys_metrics.evaluation import Report
from recsys_metrics.workbook.own_numbers import MEASURES, answer, report

LISTS = "user,item,rank\nann,A,1\nann,B,2\nbob,C,1\nbob,A,2\n"
TRUTH = "user,item\nann,B\nbob,C\n"


def files(lists=LISTS, truth=TRUTH, other=None, ending=".csv"):
    given = {"recommended": (f"lists{ending}", lists), "relevant": ("truth.csv", truth)}
    if other is not None:
        given["compared"] = ("other.csv", other)
    return {role: {"name": name, "text": text} for role, (name, text) in given.items()}


def said(given, measures="ndcg@10", **options):
    told = json.loads(answer(json.dumps(given), measures, **options))
    return told["problem"], " ".join(told["lines"])


def drawn(seed, number):
    """Return lists and likes whose ids are whole numbers, some of them with equal scores."""
    rng = random.Random(seed)
    lists, truth = [f"user,item,{number}"], ["user,item,grade"]
    for user in range(1, 13):
        served = rng.sample(range(1, 40), 12)
        liked = rng.sample(range(1, 40), 6)
        # One has no list, and nothing is known of what another one likes.
        for place, item in enumerate(served if user != 4 else [], start=1):
            value = place if number == "rank" else rng.randrange(5)
            lists.append(f"{user},{item},{value}")
        truth += [f"{user},{item},{rng.randrange(1, 6)}" for item in (liked if user != 9 else [])]
    return "\n".join(lists), "\n".join(truth)


@pytest.mark.parametrize("number", ["rank", "score"])
def test_the_numbers_are_those_of_the_command_line(number, tmp_path):
    lists, truth = drawn(3, number)
    asked = [*MEASURES, "coverage@5", "gini@10"]
    (tmp_path / "lists.csv").write_text(lists)
    (tmp_path / "truth.csv").write_text(truth)
    options = [part for one in asked for part in ("-m", one)]
    command = ["evaluate", "lists.csv", "-t", "truth.csv", *options, "--format", "json"]
    command += ["--catalog", "40", "--threshold", "3"]
    done = subprocess.run(
        [sys.executable, "-m", "recsys_metrics.cli", *command],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    theirs = {name: one["value"] for name, one in json.loads(done.stdout)["measures"].items()}
    ours = report(files(lists, truth), asked, threshold=3, catalog=40)["recommended"]
    assert [*ours] == [*theirs]
    for name, value in theirs.items():
        assert ours[name].value == pytest.approx(value, abs=1e-12), name
    printed = [f"{value:.3f}" for value in theirs.values()]
    _, shown = said(files(lists, truth), ", ".join(asked), threshold="3", catalog="40")
    assert all(value in shown for value in printed)


def test_a_second_file_is_compared_with_and_the_report_is_kept(tmp_path):
    other = "user,item,score\nann,B,0.9\nann,A,0.2\nbob,C,1\n"
    told = json.loads(answer(json.dumps(files(other=other)), "ndcg@10, recall@10"))
    assert not told["problem"]
    assert len(told["lines"]) == 3
    assert "lists.csv against other.csv" in told["lines"][2]
    (tmp_path / "report.json").write_text(told["card"])
    kept = Report.load(tmp_path / "report.json")
    assert [*kept] == ["ndcg@10", "recall@10"]


@pytest.mark.parametrize(
    ("lists", "ending"),
    [
        ("user\titem\tscore\nann\tA\t2\nann\tB\t1\nbob\tC\t2\nbob\tA\t1\n", ".tsv"),
        ('{"ann": ["A", "B"], "bob": ["C", "A"]}', ".json"),
        ('{"ann": {"A": 2, "B": 1}, "bob": {"C": 2, "A": 1}}', ".json"),
        ("ann Q0 A 1 2 x\nann Q0 B 2 1 x\nbob Q0 C 1 2 x\nbob Q0 A 2 1 x\n", ".run"),
        ("\ufeffuser_id,movie_id,rank\r\nann,A,1\r\nann,B,2\r\nbob,C,1\r\nbob,A,2\r\n", ".csv"),
    ],
)
def test_the_same_lists_in_other_forms_give_the_same(lists, ending):
    one, other = (
        report(given, ["ndcg@10", "mrr@10"])["recommended"]
        for given in (files(), files(lists, ending=ending))
    )
    assert {name: r.value for name, r in one.items()} == {n: r.value for n, r in other.items()}


def test_ids_that_are_whole_numbers_tie_by_number():
    lists, truth = "user,item,score\n1,10,1\n1,9,1\n", "user,item\n1,9\n"
    assert report(files(lists, truth), ["mrr@10"])["recommended"]["mrr@10"].value == 1
    # One that is none makes all of them text, and "10" comes before "9".
    text = lists.replace("1,9,1", "1,9,1\n1,x,0")
    assert report(files(text, truth), ["mrr@10"])["recommended"]["mrr@10"].value == 0.5


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (files("user,item,rank\nann,A,x\n"), "lists.csv, row 2: 'x' is no number"),
        (files("user,item,rank\nann,,1\n"), "lists.csv, row 2: there is no item"),
        (files("user,item,rank\n"), "lists.csv: there is no row in it"),
        (files(""), "lists.csv: the file is empty"),
        (files("user;item;rank\nann;A;1\n"), "lists.csv has no column that looks like the user"),
        (files("user,item,rank\nann,A,1\nann,A,2\n"), "has item 'A' a second time"),
        (files("user,item,rank\nann,A,1,7\n"), "lists.csv, row 2: 4 values"),
        (files("{", ending=".json"), "lists.json: not JSON"),
        (files("PAR1", ending=".parquet"), "a page reads .csv, .tsv"),
        (files(truth="who,what\n"), "truth.csv has no column that looks like the user"),
    ],
)
def test_what_is_wrong_is_said_with_the_name_of_the_file(given, problem):
    is_problem, text = said(given)
    assert is_problem
    assert problem.replace("'", "&#x27;") in text
    assert "recsys-" not in text


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"measures": "ndgc@10"}, "ndgc"),
        ({"measures": " , "}, "name a measure"),
        ({"threshold": "high"}, "the lowest grade is a number such as 4, not"),
        ({"catalog": "1.5"}, "how many items there are is a whole number, not"),
        ({"measures": "coverage@10"}, "needs catalog"),
    ],
)
def test_what_cannot_be_asked_is_said(options, problem):
    is_problem, text = said(files(), **options)
    assert is_problem
    assert problem in text


def test_nothing_of_it_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    said(files())
    said(files(""))
    assert [*Path(tmp_path).iterdir()] == []
