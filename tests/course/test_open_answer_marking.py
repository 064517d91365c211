"""Answers in words: pages without names, two markers, and their points in the gradebook."""

from __future__ import annotations

import csv
import re
import shutil
from dataclasses import replace
from datetime import timedelta

import pytest

from recsys_metrics.workbook.course import (
    class_report,
    feedback,
    gradebook,
    inter_rater_agreement,
    open_answer_marking,
    page_writing,
    regrade,
)
from recsys_metrics.workbook.course.deadlines import Late
from recsys_metrics.workbook.course.totals import totals_of
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.points import write_points
from tests.course.simulated_people import NAME
from tests.course.test_gradebook import enter_score, export_row, nbgrader_of

NUMBER, WORDS = "ranking.e4", "ranking.explain_ideal"
OTHER = next(
    one for one, exercise in REGISTRY.items() if isinstance(exercise, Text) and one != WORDS
)
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
        orders.add(tuple(re.findall(r"<h2>([\w-]+)</h2>", page)))
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
    assert said[-1] == (
        f"2 grades entered or changed; what was given in nbgrader stays: cleo ({WORDS})"
    )
    assert (
        f"Your instructor gave {course_copy.assignment.points[WORDS]} points for this answer"
        in course_copy.page("ann")
    )
    out_of = course_copy.assignment.points[WORDS]
    rows = csv.DictReader((tmp_path / "words.csv").read_text().splitlines())
    points = {row["id"]: float(row[WORDS]) for row in rows}
    assert points == {
        "ann": out_of,
        "bob": pytest.approx(out_of / MOST / 2),
        "cleo": pytest.approx(out_of / MOST),
    }
    with gradebook.opened(course_copy.course) as book:
        grades = {one: book.grades(course_copy.assignment, one)[1] for one in STUDENTS[:3]}
    # In full: a platform's other maximum would enlarge what rounding takes away.
    assert [grades[one].points for one in STUDENTS[:3]] == [out_of, out_of / MOST / 2, 1.5]
    assert not any(one.waits for one in grades.values())
    again = list(
        open_answer_marking.compare(
            course_copy.course, course_copy.assignment, tmp_path / "2.csv", enter=True
        )
    )
    assert again[-1].startswith("0 grades entered or changed")


def agree(at, name="words.csv", **options):
    file = at.course.root / name
    file.unlink(missing_ok=True)
    return list(open_answer_marking.compare(at.course, at.assignment, file, **options))


def points_of(at, *students):
    with gradebook.opened(at.course) as book:
        return [book.grades(at.assignment, one)[1].points for one in students]


def test_corrected_levels_replace_the_points_that_the_command_entered(course_copy):
    at, out_of = course_copy, course_copy.assignment.points[WORDS]
    write_levels(at, "kim", {"ann": 1, "bob": 1, "cleo": 0})
    agree(at, enter=True)
    enter_score(at, "bob", WORDS, 1.5)
    write_levels(at, "kim", {"ann": MOST, "bob": MOST, "cleo": 0})
    assert agree(at, enter=True)[-1] == (
        f"1 grade entered or changed; what was given in nbgrader stays: bob ({WORDS})"
    )
    assert points_of(at, "ann", "bob", "cleo") == [out_of, 1.5, 0]
    write_levels(at, "kim", {"ann": 0, "bob": 0})
    said = agree(at, enter=True)
    assert said[-1].endswith(f"stay where no level counts: cleo ({WORDS})")
    assert points_of(at, "ann", "bob", "cleo") == [0, 1.5, 0]


@pytest.mark.parametrize("is_first", [True, False])
def test_points_of_a_person_that_equal_those_of_levels_are_the_person_s(course_copy, is_first):
    """Level 1 of MOST makes the same points as the person gives; level MOST would make more."""
    at = course_copy
    same = at.assignment.points[WORDS] / MOST
    write_levels(at, "kim", {"ann": 1})
    if is_first:
        enter_score(at, "ann", WORDS, same)
        agree(at, enter=True)
    else:
        agree(at, enter=True)
        enter_score(at, "ann", WORDS, 1.5)
        enter_score(at, "ann", WORDS, same)
    write_levels(at, "kim", {"ann": MOST})
    assert agree(at, enter=True)[-1].endswith(f"what was given in nbgrader stays: ann ({WORDS})")
    assert points_of(at, "ann") == [same]
    at.grade("ann", sandboxed=False)
    assert points_of(at, "ann") == [same]
    # The levels count again where the person takes the points back.
    enter_score(at, "ann", WORDS, None)
    assert points_of(at, "ann") == [at.assignment.points[WORDS]]


