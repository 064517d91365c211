"""Groups: shares and rates, selection and opportunity."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.bias.fairness import demographic_parity, equal_opportunity, exposure_by_group
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step, fill, remembered
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers

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


def _parts(values: list[int]) -> tuple[float, float]:
    return values[0] / sum(values), values[1] / sum(values)


def _rates(gap: float, rate_a: float, rate_b: float) -> dict[str, float]:
    low, high = sorted((rate_a, rate_b))
    return {"gap": gap, "rate_a": rate_a, "rate_b": rate_b, "ratio": low / high}


def _share_for_rate(inputs: Inputs) -> dict[str, float]:
    return _rates(_slots(inputs)["gap"], *_parts(inputs["slots"]))


def _rate_gap(inputs: Inputs) -> dict[str, float]:
    right = _slots(inputs)
    return {"gap": abs(right["rate_a"] - right["rate_b"])}


def _per_item(inputs: Inputs) -> dict[str, float]:
    a, b = (slots / items for slots, items in zip(inputs["slots"], inputs["items"], strict=True))
    return {"rate_a": a, "rate_b": b}


def _upside_down(inputs: Inputs) -> dict[str, float]:
    right = _slots(inputs)
    return {"rate_a": 1 / right["rate_a"], "rate_b": 1 / right["rate_b"]}


def _ratio_upside_down(inputs: Inputs) -> dict[str, float]:
    return {"ratio": 1 / _slots(inputs)["ratio"]}


def _draw_slots(rng: np.random.Generator) -> Inputs:
    """Return slots and a catalogue; the larger owner has the larger part of the slots."""
    a = int(rng.integers(60, 95))
    own = int(rng.integers(11, 18)) * 5
    return {"slots": [a, 100 - a], "items": [own * 5, 500 - own * 5]}


shares_and_rates = Numbers(
    id="bias.shares_and_rates",
    title="Parity of shares, parity of rates",
    prompt="""
Providers A and B own {items} items, in this order, and their items fill {slots} slots of a feed.

Compute the gap between their shares of the slots; each group's rate, its share of the slots over
its share of the catalogue; and the ratio of the rates, lower over higher.
""",
    asks={
        "gap": "gap of the shares",
        "rate_a": "rate of A",
        "rate_b": "rate of B",
        "ratio": "ratio of the rates",
    },
    inputs={"slots": [85, 15], "items": [400, 100]},
    solve=_slots,
    draw=_draw_slots,
    misconceptions=(
        Misconception(
            id="share-for-rate",
            name="share for rate",
            wrong=_share_for_rate,
            cause="The shares of the slots were taken for rates. A group that owns more would then "
            "always seem favoured.",
            ask="What share of the catalogue does each group own?",
        ),
        Misconception(
            id="rate-gap",
            name="rate for share",
            wrong=_rate_gap,
            cause="The gap was taken between the rates; between the shares it is asked for.",
            ask="Of 100 slots, how many more does one group have than the other?",
        ),
        Misconception(
            id="slots-per-item",
            name="slots per item",
            wrong=_per_item,
            cause="Slots were divided by items. The ratio comes out right; the rates are not "
            "relative to what the group's size is worth.",
            ask="What should the rate be of a group with 30 % of the items and 30 % of the slots?",
        ),
        Misconception(
            id="rate-upside-down",
            name="rate upside down",
            wrong=_upside_down,
            cause="The share of the catalogue stands over the share of the slots.",
            ask="Should a group with many slots have a high or a low rate?",
        ),
        Misconception(
            id="ratio-upside-down",
            name="ratio upside down",
            wrong=_ratio_upside_down,
            cause="The higher rate stands over the lower one.",
            ask="By which of the two must you divide to get at most 1?",
        ),
    ),
    hints=(
        "Shares first: of the slots, and of the catalogue.",
        "A rate of 1 means: as many slots as the group's size is worth.",
        "Divide share by share for each group, then the lower rate by the higher.",
    ),
    steps=(
        Step(
            "Shares of the slots, and their gap.",
            "of_slots = [n / sum(slots) for n in slots]\n"
            "gap = abs(of_slots[0] - of_slots[1])\nround(gap, 3)",
        ),
        Step(
            "Shares of the catalogue, and the rates.",
            "owned = [n / sum(items) for n in items]\n"
            "rate_a, rate_b = (s / o for s, o in zip(of_slots, owned))\n"
            "round(rate_a, 3), round(rate_b, 3)",
        ),
        Step(
            "Lower over higher.",
            "ratio = min(rate_a, rate_b) / max(rate_a, rate_b)\nround(ratio, 3)",
        ),
    ),
    insight="The gap of shares and the ratio of rates are two questions. They agree on who is "
    "ahead only while the groups are of one size.",
    minutes=5,
    points=4,
)


# Equal opportunity ------------------------------------------------------------------------------


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


def _rates_of(inputs: Inputs) -> dict[str, float]:
    found = equal_opportunity(*people(inputs))
    return {"rate_1": found.per_group[1], "rate_2": found.per_group[2], "gap": found.gap}


def _over(above: str, below: str) -> Any:
    """Return the mistake of dividing other counts."""

    def wrong(inputs: Inputs) -> dict[str, float]:
        one, two = (a / b for a, b in zip(inputs[above], inputs[below], strict=True))
        return {"rate_1": one, "rate_2": two, "gap": abs(one - two)}

    return wrong


def _ratio_for_gap(inputs: Inputs) -> dict[str, float]:
    right = _rates_of(inputs)
    low, high = sorted((right["rate_1"], right["rate_2"]))
    return {"gap": low / high}


def _draw_people(rng: np.random.Generator) -> Inputs:
    users = (rng.integers(4, 9, 2) * 50).tolist()
    like = [int(rng.integers(100, n - 60)) // 10 * 10 for n in users]
    hits = [int(n * share) for n, share in zip(like, rng.uniform(0.3, 0.8, 2), strict=True)]
    shown = [h + int(rng.integers(15, 55)) for h in hits]
    return {"users": users, "like": like, "hits": hits, "shown": shown}


opportunity_gap = Numbers(
    id="bias.opportunity_gap",
    title="Equal opportunity",
    prompt="""
