"""Texts for programs that read the site: `llms.txt`, a list of its pages, and `api.txt`.

`llms.txt` has the form of https://llmstxt.org: what the site is, and its pages with a sentence
each. `api.txt` is the whole library in one text: every public name with its signature and
docstring, and every metric with the values that its conventions can have.
"""

from __future__ import annotations

import csv
import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import api

import recsys_metrics
from recsys_metrics.measures import METRICS

INDEX, API = "llms.txt", "api.txt"
SUMMARY = (
    "An interactive course on evaluating recommender systems, and `recsys_metrics`, the Python "
    "library that computes every number in it. The library is installed as `recsys-workbook`."
)
ADVICE = (
    "Metrics of one name differ between libraries. Name the conventions when you report one, as in "
    '`measure("ndcg(gain=exponential)@10")`; `like("recbole", "map@10")` gives the metric that '
    "another library computes."
)
_WORDS = Path(recsys_metrics.__file__).parent / "data" / "conventions.csv"


def index(title: str, sections: Mapping[str, Mapping[str, tuple[str, str]]], base: str) -> str:
    """Return the list of pages.

    Parameters
    ----------
    title : str
        Of the site.
    sections : dict
        For each section the title and the first sentence of each page, by its address in the site.
    base : str
        Address of the site, with a slash at its end; empty where it is not known.

    Examples
    --------
    >>> pages = {"chapters/a.html": ("A part", "What it is about.")}
    >>> print(index("A book", {"Chapters": pages}, "https://example.org/")[-67:], end="")
    ## Chapters
    <BLANKLINE>
    - [A part](https://example.org/chapters/a.html): What it is about.
    """
    parts = [f"# {title}", f"> {SUMMARY}", ADVICE]
    for name, pages in sections.items():
        links = [
            f"- [{called}]({base}{address})" + (f": {words}" if words else "")
            for address, (called, words) in pages.items()
        ]
        parts += [f"## {name}", "\n".join(links)]
    return "\n\n".join(parts) + "\n"


def library() -> str:
    """Return every public name of the library with its docstring, and all conventions."""
    parts = [f"# {recsys_metrics.__name__} {recsys_metrics.__version__}", SUMMARY, ADVICE]
    parts += ["# Metrics and their conventions", *map(_conventions, METRICS)]
    for module, found in api.modules().items():
        parts += [f"# {module}", inspect.getdoc(found) or ""]
        for entry in api.of_module(module):
            parts += [f"## {entry.full}{_signature(entry.thing)}", api.doc_of(entry)]
            if inspect.isclass(entry.thing):
                parts += _members(entry)
    return "\n\n".join(filter(None, parts)) + "\n"


def _members(entry: api.Entry) -> Iterator[str]:
    for name in api.members(entry.thing):
        member = inspect.getattr_static(entry.thing, name)
        member = getattr(member, "__func__", getattr(member, "fget", member))
        signature = _signature(member) if inspect.isfunction(member) else ""
        yield f"### {entry.name}.{name}{signature}"
        yield inspect.getdoc(getattr(entry.thing, name)) or inspect.getdoc(member) or ""


def _signature(thing: Any) -> str:
    try:
        written = str(inspect.signature(thing)) if callable(thing) else ""
    except ValueError:  # a class of exceptions
        return ""
    # The annotations are texts, and would be shown in quotes.
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", written)


def _conventions(name: str) -> str:
    """Return the text of a metric and, for each convention, its default and its other values."""
    metric, words = METRICS[name], _words()
    lines = [f"## {name}: {metric.family}; {metric.better or 'neither side'} is better"]
    for convention, default in metric.conventions.items():
        values = get_args(metric._annotations[convention]) or ()
        told = [
            f"{value} ({words[convention, str(value)]})"
            if (convention, str(value)) in words
            else str(value)
            for value in values
            if isinstance(value, str)
        ]
        begins = "must be given" if default is inspect.Parameter.empty else f"by default {default}"
        lines.append(f"- {convention}: {'; '.join(filter(None, [begins, ', '.join(told)]))}")
    return "\n".join(lines)


def _words() -> dict[tuple[str, str], str]:
    """Return what each value of a convention means, in words."""
    with _WORDS.open(encoding="utf-8", newline="") as table:
        return {(row["convention"], row["value"]): row["words"] for row in csv.DictReader(table)}


def remember(app: Any, name: str, title: str, words: str) -> None:
    """Note the title and the first paragraph of a page that is written."""
    _pages(app)[name] = (title, words)


def _pages(app: Any) -> dict[str, tuple[str, str]]:
    if not hasattr(app, "pages_of_texts"):
        app.pages_of_texts = {}
    pages: dict[str, tuple[str, str]] = app.pages_of_texts
    return pages


def on_build(app: Any) -> None:
    """Write the text of the library, before autodoc puts other objects in place of defaults."""
    if app.builder.format == "html":
        (Path(app.outdir) / API).write_text(library(), encoding="utf-8")


def on_finished(app: Any, problem: Exception | None) -> None:
    """Write the list of pages into the site."""
    if problem is not None or app.builder.format != "html":
        return
    pages, site = _pages(app), app.config.external_site_map
    front = site.root.docname
    sections = {"Start": {app.builder.get_target_uri(front): pages[front]}}
    for tree in site.root.subtrees:
        below = [page for file in tree.files() for page in _with_children(app, file)]
        sections[tree.caption or "Pages"] = {
            app.builder.get_target_uri(page): pages[page] for page in below if page in pages
        }
    out = Path(app.outdir)
    text = index(app.config.project, sections, app.config.html_baseurl)
    api_link = f"- [The library in one text]({app.config.html_baseurl}{API})\n"
    (out / INDEX).write_text(f"{text}\n## The library\n\n{api_link}", encoding="utf-8")


def _with_children(app: Any, page: str) -> Iterator[str]:
    yield page
    for tree in app.config.external_site_map[page].subtrees:
        for file in tree.files():
            yield from _with_children(app, file)
