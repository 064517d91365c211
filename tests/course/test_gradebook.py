"""The gradebook is nbgrader's: it shows our grades, and a person's count before them."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from recsys_metrics.workbook.course import export, gradebook
from recsys_metrics.workbook.grading.limits import GradingError
from tests.course.simulated_people import NAME, cell_of

ROOT = Path(__file__).resolve().parents[2]
NUMBER, WORDS = "ranking.e4", "ranking.explain_ideal"


@pytest.fixture(scope="module")
def graded(desk):
    at = desk(["ann", "bob"], [NUMBER, WORDS])
    at.hand_in("ann", at.answered("ann"))
    at.hand_in("bob", at.answered("bob", {NUMBER: "ap = 7"}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        at.grade(sandboxed=False)
    return at


@pytest.fixture
def course_copy(graded, tmp_path):
    """A copy of the course, as it is after a first grading."""
    root = tmp_path / "recsys"
    shutil.copytree(graded.course.root, root)
    return replace(graded, course=replace(graded.course, root=root))


def nbgrader_of(at):
    from nbgrader.api import Gradebook

    return Gradebook(f"sqlite:///{at.course.gradebook}")


def enter_score(at, student, exercise, score):
    """Give a score as a person does in nbgrader's interface."""
    book = nbgrader_of(at)
    grade = book.find_grade(gradebook.format_grade_id(exercise), NAME, NAME, student)
    grade.manual_score, grade.needs_manual_grade = score, False
    book.db.commit()
    book.close()


def export_row(at, student, *, questions=False):
    rows = csv.DictReader(at.export(questions=questions).open())
    if questions:
        return {one["question"]: one for one in rows if one["id"] == student}
    return next(one for one in rows if one["id"] == student)


def test_nbgrader_has_the_grades_and_flags_open_answers(course_copy):
    book = nbgrader_of(course_copy)
    submission = book.find_submission(NAME, "ann")
    assert (submission.score, submission.max_score) == (2, 4)
    assert submission.needs_manual_grade
    assert not book.find_submission(NAME, "bob").needs_manual_grade
    comment = book.find_comment("ranking-e4", NAME, NAME, "bob")
    assert comment.auto_comment.startswith("✗ Not yet")
    book.close()


def test_a_manual_score_counts_and_is_kept(course_copy):
    assert export_row(course_copy, "ann")[f"{NAME} to be read"] == "1"
    enter_score(course_copy, "ann", WORDS, 1.5)
    enter_score(course_copy, "bob", NUMBER, 1)
    for _ in range(2):
        assert (
            export_row(course_copy, "ann")[NAME],
            export_row(course_copy, "ann")[f"{NAME} to be read"],
        ) == ("3.5", "")
        assert export_row(course_copy, "bob")[NAME] == "1"
        told = export_row(course_copy, "bob", questions=True)[NUMBER]
        assert (told["automatic"], told["manual"], told["points"]) == ("0", "1", "1")
        course_copy.grade(sandboxed=False)


def test_a_new_submission_needs_manual_grading_again(course_copy):
    enter_score(course_copy, "bob", NUMBER, 1)
    course_copy.hand_in("bob", course_copy.answered("bob"))
    course_copy.grade(sandboxed=False)
    told = export_row(course_copy, "bob", questions=True)[NUMBER]
    assert (told["automatic"], told["points"], told["to_be_read"]) == ("2", "1", "yes")
    course_copy.grade(sandboxed=False)
    assert export_row(course_copy, "bob", questions=True)[NUMBER]["to_be_read"] == "yes"


def test_the_autograder_of_nbgrader_reveals_nothing(course_copy):
    from nbgrader.nbgraderformat import read
    from nbgrader.utils import determine_grade

    shown = read(str(course_copy.course.notebook("autograded", "ann", NAME)), as_version=4)
    answers = [cell for cell in shown.cells if "nbgrader" in cell.metadata]
    assert [determine_grade(cell) for cell in answers] == [(None, 2), (None, 2)]
    untouched = read(str(course_copy.course.notebook("autograded", "bob", NAME)), as_version=4)
    words = cell_of(untouched, "ranking-explain_ideal")
    assert determine_grade(words) == (0, 2)


