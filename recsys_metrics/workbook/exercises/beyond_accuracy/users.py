"""Between users: how different their lists are, and what a mix of genres is worth."""

from __future__ import annotations

import string

import numpy as np

from recsys_metrics.beyond_accuracy import genre_calibration, personalization
from recsys_metrics.workbook.exercises.base import Inputs

_USERS = ("ann", "bob", "cem")


def _personalization(inputs: Inputs) -> float:
    return float(personalization([inputs[user] for user in _USERS]))


def _unique(inputs: Inputs) -> float:
    recommended = [item for user in _USERS for item in inputs[user]]
    return sum(recommended.count(item) == 1 for item in recommended) / len(recommended)


def _unique_of_different(inputs: Inputs) -> float:
    recommended = [item for user in _USERS for item in inputs[user]]
    return _unique(inputs) * len(recommended) / len(set(recommended))


def _draw_lists(rng: np.random.Generator) -> Inputs:
    """Return lists with an item in common: without one, the different items give the answer too."""
    k = int(rng.integers(3, 9))
    letters = [str(letter) for letter in rng.permutation(list(string.ascii_uppercase))]
    lists: list[list[str]] = []
    for _ in _USERS:
        seen = sorted({item for each in lists for item in each})
        shared = rng.permutation(seen)[: int(rng.integers(0, k + 1))]
        fresh = [letter for letter in letters if letter not in seen]
        lists.append([*map(str, shared), *fresh][:k])
    if not set.intersection(*map(set, lists)):
        return _draw_lists(rng)
    return dict(
        zip(_USERS, ([str(i) for i in rng.permutation(each)] for each in lists), strict=True)
    )


# The mix of genres ----------------------------------------------------------------------------


def _calibration(inputs: Inputs) -> float:
    taste, listed = ([inputs[of], 1 - inputs[of]] for of in ("share", "recommended"))
    return float(genre_calibration(taste, listed, alpha=inputs["alpha"]))


def _draw_mix(rng: np.random.Generator) -> Inputs:
    return {
        "share": int(rng.integers(11, 18)) / 20,
        "recommended": float(rng.choice([0.9, 0.95, 1.0])),
        "alpha": float(rng.choice([0.01, 0.02, 0.03, 0.04, 0.05])),
    }
