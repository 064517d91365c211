"""What the search knows while one types: functions with all their names, headings, terms.

The index is a script of its own, which a page loads when its search is used for the first time.
The search in the full text stays with Sphinx.
"""

from __future__ import annotations

import csv
import inspect
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import api
import glossary
from docutils import nodes
from function_pages import other_names, short_names, usual_names

from recsys_metrics.peers import LIBRARIES

NAMES = Path(__file__).with_name("search_names.csv")
# A word in the docstrings of at most so many functions says which of them is meant.
RARE = 12
GROUPS = ("Functions", "Chapters", "Terms", "Other pages")
_FUNCTIONS, _CHAPTERS, _TERMS, _OTHER = range(len(GROUPS))
_CHAPTER = "chapters/0"


def common_names() -> dict[str, list[str]]:
    """Return what people type for a function, where neither the field nor a library names it so.

    >>> common_names()["rating.mape"]
    ['mean absolute percentage error']
    """
    with NAMES.open(encoding="utf-8", newline="") as table:
        return {row["function"]: row["names"].split("; ") for row in csv.DictReader(table)}


def functions(conformance: Path) -> list[dict[str, Any]]:
    """Return an entry for each public name, with the names that it has elsewhere.

    Parameters
    ----------
    conformance : Path
        The table of calls that were run in other libraries, by their own names.

    Examples
    --------
    >>> found = functions(Path("dev/conformance/results.csv"))
    >>> (ndcg,) = (one for one in found if one["url"] == "api/ranking.ndcg.html")
    >>> "normalized_dcg" in ndcg["names"], "scikit-learn" in ndcg["libraries"]
    (True, True)
    """
    called: dict[str, list[str]] = {}
    with conformance.open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            called.setdefault(row["reading"].partition("(")[0], []).append(row["name"])
    common = common_names()
    entries = []
    for entry in (one for module in api.modules() for one in api.of_module(module)):
        others = other_names(entry.name) if entry.has_page else []
        usual = [part for one in usual_names(entry.name) for part in re.split("[,;] ", one)]
        names = [*short_names(entry.name), *usual] if entry.has_page else []
        names += [one.name for one in others] + called.get(entry.name, [])
        names += common.pop(entry.full.removeprefix("recsys_metrics."), [])
        kind = "class" if inspect.isclass(entry.thing) else ""
        entries.append(
            {
                "group": _FUNCTIONS,
                "title": entry.name,
                "says": api.question(entry.full).replace("`", ""),  # a list shows plain words
                "where": f"{kind} {entry.module.removeprefix('recsys_metrics.')}".strip(),
                "url": api.address_of(entry.full, "{}.html".format),
                "names": list(dict.fromkeys(name.partition("(")[0] for name in names)),
                "libraries": list(dict.fromkeys(one.library for one in others)),
                "rare": inspect.getdoc(entry.thing) or "",
            }
        )
    if common:
        raise LookupError(
            f"{NAMES.name} names {', '.join(common)}, which the library does not have"
        )
    texts = [sorted(_words(one["rare"])) for one in entries]
    counts = Counter(word for text in texts for word in text)
    for one, text in zip(entries, texts, strict=True):
        one["rare"] = " ".join(word for word in text if counts[word] <= RARE)
    return entries


def _words(text: str) -> set[str]:
    r"""Return the words of a docstring's prose.

    >>> sorted(_words("As `Holm` (1979): see x_2.\n>>> code()\n\nReferences\n----\nSomeone"))
    ['holm', 'see']
    """
    prose = re.split(r"^References\n-+$", text, flags=re.MULTILINE)[0]
    prose = re.sub(r"^\s*(>>>|\.\.\.).*$|\.\. math::.*?(?=\n\S)", "", prose, flags=re.MULTILINE)
    return set(re.findall(r"(?<![\w\\])[a-z]{3,}(?![\w(])", prose.lower()))


def headings(app: Any) -> Iterator[dict[str, Any]]:
    """Yield an entry for each heading of the chapters, and for each page beside them."""
    for page in sorted(app.env.found_docs):
        if page.startswith(("api/", "solutions/")) and page != api.INDEX:
            continue
        title = app.env.titles[page].astext()
        address = app.builder.get_target_uri(page)
        group = _CHAPTERS if page.startswith(_CHAPTER) else _OTHER
        yield {"group": group, "title": title, "where": "", "url": address}
        if page == "chapters/glossary":
            continue
        for reference in app.env.tocs[page].findall(nodes.reference):
            if reference["anchorname"]:
                text, url = reference.astext(), f"{address}{reference['anchorname']}"
                yield {"group": group, "title": text, "where": title, "url": url}


def terms(path: Path) -> Iterator[dict[str, Any]]:
    """Yield an entry for each term of the glossary, with its first sentence."""
    for slug, (name, says) in glossary.terms(path).items():
        url = f"chapters/glossary.html#{slug}"
        yield {"group": _TERMS, "title": name, "says": says, "where": "", "url": url}


def on_finished(app: Any, problem: Exception | None) -> None:
    """Write the index once a book of pages is built."""
    if problem is not None or app.builder.format != "html":
        return
    root = Path(app.srcdir)
    table = root / "dev" / "conformance" / "results.csv"
    known = root / "chapters" / "glossary.md"
    entries = [
        *(functions(table) if api.INDEX in app.env.found_docs else []),
        *headings(app),
        *(terms(known) if known.exists() else []),
    ]
    libraries = {one.title: [key, *one.other_names] for key, one in LIBRARIES.items()}
    index = {"groups": GROUPS, "libraries": libraries, "entries": entries}
    script = f'recsysBook.opened("search_index",{json.dumps(index, separators=(",", ":"))});\n'
    (Path(app.outdir) / "_static" / "search_index.js").write_text(script, encoding="ascii")
