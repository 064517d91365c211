"""Recall questions: answered from memory in the page, compared, marked, counted; guesses kept."""

from __future__ import annotations

import html
import json
import re

import pytest

from recsys_metrics.workbook.progress.review_questions import read_questions
from tests.book.conftest import press_progress

pytestmark = pytest.mark.browser

PAGE = "chapters/02_ranking_averages.html"


def test_a_review_question_is_answered_compared_and_marked(book, open_view):
    page = open_view(book, PAGE).page
    question = page.locator("details.recall").first
    status = page.locator(".progress-line").get_by_role("status")
    answer = question.locator(".recall-answer")

    question.locator("summary").press("Enter")
    assert answer.is_hidden()
    question.get_by_label("Your answer, from memory").fill("Two precisions, over three.")
    question.get_by_role("button", name="Compare").press("Enter")
    assert answer.is_visible()
    assert "Divide the sum of these values by the number of relevant items" in answer.text_content()

    question.get_by_role("button", name="I knew a part").press("Enter")
    assert "◐ I knew a part" in question.locator("summary").text_content()
    assert "0 of 5 recall questions known, 1 to look at again" in status.text_content()

    # The last mark counts: what was known may be forgotten, and what was not may be learnt.
    question.get_by_role("button", name="I knew it").press("Enter")
    assert "1 of 5 recall questions known" in status.text_content()
    assert "look at again" not in status.text_content()
    pressed = question.locator("[aria-pressed=true]")
    assert pressed.all_text_contents() == ["✓ I knew it"]

    page.reload()
    assert "1 of 5 recall questions known" in status.text_content()
    question.locator("summary").click()
    assert answer.is_hidden(), "it asks again"
    assert question.locator("textarea").input_value() == "Two precisions, over three."


def test_review_answers_are_saved_and_loaded_with_the_exercises(book, open_view, tmp_path):
    page = open_view(book, PAGE).page
    question = page.locator("details.recall").nth(1)
    question.locator("summary").click()
    question.get_by_role("button", name="Compare").click()
    question.get_by_role("button", name="I did not know it").click()
    with page.expect_download() as saving:
        press_progress(page, "Save progress")
    kept = tmp_path / "progress.json"
    saving.value.save_as(kept)
    (entry,) = json.loads(kept.read_text(encoding="utf-8"))["history"]
    assert entry["outcome"] == "WRONG"
    # A notebook notes it by the same name.
    assert entry["exercise"] == read_questions("02_ranking_averages")[1].id
    other = open_view(book, PAGE).page
    other.locator(".progress-line input[type=file]").set_input_files(kept)
    other.wait_for_function(
        "document.querySelectorAll('details.recall')[1].textContent.includes('○ I did not know it')"
    )


def test_a_stored_answer_that_is_not_text_is_not_shown(book, open_view):
    view = open_view(book, PAGE)
    page = view.page
    question = page.locator("details.recall").first
    question.locator("summary").click()
    question.get_by_label("Your answer, from memory").fill("Mine.")
    question.get_by_role("button", name="Compare").click()
    question.get_by_role("button", name="I knew it").click()
    key = "recsys-metrics.progress"
    kept = json.loads(page.evaluate(f"localStorage.getItem('{key}')"))
    (entry,) = kept["history"]
    assert entry["answer"] == "Mine."
    entry["answer"] = {"text": "of another kind"}
    page.evaluate(f"text => localStorage.setItem('{key}', text)", json.dumps(kept))
    page.reload()
    assert "✓ I knew it" in question.locator("summary").text_content()
    assert question.locator("textarea").input_value() == ""
    assert view.errors == []


def test_without_javascript_a_question_unfolds_its_answer(book, open_view):
    page = open_view(book, PAGE, java_script_enabled=False).page
    question = page.locator("section#recall > details").first
    question.locator("summary").click()
    said = "Divide the sum of these values by the number of relevant items"
    assert question.get_by_text(said).is_visible()


def test_a_prediction_of_one_part_is_quoted_in_another(book, open_view):
    view = open_view(book, "chapters/02_ranking.html")
    page = view.page
    view.wake()
    card = page.locator('[data-exercise="ranking.first_guess"]')
    option = card.locator(".exercise-option").nth(1)
    option.locator("input").check()
    guess = option.text_content().strip()
    card.get_by_role("button", name="Save my guess").click()
    page.goto(page.url.replace("02_ranking.html", "02_ranking_gains.html"))
    note = page.locator('[data-look-back="ranking.first_guess"]')
    note.get_by_text("You guessed:").wait_for()
    assert guess in note.text_content()
    assert "No guess was noted." not in note.text_content()


def test_questions_have_the_same_text_in_page_and_notebook(book):
    pages = sorted((book.folder / "chapters").glob("[0-9]*.html"))
    assert len(pages) > 20
    for page in pages:
        section = page.read_text(encoding="utf-8").partition('<section id="recall">')[2]
        asked = re.findall(r"<summary>(.*?)</summary>", section.partition("</section>")[0], re.S)
        shown = [html.unescape(re.sub(r"<[^>]*>", "", one)).strip() for one in asked]
        assert shown == [one.text for one in read_questions(page.stem)], page.stem
