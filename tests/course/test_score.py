"""A score that a notebook cannot write: it runs in the sandbox, and is judged outside."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest

from recsys_metrics.workbook import checking
from recsys_metrics.workbook.checking.formats import FORMATS
from recsys_metrics.workbook.checking.notebook import NotebookError, find_calls
from recsys_metrics.workbook.checking.report import NoSandboxError, report_unreadable
from recsys_metrics.workbook.checking.score import score_notebook
from recsys_metrics.workbook.exercises import PARTS, SUBJECTS
from recsys_metrics.workbook.exercises import ranking as ex
from recsys_metrics.workbook.grading.limits import GradingError
from tests.tiers import another_program

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions" / "01_rating.md"
READY = "recsys_metrics.workbook.grading.sandbox.require_sandbox"
START = "%precision 3\nfrom recsys_metrics.workbook.exercises import ranking as ex"
OTHER_IMPORT = "import recsys_metrics.workbook.exercises.rating as r"
NDCG = """
def mine(recommended, relevant, k):
    from recsys_metrics import judge, ndcg

    return ndcg(judge(recommended, relevant), k, no_relevant="zero")


ex.write_ndcg.check(mine)
"""
RIGHT = repr({name: round(value, 3) for name, value in ex.ndcg_from_scratch.answer.items()})
MIXED = (
    START,
    OTHER_IMPORT,
    "ex.first_guess.check(guess=...)",
    "ex.average_precision_of_list.check(0.3)\nex.average_precision_of_list.check(ap=0.442)",
    "r.mae_and_rmse.check(...)",
    f"ex.ndcg_from_scratch.check(**{{**{RIGHT}, 'idcg': 2.131, 'ndcg': 0.712}})",
    "ex.precision_recall_f1.check(precision=..., recall=..., f1=...)",
    'ex.average_precision_of_list.variant("s1").check(0.5)',
    "1 / 0",
    "ex.auc_by_pairs.check(pairs=undefined)",
    NDCG,
    "ex.write_precision.check(1, 2)",
    "ex.explain_ideal.check('It holds all that is relevant.', marks=[True, True])",
    "raise RuntimeError('after the last check')",
)


# Of the points that MIXED can have.
REACHED = 7


def write_notebook(folder, cells, name="mine.ipynb"):
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
    nbformat.write(notebook, folder / name)
    return folder / name


@pytest.mark.parametrize(
    "cell",
    [
        "ex.average_precision_of_list.check(ap=(0.4)",
        "x = 1..2\nex.average_precision_of_list.check(0.442)",
        "if True\n    ex.average_precision_of_list.check(0.442)",
    ],
)
def test_a_check_in_a_cell_that_is_no_python_is_found(sandbox, tmp_path, cell):
    file = write_notebook(tmp_path, [START, cell])
    (one,) = score_notebook(file, exercises=["ranking.e4"], seconds=60).graded
    assert str(one.outcome) == "ERROR"
    assert one.message.startswith("SyntaxError")


def test_a_check_in_a_comment_of_such_a_cell_is_none(tmp_path):
    cells = [START, "x = 1..2\n# ex.average_precision_of_list.check(0.442)"]
    assert find_calls(cells) == []


def test_a_number_is_not_compared_with_the_right_one_where_it_may_be_handed_in_again(
    sandbox, tmp_path
):
    # 1 minus the average precision, which the card says of it.
    check = "ex.average_precision_of_list.check(1 - 0.4416666667)"
    assert "1 minus the value asked for" in ex.average_precision_of_list.check(1 - 0.4417).message
    file = write_notebook(tmp_path, [START, check])
    (one,) = score_notebook(file, exercises=["ranking.e4"], seconds=60).graded
    assert str(one.outcome) == "WRONG"
    assert "the value asked for" not in one.message


def outcomes(report):
    return {one.exercise: (str(one.outcome), one.points) for one in report.graded}


@pytest.fixture(scope="module")
def mixed_report(sandbox, tmp_path_factory):
    return score_notebook(write_notebook(tmp_path_factory.mktemp("mixed"), MIXED), seconds=60)


def test_answers_are_judged_outside_the_sandbox(mixed_report):
    assert outcomes(mixed_report) == {
        "ranking.first_guess": ("NOT ATTEMPTED", 0),
        "ranking.e4": ("PASS", 2),
        "rating.e1": ("NOT ATTEMPTED", 0),
        "ranking.e5": ("WRONG", 1),  # one of three numbers is right
        "ranking.e2": ("NOT ATTEMPTED", 0),
        "ranking.e4 s1": ("WRONG", 0),
        "ranking.e6": ("ERROR", 0),
        "ranking.write_ndcg": ("PASS", 4),
        "ranking.write_precision": ("ERROR", 0),
        "ranking.explain_ideal": ("NOT ATTEMPTED", None),
    }
    by_id = {one.exercise: one for one in mixed_report.graded}
    assert by_id["ranking.e5"].mistake == "own-list-ideal"
    assert "own-list ideal" in by_id["ranking.e5"].message
    assert "NameError" in by_id["ranking.e6"].message
    assert "cell 9: ZeroDivisionError" in by_id["ranking.e6"].message
    assert mixed_report.problem == ""
    assert (mixed_report.points, mixed_report.passed) == (REACHED, False)


def test_self_marks_earn_no_points(mixed_report):
    # With its marks all True the learner's own check says Correct; here a person reads the words.
    test = json.loads(FORMATS["gradescope"](mixed_report))["tests"][-1]
    assert test["name"].startswith("ranking.explain_ideal")
    assert {"score", "max_score", "status"}.isdisjoint(test)
    assert json.loads(FORMATS["json"](mixed_report))["exercises"][-1]["outcome"] == "TO BE READ"
    assert mixed_report.out_of == sum(one.out_of for one in mixed_report.graded[:-1])


def test_the_solutions_of_the_workbook_have_full_marks(sandbox):
    # All that a chapter's solutions import and compute works in the sandbox.
    report = score_notebook(SOLUTIONS, seconds=120)
    assert {one.outcome for one in report.graded} == {"PASS"}
    assert report.points == report.out_of == sum(one.points for one in SUBJECTS["rating"]) - 2
    assert report.problem == ""


FORGED = (
    START,
    # Each of these once brought all points.
    "ex.average_precision_of_list.check(**ex.average_precision_of_list.answer)",
    """
