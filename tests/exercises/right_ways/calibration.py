"""Right answers to the exercises of calibration that ask for a function."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import groupby, pairwise

import numpy as np

from recsys_metrics import calibration as cal

# Expected calibration error ------------------------------------------------------------------


def ece_by_dictionary(labels, probabilities, n_bins):
    bins = defaultdict(list)
    for label, p in zip(labels, probabilities, strict=True):
        bins[min(int(p * n_bins), n_bins - 1)].append((label, p))
    total = 0
    for events in bins.values():
        happened = sum(label for label, _ in events) / len(events)
        said = sum(p for _, p in events) / len(events)
        total += len(events) / len(labels) * abs(happened - said)
    return total


def ece_in_numpy(labels, probabilities, n_bins):
    y, p = np.array(labels, dtype=float), np.array(probabilities)
    which = np.minimum((p * n_bins).astype(int), n_bins - 1)
    return np.abs(np.bincount(which, p - y)).sum() / len(y)


def ece_by_edges(labels, probabilities, n_bins):
    # Bins that hold their right end, as many libraries cut.
    y, p = np.array(labels), np.array(probabilities)
    edges = np.linspace(0, 1, n_bins + 1)
    error = 0.0
    for low, high in pairwise(edges):
        inside = (p > low) & (p <= high)
        if inside.any():
            error += inside.mean() * abs(y[inside].mean() - p[inside].mean())
    return np.float32(error)


def ece_by_sorting(labels, probabilities, n_bins):
    def place(event):
        return min(int(event[0] * n_bins), n_bins - 1)

    events = sorted(zip(probabilities, labels, strict=True), key=place)
    gaps = [abs(sum(p - y for p, y in group)) for _, group in groupby(events, key=place)]
    return round(sum(gaps) / len(events), 5)


def ece_of_the_library(labels, probabilities, n_bins=10):
    return cal.expected_calibration_error(labels, probabilities, n_bins=n_bins)


# Isotonic regression -------------------------------------------------------------------------


def isotonic_by_stack(labels, place):
    stack = []
    for label in labels:
        ones, size = label, 1
        while stack and stack[-1][0] / stack[-1][1] > ones / size:
            more, many = stack.pop()
            ones, size = ones + more, size + many
        stack.append((ones, size))
    return [ones / size for ones, size in stack for _ in range(size)][place]


def isotonic_by_repeating(labels, place):
    pools = [[label] for label in labels]
    changed = True
    while changed:
        changed = False
        for i in range(len(pools) - 1):
            if np.mean(pools[i]) > np.mean(pools[i + 1]):
                pools[i : i + 2] = [pools[i] + pools[i + 1]]
                changed = True
                break
    return np.concatenate([np.full(len(pool), np.mean(pool)) for pool in pools])[place]


def isotonic_by_highest_of_lowest(labels, place):
    # The closed form: the highest over starts of the lowest mean over ends.
    return max(
        min(
            Fraction(sum(labels[start:end]), end - start)
            for end in range(place + 1, len(labels) + 1)
        )
        for start in range(place + 1)
    )


def isotonic_by_slope(labels, place):
    # The slopes of the greatest convex curve under the running sum.
    total = np.concatenate([[0], np.cumsum(labels)])
    at = 0
    while True:
        slopes = [(total[end] - total[at]) / (end - at) for end in range(at + 1, len(total))]
        longest = max(i for i, slope in enumerate(slopes) if slope <= min(slopes) + 1e-12)
        if place < at + longest + 1:
            return slopes[longest]
        at += longest + 1


def isotonic_of_scipy(labels, place):
    from scipy.optimize import isotonic_regression

    return isotonic_regression(labels).x[place]


def isotonic_of_the_library(labels, place):
    if len(set(labels)) == 1:
        return labels[0]
    scores = list(range(len(labels)))
    return round(cal.IsotonicCalibration().fit(scores, labels).predict(scores)[place], 4)


RIGHT_WAYS = {
    "calibration.write_ece": [
        ece_by_dictionary,
        ece_in_numpy,
        ece_by_edges,
        ece_by_sorting,
        ece_of_the_library,
    ],
    "calibration.write_isotonic": [
        isotonic_by_stack,
        isotonic_by_repeating,
        isotonic_by_highest_of_lowest,
        isotonic_by_slope,
        isotonic_of_scipy,
        isotonic_of_the_library,
    ],
}
