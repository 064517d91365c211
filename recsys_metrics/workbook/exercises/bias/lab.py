"""Logs under test: slates, looks from rankers that disagree, and logs that cannot answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from recsys_metrics.bias.off_policy import pseudo_inverse, slate_ips
from recsys_metrics.bias.propensity import position_bias_harvest
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step, render_text
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers

# One slate, four weights --------------------------------------------------------------------------


def _slate(inputs: Inputs) -> dict[str, float]:
    clicks, logged, wanted = (
        np.array([inputs[name]], dtype=float) for name in ("clicks", "logged", "wanted")
    )
    return {
        "whole": slate_ips(clicks, logged.prod(axis=1), wanted.prod(axis=1)).value,
        "top": slate_ips(clicks, logged.cumprod(axis=1), wanted.cumprod(axis=1)).value,
        "slot": slate_ips(clicks, logged, wanted).value,
        "pseudo": pseudo_inverse(clicks.sum(axis=1), logged, wanted).value,
    }


def _weights(inputs: Inputs) -> tuple[Any, Any]:
    clicks, logged, wanted = (np.array(inputs[n], float) for n in ("clicks", "logged", "wanted"))
    return clicks, wanted / logged


def _sum_for_product(inputs: Inputs) -> dict[str, float]:
    clicks, weights = _weights(inputs)
    return {"whole": float(weights.sum() * clicks.sum())}


def _own_for_top(inputs: Inputs) -> dict[str, float]:
    return {"top": _slate(inputs)["slot"]}


def _whole_for_top(inputs: Inputs) -> dict[str, float]:
    return {"top": _slate(inputs)["whole"]}


def _slots_not_taken_off(inputs: Inputs) -> dict[str, float]:
    clicks, weights = _weights(inputs)
    return {"pseudo": float(weights.sum() * clicks.sum())}


def _all_slots_taken_off(inputs: Inputs) -> dict[str, float]:
    clicks, weights = _weights(inputs)
    return {"pseudo": float((weights.sum() - len(weights)) * clicks.sum())}


def _upside_down(inputs: Inputs) -> dict[str, float]:
    return _slate({**inputs, "logged": inputs["wanted"], "wanted": inputs["logged"]})


def _per_slot(inputs: Inputs) -> dict[str, float]:
    return {name: value / len(inputs["clicks"]) for name, value in _slate(inputs).items()}


def _draw_slate(rng: np.random.Generator) -> Inputs:
    """Return a slate of three slots, two of them clicked, the last among them."""
    logged = rng.choice([0.2, 0.25, 0.4, 0.5, 0.8], 3).tolist()
    while True:
        wanted = rng.choice([0.1, 0.2, 0.3, 0.5, 0.6, 0.9], 3).tolist()
        if all(abs(w / p - 1) > 0.15 for w, p in zip(wanted, logged, strict=True)):
            break
    return {
        "clicks": [[1, 0, 1], [0, 1, 1]][int(rng.integers(2))],
        "logged": logged,
        "wanted": wanted,
    }


slate_weights = Numbers(
    id="bias.slate_weights",
    title="What one slate counts",
    prompt="""
A slate has three slots, which were filled independently of each other. From the top:

- the log's policy put these items there with the chances {logged}
- another policy would have done so with the chances {wanted}
- clicked: {clicks}

