"""What folds in a page folds in its notebook, too, and can be seen to unfold."""

from __future__ import annotations

import nbformat
import pytest

from recsys_metrics.workbook.common.disclosure import ARROW
from tests.chapters.test_chapter_texts import (
    CHAPTERS,
    PAGES,
    TEXTS,
    build_notebooks,
    pair,
)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_summaries_have_an_arrow_in_the_text(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("<summary>") == text.count(f"<summary>{ARROW}")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_cells_folded_in_the_book_are_folded_in_the_notebook(path):
    for cell in pair(path).cells:
        folded = "hide-input" in cell.metadata.get("tags", [])
        assert cell.metadata.get("jupyter", {}).get("source_hidden", False) == folded


def test_a_notebook_with_other_folded_cells_is_out_of_sync(tmp_path):
    path = tmp_path / "part.md"
    front = CHAPTERS[0].read_text(encoding="utf-8").split("\n---\n")[0]
    path.write_text(f"{front}\n---\n\n```{{code-cell}} ipython3\n:tags: [hide-input]\n\n1\n```\n")
    notebook = build_notebooks.read(path)
    nbformat.write(notebook, path.with_suffix(".ipynb"))
    assert build_notebooks.in_step(path)
    del notebook.cells[0].metadata["jupyter"]
    nbformat.write(notebook, path.with_suffix(".ipynb"))
    assert not build_notebooks.in_step(path)
