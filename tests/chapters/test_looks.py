"""What a chapter shows: no picture's words twice, and none told before it is seen."""

from __future__ import annotations

import ast
import html
import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from recsys_metrics.workbook.picture import inlined
from recsys_metrics.workbook.unfold import ARROW
from tests.chapters.test_texts import (
    CHAPTERS,
    PAGES,
    TEXTS,
    build_notebooks,
    minutes,
    pair,
)

# At most this many words stand between two things to look at or to do.
A_STRETCH = 250
# Letters that fit a notebook's cell in a window of 600 pixels.
A_LINE = 40
PICTURE = re.compile(r'<svg role="img" aria-label="([^"]*)"')
TO_DO = re.compile(r'data-explorable=|data-exercise=|<svg role="img"')
# The card of an exercise, and the picture of it in the solutions.
OF_AN_EXERCISE = re.compile(r"ex\.\w+(\.drawn)?")
ANSWERED = re.compile(r"\.(check|hint|look_back)\(")
ROW = re.compile(r"^\|.*$", re.MULTILINE)
FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)


def shown(cell: nbformat.NotebookNode) -> str:
    """Return what a cell puts out as HTML."""
    outputs = cell.get("outputs", [])
    return inlined("\n".join(output.get("data", {}).get("text/html", "") for output in outputs))


def drawn(path: Path) -> list[tuple[nbformat.NotebookNode, str]]:
    """Return the cells that draw a picture of their own, with its words.

    An exercise shows the list it asks about, however often, and a metric's card is the same in each
    part; an explorable has a picture a state.
    """
    found = []
    for cell in pair(path).cells:
        if cell.cell_type == "code" and not OF_AN_EXERCISE.fullmatch(cell.source.strip()):
            page = shown(cell)
            if "data-explorable" not in page and "metric-card" not in page:
                found += [(cell, html.unescape(alt)) for alt in PICTURE.findall(page)]
    return found


def test_no_two_pictures_say_the_same():
    alts = Counter(alt for path in TEXTS for _, alt in drawn(path))
    assert [alt for alt, times in alts.items() if times > 1] == []


def has_a_finding(source: str) -> bool:
    """Whether a cell holds the words of its picture: a title or what stands for the picture."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return any(word.arg in {"title", "alt"} for call in calls for word in call.keywords)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_line_that_stands_for_a_folded_cell_fits_a_narrow_window(path):
    """JupyterLab shows the first line and breaks none."""
    folded = [c for c in pair(path).cells if "hide-input" in c.metadata.get("tags", [])]
    assert [c.source for c in folded if len(c.source.splitlines()[0]) > A_LINE] == []


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_no_finding_is_read_before_its_picture(path):
    told = [cell for cell, _ in drawn(path) if has_a_finding(cell.source)]
    assert [c.source for c in told if "hide-input" not in c.metadata.get("tags", [])] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_what_unfolds_says_so_in_jupyterlab_before_anything_is_run(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("<summary>") == text.count(f"<summary>{ARROW}")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_the_book_folds_a_notebook_folds_too(path):
    for cell in pair(path).cells:
        folded = "hide-input" in cell.metadata.get("tags", [])
        assert cell.metadata.get("jupyter", {}).get("source_hidden", False) == folded


def test_a_notebook_that_folds_otherwise_than_its_text_is_out_of_step(tmp_path):
    path = tmp_path / "part.md"
    front = CHAPTERS[0].read_text(encoding="utf-8").split("\n---\n")[0]
    path.write_text(f"{front}\n---\n\n```{{code-cell}} ipython3\n:tags: [hide-input]\n\n1\n```\n")
    notebook = build_notebooks.read(path)
    nbformat.write(notebook, path.with_suffix(".ipynb"))
    assert build_notebooks.in_step(path)
    del notebook.cells[0].metadata["jupyter"]
    nbformat.write(notebook, path.with_suffix(".ipynb"))
    assert not build_notebooks.in_step(path)


def stretches(notebook: nbformat.NotebookNode) -> list[tuple[int, str]]:
    """Return how many words a reader meets before each next thing, and the words they begin with.

    A thing is a picture, an explorable, an exercise or its check, a question to open; what is
    folded away counts for nothing, and neither do tables and code.
    """
    found, words = [], [""]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            first, *rest = FOLDED.split(ROW.sub("", cell.source))
            words[-1] += f"\n{first}"
            words += rest
        elif TO_DO.search(shown(cell)) or ANSWERED.search(cell.source):
            words.append("")
    for text in words:
        markdown = nbformat.v4.new_markdown_cell(text)
        plain = minutes.prose(nbformat.v4.new_notebook(cells=[markdown])).split()
        found.append((len(plain), " ".join(plain[:8])))
    return found


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_there_is_soon_something_to_look_at_or_to_do(path):
    longest, begins = max(stretches(pair(path)))
    assert longest <= A_STRETCH, f"cut or break what begins: {begins}"


def test_words_are_counted_to_the_next_thing():
    picture = '<svg role="img" aria-label="A line that rises.">'
    output = nbformat.v4.new_output("display_data", {"text/html": picture})
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("# One two\n\nthree `code` [four](five.md)"),
            nbformat.v4.new_code_cell("1 + 1"),
            nbformat.v4.new_markdown_cell("five"),
            nbformat.v4.new_code_cell("draw()", outputs=[output]),
            nbformat.v4.new_markdown_cell("six\n<details>\nfolded away\n</details>\nseven eight"),
            nbformat.v4.new_code_cell("ex.one.check(1)"),
        ]
    )
    # The mark of a heading counts as a word, here as in the minutes.
    assert [count for count, _ in stretches(notebook)] == [6, 1, 2, 0]
