"""The page on which readers evaluate lists of their own, in the page as Python does it."""

from __future__ import annotations

import base64
import html
import json
import re

import pytest

from recsys_metrics.evaluation import Report
from recsys_metrics.workbook.browser.upload_evaluation import (
    MEASURES,
    create_reports,
    evaluate_files,
)
from tests.book.test_code_in_book import FORGET_PYTHON, RUNTIME, reach
from tests.tiers import python_in_a_page

__all__ = ["reach"]

pytestmark = pytest.mark.browser

PAGE = "chapters/your_numbers.html"
CONCLUSION = ".own-conclusion"


def read_sample(page):
    return json.loads(
        base64.b64decode(page.locator("#own-sample").get_attribute("data-files") or "")
    )


def role(page, name):
    return page.locator(f"[data-role={name}]")


def to_text(markup):
    # A page has typographic quotes where Python has plain ones, and long names may break in it.
    whole = re.sub("<wbr/?>", "", markup)
    text = html.unescape(re.sub("<[^>]+>", " ", whole)).replace("’", "'")
    return " ".join(text.split())


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_sample_is_evaluated_before_anything_is_loaded(book, open_view, width, height):
    heard = []
    view = open_view(book, PAGE, heard=lambda response: heard.append(response.url))
    page = view.page
    page.set_viewport_size({"width": width, "height": height})
    lines = json.loads(evaluate_files(json.dumps(read_sample(page)), ", ".join(MEASURES)))["lines"]
    shown = page.locator(".own-report")
    assert to_text(shown.inner_html()) == to_text("".join(lines))
    # The conclusion is on the first screen, and a picture and no table follows it.
    box = page.locator(f"{CONCLUSION} strong").bounding_box()
    assert box["y"] + box["height"] < height
    assert page.evaluate(
        """() => [...document.querySelectorAll('.own-report table')]
            .every(table => !table.checkVisibility())"""
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not any("/python" in url or "/parquet" in url for url in heard)
    assert view.errors == []


def test_missing_files_are_reported_before_anything_is_loaded(book, open_view):
    heard = []
    view = open_view(book, PAGE, heard=lambda response: heard.append(response.url))
    page = view.page
    # What an earlier test of this tab has loaded would start ahead.
    page.evaluate(
        "async () => { for (const kept of await caches.keys()) await caches.delete(kept) }"
    )
    # A list of one's own does not mix with the sample.
    role(page, "relevant").get_by_text("Paste").click()
    role(page, "relevant").get_by_role("textbox").fill("user,item\nann,A\n")
    page.get_by_text("Still needed: Recommended.").wait_for()
    assert page.locator("[data-held]").all_inner_texts() == ["", "pasted-relevant.csv", ""]
    page.get_by_role("button", name="Evaluate").click()
    said = page.locator(".own-shown").inner_text()
    assert said == "Choose, drop or paste a file first: Recommended."
    assert page.evaluate("document.activeElement.name") == "recommended"
    # What there is of Python is looked up, so that one that the browser keeps can start.
    assert {url.rpartition("/")[2] for url in heard if "/python" in url} <= {"manifest.js"}
    assert view.errors == []


def write_parquet(folder):
    """Write the same lists as several libraries do, with several compressions."""
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    pl = pytest.importorskip("polars", reason="polars is not installed")
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    users, items = [*range(1, 31)] * 2, [f"i{number}" for number in range(60)]
    scores = [1 / (number + 1) for number in range(60)]
    table = pd.DataFrame({"user_id": users, "item": items, "score": scores})
    table["title"] = pd.Categorical(table["item"])
    table["when"] = pd.Timestamp("2026-01-01")
    for kind in ("snappy", "zstd", "gzip", "lz4", None):
        table.to_parquet(folder / f"pandas-{kind}.parquet", compression=kind)
    nested = pl.from_pandas(table).with_columns(tags=pl.lit([1, 2]))
    for kind in ("zstd", "snappy", "uncompressed"):
        nested.write_parquet(folder / f"polars-{kind}.parquet", compression=kind)
    plain = nested.to_arrow()
    pq.write_table(plain, folder / "arrow-pages.parquet", data_page_version="2.0")
    pq.write_table(plain, folder / "arrow-groups.pq", row_group_size=7, use_dictionary=False)
    return table


READ = """async coded => JSON.parse(await (await recsysBook.script('parquet'))(
    Uint8Array.from(atob(coded), letter => letter.charCodeAt(0)).buffer))"""


def test_parquet_is_read_as_other_libraries_write_it(book, open_view, tmp_path):
    view = open_view(book, PAGE)
    table = write_parquet(tmp_path)
    files = sorted(tmp_path.iterdir())
    assert len(files) == 10
    for file in files:
        coded = base64.b64encode(file.read_bytes()).decode()
        columns = view.page.evaluate(READ, coded)
        assert columns["user_id"] == [str(one) for one in table["user_id"]], file.name
        assert columns["item"] == columns["title"] == [*table["item"]], file.name
        assert [float(one) for one in columns["score"]] == [*table["score"]], file.name
        assert "tags" not in columns
    assert view.errors == []


def test_parquet_with_two_columns_of_one_name_is_refused(book, open_view, tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    table = pa.table([["ann"], ["A"], ["B"], [1]], names=["user", "item", "item", "rank"])
    pq.write_table(table, tmp_path / "twice.parquet")
    page = open_view(book, PAGE).page
    choose = role(page, "recommended").get_by_label("Choose a file")
    choose.set_input_files(tmp_path / "twice.parquet")
    page.get_by_text('two columns are named "item", so rename one').wait_for()


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ('{"user": 1, "item": 2}\n{"user": 1, "item": 3}\n', "jsonl"),
        ('{"ann": ["A"]}\n', "json"),
        ('{\n"ann": ["A"]\n}', "json"),
    ],
)
def test_pasted_json_lines_are_told_from_json(book, open_view, text, ending):
    page = open_view(book, PAGE).page
    role(page, "relevant").get_by_text("Paste").click()
    role(page, "relevant").get_by_role("textbox").fill(text)
    page.get_by_text(f"pasted-relevant.{ending}", exact=True).wait_for()


