"""The site as a whole: links lead somewhere, terms are explained in place, pages follow pages."""

from __future__ import annotations

import importlib
import re
import struct
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag
from xml.etree import ElementTree

import pytest

from recsys_metrics._core.package_names import book_address
from tests.book import sampler
from tests.book.conftest import SOURCE
from tests.book.test_book import SAMPLE

ROOT = Path(__file__).resolve().parents[2]


class _Page(HTMLParser):
    """What a page names and what it links to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids |= {given[key] for key in ("id", "name") if given.get(key)}
        self.links += [given[key] for key in ("href", "src") if given.get(key)]


@pytest.mark.parametrize("which", ["book", "sample_site"])
def test_no_link_and_no_anchor_is_broken(which, request):
    folder = request.getfixturevalue(which).folder
    pages = {
        path.resolve(): _Page(path)
        for path in folder.rglob("*.html")
        # The theme leaves a template there; the addresses of the other are those of the web.
        if "_static" not in path.parts and path.name != "404.html"
    }
    broken = []
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:|//", link):
                continue
            file, anchor = map(unquote, urldefrag(link))
            target = (path.parent / file.partition("?")[0]).resolve() if file else path
            if not target.exists():
                broken.append(f"{path.name}: {link} leads nowhere")
            elif anchor and target in pages and anchor not in pages[target].ids:
                broken.append(f"{path.name}: {link} names no place on that page")
    assert broken == []


@pytest.mark.browser
def test_a_glossary_term_is_explained_on_hover_and_focus(sample_site, open_view):
    page = open_view(sample_site, SAMPLE).page
    link, note = page.locator("a[data-term]"), page.locator("#term-note")
    says = "hit rate The share of users with at least one hit, at K."
    assert note.is_hidden()
    link.hover()
    assert note.text_content() == says
    assert link.get_attribute("aria-describedby") == "term-note"
    note.hover()  # the pointer may go to the note without losing it
    page.wait_for_timeout(400)
    assert note.is_visible()
    page.keyboard.press("Escape")
    assert note.is_hidden()
    assert link.get_attribute("aria-describedby") is None
    page.mouse.move(5, 5)
    link.focus()
    assert note.is_visible()
    box = note.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 1280
    page.keyboard.press("Tab")
    assert note.is_hidden()
    assert link.get_attribute("href").endswith("glossary.html#hit-rate")


def test_a_shared_link_has_a_title_a_sentence_and_a_picture(sample_site):
    shown = (sample_site.folder / SAMPLE).read_text(encoding="utf-8")
    meta = dict(re.findall(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)"', shown))
    assert meta["og:title"] == "One of everything"
    assert meta["og:description"].startswith("Words with code")
    # A whole address, as those who show the picture ask for.
    address = book_address(SOURCE)
    assert meta["og:image"].startswith(address)
    picture = sample_site.folder / meta["og:image"].removeprefix(address)
    assert struct.unpack(">II", picture.read_bytes()[16:24]) == (1200, 630)


def test_the_site_address_defaults_to_that_of_the_project(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book"))
    import addresses

    pages = book_address(SOURCE)
    assert addresses.base("", SOURCE) == pages == "https://us.github.io/workbook/"
    assert addresses.base("", "") == ""
    for given in ("https://example.org/book", "https://example.org/book/"):
        for source in ("", SOURCE):
            assert addresses.base(given, source) == "https://example.org/book/"


def buttons(page, **context):
    """Return what stands above a page that is a notebook."""
    jinja2 = pytest.importorskip("jinja2", reason="jinja2 is not installed")
    template = (ROOT / "book/_templates/article-header-buttons.html").read_text(encoding="utf-8")
    others = dict.fromkeys(re.findall(r'include "([^"]+)"', template), "")
    loader = jinja2.DictLoader({"buttons": template, **others})
    return (
        jinja2.Environment(loader=loader, autoescape=True)
        .get_template("buttons")
        .render(
            pagename=page,
            page_source_suffix=".ipynb",
            sourcename=f"{page}.ipynb",
            pathto=lambda name, _: f"../{name}",
            _=str,
            **context,
        )
    )


@pytest.mark.parametrize(
    ("lite", "link"),
    [
        ("", []),
        ("lite/", ["../lite/lab/index.html?path=chapters/01_rating.ipynb"]),
        (
            "https://example.org/lite/",
            ["https://example.org/lite/lab/index.html?path=chapters/01_rating.ipynb"],
        ),
    ],
)
def test_with_jupyterlite_a_page_has_a_button_for_it(lite, link):
    shown = buttons("chapters/01_rating", lite=lite)
    assert re.findall(r'btn-lite"\s+href="([^"]+)"', shown) == link
    assert "btn-download-notebook" in shown


@pytest.mark.parametrize(
    ("source", "page", "link"),
    [
        (SOURCE, "chapters/01_rating", "us/workbook/blob/v1.2/chapters/01_rating.ipynb"),
        (SOURCE, "chapters/cheat_sheet", ""),  # installs nothing by itself
        ("https://example.org/us/it", "chapters/01_rating", ""),
        ("", "chapters/01_rating", ""),
    ],
)
def test_a_page_has_a_colab_button_if_the_source_is_on_github(monkeypatch, source, page, link):
    monkeypatch.syspath_prepend(str(ROOT / "book"))
    import addresses

    shown = buttons(page, colab=addresses.colab(source, "1.2"))
    found = re.findall(
        r'btn-colab"\s+href="https://colab.research.google.com/github/([^"]+)"', shown
    )
    assert found == ([link] if link else [])
    assert "btn-download-notebook" in shown


@pytest.mark.parametrize("page", ["chapters/02_ranking", "chapters/glossary", "api/ranking"])
def test_a_page_has_an_edit_button_if_the_project_has_an_address(monkeypatch, page):
    monkeypatch.syspath_prepend(str(ROOT / "book"))
    import addresses

    shown = buttons(page, edit=addresses.edit(SOURCE))
    found = re.findall(rf'href="{SOURCE}/edit/main/([^"]+)"', shown)
    assert found == ([f"{page}.md"] if page.startswith("chapters/") else [])
    assert all((ROOT / file).is_file() for file in found)
    assert "/edit/" not in buttons(page, edit=addresses.edit(""))


def test_a_site_with_an_address_has_buttons_sitemap_and_404_page(sample_site):
    """The page's buttons, what a search engine reads, and the page for lost readers."""
    address = book_address(SOURCE)
    shown = (sample_site.folder / SAMPLE).read_text(encoding="utf-8")
    name = SAMPLE.removesuffix(".html")
    assert f'href="{SOURCE}/edit/main/{name}.md"' in shown
    assert f'<link rel="canonical" href="{address}{SAMPLE}" />' in shown
    assert f"{address}{SAMPLE}" in (sample_site.folder / "sitemap.xml").read_text(encoding="utf-8")
    assert f"{address}search.html" in (sample_site.folder / "404.html").read_text(encoding="utf-8")
    assert f"{address}sitemap.xml" in (sample_site.folder / "robots.txt").read_text(
        encoding="utf-8"
    )


