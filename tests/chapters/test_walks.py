"""Walks: one for each subject or more, of steps that are short, differ, and end with the figure."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import nbformat
import pytest

from recsys_metrics.workbook.explorables import REGISTRY
from tests.chapters.test_chapter_texts import CHAPTERS, minutes, pair, style

PARTS = (
    "01_rating", "02_ranking", "02_ranking_stages", "03_beyond_accuracy", "04_protocol",
    "04_protocol_sequences", "05_calibration", "06_bias", "07_choosing", "08_judges",
    "08_judges_generated",
)  # fmt: skip
"""Those with a walk; every subject has one."""
STEPS, WORDS = range(4, 7), range(60, 111)
STEP = re.compile(r'data-step="([^"]+)" data-state="([^"]*)"')


def walks(notebook: nbformat.NotebookNode) -> list[list[tuple[str, tuple[int, ...], str]]]:
    """Return the walks of a part: of each step the explorable, the state and the words after it."""
    found: list[list[tuple[str, tuple[int, ...], str]]] = []
    ids = [
        STEP.search(style.shown(cell)) if cell.cell_type == "code" else None
        for cell in notebook.cells
    ]
    for at, (cell, step) in enumerate(zip(notebook.cells, ids, strict=True)):
        if not step:
            continue
        words = notebook.cells[at + 1]
        assert words.cell_type == "markdown", f"a step without words: {cell.source}"
        state = tuple(map(int, step[2].split()))
        one = (step[1], state, minutes.prose(nbformat.v4.new_notebook(cells=[words])))
        goes_on = found and found[-1][-1][0] == step[1]
        if not goes_on:
            found.append([])
        found[-1].append(one)
    return found


FOUND = [(path, walk) for path in CHAPTERS for walk in walks(pair(path)) if len(walk) > 1]
ALL = {path.stem: (path, walk) for path, walk in FOUND}


def test_each_subject_has_a_walk():
    subjects = {path.stem[:2] for path in CHAPTERS} - {"00"}
    assert {stem[:2] for stem in PARTS} == subjects


def test_these_parts_have_one_walk_each():
    assert Counter(path.stem for path, _ in FOUND) == dict.fromkeys(PARTS, 1)


@pytest.mark.parametrize("stem", ALL)
def test_a_walk_is_short_and_its_steps_are_different_states(stem):
    _, walk = ALL[stem]
    assert len(walk) in STEPS
    assert len({state for _, state, _ in walk}) == len(walk)
    # The last words lead over to what the reader moves.
    counts = [len(re.sub(r"<[^>]+>", "", words).split()) for *_, words in walk]
    assert [count for count in counts if count not in WORDS] == []


@pytest.mark.parametrize("stem", ALL)
def test_a_walk_ends_with_its_interactive_figure(stem):
    path, walk = ALL[stem]
    cells = pair(path).cells
    last = max(at for at, cell in enumerate(cells) if "data-step" in style.shown(cell))
    after = [style.shown(cell) for cell in cells[last + 1 : last + 3]]
    assert any(f'data-explorable="{walk[0][0]}"' in html for html in after)
    headings = [
        cell
        for cell in cells[last + 1 : last + 3]
        if cell.cell_type == "markdown" and cell.source.startswith("#")
    ]
    assert headings == []


@pytest.mark.parametrize("stem", ALL)
def test_each_step_changes_the_picture(stem):
    _, walk = ALL[stem]
    explorable = REGISTRY[walk[0][0]]
    pictures = [
        explorable.render_state(explorable.state_from_indices(state))["svg"] for _, state, _ in walk
    ]
    assert [one for one, other in pairwise(pictures) if one == other] == []
