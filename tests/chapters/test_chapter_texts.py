"""Chapters and solutions as documents: in step with their pairs, readable, traceable."""

from __future__ import annotations

import itertools
import math
import re
import sys
from pathlib import Path

import jupytext
import nbformat
import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev" / "tools"))

import build_notebooks  # noqa: E402
import minutes  # noqa: E402
import style  # noqa: E402

from recsys_metrics.workbook.common.interactive import VIEW  # noqa: E402
from recsys_metrics.workbook.common.picture import inline_pictures  # noqa: E402
from recsys_metrics.workbook.exercises import PARTS  # noqa: E402
from recsys_metrics.workbook.exercises import SUBJECTS as SUBJECTS_OF  # noqa: E402

TEXTS = build_notebooks.texts([])
PAGES = [path for path in TEXTS if path.parent.name == "chapters"]
# A part of a chapter has the number of its subject; the pages for reference after them have none.
CHAPTERS = [path for path in PAGES if path.stem[0].isdigit()]
IDS = [f"{path.parent.name}/{path.stem}" for path in TEXTS]

SUBJECTS = minutes.subjects()
pair = style.pair


def prose(path: Path) -> str:
    return minutes.prose(pair(path))


def put_out(cell: nbformat.NotebookNode) -> str:
    """Return everything a cell put out, as text."""
    parts = []
    for output in cell.get("outputs", []):
        parts.append(output.get("text", ""))
        parts += [inline_pictures(str(value)) for value in output.get("data", {}).values()]
    return "\n".join(parts)


def outputs(path: Path) -> str:
    """Return everything the cells of a notebook put out, as text."""
    return "\n".join(map(put_out, pair(path).cells))


def test_there_are_chapters_and_solutions():
    assert {path.parent.name for path in TEXTS} == {"chapters", "solutions"}


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_text_and_notebook_are_in_sync(path):
    assert build_notebooks.in_step(path), "run make notebooks"
    valid = pair(path)
    nbformat.validate(valid)
    ids = [cell["id"] for cell in valid.cells]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_outputs_are_saved_without_errors_and_widgets(path):
    cells = [cell for cell in pair(path).cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells if cell.source.strip())
    kinds = {output.output_type for cell in cells for output in cell.outputs}
    assert "error" not in kinds
    assert VIEW not in outputs(path)
    assert "widgets" not in pair(path).metadata


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_arrays_are_shown_to_three_decimals(path):
    # The magic line reaches numpy only where it stands after the import.
    assert re.findall(r"array\([^)]*\d\.\d{4,}[^)]*\)", outputs(path)) == []


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_numbers_are_shown_without_the_name_of_their_type(path):
    shown = re.findall(r"\bnp\.(?:(?:u?int|float|datetime)\d+\(|(?:True|False)_)", outputs(path))
    assert shown == []


def test_the_contents_list_every_part_with_its_exercises():
    stems = [stem for stems in SUBJECTS for stem in stems]
    assert sorted(stems) == sorted(path.stem for path in CHAPTERS)
    assert set(PARTS) == set(stems)
    for number, (first, *others) in enumerate(SUBJECTS):
        assert first.startswith(f"{number:02}_")
        assert all(other.startswith(f"{first}_") for other in others)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_part_shows_its_exercises_in_their_order(path):
    code = [cell.source for cell in pair(path).cells if cell.cell_type == "code"]
    shown = [found[1] for source in code if (found := re.fullmatch(r"ex\.(\w+)", source.strip()))]
    assert shown == [exercise.python_name for exercise in PARTS[path.stem]]


def test_minutes_are_counted_from_words_cells_and_exercises(tmp_path, monkeypatch):
    cells = [
        nbformat.v4.new_markdown_cell("# A part\n" + "word " * 197 + "`code here` $x y$"),
        *(nbformat.v4.new_code_cell("1 + 1") for _ in range(10)),
        nbformat.v4.new_code_cell('card("ndcg")'),
    ]
    (tmp_path / "chapters").mkdir()
    whole = nbformat.v4.new_notebook(cells=cells)
    jupytext.write(whole, tmp_path / "chapters" / "a_part.md", fmt="md:myst")
    monkeypatch.setattr(minutes, "ROOT", tmp_path)
    three = PARTS["00_three_questions"][:3]
    monkeypatch.setattr(minutes, "PARTS", {**minutes.PARTS, "a_part": three})
    assert minutes.of_part("a_part") == 1 + 3 + sum(exercise.minutes for exercise in three)


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


