"""A notebook checked from the command line: each exercise by its check, whatever the rest does."""

from __future__ import annotations

import json
import os
import time
import uuid
from dataclasses import replace
from xml.etree import ElementTree

import nbformat
import psutil
import pytest

from recsys_metrics.workbook import checking, progress
from recsys_metrics.workbook.checking import add_card_answers
from recsys_metrics.workbook.checking.formats import FORMATS
from recsys_metrics.workbook.checking.grade import grade_notebook
from recsys_metrics.workbook.checking.notebook import Call, NotebookError, find_calls, read_cells
from recsys_metrics.workbook.exercises import ranking as ex
from tests.exercises.simulated_learners import fresh
from tests.tiers import another_program

START = "%precision 3\nfrom recsys_metrics.workbook.exercises import ranking as ex"
NDCG = """
def mine(recommended, relevant, k):
    from recsys_metrics import judge, ndcg

    return ndcg(judge(recommended, relevant), k, no_relevant="zero")


ex.write_ndcg.check(mine)
"""
CELLS = (
    START,
    "ex.first_guess.check(guess=...)",
    "ex.average_precision_of_list.check(0.3)\nex.average_precision_of_list.check(ap=0.442)",
    "ex.ndcg_from_scratch.check(dcg=1.518, idcg=2.131, ndcg=0.712)",
    "ex.precision_recall_f1.check(precision=..., recall=..., f1=...)",
    'ex.average_precision_of_list.variant("s1").check(0.5)',
    "1 / 0",
    "ex.auc_by_pairs.check(pairs=undefined)",
    NDCG,
    "raise RuntimeError('after the last check')",
)


def write_notebook(folder, cells=CELLS, name="mine.ipynb"):
    """Write a notebook, or the text of one, and return its path."""
    path = folder / name
    if path.suffix == ".ipynb":
        notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
        nbformat.write(notebook, path)
    else:
        kernel = "kernelspec:\n  display_name: Python 3\n  language: python\n  name: python3\n"
        head = "---\njupytext:\n  text_representation:\n    extension: .md\n    format_name: myst\n"
        blocks = [f"```{{code-cell}} ipython3\n{cell.strip()}\n```\n" for cell in cells]
        path.write_text(f"{head}{kernel}---\n\n# Mine\n\n" + "\nWords.\n\n".join(blocks))
    return path


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return grade_notebook(write_notebook(tmp_path_factory.mktemp("graded")))


def outcomes(report):
    return {one.exercise: str(one.outcome) for one in report.graded}


# What is found -----------------------------------------------------------------------------------


def test_each_exercise_has_the_outcome_of_its_last_check(report):
    assert outcomes(report) == {
        "ranking.first_guess": "NOT ATTEMPTED",
        "ranking.e4": "PASS",
        "ranking.e5": "WRONG",
        "ranking.e2": "NOT ATTEMPTED",
        "ranking.e4 s1": "WRONG",
        "ranking.e6": "ERROR",
        "ranking.write_ndcg": "PASS",
    }
    assert report.points == 2 + 4
    assert report.out_of == 2 + 3 + 3 + 2 + 3 + 4
    assert not report.passed
    assert report.problem == ""


def test_mistakes_and_errors_are_explained(report):
    by_id = {one.exercise: one for one in report.graded}
    assert by_id["ranking.e5"].mistake == "own-list-ideal"
    assert "own-list ideal" in by_id["ranking.e5"].message
    assert "NameError" in by_id["ranking.e6"].message
    assert "cell 7: ZeroDivisionError" in by_id["ranking.e6"].message


def test_the_text_of_a_notebook_gives_the_same_result(tmp_path, report):
    assert outcomes(grade_notebook(write_notebook(tmp_path, name="mine.md"))) == outcomes(report)


def test_check_calls_are_found_statically():
    cells = [
        "import recsys_metrics.workbook.exercises.ranking as r\n"
        "r.average_precision_of_list.check(1)",
        "from recsys_metrics.workbook.exercises import ranking, rating as other",
        "ranking.ndcg_from_scratch.variant(seed=7).check(1)\n"
        "x = [ranking.average_precision_of_list.check(1)]",
        "%%time\nranking.auc_by_pairs.check(...)",
        "this is no Python, ranking.reciprocal_rank_and_mean.check(1)",
        "unknown.average_precision_of_list.check(1)\nranking.nonsense.check(1)\n"
        "ranking.average_precision_of_list.variant(name).check(1)",
    ]
    # A cell that is no Python is attempted all the same, so that its error can be shown.
    assert sorted(find_calls(cells), key=lambda call: (call.cell, call.exercise)) == [
        Call(0, "ranking.e4"),
        Call(2, "ranking.e4"),
        Call(2, "ranking.e5", "7"),
        Call(4, "ranking.e3"),
    ]


