"""The front page: its guess, and that it says of a history what Python says of it."""

from __future__ import annotations

import importlib
import json
import random
import re
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from recsys_metrics._core.package_names import DISTRIBUTION
from recsys_metrics.peers import LIBRARIES
from recsys_metrics.ranking import judge, ndcg
from recsys_metrics.workbook.exercises import PARTS, REGISTRY, answers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.prediction import Predict
from recsys_metrics.workbook.explorables import REGISTRY as EXPLORABLES
from recsys_metrics.workbook.lab.overview import (
    count_due_questions,
    find_next_untried,
    list_due_reviews,
)
from recsys_metrics.workbook.progress import (
    hash_content,
    schedule_question_reviews,
    schedule_reviews,
    summarize_history,
)
from recsys_metrics.workbook.progress._record import Event, format_history
from recsys_metrics.workbook.progress.review_questions import read_questions
from tests.book.conftest import ROOT
from tests.book.test_page_weight import SHIFT
from tests.book.test_progress_in_book import KEY

pytestmark = pytest.mark.browser

FRONT = "chapters/index.html"
RECALL = {stem: [one.id for one in read_questions(stem)] for stem in PARTS}
REVIEWED = [one.id for one in REGISTRY.values() if one.has_variants]
BEGUN = datetime(2026, 1, 5, 9, tzinfo=UTC)
NOW = BEGUN + timedelta(days=75)


@pytest.fixture(scope="module")
def view(book, open_shared_view):
    view = open_shared_view(book, FRONT)
    view.page.wait_for_function("recsysBook.script('front').then(() => true)")
    return view


def history(seed):
    """Return a learner's events: a few exercises, tried again and again, over two months."""
    rng = random.Random(seed)
    some, events = rng.sample(REVIEWED, 6) + rng.sample(list(REGISTRY), 2), []
    for number in range(rng.randrange(4, 60)):
        exercise = rng.choice(some)
        about = {
            "id": f"{seed}-{number}",
            "when": (BEGUN + timedelta(minutes=rng.randrange(60 * 24 * 70))).isoformat(),
            "exercise": exercise,
            "seed": rng.choice([None, None, "1", "2"]),
            "content": rng.choice(["", hash_content(REGISTRY[exercise]), "other"]),
        }
        what = rng.choices(["check", "hint", "solution", "goal"], [12, 2, 1, 1])[0]
        if what == "check":
            about |= {
                "outcome": rng.choices(["PASS", "WRONG", "ERROR"], [6, 3, 1])[0],
                "seconds": rng.choice([None, round(rng.uniform(5, 200), 1)]),
                "tries": rng.choice([1, 1, 1, 2]),
            }
        events.append(Event(what=what, **about))
    return sorted(events, key=lambda event: (event.moment, event.id))


def to_page_events(events):
    """Return events as the page has them."""
    return json.loads(format_history(events))["history"]


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_the_page_schedules_reviews_as_python_does(view, first):
    histories = {seed: history(seed) for seed in range(first, first + 50)}
    found = view.page.evaluate(
        """async (histories) => {
            const table = await recsysBook.script("front");
            const day = (due) => new Date(due * 86400000).toISOString().slice(0, 10);
            return histories.map((events) => {
                const found = recsysBook.reviews(events, table);
                return Object.fromEntries(Object.entries(found).map(
                    ([id, { last, due, seed }]) => [id, [last, day(due), seed]]));
            });
        }""",
        [to_page_events(events) for events in histories.values()],
    )
    planned = 0
    for (seed, events), page in zip(histories.items(), found, strict=True):
        python = {
            name: [one.last.isoformat(), one.due.isoformat(), one.seed]
            for name, one in schedule_reviews(events).items()
        }
        assert page == python, seed
        planned += len(python)
    assert planned > 100


def test_the_page_lists_due_and_next_exercises_as_python_does(view):
    histories = [history(seed) for seed in range(300, 360)]
    found = view.page.evaluate(
        """async ([histories, today]) => {
            const table = await recsysBook.script("front");
            return histories.map((events) => {
                const { due, next, wrong } = recsysBook.standing(events, table, today);
                const ids = (ones) => ones.map((one) => one.id);
                return [ids(due), next?.id ?? null, ids(wrong)];
            });
        }""",
        [[to_page_events(events) for events in histories], NOW.date().isoformat()],
    )
    for events, (due, following, wrong) in zip(histories, found, strict=True):
        known = summarize_history(events)
        assert due == [one.exercise for one in list_due_reviews(events, now=NOW)]
        assert following == find_next_untried(events)
        assert set(wrong) == {one for one in known if one in REGISTRY and not known[one].passed}


