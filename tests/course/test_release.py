"""Releasing: numbers of one's own, nothing given away, nothing overwritten."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from recsys_metrics._core import console
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.course import course_folder, release, release_notebook, summary
from recsys_metrics.workbook.course.course_folder import Course, Student
from recsys_metrics.workbook.exercises import PARTS, REGISTRY, SUBJECTS
from recsys_metrics.workbook.exercises.answers import format_value
from recsys_metrics.workbook.exercises.base import INPUTS_HEADING, render_text
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.grading import questions, signatures, submissions
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.questions import (
    create_questions,
    find_exercise,
    list_exercise_ids,
)
from tests.tiers import another_program

KEY = "ab" * 32
GRADED = [i for i, exercise in REGISTRY.items() if exercise.points]


def release_question(tmp_path, student, exercise):
    course = Course(tmp_path, "c", KEY)
    (question,) = asked = create_questions(KEY, "ps1", student, [exercise])
    return question, release_notebook.build(course, "ps1", asked, Student(student))


def flatten_text(text):
    """Return text as nobody can hide anything in it: no breaks, no escapes, no marks."""
    return re.sub(r"[\s`*]+", " ", text.replace("\\n", "\n").replace('\\"', '"'))


@pytest.mark.parametrize("exercise", GRADED)
def test_a_released_notebook_does_not_reveal_answers(exercise, tmp_path):
    question, text = release_question(tmp_path, "ann", exercise)
    variant = question.exercise
    shown = flatten_text(text)
    for secret in (KEY, signatures.derive_seed(KEY, "ps1", "ann", exercise), "variant("):
        assert secret not in text
    for mistake in variant.mistakes:
        for said in (mistake.cause, mistake.hint):
            assert flatten_text(render_text(said, variant.inputs)) not in shown
        assert f'"{mistake.id}"' not in text
    for hint in variant.hints:
        assert flatten_text(render_text(hint, variant.inputs)) not in shown
    for code in (code for text, code in variant.walkthrough() if text != INPUTS_HEADING):
        lines = [line for line in code.splitlines() if len(line) > 24]
        if not isinstance(variant, Function) and not hasattr(variant, "lines"):
            assert not [line for line in lines if flatten_text(line) in shown]
    if isinstance(variant, Function):
        for case in variant.cases:
            values = [markup.format_python(value) for value in case.arguments.values()]
            assert ", ".join(values) not in text
    if isinstance(variant, Text):
        assert flatten_text(render_text(variant.model, variant.inputs)).strip() not in shown
    if isinstance(variant, Numbers):
        public = variant.statement + markup.format_python(dict(variant.inputs))
        for value in variant.answer.values():
            told = format_value(value)
            assert len(told) < 5 or told in public or told not in shown


@pytest.mark.parametrize("exercise", GRADED)
def test_a_released_question_can_be_parsed_and_counts_as_not_attempted(exercise, tmp_path):
    question, text = release_question(tmp_path, "ann", exercise)
    read = submissions.parse_notebook(text.encode(), [question])
    assert [cell.question for cell in read.cells][1:] == [0] * (len(read.cells) - 1)
    assert [cell.source for cell in read.cells if cell.is_answer] == [
        release_notebook.answer_source(question)
    ]
    assert not question.is_words or read.get_text(0) == ""
    assert not read.find_missing_cells([question])
    for cell in read.cells:
        if cell.is_code:
            compile(cell.source, "cell", "exec")


def test_variants_depend_on_student_and_course_key(tmp_path):
    asked = {
        (key, name, student): create_questions(key, name, student, ["ranking.e4"])[0].content_hash
        for key in (KEY, "cd" * 32)
        for name in ("ps1", "ps2")
        for student in ("ann", "bob", "cy")
    }
    assert len(set(asked.values())) > 9
    again = create_questions(KEY, "ps1", "ann", ["ranking.e4"])[0].content_hash
    assert again == asked[KEY, "ps1", "ann"]


@another_program
def test_variants_are_the_same_in_every_process():
    # What is released today is graded by another process, with another order of its sets.
    code = (
        "from recsys_metrics.workbook.grading.questions import create_questions\n"
        f"asked = create_questions({KEY!r}, 'ps1', 'ann', {GRADED!r})\n"
        "print([question.content_hash for question in asked])"
    )
    said = subprocess.run(
        [sys.executable, "-c", code],
        env={
            **os.environ,
            "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert said == f"{[one.content_hash for one in create_questions(KEY, 'ps1', 'ann', GRADED)]}\n"


def test_answers_named_like_inputs_are_renamed():
    (question,) = create_questions(KEY, "ps1", "ann", ["ranking.which_denominator"])
    assert question.names["my_relevant"] == "relevant"
    for exercise in GRADED:
        (question,) = create_questions(KEY, "ps1", "ann", [exercise])
        given = re.findall(r"^(\w+) =", question.setup_code, flags=re.MULTILINE)
        assert not set(question.names) & {*given, "sum", "lambda"}


def test_an_assignment_with_few_kinds_of_exercises_is_reported(desk):
    at = desk(["ann"], ["ranking.e4"])
    few = ["ranking.e2", "ranking.e4", "bias.explain_log"]
    for name, ids, lacks in (("few", few[:2], True), ("some", few, False)):
        done = release.release(at.course, name, ids, [Student("ann")])
        told = f"0 of {done.assignment.out_of} points are for words or code; let it be 30% or more"
        assert (told in summary.of_release(done, at.course.root)) == lacks
    assert done.in_words_or_code == ["bias.explain_log"]


def test_the_notebook_is_valid_for_jupyter_and_nbgrader(desk):
    import nbformat
    from nbgrader.nbgraderformat.v3 import MetadataValidatorV3

    at = desk(["ann"], [*list_exercise_ids(["02_ranking"]), "calibration.read_diagram"])
    text = json.dumps(at.opened("ann"))
    book = nbformat.reads(text, as_version=4)
    nbformat.validate(book)
    MetadataValidatorV3().validate_nb(book)
    graded = [c.metadata.nbgrader for c in book.cells if "nbgrader" in c.metadata]
    assert len(graded) == len(at.assignment.points)
    assert {(one.grade, one.solution, one.locked) for one in graded} == {(True, True, False)}


def test_releasing_again_adds_only_new_students(desk):
    at = desk(["ann"], ["ranking.e4"])
    file = at.course.notebook("release", "ann", "ps1")
    before = file.stat().st_mtime_ns, file.read_bytes()
    two = [Student("ann"), Student("bob")]
    done = release.release(at.course, "ps1", ["ranking.e4"], two)
    assert (done.written, done.unchanged, done.kept) == (["bob"], ["ann"], [])
    assert (file.stat().st_mtime_ns, file.read_bytes()) == before
    file.write_text("mine")
    done = release.release(at.course, "ps1", ["ranking.e4"], two)
    assert (done.written, done.unchanged, done.kept) == ([], ["bob"], ["ann"])
    assert file.read_text() == "mine"
    with pytest.raises(GradingError, match=r"released with other questions \(ranking.e4\)"):
        release.release(at.course, "ps1", ["ranking.e5"], two)
    assert done.assignment.students == ["ann", "bob"]


def test_names_that_differ_in_case_alone_would_share_files_elsewhere(desk):
    at = desk(["ann"], ["ranking.e4"])
    before = at.course.manifest("ps1").read_bytes()
    for name in ("PS1", "Ps1"):
        with pytest.raises(GradingError, match=f"there is 'ps1' already, .* do not tell '{name}'"):
            release.release(at.course, name, ["ranking.e5"], [Student("ann")])
    assert at.course.assignments() == ["ps1"]
    assert at.course.manifest("ps1").read_bytes() == before


def test_a_question_changed_since_the_release_needs_manual_grading(desk, sandbox, monkeypatch):
    at = desk(["ann"], ["ranking.e4", "ranking.e3"])
    at.hand_in("ann", at.answered("ann"))
    changed = dict(REGISTRY)
    changed["ranking.e4"] = REGISTRY["ranking.e5"]
    old = REGISTRY["ranking.e4"]
    from dataclasses import replace

    changed["ranking.e4"] = replace(old, prompt="Another question about {recommended}.")
    monkeypatch.setattr(questions, "REGISTRY", changed)
    graded = at.grade()["ann"]
    assert [one.points for one in graded.judged_answers] == [None, old.points]
    assert graded.notes == ["changed since it was released, to be read: ranking.e4"]


@pytest.mark.parametrize(
    ("chapters", "message"),
    [
        (["nonsense"], "there is no chapter 'nonsense'; there are 00_three_questions, 01_rating"),
        (["02_rankings.ipynb"], "no chapter"),
    ],
)
def test_an_unknown_chapter_raises(chapters, message):
    with pytest.raises(GradingError, match=message):
        list_exercise_ids(chapters)


def test_chapters_can_be_named_by_subject_or_file():
    assert list_exercise_ids(["02_ranking"]) == list_exercise_ids(["02_ranking.md"])
    for subject, exercises in SUBJECTS.items():
        parts = [part for part in PARTS if set(PARTS[part]) <= set(exercises)]
        assert all(map(list_exercise_ids, ([part] for part in parts)))
        assert list_exercise_ids([subject]) == list_exercise_ids(parts)


@pytest.mark.parametrize(
    ("exercise", "message"),
    [
        ("ranking.e99", "no exercise has the id 'ranking.e99'"),
        ("ranking.first_guess", "is a guess without points"),
    ],
)
def test_an_exercise_that_cannot_be_graded_raises(exercise, message):
    with pytest.raises(GradingError, match=message):
        find_exercise(exercise)


def test_creating_a_course_overwrites_nothing(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("file", "full", "link"):
        with pytest.raises(GradingError, match=name):
            course_folder.create(tmp_path / name, "x")
    course = course_folder.create(tmp_path / "new", 'A "new" \\ course')
    assert course_folder.read(course.root) == course
    assert (course.root / course_folder.SETTINGS).stat().st_mode & 0o077 == 0
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "lists no students|no column `id`"),
        ("name\nann", "no column `id`; its first line is 'name'"),
        ("id\n", "lists no students"),
        ("id\nann\nid\nbob", "line 3: the names of the columns of line 1 are repeated.*delete the"),
        (
            "id,first_name,\nann,Ann\n ID ,First_Name\nbob,Bob",
            "line 3: the names of the columns of line 1 are repeated.*; delete the line",
        ),
        ("\nid\nann", "line 1: the line is blank; delete it, so that the names of the columns are"),
        ("sep=,\nid\nann", "line 1: the line 'sep=' is for Excel; delete it"),
        *(
            (f"id,{name}\nann,x", f"the column '{name}', which is not read; rename it to '{right}'")
            for name, right in {
                "first name": "first_name",
                "e-mail": "email",
                "lms id": "lms_id",
            }.items()
        ),
        (
            "id\nann\nann",
            "line 3: the id 'ann' is in line 2 too; if these are two students, give one of them "
            "another id, and if they are one student, remove one of the lines",
        ),
        (
            "id,first_name,last_name\nann,Ann,Lee\n\nAnn,Anna,Lim",
            "line 4: the id 'Ann' differs from 'ann' in line 2 only in capital letters, which do "
            "not distinguish folders on Windows and macOS; if these are two students, choose "
            "another id for one of them, and if they are one student, remove one of the lines",
        ),
        ("id\n../etc", r"line 2: the id '\.\./etc' cannot name a folder"),
        ("id\n.hidden", "cannot name a folder"),
        ("id,email\n,a@b", "line 2: the id '' cannot name a folder"),
        ('id,first_name\nann,"Ann\nbob,Bob\n', "line 2: a quote that is opened and not closed"),
        ("id,id\nann,bob", "two columns 'id'"),
        ("id\nCON", "'CON' names no folder on Windows"),
        ("id\nann\nnul.x", "line 3: the id 'nul.x' names no folder on Windows"),
        ("id\nann.", "'ann.' names no folder on Windows"),
    ],
)
def test_an_invalid_roster_raises(text, message, tmp_path):
    file = tmp_path / "roster.csv"
    file.write_text(text)
    with pytest.raises(GradingError, match=message):
        course_folder.roster(file)


@pytest.mark.parametrize("name", ["con", "LPT1", "Aux", "nul", "com0"])
def test_a_name_that_windows_keeps_names_no_assignment(name, tmp_path):
    course = Course(tmp_path, "recsys", "")
    for make in (release.release, release.preview):
        with pytest.raises(GradingError, match=f"'{name}' cannot name an assignment on Windows"):
            make(course, name, ["ranking.e4"], [Student("ann")])
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_a_roster_may_have_other_columns_and_separators(sign, tmp_path):
    file = tmp_path / "roster.csv"
    file.write_text("id,group,first_name\nann,A,Ann\n".replace(",", sign))
    assert course_folder.roster(file) == [Student("ann", "Ann")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_table_that_says_its_encoding_is_read(encoding, tmp_path):
    file = tmp_path / "roster.csv"
    file.write_text("id,first_name\nann,Jürgen\n", encoding)
    assert course_folder.roster(file) == [Student("ann", "Jürgen")]


def test_a_table_in_an_older_encoding_is_refused_with_the_cure(tmp_path):
    file = tmp_path / "roster.csv"
    file.write_text("id,first_name\nbob,Bob\nann,Jürgen\n", "cp1252")
    with pytest.raises(GradingError, match=r"line 3: not UTF-8.*save it as `CSV UTF-8` in Excel"):
        course_folder.roster(file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name here")
def test_no_table_is_read_from_a_pipe_or_a_device(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for file in (tmp_path / "pipe.csv", Path("/dev/zero"), tmp_path):
        with pytest.raises(GradingError, match=r"the roster .* is no file but a folder, a pipe or"):
            course_folder.roster(file)


def test_a_roster_may_be_a_spreadsheet_export(tmp_path):
    file = tmp_path / "roster.csv"
    file.write_text("\ufeffid;last_name;first_name;room\r\nann;Lee;Änn;12\r\n;;;\r\n", "utf-8")
    assert course_folder.roster(file) == [Student("ann", "Änn", "Lee")]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("key = ", "kee = ", "there is no setting `kee`; did you mean `key`"),
        ('key = "', 'key = "x', "line 4: `key` is not the 64 hexadecimal digits"),
        ("seconds = 120", "seconds = -1", "the limit `seconds` is -1; give a whole number"),
        (
            "seconds = 120",
            "hours = 1",
            "there is no limit called `hours`; there are seconds, cell_seconds",
        ),
        ("[limits]", "[limits", "cannot be read"),
    ],
)
def test_invalid_settings_raise(old, new, message, tmp_path):
    course = course_folder.create(tmp_path / "c", "c")
    file = course.root / course_folder.SETTINGS
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(GradingError, match=message):
        course_folder.read(course.root)
    with pytest.raises(GradingError, match=r"contains no course\.toml"):
        course_folder.read(tmp_path)


ODD_NAMES = [
    "![p](http://x/y)",
    "<script>alert(1)</script>",
    "[a](javascript:alert(1))",
    "https://x.org/y",
    "www.x.org",
    "bob@x.org",
    "**bold** _it_ ~~no~~",
    "`code` ``more",
    "$\\href{javascript:alert(1)}{x}$",
    "\\(x\\) \\[y\\]",
    "&lt;b&gt; &amp;",
    "a | b",
    "1. x # y",
    "[^1] [x][y]",
    "<!-- x",
    "x\x1b[31m\u202ey",
    "a\n# b",
]


def show_markdown(source):
    """Return what a page shows of Markdown that may hold HTML and links, as Jupyter's."""
    from markdown_it import MarkdownIt

    return MarkdownIt("gfm-like", {"html": True}).render(source)


