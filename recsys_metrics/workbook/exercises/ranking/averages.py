"""Precision at the hits, averaged: average precision and its denominators."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recsys_metrics import Judged, average_precision, average_recall, precision
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.function import Function, make_completer
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.ranking import cases, running_list


def _solve(inputs: Inputs) -> float:
    return float(average_precision(running_list.judged(inputs), inputs["k"]))


def _divided_by(denominator: Any) -> Any:
    """Return the mistake of dividing by something else."""
    return lambda inputs: average_precision(
        running_list.judged(inputs), inputs["k"], denominator=denominator
    )


def _sum(inputs: Inputs) -> float:
    return _solve(inputs) * len(inputs["relevant"])


def _divided_twice(inputs: Inputs) -> float:
    return _solve(inputs) / len(running_list.hit_ranks(inputs))


def _precision_at_k(inputs: Inputs) -> float:
    return float(precision(running_list.judged(inputs), inputs["k"]))


def _reciprocals(inputs: Inputs) -> float:
    return sum(1 / rank for rank in running_list.hit_ranks(inputs)) / len(inputs["relevant"])


def _rank_plus_one(inputs: Inputs) -> float:
    ranks = running_list.hit_ranks(inputs)
    found = sum(count / (rank + 1) for count, rank in enumerate(ranks, 1))
    return found / len(inputs["relevant"])


average_precision_of_list = Numbers(
    attribute="average_precision_of_list",
    id="ranking.e4",
    title="Average precision",
    prompt="""
The list holds {recommended}, best first. The user would have liked {relevant}.

Compute the average precision AP@{k}, counted so that a missed item costs.
""",
    asks={"ap": "AP@{k}"},
    inputs=running_list.STATED,
    solve=_solve,
    draw=running_list.draw,
    picture=running_list.picture,
    misconceptions=(
        Misconception(
            id="hits-divisor",
            name="hits divisor",
            wrong_answer=_divided_by("hits"),
            cause="The sum was divided by the number of hits, not by all relevant items. "
            "What was missed then costs nothing.",
            hint="How many items would the user have liked, shown or not?",
        ),
        Misconception(
            id="divided-twice",
            name="divided twice",
            wrong_answer=_divided_twice,
            cause="The precisions at the hits were averaged, and that average was divided by the "
            "number of relevant items. One division is enough.",
            hint="What should a perfect list score, and what does your way give it?",
        ),
        Misconception(
            id="not-divided",
            name="sum for mean",
            wrong_answer=_sum,
            cause="The precisions at the hits were added up and not divided.",
            hint="A mean over what? Count all items that could have been hits.",
        ),
        Misconception(
            id="k-denominator",
            name="list denominator",
            wrong_answer=_divided_by("k"),
            cause="The sum was divided by the length of the list.",
            hint="What would a list score that holds every relevant item at the very top?",
        ),
        Misconception(
            id="every-rank",
            name="every rank counted",
            wrong_answer=_divided_by("prefixes"),
            cause="Precision was taken at every rank, hit or not, and averaged over the ranks.",
            hint="At which ranks does average precision stop and look?",
        ),
        Misconception(
            id="precision-at-k",
            name="plain precision",
            wrong_answer=_precision_at_k,
            cause="That is precision at K, which does not mind where the hits stand.",
            hint="What is the precision at the rank of the first hit?",
        ),
        Misconception(
            id="reciprocal-ranks",
            name="reciprocal ranks",
            wrong_answer=_reciprocals,
            cause="One over the rank was taken at each hit. The hits above it belong there, too.",
            hint="At the second hit, how many hits are there so far?",
        ),
        Misconception(
            id="rank-plus-one",
            name="off-by-one rank",
            wrong_answer=_rank_plus_one,
            cause="Each precision was divided by one rank too many.",
            hint="How many items are there down to rank 2?",
        ),
    ),
    hints=(
        "Stop at each hit and ask: of the items so far, what share is relevant?",
        "At the j-th hit that precision is j divided by the rank of the hit. Add these up.",
        "Divide the sum once, by the number of all relevant items. An item that was never "
        "recommended is one of them.",
    ),
    steps=(
        Step(
            "The hits stand at these ranks.",
            "ranks = [rank for rank, item in enumerate(recommended[:k], 1) if item in "
            "relevant]\nranks",
        ),
        Step(
            "At each hit, the precision so far: one hit at the first, two at the second.",
            "at_hits = [found / rank for found, rank in enumerate(ranks, 1)]\n"
            "[round(p, 3) for p in at_hits]",
        ),
        Step(
            "Add them up, and divide by the number of relevant items. What was missed is in the "
            "denominator and not in the sum: that is how the list pays for it.",
            "ap = sum(at_hits) / len(relevant)\nround(ap, 3)",
        ),
        Step(
            "Divided by the hits instead, a missed item would be free.",
            "round(sum(at_hits) / len(at_hits), 3)",
        ),
    ),
    insight="A missed item stands below the line and not above it: that is its price.",
    minutes=4,
    points=2,
)


# Three denominators ------------------------------------------------------------------------------


def _three(inputs: Inputs) -> dict[str, float]:
    denominators = ("relevant", "achievable", "hits")
    return {name: _divided_by(name)(inputs) for name in denominators}


def _draw_three(rng: np.random.Generator) -> Inputs:
    """Return a list that is shorter than the number of relevant items."""
    letters = string.ascii_uppercase
    k = int(rng.integers(4, 7))
    hits = rng.choice(k, int(rng.integers(2, k)), replace=False)
    missed = k + np.arange(int(rng.integers(k + 1 - len(hits), k + 4 - len(hits))))
    relevant = {letters[i] for i in (*hits, *missed)}
    return {"recommended": list(letters[:k]), "relevant": relevant, "k": k}


def _extremes_swapped(inputs: Inputs) -> dict[str, float]:
    right = _three(inputs)
    return {"relevant": right["hits"], "hits": right["relevant"]}


def _achievable_is_hits(inputs: Inputs) -> dict[str, float]:
    return {"achievable": _three(inputs)["hits"]}


def _not_capped(inputs: Inputs) -> dict[str, float]:
    return {"achievable": _three(inputs)["relevant"]}


def _three_divided_twice(inputs: Inputs) -> dict[str, float]:
    n_hits = len(running_list.hit_ranks(inputs))
    return {name: value / n_hits for name, value in _three(inputs).items()}


which_denominator = Numbers(
    id="ranking.which_denominator",
    title="One list, three denominators",
    prompt="""
