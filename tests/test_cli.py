"""The command line: what it prints, and what it says when the extras are not installed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from recsys_metrics import __version__
from tests.tiers import another_program

ROOT = Path(__file__).resolve().parents[1]
# Stands before the command line in a new interpreter, as if the package were not installed.
WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {name!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
from recsys_metrics.cli import main
main()
"""


def call(
    *arguments: str, without: str | None = None, **variables: str
) -> subprocess.CompletedProcess:
    code = ["-c", WITHOUT.format(name=without)] if without else ["-m", "recsys_metrics.cli"]
    return subprocess.run(
        [sys.executable, *code, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("without", [None, "typer", "rich"])
def test_version_needs_the_library_alone(without):
    done = call("--version", without=without)
    assert (done.stdout, done.stderr, done.returncode) == (
        f"recsys-workbook {__version__}\n",
        "",
        0,
    )


@pytest.mark.parametrize(
    ("missing", "arguments"),
    [
        ("typer", ["lab"]),
        ("typer", ["--help"]),
        ("typer", []),
        ("yaml", ["lab"]),
        ("jupytext", ["lab", "--no-open"]),
        ("typer", ["check"]),
    ],
)
def test_anything_else_says_in_a_sentence_what_to_install(missing, arguments, tmp_path):
    done = call(*arguments, *([str(tmp_path)] if "lab" in arguments else []), without=missing)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        f"recsys-workbook: {missing} is not installed, which this command needs: "
        'pip install "recsys-workbook[workbook]"\n'
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", ["typer", "polars"])
def test_evaluate_names_the_smallest_extra_that_has_what_is_missing(missing):
    done = call("evaluate", "a.csv", "-t", "b.csv", without=missing)
    assert done.returncode == 1
    assert done.stderr.endswith('this command needs: pip install "recsys-workbook[frames]"\n')


def test_help_lists_the_commands_and_says_what_becomes_of_edits(said):
    assert "lab" in said("--help").stdout
    assert "check" in said("--help").stdout
    told = said("lab", "--help").stdout
    for word in ("--port", "--no-open", "--no-browser", "edits are kept", "deleted comes back"):
        assert word in " ".join(told.split()), told


@pytest.mark.parametrize(
    ("arguments", "variables", "value"),
    [
        (["lab", "--port", "99999"], {}, "99999"),
        (["lab", "--port", "-1"], {}, "-1"),
        (["lab"], {"PORT": "seven"}, "seven"),
    ],
)
def test_what_is_not_a_port_is_named_before_anything_is_copied(
    said, arguments, variables, value, tmp_path
):
    folder = tmp_path / "workbook"
    done = said(*arguments, str(folder), **variables)
    assert done.returncode == 1
    assert done.stderr == (
        f"recsys-workbook lab: port '{value}' is not a whole number from 1 to 65535; name one\n"
    )
    assert not folder.exists()


def test_a_command_that_does_not_exist_is_named(said):
    done = said("nonsense")
    assert done.returncode == 2
    assert "nonsense" in done.stderr


def test_what_goes_wrong_with_a_folder_is_said_without_a_traceback(said, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file, not a folder")
    done = said("lab", "--no-open", str(taken))
    assert done.returncode == 1
    assert done.stderr.startswith(f"recsys-workbook lab: cannot write the workbook to {taken}: ")
    assert "Traceback" not in done.stderr
    assert taken.read_text() == "a file, not a folder"


def test_copying_says_what_it_did_and_what_to_do_next(tmp_path):
    done = call("lab", "--no-open", str(tmp_path / "here"))
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout.splitlines()[-1] == f'Open it with: recsys-workbook lab "{tmp_path / "here"}"'
    )
    assert (tmp_path / "here" / "chapters" / "02_ranking.ipynb").is_file()


def test_check_alone_lists_the_chapters_and_where_that_is_kept(said, tmp_path):
    kept = tmp_path / "progress.json"
    done = said("check", RECSYS_METRICS_PROGRESS=str(kept))
    assert done.returncode == 0, done.stderr
    assert re.search(r"^02 Ranking +0/\d+ +0/\d+ +·+$", done.stdout, flags=re.MULTILINE)
    assert done.stdout.splitlines()[-1] == f"Kept in {kept}"
    assert not kept.exists()
    off = said("check", RECSYS_METRICS_PROGRESS="off")
    assert off.stdout.splitlines()[-1].startswith("Not kept")


def test_progress_goes_to_another_machine_and_back(said, tmp_path):
    desk, train, saved = (str(tmp_path / f"{name}.json") for name in ("desk", "train", "saved"))
    event = {"id": "a", "when": "2026-03-02T12:00:00+01:00", "exercise": "ranking.e4"}
    event |= {"outcome": "WRONG", "misconception": "hits-divisor"}
    Path(desk).write_text(json.dumps({"version": 2, "history": [event]}))
    done = said("check", "--save", saved, RECSYS_METRICS_PROGRESS=desk)
    assert done.stdout.startswith(f"1 entry saved to {saved}.")
    done = said("check", "--load", saved, RECSYS_METRICS_PROGRESS=train)
    assert done.stdout.startswith(f"1 entry of {saved} taken over.")
    assert "ranking.e4  Average precision: hits divisor, 1 try" in done.stdout
    again = said("check", "--load", saved, RECSYS_METRICS_PROGRESS=train)
    assert again.stdout.startswith(f"0 entries of {saved} taken over.")
    there = said("check", "--save", saved, RECSYS_METRICS_PROGRESS=desk)
    assert (there.returncode, "is there already; give another name" in there.stderr) == (1, True)
    none = said("check", "--load", desk + "x", RECSYS_METRICS_PROGRESS=train)
    assert (none.returncode, "No such file" in none.stderr) == (1, True)


def test_a_damaged_progress_is_told_and_kept_aside(said, tmp_path):
    kept = tmp_path / "progress.json"
    kept.write_text("{")
    done = said("check", RECSYS_METRICS_PROGRESS=str(kept))
    assert done.returncode == 0
    assert "was damaged. It is kept as progress.damaged-" in done.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ["{"]


def test_check_says_what_it_needs(said, tmp_path):
    for arguments in (["check", "--watch"], ["check", "--format", "json"]):
        done = said(*arguments)
        assert (done.returncode, done.stderr) == (1, "recsys-workbook check: name the notebook\n")
    done = said("check", str(tmp_path / "none.ipynb"))
    assert done.returncode == 2
    assert done.stderr.startswith("recsys-workbook check: ")
    assert "Traceback" not in done.stderr


@another_program
def test_check_grades_a_text_and_ends_with_a_code(tmp_path):
    text = tmp_path / "mine.py"
    head = "# %%\nfrom recsys_metrics.workbook.exercises import ranking as ex\n"
    for answer, code, word in (("0.442", 0, "PASS"), ("0.589", 1, "hits divisor")):
        text.write_text(f"{head}ex.average_precision_of_list.check({answer})\n")
        done = call("check", str(text))
        assert done.returncode == code, done.stderr
        assert word in done.stdout
    kept = json.loads(call("check", str(text), "--format", "json").stdout)
    assert kept["exercises"][0]["misconception"] == "hits-divisor"


def test_importing_the_package_leaves_the_command_line_alone():
    code = "import sys, recsys_metrics; print('recsys_metrics.cli' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_the_commands_are_listed_without_what_they_need():
    code = "import json, sys, recsys_metrics.cli._app; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    parts = ("evaluation", "frames", "measures", "workbook.exercises", "workbook.grading")
    heavy = {"narwhals", "nbgrader", "polars", "rich", *(f"recsys_metrics.{x}" for x in parts)}
    assert heavy & set(json.loads(done.stdout)) == set()


def test_a_name_of_a_folder_moves_no_terminal(said, tmp_path):
    done = said("lab", "--no-open", str(tmp_path / "a\x1b[31mb"))
    assert done.returncode == 0, done.stderr
    assert "a\\x1b[31mb" in done.stdout
    assert "\x1b" not in done.stdout
