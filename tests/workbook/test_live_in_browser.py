"""The explorable moved and an answer typed in JupyterLab, in a real browser."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time

import nbformat
import pytest

from recsys_metrics.workbook.explorables import verdicts

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = pytest.mark.browser

CELLS = (
    "from recsys_metrics.workbook.explorables import verdicts\nverdicts",
    "from recsys_metrics.workbook.exercises import ranking as ex\nex.e4.check(0.589)",
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab as the command line starts it, with a notebook of ours beside the chapters."""
    folder = tmp_path_factory.mktemp("lab")
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in CELLS],
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
        },
    )
    nbformat.write(notebook, folder / "mine.ipynb")
    # A port of its own: another test watches the ports that are taken by default.
    with socket.socket() as door:
        door.bind(("localhost", 0))
        port = door.getsockname()[1]
    command = [sys.executable, "-m", "recsys_metrics.cli", "lab", str(folder), "--no-browser"]
    server = subprocess.Popen(
        [*command, "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        said = ""
        while not (found := re.search(r"http://\S+", said)):
            line = server.stdout.readline()
            assert line, f"the lab ended before it said where it is:\n{said}"
            said += line
        yield found[0]
    finally:
        server.terminate()
        server.wait(30)


def run_all(page) -> None:
    """Run the notebook, again if need be, until the slider is there.

    Asked to run before the kernel is ready, JupyterLab asks which kernel instead, or runs nothing.
    """
    slider = page.locator(".widget-hslider").first
    choice = page.locator(".jp-Dialog button.jp-mod-accept")
    for _ in range(20):
        try:
            if choice.count():
                choice.first.click(timeout=3000)
            page.get_by_role("menuitem", name="Run", exact=True).click(timeout=3000)
            page.get_by_role("menuitem", name="Run All Cells", exact=True).click(timeout=3000)
        except playwright.TimeoutError:
            page.keyboard.press("Escape")  # a dialog came while the menu was open
            continue
        for _ in range(30):
            if slider.is_visible():
                return
            if choice.count():
                break
            page.wait_for_timeout(200)
    raise AssertionError("the notebook was run and no slider came")


@pytest.fixture(scope="module")
def page(lab, browser):
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    opened = context.new_page()
    opened.goto(re.sub(r"/lab/tree/[^?]*", "/lab/tree/mine.ipynb", lab))
    opened.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
    run_all(opened)
    yield opened
    context.close()


def shown(page) -> dict[str, str]:
    """Return the readout beside the picture: the name of each verdict and its value."""
    rows = page.locator(".jupyter-widgets table tbody tr").all()
    return {row.locator("th").inner_text(): row.locator("td").first.inner_text() for row in rows}


def expected(**changed) -> dict[str, str]:
    numbers = verdicts.compute({**verdicts.start, **changed})
    return {label: f"{numbers[name]:.3f}" for name, label in verdicts.labels.items()}


def settle(page, state: dict[str, str]) -> None:
    """Wait until the readout shows a state, and fail with both if it never does."""
    deadline = time.monotonic() + 10
    while shown(page) != state and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert shown(page) == state


def test_the_slider_by_keyboard_the_grades_by_menu_and_the_way_back(page):
    settle(page, expected())
    page.locator(".widget-hslider [role=slider], .widget-hslider .noUi-handle").first.focus()
    for k in (4, 3, 2):
        page.keyboard.press("ArrowLeft")
        settle(page, expected(k=k))
    assert "K = 2" in page.locator(".jupyter-widgets svg[role=img]").text_content()
    menus = page.locator(".widget-dropdown select")
    menus.nth(0).select_option(label="● loved (3)")
    settle(page, expected(k=2, A=3))
    menus.nth(6).select_option(index=1)
    settle(page, expected(k=2, A=3, gain="exponential"))
    page.get_by_role("button", name="Reset").click()
    settle(page, expected())


def test_the_slider_by_pointer(page):
    handle = page.locator(".widget-hslider .noUi-handle").first.bounding_box()
    track = page.locator(".widget-hslider .noUi-base").first.bounding_box()
    page.mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"], track["y"] + 2, steps=5)
    page.mouse.up()
    settle(page, expected(k=10))
    page.get_by_role("button", name="Reset").click()
    settle(page, expected())


def test_a_wrong_answer_is_told_its_mistake(page):
    verdict = page.locator(".jp-OutputArea").nth(1)
    verdict.get_by_text("hits divisor").wait_for(timeout=60_000)
    assert "Not yet" in verdict.inner_text()
    assert "What was missed then costs nothing" in verdict.inner_text()
