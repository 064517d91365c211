"""Functions written on a page: run, checked, ended, kept; Python comes only when it is asked for.

The runtime is that of `make pyodide`, in the place of its public address.
"""

from __future__ import annotations

import inspect
import json
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.function import Function
from tests.book.conftest import serve_folder
from tests.book.test_every_page import broken_rules, switch_theme
from tests.exercises.simulated_learners import find_all, fresh
from tests.tiers import python_in_a_page

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "build" / "wasm" / "runtime"
PAGE = "chapters/exercises_ranking.html"
NAME = "ranking.write_precision"
GAP = "ranking.complete_dcg"
CDN = "https://cdn.jsdelivr.net/"

RIGHT = """def my_precision(recommended, relevant, k):
    hits = sum(item in relevant for item in recommended[:k])
    return hits / k
"""
SHORT = RIGHT.replace("hits / k", "hits / len(recommended[:k])")
ENDLESS = RIGHT.replace("return hits / k", "while True: pass")


# What an earlier test has had the browser keep.
FORGET_PYTHON = "caches.delete('recsys-book-python')"

KEPT_PYTHON = """caches.open('recsys-book-python').then(kept => kept.keys())
    .then(all => all.map(request => request.url))"""


# The answers to an exercise that asks for a function, one after another.
ASK_ALL = """async all => {
    const heard = []
    for (const one of all) {
        const asked = { what: "check", id: one.id, source: one.source }
        heard.push((await recsysBook.python.ask(asked, () => {})).reply)
    }
    return heard
}"""


def answers_to(name):
    """Yield the solution of an exercise and each known mistake, with the outcome to expect."""
    exercise = REGISTRY[name]
    begin = "from recsys_metrics.workbook.exercises import REGISTRY\n"
    begin += f"asked = REGISTRY[{name!r}]\n{exercise.function} = asked."
    yield {"id": name, "source": f"{begin}solve", "outcome": "PASS", "pitfall": ""}
    for place, mistake in enumerate(exercise.mistakes):
        source = f"{begin}mistakes[{place}].wrong_answer"
        # Where few cases came out, the mistake is asked about, not named.
        (part,) = fresh(exercise).check(mistake.wrong_answer).parts
        assert mistake.name in (part.pitfall or " ".join(line.as_text() for line in part.lines))
        pitfall = markup.escape(part.pitfall)
        yield {"id": name, "source": source, "outcome": "WRONG", "pitfall": pitfall}


class Card:
    """The card of an exercise that asks for a function."""

    def __init__(self, view, name=NAME):
        view.wake()
        self.page = view.page
        self.card = self.page.locator(f'[data-exercise="{name}"]')
        self.field = self.card.get_by_role("textbox", name="Your function")

    def write(self, text):
        self.field.click()
        self.page.wait_for_selector(".cm-editor.cm-focused")
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)

    def press(self, name):
        self.card.get_by_role("button", name=name, exact=True).click()

    def feedback(self, patience=90_000):
        said = self.card.locator(".exercise-feedback .feedback")
        said.wait_for(timeout=patience)
        return said.inner_text()

    def faults(self):
        """Return the rules of axe that the card breaks."""
        return broken_rules(self.page, self.card)

    def text(self):
        lines = "[...e.querySelectorAll('.cm-line')].map(line => line.textContent).join('\\n')"
        return self.field.evaluate(f"e => e.value ?? {lines}")


@contextmanager
def reaching():
    """Answer for the public address of the runtime, from the folder or not at all."""
    routed = []

    def answer(view, folder):
        def serve(route):
            name = urlsplit(route.request.url).path.rpartition("/")[2]
            if folder is None:
                route.abort()
            elif (folder / name).exists():
                headers = {"Access-Control-Allow-Origin": "*"}
                route.fulfill(path=folder / name, headers=headers)

        view.page.route(f"{CDN}**", serve)
        routed.append(view.page)
        return view

    yield answer
    for page in routed:
        page.unroute_all(behavior="ignoreErrors")


@pytest.fixture
def reach():
    """Answer for the public address of the runtime in one test."""
    with reaching() as answer:
        yield answer


