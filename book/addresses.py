"""What a site is found by: an address for each exercise, a sitemap, a page for lost readers."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from recsys_metrics._core.package_names import book_address

_CARD = re.compile(r'<div role="group" (?=[^>]*data-exercise="([\w.]+)")')
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"


def name_cards(body: str) -> str:
    """Give the first card of each exercise on a page its id: ``…/02_ranking.html#ranking.e2``.

    >>> name_cards('<div role="group" aria-label="E2" data-exercise="ranking.e2">')
    '<div role="group" id="ranking.e2" aria-label="E2" data-exercise="ranking.e2">'
    """
    seen: set[str] = set(re.findall(r'\bid="([\w.]+)"', body))

    def name(card: re.Match[str]) -> str:
        if card[1] in seen:
            return card[0]
        seen.add(card[1])
        return f'{card[0]}id="{card[1]}" '

    return _CARD.sub(name, body)


def base(given: str, source: str) -> str:
    """Return the address of the site: the one that is given, or that of the project's Pages.

    >>> base("https://example.org/book", "https://github.com/us/project")
    'https://example.org/book/'
    >>> base("", "https://github.com/us/project")
    'https://us.github.io/project/'
    >>> base("", "")
    ''
    """
    address = given or book_address(source)
    return f"{address.rstrip('/')}/" if address else ""


def colab(source: str, version: str) -> str:
    """Return what the name of a notebook is put behind to open it in Colab.

    Colab reads notebooks from GitHub; a page opens the one of its own version, by the tag.

    >>> colab("https://github.com/us/project", "1.2.3")
    'https://colab.research.google.com/github/us/project/blob/v1.2.3/'
    >>> colab("https://example.org/us/project", "1.2.3")
    ''
    """
    project = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+)", source)
    return (
        f"https://colab.research.google.com/github/{project[1]}/blob/v{version}/" if project else ""
    )


def edit(source: str) -> str:
    """Return what the name of a page's source file is put behind to edit it on GitHub.

    >>> edit("https://github.com/us/project")
    'https://github.com/us/project/edit/main/'
    >>> edit("https://example.org/us/project")
    ''
    """
    return f"{source}/edit/main/" if source.startswith("https://github.com/") else ""


def write(out: Path, address: str, title: str) -> list[str]:
    """Write what needs the whole address of the site, and return the names of the files.

    Parameters
    ----------
    out : Path
        Folder of a built book.
    address : str
        Where it will be found, with a slash at its end; nothing is written where it is not known.
    title : str
        Of the book.
    """
    if not address:
        return []
    pages = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.html"))
    kept = [page for page in pages if not page.startswith(("_", "search", "genindex", "404"))]
    sitemap = ET.Element("urlset", xmlns=_SITEMAP)
    for page in kept:
        ET.SubElement(ET.SubElement(sitemap, "url"), "loc").text = address + page
    ET.indent(sitemap)
    files = {
        "sitemap.xml": ET.tostring(sitemap, encoding="unicode", xml_declaration=True) + "\n",
        "robots.txt": f"User-agent: *\nAllow: /\nSitemap: {address}sitemap.xml\n",
        "404.html": _missing(address, title),
    }
    for name, content in files.items():
        (out / name).write_text(content, encoding="utf-8")
    return list(files)


def _missing(address: str, title: str) -> str:
    # It is shown in place of a page at any depth, so each address in it is whole.
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Not here: {html.escape(title)}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34em; margin: 15vh auto;
  padding: 0 1em }}
</style>
</head>
<body>
<main>
<h1>This page is not here</h1>
<p>It may have moved to another part.
Begin at <a href="{address}chapters/index.html">the contents</a>,
or <a href="{address}search.html">search the book</a>.</p>
</main>
</body>
</html>
"""


def on_finished(app: Any, problem: Exception | None) -> None:
    """Write them once a book of pages is built."""
    if problem is None and app.builder.format == "html":
        write(Path(app.outdir), app.config.html_baseurl, app.config.project)
