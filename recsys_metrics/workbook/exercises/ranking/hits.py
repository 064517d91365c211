"""Counting hits: precision, recall and F1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recsys_metrics import Judged, f_beta, precision, recall
from recsys_metrics.workbook.exercises.arithmetic_slips import SWAPPED
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.function import Function, make_completer
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.ranking import cases, running_list


def _solve(inputs: Inputs) -> dict[str, float]:
    judged, k = running_list.judged(inputs), inputs["k"]
    return {
        "precision": precision(judged, k),
        "recall": recall(judged, k),
        "f1": f_beta(judged, k),
    }


def _swapped(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    return {"precision": right["recall"], "recall": right["precision"]}


def _hits_divisor(inputs: Inputs) -> dict[str, float]:
    p = _solve(inputs)["precision"]
    return {"recall": 1.0, "f1": 2 * p / (p + 1)}


def _counts(inputs: Inputs) -> dict[str, float]:
    n_hits = len(running_list.hit_ranks(inputs))
    return {"precision": n_hits, "recall": n_hits}


def _arithmetic(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    return {"f1": (right["precision"] + right["recall"]) / 2}


def _no_two(inputs: Inputs) -> dict[str, float]:
    return {"f1": _solve(inputs)["f1"] / 2}


def _overlap(inputs: Inputs) -> dict[str, float]:
    either = set(inputs["recommended"]) | inputs["relevant"]
    return {"f1": len(running_list.hit_ranks(inputs)) / len(either)}


precision_recall_f1 = Numbers(
    attribute="precision_recall_f1",
    id="ranking.e2",
    title="Precision, recall and F1",
    prompt="""
The list holds {recommended}, best first. The user would have liked {relevant}.

Compute precision@{k}, recall@{k} and F1@{k}.
""",
    asks={"precision": "precision@{k}", "recall": "recall@{k}", "f1": "F1@{k}"},
    inputs=running_list.STATED,
    solve=_solve,
    draw=running_list.draw,
    follows={
        "f1": lambda own: 2 * own["precision"] * own["recall"] / (own["precision"] + own["recall"])
    },
    picture=running_list.picture,
    misconceptions=(
        Misconception(
            id="swapped-denominators",
            name="swapped denominators",
            wrong_answer=_swapped,
            cause="Precision and recall have changed places.",
            hint="Which of the two can be computed without knowing what was missed?",
        ),
        Misconception(
            id="hits-divisor",
            name="hits divisor",
            wrong_answer=_hits_divisor,
            cause="Recall was divided by the relevant items that were recommended, so that "
            "nothing was ever missed.",
            hint="How many items would the user have liked, shown or not?",
        ),
        Misconception(
            id="count-for-share",
            name="count for share",
            wrong_answer=_counts,
            cause="That is the number of hits. A share has something below the line, too.",
            hint="Hits out of how many?",
        ),
        Misconception(
            id="plain-average",
            name="plain average",
            wrong_answer=_arithmetic,
            cause="F1 was taken as the plain average of precision and recall.",
            hint="What would that average say of a list with precision 0 and recall 1?",
        ),
        Misconception(
            id="half-f1",
            name="half an F1",
            wrong_answer=_no_two,
            cause="The harmonic mean was left without its factor 2.",
            hint="What should F1 be where precision and recall are equal?",
        ),
        Misconception(
            id="overlap",
            name="overlap for F1",
            wrong_answer=_overlap,
            cause="Hits were divided by all items that are recommended or relevant. That overlap "
            "is "
            "the Jaccard index.",
            hint="Which mean of precision and recall is F1?",
        ),
    ),
    hints=(
        "Count the hits first: the items that are both recommended and relevant. Both shares have "
        "this count above the line.",
        "Precision asks about the slots, so K stands below the line. Recall asks about the "
        "user's wishes, so all relevant items do, shown or not.",
        "F1 is the harmonic mean: twice the product of the two, divided by their sum.",
    ),
    steps=(
        Step(
            "A hit is an item that is both recommended and relevant.",
            "hits = [item for item in recommended[:k] if item in relevant]\nhits",
        ),
        Step(
            "Precision asks about the slots: of those that were recommended, how many were worth "
            "it?",
            "precision = len(hits) / k\nround(precision, 3)",
        ),
        Step(
            "Recall asks about the user: of all that was wanted, how much was found? "
            "What was never shown stands below the line as well.",
            "recall = len(hits) / len(relevant)\nround(recall, 3)",
        ),
        Step(
            "F1 is their harmonic mean, which stays near the smaller of the two.",
            "f1 = 2 * precision * recall / (precision + recall)\nround(f1, 3)",
        ),
    ),
    insight="Three questions: were the slots well used, was what the user wants found, and are "
    "both good?",
    minutes=4,
    points=3,
)


# F with a beta --------------------------------------------------------------------------------


def _weighed(inputs: Inputs, formula: Callable[[float, float, float], float]) -> dict[str, float]:
    """Return what a formula of precision, recall and beta gives for both betas."""
    p, r = inputs["hits"] / inputs["k"], inputs["hits"] / inputs["wanted"]
    return {"f_two": formula(p, r, 2.0), "f_half": formula(p, r, 0.5)}


def _two_betas(inputs: Inputs) -> dict[str, float]:
    hits, k = inputs["hits"], inputs["k"]
    found = Judged.from_gains([1.0] * hits + [0.0] * (k - hits), ideal=[1.0] * inputs["wanted"])
    return {"f_two": float(f_beta(found, k, beta=2)), "f_half": float(f_beta(found, k, beta=0.5))}


def _beta(wrong: Callable[[float, float, float], float]) -> Callable[[Inputs], dict[str, float]]:
    return lambda inputs: _weighed(inputs, wrong)


def _draw_betas(rng: np.random.Generator) -> Inputs:
    """Return counts whose precision and recall differ."""
    while True:
        hits, k, wanted = (
            int(rng.integers(2, 8)),
            int(rng.integers(5, 21)),
            int(rng.integers(3, 16)),
        )
        if hits < min(k, wanted) and k != wanted:
            return {"hits": hits, "k": k, "wanted": wanted}


two_betas = Numbers(
    id="ranking.two_betas",
    title="F, and what a miss costs",
    prompt="""
