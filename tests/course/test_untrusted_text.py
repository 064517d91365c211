"""The border that a submission's text crosses, and what a notebook can do to a whole class."""

from __future__ import annotations

import html
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.workbook.course import course_folder, feedback
from recsys_metrics.workbook.grading import submissions
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.untrusted_text import clean_text, count_values, read_json
from tests.course.simulated_people import cell_of

NUMBER, CHOICE, WORDS = EXERCISES = ["ranking.e4", "ranking.comparable", "ranking.explain_ideal"]
NASTY = "\ud800<b>\x1b[31m\x00\x9b\u202e\u2066\u2028\U000e0041"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("plain, ünïcode, 日本 👩\u200d🔬 می\u200cخواهم", None),
        ("a\tb\nc", None),
        ("a\r\nb\rc\x0cd", "a\nb\nc\nd"),
        ("\ud83d", "\ufffd"),
        (NASTY, "\ufffd<b>\ufffd[31m" + "\ufffd" * 6),
    ],
)
def test_cleaned_text_computed_by_hand(text, cleaned):
    assert clean_text(text) == (text if cleaned is None else cleaned)


@given(st.text(st.characters(), max_size=50))
def test_cleaning_is_idempotent_and_the_result_can_be_written(text):
    cleaned = clean_text(text)
    cleaned.encode()
    assert clean_text(cleaned) == cleaned
    assert not any(sign in cleaned for sign in NASTY.replace("<b>", "").replace("[31m", ""))
    assert read_json(json.dumps({text: [text]})) == {cleaned: [cleaned]}


@pytest.fixture(scope="module")
def at(desk):
    return desk(["ann", "bob"], EXERCISES, notebook_mb=1)


def nest(depth):
    return b'{"cells": ' + b"[" * depth + b"]" * depth + b"}"


