"""What one list is like: how varied, and how little known its items are."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from recsys_metrics.beyond_accuracy import (
    average_popularity,
    intra_list_diversity,
    popularity_lift,
    self_information,
)
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.order import Order

# Diversity ------------------------------------------------------------------------------------

_FILMS = ("A", "B", "C", "D")
_PAIRS = tuple(combinations(_FILMS, 2))


def _diversity(inputs: Inputs) -> float:
    given = dict(zip(_PAIRS, inputs["similarities"], strict=True))
    return float(intra_list_diversity(list(_FILMS), similarity=given))


def _diversity_prompt(inputs: Inputs) -> str:
    pairs = zip(_PAIRS, inputs["similarities"], strict=True)
    told = ", ".join(f"{one} and {other} {value:g}" for (one, other), value in pairs)
    return (
        f"A list holds the films A, B, C and D. How alike they are, pair by pair: {told}.\n\n"
        "Compute the diversity of the list: how different two of its films are on average."
    )


def _draw_similarities(rng: np.random.Generator) -> Inputs:
    return {"similarities": [int(value) / 10 for value in rng.integers(0, 10, len(_PAIRS))]}


four_films = Numbers(
    id="beyond_accuracy.four_films",
    title="Four films, six pairs",
    prompt=_diversity_prompt,
    asks={"diversity": "Diversity"},
    inputs={"similarities": [0.9, 0.5, 0.1, 0.4, 0.0, 0.2]},
    solve=_diversity,
    draw=_draw_similarities,
    misconceptions=(
        Misconception(
            id="similarity",
            name="similarity for distance",
            wrong_answer=lambda inputs: 1 - _diversity(inputs),
            cause="That is how alike the films are on average, not how different.",
            hint="What should a list of four times the same film score?",
        ),
        Misconception(
            id="by-films",
            name="length denominator",
            wrong_answer=lambda inputs: _diversity(inputs) * 6 / 4,
            cause="The sum over the pairs was divided by the number of films.",
            hint="How many pairs do four films make?",
        ),
        Misconception(
            id="sum",
            name="sum for mean",
            wrong_answer=lambda inputs: _diversity(inputs) * 6,
            cause="The distances were added up and not divided.",
            hint="Would a longer list of equally different films be more varied?",
        ),
        Misconception(
            id="with-itself",
            name="pairs with itself",
            wrong_answer=lambda inputs: _diversity(inputs) * 12 / 16,
            cause="Each film was compared with itself as well, at distance 0.",
            hint="Can a list of four be free of these four zeros?",
        ),
        Misconception(
            id="neighbours",
            name="neighbours only",
            wrong_answer=lambda inputs: 1 - sum(inputs["similarities"][i] for i in (0, 3, 5)) / 3,
            cause="Only films that stand next to each other were compared.",
            hint="Which pairs are missing besides A with B, B with C and C with D?",
        ),
    ),
    hints=(
        "Turn each similarity into a distance first.",
        "A distance is 1 less the similarity. There is one for each pair.",
        "Four films make six pairs: divide the sum of the distances by six.",
    ),
    steps=(
        Step(
            "A distance for each pair.",
            "distances = [1 - value for value in similarities]\n"
            "[round(value, 3) for value in distances]",
        ),
        Step(
            "Their mean over the pairs.",
            "diversity = sum(distances) / len(distances)\nround(diversity, 3)",
        ),
    ),
    insight="Pairs, not films, stand below the line: a mean does not grow with the list.",
    minutes=3,
)


order_diversity = Order(
    id="beyond_accuracy.order_diversity",
    title="Diversity, line by line",
    prompt="""
