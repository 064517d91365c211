"""Groups: shares and rates, selection and opportunity."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.bias.fairness import demographic_parity, equal_opportunity, exposure_by_group
from recsys_metrics.workbook.exercises.base import (
    Inputs,
    Misconception,
    Step,
    cache_latest,
    render_text,
)
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
            wrong_answer=_share_for_rate,
            cause="The shares of the slots were taken for rates. A group that owns more would then "
            "always seem favoured.",
            hint="What share of the catalogue does each group own?",
        ),
        Misconception(
            id="rate-gap",
            name="rate for share",
            wrong_answer=_rate_gap,
            cause="The gap was taken between the rates; between the shares it is asked for.",
            hint="Of 100 slots, how many more does one group have than the other?",
        ),
        Misconception(
            id="slots-per-item",
            name="slots per item",
            wrong_answer=_per_item,
            cause="Slots were divided by items. The ratio comes out right; the rates are not "
            "relative to what the group's size is worth.",
            hint="What should the rate be of a group with 30 % of the items and 30 % of the slots?",
        ),
        Misconception(
            id="rate-upside-down",
            name="rate upside down",
            wrong_answer=_upside_down,
            cause="The share of the catalogue stands over the share of the slots.",
            hint="Should a group with many slots have a high or a low rate?",
        ),
        Misconception(
            id="ratio-upside-down",
            name="ratio upside down",
            wrong_answer=_ratio_upside_down,
            cause="The higher rate stands over the lower one.",
            hint="By which of the two must you divide to get at most 1?",
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
            wrong_answer=_unless_right("parity"),
            cause=lambda inputs: (
                f"Compare rates, not counts. {_selection(inputs)}; {_hit(inputs)}."
            ),
            hint="Are the shares of users who are shown it equal, and the shares of those who "
            "would like it and get it?",
        ),
        Misconception(
            id="not-opportunity-only",
            name="parity for opportunity",
            wrong_answer=_unless_right("opportunity"),
            cause=lambda inputs: render_text(
                "Demographic parity is about everybody who is shown the item, equal opportunity "
                "about those who would like it: {hits} of {like}.",
                inputs,
            ),
            hint="Which two counts make each of the two rates?",
        ),
        Misconception(
            id="not-both",
            name="one for the other",
            wrong_answer=_unless_right("both"),
            cause="At least one pair of rates differs. One definition does not bring the other "
            "with it.",
            hint="Divide: shown by users, and hits by those who would like it. Which pair differs?",
        ),
        Misconception(
            id="not-neither",
            name="gap of counts",
            wrong_answer=_unless_right("neither"),
            cause="At least one pair of rates is equal, though the counts differ.",
            hint=(
                "Divide: shown by users, and hits by those who would like it. Which pair is equal?"
            ),
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
