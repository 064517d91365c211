"""A page for each function: its question, an example, the formula, the signature, the conventions.

Everything comes from the docstring, the annotations and the tables of other libraries.
"""

from __future__ import annotations

import ast
import csv
import html
import inspect
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from convention_values import conventions, what_the_values_are
from named_types import named_types, signature
from numpydoc import docscrape, docscrape_sphinx

import recsys_metrics
from recsys_metrics.measures import ALIASES
from recsys_metrics.peers import LIBRARIES

ROOT = Path(recsys_metrics.__file__).resolve().parents[1]
_DATA = ROOT / "recsys_metrics" / "data"
SHOWN_USES = 4


@dataclass(frozen=True)
class Parameter:
    """A parameter, or several of one meaning, as a docstring describes it."""

    names: str
    type: str
    words: list[str]


def read_parameters(doc: docscrape.NumpyDocString, find: Any) -> list[Parameter]:
    """Return the parameters of a docstring, those that are "As in" another function written out.

    Parameters
    ----------
    doc : NumpyDocString
    find : callable
        Gives the function that a name stands for, or None.
    """
    return [one for held in doc["Parameters"] for one in _write_out(Parameter(*held), find)]


def _write_out(one: Parameter, find: Any) -> list[Parameter]:
    """Return a parameter, or several that share one line, with the words of where they are told."""
    text = " ".join(one.words)
    other = re.match(r"As in `(\w+)`[.:;,]?\s*", text)
    if other is None or (thing := find(other[1])) is None:
        return [one]
    asked, groups = re.split(r",\s*", one.names), []
    for held in docscrape.FunctionDoc(thing)["Parameters"]:
        there = Parameter(*held)
        shared = [name for name in asked if name in re.split(r",\s*", there.names)]
        if shared:
            groups.append(Parameter(", ".join(shared), one.type or there.type, there.words))
    if sum(len(group.names.split(", ")) for group in groups) < len(asked):
        return [one]
    rest = text[other.end() :]
    more = [rest[0].upper() + rest[1:]] if rest else []
    told = [full for group in groups for full in _write_out(group, find)]
    return [Parameter(full.names, full.type, full.words + more) for full in told]


def first_example(text: str) -> tuple[str, str]:
    r"""Return the first block of an Examples section, and the rest of the section.

    >>> first_example(">>> 1\n1\n\n>>> 2\n2\n\nTwo more:\n\n>>> 3\n3")
    ('>>> 1\n1\n\n>>> 2\n2', 'Two more:\n\n>>> 3\n3')
    """
    blocks = re.split(r"\n\s*\n", text.strip())
    end = 1
    while end < len(blocks) and blocks[end].startswith(">>>"):
        end += 1
    return "\n\n".join(blocks[:end]), "\n\n".join(blocks[end:])


def lead_formula(text: str) -> tuple[str, str]:
    r"""Return the first formula of a Notes section with what its symbols mean, and the rest.

    >>> lead_formula("One.\n\n.. math:: a\n\nwhere a is b.\n\nTwo.")
    ('.. math:: a\n\nwhere a is b.', 'One.\n\nTwo.')
    """
    blocks = re.split(r"\n\s*\n", text.strip())
    at = next((i for i, block in enumerate(blocks) if block.startswith(".. math::")), None)
    if at is None:
        return "", text.strip()
    end = at + 1
    while end < len(blocks) and blocks[end].startswith(("where ", "    ", "Here ")):
        end += 1
    return "\n\n".join(blocks[at:end]), "\n\n".join(blocks[:at] + blocks[end:])


@dataclass(frozen=True)
class OtherName:
    """The name that a library has for a function, and how it is written here."""

    library: str
    name: str
    here: str


@cache
def _equivalences() -> Mapping[str, list[OtherName]]:
    """Return the names in other libraries by the last part of the name of our function."""
    found: dict[str, list[OtherName]] = {}
    with (_DATA / "equivalences.csv").open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            here = row["text"] or row["call"]
            if row["text"]:
                ours = [row["text"].partition("(")[0]]
            else:
                ours = re.findall(r"recsys_metrics\.(?:\w+\.)*(\w+)\(", row["call"])
            title = LIBRARIES[row["library"]].title
            for name in ours:
                found.setdefault(name, []).append(OtherName(title, row["name"], here))
    return found