A list of {k} holds {hits} of the {wanted} films that somebody wants.

Compute F with beta 2, which says that a missed film costs more than a wasted slot, and F with beta
one half, which says the opposite.
""",
    asks={"f_two": "F, beta 2", "f_half": "F, beta one half"},
    inputs={"hits": 3, "k": 10, "wanted": 4},
    solve=_two_betas,
    draw=_draw_betas,
    misconceptions=(
        Misconception(
            id="precision-and-recall-swapped",
            name="swapped denominators",
            wrong_answer=_beta(lambda p, r, beta: (1 + beta**2) * p * r / (beta**2 * r + p)),
            cause="Precision and recall have changed places below the line, so that beta weighs "
            "the wrong one.",
            hint="With which of the two does beta squared stand below the line?",
            ambiguous_with=(SWAPPED,),
        ),
        Misconception(
            id="beta-not-squared",
            name="beta without its square",
            wrong_answer=_beta(lambda p, r, beta: (1 + beta) * p * r / (beta * p + r)),
            cause="Beta was put in as it is. The formula takes its square.",
            hint="What is beta squared for each of the two?",
        ),
        Misconception(
            id="f1-for-both",
            name="beta forgotten",
            wrong_answer=_beta(lambda p, r, beta: 2 * p * r / (p + r)),
            cause="That is F1, in which both weigh the same.",
            hint="Where does beta stand in the formula?",
        ),
        Misconception(
            id="plain-average",
            name="plain average",
            wrong_answer=_beta(lambda p, r, beta: (p + beta**2 * r) / (1 + beta**2)),
            cause="Precision and recall were averaged with weights. F is a harmonic mean.",
            hint="What would that average say of a list with precision 0 and recall 1?",
        ),
        Misconception(
            id="no-one-and-beta",
            name="factor forgotten",
            wrong_answer=_beta(lambda p, r, beta: p * r / (beta**2 * p + r)),
            cause="The factor 1 plus beta squared is missing above the line.",
            hint="What should F be where precision and recall are equal?",
        ),
    ),
    hints=(
        "Precision and recall first: the hits out of the slots, and out of the films wanted.",
        "Below the line stands beta squared times precision, plus recall.",
        "Above the line: 1 plus beta squared, times precision, times recall.",
    ),
    steps=(
        Step(
            "Precision and recall share the hits.",
            "precision, recall = hits / k, hits / wanted\nround(precision, 3), round(recall, 3)",
        ),
        Step(
            "The formula, once for each beta.",
            "def f(beta):\n"
            "    below = beta**2 * precision + recall\n"
            "    return (1 + beta**2) * precision * recall / below",
        ),
        Step(
            "With beta 2 the value lies nearer to recall, with one half nearer to precision.",
            "f_two, f_half = f(2), f(1 / 2)\nround(f_two, 3), round(f_half, 3)",
        ),
    ),
    insight="Beta is a price: how much more a missed film costs than a wasted slot. Somebody has "
    "to name it.",
    minutes=3,
    points=2,
)


# Two lists and a K ----------------------------------------------------------------------------

_RANKS = 10


def _n_hits(hit_ranks: Sequence[int], k: int) -> int:
    return sum(rank <= k for rank in hit_ranks)


def _at(hit_ranks: Sequence[int], k: int) -> float:
    marks = [float(rank in hit_ranks) for rank in range(1, _RANKS + 1)]
    return float(precision(Judged.from_gains(marks), k))


def _ahead(inputs: Inputs, *, least: int = 1) -> int:
    """Return the smallest K beyond the page at which the second list has so many more hits."""
    beyond = range(inputs["k"] + 1, _RANKS + 1)
    return min(k for k in beyond if _n_hits(inputs["two"], k) - _n_hits(inputs["one"], k) >= least)


def _turning(inputs: Inputs) -> dict[str, float]:
    k = inputs["k"]
    at_k = {"first": _at(inputs["one"], k), "second": _at(inputs["two"], k)}
    return {**at_k, "turns": float(_ahead(inputs))}


def _over(count: Callable[[Inputs, str], int]) -> Callable[[Inputs], dict[str, float]]:
    """Return the mistake of dividing the hits of each list by something else."""
    return lambda inputs: {
        asked: _n_hits(inputs[name], inputs["k"]) / count(inputs, name)
        for asked, name in (("first", "one"), ("second", "two"))
    }


def _all_ten(inputs: Inputs) -> dict[str, float]:
    return {"first": len(inputs["one"]) / _RANKS, "second": len(inputs["two"]) / _RANKS}


def _draw_turning(rng: np.random.Generator) -> Inputs:
    """Return a list that leads on the page, and one that passes it further down."""
    while True:
        k = int(rng.integers(3, 6))
        one, two = (
            sorted(int(rank) for rank in 1 + rng.choice(_RANKS, size, replace=False))
            for size in rng.integers(2, 6, size=2)
        )
        more = [_n_hits(two, n) - _n_hits(one, n) for n in range(1, _RANKS + 1)]
        if more[k - 1] < 0 < max(more) and max(more[:k]) <= 0:
            return {"one": one, "two": two, "k": k}


where_k_turns = Numbers(
    id="ranking.where_k_turns",
    title="K decides who wins",
    prompt="""
