"""Runs a notebook's checks in a process of their own, for a limited time.

This is for one's own notebooks, and for a classroom system that has put the work into a box of
its own: the process is separate and is stopped in time, but it may do whatever its user may.
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

from recsys_metrics.workbook.checking.notebook import Call, NotebookError, calls, cells_of
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.progress import VARIABLE

SECONDS = 300.0
"""How long a notebook may take."""


@dataclass(frozen=True)
class Graded:
    """What became of one exercise.

    Attributes
    ----------
    exercise : str
        Its id, with the seed of a variant.
    title : str
    outcome : Outcome
    points, out_of : int
        All for a PASS and none otherwise.
    misconception : str or None
        Id of the likely cause.
    message : str
        What the check said.
    """

    exercise: str
    title: str
    outcome: Outcome
    points: int
    out_of: int
    misconception: str | None = None
    message: str = ""


@dataclass(frozen=True)
class Report:
    """What a notebook's checks said, in the order in which they stand there.

    Attributes
    ----------
    notebook : str
    graded : tuple of Graded
    problem : str
        What kept the run from its end; empty if nothing did.
    """

    notebook: str
    graded: tuple[Graded, ...]
    problem: str = ""

    @property
    def points(self) -> int:
        """What was reached."""
        return sum(one.points for one in self.graded)

    @property
    def out_of(self) -> int:
        """What could be reached."""
        return sum(one.out_of for one in self.graded)

    @property
    def passed(self) -> bool:
        """Whether every check passed that brings points; a guess cannot fail."""
        return all(one.outcome is Outcome.PASS for one in self.graded if one.out_of)


@dataclass
class _Found:
    """What the child wrote down."""

    checks: dict[tuple[str, str | None], Mapping[str, Any]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    done: bool = False


def grade(path: Path, *, seconds: float = SECONDS) -> Report:
    """Run a notebook up to its last check and return what its checks said.

    Parameters
    ----------
    path : Path
        A notebook, or the text paired with it.
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
    cells = cells_of(path)
    expected = calls(cells)
    if not expected:
        raise NotebookError(f"{path} calls no check of an exercise")
    needed = cells[: max(call.cell for call in expected) + 1]
    found, problem = _run(needed, path.resolve().parent, seconds)
    last = {(call.exercise, call.seed): call for call in expected}
    return Report(
        path.name, tuple(_graded(call, found, problem) for call in last.values()), problem
    )


def _run(cells: Sequence[str], folder: Path, seconds: float) -> tuple[_Found, str]:
    """Run cells in a child process; return what was found, and what kept it from its end."""
    with tempfile.TemporaryDirectory() as room:
        given, written = Path(room, "cells.json"), Path(room, "found.jsonl")
        given.write_text(json.dumps(list(cells)), encoding="utf-8")
        written.touch()
        child = subprocess.Popen(
            [sys.executable, "-m", "recsys_metrics.workbook.checking.child", given, written],
            cwd=folder,
            env={
                **os.environ,
                # Whoever grades is not the learner; and settings of theirs are no part of it.
                VARIABLE: "off",
                "IPYTHONDIR": room,
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
        problem = f"the process ended with status {child.returncode} before the last check"
    return found, problem


def _end(child: subprocess.Popen[bytes]) -> None:
    """Stop the process and whatever it has started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()
    child.wait()


def _collect(written: Path) -> _Found:
    found = _Found()
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


def _graded(call: Call, found: _Found, problem: str) -> Graded:
    exercise = REGISTRY[call.exercise]
    name = call.exercise if call.seed is None else f"{call.exercise} {call.seed}"
    entry = found.checks.get((call.exercise, call.seed))
    if entry is None:
        says = found.errors.get(call.cell) or problem or "the check was not reached"
        earlier = [f"cell {n + 1}: {e}" for n, e in found.errors.items() if n < call.cell]
        if earlier:
            says += f" (before it, {earlier[0]})"
        return Graded(name, exercise.title, Outcome.ERROR, 0, exercise.points, message=says)
    outcome = Outcome(entry["outcome"])
    return Graded(
        name,
        exercise.title,
        outcome,
        exercise.points if outcome is Outcome.PASS else 0,
        exercise.points,
        entry["misconception"],
        entry["message"],
    )
