"""The book builds without a warning, and reads well in a browser that reaches no other host."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import nbformat
import pytest
import yaml

from recsys_metrics.workbook.exercises import REGISTRY as EXERCISES
from recsys_metrics.workbook.explorables import REGISTRY as EXPLORABLES
from tests.book import sampler
from tests.book.conftest import ROOT, SOURCE, Site, sphinx
from tests.tiers import another_program

SAMPLE = "chapters/sampler.html"


def listed(entry: dict) -> list[str]:
    """Return the pages of a table of contents, in order."""
    own = [entry[key] for key in ("root", "file") if key in entry]
    for key in ("parts", "chapters", "sections"):
        own += [page for child in entry.get(key, []) for page in listed(child)]
    return own


CONTENTS = listed(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))
PAGES = [f"{page}.html" for page in CONTENTS]
FRONT = PAGES[0]


def html(site: Site, path: str) -> str:
    return (site.folder / path).read_text(encoding="utf-8")


# What stands in the files


def test_every_page_of_the_contents_is_built(book):
    assert [page for page in PAGES if not (book.folder / page).exists()] == []
    assert (book.folder / "search.html").exists()


def test_the_search_index_is_loaded_only_on_the_search_page(book):
    with_index = {path for path in [*PAGES, "search.html"] if "searchindex.js" in html(book, path)}
    assert with_index == {"search.html"}


def test_the_site_root_redirects_to_the_front_page(book):
    target = re.search(r"url=([^\"]+)", html(book, "index.html"))
    assert target
    assert (book.folder / target[1]).exists()
    assert target[1] == FRONT


def test_every_chapter_and_solution_is_in_the_contents():
    found = {
        f"{path.parent.name}/{path.stem}"
        for folder in ("chapters", "solutions")
        for path in (ROOT / folder).glob("*.md")
    }
    assert found == {page for page in CONTENTS if page.split("/")[0] in {"chapters", "solutions"}}


def test_every_explorable_and_every_card_is_on_a_page(book):
    """So whoever opens every page with all of it awake has met them all."""
    text = "".join(html(book, path) for path in PAGES)
    assert [name for name in EXPLORABLES if f'data-explorable="{name}"' not in text] == []
    assert [name for name in EXERCISES if f'data-exercise="{name}"' not in text] == []


@pytest.mark.parametrize("path", [*PAGES, "search.html"])
def test_pages_load_no_file_from_another_host(book, path):
    loads = re.findall(
        r"<(?:script|img|iframe|source)\b[^>]*?\bsrc=[\"']([^\"']*)|<link\b[^>]*?\bhref=[\"']([^\"']*)",
        html(book, path),
    )
    assert [url for pair in loads for url in pair if re.match(r"(https?:)?//", url)] == []


@pytest.mark.parametrize("page", [page for page in CONTENTS if (ROOT / f"{page}.ipynb").exists()])
def test_a_page_shows_the_saved_outputs_and_offers_its_notebook(book, monkeypatch, page):
    monkeypatch.syspath_prepend(str(ROOT / "book"))
    import in_page

    saved = ROOT / f"{page}.ipynb"
    shown = html(book, f"{page}.html")
    notebook = nbformat.read(saved, as_version=4)
    in_page.lay_out_cells(notebook)
    cells = [
        cell
        for cell in notebook.cells
        if cell.get("outputs") and "remove-cell" not in cell.metadata.tags
    ]
    assert shown.count('<div class="cell_output') == len(cells)
    link = re.search(r'<a class="[^"]*btn-download-notebook[^>]*?href="([^"]+)"[^>]*', shown, re.S)
    assert link
    assert f'download="{saved.name}"' in link[0]
    handed_out = (book.folder / page).parent / link[1]
    assert handed_out.read_bytes() == saved.read_bytes()


def test_of_a_text_and_notebook_pair_the_notebook_is_rendered(sample_site):
    shown = html(sample_site, SAMPLE)
    assert "The text half" not in shown
    assert "0.3333333333333333" in shown


@another_program
def test_two_builds_are_identical(sample_site, sample_sources, precomputed_cache, tmp_path):
    sphinx(sample_sources, tmp_path / "again", precomputed_cache, SOURCE)

    def contents(folder: Path) -> dict[str, bytes]:
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    first, second = contents(sample_site.folder), contents(tmp_path / "again")
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_pages_do_not_contain_the_build_path(book, sample_site):
    for site in (book, sample_site):
        for path in site.folder.rglob("*.html"):
            assert str(ROOT) not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize("path", PAGES)
def test_heading_levels_increase_by_one_at_a_time(book, path):
    article = html(book, path).split('<article class="bd-article">')[1].split("</article>")[0]
    levels = [int(level) for level in re.findall(r"<h([1-6])\b", article)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(deeper <= level + 1 for level, deeper in itertools.pairwise(levels))


# What a reader meets


@pytest.mark.browser
@pytest.mark.parametrize("path", ["index.html", "search.html?q=recall"])
def test_generated_pages_load_without_errors_and_other_hosts(book, open_view, path):
    view = open_view(book, path, until="networkidle")
    assert view.outside == []
    assert view.errors == []
    assert view.page.locator("h1:visible").count() == 1


@pytest.mark.browser
def test_formulas_are_rendered_without_a_script(sample_site, open_view):
    view = open_view(sample_site, SAMPLE, java_script_enabled=False)
    assert view.page.locator("math:not(details math)").count() == 4
    # The hat is the letter's, and the index stands beside both.
    hat, index = (
        view.page.locator(f"math:not(details math) msub > {part}").first.bounding_box()
        for part in ("mover", "mover + mi")
    )
    assert index["x"] >= hat["x"] + hat["width"] - 1
    formula = view.page.locator("div.math:not(details div)")
    assert formula.locator("mfrac").bounding_box()["height"] > 20
    assert view.outside == []
    assert view.errors == []


@pytest.mark.browser
def test_the_card_of_a_metric_unfolds_and_fits_a_phone(sample_site, open_view):
    page = open_view(sample_site, SAMPLE, width=390).page
    card = page.locator("details.metric-card")
    formula, picture = card.locator("div.math"), card.locator("svg[role=img]")
    assert formula.is_hidden()
    assert card.bounding_box()["height"] < 120
    card.locator("summary").press("Enter")  # wherever it moves while the page wakes
    assert picture.is_visible()
    assert picture.evaluate("image => image.viewBox.baseVal.width") > 300
    for part in (formula, picture):
        box = part.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    # A formula wider than the phone goes on in the next line.
    pieces = [one.bounding_box() for one in formula.locator("math").all()]
    assert pieces[-1]["y"] >= pieces[0]["y"] + pieces[0]["height"]
    assert formula.evaluate("it => it.scrollWidth <= it.clientWidth")


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["conformance", "libraries"])
def test_a_table_of_many_names_needs_no_scrolling(book, open_view, name, width):
    page = open_view(book, f"chapters/{name}.html", width=width).page
    wide = """tables => tables.filter(table => table.parentElement.scrollWidth
        > table.parentElement.clientWidth).length"""
    tables = page.locator(".bd-article table")
    assert tables.count() > 0
    assert tables.evaluate_all(wide) == 0


@pytest.mark.browser
def test_a_table_of_words_stacks_on_a_phone(book, open_view):
    page = open_view(book, "chapters/conventions.html", width=390).page
    tables = page.locator("table.stacks")
    assert tables.count() > 2
    assert tables.evaluate_all(
        """all => all.filter(table => table.offsetWidth > table.parentElement.clientWidth
            || [...table.querySelectorAll('td')].some(td => td.scrollWidth > td.clientWidth + 1))
            .map(table => table.textContent)"""
    ) == []  # fmt: skip
    # No heading reaches into the row below.
    cell = page.locator("table.stacks:not(.packs) td[data-heading]").first
    below = cell.locator("xpath=following-sibling::td[1]").bounding_box()
    assert below["y"] >= cell.bounding_box()["y"] + cell.bounding_box()["height"]


@pytest.mark.browser
def test_a_table_of_numbers_keeps_its_names_in_view_on_a_phone(book, open_view):
    page = open_view(book, "chapters/speed.html", width=390).page
    table = page.locator("table.scrolls").first
    holder = table.locator("xpath=..")
    assert holder.evaluate("it => [it.scrollWidth > it.clientWidth, it.tabIndex]") == [True, 0]
    holder.evaluate("it => it.scrollLeft = 1000")
    name = table.locator("tbody tr").first.locator("th, td").first.bounding_box()
    assert name["x"] == pytest.approx(holder.bounding_box()["x"], abs=1)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "fewest"),
    [
        ("chapters/02_ranking_gains", 6),
        ("chapters/02_ranking_pairs", 2),  # a product of sums
        ("chapters/04_protocol", 2),  # a set with a condition
        ("chapters/04_protocol_evidence", 6),
        ("chapters/04_protocol_movielens", 1),  # a set within a set
        ("chapters/05_calibration", 6),
        ("chapters/06_bias", 1),  # lines that are aligned
        ("api/bias.off_policy.doubly_robust", 1),
        ("api/beyond_accuracy.intent_aware_expected_reciprocal_rank", 1),
    ],
)
def test_no_formula_is_cut_off_on_a_phone(book, open_view, name, fewest):
    page = open_view(book, f"{name}.html", width=390).page
    formulas = page.locator(".bd-article div.math")
    assert formulas.count() >= fewest
    wide = "all => all.filter(it => it.scrollWidth > it.clientWidth + 1).map(it => it.textContent)"
    assert formulas.evaluate_all(wide) == []


@pytest.mark.browser
def test_the_source_check_table_stacks_with_headings_on_a_phone(book, open_view):
    page = open_view(book, "chapters/errata.html", width=390).page
    cell = page.locator("table.stacks td[data-heading=Recomputed]").first
    assert cell.evaluate("it => getComputedStyle(it, '::before').content") == '"Recomputed"'
    boxes = [page.locator("table.stacks tr").nth(1).locator("td").nth(i) for i in range(4)]
    tops = [box.bounding_box()["y"] for box in boxes]
    assert tops == sorted(set(tops))
    assert cell.evaluate("it => it.scrollWidth <= it.clientWidth")


@pytest.mark.browser
def test_the_theme_switch_changes_page_and_pictures(sample_site, open_view):
    page = open_view(sample_site, SAMPLE).page
    colours = """() => [
        getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.querySelector('.cell_output svg text')).fill,
        getComputedStyle(document.querySelector('.cell_input pre')).color,
    ]"""
    light = page.evaluate(colours)
    page.get_by_role("button", name="Color mode").click()
    page.get_by_role("button", name="Dark").click()
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    dark = page.evaluate(colours)
    assert all(was != now for was, now in zip(light, dark, strict=True))
    page.reload()
    assert page.evaluate(colours) == dark


@pytest.mark.browser
def test_the_default_theme_is_that_of_the_system(sample_site, open_view):
    browser = open_view(sample_site, SAMPLE).page.context.browser
    complaints = []
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        page.goto(f"{sample_site.address}/{SAMPLE}")
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        page.close()
    assert complaints == []


@pytest.mark.browser
def test_printing_uses_the_light_theme(sample_site, open_view):
    page = open_view(sample_site, SAMPLE, theme="dark").page
    themes = page.evaluate(
        """() => ["beforeprint", "afterprint"].map(event => {
            dispatchEvent(new Event(event));
            return document.documentElement.dataset.theme;
        })"""
    )
    assert themes == ["light", "dark"]


@pytest.mark.browser
def test_outputs_have_no_white_background_in_the_dark_theme(sample_site, open_view):
    page = open_view(sample_site, SAMPLE, theme="dark").page
    sheets = page.evaluate(
        """() => [...document.querySelectorAll('.cell_output, .cell_output *')]
            .filter(e => !e.closest('svg'))
            .map(e => [e.tagName, e.className, getComputedStyle(e).backgroundColor])
            .filter(([, , colour]) => Math.min(...(colour.match(/[0-9.]+/g) ?? [0])) > 120)"""
    )
    assert sheets == []


@pytest.mark.browser
def test_copying_a_cell_copies_only_its_code(sample_site, open_view):
    page = open_view(sample_site, SAMPLE).page
    page.locator(".cell_input").first.hover()
    page.locator(".cell_input button.copybtn").first.click()
    page.wait_for_selector(".cell_input button.copybtn.success")
    assert page.evaluate("navigator.clipboard.readText()") == sampler.SOURCE


@pytest.mark.browser
def test_the_first_tab_stop_skips_to_the_content(book, open_view):
    page = open_view(book, FRONT).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent.trim()") == "Skip to main content"
    page.keyboard.press("Enter")
    assert page.url.endswith("#main-content")


# Notes how each thing looks while the keyboard is on it.
NOTE_STOPS = """() => {
    window.met = new Map();
    window.round = false;
    const own = e => {
        const { outline, outlineStyle, boxShadow } = getComputedStyle(e);
        return `${outlineStyle === "none" ? "" : outline} / ${boxShadow}`;
    };
    // Of the arrow that unfolds pages below, the ring is around the arrow.
    const arrow = e => e.querySelector(":scope > .toctree-toggle") ?? e;
    window.ring = e => `${own(e)} / ${own(arrow(e))}`;
    document.addEventListener("focusin", event => {
        if (met.has(event.target)) window.round = true;
        else if (!window.round) met.set(event.target, ring(event.target));
    });
}"""

# More than any page has.
MOST_STOPS = 2_000

RINGLESS = """() => {
    document.activeElement.blur();
    return [...met].filter(([e, on]) => ring(e) === on).map(([e]) => e.outerHTML.slice(0, 120));
}"""


@pytest.mark.browser
@pytest.mark.sweep("path", keep=1)
@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
@pytest.mark.parametrize("path", [FRONT, "chapters/02_ranking.html", "search.html?q=recall"])
def test_every_tab_stop_shows_a_focus_ring(book, open_view, path, theme, width):
    view = open_view(book, path, theme=theme, width=width)
    view.wake()
    page = view.page
    if path.startswith("search"):
        page.wait_for_selector("#search-results li a")
    # Pictures hold no stop, and would be painted again wherever the walk comes by.
    assert page.locator("svg[role=img] :is(a, [tabindex])").count() == 0
    page.add_style_tag(content="svg[role=img] { visibility: hidden }")
    page.evaluate(NOTE_STOPS)
    # The key is held down until a stop comes again.
    for _ in range(MOST_STOPS // 25):
        for _ in range(25):
            page.keyboard.down("Tab")
        if page.evaluate("window.round"):
            break
    page.keyboard.up("Tab")
    held = page.evaluate("document.activeElement.outerHTML.slice(0, 120)")
    assert page.evaluate("window.round"), f"the key leads round no more; it is at {held}"
    assert page.evaluate("met.size") > 10
    assert page.evaluate(RINGLESS) == []
