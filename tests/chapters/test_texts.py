"""Chapters and solutions as documents: in step with their pairs, readable, traceable."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import build_notebooks  # noqa: E402

from recsys_metrics.workbook.exercises import SUBJECTS  # noqa: E402

TEXTS = build_notebooks.texts([])
PAGES = [path for path in TEXTS if path.parent.name == "chapters"]
# A chapter has a number and the anatomy of one; the pages after the chapters are looked things
# up in, and have neither.
CHAPTERS = [path for path in PAGES if path.stem[0].isdigit()]
BACK_MATTER = [path for path in PAGES if path not in CHAPTERS]
IDS = [f"{path.parent.name}/{path.stem}" for path in TEXTS]

# Somebody who reads every word, runs and looks at every cell, and answers every exercise.
WORDS_A_MINUTE = 200
MINUTES_A_CELL = 0.3
# Ends with an evaluation of the reader's own, which takes as long as it takes.
OPEN_END = {"07_choosing"}


def pair(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path.with_suffix(".ipynb"), as_version=4)


def prose(path: Path) -> str:
    """Return the markdown without code spans, links and formulas."""
    text = "\n".join(c.source for c in pair(path).cells if c.cell_type == "markdown")
    text = re.sub(r"```.*?```|`[^`]*`", " ", text, flags=re.DOTALL)
    return re.sub(r"\]\([^)]*\)|https?://\S+|\$[^$]*\$", " ", text)


def outputs(path: Path) -> str:
    """Return everything the cells of a notebook put out, as text."""
    parts = []
    for cell in pair(path).cells:
        for output in cell.get("outputs", []):
            parts.append(output.get("text", ""))
            parts += [str(value) for value in output.get("data", {}).values()]
    return "\n".join(parts)


def test_there_are_chapters_and_solutions():
    assert {path.parent.name for path in TEXTS} == {"chapters", "solutions"}


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_text_and_notebook_are_in_step(path):
    assert build_notebooks.in_step(path), "run make notebooks"
    valid = pair(path)
    nbformat.validate(valid)
    ids = [cell["id"] for cell in valid.cells]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_outputs_are_saved_and_hold_no_error_and_no_widget(path):
    cells = [cell for cell in pair(path).cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells if cell.source.strip())
    kinds = {output.output_type for cell in cells for output in cell.outputs}
    assert "error" not in kinds
    assert build_notebooks.WIDGET_VIEW not in outputs(path)
    assert "widgets" not in pair(path).metadata


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_arrays_are_shown_to_three_decimals(path):
    # The magic line reaches numpy only where it stands after the import.
    assert re.findall(r"array\([^)]*\d\.\d{4,}[^)]*\)", outputs(path)) == []


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_numbers_are_shown_without_the_name_of_their_type(path):
    shown = re.findall(r"\bnp\.(?:(?:u?int|float|datetime)\d+\(|(?:True|False)_)", outputs(path))
    assert shown == []


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_takes_about_as_long_as_it_says(path):
    cells = pair(path).cells
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    subject = re.search(r"workbook\.exercises import (\w+) as ex", "\n".join(code))[1]
    minutes = {exercise.name: exercise.minutes for exercise in SUBJECTS[subject]}
    asked = [name for source in code if (name := source.removeprefix("ex.")) in minutes]
    said = int(re.search(r"About (\d+) minutes", cells[0].source)[1])
    takes = sum(minutes[name] for name in asked)
    takes += len(prose(path).split()) / WORDS_A_MINUTE + len(code) * MINUTES_A_CELL
    assert abs(said - takes) <= (0.15 if path.stem not in OPEN_END else 1) * takes


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_every_picture_states_its_finding(path):
    pictures = re.findall(r'<svg role="img" aria-label="([^"]*)"', outputs(path))
    for alt in pictures:
        assert len(alt) >= 20
        assert not re.search(r"\.(png|svg|jpe?g)$", alt)
    for alt in re.findall(r"!\[([^\]]*)\]", prose(path)):
        assert len(alt) >= 20
    if path in CHAPTERS:
        assert pictures


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_every_decimal_in_the_prose_was_put_out_by_a_cell(path):
    shown = outputs(path)
    typed = re.findall(r"(?<![\w.])\d+\.\d+(?![\w.]|\.\d)", prose(path))
    assert [number for number in typed if number not in shown] == []


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_cells_and_paragraphs_stay_small(path):
    cells = pair(path).cells
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    # Calls that are one argument a line may be longer; what counts is what must be understood.
    lines = sorted(len([line for line in source.splitlines() if line.strip()]) for source in code)
    assert lines[len(lines) // 2] <= 4
    assert lines[int(len(lines) * 0.9)] <= 9
    words = sorted(len(cell.source.split()) for cell in cells if cell.cell_type == "markdown")
    assert words[len(words) // 2] <= 60


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_headings_go_down_one_step_at_a_time(path):
    markdown = "\n".join(c.source for c in pair(path).cells if c.cell_type == "markdown")
    levels = [len(marks) for marks in re.findall(r"^(#+) ", markdown, flags=re.MULTILINE)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(deeper <= level + 1 for level, deeper in itertools.pairwise(levels))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_its_parts(path):
    markdown = "\n".join(c.source for c in pair(path).cells if c.cell_type == "markdown")
    headings = re.findall(r"^## (.*)$", markdown, flags=re.MULTILINE)
    for part in ("Predict first", "What goes wrong", "Summary", "Recall", "References"):
        assert part in headings
    recall = markdown.split("\n## Recall\n")[1].split("\n## References")[0]
    assert recall.count("<summary>") == 5
    assert "minutes" in markdown.split("## ")[0]


@pytest.mark.parametrize("path", BACK_MATTER, ids=lambda path: path.stem)
def test_back_matter_opens_with_what_it_is_for(path):
    first, *rest = pair(path).cells
    title, _, opening = first.source.partition("\n")
    assert title.startswith("# ")
    assert len(opening.split()) >= 15
    # Imports come once, at the top, so that a reader who lands here can run the page.
    code = [cell.source for cell in rest if cell.cell_type == "code"]
    assert "%precision 3" in code[0].splitlines()[:2]
    assert not [source for source in code[1:] if re.search(r"^(import|from) ", source, re.M)]
    assert [line for source in code for line in source.splitlines() if len(line) > 78] == []
    # Its cells are tables more often than steps, so a cell may be as long as a table; what makes
    # the examples of a page is folded away.
    folded = [cell.source for cell in rest if "hide-input" in cell.metadata.get("tags", [])]
    assert max(len(source.splitlines()) for source in code if source not in folded) <= 12


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_words_that_no_page_uses(path):
    text = prose(path)
    assert not re.search(r"\b(simply|obviously|trivially|of course)\b", text, re.IGNORECASE)
    assert "!" not in re.sub(r"<!--.*?-->|!\[", "", text)