Two groups have {users} users, in this order. Of them {like} would like an item, {shown} are shown
it, and {hits} would like it and are shown it.

Compute each group's true positive rate, and the gap between the two.
""",
    asks={
        "rate_1": "true positive rate of group 1",
        "rate_2": "true positive rate of group 2",
        "gap": "equal-opportunity gap",
    },
    inputs={"users": [300, 400], "like": [200, 200], "hits": [120, 80], "shown": [150, 110]},
    solve=_rates_of,
    draw=_draw_people,
    follows={"gap": lambda own: abs(own["rate_1"] - own["rate_2"])},
    misconceptions=(
        Misconception(
            id="selection-rate",
            name="parity for opportunity",
            wrong=_over("shown", "users"),
            cause="All who are shown it were divided by all users. That is the selection rate of "
            "demographic parity, which does not ask who would like it.",
            ask="Who can be a true positive: everybody, or those who would like it?",
        ),
        Misconception(
            id="over-all-users",
            name="divisor of all",
            wrong=_over("hits", "users"),
            cause="The hits were divided by all users, also by those who would not like it.",
            ask="Among whom is a true positive rate a rate?",
        ),
        Misconception(
            id="precision-for-recall",
            name="precision for recall",
            wrong=_over("hits", "shown"),
            cause="The hits were divided by those who are shown it. That asks whether the slots "
            "were well used.",
            ask="Of those who would like it, how many get it?",
        ),
        Misconception(
            id="false-positives-in",
            name="shown for hit",
            wrong=_over("shown", "like"),
            cause="All who are shown it were counted, also those who would not like it.",
            ask="Is somebody who is shown it and does not like it a true positive?",
        ),
        Misconception(
            id="ratio-for-gap",
            name="ratio for gap",
            wrong=_ratio_for_gap,
            cause="The rates were divided. That is the ratio, in which 1 is parity.",
            ask="What should the gap be where both rates are the same?",
        ),
    ),
    hints=(
        "Two of the four rows of numbers are not needed.",
        "The true positive rate is recall: of those who would like it, the share that gets it.",
        "The gap is the higher rate minus the lower one.",
    ),
    steps=(
        Step(
            "Hits over those who would like it.",
            "rate_1, rate_2 = (h / n for h, n in zip(hits, like))\n"
            "round(rate_1, 3), round(rate_2, 3)",
        ),
        Step("The higher minus the lower.", "gap = abs(rate_1 - rate_2)\nround(gap, 3)"),
        Step(
            "Demographic parity would ask for other rates: all who are shown it, over all.",
            "[round(s / n, 3) for s, n in zip(shown, users)]",
        ),
    ),
    insight="Equal opportunity is recall by group. It needs to know who would like the item, which "
    "a log tells only of items that were shown.",
    minutes=4,
    points=3,
)


# Which of the two holds -------------------------------------------------------------------------

_CLOSE = 1e-9


@remembered
def _holds(inputs: Inputs) -> str:
    liked, got, groups = people(inputs)
    parity = demographic_parity(got, groups).gap < _CLOSE
    opportunity = equal_opportunity(liked, got, groups).gap < _CLOSE
    if parity and opportunity:
        return "both"
    return "parity" if parity else "opportunity" if opportunity else "neither"


def _unless_right(key: str) -> Any:
    """Return the mistake of choosing an option, wherever it is one."""
    return lambda inputs: None if _holds(inputs) == key else key


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
        if fits and _holds(inputs) == wanted:
            return inputs


def _selection(inputs: Inputs) -> str:
    one, two = inputs["shown"]
    of_one, of_two = inputs["users"]
    return f"Shown to {one} of {of_one} and {two} of {of_two} users"


def _hit(inputs: Inputs) -> str:
    one, two = inputs["hits"]
    of_one, of_two = inputs["like"]
    return f"it reaches {one} of {of_one} and {two} of {of_two} who would like it"


which_parity = Choice(
    id="bias.which_parity",
    title="Which of the two holds",
    prompt="""