The list holds {recommended}, best first. The user would have liked {relevant}.

Three libraries report AP@{k} for it. One divides by all relevant items, one by the hits that were
achievable (K or the number of relevant items, whichever is smaller), one by the hits found.
Compute the three numbers.
""",
    asks={
        "relevant": "AP@{k}, denominator relevant",
        "achievable": "AP@{k}, denominator achievable",
        "hits": "AP@{k}, denominator hits",
    },
    inputs={
        "recommended": ["A", "B", "C", "D"],
        "relevant": {"A", "B", "D", "F", "G", "H"},
        "k": 4,
    },
    solve=_three,
    draw=_draw_three,
    picture=running_list.picture,
    misconceptions=(
        Misconception(
            id="extremes-swapped",
            name="swapped denominators",
            wrong_answer=_extremes_swapped,
            cause="The values for all relevant items and for the hits have changed places.",
            hint="Which of the two denominators is larger, and which value is lower then?",
        ),
        Misconception(
            id="achievable-is-hits",
            name="hits divisor",
            wrong_answer=_achievable_is_hits,
            cause="For *achievable* the sum was divided by the hits that were found.",
            hint="How many hits could the best list of this length have had?",
        ),
        Misconception(
            id="not-capped",
            name="no cap",
            wrong_answer=_not_capped,
            cause="For *achievable* the sum was divided by all relevant items, more than the list "
            "has ranks.",
            hint="How many hits could the best list of this length have had?",
        ),
        Misconception(
            id="divided-twice",
            name="divided twice",
            wrong_answer=_three_divided_twice,
            cause="The precisions at the hits were averaged first, and then divided once more.",
            hint="What should a list of hits only score with the denominator *hits*?",
        ),
    ),
    hints=(
        "All three have the same sum above the line: the precisions at the hits.",
        "Count three things: all relevant items, the ranks of the list, the hits.",
        "*Achievable* is the smaller one of K and the number of relevant items.",
    ),
    steps=(
        Step(
            "The sum is common to all three.",
            "ranks = [rank for rank, item in enumerate(recommended[:k], 1) if item in relevant]\n"
            "total = sum(found / rank for found, rank in enumerate(ranks, 1))\n"
            "round(total, 3)",
        ),
        Step(
            "By all relevant items, the list pays for everything it missed.",
            "n_relevant = len(relevant)\nround(total / n_relevant, 3)",
        ),
        Step(
            "By what was achievable, it pays only for what its ranks could have held.",
            "n_achievable = min(k, n_relevant)\nround(total / n_achievable, 3)",
        ),
        Step(
            "By the hits, it pays for nothing it missed, only for hits that stand low.",
            "hits = total / len(ranks)\nround(hits, 3)",
        ),
        Step(
            "One list, three numbers:",
            "relevant, achievable = total / n_relevant, total / n_achievable\n"
            "[round(value, 3) for value in (relevant, achievable, hits)]",
        ),
    ),
    insight="The list is the same. Who quotes a MAP quotes its denominator.",
    minutes=5,
    points=3,
)


# Two areas --------------------------------------------------------------------------------------


def _heights(inputs: Inputs) -> list[float]:
    """Return the precision at each hit."""
    return [count / rank for count, rank in enumerate(inputs["ranks"], 1)]


def _lifted(heights: Sequence[float]) -> list[float]:
    return [max(heights[place:]) for place in range(len(heights))]


def _areas(inputs: Inputs) -> dict[str, float]:
    marks = [float(rank in inputs["ranks"]) for rank in range(1, max(inputs["ranks"]) + 1)]
    judged = Judged.from_gains(marks, ideal=[1.0] * inputs["wanted"])
    return {
        "stepped": float(average_precision(judged)),
        "lifted": sum(_lifted(_heights(inputs))) / inputs["wanted"],
    }


def _both(heights: Sequence[float], denominator: int) -> dict[str, float]:
    return {"stepped": sum(heights) / denominator, "lifted": sum(_lifted(heights)) / denominator}


def _lifted_as(lift: Callable[[list[float]], list[float]]) -> Callable[[Inputs], dict[str, float]]:
    return lambda inputs: {"lifted": sum(lift(_heights(inputs))) / inputs["wanted"]}


def _draw_areas(rng: np.random.Generator) -> Inputs:
    """Return three to five hits, of which a later one lifts an earlier step."""
    while True:
        ranks = sorted(int(r) for r in 1 + rng.choice(9, int(rng.integers(3, 6)), replace=False))
        drawn = {"ranks": ranks, "wanted": len(ranks) + int(rng.integers(1, 4))}
        if _lifted(_heights(drawn)) != _heights(drawn):
            return drawn


two_areas = Numbers(
    id="ranking.two_areas",
    title="Two areas under one curve",
    prompt="""
