"""One assignment, answered in a notebook, in the page and in JupyterLite; the page by itself."""

from __future__ import annotations

import csv
import json
import shutil
import time
from pathlib import Path

import pytest

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.progress.hand_in import read_assigned
from tests.book.test_every_page import broken_rules
from tests.book.test_jupyter_front_ends import fill
from tests.course.conftest import empty_course, sandbox
from tests.course.simulated_people import NAME, Desk
from tests.jupyterlab_page import state, wait_for_kernel
from tests.test_lite import ASK, NOTEBOOK, site
from tests.test_lite import page as lite_page
from tests.tiers import in_a_lab

__all__ = ["empty_course", "lite_page", "sandbox", "site"]

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "build" / "wasm" / "runtime"

pytestmark = pytest.mark.browser

PAGE = "chapters/hand_in.html"
AP, CODE, WORDS = "ranking.e4", "ranking.write_precision", "ranking.explain_ideal"
CHOICE = next(
    one.id for one in REGISTRY.values() if type(one).__name__ == "Choice" and one.varies_in_page
)
EXERCISES = [AP, CHOICE, CODE, WORDS]
STUDENTS = ["ann", "bob", "cleo"]
WORDY = "The ideal list has every relevant item first, so it is the most that can be reached."
PRECISION = """def precision(recommended, relevant, k):
    return len({*recommended[:k]} & {*relevant}) / k
"""
# Where its notebooks are, in JupyterLite's own files.
PUT = """async ([path, content]) => {
    await jupyterapp.serviceManager.contents.save(
        path, { type: "notebook", format: "json", content: JSON.parse(content) })
}"""
# As the lab downloads a file, however it holds it.
GET = """async path => {
    const address = await jupyterapp.serviceManager.contents.getDownloadUrl(path)
    return await (await fetch(address)).text()
}"""
ADD = f"""source => {{
    const notebook = {NOTEBOOK}
    notebook.model.sharedModel.insertCell(1, {{ cell_type: "code", source }})
    notebook.activeCellIndex = 1
    notebook.scrollToItem(1, "start")
    // By its command: a key that is pressed while the lab draws the cell anew is lost.
    jupyterapp.commands.execute("notebook:run-cell")
}}"""


@pytest.fixture(scope="module")
def desk(empty_course, tmp_path_factory):
    """An instructor whose assignment may be answered in the page."""
    from recsys_metrics.workbook.course import course_folder, release
    from recsys_metrics.workbook.course.course_folder import Student

    root = tmp_path_factory.mktemp("hand-in") / "recsys"
    shutil.copytree(empty_course, root)
    course = course_folder.read(root)
    done = release.release(course, NAME, EXERCISES, [Student(s) for s in STUDENTS], page=True)
    return Desk(course, done.assignment)


def typed(exercise):
    """Return the right answer to a card of numbers, by the labels of its fields."""
    labels = {field.name: field.label for field in exercise.fields}
    return {labels[name]: f"{value:.4f}" for name, value in exercise.answer.items()}


def open_assignment(view, file):
    """Open a student's notebook on the page, and wait for its cards."""
    page = view.page
    page.locator("[data-hand-in] input[type=file]").set_input_files(file)
    page.locator(f'[data-hand-in] [data-exercise="{WORDS}"]').wait_for()
    return {one: page.locator(f'[data-hand-in] [data-exercise="{one}"]') for one in EXERCISES}


def save(page, place):
    """Press the one button, and return the file that comes."""
    with page.expect_download() as coming:
        page.get_by_role("button", name="Save my answers").click()
    file = place / coming.value.suggested_filename
    coming.value.save_as(file)
    return file


def answer(cards, exercises, choose=None):
    """Answer the cards of an assignment rightly."""
    fill(cards[AP], typed(exercises[AP]))
    (first, *_) = exercises[CHOICE].accepted_answers
    picked = [*first] if exercises[CHOICE].chooses_all else [first]
    for key in choose or picked:
        cards[CHOICE].locator(f'input[value="{key}"]').check()
    cards[CHOICE].locator("button[type=submit]").click()
    cards[WORDS].locator("textarea").first.fill(WORDY)
    cards[WORDS].locator("button[type=submit]").click()
    field = cards[CODE].get_by_role("textbox", name="Your function")
    field.click()
    cards[CODE].page.wait_for_selector(".cm-editor.cm-focused")
    cards[CODE].page.keyboard.press("ControlOrMeta+a")
    cards[CODE].page.keyboard.insert_text(PRECISION)


