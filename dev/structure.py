"""Print how the code is arranged: packages, layers, cycles, and imports that point upwards.

    python dev/structure.py               the working tree
    python dev/structure.py --at 29b772c  another commit, and the working tree next to it

A unit is a package or a module that stands directly in `recsys_metrics` or in
`recsys_metrics.workbook`. A unit's layer is one above the highest that it imports. An upward import
is one that the layers of `pyproject.toml` forbid, or that a string hides from them.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "recsys_metrics"
LOOSE = (PACKAGE, f"{PACKAGE}.workbook")
"""Packages of which each part counts by itself."""

Edges = set[tuple[str, str]]


def graph_of(root: Path) -> grimp.ImportGraph:
    """Return the imports between the modules of the package in a folder."""
    sys.path.insert(0, str(root))
    try:
        return grimp.build_graph(PACKAGE, cache_dir=None)
    finally:
        sys.path.remove(str(root))


def edges_of(graph: grimp.ImportGraph) -> Edges:
    """Return pairs of modules of which the first imports the second.

    A package that imports the packages in it hands on their names, and is not above them.
    """
    return {
        (module, imported)
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
        if module not in LOOSE
        if not (imported.startswith(f"{module}.") and graph.find_children(module))
    }


def unit_of(module: str) -> str:
    """Return the unit that a module belongs to."""
    depth = 3 if module.startswith(f"{LOOSE[1]}.") else 2
    return ".".join(module.split(".")[:depth])


def cycles(edges: Edges) -> list[list[str]]:
    """Return groups of modules, or of units, each of which imports all others of its group."""
    names = sorted({name for edge in edges for name in edge})
    place = {name: number for number, name in enumerate(names)}
    rows, columns = np.array([[place[a], place[b]] for a, b in edges] or [[0, 0]]).T
    size = max(len(names), 1)
    ones = np.ones(len(rows), dtype=bool)
    matrix = coo_array((ones, (rows, columns)), shape=(size, size))
    _, labels = connected_components(matrix, connection="strong")
    groups: defaultdict[int, list[str]] = defaultdict(list)
    for name, label in zip(names, labels, strict=False):
        groups[int(label)].append(name)
    return sorted(group for group in groups.values() if len(group) > 1)


def layers(edges: Edges) -> dict[str, int]:
    """Return the layer of each unit; those of a cycle stand on one layer."""
    group_of = {name: min(group) for group in cycles(edges) for name in group}
    below: defaultdict[str, set[str]] = defaultdict(set)
    for one, other in edges:
        upper, lower = group_of.get(one, one), group_of.get(other, other)
        below[lower] |= set()
        if upper != lower:
            below[upper].add(lower)
    found: dict[str, int] = {}
    for name in TopologicalSorter(below).static_order():
        found[name] = 1 + max((found[other] for other in below[name]), default=0)
    names = {name for edge in edges for name in edge}
    return {name: found[group_of.get(name, name)] for name in names}


def hidden(root: Path) -> list[str]:
    """Return the calls of `import_module` with a whole name of the package in a string."""
    return [
        f"{file.relative_to(root)}:{node.lineno} {node.args[0].value}"
        for file in sorted((root / PACKAGE).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("import_module")
        and isinstance(node.args[0], ast.Constant)
        and str(node.args[0].value).partition(".")[0] == PACKAGE
    ]


def forbidden(root: Path, graph: grimp.ImportGraph) -> list[str]:
    """Return the imports between units that run against the layers of `pyproject.toml`."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    found = []
    for contract in settings["tool"]["importlinter"]["contracts"]:
        if contract["type"] != "layers":
            continue
        known = [
            grimp.Layer(*(part.strip("() ") for part in line.split("|")))
            for line in contract["layers"]
        ]
        containers = set(contract.get("containers", ()))
        illegal = graph.find_illegal_dependencies_for_layers(known, containers=containers)
        found += [f"{broken.importer} imports {broken.imported}" for broken in illegal]
    return sorted(found)


def describe(root: Path) -> dict[str, object]:
    """Return what is printed of a tree."""
    graph = graph_of(root)
    modules = edges_of(graph)
    units = {
        pair for one, other in modules if len(set(pair := (unit_of(one), unit_of(other)))) == 2
    }
    by_layer = layers(units)
    counted = {unit_of(name) for name in graph.modules} - set(LOOSE)
    return {
        "packages and loose modules": len(counted),
        "directly in workbook": len(graph.find_children(LOOSE[1])),
        "layers": max(by_layer.values()),
        "imports between units": len(units),
        "cycles of files": cycles(modules),
        "cycles of units": cycles(units),
        "upward imports": forbidden(root, graph),
        "imports through a string": hidden(root),
    }


def main() -> int:
    """Print one tree, or two of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--at", metavar="COMMIT", help="another commit to print first")
    options = parser.parse_args()
    if options.at:
        with tempfile.TemporaryDirectory() as folder:
            archive = subprocess.run(
                ["git", "archive", options.at, PACKAGE, "pyproject.toml"],
                cwd=ROOT, capture_output=True, check=True,
            )  # fmt: skip
            subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
            # In a process of its own: grimp reads the package that Python would import.
            code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); "
            code += f"import structure; structure.show({folder!r}, {options.at!r})"
            subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
    show(str(ROOT), "the working tree")
    return 0


def show(root: str, title: str) -> None:
    """Print what a tree looks like."""
    print(f"{title}:")
    for name, value in describe(Path(root)).items():
        print(f"  {name}: {len(value) if isinstance(value, list) else value}")
        for each in value if isinstance(value, list) else ():
            print(f"    {' <-> '.join(each) if isinstance(each, list) else each}")


if __name__ == "__main__":
    sys.exit(main())
