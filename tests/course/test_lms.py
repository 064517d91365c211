"""Tables of learning systems, as Canvas and Moodle write them."""

from __future__ import annotations

import codecs
import csv
import io
import re

import pytest

from recsys_metrics.workbook.course import course_folder, lms
from recsys_metrics.workbook.course.course_folder import ROSTER, Student
from recsys_metrics.workbook.course.lms import RosterChange
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
    done = lms.add_to_roster(course, students)
    assert done == RosterChange(["jose"], ["al1"], {"al1": ["lms_id"]})
    assert file.read_text().splitlines()[1] == f"al1,Annie,L,{EMAIL},17"
    assert course_folder.roster(file)[1] == Student("jose", *CRUZ, "", "18")
    assert lms.add_to_roster(course, students) == RosterChange([], ["al1", "jose"])


def test_a_second_table_fills_the_empty_cells_alone(tmp_path, course, run_cli):
    file, table = course.root / ROSTER, write(tmp_path, PARTICIPANTS)
    lms.add_to_roster(course, lms.listed(write(tmp_path, CANVAS, "canvas.csv")))
    done = run_cli("course", "roster", str(table), "--course", str(course.root))
    assert "empty cells filled for 1 student: email" in done.stdout
    (jose,) = (one for one in course_folder.roster(file) if one.id == "jose")
    assert jose == Student("jose", *CRUZ, "jose@example.org", "18")
    before = file.read_text()
    assert "filled" not in run_cli("course", "roster", str(table), cwd=course.root).stdout
    assert file.read_text() == before


ONE_STUDENT = "Identifier,Full name,Email address,Grade\nParticipant 1,{},x@u.org,\n"


@pytest.mark.parametrize(
    ("first", "last", "full", "filled"),
    [
        ("Suharto", "", "Suharto", ("Suharto", "")),
        ("", "Suharto", "Suharto", ("", "Suharto")),
        ("SUHARTO", "", "Suharto", ("SUHARTO", "")),
        ("Ann Lee", "", "Ann Lee", ("Ann Lee", "")),
        ("Ann Lee", "", "Lee Ann", ("Ann Lee", "")),
        ("", "Ann Lee", "Ann Lee", ("", "Ann Lee")),
        ("Ann", "", "Ann Lee", ("Ann", "Lee")),
        ("Ann", "", "Lee Ann", ("Ann", "Lee")),
        ("", "Lee", "Lee Ann", ("Ann", "Lee")),
        ("", "de Vries", "Anna de Vries", ("Anna", "de Vries")),
        ("Anna", "", "Anna de Vries", ("Anna", "de Vries")),
        ("", "Vries", "Anna de Vries", ("Anna", "Vries")),
        ("A.", "", "Ann Lee", ("A.", "Lee")),
        ("", "Müller", "Mueller Jörg", ("Jörg", "Müller")),
        ("Wei", "", "Wei Wei", ("Wei", "Wei")),
        ("", "", "Ann Lee", ("Ann", "Lee")),
    ],
)
def test_a_full_name_adds_no_word_that_a_row_has(tmp_path, course, first, last, full, filled):
    file = course.root / ROSTER
    file.write_text(f"id,first_name,last_name,email,lms_id\nx,{first},{last},x@u.org,\n")
    lms.add_to_roster(course, lms.listed(write(tmp_path, ONE_STUDENT.format(full))))
    (one,) = course_folder.roster(file)
    assert (one.first_name, one.last_name) == filled


PEOPLE = "First name,Last name,Email address\n"


def test_an_email_that_makes_another_id_is_that_of_the_one_student_of_the_name(tmp_path, course):
    file = course.root / ROSTER
    file.write_text(
        "id,first_name,last_name,email,lms_id\nannlee,Ann,Lee,,7\nann2,Ann,Lee,a@x.org,\n"
    )
    table = write(tmp_path, f"{PEOPLE}Ann,Lee,ann.lee@uni.org\nBob,May,bob.may@uni.org\n")
    done = lms.add_to_roster(course, lms.listed(table))
    assert done == RosterChange(["bob.may"], ["annlee"], {"annlee": ["email"]})
    assert course_folder.roster(file)[0] == Student("annlee", "Ann", "Lee", "ann.lee@uni.org", "7")


