"""Bias disparity is the relative change of a group's preference for a category."""

from __future__ import annotations

import numpy as np

from recsys_metrics.beyond_accuracy import category_shares


def test_bias_disparity_is_the_relative_change_of_the_bias():
    kinds = {"a": "war", "b": "war", "c": "comedy", "d": "comedy", "e": "comedy"}
    met, shown = ["a", "b", "c", "d"], [["a", "b"], ["a", "c"]]
    catalogue = {"comedy": 3 / 5, "war": 2 / 5}
    shares = category_shares(shown, met, kinds)
    for number, kind in enumerate(shares.categories):
        before = np.mean([kinds[item] == kind for item in met]) / catalogue[kind]
        after = np.mean([kinds[i] == kind for row in shown for i in row]) / catalogue[kind]
        assert np.isclose(shares.disparity[number], (after - before) / before)
    assert shares.disparity.tolist() == [-0.5, 0.5]