Put the lines in order, so that `diversity` becomes the mean distance over the pairs of `listed`.
`alike(one, other)` gives the similarity of two films.
""",
    lines={
        "import": "from itertools import combinations",
        "start": "distances = []",
        "pairs": "for one, other in combinations(listed, 2):",
        "append": "    distances.append(1 - alike(one, other))",
        "mean": "diversity = sum(distances) / len(distances)",
        "alike": "    distances.append(alike(one, other))",
        "length": "diversity = sum(distances) / len(listed)",
        "neighbours": "for one, other in zip(listed, listed[1:]):",
    },
    solve=lambda inputs: [
        ("import", "start", "pairs", "append", "mean"),
        ("start", "import", "pairs", "append", "mean"),
    ],
    misconceptions=(
        Misconception(
            id="similarity",
            name="similarity for distance",
            wrong_answer=lambda inputs: [
                ("import", "start", "pairs", "alike", "mean"),
                ("start", "import", "pairs", "alike", "mean"),
            ],
            cause="The similarities are collected as they are, so a list of one film ten times "
            "is the most varied.",
            hint="What must a film and itself add?",
        ),
        Misconception(
            id="by-films",
            name="length denominator",
            wrong_answer=lambda inputs: [
                ("import", "start", "pairs", "append", "length"),
                ("start", "import", "pairs", "append", "length"),
            ],
            cause="The sum over the pairs is divided by the number of films, so a longer list "
            "seems more varied.",
            hint="How many distances has a list of ten films?",
        ),
        Misconception(
            id="neighbours",
            name="neighbours only",
            wrong_answer=lambda inputs: [
                ("start", "neighbours", "append", "mean"),
                ("import", "start", "neighbours", "append", "mean"),
                ("start", "import", "neighbours", "append", "mean"),
            ],
            cause="Only films that stand next to each other are compared.",
            hint="Is the value the same when the list is shuffled? Should it be?",
        ),
    ),
    hints=(
        "Start with an empty list of distances; end with a mean.",
        "Every film meets every other film once.",
        "A distance is 1 less the similarity, and there are as many distances as pairs.",
    ),
    steps=(
        Step(
            "An empty list, a distance for every pair, the mean over the pairs. Run it on three "
            "films:",
            "from itertools import combinations\n\n"
            'listed = ["A", "B", "C"]\n'
            'known = {("A", "B"): 0.5, ("A", "C"): 0.0, ("B", "C"): 0.5}\n'
            "distances = []\n"
            "for pair in combinations(listed, 2):\n"
            "    distances.append(1 - known[pair])\n"
            "round(sum(distances) / len(distances), 3)",
        ),
    ),
    insight="The order of the list never enters: diversity is about the set that is shown.",
    minutes=3,
    points=2,
)


# Novelty --------------------------------------------------------------------------------------


def _novelty(inputs: Inputs, **how: Any) -> float:
    n_users = how.pop("n_users", inputs["users"])
    return float(self_information(list("ABC"), _met(inputs), n_users, **how))


def _met(inputs: Inputs) -> dict[str, int]:
    return dict(zip("ABC", inputs["met"], strict=True))


def _draw_novelty(rng: np.random.Generator) -> Inputs:
    users = int(rng.choice([100, 200, 400, 500, 800, 1000]))
    shares = rng.choice([2, 4, 5, 8, 10, 16, 20, 25, 32, 40, 50], 3, replace=False)
    return {"met": [max(1, int(share) * users // 200) for share in shares], "users": users}


in_bits = Numbers(
    id="beyond_accuracy.in_bits",
    title="Novelty in bits",
    prompt="""
A list holds the films A, B and C. How many of the {users} users in the training data have met
each of them: {met}.

