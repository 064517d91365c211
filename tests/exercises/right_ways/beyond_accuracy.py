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


# One line to complete -------------------------------------------------------------------------


def curve_completed(counts):
    before, area = 0.0, 0.0
    for count in sorted(counts):
        after = before + count / sum(counts)
        area += (before + after) / 2 / len(counts)
        before = after
    return 1 - 2 * area


def diversity_completed(similarity):
    n = len(similarity)
    total = sum(1 - similarity[i][j] for i in range(n) for j in range(i))
    return total / (n * (n - 1) / 2)


def diversity_by_pairs(similarity):
    pairs = list(combinations(range(len(similarity)), 2))
    return sum(1 - similarity[i][j] for i, j in pairs) / len(pairs)


def diversity_in_numpy(similarity):
    table = np.array(similarity)
    return 1 - table[np.triu_indices(len(table), 1)].mean()


def diversity_of_the_whole_table(similarity):
    table, n = np.array(similarity), len(similarity)
    return (1 - table).sum() / (n * n - n)


def diversity_exactly(similarity):
    distances = [
        1 - Fraction(similarity[i][j]).limit_denominator(100)
        for i, j in combinations(range(len(similarity)), 2)
    ]
    return sum(distances) / len(distances)


def worth_completed(score, alike, variety):
    nearest = max(alike, default=0)
    return (1 - variety) * score - variety * nearest


def worth_by_loop(score, likenesses, weight):
    nearest = 0
    for likeness in likenesses:
        if likeness > nearest:
            nearest = likeness
    return score - weight * (score + nearest)


def worth_by_sorting(score, alike, variety):
    nearest = sorted([0, *alike])[-1]
    return (1 - variety) * score - variety * nearest


def worth_in_numpy(score, alike, variety):
    return np.dot([1 - variety, -variety], [score, np.max([*alike, 0])])


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
    "beyond_accuracy.complete_gini": [
        curve_completed,
        gini_by_gaps,
        gini_by_places,
        gini_under_the_curve,
        gini_in_numpy,
        gini_exactly,
    ],
    "beyond_accuracy.complete_diversity": [
        diversity_completed,
        diversity_by_pairs,
        diversity_in_numpy,
        diversity_of_the_whole_table,
        diversity_exactly,
    ],
    "beyond_accuracy.complete_mmr": [
        worth_completed,
        worth_by_loop,
        worth_by_sorting,
        worth_in_numpy,
    ],
}
