"""The page reads numbers and names causes as Python does: one load, many answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from book.cards import sayings
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises import REGISTRY, answers
from recsys_metrics.workbook.exercises.numbers import Numbers
from tests.book.test_cards_in_book import read_feedback, visible_text
from tests.exercises.natural_answers import first_check, rows

TYPED = json.loads((Path(__file__).parents[1] / "exercises/typed.json").read_text("utf-8"))

READ = """([typed, rules]) => typed.map(([text, label]) => {
    try {
        return recsysBook.reading.read(text, label, rules);
    } catch (problem) {
        return { key: problem.message };
    }
})"""

CHECK = """async (given) => {
    const found = [];
    for (const [id, typed] of given) {
        const table = recsysBook.decode(await recsysBook.load("exercises", id));
        found.push(recsysBook.checkNumbers(table, typed, {}));
    }
    return found;
}"""


@pytest.fixture(scope="module")
def page(sample_site, open_shared_view):
    view = open_shared_view(sample_site, "chapters/exercises_ranking.html")
    yield view.page
    assert view.errors + view.outside == []


def wrong_answers_of(exercise):
    """Return answers with each known mistake of an exercise, and with each of arithmetic."""
    right = exercise.answer
    for one in (*exercise.suspects, *exercise.arithmetic_mistakes):
        for places in (2, 4):
            yield {name: f"{v:.{places}f}" for name, v in {**right, **one.values}.items()}
    for places in (1, 2, 3):
        yield {name: f"{value:.{places}f}" for name, value in right.items()}
    for off in (0.001, -0.001, 0.0006):
        yield {name: f"{value + off:.4f}" for name, value in right.items()}


@pytest.mark.browser
def test_the_page_parses_answers_as_python_does(page):
    assert len(TYPED) > 100
    rules = {"units": sorted(answers.UNITS), "turns": sorted(answers.TURNS)}
    unreadable = sayings()["unreadable"]
    for (text, label), found in zip(TYPED, page.evaluate(READ, [TYPED, rules]), strict=True):
        assert found == expected(text, label, unreadable), text


def expected(text, label, unreadable):
    """Return what the page should read, or the key of what it should say."""
    try:
        reading = answers.read_number(text, about=label)
    except answers.UnreadableError as problem:
        said = [problem.outcome.name, visible_text(markup.render_inline(problem.message))]
        return {
            "key": next(key for key, (o, t) in unreadable.items() if [o, visible_text(t)] == said)
        }
    value = pytest.approx(reading.value, rel=1e-15, abs=0)
    return {"value": value, "places": reading.places, "zeros": reading.zeros}


@pytest.mark.browser
def test_the_page_names_the_same_mistakes_as_python(page):
    given = [(row["exercise"], row["typed"]) for row in rows("numbers")]
    for name, exercise in REGISTRY.items():
        if isinstance(exercise, Numbers):
            given += [(name, typed) for typed in wrong_answers_of(exercise)]
    for (name, typed), parts in zip(given, page.evaluate(CHECK, given), strict=True):
        said = {
            key: [
                part["outcome"],
                visible_text(part.get("pitfall", "")),
                [*map(visible_text, part["lines"])],
            ]
            for key, part in parts.items()
        }
        result = first_check(name, **typed)
        assert said == {
            part.name: [part.outcome.name, part.pitfall, read_feedback(part.lines)]
            for part in result.parts
        }, (name, typed)