@pytest.mark.skipif(
    not RUNTIME.is_dir(), reason="no Python for a browser in build/wasm/runtime: make pyodide"
)
@python_in_a_page
def test_a_function_can_be_run_checked_stopped_and_saved(
    sample_site, open_view, reach, record_property
):
    heard, begun = [], time.monotonic()
    view = reach(
        open_view(sample_site, PAGE, heard=lambda response: heard.append(response.url)), RUNTIME
    )
    page = view.page
    page.evaluate(FORGET_PYTHON)
    page.clock.install()
    card = Card(view)
    assert view.outside == []
    assert any("/exercises/" in url for url in heard)
    assert not any("/python" in url or "/editor" in url for url in heard)

    # A division can be written: the book's search does not open on it.
    card.write("")
    page.keyboard.type("1 /2")
    assert card.text() == "1 /2"
    card.write(SHORT)
    card.press("Check")
    said = card.feedback()
    took = f"{time.monotonic() - begun:.1f} s"
    record_property("table", f"The book's Python: the first feedback after {took}, nothing kept")
    assert said.startswith("✗ Not yet: short list")
    # What a function did is quieter, and the end of it is behind a button.
    assert said.index("Likely cause:") < said.index("Try:") < said.index("Case:")
    assert "Right so far" not in said
    card.card.get_by_text("More", exact=True).click()
    assert "Right so far: 9 of 11 cases" in card.feedback()
    assert {urlsplit(url).path.split("/")[2] for url in view.outside} == {"v0.27.7"}
    assert len(view.outside) == 5

    card.press("Run the case")
    shown = card.card.locator(".code-shown .feedback")
    shown.wait_for()
    assert shown.inner_text() == "Came back: 0.6"
    expect = pytest.importorskip("playwright.sync_api").expect
    earlier = card.card.locator(".exercise-earlier:visible")
    expect(earlier).to_have_text([])

    card.write(RIGHT)
    expect(earlier).to_have_text(
        [
            "This feedback is on an earlier version of your answer.",
            "This is what an earlier version of your code gave.",
        ]
    )
    card.write(SHORT)
    expect(earlier).to_have_text([])
    card.write(RIGHT)
    card.press("Check")
    page.wait_for_function("document.querySelector('.exercise-feedback .feedback-pass')")
    assert card.feedback().startswith("✓ Correct")

    assert view.errors == []
    for theme in ("light", "dark"):
        switch_theme(page, theme)
        assert card.faults() == [], theme

    card.write(ENDLESS)
    card.press("Check")
    card.card.get_by_role("button", name="Stop").wait_for()
    # It is in the place of the button that cannot be pressed meanwhile.
    assert card.card.get_by_role("button", name="Run the case").is_hidden()
    page.wait_for_timeout(1000)  # until it is in its loop
    page.clock.fast_forward(12_000)
    said = card.feedback()
    assert said.startswith("! Error")
    assert "Case: my_precision(" in said
    assert "It did not finish within 10 s. Does a loop never end?" in said

    page.reload()
    card = Card(view)
    assert card.text() == ENDLESS
    kept = json.loads(page.evaluate("localStorage['recsys-metrics.progress']"))["history"]
    assert [(one["outcome"], one["answer"]) for one in kept] == [
        ("WRONG", SHORT),
        ("PASS", RIGHT),
        ("ERROR", ENDLESS),
    ]
    assert card.card.locator(".exercise-done").inner_text() == "· ✓ Done"

    # What the browser keeps starts with the first letter, and asks nobody for a byte.
    with page.expect_worker():
        card.write(RIGHT)
    assert len(view.outside) == 5
    assert view.errors == []
    page.evaluate(FORGET_PYTHON)


@pytest.fixture(scope="module")
def running(sample_site, open_shared_view):
    """A page whose Python starts with the first question."""
    with reaching() as answer:
        view = answer(open_shared_view(sample_site, PAGE), RUNTIME)
        yield view.page
        assert view.errors == []


@pytest.mark.skipif(
    not RUNTIME.is_dir(), reason="no Python for a browser in build/wasm/runtime: make pyodide"
)
@pytest.mark.sweep("name", keep=0)  # a sample of its exercises is asked on another page
@pytest.mark.parametrize("name", find_all(Function))
def test_the_page_accepts_the_solution_and_names_each_mistake(running, name):
    answers = list(answers_to(name))
    for told, said in zip(answers, running.evaluate(ASK_ALL, answers), strict=True):
        (part,) = said["parts"].values()
        assert (said["outcome"], part["pitfall"]) == (told["outcome"], told["pitfall"]), told


