"""What a person gives in nbgrader reaches the student's page, the tables and the platform."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sqlite3
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from recsys_metrics.workbook.course import class_report, gradebook, provenance, return_feedback
from recsys_metrics.workbook.course.deadlines import Deadline
from recsys_metrics.workbook.course.totals import totals_of
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.grading.limits import GradingError
from tests.course.simulated_people import NAME
from tests.course.test_gradebook import export_row, nbgrader_of

NUMBER, WORDS = "ranking.e4", "ranking.explain_ideal"
WRONG = next(one for one in REGISTRY[NUMBER].mistakes if one.id == "hits-divisor")


@pytest.fixture(scope="module")
def graded(desk):
    """Ann is right and wrote words, Bob made a known mistake and wrote words, Cleo did nothing."""
    at = desk(["ann", "bob", "cleo"], [NUMBER, WORDS])
    at.hand_in("ann", at.answered("ann"))
    said = {WORDS: "It does not see what was never recommended."}
    exercise = at.asked("bob")[NUMBER].exercise
    mistake = next(one for one in exercise.own_mistakes if one.id == WRONG.id)
    (wrong,) = exercise.wrong_answers(mistake).values()
    at.hand_in("bob", at.answered("bob", {NUMBER: f"ap = {wrong!r}", **said}))
    at.grade(sandboxed=False)
    return at


@pytest.fixture
def course_copy(graded, tmp_path):
    root = tmp_path / "recsys"
    shutil.copytree(graded.course.root, root)
    return replace(graded, course=replace(graded.course, root=root))


def give(at, student, exercise, score, comment=""):
    """Give points and write a comment, as a person does in the Formgrader."""
    book = nbgrader_of(at)
    cell = gradebook.format_grade_id(exercise)
    grade = book.find_grade(cell, NAME, NAME, student)
    grade.manual_score, grade.needs_manual_grade = score, False
    book.find_comment(cell, NAME, NAME, student).manual_comment = comment or None
    book.db.commit()
    book.close()


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("manual_score", "'full'", "'full' is no number, and a score is a number from 0 to 2"),
        ("manual_score", "9e999", "inf is no score, which is a number from 0 to 2"),
        ("manual_score", "-1", "-1 is no score, which is a number from 0 to 2"),
        ("manual_score", "2.5", "2.5 is no score, which is a number from 0 to 2"),
        ("extra_credit", "-0.5", "-0.5 is no score, which is a number of 0 or more"),
        ("extra_credit", "'NaN'", "'NaN' is no number"),
        ("auto_score", "-9e999", "-inf is no score"),
    ],
)
def test_a_score_that_is_none_is_refused(course_copy, column, value, says):
    at = course_copy
    change = f"UPDATE grade SET {column} = {value} WHERE auto_score = 2"
    with sqlite3.connect(at.course.gradebook) as database:
        assert database.execute(change).rowcount == 1
    database.close()
    where = f"gradebook.db, the row of ann for {NUMBER}, column {column}: {says}"
    cure = "take the file from a backup" if column == "auto_score" else "correct it in nbgrader"
    for use in (
        at.export,
        lambda: at.export(questions=True),
        lambda: totals_of(at.course, at.assignment),
        lambda: class_report.of_class(at.course, at.assignment),
    ):
        with pytest.raises(GradingError, match=rf"{re.escape(where)}.*; {cure}"):
            use()


def text_of(page):
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def returned_page(at, student):
    """Return a student's page as the archive has it, without another grading."""
    file = at.course.root / "back.zip"
    return_feedback.archive(at.course, at.assignment, file)
    with zipfile.ZipFile(file) as pages:
        return pages.read(f"{student}/{NAME}.html").decode()


def test_points_and_comments_are_on_the_page_that_is_given_back(course_copy):
    at = course_copy
    assert "2 of 4 points , and 1 answer to be read by a person" in text_of(at.page("ann"))
    give(at, "ann", WORDS, 1.5, "Good.\nSay <b>why</b>, too.")
    page = returned_page(at, "ann")
    said = text_of(page)
    assert "3.5 of 4 points" in said
    assert "to be read" not in said.lower()
    assert "Your instructor gave 1.5 points for this answer." in said
    assert "1.5 of 2" in said
    assert 'class="comment">Good.\nSay &lt;b&gt;why&lt;/b&gt;, too.</p>' in page
    assert "<b>why" not in page
    # Neither page nor points change when it is graded once more.
    at.grade(sandboxed=False)
    assert at.page("ann") == page


