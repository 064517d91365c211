"""The gradebook is nbgrader's: it shows our grades, and a person's count before them."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from recsys_metrics.workbook.course import assignment as assignments
from recsys_metrics.workbook.course import (
    class_report,
    course_folder,
    export,
    gradebook,
    grading_report,
    page_writing,
    provenance,
    regrade,
    summary,
)
from recsys_metrics.workbook.course.course_folder import Student
from recsys_metrics.workbook.course.totals import totals_of
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


@pytest.mark.parametrize("name", ["Who? A", "a%20b", "p%41x", "h#x", "{x}%(y)s;é"])
def test_each_course_has_its_own_gradebook_whatever_its_folder_is_called(
    name, empty_course, tmp_path, monkeypatch
):
    from nbgrader.apps.api import NbGraderAPI
    from nbgrader.apps.baseapp import NbGrader
    from nbgrader.coursedir import CourseDirectory

    root = tmp_path / name
    shutil.copytree(empty_course, root)
    (root / "gradebook.db").unlink()
    with gradebook.opened(course_folder.read(root)) as book:
        book.enrol([Student("ann", "Ann", "Lee", "")])
    assert (root / "gradebook.db").stat().st_size
    # As the formgrader opens it.
    monkeypatch.chdir(root)
    app = NbGrader()
    app.load_cwd_config = True
    app.load_config_file()
    with NbGraderAPI(CourseDirectory(parent=app), parent=app).gradebook as book:
        assert [one.id for one in book.students] == ["ann"]
    assert list(tmp_path.iterdir()) == [root]


def test_a_name_that_is_corrected_in_the_roster_counts_at_once(course_copy):
    course = course_copy.course
    before = export_row(course_copy, "bob")
    (course.root / "roster.csv").write_text(
        "id,first_name,last_name,email\nann,Ánn,Löwe,new@x.org\nbob,,,\n", encoding="utf-8"
    )
    row = export_row(course_copy, "ann")
    assert (row["first_name"], row["last_name"], row["email"]) == ("Ánn", "Löwe", "new@x.org")
    page_writing.write_all(course, course_copy.assignment)
    assert "Ánn Löwe" in course.feedback("ann", NAME).read_text(encoding="utf-8")
    assert export_row(course_copy, "bob")["first_name"] == ""
    # Who is not listed by a roster that lists nobody has the name of the release.
    (course.root / "roster.csv").write_text("id,first_name,last_name,email\n", encoding="utf-8")
    assert export_row(course_copy, "bob") == before


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


def test_the_notebook_that_nbgrader_shows_does_not_say_whose_it_is(course_copy):
    at = course_copy
    book = at.answered("ann")
    head = book["cells"][0]
    for whose in ("For ann.", "For Ann Lee (ann)."):
        head["source"] = f"# ps1\n\n{whose}\n\nFor annual figures."
        at.hand_in("ann", book)
        at.grade("ann", sandboxed=False)
        shown = json.loads(at.course.notebook("autograded", "ann", NAME).read_text())
        assert shown["cells"][0]["source"] == "# ps1\n\n\n\nFor annual figures."
    assert head["source"].startswith("# ps1")
    assert "For ann." in at.opened("ann")["cells"][0]["source"]


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
    table = course_copy.course.root / "mine.csv"
    for head in ("id,last_name,first_name,email", file.read_text().partition("\n")[0] + ",notes"):
        table.write_text(f"{head}\nann,Lee,Ann,\n")
        with pytest.raises(GradingError, match=r"mine\.csv is there and is no earlier export"):
            export.export(course_copy.course, table)
    pipe = course_copy.course.root / "pipe"
    os.mkfifo(pipe)
    for place in (pipe, course_copy.course.root, Path("/dev/full")):
        with pytest.raises(GradingError, match="is there and is no earlier export"):
            export.export(course_copy.course, place)
    with pytest.raises(GradingError, match="cannot be written"):
        export.export(course_copy.course, course_copy.course.root / ("n" * 300))
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


def test_a_database_that_was_emptied_loses_no_page_and_no_report(course_copy, empty_course):
    at = course_copy
    page, report = at.page("ann"), at.course.report(NAME).read_bytes()
    table = at.export().read_bytes()
    shutil.copy(empty_course / at.course.gradebook.name, at.course.gradebook)
    for act in (
        lambda: at.grade(sandboxed=False),
        at.export,
        lambda: class_report.of_class(at.course, at.assignment),
        lambda: totals_of(at.course, at.assignment),
        lambda: regrade.points(at.course, at.assignment, "ann"),
    ):
        with pytest.raises(GradingError, match=r"does not know ps1, so gradebook\.db is another"):
            act()
    assert (at.page("ann"), at.course.report(NAME).read_bytes()) == (page, report)
    assert (at.course.root / "grades.csv").read_bytes() == table


def test_a_circle_of_links_is_no_database_and_stays(course_copy):
    file = course_copy.course.gradebook
    file.unlink()
    file.symlink_to(file.name)
    with pytest.raises(GradingError, match="cannot be opened as a gradebook"):
        course_copy.grade(sandboxed=False)
    assert file.is_symlink()


def test_pipes_in_place_of_files_of_a_course_are_not_waited_for(course_copy):
    at = course_copy
    stamp = at.course.notebook("submitted", "ann", NAME).with_name("timestamp.txt")
    os.mkfifo(stamp)
    assert at.grade("ann", sandboxed=False)["ann"].problem == ""
    for file in (at.course.report(NAME), at.course.manifest(NAME)):
        file.unlink()
        os.mkfifo(file)
        with pytest.raises(GradingError, match="is no file but a folder, a pipe or a device"):
            at.grade("ann", sandboxed=False)
        file.unlink()


def test_an_invalid_database_raises(course_copy):
    course_copy.course.gradebook.write_bytes(b"no database at all" * 100)
    with pytest.raises(GradingError, match="cannot be opened as a gradebook"):
        course_copy.export()


def damage_state(file, change):
    """Change what a file of the course's state holds, and return it as it was."""
    before = file.read_text(encoding="utf-8")
    content = json.loads(before)
    change(content)
    file.write_text(json.dumps(content), encoding="utf-8")
    return before


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("questions", [], r"students\.ann\.questions is \[\]"),
        ("questions", {NUMBER: 7}, r"students\.ann\.questions\.ranking\.e4 is 7"),
        ("handed_in", 7, r"students\.ann\.handed_in is 7"),
        ("handed_in", "2026-11-20T12:00:00", r"handed_in is '2026"),
        ("problem", None, r"students\.ann\.problem is None"),
        ("notes", "late", r"students\.ann\.notes is 'late'"),
        ("answers", {NUMBER: {"wrong": {"ap": 1}}}, r"students\.ann\.answers\.ranking\.e4 is"),
        ("mood", "good", r"students\.ann\.'mood' is no known name"),
    ],
)
def test_a_damaged_report_is_named_with_the_cure(course_copy, name, value, says):
    at = course_copy
    file = at.course.report(NAME)
    before = damage_state(file, lambda content: content["students"]["ann"].update({name: value}))
    with pytest.raises(GradingError, match=rf"graded\.json is damaged .*{says}.*; remove it and"):
        at.export()
    file.write_text(before, encoding="utf-8")
    at.export()


