"""A reader's own files on a page: the command line's numbers, and errors that name the file."""

from __future__ import annotations

import html
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from recsys_metrics.evaluation import Report
from recsys_metrics.workbook.browser.upload_evaluation import (
    MEASURES,
    create_reports,
    evaluate_files,
)

LISTS = "user,item,rank\nann,A,1\nann,B,2\nbob,C,1\nbob,A,2\n"
TRUTH = "user,item\nann,B\nbob,C\n"


def files(lists=LISTS, truth=TRUTH, other=None, ending=".csv"):
    given = {"recommended": (f"lists{ending}", lists), "relevant": ("truth.csv", truth)}
    if other is not None:
        given["compared"] = ("other.csv", other)
    return {role: {"name": name, "text": text} for role, (name, text) in given.items()}


def run_evaluation(given, measures="ndcg@10", **options):
    told = json.loads(evaluate_files(json.dumps(given), measures, **options))
    return told["problem"], " ".join(told["lines"])


def draw_files(seed, number):
    """Return lists and likes whose ids are whole numbers, some of them with equal scores."""
    rng = random.Random(seed)
    lists, truth = [f"user,item,{number}"], ["user,item,grade"]
    for user in range(1, 13):
        recommended = rng.sample(range(1, 40), 12)
        liked = rng.sample(range(1, 40), 6)
        # One has no list, and nothing is known of what another one likes.
        for place, item in enumerate(recommended if user != 4 else [], start=1):
            value = place if number == "rank" else rng.randrange(5)
            lists.append(f"{user},{item},{value}")
        truth += [f"{user},{item},{rng.randrange(1, 6)}" for item in (liked if user != 9 else [])]
    return "\n".join(lists), "\n".join(truth)


@pytest.mark.parametrize("number", ["rank", "score"])
def test_values_equal_those_of_the_command_line(number, tmp_path):
    lists, truth = draw_files(3, number)
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
    ours = create_reports(files(lists, truth), asked, threshold=3, catalog=40)["recommended"]
    assert [*ours] == [*theirs]
    for name, value in theirs.items():
        assert ours[name].value == pytest.approx(value, abs=1e-12), name
    printed = [f"{value:.3f}" for value in theirs.values()]
    _, shown = run_evaluation(files(lists, truth), ", ".join(asked), threshold="3", catalog="40")
    assert all(value in shown for value in printed)


def test_a_second_file_is_compared_and_the_report_can_be_downloaded(tmp_path):
    other = "user,item,score\nann,B,0.9\nann,A,0.2\nbob,C,1\n"
    told = json.loads(evaluate_files(json.dumps(files(other=other)), "ndcg@10, recall@10"))
    assert not told["problem"]
    assert len(told["lines"]) == 5
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
def test_file_formats_give_equal_values(lists, ending):
    one, other = (
        create_reports(given, ["ndcg@10", "mrr@10"])["recommended"]
        for given in (files(), files(lists, ending=ending))
    )
    assert {name: r.value for name, r in one.items()} == {n: r.value for n, r in other.items()}


def test_integer_ids_are_ordered_as_numbers_in_ties():
    lists, truth = "user,item,score\n1,10,1\n1,9,1\n", "user,item\n1,9\n"
    assert create_reports(files(lists, truth), ["mrr@10"])["recommended"]["mrr@10"].value == 1
    # One that is none makes all of them text, and "10" comes before "9".
    text = lists.replace("1,9,1", "1,9,1\n1,x,0")
    assert create_reports(files(text, truth), ["mrr@10"])["recommended"]["mrr@10"].value == 0.5


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
def test_errors_name_the_file(given, problem):
    is_problem, text = run_evaluation(given)
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
def test_invalid_options_are_reported(options, problem):
    is_problem, text = run_evaluation(files(), **options)
    assert is_problem
    assert problem in text


