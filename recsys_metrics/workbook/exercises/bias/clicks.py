"""Clicks by place: look times liking, there and back."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from recsys_metrics import discounts
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers


def _by(look: Callable[[int], float]) -> Callable[[Inputs], dict[str, float]]:
    """Return the answers of who takes this for the chance of a look at a rank."""

    def answers(inputs: Inputs) -> dict[str, float]:
        (first, second), (a, b) = inputs["ranks"], inputs["liking"]
        upper, lower = look(first) * a, look(second) * b
        n = inputs["lists"]
        return {"upper": n * upper, "lower": n * lower, "needed": upper / look(second)}

    return answers


def _of_ndcg(rank: int) -> float:
    return float(discounts(rank)[-1])


_solve = _by(_of_ndcg)


def _looks_ignored(inputs: Inputs) -> dict[str, float]:
    a, b = inputs["liking"]
    return {"upper": inputs["lists"] * a, "lower": inputs["lists"] * b, "needed": a}


def _per_list(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    return {name: right[name] / inputs["lists"] for name in ("upper", "lower")}


def _looks_alone(inputs: Inputs) -> dict[str, float]:
    first, second = inputs["ranks"]
    n = inputs["lists"]
    return {"upper": n * _of_ndcg(first), "lower": n * _of_ndcg(second)}


def _ratio_turned(inputs: Inputs) -> dict[str, float]:
    (first, second), (a, _) = inputs["ranks"], inputs["liking"]
    return {"needed": a * _of_ndcg(second) / _of_ndcg(first)}


def _ratio_of_clicks(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    return {"needed": right["upper"] / right["lower"]}


def _draw(rng: np.random.Generator) -> Inputs:
    first = int(rng.integers(2, 4))
    return {
        "ranks": [first, first + int(rng.integers(4, 13))],
        "liking": [int(rng.integers(20, 36)) / 100, int(rng.integers(36, 56)) / 100],
        "lists": int(rng.choice([500, 1_000, 2_000])),
    }


clicks_by_place = Numbers(
    id="bias.clicks_by_place",
    title="What the place adds",
    prompt="""
In {lists} lists two films stand at the ranks {ranks}. Of the people who look at them, shares of
{liking} click, in this order. The chance of a look at rank i is the discount of NDCG: one over the
logarithm to base 2 of i + 1.

How many clicks does each get, on average? And which share of those who look would have to click
the lower film, for it to get as many as the upper one?
""",
    asks={
        "upper": "clicks on the upper film",
        "lower": "clicks on the lower film",
        "needed": "share that the lower film needs",
    },
    inputs={"ranks": [2, 11], "liking": [0.3, 0.45], "lists": 1_000},
    solve=_solve,
    draw=_draw,
    misconceptions=(
        Misconception(
            id="looks-ignored",
            name="looks ignored",
            wrong_answer=_looks_ignored,
            cause="Liking alone was counted, as if everybody looked at both ranks.",
            hint="Of a thousand lists, in how many does somebody look at the lower film?",
        ),
        Misconception(
            id="liking-ignored",
            name="look for click",
            wrong_answer=_looks_alone,
            cause="The looks were counted. Of those who look, a share clicks.",
            hint="What share of those who look at it clicks the upper film?",
        ),
        Misconception(
            id="one-over-rank",
            name="one over the rank",
            wrong_answer=_by(lambda rank: 1 / rank),
            cause="The chance of a look was taken as one over the rank, which falls faster than "
            "the discount of NDCG.",
            hint="What is one over the logarithm to base 2 of 4?",
        ),
        Misconception(
            id="off-by-one-rank",
            name="off-by-one rank",
            wrong_answer=_by(lambda rank: 1 / math.log2(rank)),
            cause="The logarithm was taken of the rank, not of the rank and 1.",
            hint="What would the first rank get by your formula?",
        ),
        Misconception(
            id="natural-log",
            name="natural log",
            wrong_answer=_by(lambda rank: 1 / math.log(rank + 1)),
            cause="The natural logarithm was taken in place of the one to base 2.",
            hint="What chance of a look does your formula give to rank 1?",
        ),
        Misconception(
            id="per-list",
            name="clicks per list",
            wrong_answer=_per_list,
            cause="These are the clicks per list. The clicks on all lists are asked for.",
            hint="How many lists are there?",
        ),
        Misconception(
            id="ratio-upside-down",
            name="ratio upside down",
            wrong_answer=_ratio_turned,
            cause="The looks of the lower rank stand over those of the upper one, so the lower "
            "film would need less liking than the upper one.",
            hint="Does the film that fewer people look at need more or less liking?",
        ),
        Misconception(
            id="clicks-for-liking",
            name="clicks for liking",
            wrong_answer=_ratio_of_clicks,
            cause="The clicks of one film were divided by those of the other. That says how far "
            "apart they are, not what liking would close the gap.",
            hint="What times the chance of a look at the lower rank gives the upper film's rate?",
        ),
    ),
    hints=(
        "A click needs two things: somebody looks, and then likes what they see.",
        "Clicks are lists times the chance of a look times the share that clicks.",
        "Set looks times liking equal at both ranks, and solve for the lower liking.",
    ),
    steps=(
        Step(
            "The chance of a look at both ranks.",
            "import math\n\nlooks = [1 / math.log2(i + 1) for i in ranks]\n"
            "liking, [round(look, 3) for look in looks]",
        ),
        Step(
            "Looks times liking, on all lists.",
            "upper, lower = (lists * look * share for look, share in zip(looks, liking))\n"
            "round(upper, 1), round(lower, 1)",
        ),
        Step(
            "The lower film's liking times its looks must give the upper film's rate.",
            "needed = looks[0] * liking[0] / looks[1]\nround(needed, 3)",
        ),
    ),
    insight="A click rate is a product. Without the one factor nobody can read the other.",
    minutes=3,
    points=2,
)
