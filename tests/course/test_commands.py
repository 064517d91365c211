"""The commands: what goes wrong is said in a sentence, and nothing is begun."""

from __future__ import annotations

import re
import shlex

import pytest

GROUPS = ("words", "class", "own", "kit", "capstone")


@pytest.fixture
def course(tmp_path):
    pytest.importorskip("nbgrader", reason="the extra `course` is not installed")
    from recsys_metrics.workbook.course import course_folder

    return course_folder.create(tmp_path / "recsys", "recsys").root


def listed(run_cli, *group):
    """Return what the help of a group lists: for each panel, its entries with their examples."""
    shown = run_cli("course", *group, "--help", COLUMNS="200").stdout
    panels, entry = {}, ""
    for line in shown.splitlines():
        if heading := re.match(r"╭─ (.+?) ─", line):
            entries = panels.setdefault(heading[1], {})
        elif row := re.fullmatch(r"│ ([\w-]*) +(\S.*?) *│", line):
            # The sentence has the entry's name before it, and the example is below.
            entry = row[1] or entry
            entries[entry] = row[2]
    return {name: rows for name, rows in panels.items() if name != "Options"}


def commands_of(run_cli):
    """Return each command as it is typed, with its example."""
    found = {}
    for rows in listed(run_cli).values():
        for name, example in rows.items():
            below = listed(run_cli, name) if name in GROUPS else {}
            found |= {f"{name} {one}": words for one, words in below.get("Commands", {}).items()}
            found |= {} if below else {name: example}
    return found


def test_help_shows_few_entries_in_four_groups_with_examples(run_cli):
    panels = listed(run_cli)
    assert list(panels) == ["Set up", "Run an assignment", "Give back", "Prepare material"]
    assert sum(map(len, panels.values())) <= 14
    for rows in panels.values():
        for name, example in rows.items():
            assert example.startswith(f"{name} ")
    commands = commands_of(run_cli)
    assert len(commands) >= 20
    assert all(example.startswith(f"{name} ") for name, example in commands.items())


def test_a_command_about_an_assignment_names_it_first(run_cli):
    # What stands for none: a course, a roster, all grades, material.
    others = {"new", "roster", "export"}
    about = {
        name
        for name in commands_of(run_cli)
        if name not in others and name.partition(" ")[0] not in ("own", "kit")
    }
    about -= {"capstone read"}  # a student's, about their own file
    about -= {"class inventory", "class gain"}  # about the whole course
    assert len(about) >= 13
    for name in about:
        usage = run_cli("course", *name.split(), "--help", COLUMNS="200").stdout
        first = re.search(r"\[OPTIONS\] \{?(\w+)", usage)[1]
        assert first == ("CAPSTONE" if name.startswith("capstone") else "ASSIGNMENT"), name
        assert "--assignment" not in usage


def test_examples_can_be_parsed(run_cli, tmp_path):
    # They fail for want of a course, and not for how they are written.
    for name, example in commands_of(run_cli).items():
        if name in ("new", "own exercise", "own part", "class inventory") or name.startswith("kit"):
            continue
        done = run_cli("course", *shlex.split(example), cwd=tmp_path)
        assert (done.returncode, "Usage:" in done.stderr) == (1, False), example


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["collect", "ps1"], "Missing argument 'FOLDER_OR_ZIP'"),
        (["grade"], "Missing argument 'ASSIGNMENT'"),
        (["words", "agree", "ps1", "w.csv", "more"], "Got unexpected extra argument"),
        (["fill", "ps1", "--nope"], "No such option: --nope"),
    ],
)
def test_errors_of_usage_end_in_the_example(arguments, says, run_cli):
    done = run_cli("course", *arguments, COLUMNS="200")
    told = " ".join(done.stderr.replace("│", " ").split())
    assert done.returncode == 2
    assert says in told
    name = " ".join(arguments[: 2 if arguments[0] == "words" else 1])
    assert f"For example: recsys-workbook course {name} " in told


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["release", "a"], "release: say what a asks: a chapter, as in `recsys-workbook course"),
        (["release", "a", "nonsense"], "release: there is no chapter 'nonsense'; there are 00_"),
        (["release", "a", "02_ranking"], "roster.csv lists no students; write one a line"),
        (["release", "a", "02_ranking", "--students", "no.csv"], "the roster no.csv cannot be"),
        (["release", "a", "--exercises", "ranking.e99"], "no exercise has the id"),
        (["release", "../a", "02_ranking"], "'../a' cannot name an assignment"),
        (["capstone", "new", "aux"], "'aux' cannot name a capstone on Windows"),
        (
            ["kit", "exam", "nul", "--seed", "s"],
            "nul cannot name an exam on Windows, which keeps the name for a device; give another",
        ),
        (["own", "exercise", "prn.yaml"], "prn.yaml: no file has this name on Windows, which"),
        (["collect", "a", "."], "collect: no assignment 'a' was released; there is none yet"),
        (["grade", "ps1"], "`recsys-workbook course release ps1 02_ranking` makes one"),
        (
            ["export", "grades.xlsx"],
            "export: grades.xlsx would not be what its name says: the command writes a table as "
            "CSV. Name it .csv: grades.csv",
        ),
        (["export", "grades.parquet"], "Name it .csv: grades.csv"),
        (["class", "inventory", "b.csv"], "writes a page in HTML. Name it .html: b.html"),
        (["kit", "notes", "notes.docx"], "writes a page in HTML. Name it .html: notes.html"),
        (["kit", "syllabus", "s.docx"], "writes Markdown. Name it .md: s.md"),
        (["export", "grades.csv"], "export: nothing was released yet, so there are no grades"),
        (
            ["class", "statistics", "a", "s.html"],
            "class statistics: no assignment 'a' was released",
        ),
        (["class", "propose-mistake", "a", "ranking.e4"], "class propose-mistake: no assignment"),
        (
            ["class", "gain", "g.html", "--before", "no", "--after", "."],
            "class gain: no is no folder; name the one with the files of before",
        ),
        (["new", "."], "new: . is not empty, and nothing is overwritten"),
        (["grade", "a", "--course", "/nowhere"], "grade: /nowhere contains no course.toml"),
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
