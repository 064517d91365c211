"""No cell of a CSV file that is written here runs in a spreadsheet, and numbers stay numbers."""

from __future__ import annotations

import csv
import io
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics._core.console import for_terminal, printable
from recsys_metrics._core.csv_injection import harmless, harmless_frame, written

# The first signs are those of OWASP's page "CSV Injection".
RUNS = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    '=HYPERLINK("x")',
    "-",
    "+",
    "-1e",
    " =1+1",
    "\u00a0=1+1",
    "\u200b@SUM(A1)",
    "\ufeff+1+1",
    "\uff1d1+1",
    "\uff0b1",
    " \uff20SUM(A1)",
]
STAYS = [
    "Ann",
    "",
    "1=1",
    "'=1",
    "a@b.org",
    "well done ;-)",
    "a; b;c=1",
    "-1",
    "+1.5",
    "-.5e-3",
    "-0",
    "5.",
    " -1",
    " Ann",
    3,
    -2.5,
    None,
]


@pytest.mark.parametrize("cell", RUNS)
def test_formulas_are_prefixed(cell):
    assert harmless(cell) == f"'{cell}"


BEHIND_SEPARATORS = {
    "Ann;=1+1": "Ann;'=1+1",
    "Ann; @SUM(A1);x": "Ann; '@SUM(A1);x",
    "Ann;-1+cmd|x": "Ann;'-1+cmd|x",
    "Ann;\uff1d1": "Ann;'\uff1d1",
    "a;=1;=2": "a;'=1;'=2",
    "=1;=2": "'=1;'=2",
}


@pytest.mark.parametrize("cell", BEHIND_SEPARATORS)
def test_formulas_behind_a_separator_of_another_country_are_prefixed(cell):
    assert harmless(cell) == BEHIND_SEPARATORS[cell]


@pytest.mark.parametrize("cell", STAYS)
def test_other_cells_are_not_changed(cell):
    assert harmless(cell) == cell


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
CELLS = TEXT | st.floats(allow_nan=False) | st.integers()


@pytest.mark.slow
@given(st.lists(st.lists(CELLS, min_size=1), min_size=1))
def test_written_cells_are_safe_and_complete(rows):
    back = list(csv.reader(io.StringIO(written(rows), newline="")))
    for row, cells in zip(rows, back, strict=True):
        for cell, text in zip(row, cells, strict=True):
            said = str(cell).replace("\r\n", "\n").replace("\r", "\n")
            assert text.replace("'", "") == said.replace("'", "")
            assert not re.search(r";\s*[=@]", text)
            assert not re.match(r"[=+\-@\t\r\n]", text) or re.fullmatch(r"[+-][\d.einf+-]+", text)


def test_data_frames_are_written_by_the_same_rule():
    ids = [*RUNS, *BEHIND_SEPARATORS, *(one for one in STAYS if isinstance(one, str)), None]
    frame = pl.DataFrame(
        {"user": ids, "@x": range(len(ids)), "kind": pl.Series(ids, dtype=pl.Categorical)}
    )
    done = harmless_frame(frame)
    expected = [harmless(one) for one in ids]
    assert done["user"].to_list() == done["kind"].to_list() == expected
    assert done.columns == ["user", "'@x", "kind"]
    assert done["'@x"].to_list() == list(range(len(ids)))


def test_a_name_that_is_a_pattern_is_the_name_of_one_column():
    frame = pl.DataFrame({"^.*$": ["=1"], "*": ["b"]})
    assert harmless_frame(frame).to_dict(as_series=False) == {"^.*$": ["'=1"], "*": ["b"]}


@given(st.text())
def test_control_characters_are_removed_for_terminals(text):
    told = for_terminal(text)
    assert told.replace("\n", "").replace("\u200c", "").replace("\u200d", "").isprintable() or any(
        sign.isspace() for sign in told
    )
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", told
    )
    told.encode()
    line = printable(text)
    assert "\n" not in line
    assert len(line) <= 200
