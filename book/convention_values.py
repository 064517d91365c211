"""What a metric becomes with each value of its conventions, computed when the book is built.

What is computed from a judged list is computed on the running list, everything else on the data of
the first call in its example.
"""

from __future__ import annotations

import ast
import csv
import doctest
import inspect
import warnings
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from named_types import choices

import recsys_metrics
from recsys_metrics import judge

_WORDS = Path(recsys_metrics.__file__).parent / "data" / "conventions.csv"
RUNNING = (list("ABCDE"), {"B": 1, "C": 3, "E": 1, "G": 2})
CUTS = (3, 10)


@cache
def _words() -> Mapping[tuple[str, str], str]:
    with _WORDS.open(encoding="utf-8", newline="") as table:
        return {(row["convention"], row["value"]): row["words"] for row in csv.DictReader(table)}


def show_value(value: Any) -> str | None:
    """Return a number or a few of them as a page shows them, or None for anything else.

    >>> show_value(0.5), show_value(np.array([1.0, np.nan])), show_value("text")
    ('0.500', '1.000, nan', None)
    """
    if isinstance(value, np.ndarray | list | tuple):
        shown = [show_value(one) for one in np.ravel(np.asarray(value, dtype=object))]
        told = [one for one in shown if one is not None]
        return ", ".join(told) if 0 < len(told) == len(shown) <= 6 else None
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        return None
    return str(value) if isinstance(value, int | np.integer) else f"{float(value):.3f}"


@dataclass(frozen=True)
class Call:
    """A call that conventions are changed in: the data in words, and its arguments."""

    data: str
    args: tuple[Any, ...]
    options: Mapping[str, Any]

    def value(self, thing: Any, **convention: Any) -> str | None:
        """Return what comes out, as a page shows it; a word for an error."""
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return show_value(thing(*self.args, **{**self.options, **convention}))
        except (ValueError, TypeError) as problem:
            return type(problem).__name__


def calls(thing: Any, name: str) -> list[Call]:
    """Return the calls to change a convention in: of the running list, or of the first example."""
    parameters = inspect.signature(thing).parameters
    if inspect.unwrap(thing).__module__.startswith("recsys_metrics.datasets"):
        return []  # their examples read files
    needed = [
        one.name
        for one in parameters.values()
        if one.default is one.empty and one.kind not in {one.VAR_POSITIONAL, one.VAR_KEYWORD}
    ]
    if needed and needed[0] == "judged" and set(needed) <= {"judged", "k"}:
        judged = judge(*RUNNING)
        if "k" in parameters:
            return [Call(f"K = {k}", (judged, k), {}) for k in CUTS]
        return [Call("whole list", (judged,), {})]
    found = _example_call(thing, name)
    return [found] if found else []


def _example_call(thing: Any, name: str) -> Call | None:
    """Return the first call of a function in its example, with the arguments that it has there."""
    space: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(thing) or ""):
        if example.options or "importorskip" in example.source:
            return None
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == name:
                if any(keyword.arg is None for keyword in node.keywords):
                    return None
                try:
                    args = tuple(_value(ast.List(node.args, ast.Load()), space))
                    options = {str(k.arg): _value(k.value, space) for k in node.keywords}
                except NameError:  # inside a comprehension
                    return None
                return Call("the example", args, options)
        with redirect_stdout(StringIO()):
            exec(compile(example.source, name, "single"), space)
    return None


def _value(node: ast.expr, space: dict[str, Any]) -> Any:
    return eval(ast.unparse(node), space)


def conventions(thing: Any, name: str) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of the table of conventions: each value, and what comes out."""
    held = choices(thing)
    made = calls(thing, name) if held else []
    defaults = {one.name: one.default for one in inspect.signature(thing).parameters.values()}
    # Nothing is relevant to this user: it is what the convention is about.
    nothing = [Call(call.data, (judge(RUNNING[0], {}), *call.args[1:]), {}) for call in made]
    rows = []
    for convention, values in held.items():
        on = nothing if convention == "no_relevant" and _is_judged(made) else made
        found: list[list[str]] = []
        for value in values:
            shown = [call.value(thing, **{convention: value}) for call in on]
            mark = " (default)" if value == defaults[convention] else ""
            words = _words().get((convention, value), "an error" if value == "raise" else "")
            found.append([f'``{convention}="{value}"``{mark}', words, *(v or "" for v in shown)])
        # A value that is no number is shown in the example, and its words among the types.
        results = [row[2:] for row in found]
        is_shown = any(cell[:1].isdigit() for cells in results for cell in cells)
        if is_shown and (_is_judged(made) or any(cells != results[0] for cells in results)):
            rows += found
    table = [["Convention", "Meaning", *(call.data for call in made)], *rows]
    columns = [column for column in zip(*table, strict=True) if any(column[1:])]
    head, *rest = (list(row) for row in zip(*columns, strict=True)) if rows else ([],)
    return head, rest


def _is_judged(made: list[Call]) -> bool:
    return bool(made) and made[0].data != "the example"


def what_the_values_are(thing: Any, name: str) -> str:
    """Return the sentence that says on which data the conventions were computed."""
    made = calls(thing, name)
    if not made:
        return ""
    if not _is_judged(made):
        return "Each value replaces the default in the first call of the example."
    text = (
        "The running list recommends A, B, C, D and E in this order. B and E are relevant with "
        "grade 1, C with grade 3, and G, with grade 2, is not recommended."
    )
    if "no_relevant" in choices(thing):
        text += " The rows of ``no_relevant`` are for a user with no relevant items."
    return text
