"""The commands: what goes wrong is said in a sentence, and nothing is begun."""

from __future__ import annotations

import pytest


@pytest.fixture
def course(tmp_path):
    pytest.importorskip("nbgrader", reason="the extra `course` is not installed")
    from recsys_metrics.workbook.course import course_folder

    return course_folder.create(tmp_path / "recsys", "recsys").root


def test_help_lists_the_commands_in_order(run_cli):
    told = run_cli("course", "--help").stdout
    places = [told.index(f" {name} ") for name in ("new", "release", "collect", "grade", "export")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["release"], "release: give the assignment a name: --name ps1"),
        (["release", "nonsense"], "release: there is no chapter 'nonsense'; there are 00_three"),
        (["release", "02_ranking"], "roster.csv lists no students; write one a line"),
        (["release", "02_ranking", "--students", "no.csv"], "the roster no.csv cannot be read"),
        (["release", "--exercises", "ranking.e99", "--name", "a"], "no exercise has the id"),
        (["release", "02_ranking", "--name", "../a"], "'../a' cannot name an assignment"),
        (["collect", "."], "collect: name the assignment; there are: none yet"),
        (["grade"], "grade: name the assignment; there are: none yet"),
        (["grade", "ps1"], "grade: no assignment 'ps1' was released; there are: none yet"),
        (["export", "grades.csv"], "export: nothing was released yet, so there are no grades"),
        (["new", "."], "new: . is not empty, and nothing is overwritten"),
        (["grade", "--course", "/nowhere"], "grade: /nowhere holds no course.toml"),
    ],
)
def test_failing_commands_print_one_sentence(arguments, says, course, run_cli):
    if "../a" in arguments:
        (course / "roster.csv").write_text("id\nann\n")
    before = sorted(course.rglob("*"))
    done = run_cli("course", *arguments, cwd=course)
    assert done.returncode == 1
    assert says in done.stderr
    assert done.stderr.startswith("recsys-workbook course ")
    assert done.stderr.count("\n") == 1
    assert sorted(course.rglob("*")) == before


def test_a_released_notebook_runs_unchanged(desk):
    import nbformat
    from nbclient import NotebookClient

    from recsys_metrics.workbook.common.picture import inline_pictures
    from recsys_metrics.workbook.grading.questions import list_exercise_ids

    at = desk(["ann"], [*list_exercise_ids(["ranking"]), "calibration.read_diagram"])
    book = nbformat.from_dict(at.opened("ann"))
    NotebookClient(book, timeout=60).execute()
    drawn = [o for c in book.cells if c.cell_type == "code" for o in c.outputs]
    assert len(drawn) >= 5
    assert all("<svg" in inline_pictures(output.data["text/html"]) for output in drawn)


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        (
            "course.toml",
            "x = " + "[" * 5_000 + "]" * 5_000,
            "cannot be read: it is nested too deep",
        ),
        ("assignment.json", "[" * 100_000, "is damaged (it is nested too deeply to be read)"),
    ],
)
def test_a_file_that_is_nested_without_end_is_refused(file, content, says, desk, run_cli):
    at = desk(["ann"], ["ranking.e4"])
    place = at.course.root / "course.toml"
    if file != place.name:
        place = at.course.manifest(at.assignment.name)
    place.write_text(content)
    done = run_cli("course", "grade", at.assignment.name, cwd=at.course.root)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert says in done.stderr
