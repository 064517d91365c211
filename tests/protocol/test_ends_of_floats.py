"""Levels and values at the ends of what a float holds: a value, or a message with a cure."""

from __future__ import annotations

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics.bias import off_policy
from recsys_metrics.bias.fairness import by_group, fa_ir_test
from recsys_metrics.evaluation import gate, hypervolume
from recsys_metrics.protocol import online, significance

VALUES = [1.0, 2, 3, 4, 5]
MANY = VALUES * 10
NEAR_ONE = 1 - 1e-16


@pytest.mark.parametrize(
    "interval",
    [
        lambda level: significance.t_interval(VALUES, level=level),
        lambda level: significance.mean_interval(VALUES, level=level),
        lambda level: significance.gain_interval(VALUES, VALUES[::-1], level=level),
        lambda level: significance.bootstrap_interval(VALUES, level=level),
        lambda level: significance.proportion_interval(1, 10, level=level),
        lambda level: significance.tukey_hsd({"a": VALUES, "b": [1, 4, 2, 2, 9]}, level=level),
        lambda level: online.ab_test(MANY, MANY[1:], level=level),
        lambda level: online.quantile_test(MANY, MANY, quantile=0.5, level=level),
    ],
)
def test_a_level_whose_tails_are_not_known_is_refused(interval):
    with pytest.raises(ValueError, match=r"level is 0.9999999999999999.* give a lower one"):
        interval(NEAR_ONE)
    assert interval(0.95)


@pytest.mark.parametrize(
    "test",
    [
        lambda alpha: online.non_inferiority_test(MANY, MANY[1:], margin=0.3, alpha=alpha),
        lambda alpha: online.equivalence_test(MANY, MANY[1:], margin=0.3, alpha=alpha),
        lambda alpha: online.sample_ratio([10, 10], alpha=alpha),
        lambda alpha: online.sample_size(1.0, sd=1.0, alpha=alpha),
        lambda alpha: significance.minimum_detectable_effect(sd=1.0, n=100, alpha=alpha),
        lambda alpha: fa_ir_test([[True, False]], share=0.5, alpha=alpha, adjust=False),
    ],
)
def test_an_alpha_whose_tails_are_not_known_is_refused(test):
    with pytest.raises(ValueError, match="the tails of a test are not known below 1e-15"):
        test(1e-16)
    assert test(0.05)


def test_the_critical_value_is_finite_at_the_highest_level():
    found = significance.t_interval(VALUES, level=1 - 2e-15)
    assert np.isfinite([*found, found.critical]).all()


@pytest.mark.parametrize("test", [significance.friedman, significance.tukey_hsd])
def test_values_too_large_to_square_are_not_missing(test):
    columns = {"a": [1e200, 1, 2], "b": [0, 1, 2.0], "c": [3.0, 1, 2]}
    for missing in ("raise", "omit"):
        with pytest.raises(ValueError, match=r"too large to square; divide all values by one"):
            test(columns, missing=missing)
    with pytest.raises(ValueError, match=r"is nan, not a finite number; pass missing='omit'"):
        test(columns | {"a": [np.nan, 1, 2]})
    with pytest.raises(ValueError, match=r"is inf, not a finite number$"):
        test(columns | {"a": [np.inf, 1, 2]})


def test_a_sum_that_is_no_float_names_the_cure():
    with pytest.raises(ValueError, match=r"so large that a sum of them is no float; divide them"):
        significance.bootstrap_interval([1e308] * 5)
    with pytest.raises(ValueError, match=r"so large that a sum of them is no float; divide them"):
        significance.bootstrap_interval([1e308, -1e308] * 5)
    assert significance.bootstrap_interval([1e308] * 5, statistic="median").low == 1e308


@pytest.mark.parametrize(
    ("points", "reference"),
    [([[1e200, 1e200]], [0, 0]), ([[1e308, 1]], [-1e308, 0]), ([[1e200] * 3] * 2, [0, 0, 0])],
)
def test_a_volume_that_is_no_float_names_the_cure(points, reference):
    with pytest.raises(ValueError, match=r"the volume is no float; divide each goal"):
        hypervolume(points, reference=reference)
    assert hypervolume([[1e200, 1e-200]], reference=[0, 0]) == pytest.approx(1)


