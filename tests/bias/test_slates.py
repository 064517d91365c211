"""Slates, kinds of actions, and a logging policy fitted from its log."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from recsys_metrics.bias import off_policy, propensity
from tests.examples import examples

SEEDS = st.integers(0, 2**32 - 1)


def draw_log(seed, n=7, slots=3):
    """Return rewards, and both policies' chances of each slot given those above it."""
    rng = np.random.default_rng(seed)
    return rng.random((n, slots)), rng.uniform(0.2, 1, (n, slots)), rng.uniform(0, 1, (n, slots))


def define_plainly(rewards, logged, wanted):
    """The definition, slate by slate and slot by slot."""
    total = 0.0
    for reward, p, t in zip(rewards, logged, wanted, strict=True):
        total += sum(r * b / a for r, a, b in zip(reward, p, t, strict=True))
    return total / len(rewards)


@given(SEEDS)
def test_slate_ips_rips_and_iips_equal_their_definitions(seed):
    rewards, logged, wanted = draw_log(seed)
    whole = logged.prod(axis=1), wanted.prod(axis=1)
    top = logged.cumprod(axis=1), wanted.cumprod(axis=1)
    standard = off_policy.slate_ips(rewards, *whole)
    # One reward a slate, one weight a slate: the estimate for single actions.
    assert standard.value == pytest.approx(off_policy.ips(rewards.sum(axis=1), *whole).value)
    assert standard.effective_sample_size == pytest.approx(
        off_policy.effective_sample_size(whole[1] / whole[0])
    )
    assert off_policy.slate_ips(rewards, *top).value == pytest.approx(define_plainly(rewards, *top))
    own = off_policy.slate_ips(rewards, logged, wanted)
    assert own.value == pytest.approx(define_plainly(rewards, logged, wanted))
    low, high = own.interval(method="normal")
    assert low < own.value < high


def every_slate(items, slots):
    return [*itertools.permutations(range(items), slots)]


def test_an_estimator_is_unbiased_only_under_its_reward_assumption():
    # All slates of two of three items, each once, as an even log would have them in the long run.
    slates = every_slate(3, 2)
    rng = np.random.default_rng(1)
    score = rng.dirichlet(np.ones(len(slates)))  # the policy in question: any mix of slates
    even = np.full(len(slates), 1 / len(slates))

    def chances(of, key):
        """Return the chance of what a slate has in common with others."""
        return np.array(
            [sum(p for p, o in zip(of, slates, strict=True) if key(o) == key(s)) for s in slates]
        )

    def columns(of, kind):
        keys = {
            "standard": [lambda s: s, lambda s: s],
            "cascade": [lambda s: s[:1], lambda s: s],
            "independent": [lambda s: s[0], lambda s: s[1]],
        }[kind]
        return np.column_stack([chances(of, key) for key in keys])

    own = (
        np.array([[0.3, 0.6, 0.9][s[0]] for s in slates]),
        np.array([[0.1, 0.5, 0.2][s[1]] for s in slates]),
    )
    below = np.array([0.4 if s == (2, 0) else 0.1 for s in slates])  # hangs on the pair
    above = np.array([0.7 if s[1] == 1 else 0.2 for s in slates])  # the first on the second
    for rewards, right in (
        (np.column_stack(own), {"standard", "cascade", "independent"}),
        (np.column_stack([own[0], below]), {"standard", "cascade"}),
        (np.column_stack([above, own[1]]), {"standard"}),
    ):
        truth = float(score @ rewards.sum(axis=1))
        for kind in ("standard", "cascade", "independent"):
            found = off_policy.slate_ips(rewards, columns(even, kind), columns(score, kind)).value
            assert (found == pytest.approx(truth)) == (kind in right)