@cache
def _field() -> Mapping[str, list[str]]:
    """Return the usual names of a function, by its last part."""
    found: dict[str, list[str]] = {}
    with (_DATA / "metrics.csv").open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            for function in row["functions"].split():
                if row["names"]:
                    found.setdefault(function.rpartition(".")[2], []).append(row["names"])
    return found


def other_names(name: str) -> list[OtherName]:
    """Return what other libraries call a function, a row for each library and name.

    >>> [other.name for other in other_names("ndcg") if other.library == "scikit-learn"]
    ['ndcg']
    """
    return _equivalences().get(name, [])


def usual_names(name: str) -> list[str]:
    """Return what the field calls a function.

    >>> usual_names("average_precision")
    ['average precision, MAP']
    """
    return _field().get(name, [])


def separate_names(name: str) -> list[str]:
    """Return what the field calls a function, name by name; what several share stays in one.

    >>> separate_names("average_precision"), separate_names("log_loss")
    (['average precision', 'MAP'], ['log loss, normalised entropy'])
    """
    found = []
    for names in usual_names(name):
        is_shared = sum(names in others for others in _field().values()) > 1
        found += [names] if is_shared else re.split(r"[,;] (?![^(]*\))", names)
    return found


def short_names(name: str) -> list[str]:
    """Return the short names of a metric, which `measure` knows too.

    >>> short_names("average_precision")
    ['ap', 'map']
    """
    return [alias for alias, meant in ALIASES.items() if meant == name]


def source_of(thing: Any) -> tuple[str, int, int, str]:
    """Return the file, the first and last line, and the code without its docstring."""
    function = inspect.unwrap(thing)
    lines, first = inspect.getsourcelines(function)
    path = Path(inspect.getsourcefile(function) or "").resolve().relative_to(ROOT)
    (node,) = ast.parse(textwrap.dedent("".join(lines))).body
    kept = list(lines)
    if ast.get_docstring(node) is not None:  # type: ignore[arg-type]
        text = node.body[0]  # type: ignore[attr-defined]
        kept[text.lineno - 1 : text.end_lineno] = []
    code = textwrap.dedent("".join(kept)).rstrip()
    return path.as_posix(), first, first + len(lines) - 1, code


def _table(head: list[str], rows: list[list[str]], classes: str) -> str:
    lines = [f".. list-table::\n   :header-rows: 1\n   :class: {classes}\n"]
    for row in [head, *rows]:
        first, *others = (cell or "\\ " for cell in row)
        lines.append("\n".join([f"   * - {first}", *(f"     - {cell}" for cell in others)]))
    return "\n".join(lines) + "\n\n"


def _section(title: str, text: str) -> str:
    return f"{title}\n{'-' * len(title)}\n\n{text.strip()}\n\n" if text.strip() else ""


def _raw(text: str) -> str:
    return f".. raw:: html\n\n{textwrap.indent(text, '   ')}\n\n"


def import_line(full: str) -> str:
    """Return the shortest import of a public name.

    >>> import_line("recsys_metrics.ranking.ndcg")
    'from recsys_metrics import ndcg'
    """
    module, _, name = full.rpartition(".")
    top = recsys_metrics.__name__
    is_short = getattr(recsys_metrics, name, None) is _resolve(full)
    return f"from {top if is_short else module} import {name}"


def _resolve(full: str) -> Any:
    thing: Any = recsys_metrics
    for part in full.split(".")[1:]:
        thing = getattr(thing, part)
    return thing