Two groups have {users} users, in this order. Of them {like} would like an item, {shown} are shown
it, and {hits} would like it and are shown it. Which definition of fairness holds?
""",
    options={
        "parity": "Demographic parity holds, equal opportunity does not.",
        "opportunity": "Equal opportunity holds, demographic parity does not.",
        "both": "Both hold.",
        "neither": "Neither holds.",
    },
    ordered=True,
    inputs={"users": [200, 300], "like": [100, 60], "hits": [60, 45], "shown": [80, 120]},
    solve=_holds,
    draw=_draw_case,
    reasons={
        key: lambda inputs: f"{_selection(inputs)}; {_hit(inputs)}."
        for key in ("parity", "opportunity", "both", "neither")
    },
    misconceptions=(
        Misconception(
            id="not-parity-only",
            name="counts for rates",
            wrong=_unless_right("parity"),
            cause=lambda inputs: (
                f"Compare rates, not counts. {_selection(inputs)}; {_hit(inputs)}."
            ),
            ask="Are the shares of users who are shown it equal, and the shares of those who would "
            "like it and get it?",
        ),
        Misconception(
            id="not-opportunity-only",
            name="parity for opportunity",
            wrong=_unless_right("opportunity"),
            cause=lambda inputs: fill(
                "Demographic parity is about everybody who is shown the item, equal opportunity "
                "about those who would like it: {hits} of {like}.",
                inputs,
            ),
            ask="Which two counts make each of the two rates?",
        ),
        Misconception(
            id="not-both",
            name="one for the other",
            wrong=_unless_right("both"),
            cause="At least one pair of rates differs. One definition does not bring the other "
            "with it.",
            ask="Divide: shown by users, and hits by those who would like it. Which pair differs?",
        ),
        Misconception(
            id="not-neither",
            name="gap of counts",
            wrong=_unless_right("neither"),
            cause="At least one pair of rates is equal, though the counts differ.",
            ask="Divide: shown by users, and hits by those who would like it. Which pair is equal?",
        ),
    ),
    hints=(
        "Four divisions, two for each definition.",
        "Demographic parity: shown over users, in each group.",
        "Equal opportunity: hits over those who would like it, in each group.",
    ),
    steps=(
        Step(
            "Selection rates, for demographic parity.",
            "[round(s / n, 3) for s, n in zip(shown, users)]",
        ),
        Step(
            "True positive rates, for equal opportunity.",
            "[round(h / n, 3) for h, n in zip(hits, like)]",
        ),
    ),
    insight="Where groups like an item to different degrees, both can hold only if one of them is "
    "shown it more often among those who would not like it. Which of the two is owed is a "
    "decision, and none of arithmetic.",
    minutes=3,
    points=1,
)