@pytest.mark.parametrize(
    "people", ["Jane,Smith,j1@uni.org\n", "Jane,Smith,j1@u.org\nJane,Smith,j2@u.org\n"]
)
def test_namesakes_are_not_told_apart_by_a_guess(tmp_path, course, people):
    file = course.root / ROSTER
    before = "id,first_name,last_name,email,lms_id\njane1,Jane,Smith,,1\n"
    before += "jane2,Jane,Smith,,2\n" if people.count("Jane") == 1 else ""
    file.write_text(before)
    done = lms.add_to_roster(course, lms.listed(write(tmp_path, PEOPLE + people)))
    assert (done.added, file.read_text()) == ([], before)
    assert len(done.unlike) == people.count("Jane")
    assert done.unlike[0].startswith("Jane Smith in the table could be jane1")


def test_another_name_under_a_known_id_is_said_and_changes_nothing(tmp_path, course):
    file = course.root / ROSTER
    before = "id,first_name,last_name,email,lms_id\njose,Josefa,Kim,,\n"
    file.write_text(before)
    done = lms.add_to_roster(course, lms.listed(write(tmp_path, PARTICIPANTS))[1:])
    assert done.unlike == ["jose is Josefa Kim in roster.csv, and José De La Cruz in the table"]
    assert (done.known, file.read_text()) == (["jose"], before)


def test_a_roster_without_a_needed_column_is_not_changed(tmp_path, course):
    file = course.root / ROSTER
    file.write_text("id,email\nbob,bob@example.org\n")
    with pytest.raises(GradingError, match="no column 'first_name' and no column 'last_name' and"):
        lms.add_to_roster(course, lms.listed(write(tmp_path, CANVAS)))
    assert file.read_text() == "id,email\nbob,bob@example.org\n"


def test_a_new_course_takes_all_listed_students(tmp_path, course):
    done = lms.add_to_roster(course, lms.listed(write(tmp_path, PARTICIPANTS)))
    assert done == RosterChange(["ann.lee", "jose"])
    assert [one.id for one in course_folder.enrolled(course)] == done.added


@pytest.mark.parametrize(("text", "at"), [(CANVAS, 5), (WORKSHEET, 4)])
def test_only_the_column_of_the_assignment_is_filled(tmp_path, course, text, at):
    lms.add_to_roster(course, lms.listed(write(tmp_path, CANVAS)))
    sheet = write(tmp_path, text)
    done = lms.filled(course, "ps1", sheet, {"ann.lee": 7.25, "jose": None}, out_of=9)
    before = list(csv.reader(text.splitlines()))
    after = list(csv.reader(done.text.removeprefix("\ufeff").splitlines()))
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


