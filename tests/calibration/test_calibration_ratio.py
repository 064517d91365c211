"""Calibration ratio, normalised entropy, ACE and histogram binning: by hand and by identity."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics.calibration import (
    HistogramBinning,
    average_calibration_error,
    calibration_ratio,
    expected_calibration_error,
    normalized_entropy,
)

RNG = np.random.default_rng(0)
SAID = RNG.random(2_000)
HAPPENED = RNG.random(2_000) < SAID**2


def test_values_computed_by_hand():
    labels, said = [1, 0, 0, 0], [0.5, 0.5, 0.1, 0.1]
    assert calibration_ratio(labels, said) == pytest.approx(1.2)
    assert average_calibration_error(labels, said) == pytest.approx((0 + 0.1) / 2)
    assert expected_calibration_error(labels, said) == pytest.approx(0.05)
    base = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    loss = -(2 * math.log(0.5) + 2 * math.log(0.9)) / 4
    assert normalized_entropy(labels, said) == pytest.approx(loss / base)


def test_identities_of_ratio_entropy_and_ace():
    rate = np.full(2_000, HAPPENED.mean())
    assert normalized_entropy(HAPPENED, rate) == pytest.approx(1)
    assert calibration_ratio(HAPPENED, rate) == pytest.approx(1)
    assert calibration_ratio(HAPPENED, SAID / 2) == pytest.approx(
        calibration_ratio(HAPPENED, SAID) / 2
    )
    # Bins of equal mass weigh alike anyway.
    bins = {"n_bins": 20, "binning": "equal-mass"}
    assert average_calibration_error(HAPPENED, SAID, **bins) == pytest.approx(
        expected_calibration_error(HAPPENED, SAID, **bins)
    )


def test_histogram_binning_gives_the_rate_of_each_bin():
    binning = HistogramBinning(n_bins=10).fit(SAID, HAPPENED)
    assert len(binning.probabilities_) == 10
    called = binning.predict(SAID)
    assert called.mean() == pytest.approx(HAPPENED.mean())
    assert np.bincount(np.searchsorted(binning.edges_, SAID)).tolist() == [200] * 10
    new = RNG.random(20_000)
    happened = RNG.random(20_000) < new**2
    before = expected_calibration_error(happened, new)
    assert expected_calibration_error(happened, binning.predict(new)) < before / 4


def test_tied_scores_share_a_bin():
    binning = HistogramBinning(n_bins=4).fit([0.2] * 6 + [0.9] * 2, [0, 1, 0, 1, 0, 0, 1, 1])
    assert binning.predict([0.1, 0.2, 0.5, 1.0]).tolist() == [1 / 3, 1 / 3, 1.0, 1.0]
    assert "2 bins" in repr(binning)
    assert HistogramBinning(n_bins=9).fit([0.5] * 4, [0, 1, 1, 1]).predict([0.5]) == 0.75


def test_invalid_input_raises():
    with pytest.raises(ValueError, match="no observed rate"):
        calibration_ratio([0, 0], [0.1, 0.2])
    with pytest.raises(RuntimeError, match="HistogramBinning is not fitted yet"):
        HistogramBinning().predict([0.5])