class ShownText(HTMLParser):
    """The text of a page, and its elements."""

    def __init__(self, page):
        super().__init__()
        self.text, self.tags = "", set()
        self.feed(page)

    def handle_data(self, data):
        self.text += data

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("of", ["student", "course", "title"])
def test_a_name_or_a_title_is_shown_as_it_is_and_nothing_else(name, of, tmp_path):
    pytest.importorskip("linkify_it", reason="Jupyter makes links of addresses")

    def show(word):
        course = Course(tmp_path, word if of == "course" else "c", KEY)
        (question,) = create_questions(KEY, "ps1", "bob", ["ranking.e4"])
        if of == "title":
            question = replace(question, exercise=replace(question.exercise, title=word))
        student = Student("bob", *([word] if of == "student" else []))
        cells = json.loads(release_notebook.build(course, "ps1", [question], student))["cells"]
        source = cells[of == "title"]["source"]
        return ShownText(show_markdown(source)), show_markdown(source)

    (shown, page), (plain, _) = show(name), show("word")
    page = re.sub(r"\\(x1b|u202e)", "", page)
    assert shown.tags - {"span"} == plain.tags
    assert console.printable(" ".join(name.split())) in shown.text
    # MathJax reads the text of one element at a time.
    assert not re.search(r"[$\\](?!</span>)", page)