def draw_marks(seed):
    """Return a learner's marks of recall questions over two months, some corrected at once."""
    rng = random.Random(seed)
    some, events = rng.sample([one for ids in RECALL.values() for one in ids], 8), []
    for number in range(rng.randrange(4, 40)):
        when = BEGUN + timedelta(minutes=rng.randrange(60 * 24 * 70))
        question = rng.choice(some)
        for again in range(rng.choice([1, 1, 2])):
            at = (when + timedelta(seconds=again * rng.choice([20, 60, 200]))).isoformat()
            outcome = rng.choice(["PASS", "PASS", "PART", "WRONG"])
            events.append(Event(f"{seed}-{number}-{again}", at, question, outcome=outcome))
    return sorted(events, key=lambda event: (event.moment, event.id))


def test_review_questions_are_due_on_the_page_as_in_python(view):
    histories = [draw_marks(seed) for seed in range(100)]
    found = view.page.evaluate(
        """async ([histories, today]) => {
            const table = await recsysBook.script("front");
            const day = (due) => new Date(due * 86400000).toISOString().slice(0, 10);
            return histories.map((events) => [
                Object.fromEntries(Object.entries(recsysBook.recallReviews(events, table)).map(
                    ([id, { due }]) => [id, day(due)])),
                Object.fromEntries(recsysBook.dueRecall(events, table, today).map(
                    ({ part, count }) => [part.page.replace(".html", ""), count])),
            ]);
        }""",
        [[to_page_events(events) for events in histories], NOW.date().isoformat()],
    )
    asked = {one for ids in RECALL.values() for one in ids}
    counted = 0
    for events, (planned, due) in zip(histories, found, strict=True):
        python = schedule_question_reviews(events, asked)
        assert planned == {name: one.due.isoformat() for name, one in python.items()}
        assert due == count_due_questions(events, RECALL, now=NOW)
        counted += sum(due.values())
    assert counted > 50


def test_a_first_visit_shows_a_prediction_and_a_start_link(book, open_shared_view):
    view = open_shared_view(book, FRONT)
    page = view.page
    assert page.locator("[data-home]").is_hidden()
    start = page.locator(".front-start").get_by_role("link", name="Start the course")
    page.set_viewport_size({"width": 1280, "height": 800})
    box = start.bounding_box()
    assert box["y"] + box["height"] <= 800  # the guess and the way on are the first screen
    assert start.get_attribute("href") == "00_three_questions.html"
    more = page.locator(".guess details")
    assert not more.evaluate("one => one.open")
    page.get_by_role("button", name="It depends").click()
    assert more.evaluate("one => one.open")
    assert page.locator(".guess-said").text_content() == "Your answer: it depends."
    assert page.get_by_role("button", name="It depends").get_attribute("aria-pressed") == "true"
    said = more.locator("tbody tr").nth(1).text_content()
    value = ndcg(judge(list("FGHIJ"), {"A", "H", "I", "J"}), 5)
    assert f"{value:.3f}" in said
    assert view.errors == []


@pytest.mark.parametrize("answer", ["The first", "The second", "It depends"])
def test_the_reply_is_visible_on_a_phone_without_scrolling(book, open_view, answer):
    page = open_view(book, FRONT, width=390, has_touch=True).page
    page.set_viewport_size({"width": 390, "height": 844})
    button = page.get_by_role("button", name=answer)
    box = button.bounding_box()
    assert box["y"] + box["height"] <= 844
    assert min(box["width"], box["height"]) >= 44
    button.tap()
    reply = page.locator(".guess [role=status]")
    box = reply.bounding_box()
    assert box["y"] + box["height"] <= 844
    assert page.evaluate("scrollY") == 0
    assert reply.locator(".guess-said").text_content() == f"Your answer: {answer.lower()}."


