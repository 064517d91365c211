"""Labels that would stand on each other are moved apart, and no further than they must."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.workbook.charts.marks import spread_apart

PLACES = st.lists(st.floats(0, 100), min_size=1, max_size=5)


@given(PLACES)
def test_labels_are_separated_within_the_bounds_in_order(places):
    found = spread_apart(places, 19, 0, 100)
    order = sorted(range(len(places)), key=lambda at: places[at])
    assert all(b - a >= 19 - 1e-9 for a, b in pairwise(found[at] for at in order))
    assert min(found) >= -1e-9
    assert max(found) <= 100 + 1e-9


@given(PLACES)
def test_separated_labels_are_not_moved(places):
    spaced = [place + 200 * n for n, place in enumerate(places)]
    assert spread_apart(spaced, 19, 0, 1000) == pytest.approx(spaced)


@given(PLACES, st.lists(st.floats(-50, 150), min_size=5, max_size=5))
def test_label_movement_is_minimal(places, others):
    found = spread_apart(places, 19, 0, 100)
    # Any other way to stand a gap apart within the bounds, in the same order.
    order = sorted(range(len(places)), key=lambda at: places[at])
    other = dict(zip(order, spread_apart(sorted(others[: len(places)]), 19, 0, 100), strict=True))
    moved = sum((at - place) ** 2 for at, place in zip(found, places, strict=True))
    instead = sum((other[n] - place) ** 2 for n, place in enumerate(places))
    assert moved <= instead + 1e-6


def test_without_bounds_two_labels_move_equally():
    assert spread_apart([50, 50], 20) == [40, 60]