def test_a_notebook_runs_in_its_own_folder(tmp_path):
    (tmp_path / "value.txt").write_text("0.442")
    cells = (
        START,
        "with open('value.txt') as file:\n"
        "    ex.average_precision_of_list.check(float(file.read()))",
    )
    assert outcomes(grade_notebook(write_notebook(tmp_path, cells))) == {"ranking.e4": "PASS"}


@another_program
def test_a_notebook_that_does_not_end_is_stopped(tmp_path):
    cells = (
        START,
        "ex.average_precision_of_list.check(0.442)",
        "import time\nwhile True: time.sleep(1)",
        "ex.ndcg_from_scratch.check(1)",
    )
    started = time.monotonic()
    stopped = grade_notebook(write_notebook(tmp_path, cells), seconds=8)
    assert time.monotonic() - started < 20
    assert outcomes(stopped) == {"ranking.e4": "PASS", "ranking.e5": "ERROR"}
    assert stopped.problem == "stopped after 8 s"
    assert "stopped after 8 s" in stopped.graded[1].message


@another_program
@pytest.mark.parametrize(
    ("last", "says"),
    [
        ("import os; os._exit(3)", "ended with status 3"),
        ("exit()", ""),
        ("import sys; sys.exit(1)", ""),
        ("print('x' * 10**7)", ""),
        ("input('your name?')", ""),
    ],
)
def test_a_cell_that_exits_keeps_earlier_results(tmp_path, last, says):
    left = grade_notebook(
        write_notebook(
            tmp_path,
            (
                START,
                "ex.average_precision_of_list.check(0.442)",
                last,
                "ex.ndcg_from_scratch.check(1.518)",
            ),
        )
    )
    assert outcomes(left)["ranking.e4"] == "PASS"
    assert says in left.problem
    assert bool(left.problem) == bool(says)
    if not says:
        assert outcomes(left)["ranking.e5"] == "NOT ATTEMPTED"


def test_no_process_is_left_running(tmp_path):
    name = uuid.uuid4().hex
    code = (
        "import os, subprocess\n"
        f"subprocess.Popen(['sh', '-c', 'echo > started; sleep 60', '{name}'])\n"
        "while not os.path.exists('started'): pass"
    )
    grade_notebook(
        write_notebook(tmp_path, (START, code, "ex.average_precision_of_list.check(0.442)"))
    )
    assert (tmp_path / "started").exists()

    def left() -> list[str]:
        lines = (one.info["cmdline"] or [] for one in psutil.process_iter(["cmdline"]))
        return [line for line in lines if name in line]

    # It was told to end; whoever was told may take a moment.
    given_up = time.monotonic() + 10
    while left() and time.monotonic() < given_up:
        time.sleep(0.01)
    assert left() == []


def test_the_progress_of_the_grader_is_not_changed(tmp_path, monkeypatch):
    monkeypatch.setenv(progress.VARIABLE, str(tmp_path / "progress.json"))
    grade_notebook(write_notebook(tmp_path, (START, "ex.average_precision_of_list.check(0.442)")))
    assert not (tmp_path / "progress.json").exists()


def test_answers_given_in_cards_are_used_for_empty_cells(tmp_path, monkeypatch):
    monkeypatch.setenv(progress.VARIABLE, str(tmp_path / "progress.json"))
    fresh(ex.average_precision_of_list).check(0.442)
    fresh(ex.ndcg_from_scratch).check(1, 2, 3)
    fresh(ex.reciprocal_rank_and_mean).check(0.1)
    path = write_notebook(
        tmp_path,
        (
            START,
            "ex.average_precision_of_list.check(...)\nex.ndcg_from_scratch.check(...)\nex.precision_recall_f1.check(...)",
        ),
    )
    cells = grade_notebook(path)
    assert cells.points == 0
    told = {one.exercise: one for one in add_card_answers(cells).graded}
    assert set(told) == {"ranking.e4", "ranking.e5", "ranking.e2"}
    assert (told["ranking.e4"].outcome, told["ranking.e4"].points) == (
        "PASS",
        ex.average_precision_of_list.points,
    )
    assert "answered in its card" in told["ranking.e4"].message
    assert (told["ranking.e5"].outcome, told["ranking.e5"].points) == ("WRONG", 0)
    assert told["ranking.e2"].outcome == "NOT ATTEMPTED"
    # What stands in a cell counts before what was in the card, and so does what is asked today.
    path = write_notebook(tmp_path, (START, "ex.average_precision_of_list.check(0.5)"))
    assert add_card_answers(grade_notebook(path)).graded[0].outcome == "WRONG"
    monkeypatch.setattr(progress, "hash_content", lambda exercise: "another")
    assert [one.outcome for one in add_card_answers(cells).graded] == ["NOT ATTEMPTED"] * 3