@pytest.mark.parametrize("member", ["", "ann/other.html", f"ann/{NAME}.ipynb"])
def test_feedback_replaces_no_file_but_its_own_archive(course_copy, member):
    at, file = course_copy, course_copy.course.root / "back.zip"
    with zipfile.ZipFile(file, "w") as pages:
        pages.writestr(f"ann/{NAME}.html", "an earlier page")
        if member:
            pages.writestr(member, "of somebody else")
    before = file.read_bytes()
    if not member:
        assert "2 of 4 points" in text_of(returned_page(at, "ann"))
        file.write_bytes(b"no archive")
        before = file.read_bytes()
    with pytest.raises(GradingError, match=f"is no earlier archive of the pages of {NAME}"):
        return_feedback.archive(at.course, at.assignment, file)
    assert file.read_bytes() == before


def test_a_corrected_score_stands_beside_what_the_check_said(course_copy):
    at = course_copy
    assert text_of(at.page("bob")).count("0 of 2") == 2
    give(at, "bob", NUMBER, 2, "You are right, full points.")
    said = text_of(returned_page(at, "bob"))
    assert "0 of 2" not in said
    assert "gave 2 points for this answer; this counts in place of the 0 of the check" in said
    assert "2 of 4 points , and 1 answer to be read by a person" in said
    assert "You are right, full points." in said
    assert export_row(at, "bob")[NAME] == "2"


def test_points_that_a_person_adds_are_named(course_copy):
    at = course_copy
    book = nbgrader_of(at)
    book.find_grade("ranking-e4", NAME, NAME, "ann").extra_credit = 0.5
    book.db.commit()
    book.close()
    said = text_of(returned_page(at, "ann"))
    assert "Your instructor added 0.5 points." in said
    assert "2.5 of 4 points" in said


def test_the_grading_table_counts_what_a_person_gave(course_copy, run_cli):
    at = course_copy
    give(at, "ann", WORDS, 1.5, "Good.")
    give(at, "bob", NUMBER, 2)
    graded = at.grade(sandboxed=False)
    assert (graded["ann"].points, graded["ann"].waiting) == (3.5, 0)
    assert graded["ann"].by_person == "1 answer graded by a person, 1 comment"
    assert (graded["bob"].points, graded["bob"].waiting) == (2, 1)
    rows = {one["id"]: one[NAME] for one in csv.DictReader(at.export().open())}
    assert rows == {"ann": "3.5", "bob": "2", "cleo": ""}
    assert export_row(at, "ann", questions=True)[WORDS]["comment"] == "Good."


def test_an_answer_that_was_handed_in_again_is_to_be_read_once_more(course_copy):
    at = course_copy
    give(at, "ann", WORDS, 1.5)
    at.hand_in("ann", at.answered("ann", {NUMBER: "ap = 7", WORDS: "Another text."}))
    graded = at.grade("ann", sandboxed=False)["ann"]
    assert (graded.points, graded.waiting) == (0, 1)
    assert "1 answer with points for an earlier text" in graded.by_person
    said = text_of(at.page("ann"))
    assert "Your instructor gave 1.5 points for an earlier text of this answer." in said
    assert "0 of 4 points , and 1 answer to be read by a person" in said
    row = export_row(at, "ann")
    assert row[f"{NAME} note"] == f"points for an earlier text: {WORDS} (1.5)"
    book = nbgrader_of(at)
    assert book.find_submission(NAME, "ann").score == 0
    comment = book.find_comment(gradebook.format_grade_id(WORDS), NAME, NAME, "ann").auto_comment
    assert comment.endswith("1.5 points for an earlier text")
    book.close()
    # Once it was read, nothing more is said of the earlier one.
    give(at, "ann", WORDS, 1.5)
    assert "earlier text" not in returned_page(at, "ann")


def wrong_number(at, student):
    exercise = at.asked(student)[NUMBER].exercise
    mistake = next(one for one in exercise.own_mistakes if one.id == WRONG.id)
    (wrong,) = exercise.wrong_answers(mistake).values()
    return f"ap = {wrong!r}"


