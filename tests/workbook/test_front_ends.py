"""From a front end's address to the first answer: what a learner does there, and how long it takes.

The book's pages have tests of their own, in tests/book.
"""

from __future__ import annotations

import time

import pytest

from tests.in_lab import served, state

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = pytest.mark.browser

CELLS = ("from recsys_metrics.workbook.exercises import ranking as ex\nex.e5",)
ANSWERS = {"DCG@5": "1.518", "IDCG@5": "2.131", "NDCG@5": "0.712"}
# The address of a notebook, below that of the server which `recsys-workbook lab` starts.
PLACES = {"JupyterLab": "/lab/tree/mine.ipynb", "Notebook 7": "/notebooks/mine.ipynb"}


@pytest.fixture
def address(tmp_path, monkeypatch):
    """A server of its own: a kernel that is there already knows what was answered."""
    monkeypatch.setenv("RECSYS_METRICS_PROGRESS", "off")
    with served(tmp_path, CELLS) as found:
        yield found


def run_first_cell(page, shown):
    """Run it by keyboard, again where the kernel was not there yet, until it shows something."""
    for _ in range(12):
        page.locator(".jp-CodeCell .cm-content").first.click()
        page.keyboard.press("Control+Enter")
        try:
            shown.wait_for(timeout=5_000)
        except playwright.TimeoutError:
            if (choice := page.locator(".jp-Dialog button.jp-mod-accept")).count():
                choice.first.click()
            continue
        return
    raise AssertionError(f"the cell was run, and shows no card.\n{state(page)}")


@pytest.mark.parametrize("front_end", PLACES)
def test_an_exercise_is_answered(address, browser, front_end, record_property):
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    begun = time.monotonic()
    page.goto(address.replace(PLACES["JupyterLab"], PLACES[front_end]))
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
    opened = time.monotonic()
    card = page.locator(".recsys-card").first
    run_first_cell(page, card)
    assert "✓ Pass" not in card.inner_text()
    for label, value in ANSWERS.items():
        card.get_by_label(label, exact=True).fill(value)
    card.get_by_label("NDCG@5", exact=True).press("Enter")
    card.get_by_text("own-list ideal").first.wait_for(timeout=60_000)
    assert "✓ Pass" in card.inner_text()
    record_property(
        "table",
        f"{front_end}: the notebook after {opened - begun:.1f} s, "
        f"the first verdict after {time.monotonic() - begun:.1f} s",
    )
    context.close()
