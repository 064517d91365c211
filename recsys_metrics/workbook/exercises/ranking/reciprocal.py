"""The first hit: reciprocal rank and its mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from recsys_metrics import Judged, reciprocal_hit_rate, reciprocal_rank
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.ranking import running_list


def _solve(inputs: Inputs) -> dict[str, float]:
    first = reciprocal_rank(running_list.judged(inputs), inputs["k"])
    return _with_mean(inputs, first)


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    return {**running_list.draw(rng), "rank_of_second": int(rng.integers(1, 21))}


def _first(inputs: Inputs) -> int:
    return running_list.hit_ranks(inputs)[0]


def _with_mean(inputs: Inputs, first: float) -> dict[str, float]:
    """Return a first user's value, and its mean with the second user's right one."""
    return {"rr": first, "mrr": (first + 1 / inputs["rank_of_second"]) / 2}


def _rank_itself(inputs: Inputs) -> dict[str, float]:
    return {"rr": _first(inputs), "mrr": (_first(inputs) + inputs["rank_of_second"]) / 2}


def _mean_rank(inputs: Inputs) -> dict[str, float]:
    return {"mrr": 2 / (_first(inputs) + inputs["rank_of_second"])}


def _sum(inputs: Inputs) -> dict[str, float]:
    return {"mrr": 1 / _first(inputs) + 1 / inputs["rank_of_second"]}


def _all_hits_added(inputs: Inputs) -> dict[str, float]:
    return _with_mean(inputs, sum(1 / rank for rank in running_list.hit_ranks(inputs)))


def _all_hits_averaged(inputs: Inputs) -> dict[str, float]:
    ranks = running_list.hit_ranks(inputs)
    return _with_mean(inputs, sum(1 / rank for rank in ranks) / len(ranks))


def _from_zero(inputs: Inputs) -> dict[str, float]:
    return {"rr": 1 / (_first(inputs) - 1)}


def _plus_one(inputs: Inputs) -> dict[str, float]:
    first, other = 1 / (_first(inputs) + 1), 1 / (inputs["rank_of_second"] + 1)
    return {"rr": first, "mrr": (first + other) / 2}


reciprocal_rank_and_mean = Numbers(
    attribute="reciprocal_rank_and_mean",
    id="ranking.e3",
    title="Reciprocal rank, and its mean",
    prompt="""
The list holds {recommended}, best first. The user would have liked {relevant}.
A second user finds the first relevant item at rank {rank_of_second}.

Compute the first user's reciprocal rank, and the MRR of the two users.
""",
    asks={"rr": "reciprocal rank", "mrr": "MRR of both users"},
    inputs={**running_list.STATED, "rank_of_second": 1},
    solve=_solve,
    draw=_draw,
    picture=running_list.picture,
    misconceptions=(
        Misconception(
            id="rank-not-reciprocal",
            name="rank for reciprocal",
            wrong_answer=_rank_itself,
            cause="The rank of the first hit was used as it is.",
            hint="Should a hit further down be worth more or less?",
        ),
        Misconception(
            id="reciprocal-of-mean",
            name="reciprocal of the mean",
            wrong_answer=_mean_rank,
            cause="The ranks were averaged first, and the reciprocal taken of that.",
            hint="Each user has a reciprocal rank. What is the mean of those?",
        ),
        Misconception(
            id="sum-not-mean",
            name="sum for mean",
            wrong_answer=_sum,
            cause="The users' reciprocal ranks were added up and not divided.",
            hint="How many users are there?",
        ),
        Misconception(
            id="all-hits-added",
            name="every hit counted",
            wrong_answer=_all_hits_added,
            cause="The reciprocal ranks of all hits were added up. That is the reciprocal hit "
            "rate.",
            hint="Which of the hits does reciprocal rank look at?",
        ),
        Misconception(
            id="all-hits-averaged",
            name="every hit counted",
            wrong_answer=_all_hits_averaged,
            cause="The reciprocal ranks of all hits were averaged.",
            hint="Which of the hits does reciprocal rank look at?",
        ),
        Misconception(
            id="rank-from-zero",
            name="off-by-one rank",
            wrong_answer=_from_zero,
            cause="Ranks were counted from 0.",
            hint="What would the reciprocal rank be of a hit at the very top?",
        ),
        Misconception(
            id="rank-plus-one",
            name="off-by-one rank",
            wrong_answer=_plus_one,
            cause="1 was added to each rank, as some texts print the formula.",
            hint="What should a hit at the very top be worth?",
        ),
    ),
    hints=(
        "Only the first hit of each list matters. At which rank does it stand?",
        "The reciprocal rank is one divided by that rank; ranks count from 1.",
        "MRR is the mean over users: add the two reciprocal ranks and divide by two.",
    ),
    steps=(
        Step(
            "Walk down the list until the first hit. `enumerate(…, 1)` counts ranks from 1.",
            "first = next(rank for rank, item in enumerate(recommended[:k], 1) if item in "
            "relevant)\n"
            "first",
        ),
        Step(
            "One over that rank; what comes below it does not matter.",
            "rr = 1 / first\nround(rr, 3)",
        ),
        Step(
            "The second user's reciprocal rank comes the same way, and MRR is the mean of both.",
            "mrr = (rr + 1 / rank_of_second) / 2\nround(mrr, 3)",
        ),
    ),
    insight="A reciprocal rank belongs to one list. MRR is a mean over users.",
    minutes=3,
    points=2,
)


# All the hits -----------------------------------------------------------------------------------


def _three(inputs: Inputs) -> dict[str, float]:
    ranks = inputs["ranks"]
    hits = Judged.from_gains([float(rank in ranks) for rank in range(1, max(ranks) + 1)])
    return {
        "first": float(reciprocal_rank(hits)),
        "total": float(reciprocal_hit_rate(hits)),
        "mean": float(reciprocal_hit_rate(hits, reduce="mean")),
    }


def _of_ranks(inputs: Inputs, reciprocal: Callable[[int], float]) -> dict[str, float]:
    values = [reciprocal(rank) for rank in inputs["ranks"]]
    return {"first": values[0], "total": sum(values), "mean": sum(values) / len(values)}


def _mean_over(count: Callable[[list[int]], int]) -> Callable[[Inputs], dict[str, float]]:
    return lambda inputs: {"mean": _three(inputs)["total"] / count(inputs["ranks"])}


def _of_rank_sums(inputs: Inputs) -> dict[str, float]:
    total = sum(inputs["ranks"])
    return {"total": 1 / total, "mean": len(inputs["ranks"]) / total}


def _last(inputs: Inputs) -> dict[str, float]:
    return {"first": 1 / inputs["ranks"][-1]}


def _draw_ranks(rng: np.random.Generator) -> Inputs:
    ranks = 2 + rng.choice(10, int(rng.integers(3, 5)), replace=False)
    return {"ranks": sorted(int(rank) for rank in ranks)}


three_reciprocals = Numbers(
    id="ranking.three_reciprocals",
    title="Three numbers under one name",
    prompt="""
