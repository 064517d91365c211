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


def evening_completed(recommended, wanted, k):
    hits = sum(film in wanted for film in recommended[:k])
    return float(hits >= 2)


def evening_by_set(recommended, wanted, k):
    return 1 if len(wanted & set(recommended[:k])) > 1 else 0


def evening_by_loop(recommended, wanted, k):
    left = 2
    for film in recommended[:k]:
        left -= film in wanted
    return float(left <= 0)


def evening_by_places(recommended, wanted, k):
    ranks = [rank for rank, film in enumerate(recommended, 1) if film in wanted]
    return float(len(ranks) >= 2 and ranks[1] <= k)


def evening_of_the_library(recommended, wanted, k):
    return float(rm.precision(rm.judge(recommended, wanted), k) * k > 1.5)


# Recall in the tail -----------------------------------------------------------------------------


def tail_completed(recommended, wanted, tail):
    found = set(recommended) & wanted & tail
    return len(found) / len(wanted & tail)


def tail_by_loop(recommended, wanted, tail):
    hits = possible = 0
    for film in wanted:
        if film in tail:
            possible += 1
            hits += film in recommended
    return hits / possible


def tail_by_missed(recommended, wanted, tail):
    rare = wanted.intersection(tail)
    return 1 - len(rare.difference(recommended)) / len(rare)


def tail_in_numpy(recommended, wanted, tail):
    return np.isin(sorted(wanted & tail), recommended).mean()


def tail_of_the_library(recommended, wanted, tail):
    return rm.recall(rm.judge(recommended, wanted & tail))


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
