"""Answers in words: pages without names, two markers, and their points in the gradebook."""

from __future__ import annotations

import csv
import re
import shutil
from dataclasses import replace

import pytest

from recsys_metrics.workbook.course import gradebook, inter_rater_agreement, open_answer_marking
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.grading.limits import GradingError
from tests.course.simulated_people import NAME
from tests.course.test_gradebook import enter_score

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
    with pytest.raises(GradingError, match=r"'\.\./x' cannot name"):
        open_answer_marking.write_pages(course_copy.course, course_copy.assignment, "../x")
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
