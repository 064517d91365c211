"""Right answers to the exercises of choosing that ask for a function."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import recsys_metrics as rm
from recsys_metrics.beyond_accuracy import catalog_coverage

# Coverage ---------------------------------------------------------------------------------------


def coverage_completed(lists, n_films):
    shown = [film for films in lists for film in films]
    return len(set(shown)) / n_films


def coverage_by_union(lists, n_films):
    return len(set().union(*lists)) / n_films


def coverage_by_loop(lists, n_films):
    seen = []
    for films in lists:
        for film in films:
            if film not in seen:
                seen.append(film)
    return Fraction(len(seen), n_films)


def coverage_in_numpy(lists, n_films):
    return np.unique(np.concatenate(lists)).size / n_films


def coverage_of_the_library(lists, n_films):
    return catalog_coverage(lists, n_films)


# Two films for one evening ----------------------------------------------------------------------


def evening_completed(recommended, relevant, k):
    hits = sum(film in relevant for film in recommended[:k])
    return float(hits >= 2)


def evening_by_set(recommended, relevant, k):
    return 1 if len(relevant & set(recommended[:k])) > 1 else 0


def evening_by_loop(recommended, relevant, k):
    left = 2
    for film in recommended[:k]:
        left -= film in relevant
    return float(left <= 0)


def evening_by_places(recommended, relevant, k):
    ranks = [rank for rank, film in enumerate(recommended, 1) if film in relevant]
    return float(len(ranks) >= 2 and ranks[1] <= k)


def evening_of_the_library(recommended, relevant, k):
    return float(rm.precision(rm.judge(recommended, relevant), k) * k > 1.5)


# Recall in the tail -----------------------------------------------------------------------------


def tail_completed(recommended, relevant, tail):
    found = set(recommended) & relevant & tail
    return len(found) / len(relevant & tail)


def tail_by_loop(recommended, relevant, tail):
    hits = possible = 0
    for film in relevant:
        if film in tail:
            possible += 1
            hits += film in recommended
    return hits / possible


def tail_by_missed(recommended, relevant, tail):
    rare = relevant.intersection(tail)
    return 1 - len(rare.difference(recommended)) / len(rare)


def tail_in_numpy(recommended, relevant, tail):
    return np.isin(sorted(relevant & tail), recommended).mean()


def tail_of_the_library(recommended, relevant, tail):
    return rm.recall(rm.judge(recommended, relevant & tail))


RIGHT_WAYS: dict[str, list] = {
    "choosing.complete_coverage": [
        coverage_completed,
        coverage_by_union,
        coverage_by_loop,
        coverage_in_numpy,
        coverage_of_the_library,
    ],
    "choosing.complete_two": [
        evening_completed,
        evening_by_set,
        evening_by_loop,
        evening_by_places,
        evening_of_the_library,
    ],
    "choosing.complete_tail_recall": [
        tail_completed,
        tail_by_loop,
        tail_by_missed,
        tail_in_numpy,
        tail_of_the_library,
    ],
}
