"""Every page opened once in a browser that reaches no other host, with all of it awake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.book.conftest import SETTLED, View
from tests.book.test_book import PAGES, SAMPLE

pytestmark = pytest.mark.browser

# The pages of exercises are left out: the chapters hold them.
SAMPLES = (SAMPLE, "chapters/explorables.html")
# Of the pages of the library, which are written by one piece of code, the index and two modules
# answer what takes long to ask: between them they have classes, functions, values, formulas and
# examples. All of them are asked what is quick.
MODULES = ("api/calibration.html", "api/measures.html")
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

# It is coloured by the same few rules on every page; one page answers for all.
CODE = ".cell_input"

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


def counted(sizes: dict[str, int]) -> Callable[[Any], None]:
    """Return what notes the bytes of a response, but for what is drawn ahead."""

    def note(response: Any) -> None:
        fresh = response.status != 304  # a second page says of what the first one loaded: as it was
        if fresh and not re.search(r"/_static/(explorables|exercises)/", response.url):
            told = response.headers.get("content-length")  # what is in a data: address says none
            sizes[response.url] = int(told) if told else len(response.body())

    return note


@pytest.fixture(scope="module", params=[*PAGES, *MODULES, *SAMPLES])
def visited(request, look_on) -> Iterator[Visit]:
    site = request.getfixturevalue("sampled" if request.param in SAMPLES else "book")
    sizes: dict[str, int] = {}
    view = look_on(site, request.param, until="networkidle", heard=counted(sizes))
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


def too_wide(page: Any) -> list[str]:
    """Return how wide a page is on screens that it does not fit."""
    found = []
    for width in (360, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        wide = page.evaluate("document.documentElement.scrollWidth")
        found += [f"{wide} px wide on a screen of {width}"] * (wide > width)
    return found


def test_it_does_not_scroll_sideways(visited):
    assert too_wide(visited.page) == []


def test_every_page_of_the_library_is_light_and_fits_every_screen(book, look):
    paths = sorted(path.relative_to(book.folder).as_posix() for path in book.folder.glob("api/*"))
    sizes: dict[str, int] = {}
    view = look(book, paths[0], heard=counted(sizes))
    faults = {}
    for path in paths:
        view.page.goto(f"{book.address}/{path}")
        view.page.evaluate(SETTLED)
        # What the pages share comes once; all of it is counted for each.
        own = {f"{book.address}/{other}" for other in paths if other != path}
        heavy = sum(size for url, size in sizes.items() if url not in own)
        faults[path] = [*too_wide(view.page), *[f"{heavy} bytes"] * (heavy > MOST)]
    assert len(paths) > 20
    assert {path: found for path, found in faults.items() if found} == {}
    assert view.errors == view.outside == []


# Marks the texts whose colours, size and ground were on no page before: of what looks alike one
# is asked about. Returns the looks that are new.
MARK_NEW = """([seen, skip]) => {
    const known = new Set(seen), fresh = new Set(), grounds = new Map([[null, '']]);
    document.querySelectorAll('[data-new-look]').forEach(e => e.removeAttribute('data-new-look'));
    const ground = element => {
        if (!grounds.has(element)) {
            const { backgroundColor, backgroundImage, opacity, filter } = getComputedStyle(element);
            const own = [backgroundColor, backgroundImage.slice(0, 40), opacity, filter].join(' ');
            // What lies behind an opaque ground is not seen.
            const behind = /^rgb\\(/.test(backgroundColor) ? '' : ground(element.parentElement);
            grounds.set(element, own === CLEAR ? behind : `${own} | ${behind}`);
        }
        return grounds.get(element);
    };
    const CLEAR = 'rgba(0, 0, 0, 0) none 1 none', met = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = node.parentElement;
        if (met.has(text) || !node.data.trim() || (skip && text.closest(skip))) continue;
        met.add(text);
        const { color, fill, fontSize, fontWeight, textShadow } = getComputedStyle(text);
        const look = [color, fill, fontSize, fontWeight, textShadow, ground(text)].join(' ');
        if (known.has(look) || fresh.has(look)) continue;
        fresh.add(look);
        text.setAttribute('data-new-look', '');
    }
    return [...fresh];
}"""


# What axe finds of these rules; its own picture of the page is what takes long, so the contrast of
# the texts that a selector names is asked about in the same run.
FAULTS = """async ([where, runOnly, contrastOf]) => {
    axe.configure({ rules: [{ id: 'color-contrast', selector: contrastOf }] });
    // Only the findings are looked at; describing what passed takes as long again.
    const found = await axe.run(where, { runOnly, resultTypes: ['violations'] });
    return found.violations.map(
        rule => [rule.id, rule.nodes.slice(0, 5).map(node => node.html.slice(0, 160))]);
}"""


def faults(page: Any, rules: dict[str, Any], contrast_of: str, skip: str) -> list[list[Any]]:
    """Return the rules of axe that are broken, and by what."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.Axe().axe_script)
    where = {"include": [["html"]], "exclude": [[skip]] if skip else []}
    return page.evaluate(FAULTS, [where, rules, contrast_of])


