"""Progress in the page: whatever the browser or a file holds, it is sorted out, said and mended."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from recsys_metrics.workbook import progress
from recsys_metrics.workbook.exercises import REGISTRY, answers
from tests.book.conftest import press_progress
from tests.book.test_cards_in_book import PAGE

pytestmark = pytest.mark.browser

# How files are read here, and by `tests/workbook/test_progress.py` in Python.
SAVED = json.loads((Path(__file__).parents[1] / "workbook/saved_progress.json").read_text("utf-8"))

# The order of events, here and in Python.
ORDERS = json.loads(
    (Path(__file__).parents[1] / "workbook/order_of_events.json").read_text("utf-8")
)

KEY = "recsys-metrics.progress"
IDS = [name for name in REGISTRY if name.startswith("ranking.")]
WHEN = "2026-03-02T12:00:00.000+01:00"
GOOD = {"when": WHEN, "exercise": "ranking.e4", "outcome": "WRONG", "answer": {"ap": "0.5"}}
# What neither the book nor a notebook writes; where it is a table, in place of what is right.
STRANGE = [
    "7",
    "null",
    '"PASS"',
    "[]",
    '{"id": 7}',
    '{"when": "soon"}',
    '{"when": "2026-03-02T12:00:00"}',
    '{"when": "2026-02-30T12:00:00+01:00"}',
    '{"when": "2026-03-02T24:00:00+01:00"}',
    '{"when": "2026-03-02T12:00:00 (x) +01:00"}',
    '{"seconds": 1e300}',
    '{"what": "cheat"}',
    '{"outcome": "PERFECT"}',
    '{"outcome": {}}',
    '{"tries": -1}',
    '{"tries": 1e99}',
    '{"answer": 7}',
    '{"answer": null}',
    '{"answer": [1, 2]}',
    '{"answer": {"ap": {"toString": 1}}}',
    '{"answer": "%s"}' % ("x" * 20001),
    *(
        json.dumps({"exercise": name})
        for name in ("__proto__", "constructor", "toString", "ranking", "a b.c", "r." + "x" * 200)
    ),
]
# The same table is run in Python: tests/workbook/test_progress.py.
MOMENTS = json.loads((Path(__file__).parents[1] / "workbook/moments.json").read_text("utf-8"))
NOTE = "([id, outcome]) => window.recsysBook.progress.note(id, outcome, ['1'])"
DONE = "id => window.recsysBook.progress.isDone(id)"
DONE_IN_TAB = "window.recsysBook.progress.isDone('ranking.e4')"
# Each is an answer of one kind of form, and breaks another that takes it for its own.
SHAPES = ['"AAB"', '["A", "A", "\\"]"]', '{"ap": "<img>", "text": "1", "includes": "no"}', "{}"]


def store_text(page, text):
    """Let the browser keep a text as progress, and open the page anew."""
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])
    page.reload()


def read_stored(page):
    """Return the events that the browser keeps, without what is new each time."""
    return json.loads(page.evaluate(f"localStorage.getItem('{KEY}')"))["history"]


def outcomes(page):
    return {event["exercise"]: event["outcome"] for event in read_stored(page)}


def read_problem(page):
    return page.locator(".progress-line [role=alert]")


def load_file(page, path, content):
    """Load a file and return what is said of it."""
    return load_bytes(page, path, content.encode())


def load_bytes(page, path, content):
    """Load a file with these bytes and return what is said of it."""
    path.write_bytes(content)
    page.evaluate("document.querySelector('.progress-line [role=alert]').textContent = ''")
    page.locator(".progress-line input[type=file]").set_input_files(path)
    page.wait_for_function(
        "document.querySelector('.progress-line [role=alert]').textContent !== ''"
    )
    return read_problem(page).text_content()


def file_of(*events):
    """Return a file of these events, each as JSON or in part."""
    told = [event if isinstance(event, str) else json.dumps(event) for event in events]
    return f'{{"version": 2, "history": [{", ".join(told)}]}}'


def in_place_of(good, strange):
    """Return what is right with something strange in it, as JSON."""
    raw = json.loads(strange)
    return json.dumps({**good, **raw}) if isinstance(raw, dict) else strange


def test_damaged_storage_is_reported_backed_up_and_reset(sample_site, open_view):
    view = open_view(sample_site, PAGE)
    page = view.page
    old = ('{"version": 1}', '{"version": 1, "exercises": null}')
    for damage in ("{", "7", "null", "[1]", '{"version": 2, "history": null}', *old):
        store_text(page, damage)
        assert (
            "is damaged and cannot be read. Reset progress" in read_problem(page).text_content()
        ), damage
        # What was put aside before stays beside it.
        assert damage in page.evaluate(f"localStorage.getItem('{KEY}.damaged')")
    # The last of them once made every card of a page fail.
    view.wake()
    form = page.locator('[data-exercise="ranking.e4"]')
    form.locator("input").fill(answers.format_value(REGISTRY["ranking.e4"].answer["ap"]))
    form.locator("button[type=submit]").click()
    assert outcomes(page) == {"ranking.e4": "PASS"}

    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    press_progress(page, "Reset progress")
    assert "Forget all answers" in asked[0]
    assert outcomes(page) == {"ranking.e4": "PASS"}
    page.once("dialog", lambda dialog: dialog.accept())
    with page.expect_navigation():
        press_progress(page, "Reset progress")
    # What tells another tab that all is forgotten.
    left = page.evaluate("Object.keys(localStorage).filter(key => key.includes('progress'))")
    assert left == [f"{KEY}.reset"]
    assert page.locator(".progress-line").get_by_role("status").text_content().startswith("0 of ")
    assert view.errors == []


def test_a_damaged_reset_marker_hides_and_loses_nothing(sample_site, open_view):
    page = open_view(sample_site, PAGE).page
    page.evaluate(f"localStorage.setItem('{KEY}.reset', 'garbage')")
    store_text(page, file_of({"id": "a", **GOOD}))
    assert page.evaluate("window.recsysBook.progress.events().length") == 1
    page.evaluate(NOTE, ["ranking.e5", "PASS"])
    assert outcomes(page) == {"ranking.e4": "WRONG", "ranking.e5": "PASS"}


def test_a_long_history_keeps_its_oldest_events(sample_site, open_view, tmp_path):
    page = open_view(sample_site, PAGE).page
    history = [{**GOOD, "id": f"{at}", "when": f"{2000 + at // 1000}-03-02T12:00:00Z"}
               for at in range(21_000)]  # fmt: skip
    told = load_file(page, tmp_path / "long.json", file_of(*history))
    assert told == "21000 entries taken."
    page.reload()
    page.evaluate(NOTE, ["ranking.e5", "PASS"])
    assert len(read_stored(page)) == 21_001


def test_progress_of_a_newer_book_is_left_and_what_is_noted_waits_for_it(sample_site, open_view):
    page = open_view(sample_site, PAGE).page
    newer = json.dumps({"version": 3, "history": [{"id": "newer", **GOOD}]})
    store_text(page, newer)
    said = page.evaluate(NOTE, ["ranking.e4", "PASS"])
    assert "newer version of this book, so this page does not change it. Reload the page." in said
    assert said.endswith("What you do here is saved beside it.")
    page.reload()
    assert page.evaluate(DONE, "ranking.e4")
    page.evaluate(NOTE, ["ranking.e5", "PASS"])
    assert page.evaluate(f"localStorage.getItem('{KEY}')") == newer
    # A book that can read it takes over what waits.
    store_text(page, newer.replace('"version": 3', '"version": 2'))
    assert page.evaluate(NOTE, ["ranking.e2", "PASS"]) == ""
    assert [event["exercise"] for event in read_stored(page)] == [
        *("ranking.e4", "ranking.e4", "ranking.e5", "ranking.e2")
    ]
    assert page.evaluate(f"localStorage.getItem('{KEY}.waiting')") is None


@pytest.mark.parametrize("case", ORDERS, ids=lambda case: case["why"])
def test_events_are_ordered_as_a_notebook_orders_them(sample_site, open_view, case):
    page = open_view(sample_site, PAGE).page
    events = [{**GOOD, "id": name, "when": when, "clock": clock}
              for name, when, clock in case["events"]]  # fmt: skip
    store_text(page, file_of(*events))
    page.reload()
    assert page.evaluate("recsysBook.progress.events().map(({ id }) => id)") == case["order"]


@pytest.mark.parametrize("back", [60_000, 2 * 86_400_000, 3000 * 86_400_000])
def test_the_last_check_counts_last_when_the_clock_was_set_back(sample_site, open_view, back):
    page = open_view(sample_site, PAGE).page
    page.evaluate(NOTE, ["ranking.e5", "PASS"])
    page.evaluate("back => { const now = Date.now; Date.now = () => now() - back }", back)
    page.evaluate(NOTE, ["ranking.e5", "WRONG"])
    for _ in range(2):
        seen = page.evaluate("recsysBook.progress.events().map(({ outcome }) => outcome)")
        assert seen == ["PASS", "WRONG"]
        page.reload()


def test_what_is_noted_after_a_reset_stays_when_the_clock_was_set_back(two_tabs):
    one, other = two_tabs
    one.evaluate(NOTE, ["ranking.e2", "PASS"])
    other.wait_for_function("window.recsysBook.progress.events().length === 1")
    one.evaluate("window.recsysBook.progress.reset()")
    other.evaluate("() => { const now = Date.now; Date.now = () => now() - 86400000 }")
    other.evaluate(NOTE, ["ranking.e4", "PASS"])
    for page in (one, other):
        page.wait_for_function(DONE_IN_TAB)
        page.reload()
        assert page.evaluate("recsysBook.progress.events().map(({ exercise }) => exercise)") == [
            "ranking.e4"
        ]


THROW = """name => {
    globalThis.usual ??= Storage.prototype[name];
    Storage.prototype[name] = () => { throw new DOMException("", "SecurityError") };
}"""
MEND = "name => { Storage.prototype[name] = globalThis.usual }"


def test_storage_that_cannot_be_read_for_a_moment_forgets_nothing(sample_site, open_view):
    page = open_view(sample_site, PAGE).page
    page.evaluate(NOTE, ["ranking.e2", "PASS"])
    page.evaluate("recsysBook.progress.keepDraft('a', { code: '1', trial: '' })")
    page.evaluate(THROW, "getItem")
    said = page.evaluate(NOTE, ["ranking.e4", "PASS"])
    assert said.startswith("This browser does not keep your progress (SecurityError)")
    page.evaluate("recsysBook.progress.keepDraft('b', { code: '2', trial: '' })")
    assert page.evaluate("recsysBook.progress.draftOf('b').code") == "2"
    page.evaluate("dispatchEvent(new StorageEvent('storage', { key: null }))")
    assert page.evaluate("recsysBook.progress.events().length") == 2
    page.evaluate(MEND, "getItem")
    assert page.evaluate(NOTE, ["ranking.e5", "PASS"]) == ""
    assert outcomes(page).keys() == {"ranking.e2", "ranking.e4", "ranking.e5"}
    page.evaluate("recsysBook.progress.keepDraft('c', { code: '3', trial: '' })")
    kept = json.loads(page.evaluate(f"localStorage.getItem('{KEY}.drafts')"))
    assert {name: draft["code"] for name, draft in kept.items()} == {"a": "1", "c": "3", "b": "2"}


def test_a_page_that_comes_back_learns_what_other_pages_did(sample_site, open_view):
    view = open_view(sample_site, PAGE)
    page = view.page
    view.wake()
    form = page.locator('[data-exercise="ranking.explain_ideal"]')
    # What this tab writes itself is no news to it, as what was written while it was away.
    page.evaluate(
        """([key, text, drafts]) => {
            localStorage[key] = text;
            localStorage[`${key}.drafts`] = drafts;
        }""",
        [KEY, file_of({"id": "a", **GOOD}),
         json.dumps({"ranking.explain_ideal": {"text": "Of another page."}})],
    )  # fmt: skip
    assert page.evaluate("recsysBook.progress.events().length") == 0
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    assert page.evaluate("recsysBook.progress.events().length") == 1
    assert form.locator("textarea").input_value() == "Of another page."
    assert view.errors == []


DRAFT = {"code": "good", "trial": ""}


@pytest.mark.parametrize(
    ("damage", "left"),
    [
        ("{", {}),
        ("[]", {}),
        ("7", {}),
        ('{"a": 7}', {}),
        (json.dumps({"a": DRAFT, "b": {"code": 7}}), {"a": DRAFT}),
        ('{"a": {"code": "1"}, "a": {"code": "2"}}', {}),
    ],
)
def test_damaged_drafts_are_put_aside_and_reported(sample_site, open_view, damage, left):
    page = open_view(sample_site, PAGE).page
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [f"{KEY}.drafts", damage])
    page.evaluate("recsysBook.progress.keepDraft('c', { code: 'new', trial: '' })")
    assert page.evaluate(f"localStorage.getItem('{KEY}.drafts.damaged')") == damage
    new = {"c": {"code": "new", "trial": ""}}
    assert json.loads(page.evaluate(f"localStorage.getItem('{KEY}.drafts')")) == {**left, **new}
    assert f"{KEY}.drafts.damaged" in read_problem(page).text_content()


@pytest.mark.parametrize("key", ["", ".drafts"])
def test_damage_that_cannot_be_put_aside_is_not_overwritten(sample_site, open_view, key):
    page = open_view(sample_site, PAGE).page
    page.evaluate("key => localStorage.setItem(key, '{')", KEY + key)
    page.evaluate(
        """() => {
            const usual = Storage.prototype.setItem;
            Storage.prototype.setItem = function (key, text) {
                if (key.endsWith(".damaged")) throw new DOMException("", "QuotaExceededError");
                usual.call(this, key, text);
            };
            dispatchEvent(new StorageEvent("storage", { key: null }));
        }"""
    )
    if key:
        page.evaluate("recsysBook.progress.keepDraft('c', { code: 'new', trial: '' })")
        assert page.evaluate("recsysBook.progress.draftOf('c').code") == "new"
        assert "does not keep what you write" in read_problem(page).text_content()
    else:
        said = page.evaluate(NOTE, ["ranking.e4", "PASS"])
        assert "damaged, and there is no space to put it aside" in said
        assert '"ranking.e4"' in page.evaluate(f"localStorage.getItem('{KEY}.waiting')")
    assert page.evaluate("key => localStorage.getItem(key)", KEY + key) == "{"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_a_file_in_another_encoding_is_loaded_or_refused(
    sample_site, open_view, tmp_path, encoding
):
    page = open_view(sample_site, PAGE).page
    text = file_of({"id": "é", **GOOD})
    content = text.encode(encoding)
    if encoding == "utf-16-be":
        content = b"\xfe\xff" + content
    assert load_bytes(page, tmp_path / "saved.json", content) == "1 entry taken."
    assert read_stored(page) == [{"id": "é", **GOOD}]
    # Half a character, in whatever encoding, would become another one.
    for damaged in (b"\xff\xfe" + text.encode("utf-16-le") + b"\x00", b"\xff" + text.encode()):
        said = load_bytes(page, tmp_path / "damaged.json", damaged)
        assert "cannot be read" in said
        assert "Nothing of it was taken." in said


@pytest.fixture
def two_tabs(sample_site, open_view):
    one = open_view(sample_site, PAGE).page
    other = one.context.new_page()
    other.goto(one.url)
    other.wait_for_function("window.recsysBook?.progress")
    yield one, other
    other.close()


def test_two_tabs_lose_no_event(two_tabs):
    one, other = two_tabs
    for page, exercise, outcome in (
        (one, "ranking.e2", "PASS"),
        (one, "ranking.e4", "WRONG"),
        (other, "ranking.e5", "PASS"),
        (one, "ranking.e4", "PASS"),
    ):
        page.evaluate(NOTE, [exercise, outcome])
    for page in (one, other):
        page.wait_for_function("window.recsysBook.progress.events().length === 4")
        assert page.evaluate("window.recsysBook.progress.isDone('ranking.e4')")
    assert outcomes(one) == {f"ranking.{name}": "PASS" for name in ("e2", "e4", "e5")}
    # Written by a tab that had read before: it comes back.
    one.evaluate(f"localStorage.setItem('{KEY}', '{file_of()}')")
    other.wait_for_function(f"localStorage.getItem('{KEY}').includes('ranking.e5')")
    assert outcomes(one).keys() == {"ranking.e2", "ranking.e4", "ranking.e5"}


def test_what_one_tab_forgets_another_does_not_bring_back(two_tabs):
    one, other = two_tabs
    one.evaluate(NOTE, ["ranking.e2", "PASS"])
    other.wait_for_function("window.recsysBook.progress.events().length === 1")
    one.evaluate("window.recsysBook.progress.reset()")
    other.evaluate(NOTE, ["ranking.e4", "PASS"])
    # A browser passes on what one tab stores only after a while, so either may write first.
    for page in (one, other):
        page.wait_for_function("window.recsysBook.progress.isDone('ranking.e4')")
    one.wait_for_function(f"localStorage.getItem('{KEY}')?.includes('ranking.e4')")
    one.wait_for_function(f"!localStorage.getItem('{KEY}').includes('ranking.e2')")
    assert outcomes(one) == {"ranking.e4": "PASS"}


def test_half_a_character_and_a_far_future_are_cleaned(sample_site, open_view, tmp_path):
    page = open_view(sample_site, PAGE).page
    page.evaluate("window.recsysBook.progress.note('ranking.e2', 'WRONG', ['half \\ud83d'])")
    (event,) = read_stored(page)
    assert event["answer"] == ["half \ufffd"]
    future = {"id": "far", **GOOD, "when": "8999-01-01T00:00:00+00:00"}
    load_file(page, tmp_path / "future.json", file_of(future))
    # It is read as of today, and stays as it was written: today's clock may be the wrong one.
    for _ in range(2):
        events = page.evaluate("window.recsysBook.progress.events()")
        assert [event["when"] < "8999" for event in events if event["id"] == "far"] == [True]
        (kept,) = [event for event in read_stored(page) if event["id"] == "far"]
        assert kept == future
        page.reload()


@pytest.mark.parametrize("year", [1, 1970, 9500, 12_000])
def test_what_is_noted_at_any_time_of_the_clock_is_read_again(sample_site, open_view, year):
    view = open_view(sample_site, PAGE)
    clock = "year => { const at = new Date(0); at.setUTCFullYear(year); Date.now = () => +at; }"
    view.page.evaluate(clock, year)
    view.page.evaluate(
        """() => {
            const { progress } = window.recsysBook;
            progress.note("ranking.e4", "WRONG", { ap: "0.5" });
            progress.note("ranking.e5", "WRONG", Array(201).fill("word"));
            progress.note("ranking.e2", "WRONG", String.fromCodePoint(0x1f600).repeat(10001));
            progress.keepDraft("ranking.write", { code: "x".repeat(30000), trial: "" });
            progress.keepDraft("ranking.other", { code: "", trial: "" });
        }"""
    )
    view.page.reload()
    assert view.page.evaluate("window.recsysBook.progress.problem()") == ""
    known = {event["exercise"]: event.get("answer") for event in read_stored(view.page)}
    assert known == {"ranking.e4": {"ap": "0.5"}, "ranking.e5": None, "ranking.e2": None}
    assert view.page.evaluate("window.recsysBook.progress.events().length") == 3
    draft = view.page.evaluate("window.recsysBook.progress.draftOf('ranking.write').code.length")
    assert draft == 30_000
    assert view.errors == []


def test_only_valid_events_of_a_foreign_file_are_loaded(sample_site, open_view, tmp_path):
    view = open_view(sample_site, PAGE)
    page = view.page
    good = {"id": "good", **GOOD}
    strange = [in_place_of({"id": f"{at}", **GOOD}, one) for at, one in enumerate(STRANGE)]
    content = file_of(*strange, good)
    told = load_file(page, tmp_path / "strange.json", content)
    left = f"{len(strange)} left out: not written by this book or a notebook of it."
    assert told == f"1 entry taken. {left}"
    assert read_stored(page) == [good]
    assert page.evaluate("({}).outcome ?? null") is None

    told = load_file(page, tmp_path / "strange.json", content)
    assert told == f"0 entries taken. 1 left out: known here already. {left}"
    done = {**good, "id": "done", "outcome": "PASS"}
    earlier = {**good, "id": "earlier", "when": "2026-03-01T12:00:00.000+01:00"}
    told = load_file(page, tmp_path / "done.json", file_of(done, earlier))
    assert told == "2 entries taken."
    assert read_stored(page) == [earlier, done, good]
    assert page.locator("[data-exercise='ranking.e4']").count() == 1

    for wrong in ("7", "[]", '{"version": 2, "exercises": {}}', '{"version": 1, "exercises": []}'):
        told = load_file(page, tmp_path / "wrong.json", wrong)
        assert "cannot be read: it was not saved by this book or a notebook of it." in told
        assert "Nothing of it was taken." in told
    told = load_file(
        page, tmp_path / "large.json", json.dumps({"version": 2, "x": "x" * 30_000_000})
    )
    assert "it has 31 MB, and a file of this book has 20 MB at most" in told
    assert "cannot be read" in load_file(page, tmp_path / "deep.json", "[" * 500_000)
    assert read_stored(page) == [earlier, done, good]
    assert view.errors == []


def test_the_page_takes_the_moments_that_python_takes(sample_site, open_view):
    page = open_view(sample_site, PAGE).page
    said = page.evaluate(
        "files => files.map(file => recsysBook.progress.take(file))",
        [file_of({"id": f"{at}", **GOOD, "when": when}) for at, (when, _) in enumerate(MOMENTS)],
    )
    taken = [
        [when, words.startswith("1 entry taken.")]
        for (when, _), words in zip(MOMENTS, said, strict=True)
    ]
    assert taken == MOMENTS
    noted = {event["when"] for event in read_stored(page)}
    assert noted == {when for when, is_taken in MOMENTS if is_taken}


def test_a_stored_answer_of_the_wrong_form_breaks_no_card(sample_site, open_view, tmp_path):
    view = open_view(sample_site, PAGE)
    for at, shape in enumerate(SHAPES):
        answer = json.loads(shape)
        events = [{**GOOD, "id": f"{at} {x}", "exercise": x, "answer": answer} for x in IDS]
        told = load_file(view.page, tmp_path / "shapes.json", file_of(*events))
        assert told == f"{len(IDS)} entries taken."
        view.page.reload()
        view.wake()
    assert view.errors == []


TAKE = """texts => texts.map((text) => {
    const { progress } = window.recsysBook;
    const before = new Set(progress.events().map(({ id }) => id));
    try {
        const said = progress.take(text);
        const taken = progress.events().filter(({ id }) => !before.has(id));
        return { said, events: taken.map(({ id, outcome }) => [id, outcome]) };
    } catch (problem) {
        return { said: problem.message, events: null };
    }
})"""


def test_saved_files_are_read_or_refused_as_a_notebook_does(sample_site, open_view):
    view = open_view(sample_site, PAGE)
    texts = [case["text"] for case in SAVED]
    for case, found in zip(SAVED, view.page.evaluate(TAKE, texts), strict=True):
        assert found["events"] == case["events"], (case["why"], found["said"])
        assert (f"{case['unread']} left out" in found["said"]) == bool(case["unread"])
        if " twice" in case["why"]:
            assert found["said"] == "a key is repeated in it, so a part would be lost"
    # The browser keeps all that was taken.
    assert len(read_stored(view.page)) == sum(len(case["events"] or ()) for case in SAVED)
    assert view.errors == []


def test_a_file_with_a_repeated_key_is_refused_on_the_page(sample_site, open_view, tmp_path):
    page = open_view(sample_site, PAGE).page
    text = file_of({"id": "a", **GOOD}).replace('"WRONG"', '"WRONG", "outcome": "PASS"')
    told = load_file(page, tmp_path / "twice.json", text)
    assert told == (
        "That file cannot be read: a key is repeated in it, so a part would be lost. "
        "Nothing of it was taken."
    )
    assert page.evaluate(f"localStorage.getItem('{KEY}')") is None
    # As long a file as is taken is read at once.
    long = json.dumps({"version": 2, "history": [{"id": "b", **GOOD}], "x": '\\"' * 4_000_000})
    assert load_file(page, tmp_path / "long.json", long) == "1 entry taken."


def test_an_answer_comes_after_a_loaded_event_with_the_largest_clock(
    sample_site, open_view, tmp_path
):
    page = open_view(sample_site, PAGE).page
    poison = file_of({**GOOD, "id": "zzzz", "clock": 10**15})
    assert load_file(page, tmp_path / "poison.json", poison) == "1 entry taken."
    page.evaluate("recsysBook.progress.note('ranking.e4', 'PASS', { ap: '0.442' })")
    assert [event["answer"]["ap"] for event in read_stored(page)] == ["0.5", "0.442"]


def test_progress_of_the_first_format_is_converted(sample_site, open_view, tmp_path):
    old = {"outcome": "NOT_ATTEMPTED", "tries": 3, "answer": {"ap": "0.5"}}
    view = open_view(sample_site, PAGE)
    store_text(view.page, json.dumps({"version": 1, "exercises": {"ranking.e4": old}}))
    told = load_file(view.page, tmp_path / "one.json", file_of({"id": "one", **GOOD}))
    assert told == "1 entry taken."
    first = next(event for event in read_stored(view.page) if event["id"] != "one")
    assert (first["id"], first["outcome"], first["tries"]) == (
        "1/ranking.e4//3",
        "NOT ATTEMPTED",
        3,
    )
    assert view.errors == []


def test_page_and_notebook_share_one_progress_file(sample_site, open_view, tmp_path, monkeypatch):
    notebook = tmp_path / "notebook.json"
    monkeypatch.setenv(progress.VARIABLE, str(notebook))
    REGISTRY["ranking.e5"].check(1, 2, 3)
    REGISTRY["ranking.first_guess"].check("recall")
    view = open_view(sample_site, PAGE)
    page = view.page
    told = load_file(page, tmp_path / "taken.json", notebook.read_text(encoding="utf-8"))
    assert told == "2 entries taken."
    page.reload()
    view.wake()
    shown = page.locator('[data-exercise="ranking.e5"] input')
    assert [shown.nth(at).input_value() for at in range(3)] == ["1", "2", "3"]
    form = page.locator('[data-exercise="ranking.e4"]')
    form.locator("input").fill("0.589")
    form.locator("button[type=submit]").click()
    with page.expect_download() as saving:
        press_progress(page, "Save progress")
    saving.value.save_as(tmp_path / "saved.json")
    assert progress.merge_file(tmp_path / "saved.json") == (1, 0)
    assert progress.load_summary()["ranking.e4"].answer == {"ap": "0.589"}
    assert replace(REGISTRY["ranking.e4"]).load_previous_answer() == {"ap": "0.589"}
    assert view.errors == []


def test_full_browser_storage_is_reported(sample_site, open_view, tmp_path):
    view = open_view(sample_site, PAGE)
    view.page.evaluate(
        "() => { Storage.prototype.setItem = () => {"
        " throw new DOMException('', 'QuotaExceededError') } }"
    )
    told = load_file(view.page, tmp_path / "good.json", file_of({"id": "good", **GOOD}))
    assert told.startswith("1 entry taken. This browser does not keep your progress (Quota")
    assert told.endswith("Save it to a file.")
    # What could never be written is not taken for something that was forgotten elsewhere.
    for outcome in ("WRONG", "PASS"):
        assert "as long as this page" in view.page.evaluate(NOTE, ["ranking.e4", outcome])
    with view.page.expect_download() as saving:
        press_progress(view.page, "Save progress")
    saving.value.save_as(tmp_path / "saved.json")
    saved = json.loads((tmp_path / "saved.json").read_text(encoding="utf-8"))
    assert [event["outcome"] for event in saved["history"]] == [GOOD["outcome"], "WRONG", "PASS"]
    assert saved["history"][0] == {"id": "good", **GOOD}


def test_the_menu_shows_the_progress_of_each_section(book, open_view):
    view = open_view(book, "chapters/02_ranking.html")
    page = view.page
    assert page.locator(".bd-sidebar-secondary .section-done").count() == 0
    page.locator(".progress-line > button").click()
    menu = page.locator("#progress-menu")
    signs = menu.locator(".section-done")
    parts = [sign.split("/") for sign in signs.all_text_contents()]
    assert {done for done, _ in parts} == {"0"}
    said = page.locator(".progress-line [role=status]").inner_text()
    assert sum(int(all_) for _, all_ in parts) == sum(map(int, re.findall(r"of (\d+)", said)))
    link = menu.locator("a", has_text="Recall")
    recall = link.locator(".section-done")
    link.click()
    assert page.url.endswith("#recall")
    assert menu.is_hidden()
    questions = page.locator("section#recall > details").all()
    assert recall.get_attribute("aria-label") == f"0 of {len(questions)} done"
    for question in questions:
        question.locator("summary").click()
        question.get_by_role("button", name="Compare").click()
        question.get_by_role("button", name="I knew it").click()
    assert recall.text_content() == "✓"
    assert recall.get_attribute("aria-label") == "{0} of {0} done".format(len(questions))
    assert view.errors == []
