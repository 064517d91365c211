"""What a group deserves: attention by merit, and errors as seldom as the other group's."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.bias.fairness import equalized_odds, exposure_by_group
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.bias.groups import people
from recsys_metrics.workbook.exercises.numbers import Numbers

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


attention_by_merit = Numbers(
    id="bias.attention_by_merit",
    title="Attention by merit",
    prompt="""
Six items stand in one list. From rank 1 to 6 they belong to {owners}, and of a hundred
users {merit} find them worth their time. A look at rank i counts 1/log2(i + 1).

Compute A's share of the looks; its share of all that the items are worth; and for both owners the
share of the looks over the share of the worth: the lower of the two over the higher.
""",
    asks={
        "looks": "share of the looks that A gets",
        "owed": "share of the worth that is A's",
        "ratio": "lower quotient over the higher",
    },
    inputs={"owners": "AABBAB", "merit": [86, 85, 80, 79, 72, 64]},
    solve=_by_merit,
    draw=_draw_shelf,
    follows={"ratio": lambda own: _lower_over_higher(own["looks"], own["owed"])},
    misconceptions=(
        Misconception(
            id="slots-for-looks",
            name="slots for looks",
            wrong_answer=_with_attention(lambda rank: 1.0),
            cause="Slots were counted, each as much as the first. A look at a late rank counts "
            "less.",
            hint="How much does a look at rank 6 count, if one at rank 1 counts 1?",
        ),
        Misconception(
            id="inverse-rank",
            name="another attention",
            wrong_answer=_with_attention(lambda rank: 1.0 / rank),
            cause="Each rank counted one over its number. Here it is one over a logarithm, which "
            "falls more slowly.",
            hint="What is 1/log2(i + 1) at rank 2?",
        ),
        Misconception(
            id="size-for-merit",
            name="size for merit",
            wrong_answer=_size_for_merit,
            cause="The items were counted. That is parity of rates, for which every item is owed "
            "the same.",
            hint="What is A owed if its items are worth twice as much as those of B?",
        ),
        Misconception(
            id="looks-alone",
            name="merit left out",
            wrong_answer=_looks_alone,
            cause="The shares of the looks were divided by each other, and what they are owed was "
            "left out.",
            hint="Is it unfair that who has more to offer is looked at more?",
        ),
        Misconception(
            id="merit-upside-down",
            name="ratio upside down",
            wrong_answer=_merit_upside_down,
            cause="The higher quotient stands over the lower one.",
            hint="By which of the two must you divide to get at most 1?",
        ),
    ),
    hints=(
        "Two shares of each owner: of the looks, and of the worth.",
        "Give each rank its 1/log2(i + 1), and add those of A up.",
        "Looks over worth for A and for B; then the lower over the higher.",
    ),
    steps=(
        Step(
            "What a look counts at each rank, and A's share of it.",
            "import math\n\n"
            "counts = [1 / math.log2(rank + 1) for rank in range(1, 7)]\n"
            'looks = sum(c for c, owner in zip(counts, owners) if owner == "A") / sum(counts)\n'
            "round(looks, 3)",
        ),
        Step(
            "A's share of the worth.",
            'owed = sum(m for m, owner in zip(merit, owners) if owner == "A") / sum(merit)\n'
            "round(owed, 3)",
        ),
        Step(
            "Looks over worth for both, and the lower over the higher.",
            "both = looks / owed, (1 - looks) / (1 - owed)\n"
            "ratio = min(both) / max(both)\nround(ratio, 3)",
        ),
    ),
    insight="A ratio of 1 would be attention in proportion to merit. One order of items that are "
    "nearly as good seldom comes near it; orders that take turns do.",
    minutes=6,
    points=4,
)


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


odds_of_both = Numbers(
    id="bias.odds_of_both",
    title="Equalised odds",
    prompt="""
Two groups have {users} users, in this order. Of them {like} would like an item, {shown} are shown
it, and {hits} would like it and are shown it.

Of those who would *not* like it, what share is shown it in each group? And how far are the groups
from equalised odds: the larger of the two gaps, between these shares and between the shares of
those who would like it?
""",
    asks={
        "vain_1": "false positive rate of group 1",
        "vain_2": "false positive rate of group 2",
        "gap": "larger of the two gaps",
    },
    inputs={"users": [400, 300], "like": [240, 90], "hits": [150, 60], "shown": [214, 81]},
    solve=_rates,
    draw=_draw_odds,
    misconceptions=(
        Misconception(
            id="in-vain-of-all",
            name="denominator of all",
            wrong_answer=lambda inputs: _in_vain(inputs, inputs["users"]),
            cause="Those who are shown it in vain were divided by all users, also by those who "
            "would like it.",
            hint="Who can be shown it in vain?",
        ),
        Misconception(
            id="in-vain-of-shown",
            name="precision for odds",
            wrong_answer=lambda inputs: _in_vain(inputs, inputs["shown"]),
            cause="Those who are shown it in vain were divided by all who are shown it. That is "
            "one minus precision.",
            hint="Of whom is it a share: of those who are shown it, or of those who would not like "
            "it?",
        ),
        Misconception(
            id="hits-among-errors",
            name="shown for in vain",
            wrong_answer=_all_shown,
            cause="All who are shown it were counted, also those who would like it.",
            hint="Is somebody who would like it shown it in vain?",
        ),
        Misconception(
            id="gap-of-errors-alone",
            name="the smaller gap",
            wrong_answer=_smaller_gap,
            cause="Of the two gaps the smaller one was given. Odds are equalised if both are "
            "nothing, so the larger one says how far it is.",
            hint="If one gap is 0 and the other is not, are the odds equalised?",
        ),
    ),
    hints=(
        "Who is shown it in vain: shown, minus those of them who would like it.",
        "Who would not like it: all users, minus those who would.",
        "Take the gap of these shares, and the gap of hits over those who would like it; the "
        "larger one counts.",
    ),
    steps=(
        Step(
            "In vain, of those who would not like it.",
            "vain_1, vain_2 = (\n"
            "    (s - h) / (n - k) for s, h, n, k in zip(shown, hits, users, like)\n"
            ")\n"
            "round(vain_1, 3), round(vain_2, 3)",
        ),
        Step(
            "Of those who would like it.",
            "right_1, right_2 = (h / k for h, k in zip(hits, like))\n"
            "round(right_1, 3), round(right_2, 3)",
        ),
        Step(
            "The larger gap.",
            "gap = max(abs(vain_1 - vain_2), abs(right_1 - right_2))\nround(gap, 3)",
        ),
    ),
    insight="Equalised odds ask for both: as many of those who would like it, and as few of those "
    "who would not. Equal opportunity is the first half of it.",
    minutes=5,
    points=3,
)