What does this slate add to the estimate of the clicks on a slate of the other policy? By the
weight of the whole slate; by that of the slots from the top down to the clicked one; by each
slot's own; and by the pseudo-inverse.
""",
    asks={
        "whole": "the whole slate",
        "top": "from the top",
        "slot": "each slot's own",
        "pseudo": "pseudo-inverse",
    },
    inputs={"clicks": [1, 0, 1], "logged": [0.5, 0.4, 0.5], "wanted": [0.6, 0.8, 0.2]},
    solve=_slate,
    draw=_draw_slate,
    misconceptions=(
        Misconception(
            id="sum-for-product",
            name="sum for product",
            wrong_answer=_sum_for_product,
            cause="For the whole slate the weights of the slots were added up. Slots that are "
            "filled independently come together with the product of their chances.",
            hint="How likely does either policy show exactly these three items?",
        ),
        Misconception(
            id="own-for-top",
            name="own slot for the top",
            wrong_answer=_own_for_top,
            cause="For the top each click was weighed by its own slot. There, what stands above "
            "belongs to it.",
            hint="What did a reader who comes to the last slot see before?",
        ),
        Misconception(
            id="whole-for-top",
            name="whole slate for the top",
            wrong_answer=_whole_for_top,
            cause="For the top every click was weighed by all three slots. What stands below has "
            "not been read yet.",
            hint="Which slots has a reader seen who clicks on the one in question?",
        ),
        Misconception(
            id="slots-not-taken-off",
            name="slots not taken off",
            wrong_answer=_slots_not_taken_off,
            cause="For the pseudo-inverse the weights were added up, and the slots less one were "
            "not taken off: where both policies are the same the sum would weigh 3.",
            hint="What must a slate weigh if both policies are the same?",
        ),
        Misconception(
            id="all-slots-taken-off",
            name="one slot too many",
            wrong_answer=_all_slots_taken_off,
            cause="For the pseudo-inverse as many were taken off as there are slots: where both "
            "policies are the same nothing would be left.",
            hint="What must a slate weigh if both policies are the same?",
        ),
        Misconception(
            id="weight-upside-down",
            name="weight upside down",
            wrong_answer=_upside_down,
            cause="The log's chances stand over the other policy's.",
            hint="Should a slate count more if the other policy shows it more often?",
        ),
        Misconception(
            id="clicks-per-slot",
            name="slots for slates",
            wrong_answer=_per_slot,
            cause="The clicks were divided by the slots. Clicks on a slate are asked for, and this "
            "is one slate.",
            hint="How many slates are there?",
        ),
    ),
    hints=(
        "Give each slot its weight first: the other policy's chance over the log's.",
        "Whole: the product of all three, on every click. Top: the product down to the click.",
        "Pseudo-inverse: the sum of the three less two, on all clicks together.",
    ),
    steps=(
        Step(
            "The weight of each slot.",
            "w = [t / p for t, p in zip(wanted, logged)]\n[round(x, 3) for x in w]",
        ),
        Step(
            "Running products, from the top: the last is that of the whole slate.",
            "down = [w[0], w[0] * w[1], w[0] * w[1] * w[2]]\n"
            "whole = down[2] * sum(clicks)\n"
            "top = sum(d * c for d, c in zip(down, clicks))\n"
            "round(whole, 3), round(top, 3)",
        ),
        Step(
            "Each by itself, and the sum less two.",
            "slot = sum(x * c for x, c in zip(w, clicks))\n"
            "pseudo = (sum(w) - 2) * sum(clicks)\n"
            "round(slot, 3), round(pseudo, 3)",
        ),
    ),
    insight="The four differ in what a click is supposed to hang on. The less that is, the tamer "
    "the weights, and the more is taken on trust.",
    minutes=6,
    points=2,
)


# Looks from rankers that disagree -----------------------------------------------------------------


def _rows(inputs: Inputs) -> list[tuple[str, int, int, int]]:
    """Return item, rank, clicks and displays."""
    at = [("A", 1), ("A", 3), ("B", 1), ("B", 3), ("C", 1)]
    return [
        (*where, c, n) for where, c, n in zip(at, inputs["clicked"], inputs["shown"], strict=True)
    ]


def _harvest(inputs: Inputs) -> dict[str, float]:
    rows = _rows(inputs)
    clicks = np.concatenate([np.arange(n) < c for _, _, c, n in rows])
    items, ranks = (np.repeat([row[at] for row in rows], inputs["shown"]) for at in (0, 1))
    found = position_bias_harvest(clicks, items, ranks, pairs="landmark")
    return {"examination": float(found.examination[2])}


def _ratio(inputs: Inputs, of: Callable[[list[tuple[int, int]]], float], items: str) -> float:
    cells: dict[int, list[tuple[int, int]]] = {1: [], 3: []}
    for item, rank, c, n in _rows(inputs):
        if item in items:
            cells[rank].append((c, n))
    return of(cells[3]) / of(cells[1])


def _sum_of_rates(cells: list[tuple[int, int]]) -> float:
    return sum(c / n for c, n in cells)


def _pooled_rate(cells: list[tuple[int, int]]) -> float:
    return sum(c for c, _ in cells) / sum(n for _, n in cells)


def _draw_harvest(rng: np.random.Generator) -> Inputs:
    look = float(rng.uniform(0.3, 0.7))
    appeal = rng.uniform(0.15, 0.6, 3)
    # More displays at rank 3 than at rank 1, so that counts and pooled rates differ.
    choices = ([180, 200, 240], [30, 40, 50], [60, 70, 80], [300, 340, 380], [80, 100, 120])
    displays = [int(rng.choice(each)) for each in choices]
    at = [appeal[0], appeal[0] * look, appeal[1], appeal[1] * look, appeal[2]]
    clicked = [max(2, round(n * p)) for n, p in zip(displays, at, strict=True)]
    return {"shown": displays, "clicked": clicked}


harvest_looks = Numbers(
    id="bias.harvest_looks",
    title="Two rankers that disagree",
    prompt="""
