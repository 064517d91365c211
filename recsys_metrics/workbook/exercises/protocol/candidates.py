"""What a hidden item is ranked against: a sample, or everything."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from recsys_metrics.protocol.candidates import expected_sampled_metric, sampled_rank_distribution
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.prediction import Predict


def _always(key: str) -> Any:
    def picks(inputs: Inputs) -> str:
        return key

    return picks


# Predict ---------------------------------------------------------------------------------------

winner = Predict(
    id="protocol.winner",
    title="One winner?",
    prompt="""
Two recommenders, EASE and item kNN, each rank the films that a user came to love among all other
films, nine thousand of them. Of a user's films EASE brings more into the first ten, on average.

To save time, somebody ranks each film among itself and {n} films drawn at random.
Who brings more of them into the first ten now?
""",
    options={
        "ease": "EASE: a fair sample of films keeps the order of the two.",
        "knn": "Item kNN: the order turns round.",
        "tie": "Neither: against so few films both always make it.",
    },
    beliefs={
        "ease": "A sample stands for the whole, as in a poll. Watch for what is sampled here: "
        "not people, but opponents.",
        "knn": "You expect the first ten of fifty-one to be another question than the "
        "first ten of nine thousand. Watch for where the two questions part.",
        "tie": "You expect the task to become very easy. Watch for how easy it becomes.",
    },
    # claim e945: 04_protocol: among all > among 50
    observed="The order of the means is reversed: among {n} sampled films item kNN has the higher "
    "mean, among all films EASE has it, and the change of the lead is significant (p = 0.003). The "
    "proportions become about ten times as large.",
    inputs={"n": 50},
)


# The rank in a sample --------------------------------------------------------------------------


def _solve(inputs: Inputs) -> dict[str, float]:
    n, rank, drawn = inputs["n"], inputs["rank"], inputs["drawn"]
    chances = sampled_rank_distribution(rank, n, drawn)
    return {
        "first": expected_sampled_metric(rank, n, drawn, "hit_rate", k=1),
        "mean_rank": float(chances @ np.arange(1, drawn + 2)),
    }


def _values(above: int, others: int, drawn: int) -> dict[str, float]:
    """Return the answers with so many items above among so many others."""
    return {
        "first": comb(others - above, drawn) / comb(others, drawn),
        "mean_rank": 1 + drawn * above / others,
    }


def _replacement(inputs: Inputs) -> dict[str, float]:
    others = inputs["n"] - 1
    return {"first": ((inputs["n"] - inputs["rank"]) / others) ** inputs["drawn"]}


def _itself(inputs: Inputs) -> dict[str, float]:
    above, n, drawn = inputs["rank"] - 1, inputs["n"], inputs["drawn"]
    return {
        "first": comb(n - 1 - above, drawn) / comb(n, drawn),
        "mean_rank": 1 + drawn * above / n,
    }


def _off_by_one(inputs: Inputs) -> dict[str, float]:
    return _values(inputs["rank"], inputs["n"] - 1, inputs["drawn"])


def _full_rank(inputs: Inputs) -> dict[str, float]:
    return {"first": 0.0, "mean_rank": inputs["rank"]}


def _above_only(inputs: Inputs) -> dict[str, float]:
    return {"mean_rank": _solve(inputs)["mean_rank"] - 1}


def _one_draw_in_words(inputs: Inputs) -> str:
    """Say what the chance of one draw is; at times the chance of any other rank is the same."""
    alone = "That is the chance for a single drawn item to stand below"
    right = _solve(inputs)["first"]
    if abs(1 - right - _one_draw(inputs)["first"]) < 0.001:
        return f"{alone}; or the chance that the hidden item does not come first."
    return f"{alone}."


def _one_draw(inputs: Inputs) -> dict[str, float]:
    return {"first": (inputs["n"] - inputs["rank"]) / (inputs["n"] - 1)}


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    n = int(rng.integers(7, 13))
    return {"n": n, "rank": int(rng.integers(2, 4)), "drawn": int(rng.integers(2, n - 4))}


sampled_rank = Numbers(
    id="protocol.sampled_rank",
    title="A rank in a sample",
    prompt="""
A catalogue has {n} items. The hidden item stands at rank {rank} of the full ranking.
For a cheap evaluation {drawn} different items are drawn from the others, and the hidden item is
ranked among itself and those.