def mark_new(page: Any, theme: str, looks: set[str], skip: str) -> bool:
    """Turn to a theme and mark the texts that look like none of `looks`; is there one?"""
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    new = page.evaluate(MARK_NEW, [sorted(looks), skip])
    looks |= set(new)
    return bool(new)


def pale(page: Any, theme: str, looks: set[str], *, every: bool) -> list[list[Any]]:
    """Return texts that stand out too little: all, or those that look like none of `looks`."""
    skip = "" if every else CODE
    if not mark_new(page, theme, looks, skip) and not every:
        return []
    contrast = {"type": "rule", "values": ["color-contrast"]}
    return faults(page, contrast, "*" if every else "[data-new-look]", skip)


@pytest.fixture(scope="module")
def looks() -> set[str]:
    """The looks of texts that were asked about."""
    return set()


def test_axe_finds_nothing_in_the_light_nor_in_the_dark(visited, looks):
    page, every = visited.page, visited.path in SAMPLES
    if not every:  # half of a page's elements are colours of its code
        page.evaluate(
            """code => document.querySelectorAll(`${code} pre`).forEach(
                pre => { pre.textContent = pre.textContent })""",
            CODE,
        )
    skip = "" if every else CODE
    mark_new(page, "light", looks, skip)
    wcag = {"type": "tag", "values": WCAG}
    assert faults(page, wcag, "*" if every else "[data-new-look]", skip) == []
    # The themes differ in nothing but colours.
    assert pale(page, "dark", looks, every=every) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_pale_text_on_a_page_that_looks_like_others_is_found(sampled, look, theme):
    page, looks = look(sampled, SAMPLE, theme=theme).page, set()
    assert pale(page, theme, looks, every=False) == []
    assert pale(page, theme, looks, every=False) == []
    planted = "<p style='color: #888; background: #999' id='planted'>Hardly read.</p>"
    page.evaluate("html => document.querySelector('article p').outerHTML += html", planted)
    (found,) = pale(page, theme, looks, every=False)
    assert found[0] == "color-contrast"
    assert [html for html in found[1] if "planted" in html]


def test_a_fault_planted_on_a_card_is_found_beside_a_pale_text(sampled, look):
    page = look(sampled, "chapters/exercises_bias.html").page
    planted = "<button id='nameless'></button><p style='color: #888; background: #999'>Pale.</p>"
    # A card that wakes later would replace what was planted.
    page.locator("[data-exercise]").first.scroll_into_view_if_needed()
    card = page.wait_for_selector("[data-exercise][data-alive]")
    card.evaluate("(card, html) => card.insertAdjacentHTML('beforeend', html)", planted)
    mark_new(page, "light", set(), CODE)
    found = dict(faults(page, {"type": "tag", "values": WCAG}, "[data-new-look]", CODE))
    assert found.keys() == {"button-name", "color-contrast"}
    assert "nameless" in found["button-name"][0]
