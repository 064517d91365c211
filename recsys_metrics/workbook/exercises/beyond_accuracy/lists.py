"""What one list is like: how varied, and how little known its items are."""

from __future__ import annotations

from itertools import combinations
from typing import Any

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
        f"A list holds the films A, B, C and D. How alike they are, pair by pair: {told}.\n\n"
        "Compute the diversity of the list: how different two of its films are on average."
    )


def _draw_similarities(rng: np.random.Generator) -> Inputs:
    return {"similarities": [int(value) / 10 for value in rng.integers(0, 10, len(_PAIRS))]}


def _four_films_similarity(inputs: Inputs) -> Any:
    return 1 - _diversity(inputs)


def _four_films_by_films(inputs: Inputs) -> Any:
    return _diversity(inputs) * 6 / 4


def _four_films_sum(inputs: Inputs) -> Any:
    return _diversity(inputs) * 6


def _four_films_with_itself(inputs: Inputs) -> Any:
    return _diversity(inputs) * 12 / 16


def _four_films_neighbours(inputs: Inputs) -> Any:
    return 1 - sum(inputs["similarities"][i] for i in (0, 3, 5)) / 3


# Novelty --------------------------------------------------------------------------------------


def _novelty(inputs: Inputs, **how: Any) -> float:
    n_users = how.pop("n_users", inputs["users"])
    return float(self_information(list("ABC"), _met(inputs), n_users, **how))


def _met(inputs: Inputs) -> dict[str, int]:
    return dict(zip("ABC", inputs["met"], strict=True))


def _draw_novelty(rng: np.random.Generator) -> Inputs:
    users = int(rng.choice([100, 200, 400, 500, 800, 1000]))
    shares = rng.choice([2, 4, 5, 8, 10, 16, 20, 25, 32, 40, 50], 3, replace=False)
    return {"met": [max(1, int(share) * users // 200) for share in shares], "users": users}


def _in_bits_natural_log(inputs: Inputs) -> Any:
    return _novelty(inputs, base=np.e)


def _in_bits_common_log(inputs: Inputs) -> Any:
    return _novelty(inputs, base=10)


def _in_bits_log_of_the_mean(inputs: Inputs) -> Any:
    return -np.log2(sum(inputs["met"]) / 3 / inputs["users"])


def _in_bits_over_interactions(inputs: Inputs) -> Any:
    return _novelty(inputs, n_users=sum(inputs["met"]))


def _in_bits_complement(inputs: Inputs) -> Any:
    return 1 - sum(inputs["met"]) / 3 / inputs["users"]


def _in_bits_sum(inputs: Inputs) -> Any:
    return 3 * _novelty(inputs)


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


def _other_lift(value: Any) -> Any:
    def wrong(inputs: Inputs) -> dict[str, float]:
        recommended = sum(inputs["recommended"]) / len(inputs["recommended"])
        known = sum(inputs["known"]) / len(inputs["known"])
        return {"lift": value(recommended, known)}

    return wrong


def _draw_lift(rng: np.random.Generator) -> Inputs:
    recommended = [int(count) for count in rng.integers(30, 300, 4)]
    known = [int(count) for count in rng.integers(10, 160, 3)]
    return {"recommended": recommended, "known": known}


_lift_ratio = _other_lift(lambda recommended, known: recommended / known)

_lift_difference = _other_lift(lambda recommended, known: recommended - known)

_lift_of_the_list = _other_lift(lambda recommended, known: (recommended - known) / recommended)


def _lift_totals(inputs: Inputs) -> Any:
    return {
        "arp": sum(inputs["recommended"]),
        "lift": sum(inputs["recommended"]) / sum(inputs["known"]) - 1,
    }
