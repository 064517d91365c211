"""`dev/tools/style.py` warns of what leaves the project's style, and fails nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from recsys_metrics.workbook.exercises import PARTS
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.numbers import Numbers

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "dev" / "tools"))

import style  # noqa: E402

PICTURE = '<svg role="img" aria-label="A line that rises.">'


def drawing(source, tags=()):
    output = new_output("display_data", {"text/html": PICTURE})
    return new_code_cell(source, outputs=[output], metadata={"tags": list(tags)})


@pytest.fixture
def find_warnings(tmp_path):
    """Return the warnings of a rule about a page with some cells."""

    def run(rule, *cells):
        path = tmp_path / "page.md"
        path.write_text("the text half of the pair", encoding="utf-8")
        nbformat.write(new_notebook(cells=list(cells)), path.with_suffix(".ipynb"))
        return list(rule(path))

    return run


GOOD = new_markdown_cell("# A page\n\nIt says what it is for in as many words as it takes.")
FIRST = new_code_cell("%precision 3\nimport numpy as np")
CASES = {
    style.fillers: (new_markdown_cell("This is simply the mean!"), 2),
    style.steps_of_headings: (new_markdown_cell("#### Four levels down"), 1),
    style.folded_lines: (drawing("x" * 41, tags=["hide-input"]), 1),
    style.sizes_of_cells: (new_code_cell("\n".join("abcdefghij")), 1),
    style.findings_before_pictures: (drawing("draw(title='It rises')"), 1),
    style.something_to_do: (new_markdown_cell("word " * 251), 1),
}


@pytest.mark.parametrize("rule", CASES, ids=lambda rule: rule.__name__)
def test_style_violations_are_reported(find_warnings, rule):
    planted, times = CASES[rule]
    assert find_warnings(rule, GOOD, FIRST) == []
    assert len(find_warnings(rule, GOOD, planted)) == times


def test_reference_pages_need_an_introduction(find_warnings):
    rule = style.openings_of_references
    good = new_markdown_cell("# A page\n\n" + "word " * 15)
    assert find_warnings(rule, good, FIRST) == []
    long = new_code_cell("import numpy\n" + "\n" * 12 + "x = " + "1 + " * 20 + "1")
    assert len(find_warnings(rule, new_markdown_cell("# A page"), new_code_cell("1"), long)) == 5


def test_outdated_and_excessive_minutes_are_reported(find_warnings, monkeypatch):
    monkeypatch.setattr(style.minutes, "of_part", lambda stem: 20)
    page = new_markdown_cell("# A part\n\n**About 20 minutes.**")
    assert find_warnings(style.minutes_of_a_part, page) == []
    monkeypatch.setattr(style.minutes, "of_part", lambda stem: 80)
    assert len(find_warnings(style.minutes_of_a_part, page)) == 2


def test_uneven_subjects_are_reported(monkeypatch):
    assert list(style.shape_of_subjects()) == []
    # Without its other parts a subject has too few recall questions, and lacks sections.
    monkeypatch.setattr(style.minutes, "subjects", lambda: [["01_rating", "02_ranking"]])
    assert any("does not lead to 02_ranking" in one for one in style.shape_of_subjects())
    monkeypatch.setattr(style, "headings", lambda path: ["Why", "How"])
    found = list(style.shape_of_subjects())
    assert any("does not open with 'Predict first'" in one for one in found)
    assert any("no section 'References'" in one for one in found)


def test_pictures_with_equal_alt_texts_are_reported(tmp_path, monkeypatch):
    cells = [drawing("one"), drawing("another")]
    nbformat.write(new_notebook(cells=cells), tmp_path / "page.ipynb")
    monkeypatch.setattr(style.build_notebooks, "texts", lambda words: [tmp_path / "page.md"])
    assert list(style.pictures_that_say_the_same()) == ["2 pictures say: A line that rises."]


def test_long_cards_are_reported(monkeypatch):
    card = SimpleNamespace(title="n" * 23, words="hits / K", call="recall()", question="How many")
    monkeypatch.setattr(style, "CARDS", {"long": card})
    assert len(list(style.rows_of_cards())) == 2


def test_vague_names_are_reported(monkeypatch):
    def count(said):
        return said

    module = SimpleNamespace(__name__="recsys_metrics.x", __all__=["count"], count=count)
    monkeypatch.setattr(style.public, "modules", lambda: [module])
    assert list(style.vague_names()) == ["x.count: 'said' says nothing of what it is"]


def test_words_are_counted_between_interruptions():
    notebook = new_notebook(
        cells=[
            new_markdown_cell("# One two\n\nthree `code` [four](five.md)"),
            new_code_cell("1 + 1"),
            new_markdown_cell("five"),
            drawing("draw()"),
            new_markdown_cell("six\n<details>\nfolded away\n</details>\nseven eight"),
            new_code_cell("ex.one.check(1)"),
        ]
    )
    # The mark of a heading counts as a word, here as in the minutes.
    assert [count for count, _ in style.stretches(notebook)] == [6, 1, 2, 0]


def test_missing_steps_between_exercises_are_detected():
    whole = PARTS["02_ranking"]
    assert style.missing_steps(whole) == []
    for kind, says in (
        (lambda one: isinstance(one, Function) and one.template, ["a line to complete"]),
        (lambda one: isinstance(one, Numbers), ["numbers"]),
        (style.is_alone, ["something to do alone"]),
    ):
        assert style.missing_steps(tuple(one for one in whole if not kind(one))) == says
    after = "something to do alone after the line to complete"
    assert style.missing_steps(whole[::-1]) == [after]


def test_warnings_have_locations_and_do_not_fail(monkeypatch, capsys):
    monkeypatch.setattr(style, "fillers", None)
    monkeypatch.setattr(style, "ON_EVERY_PAGE", (lambda path: ["planted"],))
    assert style.main() == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert "warning: chapters/02_ranking.md: planted" in lines
    assert last == f"style: {len(lines)} warnings"