# Python that answers when it is told to, with the name of the file that it was given.
SLOW_PYTHON = """() => {
    window.asked = [];
    recsysBook.python.ask = ({ files }) => new Promise((resolve, reject) => {
        const { recommended: { name } } = JSON.parse(files);
        const report = { lines: [`<p>Report on ${name}</p>`] };
        const problem = { lines: [`<p>${name} is wrong</p>`], problem: true };
        asked.push({
            name,
            report: () => resolve({ reply: report }),
            problem: () => resolve({ reply: problem }),
            fail: () => reject(new recsysBook.Unavailable("No memory.", "Python has ended")),
        });
    });
}"""


class Form:
    """The form, in a page whose Parquet module or Python may be slow."""

    def __init__(self, page, folder):
        self.page = page
        self._folder = folder

    def choose(self, name, text="user,item,rank\nann,A,1\n", of="recommended"):
        file = self._folder / name
        file.write_text(text)
        role(self.page, of).get_by_label("Choose a file").set_input_files(file)

    def press(self, name):
        self.page.get_by_role("button", name=name).click()

    def paste(self, of, text):
        self.page.locator(f"[data-role={of}] textarea").evaluate(
            "(area, text) => { area.value = text; area.dispatchEvent(new Event('input')); }", text
        )

    def answer(self, number, how):
        self.page.wait_for_function("number => asked.length > number", arg=number)
        self.page.evaluate("([number, how]) => asked[number][how]()", [number, how])

    @property
    def held(self):
        return self.page.locator("[data-held]").all_inner_texts()

    @property
    def asked(self):
        return self.page.evaluate("asked.map(({ name }) => name)")

    @property
    def status(self):
        return self.page.locator("form.own-form > :last-child").inner_text()

    @property
    def shown(self):
        return self.page.locator(".own-shown").inner_text()


@pytest.fixture
def form(book, open_view, tmp_path):
    view = open_view(book, PAGE)
    view.page.evaluate(SLOW_PYTHON)
    yield Form(view.page, tmp_path)
    assert view.errors == []