BROKEN = {
    "empty": b"",
    "no_json": b"\x80\x81 no json",
    "utf16": "{}".encode("utf-16"),
    "a_list": b"[1, 2]",
    "no_cells": b'{"metadata": {}}',
    "cells_of_text": b'{"cells": ["x", 5, null]}',
    "deep": nest(100_000),
    "less_deep": nest(990),
    "large_number": b'{"cells": ' + b"9" * 5_000 + b"}",
    "source_is_a_number": b'{"cells": [{"cell_type": "code", "source": 5}]}',
    "many_cells": json.dumps({"cells": [{"cell_type": "raw", "source": ""}] * 5_001}).encode(),
    "large": b'{"cells": [], "x": "' + b"x" * 1_000_000 + b'"}',
    "twice": b'{"cells": []}{"cells": []}',
    "cells_twice": b'{"cells": [], "cells": []}',
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_notebook_gives_its_student_an_explanation(name, at):
    at.hand_in("ann", BROKEN[name])
    at.hand_in("bob", at.answered("bob"))
    graded = at.grade(sandboxed=False) if name == "deep" else at.grade("ann", sandboxed=False)
    problem = graded["ann"].problem
    assert problem.startswith(("it is ", "it contains ", "it has ", "its cell "))
    assert problem.isprintable()
    assert "Error" not in problem
    assert problem.split(" (")[0] in html.unescape(at.page("ann"))
    if name == "deep":
        assert graded["bob"].points == at.assignment.out_of - 2


ODD_METADATA = [5, [], "x", None, {"recsys_metrics": {"question": ["a"], "role": {}}}]


def test_unusual_characters_everywhere_are_graded_and_written(at):
    """What stopped a class: half a surrogate pair in a value, an error, a name, a source."""
    book = at.answered("ann")
    book["metadata"]["recsys_metrics"]["odd"] = NASTY
    for place, odd in enumerate(ODD_METADATA):
        book["cells"].insert(0, {"cell_type": "markdown", "source": NASTY, "metadata": odd,
                                 "id": place, "attachments": odd})  # fmt: skip
    cell_of_words = cell_of_safe(book, "ranking-explain_ideal")
    cell_of_words["source"] = f"Because {NASTY} it is."
    cell_of_safe(book, "ranking-comparable")["source"] = r"choice = '\ud800<b>'"
    add_after(book, "raise ValueError('\\ud800\\x1b[31m')")
    add_after(book, f"x = '{NASTY}'")
    at.hand_in("ann", book)
    graded = at.grade("ann", sandboxed=False)["ann"]
    assert graded.problem == ""
    assert graded.points == 2  # the number is right, and the words wait
    shown = at.course.notebook("autograded", "ann", "ps1").read_text(encoding="utf-8")
    for text in (shown, at.page("ann"), at.course.report("ps1").read_text(encoding="utf-8")):
        assert not any(sign in text for sign in "\x1b\x00\x9b\u202e\u2066")


def cell_of_safe(book, grade_id):
    sound = [one for one in book["cells"] if isinstance(one.get("metadata"), dict)]
    return cell_of({"cells": sound}, grade_id)


def add_after(book, source):
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    book["cells"].append({**cell, "source": source})


def test_a_failure_while_writing_affects_one_student_only(at, monkeypatch):
    """Whatever else may come up after the run: it is the student's, and no more."""
    shown = feedback.autograded

    def fails_for_ann(questions, submission, *rest):
        if submission.student == "ann":
            raise RuntimeError("unthought of \x1b[31m")
        return shown(questions, submission, *rest)

    monkeypatch.setattr(feedback, "autograded", fails_for_ann)
    at.hand_in("ann", at.answered("ann"))
    at.hand_in("bob", at.answered("bob"))
    graded = at.grade(sandboxed=False)
    says = "its content could not be graded (RuntimeError: unthought of \\x1b[31m)"
    assert (graded["ann"].problem, graded["ann"].points) == (says, None)
    assert "could not be graded" in at.page("ann")
    assert graded["bob"].points == at.assignment.out_of - 2
    rows = at.export().read_text()
    assert says in rows


def test_a_notebook_without_metadata_keeps_all_cells(at):
    book = at.answered("ann")
    bare = {"cells": [{"cell_type": one["cell_type"], "source": one["source"]}
                      for one in book["cells"]], "metadata": {}}  # fmt: skip
    at.hand_in("ann", bare)
    graded = at.grade("ann", sandboxed=False)["ann"]
    assert graded.reached == at.assignment.out_of - 2
    assert graded.waiting == 1
    assert graded.notes == [
        "its signature is lost; it was graded by where it lay",
        "its cells have lost their marks; answers were found by their names",
    ]
    questions = list(at.asked("ann").values())
    gone = [one for one in bare["cells"] if "Question 3" not in one["source"]]
    gone.pop()  # and the words below the heading
    found = submissions.parse_notebook(json.dumps({"cells": gone}).encode(), questions)
    assert [one.number for one in found.find_missing_cells(questions)] == [3]


def test_a_file_that_was_too_large_to_collect_is_explained_to_its_student(at):
    file = at.put("bob_ps1.ipynb", BROKEN["large"])
    at.course.notebook("submitted", "bob", "ps1").unlink(missing_ok=True)
    at.collect()
    file.unlink()
    graded = at.grade("bob", sandboxed=False)["bob"]
    assert graded.problem.startswith(
        "what was handed in, bob_ps1.ipynb, cannot be taken: it is larger than 1 MB; clear the"
    )
    assert "larger than 1 MB" in at.page("bob")
    with pytest.raises(GradingError, match="clear the outputs"):
        course_folder.read_bounded(at.put("x", BROKEN["large"]), 1)


def _seconds(n):
    """Return how long it takes to count so many quotes, at the quickest."""
    content, found = b"," * 10_001 + b'"' + b'\\"' * n, []
    for _ in range(5):
        begun = time.process_time()
        count_values(content)
        found.append(time.process_time() - begun)
    return min(found)


def test_values_are_counted_before_they_are_read():
    assert count_values(b"") == 1
    # Counting is exact where it decides, and never too low.
    text = json.dumps([{"a, [b": '\\", [' * 3}] * 20_000).encode()
    assert 40_000 <= count_values(text) <= 40_002
    assert len(read_json(text)) == 20_000
    with pytest.raises(ValueError, match="more than 500,000 values"):
        read_json(b"[" + b"[]," * 600_000 + b"[]]")
    # Quotes that are escaped and never closed: each is looked at once.
    assert _seconds(400_000) < 30 * _seconds(40_000)
    # An end that is missing, and a text that is long.
    assert count_values(b'["' + b'\\"' * 5_000_000) <= 3
    assert count_values(b'"' * 1_000_001) == 1


def test_a_notebook_of_too_many_values_names_the_cure():
    content = b'{"cells": [], "metadata": {"a": [' + b"[]," * 600_000 + b"[]]}}"
    with pytest.raises(GradingError, match=r"more than 500,000 values; clear the outputs"):
        submissions.parse_notebook(content)


@pytest.mark.parametrize("kind", [{"a": 1}, ["code"], 3, None])
def test_a_cell_of_another_type_is_named(kind):
    content = json.dumps({"cells": [{"cell_type": kind, "source": "x"}]}).encode()
    with pytest.raises(GradingError, match="its cell 1 is none"):
        submissions.parse_notebook(content)