A user wants {wanted} films, and a list shows some of them, at the ranks {ranks}.

Compute the area under the steps of precision against recall, which is the average precision. Then
lift each step to the best precision at its own hit or a later one, and compute the area again.
""",
    asks={"stepped": "area under the steps", "lifted": "area under the lifted steps"},
    inputs={"ranks": [2, 3, 6, 7], "wanted": 6},
    solve=_areas,
    draw=_draw_areas,
    misconceptions=(
        Misconception(
            id="hits-divisor",
            name="hits divisor",
            wrong_answer=lambda inputs: _both(_heights(inputs), len(inputs["ranks"])),
            cause="The steps share the whole width, as if nothing had been missed.",
            hint="How wide is one step, if every film that is wanted has its share?",
        ),
        Misconception(
            id="list-denominator",
            name="list denominator",
            wrong_answer=lambda inputs: _both(_heights(inputs), inputs["ranks"][-1]),
            cause="The sum was divided by the number of ranks down to the last hit.",
            hint="By how much does recall grow at a hit?",
        ),
        Misconception(
            id="reciprocal-ranks",
            name="reciprocal rank for precision",
            wrong_answer=lambda inputs: _both(
                [1 / rank for rank in inputs["ranks"]], inputs["wanted"]
            ),
            cause="Each step is as high as the reciprocal rank, as if no hit stood above it.",
            hint="Down to the second hit, how many of the films shown are hits?",
        ),
        Misconception(
            id="lifted-from-the-left",
            name="lifted from the wrong side",
            wrong_answer=_lifted_as(
                lambda heights: [max(heights[: n + 1]) for n in range(len(heights))]
            ),
            cause="Each step was lifted to the best precision at an earlier hit.",
            hint="In which direction does one look for a better precision?",
        ),
        Misconception(
            id="highest-for-all",
            name="one height for all",
            wrong_answer=_lifted_as(lambda heights: [max(heights)] * len(heights)),
            cause="All steps were lifted to the highest one, also those to its right.",
            hint="Is there a better precision at a later hit than the highest one?",
        ),
    ),
    hints=(
        "Note the precision at each hit: hits so far, out of the rank.",
        "Each step is one of all the wanted films wide; the missed ones have no height.",
        "Go through the heights from the last hit to the first, and keep the highest so far.",
    ),
    steps=(
        Step(
            "The height of each step is the precision at the hit.",
            "heights = [hits / rank for hits, rank in enumerate(ranks, 1)]\n"
            "[round(height, 3) for height in heights]",
        ),
        Step(
            "All steps have one width, so the area is the sum of the heights, divided by the films "
            "that are wanted.",
            "stepped = sum(heights) / wanted\nround(stepped, 3)",
        ),
        Step(
            "A step is lifted to the highest that stands at its own place or further right.",
            "lifted = sum(max(heights[n:]) for n in range(len(heights))) / wanted\n"
            "round(lifted, 3)",
        ),
    ),
    insight="Both areas have been printed as average precision. The lifted one is never smaller.",
    minutes=4,
    points=2,
)

# Average recall ---------------------------------------------------------------------------------


def _marks(ranks: Sequence[int], inputs: Inputs) -> Judged[Any]:
    marks = [float(rank in ranks) for rank in range(1, inputs["k"] + 1)]
    return Judged.from_gains(marks, ideal=[1.0] * inputs["wanted"])


def _recalls(inputs: Inputs) -> dict[str, float]:
    early, late = (_marks(inputs[name], inputs) for name in ("early", "late"))
    return {
        "early": float(average_recall(early)),
        "late": float(average_recall(late)),
        "relevant": float(average_recall(early, denominator="relevant")),
    }


def _as_precision(inputs: Inputs) -> dict[str, float]:
    early, late = (_marks(inputs[name], inputs) for name in ("early", "late"))
    return {
        "early": float(average_precision(early, denominator="hits")),
        "late": float(average_precision(late, denominator="hits")),
        "relevant": float(average_precision(early)),
    }


def _at_every_rank_of_both(inputs: Inputs) -> dict[str, float]:
    both = ((name, _marks(inputs[name], inputs)) for name in ("early", "late"))
    return {name: float(average_recall(of, denominator="prefixes")) for name, of in both}


def _recall_at_the_end(inputs: Inputs) -> dict[str, float]:
    return dict.fromkeys(("early", "late"), len(inputs["early"]) / inputs["wanted"])


def _recalls_added(inputs: Inputs) -> dict[str, float]:
    right = _recalls(inputs)
    return {name: right[name] * len(inputs["early"]) for name in ("early", "late")}


def _recalls_by_list(inputs: Inputs) -> dict[str, float]:
    added = _recalls_added(inputs)
    return {name: value / inputs["k"] for name, value in added.items()}


def _draw_recalls(rng: np.random.Generator) -> Inputs:
    """Return two lists with as many hits, the second's lower, and more that is wanted."""
    n_hits = int(rng.integers(2, 7))
    k = int(rng.integers(9, 15))
    early = sorted(int(r) for r in 1 + rng.choice(n_hits + 1, n_hits, replace=False))
    late = sorted(int(r) for r in k - rng.choice(n_hits + 1, n_hits, replace=False))
    return {"early": early, "late": late, "k": k, "wanted": n_hits + int(rng.integers(1, 11))}


