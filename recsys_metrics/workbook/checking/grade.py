"""Runs a notebook's checks in a process of their own, for a limited time.

This is for one's own notebooks: the process is separate and is stopped in time, but it may do
whatever its user may, its own report included. `score` is for the notebooks of others.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recsys_metrics.workbook.checking.notebook import Call, NotebookError, read_cells, select_calls
from recsys_metrics.workbook.checking.report import (
    CheckReport,
    GradedExercise,
    report_missing_check,
    report_unreached,
)
from recsys_metrics.workbook.common.state_file import real_path
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.progress import VARIABLE

SECONDS = 300.0
"""How long a notebook may take."""


@dataclass
class RunRecord:
    """What the child wrote down.

    Attributes
    ----------
    checks : dict
        What each check said, by exercise and seed.
    errors : dict
        What cells raised, by their number.
    done : bool
        Whether it came to the end.
    """

    checks: dict[tuple[str, str | None], Mapping[str, Any]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    done: bool = False


def grade_notebook(
    path: Path, *, exercises: Sequence[str] = (), seconds: float = SECONDS
) -> CheckReport:
    """Run a notebook up to its last check and return what its checks said.

    Parameters
    ----------
    path : Path
        A notebook, or the text paired with it.
    exercises : sequence of str
        Ids of those that are asked for; all by default.
    seconds : float
        How long it may take.

    Returns
    -------
    Report
        The last call counts where an exercise is checked more than once.

    Raises
    ------
    NotebookError
        If the file cannot be read, or calls no check.
    """
    cells = read_cells(path)
    expected = select_calls(cells, exercises)
    if not expected:
        raise NotebookError(f"{path} calls no check of an exercise")
    needed = cells[: max(call.cell for call in expected) + 1]
    found, problem = run_apart(needed, real_path(path).parent, seconds)
    last = {(call.exercise, call.seed): call for call in expected}
    missing = [report_missing_check(one) for one in exercises if (one, None) not in last]
    graded = [_graded(call, found, problem) for call in last.values()]
    return CheckReport(path.name, (*graded, *missing), problem)


def run_apart(cells: Sequence[str], folder: Path, seconds: float) -> tuple[RunRecord, str]:
    """Run cells in a child process; return what was found, and what kept it from its end."""
    with tempfile.TemporaryDirectory() as scratch:
        given, written = Path(scratch, "cells.json"), Path(scratch, "found.jsonl")
        given.write_text(json.dumps(list(cells)), encoding="utf-8")
        written.touch()
        child = subprocess.Popen(
            [sys.executable, "-m", "recsys_metrics.workbook.checking.worker", given, written],
            cwd=folder,
            env={
                **os.environ,
                # Whoever grades is not the learner; and settings of theirs are no part of it.
                VARIABLE: "off",
                "IPYTHONDIR": scratch,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        problem = ""
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            problem = f"stopped after {seconds:g} s"
        finally:
            _end(child)
        found = _collect(written)
    if not problem and not found.done:
        problem = f"its process ended with status {child.returncode}"
    return found, problem


def _end(child: subprocess.Popen[bytes]) -> None:
    """Stop the process and whatever it has started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()
    child.wait()


def _collect(written: Path) -> RunRecord:
    found = RunRecord()
    for line in written.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # the process was stopped while it wrote
        if entry.get("done"):
            found.done = True
        elif "error" in entry:
            found.errors[entry["cell"]] = entry["error"]
        else:
            found.checks[entry["exercise"], entry["seed"]] = entry
    return found


def _graded(call: Call, found: RunRecord, problem: str) -> GradedExercise:
    exercise = REGISTRY[call.exercise]
    entry = found.checks.get((call.exercise, call.seed))
    if entry is None:
        return report_unreached(call, found.errors, problem)
    outcome = Outcome(entry["outcome"])
    return GradedExercise(
        call.name,
        exercise.title,
        outcome,
        exercise.points if outcome is Outcome.PASS else 0,
        exercise.points,
        entry["mistake"],
        entry["message"],
    )