def test_a_comment_of_a_person_stays_that_the_command_once_wrote(course_copy):
    at = course_copy

    def comment_of_markers(text):
        write_levels(at, "kim", {"ann": 1})
        sheet = at.course.root / "words" / NAME / "kim" / "levels.csv"
        sheet.write_text(sheet.read_text().replace(",1,", f",1,{text}"))
        agree(at, enter=True)

    def comment_of_person(text):
        book = nbgrader_of(at)
        book.find_comment(gradebook.format_grade_id(WORDS), NAME, NAME, "ann").manual_comment = text
        book.db.commit()
        book.close()

    comment_of_markers("Say why.")
    comment_of_person("Say when.")
    comment_of_markers("Say where.")
    comment_of_person("Say why.")
    comment_of_markers("Say how.")
    assert "Say why." in at.page("ann")


def test_the_points_of_levels_are_shown_as_those_of_an_earlier_text(course_copy):
    at = course_copy
    write_levels(at, "kim", {"ann": MOST})
    agree(at, enter=True)
    hand_in_again(at, "ann", "Another text.")
    out_of = at.assignment.points[WORDS]
    assert f"gave {out_of} points for an earlier text of this answer" in at.page("ann")
    assert (
        export_row(at, "ann")[f"{NAME} note"] == f"points for an earlier text: {WORDS} ({out_of})"
    )
    assert points_of(at, "ann") == [None]
    # So they are where the text was deleted. Nothing is there to be read.
    hand_in_again(at, "ann", "")
    assert f"gave {out_of} points for an earlier text of this answer" in at.page("ann")
    assert (points_of(at, "ann"), export_row(at, "ann")[f"{NAME} to be read"]) == ([0], "")
    hand_in_again(at, "ann", "Another text.")
    # What was given for a text that is not graded yet counts from its grading on.
    at.hand_in("ann", at.answered("ann", {WORDS: "A third text."}))
    write_levels(at, "kim", {"ann": 1})
    assert agree(at, enter=True)[-1] == "0 grades entered or changed"
    assert points_of(at, "ann") == [None]
    at.grade("ann", sandboxed=False)
    assert points_of(at, "ann") == [out_of / MOST]
    assert "earlier text" not in at.page("ann")


def test_levels_are_told_from_persons_after_an_interruption(course_copy, monkeypatch):
    at, out_of = course_copy, course_copy.assignment.points[WORDS]
    write_levels(at, "kim", {"ann": 0})
    agree(at, enter=True)
    write_levels(at, "kim", {"ann": 1})

    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(gradebook.Gradebook, "comment", stop)
        sheet = at.course.root / "words" / NAME / "kim" / "levels.csv"
        sheet.write_text(sheet.read_text().replace(",1,", ",1,Good."))
        with pytest.raises(KeyboardInterrupt):
            agree(at, enter=True)
    assert points_of(at, "ann") == [out_of / MOST]
    write_levels(at, "kim", {"ann": MOST})
    agree(at, enter=True)
    assert points_of(at, "ann") == [out_of]


def hand_in_again(at, student, text):
    at.hand_in(student, at.answered(student, {WORDS: text}))
    at.grade(student, sandboxed=False)


