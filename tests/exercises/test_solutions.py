"""The solution pages are what the declarations say, and stay so in JupyterLab."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import jupytext
import nbformat
import pytest

from dev.tools import build_solutions
from recsys_metrics.workbook.exercises import SUBJECTS

ROOT = Path(build_solutions.__file__).parents[2]
subjects = pytest.mark.parametrize("subject", build_solutions.written())


def test_solution_pages_are_up_to_date():
    assert build_solutions.stale() == [], "run python dev/tools/build_solutions.py"


def test_the_check_option_of_the_tool_passes():
    command = [sys.executable, "dev/tools/build_solutions.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


@subjects
def test_a_notebook_round_trip_does_not_change_the_text(subject):
    text = build_solutions.path_of(subject).read_text(encoding="utf-8")
    notebook = jupytext.reads(text, fmt="md:myst")
    again = jupytext.writes(
        jupytext.reads(jupytext.writes(notebook, fmt="ipynb"), fmt="ipynb"), fmt="md:myst"
    )
    # Whoever saves it adds the version it was saved with, and nothing else.
    assert re.sub(r" *jupytext_version: .*\n", "", again) == text


# nbval runs the page and compares what it prints with these outputs.
@subjects
def test_every_solution_ends_in_a_pass(subject):
    path = build_solutions.path_of(subject).with_suffix(".ipynb")
    cells = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    checks = [c.outputs[0].data["text/plain"] for c in cells if ".check(" in c.source]
    assert len(checks) == sum(".check(" in exercise.final_check for exercise in SUBJECTS[subject])
    assert all(check.startswith("✓ Correct") for check in checks)


@subjects
def test_every_exercise_has_a_heading(subject):
    text = build_solutions.path_of(subject).read_text(encoding="utf-8")
    for exercise in SUBJECTS[subject]:
        assert re.search(rf"^## .*{re.escape(exercise.title)}$", text, flags=re.MULTILINE)
