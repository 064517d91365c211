"""`llms.txt` lists every page of the site, and `api.txt` has every public name."""

from __future__ import annotations

import re

import pytest

import recsys_metrics
from recsys_metrics._core.package_names import book_address
from recsys_metrics.measures import METRICS
from tests.book.conftest import ROOT, SOURCE
from tests.book.test_book import CONTENTS


@pytest.fixture
def texts(monkeypatch):
    """The part of the book that writes them."""
    monkeypatch.syspath_prepend(str(ROOT / "dev" / "tools"))
    monkeypatch.syspath_prepend(str(ROOT / "book"))
    import machine_texts

    return machine_texts


def test_every_page_is_listed_with_a_sentence(book, texts):
    text = (book.folder / texts.INDEX).read_text(encoding="utf-8")
    assert text.startswith("# Evaluate recommender systems\n\n> ")
    links = re.findall(r"^- \[([^]]+)\]\(([^)]+)\)(?:: (.+))?$", text, re.MULTILINE)
    pages = {address: words for _, address, words in links if address != texts.API}
    listed = [f"{page}.html" for page in CONTENTS if not page.startswith("api/*")]
    base = next(iter(pages)).partition("chapters/")[0]
    assert {f"{base}{page}" for page in listed} <= set(pages)
    assert all((book.folder / page.removeprefix(base)).is_file() for page in pages)
    assert all(words for page, words in pages.items() if "/chapters/" in f"/{page}")
    assert all("<" not in title for title, _, _ in links)
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert sections == ["Start", "Learn", "Use", "Compare", "Reference", "Teach", "The library"]


def test_with_a_site_address_links_are_absolute(sample_site, texts):
    text = (sample_site.folder / texts.INDEX).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 2
    assert all(link.startswith(book_address(SOURCE)) for link in links)


def test_every_public_name_is_in_the_text_of_the_library(book, texts):
    import api

    text = (book.folder / texts.API).read_text(encoding="utf-8")
    assert text.startswith(f"# recsys_metrics {recsys_metrics.__version__}\n")
    headings = set(re.findall(r"^## ([\w.]+)", text, re.MULTILINE))
    assert {entry.full for entry in api.entries().values()} <= headings
    assert set(METRICS) <= headings
    assert "<class 'inspect" not in text
    assert "<function" not in text
    assert (
        "- denominator: by default k; k (k), recommended (the ranks used, k at most), "
        "achievable (k, or all relevant items if fewer)\n"
    ) in text
    assert "recsys_metrics.ranking.ndcg(judged: Judged[Values], k: int | None = None, " in text
    assert "### Report.compare(self, " in text
