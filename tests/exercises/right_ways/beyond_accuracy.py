"""Right answers to the exercises that ask for a function, written by different people."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np

from recsys_metrics import beyond_accuracy


def gini_by_gaps(counts):
    n = len(counts)
    total = 0
    for x in counts:
        for y in counts:
            total += abs(x - y)
    return total / (2 * n**2 * (sum(counts) / n))


def gini_by_pairs(counts):
    # Each pair once, so the 2 below the line is gone.
    return sum(abs(a - b) for a, b in combinations(counts, 2)) / (len(counts) * sum(counts))


def gini_by_places(shown):
    ordered = sorted(shown)
    n = len(ordered)
    return sum((2 * i - n - 1) * x for i, x in enumerate(ordered, start=1)) / (n * sum(ordered))


def gini_under_the_curve(counts):
    share = np.concatenate([[0], np.cumsum(np.sort(counts))]) / np.sum(counts)
    area = ((share[1:] + share[:-1]) / 2).mean()
    return (0.5 - area) / 0.5


def gini_in_numpy(counts):
    x = np.asarray(counts, dtype=float)
    return np.abs(x[:, None] - x[None, :]).mean() / (2 * x.mean())


def gini_from_places_of_zero(counts):
    # Places from 0, with the formula that belongs to them.
    ordered, n = np.sort(counts), len(counts)
    return float((2 * np.arange(n) - n + 1) @ ordered / (n * ordered.sum()))


def gini_exactly(counts):
    gaps = sum(abs(a - b) for a in counts for b in counts)
    return Fraction(gaps, 2 * len(counts) * sum(counts))


def gini_rounded(counts):
    return round(gini_by_places(counts), 4)


def gini_of_the_library(counts):
    return beyond_accuracy.gini(counts)


RIGHT_WAYS: dict[str, list] = {
    "beyond_accuracy.write_gini": [
        gini_by_gaps,
        gini_by_pairs,
        gini_by_places,
        gini_under_the_curve,
        gini_in_numpy,
        gini_from_places_of_zero,
        gini_exactly,
        gini_rounded,
        gini_of_the_library,
    ],
}
