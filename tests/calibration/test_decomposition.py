"""Losses taken apart, errors without what chance adds, cross-fitting, sampled negatives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as their_log_loss

from recsys_metrics.calibration import (
    HistogramBinning,
    IsotonicCalibration,
    calibration_split,
    correct_negative_sampling,
    cross_fit,
    expected_calibration_error,
    score_decomposition,
)

LABELS = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
SAID = [0.8] * 5 + [0.2] * 5
EVENTS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(1, 19).map(lambda n: n / 20)), min_size=1, max_size=40
)


def test_components_computed_by_hand():
    # 5 events at 0.8 of which 3 happened, 5 at 0.2 of which 1 did; base rate 0.4.
    for recalibration in ("isotonic", "rates"):
        parts = score_decomposition(LABELS, SAID, recalibration=recalibration)
        assert parts.miscalibration == pytest.approx((5 * 0.2**2 + 5 * 0) / 10)
        assert parts.discrimination == pytest.approx((5 * 0.2**2 + 5 * 0.2**2) / 10)
        assert parts.uncertainty == pytest.approx(0.4 * 0.6)
        assert parts.count.tolist() == [5, 5]


def test_a_decreasing_rate_is_pooled_only_by_the_isotonic_fit():
    # 1 of 2 at 0.3, then none of 1 at 0.4: pooled, 1 of 3.
    labels, said = [1, 0, 0, 1], [0.3, 0.3, 0.4, 0.9]
    assert score_decomposition(labels, said).recalibrated == pytest.approx([1 / 3, 1 / 3, 1])
    rates = score_decomposition(labels, said, recalibration="rates")
    assert rates.recalibrated.tolist() == [0.5, 0, 1]


@given(EVENTS, st.sampled_from(["brier", "log"]), st.sampled_from(["isotonic", "rates"]))
def test_components_sum_to_the_loss_and_are_not_negative(events, loss, recalibration):
    labels, said = map(np.array, zip(*events, strict=True))
    parts = score_decomposition(labels, said, loss=loss, recalibration=recalibration)
    whole = parts.miscalibration - parts.discrimination + parts.uncertainty
    assert parts.loss == pytest.approx(whole, abs=1e-12)
    assert min(parts.miscalibration, parts.discrimination, parts.uncertainty) >= 0
    if loss == "brier":
        theirs = brier_score_loss(labels, said, pos_label=1)
    else:
        theirs = their_log_loss(labels, said, labels=[0, 1])
    assert parts.loss == pytest.approx(theirs)


@given(EVENTS)
def test_recalibrated_probabilities_equal_scikit_learn(events):
    labels, said = map(np.array, zip(*events, strict=True))
    parts = score_decomposition(labels, said)
    theirs = IsotonicRegression().fit(said, labels).predict(parts.predicted)
    assert parts.recalibrated == pytest.approx(theirs, abs=1e-9)
    again = score_decomposition(labels, np.clip(np.interp(said, parts.predicted, theirs), 0, 1))
    assert again.miscalibration == pytest.approx(0, abs=1e-9)
    # Rates that may fall fit at least as well as rates that may not.
    rates = score_decomposition(labels, said, recalibration="rates")
    assert rates.discrimination >= parts.discrimination - 1e-12


def test_a_certain_wrong_prediction_has_infinite_miscalibration_under_log_loss():
    parts = score_decomposition([1, 0], [0.0, 0.5], loss="log")
    assert parts.loss == parts.miscalibration == np.inf
    assert np.isfinite(parts.uncertainty)


def test_debiased_error_computed_by_hand():
    # Squared gaps 0 and 0.04; variances 0.16 / 4 and 0.24 / 4: less than nothing is left.
    assert expected_calibration_error(LABELS, SAID, norm="l2", debias=True) == 0
    # 20 times the events: the gaps are the same, the variances 0.16 / 99 and 0.24 / 99.
    found = expected_calibration_error(LABELS * 20, SAID * 20, norm="l2", debias=True)
    assert found == pytest.approx(np.sqrt((0.04 - 0.16 / 99 - 0.24 / 99) / 2))


def test_debiased_l1_error_equals_its_simulation():
    rng = np.random.default_rng(3)
    labels, said = LABELS * 4, [0.75] * 20 + [0.3] * 20
    labels = sorted(labels[:20], reverse=True) + sorted(labels[20:])
    rates = np.array([np.mean(labels[:20]), np.mean(labels[20:])])
    drawn = rng.normal(rates, np.sqrt(rates * (1 - rates) / 20), (400_000, 2))
    expected = np.abs(drawn - [0.75, 0.3]).mean()
    plain = expected_calibration_error(labels, said)
    found = expected_calibration_error(labels, said, debias=True)
    assert found == pytest.approx(2 * plain - expected, abs=5e-4)


def test_debiased_errors_of_a_perfect_model_are_smaller_and_unbiased_squared():
    rng = np.random.default_rng(0)
    squares, plain, debiased = [], [], []
    for _ in range(150):
        said = rng.choice([0.1, 0.3, 0.6], 120)
        labels = rng.random(120) < said
        rate = np.array([labels[said == p].mean() for p in (0.1, 0.3, 0.6)])
        count = np.array([(said == p).sum() for p in (0.1, 0.3, 0.6)])
        gap = (rate - [0.1, 0.3, 0.6]) ** 2 - rate * (1 - rate) / (count - 1)
        squares.append((count * gap).sum() / 120)
        plain.append(expected_calibration_error(labels, said))
        debiased.append(expected_calibration_error(labels, said, debias=True))
        root = max(squares[-1], 0) ** 0.5
        assert expected_calibration_error(labels, said, norm="l2", debias=True) == pytest.approx(
            root, abs=1e-7
        )
    assert abs(np.mean(squares)) < 4 * np.std(squares) / np.sqrt(150)
    assert np.mean(debiased) < 0.8 * np.mean(plain)


def test_debiasing_needs_two_events_per_bin_and_a_finite_norm():
    with pytest.raises(ValueError, match=r"bin from 0.8 to 0.9 contains one event"):
        expected_calibration_error([1, 0, 1], [0.1, 0.1, 0.9], debias=True)
    with pytest.raises(ValueError, match="'l1' and 'l2'"):
        expected_calibration_error(LABELS, SAID, norm="max", debias=True)


def test_cross_fitting_fits_each_fold_on_all_others():
    rng = np.random.default_rng(1)
    scores = rng.random(90)
    labels = rng.random(90) < scores
    users = rng.permutation(90) % 30
    got = cross_fit(IsotonicCalibration(), scores, labels, n_folds=3, users=users, seed=5)
    fold_of = np.empty(30, dtype=int)
    fold_of[np.random.default_rng(5).permutation(30)] = np.arange(30) % 3
    for number in range(3):
        out = fold_of[users] == number
        theirs = IsotonicRegression(out_of_bounds="clip").fit(scores[~out], labels[~out])
        assert got[out] == pytest.approx(theirs.predict(scores[out]))


def test_cross_fitted_probabilities_exclude_the_own_label():
    scores, labels = np.full(8, 0.5), np.array([0, 1] * 4)
    whole = HistogramBinning(n_bins=1)
    # Leaving one out: 4 of 7 happened for those that did not, 3 of 7 for those that did.
    got = cross_fit(whole, scores, labels, n_folds=8)
    assert got == pytest.approx(np.where(labels, 3 / 7, 4 / 7))
    with pytest.raises(RuntimeError, match="is not fitted yet"):
        whole.predict(scores)


def test_invalid_cross_fitting_raises():
    with pytest.raises(ValueError, match="2 users cannot be dealt out to 5 folds"):
        cross_fit(HistogramBinning(), [0.1, 0.2, 0.3], [0, 1, 0], users=[1, 1, 2])
    test = calibration_split(SAID, LABELS).test
    with pytest.raises(ValueError, match="set aside for testing"):
        cross_fit(HistogramBinning(), test.scores, test.labels, n_folds=2)


@given(st.floats(0, 1), st.floats(1e-6, 1), st.floats(1e-6, 1))
def test_two_corrections_equal_one_by_the_product(p, first, second):
    twice = correct_negative_sampling(
        correct_negative_sampling([p], sampling_rate=first), sampling_rate=second
    )
    assert twice == pytest.approx(
        correct_negative_sampling([p], sampling_rate=first * second), rel=1e-9
    )


def test_sampling_correction_matches_counts():
    # 30 clicks among 1,030 views: a twentieth of 1,000 others was kept.
    assert correct_negative_sampling([30 / 80], sampling_rate=0.05) == pytest.approx(30 / 1030)
    assert correct_negative_sampling([0, 0.3, 1], sampling_rate=1).tolist() == [0, 0.3, 1]
    assert correct_negative_sampling([0, 1], sampling_rate=1e-300).tolist() == [0, 1]
    for rate in (0, 1.1, True):
        with pytest.raises(ValueError, match="sampling_rate is the share of negatives"):
            correct_negative_sampling([0.5], sampling_rate=rate)


def test_a_class_of_calibrators_is_none():
    with pytest.raises(TypeError, match=r"^calibrator is a class; pass IsotonicCalibration\(\)"):
        cross_fit(IsotonicCalibration, [0.1, 0.2, 0.3, 0.4], [0, 1, 1, 0], n_folds=2)
