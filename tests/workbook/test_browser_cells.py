"""Cells run on a page: what they show is what a notebook shows, and an error is told."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest

from recsys_metrics.workbook.browser.cells import (
    Output,
    Session,
    hash_outputs,
    must_run,
    render_outputs,
)
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.exercises import REGISTRY

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def restored_state():
    with np.printoptions():
        yield


def run(*sources, name="cell 1"):
    """Return what the last of some cells shows."""
    session = Session()
    for source in sources:
        told = json.loads(session.run(source, name))
    return told


def run_as_text(*sources):
    """Return the text of the last cell's outputs."""
    return "".join(run(*sources)["outputs"])


def test_printed_output_precedes_the_returned_value():
    told = run("x = 2", "print('a <b>'); print('c')\nx + 1")
    printed, value = told["outputs"]
    assert "<pre><span></span>a &lt;b&gt;\nc\n</pre>" in printed
    assert 'class="output stream ' in printed
    assert "<pre><span></span>3\n</pre>" in value
    assert 'class="output text_plain ' in value
    assert (told["raised"], told["missing"]) == (False, "")
    assert told["digest"] == hash_outputs([Output("stdout", "a <b>\nc\n"), Output("plain", "3")])


@pytest.mark.parametrize("source", ["x = 1", "None", "3;", "", "# nothing", "def f(): ..."])
def test_cells_without_a_value_show_nothing(source):
    assert run(source)["outputs"] == []


def test_precision_magic_sets_the_digits():
    shown = "[1 / 3, np.float64(2 / 3), {'a': 0.5}]"
    assert (
        "[0.3333333333333333, np.float64(0.6666666666666666), {&#x27;a&#x27;: 0.5}]"
        in run_as_text("import numpy as np", shown)
    )
    three = ("import numpy as np\n%precision 3", shown)
    assert "[0.333, 0.667, {&#x27;a&#x27;: 0.500}]" in run_as_text(*three)
    assert "array([0.333])" in run_as_text(three[0], "np.array([1 / 3])")
    assert "0.3333333333333333" in run_as_text(*three, "%precision", "1 / 3")
    assert "array([0.33333333])" in run_as_text(*three, "x = 1", "%precision\nnp.array([1 / 3])")


def test_a_new_session_has_no_state():
    run_as_text("%precision 3")
    assert "0.3333333333333333" in run_as_text("1 / 3")
    assert "NameError" in run_as_text("x")


def test_an_unknown_magic_is_an_error():
    said = run_as_text("x = 1\n%timeit x")
    assert "a page does not know %timeit x" in said
    assert "in line 2" in said


def test_an_error_is_reported_with_its_line_and_explanation():
    told = run("import math", "print('so far')\nmath.sqrt(one)", name="cell 7")
    printed, raised = told["outputs"]
    assert "so far" in printed
    assert "NameError" in raised
    assert "in line 2: math.sqrt(one)" in raised
    assert "In words" in raised
    assert told["raised"]
    assert "SyntaxError" in run_as_text("for x in")


def test_sys_exit_ends_only_the_cell():
    assert "SystemExit" in run_as_text("import sys; sys.exit(2)")


def test_missing_modules_and_data_are_named():
    other = "raise ImportError('packed', name='lzma', path='/there/movielens_latest_small.npz.xz')"
    assert run(other)["missing"] == "movielens_latest_small"
    # A package, also where the error is the cause of another.
    assert run("import nowhere_at_all.inside")["missing"] == "nowhere_at_all"
    again = (
        "try:\n    import nowhere_at_all\nexcept ImportError:\n    raise ValueError('no') from None"
    )
    assert run(again)["missing"] == "nowhere_at_all"
    assert run("1 / 0")["missing"] == ""


def test_pictures_and_tables_are_rendered_as_html():
    picture = "Picture('<svg xmlns=\"http://www.w3.org/2000/svg\"/>', 'A drawing of nothing much.')"
    (box,) = run("from recsys_metrics.workbook.common.picture import Picture", picture)["outputs"]
    assert 'class="output text_html"' in box
    assert "<svg role=" in box
    assert "data:" not in box
    class_itself = run("from recsys_metrics.workbook.common.picture import Picture", "Picture")[
        "outputs"
    ]
    assert Picture.__qualname__ in class_itself[0]


def test_display_calls_are_shown_in_order(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython.display", sys.modules[Session.__module__])
    source = "from IPython.display import display\ndisplay(1, [0.5])\nprint('then')\n2"
    boxes = run("%precision 2", source)["outputs"]
    assert [box.partition("<span></span>")[2].partition("\n")[0] for box in boxes] == [
        *("1", "[0.50]", "then", "2")
    ]


def test_stderr_output_is_marked():
    (box,) = run("import sys\nprint('take care', file=sys.stderr)")["outputs"]
    assert 'class="output stderr ' in box
    assert "take care" in box


def test_binary_pictures_raise():
    with pytest.raises(ValueError, match="display_data"):
        render_outputs([{"output_type": "display_data", "data": {"image/png": "…"}}])


@pytest.mark.parametrize(
    ("source", "is_needed"),
    [
        ("card('precision')", False),
        ("from recsys_metrics.workbook.cards import card\ncard('precision')", True),
        ("x = 1", True),
        ("%precision 3", True),
        ("", False),
    ],
)
def test_cells_that_define_nothing_are_not_needed(source, is_needed):
    assert must_run(source) is is_needed


@pytest.mark.parametrize("part", ["00_three_questions", "02_ranking_gains", "05_calibration"])
def test_cells_of_a_part_reproduce_their_saved_outputs(part):
    # A page's Python is new; in this one another test may have guessed or answered.
    for exercise in REGISTRY.values():
        exercise._memory.__init__()
    session = Session()
    asked = 0
    for cell in nbformat.read(ROOT / "chapters" / f"{part}.ipynb", as_version=4).cells:
        tags = cell.metadata.get("tags", ())
        if cell.cell_type == "code" and "remove-cell" not in tags:
            told = json.loads(session.run(cell.source, f"cell {asked}"))
            assert told["digest"] == hash_outputs(render_outputs(cell.outputs)), told["outputs"]
            asked += bool(cell.outputs)
    assert asked > 10