def test_an_unfilled_gap_is_reported_without_python(sample_site, open_view, reach):
    view = reach(open_view(sample_site, PAGE), None)
    card = Card(view)
    card.press("Check")
    assert "no body yet" in card.feedback(patience=2_000)
    card = Card(view, GAP)
    card.press("Check")
    assert "There is still a ... to fill in." in card.feedback(patience=2_000)
    # It is of no use once the code is another.
    card.write("def my_dcg(gains): return 1  # ...\n")
    assert card.card.get_by_text("There is still a").count() == 0
    # A comment and a text may have dots, and so may an index.
    for left in ("    return ...  # later\n", "    total = ... \n    return total\n"):
        assert view.page.evaluate("([a, b]) => recsysBook.isUnwritten(a, b)", [left, "return ..."])
    for done in ("return x[..., 0]", "return 1  # ...", "return '= ...'", 'return """\n= ...\n"""'):
        assert not view.page.evaluate(
            "([a, b]) => recsysBook.isUnwritten(a, b)", [done, "return ..."]
        )
    assert view.outside == []
    assert view.page.evaluate("localStorage['recsys-metrics.progress'] ?? null") is None


def test_of_two_tabs_one_follows_what_is_written_in_the_other(sample_site, open_view, reach):
    one = reach(open_view(sample_site, PAGE), None)
    other = one.page.context.new_page()
    try:
        other.goto(one.page.url)
        other.evaluate("bringNear('[data-exercise]')")
        here, there = Card(one), other.locator(f'[data-exercise="{NAME}"][data-alive]')
        there.get_by_role("textbox", name="Your function").wait_for()
        here.write(RIGHT)
        field = there.locator("textarea").first
        other.wait_for_function(
            "([e, text]) => e.value === text", arg=[field.element_handle(), RIGHT]
        )
        assert (
            json.loads(other.evaluate("localStorage['recsys-metrics.progress.drafts']"))[NAME][
                "code"
            ]
            == RIGHT
        )
    finally:
        other.close()


def test_without_python_the_card_reports_it_and_can_retry(sample_site, open_view, reach):
    view = reach(open_view(sample_site, PAGE), None)
    view.page.evaluate(FORGET_PYTHON)
    card = Card(view)
    card.write(SHORT)
    for _ in range(2):
        card.press("Check")
        said = card.feedback()
        assert said.startswith("• Python does not run here")
        assert "cdn.jsdelivr.net cannot be reached. Press again" in said
        view.page.evaluate("document.querySelector('.exercise-feedback').replaceChildren()")
    assert view.page.evaluate("localStorage['recsys-metrics.progress'] ?? null") is None


def test_a_file_with_a_wrong_hash_is_not_run(sample_site, open_view, reach, tmp_path):
    view = reach(open_view(sample_site, PAGE), tmp_path)
    view.page.evaluate(FORGET_PYTHON)
    card = Card(view)
    # As long as it should be, and another; the other files never come.
    (tmp_path / "pyodide.js").write_bytes(b"postMessage({what: 'ready'})".ljust(14913))
    card.write(SHORT)
    card.press("Check")
    assert "pyodide.js is not the file that is meant. Press again" in card.feedback()
    (tmp_path / "pyodide.js").write_bytes(bytes(20_000))
    view.page.evaluate("document.querySelector('.exercise-feedback').replaceChildren()")
    card.press("Check")
    assert "pyodide.js is not the file that is meant. Press again" in card.feedback()
    # The library may have come before the worker ended, or not.
    assert [url for url in view.page.evaluate(KEPT_PYTHON) if "pyodide" in url] == []


def test_what_is_pasted_before_the_editor_is_there_replaces_the_template(sample_site, open_view):
    """Select all and paste, by hand and as a program fills a field, while the editor loads."""
    code = "def mine(recommended, relevant, k):\n    return 0.5"
    for is_by_hand in (True, False):
        view = open_view(sample_site, PAGE)
        page, waiting = view.page, []
        page.route("**/_static/editor.js*", partial(waiting.append))
        card = Card(view)
        if is_by_hand:
            card.field.click()
            page.keyboard.press("ControlOrMeta+a")
        else:
            card.field.evaluate("field => { field.focus(); field.select(); }")
        page.wait_for_timeout(50)
        for route in waiting:
            route.continue_()
        assert waiting
        page.wait_for_function("document.querySelector('script[src*=\"editor.js\"]')")
        page.wait_for_timeout(500)  # the editor has come, and what is selected still is
        page.keyboard.insert_text(code)
        page.wait_for_selector(".cm-editor.cm-focused")
        assert card.text() == code
        page.keyboard.type("#")  # where the insertion ended
        assert card.text() == f"{code}#"
        page.unroute_all(behavior="ignoreErrors")