def test_an_answer_that_is_the_same_as_before_is_not_to_be_read_again(course_copy):
    at = course_copy
    give(at, "bob", NUMBER, 1)
    give(at, "bob", WORDS, 2)
    other_words = at.answered("bob", {NUMBER: wrong_number(at, "bob"), WORDS: "Another text."})
    at.hand_in("bob", other_words)
    graded = at.grade("bob", sandboxed=False)["bob"]
    assert {one.exercise: one.waits for one in graded.grades} == {NUMBER: False, WORDS: True}
    # Nor is it after a file that cannot be graded.
    at.hand_in("bob", b"cut off")
    assert at.grade("bob", sandboxed=False)["bob"].problem
    at.hand_in("bob", other_words)
    graded = at.grade("bob", sandboxed=False)["bob"]
    assert {one.exercise: one.waits for one in graded.grades} == {NUMBER: False, WORDS: True}


def test_an_answer_that_another_cell_has_changed_is_to_be_read_again(course_copy):
    at = course_copy
    by_name = json.dumps(at.answered("bob", {NUMBER: "ap = value", WORDS: "A text."}))
    for value, waits in (("0.1", False), ("0.2", False), (at.right("bob", NUMBER)[5:], True)):
        book = json.loads(by_name)
        cell = {"cell_type": "code", "metadata": {}, "source": f"value = {value}"}
        cell |= {"outputs": [], "execution_count": None}
        book["cells"].insert(1, cell)
        at.hand_in("bob", book)
        graded = at.grade("bob", sandboxed=False)["bob"]
        assert next(one.waits for one in graded.grades if one.exercise == NUMBER) == waits
        if value == "0.1":
            give(at, "bob", NUMBER, 1)


def test_points_that_are_resolved_are_not_to_be_read(course_copy, run_cli):
    at = course_copy
    give(at, "bob", NUMBER, 1)
    at.hand_in("bob", at.answered("bob"))
    at.grade("bob", sandboxed=False)
    give(at, "bob", WORDS, 2)
    assert export_row(at, "bob")[f"{NAME} to be read"] == "1"
    table = at.course.root / "worksheet.csv"
    table.write_text("Identifier,Full name,Email address,Grade\nParticipant 1,bob,,\n")
    arguments = ("course", "fill", NAME, str(table), "filled.csv")
    done = run_cli(*arguments, cwd=at.course.root)
    assert "click Resolve there to leave those that an answer has" in " ".join(done.stdout.split())
    give(at, "bob", NUMBER, 1)  # as Resolve does
    assert export_row(at, "bob")[f"{NAME} to be read"] == ""


def test_points_of_a_text_that_was_withdrawn_do_not_count(course_copy):
    """2 points for the number; the 1.5 of the text are those of a text that is no longer there."""
    at = course_copy
    give(at, "ann", WORDS, 1.5, "Good.")
    right = at.right("ann", NUMBER)
    at.hand_in("ann", at.answered("ann", {NUMBER: right}))
    for _ in range(2):
        graded = at.grade("ann", sandboxed=False)["ann"]
        assert (graded.points, graded.waiting) == (2, 0)
    said = text_of(at.page("ann"))
    assert "Your instructor gave 1.5 points for an earlier text of this answer." in said
    assert "they do not count now that you have removed it" in said
    assert "Your instructor wrote about an earlier text: Good." in said
    assert "to be read" not in said
    assert export_row(at, "ann")[f"{NAME} note"] == f"points for an earlier text: {WORDS} (1.5)"
    give(at, "ann", WORDS, 0)
    assert at.grade("ann", sandboxed=False)["ann"].waiting == 0
    assert export_row(at, "ann")[NAME] == "2"


def test_points_come_back_with_the_text_that_they_were_given_for(course_copy):
    at = course_copy
    give(at, "ann", WORDS, 1.5, "Good.")
    before = returned_page(at, "ann")
    first = at.course.notebook("submitted", "ann", NAME).read_bytes()
    at.hand_in("ann", at.answered("ann", {NUMBER: at.right("ann", NUMBER), WORDS: "Oh."}))
    at.grade("ann", sandboxed=False)
    give(at, "ann", WORDS, 0.5)
    at.hand_in("ann", first)
    graded = at.grade("ann", sandboxed=False)["ann"]
    assert (graded.points, graded.waiting) == (3.5, 0)
    assert at.page("ann") == before


def test_points_of_a_person_stay_while_the_text_is_the_same(course_copy):
    at = course_copy
    give(at, "ann", WORDS, 1.5)
    said = at.right("ann", WORDS).replace(" ", "  ")
    at.hand_in("ann", at.answered("ann", {NUMBER: "ap = 7", WORDS: said}))
    graded = at.grade("ann", sandboxed=False)["ann"]
    assert (graded.points, graded.waiting) == (1.5, 0)