# One at the end of a sentence is followed by a full stop; a section of a book has a number, too.
DECIMAL = re.compile(r"(?<![\w.§])\d+\.\d+(?!\w|\.\d)")


def numbers(text: str) -> set[float]:
    """Return all numbers of a text."""
    return {float(found.replace(",", "")) for found in re.findall(r"\d[\d,]*(?:\.\d+)?", text)}


def without_coordinates(shown: str) -> str:
    """Return what is read or heard of an output: its text, and the sentences of its pictures."""
    sentences = re.findall(r'(?:alt|aria-label)="([^"]*)"', shown)
    return " ".join([re.sub(r"<style.*?</style>|<[^>]*>", " ", shown, flags=re.DOTALL), *sentences])


def decimals_that_no_cell_has(notebook: nbformat.NotebookNode, known: str = "") -> list[str]:
    """Return the decimals of the prose that no cell up to the end of their section has.

    A cell has the numbers of its code and of its output, which may have more digits.
    """
    sections: list[list[nbformat.NotebookNode]] = [[]]
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and re.search(r"^#{2,3} ", cell.source, re.MULTILINE):
            sections.append([])
        sections[-1].append(cell)
    seen, missing = numbers(known), []
    for cells in sections:
        for cell in cells:
            seen |= numbers(cell.source if cell.cell_type == "code" else "")
            seen |= numbers(without_coordinates(put_out(cell)))
        for typed in DECIMAL.findall(minutes.prose(nbformat.v4.new_notebook(cells=cells))):
            places = len(typed.partition(".")[2])
            if not any(math.isclose(round(number, places), float(typed)) for number in seen):
                missing.append(typed)
    return missing


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_every_decimal_in_the_prose_is_one_of_a_cell(path):
    # Nobody types the solutions: the numbers of a question are written in from its inputs.
    facts = SUBJECTS_OF[path.stem[3:]] if path.parent.name == "solutions" else ()
    given = " ".join(f"{dict(e.inputs)} {e.statement} {getattr(e, 'options', '')}" for e in facts)
    assert decimals_that_no_cell_has(pair(path), given) == []


def test_a_decimal_that_no_cell_of_the_section_prints_is_detected():
    def found(text):
        cells = [
            nbformat.v4.new_markdown_cell(f"## One\n\n{text}"),
            nbformat.v4.new_code_cell("p = [0.8, 0.2]"),
            nbformat.v4.new_markdown_cell("## Two\n\nIt was 0.8."),
            nbformat.v4.new_code_cell("0.25 + 1 / 3"),
        ]
        return decimals_that_no_cell_has(nbformat.v4.new_notebook(cells=cells))

    assert found("Shown with 0.8 and 0.2.") == []
    assert found("Shown with 0.8 and 0.25.") == ["0.25"]
    assert found("Of 0.81, see §12.4") == ["0.81"]


LONGEST_PARAGRAPH = 150  # words
UNREAD = re.compile(r"\A---\n.*?\n---\n|<!--.*?-->|^\$\$.*?^\$\$", flags=re.DOTALL | re.MULTILINE)
TEXT_PAGES = sorted((ROOT / "chapters").glob("*.md"))


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a page in Markdown, those of its lists too, in plain words."""
    text = re.sub(
        r"\A---\n.*?\n---\n|<!--.*?-->|^\$\$.*?^\$\$", "", text, flags=re.DOTALL | re.MULTILINE
    )
    tokens = MarkdownIt().enable("table").parse(text)
    inline = [
        token for opened, token in itertools.pairwise(tokens) if opened.type == "paragraph_open"
    ]
    return [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", token.content) for token in inline]


@pytest.mark.parametrize(
    "path", sorted((ROOT / "chapters").glob("*.md")), ids=lambda path: path.stem
)
def test_no_paragraph_is_a_wall_of_words(path):
    found = paragraphs(path.read_text(encoding="utf-8"))
    long = {one[:60]: count for one in found if (count := len(one.split())) > LONGEST_PARAGRAPH}
    assert long == {}


def test_a_wall_of_words_is_seen_in_a_list_and_below_code():
    wall = "word " * (LONGEST_PARAGRAPH + 1)
    page = f"A [b c](d.md).\n\n```python\n{wall}\n```\n\n- {wall}\n\n$$\n{wall}\n$$\n"
    assert [len(one.split()) for one in paragraphs(page)] == [3, LONGEST_PARAGRAPH + 1]