def test_the_question_is_beside_what_the_book_is_where_there_is_room(book, open_view):
    page = open_view(book, FRONT, width=1440).page
    page.set_viewport_size({"width": 1440, "height": 900})
    head, guess = (page.locator(f".bd-article {one}").bounding_box() for one in ("h1", ".guess"))
    start = page.locator(".front-start a").first.bounding_box()
    assert guess["x"] >= head["x"] + head["width"]
    assert guess["y"] < head["y"] + head["height"]
    page.get_by_role("button", name="It depends").click()
    # The answer is on the screen, and moves nothing beside it.
    table = page.locator(".guess table")
    box = table.bounding_box()
    assert box["y"] + box["height"] <= 900
    assert table.evaluate("it => it.parentElement.scrollWidth <= it.parentElement.clientWidth")
    assert page.evaluate("scrollY") == 0
    assert page.locator(".front-start a").first.bounding_box() == start


def test_the_front_page_says_what_the_book_is(book):
    text = (book.folder / FRONT).read_text(encoding="utf-8")
    title = re.search("<title>(.*?)</title>", text, re.DOTALL)[1]
    described = re.search(r'<meta name="description" content="([^"]*)"', text)[1]
    for word in ("evaluat", "recommender systems"):
        assert word in title.lower()
        assert word in described.lower()
    assert "interactive" in described.lower()
    assert "Python" in described
    assert "for students, engineers and researchers" in described  # and for whom
    head = re.search("<h1>(.*?)<", text)[1]
    assert head in title
    assert text.split("logo__title")[1].split("</p>")[0].endswith(head)  # one name for all of it


def test_the_front_page_shows_the_values_of_ndcg_that_libraries_compute(book, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "dev" / "tools"))
    monkeypatch.syspath_prepend(str(ROOT / "book"))
    front = importlib.import_module("front")
    found = front.ndcg_values()
    text = (book.folder / FRONT).read_text(encoding="utf-8")
    assert f"One set of lists, {front._NUMBERS[len(found)]} values of NDCG@10" in text
    shown = text.split('<ul class="ndcg-values">')[1].split("</ul>")[0]
    for value, measures in found.items():
        assert f"<strong>{value:.3f}</strong>" in shown
        assert all(title in shown for title in measures)
    assert text.index("ndcg-values") < text.index('class="parts"')


def test_counts_on_the_front_page_are_those_of_the_code(book):
    text = (book.folder / FRONT).read_text(encoding="utf-8")
    counts = text.split('<p class="front-counts">')[1].split("</p>")[0]
    numbers = [int(number) for number in re.findall(r"\d+", counts)]
    pages = (book.folder / "api").glob("*.html")
    functions = [
        path for path in pages if '<p class="question">' in path.read_text(encoding="utf-8")
    ]
    assert numbers == [
        sum(not isinstance(one, Predict | Text) for one in REGISTRY.values()),
        len(EXPLORABLES),
        sum(bool(library.measures) for library in LIBRARIES.values()),
        len(functions),
    ]


@pytest.mark.parametrize("width", [390, 1280])
def test_the_counts_are_quieter_than_the_text_and_the_name_is_above_the_title(
    book, open_view, width
):
    page = open_view(book, FRONT, width=width).page
    size = "it => parseFloat(getComputedStyle(it).fontSize)"
    counts, name = page.locator(".front-counts"), page.locator(".front-name")
    text = page.locator(".bd-article h1 + p").evaluate(size)
    assert all(one.evaluate(size) < text for one in (counts, name))
    if width == 1280:
        line = counts.evaluate("it => parseFloat(getComputedStyle(it).lineHeight)")
        assert counts.bounding_box()["height"] < 2 * line
    assert name.inner_text() == DISTRIBUTION
    head, box = page.locator(".bd-article h1").bounding_box(), name.bounding_box()
    assert page.locator(".bd-header-article").bounding_box()["height"] + 4 <= box["y"]
    assert box["y"] + box["height"] <= head["y"] + 1


@pytest.mark.parametrize("width", [390, 1280])
def test_the_answers_are_filled_until_one_is_chosen_and_end_with_the_lists(book, open_view, width):
    page = open_view(book, FRONT, width=width).page
    paint = "all => all.map(it => getComputedStyle(it).backgroundColor)"
    buttons = page.locator(".guess-buttons button")
    filled = buttons.evaluate_all(paint)
    assert len(set(filled)) == 1
    assert filled[0] not in page.locator(".front-start a").evaluate_all(paint)
    right = "all => all.at(-1).getBoundingClientRect().right"
    ends = [page.locator(one).evaluate_all(right) for one in (".guess-lists svg", ".guess button")]
    assert ends[0] == pytest.approx(ends[1], abs=2)
    buttons.nth(1).click()
    page.mouse.move(0, 0)
    one, chosen, other = buttons.evaluate_all(paint)
    assert chosen == filled[0]
    assert one == other != chosen
    table = page.locator(".guess table").evaluate_all(right)
    assert table == pytest.approx(ends[1], abs=2)
    scroll = "it => getComputedStyle(it.parentElement).backgroundImage"
    assert page.locator(".guess table").evaluate(scroll) == "none"


