"""Candidates: full and sampled ranking, and what a gain needs as evidence."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.protocol.candidates import expected_sampled_metric, sampled_rank_distribution
from recsys_metrics.workbook.exercises.base import Inputs


def _always(key: str) -> Any:
    def picks(inputs: Inputs) -> str:
        return key

    return picks


# The rank in a sample --------------------------------------------------------------------------


def _solve(inputs: Inputs) -> dict[str, float]:
    n, rank, drawn = inputs["n"], inputs["rank"], inputs["drawn"]
    chances = sampled_rank_distribution(rank, n, drawn)
    return {
        "first": expected_sampled_metric(rank, n, drawn, "hit_rate", k=1),
        "mean_rank": float(chances @ np.arange(1, drawn + 2)),
    }


def _one_draw_in_words(inputs: Inputs) -> str:
    """Say what the probability of one draw is; another rank can have the same probability."""
    alone = "That is the probability that a single negative is below the held-out item"
    below = (inputs["n"] - inputs["rank"]) / (inputs["n"] - 1)
    if abs(1 - _solve(inputs)["first"] - below) < 0.001:
        return f"{alone}, or the probability that the held-out item is not ranked first."
    return f"{alone}."


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    n = int(rng.integers(7, 13))
    return {"n": n, "rank": int(rng.integers(2, 4)), "drawn": int(rng.integers(2, n - 4))}


# What a sampled number says --------------------------------------------------------------------


def _bound(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "reported": f"{int(rng.integers(30, 90))} %",
        "drawn": int(rng.choice([50, 99, 100, 200, 1000])),
        "n": int(rng.integers(3, 80)) * 1000,
        "k": int(rng.choice([5, 10, 20])),
    }


_sampled_bound_solve = _always("most")


# E10 -------------------------------------------------------------------------------------------


def _both(inputs: Inputs) -> frozenset[str]:
    return frozenset({"ranking", "interval"})


def _headline(rng: np.random.Generator) -> dict[str, Any]:
    return {"gain": f"{int(rng.integers(1, 10))} thousandths", "k": int(rng.choice([5, 10, 20]))}


def _read_a_row_draw(rng: np.random.Generator) -> Any:
    return {"percent": int(rng.integers(3, 20)), "k": int(rng.choice([5, 10, 20]))}


def _explain_the_flip_draw(rng: np.random.Generator) -> Any:
    return {"n": int(rng.choice([50, 99, 100, 200, 500]))}


_explain_the_flip_solve = _always("sampled")
