"""Tests, intervals and CUPED give the same answer in any unit that floats can hold."""

from __future__ import annotations

import numpy as np
import pytest

from recsys_metrics.protocol.online import ab_test, cuped
from recsys_metrics.protocol.significance import (
    bootstrap_interval,
    paired_t_test,
    randomization_test,
    t_interval,
    wilcoxon,
)

# 1, 2 and 6 of the smallest float: mean 3, standard deviation sqrt(7), t = 3 / sqrt(7 / 3).
SMALLEST = 5e-324
SCALES = [2.0**exponent for exponent in (-1000, -800, -450, -400, 0, 400)]


def test_the_t_test_of_the_smallest_floats_is_that_of_1_2_and_6():
    found = paired_t_test([SMALLEST, 2 * SMALLEST, 6 * SMALLEST], [0, 0, 0])
    assert found.statistic == pytest.approx(-3 / np.sqrt(7 / 3), rel=1e-12)
    assert found.p_value == pytest.approx(paired_t_test([1, 2, 6], [0, 0, 0]).p_value, rel=1e-12)
    assert found.gain == -3 * SMALLEST
    assert found.interval.estimate == -3 * SMALLEST


def test_the_t_interval_of_the_smallest_floats_is_rounded_once():
    plain = t_interval([1, 2, 6])
    found = t_interval([SMALLEST, 2 * SMALLEST, 6 * SMALLEST])
    # In units of the smallest float: -3.57 and 9.57, to whole numbers.
    assert [found.low / SMALLEST, found.high / SMALLEST] == np.rint([*plain]).tolist()


@pytest.mark.parametrize("scale", SCALES)
def test_tests_do_not_depend_on_the_unit(scale):
    rng = np.random.default_rng(0)
    old = rng.normal(0.4, 0.2, 12)
    new = old + rng.normal(0.1, 0.2, 12)
    for test in (paired_t_test, wilcoxon, randomization_test):
        scaled = test(old * scale, new * scale)
        assert scaled.p_value == pytest.approx(test(old, new).p_value, rel=1e-9)
        assert scaled.gain == pytest.approx(test(old, new).gain * scale, rel=1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_bca_corrects_for_skew_in_any_unit(scale):
    values = np.exp(np.random.default_rng(0).normal(0, 1.5, 15))
    plain = bootstrap_interval(values, method="bca", n_resamples=500)
    scaled = bootstrap_interval(values * scale, method="bca", n_resamples=500)
    np.testing.assert_allclose([*scaled], scale * np.array([*plain]), rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-130, 1e-20, 1.0, 1e20, 1e130])
def test_cuped_reads_covariates_in_different_units(scale):
    rng = np.random.default_rng(0)
    past = rng.normal(10, 3, (40, 2))
    now = past.sum(axis=1) + rng.normal(0, 1, 40)
    known = {"control_before": past[:20], "treatment_before": past[20:]}
    plain = cuped(now[:20], now[20:], **known)
    unit = np.array([1.0, scale])
    found = cuped(now[:20], now[20:], **{name: each * unit for name, each in known.items()})
    assert found.variance_ratio == pytest.approx(plain.variance_ratio, rel=1e-6)
    np.testing.assert_allclose(found.control, plain.control, rtol=1e-6)
    np.testing.assert_allclose(found.weights * unit, plain.weights, rtol=1e-6)


def test_a_covariate_that_rounding_alone_moves_explains_nothing():
    before = {"control_before": [0.1, 0.1, 0.1], "treatment_before": [0.1, 0.1, 0.1]}
    with pytest.raises(ValueError, match=r"is 0\.1 for every user of a group"):
        cuped([1, 2, 3], [2, 3, 5], **before)


def test_a_ratio_does_not_depend_on_the_unit_of_its_parts():
    rng = np.random.default_rng(0)
    clicks, views = rng.poisson(5, 60), rng.poisson(9, 60) + 1

    def test(up, down):
        values = [clicks[:30] * up, clicks[30:] * up]
        return ab_test(*values, control_per=views[:30] * down, treatment_per=views[30:] * down)

    assert test(1e50, 1e-50).gain.p_value == pytest.approx(test(1, 1).gain.p_value, rel=1e-9)
