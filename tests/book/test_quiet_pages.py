"""A quiet page: it asks before it shows code, nothing moves, and its controls keep back."""

from __future__ import annotations

import doctest
import gzip
import html
import importlib
import itertools
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.book.test_book import PAGES

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = [path for path in PAGES if re.match(r"chapters/\d\d", path)]
PART = "chapters/02_ranking.html"
some_pages = pytest.mark.sweep("path", keep=2, always=[PAGES[0], PART])
# What a page may load before it is scrolled, in bytes, compressed.
MOST = 350_000

FOLDED = re.compile(r'<details class="admonition hide.*?</details>', re.DOTALL)
CODE = re.compile(r'<div class="cell_input docutils container">(.*?)</pre>', re.DOTALL)


def read_article(book, path):
    text = (book.folder / path).read_text(encoding="utf-8")
    return text.split('<article class="bd-article">')[1].split("</article>")[0]


def read_code(article):
    return [html.unescape(re.sub(r"<[^>]+>", "", block)) for block in CODE.findall(article)]


@pytest.mark.parametrize("path", CHAPTERS)
def test_a_part_asks_before_it_shows_code(book, path):
    visible = FOLDED.sub("", read_article(book, path))
    assert 0 < visible.index("data-exercise=") < visible.index('<div class="cell_input')


@pytest.mark.parametrize("path", CHAPTERS)
def test_nothing_to_unfold_stands_between_the_opening_picture_and_the_question(book, path):
    article = read_article(book, path)
    opening, _, rest = article.partition('id="predict-first"')
    # What a part needs and teaches is beside its minutes, above the picture.
    assert re.search(r'class="page-facts">[^<]*</p>\s*<details>', opening)
    picture = re.search(r"<(?:img|svg)\b", opening).start()
    assert opening.index("In detail, you will be able to") < picture
    assert "<details" not in opening[picture:]
    assert rest.index("data-exercise=") < rest.index(">What this page imports<")


@pytest.mark.parametrize("path", CHAPTERS)
def test_imports_are_folded_and_cards_have_no_code(book, path):
    article = read_article(book, path)
    assert article.count(">What this page imports<") == 2  # while it is folded, and while it is not
    assert "<details open" not in article
    visible = read_code(FOLDED.sub("", article))
    assert [code for code in visible if re.search(r"^(import|from) |\bex\.", code, re.M)] == []
    assert [code for code in read_code(article) if re.search(r"\bex\.\w", code)] == []


@pytest.mark.parametrize("path", CHAPTERS)
def test_a_part_does_not_speak_of_its_medium(book, path):
    words = re.sub(r"<[^>]+>", "", read_article(book, path))
    assert re.findall(r"(?i)in jupyter\b|place of the dots|show code cell", words) == []


@pytest.mark.parametrize("path", CHAPTERS)
def test_a_part_says_its_minutes_and_exercises_without_a_script(book, path):
    text = (book.folder / path).read_text(encoding="utf-8")
    cards = set(re.findall(r'data-exercise="([^"]+)"', text))
    said = re.search(r'<p class="page-facts">(\d+) min · (\d+) exercises</p>', text)
    assert said
    minutes = re.search(r"About (\d+) minutes", (ROOT / path).with_suffix(".md").read_text("utf-8"))
    assert [*said.groups()] == [minutes[1], str(len(cards))]
    assert re.search(rf'<span class="progress-count"[^>]*>0/{len(cards)}</span>', text)
    assert f'<progress value="0" max="{len(cards)}"' in text


# What is laid out -----------------------------------------------------------------------------

NOTE_SHIFTS = """(() => {
    window.shifts = [];
    new PerformanceObserver(list => {
        for (const { value, hadRecentInput, sources } of list.getEntries())
            if (!hadRecentInput) shifts.push([value, ...sources.map(({ node }) =>
                node?.outerHTML?.slice(0, 120) ?? String(node?.textContent))]);
    }).observe({ type: "layout-shift", buffered: true });
})()"""

