"""Single edits of a worked solution, each as a mistake's `swap` declares it.

A common mistake of numbers is an edit of the solution. What a student has done is not known, but
which edits give the student's number is: they are listed here and run on the student's inputs.
"""

from __future__ import annotations

import ast
import math
import time
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from copy import deepcopy
from dataclasses import dataclass
from io import StringIO
from types import CodeType
from typing import Any

from recsys_metrics.workbook.exercises.bank import swap_code
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.grading.mutants import list_changes

_MOST = 2_000
_MOST_STEPS = 1_000
# A solution that trains a model is run as often as this takes, and no more.
_SECONDS = 5.0
_LONGEST = 120
_LOOSE = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.UnaryOp, ast.Lambda)


@dataclass(frozen=True)
class Edit:
    """An edit of a worked solution.

    Attributes
    ----------
    old, new : str
        What stands in the solution, and what is written in its place.
    compiled : code
        The solution with it.
    """

    old: str
    new: str
    compiled: CodeType

    def run(self, exercise: Numbers) -> dict[str, float] | None:
        """Return what it gives on the inputs of an exercise; None where that is no number."""
        return _run(self.compiled, exercise)


def list_edits(exercise: Numbers) -> list[Edit]:
    """Return the edits of an exercise's solution that give other numbers, each once.

    Parameters
    ----------
    exercise : Numbers
    """
    code = "\n".join(step.code for step in exercise.steps)
    tree = ast.parse(code)
    parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
    begun = time.perf_counter()
    names = _find_names(compile(code, exercise.id, "exec"), exercise)
    most = min(_MOST, int(_SECONDS / max(time.perf_counter() - begun, 1e-9)))
    found: dict[str, Edit] = {}
    tried: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.expr):
            continue
        for new in _list_new(node, names):
            for old, text in _list_swaps(node, new, code, parents):
                changed = swap_code(code, {old: text})
                if changed == code or changed in tried or len(tried) >= most:
                    continue
                tried.add(changed)
                try:
                    compiled = compile_bounded(changed, exercise.id)
                except SyntaxError:
                    continue
                edit = Edit(old, text, compiled)
                values = edit.run(exercise)
                if values is not None and not _are_same(values, exercise.answer):
                    found[changed] = edit
    return [*found.values()]


class _BoundedLoops(ast.NodeTransformer):
    """Makes each `while` loop take a step of those that are left."""

    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        node.body.insert(0, ast.parse("next(_steps)").body[0])
        return node


def compile_bounded(code: str, name: str) -> CodeType:
    """Return code whose `while` loops end, since an edit can take away what ends them.

    Parameters
    ----------
    code, name : str
        The code, and what an error calls it.
    """
    tree = _BoundedLoops().visit(ast.parse(code))
    return compile(ast.fix_missing_locations(tree), name, "exec")


def _run(compiled: CodeType, exercise: Numbers) -> dict[str, float] | None:
    # An edited line may change a list in place, and the next edit starts from the same inputs.
    names = {**deepcopy(dict(exercise.inputs)), "_steps": iter(range(_MOST_STEPS))}
    try:
        # The code is that of a worked solution with one edit, and no student's.
        with redirect_stdout(StringIO()):
            exec(compiled, names)
        values = {name: float(names[name]) for name in exercise.asks}
    except Exception:  # an edit may break in any way
        return None
    return values if all(map(math.isfinite, values.values())) else None


def _are_same(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    return all(math.isclose(one[name], other[name], rel_tol=1e-9, abs_tol=1e-12) for name in one)


def _find_names(compiled: CodeType, exercise: Numbers) -> dict[str, str]:
    """Return the names of a solution that hold a number or have a length, and which of the two."""
    names: dict[str, Any] = deepcopy(dict(exercise.inputs))
    with redirect_stdout(StringIO()):
        exec(compiled, names)
    kinds = {}
    for name, value in names.items():
        if name.startswith("_") or callable(value) or isinstance(value, bool | str):
            continue
        if isinstance(value, int | float):
            kinds[name] = "number"
        elif hasattr(value, "__len__"):
            kinds[name] = "length"
    return kinds


def _list_new(node: ast.expr, names: Mapping[str, str]) -> Iterator[ast.expr]:
    """Yield what may be written in the place of a part of a solution."""
    for _, changed in list_changes(node):
        if isinstance(changed, ast.expr):
            yield changed
    numbers = [ast.Name(name, ast.Load()) for name, kind in names.items() if kind == "number"]
    lengths = [_length(name) for name, kind in names.items() if kind == "length"]
    match node:
        case ast.Name(name, ast.Load()) if names.get(name) == "number":
            yield from (*numbers, *lengths, *_next_to(node))
        case ast.Name(name, ast.Load()) if names.get(name) == "length":
            others = (other for other, kind in names.items() if kind == "length")
            yield from (ast.Name(other, ast.Load()) for other in others)
        case ast.Call(ast.Name("len"), [_], []):
            yield from (*lengths, *numbers, *_next_to(node))
        case ast.BinOp(left, sign, right):
            yield from (left, right)
            yield ast.BinOp(ast.Constant(1), ast.Sub(), node)
            for power in (2, 0.5):
                yield ast.BinOp(node, ast.Pow(), ast.Constant(power))
            if isinstance(sign, ast.Div | ast.Sub):
                yield ast.BinOp(right, sign, left)


def _next_to(node: ast.expr) -> Iterator[ast.expr]:
    for sign in (ast.Add(), ast.Sub()):
        yield ast.BinOp(node, sign, ast.Constant(1))


def _length(name: str) -> ast.expr:
    return ast.Call(ast.Name("len", ast.Load()), [ast.Name(name, ast.Load())], [])


def _list_swaps(
    node: ast.expr, new: ast.expr, code: str, parents: Mapping[ast.AST, ast.AST]
) -> Iterator[tuple[str, str]]:
    """Yield the texts to swap: everywhere it stands, and with so much around it that it is once."""
    old = ast.get_source_segment(code, node)
    if not old:
        return
    inner = _write(new, parents.get(node))
    yield old, inner
    around: ast.AST = node
    shown = old
    # A part of a longer name is no place where it stands.
    while code.count(shown) > 1:
        above = parents.get(around)
        wider = ast.get_source_segment(code, above) if isinstance(above, ast.expr) else None
        if above is None or not wider or len(wider) > _LONGEST:
            return
        # What is changed keeps its place within what stands around it.
        start = _offset(code, node) - _offset(code, above)
        around, shown = above, wider
        if code.count(wider) == 1:
            yield wider, wider[:start] + inner + wider[start + len(old) :]


def _offset(code: str, node: ast.AST) -> int:
    """Return at which character of the code a node begins."""
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    lines = code.splitlines(keepends=True)
    before = lines[line - 1].encode()[:column].decode()
    return sum(map(len, lines[: line - 1])) + len(before)


def _write(new: ast.expr, parent: ast.AST | None) -> str:
    text = ast.unparse(ast.fix_missing_locations(new))
    is_part = isinstance(parent, ast.expr) and not isinstance(parent, ast.Call)
    return f"({text})" if is_part and isinstance(new, _LOOSE) else text