@pytest.mark.parametrize("later", ["a file", "pasted text", "no text", "the sample"])
def test_a_file_that_is_read_slowly_does_not_replace_a_later_choice(form, later):
    held_back = []
    form.page.route("**/parquet.js", lambda route: held_back.append(route))
    form.choose("relevant.csv", of="relevant")
    form.choose("wrong.parquet")
    form.page.get_by_text("Reading wrong.parquet …").wait_for()
    assert "A file is being read." in form.status
    if later == "a file":
        form.choose("small.csv")
        expected = ["small.csv", "relevant.csv", ""]
    elif later == "the sample":
        form.press("Use the sample")
        expected = ["new_model.csv", "relevant.csv", "baseline.csv"]
    else:
        form.paste("recommended", "user,item,rank\nann,A,1" if later == "pasted text" else "")
        expected = ["pasted-recommended.csv" if later == "pasted text" else "", "relevant.csv", ""]
    form.page.wait_for_function(
        "name => document.querySelector('[data-held]').textContent === name", arg=expected[0]
    )
    assert held_back
    for route in held_back:
        route.continue_()
    form.page.evaluate("recsysBook.script('parquet')")
    form.page.wait_for_timeout(200)
    assert form.held == expected
    assert "cannot be read" not in form.shown
    form.page.unroute("**/parquet.js")


def test_evaluate_waits_for_a_file_that_is_being_read(form):
    held_back = []
    form.page.route("**/parquet.js", lambda route: held_back.append(route))
    form.choose("relevant.csv", of="relevant")
    form.choose("wrong.parquet", of="compared")
    form.choose("small.csv")
    form.press("Evaluate")
    form.page.get_by_text("A file is being read.").wait_for()
    assert form.asked == []
    form.choose("baseline.csv", of="compared")
    form.answer(0, "report")
    form.page.get_by_text("Report on small.csv").wait_for()
    for route in held_back:
        route.continue_()
    form.page.evaluate("recsysBook.script('parquet')")
    form.page.wait_for_timeout(200)
    assert form.held == ["small.csv", "relevant.csv", "baseline.csv"]
    assert form.asked == ["small.csv"]
    form.page.unroute("**/parquet.js")


def test_text_typed_in_two_fields_at_once_is_taken_and_the_sample_replaces_it(form):
    form.paste("recommended", "user,item,rank\nann,A,1")
    form.paste("relevant", "user,item\nann,A")
    form.page.get_by_text("pasted-relevant.csv", exact=True).wait_for()
    assert form.held == ["pasted-recommended.csv", "pasted-relevant.csv", ""]
    form.paste("recommended", "user,item,rank\nann,B,1")
    form.press("Use the sample")
    form.page.wait_for_timeout(600)
    assert form.held == ["new_model.csv", "relevant.csv", "baseline.csv"]


@pytest.mark.parametrize("how", ["report", "problem", "fail"])
def test_a_reply_about_earlier_files_is_not_shown(form, how):
    form.choose("relevant.csv", of="relevant")
    form.choose("first.csv")
    form.page.get_by_text("first.csv", exact=True).wait_for()
    form.press("Evaluate")
    form.page.wait_for_function("asked.length === 1")
    form.choose("second.csv")
    form.page.get_by_text("second.csv", exact=True).wait_for()
    form.answer(0, how)
    form.answer(1, "report")
    form.page.get_by_text("Report on second.csv").wait_for()
    assert form.asked == ["first.csv", "second.csv"]
    assert form.shown == "Report on second.csv"
    assert form.status == "The report below is up to date."

    # Where a file is missing by then, that is what there is to say.
    form.page.get_by_role("checkbox", name="NDCG").uncheck()
    form.page.wait_for_function("asked.length === 3")
    form.paste("recommended", "")
    form.page.get_by_text("Still needed: Recommended.").wait_for()
    form.answer(2, how)
    form.page.wait_for_timeout(200)
    assert form.status == "Still needed: Recommended."
    assert form.shown == "Report on second.csv"
    assert len(form.asked) == 3


def test_no_error_is_called_an_up_to_date_report(form):
    form.choose("relevant.csv", of="relevant")
    form.choose("null.csv")
    form.page.get_by_text("null.csv", exact=True).wait_for()
    form.press("Evaluate")
    form.answer(0, "problem")
    form.page.get_by_text("null.csv is wrong").wait_for()
    assert "up to date" not in form.status
    form.choose("text.parquet")
    form.page.get_by_text("text.parquet cannot be read as Parquet").wait_for()
    assert form.shown.count("wrong") == 0
    assert form.status == "Still needed: Recommended."
    form.choose("small.csv")
    form.answer(1, "report")
    form.page.get_by_text("Report on small.csv").wait_for()
    assert form.status == "The report below is up to date."
    assert form.shown == "Report on small.csv"


