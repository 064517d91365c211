"""What must hold for any scores and labels, and agreement with scikit-learn and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from tests.examples import examples

quick = examples(60)
seeds = st.integers(0, 10**6)


def events(seed, n=200, *, tied=False):
    """Over-confident probabilities and the labels they came with."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(-0.5, 1.2, n)
    labels = rng.random(n) < 1 / (1 + np.exp(-truth))
    labels[:2] = True, False
    scores = 1 / (1 + np.exp(-1.8 * truth - rng.normal(0, 0.4, n)))
    if tied:
        scores = np.round(scores, 1).clip(0.05, 0.95)
    return scores, labels


@quick
@given(seeds, st.integers(1, 30), st.sampled_from(["equal-width", "equal-mass"]))
def test_bin_counts_sum_to_the_number_of_events(seed, n_bins, binning):
    scores, labels = events(seed, tied=seed % 2 == 0)
    curve = reliability_curve(labels, scores, n_bins=n_bins, binning=binning)
    assert curve.count.sum() == len(scores)
    assert (curve.count > 0).all()
    np.testing.assert_allclose(np.average(curve.predicted, weights=curve.count), scores.mean())
    np.testing.assert_allclose(np.average(curve.observed, weights=curve.count), labels.mean())
    assert (curve.lower <= curve.observed).all()
    assert (curve.observed <= curve.upper).all()
    assert (curve.left <= curve.predicted + 1e-12).all()
    assert (curve.predicted <= curve.right + 1e-12).all()


@quick
@given(seeds, st.integers(1, 20))
def test_l1_l2_and_max_errors_are_ordered(seed, n_bins):
    scores, labels = events(seed)
    l1, l2, most = (
        expected_calibration_error(labels, scores, n_bins=n_bins, norm=norm)
        for norm in ("l1", "l2", "max")
    )
    assert 0 <= l1 <= l2 + 1e-15 <= most + 1e-14 <= 1 + 1e-14


@quick
@given(seeds)
def test_the_order_of_the_rows_does_not_matter(seed):
    scores, labels = events(seed, tied=seed % 2 == 0)
    turned = np.random.default_rng(seed).permutation(len(scores))
    for measure in (log_loss, brier_score, expected_calibration_error):
        np.testing.assert_allclose(
            measure(labels[turned], scores[turned]), measure(labels, scores), rtol=1e-12
        )
    for make in (PlattScaling, TemperatureScaling, BetaCalibration, IsotonicCalibration):
        conventions = {"on": "log-odds"} if make is TemperatureScaling else {}
        one = make(**conventions).fit(scores, labels).predict(scores)
        two = make(**conventions).fit(scores[turned], labels[turned]).predict(scores)
        np.testing.assert_allclose(two, one, rtol=1e-9)


@quick
@given(seeds)
def test_fitted_parameters_maximise_the_likelihood(seed):
    scores, labels = events(seed)
    for calibration, names in (
        (PlattScaling(on="log-odds"), ("slope_", "intercept_")),
        (PlattScaling(), ("slope_", "intercept_")),
        (TemperatureScaling(on="log-odds"), ("temperature_",)),
        (BetaCalibration(), ("a_", "b_", "c_")),
    ):
        calibration.fit(scores, labels)
        best = log_loss(labels, calibration.predict(scores))
        for name in names:
            fitted = getattr(calibration, name)
            for nudge in (-1e-3, 1e-3):
                if name in ("a_", "b_") and fitted + nudge < 0:
                    continue
                setattr(calibration, name, fitted + nudge)
                assert log_loss(labels, calibration.predict(scores)) >= best - 1e-13
            setattr(calibration, name, fitted)


@quick
@given(seeds)
def test_more_parameters_fit_no_worse(seed):
    scores, labels = events(seed)

    def loss(calibration):
        return log_loss(labels, calibration.fit(scores, labels).predict(scores))

    temperature = loss(TemperatureScaling(on="log-odds"))
    platt = loss(PlattScaling(on="log-odds"))
    beta = loss(BetaCalibration())
    assert temperature <= log_loss(labels, scores) + 1e-12
    assert beta <= platt + 1e-12 <= temperature + 2e-12
    isotonic = IsotonicCalibration().fit(scores, labels).predict(scores)
    assert brier_score(labels, isotonic) <= brier_score(labels, scores) + 1e-12


@quick
@given(seeds)
def test_platt_and_isotonic_predictions_average_to_the_base_rate(seed):
    scores, labels = events(seed)
    for calibration in (PlattScaling(), BetaCalibration(), IsotonicCalibration()):
        predicted = calibration.fit(scores, labels).predict(scores)
        np.testing.assert_allclose(predicted.mean(), labels.mean(), rtol=1e-8)


@quick
@given(seeds, st.floats(0.01, 100), st.floats(-50, 50))
def test_platt_does_not_depend_on_the_scale_of_the_scores(seed, factor, shift):
    scores, labels = events(seed)
    one = PlattScaling().fit(scores, labels)
    two = PlattScaling().fit(factor * scores + shift, labels)
    np.testing.assert_allclose(two.slope_ * factor, one.slope_, rtol=1e-6)
    np.testing.assert_allclose(two.predict(factor * scores + shift), one.predict(scores), atol=1e-8)


