"""What differs when a cell is run once more is named, and so are lists cut in a tie.

The chapters' own cells are run so where nbval has run them: see `tests/notebooks.py`.
"""

from __future__ import annotations

import contextlib
import functools

import nbformat
import numpy as np
import pytest

pytest.importorskip("nbval", reason="nbval is not installed")
import nbval.kernel
from nbval.plugin import NbCellError

from recsys_metrics.workbook.experiments import recommendation_cache
from tests import kernels
from tests.chapters import rerun
from tests.notebooks import AT_THE_END, ROOT, Notebook


@pytest.fixture
def opened(request, tmp_path, monkeypatch):
    """Open a notebook of some cells as nbval does."""
    manager = functools.partial(kernels.manager, tmp_path)
    monkeypatch.setattr(nbval.kernel, "KernelManager", manager)
    monkeypatch.setenv(recommendation_cache.VARIABLE, str(tmp_path / "lists"))
    with contextlib.ExitStack() as at_the_end:

        def open_it(*sources):
            path = notebook(tmp_path, *sources)
            collector = Notebook.from_parent(request.session, path=path)
            list(collector.collect())
            at_the_end.callback(collector.teardown)
            collector.setup()
            return collector

        yield open_it


def run_notebook(collector):
    for cell in collector.cells:
        with contextlib.suppress(NbCellError):
            cell.runtest()
    return collector


def test_every_chapter_has_the_rerun_tests(request):
    path = ROOT / "chapters" / "02_ranking.ipynb"
    items = list(Notebook.from_parent(request.session, path=path).collect())
    assert [item.name for item in items[-2:]] == list(AT_THE_END)


def notebook(tmp_path, *sources):
    path = tmp_path / "chapter.ipynb"
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_a_cell_that_differs_when_rerun_is_named(opened):
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
    found = run_notebook(opened(*cells))
    assert [(number, said) for number, _, said in found.differences()] == [
        (2, "text/plain 0: '2' became '6'"),
        (5, "text/plain 0: '1' became '2'"),
        (8, "IndexError: list index out of range"),
    ]
    assert found.cut_in_a_tie() == [(cells[7], 1, 2)]
    for test, words in zip(AT_THE_END.values(), ("'2' became '6'", "say in the text"), strict=True):
        with pytest.raises(AssertionError, match=words):
            test(found)


KEPT = """
import numpy as np
from recsys_metrics.baselines import Popularity
from recsys_metrics.interactions import Interactions
from recsys_metrics.workbook.experiments.recommendation_cache import recommended_lists
train = Interactions(user=[0, 1, 1, 2], item=[0, 0, 1, 2], n_users=3, n_items=3)
recommended_lists(Popularity(), train, [0, 2], history=train, seen=train, k=1)
""".strip()


def test_cached_lists_record_ties_at_the_cutoff(opened, tmp_path):
    assert run_notebook(opened(KEPT)).cut_in_a_tie() == [(KEPT, 1, 2)]
    (beside,) = (tmp_path / "lists").glob("*.cut")
    beside.write_text("[5, 7]")
    assert run_notebook(opened(KEPT)).cut_in_a_tie() == [(KEPT, 5, 7)]
    # Lists that nobody watched when they were kept are ranked again.
    beside.unlink()
    assert run_notebook(opened(KEPT)).cut_in_a_tie() == [(KEPT, 1, 2)]


def test_a_tie_at_the_cutoff_is_detected():
    table = np.array([[5.0, 1, 1, 0], [5, 1, 0, 1], [4, 3, 2, 1]])
    lists = np.array([[0, 1], [0, 1], [0, 1]])
    assert rerun.cut_in_a_tie(table, lists, {}) == (2, 3)
    assert rerun.cut_in_a_tie(table, lists, {"exclude": [[2], [], []]}) == (1, 3)
    assert rerun.cut_in_a_tie(table[0], lists[0], {"exclude": [2]}) == (0, 1)
    assert rerun.cut_in_a_tie(table, np.array([[0, 1, 2, 3]] * 3), {}) == (0, 3)
    assert rerun.cut_in_a_tie(table[:1], np.array([[0, -1]]), {"exclude": [[1, 2, 3]]}) == (0, 1)
