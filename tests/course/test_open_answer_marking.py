"""Answers in words: pages without names, two markers, and their points in the gradebook."""

from __future__ import annotations

import csv
import re
import shutil
from dataclasses import replace

import pytest

from recsys_metrics.workbook.course import (
    feedback,
    gradebook,
    inter_rater_agreement,
    open_answer_marking,
)
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.grading.limits import GradingError
from tests.course.simulated_people import NAME
from tests.course.test_gradebook import enter_score, nbgrader_of

NUMBER, WORDS = "ranking.e4", "ranking.explain_ideal"
STUDENTS = ["ann", "bob", "cleo", "dan"]
MOST = len(REGISTRY[WORDS].criteria)


@pytest.fixture(scope="module")
def graded(desk):
    at = desk(STUDENTS, [NUMBER, WORDS])
    for student in STUDENTS[:3]:
        said = {WORDS: f"Mine, of {student.upper()}: **every** <b>list</b>. ![x](http://a)"}
        at.hand_in(student, at.answered(student, said))
    at.grade(sandboxed=False)
    return at


@pytest.fixture
def course_copy(graded, tmp_path):
    root = tmp_path / "recsys"
    shutil.copytree(graded.course.root, root)
    return replace(graded, course=replace(graded.course, root=root))


def write_levels(at, marker, levels):
    """Write levels as a marker does."""
    sheet = open_answer_marking.write_pages(at.course, at.assignment, marker).sheet
    by_code = {
        open_answer_marking.code(at.course, at.assignment, one): level
        for one, level in levels.items()
    }
    lines = [f"{code},{level}," for code, level in by_code.items()]
    sheet.write_text("\n".join([f"report,{WORDS},comment", *lines, ""]))


def test_marking_pages_are_anonymous(course_copy):
    done = open_answer_marking.write_pages(course_copy.course, course_copy.assignment, "kim")
    assert done.answers == {WORDS: 3}
    page = (done.folder / f"{WORDS}.html").read_text()
    assert page.count('class="answer"') == 3
    assert "<strong>every</strong> &lt;b&gt;list" in page
    assert "<img" not in page
    assert not [one for one in STUDENTS if re.search(rf"\b{one}\b", page)]
    for statement in REGISTRY[WORDS].criteria:
        assert page.count(str(statement)[:20]) >= 3
    assert done.sheet.read_text().splitlines()[0] == f"report,{WORDS},comment"


def test_each_marker_gets_a_different_order(course_copy):
    orders = set()
    for marker in ("kim", "lee", "mia", "noa", "ola"):
        done = open_answer_marking.write_pages(course_copy.course, course_copy.assignment, marker)
        page = (done.folder / f"{WORDS}.html").read_text()
        orders.add(tuple(re.findall(r"<h2>(\w+)</h2>", page)))
    assert len(orders) > 1


def test_levels_become_points_and_manual_scores_are_kept(course_copy, tmp_path):
    write_levels(course_copy, "kim", {"ann": MOST, "bob": 0, "cleo": 1})
    write_levels(course_copy, "lee", {"ann": MOST, "bob": 1, "cleo": 1})
    enter_score(course_copy, "cleo", WORDS, 1.5)
    said = list(
        open_answer_marking.compare(
            course_copy.course, course_copy.assignment, tmp_path / "words.csv", enter=True
        )
    )
    assert said[0].startswith("kim and lee: 3 in common, weighted kappa 0.")
    assert said[-1] == "2 grades entered; what was given in nbgrader stays"
    assert (
        f"Your instructor gave {course_copy.assignment.points[WORDS]} points for this answer"
        in course_copy.page("ann")
    )
    out_of = course_copy.assignment.points[WORDS]
    rows = csv.DictReader((tmp_path / "words.csv").read_text().splitlines())
    points = {row["id"]: float(row[WORDS]) for row in rows}
    assert points == {
        "ann": out_of,
        "bob": round(out_of / MOST / 2, 2),
        "cleo": round(out_of / MOST, 2),
    }
    with gradebook.opened(course_copy.course) as book:
        grades = {one: book.grades(course_copy.assignment, one)[1] for one in STUDENTS[:3]}
    assert [grades[one].points for one in STUDENTS[:3]] == [out_of, points["bob"], 1.5]
    assert not any(one.waits for one in grades.values())
    again = list(
        open_answer_marking.compare(
            course_copy.course, course_copy.assignment, tmp_path / "2.csv", enter=True
        )
    )
    assert again[-1].startswith("0 grades entered")


def test_comments_of_markers_are_on_the_student_pages(course_copy, tmp_path):
    for marker, said in (("kim", "Which *items* are <b>missing</b>?"), ("lee", "Say why.")):
        write_levels(course_copy, marker, {"ann": 1, "bob": 2, "cleo": 0})
        sheet = course_copy.course.root / "words" / NAME / marker / "levels.csv"
        codes = [
            open_answer_marking.code(course_copy.course, course_copy.assignment, one)
            for one in ("ann", "cleo")
        ]
        text = sheet.read_text()
        for code, level in zip(codes, (1, 0), strict=True):
            text = text.replace(f"{code},{level},", f"{code},{level},{said}")
        sheet.write_text(text)
    book = nbgrader_of(course_copy)
    there = book.find_comment(gradebook.format_grade_id(WORDS), NAME, NAME, "cleo")
    there.manual_comment = "From nbgrader."
    book.db.commit()
    book.close()
    (*_, last) = open_answer_marking.compare(
        course_copy.course, course_copy.assignment, tmp_path / "words.csv", enter=True
    )
    assert last == "3 grades, 1 comment entered; what was given in nbgrader stays"
    assert "&lt;b&gt;missing&lt;/b&gt;?" in course_copy.page("ann")
    assert "Say why." in course_copy.page("ann")
    assert "Say why." not in course_copy.page("bob")
    assert "From nbgrader." in course_copy.page("cleo")
    assert "Say why." not in course_copy.page("cleo")