def test_a_level_does_not_count_for_a_text_that_was_handed_in_again(course_copy):
    at, out_of = course_copy, course_copy.assignment.points[WORDS]
    write_levels(at, "kim", {"ann": 1, "bob": 0})
    write_levels(at, "lee", {"ann": 1, "bob": 0})
    agree(at, enter=True)
    old = open_answer_marking.code(at.course, at.assignment, "bob")
    hand_in_again(at, "bob", "Another text, which is right.")
    said = agree(at, enter=True)
    assert said[0].startswith("kim and lee: 1 in common")
    assert (
        "2 levels left out, given for a text that was handed in again since: "
        f"bob ({WORDS}, kim), bob ({WORDS}, lee)"
    ) in said
    assert "bob" not in (at.course.root / "words.csv").read_text()
    assert export_row(at, "bob")[f"{NAME} to be read"] == "1"
    # The page names it, and the table has a row for the new text.
    new = open_answer_marking.code(at.course, at.assignment, "bob")
    done = open_answer_marking.write_pages(at.course, at.assignment, "kim")
    assert (done.added, done.again) == ([*sorted({new, *done.added})], [new])
    assert new != old
    page = (done.folder / f"{WORDS}.html").read_text()
    _, _, of_bob = page.partition(f"<h2>{new}</h2>")
    assert of_bob.startswith("<p><strong>Handed in again since you gave a level")
    assert page.count("Handed in again") == 1
    done.sheet.write_text(done.sheet.read_text().replace(f"{new},,", f"{new},{MOST},"))
    said = agree(at, enter=True)
    assert (
        f"1 level left out, given for a text that was handed in again since: bob ({WORDS}, lee)"
        in (said)
    )
    assert points_of(at, "ann", "bob") == [out_of / MOST, out_of]
    assert export_row(at, "bob")[f"{NAME} to be read"] == ""
    assert open_answer_marking.write_pages(at.course, at.assignment, "kim").again == []


def test_the_same_text_handed_in_again_keeps_its_level(course_copy):
    at, out_of = course_copy, course_copy.assignment.points[WORDS]
    hand_in_again(at, "bob", "One text.")
    write_levels(at, "kim", {"bob": 1})
    agree(at, enter=True)
    hand_in_again(at, "bob", "One   text.\n")
    assert export_row(at, "bob")[f"{NAME} to be read"] == ""
    assert agree(at, enter=True)[-1] == "0 grades entered or changed"
    assert export_row(at, "bob")[f"{NAME} to be read"] == ""
    assert points_of(at, "bob") == [out_of / MOST]
    # What is scaled to another maximum is what was given.
    assert totals_of(at.course, at.assignment)["bob"].points == out_of / MOST
    assert export_row(at, "bob")[NAME] == write_points(out_of / MOST)


def test_a_person_reads_points_with_two_decimals_and_a_program_in_full(course_copy):
    at = course_copy
    enter_score(at, "ann", WORDS, 4 / 3)
    asked = regrade.ask(at.course, at.assignment, "ann", WORDS, "why?")
    regrade.answer(at.course, at.assignment, "ann", WORDS, "so", grade=lambda: None)
    page_writing.write_all(at.course, at.assignment)
    page = at.page("ann")
    assert "gave 1.33 points" in page
    assert f"1.33 of {at.assignment.points[WORDS]}" in page
    assert "(1.33 points)" in str(asked)
    shown = class_report.page(at.course, class_report.of_class(at.course, at.assignment))
    late = Late(timedelta(hours=1), 1, "day", 10.0, 10.0, 100.0)
    assert "so 1.33 points count as 1.2" in late.said(4 / 3)
    for text in (page, shown):
        assert not re.search(r"1\.33\d", text)
    assert export_row(at, "ann")[NAME] == "1.333333"


def test_a_level_of_one_text_stays_when_another_text_is_handed_in_again(desk):
    at = desk(["ann"], [WORDS, OTHER])
    at.hand_in("ann", at.answered("ann", {WORDS: "First.", OTHER: "Second."}))
    done = open_answer_marking.write_pages(at.course, at.assignment, "kim")
    text = done.sheet.read_text()
    head, row = text.splitlines()
    done.sheet.write_text(f"{head}\n{row.partition(',')[0]},1,2,\n")
    at.hand_in("ann", at.answered("ann", {WORDS: "First.", OTHER: "Better."}))
    said = agree(at)
    assert f"handed in again since: ann ({OTHER}, kim)" in said[0]
    points = at.assignment.points[WORDS] / MOST
    (found,) = csv.DictReader((at.course.root / "words.csv").open())
    assert float(found[WORDS]) == pytest.approx(points)
    assert found[OTHER] == ""
    done = open_answer_marking.write_pages(at.course, at.assignment, "kim")
    assert "You gave this text level 1." in (done.folder / f"{WORDS}.html").read_text()
    assert "Handed in again" in (done.folder / f"{OTHER}.html").read_text()


