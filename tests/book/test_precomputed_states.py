"""What was drawn ahead holds every state, each as Python computes and draws it."""

from __future__ import annotations

import itertools
import re

import pytest

from recsys_metrics.workbook.explorables import REGISTRY
from recsys_metrics.workbook.explorables.precomputed import pack
from recsys_metrics.workbook.explorables.readout import bar_position
from tests.book.reader import Drawn, unpacked

# Drawing is what takes long; so many pictures of each are compared, and all its numbers.
PICTURES = 150
MOST = 400_000  # bytes of a file before it is compressed


def test_packed_numbers_can_be_unpacked_without_loss():
    for most in (0, 90, 91, 91**2 - 1, 91**2, 91**3):
        values = [0, most // 2, most]
        text, wide = pack(values)
        assert unpacked(text, wide) == values
        assert len(text) == 3 * wide
        assert '"' not in text
        assert "\\" not in text
        assert " " not in text


@pytest.mark.sweep("name", keep=6)
@pytest.mark.parametrize("name", REGISTRY)
def test_every_state_has_the_numbers_that_python_computes(precomputed_folder, name):
    explorable, table = REGISTRY[name], Drawn(precomputed_folder / "explorables" / f"{name}.js")
    assert table.sizes == [len(control.values) for control in explorable.controls]
    indices = itertools.product(*map(range, table.sizes))
    every = -(-explorable.n_states // PICTURES)
    n = 0
    for n, (at, state) in enumerate(zip(indices, explorable.states(), strict=True), start=1):
        numbers = explorable.compute(state)
        expected = [
            [quantity.format_value(numbers[key]), bar_position(quantity, numbers[key])]
            for key, quantity in explorable.quantities.items()
        ]
        assert table.numbers(at) == expected, state
        if n % every == 0:
            picture = explorable.draw(state, numbers)
            assert table.svg(at) == picture.svg, state
            assert table.alt(at) == picture.alt, state
    assert n == explorable.n_states


@pytest.mark.parametrize("name", REGISTRY)
def test_the_controls_equal_the_declared_ones(precomputed_folder, name):
    explorable, table = (
        REGISTRY[name],
        Drawn(precomputed_folder / "explorables" / f"{name}.js").table["facts"],
    )
    assert table["question"] == explorable.question
    for declared, written in zip(explorable.controls, table["controls"], strict=True):
        assert written["texts"] == list(declared.values.values())
        assert list(declared.values)[written["start"]] == declared.start
        assert all(re.fullmatch(r"[A-Za-z0-9.+_-]+", key) for key in written["keys"])
        assert len(set(written["keys"])) == len(written["keys"])


@pytest.mark.parametrize("name", REGISTRY)
def test_precomputed_files_are_small(precomputed_folder, name):
    assert (precomputed_folder / "explorables" / f"{name}.js").stat().st_size <= MOST