Chance gave each request to one of two rankers. Item A stood mostly at rank 1 and sometimes at rank
3, item B the other way round, and item C at rank 1 alone. Of A at ranks 1 and 3, B at ranks 1 and
3, and C at rank 1:

- shown: {shown}
- clicked: {clicked}

Let each item that was seen at both ranks count alike. How likely is rank 3 looked at, relative to
rank 1?
""",
    asks={"examination": "looks at rank 3, relative to rank 1"},
    inputs={"shown": [200, 40, 50, 240, 100], "clicked": [60, 8, 10, 24, 5]},
    solve=_harvest,
    draw=_draw_harvest,
    misconceptions=(
        Misconception(
            id="pooled",
            name="items mixed with places",
            wrong_answer=lambda inputs: {"examination": _ratio(inputs, _pooled_rate, "AB")},
            cause="Clicks and displays of both items were added up at each rank. At rank 1 that is "
            "mostly A, at rank 3 mostly B, so the items are in the ratio, too.",
            hint="How can A and B count alike at both ranks, however often they came?",
        ),
        Misconception(
            id="one-place-only",
            name="item of one place",
            wrong_answer=lambda inputs: {"examination": _ratio(inputs, _sum_of_rates, "ABC")},
            cause="C was counted, which no ranker ever put at rank 3. What it got at rank 1 "
            "cannot be compared with anything.",
            hint="Which items were seen at both ranks?",
        ),
        Misconception(
            id="clicks-as-logged",
            name="clicks as logged",
            wrong_answer=lambda inputs: {"examination": _ratio(inputs, _pooled_rate, "ABC")},
            cause="That is the click rate of rank 3 over that of rank 1, whatever stood there.",
            hint="Did the same items stand at both ranks, equally often?",
        ),
        Misconception(
            id="counts-for-rates",
            name="counts for rates",
            wrong_answer=lambda inputs: {
                "examination": _ratio(inputs, lambda cells: sum(c for c, _ in cells), "AB")
            },
            cause="Clicks were compared as counts, although the items were not shown equally "
            "often.",
            hint="What share of its displays was clicked, for each item at each rank?",
        ),
        Misconception(
            id="ratio-upside-down",
            name="ratio upside down",
            wrong_answer=lambda inputs: {"examination": 1 / _ratio(inputs, _sum_of_rates, "AB")},
            cause="Rank 1 was divided by rank 3.",
            hint="Is rank 3 looked at more or less often than rank 1?",
        ),
    ),
    hints=(
        "Only items that were seen at both ranks tell looks from liking.",
        "Take a click rate for each of these items at each rank: four rates.",
        "Add the rates at rank 3, add those at rank 1, and divide.",
    ),
    steps=(
        Step(
            "Click rates of A and B at both ranks; C was never at rank 3.",
            "rates = [c / n for c, n in zip(clicked, shown)][:4]\n[round(r, 3) for r in rates]",
        ),
        Step(
            "Each item counts alike in both sums.",
            "examination = (rates[1] + rates[3]) / (rates[0] + rates[2])\nround(examination, 3)",
        ),
    ),
    insight="Nobody planned a swap: two rankers that disagree are one, as long as chance decides "
    "who of them is asked.",
    minutes=4,
    points=2,
)


# Logs that cannot answer --------------------------------------------------------------------------

_LEAST_WORTH = 100


def _conclusion(inputs: Inputs) -> str:
    low, high = inputs["interval"]
    if inputs["never"] > 0:
        return "support"
    if not low <= 1 <= high:
        return "propensities"
    return "few" if inputs["worth"] < _LEAST_WORTH else "answer"


def _not(key: str) -> Callable[[Inputs], str | None]:
    return lambda inputs: None if _conclusion(inputs) == key else key


def _draw_log(rng: np.random.Generator) -> Inputs:
    wanted = str(rng.choice(["support", "propensities", "few", "answer"]))
    n = int(rng.choice([2_000, 5_000, 20_000]))
    mean, never, worth = 1.0 + float(rng.normal(0, 0.01)), 0, int(rng.integers(400, n // 2))
    if wanted == "support":
        never = int(rng.integers(5, 30))
        mean = 1 - never / 100
    if wanted == "propensities":
        mean = float(rng.choice([0.72, 0.8, 1.25, 1.4]))
    if wanted == "few":
        worth = int(rng.integers(5, 40))
    half = 0.05 if worth > _LEAST_WORTH else 0.35
    return {
        "n": n,
        "mean": round(mean, 2),
        "interval": [round(mean - half, 2), round(mean + half, 2)],
        "worth": worth,
        "never": never,
    }


_LOG = """
A log of {n} rounds is asked about a new policy.