two_recalls = Numbers(
    id="ranking.two_recalls",
    title="Average recall, twice",
    prompt="""
A user wants {wanted} films. Two lists of {k} films show equally many of them: one at the ranks
{early}, the other at the ranks {late}.

Take the recall at each hit. Compute its mean over the hits for the first list and for the second;
then, for the first list, divide by all the films that are wanted instead.
""",
    asks={
        "early": "first list, divided by the hits",
        "late": "second list, divided by the hits",
        "relevant": "first list, divided by what is wanted",
    },
    inputs={"early": [1, 2, 4], "late": [6, 7, 8], "k": 8, "wanted": 5},
    solve=_recalls,
    draw=_draw_recalls,
    misconceptions=(
        Misconception(
            id="precision-for-recall",
            name="precision for recall",
            wrong_answer=_as_precision,
            cause="Precision was taken at each hit: hits so far, out of the rank. Recall is out of "
            "all that is wanted.",
            hint="What does recall divide the hits so far by?",
        ),
        Misconception(
            id="every-rank",
            name="every rank counted",
            wrong_answer=_at_every_rank_of_both,
            cause="Recall was taken at every rank, hit or not, and averaged over the ranks.",
            hint="At which ranks is recall taken here?",
        ),
        Misconception(
            id="recall-at-the-end",
            name="recall of the whole list",
            wrong_answer=_recall_at_the_end,
            cause="That is the recall of the whole list, which is the one at its last hit.",
            hint="What is the recall at the first hit?",
        ),
        Misconception(
            id="not-divided",
            name="sum for mean",
            wrong_answer=_recalls_added,
            cause="The recalls at the hits were added up and not divided.",
            hint="How many recalls did you add?",
        ),
        Misconception(
            id="list-denominator",
            name="list denominator",
            wrong_answer=_recalls_by_list,
            cause="The sum was divided by the length of the list.",
            hint="At how many ranks was recall taken?",
        ),
    ),
    hints=(
        "At the first hit recall is one out of all the wanted films, wherever that hit stands.",
        "At each further hit it grows by as much again.",
        "One sum serves all three answers; only the denominator changes.",
    ),
    steps=(
        Step(
            "Recall at the first hit, the second and so on. The ranks are not in it.",
            "recalls = [count / wanted for count in range(1, len(early) + 1)]\n"
            "[round(recall, 3) for recall in recalls]",
        ),
        Step(
            "Both lists have as many hits, and so one mean.",
            "early, late = sum(recalls) / len(early), sum(recalls) / len(late)\n"
            "round(early, 3), round(late, 3)",
        ),
        Step(
            "Divided by all that is wanted, missed films cost, and the ranks still do not count.",
            "relevant = sum(recalls) / wanted\nround(relevant, 3)",
        ),
    ),
    insight="Where the hits stand is in none of the three numbers.",
    minutes=3,
    points=2,
)