def test_no_temporary_files_remain(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run_evaluation(files())
    run_evaluation(files(""))
    assert [*Path(tmp_path).iterdir()] == []


def rows(shown):
    """Return the rows of the table of readings: how it is read, the value, by whom."""
    _, _, table = shown.partition("Who would report which number")
    cells = [
        [
            html.unescape(re.sub("<[^>]+>", "", cell))
            for cell in re.findall(r"<t[hd].*?</t[hd]>", row)
        ]
        for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)
    ]
    return [row for row in cells[1:] if row]


def test_values_attributed_to_libraries_are_correct():
    """Two that are installed here, asked themselves."""
    trec = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    learn = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    rng = random.Random(5)
    recommended = {f"u{user}": rng.sample(range(30), 10) for user in range(20)}
    liked = {
        user: {item: rng.randrange(1, 5) for item in rng.sample(range(30), 6)}
        for user in recommended
    }
    lists = ["user,item,rank"]
    lists += [
        f"{u},i{item},{k}" for u, items in recommended.items() for k, item in enumerate(items, 1)
    ]
    truth = ["user,item,grade"]
    truth += [f"{u},i{item},{grade}" for u, own in liked.items() for item, grade in own.items()]
    _, shown = run_evaluation(files("\n".join(lists), "\n".join(truth)), "ndcg@5")
    found = {who: float(value) for _, value, whose in rows(shown) for who in whose.split(", ")}

    run = {
        u: {f"i{item}": -float(k) for k, item in enumerate(items)}
        for u, items in recommended.items()
    }
    qrels = {u: {f"i{item}": grade for item, grade in own.items()} for u, own in liked.items()}
    theirs = trec.RelevanceEvaluator(qrels, {"ndcg_cut.5"}).evaluate(run)
    mean = sum(one["ndcg_cut_5"] for one in theirs.values()) / len(theirs)
    assert found["pytrec_eval"] == pytest.approx(mean, abs=5e-4)
    assert found["this page"] == found["pytrec_eval"]

    grades = [[liked[u].get(item, 0) for item in items] for u, items in recommended.items()]
    scores = [[*range(10, 0, -1)]] * len(grades)
    assert found["scikit-learn"] == pytest.approx(learn.ndcg_score(grades, scores, k=5), abs=5e-4)
    assert found["scikit-learn"] > found["pytrec_eval"]


def test_a_library_with_two_conventions_is_listed_twice():
    _, shown = run_evaluation(files(*draw_files(3, "rank")), "precision@10, recall@10")
    assert {row[0].partition("(")[0].partition("@")[0] for row in rows(shown)} == {
        *("precision", "recall")
    }
    named = [who for *_, whose in rows(shown) for who in whose.split(", ") if "RecTools" in who]
    assert "RecTools precision(r_precision=true)" in named
    assert len(named) == len(set(named))


def test_a_metric_without_other_libraries_has_no_table():
    problem, shown = run_evaluation(files(*draw_files(3, "rank")), "user_coverage@10")
    assert (problem, "Who would report" in shown) == (False, False)


def test_the_picture_marks_intervals_that_exclude_zero():
    better = "user,item,rank\n" + "\n".join(f"u{user},A,1" for user in range(60))
    worse = "user,item,rank\n" + "\n".join(f"u{user},B,1" for user in range(60))
    truth = "user,item\n" + "\n".join(f"u{user},{'AC'[user % 4 == 0]}" for user in range(60))
    _, shown = run_evaluation(files(better, truth, other=worse), "hit_rate@1, recall@1")
    label = re.search(r'role="img" aria-label="([^"]+)"', shown)[1]
    assert label.startswith(
        "Gains of lists.csv over other.csv: the interval of hit_rate@1, recall@1"
    )
    _, shown = run_evaluation(
        files(better, truth, other=better.replace("u1,A", "u1,B")), "hit_rate@1"
    )
    assert "all intervals hold 0" in re.search(r'role="img" aria-label="([^"]+)"', shown)[1]
    # Without an interval there is nothing to draw.
    _, shown = run_evaluation(files(other=LISTS), "coverage@1", catalog="3")
    assert "lists.csv against other.csv" in shown
    assert 'role="img"' not in shown
