"""Terms of the glossary at hand wherever a page links to them.

A link to ``glossary.md#term`` gets the term's first sentence as an attribute when the page is
written; ``_static/glossary.js`` shows it beside the link.
"""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path

from recsys_metrics.workbook.common import markup

_HEADING = re.compile(r"^#{2,4} (.+)$", re.MULTILINE)
_LINK = re.compile(r'<a (class="[^"]*" href="[^"]*?(?:glossary\.html)?#([^"]+)")')


def slug(heading: str) -> str:
    """Return what a heading is called in an address, as GitHub and the book have it.

    >>> slug("A/B test"), slug("at *K*")
    ('a-b-test', 'at-k')
    """
    words = re.sub(r"[^\w\s/-]", "", heading.lower())
    return re.sub(r"[\s/]+", "-", words.strip())


@cache
def _definitions(path: Path) -> list[tuple[str, str]]:
    """Return the headings of the glossary, each with what is below it."""
    text = re.sub(r"<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    _, *pieces = _HEADING.split(text)
    return [*zip(pieces[::2], pieces[1::2], strict=True)]


@cache
def terms(path: Path) -> dict[str, tuple[str, str]]:
    """Return each term's name and first sentence by its name in an address.

    Parameters
    ----------
    path : Path
        The glossary; a sentence stands on a line of its own.
    """
    found = {}
    for heading, body in _definitions(path):
        first = next((line for line in body.splitlines() if line.strip()), "")
        sentence = re.sub(r"<[^>]+>", "", markup.render_inline(first))
        found[slug(heading)] = (heading, html.unescape(sentence))
    return {name: (heading, said) for name, (heading, said) in found.items() if said}


@cache
def other_names(path: Path) -> dict[str, list[str]]:
    """Return the other names of the terms that have some, by the term's name in an address.

    >>> other_names(Path("chapters/glossary.md"))["candidates"]
    ['candidate set', 'negatives']
    """
    found = {}
    for heading, body in _definitions(path):
        if other := re.search(r"\*Also called\* ([^.]*)\.", _without_links(body)):
            found[slug(heading)] = re.split(r"[,;] ", other[1])
    return found


@cache
def introduced_terms(path: Path) -> dict[str, list[str]]:
    """Return the terms that each chapter introduces, with their other names, by its page.

    What a term has in brackets is left out.

    >>> "temporal split" in introduced_terms(Path("chapters/glossary.md"))["chapters/04_protocol"]
    True
    """
    found: dict[str, list[str]] = {}
    for heading, body in _definitions(path):
        for page in re.findall(r"\]\((\w+)\.ipynb\)", body):
            names = found.setdefault(f"{path.parent.name}/{page}", [])
            names += [heading.partition(" (")[0], *other_names(path).get(slug(heading), [])]
    return found


def _without_links(text: str) -> str:
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def explain_links(body: str, known: dict[str, tuple[str, str]]) -> str:
    """Return a page's HTML with the first sentence at each link to a term.

    Parameters
    ----------
    body : str
    known : dict
        As `terms` gives them.
    """

    def explained(found: re.Match[str]) -> str:
        if "glossary.html#" not in found[1] or found[2] not in known:
            return found[0]
        name, sentence = (html.escape(text, quote=True) for text in known[found[2]])
        return f'<a data-term="{name}" data-says="{sentence}" {found[1]}'

    return _LINK.sub(explained, body)
