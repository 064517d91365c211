"""The structure: one meaning for a name, no import cycle, no import that rules cannot see."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path

import pytest

pytest.importorskip("grimp", reason="grimp is not installed")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def structure():
    sys.path.insert(0, str(ROOT / "dev"))
    try:
        import structure
    finally:
        sys.path.remove(str(ROOT / "dev"))
    return structure


@pytest.fixture(scope="module")
def described_structure(structure):
    return structure.describe(ROOT)


def test_class_names_are_unique():
    places = defaultdict(list)
    for file in (ROOT / "recsys_metrics").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{file.relative_to(ROOT)}:{node.lineno}")
    assert len(places) > 300
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


@pytest.mark.parametrize("what", ["cycles of files", "cycles of units"])
def test_there_are_no_import_cycles(described_structure, what):
    assert described_structure[what] == []


@pytest.mark.parametrize("what", ["upward imports", "imports through a string"])
def test_imports_follow_the_layers(described_structure, what):
    assert described_structure[what] == []


def test_cycles_and_layers_of_a_small_graph(structure):
    edges = {("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")}
    assert structure.cycles(edges) == [["b", "c"]]
    assert structure.layers(edges) == {"a": 3, "b": 2, "c": 2, "d": 1}
    assert structure.cycles({("a", "b")}) == []


def test_imports_through_strings_are_detected(structure, tmp_path):
    file = tmp_path / "recsys_metrics" / "a.py"
    file.parent.mkdir()
    file.write_text('import_module("recsys_metrics.frames")\nimport_module("polars")\n')
    assert structure.hidden(tmp_path) == ["recsys_metrics/a.py:1 recsys_metrics.frames"]


def test_each_package_has_a_docstring():
    silent = [
        file.relative_to(ROOT).as_posix()
        for file in (ROOT / "recsys_metrics").rglob("__init__.py")
        if not ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert silent == []
