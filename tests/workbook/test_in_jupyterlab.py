"""Cards answered and an explorable moved in JupyterLab, and what is kept of it.

A lab takes longer to start than all of this: one page has them all.
"""

from __future__ import annotations

import json
import time

import pytest

from recsys_metrics.workbook import progress
from recsys_metrics.workbook.explorables import metric_values
from tests.jupyterlab_page import idle, listen, recommended, run_all, state
from tests.tiers import in_a_lab

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = [pytest.mark.browser, in_a_lab]

CELLS = (
    "from recsys_metrics.workbook.exercises import ranking as ex\nex.ndcg_from_scratch",
    "ex.which_pages",
    "ex.order_average_precision",
    "ex.average_precision_of_list",
    "ex.average_precision_of_list.check(0.589)",
    "import time\ntime.sleep(3)",
    "from recsys_metrics.workbook.explorables import metric_values\nmetric_values",
)
SLEEPS = "time.sleep(3)"
MISTAKE = "hits divisor"


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
        with recommended(folder, CELLS, **places) as address:
            context = browser.new_context(viewport={"width": 1280, "height": 1000})
            opened = context.new_page()
            heard = listen(opened)
            opened.goto(address)
            opened.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
            # What the last cell draws comes once each above it has run.
            notebook = opened.locator(".jp-Notebook").filter(has=opened.locator(".explorable-svg"))
            run_all(opened, notebook.filter(has_text=MISTAKE), heard)
            yield opened
            context.close()


def card(page, number):
    found = page.locator(".jp-OutputArea .exercise").nth(number)
    found.scroll_into_view_if_needed()
    return found


def test_numbers_are_entered_and_checked_with_enter(page):
    form = card(page, 0)
    for label, value in (("DCG@5", "1.518"), ("IDCG@5", "2.131"), ("NDCG@5", "0.712")):
        form.get_by_label(label, exact=True).fill(value)
    form.get_by_label("NDCG@5", exact=True).press("Enter")
    form.get_by_text("own-list ideal").first.wait_for(timeout=60_000)
    rows = form.locator(".exercise-field")
    outcomes = rows.evaluate_all("rows => rows.map(row => row.dataset.outcome)")
    assert outcomes == ["pass", "wrong", "wrong"]
    assert "IDCG@5" in form.locator(".feedback").first.inner_text()


def test_buttons_are_reached_by_tab_and_pressed_by_space(page):
    form = card(page, 0)
    form.get_by_label("NDCG@5", exact=True).focus()
    words = []
    while "⋯" not in words and len(words) < 8:
        page.keyboard.press("Tab")
        words.append(page.evaluate("document.activeElement.innerText"))
    assert [word for word in words if word != "Show the answer"] == ["Check", "Hint (3 left)", "⋯"]
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    form.get_by_text("Hint 1 of 3").wait_for(timeout=60_000)
    form.get_by_role("button", name="Hint (2 left)").wait_for(timeout=60_000)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.evaluate("document.activeElement.innerText") == "Worked solution"
    page.keyboard.press("Space")
    form.get_by_text("idcg = sum(1 / log2(rank + 1) for rank in best)").wait_for(timeout=60_000)


def test_other_numbers_and_the_answer_in_code_are_in_the_menu(page):
    form = card(page, 3)
    before = form.locator(".exercise-question").text_content()
    form.locator(".card-more").click()
    form.get_by_role("menuitem", name="Other numbers").click()
    playwright.expect(form.locator(".exercise-question")).not_to_have_text(before, timeout=60_000)
    assert "variant 1" in form.locator(".exercise-title").inner_text()
    form.locator(".card-more").click()
    form.get_by_role("menuitem", name="Answer in code").click()
    form.get_by_text('average_precision_of_list.variant("1").check(ap=...)').wait_for()
    form.locator(".card-more").click()
    form.get_by_role("menuitem", name="The first numbers").click()
    playwright.expect(form.locator(".exercise-question")).to_have_text(before, timeout=60_000)


def test_an_option_is_reached_by_tab_and_chosen_by_space(page):
    form = card(page, 1)
    solution = form.locator(".card-items button").first
    assert solution.is_disabled()
    options = form.get_by_role("radio")
    options.first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    assert [option.is_checked() for option in options.all()] == [False, True, *[False] * 4]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText") == "Check"
    page.keyboard.press("Space")
    form.get_by_text("Why not").wait_for(timeout=60_000)
    playwright.expect(solution).to_be_enabled(timeout=60_000)


def test_lines_are_put_in_order_by_keys(page):
    form = card(page, 2)
    for letter in "dfbe":
        form.locator(f'ul [data-letter="{letter}"] > button').press("Enter")
    form.get_by_role("button", name="Check").press("Enter")
    form.get_by_text("Right so far").wait_for(timeout=60_000)