- mean weight: {mean}, with the interval {interval}
- effective sample size: {worth} rounds
- share, in percent, of what the new policy shows that the log's policy could not show: {never}

What do you report first?
"""


def _rounds(text: str) -> Callable[[Inputs], str]:
    """Return a text that says its numbers of rounds with separators."""
    return lambda inputs: render_text(
        text, {**inputs, "n": f"{inputs['n']:,}", "worth": f"{inputs['worth']:,}"}
    )


which_log_answers = Choice(
    id="bias.which_log_answers",
    title="Can this log answer?",
    prompt=_rounds(_LOG),
    options={
        "answer": "The estimate, with its interval and the effective sample size.",
        "propensities": "No estimate: the logged chances are wrong.",
        "support": "No estimate: the log never shows a part of what is asked about.",
        "few": "No estimate: too few rounds speak for the interval to be believed.",
    },
    inputs={"n": 5_000, "mean": 0.74, "interval": [0.69, 0.79], "worth": 1_200, "never": 0},
    solve=_conclusion,
    draw=_draw_log,
    reasons={
        "answer": "All could be shown, the weights average 1 within their interval, and hundreds "
        "of rounds speak.",
        "propensities": "All could be shown, so the weights must average 1 if the chances are "
        "right; the interval leaves 1 out.",
        "support": "No weight brings back what could not happen; the share that is missing has no "
        "estimate.",
        "few": "The mean weight is as it should be, and a few heavy rounds carry it.",
    },
    misconceptions=(
        Misconception(
            id="not-answer",
            name="length for worth",
            wrong_answer=_not("answer"),
            cause="The log is long, and one of the three diagnostics refuses all the same.",
            hint="Which of them: support, mean weight, or effective sample size?",
        ),
        Misconception(
            id="not-propensities",
            name="mean weight misread",
            wrong_answer=_not("propensities"),
            cause="The mean weight does not accuse the chances here: its interval holds 1, or "
            "something that could not be shown explains why it is below.",
            hint="Is anything missing from the log? And does the interval hold 1?",
        ),
        Misconception(
            id="not-support",
            name="seldom for never",
            wrong_answer=_not("support"),
            cause="Everything that the new policy shows could have been logged. Seldom is not "
            "never.",
            hint="What is the share that could not be shown?",
        ),
        Misconception(
            id="not-few",
            name="weights blamed",
            wrong_answer=_not("few"),
            cause="Too few rounds are not the first thing that is wrong with this log, if "
            "anything is.",
            hint="Could all be shown, and does the mean weight's interval hold 1? How many rounds "
            "do the weights leave?",
        ),
    ),
    hints=(
        "Ask in this order: could all be shown? Do the weights average 1? How many rounds speak?",
        "Where all could be shown and the chances are right, the mean weight is 1 on average.",
        "With an effective sample size of a few dozen, intervals are too narrow.",
    ),
    steps=(
        Step(
            "Support first. Of what the new policy shows, {never} % could not be in the log. "
            "What could not be shown has no weight."
        ),
        Step(
            "Then the mean weight, {mean}. Does its interval hold 1?",
            "low, high = interval\nlow <= 1 <= high",
        ),
        Step(_rounds("Last, how many rounds the weights leave: {worth}.")),
    ),
    insight="A log that refuses to answer has told you something: what to show at random next.",
    minutes=3,
    points=1,
)
