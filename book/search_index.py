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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import api
import glossary
from docutils import nodes
from function_pages import other_names, separate_names, short_names

from recsys_metrics.peers import LIBRARIES

NAMES = Path(__file__).with_name("search_names.csv")
# A word in the docstrings of at most so many functions says which of them is meant.
RARE = 12
# A heading that at least so many chapters have names a kind of section, such as their summary.
SHARED = 5
# Words of a question, of a heading and of the names that libraries give their functions: they count
# where they are found and need not be.
_OPTIONAL = """
a an and are as at by calculate compute computed do does evaluate evaluation find for formula from
function how i implement implementation in is it k library me mean metric metrics my of on or python
retrieval recommender recommenders score scoring the to topk under use what which with
"""
OPTIONAL = frozenset(_OPTIONAL.split())
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
    >>> add_library_names(found)
    >>> (ndcg,) = (one for one in found if one["url"] == "api/ranking.ndcg.html")
    >>> "normalized_dcg" in ndcg["names"], "scikit-learn" in ndcg["libraries"]
    (True, True)
    """
    elsewhere: dict[str, list[str]] = {}
    with conformance.open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            elsewhere.setdefault(row["reading"].partition("(")[0], []).append(row["name"])
    common = common_names()
    entries = []
    for entry in (one for module in api.modules() for one in api.of_module(module)):
        others = other_names(entry.name) if entry.has_page else []
        names = [*short_names(entry.name), *separate_names(entry.name)] if entry.has_page else []
        typed = common.pop(entry.full.removeprefix("recsys_metrics."), [])
        called = [one.name for one in others] + elsewhere.get(entry.name, [])
        kind = "class" if inspect.isclass(entry.thing) else ""
        entries.append(
            {
                "group": _FUNCTIONS,
                "title": entry.name,
                "says": api.question(entry.full).replace("`", ""),  # a list shows plain words
                "where": f"{kind} {entry.module.removeprefix('recsys_metrics.')}".strip(),
                "url": api.address_of(entry.full, "{}.html".format),
                "names": [*names, *typed],
                "typed": typed,
                "called": [name.partition("(")[0] for name in called],
                "libraries": list(dict.fromkeys(one.library for one in others)),
                "rare": inspect.getdoc(entry.thing) or "",
            }
        )
    if common:
        raise LookupError(
            f"{NAMES.name} names {', '.join(common)}, which the library does not have"
        )
    # Of a function and a class with one name the function comes first.
    entries.sort(key=lambda one: one["where"].startswith("class "))
    texts = [sorted(_words(one["rare"])) for one in entries]
    counts = Counter(word for text in texts for word in text)
    for one, text in zip(entries, texts, strict=True):
        one["rare"] = " ".join(word for word in text if counts[word] <= RARE)
    return entries


def add_library_names(functions: list[dict[str, Any]]) -> None:
    """Add what libraries call a function to its names, unless it is what another one is called.

    >>> recall = {"title": "recall", "names": ["TPR"], "called": ["Recall", "precision"]}
    >>> precision = {"title": "precision", "names": [], "called": ["Recall"]}
    >>> add_library_names([recall, precision])
    >>> recall["names"], precision["names"]
    (['TPR', 'Recall'], [])
    """
    owners: dict[str, set[str]] = {}
    for one in functions:
        for name in (one["title"], *one["names"]):
            owners.setdefault(_joined(name), set()).add(one["title"])
    for one in functions:
        title = one["title"]
        called = [name for name in one.pop("called") if title in owners.get(_joined(name), {title})]
        one["names"] = list(dict.fromkeys([*one["names"], *called]))


def _joined(name: str) -> str:
    return "".join(_words_of(name))


def _words_of(text: str) -> list[str]:
    """Return the words of a name or a heading.

    >>> _words_of("Recall@K, and hit_rate")
    ['recall', 'k', 'and', 'hit', 'rate']
    """
    return re.findall(r"[^\W_]+", text.lower())


def _words(text: str) -> set[str]:
    r"""Return the words of a docstring's prose.

    >>> sorted(_words("As `Holm` (1979): see x_2.\n>>> code()\n\nReferences\n----\nSomeone"))
    ['holm', 'see']
    """
    prose = re.split(r"^References\n-+$", text, flags=re.MULTILINE)[0]
    prose = re.sub(r"^\s*(>>>|\.\.\.).*$|\.\. math::.*?(?=\n\S)", "", prose, flags=re.MULTILINE)
    return set(re.findall(r"(?<![\w\\])[a-z]{3,}(?![\w(])", prose.lower()))


def headings(app: Any, known: Mapping[str, list[str]]) -> Iterator[dict[str, Any]]:
    """Yield an entry for each heading of the chapters, and for each page beside them.

    Parameters
    ----------
    app : Sphinx
    known : mapping
        The terms that a chapter introduces, by its page.
    """
    pages = [page for page in sorted(app.env.found_docs) if _is_listed(page)]
    shared = Counter(
        text for page in pages if page.startswith(_CHAPTER) for text, _, _ in _sections(app, page)
    )
    for page in pages:
        title = app.env.titles[page].astext()
        address = app.builder.get_target_uri(page)
        group = _CHAPTERS if page.startswith(_CHAPTER) else _OTHER
        introduced = known.get(page, [])
        yield {"group": group, "title": title, "where": "", "url": address, "terms": introduced}
        if page == "chapters/glossary":
            continue
        for text, anchor, level in _sections(app, page):
            if group != _CHAPTERS or shared[text] < SHARED:
                named = name_erratum(text) if page == "chapters/errata" else text
                entry = {"group": group, "title": named, "where": title, "url": address + anchor}
                yield entry | {"level": level}


def name_erratum(heading: str) -> str:
    """Return a heading of the errata with what it is: an erratum ends with its place in brackets.

    >>> name_erratum("Two swapped rows (mAP)"), name_erratum("In the blog post")
    ('Erratum: Two swapped rows (mAP)', 'Errata: In the blog post')
    """
    return f"{'Erratum' if heading.endswith(')') else 'Errata'}: {heading}"


def _is_listed(page: str) -> bool:
    return page == api.INDEX or not page.startswith(("api/", "solutions/"))


def _sections(app: Any, page: str) -> list[tuple[str, str, int]]:
    """Return the headings of a page below its title, with their anchors and depths from 0 on."""
    found = []
    for one in app.env.tocs[page].findall(nodes.reference):
        if one["anchorname"]:
            depth, parent = 0, one.parent
            while (parent := parent.parent) is not None:
                depth += isinstance(parent, nodes.list_item)
            found.append((one.astext(), one["anchorname"], depth - 2))
    return found


def name_headings(entries: list[dict[str, Any]]) -> None:
    """Give a heading that is the name of a function or a term, or of several, their other names.

    What people type for a function is another name of it unless it is a term of its own.

    >>> ap = {"group": 0, "title": "average_precision", "names": ["MAP"], "typed": []}
    >>> section = {"group": 1, "title": "Average precision"}
    >>> name_headings([ap, section])
    >>> section["names"]
    ['average_precision', 'MAP']
    """
    known = {_joined(one["title"]) for one in entries if one["group"] == _TERMS}
    names_of: dict[str, list[str]] = {}
    for one in entries:
        others = {name for name in one.pop("typed", []) if _joined(name) in known}
        names = [one["title"], *(name for name in one.get("names", []) if name not in others)]
        if one["group"] in {_FUNCTIONS, _TERMS}:
            for name in names:
                names_of.setdefault(_needed(name), []).extend(names)
    for one in entries:
        if one["group"] != _FUNCTIONS:
            names = [*one.get("names", []), *_names_in(one["title"], names_of)]
            one["names"] = list(dict.fromkeys(names))


def _needed(name: str) -> str:
    return "".join(word for word in _words_of(name) if word not in OPTIONAL)


def _names_in(heading: str, names_of: Mapping[str, list[str]]) -> list[str]:
    """Return the other names of what a heading names, or none if it says something else."""
    parts = map(_needed, re.split(", | and | or ", heading.rpartition(": ")[2]))
    found = [names_of.get(part, []) for part in parts if part]
    return [name for names in found for name in names] if all(found) else []


def terms(path: Path) -> Iterator[dict[str, Any]]:
    """Yield an entry for each term of the glossary, with its first sentence and its other names."""
    for slug, (name, says) in glossary.terms(path).items():
        url = f"chapters/glossary.html#{slug}"
        names = glossary.other_names(path).get(slug, [])
        yield {
            "group": _TERMS,
            "title": name,
            "says": says,
            "where": "",
            "url": url,
            "names": names,
        }


def on_finished(app: Any, problem: Exception | None) -> None:
    """Write the index once a book of pages is built."""
    if problem is not None or app.builder.format != "html":
        return
    root = Path(app.srcdir)
    table = root / "dev" / "conformance" / "results.csv"
    known = root / "chapters" / "glossary.md"
    introduced = glossary.introduced_terms(known) if known.exists() else {}
    found = functions(table) if api.INDEX in app.env.found_docs else []
    entries = [
        *found,
        *headings(app, introduced),
        *(terms(known) if known.exists() else []),
    ]
    name_headings(entries)
    add_library_names(found)
    libraries = {one.title: [key, *one.other_names] for key, one in LIBRARIES.items()}
    index = {
        "groups": GROUPS,
        "optional": sorted(OPTIONAL),
        "libraries": libraries,
        "entries": entries,
    }
    script = f'recsysBook.opened("search_index",{json.dumps(index, separators=(",", ":"))});\n'
    (Path(app.outdir) / "_static" / "search_index.js").write_text(script, encoding="ascii")
