"""A number that stands in a row twice is found by sorting as it is by reading."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics._core.duplicates import repeat_in_rows
from tests.examples import examples


@given(
    rows=st.lists(st.lists(st.integers(-1, 9), min_size=6, max_size=6), min_size=1, max_size=8),
    width=st.integers(0, 6),
    far=st.sampled_from([0, 10**12]),
)
@examples(200)
def test_the_first_duplicate_equals_a_plain_search(rows, width, far):
    found = None
    for number, row in enumerate(rows):
        pairs = [(a, b) for b in range(width) for a in range(b) if row[a] == row[b] >= 0]
        if pairs:
            found = (number, *min(pairs))
            break
    table = np.array(rows)[:, :width]
    assert repeat_in_rows(np.where(table >= 0, table + far, table)) == found


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.uint64])
def test_hash_collisions_and_duplicates_beyond_the_first_block(dtype):
    table = np.tile(np.array([[4, 5], [5, 4]], dtype), (70_000, 1))
    assert repeat_in_rows(table) is None
    table[-1] = 7
    assert repeat_in_rows(table) == (139_999, 0, 1)


def test_empty_slots_are_not_duplicates():
    assert repeat_in_rows(np.full((3, 4), -1)) is None
    assert repeat_in_rows(np.zeros((0, 4), dtype=int)) is None
    assert repeat_in_rows(np.array([[3, -1, -1], [-1, 2, 2]])) == (1, 1, 2)