def test_the_nbgrader_interface_finds_the_course(course_copy, monkeypatch):
    from nbgrader.apps import NbGrader
    from nbgrader.apps.api import NbGraderAPI

    monkeypatch.chdir(course_copy.course.root)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(course_copy.course.root / "none"))
    NbGrader.clear_instance()
    app = NbGrader.instance()
    try:
        app.initialize([])
        api = NbGraderAPI(coursedir=app.coursedir, parent=app)
        assert app.coursedir.course_id == "recsys"
        (found,) = api.get_assignments()
        assert (found["name"], found["num_submissions"], found["max_score"]) == (NAME, 2, 4)
        submissions = {one["student"]: one for one in api.get_submissions(NAME)}
        assert submissions["ann"]["autograded"]
        assert submissions["ann"]["needs_manual_grade"]
        assert api.get_notebook_submissions(NAME, NAME)
    finally:
        NbGrader.clear_instance()


def test_the_autograded_notebook_has_the_answer_and_no_script(course_copy):
    book = course_copy.answered("ann")
    cell_of(book, "ranking-explain_ideal")["source"] = "So <script>alert(1)</script> it is"
    course_copy.hand_in("ann", book)
    course_copy.grade("ann", sandboxed=False)
    shown = json.loads(course_copy.course.notebook("autograded", "ann", NAME).read_text())
    assert cell_of(shown, "ranking-explain_ideal")["source"] == (
        "So &lt;script>alert(1)&lt;/script> it is"
    )
    import nbformat

    nbformat.validate(nbformat.from_dict(shown))


def test_feedback_names_the_mistake_and_not_the_value(course_copy):
    page = course_copy.page("bob")
    value = course_copy.asked("bob")[NUMBER].exercise.answer["ap"]
    assert "0 of 4 points" in page
    assert "You gave:" in page
    assert f"{value:.3f}" not in page
    assert course_copy.asked("bob")[NUMBER].exercise.seed not in page
    assert "<script" not in page
    assert "to be read by a person" in course_copy.page("ann")
    assert course_copy.asked("ann")[WORDS].exercise.criteria[0] not in course_copy.page("ann")


def test_an_export_only_overwrites_an_earlier_export(course_copy):
    file = course_copy.export()
    assert course_copy.export() == file
    with pytest.raises(GradingError, match=r"roster\.csv is there and is no earlier export"):
        export.export(course_copy.course, course_copy.course.root / "roster.csv")
    with pytest.raises(GradingError, match="could not be written"):
        export.export(course_copy.course, course_copy.course.root / "roster.csv" / "x.csv")


def test_an_unknown_student_raises(course_copy):
    with pytest.raises(GradingError, match="ps1 was not released to 'cy'; it was released to ann"):
        course_copy.grade("cy", sandboxed=False)


def test_without_nbgrader_an_error_names_the_extra(monkeypatch):
    monkeypatch.setattr(gradebook, "find_spec", lambda name: None)
    with pytest.raises(GradingError, match=r'pip install "recsys-workbook\[course\]"'):
        gradebook.require()


def test_commands_import_nbgrader_without_its_servers():
    code = (
        "import sys; from recsys_metrics.workbook.course import gradebook\n"
        "gradebook._import_without_servers(); from nbgrader.api import Gradebook\n"
        "print('jupyter_server' in sys.modules)\n"
        "from nbgrader import api\n"
        "print(api.Gradebook is Gradebook, 'jupyter_server' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split() == ["False", "True", "True"]


def test_an_invalid_database_raises(course_copy):
    course_copy.course.gradebook.write_bytes(b"no database at all" * 100)
    with pytest.raises(GradingError, match="cannot be opened as a gradebook"):
        course_copy.export()
