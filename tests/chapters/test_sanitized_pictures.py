"""Where a notebook is not trusted, each of its pictures is still there, and no letters without it.

A site that shows notebooks, and Jupyter until a notebook is trusted, take out of its outputs all
that is not on a list. The lists here are after Jupyter's (`@jupyterlab/apputils`, sanitizer.ts) and
that of GitHub's html-pipeline, which keeps an image's words and not its data.
"""

from __future__ import annotations

import html
import re

import nh3
import pytest

from recsys_metrics.workbook.common.picture import Picture, inline_pictures
from tests.chapters.test_chapter_texts import IDS, TEXTS, pair

TAGS = {"b", "blockquote", "br", "code", "div", "details", "em", "figcaption", "figure", "h2", "h3"}
TAGS |= {"i", "img", "kbd", "li", "ol", "p", "pre", "section", "small", "span", "strong", "sub"}
TAGS |= {"summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "var"}
ANYWHERE = {"aria-label", "colspan", "height", "role", "rowspan", "scope", "title", "width"}
DRAWN = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
NAMED = re.compile(r'<svg role="img" aria-label="([^"]*)"')


def sanitize_as_jupyter(page: str) -> str:
    attributes = {"*": ANYWHERE | {"style", "class"}, "img": {"alt", "src"}}
    return nh3.clean(page, tags=TAGS, attributes=attributes, url_schemes={"http", "https", "data"})


def sanitize_as_github(page: str) -> str:
    attributes = {"*": ANYWHERE, "img": {"alt", "src"}}
    return nh3.clean(page, tags=TAGS, attributes=attributes, url_schemes={"http", "https"})


SANITIZERS = [sanitize_as_jupyter, sanitize_as_github]


def problems(page: str, sanitize) -> list[str]:
    """Return what a reader of a sanitised output misses, or meets without its picture."""
    kept, inside = sanitize(page), inline_pictures(page)
    said = {html.unescape(alt) for alt in re.findall(r'<img[^>]* alt="([^"]*)"', kept)}
    named = [html.unescape(alt) for alt in NAMED.findall(inside)]
    found = [f"lost: {alt}" for alt in named if alt not in said]
    # Jupyter takes the tags away and leaves what stands between them.
    letters = [drawn for drawn in DRAWN.findall(page) if "<text" in drawn]
    return found + ["letters without their picture"] * bool(letters)


@pytest.mark.parametrize("sanitize", SANITIZERS)
@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_every_picture_survives_sanitizing(path, sanitize):
    shown = [
        output["data"]["text/html"]
        for cell in pair(path).cells
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]
    assert [said for page in shown for said in problems(page, sanitize)] == []


def test_an_inline_svg_is_detected_as_lost():
    drawn = Picture('<svg width="9" height="9"><text>A1</text></svg>', "A list with A at rank 1.")
    for sanitize in SANITIZERS:
        assert problems(drawn._repr_html_(), sanitize) == []
        said = problems(drawn.inline(), sanitize)
        assert said == ["lost: A list with A at rank 1.", "letters without their picture"]


def test_jupyter_keeps_the_embedded_picture():
    drawn = Picture('<svg width="9" height="9"><text>A1</text></svg>', "A list with A at rank 1.")
    assert 'src="data:image/svg+xml;base64,' in sanitize_as_jupyter(drawn._repr_html_())
    # html-pipeline keeps the words only.
    assert sanitize_as_github(drawn._repr_html_()) == (
        '<img alt="A list with A at rank 1." width="9" height="9">'
    )