# The area, with one line missing ----------------------------------------------------------------


def _area(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return float(average_precision(cases.judged(recommended, relevant), k, no_relevant="zero"))


_STEPS = """
ranks = [rank for rank, item in enumerate(recommended[:k], 1) if item in relevant]
area = 0
for hits, rank in enumerate(ranks, 1):
    area += ...
return area
""".strip()
_step = make_completer("recommended, relevant, k", _STEPS)

complete_area = Function(
    id="ranking.complete_area",
    title="The area, step by step",
    prompt="""
Walk down a list. Each hit among the first k is a step: as wide as one of all the relevant items,
and as high as the precision at its rank.

Complete the line with `...`, so that the areas of the steps add up to the average precision.

- `recommended` is a list of ids, best first; `relevant` is a set of ids.
- `ranks` are those of the hits, and `hits` counts the hits down to a rank.
""",
    function="my_area",
    solve=_area,
    template=_STEPS,
    template_answer="hits / rank / len(relevant)",
    cases=cases.STATED,
    draw=cases.draw,
    misconceptions=(
        Misconception(
            id="no-width",
            name="step without a width",
            wrong_answer=_step("hits / rank"),
            cause="The height of each step was added, and no width. A sum of heights is no area.",
            hint="All relevant items share a width of 1. How wide is one step?",
        ),
        Misconception(
            id="no-height",
            name="step without a height",
            wrong_answer=_step("1 / len(relevant)"),
            cause="The width of each step was added, and no height. That sum is recall.",
            hint="How good is the list down to the rank of this hit?",
        ),
        Misconception(
            id="recall-for-height",
            name="recall for precision",
            wrong_answer=_step("hits / len(relevant) / len(relevant)"),
            cause="The step is as high as the recall at the hit. That gives the average recall, "
            "which does not see the order.",
            hint="Which of precision and recall falls when a hit stands lower?",
        ),
        Misconception(
            id="k-wide",
            name="list denominator",
            wrong_answer=_step("hits / rank / k"),
            cause="Each step is one over k wide: the ranks share the width, and not the relevant "
            "items.",
            hint="By how much does recall grow at a hit?",
        ),
        Misconception(
            id="reciprocal-rank-high",
            name="reciprocal rank for precision",
            wrong_answer=_step("1 / rank / len(relevant)"),
            cause="Each step is as high as the reciprocal rank, as if no hit stood above it.",
            hint="Of the first three ranks two are hits. How high is the step at rank 3?",
        ),
        Misconception(
            id="precision-at-k",
            name="one height for all",
            wrong_answer=_step("hits / k / len(relevant)"),
            cause="The hits were divided by k. The precision at a hit looks down to the rank of "
            "that hit, and no further.",
            hint="How many items stand down to the rank of this hit?",
        ),
    ),
    hints=(
        "An area is a height times a width. Which of the two changes from hit to hit?",
        "The height is the precision down to this rank: the hits so far, out of the rank.",
        "Recall grows by one of the relevant items at each hit. That growth is the width.",
    ),
    steps=(
        Step(
            "The height is `hits / rank`, the precision down to this hit. The width is one over "
            "`len(relevant)`, which is what recall gains at a hit."
        ),
        Step(
            "Three items are relevant, and the hits stand at ranks 1, 4 and 5.",
            'my_area(["A", "B", "C", "D", "E", "F"], {"A", "D", "E"}, 6)',
        ),
    ),
    insight="What is missed has a width as well, and no height. So it costs, and no special case "
    "says so.",
    minutes=3,
    points=1,
)

# The function --------------------------------------------------------------------------------


def _average_precision(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return float(average_precision(cases.judged(recommended, relevant), k, no_relevant="zero"))


def _at_hits(recommended: Sequence[Any], relevant: set[Any], k: int) -> list[float]:
    """Return the precision at each hit."""
    ranks = [rank for rank, item in enumerate(recommended[:k], 1) if item in relevant]
    return [found / rank for found, rank in enumerate(ranks, 1)]


def _by_hand(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return sum(_at_hits(recommended, relevant, k)) / len(relevant) if relevant else 0.0


def _by_hits(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    at_hits = _at_hits(recommended, relevant, k)
    return sum(at_hits) / len(at_hits) if at_hits else 0.0


def _by_hits_unguarded(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    at_hits = _at_hits(recommended, relevant, k)
    return sum(at_hits) / len(at_hits)


def _by_both(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return _by_hits(recommended, relevant, k) / len(relevant) if relevant else 0.0


def _by_k(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return sum(_at_hits(recommended, relevant, k)) / k


def _by_achievable(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return sum(_at_hits(recommended, relevant, k)) / min(k, len(relevant)) if relevant else 0.0


def _no_cut(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return _by_hand(recommended, relevant, len(recommended))


def _reciprocal_ranks(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    ranks = [rank for rank, item in enumerate(recommended[:k], 1) if item in relevant]
    return sum(1 / rank for rank in ranks) / len(relevant) if relevant else 0.0


def _at_every_rank(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    shares = [
        len(relevant.intersection(recommended[:rank])) / rank
        for rank in range(1, min(k, len(recommended)) + 1)
    ]
    return sum(shares) / len(relevant) if relevant else 0.0


def _counted_late(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    ranks = [rank for rank, item in enumerate(recommended[:k], 1) if item in relevant]
    total = sum(before / rank for before, rank in enumerate(ranks))
    return total / len(relevant) if relevant else 0.0


def _nan_for_nothing(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return _by_hand(recommended, relevant, k) if relevant else float("nan")


def _order_lost(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return _by_hand(list(set(recommended[:k])), relevant, k)


write_average_precision = Function(
    id="ranking.write_average_precision",
    title="Write average precision",
    prompt="""
Write `my_average_precision(recommended, relevant, k)`: the precisions at the hits among the first
k, added up and divided by the number of all relevant items.

- `recommended` is a list of ids, best first, without repeats; it may be longer or shorter than k.
- `relevant` is a set of ids; `k` is 1 or more.
- A user with nothing relevant gets 0.
""",
    function="my_average_precision",
    solve=_average_precision,
    cases=cases.STATED,
    draw=cases.draw,
    misconceptions=(
        Misconception(
            id="hits-divisor",
            name="hits divisor",
            wrong_answer=_by_hits,
            variants=(_by_hits_unguarded,),
            cause="The sum is divided by the hits found, so that missed items are free.",
            hint="What should one hit at the top be worth to a user who wanted four items?",
        ),
        Misconception(
            id="divided-twice",
            name="divided twice",
            wrong_answer=_by_both,
            cause="The average over the hits is divided by the relevant items once more.",
            hint="What does your function give a perfect list?",
        ),
        Misconception(
            id="k-denominator",
            name="list denominator",
            wrong_answer=_by_k,
            cause="The sum is divided by k.",
            hint="What does your function give a list that holds the one relevant item at the top?",
        ),
        Misconception(
            id="achievable-denominator",
            name="achievable denominator",
            wrong_answer=_by_achievable,
            cause="The sum is divided by k where more items are relevant than that. Some "
            "libraries do so; here all relevant items are asked for.",
            hint="What should the denominator be where three of five relevant items fit in the "
            "list?",
        ),
        Misconception(
            id="no-cut",
            name="no cut",
            wrong_answer=_no_cut,
            cause="Hits below rank k are counted, too.",
            hint="Where in your function is the list cut?",
        ),
        Misconception(
            id="reciprocal-ranks",
            name="reciprocal ranks",
            wrong_answer=_reciprocal_ranks,
            cause="Each hit counts one over its rank, whatever stands above it.",
            hint="At the second hit, how many hits are there so far?",
        ),
        Misconception(
            id="every-rank",
            name="every rank counted",
            wrong_answer=_at_every_rank,
            cause="Precision is added up at every rank, hit or not.",
            hint="At which ranks should the function stop and look?",
        ),
        Misconception(
            id="counted-late",
            name="off-by-one hit",
            wrong_answer=_counted_late,
            cause="A hit is counted only after the precision at its rank was taken.",
            hint="What is the precision at rank 1 where the first item is a hit?",
        ),
        Misconception(
            id="nan-for-nothing",
            name="zero over zero",
            wrong_answer=_nan_for_nothing,
            cause="A user with nothing relevant gets nan, and 0 is asked for.",
            hint="What does your function divide by where `relevant` is empty?",
        ),
        Misconception(
            id="order-lost",
            name="order lost",
            wrong_answer=_order_lost,
            cause="The list was turned into a set, which has no order.",
            hint="Which of your variables still knows at which rank an item stood?",
        ),
    ),
    hints=(
        "Walk down the first k items with two counters: the rank, and the hits so far.",
        "At each hit, add the hits so far divided by the rank.",
        "At the end, divide by `len(relevant)`, and return 0 before that if it is empty.",
    ),
    steps=(
        Step(
            "One walk down the list, with a counter of hits beside the rank. Only at a hit is "
            "anything added.",
            "def my_average_precision(recommended, relevant, k):\n"
            "    found, total = 0, 0.0\n"
            "    for rank, item in enumerate(recommended[:k], 1):\n"
            "        if item in relevant:\n"
            "            found += 1\n"
            "            total += found / rank\n"
            "    return total / len(relevant) if relevant else 0.0",
        ),
        Step(
            "The list of E4:",
            'round(my_average_precision(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}, 5), 3)',
        ),
    ),
    insight="The mean of this over users is MAP.",
    minutes=8,
    points=3,
)


# Its lines in order --------------------------------------------------------------------------

_HEAD = ("def", "start", "loop", "if")
_BODY = ("def", "start", "loop", "if", "count", "add", "return")


def _with(**instead: str) -> tuple[str, ...]:
    """Return the right order with other lines in the place of some."""
    return tuple(instead.get(key, key) for key in _BODY)


order_average_precision = Order(
    id="ranking.order_average_precision",
    title="Average precision, line by line",
    prompt="""
Put the lines in order: a function that returns the average precision of a list, counted so that a
missed item costs. `relevant` is a set and not empty.
""",
    lines={
        "def": "def average_precision(recommended, relevant, k):",
        "start": "    found = total = 0",
        "loop": "    for rank, item in enumerate(recommended[:k], 1):",
        "if": "        if item in relevant:",
        "count": "            found = found + 1",
        "add": "            total = total + found / rank",
        "return": "    return total / len(relevant)",
        "loop-0": "    for rank, item in enumerate(recommended[:k]):",
        "add-1": "            total = total + 1 / rank",
        "return-hits": "    return total / found",
    },
    solve=lambda inputs: _BODY,
    misconceptions=(
        Misconception(
            id="hits-divisor",
            name="hits divisor",
            wrong_answer=lambda inputs: _with(**{"return": "return-hits"}),
            cause="It divides by the hits that were found. What was missed costs nothing, and a "
            "list without a hit divides by 0.",
            hint="Which line makes an item pay that was never recommended?",
        ),
        Misconception(
            id="off-by-one-rank",
            name="off-by-one rank",
            wrong_answer=lambda inputs: _with(loop="loop-0"),
            cause="`enumerate` counts from 0, so the first item stands at rank 0.",
            hint="What does the function do when the first item is a hit?",
        ),
        Misconception(
            id="reciprocal-ranks",
            name="reciprocal ranks",
            wrong_answer=lambda inputs: [
                _with(add="add-1"),
                (*_HEAD, "add-1", "return"),
                (*_HEAD, "add-1", "count", "return"),
            ],
            cause="One over the rank is added at each hit. The hits above it belong there, too.",
            hint="What is the precision at the second hit?",
        ),
        Misconception(
            id="counted-late",
            name="counted late",
            wrong_answer=lambda inputs: (*_HEAD, "add", "count", "return"),
            cause="The precision is added before the hit is counted, so the first one adds 0.",
            hint="At the first hit, how many hits are there so far?",
        ),
        Misconception(
            id="every-rank",
            name="every rank counted",
            wrong_answer=lambda inputs: [
                ("def", "start", "loop", "count", "add", "return"),
                ("def", "start", "loop", "add", "return"),
            ],
            cause="Without the question whether the item is relevant, every rank is a hit.",
            hint="At which ranks does average precision stop and look?",
        ),
    ),
    hints=(
        "Seven of the ten lines are needed. Three of the others differ from one of them in a "
        "single place.",
        "The two lines inside the `if` are about one hit: it is counted, then it is used.",
        "Read the last line aloud: it has to know of items that the loop never met.",
    ),
    steps=(
        Step(
            "Begin with what is known before the loop: nothing found, nothing added. Each rank is "
            "visited from 1 on. At a hit, count it, and then add the precision there.",
        ),
        Step(
            "Once, behind the loop, divide by all relevant items. The list of the chapter:",
            "def average_precision(recommended, relevant, k):\n"
            "    found = total = 0\n"
            "    for rank, item in enumerate(recommended[:k], 1):\n"
            "        if item in relevant:\n"
            "            found = found + 1\n"
            "            total = total + found / rank\n"
            "    return total / len(relevant)\n\n\n"
            'round(average_precision("ABCDE", set("BCEG"), 5), 3)',
        ),
    ),
    insight="Two lines decide what it measures: where the rank starts, and what it divides by.",
    minutes=4,
    points=2,
)