@pytest.mark.parametrize("end", ["\r\n", "\n"])
@pytest.mark.parametrize("text", [CANVAS, WORKSHEET])
def test_a_filled_table_keeps_its_line_ends(tmp_path, course, text, end):
    lms.add_to_roster(course, lms.listed(write(tmp_path, CANVAS)))
    sheet = tmp_path / "table.csv"
    sheet.write_bytes(text.replace("\n", end).encode())
    done = lms.filled(course, "ps1", sheet, {"ann.lee": 7.25}, out_of=9)
    assert done.text.count("\r\n") == (text.count("\n") if end == "\r\n" else 0)
    assert done.text.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "is neither a gradebook of Canvas"),
        (CANVAS.replace("ps1 (4711)", "ps2 (4712)"), r"has no column `ps1 \(…\)`; make an"),
        (WORKSHEET.replace(",Grade,", ",Note,"), "has no column `Grade`; download the grading"),
        (
            CANVAS.replace("Final Score", "PS1 (4799)"),
            r"has 2 columns that could take the grades of ps1: 'ps1 \(4711\)' \(column 6\) and "
            r"'PS1 \(4799\)' \(column 7\)\. Rename the other assignment in Canvas and export "
            "again, or delete from the file the column that should not be filled$",
        ),
        (
            WORKSHEET.replace("Status", "Grade"),
            r"could take the grades of ps1: 'Grade' \(column 4\) and 'Grade' \(column 5\)\. Delete "
            "from the file the column that should not be filled$",
        ),
    ],
)
def test_tables_that_cannot_take_grades_raise(tmp_path, course, text, message):
    with pytest.raises(GradingError, match=message):
        lms.filled(course, "ps1", write(tmp_path, text), {"ann.lee": 1.0}, out_of=9)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        (CANVAS.replace(",9,(read only)", ",100,(read only)"), 5),
        (
            WORKSHEET.replace("Grade,Last", "Grade,Maximum grade,Last").replace(
                ",-", ',"100,00",-'
            ),
            4,
        ),
    ],
)
def test_another_maximum_is_an_error_or_scales_the_points(tmp_path, course, text, at):
    lms.add_to_roster(course, lms.listed(write(tmp_path, CANVAS)))
    sheet, points = write(tmp_path, text), {"ann.lee": 4.5, "jose": None}
    message = r"ps1 has 9 points here, and the maximum in \w+ is 100\. Set it to 9 there .* --scale"
    with pytest.raises(GradingError, match=message):
        lms.filled(course, "ps1", sheet, points, out_of=9)
    done = lms.filled(course, "ps1", sheet, points, out_of=9, scale=True)
    assert [row[at] for row in csv.reader(done.text.splitlines()) if "Lee" in "".join(row)] == [
        "50"
    ]


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        *((cell, "which is no number") for cell in ("EX", "nan", "inf", "1e999", "٩", "7 points")),
        ("-3", "which is negative"),
        ("12", "which is more than the maximum of 9"),
        ("9.01", "which is more than the maximum of 9"),
    ],
)
@pytest.mark.parametrize(("text", "line"), [(CANVAS, 4), (WORKSHEET, 2)])
def test_a_cell_that_holds_no_grade_is_not_replaced(tmp_path, course, cell, says, text, line):
    lms.add_to_roster(course, lms.listed(write(tmp_path, CANVAS)))
    rows = list(csv.reader(text.splitlines()))
    (row,) = (cells for cells in rows if "Lee" in "".join(cells))
    at = next(place for place, name in enumerate(rows[0]) if name in ("Grade", "ps1 (4711)"))
    row[at] = cell
    sheet = tmp_path / "changed.csv"
    with sheet.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    column = re.escape(repr(rows[0][at]))
    where = rf"changed\.csv, line {line}, column {column}: .*Lee.* has .*, {says}.* Empty the cell"
    with pytest.raises(GradingError, match=where):
        lms.filled(course, "ps1", sheet, {"ann.lee": 7.25}, out_of=9)
    # Of those who get no grade the cell stays.
    assert cell in lms.filled(course, "ps1", sheet, {"ann.lee": None}, out_of=9).text


@pytest.mark.parametrize(("cell", "points"), [("7.5", 7.25), ("7,50", 9.0), ("9.5", 9.5)])
def test_an_earlier_grade_is_replaced(tmp_path, course, cell, points):
    lms.add_to_roster(course, lms.listed(write(tmp_path, CANVAS)))
    text = WORKSHEET.splitlines()
    rows = list(csv.reader(text))
    rows[1][rows[0].index("Grade")] = cell
    sheet = tmp_path / "changed.csv"
    with sheet.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    done = lms.filled(course, "ps1", sheet, {"ann.lee": points}, out_of=9)
    assert next(csv.DictReader(done.text.splitlines()))["Grade"] == f"{points:g}"


MOODLE_MAXIMA = "Identifier,Full name,Email address,Grade,Maximum grade\n" + "".join(
    f"Participant {number},Name {number},{number}@example.org,,{maximum}\n"
    for number, maximum in ((1, "9.00"), (2, "10.00"))
)


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CANVAS.replace(",9,(read only)", ",0,(read only)"), "in Canvas is 0. Set it to 9 there"),
        (
            CANVAS.replace(",9,(read only)", f",{'9' * 400},(read only)"),
            "the maximum of inf points is larger",
        ),
        (MOODLE_MAXIMA, "different maxima for the grade: 9 and 10"),
        *(
            (CANVAS.replace(",9,(read only)", f",{maximum},(read only)"), "is no number of points")
            for maximum in ("ten", "-2", "1e2", "nan", "٩", "9 points", "=9")
        ),
    ],
)
def test_a_maximum_without_meaning_raises(tmp_path, course, text, message, scale):
    file = write(tmp_path, text)
    with pytest.raises(GradingError, match=message):
        lms.filled(course, "ps1", file, {"ann.lee": 4.5}, out_of=9, scale=scale)


