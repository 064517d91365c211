"""Intervals of off-policy estimates that keep the rounds of a user together."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics.bias.off_policy import (
    cascade_doubly_robust,
    direct_method,
    doubly_robust,
    estimates,
    ips,
    marginalized_ips,
    pseudo_inverse,
    slate_ips,
    snips,
)


def log_of(n, rng):
    return rng.random(n) < 0.3, rng.uniform(0.2, 0.9, n), rng.uniform(0.1, 0.9, n)


def test_the_running_case_by_hand():
    # The mean is 0.5, so the deviations of the four users add up to 1, -1, 1 and -1.
    found = ips([1, 1, 0, 0, 1, 1, 0, 0], [0.5] * 8, [0.5] * 8, users=list("aabbccdd"))
    low, high = found.interval(method="normal")
    error = math.sqrt(4 / 3 * 4 * 1.0**2) / 8
    assert (high - low) / 2 == pytest.approx(1.959964 * error, rel=1e-6)
    assert (low + high) / 2 == pytest.approx(0.5)
    assert found.standard_error == pytest.approx(error)
    assert "from 8 rounds of 4 users" in repr(found)
    assert found.n_users == 4
    assert ips([1, 0], [0.5] * 2, [0.5] * 2).n_users is None


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
def test_users_with_one_round_each_equal_rounds(method):
    rng = np.random.default_rng(0)
    log = log_of(300, rng)
    policy, model = rng.dirichlet(np.ones(3), 300), rng.random((300, 3))
    actions = rng.integers(0, 3, 300)
    slates = [np.column_stack([column] * 2) for column in log]
    logging = rng.dirichlet(np.ones(3), 300)

    def estimate_all(users):
        of = {"users": users}
        return [
            ips(*log, **of),
            snips(*log, weights="clipped", cap=2, **of),
            direct_method(policy, model, **of),
            doubly_robust(log[0], actions, log[1], policy, model, weights="self-normalized", **of),
            slate_ips(*slates, **of),
            slate_ips(*slates, self_normalized=True, **of),
            cascade_doubly_robust(*slates, slates[1], slates[2], **of),
            pseudo_inverse(log[0], slates[1], slates[2], **of),
            marginalized_ips(log[0], actions, logging, policy, action_embeddings=[0, 1, 2], **of),
            *estimates(log[0], actions, log[1], policy, model, cap=2, **of).values(),
        ]

    names = [f"user {at}" for at in range(300)]
    for of_rounds, of_users in zip(estimate_all(None), estimate_all(names), strict=True):
        assert (of_rounds.name, of_rounds.value) == (of_users.name, of_users.value)
        plain, by_user = (each.interval(method=method) for each in (of_rounds, of_users))
        # Rounds that are equal are drawn together, users one by one.
        near = 1e-9 if method == "normal" else 0.1 * (plain[1] - plain[0])
        assert by_user == pytest.approx(plain, abs=near), of_rounds.name


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
def test_neither_the_order_nor_the_names_of_users_matter(method):
    rng = np.random.default_rng(1)
    rewards, propensities, target = log_of(200, rng)
    users, order = rng.integers(0, 30, 200), rng.permutation(200)
    one = snips(rewards, propensities, target, users=users).interval(method=method)
    named = np.array([f"u{7 * user % 31}" for user in users])[order]
    moved = snips(rewards[order], propensities[order], target[order], users=named)
    assert moved.interval(method=method) == pytest.approx(one, rel=1e-12)


def test_repeated_rounds_of_a_user_add_nothing():
    # Each round ten times: an interval over rounds takes that for ten times the evidence.
    rng = np.random.default_rng(2)
    log = log_of(100, rng)
    ten = [np.repeat(column, 10) for column in log]
    once = snips(*log).interval(method="normal")
    users = np.repeat(np.arange(100), 10)
    of_users = snips(*ten, users=users)
    assert of_users.interval(method="normal") == pytest.approx(once, rel=1e-9)
    low, high = snips(*ten).interval(method="normal")
    assert high - low == pytest.approx((once[1] - once[0]) / math.sqrt(10), rel=0.01)


def test_intervals_over_users_contain_the_truth_as_often_as_they_say():
    rng, n_users, hits, over_rounds = np.random.default_rng(3), 80, 0, 0
    for _ in range(300):
        users = np.repeat(np.arange(n_users), rng.integers(1, 12, n_users))
        rewards = rng.random(len(users)) < rng.beta(0.5, 1.5, n_users)[users]
        log = rewards, np.full(len(users), 0.5), np.full(len(users), 0.5)
        low, high = ips(*log, users=users).interval(method="normal")
        hits += low <= 0.25 <= high
        low, high = ips(*log).interval(method="normal")
        over_rounds += low <= 0.25 <= high
    # 95% of 300, less three standard errors; a few percent below is what 80 clusters cost.
    assert hits >= 270
    assert over_rounds < 250


def test_users_that_cannot_be_those_of_the_rounds_are_an_error():
    for users, words in (
        (["a", "b"], "lengths differ: .*users 2"),
        (["a", "a", "a"], "all 3 rounds are of one user, who does not show how users vary"),
        (["a", None, "b"], r"users\[1\] is None, no user; give each visitor"),
    ):
        with pytest.raises(ValueError, match=words):
            ips([1, 0, 1], [0.5] * 3, [0.5] * 3, users=users)
