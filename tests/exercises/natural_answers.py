"""Wrong answers as people give them, by idea: what was typed, and which causes are true of it.

They were written from the questions, not read off the declared mistakes. A cause is true if it
says what was done, or what the answer is. ``near:...`` stands for the words about an answer that
is nearly right. Where one line of a function was missing, what was typed is what stands in its gap.
A row is ``unnamed`` if a true cause is known and no check names it yet.
"""

from __future__ import annotations

import json
import linecache
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from recsys_metrics.workbook.exercises import REGISTRY, answers

HERE = Path(__file__).parent

NEAR = {
    "Right so far": "near:coarse",
    "It may be the right value": "near:coarse",
    "These digits": "near:cut-off",
    "Close": "near:close",
}


@dataclass(frozen=True)
class Tried:
    """A wrong answer, what came of it, and the causes that were named for each part."""

    exercise: str
    idea: str
    outcome: str
    named: list[list[str]] = field(default_factory=list)
    true: frozenset[str] = frozenset()
    is_unnamed: bool = False

    @property
    def is_named(self) -> bool:
        """Whether something was said of it."""
        return bool(self.named)

    @property
    def is_false(self) -> bool:
        """Whether a part has no true cause among those that were named for it."""
        return any(not self.true & set(ids) for ids in self.named)


def rows(kind: str) -> list[dict[str, Any]]:
    """Return what stands in a data file."""
    return json.loads((HERE / f"natural_{kind}.json").read_text(encoding="utf-8"))


@cache
def fresh(name: str) -> Any:
    """Return an exercise apart from the registry's, once: what it works out is kept."""
    return replace(REGISTRY[name])


def first_check(name: str, *given: Any, **named: Any) -> Any:
    """Return what is said of a first try."""
    return fresh(name).check(*given, **named)


def numbers_tried() -> list[Tried]:
    """Give every wrong answer to the exercises that ask for numbers."""
    return [_tried(row) for row in rows("numbers")]


def _tried(row: dict[str, Any]) -> Tried:
    exercise, result = fresh(row["exercise"]), first_check(row["exercise"], **row["typed"])
    readings = {name: answers.read_number(text) for name, text in row["typed"].items()}
    named = []
    carried = exercise._find_carried(readings)
    for name, suspects in exercise._diagnose(readings, carried).items():
        ids = [suspect.id for suspect in suspects]
        if not ids and name not in carried:
            said = answers.explain_near_miss(readings[name], exercise.answer[name])
            ids = [word for start, word in NEAR.items() if said.startswith(start)]
        named += [ids] if ids else []
    return _noted(row, result.outcome, named)


def _noted(row: dict[str, Any], outcome: str, named: list[list[str]]) -> Tried:
    true, is_unnamed = frozenset(row["causes"]), row.get("unnamed", False)
    return Tried(row["exercise"], row["idea"], outcome, named, true, is_unnamed)


def functions_tried() -> list[Tried]:
    """Give every wrong function to the exercises that ask for one."""
    found = []
    for number, row in enumerate(rows("functions")):
        code = row.get("code") or _with(row["exercise"], row["filled"])
        result = first_check(row["exercise"], compile_function(code, number))
        named = [[result.mistake]] if result.mistake else []
        found.append(_noted(row, result.outcome, named))
    return found


def _with(name: str, filled: str) -> str:
    """Return the function that was shown with a gap, filled, as a text that defines `f`."""
    asked = REGISTRY[name]
    return asked.draft.replace(asked.function, "f", 1).replace("...", filled)


def compile_function(code: str, number: int = 0) -> Callable[..., Any]:
    """Return the function `f` of a text, with a source that can be read as in a notebook."""
    name = f"<cell {number}>"
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    scope: dict[str, Any] = {}
    exec(compile(code, name, "exec"), scope)
    return scope["f"]
