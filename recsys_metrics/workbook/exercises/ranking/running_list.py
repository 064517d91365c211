"""The list most exercises are about, and others like it."""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from recsys_metrics import Judged
from recsys_metrics.workbook.charts.ranked_lists import ranked_list
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.ranking import cases

STATED: Inputs = {
    "recommended": ["A", "B", "C", "D", "E"],
    "relevant": {"B", "C", "E", "G"},
    "k": 5,
}


def judged(inputs: Inputs) -> Judged[float]:
    """Return the list judged by the library."""
    return cases.judged(inputs["recommended"], inputs["relevant"])


def hit_ranks(inputs: Inputs) -> list[int]:
    """Return the ranks of the hits, from 1."""
    return [
        rank
        for rank, item in enumerate(inputs["recommended"][: inputs["k"]], 1)
        if item in inputs["relevant"]
    ]


def picture(inputs: Inputs) -> Picture:
    """Draw the list."""
    relevant = dict.fromkeys(sorted(inputs["relevant"]), 1)
    return ranked_list(inputs["recommended"], relevant, k=inputs["k"])


def draw(rng: np.random.Generator, *, longest: int = 7) -> dict[str, Any]:
    """Return another list: two hits or more, the first below rank 1, one relevant item missed."""
    k = int(rng.integers(5, longest + 1))
    n_hits = int(rng.integers(2, k))
    ranks = 2 + rng.choice(k - 1, n_hits, replace=False)
    letters = string.ascii_uppercase
    missed = k + rng.choice(4, int(rng.integers(1, 4)), replace=False)
    relevant = {letters[rank - 1] for rank in ranks} | {letters[i] for i in missed}
    return {"recommended": list(letters[:k]), "relevant": relevant, "k": k}