How likely is it that it comes out first? And at which rank does it stand on average?
""",
    asks={"first": "chance of rank 1", "mean_rank": "mean rank"},
    inputs={"n": 8, "rank": 3, "drawn": 3},
    solve=_solve,
    draw=_draw,
    misconceptions=(
        Misconception(
            id="with-replacement",
            name="drawn twice",
            wrong_answer=_replacement,
            cause="Each draw was given the same chance, as if an item could be drawn twice.",
            hint="After the first draw, how many items are left to draw from?",
        ),
        Misconception(
            id="drew-itself",
            name="ranked against itself",
            wrong_answer=_itself,
            cause="The hidden item was among those that can be drawn.",
            hint="How many items are there besides the hidden one?",
        ),
        Misconception(
            id="rank-for-above",
            name="off-by-one rank",
            wrong_answer=_off_by_one,
            cause="The rank was taken for the number of items above.",
            hint="How many items stand above the one at rank 1?",
        ),
        Misconception(
            id="full-rank-kept",
            name="same name, same number",
            wrong_answer=_full_rank,
            cause="The item was left where it stands among all. In a sample most of those above "
            "it are missing.",
            hint="If none of the items above it is drawn, at which rank does it come out?",
        ),
        Misconception(
            id="above-for-rank",
            name="rank from 0",
            wrong_answer=_above_only,
            cause="That is the mean number of drawn items above it.",
            hint="At which rank does it stand if nothing is above it?",
        ),
        Misconception(
            id="one-draw",
            name="one draw",
            wrong_answer=_one_draw,
            cause=_one_draw_in_words,
            hint="How many items are drawn, and what must hold for each of them?",
        ),
    ),
    hints=(
        "Only one thing matters: how many of the drawn items stand above the hidden one.",
        "It comes first if all drawn items are among those below it. Count the samples for which "
        "that is so, and all samples; `math.comb(n, m)` counts samples.",
        "On average a drawn item is above with the same chance: the items above it over all "
        "others. Add that up over the draws, and 1 for the hidden item itself.",
    ),
    steps=(
        Step(
            "The hidden item has rank − 1 items above it and the rest below.",
            "above = rank - 1\nbelow = n - rank\nabove, below",
        ),
        Step(
            "It comes first if every drawn item comes from below: samples from those, over all "
            "samples.",
            "from math import comb\n"
            "first = comb(below, drawn) / comb(above + below, drawn)\n"
            "round(first, 3)",
        ),
        Step(
            "Each drawn item is above with the chance above / (above + below).",
            "mean_rank = 1 + drawn * above / (above + below)\nround(mean_rank, 3)",
        ),
    ),
    insight="A sample of opponents lifts everyone, and not by the same amount: that is how the "
    "order of two recommenders can turn round.",
    minutes=4,
    points=2,
)


# What a sampled number says --------------------------------------------------------------------


def _bound(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "reported": f"{int(rng.integers(30, 90))} %",
        "drawn": int(rng.choice([50, 99, 100, 200, 1000])),
        "n": int(rng.integers(3, 80)) * 1000,
        "k": int(rng.choice([5, 10, 20])),
    }


sampled_bound = Choice(
    id="protocol.sampled_bound",
    title="What a sampled number says",
    same_for_all=True,
    prompt="""
A paper finds the hidden item among the first {k} for {reported} of the users.
Each hidden item was ranked among itself and {drawn} different others, drawn at random from a
catalogue of {n}.

What is the hit rate at {k} when each hidden item is ranked among all {n}?
""",
    options={
        "most": "At most {reported}; it may be far less.",
        "least": "At least {reported}; the sample is a careful lower bound.",
        "same": "About {reported}: a random sample is fair.",
        "none": "It may be lower or higher; a sample says nothing about it.",
    },
    solve=_always("most"),
    inputs={"reported": "54 %", "drawn": 100, "n": 9000, "k": 10},
    draw=_bound,
    reasons={"most": "Leaving opponents out can only lift an item."},
    misconceptions=(
        Misconception(
            id="lower-bound",
            name="sampled optimism",
            wrong_answer=_always("least"),
            cause="The bound is taken the wrong way round. Some texts print it so.",
            hint="If opponents are added to a list, can the hidden item rise?",
        ),
        Misconception(
            id="fair-sample",
            name="same name, same number",
            wrong_answer=_always("same"),
            cause="The first few of a small list and the first few of a catalogue are two "
            "questions, although both are called hit rate.",
            hint="Which rank in the catalogue corresponds to the last rank that counts here?",
        ),
        Misconception(
            id="no-bound",
            name="no bound",
            wrong_answer=_always("none"),
            cause="One direction is certain: different opponents that are left out cannot stand "
            "above the item.",
            hint="If half of a list is struck out, can an item that stays move down?",
        ),
    ),
    hints=(
        "Take one hidden item. Strike out some of the items above it: where does it go?",
        "Now put all items back. Which way can it move?",
        "What is true of each hidden item is also true of their mean.",
    ),
    steps=(
        Step("An item's rank is one more than the number of items above it."),
        Step(
            "In a sample of different items there are at most as many above it as in the whole "
            "catalogue. So its sampled rank is never worse than its full one, and no hit of the "
            "full ranking is lost in the sample."
        ),
    ),
    insight="Sampled hit rate, NDCG and reciprocal rank are upper bounds. Only AUC is the same on "
    "average.",
    minutes=2,
)


# E10 -------------------------------------------------------------------------------------------


def _both(inputs: Inputs) -> frozenset[str]:
    return frozenset({"ranking", "interval"})


def _headline(rng: np.random.Generator) -> dict[str, Any]:
    return {"gain": f"{int(rng.integers(1, 10))} thousandths", "k": int(rng.choice([5, 10, 20]))}


_ASKS_FOR = {"gain": "4 thousandths", "k": 10}

gain_without_evidence = Choice(
    attribute="gain_without_evidence",
    id="protocol.e10",
    title="When a gain is not yet evidence",
    same_for_all=True,
    prompt="""
