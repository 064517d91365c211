"""Recall questions in a notebook: the reader's mark is noted, and is there the next time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from recsys_metrics.workbook import progress
from recsys_metrics.workbook.recall import MARKS, Question, questions, recall

ROOT = Path(__file__).resolve().parents[2]
PARTS = sorted(path.stem for path in (ROOT / "chapters").glob("[0-9]*.md"))


@pytest.fixture
def file(tmp_path, monkeypatch):
    kept = tmp_path / "progress.json"
    monkeypatch.setenv(progress.VARIABLE, str(kept))
    return kept


def marks(part):
    return [box for box in recall(part).widget().children if hasattr(box, "options")]


def test_an_id_changes_with_the_words():
    # FNV-1a of the empty text and of "a", as its authors give them.
    assert Question("x", "").id == "recall.x.811c9dc5"
    assert Question("x", "a").id == "recall.x.e40c292c"


@pytest.mark.parametrize("part", PARTS)
def test_each_part_asks_for_its_own(part):
    text = (ROOT / "chapters" / f"{part}.md").read_text(encoding="utf-8")
    assert f'\nrecall("{part}")\n' in text
    found = questions(part)
    section = text.partition("\n## Recall\n")[2].partition("\n## ")[0]
    assert len(found) == section.count("<details>") >= 3
    assert len({one.id for one in found}) == len(found)
    assert [one.asked.split(".")[0] for one in found] == [str(n + 1) for n in range(len(found))]
    assert not any(re.search(r"[<>`*]", one.asked) for one in found), "it reads as it is written"


def test_a_mark_is_noted_and_shown_again(file):
    first, second, *_ = marks("02_ranking")
    assert (first.value, second.value) == (None, None)
    first.value = "PART"
    first.value = "PASS"
    second.value = "WRONG"
    told = [(event.exercise, event.outcome) for event in progress.history()]
    one, other, *_ = (question.id for question in questions("02_ranking"))
    assert told == [(one, "PART"), (one, "PASS"), (other, "WRONG")]
    assert [box.value for box in marks("02_ranking")[:3]] == ["PASS", "WRONG", None]
    assert {*MARKS} == {value for _, value in first.options}


def test_nothing_is_noted_of_nobody(monkeypatch):
    monkeypatch.setenv(progress.VARIABLE, "off")
    marks("02_ranking")[0].value = "PASS"
    assert progress.history() == []


def test_a_part_that_there_is_not_is_an_error():
    with pytest.raises(FileNotFoundError):
        recall("02_rankin")