def test_an_error_about_a_file_goes_when_another_is_chosen(form):
    form.choose("broken.parquet")
    form.page.get_by_text("broken.parquet cannot be read as Parquet").wait_for()
    form.choose("worse.parquet", of="relevant")
    form.page.get_by_text("worse.parquet cannot be read as Parquet").wait_for()
    assert form.page.locator(".own-problem").count() == 2
    form.choose("small.csv")
    form.page.get_by_text("small.csv", exact=True).wait_for()
    assert "broken.parquet" not in form.shown
    assert "worse.parquet" in form.shown
    form.choose("relevant.csv", of="relevant")
    form.page.get_by_text("Press Evaluate for the report.").wait_for()
    assert form.shown == ""

    # So does what Python said of a file, before it has read the next.
    form.press("Evaluate")
    form.answer(0, "problem")
    form.page.get_by_text("small.csv is wrong").wait_for()
    form.choose("better.csv")
    form.page.wait_for_function("asked.length === 2")
    assert form.shown == ""


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
    saved = to_text(page.locator(".own-report").inner_html())
    # What is computed in the page is what the build had computed, and a chip changes it at once.
    page.get_by_role("button", name="Evaluate").click()
    page.get_by_role("link", name="Download the report").wait_for(timeout=240_000)
    assert to_text(page.locator(".own-report").inner_html()) == saved
    drawn = page.locator(".own-report").get_by_role("img").first.get_attribute("aria-label")
    assert drawn.startswith("new_model.csv minus baseline.csv: a difference is detected in 7 of 7")
    with page.expect_download() as saving:
        page.get_by_role("link", name="Download the report").click()
    saving.value.save_as(tmp_path / "report.json")
    assert [*Report.load(tmp_path / "report.json")] == [*MEASURES]
    page.get_by_role("checkbox", name="NDCG").uncheck()
    page.locator(CONCLUSION, has_text="by recall@10").wait_for(timeout=60_000)

    # Lists of one's own, from Parquet and from the clipboard, give what Python gives.
    write_parquet(tmp_path)
    liked = "user_id,item\n" + "\n".join(f"{user},i{user - 1}" for user in range(1, 31))
    choose = role(page, "recommended").get_by_label("Choose a file")
    choose.set_input_files(tmp_path / "polars-zstd.parquet")
    page.get_by_text("Still needed: Relevant.").wait_for()
    role(page, "relevant").get_by_text("Paste").click()
    role(page, "relevant").get_by_role("textbox").fill(liked)
    page.locator(CONCLUSION, has_text="recall@10 of polars-zstd.parquet").wait_for(timeout=60_000)
    lists = (tmp_path / "polars-zstd.parquet").read_bytes()
    columns = page.evaluate(READ, base64.b64encode(lists).decode())
    given = {
        "recommended": {"name": "polars-zstd.parquet", "text": json.dumps(columns)},
        "relevant": {"name": "liked.csv", "text": liked},
    }
    [report] = create_reports(given, ["recall@10"]).values()
    assert f"is {report['recall@10'].value:.3f}." in page.locator(CONCLUSION).inner_text()

    own = tmp_path / "own.csv"
    own.write_text("user,item,rank\nu1,x,first\n")
    choose.set_input_files(own)
    problem = page.locator(".own-problem")
    problem.wait_for(timeout=30_000)
    assert problem.inner_text() == "own.csv, row 2: 'first' is no number"
    assert page.get_by_text("up to date").count() == 0
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    choose.set_input_files(tmp_path / "broken.parquet")
    page.get_by_text("broken.parquet cannot be read as Parquet").wait_for()
    # The sample comes back with a press.
    page.get_by_role("button", name="Use the sample").click()
    page.locator(CONCLUSION, has_text="new_model.csv").wait_for(timeout=60_000)
    assert {request.method for request in asked} == {"GET"}
    assert view.errors == []
