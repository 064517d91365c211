"""Right answers to the exercises of calibration that ask for a function."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import groupby, pairwise
from math import exp, tanh

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


# One line to complete -------------------------------------------------------------------------


def bins_completed(predicted, observed, events):
    total = 0.0
    for p, share, n in zip(predicted, observed, events, strict=True):
        gap = abs(p - share)
        total += gap * n / sum(events)
    return total


def bins_in_numpy(predicted, observed, events):
    return np.average(np.abs(np.subtract(predicted, observed)), weights=events)


def bins_divided_last(predicted, observed, events):
    total = 0
    for b in range(len(predicted)):
        total += events[b] * abs(observed[b] - predicted[b])
    return total / sum(events)


def bins_exactly(predicted, observed, events):
    total = Fraction(0)
    for p, share, n in zip(predicted, observed, events, strict=True):
        gap = Fraction(p).limit_denominator(100) - Fraction(share).limit_denominator(100)
        total += n * abs(gap)
    return total / sum(events)


def step_completed(x, clicked, a, b):
    total = 0.0
    for z, y in zip(x, clicked, strict=True):
        residual = y - 1 / (1 + exp(-(a * z + b)))
        total += residual * z
    return a + total / len(x)


def step_in_numpy(x, clicked, a, b):
    z = np.array(x)
    p = 1 / (1 + np.exp(-a * z - b))
    return a + ((np.array(clicked) - p) * z).mean()


def step_by_tanh(x, clicked, a, b):
    shares = [(1 + tanh((a * z + b) / 2)) / 2 for z in x]
    return a + sum((y - p) * z for z, y, p in zip(x, clicked, shares, strict=True)) / len(x)


def step_against_the_gradient(x, clicked, a, b):
    gradient = 0
    for z, y in zip(x, clicked, strict=True):
        p = exp(a * z + b) / (1 + exp(a * z + b))
        gradient += (p - y) * z
    return a - gradient / len(x)


def people_completed(excess, ratings, drawn):
    total = 0.0
    for b in range(len(excess[0])):
        gap = sum(excess[who][b] for who in drawn)
        total += abs(gap)
    return total / sum(ratings[who] for who in drawn)


def people_in_numpy(excess, ratings, drawn):
    rows = np.array(excess)[drawn]
    return np.abs(rows.sum(axis=0)).sum() / np.array(ratings)[drawn].sum()


def people_by_counts(excess, ratings, drawn):
    times = np.bincount(drawn, minlength=len(ratings))
    return np.abs(times @ np.array(excess)).sum() / (times @ np.array(ratings))


def people_by_columns(excess, ratings, drawn):
    gaps = [abs(sum(column)) for column in zip(*(excess[who] for who in drawn), strict=True)]
    return sum(gaps) / sum(ratings[who] for who in drawn)


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
    "calibration.complete_ece": [
        bins_completed,
        bins_in_numpy,
        bins_divided_last,
        bins_exactly,
    ],
    "calibration.complete_step": [
        step_completed,
        step_in_numpy,
        step_by_tanh,
        step_against_the_gradient,
    ],
    "calibration.complete_resample": [
        people_completed,
        people_in_numpy,
        people_by_counts,
        people_by_columns,
    ],
}
