"""Calibration on numbers worked out by hand, and on what the source document says of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics.calibration import (
    BetaCalibration,
    IsotonicCalibration,
    PlattScaling,
    TemperatureScaling,
    brier_score,
    expected_calibration_error,
    log_loss,
    reliability_curve,
)
from recsys_metrics.ranking import roc_auc

# The chapter's two bins: five items called 0.8, three clicked; five called 0.2, one clicked.
SCORES = [0.8] * 5 + [0.2] * 5
LABELS = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]


def test_ece_of_the_two_bins():
    curve = reliability_curve(LABELS, SCORES, n_bins=10)
    assert curve.predicted == pytest.approx([0.2, 0.8])
    assert curve.observed == pytest.approx([0.2, 0.6])
    assert curve.count.tolist() == [5, 5]
    assert len(curve) == 2
    assert curve.gap == pytest.approx([0, 0.2])
    # Over-confident: it promises more than it keeps.
    assert np.average(curve.gap, weights=curve.count) == pytest.approx(0.5 - 0.4)
    assert expected_calibration_error(LABELS, SCORES) == pytest.approx(0.1)
    assert expected_calibration_error(LABELS, SCORES, norm="max") == pytest.approx(0.2)
    assert expected_calibration_error(LABELS, SCORES, norm="l2") == pytest.approx(
        math.sqrt(0.5 * 0.2**2)
    )


def test_bins_are_weighted_by_their_events():
    # Nine events with gap 0 and one with gap 0.5; unweighted bins would say 0.25.
    labels = [1, 1, 1, 0, 0, 0, 0, 0, 0, 1]
    scores = [*[1 / 3] * 9, 0.5 + 1e-12]
    value = expected_calibration_error(labels, scores, n_bins=2)
    assert value == pytest.approx(0.05)


def test_platt_slope_depends_on_scores_or_log_odds():
    raw = PlattScaling(on="scores").fit(SCORES, LABELS)
    assert (raw.slope_, raw.intercept_) == pytest.approx((2.9862657820467575, -1.983547517529242))
    odds = PlattScaling(on="log-odds").fit(SCORES, LABELS)
    assert (odds.slope_, odds.intercept_) == pytest.approx(
        (0.6462406251802889, -0.4904146265058633)
    )
    # The same two probabilities; only one of the slopes is below 1, though both correct the
    # same over-confidence.
    assert raw.slope_ > 1 > odds.slope_
    for fitted in (raw, odds):
        assert fitted.predict([0.2, 0.8]) == pytest.approx([0.2, 0.6])


def test_platt_keeps_the_order_for_a_positive_slope_and_reverses_it_for_a_negative_one():
    right = PlattScaling().fit([0.1, 0.3, 0.5, 0.9], [0, 1, 0, 1])
    wrong = PlattScaling().fit([0.1, 0.3, 0.5, 0.9], [1, 0, 1, 0])
    order = {m.slope_ > 0: np.argsort(m.predict([0.1, 0.5, 0.9])).tolist() for m in (right, wrong)}
    assert order == {True: [0, 1, 2], False: [2, 1, 0]}


def test_isotonic_keeps_the_order_but_makes_ties():
    scores, labels = [0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1]
    calibrated = IsotonicCalibration().fit(scores, labels).predict(scores)
    assert calibrated.tolist() == [0.0, 0.5, 0.5, 1.0]
    assert (np.diff(calibrated) >= 0).all()
    assert len(set(calibrated)) == 3
    assert roc_auc(labels, scores) == 0.75
    assert roc_auc(labels, calibrated) == 0.875


def test_isotonic_pools_equal_scores_before_it_compares():
    isotonic = IsotonicCalibration().fit(SCORES, LABELS)
    assert isotonic.predict([0.2, 0.8]) == pytest.approx([0.2, 0.6])
    assert expected_calibration_error(LABELS, isotonic.predict(SCORES)) == pytest.approx(0)
    # Without pooling, the order of the labels within a tie would decide.
    turned = IsotonicCalibration().fit(SCORES[::-1], LABELS[::-1])
    assert turned.predict(SCORES).tolist() == isotonic.predict(SCORES).tolist()


def test_isotonic_between_and_beyond_the_fitted_scores():
    line = IsotonicCalibration(interpolation="linear").fit([0, 0, 4, 4], [0, 1, 1, 1])
    assert line.predict([-9, 0, 1, 4, 9]).tolist() == [0.5, 0.5, 0.625, 1, 1]
    step = IsotonicCalibration(interpolation="step").fit([0, 0, 4, 4], [0, 1, 1, 1])
    assert step.predict([-9, 0, 3.9, 4, 9]).tolist() == [0.5, 0.5, 0.5, 1, 1]


def test_temperature_of_two_bins():
    # Called 0.1 and 0.9, happened 0.2 and 0.8: T = ln 9 / ln 4.
    scores, labels = [0.1] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0]
    on_probabilities = TemperatureScaling(on="log-odds").fit(scores, labels)
    assert on_probabilities.temperature_ == pytest.approx(math.log(9) / math.log(4))
    assert on_probabilities.predict([0.1, 0.5, 0.9]) == pytest.approx([0.2, 0.5, 0.8])
    logits = np.log(np.array(scores) / (1 - np.array(scores)))
    on_logits = TemperatureScaling(on="scores").fit(logits, labels)
    assert on_logits.temperature_ == pytest.approx(on_probabilities.temperature_)


def test_beta_calibration_fits_three_bins_exactly():
    # Three parameters, three rates; all log-odds of a curve with a, b above 0.
    scores = np.repeat([0.2, 0.5, 0.8], 10)
    labels = np.concatenate([np.arange(10) < n for n in (2, 4, 6)])
    beta = BetaCalibration().fit(scores, labels)
    assert beta.predict([0.2, 0.5, 0.8]) == pytest.approx([0.2, 0.4, 0.6])
    assert beta.a_ > 0
    assert beta.b_ > 0


def test_beta_calibration_with_equal_parameters_is_platt_on_log_odds():
    scores = np.repeat([0.2, 0.5, 0.8], 10)
    labels = np.concatenate([np.arange(10) < n for n in (3, 5, 7)])
    beta = BetaCalibration().fit(scores, labels)
    platt = PlattScaling(on="log-odds").fit(scores, labels)
    assert beta.a_ == pytest.approx(beta.b_)
    assert (beta.a_, beta.c_) == pytest.approx((platt.slope_, platt.intercept_), abs=1e-12)


def test_beta_calibration_never_decreases():
    falling = BetaCalibration().fit([0.2] * 4 + [0.8] * 4, [1, 1, 1, 0, 1, 0, 0, 0])
    assert (falling.a_, falling.b_) == (0, 0)
    assert falling.predict([0, 0.2, 0.8, 1]).tolist() == pytest.approx([0.5] * 4)
    # A hump: the best curve that never falls bends on one side only.
    scores = np.repeat([0.1, 0.5, 0.9], 10)
    labels = np.concatenate([np.arange(10) < n for n in (1, 8, 7)])
    hump = BetaCalibration().fit(scores, labels)
    assert hump.a_ > 0
    assert hump.b_ == 0
    assert (np.diff(hump.predict(np.linspace(0, 1, 50))) >= 0).all()
    # Labels 0 1 0 over the scores: free of the constraint the likelihood has no peak at all.
    parted = BetaCalibration().fit(np.repeat([0.1, 0.5, 0.9], 2), [0, 0, 1, 1, 0, 0])
    assert (np.diff(parted.predict(np.linspace(0, 1, 50))) >= 0).all()


def test_predictions_for_scores_of_0_and_1_are_limits():
    scores = np.repeat([0.2, 0.5, 0.8], 10)
    labels = np.concatenate([np.arange(10) < n for n in (2, 4, 6)])
    assert BetaCalibration().fit(scores, labels).predict([0, 1]).tolist() == [0, 1]
    assert PlattScaling(on="log-odds").fit(scores, labels).predict([0, 1]).tolist() == [0, 1]
    assert TemperatureScaling(on="log-odds").fit(scores, labels).predict([0, 1]).tolist() == [0, 1]


def test_log_loss_and_brier_by_hand():
    assert log_loss([1, 0], [0.8, 0.4]) == pytest.approx(-(math.log(0.8) + math.log(0.6)) / 2)
    assert brier_score([1, 0], [0.8, 0.4]) == pytest.approx((0.04 + 0.16) / 2)
    assert log_loss([1, 0], [0.8, 0.4], weights=[3, 1]) == pytest.approx(
        -(3 * math.log(0.8) + math.log(0.6)) / 4
    )
    assert brier_score([1, 0], [0.8, 0.4], weights=[3, 1]) == pytest.approx((3 * 0.04 + 0.16) / 4)


def test_log_loss_of_a_certain_wrong_prediction():
    assert log_loss([1, 0], [0, 0]) == math.inf
    assert log_loss([1, 0], [1, 0]) == 0
    assert log_loss([1, 0], [0, 0], weights=[0, 1]) == 0
    assert log_loss([1], [0], clip=1e-3) == pytest.approx(-math.log(1e-3))
    assert log_loss([0], [1], clip=1e-3) == pytest.approx(-math.log(1e-3))


def test_predicting_the_base_rate_has_known_losses():
    labels, rate = [1, 0, 0, 0], [0.25] * 4
    assert brier_score(labels, rate) == pytest.approx(0.25 * 0.75)
    assert expected_calibration_error(labels, rate) == 0


def test_intervals_are_exact():
    exact = reliability_curve([0, 0, 1, 1], [0.1, 0.2, 0.9, 0.8], n_bins=2)
    # None of 2: the upper end solves (1 - p)² = 0.025.
    assert exact.lower.tolist() == pytest.approx([0, math.sqrt(0.025)])
    assert exact.upper.tolist() == pytest.approx([1 - math.sqrt(0.025), 1])
    assert exact.level == 0.95


def test_bins_include_their_right_edge():
    curve = reliability_curve([0, 1, 1, 0], [0.0, 0.5, 0.50001, 1.0], n_bins=2)
    assert curve.count.tolist() == [2, 2]
    assert curve.left.tolist() == [0, 0.5]
    assert curve.right.tolist() == [0.5, 1]


@pytest.mark.parametrize("n_bins", [3, 7, 10, 49])
def test_probabilities_on_bin_edges_belong_to_the_lower_bin(n_bins):
    edges = np.linspace(0, 1, n_bins + 1)
    curve = reliability_curve(np.zeros(n_bins + 1), edges, n_bins=n_bins)
    assert curve.count.tolist() == [2] + [1] * (n_bins - 1)


def test_equal_probabilities_share_a_bin_of_equal_mass():
    scores = [0.1] * 7 + [0.2, 0.3, 0.9]
    curve = reliability_curve([0, 1] * 5, scores, n_bins=5, binning="equal-mass")
    assert curve.count.sum() == 10
    assert 7 in curve.count.tolist()
    one = reliability_curve([0, 1], [0.3, 0.3], n_bins=4, binning="equal-mass")
    assert one.count.tolist() == [2]
    distinct = reliability_curve(
        np.arange(20) % 2, np.linspace(0.01, 0.99, 20), n_bins=4, binning="equal-mass"
    )
    assert distinct.count.tolist() == [5] * 4
