"""The page on architecture: its picture and its tables come from the rules and from the code.

`pyproject.toml` holds the layers that `lint-imports` checks; the first line of a module says what
it is, and its own import statements what it takes from the others.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from recsys_metrics._core.colors import BLUE, GREY, SKY
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.common.svg import LETTERS, WIDE, box, sheet, text

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "recsys_metrics"
WORKBOOK = f"{PACKAGE}.workbook"
COMMENTS = {
    "<!-- layers -->": lambda: picture().inline(),
    "<!-- layers of the workbook -->": lambda: picture(WORKBOOK).inline(),
    "<!-- rules -->": lambda: "\n".join(f"- {contract['name']}." for contract in _contracts()),
    "<!-- modules -->": lambda: table(),
}
# With how much of the page shows through.
SUBJECT, OTHER, BAND = f"{SKY}66", f"{BLUE}1f", f"{GREY}14"
WIDTH, LETTER, TALL, GAP, EDGE = WIDE, 9.8, 32, 6, 8
BETWEEN = 16


@cache
def _contracts() -> list[dict[str, Any]]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    rules: list[dict[str, Any]] = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
    return rules


def layers(package: str = PACKAGE) -> list[list[str]]:
    """Return the modules of each layer of a package, the topmost first."""
    (rule,) = [rule for rule in _contracts() if rule.get("containers") == [package]]
    return [layer.split(" | ") for layer in rule["layers"]]


def subjects() -> set[str]:
    """Return the modules that know neither each other nor any library but numpy and scipy."""
    (rule,) = [contract for contract in _contracts() if contract["type"] == "independence"]
    return {name.removeprefix(f"{PACKAGE}.") for name in rule["modules"]}


def picture(package: str = PACKAGE) -> Picture:
    """Draw the layers of a package: each stands on those below it."""
    parts: list[str] = []
    y = float(GAP)
    for layer in layers(package):
        lines = list(_lines(layer))
        tall = len(lines) * (TALL + GAP) + GAP
        parts.append(box(0, y - GAP, WIDTH, tall, BAND))
        for line in lines:
            wide = sum(map(_wide, line)) + GAP * (len(line) - 1)
            x = (WIDTH - wide) / 2
            for name in line:
                if not name.startswith("_"):
                    fill = SUBJECT if name in subjects() else OTHER
                    parts.append(box(x, y, _wide(name), TALL, fill))
                parts.append(box(x, y, _wide(name), TALL, dashed=name.startswith("_")))
                parts.append(text(x + _wide(name) / 2, y + 22, name, anchor="middle"))
                x += _wide(name) + GAP
            y += TALL + GAP
        y += BETWEEN - GAP
    told = "; ".join(", ".join(layer) for layer in layers(package))
    return sheet(
        WIDTH,
        round(y),
        parts,
        f"A module of {package} imports from the layers below its own and from no other. "
        f"From the topmost down: {told}.",
        letters=LETTERS,
    )


def _wide(name: str) -> float:
    return len(name) * LETTER + 2 * EDGE


def _lines(layer: Iterable[str]) -> Iterator[list[str]]:
    """Yield the modules of a layer in lines that are no wider than the sheet."""
    line: list[str] = []
    for name in layer:
        if line and sum(map(_wide, [*line, name])) + GAP * len(line) > WIDTH - 2 * GAP:
            yield line
            line = []
        line.append(name)
    yield line


def files(module: str) -> list[Path]:
    """Return the files of a module that lies directly in the package."""
    folder = ROOT / PACKAGE / module
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]


def taken(module: str) -> list[str]:
    """Return the public modules that another one imports from, in the order of layers."""
    order = [name for layer in layers() for name in layer if not name.startswith("_")]
    found: set[str] = set()
    for file in files(module):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                named = [f"{node.module}.{one.name}" for one in node.names]
            elif isinstance(node, ast.Import):
                named = [one.name for one in node.names]
            else:
                continue
            found |= {match[1] for name in named if (match := _BELOW.match(name))}
    return [name for name in order if name in found - {module}]


_BELOW = re.compile(rf"{PACKAGE}\.(\w+)")


def table() -> str:
    """Return the public modules in Markdown: what each is, and what it imports from."""
    lines = ["| module | what it is | imports from |", "| --- | --- | --- |"]
    for name in (name for layer in layers() for name in layer if not name.startswith("_")):
        docstring = ast.get_docstring(ast.parse(files(name)[0].read_text(encoding="utf-8"))) or ""
        what = " ".join(docstring.partition("\n\n")[0].split())
        others = ", ".join(f"`{other}`" for other in taken(name)) or "–"
        lines.append(f"| `{name}` | {what} | {others} |")
    return "\n".join(lines)


def place(app: Any, docname: str, source: list[str]) -> None:
    """Put picture, rules and table where a page has the comments for them."""
    for comment, make in COMMENTS.items():
        if comment in source[0]:
            source[0] = source[0].replace(comment, make())
