"""What is to be run of a submission, and what came out of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
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
    seconds : float
    """

    values: dict[int, dict[str, Any]] = field(default_factory=dict)
    functions: dict[int, dict[str, Any]] = field(default_factory=dict)
    calls: dict[int, dict[int, dict[str, Any]]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    problem: str = ""
    seconds: float = 0.0

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
