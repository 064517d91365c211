"""Progress in the page: whatever the browser or a file holds, it is sorted out, said and mended."""

from __future__ import annotations

import json

import pytest

from recsys_metrics.workbook.exercises import REGISTRY, answers
from tests.book.test_cards_in_book import ANSWERED, PAGE

pytestmark = pytest.mark.browser

KEY = "recsys-metrics.progress"
IDS = [name for name in ANSWERED if name.startswith("ranking.")]
GOOD = {"outcome": "WRONG", "tries": 1, "answer": {"ap": "0.5"}}
# What no form of the book writes. As JSON, where a name may be __proto__.
STRANGE = [
    "7",
    "null",
    '"PASS"',
    "[]",
    "{}",
    '{"outcome": "PERFECT"}',
    '{"outcome": {}}',
    '{"outcome": "PASS", "tries": -1}',
    '{"outcome": "PASS", "tries": 1e99}',
    '{"outcome": "PASS", "answer": 7}',
    '{"outcome": "PASS", "answer": null}',
    '{"outcome": "PASS", "answer": [1, 2]}',
    '{"outcome": "PASS", "answer": {"ap": {"toString": 1}}}',
    '{"outcome": "PASS", "answer": "%s"}' % ("x" * 20001),
]
# Each is an answer of one kind of form, and breaks another that takes it for its own.
SHAPES = ['"AAB"', '["A", "A", "\\"]"]', '{"ap": "<img>", "text": "1", "includes": "no"}', "{}"]


def keep(page, text):
    """Let the browser keep a text as progress, and open the page anew."""
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])
    page.reload()


def kept(page):
    return json.loads(page.evaluate(f"localStorage.getItem('{KEY}')"))["exercises"]


def said(page):
    return page.locator(".progress-line [role=alert]")


def load(page, path, content):
    """Load a file and return what is said of it."""
    path.write_text(content, encoding="utf-8")
    page.evaluate("document.querySelector('.progress-line [role=alert]').textContent = ''")
    page.locator(".progress-line input[type=file]").set_input_files(path)
    page.wait_for_function(
        "document.querySelector('.progress-line [role=alert]').textContent !== ''"
    )
    return said(page).text_content()


def file_of(entries):
    """Return a file of these entries, each as JSON."""
    inside = ", ".join(f"{json.dumps(name)}: {entry}" for name, entry in entries)
    return f'{{"version": 1, "exercises": {{{inside}}}}}'


def test_damaged_storage_is_said_kept_aside_and_reset(sampled, look):
    view = look(sampled, PAGE)
    page = view.page
    for damage in ("{", "7", "null", "[1]", '{"version": 1}', '{"version": 1, "exercises": null}'):
        keep(page, damage)
        assert "is damaged and cannot be read. Reset progress" in said(page).text_content(), damage
        assert page.evaluate(f"localStorage.getItem('{KEY}.damaged')") == damage
    # The last of them once made every card of a page fail.
    view.wake()
    form = page.locator('[data-exercise="ranking.e4"]')
    form.locator("input").fill(answers.say(REGISTRY["ranking.e4"].answer["ap"]))
    form.locator("button[type=submit]").click()
    assert kept(page)["ranking.e4"]["outcome"] == "PASS"

    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.get_by_role("button", name="Reset progress").click()
    assert "Forget all answers" in asked[0]
    assert kept(page)["ranking.e4"]["outcome"] == "PASS"
    page.once("dialog", lambda dialog: dialog.accept())
    with page.expect_navigation():
        page.get_by_role("button", name="Reset progress").click()
    assert page.evaluate("Object.keys(localStorage).filter(key => key.includes('progress'))") == []
    assert page.locator(".progress-line").get_by_role("status").text_content().startswith("0 of ")
    assert view.errors == []


def test_of_a_strange_file_only_what_the_book_understands_is_taken(sampled, look, tmp_path):
    view = look(sampled, PAGE)
    page = view.page
    strange = [(f"ranking.x{at}", entry) for at, entry in enumerate(STRANGE)]
    names = ["__proto__", "constructor", "toString", "ranking", "a b.c", "r." + "x" * 200]
    strange += [(name, json.dumps(GOOD)) for name in names]
    content = file_of([*strange, ("ranking.e4", json.dumps(GOOD))])
    told = load(page, tmp_path / "strange.json", content)
    assert told == f"1 entry taken. {len(strange)} left out: not written by this book."
    assert kept(page) == {"ranking.e4": GOOD}
    assert page.evaluate("({}).outcome ?? null") is None

    done = {**GOOD, "outcome": "PASS"}
    told = load(page, tmp_path / "done.json", file_of([("ranking.e4", json.dumps(done))]))
    assert told == "1 entry taken."
    told = load(page, tmp_path / "strange.json", content)
    assert told.startswith("0 entries taken. 1 left out: done here already.")
    assert kept(page) == {"ranking.e4": done}

    for wrong in ("7", "[]", '{"version": 2, "exercises": {}}', '{"version": 1, "exercises": []}'):
        told = load(page, tmp_path / "wrong.json", wrong)
        assert "cannot be read: it was not saved by this book. Nothing of it was taken." in told
    told = load(page, tmp_path / "large.json", json.dumps({"version": 1, "x": "x" * 30_000_000}))
    assert "it has 31 MB, and a file of this book has 4 MB at most" in told
    assert "cannot be read" in load(page, tmp_path / "deep.json", "[" * 500_000)
    assert kept(page) == {"ranking.e4": done}
    assert view.errors == []


def test_an_answer_of_another_form_breaks_no_card(sampled, look, tmp_path):
    view = look(sampled, PAGE)
    for shape in SHAPES:
        entry = f'{{"outcome": "WRONG", "tries": 1, "answer": {shape}}}'
        told = load(view.page, tmp_path / "shapes.json", file_of([(name, entry) for name in IDS]))
        assert told == f"{len(IDS)} entries taken."
        view.page.reload()
        view.wake()
    assert view.errors == []


def test_a_browser_without_space_is_said(sampled, look, tmp_path):
    view = look(sampled, PAGE)
    view.page.evaluate(
        "() => { Storage.prototype.setItem = () => {"
        " throw new DOMException('', 'QuotaExceededError') } }"
    )
    told = load(view.page, tmp_path / "good.json", file_of([("ranking.e4", json.dumps(GOOD))]))
    assert told.startswith("1 entry taken. This browser does not keep your progress (Quota")
    assert told.endswith("Save it to a file.")
    with view.page.expect_download() as saving:
        view.page.get_by_role("button", name="Save progress").click()
    saving.value.save_as(tmp_path / "saved.json")
    saved = json.loads((tmp_path / "saved.json").read_text(encoding="utf-8"))
    assert saved["exercises"] == {"ranking.e4": GOOD}
