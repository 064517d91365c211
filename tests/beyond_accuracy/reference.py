"""The measures as their definitions say, one pair of items at a time, in plain Python."""

from __future__ import annotations

import math
from itertools import combinations


def cosine(a, b):
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def jaccard(a, b):
    return len(a & b) / len(a | b)


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else math.nan


def diversity(items, similarity):
    return mean(1 - similarity(a, b) for a, b in combinations(items, 2))


def personalization(lists):
    return 1 - mean(len(set(a) & set(b)) / len(a) for a, b in combinations(lists, 2))


def gini(counts):
    return sum(abs(a - b) for a in counts for b in counts) / (2 * len(counts) * sum(counts))


def serendipity(items, relevant, baseline, k):
    return sum(i in relevant and i not in baseline[:k] for i in items[:k]) / k


def unexpectedness(items, history, features, relevant=None, reading="distance"):
    distance = {i: mean(1 - cosine(features[i], features[h]) for h in set(history)) for i in items}
    if reading == "relevant-only":
        return mean(distance[i] for i in items if i in relevant)
    if reading == "times-relevance":
        return mean(distance[i] if i in relevant else 0 for i in items)
    return mean(distance.values())


def self_information(items, counts, n_users, unseen):
    counts = {i: counts.get(i, 0) for i in items}
    if unseen == "drop":
        items = [i for i in items if counts[i]]
    return mean(-math.log2((counts[i] or 1) / n_users) for i in items)


def divergence(p, q, alpha):
    total = 0.0
    for wanted, given in zip(p, q, strict=True):
        mixed = (1 - alpha) * given + alpha * wanted
        total += wanted * math.log2(wanted / mixed) if wanted else 0.0
    return total