The hits of one list stand at the ranks {ranks}.

Compute the reciprocal rank, the sum of the reciprocal ranks of all hits, and their mean over the
hits.
""",
    asks={"first": "reciprocal rank", "total": "sum over the hits", "mean": "mean over the hits"},
    inputs={"ranks": [2, 4, 5]},
    solve=_three,
    draw=_draw_ranks,
    misconceptions=(
        Misconception(
            id="rank-from-zero",
            name="off-by-one rank",
            wrong_answer=lambda inputs: _of_ranks(inputs, lambda rank: 1 / (rank - 1)),
            cause="Ranks were counted from 0.",
            hint="What is a hit at the very top worth?",
        ),
        Misconception(
            id="rank-plus-one",
            name="off-by-one rank",
            wrong_answer=lambda inputs: _of_ranks(inputs, lambda rank: 1 / (rank + 1)),
            cause="1 was added to each rank.",
            hint="What is a hit at the very top worth?",
        ),
        Misconception(
            id="rank-not-reciprocal",
            name="rank for reciprocal",
            wrong_answer=lambda inputs: _of_ranks(inputs, float),
            cause="The ranks themselves were used.",
            hint="Should a hit further down be worth more or less?",
        ),
        Misconception(
            id="reciprocal-of-sum",
            name="reciprocal of the sum",
            wrong_answer=_of_rank_sums,
            cause="The ranks were added first, and the reciprocal taken of that.",
            hint="Each hit has a reciprocal of its own. What do these add up to?",
        ),
        Misconception(
            id="list-denominator",
            name="list denominator",
            wrong_answer=_mean_over(lambda ranks: ranks[-1]),
            cause="The sum was divided by the number of ranks down to the last hit.",
            hint="The mean over what is asked for?",
        ),
        Misconception(
            id="last-hit",
            name="last hit",
            wrong_answer=_last,
            cause="The reciprocal rank was taken of the last hit.",
            hint="At which hit does the reader of the reciprocal rank stop?",
        ),
    ),
    hints=(
        "Take one over each rank first.",
        "Only the first of them is the reciprocal rank. The sum takes all.",
        "The mean divides the sum by the number of hits.",
    ),
    steps=(
        Step("One over each rank:", "each = [1 / rank for rank in ranks]\neach"),
        Step("The reader of the reciprocal rank stops at the first hit.", "first = each[0]\nfirst"),
        Step(
            "Who reads on adds the others, or takes the mean over the hits.",
            "total, mean = sum(each), sum(each) / len(each)\nround(total, 3), round(mean, 3)",
        ),
    ),
    insight="All three have been printed under one name. The mean can fall when a hit is added.",
    minutes=3,
    points=2,
)
