"""What one list is like: how varied, and how little known its items are."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from recsys_metrics.beyond_accuracy import (
    average_popularity,
    intra_list_diversity,
    popularity_lift,
    self_information,
)
from recsys_metrics.workbook.exercises.base import Inputs

# Diversity ------------------------------------------------------------------------------------

_FILMS = ("A", "B", "C", "D")
_PAIRS = tuple(combinations(_FILMS, 2))


def _diversity(inputs: Inputs) -> float:
    given = dict(zip(_PAIRS, inputs["similarities"], strict=True))
    return float(intra_list_diversity(list(_FILMS), similarity=given))


def _diversity_prompt(inputs: Inputs) -> str:
    pairs = zip(_PAIRS, inputs["similarities"], strict=True)
    told = ", ".join(f"{one} and {other} {value:g}" for (one, other), value in pairs)
    return (
        "A list contains the films A, B, C and D. Their similarities, pair by pair, are "
        f"{told}.\n\n"
        "Compute the diversity of the list, which is the mean distance over all pairs of its films."
    )


def _draw_similarities(rng: np.random.Generator) -> Inputs:
    return {"similarities": [int(value) / 10 for value in rng.integers(0, 10, len(_PAIRS))]}


# Novelty --------------------------------------------------------------------------------------


def _novelty(inputs: Inputs) -> float:
    watched = dict(zip("ABC", inputs["watched"], strict=True))
    return float(self_information(list("ABC"), watched, inputs["users"]))


def _draw_novelty(rng: np.random.Generator) -> Inputs:
    users = int(rng.choice([100, 200, 400, 500, 800, 1000]))
    shares = rng.choice([2, 4, 5, 8, 10, 16, 20, 25, 32, 40, 50], 3, replace=False)
    return {"watched": [max(1, int(share) * users // 200) for share in shares], "users": users}


# Popularity -----------------------------------------------------------------------------------


def _lift(inputs: Inputs) -> dict[str, float]:
    counts = {
        f"{side}{i}": n for side in ("recommended", "known") for i, n in enumerate(inputs[side])
    }
    recommended, known = (
        [name for name in counts if name.startswith(side)] for side in ("recommended", "known")
    )
    return {
        "arp": float(average_popularity(recommended, counts)),
        "lift": float(popularity_lift(recommended, set(known), counts)),
    }


def _draw_lift(rng: np.random.Generator) -> Inputs:
    """Return a list that is more popular than what the user knows, by a twentieth or more."""
    while True:
        recommended = [int(count) for count in rng.integers(30, 300, 4)]
        known = [int(count) for count in rng.integers(10, 160, 3)]
        inputs = {"recommended": recommended, "known": known}
        if _lift(inputs)["lift"] >= 1 / 20:
            return inputs