@quick
@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 1)), min_size=2, max_size=30).filter(
        lambda rows: len({label for _, label in rows}) == 2
    ),
    st.sampled_from(["linear", "step"]),
)
def test_isotonic_never_decreases_and_is_idempotent(rows, between):
    scores, labels = zip(*rows, strict=True)
    isotonic = IsotonicCalibration(interpolation=between).fit(scores, labels)
    grid = isotonic.predict(np.linspace(-4, 4, 81))
    assert (np.diff(grid) >= -1e-15).all()
    assert 0 <= grid.min() <= grid.max() <= 1
    again = IsotonicCalibration().fit(isotonic.predict(scores), labels)
    np.testing.assert_allclose(again.predict(isotonic.predict(scores)), isotonic.predict(scores))


class TestScikitLearn:
    metrics = pytest.importorskip("sklearn.metrics")
    calibration = pytest.importorskip("sklearn.calibration")

    @pytest.mark.parametrize("seed", range(10))
    def test_log_loss_and_brier(self, seed):
        scores, labels = events(seed)
        weights = np.random.default_rng(seed).random(len(labels))
        scores[3] = 0.0
        eps = np.finfo(float).eps
        assert log_loss(labels, scores, clip=eps) == pytest.approx(
            self.metrics.log_loss(labels, scores), abs=1e-8
        )
        assert log_loss(labels, scores, clip=eps, weights=weights) == pytest.approx(
            self.metrics.log_loss(labels, scores, sample_weight=weights), abs=1e-8
        )
        assert brier_score(labels, scores, weights=weights) == pytest.approx(
            self.metrics.brier_score_loss(labels, scores, sample_weight=weights), abs=1e-8
        )

    @pytest.mark.parametrize("tied", [False, True])
    @pytest.mark.parametrize("n_bins", [1, 4, 10, 15])
    @pytest.mark.parametrize(
        ("binning", "strategy"), [("equal-width", "uniform"), ("equal-mass", "quantile")]
    )
    def test_calibration_curve(self, binning, strategy, n_bins, tied):
        scores, labels = events(n_bins, tied=tied)
        observed, predicted = self.calibration.calibration_curve(
            labels, scores, n_bins=n_bins, strategy=strategy
        )
        curve = reliability_curve(labels, scores, n_bins=n_bins, binning=binning)
        np.testing.assert_allclose(curve.observed, observed, atol=1e-8)
        np.testing.assert_allclose(curve.predicted, predicted, atol=1e-8)

    @pytest.mark.parametrize("seed", range(5))
    def test_logistic_regression_without_penalty(self, seed):
        linear = pytest.importorskip("sklearn.linear_model")
        scores, labels = events(seed)
        peer = linear.LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000, solver="newton-cg")
        peer.fit(scores[:, None], labels)
        platt = PlattScaling().fit(scores, labels)
        np.testing.assert_allclose(
            platt.predict(scores), peer.predict_proba(scores[:, None])[:, 1], atol=1e-8
        )

    @pytest.mark.parametrize("seed", range(5))
    def test_smoothed_targets_of_platt(self, seed):
        scores, labels = events(seed)
        # scikit-learn's own fit: sigma(-(A s + B)), to its solver's tolerance.
        a, b = self.calibration._sigmoid_calibration(scores, labels)
        platt = PlattScaling(targets="smoothed").fit(scores, labels)
        assert (platt.slope_, platt.intercept_) == pytest.approx((-a, -b), rel=2e-3, abs=2e-3)

    @pytest.mark.parametrize("tied", [False, True])
    @pytest.mark.parametrize("seed", range(5))
    def test_isotonic_regression(self, seed, tied):
        peers = pytest.importorskip("sklearn.isotonic")
        scores, labels = events(seed, tied=tied)
        peer = peers.IsotonicRegression(out_of_bounds="clip").fit(scores, labels)
        grid = np.concatenate([scores, np.linspace(-0.5, 1.5, 301)])
        np.testing.assert_allclose(
            IsotonicCalibration().fit(scores, labels).predict(grid),
            peer.predict(grid),
            atol=1e-8,
        )


def test_a_large_log_is_fitted_like_a_small_one():
    # Beyond a quarter of a million rows a part of them finds the neighbourhood of the peak.
    scores, labels = events(5, 2000)
    long = PlattScaling().fit(np.tile(scores, 150), np.tile(labels, 150))
    short = PlattScaling().fit(scores, labels)
    assert (long.slope_, long.intercept_) == pytest.approx(
        (short.slope_, short.intercept_), rel=1e-9
    )


def test_exact_intervals_equal_scipy():
    stats = pytest.importorskip("scipy.stats")
    curve = reliability_curve([0] * 13 + [1] * 4, [0.3] * 17, n_bins=1, level=0.9)
    wanted = stats.binomtest(4, 17).proportion_ci(0.9, method="exact")
    assert (curve.lower[0], curve.upper[0]) == pytest.approx((wanted.low, wanted.high))