def test_a_notebook_that_cannot_be_graded_leaves_the_page_of_the_one_before(course_copy):
    at = course_copy
    give(at, "ann", WORDS, 2, "Good.")
    at.hand_in("ann", b"cut off")
    at.grade("ann", sandboxed=False)
    said = text_of(at.page("ann"))
    assert "It could not be graded: it is damaged or cut off" in said
    assert "Your points are those of what you handed in before." in said
    assert "4 of 4 points" in said
    assert "Good." in said


def test_lateness_is_taken_off_the_points_of_a_person_too(course_copy):
    at = course_copy
    give(at, "ann", WORDS, 2)
    came = datetime.now(UTC)
    found = provenance.read(at.course, NAME)
    late = provenance.Origin(when=came, time_from="the learning system")
    provenance.save(at.course, NAME, {**found, "ann": late})
    due = Deadline(came - timedelta(hours=1), percent=50)
    at.course = replace(at.course, deadlines={NAME: due})
    assert at.grade("ann", sandboxed=False)["ann"].points == 2
    assert "2 of 4 points , 4 before what lateness costs" in text_of(at.page("ann"))
    book = nbgrader_of(at)
    assert book.find_submission(NAME, "ann").late_submission_penalty == 2
    book.close()


def test_the_class_page_counts_points_and_comments_of_a_person(course_copy):
    at = course_copy

    def counted():
        report = class_report.of_class(at.course, at.assignment)
        assert "Good, but" not in class_report.page(at.course, report)
        return report, {
            one.exercise.id: (
                *(one.right, one.partly, one.wrong, one.nothing),
                *(one.to_be_read, one.comments),
            )
            for one in report.questions
        }

    report, counts = counted()
    assert counts == {NUMBER: (1, 0, 1, 0, 0, 0), WORDS: (0, 0, 0, 0, 2, 0)}
    assert [one.id for one in report.mistakes] == [WRONG.id]
    give(at, "ann", WORDS, 2, "Good.")
    give(at, "bob", WORDS, 1, "Good, but why?")
    report, counts = counted()
    assert counts == {NUMBER: (1, 0, 1, 0, 0, 0), WORDS: (1, 1, 0, 0, 0, 2)}
    assert "wait to be read" not in class_report.page(at.course, report)
    # Where a person gave all points there was no mistake.
    give(at, "bob", NUMBER, 2)
    report, counts = counted()
    assert counts[NUMBER] == (2, 0, 0, 0, 0, 0)
    assert report.mistakes == []
    assert sorted(report.points) == [3, 4]


SHEET = (
    "Identifier,Full name,Email address,Grade,Maximum Grade\n"
    "Participant 1,ann,,,{most}\nParticipant 2,bob,,,{most}\nParticipant 3,cleo,,,{most}\n"
)


def filled(at, run_cli, *options, most="4.00"):
    sheet, file = at.course.root / "ws.csv", at.course.root / "up.csv"
    sheet.write_text(SHEET.format(most=most))
    file.unlink(missing_ok=True)
    done = run_cli("course", "fill", NAME, "ws.csv", "up.csv", *options, cwd=at.course.root)
    rows = csv.DictReader(file.open()) if file.exists() else ()
    return done, {one["Full name"]: one["Grade"] for one in rows}


def test_sums_with_unread_answers_are_left_out_unless_asked_for(course_copy, run_cli):
    give(course_copy, "ann", WORDS, 1.5)
    done, grades = filled(course_copy, run_cli)
    assert grades == {"ann": "3.5", "bob": "", "cleo": ""}
    assert "1 grade of ps1 written, 1 student without a grade" in " ".join(done.stdout.split())
    assert "left out, with how many answers of theirs are to be read: bob (1)" in done.stdout
    assert "or give --unread" in " ".join(done.stdout.split())
    done, grades = filled(course_copy, run_cli, "--unread")
    assert grades == {"ann": "3.5", "bob": "0", "cleo": ""}
    assert "left out" not in done.stdout


def test_another_maximum_stops_before_anything_is_written(course_copy, run_cli):
    give(course_copy, "ann", WORDS, 1.5)
    done, grades = filled(course_copy, run_cli, most="100.00")
    assert done.returncode == 1
    assert "has 4 points here, and the maximum in Moodle is 100" in done.stderr
    assert "--scale" in done.stderr
    assert grades == {}
    _, grades = filled(course_copy, run_cli, "--scale", most="100.00")
    assert grades["ann"] == "87.5"
