"""The explorable moved and an answer typed in JupyterLab, in a real browser."""

from __future__ import annotations

import time

import pytest

from recsys_metrics.workbook.explorables import verdicts
from tests.in_lab import listen, run_all, served, state

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = pytest.mark.browser

CELLS = (
    "from recsys_metrics.workbook.explorables import verdicts\nverdicts",
    "from recsys_metrics.workbook.exercises import ranking as ex\nex.e4.check(0.589)",
)

MISTAKE = "hits divisor"


@pytest.fixture(scope="module")
def page(tmp_path_factory, browser):
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    opened = context.new_page()
    with served(tmp_path_factory.mktemp("lab"), CELLS) as address:
        heard = listen(opened)
        opened.goto(address)
        opened.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
        # What the first cell draws comes before the second has run, which now and then never did.
        notebook = opened.locator(".jp-Notebook").filter(has=opened.locator(".explorable-svg"))
        run_all(opened, notebook.filter(has_text=MISTAKE), heard)
        yield opened
    context.close()


def shown(page) -> dict[str, str]:
    """Return the readout beside the picture: the name of each verdict and its value."""
    rows = page.locator(".explorable-readout tbody tr").all()
    value = "td:nth-child(2) > span:first-child"
    return {row.locator("th").inner_text(): row.locator(value).inner_text() for row in rows}


def expected(**changed) -> dict[str, str]:
    numbers = verdicts.compute({**verdicts.start, **changed})
    return {label: f"{numbers[name]:.3f}" for name, label in verdicts.labels.items()}


def settle(page, state: dict[str, str]) -> None:
    """Wait until the readout shows a state, and fail with both if it never does."""
    deadline = time.monotonic() + 60
    while shown(page) != state and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert shown(page) == state


def test_a_guess_is_asked_before_the_first_move_and_told_after_it(page):
    settle(page, expected())
    row = page.locator(".explorable-guess")
    row.get_by_role("button", name="fall").click()
    row.get_by_role("button", name="Show it").click()
    settle(page, expected(k=6))
    page.wait_for_function(
        "document.querySelector('.explorable-told').textContent.startsWith('✓ You said fall')"
    )
    page.get_by_role("button", name="Reset").click()
    settle(page, expected())


def test_by_keyboard_the_line_the_films_and_the_way_back(page):
    settle(page, expected())
    page.locator('.explorable-control[data-control="k"] input').focus()
    for k in (4, 3, 2):
        page.keyboard.press("ArrowLeft")
        settle(page, expected(k=k))
    assert "K = 2" in page.locator(".explorable-svg").text_content()
    page.locator('[data-move="A"][role="button"]').focus()
    page.keyboard.press("Enter")
    settle(page, expected(k=2, A=1))
    page.keyboard.press("ArrowRight")
    settle(page, expected(k=2, A=3))
    page.locator(".explorable-controls select").select_option(index=1)
    settle(page, expected(k=2, A=3, gain="exponential"))
    page.get_by_role("button", name="Reset").click()
    settle(page, expected())


def test_by_pointer_the_line_is_dragged_and_a_film_pressed(page):
    line = page.locator('[data-move="k"]').bounding_box()
    x, y = line["x"] + line["width"] / 2, line["y"] + line["height"] - 12
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 2000, y, steps=5)
    page.mouse.up()
    settle(page, expected(k=10))
    page.locator('[data-move="D"]').click()
    settle(page, expected(k=10, D=1))
    page.get_by_role("button", name="Reset").click()
    settle(page, expected())


def test_a_wrong_answer_is_told_its_mistake(page):
    verdict = page.locator(".jp-OutputArea").nth(1)
    assert MISTAKE in verdict.inner_text()
    assert "Not yet" in verdict.inner_text()
    assert "What was missed then costs nothing" in verdict.inner_text()


def test_of_a_lab_that_shows_nothing_its_words_and_outputs_are_told(browser):
    context = browser.new_context()
    plain = context.new_page()
    heard = listen(plain)
    plain.set_content(
        "<div class='jp-InputPrompt'>[1]:</div><div class='jp-OutputArea-child'><i>empty</i></div>"
        "<img src='http://elsewhere.example/a.png'>"
        "<script>console.warn('no view'); setTimeout(() => { throw new Error('planted') })</script>"
    )
    plain.wait_for_timeout(100)
    for said in ("warning no view", "thrown planted", "no answer http://elsewhere.example/a.png"):
        assert any(line.startswith(said) for line in heard), (said, heard)
    assert "prompts: ['[1]:']" in state(plain)
    assert "<i>empty</i>" in state(plain)
    context.close()
