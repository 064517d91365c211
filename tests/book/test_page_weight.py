"""What a page takes to open: at most 350 kB compressed, and nothing moves while it loads."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.book.test_book import PAGES

pytestmark = pytest.mark.browser

MOST = 350_000
FUNCTIONS = ["api/ranking.ndcg.html", "api/protocol.online.ab_test.html", "api/evaluate.html"]
SHIFT = """() => new Promise(done => {
    let sum = 0;
    new PerformanceObserver(list => {
        for (const entry of list.getEntries()) sum += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(sum), 1000);
})"""


@cache
def compressed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), 6))


@pytest.mark.parametrize("path", [*PAGES, "search.html", *FUNCTIONS])
def test_a_page_is_at_most_350_kb_compressed(book, open_view, path):
    asked: set[str] = set()
    view = open_view(book, path, heard=lambda got: asked.add(got.url), until="networkidle")
    files = {
        book.folder / unquote(urlsplit(url).path).lstrip("/")
        for url in asked
        if url.startswith(book.address)
    }
    assert len(files) > 10
    weight = sum(compressed(file) for file in files)
    assert weight <= MOST, sorted((compressed(file), file.name) for file in files)[-8:]
    assert view.errors == view.outside == []


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("path", ["chapters/index.html", *FUNCTIONS, "api/ranking.html"])
def test_nothing_moves_while_a_page_loads(book, open_view, path, width):
    page = open_view(book, path, width=width).page
    assert round(page.evaluate(SHIFT), 2) == 0
