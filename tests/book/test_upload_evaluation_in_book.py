"""The page of a reader's own numbers: evaluated in the page, as Python does it."""

from __future__ import annotations

import base64
import json

import pytest

from recsys_metrics.evaluation import Report
from recsys_metrics.workbook.browser.upload_evaluation import MEASURES, create_reports
from tests.book.test_code_in_book import FORGET_PYTHON, RUNTIME, reach
from tests.tiers import python_in_a_page

__all__ = ["reach"]

pytestmark = pytest.mark.browser

PAGE = "chapters/your_numbers.html"


def test_missing_files_are_reported_before_anything_is_loaded(book, open_view):
    heard = []
    view = open_view(book, PAGE, heard=lambda response: heard.append(response.url))
    view.page.get_by_role("button", name="Evaluate").click()
    said = view.page.locator(".own-shown").inner_text()
    assert said == "Name a file first: What was recommended."
    assert not any("/python" in url for url in heard)
    assert view.errors == []


@python_in_a_page
@pytest.mark.skipif(
    not RUNTIME.is_dir(), reason="no Python for a browser in build/wasm/runtime: make pyodide"
)
def test_files_are_evaluated_in_the_page_without_upload(book, open_view, reach, tmp_path):
    asked = []
    view = reach(open_view(book, PAGE), RUNTIME)
    page = view.page
    page.on("request", lambda request: asked.append(request))
    page.evaluate(FORGET_PYTHON)
    page.get_by_role("button", name="Try a sample").click()
    shown = page.locator(".own-report")
    shown.wait_for(timeout=120_000)
    coded = page.locator("#own-sample").get_attribute("data-files")
    sample = json.loads(base64.b64decode(coded))
    for found in create_reports(sample, MEASURES).values():
        for name, result in found.items():
            assert f"{result.value:.3f}" in shown.inner_text(), name
    assert "candidate.csv against today.csv" in shown.inner_text()
    assert "Who would report which number" in shown.inner_text()
    assert "RecTools ndcg(divide_by_achievable=true)" in shown.inner_text()
    drawn = shown.get_by_role("img").get_attribute("aria-label")
    assert drawn.startswith("Gains of candidate.csv over today.csv: the interval of ")
    # Who looks at the numbers is told where they are, and can keep them.
    with page.expect_download() as saving:
        page.get_by_role("link", name="Keep the report").click()
    saving.value.save_as(tmp_path / "report.json")
    assert [*Report.load(tmp_path / "report.json")] == [*MEASURES]

    own = tmp_path / "own.csv"
    own.write_text("user,item,rank\nu1,x,first\n")
    page.locator("#own-recommended").set_input_files(own)
    page.get_by_role("button", name="Evaluate").click()
    page.locator(".own-problem").wait_for(timeout=30_000)
    assert page.locator(".own-problem").inner_text() == "own.csv, row 2: 'first' is no number"
    assert {request.method for request in asked} == {"GET"}
    assert view.errors == []