def test_each_exercise_has_an_anchor_on_every_page(book):
    named = 0
    for path in (book.folder / "chapters").glob("*.html"):
        text = path.read_text(encoding="utf-8")
        cards = re.findall(r'<div role="group" [^>]*data-exercise="([\w.]+)"', text)
        ids = re.findall(r'<[^>]+\bid="([^"]+)"', text)
        assert all(ids.count(card) == 1 for card in set(cards)), path.name
        named += len(set(cards))
    assert named > 100


def test_files_with_absolute_links_need_the_site_address(book, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[2] / "book")
    addresses = importlib.import_module("addresses")
    for page in ("chapters/02_ranking.html", "search.html", "_static/editor.html"):
        (tmp_path / page).parent.mkdir(exist_ok=True)
        (tmp_path / page).write_text("")
    assert addresses.write(tmp_path, "", "A book") == ["404.html"]
    assert not (tmp_path / "sitemap.xml").exists()
    assert 'action="/search.html"' in (tmp_path / "404.html").read_text()
    base = "https://example.org/book/"
    assert addresses.write(tmp_path, base, "A & B") == ["404.html", "sitemap.xml", "robots.txt"]
    urls = ElementTree.parse(tmp_path / "sitemap.xml").getroot()
    assert [url[0].text for url in urls] == [f"{base}chapters/02_ranking.html"]
    assert f"Sitemap: {base}sitemap.xml" in (tmp_path / "robots.txt").read_text().splitlines()
    missing = (tmp_path / "404.html").read_text()
    assert "<title>Page not found: A &amp; B</title>" in missing
    for link in re.findall(r'(?:href|src|action)="([^"]*)"', missing):
        assert link.startswith(base)
        assert (book.folder / link.removeprefix(base)).exists()


@pytest.mark.browser
def test_the_404_page_has_the_letters_of_the_book(book, open_view):
    shown = []
    for path in ("chapters/index.html", "404.html"):
        page = open_view(book, path).page
        # It links by whole addresses, which lead nowhere here.
        if path == "404.html":
            page.add_style_tag(path=book.folder / "_static" / "book.css")
        font = "e => [getComputedStyle(e).fontFamily, getComputedStyle(e).fontWeight]"
        shown.append([page.locator(f"{one} >> nth=0").evaluate(font) for one in ("h1", "main p")])
    assert shown[0] == shown[1]
    text = (book.folder / "404.html").read_text(encoding="utf-8")
    assert "_static/book.css" in text


@pytest.mark.browser
def test_pages_link_to_the_next_and_the_previous_page(sample_site, open_view):
    # By keyboard: what wakes on the way down moves the link between a press and a release.
    page = open_view(sample_site, SAMPLE).page
    page.locator("a.right-next").press("Enter")
    page.wait_for_url(f"**/chapters/{sampler.PAGES[1]}.html")
    page.locator("a.left-prev").press("Enter")
    page.wait_for_url(f"**/{SAMPLE}")


def test_the_cheat_sheet_prints_on_two_pages(book, open_view):
    printed = open_view(book, "chapters/cheat_sheet.html").page.pdf(prefer_css_page_size=True)
    # Two sides: on one, the letters would be too small to read.
    assert len(re.findall(rb"/Type /Page\b", printed)) == 2