def mine(desk, student):
    """Return the exercises as the page asks a student."""
    file = desk.course.notebook("release", student, NAME)
    return {one.id: one for one in read_assigned(file).exercises}


def test_the_page_saves_what_was_answered_and_remembers_it(sample_site, open_view, desk, tmp_path):
    view = open_view(sample_site, PAGE)
    page, file = view.page, desk.course.notebook("release", "bob", NAME)
    exercises = mine(desk, "bob")
    cards = open_assignment(view, file)
    status = page.locator("[data-hand-in] > [role=status]")
    page.get_by_role("button", name="Save my answers").click()
    assert status.inner_text() == "Nothing is saved: check an answer first."
    # A variant on the way to another page would be somebody else's.
    assert page.get_by_text("With other numbers").count() == 0
    fill(cards[AP], dict.fromkeys(typed(exercises[AP]), "0.1234"))
    cards[AP].locator(".feedback").first.wait_for()
    answer(cards, exercises)
    handed = json.loads(save(page, tmp_path).read_text("utf-8"))
    assert (
        status.inner_text()
        == f"Saved {NAME}.hand-in.json, the file to hand in. 4 of 4 questions of {NAME} answered."
    )
    given = {one["exercise"]: one for one in handed["answers"]}
    assert [*given] == EXERCISES
    assert given[AP]["answer"] == {
        name: f"{value:.4f}" for name, value in exercises[AP].answer.items()
    }
    assert {name: one["variant"] for name, one in given.items()} == {
        name: one.seed for name, one in exercises.items()
    }
    assert given[CODE]["answer"] == PRECISION
    assert given[WORDS]["answer"] == {"text": WORDY}
    assert "outcome" not in json.dumps(handed)
    assert broken_rules(page, page.locator("[data-hand-in]")) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.reload()
    page.locator(f'[data-exercise="{WORDS}"]').wait_for()
    field = page.locator(f'[data-exercise="{AP}"] input').first
    assert field.input_value() == next(iter(given[AP]["answer"].values()))
    page.get_by_role("button", name="Close the assignment").click()
    page.reload()
    assert page.locator("[data-hand-in] [data-exercise]").count() == 0
    assert view.errors == view.outside == []


def test_the_page_names_what_is_too_long_to_hand_in(sample_site, open_view, desk, tmp_path):
    view = open_view(sample_site, PAGE)
    page = view.page
    cards = open_assignment(view, desk.course.notebook("release", "ann", NAME))
    status = page.locator("[data-hand-in] > [role=status]")
    words = cards[WORDS].locator("textarea").first
    words.fill(WORDY)
    cards[WORDS].locator("button[type=submit]").click()
    # What was written after the last check is handed in, as a function is.
    words.fill(f"{WORDY} And more.")
    (given,) = json.loads(save(page, tmp_path).read_text("utf-8"))["answers"]
    assert given["answer"] == {"text": f"{WORDY} And more."}
    words.fill("word " * 5000)
    cards[CODE].get_by_role("textbox", name="Your function").fill("#" * 20_001)
    (given,) = json.loads(save(page, tmp_path).read_text("utf-8"))["answers"]
    assert given["answer"] == {"text": WORDY}
    for name in (WORDS, CODE):
        title = REGISTRY[name].title
        assert f"The last answer to {title} is longer than 20,000 characters" in status.inner_text()
    assert view.errors == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "it is no notebook that a course released. Open the one that you got"),
        ('{"metadata": {}}', "it is no notebook that a course released"),
        ('{"metadata": {"recsys_metrics": {"assignment": "ps1", "student": "bob", "tag": "a"}}}',
         "ps1 is answered in the notebook itself. Hand in the notebook"),
        ('{"metadata": {"recsys_metrics": {"assignment": "ps1", "student": "bob", "tag": "a", '
         '"page": {"../x": "1"}}}}', "what it asks for is damaged"),
        ('{"metadata": {"recsys_metrics": {"assignment": "<b>", "student": "bob", "tag": "a", '
         '"page": {}}}}', "it is no notebook that a course released"),
    ],
)  # fmt: skip
def test_another_file_is_refused_in_a_sentence(content, says, sample_site, open_view, tmp_path):
    view = open_view(sample_site, PAGE)
    file = tmp_path / "mine.ipynb"
    file.write_text(content)
    view.page.locator("[data-hand-in] input[type=file]").set_input_files(file)
    said = view.page.locator("[data-hand-in] > [role=status]").get_by_text("was not opened")
    said.wait_for()
    assert f"mine.ipynb was not opened: {says}" in said.inner_text()
    assert view.errors == []