@given(SEEDS)
def test_cascade_doubly_robust_by_hand_and_with_a_zero_model(seed):
    rewards, logged, wanted = draw_log(seed)
    top = logged.cumprod(axis=1), wanted.cumprod(axis=1)
    nothing = np.zeros_like(rewards)
    without = off_policy.cascade_doubly_robust(rewards, *top, nothing, nothing)
    assert without.value == pytest.approx(off_policy.slate_ips(rewards, *top).value)
    model, expected = np.random.default_rng(seed + 1).random((2, *rewards.shape))
    found = off_policy.cascade_doubly_robust(rewards, *top, model, expected).value
    total = 0.0
    for i, slot in np.ndindex(*rewards.shape):
        w = top[1][i, slot] / top[0][i, slot]
        before = top[1][i, slot - 1] / top[0][i, slot - 1] if slot else 1.0
        total += w * (rewards[i, slot] - model[i, slot]) + before * expected[i, slot]
    assert found == pytest.approx(total / len(rewards))


def test_a_wrong_model_does_not_bias_the_cascade_estimate():
    # Two slots of two items each; all four slates, as an even log has them in the long run.
    slates = [*itertools.product(range(2), range(2))]
    reward = np.array([[0.2 + 0.5 * a, 0.1 + 0.3 * (a == b)] for a, b in slates])
    first, second = np.array([0.9, 0.1]), np.array([[0.7, 0.3], [0.4, 0.6]])
    wanted = np.array([[first[a], first[a] * second[a, b]] for a, b in slates])
    truth = float(wanted[:, 1] @ reward.sum(axis=1))
    guess = np.random.default_rng(2).random((2, 2, 2))  # slot, first, second
    model = np.array([[guess[0, a, 0], guess[1, a, b]] for a, b in slates])
    expected = np.array([[first @ guess[0, :, 0], second[a] @ guess[1, a]] for a, b in slates])
    logged = np.tile([0.5, 0.25], (4, 1))
    found = off_policy.cascade_doubly_robust(reward, logged, wanted, model, expected)
    assert found.value == pytest.approx(truth)


def test_pseudo_inverse_is_unbiased_for_additive_rewards_only():
    slates = [*itertools.product(range(3), range(2), range(2))]
    rng = np.random.default_rng(3)
    parts = [rng.dirichlet(np.ones(size)) for size in (3, 2, 2)]
    logs = [rng.dirichlet(np.ones(size) * 5) for size in (3, 2, 2)]
    wanted, logged = (
        np.array([[each[slot][item] for slot, item in enumerate(s)] for s in slates])
        for each in (parts, logs)
    )
    added = [rng.random(size) for size in (3, 2, 2)]
    whole = np.array([sum(added[slot][item] for slot, item in enumerate(s)) for s in slates])
    pair = np.array([float(s[:2] == (1, 1)) for s in slates])
    # Each slate as often as the log shows it: a weighted mean in place of many rounds.
    for rewards, is_right in ((whole, True), (pair, False)):
        truth = float(wanted.prod(axis=1) @ rewards)
        terms = [
            off_policy.pseudo_inverse([r], [p], [t]).value
            for r, p, t in zip(rewards, logged, wanted, strict=True)
        ]
        assert (float(logged.prod(axis=1) @ terms) == pytest.approx(truth)) == is_right


@given(SEEDS)
def test_a_slate_of_one_slot_equals_single_action_ips(seed):
    rewards, logged, wanted = draw_log(seed, slots=1)
    single = off_policy.ips(rewards[:, 0], logged[:, 0], wanted[:, 0])
    for found in (
        off_policy.slate_ips(rewards, logged, wanted),
        off_policy.pseudo_inverse(rewards[:, 0], logged, wanted),
    ):
        assert found.value == pytest.approx(single.value)
        assert found.standard_error == pytest.approx(single.standard_error)
        assert found.effective_sample_size == pytest.approx(single.effective_sample_size)


@given(SEEDS)
def test_marginalized_ips_equals_its_definition(seed):
    rng = np.random.default_rng(seed)
    n, n_actions, n_kinds = 9, 5, 3
    logging, policy = rng.dirichlet(np.ones(n_actions), (2, n))
    actions, rewards = rng.integers(n_actions, size=n), rng.random(n)
    chosen = np.arange(n)
    alone = off_policy.marginalized_ips(
        rewards, actions, logging, policy, action_embeddings=np.arange(n_actions)
    )
    own = off_policy.ips(rewards, logging[chosen, actions], policy[chosen, actions])
    assert alone.value == pytest.approx(own.value)
    coming = rng.dirichlet(np.ones(n_kinds), n_actions)
    kinds = rng.integers(n_kinds, size=n)
    found = off_policy.marginalized_ips(rewards, kinds, logging, policy, action_embeddings=coming)
    total = sum(
        r * sum(policy[i] * coming[:, e]) / sum(logging[i] * coming[:, e])
        for i, (r, e) in enumerate(zip(rewards, kinds, strict=True))
    )
    assert found.value == pytest.approx(total / n)


