"""The concept inventory: its questions, the gain by hand, and a class whose mistakes are known."""

from __future__ import annotations

import json
import math
import tomllib
from collections import Counter
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.workbook.course import concept_inventory as inventory
from recsys_metrics.workbook.course.concept_inventory import (
    SUBJECTS,
    load_questions,
    normalised_gain,
)
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.grading.limits import GradingError

WHEN = "2026-09-01T10:00:00Z"
RAW = tomllib.loads(
    (files(inventory.__package__) / "inventory" / "questions.toml").read_text(encoding="utf-8")
)["question"]
# A class of forty: each of the first so many makes a mistake before, and some of them after.
PLANTED = {
    "ranking.e2 hits-divisor": (20, 6),
    "protocol.report_number tuned-on-test": (26, 10),
    "bias.e7_why weight-as-bonus": (12, 12),
}


def test_there_are_25_questions_over_the_six_subjects():
    counts = Counter(one.subject for one in load_questions())
    assert sum(counts.values()) == 25
    assert counts.keys() == SUBJECTS.keys()
    assert min(counts.values()) >= 3
    assert len({one.id for one in load_questions()}) == 25


@pytest.mark.parametrize("one", RAW, ids=lambda one: one["id"])
def test_each_wrong_option_is_a_mistake_of_the_bank(one):
    mistakes = [wrong["mistake"] for wrong in one["wrong"]]
    assert len(set(mistakes)) == 3
    for named in mistakes:
        exercise, mistake = named.split()
        assert exercise.partition(".")[0] == one["subject"]
        assert mistake in {own.id for own in REGISTRY[exercise].own_mistakes}
    texts = [one["right"]["text"], *(wrong["text"] for wrong in one["wrong"])]
    assert len(set(texts)) == 4
    for option in (one["right"], *one["wrong"]):
        assert ("value" in option) == ("value" in one["right"])
        if "value" in option:
            value = eval(option["value"], {"log2": math.log2})
            assert f"{round(value, 3):g}" == option["text"].replace("−", "-")


def test_the_right_option_cannot_be_told_by_its_place_or_its_length():
    for form in ("before", "after"):
        places = Counter(one.order(form).index(0) for one in load_questions())
        assert len(places) == 4
        assert max(places.values()) <= 12
    # As a guess, 1 in 4 right options would be the longest.
    words = [
        one for one in load_questions() if "value" not in RAW[load_questions().index(one)]["right"]
    ]
    longest = sum(len(one.options[0]) == max(map(len, one.options)) for one in words)
    assert longest <= len(words) / 2


def test_the_two_forms_ask_the_same_in_another_order():
    before, after = (inventory.write_test(form) for form in ("before", "after"))
    for question in load_questions():
        assert before.count(f'name="{question.id}"') == after.count(f'name="{question.id}"') == 4
    ids = [one.id for one in load_questions()]
    orders = [sorted(ids, key=text.index) for text in (before, after)]
    assert orders[0] != orders[1]
    assert "connect-src" not in before
    assert "default-src 'none'" in before
    assert not any(mistake in before for one in load_questions() for mistake in one.mistakes)


def test_the_gain_by_hand():
    # Means 0.3 and 0.7: of 0.7 that was missing, 0.4 came.
    found = normalised_gain([0.2, 0.4], [0.6, 0.8])
    assert (found.value, found.n) == (pytest.approx(0.4 / 0.7), 2)
    same = normalised_gain([0.5] * 5, [0.5] * 5)
    assert (same.value, str(same)) == (0, "0.00")
    assert normalised_gain([0.5] * 5, [1.0] * 5).value == 1
    assert math.isnan(normalised_gain([1, 1], [1, 1]).value)
    assert math.isnan(normalised_gain([0.5], [0.7]).value)


@given(st.lists(st.tuples(st.floats(0, 0.9), st.floats(0, 1)), min_size=2, max_size=30))
def test_the_gain_does_not_depend_on_the_order_of_students(pairs):
    before, after = zip(*pairs, strict=True)
    found = normalised_gain(before, after)
    assert normalised_gain(before[::-1], after[::-1]).value == pytest.approx(found.value)
    assert found.value <= 1
    # Where nothing varies there is no interval.
    assert math.isnan(found.low) or found.low - 1e-9 <= found.value <= found.high + 1e-9


def test_the_interval_of_the_gain_has_its_coverage():
    rng = np.random.default_rng(3)
    truth, inside = (0.65 - 0.4) / (1 - 0.4), 0
    for _ in range(200):
        before = rng.binomial(25, 0.4, 40) / 25
        after = rng.binomial(25, 0.65, 40) / 25
        found = normalised_gain(before, after)
        inside += found.low <= truth <= found.high
    # 95% of 200 is 190, with a standard deviation of 3.
    assert 180 <= inside <= 199