def test_input_typed_while_a_cell_runs_is_checked_completely(page):
    """What is typed goes to the kernel with the press, whatever the kernel is busy with."""
    form = card(page, 3)
    line = form.get_by_role("textbox")
    # A notebook that was run more than once has taken up what its last cell answered.
    line.fill("")
    idle(page).wait_for(state="attached", timeout=60_000)
    page.locator(".jp-CodeCell").filter(has_text=SLEEPS).click()
    page.keyboard.press("Control+Enter")
    page.locator('[data-status="busy"]').first.wait_for(state="attached", timeout=60_000)
    line.press_sequentially("0.4417", delay=60)
    assert not idle(page).count()
    page.keyboard.press("Enter")
    form.get_by_text("✓ Correct").first.wait_for(timeout=60_000)


def test_attempts_from_cells_and_buttons_are_recorded(page, home):
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
    assert {event["mistake"] for event in of_the_cell} == {"hits-divisor"}
    assert of_the_form["outcome"] == "PASS"
    assert checks["ranking.e5"]["outcome"] == "WRONG"
    assert checks["ranking.e5"]["seconds"] > 0
    helped = [event["what"] for event in told if "what" in event]
    assert helped == ["hint", "solution"]


def test_a_wrong_answer_gets_its_explanation(page):
    feedback = (
        page.locator(".jp-CodeCell").filter(has_text="check(0.589)").locator(".jp-OutputArea")
    )
    assert MISTAKE in feedback.inner_text()
    assert "Not yet" in feedback.inner_text()
    assert "You divided the sum by the number of hits" in feedback.inner_text()


def read_readout(page) -> dict[str, str]:
    """Return the readout beside the picture: the name of each metric and its value."""
    rows = page.locator(".explorable-readout tbody tr").all()
    value = "td:nth-child(2) > span:first-child"
    return {row.locator("th").inner_text(): row.locator(value).inner_text() for row in rows}


def expected(**changed) -> dict[str, str]:
    numbers = metric_values.compute({**metric_values.start, **changed})
    return {label: f"{numbers[name]:.3f}" for name, label in metric_values.labels.items()}


def settle(page, state: dict[str, str]) -> None:
    """Wait until the readout shows a state, and fail with both if it never does."""
    deadline = time.monotonic() + 60
    while read_readout(page) != state and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert read_readout(page) == state


def test_a_prediction_is_requested_before_the_first_move(page):
    settle(page, expected())
    row = page.locator(".explorable-guess")
    row.get_by_role("button", name="fall").click()
    settle(page, expected(k=6))
    page.wait_for_function(
        "document.querySelector('.explorable-told').textContent.startsWith('✓ Your guess "
        "was: fall')"
    )
    page.get_by_role("button", name="Reset").click()
    settle(page, expected())


def test_the_figure_works_by_keyboard(page):
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


def test_the_menu_of_the_figure_unfolds_the_exact_values(page):
    settle(page, expected())
    exact, button = page.locator(".explorable-exact"), page.locator(".explorable .card-more")
    assert exact.evaluate("e => e.offsetHeight") <= 1
    button.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.innerText") == "Exact values"
    page.keyboard.press("Enter")
    assert exact.evaluate("e => e.offsetHeight") > 40
    button.click()
    page.get_by_role("menuitemcheckbox", name="Exact values").click()
    assert exact.evaluate("e => e.offsetHeight") <= 1
    button.click()
    page.keyboard.press("Escape")
    assert page.locator(".explorable [role=menu]").is_hidden()


def test_the_figure_works_by_pointer(page):
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


def test_a_new_kernel_restores_answers(page):
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_role("menuitem", name="Restart Kernel and Run All Cells…").click()
    page.locator(".jp-Dialog button.jp-mod-accept").click()
    # The cards of the old kernel are gone before those of the new one come.
    page.wait_for_function(
        "document.querySelectorAll('.jp-OutputArea .exercise').length === 0", timeout=60_000
    )
    form = card(page, 0)
    form.get_by_text("own-list ideal").first.wait_for(timeout=60_000)
    assert form.get_by_label("NDCG@5", exact=True).input_value() == "0.712"
    assert form.locator(".card-items button").first.is_enabled()
    assert card(page, 1).get_by_role("radio").nth(1).is_checked()


def test_long_options_are_not_cut_off(page):
    form = card(page, 1)
    inner = form.bounding_box()
    for label in form.locator(".exercise-option").all():
        box = label.bounding_box()
        assert box["x"] + box["width"] <= inner["x"] + inner["width"]
        assert label.evaluate("e => e.scrollWidth <= e.clientWidth + 1")


def test_the_state_of_an_empty_lab_is_described(browser):
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
