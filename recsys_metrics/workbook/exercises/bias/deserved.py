"""What a group deserves: attention by merit, and errors as seldom as the other group's."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.bias.fairness import equalized_odds, exposure_by_group
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.bias.groups import people

# Attention by merit ------------------------------------------------------------------------------


def _exposure(inputs: Inputs, **conventions: Any) -> dict[str, float]:
    owners = list(inputs["owners"])
    found = exposure_by_group([range(len(owners))], owners, **conventions).per_group
    return {str(owner): value for owner, value in found.items()}


def _answers(looks: dict[str, float], owed: dict[str, float]) -> dict[str, float]:
    values = [looks[owner] / owed[owner] for owner in "AB"]
    return {"looks": looks["A"], "owed": owed["A"], "ratio": min(values) / max(values)}


def _looks(inputs: Inputs) -> dict[str, float]:
    return _exposure(inputs, per="share")


def _owed(inputs: Inputs, *, by_size: bool = False) -> dict[str, float]:
    merit = np.array(inputs["merit"], dtype=float)
    is_a = np.array(list(inputs["owners"])) == "A"
    share = float(is_a.mean()) if by_size else float(merit[is_a].sum() / merit.sum())
    return {"A": share, "B": 1 - share}


def _by_merit(inputs: Inputs) -> dict[str, float]:
    right = _answers(_looks(inputs), _owed(inputs))
    right["ratio"] = exposure_by_group(
        [range(len(inputs["owners"]))], list(inputs["owners"]), per="merit", merit=inputs["merit"]
    ).ratio
    return right


def _with_attention(of_rank: Any) -> Any:
    """Return the mistake of another attention at each rank."""

    def wrong(inputs: Inputs) -> dict[str, float]:
        weights = [of_rank(rank) for rank in range(1, len(inputs["owners"]) + 1)]
        of_a = sum(w for w, owner in zip(weights, inputs["owners"], strict=True) if owner == "A")
        looks = {"A": of_a / sum(weights), "B": 1 - of_a / sum(weights)}
        return _answers(looks, _owed(inputs))

    return wrong


def _size_for_merit(inputs: Inputs) -> dict[str, float]:
    return _answers(_looks(inputs), _owed(inputs, by_size=True))


def _looks_alone(inputs: Inputs) -> dict[str, float]:
    looks = _looks(inputs).values()
    return {"ratio": min(looks) / max(looks)}


def _lower_over_higher(looks: Any, owed: Any) -> Any:
    """Return the ratio of the two quotients by what the page can compute, too."""
    of_a, of_b = looks / owed, (1 - looks) / (1 - owed)
    return (of_a + of_b - abs(of_a - of_b)) / (of_a + of_b + abs(of_a - of_b))


def _merit_upside_down(inputs: Inputs) -> dict[str, float]:
    return {"ratio": 1 / _by_merit(inputs)["ratio"]}


def _draw_shelf(rng: np.random.Generator) -> Inputs:
    while True:
        owners = "".join(rng.choice(["A", "B"], 6).tolist())
        if owners.count("A") in (2, 4):
            break
    steps = rng.integers(1, 9, 6)
    merit = [90 - int(down) for down in np.cumsum(steps)]
    return {"owners": owners, "merit": merit}


def _attention_by_merit_ratio_follows(own: Any) -> Any:
    return _lower_over_higher(own["looks"], own["owed"])


_attention_by_merit_slots_for_looks = _with_attention(lambda rank: 1.0)

_attention_by_merit_inverse_rank = _with_attention(lambda rank: 1.0 / rank)


# Equalised odds ----------------------------------------------------------------------------------


def _rates(inputs: Inputs) -> dict[str, float]:
    odds = equalized_odds(*people(inputs))
    of_errors = odds.false_positive.per_group
    return {"vain_1": of_errors[1], "vain_2": of_errors[2], "gap": odds.gap}


def _gap_of_right(inputs: Inputs) -> float:
    return float(equalized_odds(*people(inputs)).true_positive.gap)


def _in_vain(inputs: Inputs, below: Any) -> dict[str, float]:
    """Return the answers if those who are shown it in vain are divided by other counts."""
    one, two = (
        (shown - hits) / n
        for shown, hits, n in zip(inputs["shown"], inputs["hits"], below, strict=True)
    )
    return {"vain_1": one, "vain_2": two, "gap": max(abs(one - two), _gap_of_right(inputs))}


def _all_shown(inputs: Inputs) -> dict[str, float]:
    one, two = (
        shown / (n - like)
        for shown, n, like in zip(inputs["shown"], inputs["users"], inputs["like"], strict=True)
    )
    return {"vain_1": one, "vain_2": two, "gap": max(abs(one - two), _gap_of_right(inputs))}


def _smaller_gap(inputs: Inputs) -> dict[str, float]:
    right = _rates(inputs)
    of_errors = abs(right["vain_1"] - right["vain_2"])
    return {"gap": min(of_errors, _gap_of_right(inputs))}


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


def _odds_of_both_in_vain_of_all(inputs: Inputs) -> Any:
    return _in_vain(inputs, inputs["users"])


def _odds_of_both_in_vain_of_shown(inputs: Inputs) -> Any:
    return _in_vain(inputs, inputs["shown"])