def test_the_question_names_the_films_that_the_lists_show_filled(book):
    text = (book.folder / FRONT).read_text(encoding="utf-8")
    guess = text.split('class="guess"')[1].split("</section>")[0]
    assert "Alice likes four films: A, H, I and J." in guess
    filled = re.findall(r'fill="#ffffff">([A-Z])</text>', guess)
    assert filled == list("AHIJ")


def test_the_navigation_is_grouped(book):
    text = (book.folder / FRONT).read_text(encoding="utf-8")
    groups = re.findall(r'class="page-group"(?: open)?><summary><span[^>]*>(.*?)</span>', text)
    assert groups == ["Learn", "Use", "Compare", "Reference", "Teach"]
    assert "Evaluate my own lists" in text.split("Use</span>")[1].split("Compare</span>")[0]


def test_a_returning_reader_sees_due_exercises_and_continues(book, open_shared_view):
    view = open_shared_view(book, FRONT)
    page = view.page
    passed = Event("a", "2026-01-05T09:00:00+00:00", "ranking.e4", outcome="PASS")
    wrong = replace(passed, id="b", exercise="ranking.e5", outcome="WRONG")
    forgot = replace(passed, id="c", exercise=RECALL["02_ranking"][0], outcome="WRONG")
    text = format_history([passed, wrong, forgot]).decode()
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])
    page.reload()
    home = page.locator("[data-home]")
    home.wait_for(state="visible")
    said = home.text_content()
    assert "Today: 1 due, about" in said
    assert "From memory: 1 question due, about 1 minute:" in said
    assert home.locator('[href$="#recall"]').get_attribute("href") == "02_ranking.html#recall"
    assert f"Not right yet: {REGISTRY['ranking.e5'].title}." in said
    stem = next(stem for stem, held in PARTS.items() if REGISTRY["ranking.e4"] in held)
    due = home.get_by_role("link", name=REGISTRY["ranking.e4"].title)
    assert due.get_attribute("href") == f"{stem}.html#ranking.e4"
    onward = home.get_by_role("link", name="Continue:")
    assert onward.get_attribute("href").endswith(f"#{find_next_untried([passed, wrong])}")
    done = page.locator(".part-done")
    subject = sum(len(held) for part, held in PARTS.items() if part[:2] == stem[:2])
    assert done.text_content() == f"1 of {subject} exercises done"
    assert page.locator(".guess").is_hidden()
    assert page.evaluate(SHIFT) < 0.005
    assert view.errors == []


def test_a_returning_reader_sees_no_gap_and_nothing_move(book, open_view):
    page = open_view(book, FRONT, width=390, has_touch=True).page
    passed = Event("a", "2026-01-05T09:00:00+00:00", "ranking.e4", outcome="PASS")
    page.evaluate(
        "([k, t]) => localStorage.setItem(k, t)", [KEY, format_history([passed]).decode()]
    )
    held = []
    page.route("**/_static/front.js*", lambda route: held.append(route))
    page.reload(wait_until="commit")
    page.locator("#the-course").wait_for(state="attached")
    while not held:
        page.wait_for_timeout(100)
    page.wait_for_timeout(300)  # drawn at least once without what is awaited
    assert page.locator("#the-course").is_hidden()
    (waiting,) = held
    waiting.continue_()
    page.locator("#the-course").wait_for(state="visible")
    home = page.locator("[data-home]").bounding_box()
    after = page.locator("[data-home] ~ section:visible").first.bounding_box()
    assert after["y"] - home["y"] - home["height"] < 80
    assert page.evaluate(SHIFT) < 0.005


