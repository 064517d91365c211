"""From a front end's address to the first answer: what is kept of it, and how long it takes.

An answer of yesterday in JupyterLab is there today in Notebook 7 and in the book.
"""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from recsys_metrics.workbook.common.interactive import VIEW
from recsys_metrics.workbook.explorables import metric_values
from tests.book.test_cards_in_book import PAGE
from tests.jupyterlab_page import recommended, state, wait_for_kernel, write_notebook
from tests.tiers import in_a_lab

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = [pytest.mark.browser, in_a_lab]

ROOT = Path(__file__).resolve().parents[2]
PICTURE = "from recsys_metrics.workbook.explorables import metric_values\nmetric_values"
CELLS = ("from recsys_metrics.workbook.exercises import ranking as ex\nex.ndcg_from_scratch",)
ANSWERS = {"DCG@5": "1.518", "IDCG@5": "2.131", "NDCG@5": "0.712"}
# Where they find a notebook, below the address of the server that `recsys-workbook lab` starts.
NEXT_DAY = "next.ipynb"
JUPYTERLAB, NOTEBOOK = "/lab/tree/mine.ipynb", f"/notebooks/{NEXT_DAY}"


def run_cell(page, number, shown):
    """Run it by keyboard until it shows something."""
    wait_for_kernel(page)
    page.locator(".jp-CodeCell .cm-content").nth(number).click()
    page.keyboard.press("Control+Enter")
    try:
        shown.wait_for(timeout=60_000)
    except playwright.TimeoutError:
        raise AssertionError(f"the cell was run, and shows no card.\n{state(page)}") from None


@contextmanager
def opened(browser, address):
    """Open a notebook and yield its page and the seconds that took."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page, begun = context.new_page(), time.monotonic()
    page.goto(address)
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
    yield page, time.monotonic() - begun
    context.close()


def fill(card, values):
    """Type answers, the last of them with Enter."""
    for label, value in values.items():
        card.get_by_label(label, exact=True).fill(value)
    card.get_by_label(label, exact=True).press("Enter")


def values_of(card):
    return {label: card.get_by_label(label, exact=True).input_value() for label in ANSWERS}


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    return tmp_path_factory.mktemp("record") / "progress.json"


@pytest.fixture(scope="module")
def address(record, tmp_path_factory):
    """A notebook on a server, which keeps nothing of an answer itself; a second is beside it."""
    folder = tmp_path_factory.mktemp("jupyter")
    write_notebook(folder / NEXT_DAY, (*CELLS, "ex.average_precision_of_list"))
    with recommended(folder, CELLS, RECSYS_METRICS_PROGRESS=str(record)) as address:
        yield address


@pytest.fixture(scope="module")
def of_yesterday(browser, address, record):
    """A first answer in JupyterLab: the record, made a day older, and the times."""
    with opened(browser, address) as (page, took):
        begun = time.monotonic()
        card = page.locator(".jp-OutputArea .exercise").first
        run_cell(page, 0, card)
        assert not any(values_of(card).values())
        fill(card, ANSWERS)
        card.get_by_text("own-list ideal").first.wait_for(timeout=60_000)
        assert card.locator(".exercise-field[data-outcome=pass]").count() == 1
        feedback = took + time.monotonic() - begun
    kept = json.loads(record.read_text(encoding="utf-8"))
    for event in kept["history"]:
        before = datetime.fromisoformat(event["when"]) - timedelta(days=1)
        event["when"] = before.isoformat(timespec="milliseconds")
    record.write_text(json.dumps(kept), encoding="utf-8")
    times = f"the notebook after {took:.1f} s, the first feedback after {feedback:.1f} s"
    return record, f"JupyterLab: {times}"


def test_an_exercise_can_be_answered_in_jupyterlab(of_yesterday, record_property):
    record, told = of_yesterday
    (event,) = json.loads(record.read_text(encoding="utf-8"))["history"]
    assert event["exercise"] == "ranking.e5"
    assert list(event["answer"].values()) == list(ANSWERS.values())
    record_property("table", told)


def test_notebook_7_shows_the_answer_of_the_day_before(
    of_yesterday, browser, address, record_property
):
    record, _ = of_yesterday
    with opened(browser, address.replace(JUPYTERLAB, NOTEBOOK)) as (page, took):
        begun = time.monotonic()
        cards = page.locator(".jp-OutputArea .exercise")
        run_cell(page, 0, cards.first)
        cards.first.get_by_text("own-list ideal").first.wait_for(timeout=60_000)
        assert values_of(cards.first) == ANSWERS
        run_cell(page, 1, cards.nth(1))
        fill(cards.nth(1), {"AP@5": "0.589"})
        cards.nth(1).get_by_text("hits divisor").first.wait_for(timeout=60_000)
        record_property(
            "table",
            f"Notebook 7: the notebook after {took:.1f} s, yesterday's feedback and new after "
            f"{took + time.monotonic() - begun:.1f} s",
        )
    history = json.loads(record.read_text(encoding="utf-8"))["history"]
    assert [event["exercise"] for event in history] == ["ranking.e5", "ranking.e4"]
    assert history[0]["when"][:10] < history[1]["when"][:10]


def test_the_book_loads_the_same_progress_file(of_yesterday, sample_site, open_view):
    record, _ = of_yesterday
    view = open_view(sample_site, PAGE)
    view.page.locator(".progress-line input[type=file]").set_input_files(record)
    view.page.get_by_text("entry taken.").or_(view.page.get_by_text("entries taken.")).wait_for()
    view.page.reload()
    view.wake()
    card = view.page.locator('[data-exercise="ranking.e5"]')
    assert values_of(card) == ANSWERS
    assert view.errors == []


def test_an_nbconvert_page_has_picture_question_and_outcome(tmp_path, record_property):
    """What comes of a notebook that a program runs: nothing is alive, and nothing is missing."""
    notebook, begun = tmp_path / "mine.ipynb", time.monotonic()
    write_notebook(notebook, (*CELLS, "ex.ndcg_from_scratch.check(1.518, 2.131, 0.712)", PICTURE))
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
    card, feedback, picture = (
        shown.index(word) for word in ("Hint 1 of", "✓ Correct", metric_values.id)
    )
    assert card < feedback < picture
    assert "own-list ideal" in shown[feedback:picture]
    assert html.escape(metric_values.question) in shown[picture:]
    assert re.search(r'<img [^>]*alt="[^"]{40,}', shown[picture:])
    # Nothing of it waits for a script, which would come from another host.
    assert f'<script type="{VIEW}">' not in shown
    record_property("table", f"nbconvert: run, and on a page, after {took:.1f} s")
