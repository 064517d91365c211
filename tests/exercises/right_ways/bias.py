"""Right answers to the exercises on bias that ask for a function, written by different people."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from recsys_metrics.bias import off_policy


def by_loop(rewards, propensities, target, cap):
    total = 0.0
    for i in range(len(rewards)):
        weight = target[i] / propensities[i]
        if weight > cap:
            weight = cap
        total += weight * rewards[i]
    return total / len(rewards)


def in_numpy(rewards, propensities, target, cap):
    weights = np.clip(np.divide(target, propensities), None, cap)
    return np.mean(weights * np.array(rewards))


def by_clipped_propensity(r, p, t, m):
    # The floor that belongs to the cap is the target over it.
    raised = np.maximum(p, np.array(t) / m)
    return np.array(r) @ (np.array(t) / raised) / len(r)


def only_what_was_earned(rewards, propensities, target, cap):
    earned = [i for i, reward in enumerate(rewards) if reward]
    return sum(rewards[i] * min(cap, target[i] / propensities[i]) for i in earned) / len(rewards)


def exactly(rewards, propensities, target, cap):
    weights = [
        min(Fraction(t).limit_denominator(100) / Fraction(p).limit_denominator(100), cap)
        for t, p in zip(target, propensities, strict=True)
    ]
    return sum(w * r for w, r in zip(weights, rewards, strict=True)) / Fraction(len(rewards))


def of_the_library(rewards, propensities, target, cap=5):
    return float(off_policy.clipped_ips(rewards, propensities, target, cap=cap))


def rounded(rewards, propensities, target, cap):
    return round(by_loop(rewards, propensities, target, cap), 4)


RIGHT_WAYS = {
    "bias.write_clipped_ips": [
        by_loop,
        in_numpy,
        by_clipped_propensity,
        only_what_was_earned,
        exactly,
        of_the_library,
        rounded,
    ],
}
