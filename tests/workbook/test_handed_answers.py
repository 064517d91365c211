"""Which answer is handed in: the card's, or one that was checked before, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.progress import Event
from recsys_metrics.workbook.progress.handed_answers import select_answer

# The same table is run in a page: tests/book/test_hand_in_in_book.py.
CASES = json.loads(
    Path(__file__)
    .with_name("handed_answers.json")
    .read_text("utf-8")
    .replace("LONG", "word " * 4_001)
)


def as_event(number, exercise, answer):
    when = f"2026-03-02T12:00:{number:02d}Z"
    known = {"unsaved": True} if answer is None else {"answer": answer}
    return Event(id=f"{number}", when=when, exercise=exercise, outcome="WRONG", **known)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_the_answer_that_is_handed_in_and_what_is_said_of_it(case):
    checks = [as_event(n, case["exercise"], one) for n, one in enumerate(case["checks"])]
    found = select_answer(REGISTRY[case["exercise"]], checks, case["entered"])
    assert (found.handed and found.handed.read.answer) == case["handed"]
    assert bool(found.handed and found.handed.when) is case["checked"]
    assert found.is_complete is case["complete"]
    assert found.explain("X") == case["says"]