@pytest.mark.parametrize("outcome", ["PART", "odd", ""])
def test_an_outcome_that_no_exercise_has_counts_as_no_answer(tmp_path, monkeypatch, outcome):
    file = tmp_path / "progress.json"
    monkeypatch.setenv(progress.VARIABLE, str(file))
    event = {"id": "a", "exercise": "ranking.e4", "outcome": outcome}
    event["when"] = "2026-03-01T10:00:00+00:00"
    file.write_text(json.dumps({"version": 2, "history": [event]}))
    cell = "ex.average_precision_of_list.check(...)"
    report = grade_notebook(write_notebook(tmp_path, (START, cell)))
    assert add_card_answers(report).graded[0].outcome == "NOT ATTEMPTED"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.txt", "x", "is no notebook"),
        ("a.ipynb", "{", "is not a sound notebook"),
        ("a.ipynb", "", "is not a sound notebook: it is empty"),
        ("a.ipynb", "[]", "is not a sound notebook: it contains no cells; save it again"),
        ("a.ipynb", '{"cells": 3}', "is not a sound notebook: it contains no cells"),
        ("a.ipynb", '{"cells": [null]}', "is not a sound notebook: its cell 1 is none"),
        ("a.ipynb", '{"cells": [{"cell_type": {}}]}', "is not a sound notebook: its cell 1 is"),
        ("a.ipynb", "[" * 100_000, "is not a sound notebook: it is damaged or cut off"),
        ("a.ipynb", '{"cells": [], "metadata": 5}', "; open it in Jupyter and save it again"),
        ("a.ipynb", '{"cells": [], "nbformat": "\\u001b[2J"}', r"\\x1b\[2J; open it in Jupyter"),
        ("a.md", "# Words only", "has no code cells"),
        ("b.ipynb", None, "is not there"),
    ],
)
def test_an_invalid_notebook_raises(tmp_path, name, content, says):
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(NotebookError, match=says):
        read_cells(path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_notebook_in_another_encoding_is_read(tmp_path, encoding):
    path = write_notebook(tmp_path, (START, "ex.average_precision_of_list.check(0.5)"))
    path.write_bytes(path.read_text("utf-8").encode(encoding))
    assert len(read_cells(path)) == 2


def test_a_circle_of_links_and_a_pipe_are_no_notebooks(tmp_path):
    (tmp_path / "a.ipynb").symlink_to("a.ipynb")
    os.mkfifo(tmp_path / "b.ipynb")
    for name in ("a.ipynb", "b.ipynb"):
        for grade in (read_cells, grade_notebook):
            with pytest.raises(NotebookError, match="cannot be read: "):
                grade(tmp_path / name)


def test_a_notebook_without_checks_raises(tmp_path):
    with pytest.raises(NotebookError, match="calls no check"):
        grade_notebook(write_notebook(tmp_path, ("1 + 1",)))


# How it is written -------------------------------------------------------------------------------


def test_text_output_is_self_contained(report):
    text = FORMATS["text"](report)
    assert "✓ ranking.e4 " in text
    assert "✗ ranking.e5 " in text
    assert "? ranking.e2 " in text
    assert "! ranking.e6 " in text
    assert "own-list ideal" in text
    assert text.endswith("6 of 17 points")


def test_json_output_is_complete(report):
    kept = json.loads(FORMATS["json"](report))
    assert (kept["score"], kept["max_score"], kept["passed"]) == (6, 17, False)
    by_id = {one["id"]: one for one in kept["exercises"]}
    assert by_id["ranking.e5"]["mistake"] == "own-list-ideal"
    assert by_id["ranking.e5"]["outcome"] == "WRONG"


def test_junit_output_has_an_element_for_each_outcome(report):
    suite = ElementTree.fromstring(FORMATS["junit"](report))
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "7", "failures": "2", "errors": "1", "skipped": "2"}
    told = {case.get("name"): [child.tag for child in case] for case in suite}
    assert told["ranking.e4"] == []
    assert told["ranking.e5"] == ["failure"]
    assert told["ranking.e6"] == ["error"]
    assert told["ranking.e2"] == ["skipped"]