def test_a_row_that_may_be_two_students_is_told_with_both(tmp_path, course):
    (course.root / ROSTER).write_text(
        f"id,first_name,last_name,email,lms_id\nann,Ann,Lee,{EMAIL},\nbob,Bob,Ray,,1001\n"
    )
    sheet = write(tmp_path, WORKSHEET)
    done = lms.filled(course, "ps1", sheet, {"ann": 4.0, "bob": 5.0}, out_of=9)
    assert done.graded == []
    assert "Ann Lee (could be bob or ann; correct roster.csv)" in done.unknown


def test_a_comma_without_quotes_raises(tmp_path, course):
    """The row has one more cell than the head, and that cell is empty as the grades are."""
    text = CANVAS.replace(",Final Score", "").replace(",50.0", "").replace('"Lee, Ann"', "Lee, Ann")
    text = text.replace(",(read only)", "").replace(",60.0", "")
    text = text.replace("Manual Posting,", "Manual Posting").replace("b0b946af,A,,", "b0b946af,A,")
    for read in (lms.listed, lambda file: lms.filled(course, "ps1", file, {}, out_of=9)):
        with pytest.raises(GradingError, match="line 4: 7 cells for 6 columns; put quotes around"):
            read(write(tmp_path, text))


def separate(text, sign):
    """Return a table in CSV with another sign between its cells."""
    out = io.StringIO()
    table = csv.writer(out, delimiter=sign, lineterminator="\n")
    table.writerows(csv.reader(io.StringIO(text)))
    return out.getvalue()


@pytest.mark.parametrize("sign", [";", "\t"])
@pytest.mark.parametrize("text", [CANVAS, WORKSHEET])
def test_a_filled_table_keeps_its_delimiter(tmp_path, course, text, sign):
    # Without quotes a name in the head may have a comma in it, as one of an assignment.
    text = text.replace("Final Score", '"Essay, part 2 (4799)"')
    lms.add_to_roster(course, lms.listed(write(tmp_path, separate(CANVAS, sign))))
    sheet, points = write(tmp_path, separate(text, sign)), {"ann.lee": 7.25, "jose": None}
    done = lms.filled(course, "ps1", sheet, points, out_of=9)
    with_commas = lms.filled(course, "ps1", write(tmp_path, text), points, out_of=9)
    assert done.graded == with_commas.graded == ["ann.lee"]
    assert done.text == "\ufeff" + separate(with_commas.text.removeprefix("\ufeff"), sign)


@pytest.mark.parametrize("sign", [";", "\t"])
def test_a_roster_keeps_its_delimiter_when_it_is_extended(tmp_path, course, sign):
    file = course.root / ROSTER
    file.write_text(
        separate('id,first_name,last_name,email,lms_id\njose,José,"De La, Cruz",,\n', sign)
    )
    done = lms.add_to_roster(course, lms.listed(write(tmp_path, separate(CANVAS, sign))))
    assert (done.added, done.completed) == (["ann.lee"], {"jose": ["lms_id"]})
    assert file.read_text() == separate(
        "id,first_name,last_name,email,lms_id\n"
        'jose,José,"De La, Cruz",,18\n'
        f"ann.lee,Ann,Lee,{EMAIL},17\n",
        sign,
    )


def test_a_semicolon_without_quotes_raises(tmp_path):
    text = separate(CANVAS, ";").replace("Lee, Ann", "Lee; Ann")
    with pytest.raises(GradingError, match=r"line 4: 8 cells for 7 .* a cell that has a semicolon"):
        lms.listed(write(tmp_path, text))


@pytest.mark.parametrize("column", ["Section", "SIS Login ID"])
def test_a_repeated_column_raises(tmp_path, column):
    text = CANVAS.replace("Final Score", column)
    with pytest.raises(GradingError, match=f"has two columns '{column.lower()}'"):
        lms.listed(write(tmp_path, text))


