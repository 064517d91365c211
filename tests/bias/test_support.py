"""An estimate says so where its log cannot tell what the policy would earn."""

from __future__ import annotations

import numpy as np
import pytest

from recsys_metrics.bias.off_policy import (
    direct_method,
    estimates,
    ips,
    snips,
    weight_diagnostics,
)

N = 2000
POLICY = np.tile([0.1, 0.1, 0.8], (N, 1))


def log_without_action_2():
    rng = np.random.default_rng(0)
    actions = rng.integers(0, 2, N)
    rewards = (rng.random(N) < np.array([0.2, 0.4])[actions]).astype(float)
    return rewards, actions, np.full(N, 0.5)


def fair_log(seed=0, low=0.2):
    rng = np.random.default_rng(seed)
    logging = np.array([low, 0.5 - low / 2, 0.5 - low / 2])
    actions = rng.choice(3, N, p=logging)
    return (rng.random(N) < 0.3).astype(float), actions, logging[actions]


def test_actions_that_the_log_never_shows_are_named_with_their_share():
    rewards, actions, propensities = log_without_action_2()
    found = estimates(rewards, actions, propensities, POLICY, np.full((N, 3), 0.3))
    for name in ("ips", "snips", "doubly_robust"):
        text = " ".join(repr(found[name]).split())
        assert "gives 80% of its probability to actions that the log never shows" in text
        assert "mean importance weight is 0.2, 95% CI 0.2 to 0.2, which excludes 1" in text
    # A model speaks for every action.
    assert found["direct_method"].warnings == ()


def test_columns_alone_show_it_by_the_mean_weight():
    rewards, actions, propensities = log_without_action_2()
    target = POLICY[np.arange(N), actions]
    for estimate in (
        ips(rewards, propensities, target),
        ips(rewards, propensities, target, weights="clipped", cap=0.1),
        snips(rewards, propensities, target),
    ):
        (warning,) = estimate.warnings
        assert "takes actions that the log could not show, or the propensities are wrong" in warning
    diagnostics = weight_diagnostics(propensities, target)
    assert diagnostics.warnings[0] in str(diagnostics)
    assert "mean weight            0.200 [0.200, 0.200]" in str(diagnostics)


def test_wrong_propensities_show_as_well():
    rewards, actions, propensities = fair_log()
    assert ips(rewards, propensities * 0.8, POLICY[np.arange(N), actions]).warnings


def test_a_log_that_supports_the_policy_is_rarely_warned_of():
    warned = 0
    for seed in range(100):
        rewards, actions, propensities = fair_log(seed, low=0.3)
        target = np.array([0.3, 0.3, 0.4])[actions]
        estimate = ips(rewards, propensities, target)
        warned += bool(estimate.warnings)
        # A cap lowers the mean of the weights by design, and that is no sign of anything.
        clipped = ips(rewards, propensities, target, weights="clipped", cap=0.9)
        assert clipped.warnings == estimate.warnings
    assert warned <= 12  # 5 of 100 are expected from a 95% interval
    assert ips([1, 0], [0.5, 0.5], [0.5, 0.5]).warnings == ()
    assert ips([1], [0.5], [0.1]).warnings == ()


def test_a_rare_action_of_a_large_catalogue_is_not_worth_a_word():
    rng = np.random.default_rng(0)
    policy = np.full((500, 2000), 1 / 2000)
    policy[:, :10] += 1.0
    policy /= policy.sum(axis=1, keepdims=True)
    actions = rng.integers(0, 10, 500)
    rewards = rng.random(500)
    found = estimates(rewards, actions, np.full(500, 0.1), policy, estimators="ips")["ips"]
    share = policy[:, 10:].sum() / 500
    assert ("never shows" in repr(found)) == (share > 0.01)


def test_a_table_is_warned_of_too():
    pl = pytest.importorskip("polars")
    from recsys_metrics.frames import off_policy

    rewards, actions, propensities = log_without_action_2()
    target = POLICY[np.arange(N), actions]
    frame = pl.DataFrame({"reward": rewards, "propensity": propensities, "target": target})
    expected = ips(rewards, propensities, target)
    found = off_policy(frame, estimators=["ips", "clipped_ips"], cap=0.1)
    for estimate in found.values():
        assert estimate.warnings == expected.warnings
    fair = direct_method(np.full((4, 2), 0.5), np.full((4, 2), 0.5))
    assert fair.warnings == ()


def test_a_few_rounds_with_most_of_the_weight_are_mentioned():
    # VowpalWabbit/coba#38: a tiny propensity. SNIPS gave 0.9991 ± 0.0009 without a word.
    rewards = (np.arange(1000) % 10 == 0) * 1.0
    propensities = np.full(1000, 0.1)
    propensities[0] = 1e-7
    target = np.full(1000, 0.1)
    for found in (
        snips(rewards, propensities, target),
        ips(rewards, propensities, target),
        weight_diagnostics(propensities, target),
    ):
        assert "The effective sample size of the 1,000 rounds is 1:" in found.warnings[-1]
    propensities[0] = 0.05
    assert snips(rewards, propensities, target).warnings == ()
    # A short log is short for everybody to see.
    assert snips([1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2]).warnings == ()
