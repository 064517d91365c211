"""Every page opened once in a browser that reaches no other host, with all of it awake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests import public
from tests.book.conftest import View, open_views
from tests.book.test_book import PAGES, SAMPLE

pytestmark = pytest.mark.browser

# Of the pages of the library, which are written by one piece of code, the index and two modules
# answer what takes long to ask: between them they have classes, functions, values, formulas and
# examples. All of them are asked what is quick.
MODULES = ("api/calibration.html", "api/measures.html")
ALL_RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
CONTRAST = {"type": "rule", "values": ["color-contrast"]}

# One page of each kind, which every run opens; of the others a sample is enough for most changes.
KINDS = (
    PAGES[0],
    "chapters/02_ranking.html",  # a part
    "solutions/02_ranking.html",
    "chapters/cheat_sheet.html",  # a page for reference that was run
    "chapters/glossary.html",  # one that is text
    "chapters/your_numbers.html",  # a form
    MODULES[0],
    SAMPLE,
)
some_pages = pytest.mark.sweep("visited", keep=2, always=KINDS)

CHAPTERS = [path for path in PAGES if re.match(r"chapters/\d\d", path)]

# It is coloured by the same few rules on every page; the sample answers for all.
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


@pytest.fixture(scope="module", params=[*PAGES, *MODULES, SAMPLE])
def visited(request, tabs) -> Iterator[Visit]:
    site = request.getfixturevalue("sample_site" if request.param == SAMPLE else "book")
    sizes: dict[str, int] = {}
    with open_views(tabs) as open_page:
        view = open_page(site, request.param, until="networkidle", heard=counted(sizes))
        view.wake()
        view.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        yield Visit(request.param, view, sizes)


@some_pages
def test_every_page_loads_without_errors_and_other_hosts(visited):
    assert visited.view.outside == []
    assert visited.view.errors == []
    assert visited.page.locator("h1:visible").count() == 1
    assert visited.page.locator("audio, video").count() == 0  # or axe has to load them


@some_pages
def test_every_page_stays_below_the_size_limit(visited):
    heaviest = sorted(visited.sizes.items(), key=lambda pair: -pair[1])[:5]
    assert 100_000 < sum(visited.sizes.values()) <= MOST, heaviest


@some_pages
def test_only_chapters_have_and_count_review_questions(visited):
    is_chapter, page = visited.path in CHAPTERS, visited.page
    shown = page.locator("section#recall > details.recall").count()
    assert shown >= 3 if is_chapter else shown == 0
    line = page.locator(".progress-line")
    assert line.count() == 1 or not is_chapter
    said = f"0 of {shown} recall questions known"
    assert [said in status for status in line.get_by_role("status").all_text_contents()] == (
        [is_chapter] * line.count()
    )


def too_wide(page: Any) -> list[str]:
    """Return how wide a page is on screens that it does not fit."""
    found = []
    for width in (360, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        wide = page.evaluate("document.documentElement.scrollWidth")
        found += [f"{wide} px wide on a screen of {width}"] * (wide > width)
    return found


@some_pages
def test_no_page_scrolls_sideways(visited):
    assert too_wide(visited.page) == []


LIBRARY = [f"api/{name}.html" for name in ("index", *map(public.path, public.modules()))]


def test_every_public_module_has_an_api_page(book):
    paths = {path.relative_to(book.folder).as_posix() for path in book.folder.glob("api/*")}
    assert set(LIBRARY) <= paths
    # All others are of one function, and named by its module.
    modules = {path.removesuffix(".html") for path in LIBRARY}
    for path in paths - set(LIBRARY):
        module, _, name = path.removesuffix(".html").rpartition(".")
        assert name or module, path
        assert not module or module in modules or module.rpartition(".")[0] in modules, path


@pytest.mark.sweep("path", keep=3)
@pytest.mark.parametrize("path", LIBRARY)
def test_api_pages_are_small_and_fit_every_screen(book, open_shared_view, path):
    sizes: dict[str, int] = {}
    view = open_shared_view(book, path, heard=counted(sizes))
    assert sum(sizes.values()) <= MOST
    assert too_wide(view.page) == []
    assert view.errors == view.outside == []


# Marks the texts whose colours, size and ground were on no page before: of what looks alike one
# is asked about. Returns the looks that are new.
MARK_NEW = """([mark, seen, skip]) => {
    const known = new Set(seen), fresh = new Set(), grounds = new Map([[null, '']]);
    document.querySelectorAll(`[${mark}]`).forEach(e => e.removeAttribute(mark));
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
        if (met.has(text) || !node.data.trim() || text.closest(skip)) continue;
        met.add(text);
        const { color, fill, fontSize, fontWeight, textShadow } = getComputedStyle(text);
        const look = [color, fill, fontSize, fontWeight, textShadow, ground(text)].join(' ');
        if (known.has(look) || fresh.has(look)) continue;
        fresh.add(look);
        text.setAttribute(mark, '');
    }
    return [...fresh];
}"""

# Takes out what axe is not asked about: code, and the insides of pictures that say nothing to an
# assistive program (of a text in one, axe cannot tell what it stands on, so it finds no contrast).
# It is two thirds of a page's elements, each of which axe measures.
LEAVE_OUT = """code => {
    document.querySelectorAll(code).forEach(cell => cell.replaceChildren());
    const element = /^(a|button|input|title|desc|foreignobject)$/i;
    const attribute = /^(role|tabindex|lang|title|style|aria-.*)$/;
    const speaks = part => element.test(part.tagName)
        || [...part.attributes].some(({ name }) => attribute.test(name));
    for (const picture of document.querySelectorAll('svg')) {
        // Whatever is inside an image is part of it, unless the keyboard comes there.
        const kept = picture.getAttribute('role') === 'img'
            ? picture.querySelector('a, [tabindex], title, [style*=spacing], [style*=line-height]')
            : [...picture.querySelectorAll('*')].some(speaks);
        if (!kept) picture.replaceChildren();
    }
}"""


# What axe finds of these rules. It loads nothing again (`preload`): it would look for an imported
# style sheet in the wrong folder, and only a rule about media needs it, which no page has.
# Its own picture of the page is what takes long, so the contrast of the texts that a selector names
# is asked about in the same run.
FAULTS = """async ([runOnly, contrastOf]) => {
    axe.configure({ rules: [{ id: 'color-contrast', selector: contrastOf }] });
    // Only the findings are looked at; describing what passed takes as long again.
    const found = await axe.run({ runOnly, resultTypes: ['violations'], preload: false });
    return found.violations.map(
        rule => [rule.id, rule.nodes.slice(0, 5).map(node => node.html.slice(0, 160))]);
}"""


def load_axe(page: Any) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.Axe().axe_script)


def broken_rules(page: Any, part: Any) -> list[list[Any]]:
    """Return the rules of axe that a part of a page breaks, and by what."""
    load_axe(page)
    found: list[list[Any]] = part.evaluate(
        "async (part, runOnly) => (await axe.run(part, { runOnly, preload: false })).violations"
        ".map(rule => [rule.id, rule.nodes.map(node => node.html.slice(0, 160))])",
        ALL_RULES,
    )
    return found


def faults(page: Any, rules: dict[str, Any], contrast_of: str) -> list[list[Any]]:
    """Return the rules of axe that are broken, and by what."""
    load_axe(page)
    return page.evaluate(FAULTS, [rules, contrast_of])


def new_look(theme: str) -> str:
    """Return the attribute that marks a text whose look in a theme is new."""
    return f"data-new-in-{theme}"


def mark_new(page: Any, theme: str, looks: set[str]) -> bool:
    """Turn to a theme and mark the texts that look like none of `looks`; is there one?"""
    switch_theme(page, theme)
    new = page.evaluate(MARK_NEW, [new_look(theme), sorted(looks), f"svg, {CODE}"])
    looks |= set(new)
    return bool(new)


def switch_theme(page: Any, theme: str) -> None:
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)


def faults_in_both(page: Any, looks: set[str], *, every: bool) -> list[list[Any]]:
    """Return what axe finds in the light, and the texts that are pale in the dark.

    Parameters
    ----------
    page
        In the light. Without `every`, code and pictures are taken out of it.
    looks : set of str
        How texts look that were asked about; how those of the page look is added.
    every : bool
        Whether all texts are asked about, or those that look like none before.
    """
    # The themes differ in nothing but colours.
    new = {theme: mark_new(page, theme, looks) for theme in ("light", "dark")}
    marks = {theme: f"[{new_look(theme)}]" for theme in new}
    found = []
    if not every:
        page.evaluate(LEAVE_OUT, CODE)
    if every or new["dark"]:
        found += faults(page, CONTRAST, "*" if every else marks["dark"])
    switch_theme(page, "light")
    return found + faults(page, ALL_RULES, "*" if every else marks["light"])


@pytest.fixture(scope="module")
def looks() -> set[str]:
    """The looks of texts that were asked about."""
    return set()


@some_pages
def test_axe_finds_no_violation_in_either_theme(visited, looks):
    assert faults_in_both(visited.page, looks, every=visited.path == SAMPLE) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_low_contrast_is_detected_on_pages_that_look_alike(sample_site, open_view, theme):
    page, looks = open_view(sample_site, SAMPLE).page, set()
    assert faults_in_both(page, looks, every=False) == []
    planted = (
        "<style>#planted { color: #000; background: #999 }"
        f"[data-theme={theme}] #planted {{ color: #888 }}</style>"
        "<p id='planted'>Hardly read.</p>"
    )
    page.evaluate("html => document.querySelector('article p').outerHTML += html", planted)
    (found,) = faults_in_both(page, looks, every=False)
    assert found[0] == "color-contrast"
    assert [html for html in found[1] if "planted" in html]


def test_a_planted_violation_on_a_card_is_detected(sample_site, open_view):
    page = open_view(sample_site, "chapters/exercises_bias.html").page
    planted = "<button id='nameless'></button><p style='color: #888; background: #999'>Pale.</p>"
    # A card that wakes later would replace what was planted.
    page.locator("[data-exercise]").first.scroll_into_view_if_needed()
    card = page.wait_for_selector("[data-exercise][data-alive]")
    card.evaluate("(card, html) => card.insertAdjacentHTML('beforeend', html)", planted)
    found = dict(faults_in_both(page, set(), every=False))
    assert found.keys() == {"button-name", "color-contrast"}
    assert "nameless" in found["button-name"][0]


@pytest.mark.parametrize(
    ("rule", "planted"),
    [
        ("svg-img-alt", "<svg role='img' id='planted' width='9' height='9'><path/></svg>"),
        (
            "nested-interactive",
            "<svg role='img' aria-label='bars' id='planted' width='99' height='99'>"
            "<g role='button' tabindex='0' aria-label='bar'><rect width='60' height='60'/></g>"
            "</svg>",
        ),
        (
            "aria-allowed-attr",
            "<svg width='99' height='99'><g role='img' aria-label='bar' aria-checked='true'"
            " id='planted'><rect width='60' height='60'/></g></svg>",
        ),
    ],
)
def test_a_planted_violation_in_a_picture_is_detected(sample_site, open_view, rule, planted):
    page = open_view(sample_site, "chapters/glossary.html").page
    page.evaluate("html => document.querySelector('article p').outerHTML += html", planted)
    found = dict(faults_in_both(page, set(), every=False))
    assert found.keys() == {rule}
    assert "planted" in found[rule][0]