# As one who reads fast: on by half a window once all that is near has woken.
READ = """async () => {
    const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done, 20)));
    const things = "[data-explorable], [data-exercise]";
    const isNear = e => e.getBoundingClientRect().top < innerHeight + 700;
    const asleep = () =>
        [...document.querySelectorAll(things)].some(e => !("alive" in e.dataset) && isNear(e));
    for (let y = 0; y < document.documentElement.scrollHeight; y += 400) {
        scrollTo(0, y);
        await frame();
        for (let left = 500; left && asleep(); left--) await frame();
    }
    await frame();
    return shifts;
}"""

WINDOWS = {
    1280: {"viewport": {"width": 1280, "height": 800}},
    390: {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}


@pytest.fixture
def new_reader(browser):
    """Open pages for somebody who has never been here, in a window of a width."""
    contexts = []

    def open_page(width):
        contexts.append(browser.new_context(**WINDOWS[width]))
        return contexts[-1].new_page()

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.browser
@some_pages
@pytest.mark.parametrize("width", WINDOWS)
@pytest.mark.parametrize("path", CHAPTERS)
def test_nothing_moves_while_a_part_loads_and_is_read(book, new_reader, path, width):
    page = new_reader(width)
    page.add_init_script(NOTE_SHIFTS)
    page.goto(f"{book.address}/{path}", wait_until="networkidle")
    shifts = page.evaluate(READ)
    assert round(sum(value for value, *_ in shifts), 2) == 0, sorted(shifts)[-3:]


@pytest.mark.browser
@some_pages
@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_light_before_it_is_scrolled(book, new_reader, path):
    page = new_reader(1280)
    heard = []
    page.on("response", lambda response: heard.append(response.url))
    page.goto(f"{book.address}/{path}", wait_until="networkidle")
    files = {
        book.folder / unquote(urlsplit(url).path).lstrip("/")
        for url in heard
        if url.startswith(book.address)
    }
    sizes = {file.name: len(gzip.compress(file.read_bytes())) for file in files}
    assert 100_000 < sum(sizes.values()) <= MOST, sorted(sizes.items(), key=lambda p: -p[1])[:6]


@pytest.mark.browser
@pytest.mark.parametrize(("width", "height"), [(1280, 140), (390, 160)])
def test_the_first_sentence_is_near_the_top(book, new_reader, width, height):
    page = new_reader(width)
    for path in (PART, "chapters/00_three_questions.html"):
        page.goto(f"{book.address}/{path}")
        assert page.locator("article.bd-article p").first.bounding_box()["y"] < height


# The places where a line of code is broken within a word, and what is before and after each.
BREAKS = r"""() => [...document.querySelectorAll('div.highlight .code-line')].flatMap(line => {
    const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    const signs = [];
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        for (let at = 0; at < node.data.length; at++) {
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + 1);
            const [box] = range.getClientRects();
            if (box && node.data[at] !== '\n') signs.push([node.data[at], box.top]);
        }
    }
    const words = signs.map(([sign]) => sign).join('');
    return signs.flatMap(([, top], at) =>
        at && top > signs[at - 1][1] + 4 ? [[words.slice(0, at), words.slice(at)]] : []);
})"""


@pytest.mark.browser
@pytest.mark.parametrize("width", WINDOWS)
def test_no_line_of_code_ends_within_a_word_or_the_name_of_an_option(book, new_reader, width):
    page = new_reader(width)
    for path in ("chapters/05_calibration.html", "chapters/recipes.html", "chapters/install.html"):
        page.goto(f"{book.address}/{path}")
        # What is folded has its lines once it is read.
        page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        breaks = page.evaluate(BREAKS)
        assert breaks or width == 1280
        torn = [
            (before[-12:], after[:12])
            for before, after in breaks
            if re.match(r"\w", after) and re.search(r"\w$|\de-$|(?<!\w)--[a-z-]*$", before)
        ]
        assert torn == [], path


@pytest.mark.parametrize("module", ["code_lines", "front", "page_facts"])
def test_doctests_of_what_builds_a_page_pass(monkeypatch, module):
    monkeypatch.syspath_prepend(str(ROOT / "dev" / "tools"))
    monkeypatch.syspath_prepend(str(ROOT / "book"))
    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted > 0
    assert found.failed == 0


# What is around the text ------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES)
def test_one_group_of_the_navigation_is_open(book, path):
    text = (book.folder / path).read_text(encoding="utf-8")
    groups = re.findall(
        r'<details class="page-group"( open)?><summary><span[^>]*>(\w+)</span></summary>(.*?)'
        r'(?=<details class="page-group"|</nav>)',
        text,
        re.DOTALL,
    )
    assert [name for _, name, _ in groups] == ["Learn", "Use", "Compare", "Reference", "Teach"]
    opened = [(name, pages) for is_open, name, pages in groups if is_open]
    assert len(opened) == 1
    if path != "chapters/index.html":
        assert 'class="current' in opened[0][1]


@pytest.mark.browser
def test_the_contents_of_the_book_are_shown_where_a_reader_asked_for_them(book, new_reader):
    page = new_reader(1280)
    page.add_init_script(NOTE_SHIFTS)
    contents, text = page.locator(".bd-sidebar-primary"), page.locator("article.bd-article")
    toggle = page.get_by_role("button", name="Contents", exact=True)
    page.goto(f"{book.address}/{PART}")
    assert contents.is_hidden()
    assert toggle.get_attribute("aria-expanded") == "false"
    wide = text.bounding_box()["width"]
    toggle.click()
    contents.get_by_role("link", name="Average precision").wait_for()
    assert toggle.get_attribute("aria-expanded") == "true"
    assert text.bounding_box()["width"] == wide
    # It stays so on other pages, from the first moment on.
    page.goto(f"{book.address}/api/ranking.ndcg.html", wait_until="networkidle")
    assert contents.is_visible()
    assert page.evaluate("shifts") == []
    toggle.click()
    page.goto(f"{book.address}/{PART}")
    assert contents.is_hidden()


@pytest.mark.browser
def test_the_contents_of_the_book_are_there_without_a_script(book, open_view):
    page = open_view(book, PART, java_script_enabled=False).page
    assert page.locator(".bd-sidebar-primary").is_visible()


@pytest.mark.browser
def test_the_contents_of_the_book_open_over_a_phone(book, new_reader):
    page = new_reader(390)
    page.goto(f"{book.address}/{PART}")
    assert page.locator("#pst-primary-sidebar").is_hidden()
    page.get_by_role("button", name="Contents", exact=True).tap()
    dialog = page.locator("#pst-primary-sidebar-modal")
    dialog.get_by_role("link", name="Average precision").wait_for()


@pytest.mark.browser
@pytest.mark.parametrize("width", WINDOWS)
def test_search_and_progress_are_offered_once(book, new_reader, width):
    page = new_reader(width)
    page.goto(f"{book.address}/{PART}")
    offers = page.get_by_role("button", name=re.compile("search", re.IGNORECASE))
    assert offers.count() == 1
    assert page.get_by_text(re.compile(r"^0/\d+$")).locator("visible=true").count() == 1


# Every line along a side: its width, and whether it is grey or blue. Elements without words, such
# as axes, are not of the text.
SIDES = """() => {
    const style = getComputedStyle(document.documentElement);
    const probe = document.createElement("i");
    document.body.append(probe);
    const colour = name => {
        probe.style.color = style.getPropertyValue(name);
        return getComputedStyle(probe).color;
    };
    const names = { grey: colour("--pst-color-border"), blue: colour("--pst-color-primary") };
    const found = {};
    for (const one of document.querySelectorAll(".bd-article *, .bd-sidebar *")) {
        if (one.closest("table, svg, [data-explorable]") || !one.innerText?.trim()) continue;
        const { borderLeftWidth, borderRightWidth, borderLeftColor } = getComputedStyle(one);
        if (borderLeftWidth === borderRightWidth || parseFloat(borderLeftWidth) === 0) continue;
        const name = Object.keys(names).find(key => names[key] === borderLeftColor);
        const asks = one.matches(".exercise, [data-exercise]");
        (found[`${borderLeftWidth} ${name ?? borderLeftColor}`] ??= []).push([asks, one.className]);
    }
    return found;
}"""


@pytest.mark.browser
@pytest.mark.parametrize("path", [PART, "chapters/05_calibration.html", "chapters/install.html"])
def test_a_line_along_a_side_has_one_look_for_notes_and_one_for_questions(book, open_view, path):
    page = open_view(book, path).page
    sides = page.evaluate(SIDES)
    assert set(sides) <= {"2px grey", "2px blue"}, sides
    assert all(asks for asks, _ in sides.get("2px blue", []))
    assert not any(asks for asks, _ in sides.get("2px grey", []))
    if path == PART:
        assert set(sides) == {"2px grey", "2px blue"}


# Controls ---------------------------------------------------------------------------------------


def opacity(locator):
    return float(locator.evaluate("e => getComputedStyle(e).opacity"))


@pytest.mark.browser
def test_run_is_seen_beside_the_code_and_the_rest_comes_with_the_pointer(book, new_reader):
    page = new_reader(1280)
    page.goto(f"{book.address}/{PART}")
    cell = page.locator("div.cell:has(> .cell_input)").first
    tools = cell.locator(".cell-tools")
    run, edit = tools.get_by_role("button").all()
    word = run.locator("span")
    page.mouse.move(0, 0)
    assert (opacity(run), opacity(edit)) == (1, 0)
    # The others look alike with a pointer at them; that cells run is said once.
    second = page.locator("div.cell:has(> .cell_input) .cell-tools").nth(1).get_by_role("button")
    assert [opacity(one) for one in second.all()] == [0, 0]
    second.first.hover()
    assert [opacity(one) for one in second.all()] == [1, 1]
    page.mouse.move(0, 0)
    # The one stands in the margin, the other in the row of the button that copies.
    code, copy = cell.locator(".cell_input").bounding_box(), cell.locator(".copybtn").bounding_box()
    left, right = run.bounding_box(), edit.bounding_box()
    assert code["y"] <= left["y"] < code["y"] + code["height"]
    assert left["x"] > 0
    assert left["x"] + left["width"] <= code["x"]
    assert right["y"] == pytest.approx(copy["y"], abs=2)
    assert right["x"] > code["x"] + code["width"] / 2
    assert word.is_hidden()
    run.hover()
    assert word.is_visible()
    assert opacity(edit) == 1
    page.mouse.move(0, 0)
    assert opacity(edit) == 0
    run.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    assert opacity(edit) == 1
    assert word.is_visible()
    assert word.inner_text() == "Run"
    # What one has changed is run by a button with its word.
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    visible = cell.locator(".cell-bar").get_by_role("button", name=re.compile("^Run cell"))
    visible.wait_for()
    assert visible.inner_text() == "Run"
    assert tools.is_hidden()
    cell.get_by_role("button", name=re.compile("^Reset cell")).click()
    assert cell.locator(".cell-tools").get_by_role("button").count() == 2


# How far below the edge of its block the first line begins, and whether the sign is over code.
CORNERS = """all => all.map(input => {
    const lines = [];
    const range = document.createRange();
    const texts = document.createTreeWalker(input.querySelector("pre"), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        range.selectNode(texts.currentNode);
        lines.push(...[...range.getClientRects()].filter(({ width }) => width));
    }
    const signs = [...input.querySelectorAll(".cell-tools svg")]
        .filter(sign => getComputedStyle(sign).visibility === "visible")
        .map(sign => sign.getBoundingClientRect());
    const meets = (a, b) =>
        a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return [
        Math.min(...lines.map(({ top }) => top)) - input.getBoundingClientRect().top,
        lines.some(line => signs.some(sign => meets(line, sign))),
    ];
})"""


@pytest.mark.browser
def test_a_finger_finds_the_buttons_of_a_cell_beside_the_code(book, new_reader):
    page = new_reader(390)
    page.goto(f"{book.address}/{PART}")
    cell = page.locator("div.cell:has(> .cell_input)").first
    run, edit = cell.locator(".cell-tools button").all()
    copy = cell.locator(".copybtn")
    # That it runs is seen at once, what changes and copies it once it was touched.
    assert run.is_visible()
    assert [edit.is_visible(), copy.is_visible()] == [False, False]
    cell.locator("pre").tap()
    assert [one.is_visible() for one in (run, edit, copy)] == [True] * 3
    assert [opacity(one) for one in (run, edit, copy)] == [1] * 3
    line = cell.locator("pre").evaluate(
        """pre => {
            const range = document.createRange();
            range.selectNodeContents(pre);
            const tops = [...range.getClientRects()].map(({ top }) => top + scrollY);
            return tops.sort((a, b) => a - b).find(top => top > tops[0] + 10);
        }"""
    )
    for button in cell.locator(".cell-tools button, .copybtn").all():
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 44
        assert box["y"] + box["height"] + page.evaluate("scrollY") <= line + 3
    # They take no row of their own, and no code is under them.
    corners = page.locator("div.cell_input:visible").evaluate_all(CORNERS)
    assert len(corners) > 20
    for first, covered in corners:
        assert first <= 16
        assert not covered
    # A line that is too long goes on below itself, further in than it began.
    cut = page.locator(".cell_input:visible pre").evaluate_all(
        "all => all.filter(pre => pre.scrollWidth > pre.clientWidth).map(pre => pre.innerText)"
    )
    assert cut == []


@pytest.mark.browser
@pytest.mark.parametrize("path", [PART, "chapters/index.html", "api/ranking.ndcg.html"])
def test_a_finger_finds_the_buttons_of_the_bar_and_what_unfolds(book, new_reader, path):
    page = new_reader(390)
    page.goto(f"{book.address}/{path}")
    bar = page.locator(".bd-header-article")
    buttons = bar.locator(":is(.btn, .sidebar-toggle, .progress-line > button):visible").all()
    assert len(buttons) >= 4
    for button in (*buttons, *page.locator(".bd-article summary:visible").all()):
        box = button.bounding_box()
        assert box["height"] >= 44, button.evaluate("it => it.outerHTML")
        assert box["x"] + box["width"] <= 390
    for one, other in itertools.pairwise(box["x"] for box in (b.bounding_box() for b in buttons)):
        assert other - one >= 44


LOOKS = """all => all.map(summary => {
    const words = getComputedStyle(summary.querySelector("p") ?? summary);
    const { borderTopWidth, borderLeftWidth, boxShadow } = getComputedStyle(summary.parentElement);
    const { color } = getComputedStyle(summary, "::marker");
    const look = [words.fontSize, words.color, words.textAlign, color];
    return [...look, borderTopWidth, borderLeftWidth, boxShadow].join(" ");
})"""


@pytest.mark.browser
@pytest.mark.parametrize("path", [PART, "chapters/07_choosing.html", "chapters/your_numbers.html"])
def test_all_that_unfolds_looks_alike(book, open_view, path):
    page = open_view(book, path).page
    summaries = page.locator(".bd-article summary:visible")
    assert summaries.count() >= 3
    assert len(set(summaries.evaluate_all(LOOKS))) == 1


@pytest.mark.browser
def test_progress_is_in_the_bar_and_its_menu(book, new_reader):
    page = new_reader(390)
    page.goto(f"{book.address}/{PART}")
    line = page.locator(".bd-header-article .progress-line")
    button, menu = line.get_by_role("button"), page.locator("#progress-menu")
    bar = line.locator("progress")
    assert button.count() == 1
    assert bar.bounding_box()["height"] == 2
    assert menu.is_hidden()
    count = line.locator(".progress-count")
    done, _, every = count.inner_text().partition("/")
    assert done == "0"
    page.evaluate("recsysBook.progress.note('ranking.e2', 'PASS', {precision: '0.6'})")
    assert count.inner_text() == f"1/{every}"
    assert bar.evaluate("bar => [bar.value, bar.max]") == [1, int(every)]
    said = line.get_by_role("status").first.text_content()
    assert said.startswith(f"1 of {every} exercises on this page done")
    button.tap()
    assert menu.get_by_text(said).is_visible()
    sections = menu.locator(".progress-sections a").all()
    assert len(sections) > 3
    for section in sections:
        assert section.bounding_box()["height"] >= 44
    assert [one.inner_text() for one in menu.get_by_role("button").all()] == [
        "Save progress",
        "Load progress",
        "Reset progress",
    ]
    # The bar has no room for it on a phone.
    link = menu.get_by_role("link", name="Download the notebook")
    assert link.get_attribute("download") == PART.split("/")[-1].replace(".html", ".ipynb")
    assert page.locator(".btn-download-notebook").is_hidden()
    box = menu.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.keyboard.press("Escape")
    assert menu.is_hidden()
    assert page.evaluate("document.activeElement.parentElement.className").startswith("progress")
    button.press("Enter")
    assert menu.is_visible()


@pytest.mark.browser
@pytest.mark.parametrize("scripts", [True, False])
def test_without_javascript_no_progress_is_promised(book, open_view, scripts):
    page = open_view(book, PART, java_script_enabled=scripts).page
    assert page.locator(".progress-line").is_visible() is scripts
    assert page.locator(".page-facts").is_visible()
    assert page.get_by_text("What this page imports").first.is_visible()


# Jumps to places within the page, and the section there and the one that is marked.
JUMPS = """async () => {
    const links = [...document.querySelectorAll(".bd-sidebar-secondary .toc-h2 > a")];
    const sections = links.map(link => document.querySelector(link.hash));
    const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done, 60)));
    const found = [];
    for (const [at, section] of [...sections.entries()].reverse()) {
        const { top, height } = section.getBoundingClientRect();
        if (height < innerHeight) continue;
        scrollTo({ top: scrollY + top + height / 2, behavior: "instant" });
        await frame();
        await frame();
        found.push([links[at], ...document.querySelectorAll(".bd-sidebar-secondary .active")]
            .map(link => link.textContent.trim()));
    }
    return found;
}"""


@pytest.mark.browser
def test_the_contents_mark_the_section_that_a_jump_leads_into(book, new_reader):
    page = new_reader(1280)
    page.goto(f"{book.address}/{PART}", wait_until="networkidle")
    jumps = page.evaluate(JUMPS)
    assert len(jumps) > 4
    assert [marked for _, *marked in jumps] == [[there] for there, *_ in jumps]


@pytest.mark.browser
def test_the_line_of_the_bar_ends_with_the_contents_of_the_page(book, new_reader):
    page = new_reader(1280)
    page.goto(f"{book.address}/{PART}")
    bar, contents = (
        page.locator(one).bounding_box() for one in (".bd-header-article", ".bd-sidebar-secondary")
    )
    more = page.locator(".bd-header-article").evaluate(
        "it => parseFloat(getComputedStyle(it, '::after').width)"
    )
    assert bar["x"] + bar["width"] + more == pytest.approx(contents["x"] + contents["width"], abs=1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.browser
def test_no_letter_is_drawn_thicker_than_its_font_has_it(book, new_reader):
    page = new_reader(1280)
    for path in (PART, "api/ranking.ndcg.html"):
        page.goto(f"{book.address}/{path}")
        strokes = page.locator(".bd-main *").evaluate_all(
            "all => [...new Set(all.map(it => getComputedStyle(it).webkitTextStrokeWidth))]"
        )
        assert strokes == ["0px"]


@pytest.mark.browser
def test_code_on_a_phone_keeps_its_lines_when_it_is_touched(book, new_reader):
    page = new_reader(390)
    page.goto(f"{book.address}/{PART}")
    cell = page.locator("div.cell:has(> .cell_input)").first
    code = cell.locator("pre")
    free = code.evaluate(
        """it => [
            parseFloat(getComputedStyle(it).paddingLeft), getComputedStyle(it, "::before").float]"""
    )
    assert free == [10, "none"]
    height = code.bounding_box()["height"]
    code.tap()
    assert code.bounding_box()["height"] == height
