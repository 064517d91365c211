"""Cells of the chapters on their pages: run in their order, changed, ended, kept, set back."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from recsys_metrics.workbook.exercises import SUBJECTS
from recsys_metrics.workbook.explorables import REGISTRY as FIGURES
from tests.book import in_both
from tests.book.conftest import View, serve_folder
from tests.book.test_code_in_book import FORGET_PYTHON, RUNTIME, reach, reaching
from tests.book.test_every_page import broken_rules, switch_theme
from tests.tiers import python_in_a_page

__all__ = ["reach"]

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
PARTS = sorted(path.stem for path in (ROOT / "chapters").glob("[0-9]*.ipynb"))
RUN = [*PARTS, "conventions", "errata"]
PAGE = "chapters/02_ranking_averages.html"
# The first cell of the page that prints something, and one above it that prints nothing.
SHOWS, ABOVE = 4, 2
SAME = "✓ It gives what is printed."
# The words for it and all else are the same.
DRAWN = "✓ It draws what is printed, with another version of Matplotlib."

with_python = pytest.mark.skipif(
    not RUNTIME.is_dir(), reason="no Python for a browser in build/wasm/runtime: make pyodide"
)


# As another tab does.
WRITE_ELSEWHERE = """code => {
    document.activeElement.blur();
    const key = Object.keys(localStorage).find(one => one.endsWith(".drafts"));
    const drafts = JSON.parse(localStorage[key]);
    for (const draft of Object.values(drafts)) draft.code = code;
    localStorage[key] = JSON.stringify(drafts);
    dispatchEvent(new StorageEvent("storage", { key }));
}"""


class Cells:
    """The cells of a page, by the number that their buttons have."""

    def __init__(self, view):
        self.page = view.page
        self.all = self.page.locator("div.cell:has(.cell_input)")

    def cell(self, number):
        return self.all.nth(number - 1)

    def press(self, name, number):
        self.page.get_by_role("button", name=f"{name} cell {number}", exact=True).click()

    def said(self, number, patience=90_000):
        note = self.cell(number).locator(".cell-note:not(:empty)")
        note.wait_for(timeout=patience)
        return note.inner_text()

    def shown(self, number):
        return self.cell(number).locator(".cell_output:visible").all_inner_texts()

    def write(self, number, text):
        field = self.cell(number).get_by_role("textbox")
        field.click()
        self.page.wait_for_selector(".cm-editor.cm-focused")
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)


def assert_cells_reproduce_saved_outputs(cells):
    """Run the last one, which runs all above it first, and compare each."""
    page = cells.page
    last = page.locator(".cell-bar").count()
    # It may be folded away.
    run = page.get_by_role("button", name=f"Run cell {last}", exact=True, include_hidden=True)
    run.evaluate("button => button.click()")
    # The last one, or one that raises, is the end of it.
    page.wait_for_function(
        """last => {
            const notes = [...document.querySelectorAll(".cell-note")].map(one => one.textContent);
            return notes[last - 1] || notes.some(note => note.startsWith("✗"));
        }""",
        arg=last,
        timeout=300_000,
    )
    said = page.locator(".cell-note").all_text_contents()
    assert len(said) == last
    assert set(said) <= {SAME, DRAWN, "✓ It ran."}, [
        (number, note, cells.shown(number))
        for number, note in enumerate(said, 1)
        if note not in (SAME, DRAWN, "✓ It ran.")
    ]
    assert SAME in said


def test_python_is_not_loaded_before_the_first_run(book, open_view):
    heard = []
    view = open_view(book, PAGE, heard=lambda response: heard.append(response.url))
    buttons = view.page.get_by_role("button", name="Run cell", include_hidden=True)
    assert buttons.count() == view.page.locator("div.cell_input").count() > 10
    assert not any("/cells/" in url or "/python" in url for url in heard)
    assert view.errors == []


def test_the_cell_files_hold_every_cell_of_the_page(book):
    for part in PARTS:
        table = (book.folder / "_static" / "cells" / f"{part}.js").read_text("ascii")
        handed = json.loads(table.partition(",")[2][: -len(");\n")])
        page = (book.folder / "chapters" / f"{part}.html").read_text("utf-8")
        assert page.count('<div class="cell_input') == sum(cell["shown"] for cell in handed)
        assert f'<template data-cells="{part}">' in page


def test_without_python_an_error_is_shown(book, open_view, reach):
    view = reach(open_view(book, PAGE), None)
    view.page.evaluate(FORGET_PYTHON)
    cells = Cells(view)
    # To write needs no Python, and who presses Edit can write at once.
    cells.press("Edit", SHOWS)
    view.page.wait_for_selector(".cm-editor")
    view.page.keyboard.insert_text("1 + ")
    assert cells.cell(SHOWS).get_by_role("textbox").inner_text().endswith("1 + ")
    # A tab that is not in use follows another one, so that neither writes over the other.
    view.page.evaluate(WRITE_ELSEWHERE, "2 + 2")
    assert cells.cell(SHOWS).get_by_role("textbox").inner_text() == "2 + 2"
    cells.press("Reset", SHOWS)
    cells.press("Run", ABOVE)
    assert cells.said(ABOVE) == "Python does not run here. cdn.jsdelivr.net cannot be reached."
    cells.press("Edit", ABOVE)
    assert cells.cell(ABOVE).get_by_role("textbox").is_visible()


def test_edit_pressed_before_the_cells_are_loaded_opens_one_editor(book, open_view):
    view = open_view(book, PAGE)
    page = view.page
    Cells(view).press("Edit", SHOWS)
    page.wait_for_selector(".cm-editor")
    page.keyboard.insert_text("1 + ")
    held_back = []
    page.route("**/_static/cells/*.js", lambda route: held_back.append(route))
    page.reload(wait_until="domcontentloaded")
    cells = Cells(view)
    cells.press("Edit", SHOWS)
    cells.press("Edit", SHOWS)
    assert held_back
    for route in held_back:
        route.continue_()
    cells.cell(SHOWS).get_by_role("textbox").wait_for()
    page.wait_for_timeout(200)
    assert page.locator(".cell-field").count() == 1
    # What runs is what is written there.
    page.evaluate(
        """() => {
            window.ran = [];
            recsysBook.python.ask = ({ source }) => {
                ran.push(source);
                return Promise.resolve({ reply: { outputs: [], digest: "" } });
            };
        }"""
    )
    cells.press("Run", SHOWS)
    cells.said(SHOWS)
    assert "1 + " in page.evaluate("ran.at(-1)")
    page.unroute("**/_static/cells/*.js")
    assert view.errors == []


def test_outputs_of_code_that_was_reset_meanwhile_are_not_shown(book, open_view):
    view = open_view(book, PAGE)
    page, cells = view.page, Cells(view)
    printed = cells.shown(SHOWS)
    page.evaluate(
        """last => {
            recsysBook.python.ask = ({ name }) => new Promise((resolve) => {
                const reply = { outputs: ["<p>of my own</p>"], digest: "" };
                if (name === last) window.reply = () => resolve({ reply });
                else resolve({ reply });
            });
        }""",
        f"cell {SHOWS}",
    )
    cells.press("Edit", SHOWS)
    cells.write(SHOWS, "'of my own'")
    cells.press("Run", SHOWS)
    page.wait_for_function("Boolean(window.reply)")
    cells.press("Reset", SHOWS)
    page.evaluate("reply()")
    page.get_by_text(f"The code of cell {SHOWS} was changed while it ran.").wait_for()
    assert cells.shown(SHOWS) == printed
    assert view.errors == []


@python_in_a_page
@with_python
def test_a_cell_can_be_run_edited_stopped_saved_and_reset(book, open_view, reach):
    view = reach(open_view(book, PAGE), RUNTIME)
    page = view.page
    cells = Cells(view)
    printed = cells.shown(SHOWS)

    # All above it run first.
    cells.press("Run", SHOWS)
    assert cells.said(SHOWS) == SAME
    assert cells.said(ABOVE) in (SAME, "✓ It ran.")
    assert cells.shown(SHOWS) == printed
    assert_cells_reproduce_saved_outputs(cells)

    cells.press("Edit", SHOWS)
    cells.write(SHOWS, "print('of my own')\nsum([0.25, 0.25])")
    page.keyboard.press("ControlOrMeta+Enter")
    page.get_by_text("of my own", exact=True).wait_for()
    assert [" ".join(shown.split()) for shown in cells.shown(SHOWS)] == ["of my own 0.500"]
    for theme in ("light", "dark"):
        switch_theme(page, theme)
        assert broken_rules(page, cells.cell(SHOWS)) == [], theme

    # An explorable that a cell of one's own shows can be moved.
    cells.write(
        SHOWS, "from recsys_metrics.workbook.explorables import ranking\nranking.metric_values"
    )
    page.keyboard.press("ControlOrMeta+Enter")
    moved = cells.cell(SHOWS).locator("[data-explorable][data-alive]")
    moved.wait_for(timeout=30_000)
    before = moved.locator(".explorable-readout").inner_text()
    moved.get_by_role("slider").first.press("ArrowLeft")
    assert moved.locator(".explorable-readout").inner_text() != before

    # What is wrong above is said where one has pressed, and shown where it is.
    cells.press("Edit", ABOVE)
    cells.write(ABOVE, "nobody_knows")
    cells.press("Run", SHOWS)
    assert f"Cell {ABOVE} above has raised an error" in cells.said(SHOWS)
    assert "NameError" in cells.shown(ABOVE)[0]
    cells.press("Reset", ABOVE)

    cells.write(SHOWS, "while True: pass")
    cells.press("Run", SHOWS)
    cells.page.get_by_role("button", name=f"Stop cell {SHOWS}").wait_for()
    page.get_by_text("Running …").wait_for(timeout=90_000)
    cells.press("Stop", SHOWS)
    assert cells.said(SHOWS) == "Stopped."

    # What was written is there the next time.
    page.reload()
    again = Cells(view)
    field = again.cell(SHOWS).get_by_role("textbox")
    field.wait_for()
    assert field.input_value() == "while True: pass"
    again.press("Reset", SHOWS)
    assert again.said(SHOWS) == "As it was printed."
    assert again.shown(SHOWS) == printed
    page.reload()
    assert page.locator(".cell-field").count() == 0
    assert view.errors == []


def subject_of(name):
    return name.partition(".")[0]


@pytest.fixture(scope="module")
def running(book, open_shared_view):
    """The cells of a page whose Python has started."""
    with reaching() as answer:
        view = answer(open_shared_view(book, PAGE), RUNTIME)
        cells = Cells(view)
        cells.press("Run", ABOVE)
        cells.said(ABOVE)
        cells.press("Edit", SHOWS)
        yield cells
        assert view.errors == []


@python_in_a_page
@with_python
@pytest.mark.parametrize("subject", dict.fromkeys([*SUBJECTS, *map(subject_of, FIGURES)]))
def test_checks_and_figure_states_in_the_page_equal_those_of_python(running, subject):
    source = Path(in_both.__file__).read_text(encoding="utf-8")
    running.write(SHOWS, f"{source}\nprint(results({subject!r}))")
    running.page.keyboard.press("ControlOrMeta+Enter")
    shown = running.cell(SHOWS).locator(
        ".cell_output:visible", has_text=f'{{"subject": "{subject}"'
    )
    shown.wait_for(timeout=120_000)
    there, here = json.loads(shown.text_content()), json.loads(in_both.results(subject))
    assert len(here["checks"]) == len(SUBJECTS.get(subject, ()))
    for name, heard in here["checks"].items():
        assert there["checks"][name] == heard, name
    for name, states in here["states"].items():
        for ours, theirs in zip(states, there["states"][name], strict=True):
            assert theirs == pytest.approx(ours, rel=1e-9, abs=1e-12, nan_ok=True), name


@python_in_a_page
@with_python
def test_on_a_second_visit_cells_run_offline(book, tabs, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book"))
    import in_page

    # All of Python is beside this book, and its server ends.
    folder = tmp_path / "site"
    shutil.copytree(book.folder, folder, copy_function=os.link)
    in_page.write(folder / "_static" / "python", str(RUNTIME))
    page = tabs.take("light", 1280, service_workers="allow")
    try:
        with serve_folder(folder) as address:
            page.goto(f"{address}/{PAGE}")
            first = Cells(View(page))
            first.press("Run", SHOWS)
            assert first.said(SHOWS) == SAME
            page.wait_for_function("navigator.serviceWorker.controller !== null")
        page.reload()
        again = Cells(View(page))
        again.press("Run", SHOWS)
        assert again.said(SHOWS) == SAME
        again.press("Edit", SHOWS)
        again.write(SHOWS, "print('without a network')")
        page.keyboard.press("ControlOrMeta+Enter")
        page.get_by_text("without a network", exact=True).wait_for()
        with pytest.raises(Exception, match="ERR_"):
            page.goto(f"{address}/chapters/index.html")
    finally:
        page.context.close()


@with_python
@pytest.mark.sweep("part", keep=0)  # nbval runs each notebook in every sample
@pytest.mark.parametrize("part", RUN)
def test_every_cell_of_a_part_reproduces_its_saved_output(book, open_view, reach, part):
    view = reach(open_view(book, f"chapters/{part}.html"), RUNTIME)
    assert_cells_reproduce_saved_outputs(Cells(view))
    assert view.errors == []
