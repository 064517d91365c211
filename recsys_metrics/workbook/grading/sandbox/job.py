"""What is to be run of a submission, and what came out of it."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from recsys_metrics.workbook.grading.limits import Limits


@dataclass(frozen=True)
class Job:
    """What is to be run.

    Attributes
    ----------
    cells : tuple of (str, int)
        Code, and the place of the question it belongs to, or -1.
    names : tuple of tuple of str
        For each question, the names of its answers.
    functions : tuple of str
        For each question, the name of its function, or "".
    arities : tuple of int
        For each question, how many arguments its function takes.
    cases : bytes
        The arguments to call the functions with, as `runner` takes them: a pickle that is read in
        the sandbox, after the cells have run.
    """

    cells: tuple[tuple[str, int], ...]
    names: tuple[tuple[str, ...], ...]
    functions: tuple[str, ...]
    arities: tuple[int, ...]
    cases: bytes

    def as_json(self, limits: Limits) -> str:
        """Return the job as the runner reads it; it holds nothing that is secret."""
        asked = zip(self.names, self.functions, self.arities, strict=True)
        return json.dumps(
            {
                "cells": self.cells,
                "questions": [
                    {"names": names, "function": function, "arity": arity}
                    for names, function, arity in asked
                ],
                "cell_seconds": limits.cell_seconds,
                "seconds": limits.seconds,
                "memory_mb": limits.memory_mb,
            }
        )


@dataclass
class Trace:
    """What came out.

    Attributes
    ----------
    values : dict
        For each question, what its names held at last, as the runner wrote it.
    functions : dict
        For each question, what there was to call.
    calls : dict
        For each question and case, what the call did.
    errors : dict
        For each cell, what it raised, in words.
    problem : str
        What kept the run from its end; empty if nothing did.
    stopped_in : int or None
        The cell in which the run ended before its end, if it was one.
    broken : dict
        For each question in whose function a run ended, why.
    seconds : float
    at : int or None
        The cell that was begun last.
    is_calling : bool
        Whether all cells have run.
    """

    values: dict[int, dict[str, Any]] = field(default_factory=dict)
    functions: dict[int, dict[str, Any]] = field(default_factory=dict)
    calls: dict[int, dict[int, dict[str, Any]]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    problem: str = ""
    stopped_in: int | None = None
    broken: dict[int, str] = field(default_factory=dict)
    seconds: float = 0.0
    at: int | None = None
    is_calling: bool = False

    def find_rest(self, job: Job) -> Job | None:
        """Return what is left to be called after a run that did not come to its end.

        A function that stands above the cell in which the run ended is worth no less for it, and
        neither is one that would have been called after the function in which it ended. Notes
        which of the two it was.

        Parameters
        ----------
        job : Job
            What was run.

        Returns
        -------
        Job or None
            None if nothing is left.
        """
        if not self.problem:
            return None
        cases = pickle.loads(job.cases)
        if not self.is_calling:
            self.stopped_in = self.at
            left, cells = cases, job.cells[: self.at or 0]
        else:
            left, cells = self._after_broken(cases), job.cells
        left = [one for one in left if self.functions.get(one[0], {}).get("kind") == "function"]
        return replace(job, cells=cells, cases=pickle.dumps(left)) if left else None

    def _after_broken(self, cases: list[Any]) -> list[Any]:
        """Return the cases after those of the function in which the run ended."""
        for number, (place, _, calls) in enumerate(cases):
            said = self.calls.get(place, {})
            is_through = len(said) == len(calls) or any(one.get("late") for one in said.values())
            if place in self.functions and not is_through:
                self.broken[place] = self.problem
                return cases[number + 1 :]
        return []

    def add_calls(self, rest: Trace) -> None:
        """Take over what another run has called."""
        for place, said in rest.calls.items():
            self.calls.setdefault(place, {}).update(said)
        self.broken |= rest.broken

    def receive(self, said: Any, job: Job, *, called: bool) -> str:
        """Take in one thing that was said; return "begun", "ready" or "done" if it was that.

        Once the arguments of the functions are in there, nothing but the calls is listened to: so
        no message of a cell can carry one of them out.
        """
        if not isinstance(said, dict):
            return ""
        for stage in ("begun", "ready", "done"):
            if said.get(stage) is True:
                return stage
        place = _place(said.get("question"), job.names)
        if called:
            case = said.get("case")
            if place is not None and isinstance(case, int):
                self.calls.setdefault(place, {})[case] = said
        elif place is not None:
            if isinstance(said.get("values"), dict):
                names = job.names[place]
                kept = {name: value for name, value in said["values"].items() if name in names}
                self.values.setdefault(place, {}).update(kept)
            elif isinstance(said.get("function"), dict):
                self.functions[place] = said["function"]
        elif (begun := _place(said.get("at"), job.cells)) is not None:
            self.at = begun
        else:
            cell = _place(said.get("cell"), job.cells)
            if cell is not None:
                words = f"{said.get('error')}: {said.get('says')}".removesuffix(": ")
                self.errors[cell] = words[:300]
        return ""


def _place(number: Any, of: Sequence[Any]) -> int | None:
    """Return a number if it is a place in a sequence."""
    right = isinstance(number, int) and not isinstance(number, bool) and 0 <= number < len(of)
    return number if right else None