@pytest.mark.parametrize("content", ["[]", "7", "{}", '{"students": []}', '{"students": {"a": 1}}'])
def test_state_of_another_shape_is_damaged(course_copy, content):
    course = course_copy.course
    for file, read in (
        (course.report(NAME), grading_report.read_report),
        (course.requests(NAME), regrade.read),
        (course.collected(NAME), provenance.read),
    ):
        file.write_text(content, encoding="utf-8")
        with pytest.raises(GradingError, match=rf"{file.name} is damaged .*; (take|remove) it"):
            read(course, NAME)


@pytest.mark.parametrize(
    ("name", "value"), [("asked", None), ("why", 7), ("before", "2"), ("answered", "soon")]
)
def test_damaged_requests_are_named_with_the_cure(course_copy, name, value):
    at = course_copy
    regrade.ask(at.course, at.assignment, "ann", NUMBER, "why?")
    file = at.course.requests(NAME)
    damage_state(file, lambda content: content["requests"][0].update({name: value}))
    with pytest.raises(GradingError, match=rf"requests\[1\]\.{name} is .*; take it from a backup"):
        regrade.answer(at.course, at.assignment, "ann", NUMBER, "so", grade=lambda: None)


def test_no_word_of_a_request_or_a_comment_turns_a_line_of_the_page(course_copy):
    at = course_copy
    sign = "\x1b[2J\u202e\u2066"
    regrade.ask(at.course, at.assignment, "ann", NUMBER, f"why {sign}?")
    regrade.answer(at.course, at.assignment, "ann", NUMBER, f"so {sign}.", grade=lambda: None)
    with gradebook.opened(at.course) as book:
        book.comment(NAME, "ann", NUMBER, f"seen {sign}!", own=())
    page_writing.write_all(at.course, at.assignment)
    page = at.page("ann")
    assert not {*"\x1b\u202e\u2066"} & {*page}
    for said in ("why {}?", "so {}.", "seen {}!"):
        assert said.format(r"\x1b[2J\u202e\u2066") in page