def test_two_students_with_one_id_raise_until_the_roster_has_them(tmp_path, course):
    twice = CANVAS + '"Lee, Anna",20,S9,ann.lee@other.org,A,,\n'
    students = lms.listed(write(tmp_path, twice))
    with pytest.raises(GradingError, match=r"Anna Lee and Ann Lee would both be called 'ann\.lee'"):
        lms.add_to_roster(course, students)
    (course.root / ROSTER).write_text(
        "id,first_name,last_name,email,lms_id\nal1,,,,17\nal2,,,,20\n"
    )
    assert lms.add_to_roster(course, students).known == ["al1", "al2"]


HEAD = "First name,Last name,ID number,Email address\n"


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (f"{HEAD}李,雷,42,\nBo,X,,bo@x.edu\n", ["42", "bo"]),
        (f"{HEAD}李,雷,A/7,李@x.edu\n", ["a-7"]),
        (f"{HEAD}Åsa,Öberg,,\nJosé,Ñandú,8,\n", ["asa.oberg", "jose.nandu"]),
        (f"{HEAD}李,Wang,43,\n王,Wang,44,\n", ["43", "44"]),
        # Windows keeps these names.
        (f"{HEAD}Con,Nor,9,con@x.edu\nA,B,7,nul@x.edu\n", ["9", "a.b"]),
        (f"{HEAD}{'a' * 70},B,,{'b' * 63}.{'c' * 9}@x.edu\n", ["b" * 63]),
        (CANVAS + '"雷, 李",77,,,A,,\n', ["ann.lee", "jose", "77"]),
        # Somebody removed the numbers of Canvas.
        (CANVAS + '"Ng, Li",,S8,li,A,,\n', ["ann.lee", "jose", "li"]),
    ],
)  # fmt: skip
def test_every_student_of_a_table_gets_an_id(tmp_path, course, text, ids):
    assert lms.add_to_roster(course, lms.listed(write(tmp_path, text))).added == ids
    assert [one.id for one in course_folder.enrolled(course)] == ids


def test_a_student_without_an_id_is_named_and_is_known_once_written(tmp_path, course, run_cli):
    table = write(tmp_path, f"{HEAD}李,雷,,\nBo,X,,bo@x.edu\n")
    done = run_cli("course", "roster", str(table), "--course", str(course.root))
    assert done.returncode == 1
    assert "1 student added" in done.stdout
    assert "1 student not added" in done.stderr
    assert "李 雷. Write a row with an id" in done.stderr
    file = course.root / ROSTER
    file.write_text(f"{file.read_text()}li,李,雷,,\n")
    done = run_cli("course", "roster", str(table), "--course", str(course.root))
    assert "0 students added, 2 were there" in done.stdout


def test_a_row_without_a_number_is_filled_or_said(tmp_path, course):
    lms.add_to_roster(course, lms.listed(write(tmp_path, CANVAS)))
    text = CANVAS.replace('Ann",17', 'Ann",') + '"Ng, Li",,,,A,,\n'
    done = lms.filled(course, "ps1", write(tmp_path, text), {"ann.lee": 7}, out_of=9)
    assert done.graded == ["ann.lee"]
    assert "Ng, Li" in done.unknown


@pytest.mark.parametrize("column", ["e-mail", "First Name", "lms id", "lastname", "lms_ids"])
def test_a_column_of_the_roster_that_is_misspelt_raises(tmp_path, column):
    file = write(tmp_path, f"id,{column},section\nann,x,A\n")
    with pytest.raises(GradingError, match=f"column '{column.lower()}', which is not read; rename"):
        course_folder.roster(file)


def test_other_columns_of_the_roster_are_of_no_concern(tmp_path):
    file = write(tmp_path, "id,section,group,name,last seen,programme,notes\nann,A,1,x,y,z,w\n")
    assert course_folder.roster(file) == [Student("ann")]


def test_a_table_without_students_raises(tmp_path):
    with pytest.raises(GradingError, match="lists no students"):
        lms.listed(write(tmp_path, CANVAS.partition('"Lee')[0]))


