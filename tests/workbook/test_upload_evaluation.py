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
from recsys_metrics.workbook.browser import upload_evaluation
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


def as_parquet(columns):
    """Return lists as the page's reader of Parquet hands them over."""
    return files(json.dumps(columns), "user,item\n1,7\n", ending=".parquet")


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
    conclusion, readings, tables = told["lines"]
    assert "Too few users to compare lists.csv with other.csv." in conclusion
    assert "What each library would report" in readings
    assert "lists.csv against other.csv" in tables
    (tmp_path / "report.json").write_text(told["card"])
    kept = Report.load(tmp_path / "report.json")
    assert [*kept] == ["ndcg@10", "recall@10"]


@pytest.mark.parametrize(
    ("lists", "ending"),
    [
        ("user\titem\tscore\nann\tA\t2\nann\tB\t1\nbob\tC\t2\nbob\tA\t1\n", ".tsv"),
        ('{"ann": ["A", "B"], "bob": ["C", "A"]}', ".json"),
        ('{"ann": {"A": 2, "B": 1}, "bob": {"C": 2, "A": 1}}', ".json"),
        (
            json.dumps(
                {
                    "user_id": ["ann", "ann", "bob", "bob"],
                    "title": ["x", "y", "z", "x"],
                    "item": ["A", "B", "C", "A"],
                    "rank": ["1", "2", "1", "2"],
                }
            ),
            ".parquet",
        ),
        (
            '{"user": "ann", "item": "A", "rank": 1}\n\n{"user": "ann", "item": "B", "rank": 2}\n'
            '{"rank": 1.0, "user": "bob", "item": "C"}\n{"user": "bob", "item": "A", "rank": 2}',
            ".jsonl",
        ),
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
        (
            files("user;item;rank\nann;A;1\n"),
            "lists.csv: the separator is a semicolon, and .csv files are separated by commas",
        ),
        (
            files("user\titem\trank\nann\tA\t1\n"),
            "lists.csv: the separator is a tab, and .csv files are separated by commas; let the "
            "name end in .tsv",
        ),
        (
            files("user,item,rank\nann,A,1\nUser,item, rank\n"),
            "lists.csv, row 3: the names of the columns are repeated",
        ),
        (files("user,item,rank\nann,A,1_0\n"), "lists.csv, row 2: '1_0' is no number"),
        (
            files('{"user": 1, "item": 2, "item": 3, "rank": 1}\n', ending=".jsonl"),
            "lists.jsonl, line 1: not a JSON object: the key 'item' occurs 2 times",
        ),
        (
            files('{"user": 1, "item": [2], "rank": 1}\n', ending=".jsonl"),
            "lists.jsonl, line 1: [2], where the id of the item should be",
        ),
        (files("user,item,rank\nann,A,1\nann,A,2\n"), "has item 'A' a second time"),
        (files("user,item,rank\nann,A,1,7\n"), "lists.csv, row 2: 4 values"),
        (files("{", ending=".json"), "lists.json: not JSON"),
        (files("a,b\n1,2\n", ending=".xlsx"), "names end in .csv, .tsv, .parquet"),
        (
            as_parquet({"user": ["1", ""], "item": ["7", "8"], "rank": ["1", "2"]}),
            "row 2: there is",
        ),
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
        ({"measures": " , "}, "no metric is chosen"),
        ({"threshold": "high"}, "the lowest grade is a number such as 4, not"),
        ({"threshold": "1_0"}, "the lowest grade is a number such as 4, not"),
        ({"catalog": "1_000"}, "how many items there are is a whole number, not"),
        ({"catalog": "1.5"}, "how many items there are is a whole number, not"),
        ({"measures": "coverage@10"}, "needs catalog"),
    ],
)
def test_invalid_options_are_reported(options, problem):
    is_problem, text = run_evaluation(files(), **options)
    assert is_problem
    assert problem in text


def test_a_lack_of_memory_is_reported(monkeypatch):
    def refuse(*_, **__):
        raise MemoryError

    monkeypatch.setattr(upload_evaluation, "evaluate_data", refuse)
    is_problem, text = run_evaluation(files())
    assert is_problem
    assert "The memory of this page is not enough" in text


def test_a_cutoff_beyond_every_list_is_evaluated():
    is_problem, text = run_evaluation(files(), "ndcg@1000000, recall@1000000")
    assert not is_problem
    assert "ndcg@1000000 of lists.csv is 0.815" in text


