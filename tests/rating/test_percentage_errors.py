"""MAPE and sMAPE: by hand, against scikit-learn, per user."""

from __future__ import annotations

import numpy as np
import pytest

from recsys_metrics.rating import mape, smape


def test_values_computed_by_hand():
    assert mape([4, 2], [3, 3]) == pytest.approx((0.25 + 0.5) / 2)
    assert smape([4, 2, 0], [2, 2, 0]) == pytest.approx((2 / 3) / 3)
    assert mape([4, 2], [3, 3], users=["a", "b"]).tolist() == [0.25, 0.5]
    assert mape([4, 2], [3, 3], weights=[1, 3]) == pytest.approx((0.25 + 3 * 0.5) / 4)


def test_agrees_with_scikit_learn():
    peers = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    actual, predicted = rng.uniform(1, 5, 500), rng.uniform(1, 5, 500)
    theirs = peers.mean_absolute_percentage_error(actual, predicted)
    assert mape(actual, predicted) == pytest.approx(theirs, rel=1e-12)


def test_smape_is_symmetric_and_bounded():
    rng = np.random.default_rng(1)
    actual, predicted = rng.normal(size=300), rng.normal(size=300)
    assert smape(actual, predicted) == smape(predicted, actual)
    assert 0 < smape(actual, predicted) <= 2
    assert smape([1, 2], [-1, -3]) == 2.0
    assert smape(3 * actual, 3 * predicted) == pytest.approx(smape(actual, predicted))


def test_mape_of_a_zero_rating_raises():
    with pytest.raises(ValueError, match=r"actual\[1\] is 0"):
        mape([4, 0], [3, 3])


def test_smape_of_ratings_whose_sum_is_no_float():
    assert smape([1.7e308], [0.5e308]) == pytest.approx(smape([1.7], [0.5]), rel=1e-15)
    assert smape([1.7e308, 1], [0.5e308, 1]) == pytest.approx(smape([1.7, 1], [0.5, 1]), rel=1e-15)
    assert smape([5e-324], [0]) == smape([1], [0]) == 2