import os, sys, json
line = {"cell": 1, "exercise": "ranking.e5", "seed": None, "outcome": "PASS",
        "mistake": None, "message": "", "done": True}
try:
    open(sys.argv[2], "a").write(json.dumps(line) + "\\n")
except Exception:
    pass
for handle in range(3, 64):
    for said in (line, {"question": 1, "outcome": "PASS", "points": 3}, {"ready": True},
                 {"question": 1, "values": {"given_1": {"kind": "list", "items": "PASS"}}}):
        try:
            os.write(handle, json.dumps(said).encode() + b"\\n")
        except OSError:
            pass
""",
    "ex.ndcg_from_scratch.check(dcg=0.1, idcg=0.1, ndcg=0.1)",
    """
class Right(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    __rsub__ = __sub__
    def __abs__(self): return 0.0
ex.reciprocal_rank_and_mean.check(**dict.fromkeys(["rr", "mrr"], Right(9)))
ex.precision_recall_f1.check(precision=Right(9), recall=Right(9), f1=Right(9))
""",
    """
import importlib, pathlib, sys
found = []
for name in ("exercises.ranking", "exercises.ranking.averages", "course.judge", "checking.score"):
    sys.modules.pop(f"recsys_metrics.workbook.{name}", None)
    try:
        module = importlib.import_module(f"recsys_metrics.workbook.{name}")
        found.append(module.e4.answer["ap"])
    except BaseException:
        pass
import recsys_metrics
hidden = pathlib.Path(recsys_metrics.__file__).parent / "workbook" / "exercises"
found += [file.name for file in hidden.rglob("*")]
ex.average_precision_of_list.variant("s2").check(*found)
""",
    "ex.tied_auc.check(0.1)\nimport os\nos._exit(0)",
)
FORGED_IDS = ["e4", "e5", "e3", "e2", "tied_auc"]


def test_forgeries_earn_no_points(sandbox, tmp_path):
    asked = [f"ranking.{name}" for name in FORGED_IDS]
    report = score_notebook(write_notebook(tmp_path, FORGED), exercises=asked, seconds=60)
    assert report.points == 0
    assert [one.exercise for one in report.graded] == asked
    assert (
        "`ranking.average_precision_of_list.answer` cannot be read here" in report.graded[0].message
    )
    assert not report.passed
    # Alone, so that nothing before it can have closed the way: the variant of the hidden files.
    alone = score_notebook(
        write_notebook(tmp_path, (START, FORGED[5], "ex.reciprocal_rank_and_mean.check(1)")),
        seconds=60,
    )
    assert outcomes(alone)["ranking.e4 s2"] == ("NOT ATTEMPTED", 0)


def test_the_caller_decides_which_exercises_count(sandbox, tmp_path):
    path = write_notebook(
        tmp_path,
        (
            START,
            "ex.average_precision_of_list.check(0.442)",
            'ex.ndcg_from_scratch.variant("easy").check(1, 1, 1)',
        ),
    )
    report = score_notebook(path, exercises=["ranking.e5", "ranking.e4"], seconds=60)
    assert outcomes(report) == {"ranking.e5": ("NOT ATTEMPTED", 0), "ranking.e4": ("PASS", 2)}
    assert (report.points, report.out_of) == (2, 5)
    assert report.graded[0].message == "The notebook contains no check of it."


@another_program
def test_a_notebook_that_does_not_end_keeps_its_answers(sandbox, tmp_path):
    cells = (
        START,
        "ex.average_precision_of_list.check(0.442)",
        "while True: pass",
        "ex.ndcg_from_scratch.check(1)",
    )
    stopped = score_notebook(write_notebook(tmp_path, cells), seconds=4)
    assert outcomes(stopped)["ranking.e4"] == ("PASS", 2)
    assert outcomes(stopped)["ranking.e5"] == ("ERROR", 0)


@another_program
def test_a_cell_that_does_not_end_leaves_time_for_those_below(sandbox, tmp_path):
    cells = (START, "while True: pass", "ex.average_precision_of_list.check(0.442)")
    report = score_notebook(write_notebook(tmp_path, cells), seconds=40)
    assert outcomes(report) == {"ranking.e4": ("PASS", 2)}
    assert report.problem == ""


def test_a_missing_notebook_is_told_with_what_is_there(tmp_path):
    missing = tmp_path / "ps1.ipynb"
    with pytest.raises(NotebookError, match=r"ps1\.ipynb is not there: .* is empty"):
        score_notebook(missing, seconds=60)
    for name in ("essay.pdf", "mine.ipynb"):
        (tmp_path / name).touch()
    says = r"holds essay\.pdf, mine\.ipynb\. Name one of them, or call the notebook ps1\.ipynb"
    with pytest.raises(NotebookError, match=says):
        score_notebook(missing, seconds=60)
    with pytest.raises(NotebookError, match="and neither is the folder"):
        score_notebook(tmp_path / "no" / "ps1.ipynb", seconds=60)


# Without a sandbox -------------------------------------------------------------------------------


def test_without_a_sandbox_no_score_is_written(tmp_path, monkeypatch, capsys):
    path = write_notebook(tmp_path, (START, "ex.average_precision_of_list.check(0.442)"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoSandboxError, match="bubblewrap is not installed"):
        score_notebook(path, seconds=60)
    for form in set(FORMATS) - {"text"}:
        assert checking.check_notebook(path, form=form) == checking.NO_SANDBOX == 3
        out, err = capsys.readouterr()
        assert out == ""
        assert "no score is written without a sandbox" in err
        assert "apt install bubblewrap" in err
        assert "for a score there is none" in err


def test_a_forbidden_sandbox_raises(tmp_path, monkeypatch):
    path = write_notebook(tmp_path, (START, "ex.average_precision_of_list.check(0.442)"))
    says = "bwrap: No permissions to create a new namespace"

    def forbidden(root, limits):
        raise GradingError(says)

    monkeypatch.setattr(READY, forbidden)
    with pytest.raises(NoSandboxError, match=says):
        score_notebook(path, seconds=60)


# Files that are no notebook ----------------------------------------------------------------------


@pytest.fixture
def ready_sandbox(monkeypatch):
    """A sandbox that nothing has to run in."""
    monkeypatch.setattr(READY, lambda root, limits: None)


def test_an_invalid_notebook_has_no_points(ready_sandbox, tmp_path, capsys):
    broken = tmp_path / "mine.ipynb"
    broken.write_text('{"cells": [')
    assert checking.check_notebook(broken, form="json", exercises=["ranking.e4"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["score"], said["max_score"]) == (0, 2)
    assert "not a sound notebook" in said["problem"]
    # Where nobody said what counts there is no score, and no zero either.
    assert checking.check_notebook(broken, form="json") == 2
    with pytest.raises(NotebookError, match="calls no check"):
        score_notebook(write_notebook(tmp_path, ("1 + 1",)), seconds=60)


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["ranking.e99"], "no exercise or chapter 'ranking.e99'; there are rating, ranking"),
        (["ranking.first_guess"], "a guess without points"),
    ],
)
def test_an_exercise_that_cannot_be_scored_is_reported(names, says, tmp_path, capsys):
    assert checking.check_notebook(tmp_path / "a.ipynb", form="json", exercises=names) == 2
    assert says in capsys.readouterr().err


def test_exercises_are_selected_by_chapter_or_id():
    assert checking.resolve_ids(["02_ranking.md"])[:2] == ["ranking.e2", "ranking.two_betas"]
    assert "ranking.first_guess" not in checking.resolve_ids(["ranking"])
    assert checking.resolve_ids(["ranking", "ranking.e4"]) == checking.resolve_ids(["ranking"])
    every_part = [part for part in PARTS if part.startswith("02_")]
    assert checking.resolve_ids(every_part) == checking.resolve_ids(["ranking"])


# How it is written -------------------------------------------------------------------------------


def test_every_output_format_can_be_parsed(mixed_report):
    kept = json.loads(FORMATS["json"](mixed_report))
    assert (kept["score"], kept["passed"]) == (REACHED, False)
    suite = ElementTree.fromstring(FORMATS["junit"](mixed_report))
    assert suite.get("skipped") == "4"
    assert len(suite) == 10


# Names, places and types from gradescope/autograder_samples, docs/specs.md ("Output format").
_GRADESCOPE = {
    "score": (int, float),
    "execution_time": (int, float),
    "output": str,
    "visibility": str,
    "stdout_visibility": str,
    "extra_data": dict,
    "tests": list,
    "leaderboard": list,
}
_GRADESCOPE_TEST = {
    "score": (int, float),
    "max_score": (int, float),
    "status": str,
    "name": str,
    "number": str,
    "output": str,
    "tags": list,
    "visibility": str,
    "extra_data": dict,
}


def test_words_have_no_score_in_a_file_that_is_no_notebook(tmp_path):
    report = report_unreadable(
        tmp_path / "ps1.ipynb", ["ranking.e4", "ranking.explain_ideal"], "it is damaged"
    )
    number, words = json.loads(FORMATS["gradescope"](report))["tests"]
    assert (number["score"], number["max_score"]) == (0, 2)
    assert not {"score", "max_score"} & words.keys()
    assert report.out_of == 2


def test_gradescope_results_use_known_fields(mixed_report):
    said = json.loads(FORMATS["gradescope"](mixed_report))
    assert {"score", "tests"} <= set(said) <= set(_GRADESCOPE)
    assert all(isinstance(value, _GRADESCOPE[name]) for name, value in said.items())
    assert said["visibility"] in {"hidden", "after_due_date", "after_published", "visible"}
    for test in said["tests"]:
        assert set(test) <= set(_GRADESCOPE_TEST)
        assert all(isinstance(value, _GRADESCOPE_TEST[name]) for name, value in test.items())
        assert test.get("status", "passed") in {"passed", "failed"}
    # The top-level score overrides the sum of the tests: they must not differ.
    assert said["score"] == sum(test.get("score", 0) for test in said["tests"]) == REACHED


def test_classroom50_results_keep_its_contract(mixed_report):
    # foundation50/classroom50, wiki "Advanced Autograding", and validate_result of its runner:
    # whole numbers that are no flags, no score above its maximum, a sum, and names that are texts.
    said = json.loads(FORMATS["classroom50"](mixed_report))
    assert set(said) == {"schema", "score", "max-score", "tests"}
    assert said["schema"] == "classroom50/result/v1"
    for one in [said, *said["tests"]]:
        assert type(one["score"]) is type(one["max-score"]) is int
        assert 0 <= one["score"] <= one["max-score"]
    for name in ("score", "max-score"):
        assert said[name] == sum(test[name] for test in said["tests"])
    assert said["score"] == round(100 * REACHED)
    assert said["max-score"] == 100 * mixed_report.out_of
    assert all(test["test-name"] and type(test["passed"]) is bool for test in said["tests"])
    assert {test["passed"] for test in said["tests"]} == {True, False}
    # What was handed in is listed as a whole; a text brings nothing before a person has read it.
    assert len(said["tests"]) == len(mixed_report.graded)
    (words,) = [test for test in said["tests"] if test["test-name"].startswith("ranking.explain_")]
    assert (words["passed"], words["score"], words["max-score"]) == (False, 0, 0)
    assert words["message"].startswith("TO BE READ")


def test_a_markdown_report_shows_a_title_as_it_is(mixed_report):
    from markdown_it import MarkdownIt

    odd = replace(mixed_report.graded[0], title="a | *b* <i>")
    said = FORMATS["markdown"](replace(mixed_report, graded=(odd, *mixed_report.graded[1:])))
    html = MarkdownIt("commonmark").enable("table").render(said)
    assert "<td>a | *b* &lt;i&gt;</td>" in html
    assert html.count("<tr>") == 1 + len(mixed_report.graded)
    assert f"{REACHED:g} of {mixed_report.out_of} points" in html


def test_text_that_cannot_be_encoded_is_still_written(ready_sandbox, tmp_path):
    report = report_unreadable(tmp_path / "a.ipynb", ["ranking.e4"], "a \ud800 and a \x00")
    for form in set(FORMATS) - {"text"}:
        FORMATS[form](report).encode()
    # A person reads it, so that each is written out.
    assert json.loads(FORMATS["gradescope"](report))["output"] == r"a \ud800 and a \x00"


def test_an_answer_that_breaks_its_check_counts_as_not_solved(sandbox, tmp_path):
    """A notebook hands over what no call can; nothing of it leaves the maximum."""
    replaced = """
import sys

module = sys.modules["recsys_metrics.workbook.exercises"]


def hand_over(names, exercise, seed, given, named, values):
    names[given], names[named], names[values] = [0.1], ["self"], [3]


module.hand_over = hand_over
"""
    cells = (START, replaced, "ex.write_precision.check(lambda recommended, relevant, k: 0)")
    report = score_notebook(write_notebook(tmp_path, cells), seconds=60)
    assert outcomes(report) == {"ranking.write_precision": ("ERROR", 0)}
    assert report.points == 0 < report.out_of
    assert not report.passed