def test_levels_of_answers_that_nobody_wrote_give_no_points(desk, tmp_path):
    at = desk(STUDENTS, [NUMBER, WORDS])
    at.hand_in("ann", at.answered("ann", {WORDS: "Mine."}))
    at.hand_in("bob", at.answered("bob", {WORDS: ""}))
    at.hand_in("cleo", at.answered("cleo", {WORDS: ""}))
    at.grade(sandboxed=False)
    # Filled down over the rows of all who handed something in, as a spreadsheet does.
    write_levels(at, "kim", {"ann": MOST, "bob": MOST, "cleo": 0, "dan": 1})
    table = tmp_path / "points.csv"
    said = list(open_answer_marking.compare(at.course, at.assignment, table, enter=True))
    assert said[-3] == (
        f"2 levels left out, of answers that were not written: bob ({WORDS}), dan ({WORDS})"
    )
    assert said[-1].startswith("2 grades entered")
    assert [row["id"] for row in csv.DictReader(table.open())] == ["ann", "cleo"]
    with gradebook.opened(at.course) as book:
        points = {one: book.grades(at.assignment, one)[1].points for one in STUDENTS[:3]}
    assert points == {"ann": at.assignment.points[WORDS], "bob": 0, "cleo": 0}
    notes = {row["id"]: row[f"{NAME} note"] for row in csv.DictReader(at.export().open())}
    assert "without an answer" not in "".join(notes.values())
    enter_score(at, "bob", WORDS, 1.5)
    notes = {row["id"]: row[f"{NAME} note"] for row in csv.DictReader(at.export().open())}
    assert f"points without an answer: {WORDS}" in notes["bob"]
    assert "without an answer" not in notes["ann"]


def test_a_huge_answer_is_cut_with_a_note():
    answer = "[" * 9_000_000
    shown = feedback.cut_words(answer)
    assert shown.startswith("[" * feedback.MOST_SIGNS)
    assert len(shown) < feedback.MOST_SIGNS + 300
    assert "has 9,000,000 characters; only the first 100,000 are shown here" in shown
    assert feedback.cut_words("[" * feedback.MOST_SIGNS) == "[" * feedback.MOST_SIGNS


def test_pages_and_tables_use_the_limits(course_copy, monkeypatch, tmp_path):
    monkeypatch.setattr(feedback, "MOST_SIGNS", 5)
    sheet = open_answer_marking.write_pages(course_copy.course, course_copy.assignment, "kim").sheet
    (page,) = sheet.parent.glob("*.html")
    assert "only the first 5 are shown here" in page.read_text()
    sheet.write_text(f"report,{WORDS},comment\nzzz,1,\n")
    with pytest.raises(GradingError, match="there is no report 'zzz'"):
        list(
            open_answer_marking.compare(
                course_copy.course, course_copy.assignment, tmp_path / "points.csv"
            )
        )


def test_marking_without_levels_or_answers_raises(course_copy, desk, tmp_path):
    with pytest.raises(GradingError, match="nobody has written levels into"):
        list(
            open_answer_marking.compare(
                course_copy.course, course_copy.assignment, tmp_path / "x.csv"
            )
        )
    (tmp_path / "y.csv").write_text("mine")
    with pytest.raises(GradingError, match=r"y\.csv is there already"):
        list(
            open_answer_marking.compare(
                course_copy.course, course_copy.assignment, tmp_path / "y.csv"
            )
        )
    with pytest.raises(GradingError, match=r"'\.\./x' cannot name a marker"):
        open_answer_marking.write_pages(course_copy.course, course_copy.assignment, "../x")
    open_answer_marking.write_pages(course_copy.course, course_copy.assignment, "lee")
    with pytest.raises(GradingError, match="there is 'lee' already"):
        open_answer_marking.write_pages(course_copy.course, course_copy.assignment, "Lee")
    none = desk(["ann"], [NUMBER])
    with pytest.raises(GradingError, match=f"{NAME} asks for no words"):
        open_answer_marking.write_pages(none.course, none.assignment, "kim")
    fresh = desk(["ann"], [WORDS])
    with pytest.raises(GradingError, match="nobody has handed in words"):
        open_answer_marking.write_pages(fresh.course, fresh.assignment, "kim")


def test_an_existing_sheet_reports_missing_students(course_copy):
    done = open_answer_marking.write_pages(course_copy.course, course_copy.assignment, "kim")
    kept = done.sheet.read_text().splitlines()
    done.sheet.write_text("\n".join(kept[:-1]) + "\n")
    again = open_answer_marking.write_pages(course_copy.course, course_copy.assignment, "kim")
    assert again.missing == [kept[-1].partition(",")[0]]
    assert inter_rater_agreement.read_sheet(again.sheet, {WORDS: MOST}) == {}