@pytest.mark.parametrize("treatment", [1.0, 2.0])
def test_an_interval_without_width_allows_no_conclusion(treatment):
    test = online.quantile_test([1.0] * 100, [treatment] * 100, quantile=0.5)
    assert test.conclusion is None
    assert str(test).startswith("no conclusion: the interval of the difference has no width")
    assert "compare a value that varies" in str(test)
    with pytest.raises(ValueError, match="there is nothing to decide: the interval of the"):
        test.decide(margin=0.1, guardrails={})


@pytest.mark.parametrize("correction", ["bonferroni", "sidak"])
def test_a_corrected_level_whose_tails_are_not_known_is_refused(correction):
    relevant = {user: {1} for user in range(30)}
    old = rm.evaluate({user: [2, 1] for user in relevant}, relevant, ["ndcg@2", "recall@1"])
    new = rm.evaluate({user: [1, 2] for user in relevant}, relevant, ["ndcg@2", "recall@1"])
    rules = {"ndcg@2": 0.1, "recall@1": 0.1}
    with pytest.raises(ValueError, match=r"level is 0.999999999999999\d, .* give a lower one"):
        gate(new, old, rules=rules, level=1 - 1.2e-15, correction=correction, power=0.8)


def test_tiny_values_vary_as_much_as_others_of_their_size():
    values, large = np.array([1e-200, 2e-200, 3e-200]), np.array([1.0, 2, 3])
    tiny, usual = significance.mean_interval(values), significance.mean_interval(large)
    assert [*tiny] == pytest.approx([end * 1e-200 for end in usual], rel=1e-12, abs=0)
    for level in (0.1, 1e-9, 1e-20):
        with pytest.raises(ValueError, match="all 3 users have the same value"):
            significance.mean_interval([level] * 3)


@pytest.mark.parametrize("users", [None, ["a", "a", "b", "c"]])
@pytest.mark.parametrize("estimator", [off_policy.ips, off_policy.snips])
def test_tiny_rewards_have_a_standard_error(estimator, users):
    rewards, log = np.array([1.0, 2, 3, 5]), ([0.5] * 4, [0.5, 0.4, 0.3, 0.1])
    usual = estimator(rewards, *log, users=users).standard_error
    tiny = estimator(rewards * 1e-200, *log, users=users).standard_error
    large = estimator(rewards * 1e200, *log, users=users).standard_error
    assert tiny == pytest.approx(usual * 1e-200, rel=1e-12, abs=0)
    assert large == pytest.approx(usual * 1e200, rel=1e-12)


def test_tiny_weights_have_an_interval_of_their_mean():
    tiny = off_policy.weight_diagnostics([1.0] * 3, [1e-200, 2e-200, 3e-200]).mean_interval
    usual = off_policy.weight_diagnostics([1.0] * 3, [0.1, 0.2, 0.3]).mean_interval
    assert tiny == pytest.approx([end * 1e-199 for end in usual], rel=1e-12, abs=0)


def test_a_volume_too_small_for_a_float_names_the_cure():
    with pytest.raises(ValueError, match=r"too small for a float; multiply each goal"):
        hypervolume([[1e-200, 1e-200]], reference=[0, 0])
    assert hypervolume([[0, 1e-200]], reference=[0, 0]) == 0


@pytest.mark.parametrize(
    "resampled",
    [
        lambda n, level: significance.bootstrap_interval(VALUES, n_resamples=n, level=level),
        lambda n, level: off_policy.ips(VALUES, [0.5] * 5, 0.5).interval(level, n_resamples=n),
        lambda n, level: by_group(
            lambda rows: float(np.sum(rows)), list("aabb"), n_resamples=n, level=level
        ),
    ],
)
def test_an_interval_needs_a_resample_in_each_tail(resampled):
    assert resampled(40, 0.95)
    assert resampled(20, 0.9)
    for n, level, least in ((1, 0.95, "40"), (39, 0.95, "40"), (100, 0.999, "2,000")):
        with pytest.raises(ValueError, match=rf"n_resamples is {n}, and each tail .* {least} or"):
            resampled(n, level)


def test_a_look_without_a_finite_gain_or_an_error_above_0_is_named():
    for error in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match=rf"standard_error is {error:g}; a standard error is"):
            online.always_valid_interval(0.1, error, expected_gain=0.1)
    with pytest.raises(ValueError, match=r"gain\[1\] is nan; a gain is finite"):
        online.always_valid_interval([0.1, np.nan], [0.1, 0.1], expected_gain=0.1)