def test_an_exercise_link_leads_to_a_checked_answer(book, open_view, record_property):
    exercise, begun = REGISTRY["ranking.e4"], time.monotonic()
    stem = next(stem for stem, held in PARTS.items() if exercise in held)
    view = open_view(book, f"chapters/{stem}.html#{exercise.id}")
    form = view.page.locator(f'[data-exercise="{exercise.id}"]')
    fields = form.locator(".exercise-field input")
    fields.first.wait_for()
    opened = time.monotonic()
    assert form.bounding_box()["y"] < 800  # the link leads to it and not to the page's beginning
    for field, value in zip(fields.all(), exercise.answer.values(), strict=True):
        field.fill(answers.format_value(value))
    fields.last.press("Enter")
    form.locator(".feedback-pass").first.wait_for()
    record_property(
        "table",
        f"The book: the exercise after {opened - begun:.1f} s, "
        f"the first feedback after {time.monotonic() - begun:.1f} s",
    )
    assert view.errors == view.outside == []


def test_a_review_that_is_started_twice_while_it_loads_has_each_card_once(book, open_view):
    view = open_view(book, FRONT)
    page = view.page
    passed = Event("a", "2026-01-05T09:00:00+00:00", "ranking.e4", outcome="PASS")
    text = format_history([passed]).decode()
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])
    page.reload()
    held_back = []
    page.route("**/reviews/*.js", lambda route: held_back.append(route))
    start = page.locator("button.review-start")
    start.click()
    # Another tab writes, so the words are made anew, with a button that can be pressed.
    page.evaluate("dispatchEvent(new StorageEvent('storage', { key: null }))")
    start.click()
    page.wait_for_timeout(200)
    assert held_back
    for route in held_back:
        route.continue_()
    page.locator(".review [data-exercise]").first.wait_for()
    page.wait_for_timeout(200)
    assert page.locator(".review [data-exercise]").count() == 1
    page.unroute("**/reviews/*.js")
    assert view.errors == []


def test_each_review_uses_another_variant_and_records_help(book, open_shared_view):
    view = open_shared_view(book, FRONT)
    page = view.page
    exercise = REGISTRY["ranking.e4"]
    passed = Event("a", "2026-01-05T09:00:00+00:00", exercise.id, outcome="PASS")
    tried = replace(passed, id="b", when="2026-01-09T09:00:00+00:00", seed="1")
    text = format_history([passed, tried]).decode()
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])
    page.reload()
    page.get_by_role("button", name="Review it here, with other numbers").press("Enter")
    form = page.locator(f'.review [data-exercise="{exercise.id}"]')
    form.wait_for()
    assert form.evaluate("card => card === document.activeElement")
    variant = exercise.variant("2")
    fields = form.locator(".exercise-field input").all()

    def answer(values):
        for field, value in zip(fields, values.values(), strict=True):
            field.fill(answers.format_value(value))
        fields[-1].press("Enter")
        return form.locator(".feedback > p:first-child").all_text_contents()

    form.get_by_role("button", name="Hint").click()
    mistake = variant.mistakes[0]
    assert any("✗ Not yet" in one for one in answer(variant.wrong_answers(mistake)))
    assert set(answer(variant.answer)) == {"✓ Correct"}
    assert form.locator(".exercise-done").text_content() == "· ✓ Done"
    assert fields[-1].evaluate("field => field === document.activeElement")
    home = page.locator("[data-home]").text_content()
    assert "Today: nothing is due." in home
    told = json.loads(page.evaluate("key => localStorage.getItem(key)", KEY))["history"][2:]
    assert [(one.get("what"), one.get("outcome"), one["seed"]) for one in told] == [
        ("hint", None, "2"),
        (None, "WRONG", "2"),
        (None, "PASS", "2"),
    ]
    assert all(0 < one["seconds"] < 600 for one in told[1:])
    # The exercise in its part is another question; and what is tried last comes last again.
    late = [{**one, "when": "2026-02-01T09:00:00+00:00"} for one in told]
    third = {"id": "c", "when": "2026-03-01T09:00:00+00:00", "exercise": exercise.id}
    events = [passed.to_dict(), tried.to_dict(), *late, {**third, "seed": "3", "outcome": "PASS"}]
    seeds = page.evaluate(
        """async (events) => {
            const table = await recsysBook.script("front");
            return [3, events.length].map(
                (n) => recsysBook.reviews(events.slice(0, n + 2), table)["ranking.e4"].seed);
        }""",
        events,
    )
    assert seeds == ["3", "1"]
    assert view.errors == view.outside == []