@pytest.mark.parametrize(
    ("maximum", "out_of", "grade"),
    [
        ("1,000", 10, "can be 1 or 1000"),
        ("1.000", 10, "can be 1 or 1000"),
        ("1,000", 1000, "8"),
        ("10.000", 10, "8"),
        ("1,000.00", 10, "800"),
        ("1 000", 10, "800"),
        ("12,5", 10, "10"),
        ("0.125", 10, "0.1"),
        ("(read only)", 10, "8"),
    ],
)
def test_a_separator_in_a_maximum_is_not_guessed(tmp_path, course, maximum, out_of, grade):
    text = (
        f'Student,ID,SIS Login ID,Section,ps1 (9)\nPoints Possible,,,,"{maximum}"\n'
        f'"Lee, Ann",1,{EMAIL},A,\n'
    )
    (course.root / "roster.csv").write_text(f"id,email\nann,{EMAIL}\n")
    file = write(tmp_path, text)
    if "can be" in grade:
        with pytest.raises(GradingError, match=grade):
            lms.filled(course, "ps1", file, {"ann": 8.0}, out_of=out_of, scale=True)
        return
    done = lms.filled(course, "ps1", file, {"ann": 8.0}, out_of=out_of, scale=True)
    assert done.text.splitlines()[-1].rpartition(",")[2] == grade


def test_a_namesake_gets_no_points_of_another(tmp_path, course):
    text = (
        "Student,ID,SIS Login ID,Section,ps1 (9)\nPoints Possible,,,,10\n"
        f'"Lee, Ann",1,{EMAIL},A,\n"Lee, Ann",9,other@example.org,B,\n'
    )
    (course.root / "roster.csv").write_text(
        f"id,first_name,last_name,email,lms_id\nann,Ann,Lee,{EMAIL},1\n"
    )
    with pytest.raises(GradingError, match=r"two rows would be ann, Lee, Ann \(1\) and Lee, Ann"):
        lms.filled(course, "ps1", write(tmp_path, text), {"ann": 8.0}, out_of=10)


def test_a_roster_in_utf_16_is_extended_and_one_in_latin_1_is_named(tmp_path, course):
    roster = course.root / "roster.csv"
    before = "id,first_name,last_name,email,lms_id\nzoe,Zoë,Po,z@x.org,5\n"
    roster.write_bytes(before.encode("utf-16"))
    added = lms.add_to_roster(course, lms.listed(write(tmp_path, PARTICIPANTS))).added
    assert added == ["ann.lee", "jose"]
    assert [one.id for one in course_folder.roster(roster)] == ["zoe", *added]
    roster.write_bytes(before.encode("latin-1"))
    with pytest.raises(GradingError, match="not UTF-8"):
        lms.add_to_roster(course, lms.listed(write(tmp_path, PARTICIPANTS)))


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_a_nul_character_in_a_table_is_named_with_its_line(tmp_path, course, mark):
    roster = course.root / "roster.csv"
    roster.write_bytes(mark + b"id,first_name,last_name,email,lms_id\nann,A\0nn,Lee,,5\n")
    with pytest.raises(GradingError, match=r"roster\.csv, line 2: a NUL character, which no text"):
        course_folder.roster(roster)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_a_table_in_an_encoding_that_is_not_read_is_named(tmp_path, course, encoding):
    roster = course.root / "roster.csv"
    text = "id,first_name,last_name,email,lms_id\nzoe,Zoë,Ωμέγα,z@x.org,5\n"
    roster.write_bytes(text.encode(encoding))
    with pytest.raises(GradingError, match="neither UTF-8 nor UTF-16 with its byte order mark"):
        course_folder.roster(roster)


def test_a_course_may_have_any_name_that_a_folder_has(tmp_path):
    for name in ("two\nlines", 'q"uo\\te', "\x1b[31m", "\x7f"):
        root = tmp_path / f"c{name}"
        course_folder.create(root, root.name)
        assert course_folder.read(root).name == root.name
    half = tmp_path / "half\udcff"
    with pytest.raises(GradingError, match="not UTF-8"):
        course_folder.create(half, half.name)
    assert not half.exists()


