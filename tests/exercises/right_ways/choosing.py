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


def evening_completed(served, wanted, k):
    hits = sum(film in wanted for film in served[:k])
    return float(hits >= 2)


def evening_by_set(served, wanted, k):
    return 1 if len(wanted & set(served[:k])) > 1 else 0


def evening_by_loop(served, wanted, k):
    left = 2
    for film in served[:k]:
        left -= film in wanted
    return float(left <= 0)


def evening_by_places(served, wanted, k):
    ranks = [rank for rank, film in enumerate(served, 1) if film in wanted]
    return float(len(ranks) >= 2 and ranks[1] <= k)


def evening_of_the_library(served, wanted, k):
    return float(rm.precision(rm.judge(served, wanted), k) * k > 1.5)


# Recall in the tail -----------------------------------------------------------------------------


def tail_completed(served, wanted, tail):
    found = set(served) & wanted & tail
    return len(found) / len(wanted & tail)


def tail_by_loop(served, wanted, tail):
    hits = possible = 0
    for film in wanted:
        if film in tail:
            possible += 1
            hits += film in served
    return hits / possible


def tail_by_missed(served, wanted, tail):
    rare = wanted.intersection(tail)
    return 1 - len(rare.difference(served)) / len(rare)


def tail_in_numpy(served, wanted, tail):
    return np.isin(sorted(wanted & tail), served).mean()


def tail_of_the_library(served, wanted, tail):
    return rm.recall(rm.judge(served, wanted & tail))


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