Two recommenders list ten films each for one person. The hits of the first stand at the ranks
{one}, those of the second at the ranks {two}. The page shows {k} films before one has to scroll.

Compute precision@{k} of both. Then find the smallest K at which the second list is ahead.
""",
    asks={
        "first": "precision@{k}, first list",
        "second": "precision@{k}, second list",
        "turns": "the smallest K at which the second list is ahead",
    },
    inputs={"one": [1, 3], "two": [4, 5, 7, 9], "k": 4},
    solve=_turning,
    draw=_draw_turning,
    misconceptions=(
        Misconception(
            id="whole-list",
            name="no cut",
            wrong_answer=_all_ten,
            cause="All ten ranks were judged.",
            hint="How many films does the page show?",
        ),
        Misconception(
            id="hits-divisor",
            name="hits divisor",
            wrong_answer=_over(lambda inputs, name: len(inputs[name])),
            cause="The hits on the page were divided by all hits of the list. Precision asks about "
            "the slots.",
            hint="How many slots does the page have?",
        ),
        Misconception(
            id="ten-denominator",
            name="list denominator",
            wrong_answer=_over(lambda inputs, name: _RANKS),
            cause="The hits on the page were divided by ten, the length of the whole list.",
            hint="How many slots does the page have?",
        ),
        Misconception(
            id="count-for-share",
            name="count for share",
            wrong_answer=_over(lambda inputs, name: 1),
            cause="That is the number of hits on the page. A share has something below the line, "
            "too.",
            hint="Hits out of how many?",
        ),
        Misconception(
            id="level-for-ahead",
            name="level for ahead",
            wrong_answer=lambda inputs: {"turns": float(_ahead(inputs, least=0))},
            cause="At that K the two lists are level. The second one is not ahead yet.",
            hint="How many hits has each list found down to that rank?",
        ),
        Misconception(
            id="before-the-turn",
            name="off-by-one rank",
            wrong_answer=lambda inputs: {"turns": float(_ahead(inputs) - 1)},
            cause="That is one rank too early.",
            hint="Which hit puts the second list ahead, and at which rank does it stand?",
        ),
    ),
    hints=(
        "For the page, count the hits at ranks up to {k} in each list. Both counts are divided by "
        "the same number.",
        "Then walk down both lists together, rank by rank, and keep the two counts side by side.",
        "Both lists are divided by the same K, so the one with more hits down to K is ahead.",
    ),
    steps=(
        Step(
            "Hits on the page, out of its slots:",
            "on_page = [sum(rank <= k for rank in ranks) for ranks in (one, two)]\non_page",
        ),
        Step(
            "How many hits more the second list has, at every K:",
            "more = [sum(r <= K for r in two) - sum(r <= K for r in one) for K in range(1, 11)]\n"
            "more",
        ),
        Step(
            "The first K at which that is above 0. On the page the first list leads.",
            "turns = next(K for K, n in enumerate(more, 1) if n > 0)\n"
            "first, second = on_page[0] / k, on_page[1] / k\n"
            "round(first, 3), round(second, 3), turns",
        ),
    ),
    insight="Nothing about the two lists changed between the two values of K. Take K from the "
    "page, before you look at the result.",
    minutes=4,
    points=2,
)


# A function with one line missing ------------------------------------------------------------


def _recall_or_zero(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return float(recall(cases.judged(recommended, relevant), k, no_relevant="zero"))


_RECALL = """
if not relevant:
    return 0.0