def page(entry: Any, *, find: Any, template: Any, uses: list[tuple[str, str]], source: str) -> str:
    """Return the text of the page of a function.

    Parameters
    ----------
    entry : api.Entry
    find : callable
        Gives the function that a name in a module stands for, or None.
    template : jinja2.Template
        The order of numpydoc's sections.
    uses : list of (title, page)
        The pages of the book that call the function.
    source : str
        What a file of the source is put behind to see it; empty where it has no address.
    """
    thing, name = entry.thing, entry.name
    doc = docscrape_sphinx.SphinxFunctionDoc(thing, config={"template": template})
    text = {name: "\n".join(doc[name]) for name in _ELSEWHERE}
    example, more = first_example(text["Examples"])
    formula, notes = lead_formula(text["Notes"])
    doc["Parameters"] = [
        docscrape.Parameter(one.names, one.type, one.words)
        for one in read_parameters(doc, lambda text: find(text, entry.module))
    ]
    for section in ("Signature", *_ELSEWHERE):
        doc[section] = type(doc[section])()
    links = "\n".join(f"- :doc:`{title} </{target}>`" for title, target in uses[:SHOWN_USES])
    described = textwrap.indent(str(doc).strip(), "   ")
    return "".join(
        [
            f"{name}\n{'=' * len(name)}\n\n.. currentmodule:: {entry.module}\n\n",
            f".. rst-class:: question\n\n{' '.join(text['Summary'].split())}\n\n",
            f"{_with_import(example, entry)}\n\n{formula}\n\n",
            f".. py:function:: {name}{signature(thing)}\n",
            "   :no-index-entry:\n\n",
            f"{described}\n\n{types_list(named_types(thing))}",
            _section("Conventions", _conventions(thing, name)),
            _section("Notes", f"{text['Extended Summary']}\n\n{notes}"),
            _section("More examples", more),
            _section("Other names", _names(name)),
            _section("In the book", links),
            _section("References", text["References"]),
            _section("Source", _source(thing, source)),
        ]
    )


# They have a section of the page, or stand above the signature.
_ELSEWHERE = ("Summary", "Extended Summary", "Examples", "Notes", "References")


def _with_import(example: str, entry: Any) -> str:
    """Return an example that imports the function, as a reader would write it."""
    # What keeps a test from failing without a package is nothing to copy.
    example = re.sub(
        r"(>>> import pytest\n)?>>> (\w+) = pytest\.importorskip\(\"(\w+)\"\)",
        r">>> import \3 as \2",
        example,
    )
    module = entry.module.rpartition(".")[2]
    if re.search(rf"import.*\b{entry.name}\b|import {module}\b|as rm\b", example):
        return example
    return example.replace(">>>", f">>> {import_line(entry.full)}\n>>>", 1)


def types_list(types: Mapping[str, str]) -> str:
    """Return what names of types stand for as a list that signatures link to."""
    listed = "".join(
        f'<div><dt id="type-{name}"><code>{name}</code></dt>'
        f"<dd>{html.escape(says, quote=False)}</dd></div>"
        for name, says in types.items()
    )
    return _raw(f'<dl class="named-types">{listed}</dl>') if listed else ""


def _conventions(thing: Any, name: str) -> str:
    head, rows = conventions(thing, name)
    table = _table(head, rows, "names conventions") if rows else ""
    return f"{what_the_values_are(thing, name)}\n\n{table}" if rows else ""


def _names(name: str) -> str:
    rows = [[one.library, f"``{one.name}``", f"``{one.here}``"] for one in other_names(name)]
    short, usual = short_names(name), usual_names(name)
    text = f"In the field: {'; '.join(usual)}.\n\n" if usual else ""
    text += f"In `measure`: {', '.join(f'``{one}``' for one in short)}.\n\n" if short else ""
    return text + (_table(["Library", "Its name", "Here"], rows, "names") if rows else "")


def _source(thing: Any, address: str) -> str:
    path, first, last, code = source_of(thing)
    lines = f"{path}#L{first}-L{last}"
    shown = f"`{path} <{address}{lines}>`__" if address else f"``{path}``, lines {first} to {last}"
    return (
        f"{shown}\n\n"
        + _raw("<details><summary>Show the code</summary>")
        + f".. code-block:: python\n\n{textwrap.indent(code, '   ')}\n\n"
        + _raw("</details>")
    )
