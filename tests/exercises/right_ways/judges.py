"""Right answers to the exercises of judges that ask for a function."""

from __future__ import annotations

from fractions import Fraction
from statistics import fmean

import numpy as np

import recsys_metrics as rm
from recsys_metrics.protocol.judges import cohen_kappa, list_validity, replace_faults

# Kappa ------------------------------------------------------------------------------------------


def kappa_completed(human, machine):
    n = len(human)
    observed = sum(h == m for h, m in zip(human, machine, strict=True)) / n
    yes_human, yes_machine = sum(human) / n, sum(machine) / n
    by_chance = yes_human * yes_machine + (1 - yes_human) * (1 - yes_machine)
    return (observed - by_chance) / (1 - by_chance)


def kappa_by_disagreement(human, machine):
    n = len(human)
    apart = Fraction(sum(h != m for h, m in zip(human, machine, strict=True)), n)
    one, other = Fraction(sum(human), n), Fraction(sum(machine), n)
    return 1 - apart / (one * (1 - other) + other * (1 - one))


def kappa_in_numpy(human, machine):
    table = np.histogram2d(human, machine, bins=[[-0.5, 0.5, 1.5]] * 2)[0] / len(human)
    chance = (table.sum(axis=0) * table.sum(axis=1)).sum()
    return (np.trace(table) - chance) / (1 - chance)


def kappa_of_the_library(human, machine):
    return cohen_kappa(human, machine)


# A corrected mean -------------------------------------------------------------------------------


def mean_in_words(human, machine, machine_only, weight):
    mean = sum(human) / len(human)
    same, others = sum(machine) / len(machine), sum(machine_only) / len(machine_only)
    return mean + weight * (others - same)


def mean_in_numpy(human, machine, machine_only, weight):
    left = np.subtract(human, np.multiply(weight, machine))
    return left.mean() + weight * np.mean(machine_only)


def mean_by_statistics(human, machine, machine_only, weight):
    return fmean(human) - weight * (fmean(machine) - fmean(machine_only))


def mean_by_loop(human, machine, machine_only, weight):
    total = 0.0
    for h, m in zip(human, machine, strict=True):
        total += (h - weight * m) / len(human)
    for m in machine_only:
        total += weight * m / len(machine_only)
    return total


# Valid slots ------------------------------------------------------------------------------------


def valid_completed(recommended, catalog, k):
    seen = set()
    for item in recommended:
        if item in catalog:
            seen.add(item)
    return len(seen) / k


def valid_by_set(recommended, catalog, k):
    return len(catalog.intersection(recommended)) / k


def valid_by_places(recommended, catalog, k):
    places = enumerate(recommended)
    return sum(item in catalog and item not in recommended[:at] for at, item in places) / k


def valid_of_the_library(recommended, catalog, k):
    return list_validity([recommended] * 2, catalog, k=k).valid.estimate


# Faults as misses -------------------------------------------------------------------------------


def strict_by_sets(recommended, catalog, relevant, k):
    return len(set(recommended[:k]) & relevant) / k


def strict_by_loop(recommended, catalog, relevant, k):
    hits, seen = 0, []
    for item in recommended[:k]:
        if item in catalog and item not in seen:
            hits += item in relevant
        seen.append(item)
    return hits / k


def strict_by_relevant(recommended, catalog, relevant, k):
    return sum(item in recommended[:k] for item in relevant) / k


def strict_in_numpy(recommended, catalog, relevant, k):
    return np.intersect1d(recommended[:k], sorted(relevant)).size / k


def strict_of_the_library(recommended, catalog, relevant, k):
    (shown,) = replace_faults([recommended], catalog, k=k)
    return rm.precision(rm.judge(shown, relevant), k)


RIGHT_WAYS: dict[str, list] = {
    "judges.complete_kappa": [
        kappa_completed,
        kappa_by_disagreement,
        kappa_in_numpy,
        kappa_of_the_library,
    ],
    "judges.write_corrected_mean": [
        mean_in_words,
        mean_in_numpy,
        mean_by_statistics,
        mean_by_loop,
    ],
    "judges.complete_valid": [
        valid_completed,
        valid_by_set,
        valid_by_places,
        valid_of_the_library,
    ],
    "judges.write_keep_places": [
        strict_by_sets,
        strict_by_loop,
        strict_by_relevant,
        strict_in_numpy,
        strict_of_the_library,
    ],
}
