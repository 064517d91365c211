"""Cards answered in JupyterLab by keyboard alone, and what is kept of it."""

from __future__ import annotations

import json
import time

import pytest

from recsys_metrics.workbook import progress
from tests.in_lab import idle, listen, run_all, served

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = pytest.mark.browser

CELLS = (
    "from recsys_metrics.workbook.exercises import ranking as ex\nex.e5",
    "ex.which_pages",
    "ex.order_average_precision",
    "ex.e4",
    "ex.e4.check(0.589)",
    "import time\ntime.sleep(3)",
)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def page(browser, home, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    # Where progress is kept by default, and whether it is, is part of what is tested.
    places = {"HOME": str(home), "XDG_DATA_HOME": str(home)}
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(progress.VARIABLE, raising=False)
        with served(folder, CELLS, **places) as address:
            context = browser.new_context(viewport={"width": 1280, "height": 1000})
            opened = context.new_page()
            heard = listen(opened)
            opened.goto(address)
            opened.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
            run_all(opened, opened.locator(".recsys-card").nth(2), heard)
            yield opened
            context.close()


def card(page, number):
    found = page.locator(".recsys-card").nth(number)
    found.scroll_into_view_if_needed()
    return found


def test_numbers_are_typed_and_checked_by_enter(page):
    form = card(page, 0)
    for label, value in (("DCG@5", "1.518"), ("IDCG@5", "2.131"), ("NDCG@5", "0.712")):
        form.get_by_label(label, exact=True).fill(value)
    form.get_by_label("NDCG@5", exact=True).press("Enter")
    form.get_by_text("own-list ideal").first.wait_for(timeout=60_000)
    assert "✓ Pass" in form.inner_text()
    line = form.get_by_label("IDCG@5", exact=True).bounding_box()
    verdict = form.get_by_text("own-list ideal").first.bounding_box()
    following = form.get_by_label("NDCG@5", exact=True).bounding_box()
    assert line["y"] < verdict["y"] < following["y"]


def test_buttons_are_reached_by_tab_and_pressed_by_space(page):
    form = card(page, 0)
    form.get_by_label("NDCG@5", exact=True).focus()
    words = []
    for _ in range(3):
        page.keyboard.press("Tab")
        words.append(page.evaluate("document.activeElement.innerText"))
    assert words == ["Check", "Hint (3 left)", "Solution"]
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    form.get_by_role("button", name="Hint (2 left)").wait_for(timeout=60_000)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    form.get_by_text("idcg = sum(1 / log2(rank + 1) for rank in best)").wait_for(timeout=60_000)


def test_an_option_is_reached_by_tab_and_chosen_by_space(page):
    form = card(page, 1)
    assert form.get_by_role("button", name="Solution").is_disabled()
    options = form.get_by_role("radio")
    options.first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert [option.is_checked() for option in options.all()] == [False, True, *[False] * 4]
    for _ in range(5):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText") == "Check"
    page.keyboard.press("Space")
    form.get_by_text("Likely cause").wait_for(timeout=60_000)
    # The verdict and the button are two messages of the kernel.
    solution = form.get_by_role("button", name="Solution")
    playwright.expect(solution).to_be_enabled(timeout=60_000)


def test_an_order_is_typed(page):
    form = card(page, 2)
    form.get_by_label("Letters, in order").fill("d f b e")
    page.keyboard.press("Enter")
    form.get_by_text("Right so far").wait_for(timeout=60_000)


def test_what_is_typed_while_a_cell_runs_is_checked_to_its_last_letter(page):
    """The page sends a press at once, and what is typed once the kernel has taken what was before.

    Without the way to the page and back the check sees the first letter alone.
    """
    form = card(page, 3)
    line = form.get_by_role("textbox")
    # A notebook that was run more than once has taken up what its last cell answered.
    line.fill("")
    idle(page).wait_for(state="attached", timeout=60_000)
    page.locator(".jp-CodeCell").last.click()
    page.keyboard.press("Control+Enter")
    page.locator('[data-status="busy"]').first.wait_for(state="attached", timeout=60_000)
    line.press_sequentially("0.4417", delay=60)
    assert not idle(page).count()
    page.keyboard.press("Enter")
    form.get_by_text("✓ Pass").first.wait_for(timeout=60_000)


def test_what_was_tried_is_kept_from_cells_and_from_buttons(page, home):
    deadline = time.monotonic() + 60
    told = []
    while len({event["exercise"] for event in told}) < 4 and time.monotonic() < deadline:
        files = list(home.rglob("progress.json"))
        told = json.loads(files[0].read_text())["history"] if files else []
        time.sleep(0.2)
    checks = {event["exercise"]: event for event in told if "outcome" in event}
    assert {"ranking.e4", "ranking.e5", "ranking.which_pages"} <= set(checks)
    of_e4 = [event for event in told if event["exercise"] == "ranking.e4" and "outcome" in event]
    # The cell's answer comes once for each time that the notebook had to be run.
    *of_the_cell, of_the_form = of_e4
    assert {event["misconception"] for event in of_the_cell} == {"hits-divisor"}
    assert of_the_form["outcome"] == "PASS"
    assert checks["ranking.e5"]["outcome"] == "WRONG"
    assert checks["ranking.e5"]["seconds"] > 0
    helped = [event["what"] for event in told if "what" in event]
    assert helped == ["hint", "solution"]


def test_a_new_kernel_shows_again_what_was_answered(page):
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_role("menuitem", name="Restart Kernel and Run All Cells…").click()
    page.locator(".jp-Dialog button.jp-mod-accept").click()
    # The cards of the old kernel are gone before those of the new one come.
    page.wait_for_function("document.querySelectorAll('.recsys-card').length === 0", timeout=60_000)
    form = card(page, 0)
    form.get_by_text("own-list ideal").first.wait_for(timeout=60_000)
    assert form.get_by_label("NDCG@5", exact=True).input_value() == "0.712"
    assert form.get_by_role("button", name="Solution").is_enabled()
    assert card(page, 1).get_by_role("radio").nth(1).is_checked()


def test_long_options_are_not_cut_off(page):
    form = card(page, 1)
    inner = form.bounding_box()
    for label in form.locator(".widget-radio-box label").all():
        box = label.bounding_box()
        assert box["x"] + box["width"] <= inner["x"] + inner["width"]
        assert label.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
