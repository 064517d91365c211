"""Every page opened once in a browser that reaches no other host, with all of it awake."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.book.conftest import View
from tests.book.test_book import PAGES, SAMPLE

pytestmark = pytest.mark.browser

# The pages of exercises are left out: the chapters hold them.
SAMPLES = (SAMPLE, "chapters/explorables.html")
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

# Before what is drawn ahead, which loads when it comes near.
MOST = 1_500_000


@dataclass
class Visit:
    """An open page, all of it awake and unfolded, and the bytes of each file it loaded."""

    path: str
    view: View
    sizes: dict[str, int]

    @property
    def page(self) -> Any:
        return self.view.page


@pytest.fixture(scope="module", params=[*PAGES, *SAMPLES])
def visited(request, look_on) -> Iterator[Visit]:
    site = request.getfixturevalue("sampled" if request.param in SAMPLES else "book")
    sizes: dict[str, int] = {}

    def note(response: Any) -> None:
        if not re.search(r"/_static/(explorables|exercises)/", response.url):
            sizes[response.url] = len(response.body())

    view = look_on(site, request.param, until="networkidle", heard=note)
    view.wake()
    view.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    yield Visit(request.param, view, sizes)
    view.page.context.close()


def test_it_loads_without_another_host_and_without_an_error(visited):
    assert visited.view.outside == []
    assert visited.view.errors == []
    assert visited.page.locator("h1:visible").count() == 1


def test_it_is_light(visited):
    heaviest = sorted(visited.sizes.items(), key=lambda pair: -pair[1])[:5]
    assert 100_000 < sum(visited.sizes.values()) <= MOST, heaviest


def test_it_does_not_scroll_sideways(visited):
    for width in (360, 768, 1280):
        visited.page.set_viewport_size({"width": width, "height": 800})
        wide = visited.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{wide} px wide on a screen of {width}"


def test_axe_finds_nothing_in_the_light_nor_in_the_dark(visited):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    # Code is coloured by the same few rules on every page; one page answers for all.
    where = {"include": [["html"]], "exclude": [] if visited.path == SAMPLE else [[".cell_input"]]}
    # The themes differ in nothing but colours.
    rules = {
        "light": {"type": "tag", "values": WCAG},
        "dark": {"type": "rule", "values": ["color-contrast"]},
    }
    found = []
    for theme, asked in rules.items():
        visited.page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
        # Only the findings are looked at; describing what passed takes as long again.
        options = {"runOnly": asked, "resultTypes": ["violations"]}
        report = axe.Axe().run(visited.page, context=where, options=options).response
        found += [
            (theme, rule["id"], [node["html"][:160] for node in rule["nodes"]][:5])
            for rule in report["violations"]
        ]
    assert found == []