Compute the novelty of the list: the mean self-information of its films, in bits.
""",
    asks={"novelty": "Novelty, bits"},
    inputs={"met": [10, 100, 400], "users": 800},
    solve=_novelty,
    draw=_draw_novelty,
    misconceptions=(
        Misconception(
            id="natural-log",
            name="natural log",
            wrong_answer=lambda inputs: _novelty(inputs, base=np.e),
            cause="The natural logarithm was taken. A bit belongs to the base 2.",
            hint="How many bits has a film that half of the users have met?",
        ),
        Misconception(
            id="common-log",
            name="common log",
            wrong_answer=lambda inputs: _novelty(inputs, base=10),
            cause="The logarithm to base 10 was taken. A bit belongs to the base 2.",
            hint="How many bits has a film that half of the users have met?",
        ),
        Misconception(
            id="log-of-the-mean",
            name="log of the mean",
            wrong_answer=lambda inputs: -np.log2(sum(inputs["met"]) / 3 / inputs["users"]),
            cause="The shares were averaged first, and the logarithm was taken of the mean. The "
            "popular film then drowns the rare one.",
            hint="Can you take the logarithm film by film, and the mean last?",
        ),
        Misconception(
            id="over-interactions",
            name="interactions for users",
            wrong_answer=lambda inputs: _novelty(inputs, n_users=sum(inputs["met"])),
            cause="The counts were divided by all meetings with the three films, not by the "
            "number of users.",
            hint="Of whom is the share: of users, or of clicks?",
        ),
        Misconception(
            id="complement",
            name="share for bits",
            wrong_answer=lambda inputs: 1 - sum(inputs["met"]) / 3 / inputs["users"],
            cause="That is the share of users who have not met a film, which hardly tells rare "
            "from very rare.",
            hint="Where is the logarithm?",
        ),
        Misconception(
            id="sum",
            name="sum for mean",
            wrong_answer=lambda inputs: 3 * _novelty(inputs),
            cause="The bits of the films were added up and not divided.",
            hint="Should a longer list be newer?",
        ),
    ),
    hints=(
        "First the share of users who have met each film.",
        "Minus the logarithm, base 2, of each share: halving the share adds one bit.",
        "Take the mean of the three last.",
    ),
    steps=(
        Step(
            "The share of users who have met each film.",
            "shares = [count / users for count in met]\nshares",
        ),
        Step(
            "Its self-information: minus the logarithm to base 2.",
            "from math import log2\n\n"
            "bits = [-log2(share) for share in shares]\n[round(b, 3) for b in bits]",
        ),
        Step("The mean over the list.", "novelty = sum(bits) / len(bits)\nround(novelty, 3)"),
    ),
    insight="Every halving of the audience adds one bit, from a blockbuster to the rarest film.",
    minutes=4,
    points=2,
)


# Popularity -----------------------------------------------------------------------------------


def _lift(inputs: Inputs) -> dict[str, float]:
    counts = {
        f"{side}{i}": n for side in ("recommended", "known") for i, n in enumerate(inputs[side])
    }
    recommended, known = (
        [name for name in counts if name.startswith(side)] for side in ("recommended", "known")
    )
    return {
        "arp": float(average_popularity(recommended, counts)),
        "lift": float(popularity_lift(recommended, set(known), counts)),
    }


def _other_lift(value: Any) -> Any:
    def wrong(inputs: Inputs) -> dict[str, float]:
        recommended = sum(inputs["recommended"]) / len(inputs["recommended"])
        known = sum(inputs["known"]) / len(inputs["known"])
        return {"lift": value(recommended, known)}

    return wrong


def _draw_lift(rng: np.random.Generator) -> Inputs:
    recommended = [int(count) for count in rng.integers(30, 300, 4)]
    known = [int(count) for count in rng.integers(10, 160, 3)]
    return {"recommended": recommended, "known": known}


lift = Numbers(
    id="beyond_accuracy.lift",
    title="More popular than what they know",
    prompt="""
Four films are recommended to a user. In training they were rated {recommended} times.
The user knows three films, which were rated {known} times.

Compute the average popularity of the list, and its popularity lift: by which share the list is
more popular than what the user knows.
""",
    asks={"arp": "average popularity of the list", "lift": "popularity lift"},
    inputs={"recommended": [240, 180, 120, 60], "known": [90, 50, 10]},
    solve=_lift,
    draw=_draw_lift,
    follows={},
    misconceptions=(
        Misconception(
            id="ratio",
            name="ratio for lift",
            wrong_answer=_other_lift(lambda recommended, known: recommended / known),
            cause="The list was divided by the history. A list that is as popular as the history "
            "then has 1; a lift of nothing is 0.",
            hint="Which lift should a list have that is as popular as the history?",
        ),
        Misconception(
            id="difference",
            name="difference for lift",
            wrong_answer=_other_lift(lambda recommended, known: recommended - known),
            cause="The difference is in ratings. A lift is a share of what the user knows.",
            hint="What do you divide by, so that large and small data sets compare?",
        ),
        Misconception(
            id="of-the-list",
            name="share of the list",
            wrong_answer=_other_lift(
                lambda recommended, known: (recommended - known) / recommended
            ),
            cause="The difference was divided by the popularity of the list.",
            hint="Compared with what is the list more popular?",
        ),
        Misconception(
            id="totals",
            name="sum for mean",
            wrong_answer=lambda inputs: {
                "arp": sum(inputs["recommended"]),
                "lift": sum(inputs["recommended"]) / sum(inputs["known"]) - 1,
            },
            cause="The counts were added up and not divided by the number of films.",
            hint="How many films are there on each side?",
        ),
    ),
    hints=(
        "Two means: one over the list, one over what the user knows.",
        "The lift compares the two: it is 0 where they are equal.",
        "Take the mean of the history from that of the list, and divide by that of the history.",
    ),
    steps=(
        Step("The mean over the list.", "arp = sum(recommended) / len(recommended)\nround(arp, 3)"),
        Step("The mean over the history.", "own = sum(known) / len(known)\nround(own, 3)"),
        Step("How much more, as a share of it.", "lift = (arp - own) / own\nround(lift, 3)"),
    ),
    insight="A count depends on the size of the data; a lift compares the list with its reader.",
    minutes=3,
    points=2,
)