@in_a_lab
@pytest.mark.skipif(
    not (RUNTIME / "pyodide-lock.json").exists(),
    reason="no Python for notebooks in build/wasm/runtime: make pyodide",
)
def test_a_notebook_a_page_and_jupyterlite_are_graded_in_one_run(
    sandbox, desk, sample_site, open_view, lite_page, tmp_path, record_property
):
    begun = time.monotonic()
    desk.put("ann.ipynb", desk.answered("ann"))

    view = open_view(sample_site, PAGE)
    cards = open_assignment(view, desk.course.notebook("release", "bob", NAME))
    answer(cards, mine(desk, "bob"))
    file = save(view.page, tmp_path)
    desk.put("bob/ps1.hand-in.json", file.read_bytes())

    exercises = mine(desk, "cleo")
    lite_page.goto("/lab/index.html?path=chapters/02_ranking_gains.ipynb")
    wait_for_kernel(lite_page)
    released = desk.course.notebook("release", "cleo", NAME).read_text("utf-8")
    lite_page.evaluate(PUT, ["chapters/ps1.ipynb", released])
    installs = lite_page.evaluate(f"{NOTEBOOK}.model.cells.get(0).sharedModel.source")
    assert lite_page.evaluate(ASK, installs).strip() == ""
    lite_page.evaluate(ADD, "from recsys_metrics.workbook import hand_in\nhand_in('ps1.ipynb')")
    shown = lite_page.locator(".jp-OutputArea .exercise")
    try:
        shown.nth(len(EXERCISES) - 1).wait_for(timeout=400_000)
    except playwright.TimeoutError:
        raise AssertionError(f"hand_in was run, and shows no cards.\n{state(lite_page)}") from None
    of = dict(zip(EXERCISES, [shown.nth(n) for n in range(len(EXERCISES))], strict=True))
    fill(of[AP], typed(exercises[AP]))
    of[AP].get_by_text("✓ Correct").wait_for(timeout=200_000)
    (first, *_) = exercises[CHOICE].accepted_answers
    picked = [*first] if exercises[CHOICE].chooses_all else [first]
    for key in picked:
        of[CHOICE].locator(f'input[value="{key}"]').check()
    of[CHOICE].locator("button[type=submit]").click()
    of[CHOICE].get_by_text("✓ Correct").wait_for(timeout=200_000)
    of[WORDS].locator("textarea").first.fill(WORDY)
    of[WORDS].locator("button[type=submit]").click()
    of[WORDS].get_by_text("Saved").wait_for(timeout=200_000)
    check = "from recsys_metrics.workbook.exercises import ranking as ex"
    lite_page.evaluate(ASK, f"{PRECISION}\n{check}\nex.write_precision.check(precision)")
    lite_page.get_by_role("button", name="Save my answers").click()
    lite_page.get_by_text("Saved ps1.hand-in.json beside this notebook").wait_for(timeout=200_000)
    saved = lite_page.evaluate(GET, "chapters/ps1.hand-in.json")
    desk.put("cleo/ps1.hand-in.json", saved.encode())

    done = desk.collect()
    assert (sorted(done.new), done.problems) == (STUDENTS, [])
    graded = desk.grade()
    assert {name: one.problem for name, one in graded.items()} == dict.fromkeys(STUDENTS, "")
    points = {name: [each.points for each in one.judged_answers] for name, one in graded.items()}
    full = [REGISTRY[name].points for name in EXERCISES[:-1]]
    assert points == {name: [*full, None] for name in STUDENTS}
    rows = list(csv.DictReader(desk.export().open(encoding="utf-8")))
    assert {row["id"] for row in rows} == set(STUDENTS)
    record_property("table", f"hand-in from three places: {time.monotonic() - begun:.0f} s")