@pytest.mark.parametrize(
    ("name", "value"), [("when", "2026-11-20T12:00:00"), ("refused", "abc"), ("source", 7)]
)
def test_a_damaged_record_of_the_collection_is_named_with_the_cure(course_copy, name, value):
    at = course_copy
    at.put("ann.ipynb", at.answered("ann"))
    at.collect()
    file = at.course.collected(NAME)
    damage_state(file, lambda content: content["students"]["ann"].update({name: value}))
    with pytest.raises(GradingError, match=rf"students\.ann\.{name} is .*; take it from a backup"):
        at.collect()


FOREIGN = ["eve", "../../eve", "ann/../bob", "", "ann\u202e", "CON"]


@pytest.mark.parametrize("student", FOREIGN)
def test_a_report_on_somebody_who_was_not_asked_is_refused(course_copy, student):
    at = course_copy
    file = at.course.report(NAME)
    damage_state(
        file, lambda content: content["students"].update({student: content["students"]["ann"]})
    )
    for read in (
        lambda: class_report.of_class(at.course, at.assignment),
        lambda: summary.of_matches(at.course, at.assignment),
        lambda: totals_of(at.course, at.assignment),
        at.export,
        lambda: at.export(questions=True),
    ):
        with pytest.raises(GradingError, match=r"to whom ps1 was not released; remove it and grad"):
            read()


@pytest.mark.parametrize("part", ["questions", "answers"])
@pytest.mark.parametrize("exercise", ["ranking.e1", "../../course", "ranking.e4\u202e"])
def test_a_report_on_a_question_that_was_not_asked_is_refused(course_copy, part, exercise):
    at = course_copy
    one = {"outcome": "WRONG", "mistake": "x"} if part == "questions" else {"right": ["x"]}
    damage_state(
        at.course.report(NAME),
        lambda content: content["students"]["ann"].setdefault(part, {}).update({exercise: one}),
    )
    with pytest.raises(GradingError, match=r"of ann to '.*', which ps1 does not ask; remove it"):
        class_report.of_class(at.course, at.assignment)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        *(
            ("asked", {student: {}}, "asked has the student .*, an id that names no folder")
            for student in FOREIGN[1:]
        ),
        ("asked", [], r"asked is \[\]"),
        ("asked", {"ann": {NUMBER: 7}}, r"asked\.ann\.ranking\.e4 is 7"),
        ("draws", {"ann": {NUMBER: -1}}, r"draws\.ann\.ranking\.e4 is -1"),
        ("name", "../ps1", r"name is '\.\./ps1'"),
        ("name", "ps2", "name is 'ps2'"),
        ("points", {NUMBER: True}, r"points\.ranking\.e4 is True"),
        ("points", {NUMBER: -1}, r"points\.ranking\.e4 is -1"),
        ("points", {NUMBER: 2.5}, r"points\.ranking\.e4 is 2\.5"),
        ("points", {NUMBER: "2"}, r"points\.ranking\.e4 is '2'"),
        ("version", "1", "version is '1'"),
        ("version", 2, "written by a newer recsys-workbook; upgrade"),
        ("more", 1, "'more' is no known name"),
    ],
)
def test_a_damaged_assignment_is_named_with_the_cure(course_copy, name, value, says):
    at = course_copy
    file = at.course.manifest(NAME)
    damage_state(file, lambda content: content.update({name: value}))
    with pytest.raises(GradingError, match=rf"ps1\.json is damaged \(.*{says}.*; take it from a"):
        assignments.load(at.course, NAME)
    file.unlink()
    file.symlink_to("nowhere.json")
    with pytest.raises(GradingError, match=r"ps1\.json is not there any more; take it from a back"):
        assignments.load(at.course, NAME)
