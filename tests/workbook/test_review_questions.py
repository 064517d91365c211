"""Recall questions in a notebook: the reader's mark is noted, and is there the next time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from recsys_metrics.workbook import progress
from recsys_metrics.workbook.progress import Event
from recsys_metrics.workbook.progress.review_questions import (
    MARKS,
    ReviewQuestion,
    read_questions,
    review_questions,
)

ROOT = Path(__file__).resolve().parents[2]
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
PARTS = sorted(path.stem for path in (ROOT / "chapters").glob("[0-9]*.md"))


@pytest.fixture
def file(tmp_path, monkeypatch):
    kept = tmp_path / "progress.json"
    monkeypatch.setenv(progress.VARIABLE, str(kept))
    return kept


def marks(part):
    return [box for box in review_questions(part).widget().children if hasattr(box, "options")]


def test_the_id_of_a_question_depends_on_its_text():
    # FNV-1a of the empty text and of "a", as its authors give them.
    assert ReviewQuestion("x", "").id == "recall.x.811c9dc5"
    assert ReviewQuestion("x", "a").id == "recall.x.e40c292c"


@pytest.mark.parametrize("part", PARTS)
def test_each_part_has_its_own_questions(part):
    text = (ROOT / "chapters" / f"{part}.md").read_text(encoding="utf-8")
    assert f'\nreview_questions("{part}")\n' in text
    found = read_questions(part)
    section = text.partition("\n## Recall\n")[2].partition("\n## ")[0]
    assert len(found) == section.count("<details>") >= 3
    assert len({one.id for one in found}) == len(found)
    assert [one.text.split(".")[0] for one in found] == [str(n + 1) for n in range(len(found))]
    assert not any(re.search(r"[<>`*]", one.text) for one in found), "it reads as it is written"


def test_a_mark_is_recorded_and_restored(file):
    first, second, *_ = marks("02_ranking")
    assert (first.value, second.value) == (None, None)
    first.value = "PART"
    first.value = "PASS"
    second.value = "WRONG"
    told = [(event.exercise, event.outcome) for event in progress.load_history()]
    one, other, *_ = (question.id for question in read_questions("02_ranking"))
    assert told == [(one, "PART"), (one, "PASS"), (other, "WRONG")]
    assert [box.value for box in marks("02_ranking")[:3]] == ["PASS", "WRONG", None]
    assert {*MARKS} == {value for _, value in first.options}


def test_with_progress_off_marks_are_not_recorded(monkeypatch):
    monkeypatch.setenv(progress.VARIABLE, "off")
    marks("02_ranking")[0].value = "PASS"
    assert progress.load_history() == []


def planned(*marks):
    """Return the interval after marks: each its day, what it says, and seconds after noon."""
    events = [
        Event(
            f"{n}",
            (NOON + timedelta(days=day, seconds=seconds)).isoformat(),
            "recall.x.1",
            outcome=said,
        )
        for n, (day, said, seconds) in enumerate(marks)
    ]
    return progress.schedule_question_reviews(events, {"recall.x.1"})["recall.x.1"].interval


def test_known_questions_are_spaced_out_and_forgotten_ones_due_the_next_day():
    """A reader who always knows, for a year, and one who forgets once."""
    day, marks, intervals = 0, [], []
    while day < 365:
        marks.append((day, "PASS", 0))
        intervals.append(planned(*marks))
        day += intervals[-1]
    assert all(after > before for before, after in pairwise(intervals))
    assert len(marks) < 8
    assert planned(*marks[:3], (marks[3][0], "WRONG", 0)) < intervals[2]
    assert planned((0, "WRONG", 0)) == 1
    assert planned((0, "WRONG", 0)) <= planned((0, "PART", 0)) < planned((0, "PASS", 0))


def test_a_mark_can_be_corrected_within_a_minute():
    assert planned((0, "WRONG", 0), (0, "PASS", 30)) == planned((0, "PASS", 0))
    # Who has read the answer knows it.
    assert planned((0, "WRONG", 0), (0, "PASS", 300)) == planned((0, "WRONG", 0))


def test_removed_questions_are_not_due():
    mark = Event("a", NOON.isoformat(), "recall.x.1", outcome="WRONG")
    assert progress.schedule_question_reviews([mark], {"recall.x.2"}) == {}


def test_an_unknown_part_raises():
    with pytest.raises(FileNotFoundError):
        review_questions("02_rankin")