def test_mismatched_shapes_and_categories_raise():
    good = np.full((2, 2), 0.5)
    with pytest.raises(
        ValueError, match=r"target has the shape \(2, 3\); the slates have \(2, 2\)"
    ):
        off_policy.slate_ips(good, good, np.full((2, 3), 0.5))
    with pytest.raises(ValueError, match=r"propensities\[1, 0\] is 0"):
        off_policy.slate_ips(good, [0.5, 0], [0.5, 0.5])
    with pytest.raises(ValueError, match=r"target\[0, 1\] is 1.5"):
        off_policy.slate_ips(good, good, [[0.5, 1.5], [0.5, 0.5]])
    with pytest.raises(ValueError, match="3 rewards and 2 slates"):
        off_policy.pseudo_inverse([1, 2, 3], good, good)
    with pytest.raises(ValueError, match="expected has the shape"):
        off_policy.cascade_doubly_robust(good, good, good, good, [0.5, 0.5])
    with pytest.raises(ValueError, match=r"row 1 of policy sums to 0\.9"):
        off_policy.marginalized_ips(
            [1, 0], [0, 1], good, [[0.5, 0.5], [0.4, 0.5]], action_embeddings=[0, 1]
        )
    with pytest.raises(ValueError, match="action_embeddings describes 3 actions"):
        off_policy.marginalized_ips([1, 0], [0, 1], good, good, action_embeddings=[0, 1, 1])
    with pytest.raises(ValueError, match="propensities"):
        off_policy.marginalized_ips(
            [1, 0], [0, 1], [[1, 0], [1, 0]], good, action_embeddings=[0, 1]
        )


@examples(12)
@given(seed=SEEDS, regularisation=st.sampled_from([0.1, 1.0, 10.0]))
def test_fitted_logging_policy_equals_scikit_learn(seed, regularisation):
    rng = np.random.default_rng(seed)
    seen = rng.normal(0, 1, (60, 2))
    done = np.concatenate([np.arange(3), rng.integers(3, size=57)])
    ours = propensity.fit_logging_policy(seen, done, regularisation=regularisation, n_folds=1)
    theirs = LogisticRegression(C=1 / regularisation, tol=1e-10, max_iter=5_000).fit(seen, done)
    assert np.abs(ours - theirs.predict_proba(seen)).max() < 1e-4


def test_a_logging_policy_is_fitted_out_of_fold():
    rng = np.random.default_rng(4)
    seen, done = rng.normal(0, 1, (50, 3)), rng.integers(3, size=50)
    found = propensity.fit_logging_policy(seen, done, seed=7)
    part = np.random.default_rng(7).permutation(50) % 5
    for each in range(5):
        other = part != each
        weights = LogisticRegression(C=1, tol=1e-10, max_iter=5_000).fit(seen[other], done[other])
        assert np.abs(found[~other] - weights.predict_proba(seen[~other])).max() < 1e-4
    assert np.allclose(found.sum(axis=1), 1)


def test_actions_missing_from_the_log_have_a_column():
    found = propensity.fit_logging_policy([[0.0], [1.0]], [0, 1], n_actions=3, n_folds=1)
    assert found.shape == (2, 3)
    with pytest.raises(ValueError, match="n_actions is a whole number of 2 or more"):
        propensity.fit_logging_policy([[0.0], [1.0]], [0, 1], n_actions=1)
    with pytest.raises(ValueError, match="regularisation is a finite number above 0"):
        propensity.fit_logging_policy([[0.0], [1.0]], [0, 1], regularisation=0)
    with pytest.raises(ValueError, match="features has 1 rounds and actions 2"):
        propensity.fit_logging_policy([[0.0]], [0, 1])
