"""DRos and the sub-Gaussian estimators: values of the Open Bandit Pipeline, limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics.bias.off_policy import (
    direct_method,
    doubly_robust,
    effective_sample_size,
    ips,
)

# Four rounds with weights 1.2, 0.8, 6, 0.8, on which the Open Bandit Pipeline was run.
PROPENSITIES, TARGET = [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2]
LOG = [1, 0, 1, 1], PROPENSITIES, TARGET
POLICY, MODEL = np.tile([0.6, 0.2, 0.2], (4, 1)), np.tile([0.5, 0.2, 0.3], (4, 1))
FULL = [1, 0, 1, 1], [0, 1, 0, 2], PROPENSITIES, POLICY, MODEL


def test_value_of_the_open_bandit_pipeline():
    assert doubly_robust(*FULL, weights="shrinkage", shrinkage=2).value == pytest.approx(
        0.602441, abs=1e-6
    )


def test_values_computed_by_hand():
    weights = np.array([1.2, 0.8, 6.0, 0.8])
    half = weights / (0.5 + 0.5 * weights)
    found = ips(*LOG, weights="sub-gaussian", shrinkage=0.5)
    assert found.value == pytest.approx((half * [1, 0, 1, 1]).mean())
    assert found.effective_sample_size == pytest.approx(effective_sample_size(half))
    missed = np.array([0.5, -0.2, 0.5, 0.7])
    with_model = doubly_robust(*FULL, weights="sub-gaussian", shrinkage=0.5).value
    assert with_model == pytest.approx(0.4 + (half * missed).mean())


def test_shrinkage_of_0_and_infinity_gives_the_limiting_estimators():
    full = doubly_robust(*FULL).value
    assert doubly_robust(*FULL, weights="shrinkage", shrinkage=math.inf).value == pytest.approx(
        full
    )
    assert doubly_robust(*FULL, weights="shrinkage", shrinkage=1e12).value == pytest.approx(full)
    model = direct_method(POLICY, MODEL).value
    assert doubly_robust(*FULL, weights="shrinkage", shrinkage=0).value == pytest.approx(model)
    assert doubly_robust(*FULL, weights="sub-gaussian", shrinkage=0).value == pytest.approx(full)
    assert ips(*LOG, weights="sub-gaussian", shrinkage=0).value == pytest.approx(ips(*LOG).value)
    assert ips(*LOG, weights="sub-gaussian", shrinkage=1).value == pytest.approx(0.75)
    # A reward the policy never earns weighs nothing, however it is shrunk.
    assert ips([1, 1], [0.5, 0.5], [0, 1], weights="sub-gaussian", shrinkage=1).value == 0.5


def test_shrunk_weights_vary_less():
    rng = np.random.default_rng(0)
    logged, wanted = rng.uniform(0.005, 1, 4_000), rng.uniform(0, 1, 4_000)
    rewards = rng.random(4_000) < 0.3
    errors = [
        ips(rewards, logged, wanted, weights="sub-gaussian", shrinkage=s).standard_error
        for s in (0, 0.01, 0.1, 1)
    ]
    assert errors == sorted(errors, reverse=True)


def test_invalid_shrinkage_raises():
    with pytest.raises(ValueError, match="shrinkage is 0 or more; got -1"):
        doubly_robust(*FULL, weights="shrinkage", shrinkage=-1)
    with pytest.raises(ValueError, match="from 0 to 1; got 2"):
        ips(*LOG, weights="sub-gaussian", shrinkage=2)