def test_a_comment_stays_with_its_answer_when_another_answer_is_handed_in_again(desk):
    at = desk(["ann"], [WORDS, OTHER])

    def hand_in(first, second):
        at.hand_in("ann", at.answered("ann", {WORDS: first, OTHER: second}))
        at.grade(sandboxed=False)

    def mark(row, comment):
        sheet = open_answer_marking.write_pages(at.course, at.assignment, "kim").sheet
        lines = sheet.read_text().splitlines()
        lines[row] = f"{lines[row].partition(',')[0]},1,1,{comment}"
        sheet.write_text("\n".join(lines) + "\n")
        return agree(at, enter=True)[-1]

    hand_in("First.", "Second.")
    assert mark(1, "Say why.") == "2 grades, 1 comment entered or changed"
    hand_in("First.", "Better.")
    assert agree(at, enter=True)[-1] == "0 grades entered or changed"
    assert 'Your instructor writes:</p><p class="comment">Say why.</p>' in at.page("ann")
    # The new row has a level for both texts. It says nothing, so what was said stays.
    assert mark(2, "") == "1 grade entered or changed"
    assert "Say why." in at.page("ann")
    assert mark(2, "Good.") == "0 grades, 1 comment entered or changed"
    assert "Good." in at.page("ann")
    assert "Say why." not in at.page("ann")
    # The comments of both rows are about an answer that is another one now.
    hand_in("Third.", "Better.")
    assert mark(3, "New.") == "1 grade, 1 comment entered or changed"
    assert "New." in at.page("ann")
    assert "Good." not in at.page("ann")


def test_a_corrected_comment_replaces_the_one_that_the_command_entered(course_copy):
    at = course_copy

    def comment(text):
        write_levels(at, "kim", {"ann": 1})
        sheet = at.course.root / "words" / NAME / "kim" / "levels.csv"
        sheet.write_text(sheet.read_text().replace(",1,", f",1,{text}"))
        return agree(at, enter=True)[-1]

    assert comment("Say why.") == "1 grade, 1 comment entered or changed"
    assert comment("Say when.") == "0 grades, 1 comment entered or changed"
    assert "Say when." in at.page("ann")
    assert "Say why." not in at.page("ann")
    assert comment("") == "0 grades, 1 comment entered or changed"
    assert "Say when." not in at.page("ann")


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
    assert last == "3 grades, 1 comment entered or changed"
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


def test_an_earlier_table_of_points_is_replaced(course_copy, tmp_path):
    at = course_copy
    sheet = open_answer_marking.write_pages(at.course, at.assignment, "kim").sheet
    head, *rows = sheet.read_text().splitlines()
    sheet.write_text("\n".join([head, *(f"{one.split(',')[0]},1," for one in rows)]) + "\n")
    points = tmp_path / "words.csv"
    list(open_answer_marking.compare(at.course, at.assignment, points))
    before = points.read_text()
    said = list(open_answer_marking.compare(at.course, at.assignment, points, enter=True))
    assert points.read_text() == before
    assert any("entered or changed" in line for line in said)


def test_marking_without_levels_or_answers_raises(course_copy, desk, tmp_path):
    with pytest.raises(GradingError, match="nobody has written levels into"):
        list(
            open_answer_marking.compare(
                course_copy.course, course_copy.assignment, tmp_path / "x.csv"
            )
        )
    (tmp_path / "y.csv").write_text("mine")
    with pytest.raises(GradingError, match=r"y\.csv is there, is no earlier table"):
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


def test_an_existing_sheet_gets_rows_for_missing_students(course_copy):
    done = open_answer_marking.write_pages(course_copy.course, course_copy.assignment, "kim")
    kept = done.sheet.read_text().splitlines()
    done.sheet.write_text("\n".join(kept[:-1]) + "\n")
    again = open_answer_marking.write_pages(course_copy.course, course_copy.assignment, "kim")
    assert again.added == [kept[-1].partition(",")[0]]
    assert again.sheet.read_text().splitlines() == kept
    assert inter_rater_agreement.read_sheet(again.sheet, {WORDS: MOST}) == {}