def test_settings_with_a_mark_are_read_and_odd_numbers_named(course):
    file = course.root / "course.toml"
    text = file.read_text()
    file.write_text(text, encoding="utf-8-sig")
    assert course_folder.read(course.root).key == course.key
    file.write_text(f"x = {'1' * 5000}\n{text}")
    with pytest.raises(GradingError, match="cannot be read: Exceeds the limit"):
        course_folder.read(course.root)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_mark_at_the_beginning_of_a_table_stays(tmp_path, course, mark):
    (course.root / "roster.csv").write_text(
        "id,first_name,last_name,email\nann,Ann,Lee,ann@example.org\n"
    )
    text = b"Identifier,Full name,Email address,Grade,Maximum grade\n"
    text += b"Participant 17,Ann Lee,ann@example.org,,9.00\n"
    table = tmp_path / "worksheet.csv"
    table.write_bytes(mark + text)
    done = lms.filled(course, "ps1", table, {"ann": 5.0}, out_of=9)
    assert done.text.encode() == mark + text.replace(b"org,,9", b"org,5,9")


def test_a_grade_that_moodle_has_locked_is_left_as_it_is(tmp_path, course):
    head = "Identifier,Full name,Email address,Grade,Maximum grade,Grade can be changed\n"
    rows = "".join(
        f"Participant {number},{name} Lee,{name.lower()}@example.org,{grade},9.00,{changed}\n"
        for number, name, grade, changed in (
            (17, "Ann", "1.00", "No"), (18, "Bob", "", "Yes"),
        )
    )  # fmt: skip
    (course.root / "roster.csv").write_text(
        "id,first_name,last_name,email\nann,Ann,Lee,ann@example.org\nbob,Bob,Lee,bob@example.org\n"
    )
    table = write(tmp_path, head + rows)
    done = lms.filled(course, "ps1", table, {"ann": 5.0, "bob": 4.0}, out_of=9)
    assert (done.graded, done.locked) == (["bob"], ["ann"])
    assert "ann@example.org,1.00,9.00,No" in done.text
    assert "bob@example.org,4,9.00,Yes" in done.text


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('name = "Übung"\n'.encode("latin-1"), r"course\.toml, line 1: not UTF-8"),
        (b"[limits]\nmemory_mb = 1\n", r"`memory_mb` is 1; Python with numpy takes more"),
    ],
)
def test_settings_in_another_encoding_or_with_no_memory_are_named(course, content, says):
    file = course.root / "course.toml"
    key = re.search(rb"^key = .*$", file.read_bytes(), re.MULTILINE)[0]
    after = content.startswith(b"[")
    file.write_bytes(key + b"\n" + content if after else content + key + b"\n")
    with pytest.raises(GradingError, match=says):
        course_folder.read(course.root)


@pytest.mark.parametrize(
    ("points", "out_of", "maximum", "written"),
    [
        (9, 9, "1234567", "1234567"),
        (9, 9, "10000000", "10000000"),
        (9, 9, "999999999", "999999999"),
        (1234567.25, 2_000_000, "2000000", "1234567.25"),
        (1, 3, "1000000", "333333.333333"),
        (0.05, 9, "9", "0.05"),
        (0, 9, "100", "0"),
    ],
)
def test_points_are_written_in_full(tmp_path, course, points, out_of, maximum, written):
    lms.add_to_roster(course, lms.listed(write(tmp_path, CANVAS)))
    sheet = write(tmp_path, CANVAS.replace(",9,", f",{maximum},"))
    done = lms.filled(course, "ps1", sheet, {"ann.lee": points}, out_of=out_of, scale=True)
    (row,) = (row for row in csv.reader(done.text.splitlines()) if row[0] == "Lee, Ann")
    assert row[5] == written


def test_a_large_maximum_is_named_in_full(tmp_path, course):
    lms.add_to_roster(course, lms.listed(write(tmp_path, CANVAS)))
    sheet = write(tmp_path, CANVAS.replace(",9,", ",1234567,"))
    with pytest.raises(GradingError, match=r"has 9 points here, .* is 1234567\. Set it to 9 there"):
        lms.filled(course, "ps1", sheet, {"ann.lee": 9}, out_of=9)
