"""Tables of learning systems, as Canvas and Moodle write them."""

from __future__ import annotations

import csv

import pytest

from recsys_metrics.workbook.course import course_folder, lms
from recsys_metrics.workbook.course.course_folder import ROSTER, Student
from recsys_metrics.workbook.grading.limits import GradingError

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,ps1 (4711),Final Score
,,,,,Manual Posting,
    Points Possible,,,,,9,(read only)
"Lee, Ann",17,S1,ann.lee@example.org,A,,50.0
"De La Cruz, José",18,S2,jose,A,4.00,60.0
"Student, Test",99,,b0b946af,A,,
"""
WORKSHEET = """\
Identifier,Full name,Email address,Status,Grade,Last modified (grade)
Participant 1001,Ann Lee,ann.lee@example.org,Submitted,,-
Participant 1002,José De La Cruz,jose@example.org,Submitted,4.00,-
"""
PARTICIPANTS = """\
First name,Last name,ID number,Email address,Groups
Ann,Lee,S1,ann.lee@example.org,A
José,De La Cruz,,jose@example.org,A
"""
CRUZ = ("José", "De La Cruz")
EMAIL = "ann.lee@example.org"


@pytest.fixture
def course(tmp_path):
    return course_folder.create(tmp_path / "recsys", "recsys")


def write(tmp_path, text, name="table.csv"):
    file = tmp_path / name
    file.write_text(text, encoding="utf-8-sig")
    return file


@pytest.mark.parametrize(
    ("text", "students"),
    [
        (
            CANVAS,
            [
                Student("ann.lee", "Ann", "Lee", EMAIL, "17"),
                Student("jose", *CRUZ, "", "18"),
            ],
        ),
        (
            PARTICIPANTS,
            [
                Student("ann.lee", "Ann", "Lee", EMAIL, "S1"),
                Student("jose", *CRUZ, "jose@example.org", ""),
            ],
        ),
        (
            PARTICIPANTS.replace("Last name", "Surname"),
            [
                Student("ann.lee", "Ann", "Lee", EMAIL, "S1"),
                Student("jose", *CRUZ, "jose@example.org", ""),
            ],
        ),
    ],
)
def test_students_are_read_from_lms_tables(tmp_path, text, students):
    assert lms.listed(write(tmp_path, text)) == students


def test_a_moodle_worksheet_has_full_names_and_no_permanent_ids(tmp_path):
    ann, jose = lms.listed(write(tmp_path, WORKSHEET))
    assert ann == Student("ann.lee", "Ann", "Lee", EMAIL, "")
    # Which words are the last name a whole name does not tell.
    assert (jose.name, jose.lms_id) == ("José De La Cruz", "")


def test_the_roster_is_extended_without_changing_existing_rows(tmp_path, course):
    file = course.root / ROSTER
    file.write_text(f"id,first_name,last_name,email,lms_id\nal1,Annie,L,{EMAIL},\n")
    students = lms.listed(write(tmp_path, CANVAS))
    assert lms.add_to_roster(course, students) == (["jose"], ["al1"])
    assert file.read_text().splitlines()[1] == f"al1,Annie,L,{EMAIL},"
    assert course_folder.roster(file)[1] == Student("jose", *CRUZ, "", "18")
    assert lms.add_to_roster(course, students) == ([], ["al1", "jose"])


def test_a_roster_without_a_needed_column_is_not_changed(tmp_path, course):
    file = course.root / ROSTER
    file.write_text("id,email\nbob,bob@example.org\n")
    with pytest.raises(GradingError, match="no column 'first_name' and no column 'last_name' and"):
        lms.add_to_roster(course, lms.listed(write(tmp_path, CANVAS)))
    assert file.read_text() == "id,email\nbob,bob@example.org\n"


def test_a_new_course_takes_all_listed_students(tmp_path, course):
    added, known = lms.add_to_roster(course, lms.listed(write(tmp_path, PARTICIPANTS)))
    assert (added, known) == (["ann.lee", "jose"], [])
    assert [one.id for one in course_folder.enrolled(course)] == added


@pytest.mark.parametrize(("text", "at"), [(CANVAS, 5), (WORKSHEET, 4)])
def test_only_the_column_of_the_assignment_is_filled(tmp_path, course, text, at):
    lms.add_to_roster(course, lms.listed(write(tmp_path, CANVAS)))
    sheet = write(tmp_path, text)
    done = lms.filled(course, "ps1", sheet, {"ann.lee": 7.25, "jose": None})
    before = list(csv.reader(text.splitlines()))
    after = list(csv.reader(done.text.splitlines()))
    changed = {
        (row, column)
        for row, cells in enumerate(before)
        for column, cell in enumerate(cells)
        if after[row][column] != cell
    }
    (row,) = (number for number, cells in enumerate(before) if "Lee" in "".join(cells))
    assert changed == {(row, at)}
    assert after[row][at] == "7.25"
    assert (done.graded, done.without) == (["ann.lee"], ["jose"])
    assert done.unknown == (["Student, Test"] if text == CANVAS else [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "is neither a gradebook of Canvas"),
        (CANVAS.replace("ps1 (4711)", "ps2 (4712)"), r"has no column `ps1 \(…\)`; make an"),
        (WORKSHEET.replace(",Grade,", ",Note,"), "has no column `Grade`; download the grading"),
        (CANVAS.replace("Final Score", "ps1 (4799)"), "has 2 columns `ps1"),
    ],
)
def test_tables_that_cannot_take_grades_raise(tmp_path, course, text, message):
    with pytest.raises(GradingError, match=message):
        lms.filled(course, "ps1", write(tmp_path, text), {"ann.lee": 1.0})


def test_two_students_with_one_id_raise(tmp_path):
    twice = CANVAS + '"Lee, Anna",20,S9,ann.lee@other.org,A,,\n'
    with pytest.raises(GradingError, match=r"Anna Lee and Ann Lee would both be called 'ann\.lee'"):
        lms.listed(write(tmp_path, twice))


def test_a_table_without_students_raises(tmp_path):
    with pytest.raises(GradingError, match="lists no students"):
        lms.listed(write(tmp_path, CANVAS.partition('"Lee')[0]))
