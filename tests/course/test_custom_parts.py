"""Parts of a course's own: a text that runs, its exercises and its data, as notebook and page."""

from __future__ import annotations

import json
import shutil

import nbformat
import pytest

from recsys_metrics import cli
from recsys_metrics.workbook.course import custom_parts
from recsys_metrics.workbook.grading import custom_exercises
from recsys_metrics.workbook.grading.limits import GradingError


@pytest.fixture(scope="module")
def built_part(tmp_path_factory):
    """The part that a command writes, built."""
    folder = tmp_path_factory.mktemp("parts") / "week"
    custom_parts.write_template(folder)
    ((text, cells),) = custom_parts.build(folder)
    assert (text.name, cells) == ("part.md", 8)
    return folder


def test_the_template_builds_with_numbers_and_card(built_part):
    notebook = nbformat.read(built_part / "part.ipynb", 4)
    nbformat.validate(notebook)
    page = (built_part / "part.html").read_text()
    for shown in ("<h1>Two weeks of clicks</h1>", "0.12", "Exercise · Two weeks", "Not attempted"):
        assert shown in page
    assert "<script" not in page
    assert "img-src data:" in page


def test_a_part_can_be_rebuilt_but_not_over_another_notebook(built_part, tmp_path):
    list(custom_parts.build(built_part))
    folder = tmp_path / "mine"
    custom_parts.write_template(folder)
    (folder / "part.ipynb").write_text(json.dumps({"cells": [], "metadata": {}, "nbformat": 4}))
    with pytest.raises(GradingError, match=r"part\.ipynb is there and was not built"):
        list(custom_parts.build(folder))
    with pytest.raises(GradingError, match="is there; give a folder that is not"):
        custom_parts.write_template(folder)


def test_what_was_edited_after_it_was_built_is_not_replaced(built_part, tmp_path):
    folder = tmp_path / "edited"
    shutil.copytree(built_part, folder)
    file = folder / "part.ipynb"
    notebook = nbformat.read(file, 4)
    notebook.cells[0].source += "\n\nMy own sentence."
    nbformat.write(notebook, file)
    before = file.read_bytes()
    with pytest.raises(GradingError, match=r"part\.ipynb was edited after it was built"):
        list(custom_parts.build(folder))
    assert file.read_bytes() == before
    file.unlink()
    with pytest.raises(GradingError, match=r"part\.html is there and was not built"):
        list(custom_parts.build(folder))


def change(folder, name, old, new):
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("part.md", 'weeks["clicks"] /', "1 / 0 /", "ZeroDivisionError: division by zero"),
        ("mine.yaml", "points: 2", "points: 9", r"mine\.yaml, line 8: .* brings 9 points; give 1"),
        (
            "mine.yaml",
            "points: 2",
            "pints: 2",
            r"mine\.yaml, line 8: .*no field `pints`; did you mean `points`",
        ),
        ("mine.py", '"clicks.csv"', '"none.csv"', "there is no such file next to it"),
        ("mine.py", '"clicks.csv"', '"../clicks.csv"', "name files that lie next to it"),
        ("mine.py", '"clicks.csv"', '"nul.csv"', "no file has this name on Windows"),
        ("mine.py", '"clicks.csv"', '"a?.csv"', r"on Windows, which has no \? in names"),
    ],
)
def test_errors_in_a_part_raise(name, old, new, says, tmp_path):
    folder = tmp_path / "week"
    custom_parts.write_template(folder)
    change(folder, name, old, new)
    with pytest.raises(GradingError, match=says):
        list(custom_parts.build(folder))
    assert not (folder / "part.html").exists()


def test_a_folder_without_a_text_raises(tmp_path):
    (tmp_path / "notes.md").write_text("# Notes")
    with pytest.raises(
        GradingError, match="contains no text with cells; `course own part` writes one"
    ):
        list(custom_parts.build(tmp_path))


def test_exercises_are_referred_to_by_their_names(built_part):
    ex = custom_exercises.namespace(built_part / "mine.yaml")
    assert ex.two_weeks.id == "mine.two_weeks"


def test_new_part_prints_the_next_command(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["course", "own", "part", str(tmp_path / "week")])
    assert not ended.value.code
    assert "course own build" in capsys.readouterr().out
