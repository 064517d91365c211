"""Each cell of a chapter may be run once more from the end, and lists cut in a tie are said."""

from __future__ import annotations

import multiprocessing
import re
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest

from tests import kernels
from tests.chapters import again
from tests.chapters.test_evidence import cells_of, sections

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted((ROOT / "chapters").glob("[0-9]*.ipynb"))
every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


@cache
def ran(path: Path) -> dict[str, Any]:
    """Return what a notebook that ran twice, in a process of its own, has to say."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*kernels.IMPORTED, *again.IMPORTED])
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=again.work, args=(path, theirs))
    # One server forks the kernels of notebooks, too.
    kernels.start(process)
    theirs.close()
    try:
        return dict(ours.recv())
    except EOFError:
        raise AssertionError(f"running {path.name} ended before it was done") from None
    finally:
        process.join()


@every_chapter
def test_every_cell_may_be_run_once_more(path):
    differ = [f"cell {n}: {said}\n{source}" for n, source, said in ran(path)["differ"]]
    assert differ == [], "\n\n".join(differ)


TIE = re.compile(r"\b(?:tied?|ties|equal scores|by lot|draw lots|drawn by lot)\b")


@every_chapter
def test_lists_that_are_cut_in_a_tie_are_said(path):
    cut = [(cell, n, of) for cell, n, of in ran(path)["ties"] if n]
    said = [words for part in sections(cells_of(path)) if part.is_real for words in part.sentences]
    assert not cut or any(map(TIE.search, said)), (
        f"{path.name} shows lists that end between equal scores (cell, lists cut so, lists): "
        f"{cut}; say in the text who sorted"
    )


def notebook(tmp_path, *sources):
    path = tmp_path / "chapter.ipynb"
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_what_differs_is_named(tmp_path):
    cells = [
        "import recsys_metrics as rm\nimport numpy as np",
        "n = 1",
        "n + 1",
        "n = 5",
        "rows = []",
        "rows.append(1)\nlen(rows)",
        "print(np.random.default_rng(0).random())",
        "rm.rank_from_scores([[3, 1, 1], [3, 2, 1]], 2)",
        "rows[5]",
    ]
    found = ran(notebook(tmp_path, *cells))
    assert [(number, said) for number, _, said in found["differ"]] == [
        (2, "text/plain 0: '2' became '6'"),
        (5, "text/plain 0: '1' became '2'"),
        (8, "IndexError: list index out of range"),
    ]
    assert found["ties"] == [(7, 1, 2)]


def test_a_list_is_cut_in_a_tie_where_one_left_out_scores_as_much_as_the_last():
    table = np.array([[5.0, 1, 1, 0], [5, 1, 0, 1], [4, 3, 2, 1]])
    lists = np.array([[0, 1], [0, 1], [0, 1]])
    assert again.cut_in_a_tie(table, lists, {}) == (2, 3)
    assert again.cut_in_a_tie(table, lists, {"exclude": [[2], [], []]}) == (1, 3)
    assert again.cut_in_a_tie(table[0], lists[0], {"exclude": [2]}) == (0, 1)
    assert again.cut_in_a_tie(table, np.array([[0, 1, 2, 3]] * 3), {}) == (0, 3)
    assert again.cut_in_a_tie(table[:1], np.array([[0, -1]]), {"exclude": [[1, 2, 3]]}) == (0, 1)
