"""Which rows of a roster the students of another list are: invented lists, answered by hand."""

from __future__ import annotations

import pytest

from recsys_metrics.workbook.course import course_folder, lms
from recsys_metrics.workbook.course.course_folder import ROSTER
from recsys_metrics.workbook.grading.limits import GradingError

HEAD = "id,first_name,last_name,email,lms_id\n"
MOODLE = "First name,Last name,ID number,Email address\n"
CANVAS = "Student,ID,SIS Login ID,Section\n"

# Rows of the roster, the table, who is added, who is known, and what is said of those in doubt.
LISTS = {
    "e-mails that are not the logins of Canvas": (
        "annlee,Ann,Lee,,7\nbobmay,Bob,May,,8\n",
        f"{MOODLE}Ann,Lee,,ann.lee@uni.org\nBob,May,,bob.may@uni.org\n",
        [], ["annlee", "bobmay"], [],
    ),
    "a login that is the e-mail of another student": (
        "jsmith,John,Smith,,7\njsmith2,Jane,Smith,,8\n",
        f"{MOODLE}Jane,Smith,,jsmith@uni.org\nJohn,Smith,,john.smith@uni.org\n",
        [], ["jsmith2", "jsmith"], [],
    ),
    "first and last names in each other's columns": (
        "annlee,Ann,Lee,,7\n", f"{MOODLE}Lee,Ann,,al@uni.org\n", [], ["annlee"], [],
    ),
    "another case, other accents, umlauts written out": (
        "jose,José,Ñandú,,7\nmm,Max,Müller,,8\nso,Søren,Bø,,9\n",
        f"{MOODLE}JOSE,NANDU,,x1@uni.org\nmax,mueller,,x2@uni.org\nSoren,Bo,,x3@uni.org\n",
        [], ["jose", "mm", "so"], [],
    ),
    "an initial": (
        "annlee,Ann,Lee,,7\n", f"{MOODLE}A.,Lee,,al@uni.org\n",
        [], [], ["A. Lee in the table could be annlee of roster.csv"],
    ),
    "an initial, and the login is the same": (
        "alee,Ann,Lee,,7\n", f"{MOODLE}A.,Lee,,alee@uni.org\n", [], ["alee"], [],
    ),
    "a second first name": (
        "annlee,Ann Marie,Lee,,7\n", f"{MOODLE}Ann,Lee,,al@uni.org\n",
        [], [], ["Ann Lee in the table could be annlee of roster.csv"],
    ),
    "namesakes, one of whom the roster knows by the e-mail": (
        "j1,Jane,Smith,j1@uni.org,\nj2,Jane,Smith,,8\n",
        f"{MOODLE}Jane,Smith,,j1@uni.org\nJane,Smith,,jane@uni.org\n",
        [], ["j1", "j2"], [],
    ),
    "namesakes whom nothing tells apart": (
        "j1,Jane,Smith,,7\nj2,Jane,Smith,,8\n",
        f"{MOODLE}Jane,Smith,,a@uni.org\nJane,Smith,,b@uni.org\n",
        [], [], ["Jane Smith in the table could be j1 or j2 of roster.csv"] * 2,
    ),
    "an address of their own in each system": (
        "ann.lee,Ann,Lee,ann.lee@mail.org,7\n",
        f"{MOODLE}Ann,Lee,,al2@uni.org\nEve,Orr,,eve@uni.org\n",
        ["eve"], [], ["Ann Lee in the table could be ann.lee of roster.csv, with another e-mail"],
    ),
    "the same login at two universities": (
        "ann.lee,Ann,Lee,ann.lee@a.org,\n", f"{MOODLE}Ann,Lee,,ann.lee@b.org\n",
        [], [], ["Ann Lee in the table could be ann.lee of roster.csv, with another e-mail"],
    ),
    "one number for two people in two systems": (
        "annlee,Ann,Lee,,17\n", f"{MOODLE}Bob,May,17,bob@uni.org\n",
        [], ["annlee"], ["annlee with the number 17 is Ann Lee in roster.csv, and Bob May in the"],
    ),
    "the e-mail of one and the number of another": (
        "ann,Ann,Lee,ann@uni.org,1\nbob,Bob,May,,2\n", f"{MOODLE}Ann,Lee,2,ann@uni.org\n",
        [], [], ["has the e-mail address of ann and the number of bob of roster.csv"],
    ),
    "one address for two students of the table": (
        "ann,Ann,Lee,ann@uni.org,\n", f"{MOODLE}Ann,Lee,,ann@uni.org\nBob,May,,ann@uni.org\n",
        [], ["ann", "ann"],
        ["Ann Lee is one of several in the table who could be ann", "Bob May is one of several"],
    ),
    "a student twice in the table": (
        "", f"{MOODLE}Ann,Lee,,ann@uni.org\nAnn,Lee,,ann@uni.org\n", ["ann"], [], [],
    ),
    "Canvas after Moodle": (
        "ann.lee,Ann,Lee,ann.lee@uni.org,\nbo,Bo,X,bo@uni.org,\n",
        f'{CANVAS}"Lee, Ann",17,alee3,A\n"X, Bo",18,bx,A\n"Orr, Cy",19,cyorr,A\n',
        ["cyorr"], ["ann.lee", "bo"], [],
    ),
    "the columns in another order": (
        "annlee,Ann,Lee,,7\n",
        "Email address,Last name,Groups,First name\nann.lee@uni.org,Lee,A,Ann\n",
        [], ["annlee"], [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
def test_students_are_matched_as_by_hand(tmp_path, name):
    roster, table, added, known, doubts = LISTS[name]
    course = course_folder.create(tmp_path / "recsys", "recsys")
    file = course.root / ROSTER
    file.write_text(HEAD + roster)
    listed = tmp_path / "table.csv"
    listed.write_text(table)
    done = lms.add_to_roster(course, lms.listed(listed))
    assert (done.added, done.known) == (added, known)
    assert len(done.unlike) == len(doubts)
    assert all(says in said for says, said in zip(doubts, done.unlike, strict=True)), done.unlike
    assert len(course_folder.enrolled(course)) == roster.count("\n") + len(added)
    # What is written is read again, and the same table changes nothing more.
    again = lms.add_to_roster(course, lms.listed(listed))
    assert (again.added, again.completed, again.unlike) == ([], {}, done.unlike)


def test_two_rows_with_one_address_are_named(tmp_path):
    file = tmp_path / "roster.csv"
    file.write_text(f"{HEAD}ann,Ann,Lee,al@uni.org,\nbob,Bob,May,,\nanna,Anna,Lee,AL@uni.org,\n")
    says = r"line 4: the e-mail address 'AL@uni.org' is that of ann in line 2 too; correct one of"
    with pytest.raises(GradingError, match=says):
        course_folder.roster(file)