def test_the_keyboard_can_enter_and_leave_the_editor(sample_site, open_view):
    view = open_view(sample_site, PAGE)
    card, page = Card(view), view.page
    card.field.focus()
    page.wait_for_selector(".cm-editor.cm-focused")
    stands = card.text()
    # Who passes by is not held.
    page.keyboard.press("Tab")
    page.wait_for_function("document.querySelectorAll('.cm-editor').length === 2")
    other = card.card.get_by_role("textbox", name="A case to run it on")
    assert other.evaluate("e => e === document.activeElement")
    page.keyboard.press("Shift+Tab")
    assert card.field.evaluate("e => e === document.activeElement")
    assert card.text() == stands
    # Who types, indents.
    page.keyboard.type("#")
    before = card.text()
    page.keyboard.press("Tab")
    assert card.text().replace("    ", "") == before.replace("    ", "")
    assert len(card.text()) == len(before) + 4
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert other.evaluate("e => e === document.activeElement")
    described = card.field.get_attribute("aria-describedby")
    assert "Escape and then Tab leaves" in page.locator(f"#{described}").inner_text()
    card.card.locator(".card-more").click()
    card.card.get_by_role("menuitem", name="Reset the code").click()
    stub = f"{REGISTRY[NAME].draft}\n"
    assert card.text() == stub
    assert inspect.cleandoc(stub).startswith("def my_precision(recommended, relevant, k):")


def test_in_a_page_opened_as_a_file_the_card_explains_how_to_serve_it(sample_site, tabs):
    page = tabs.take("light", 1280, base_url="file:///")
    try:
        page.goto((sample_site.folder / PAGE).as_uri())
        page.evaluate("bringNear('[data-exercise]')")
        form = page.locator(f'[data-exercise="{NAME}"][data-alive]')
        form.get_by_role("textbox", name="Your function").fill(SHORT)
        form.get_by_role("button", name="Check", exact=True).click()
        said = form.locator(".exercise-feedback .feedback")
        said.wait_for()
        assert "open the book from a web address" in said.inner_text()
    finally:
        page.context.close()


def test_foreign_requests_and_missing_files_are_not_cached(sample_site, open_view):
    view = open_view(sample_site, PAGE, service_workers="allow")
    page = view.page
    # As an extension that resolves the theme's `@import "../basic.css"` against the page.
    page.evaluate("fetch('../basic.css')")
    page.evaluate(
        """new Promise(done => {
            const picture = document.createElement("img");
            picture.onerror = done;
            picture.src = "../_static/absent.png";
        })"""
    )
    assert len([said for said in view.errors if said.startswith("404 ")]) == 2
    view.errors.clear()
    page.evaluate("recsysBook.keepPage()")
    kept = page.evaluate(
        """caches.open("recsys-book-pages").then(kept => kept.keys())
            .then(all => all.map(request => new URL(request.url).pathname))"""
    )
    assert f"/{PAGE}" in kept
    assert "/_static/basic.css" in kept
    assert not {"/basic.css", "/_static/absent.png"} & set(kept)
    assert view.errors == []


def test_a_cached_page_opens_offline(sample_site, tabs):
    page = tabs.take("light", 1280, service_workers="allow")
    try:
        with serve_folder(sample_site.folder) as address:
            page.goto(f"{address}/{PAGE}")
            page.evaluate("recsysBook.keepPage()")
            page.wait_for_function("navigator.serviceWorker.controller !== null")
        page.reload()
        page.evaluate("bringNear('[data-exercise]')")
        card = page.locator(f'[data-exercise="{NAME}"][data-alive]')
        card.get_by_role("textbox", name="Your function").click()
        page.wait_for_selector(".cm-editor")
        other = page.goto(f"{address}/{PAGE}?from=elsewhere#there")
        assert other.ok
        with pytest.raises(Exception, match="ERR_"):
            page.goto(f"{address}/chapters/index.html")
    finally:
        page.context.close()