def test_gradescope_scores_sum_to_the_total(report):
    kept = json.loads(FORMATS["gradescope"](report))
    assert kept["score"] == sum(test["score"] for test in kept["tests"]) == 6
    assert {test["status"] for test in kept["tests"]} == {"passed", "failed"}
    assert all(0 <= test["score"] <= test["max_score"] for test in kept["tests"])


@pytest.mark.parametrize("form", FORMATS)
def test_no_name_of_a_file_moves_a_terminal_or_turns_a_line(form, report):
    named = replace(report, notebook="a\x1b[31m\u202e\nb.ipynb", problem="it \x1b[2J\u2066ended")
    text = FORMATS[form](named)
    assert not {*"\x1b\u202e\u2066"} & {*text}
    if form in {"text", "markdown", "junit"}:
        assert (
            "b.ipynb" in text.replace("<?xml", "").replace("\\.", ".").splitlines()[form == "junit"]
        )
    if form == "junit":
        assert ElementTree.fromstring(text).get("name") == r"a\x1b[31m\u202e\nb.ipynb"
    if form == "json":
        assert json.loads(text)["notebook"] == named.notebook


def test_characters_invalid_in_xml_are_written_out(tmp_path):
    strange = 'def f(recommended, relevant, k):\n    raise ValueError("\\x00\\x1b[31m <b>")\n\n'
    one = grade_notebook(write_notebook(tmp_path, (START, f"{strange}ex.write_ndcg.check(f)")))
    assert r"\x1b[31m" in FORMATS["junit"](one)
    ElementTree.fromstring(FORMATS["junit"](one))


# From the command line ---------------------------------------------------------------------------


def test_the_exit_code_says_whether_all_passed(tmp_path, capsys):
    right = write_notebook(
        tmp_path, (START, "ex.average_precision_of_list.check(0.442)", "ex.first_guess.check(...)")
    )
    assert checking.check_notebook(right) == 0
    assert "2 of 2 points" in capsys.readouterr().out
    wrong = write_notebook(tmp_path, (START, "ex.average_precision_of_list.check(0.589)"))
    assert checking.check_notebook(wrong) == 1
    assert checking.check_notebook(tmp_path / "none.ipynb") == 2
    assert "is not there" in capsys.readouterr().err
    assert checking.check_notebook(wrong, form="xml") == 2
    known = "there are text, json, junit, gradescope, classroom50, markdown"
    assert known in capsys.readouterr().err


def test_saving_a_notebook_is_detected(tmp_path):
    path = write_notebook(tmp_path)
    seen = checking.watch_saves(path, pause=lambda _: next(later)())
    later = iter(
        [
            path.unlink,  # an editor may put a new file in the place of the old one
            lambda: write_notebook(tmp_path, (START,)),
            lambda: None,
            lambda: os.utime(path, ns=(1, 1)),
        ]
    )
    assert next(seen) is None
    assert path.is_file()
    assert next(seen) is None
    assert path.stat().st_mtime_ns == 1
    with pytest.raises(RuntimeError):
        next(seen)  # nothing more happens, and nothing more is seen


def test_a_save_during_the_first_check_is_not_missed(tmp_path):
    path = write_notebook(tmp_path)
    seen = checking.watch_saves(path, pause=lambda _: pytest.fail("it waited for another save"))
    write_notebook(tmp_path, (START,))
    assert next(seen) is None


def test_watch_mode_rechecks_until_interrupted(tmp_path, monkeypatch, capsys):
    path = write_notebook(tmp_path, (START, "ex.average_precision_of_list.check(0.589)"))

    def saved(_):
        write_notebook(tmp_path, (START, "ex.average_precision_of_list.check(0.442)"))
        yield
        raise KeyboardInterrupt

    monkeypatch.setattr(checking, "watch_saves", saved)
    assert checking.check_notebook(path, watch=True) == 0
    said = capsys.readouterr().out
    assert said.index("hits divisor") < said.index("2 of 2 points")
