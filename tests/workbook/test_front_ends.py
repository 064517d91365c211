"""From a front end's address to the first answer: what a learner does there, and how long it takes.

The book's pages have tests of their own, in tests/book. All of them print their times.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from recsys_metrics.workbook.attended import VIEW
from recsys_metrics.workbook.explorables import verdicts
from tests.in_lab import served, state, write_notebook

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
PICTURE = "from recsys_metrics.workbook.explorables import verdicts\nverdicts"
CELLS = ("from recsys_metrics.workbook.exercises import ranking as ex\nex.e5",)
ANSWERS = {"DCG@5": "1.518", "IDCG@5": "2.131", "NDCG@5": "0.712"}
# The address of a notebook, below that of the server which `recsys-workbook lab` starts. Each has
# a notebook of its own: a kernel that is there already knows what was answered.
PLACES = {"JupyterLab": "/lab/tree/mine.ipynb", "Notebook 7": "/notebooks/again.ipynb"}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("front ends")
    with served(folder, CELLS, RECSYS_METRICS_PROGRESS="off") as found:
        shutil.copyfile(folder / "mine.ipynb", folder / "again.ipynb")
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


def test_a_page_of_nbconvert_has_picture_question_and_verdict(tmp_path, record_property):
    """What comes of a notebook that a program runs: nothing is alive, and nothing is missing."""
    notebook, begun = tmp_path / "mine.ipynb", time.monotonic()
    write_notebook(notebook, (*CELLS, "ex.e5.check(1.518, 2.131, 0.712)", PICTURE))
    done = subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "html", "--execute", str(notebook)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "RECSYS_METRICS_PROGRESS": "off", "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    took = time.monotonic() - begun
    shown = notebook.with_suffix(".html").read_text(encoding="utf-8")
    card, verdict, picture = (shown.index(word) for word in ("Hint 1 of", "✓ Pass", verdicts.id))
    assert card < verdict < picture
    assert "own-list ideal" in shown[verdict:picture]
    assert html.escape(verdicts.question) in shown[picture:]
    assert re.search(r'<img [^>]*alt="[^"]{40,}', shown[picture:])
    # Nothing of it waits for a script, which would come from another host.
    assert f'<script type="{VIEW}">' not in shown
    record_property("table", f"nbconvert: run, and on a page, after {took:.1f} s")
