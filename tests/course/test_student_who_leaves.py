"""A student whose row is removed from the roster: left out and named, and back with the row."""

from __future__ import annotations

import zipfile

import pytest

from tests.course.simulated_people import NAME

NUMBERS, TEXT = "ranking.e4", "ranking.explain_ideal"
SAYS = "left out, because roster.csv no longer lists them: bob"


@pytest.fixture
def graded(desk):
    """Ann and Bob are graded, and have a roster."""
    at = desk(["ann", "bob"], [NUMBERS, TEXT])
    for student in ("ann", "bob"):
        words = f"{student} says that items which were never recommended are ignored by her value."
        at.hand_in(
            student,
            at.answered(student, {NUMBERS: at.right(student, NUMBERS), TEXT: words}),
        )
    at.grade(sandboxed=False)
    return at


def write_roster(at, *students):
    rows = "".join(f"{one},{one.title()},Lee,{one}@example.org\n" for one in students)
    (at.course.root / "roster.csv").write_text(f"id,first_name,last_name,email\n{rows}")


@pytest.mark.parametrize("has_left", [False, True])
def test_who_left_is_left_out_and_named(graded, run_cli, tmp_path, has_left):
    at, root = graded, graded.course.root
    write_roster(at, "ann", *([] if has_left else ["bob"]))
    sheet = tmp_path / "worksheet.csv"
    sheet.write_text(
        "Identifier,Full name,Email address,Status,Grade,Maximum Grade\n"
        f"Participant 1,Ann Lee,ann@example.org,,,{at.assignment.out_of}\n"
        f"Participant 2,Bob Lee,bob@example.org,,,{at.assignment.out_of}\n"
    )
    said = {}
    for command in (
        ("export", "grades.csv"),
        ("export", "questions.csv", "--questions"),
        ("fill", NAME, str(sheet), "up.csv", "--unread"),
        ("feedback", NAME, "pages.zip"),
        ("class", "report", NAME, "class.html"),
        ("class", "statistics", NAME, "statistics.html"),
        ("words", "pages", NAME, "--marker", "kim"),
    ):
        done = run_cli("course", *command, cwd=root)
        assert done.returncode == 0, done.stderr
        told = " ".join(done.stdout.split())
        assert (SAYS in told) == has_left, command
        said[command[0], command[1]] = told
    students = 1 if has_left else 2
    for table in ("grades.csv", "questions.csv"):
        lines = (root / table).read_text().splitlines()
        assert any(one.startswith("ann,") for one in lines)
        assert any(one.startswith("bob,") for one in lines) != has_left
    assert f"{students} grade" in said["fill", NAME]
    assert len(zipfile.ZipFile(root / "pages.zip").namelist()) == students
    assert f"class.html: {students} student" in said["class", "report"]
    statistics = (root / "statistics.html").read_text()
    assert f"<td class='number'>{students}</td>" in statistics
    assert ("<td class='number'>2</td>" in statistics) != has_left
    assert f"{TEXT}.html: {students} answer" in said["words", "pages"]
    page = (root / f"words/{NAME}/kim/{TEXT}.html").read_text()
    assert ("bob says" in page) != has_left


def test_a_name_of_another_format_is_refused_before_anything_is_written(graded, run_cli):
    root = graded.course.root
    before = sorted(root.rglob("*"))
    for command, cure in (
        (("fill", NAME, "worksheet.csv", "up.xlsx"), ".csv: up.csv"),
        (("words", "agree", NAME, "points.XLSX", "--enter"), ".csv: points.csv"),
        (("feedback", NAME, "pages.rar"), ".zip: pages.zip"),
        (("class", "statistics", NAME, "items.csv"), ".html: items.html"),
        (("class", "report", NAME, "class.pdf"), ".html: class.html"),
    ):
        done = run_cli("course", *command, cwd=root)
        assert done.returncode == 1
        assert f"Name it {cure}" in done.stderr
    assert sorted(root.rglob("*")) == before


def test_who_left_is_not_missing_and_grading_says_so(graded):
    at = graded
    write_roster(at, "ann", "bob")
    at.put("note.txt", b"nothing")
    assert at.collect().missing == []
    for student in ("ann", "bob"):
        at.course.notebook("submitted", student, NAME).unlink()
    assert at.collect().missing == ["ann", "bob"]
    write_roster(at, "ann")
    assert at.collect().missing == ["ann"]
    # What is not a notebook is not taken of students of the course alone.
    for student in ("ann", "bob"):
        at.put(f"{student}/hw.pdf", b"%PDF-1.7")
    assert [*at.collect().refused] == ["ann"]
    assert at.grade("bob", sandboxed=False)["bob"].notes == ["is no longer in roster.csv"]
