"""Groups: shares and rates, selection and opportunity."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.bias.fairness import demographic_parity, equal_opportunity, exposure_by_group
from recsys_metrics.workbook.exercises.base import (
    Inputs,
    cache_latest,
)

# Shares and rates of slots ----------------------------------------------------------------------


def _slots(inputs: Inputs) -> dict[str, float]:
    slots, items = inputs["slots"], inputs["items"]
    groups = np.repeat(["A", "B"], items)
    # One item of each group may stand for all of its slots.
    lists = np.repeat([0, items[0]], slots)[None, :]
    share = exposure_by_group(lists, groups, attention="none", per="share")
    rate = exposure_by_group(lists, groups, attention="none", per="rate")
    return {
        "gap": share.gap,
        "rate_a": rate.per_group["A"],
        "rate_b": rate.per_group["B"],
        "ratio": rate.ratio,
    }


def _draw_slots(rng: np.random.Generator) -> Inputs:
    """Return slots and a catalogue; the larger owner has the larger part of the slots."""
    a = int(rng.integers(60, 95))
    own = int(rng.integers(11, 18)) * 5
    return {"slots": [a, 100 - a], "items": [own * 5, 500 - own * 5]}


# People of two groups ---------------------------------------------------------------------------


def people(inputs: Inputs) -> tuple[Any, Any, Any]:
    """Return, person by person, who would like it, who got it, and of which group they are."""
    liked, got, groups = [], [], []
    for number, (n, likes, hits, shown) in enumerate(
        zip(*(inputs[name] for name in ("users", "like", "hits", "shown")), strict=True), 1
    ):
        person = np.arange(n)
        liked.append(person < likes)
        # Hits among those who like it; the rest of the shown among the others.
        got.append((person < hits) | ((person >= likes) & (person < likes + shown - hits)))
        groups.append(np.full(n, number))
    return np.concatenate(liked), np.concatenate(got), np.concatenate(groups)


# Which of the two holds -------------------------------------------------------------------------

_CLOSE = 1e-9


@cache_latest
def _holds(inputs: Inputs) -> str:
    liked, got, groups = people(inputs)
    parity = demographic_parity(got, groups).gap < _CLOSE
    opportunity = equal_opportunity(liked, got, groups).gap < _CLOSE
    if parity and opportunity:
        return "both"
    return "parity" if parity else "opportunity" if opportunity else "neither"


def _draw_case(rng: np.random.Generator) -> Inputs:
    """Return groups for which one of the four answers, drawn first, is right."""
    wanted = str(rng.choice(["both", "parity", "opportunity", "neither"]))
    while True:
        users = (rng.integers(2, 6, 2) * 100).tolist()
        like = [int(n * rng.choice([0.2, 0.4, 0.5])) for n in users]
        hits = [int(n * rng.choice([0.5, 0.6, 0.75])) for n in like]
        shown = [int(n * rng.choice([0.4, 0.5, 0.6])) for n in users]
        fits = all(h < s <= h + n - k for h, s, n, k in zip(hits, shown, users, like, strict=True))
        inputs = {"users": users, "like": like, "hits": hits, "shown": shown}
        if fits and _holds(inputs) == wanted and _are_decidable(inputs):
            return inputs


def _are_decidable(inputs: Inputs) -> bool:
    """Whether the rates of the groups are equal or clearly apart."""
    pairs = (("shown", "users"), ("hits", "like"))
    rates = [np.divide(inputs[of], inputs[all_]) for of, all_ in pairs]
    return all(one == other or abs(one - other) >= 0.05 for one, other in rates)


def _selection(inputs: Inputs) -> str:
    one, two = inputs["shown"]
    of_one, of_two = inputs["users"]
    return f"The item is shown to {one} of {of_one} and to {two} of {of_two} users"


def _hit(inputs: Inputs) -> str:
    one, two = inputs["hits"]
    of_one, of_two = inputs["like"]
    return f"it reaches {one} of {of_one} and {two} of {of_two} users who would like it"


_which_parity_reasons = {
    key: lambda inputs: f"{_selection(inputs)}, and {_hit(inputs)}."
    for key in ("parity", "opportunity", "both", "neither")
}


def _which_parity_not_parity_only_cause(inputs: Inputs) -> str:
    return f"The rates decide, and not the counts. {_selection(inputs)}, and {_hit(inputs)}."


def _which_parity_not_opportunity_only_cause(inputs: Inputs) -> str:
    return (
        "Demographic parity compares rates among all users, and equal opportunity compares rates "
        f"among those who would like the item. {_selection(inputs)}, and {_hit(inputs)}."
    )