hits = sum(item in relevant for item in recommended[:k])
return ...
""".strip()
_with = make_completer("recommended, relevant, k", _RECALL)


complete_recall = Function(
    id="ranking.complete_recall",
    title="Recall@k with one line missing",
    prompt="""
Complete the line with `...`: of all items in `relevant`, the share that is among the first k of
`recommended`.

- `recommended` is a list of ids, best first; it may be longer or shorter than k.
- `relevant` is a set of ids. The first two lines answer for a user who wanted nothing.
""",
    function="my_recall",
    solve=_recall_or_zero,
    template=_RECALL,
    template_answer="hits / len(relevant)",
    cases=cases.STATED,
    draw=cases.draw,
    misconceptions=(
        Misconception(
            id="k-denominator",
            name="swapped denominators",
            wrong_answer=_with("hits / k"),
            cause="The hits are divided by k, the number of slots. That is precision.",
            hint="Does recall ask about the slots or about the user's wishes?",
        ),
        Misconception(
            id="list-denominator",
            name="list denominator",
            wrong_answer=_with("hits / len(recommended)"),
            variants=(
                _with("hits / len(recommended) if recommended else 0.0"),
                _with("hits / len(recommended[:k])"),
                _with("hits / len(recommended[:k]) if recommended else 0.0"),
            ),
            cause="The hits are divided by the items that were recommended. What the user wanted "
            "and "
            "never saw costs nothing then.",
            hint="Which items does recall count below the line, shown or not?",
        ),
        Misconception(
            id="achievable-denominator",
            name="achievable denominator",
            wrong_answer=_with("hits / min(k, len(relevant))"),
            cause="The hits are divided by the most that k slots could hold. A list of k hits then "
            "has 1, however much was missed.",
            hint="Five items are relevant and k is 2. How much of the five can two slots find?",
        ),
        Misconception(
            id="not-divided",
            name="count for share",
            wrong_answer=_with("hits"),
            cause="That is the number of hits. A share has something below the line, too.",
            hint="Hits out of how many?",
        ),
        Misconception(
            id="share-missed",
            name="share missed",
            wrong_answer=_with("1 - hits / len(relevant)"),
            cause="That is the share that the list missed. Recall is the share that it found.",
            hint="What should come back for a list that finds everything?",
        ),
    ),
    hints=(
        "The hits are counted already. What do they have to be compared with?",
        "Recall asks about the user: all that the user wanted stands below the line.",
        "`len(...)` counts the items of a set.",
    ),
    steps=(
        Step(
            "The hits stand above the line. Below it stands all that the user wanted, shown or "
            "not.",
        ),
        Step(
            "Four items were wanted. The list of three holds two of them.",
            'my_recall(["B", "C", "D"], {"B", "C", "E", "G"}, 5)',
        ),
    ),
    insight="Precision and recall count the same hits. Only what stands below the line differs.",
    minutes=2,
    points=1,
)


# The function --------------------------------------------------------------------------------


def _precision(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return float(precision(cases.judged(recommended, relevant), k, no_relevant="zero"))


def _short_list(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    top = recommended[:k]
    return len(relevant.intersection(top)) / len(top) if top else 0.0


def _short_list_unguarded(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return len(relevant.intersection(recommended[:k])) / len(recommended[:k])


def _no_cut(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return len(relevant.intersection(recommended)) / k


def _whole_list(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return len(relevant.intersection(recommended)) / len(recommended) if recommended else 0.0


def _whole_list_unguarded(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return len(relevant.intersection(recommended)) / len(recommended)


def _recall(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return len(relevant.intersection(recommended[:k])) / len(relevant) if relevant else 0.0


def _recall_unguarded(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return len(relevant.intersection(recommended[:k])) / len(relevant)


def _one_short(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return len(relevant.intersection(recommended[: k - 1])) / k


def _one_long(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return len(relevant.intersection(recommended[: k + 1])) / k


def _any_hit(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return float(bool(relevant.intersection(recommended[:k])))


write_precision = Function(
    id="ranking.write_precision",
    title="Write precision@k",
    prompt="""
