"""Whose a file is, by the folder or the name a learning system gave it.

Where the layouts come from: Moodle's, `get_student_prefix` and `load_submissionplugin_filelist` in
mod/assign/classes/downloader.php of github.com/moodle/moodle; Canvas's, `add_upload_submission`,
`get_filename` and `sanitize_user_name` in lib/content_zipper.rb of
github.com/instructure/canvas-lms; Moodle's worksheet, mod/assign/gradingtable.php and
mod/assign/lang/en/assign.php ("Identifier", "Participant 12").
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePath

import pytest

from recsys_metrics.workbook.course import times
from recsys_metrics.workbook.course.course_folder import Course, Student, roster
from recsys_metrics.workbook.course.identity import Identities
from recsys_metrics.workbook.grading.limits import GradingError

ROSTER = [
    Student("ann", "Ann", "Lee", "ann@example.org", "17"),
    Student("ann-marie", "Ann-Marie", "O'Neil", "", "18"),
    Student("3", "Zoé", "Müller", "zoe@example.org", "2001"),
    Student("s123", "Li", "Wei"),
    Student("s1234", "Wei", "Li"),
    Student("d.e@f.org", "Twin", "Same", "", "u 21"),
    Student("g", "Twin", "Same", "", "22"),
]
KNOWN = Identities([one.id for one in ROSTER], ROSTER)


def identify(path, known=KNOWN):
    claim = known.claim(PurePath(path))
    return None if claim is None else list(claim.students)


@pytest.mark.parametrize(
    ("path", "students"),
    [
        ("Ann Lee_1001_assignsubmission_file/ps1.ipynb", ["ann"]),
        ("Ann Lee_1001_assignsubmission_file_/ps1.ipynb", ["ann"]),
        ("Lee Ann_1001_assignsubmission_file/work/deep.ipynb", ["ann"]),
        ("Ann Lee_1001_assignsubmission_file_ps1.ipynb", ["ann"]),
        ("Ann-Marie ONeil_5_assignsubmission_file/ann.ipynb", ["ann-marie"]),
        ("Zoé Müller_6_assignsubmission_file/x.ipynb", ["3"]),
        ("Somebody_18_assignsubmission_file/x.ipynb", ["ann-marie"]),
        # The participant's number is no student's id.
        ("Malory Ory_3_assignsubmission_file/3.ipynb", []),
        ("Malory Ory_1002_assignsubmission_file/ann.ipynb", []),
        ("Malory Ory_1002_assignsubmission_file_ann.ipynb", []),
        ("Twin Same_9_assignsubmission_file/x.ipynb", ["d.e@f.org", "g"]),
        ("Twin Same_22_assignsubmission_file/x.ipynb", ["g"]),
        # Name and number that disagree mean nobody for certain.
        ("Ann Lee_18_assignsubmission_file/x.ipynb", ["ann-marie", "ann"]),
    ],
)
def test_students_are_identified_by_moodle_folders(path, students):
    assert identify(path) == students
    # macOS unpacks names in another form of the same letters.
    assert identify(unicodedata.normalize("NFD", path)) == students


@pytest.mark.parametrize(
    ("path", "students", "late", "number"),
    [
        ("leeann_17_4711_ps1.ipynb", ["ann"], False, 4711),
        ("leeann_LATE_17_4712_ps1-1.ipynb", ["ann"], True, 4712),
        ("leeann_99_4711_ps1.ipynb", ["ann"], False, 4711),
        ("oneilannmarie_18_1_bob_17_2_x.ipynb", ["ann-marie"], False, 1),
        ("müllerzoé_55_4_ps1 (3).ipynb", ["3"], False, 4),
        ("orymalory_1002_77_ann.ipynb", [], False, 77),
        ("sametwin_23_5_x.ipynb", ["d.e@f.org", "g"], False, 5),
        ("anon_Ab3xY_4711_ann.ipynb", [], False, 0),
        ("LATE_anon_Ab3xY_4711_ann.ipynb", [], True, 0),
    ],
)
def test_students_are_identified_by_canvas_file_names(path, students, late, number):
    claim = KNOWN.claim(PurePath("submissions", path))
    assert list(claim.students) == students
    assert claim.is_late is late
    if number:
        assert (claim.system, claim.number) == ("Canvas", number)
    else:
        assert claim.system == ""  # whoever marks anonymously knows no account


@pytest.mark.parametrize(
    ("path", "students"),
    [
        ("ann.ipynb", ["ann"]),
        ("x/ann-marie.ipynb", ["ann-marie"]),
        ("hann.ipynb", None),
        ("s1234_ps1.ipynb", ["s1234"]),
        ("ANN_late.ipynb", ["ann"]),
        ("Lee, A (ann)/x/y.ipynb", ["ann"]),
        ("Ann Lee/ps1.ipynb", ["ann"]),
        ("zoe@example.org/ps1.ipynb", ["3"]),
        ("u 21/ps1.ipynb", ["d.e@f.org"]),
        ("d.e@f.org_ps1.ipynb", ["d.e@f.org"]),
        ("dxe@f.org.ipynb", None),
        ("ann and s123.ipynb", ["ann", "s123"]),
        # The outermost name decides: what lies within a folder is the student's to name.
        ("s123/s1234.ipynb", ["s123"]),
        ("s123/Ann Lee_1001_assignsubmission_file/x.ipynb", ["s123"]),
        ("s123/leeann_17_4711_ps1.ipynb", ["s123"]),
        # A number that a browser or a person adds is nobody's id.
        ("ps1 (3).ipynb", None),
        ("ps1(3).ipynb", None),
        ("ps1-3.ipynb", None),
        ("ps1_3.ipynb", None),
        ("ps1 - Copy (3).ipynb", None),
        ("ann (3).ipynb", ["ann"]),
        ("3.ipynb", ["3"]),
        ("3_ps1 (2).ipynb", ["3"]),
        ("3/ps1.ipynb", ["3"]),
        ("downloads (3)/ps1.ipynb", None),
    ],
)
def test_students_are_identified_by_plain_folders(path, students):
    assert identify(path) == students


def test_lms_ids_may_be_in_any_script(tmp_path):
    file = tmp_path / "roster.csv"
    file.write_text(
        "id,first_name,lms_id\na1,José,josé ñ | 東京-7\nb2,../x,a1x\n", encoding="utf-8"
    )
    people = roster(file)
    known = Identities(["a1", "b2"], people)
    assert identify("josé ñ/ps1.ipynb", known) == ["a1"]
    assert identify("東京-7_ps1.ipynb", known) == ["a1"]
    assert identify("a1x.ipynb", known) == ["b2"]


def test_a_name_is_read_without_the_apostrophe_that_a_table_puts_before_a_formula(tmp_path):
    file = tmp_path / "roster.csv"
    file.write_text("id,first_name,last_name\nann,'=A1,'s-Gravenhage\n")
    (ann,) = roster(file)
    assert (ann.first_name, ann.last_name) == ("=A1", "'s-Gravenhage")


@pytest.mark.parametrize(
    "name", ["an n", "../ann", "ann/bob", "..", "josé", "東京", ".ann", "", "a" * 65]
)
def test_an_id_that_cannot_be_a_folder_name_raises(name, tmp_path):
    file = tmp_path / "roster.csv"
    file.write_text(f"id,first_name\n{name},A\n", encoding="utf-8")
    with pytest.raises(GradingError, match=r"cannot name a folder; .* into the column lms_id"):
        roster(file)


@pytest.mark.parametrize("second", ["Zo\u0308e", "ZÖE"])
def test_an_lms_id_that_differs_in_how_it_is_written_is_a_duplicate(second, tmp_path):
    file = tmp_path / "roster.csv"
    file.write_text(f"ID,Lms_id\nann,Zöe\nbob,{second}\n")
    with pytest.raises(GradingError, match="is that of ann too"):
        roster(file)


def test_an_lms_id_may_be_another_students_id_by_chance_only_if_it_is_a_number(tmp_path):
    file = tmp_path / "roster.csv"
    file.write_text("id,lms_id\n17,18\n18,17\n")
    assert [one.id for one in roster(file)] == ["17", "18"]
    file.write_text("id,lms_id\nann,Bob\nbob,bob\n")
    with pytest.raises(GradingError, match="the lms_id 'bob' is that of ann too"):
        roster(file)
    file.write_text("id,lms_id\nann,Bob\nbob,\n")
    with pytest.raises(GradingError, match="the lms_id 'bob' of ann is the id of another student"):
        roster(file)


def test_a_duplicate_lms_id_raises(tmp_path):
    file = tmp_path / "roster.csv"
    file.write_text("id,lms_id\nann,17\nbob,4|17\n")
    with pytest.raises(GradingError, match="line 3: the lms_id '17' is that of ann too"):
        roster(file)


WORKSHEET = (
    "Identifier,Full name,Email address,Status,Grade,Last modified (submission)\n"
    'Participant 1001,Ann Lee,ann@example.org,Submitted,-,"Friday, 20 November 2026, 11:58 PM"\n'
    'Participant 1002,Malory Ory,,Submitted,-,"Saturday, 21 November 2026, 12:05 AM"\n'
    "Participant 1003,Twin Same,,No submission,-,-\n"
)


@pytest.fixture
def course(tmp_path):
    return Course(tmp_path, "recsys", "0" * 64, time_zone="Europe/Berlin")


def table(tmp_path, text):
    file = Path(tmp_path, "times.csv")
    file.write_text(text, encoding="utf-8")
    return file


def test_the_moodle_worksheet_gives_submission_times(course, tmp_path):
    sheet = times.read(course, table(tmp_path, WORKSHEET))
    assert sheet.times(KNOWN)[0] == {"ann": datetime(2026, 11, 20, 22, 58, tzinfo=UTC)}
    known = Identities(["ann", "g"], [replace(ROSTER[0], first_name="", last_name=""), ROSTER[6]],
                       sheet.participants)  # fmt: skip
    assert identify("A. Lee_1001_assignsubmission_file/x.ipynb", known) == ["ann"]
    # Marked anonymously, the folder has a number alone.
    assert identify("Participant_1001_assignsubmission_file/x.ipynb", known) == ["ann"]
    unknown = known.claim(PurePath("Participant_1_assignsubmission_file/x.ipynb"))
    assert (unknown.students, unknown.system) == ((), "")


def test_a_generic_table_gives_id_and_submission_time(course, tmp_path):
    text = "id,submitted\nann,2026-11-20T23:59:00Z\n3,2026-11-20 23:59\ng,\n"
    text += "nobody,2026-01-01 12:00\n"
    assert times.read(course, table(tmp_path, text)).times(KNOWN)[0] == {
        "ann": datetime(2026, 11, 20, 23, 59, tzinfo=UTC),
        "3": datetime(2026, 11, 20, 22, 59, tzinfo=UTC),
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,2\n", "has neither the columns `id` and `submitted` nor Moodle's"),
        ("id,submitted\nann,tomorrow\n", "line 2: 'tomorrow' is no time; write 2026-11-20T"),
        ("id,submitted\nann,2026-11-20 23:59\n", 'names no time zone; write `time_zone = "Eur'),
    ],
)
def test_invalid_times_raise(text, says, course, tmp_path):
    with pytest.raises(GradingError, match=says):
        times.read(replace(course, time_zone=None), table(tmp_path, text))


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("ann,0001-01-01T00:00:00+14:00", "line 2: .* is no time"),
        ("ann,2026-11-20", "line 2: .* is no time"),
        ("ann,2026-11-20T10:00:00Z,late", "line 2: 3 cells for 2 columns; put quotes around"),
    ],
)
def test_times_that_would_be_misread_are_refused(rows, says, course, tmp_path):
    with pytest.raises(GradingError, match=says):
        times.read(course, table(tmp_path, f"id,submitted\n{rows}\n"))
