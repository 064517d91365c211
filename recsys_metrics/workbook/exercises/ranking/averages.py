"""Precision at the hits, averaged: average precision and its denominators."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics import Judged, average_precision, average_recall
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.ranking import cases, running_list


def _solve(inputs: Inputs) -> float:
    return float(average_precision(running_list.judged(inputs), inputs["k"]))


# Three denominators ------------------------------------------------------------------------------


def _three(inputs: Inputs) -> dict[str, float]:
    judged = running_list.judged(inputs)
    return {
        "relevant": float(average_precision(judged, inputs["k"])),
        "achievable": float(average_precision(judged, inputs["k"], denominator="achievable")),
        "hits": float(average_precision(judged, inputs["k"], denominator="hits")),
    }


def _draw_three(rng: np.random.Generator) -> Inputs:
    """Return a list that is shorter than the number of relevant items."""
    letters = string.ascii_uppercase
    k = int(rng.integers(4, 7))
    hits = rng.choice(k, int(rng.integers(2, k)), replace=False)
    missed = k + np.arange(int(rng.integers(k + 1 - len(hits), k + 4 - len(hits))))
    relevant = {letters[i] for i in (*hits, *missed)}
    return {"recommended": list(letters[:k]), "relevant": relevant, "k": k}


# Two areas --------------------------------------------------------------------------------------


def _heights(inputs: Inputs) -> list[float]:
    """Return the precision at each hit."""
    return [count / rank for count, rank in enumerate(inputs["ranks"], 1)]


def _lifted(heights: Sequence[float]) -> list[float]:
    return [max(heights[place:]) for place in range(len(heights))]


def _areas(inputs: Inputs) -> dict[str, float]:
    marks = [float(rank in inputs["ranks"]) for rank in range(1, max(inputs["ranks"]) + 1)]
    judged = Judged.from_gains(marks, ideal=[1.0] * inputs["n_relevant"])
    return {
        "stepped": float(average_precision(judged)),
        "lifted": sum(_lifted(_heights(inputs))) / inputs["n_relevant"],
    }


def _precisions_everywhere(inputs: Inputs) -> list[float]:
    """Return the precision at every rank down to the last hit."""
    ranks = inputs["ranks"]
    return [sum(hit <= rank for hit in ranks) / rank for rank in range(1, max(ranks) + 1)]


def _means_of_all_ranks(inputs: Inputs) -> dict[str, float]:
    heights = _precisions_everywhere(inputs)
    return {"stepped": float(np.mean(heights)), "lifted": float(np.mean(_lifted(heights)))}


def _mean_of_all_ranks(inputs: Inputs) -> dict[str, float]:
    return {"stepped": _means_of_all_ranks(inputs)["stepped"]}


def _sums_of_all_ranks(inputs: Inputs) -> dict[str, float]:
    heights = _precisions_everywhere(inputs)
    return {
        "stepped": sum(heights) / inputs["n_relevant"],
        "lifted": sum(_lifted(heights)) / inputs["n_relevant"],
    }


def _draw_areas(rng: np.random.Generator) -> Inputs:
    """Return three to five hits, of which a later one lifts an earlier step."""
    while True:
        ranks = sorted(int(r) for r in 1 + rng.choice(9, int(rng.integers(3, 6)), replace=False))
        drawn = {"ranks": ranks, "n_relevant": len(ranks) + int(rng.integers(1, 4))}
        if _lifted(_heights(drawn)) != _heights(drawn):
            return drawn


def _eleven_points(inputs: Inputs) -> dict[str, float]:
    """Return the mean of the lifted precision at the recalls 0, 0.1 and so on up to 1."""
    heights = _lifted(_heights(inputs))
    reached = [-(-tenths * inputs["n_relevant"] // 10) for tenths in range(11)]
    at_levels = [heights[max(hits, 1) - 1] for hits in reached if hits <= len(heights)]
    return {"lifted": sum(at_levels) / 11}


# Average recall ---------------------------------------------------------------------------------


def _marks(ranks: Sequence[int], inputs: Inputs) -> Judged[Any]:
    marks = [float(rank in ranks) for rank in range(1, inputs["k"] + 1)]
    return Judged.from_gains(marks, ideal=[1.0] * inputs["n_relevant"])


def _recalls(inputs: Inputs) -> dict[str, float]:
    early, late = (_marks(inputs[name], inputs) for name in ("early", "late"))
    return {
        "early": float(average_recall(early)),
        "late": float(average_recall(late)),
        "relevant": float(average_recall(early, denominator="relevant")),
    }


def _draw_recalls(rng: np.random.Generator) -> Inputs:
    """Return two lists with as many hits, the second's lower, and more relevant films."""
    n_hits = int(rng.integers(2, 7))
    k = int(rng.integers(9, 15))
    early = sorted(int(r) for r in 1 + rng.choice(n_hits + 1, n_hits, replace=False))
    late = sorted(int(r) for r in k - rng.choice(n_hits + 1, n_hits, replace=False))
    return {"early": early, "late": late, "k": k, "n_relevant": n_hits + int(rng.integers(1, 11))}


# The area, with one line missing ----------------------------------------------------------------


def _area(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return float(average_precision(cases.judged(recommended, relevant), k, no_relevant="zero"))


# The function --------------------------------------------------------------------------------


def _average_precision(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return float(average_precision(cases.judged(recommended, relevant), k, no_relevant="zero"))
