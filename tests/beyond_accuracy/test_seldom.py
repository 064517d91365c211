"""Measures that are seldom asked for: unique categories, and what was not met before."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics.beyond_accuracy import share_not_met, unique_category_share

GENRES = {"A": "comedy", "B": "comedy", "C": ["drama", "war"], "D": ["war", "comedy"]}


def test_unique_categories_by_hand():
    assert unique_category_share(["A", "B"], GENRES) == 1 / 2
    # Drama, war and comedy, of four that two films could show.
    assert unique_category_share(["C", "D"], GENRES) == 3 / 4
    found = unique_category_share([["A"], ["A", "B", "C"]], GENRES)
    assert found.tolist() == [1, 3 / 4]
    rows = np.array([[0, 1, -1], [2, 1, 0]])
    assert unique_category_share(rows, ["x", "y", "x"]).tolist() == [1, 2 / 3]


def test_an_empty_list_has_no_kinds_and_an_item_without_is_named():
    assert math.isnan(unique_category_share([[], ["A"]], GENRES)[0])
    with pytest.raises(ValueError, match="'Z' has no category"):
        unique_category_share(["A", "Z"], GENRES)


def test_what_was_not_met_by_hand():
    assert share_not_met([["A", "B"], ["C"]], [{"A"}, {"A"}]).tolist() == [0.5, 1]
    assert share_not_met({"u": ["A"], "v": ["A", "B", "C"]}, {"u": {"A"}, "v": {"C"}}).tolist() == [
        0,
        pytest.approx(2 / 3),
    ]
    assert share_not_met(np.array([[0, 1, -1]]), [{1}]).tolist() == [0.5]
    assert math.isnan(share_not_met([[], ["A"]], [{"A"}, {"A"}])[0])
