"""Right answers to the exercises that ask for a function, written by different people."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np

from recsys_metrics.protocol.significance import randomization_test

# Leaks ---------------------------------------------------------------------------------------


def leaks_by_minimum(train, test):
    return len([time for time in train if time > min(test)])


def leaks_by_any(train, test):
    count = 0
    for trained in train:
        if any(trained > tested for tested in test):
            count += 1
    return count


def leaks_in_numpy(train, test):
    return (np.array(train)[:, None] > np.array(test)).any(axis=1).sum()


def leaks_by_sorting(train, test):
    ordered, first = sorted(train), sorted(test)[0]
    return len(ordered) - np.searchsorted(ordered, first, side="right")


def leaks_as_float(train, test):
    return float(sum(map(min(test).__lt__, train)))


# The randomization test ----------------------------------------------------------------------


def p_by_patterns(gains):
    patterns = list(product([1, -1], repeat=len(gains)))
    sums = [sum(s * g for s, g in zip(p, gains, strict=True)) for p in patterns]
    return sum(abs(s) >= abs(sum(gains)) for s in sums) / len(sums)


def p_by_bits(gains):
    extreme = 0
    for pattern in range(2 ** len(gains)):
        total = 0
        for place, gain in enumerate(gains):
            total += gain if pattern >> place & 1 else -gain
        extreme += abs(total) >= abs(sum(gains))
    return extreme / 2 ** len(gains)


def p_by_means_in_numpy(gains):
    signs = np.array(list(product([1, -1], repeat=len(gains))))
    means = np.abs(signs @ np.array(gains)) / len(gains)
    return np.mean(means >= abs(np.mean(gains)) - 1e-9)


def p_by_who_is_turned(gains):
    places = range(len(gains))
    turned = [c for size in range(len(gains) + 1) for c in combinations(places, size)]
    far = [abs(sum(gains) - 2 * sum(gains[i] for i in c)) >= abs(sum(gains)) for c in turned]
    return Fraction(sum(far), len(far))


def p_by_sums_so_far(gains):
    sums = [0]
    for gain in gains:
        sums = [s + gain for s in sums] + [s - gain for s in sums]
    return round(sum(abs(s) >= abs(sum(gains)) for s in sums) / len(sums), 4)


def p_of_the_library(gains):
    return randomization_test([0] * len(gains), gains).p_value


RIGHT_WAYS = {
    "protocol.write_leaks": [
        leaks_by_minimum,
        leaks_by_any,
        leaks_in_numpy,
        leaks_by_sorting,
        leaks_as_float,
    ],
    "protocol.write_randomization": [
        p_by_patterns,
        p_by_bits,
        p_by_means_in_numpy,
        p_by_who_is_turned,
        p_by_sums_so_far,
        p_of_the_library,
    ],
}
