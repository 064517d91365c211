"""What a group deserves: attention by merit, and errors as seldom as the other group's."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.bias.fairness import equalized_odds, exposure_by_group
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.bias.groups import people

# Attention by merit ------------------------------------------------------------------------------


def _by_merit(inputs: Inputs) -> dict[str, float]:
    owners, merit = list(inputs["owners"]), np.array(inputs["merit"], dtype=float)
    lists = [range(len(owners))]
    return {
        "attention_share": exposure_by_group(lists, owners, per="share").per_group["A"],
        "owed": float(merit[np.array(owners) == "A"].sum() / merit.sum()),
        "ratio": exposure_by_group(lists, owners, per="merit", merit=merit).ratio,
    }


def _lower_over_higher(attention: Any, owed: Any) -> Any:
    """Return the ratio of the two quotients by what the page can compute, too."""
    of_a, of_b = attention / owed, (1 - attention) / (1 - owed)
    return (of_a + of_b - abs(of_a - of_b)) / (of_a + of_b + abs(of_a - of_b))


def _draw_shelf(rng: np.random.Generator) -> Inputs:
    while True:
        owners = "".join(rng.choice(["A", "B"], 6).tolist())
        if owners.count("A") in (2, 4):
            break
    steps = rng.integers(1, 9, 6)
    merit = [90 - int(down) for down in np.cumsum(steps)]
    return {"owners": owners, "merit": merit}


def _attention_by_merit_ratio_follows(own: Any) -> Any:
    return _lower_over_higher(own["attention_share"], own["owed"])


# Equalised odds ----------------------------------------------------------------------------------


def _rates(inputs: Inputs) -> dict[str, float]:
    odds = equalized_odds(*people(inputs))
    of_errors = odds.false_positive.per_group
    return {"fpr_1": of_errors[1], "fpr_2": of_errors[2], "gap": odds.gap}


def _draw_odds(rng: np.random.Generator) -> Inputs:
    users = (rng.integers(5, 10, 2) * 50).tolist()
    like = [int(rng.integers(8, n // 10 - 8)) * 10 for n in users]
    hits = [int(n * share) for n, share in zip(like, rng.uniform(0.3, 0.8, 2), strict=True)]
    vain = [
        int((n - k) * share)
        for n, k, share in zip(users, like, rng.uniform(0.1, 0.5, 2), strict=True)
    ]
    return {
        "users": users,
        "like": like,
        "hits": hits,
        "shown": [h + v for h, v in zip(hits, vain, strict=True)],
    }