def test_no_temporary_files_remain(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run_evaluation(files())
    run_evaluation(files(""))
    assert [*Path(tmp_path).iterdir()] == []


def rows(shown):
    """Return the rows of the table of readings: how it is read, the value, by whom."""
    _, _, table = shown.rpartition("<table")
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
    assert (problem, "each library" in shown) == (False, False)


def conclusion(shown):
    """Return the words of the conclusion."""
    return html.unescape(re.sub("<[^>]+>", "", re.search(r"<p class.*?</p>", shown)[0]))


def test_the_conclusion_and_the_picture_come_before_any_table():
    users = range(60)
    better = "user,item,rank\n" + "\n".join(f"u{user},A,1" for user in users)
    worse = "user,item,rank\n" + "\n".join(f"u{user},B,1" for user in users)
    truth = "user,item\n" + "\n".join(f"u{user},{'AC'[user % 4 == 0]}" for user in users)
    _, shown = run_evaluation(files(better, truth, other=worse), "hit_rate@1, recall@1")
    assert conclusion(shown).startswith(
        "lists.csv is better than other.csv, by hit_rate@1. Difference 0.750, 95% CI 0.6"
    )
    assert shown.index("own-conclusion") < shown.index("<figure") < shown.index("<table")
    assert shown.index("<details><summary>All numbers in tables") < shown.index("<table")
    label = re.search(r'role="img" aria-label="([^"]+)"', shown)[1]
    assert label.startswith(
        "lists.csv minus other.csv: a difference is detected in hit_rate@1 and recall@1. "
        "hit_rate@1 +0.750 [0.6"
    )
    assert "own-ring" not in shown[: shown.index("What each library")]

    other = better.replace("u1,A", "u1,B")
    _, shown = run_evaluation(files(better, truth, other=other), "hit_rate@1")
    assert conclusion(shown).startswith(
        "No difference detected between lists.csv and other.csv, by hit_rate@1. Difference 0.017"
    )
    label = re.search(r'role="img" aria-label="([^"]+)"', shown)[1]
    assert label.startswith("lists.csv minus other.csv: no difference is detected.")
    assert "own-ring" in shown[: shown.index("What each library")]


def test_one_file_is_shown_with_its_intervals():
    lists, truth = draw_files(3, "rank")
    _, shown = run_evaluation(files(lists, truth), "ndcg@10, coverage@10", catalog="40")
    said = conclusion(shown)
    assert re.fullmatch(
        r"ndcg@10 of lists.csv is 0\.\d{3}\. 95% CI 0\.\d{3} to 0\.\d{3} \(n = 11 users\)\.", said
    )
    label = re.search(r'role="img" aria-label="([^"]+)"', shown)[1]
    assert label.startswith("lists.csv: each metric with its 95% confidence interval. ndcg@10 0.")
    _, shown = run_evaluation(files(), "coverage@1", catalog="3")
    assert "an aggregate over all lists" in conclusion(shown)
    # Without an interval there is nothing to compare by, and no picture of differences.
    _, shown = run_evaluation(files(other=LISTS), "coverage@1", catalog="3")
    assert "there is no confidence interval to compare by" in conclusion(shown)
    assert "lists.csv against other.csv" in shown
    assert "minus other.csv" not in shown


def test_libraries_are_dots_on_one_axis():
    lists, truth = draw_files(3, "rank")
    _, shown = run_evaluation(files(lists, truth), "ndcg@5, precision@5")
    figures = re.findall(r"<figure.*?</figure>", shown)
    assert len(figures) == 3
    assert "<summary>The other metric</summary>" in shown
    _, libraries, _ = figures
    title = re.search(r"<strong>(.*?)</strong>", libraries)[1]
    low, high = re.fullmatch(r"ndcg@5 of the same lists: from (\S+) to (\S+)", title).groups()
    dots = re.findall(r'own-dot( own-ring)?" style="left:([\d.]+)%"', libraries)
    values = [float(one) for one in re.findall(r'own-value">([\d.]+)<', libraries)]
    assert [values[-1], values[0]] == [float(low), float(high)]
    # The places on the axis are in proportion to the values; the page's own dot is the filled one.
    last = float(re.findall(r'style="left:100.00%">([\d.]+)<', libraries)[0])
    places = [float(place) / 100 * last for _, place in dots]
    assert places == pytest.approx(values, abs=6e-4)
    assert [ring for ring, _ in dots].count("") == 1
    assert "scikit-learn" in libraries
    assert "ranx" in libraries
