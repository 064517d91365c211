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


def source(address: str, version: str) -> str:
    """Return what the name of a file of the source is put behind to read it on GitHub.

    >>> source("https://github.com/us/project", "1.2.3")
    'https://github.com/us/project/blob/v1.2.3/'
    >>> source("https://example.org/us/project", "1.2.3")
    ''
    """
    return f"{address}/blob/v{version}/" if address.startswith("https://github.com/") else ""


def write(out: Path, address: str, title: str) -> list[str]:
    """Write what needs the whole address of the site, and return the names of the files.

    Parameters
    ----------
    out : Path
        Folder of a built book.
    address : str
        Where it will be found, with a slash at its end. Where it is not known there is only the
        page for lost readers, with the links of a site that has an address of its own.
    title : str
        Of the book.
    """
    files = {"404.html": _missing(address or "/", title)}
    if address:
        pages = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.html"))
        kept = [page for page in pages if not page.startswith(("_", "search", "genindex", "404"))]
        sitemap = ET.Element("urlset", xmlns=_SITEMAP)
        for page in kept:
            ET.SubElement(ET.SubElement(sitemap, "url"), "loc").text = address + page
        ET.indent(sitemap)
        files |= {
            "sitemap.xml": ET.tostring(sitemap, encoding="unicode", xml_declaration=True) + "\n",
            "robots.txt": f"User-agent: *\nAllow: /\nSitemap: {address}sitemap.xml\n",
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
<title>Page not found: {html.escape(title)}</title>
<link rel="stylesheet" href="{address}_static/book.css">
<link rel="stylesheet" href="{address}_static/search.css">
<style>
:root {{ color-scheme: light dark }}
body {{ --blue: light-dark(#0072b2, #56b4e9); font: 1.0625rem/1.65 var(--pst-font-family-base);
  max-width: 34em; margin: 0 auto; padding: 1.5em 1em; color: light-dark(#1f2530, #dce1e8);
  background: light-dark(#fff, #14171c) }}
h1 {{ margin: 9vh 0 .5em; font-size: var(--pst-font-size-h1); font-weight: 600;
  letter-spacing: -.01em; line-height: 1.25 }}
a {{ color: light-dark(#00639c, #7cc4ee) }}
header a {{ color: inherit; font-weight: 600; text-decoration: none }}
header img {{ display: block; margin-bottom: .4em }}
form {{ display: flex; gap: .5em; margin: 0 0 .5em }}
input {{ flex: 1; min-width: 0 }}
input, button {{ font: inherit; min-height: 2.75rem; padding: .3em .7em; border-radius: .4rem;
  border: 1px solid light-dark(#4b5565, #a3adba); background: none; color: inherit }}
button {{ border-color: var(--blue); background: var(--blue); color: light-dark(#fff, #10151c);
  font-weight: 600 }}
ul {{ margin: 1.5em 0; padding: 0; list-style: none }}
li a {{ display: inline-block; padding: .5em 0 }}
</style>
<script defer src="{address}_static/book.js"></script>
<script defer src="{address}_static/search.js"></script>
</head>
<body>
<header><a href="{address}chapters/index.html"><picture>
<source media="(prefers-color-scheme: dark)" srcset="{address}_static/logo-dark.svg">
<img src="{address}_static/logo-light.svg" width="104" height="29" alt=""></picture>
{html.escape(title)}</a></header>
<main>
<h1>Page not found</h1>
<p>There is no page at this address. It may have moved. Search for it, or begin at one of the pages
below.</p>
<form class="bd-search" action="{address}search.html" method="get" role="search">
<input type="search" name="q" aria-label="Search the book" placeholder="ndcg, mrr, calibration …"
autocomplete="off" autocapitalize="off" spellcheck="false">
<button>Search</button>
</form>
<ul>
<li><a href="{address}chapters/index.html">Front page, with the course</a></li>
<li><a href="{address}chapters/your_numbers.html">Evaluate my own lists</a></li>
<li><a href="{address}api/index.html">Functions of the library</a></li>
</ul>
</main>
</body>
</html>
"""


def on_finished(app: Any, problem: Exception | None) -> None:
    """Write them once a book of pages is built."""
    if problem is None and app.builder.format == "html":
        write(Path(app.outdir), app.config.html_baseurl, app.config.project)