def write_paper(form, code, options):
    """Return the file that the page saves when these options were chosen, by question."""
    questions = {one.id: one for one in load_questions()}
    letters = {name: "abcd"[questions[name].order(form).index(at)] for name, at in options.items()}
    about = {"format": inventory.FORMAT, "version": 1, "form": form, "code": code}
    return {**about, "saved": WHEN, "answers": letters}


def choose(form, number):
    """Return what student `number` chooses: the planted mistakes, and what is right elsewhere."""
    options = {one.id: 0 for one in load_questions()}
    for mistake, counts in PLANTED.items():
        question = next(one for one in load_questions() if mistake in one.mistakes)
        if number < counts[form == "after"]:
            options[question.id] = 1 + question.mistakes.index(mistake)
    return options


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    place = tmp_path_factory.mktemp("inventory")
    for form in ("before", "after"):
        (place / form).mkdir()
        for number in range(40):
            paper = write_paper(form, f"Code {number}", choose(form, number))
            (place / form / f"{number}.json").write_text(json.dumps(paper))
    return place


def test_the_planted_mistakes_and_the_gain_are_found(folders):
    report = inventory.compare(folders / "before", folders / "after")
    assert (len(report.before), report.unmatched, report.problems) == (40, 0, [])
    found = {name: (before, after) for name, before, after in report.count_mistakes()}
    assert found == PLANTED
    wrong = [sum(one[form] for one in PLANTED.values()) / 1000 for form in (0, 1)]
    assert report.gain.value == pytest.approx((wrong[0] - wrong[1]) / wrong[0])
    assert report.gain_of("bias").value == 0
    assert math.isnan(report.gain_of("rating").value)
    text = inventory.page(report)
    assert "40 students took the test" in text
    assert "hits divisor (ranking.e2)" in text
    assert "Code 1" not in text
    assert "code 1" not in text


STRANGE = {
    "an outcome": (lambda one: {**one, "score": 25}, "has 'score', which is never saved"),
    "the other test": (lambda one: {**one, "form": "after"}, "it is of the test 'after' the"),
    "no code": (lambda one: {**one, "code": "  "}, "not one of 1 to 40 letters"),
    "a question that is not asked": (
        lambda one: {**one, "answers": {"x": "a"}}, "it answers 'x', which is not asked"
    ),
    "an option that is not there": (
        lambda one: {**one, "answers": {"mae": "e"}}, "it has 'e' as the answer to mae"
    ),
    "another format": (lambda one: {**one, "format": "x"}, "it was not saved by this test"),
    "a list": (lambda one: [one], "is no object with the keys"),
}  # fmt: skip


@pytest.mark.parametrize("name", STRANGE)
def test_another_file_is_left_out_in_a_sentence(name, tmp_path):
    change, says = STRANGE[name]
    (tmp_path / "a.json").write_text(json.dumps(change(write_paper("before", "x", {"mae": 0}))))
    papers, ((file, problem),) = inventory.read_papers(tmp_path, "before")
    assert (papers, file) == ({}, "a.json")
    assert says in problem


def test_two_files_of_one_code_name_are_left_out(tmp_path):
    for name in ("a", "b"):
        paper = write_paper("before", "Same  Name", {"mae": 0})
        (tmp_path / f"{name}.json").write_text(json.dumps(paper))
    papers, problems = inventory.read_papers(tmp_path, "before")
    assert papers == {}
    assert problems == [
        ("'same name'", "is the code name of 2 files, and all of them are left out")
    ]
    with pytest.raises(GradingError, match="no code name is in both folders"):
        inventory.compare(tmp_path, tmp_path)


@pytest.mark.browser
def test_the_page_saves_what_was_chosen_and_reaches_nothing(browser, tmp_path):
    place = tmp_path / "before.html"
    place.write_text(inventory.write_test("before"), encoding="utf-8")
    page = browser.new_page()
    heard, errors = [], []
    page.on("request", lambda asked: heard.append(asked.url))
    page.on("pageerror", lambda problem: errors.append(str(problem)))
    page.goto(place.as_uri())
    save = page.get_by_role("button", name="Save my answers")
    save.click()
    assert "Write your code name first" in page.get_by_role("status").inner_text()
    page.get_by_label("Your code name").fill("Ada 7")
    page.get_by_text("0.75", exact=True).first.click()
    page.get_by_text("Train on all events before a date").click()
    with page.expect_download() as coming:
        save.click()
    coming.value.save_as(tmp_path / "paper.json")
    assert "with 2 of 25 answers" in page.get_by_role("status").inner_text()
    paper = inventory.parse_paper((tmp_path / "paper.json").read_bytes(), "before")
    assert paper.code == "ada 7"
    assert paper.options["split"] == 0
    assert len(paper.options) == 2
    assert errors == []
    assert [url for url in heard if not url.startswith(("file:", "blob:"))] == []
    page.close()