A new model beats the baseline by {gain} of NDCG@{k}. That is all you are told.

Which facts about the protocol do you ask for before you believe that it is better?
""",
    options={
        "ranking": "What each hidden item was ranked against: the whole catalogue, or which "
        "sample of it.",
        "interval": "Over how many seeds and users the gain was measured, paired, and its "
        "interval or test.",
        "loss": "The training loss of both models.",
        "size": "The number of parameters of both models.",
        "digits": "The NDCG of both with more decimals.",
    },
    solve=_both,
    inputs=_ASKS_FOR,
    draw=_headline,
    reasons={
        "ranking": "Against a sample the order can be the reverse of the full one.",
        "interval": "Without it the gain may be the wobble from run to run.",
    },
    misconceptions=(
        Misconception(
            id="loss-for-rank",
            name="loss for rank",
            wrong_answer=_always("loss"),
            cause="A training loss says how well a model learned what it was shown, not how it "
            "ranks what was hidden.",
            hint="Can the model with the lower loss have the worse ranking?",
        ),
        Misconception(
            id="size-for-quality",
            name="size for quality",
            wrong_answer=_always("size"),
            cause="Size is a cost. It neither makes a gain real nor undoes it.",
            hint="Would a larger model need less evidence?",
        ),
        Misconception(
            id="digits-for-evidence",
            name="digits for evidence",
            wrong_answer=_always("digits"),
            cause="More digits of one run are more digits of its noise.",
            hint="What would a second run with another seed do to the later digits?",
        ),
    ),
    hints=(
        "Two of the sections above each give one reason to doubt a bare gain.",
        "One is about opponents, the other about chance.",
        "Which two facts, had they been otherwise, could have turned the sign of the gain?",
    ),
    steps=(
        Step(
            "The gain depends on what the hidden items competed with. Against a sample the worse "
            "model may be ahead, so the candidates must be known."
        ),
        Step(
            "And it depends on chance: seeds and users. So the interval of the gain must be "
            "known, from paired runs and paired users."
        ),
    ),
    insight="A bare gain is a claim. Candidates and interval make it evidence.",
    minutes=3,
    points=2,
)

explain_the_flip = Choice(
    attribute="explain_the_flip",
    id="protocol.e10b",
    title="Which result explains the flip",
    same_for_all=True,
    prompt="""
The same two models were compared by ranking each hidden item against {n} sampled items.
In the full ranking the other model is ahead.

Which result explains that this can happen?
""",
    options={
        "sampled": "Krichene and Rendle (2020): sampled metrics are not consistent with their "
        "full counterparts.",
        "baselines": "Ferrari Dacrema and others (2019): many gains vanish against tuned "
        "baselines.",
        "leaks": "Ji and others (2023): training on later events changes results.",
        "small": "Student (1908): means of few values vary more than the normal curve says.",
    },
    solve=_always("sampled"),
    inputs={"n": 100},
    draw=lambda rng: {"n": int(rng.choice([50, 99, 100, 200, 500]))},
    reasons={"sampled": "It is about the expectation, so a larger test set does not help."},
    misconceptions=(
        Misconception(
            id="weak-opponent",
            name="weak opponent",
            wrong_answer=_always("baselines"),
            cause="That result is about baselines that nobody tuned. Here the same two models "
            "change places.",
            hint="What is different between the two evaluations: the models, or the items they "
            "rank?",
        ),
        Misconception(
            id="leaks",
            name="leak from the future",
            wrong_answer=_always("leaks"),
            cause="That result is about what trains. Here training is the same both times.",
            hint="What is different between the two evaluations: what trains, or what is ranked?",
        ),
        Misconception(
            id="small-sample",
            name="noise for bias",
            wrong_answer=_always("small"),
            cause="The flip is no accident of few values: it stays when the samples are averaged "
            "for ever.",
            hint="Would a thousand repetitions of the sampling bring the full order back?",
        ),
    ),
    hints=(
        "What differs between the two evaluations is the set of opponents.",
        "It is a paper about metrics, not about models.",
        "Its toy example has recommenders called A, B and C.",
    ),
    steps=(
        Step("The models, the split and the hidden items are the same; only the opponents differ."),
        Step(
            "The expected sampled metric is another function of the full rank than the metric "
            "itself. Two models can be ordered one way by the one and the other way by the other."
        ),
    ),
    insight="The flip is a bias, not noise: more users or more samples of the same size do not "
    "undo it.",
    minutes=1,
)
