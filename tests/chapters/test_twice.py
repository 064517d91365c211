"""A cell can be run again: what it reads from other cells is bound once, and changed by nobody.

Whoever reads a chapter goes back and runs an earlier cell once more. It then finds the names as
the end of the chapter left them. So a name that a cell reads from elsewhere must have one meaning
in the whole chapter; names that a cell binds before it reads them are its own.
"""

from __future__ import annotations

import ast
import builtins
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted(path for path in (ROOT / "chapters").glob("[0-9]*.ipynb"))

# What changes the thing that it is called on.
CHANGES = {
    "append",
    "clear",
    "extend",
    "insert",
    "pop",
    "popitem",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "update",
}
# Of a random generator, each draw changes what the next one gives.
GENERATORS = {"rng"}


class Reading(ast.NodeVisitor):
    """Collects, of one cell, what it reads from other cells, what it binds and what it changes."""

    def __init__(self, source: str) -> None:
        self.outside: set[str] = set()
        self.bound: set[str] = set()
        self.changed: set[str] = set()
        self.imported: set[str] = set()
        self.inner: list[set[str]] = []
        code = "\n".join(line for line in source.splitlines() if not line.startswith("%"))
        for statement in ast.parse(code).body:
            self.visit(statement)

    def reads(self, name: str) -> None:
        if name not in self.bound and not any(name in scope for scope in self.inner):
            self.outside.add(name)

    def binds(self, name: str) -> None:
        if self.inner:
            self.inner[-1].add(name)
        else:
            self.bound.add(name)

    def changes(self, node: ast.expr) -> None:
        while isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value
        if isinstance(node, ast.Name) and not any(node.id in scope for scope in self.inner):
            self.changed.add(node.id)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.binds(node.id)
        else:
            self.reads(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            if isinstance(target, ast.Subscript | ast.Attribute):
                self.changes(target)
            self.visit(target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            self.reads(node.target.id)
        self.changes(node.target)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self.visit(node.target)
        for statement in [*node.body, *node.orelse]:
            self.visit(statement)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for name in node.names:
            self.imported.add((name.asname or name.name).partition(".")[0])
        self.bound |= self.imported

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.bound.add(node.name or "")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            name = node.func.value
            if node.func.attr in CHANGES or (isinstance(name, ast.Name) and name.id in GENERATORS):
                self.changes(name)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.Lambda) -> None:
        arguments = node.args
        for default in [*arguments.defaults, *filter(None, arguments.kw_defaults)]:
            self.visit(default)
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [a for a in (arguments.vararg, arguments.kwarg) if a]
        if isinstance(node, ast.FunctionDef):
            self.binds(node.name)
        self.inner.append({a.arg for a in every})
        body = node.body if isinstance(node.body, list) else [node.body]
        # A local name is local everywhere in its function.
        for statement in body:
            for part in ast.walk(statement):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    self.inner[-1].add(part.id)
        for statement in body:
            self.visit(statement)
        self.inner.pop()

    visit_Lambda = visit_FunctionDef

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        self._comprehension(node.generators, [node.elt])

    visit_SetComp = visit_GeneratorExp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node.generators, [node.key, node.value])

    def _comprehension(self, generators: list[ast.comprehension], shown: list[ast.expr]) -> None:
        self.visit(generators[0].iter)
        self.inner.append(set())
        for number, part in enumerate(generators):
            if number:
                self.visit(part.iter)
            self.visit(part.target)
            for condition in part.ifs:
                self.visit(condition)
        for expression in shown:
            self.visit(expression)
        self.inner.pop()


def faults(sources: list[str]) -> list[str]:
    """Return which cells would find something else if they were run again at the end."""
    cells = [Reading(source) for source in sources]
    # A module is asked: `np.sort` changes nothing.
    modules = {name for one in cells for name in one.imported}
    said = []
    for number, cell in enumerate(cells):
        for name in sorted(cell.outside - set(dir(builtins))):
            makes = [n for n, one in enumerate(cells) if name in one.bound]
            alters = [n for n, one in enumerate(cells) if name in one.changed and n not in makes]
            alters = [] if name in modules else alters
            if len(makes) > 1:
                later = [n for n in makes if n > number]
                if number in makes:
                    said.append(f"cell {number} reads {name} and binds it anew")
                elif later:
                    said.append(f"cell {number} reads {name}, which cell {later[0]} binds anew")
            if alters:
                said.append(f"cell {number} reads {name}, which cell {alters[0]} changes")
    return said


def code_of(path: Path) -> list[str]:
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


# Chapters whose names still have several meanings, with how many cells read them. The number may
# only go down.
TO_BE_MENDED = {"04_protocol": 18, "05_calibration": 6, "06_bias": 10}


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_what_a_cell_reads_is_what_it_read_the_first_time(path):
    found = faults(code_of(path))
    assert len(found) <= TO_BE_MENDED.get(path.stem, 0), "\n".join(found)


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (["a = 1", "a + 1"], []),
        (["a = 1", "a + 1", "a = 2\na"], ["cell 1 reads a, which cell 2 binds anew"]),
        (["a = 1", "a = 2", "a + 1"], []),
        (["a = 1", "a = a + 1"], ["cell 1 reads a and binds it anew"]),
        (["a = {}", "a |= {1: 2}"], ["cell 1 reads a, which cell 1 changes"]),
        (["import a", "a.sort(1)", "a.b"], []),
        (
            ["a = []", "a.append(1)", "a"],
            ["cell 1 reads a, which cell 1 changes", "cell 2 reads a, which cell 1 changes"],
        ),
        (["a = [1]\na += [2]", "a"], []),
        (["a = {}", "a['x'] = 1"], ["cell 1 reads a, which cell 1 changes"]),
        (["for a in [1]:\n    a", "for a in [2]:\n    a"], []),
        (
            ["def f():\n    return a", "a = 1", "f()", "a = 2"],
            ["cell 0 reads a, which cell 1 binds anew"],
        ),
        (["a = 1", "[a for a in [1]]", "a = 2"], []),
        (["a = 1", "lambda a: a", "a = 2"], []),
        (["rng = f(0)", "rng.normal()"], ["cell 1 reads rng, which cell 1 changes"]),
        (["rng = f(0)\nrng.normal()", "rng = f(1)\nrng.normal()"], []),
    ],
)
def test_the_search_knows_these(sources, said):
    assert [one for one in faults(sources) if not one.endswith(" reads f")] == said
