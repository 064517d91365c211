"""Counting hits: precision, recall and F1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics import Judged, f_beta, precision, recall
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.ranking import cases, running_list


def _solve(inputs: Inputs) -> dict[str, float]:
    judged, k = running_list.judged(inputs), inputs["k"]
    return {
        "precision": precision(judged, k),
        "recall": recall(judged, k),
        "f1": f_beta(judged, k),
    }


# F with a beta --------------------------------------------------------------------------------


def _two_betas(inputs: Inputs) -> dict[str, float]:
    hits, k = inputs["hits"], inputs["k"]
    found = Judged.from_gains([1.0] * hits + [0.0] * (k - hits), ideal=[1.0] * inputs["n_relevant"])
    return {"f_two": float(f_beta(found, k, beta=2)), "f_half": float(f_beta(found, k, beta=0.5))}


def _draw_betas(rng: np.random.Generator) -> Inputs:
    """Return counts whose precision and recall differ."""
    while True:
        hits, k, n_relevant = (
            int(rng.integers(2, 8)),
            int(rng.integers(5, 21)),
            int(rng.integers(3, 16)),
        )
        if hits < min(k, n_relevant) and k != n_relevant:
            return {"hits": hits, "k": k, "n_relevant": n_relevant}


# Two lists and a K ----------------------------------------------------------------------------

_RANKS = 10


def _n_hits(hit_ranks: Sequence[int], k: int) -> int:
    return sum(rank <= k for rank in hit_ranks)


def _at(hit_ranks: Sequence[int], k: int) -> float:
    marks = [float(rank in hit_ranks) for rank in range(1, _RANKS + 1)]
    return float(precision(Judged.from_gains(marks), k))


def _turning(inputs: Inputs) -> dict[str, float]:
    one, two, k = inputs["one"], inputs["two"], inputs["k"]
    beyond = range(k + 1, _RANKS + 1)
    turns = next(n for n in beyond if _n_hits(two, n) > _n_hits(one, n))
    return {"first": _at(one, k), "second": _at(two, k), "turns": float(turns)}


def _draw_turning(rng: np.random.Generator) -> Inputs:
    """Return a list that leads on the page, and one that passes it further down."""
    while True:
        k = int(rng.integers(3, 6))
        one, two = (
            sorted(int(rank) for rank in 1 + rng.choice(_RANKS, size, replace=False))
            for size in rng.integers(2, 6, size=2)
        )
        more = [_n_hits(two, n) - _n_hits(one, n) for n in range(1, _RANKS + 1)]
        if more[k - 1] < 0 < max(more) and max(more[:k]) <= 0 and _n_hits(two, k):
            return {"one": one, "two": two, "k": k}


# A function with one line missing ------------------------------------------------------------


def _recall_or_zero(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return float(recall(cases.judged(recommended, relevant), k, no_relevant="zero"))


# The function --------------------------------------------------------------------------------


def _precision(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return float(precision(cases.judged(recommended, relevant), k, no_relevant="zero"))
