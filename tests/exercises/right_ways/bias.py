"""Right answers to the exercises on bias that ask for a function, written by different people."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np

from recsys_metrics.bias import fairness, off_policy, propensity


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
    return float(off_policy.ips(rewards, propensities, target, weights="clipped", cap=cap))


def rounded(rewards, propensities, target, cap):
    return round(by_loop(rewards, propensities, target, cap), 4)


def mean_by_people(stars, rated, people):
    return sum(s * n for s, n in zip(stars, people, strict=True)) / sum(people)


def mean_in_numpy(stars, rated, people):
    chance = np.divide(rated, people)
    return np.average(stars, weights=np.array(rated) / chance)


def mean_by_filling_in(stars, rated, people):
    total = 0
    for s, n in zip(stars, people, strict=True):
        total += s * n
    return Fraction(total, sum(people))


def mean_rounded(stars, rated, people):
    return round(float(np.dot(stars, people)) / sum(people), 4)


def ips_by_loop(rewards, propensities, target):
    total = 0.0
    for i in range(len(rewards)):
        total += rewards[i] * target[i] / propensities[i]
    return total / len(rewards)


def ips_in_numpy(rewards, propensities, target):
    return np.mean(np.multiply(rewards, target) / np.array(propensities))


def ips_of_the_library(rewards, propensities, target):
    return off_policy.ips(rewards, propensities, target)


def ips_exactly(rewards, propensities, target):
    weights = [
        Fraction(t).limit_denominator(100) / Fraction(p).limit_denominator(100)
        for t, p in zip(target, propensities, strict=True)
    ]
    return sum(w * r for w, r in zip(weights, rewards, strict=True)) / len(rewards)


def robust_by_loop(rewards, weights, predicted, expected):
    total = 0.0
    for i in range(len(rewards)):
        total += expected[i] + weights[i] * rewards[i] - weights[i] * predicted[i]
    return total / len(rewards)


def robust_in_numpy(rewards, weights, predicted, expected):
    return np.mean(expected) + np.dot(weights, np.subtract(rewards, predicted)) / len(weights)


def robust_in_parts(rewards, weights, predicted, expected):
    by_model = sum(expected)
    by_log = sum(w * (r - q) for w, r, q in zip(weights, rewards, predicted, strict=True))
    return (by_model + by_log) / len(expected)


def robust_exactly(rewards, weights, predicted, expected):
    rounds = zip(rewards, weights, predicted, expected, strict=True)
    return sum(v + Fraction(w) * Fraction(r - q) for r, w, q, v in rounds) / len(rewards)


def weight_by_steps(likes, most, power, floor):
    p = (likes / most) ** power
    if p < floor:
        p = floor
    return 1 / p


def weight_by_cap(likes, most, power, floor):
    if not likes:
        return 1 / floor
    return min((most / likes) ** power, 1 / floor)


def weight_of_the_library(likes, most, power, floor):
    return 1 / propensity.popularity_propensity([most, likes], power=power, floor=floor)[1]


def weight_in_numpy(likes, most, power, floor):
    return 1 / np.maximum(np.power(np.divide(likes, most), power), floor)


def slope_by_pairs(lows, highs):
    for i in range(len(lows)):
        for j in range(i):
            if lows[i] > highs[j] or lows[j] > highs[i]:
                return i - 1
    return len(lows) - 1


def slope_by_shrinking(lows, highs):
    low, high, kept = -np.inf, np.inf, 0
    for i in range(len(lows)):
        low, high = max(low, lows[i]), min(high, highs[i])
        if low > high:
            break
        kept = i
    return kept


def slope_in_numpy(lows, highs):
    return int(np.sum(np.maximum.accumulate(lows) <= np.minimum.accumulate(highs))) - 1


def slope_by_points(lows, highs):
    kept = 0
    for i in range(1, len(lows)):
        point = min(highs[: i + 1])
        if not all(low <= point for low in lows[: i + 1]):
            return kept
        kept += 1
    return kept


def opportunity_by_counting(would_like, shown, group):
    wanted, reached = Counter(), Counter()
    for w, s, name in zip(would_like, shown, group, strict=True):
        wanted[name] += w
        reached[name] += w * s
    rates = [reached[name] / wanted[name] for name in wanted]
    return max(rates) - min(rates)


def opportunity_in_numpy(would_like, shown, group):
    like, got, own = np.array(would_like) == 1, np.array(shown), np.array(group)
    rates = [got[like & (own == name)].mean() for name in np.unique(own)]
    return np.ptp(rates)


def opportunity_of_the_library(would_like, shown, group):
    rates = fairness.equal_opportunity(would_like, shown, group).per_group.values()
    return max(rates) - min(rates)


def opportunity_by_sets(would_like, shown, group):
    rates = set()
    for name in set(group):
        own = [i for i, other in enumerate(group) if other == name and would_like[i]]
        rates.add(Fraction(sum(shown[i] for i in own), len(own)))
    return float(max(rates) - min(rates))


def agreement_completed(real, simulated, half_width):
    agrees = []
    for i in range(len(real)):
        for j in range(i):
            gap, simulated_gap = real[i] - real[j], simulated[i] - simulated[j]
            if abs(gap) > half_width:
                agrees.append(gap * simulated_gap > 0)
    return sum(agrees) / len(agrees)


def agreement_of_signs(real, simulated, half_width):
    same = total = 0
    for (a, s), (b, t) in combinations(zip(real, simulated, strict=True), 2):
        if not -half_width <= a - b <= half_width:
            total += 1
            if (a > b and s > t) or (a < b and s < t):
                same += 1
    return Fraction(same, total)


def agreement_in_numpy(real, simulated, half_width):
    first, second = (np.subtract.outer(each, each) for each in (real, simulated))
    detected = np.abs(first) > half_width
    return np.mean(np.sign(first[detected]) == np.sign(second[detected]))


def agreement_by_better_one(real, simulated, half_width):
    best_first = sorted(zip(real, simulated, strict=True), reverse=True)
    pairs = [
        s > t
        for place, (a, s) in enumerate(best_first)
        for b, t in best_first[place + 1 :]
        if a - b > half_width
    ]
    return pairs.count(True) / len(pairs)


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
    "bias.complete_repaired_mean": [
        mean_by_people,
        mean_in_numpy,
        mean_by_filling_in,
        mean_rounded,
    ],
    "bias.complete_ips": [ips_by_loop, ips_in_numpy, ips_of_the_library, ips_exactly],
    "bias.complete_doubly_robust": [
        robust_by_loop,
        robust_in_numpy,
        robust_in_parts,
        robust_exactly,
    ],
    "bias.complete_weight": [
        weight_by_steps,
        weight_by_cap,
        weight_of_the_library,
        weight_in_numpy,
    ],
    "bias.complete_slope": [
        slope_by_pairs,
        slope_by_shrinking,
        slope_in_numpy,
        slope_by_points,
    ],
    "bias.complete_agreement": [
        agreement_completed,
        agreement_of_signs,
        agreement_in_numpy,
        agreement_by_better_one,
    ],
    "bias.complete_opportunity_gap": [
        opportunity_by_counting,
        opportunity_in_numpy,
        opportunity_of_the_library,
        opportunity_by_sets,
    ],
}