Write `my_precision(recommended, relevant, k)`: the share of the first k recommended items that
is relevant.

- `recommended` is a list of ids, best first, without repeats; it may be longer or shorter than k.
- `relevant` is a set of ids; `k` is 1 or more.
- A list shorter than k is divided by k all the same: an empty slot is no hit.
""",
    function="my_precision",
    solve=_precision,
    cases=cases.STATED,
    draw=cases.draw,
    misconceptions=(
        Misconception(
            id="short-list",
            name="short list",
            wrong_answer=_short_list,
            variants=(_short_list_unguarded,),
            cause="A list with fewer than k items is divided by what it holds, so that its empty "
            "slots cost nothing. An empty list then is 0 over 0.",
            hint="What do you divide by where three items were recommended and k is 5?",
        ),
        Misconception(
            id="no-cut",
            name="no cut",
            wrong_answer=_no_cut,
            cause="Hits below rank k are counted, too.",
            hint="How many items of `recommended` should be looked at?",
        ),
        Misconception(
            id="whole-list",
            name="whole list",
            wrong_answer=_whole_list,
            variants=(_whole_list_unguarded,),
            cause="k changes nothing: the whole list is judged.",
            hint="Where in your function does `k` stand?",
        ),
        Misconception(
            id="recall-denominator",
            name="swapped denominators",
            wrong_answer=_recall,
            variants=(_recall_unguarded,),
            cause="The hits are divided by the relevant items. That is recall.",
            hint="Does precision ask about the slots or about the user's wishes?",
        ),
        Misconception(
            id="cut-too-early",
            name="off-by-one rank",
            wrong_answer=_one_short,
            cause="The last of the k ranks is left out.",
            hint="How many items does `recommended[:k]` hold?",
        ),
        Misconception(
            id="cut-too-late",
            name="off-by-one rank",
            wrong_answer=_one_long,
            cause="One rank too many is looked at.",
            hint="How many items does `recommended[:k]` hold?",
        ),
        Misconception(
            id="any-hit",
            name="hit rate",
            wrong_answer=_any_hit,
            cause="It says whether there is a hit at all. That is the hit rate.",
            hint="What should two hits be worth, compared to one?",
        ),
    ),
    hints=(
        "Two steps: keep the first k items, then count those that are relevant.",
        "`recommended[:k]` keeps the first k, or all of them where there are fewer.",
        "The denominator is k itself, never `len(recommended[:k])`.",
    ),
    steps=(
        Step(
            "Slicing cuts at k and does not mind a short list. The denominator is k, so an empty "
            "slot counts as a miss, and an empty list has precision 0 without a special case.",
            "def my_precision(recommended, relevant, k):\n"
            "    hits = sum(item in relevant for item in recommended[:k])\n"
            "    return hits / k",
        ),
        Step(
            "Three items were recommended although five were asked for, and two of them are hits.",
            'my_precision(["B", "C", "D"], {"B", "C", "E", "G"}, 5)',
        ),
    ),
    insight="Libraries differ on short lists: the denominator k charges for empty slots, the "
    "number "
    "recommended does not.",
    minutes=5,
    points=2,
)
