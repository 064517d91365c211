"""Discounted gain: NDCG by hand, with grades, and as a function."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recsys_metrics import Judged, dcg, ndcg
from recsys_metrics.workbook.charts.ranked_lists import ranked_list
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.function import Case, Function, make_completer
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.ranking import cases, running_list

Discount = Callable[[int], float]


def _log2(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def _log2_of_rank(rank: int) -> float:
    return 1 / math.log2(rank) if rank > 1 else 1.0


def _log2_too_late(rank: int) -> float:
    return 1 / math.log2(rank + 2)


def _reciprocal(rank: int) -> float:
    return 1 / rank


def _none(rank: int) -> float:
    return 1.0


def _sum_over(ranks: Sequence[int], discount: Discount = _log2) -> float:
    return sum(discount(rank) for rank in ranks)


def _first_ranks(n: int) -> range:
    return range(1, n + 1)


def _values(found: float, best: float) -> dict[str, float]:
    return {"dcg": found, "idcg": best, "ndcg": found / best}


def _solve(inputs: Inputs) -> dict[str, float]:
    judged, k = running_list.judged(inputs), inputs["k"]
    best = dcg(Judged.from_gains(judged.ideal), k)
    return {"dcg": dcg(judged, k), "idcg": best, "ndcg": ndcg(judged, k)}


def _n_ideal(inputs: Inputs) -> int:
    return min(int(inputs["k"]), len(inputs["relevant"]))


def _discounted(discount: Discount) -> Callable[[Inputs], dict[str, float]]:
    """Return the mistake of another discount, in the list and in its ideal."""
    return lambda inputs: _values(
        _sum_over(running_list.hit_ranks(inputs), discount),
        _sum_over(_first_ranks(_n_ideal(inputs)), discount),
    )


def _own_list(inputs: Inputs) -> dict[str, float]:
    ranks = running_list.hit_ranks(inputs)
    values = _values(_sum_over(ranks), _sum_over(_first_ranks(len(ranks))))
    return {name: values[name] for name in ("idcg", "ndcg")}


def _full_ideal(inputs: Inputs) -> dict[str, float]:
    values = _values(
        _sum_over(running_list.hit_ranks(inputs)), _sum_over(_first_ranks(inputs["k"]))
    )
    return {name: values[name] for name in ("idcg", "ndcg")}


def _natural_log(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    return {name: right[name] / math.log(2) for name in ("dcg", "idcg")}


def _upside_down(inputs: Inputs) -> dict[str, float]:
    return {"ndcg": 1 / _solve(inputs)["ndcg"]}


ndcg_from_scratch = Numbers(
    attribute="ndcg_from_scratch",
    id="ranking.e5",
    title="NDCG from scratch",
    prompt="""
The list holds {recommended}, best first. The user would have liked {relevant}.
A hit has gain 1, and the gain at rank i is divided by log₂(i + 1).

Compute DCG@{k}, the ideal IDCG@{k}, and NDCG@{k}.
""",
    asks={"dcg": "DCG@{k}", "idcg": "IDCG@{k}", "ndcg": "NDCG@{k}"},
    inputs=running_list.STATED,
    solve=_solve,
    draw=running_list.draw,
    follows={"ndcg": lambda own: own["dcg"] / own["idcg"]},
    picture=running_list.picture,
    misconceptions=(
        Misconception(
            id="own-list-ideal",
            name="own-list ideal",
            wrong_answer=_own_list,
            cause="The ideal was made from the recommended items alone, with their hits moved to "
            "the "
            "top. What was missed is not in it.",
            hint="How many relevant items could the best list of this length have held?",
        ),
        Misconception(
            id="natural-log",
            name="natural log",
            wrong_answer=_natural_log,
            cause="The discount was taken with the natural logarithm. DCG and IDCG both grow by "
            "the same factor, so NDCG does not show it.",
            hint="What is the discount at rank 1? It should be 1.",
        ),
        Misconception(
            id="log-of-rank",
            name="off-by-one rank",
            wrong_answer=_discounted(_log2_of_rank),
            cause="The discount at rank i was 1/log₂(i), with rank 1 left whole. The first two "
            "ranks then count the same, as in the original paper of 2002.",
            hint="What is log₂(i + 1) at rank 2?",
        ),
        Misconception(
            id="log-too-late",
            name="off-by-one rank",
            wrong_answer=_discounted(_log2_too_late),
            cause="The discount at rank i was 1/log₂(i + 2), one rank too far.",
            hint="What is the discount at rank 1? It should be 1.",
        ),
        Misconception(
            id="reciprocal-discount",
            name="reciprocal discount",
            wrong_answer=_discounted(_reciprocal),
            cause="The gains were divided by their rank, not by its logarithm.",
            hint="What is log₂(3 + 1), the denominator at rank 3?",
        ),
        Misconception(
            id="no-discount",
            name="no discount",
            wrong_answer=_discounted(_none),
            cause="The hits were added up without a discount, which knows no order.",
            hint="What should a hit at the last rank be worth, compared to one at the top?",
        ),
        Misconception(
            id="full-ideal",
            name="full ideal",
            wrong_answer=_full_ideal,
            cause="The ideal has a hit at every rank, more than there are relevant items.",
            hint="How many hits can a list have at most for this user?",
        ),
        Misconception(
            id="upside-down",
            name="upside down",
            wrong_answer=_upside_down,
            cause="The ideal was divided by the list's own DCG.",
            hint="Can a list be better than the ideal?",
        ),
    ),
    hints=(
        "For DCG only the ranks of the hits matter. Write them down first.",
        "Each hit at rank i adds 1/log₂(i + 1). The ideal adds the same for a list that starts "
        "with all the relevant items.",
        "The ideal holds every relevant item that fits within K, the missed ones included: as "
        "many ranks from the top as there are relevant items. NDCG is DCG divided by it.",
    ),
    steps=(
        Step(
            "The hits stand at these ranks.",
            "ranks = [rank for rank, item in enumerate(recommended[:k], 1) if item in "
            "relevant]\nranks",
        ),
        Step(
            "Each adds its discounted gain. `log2` takes the base 2: at rank 1 the denominator is "
            "1.",
            "from math import log2\n\n"
            "dcg = sum(1 / log2(rank + 1) for rank in ranks)\n"
            "round(dcg, 3)",
        ),
        Step(
            "The best list there could have been starts with all relevant items, recommended or "
            "not, "
            "as far as they fit within K.",
            "best = range(1, min(k, len(relevant)) + 1)\n"
            "idcg = sum(1 / log2(rank + 1) for rank in best)\n"
            "round(idcg, 3)",
        ),
        Step("The share of the ideal that was reached:", "ndcg = dcg / idcg\nround(ndcg, 3)"),
        Step(
            "With the ideal of the recommended items alone, the missed item would cost nothing.",
            "own = sum(1 / log2(rank + 1) for rank in range(1, len(ranks) + 1))\n"
            "round(dcg / own, 3)",
        ),
    ),
    insight="The base of the logarithm cancels in NDCG; the choice of the ideal does not.",
    minutes=8,
    points=3,
)


# Grades --------------------------------------------------------------------------------------


def _linear(grade: float) -> float:
    return grade


def _exponential(grade: float) -> float:
    return 2**grade - 1


def _graded(
    grades: Sequence[float],
    gain: Callable[[float], float],
    *,
    best_gain: Callable[[float], float] | None = None,
    discount: Discount = _log2,
) -> float:
    """Return NDCG with the list's own ideal, which may have another gain by mistake."""
    found = sum(gain(g) * discount(rank) for rank, g in enumerate(grades, 1))
    ideal = sorted(map(best_gain or gain, grades), reverse=True)
    return found / sum(g * discount(rank) for rank, g in enumerate(ideal, 1))


def _solve_graded(inputs: Inputs) -> dict[str, float]:
    judged = Judged.from_gains(inputs["grades"])
    return {
        "linear": ndcg(judged, gain="linear"),
        "exponential": ndcg(judged, gain="exponential"),
    }


def _both_graded(**mistake: Any) -> Callable[[Inputs], dict[str, float]]:
    return lambda inputs: {
        "linear": _graded(inputs["grades"], _linear, **mistake),
        "exponential": _graded(inputs["grades"], _exponential, **mistake),
    }


def _borrowed(inputs: Inputs) -> dict[str, float]:
    right = _solve_graded(inputs)
    return {"linear": right["exponential"], "exponential": right["linear"]}


def _mixed(inputs: Inputs) -> dict[str, float]:
    grades = inputs["grades"]
    return {
        "linear": _graded(grades, _linear, best_gain=_exponential),
        "exponential": _graded(grades, _exponential, best_gain=_linear),
    }


def _binary(inputs: Inputs) -> dict[str, float]:
    value = _graded(inputs["grades"], lambda grade: float(grade > 0))
    return {"linear": value, "exponential": value}


def _no_less_one(inputs: Inputs) -> dict[str, float]:
    return {"exponential": _graded(inputs["grades"], lambda grade: 2**grade)}


def _squared(inputs: Inputs) -> dict[str, float]:
    return {"exponential": _graded(inputs["grades"], lambda grade: grade**2)}


def _not_normalised(inputs: Inputs) -> dict[str, float]:
    judged = Judged.from_gains(inputs["grades"])
    return {"linear": dcg(judged), "exponential": dcg(judged, gain="exponential")}


def _draw_grades(rng: np.random.Generator) -> dict[str, Any]:
    """Return grades 0 to 3 in an order that is not the best."""
    n = int(rng.integers(5, 7))
    return {"grades": [int(g) for g in rng.permutation([3, 2, 1, 0, *rng.integers(0, 4, n - 4)])]}


def _picture_of_grades(inputs: Inputs) -> Picture:
    recommended = list("ABCDEFGH"[: len(inputs["grades"])])
    return ranked_list(recommended, dict(zip(recommended, inputs["grades"], strict=True)))


graded_gain = Numbers(
    id="ranking.graded_gain",
    title="Two gains for one grade",
    prompt="""
A list has the grades {grades}, from the top. Nothing relevant is missing from it.

Compute its NDCG twice: with linear gain, where an item is worth its grade, and with exponential
gain, where it is worth 2 to the power of its grade, less 1. Divide by log₂(rank + 1) in both.
""",
    asks={"linear": "NDCG, linear gain", "exponential": "NDCG, exponential gain"},
    inputs={"grades": [2, 3, 0, 1, 0]},
    solve=_solve_graded,
    draw=_draw_grades,
    picture=_picture_of_grades,
    misconceptions=(
        Misconception(
            id="borrowed-gain",
            name="borrowed gain",
            wrong_answer=_borrowed,
            cause="The two gains have changed places: each value belongs to the other question.",
            hint="What is grade 3 worth with linear gain, and what with exponential?",
        ),
        Misconception(
            id="borrowed-ideal",
            name="borrowed gain in the ideal",
            wrong_answer=_mixed,
            cause="DCG was computed with one gain and its ideal with the other.",
            hint="Can the best order of the same items be worth less than your list?",
        ),
        Misconception(
            id="grades-ignored",
            name="grades ignored",
            wrong_answer=_binary,
            cause="Every relevant item has counted 1, whatever its grade.",
            hint="What is the best item of this list worth?",
        ),
        Misconception(
            id="one-not-taken-off",
            name="one not taken off",
            wrong_answer=_no_less_one,
            cause="The gain was 2 to the power of the grade, without the 1 taken off. Even an "
            "irrelevant item is worth something then.",
            hint="What should an item of grade 0 be worth?",
        ),
        Misconception(
            id="squared",
            name="square for power of two",
            wrong_answer=_squared,
            cause="The grade was squared.",
            hint="What is 2 to the power of 3, less 1?",
        ),
        Misconception(
            id="log-of-rank",
            name="off-by-one rank",
            wrong_answer=_both_graded(discount=_log2_of_rank),
            cause="The discount at rank i was 1/log₂(i), with rank 1 left whole.",
            hint="What is log₂(i + 1) at rank 2?",
        ),
        Misconception(
            id="not-normalised",
            name="DCG for NDCG",
            wrong_answer=_not_normalised,
            cause="That is the DCG. It was not divided by the ideal.",
            hint="What is the DCG of the same items in the best order?",
        ),
    ),
    hints=(
        "Write down what each rank is worth, once for each gain. The two lists differ most at "
        "the highest grade.",
        "For each gain: divide every worth by log₂(rank + 1) and add up. Then do the same for "
        "the worths sorted from the highest.",
        "With exponential gain, the grades 0, 1, 2 and 3 are worth 0, 1, 3 and 7.",
    ),
    steps=(
        Step(
            "What each rank is worth, with either gain:",
            "gains = {\n"
            '    "linear": grades,\n'
            '    "exponential": [2**grade - 1 for grade in grades],\n'
            "}\n"
            "gains",
        ),
        Step(
            "DCG divides by log₂(rank + 1), and the ideal is the DCG of the same worths sorted. "
            "The list's own ideal is right here: nothing relevant is missing from it.",
            "from math import log2\n\n\n"
            "def dcg(worths):\n"
            "    return sum(worth / log2(rank + 1) for rank, worth in enumerate(worths, 1))\n\n\n"
            "def ndcg(worths):\n"
            "    return dcg(worths) / dcg(sorted(worths, reverse=True))",
        ),
        Step(
            "One list, two numbers: the exponential gain is about the best items above all.",
            'linear, exponential = ndcg(gains["linear"]), ndcg(gains["exponential"])\n'
            "round(linear, 3), round(exponential, 3)",
        ),
    ),
    insight="Both are called the standard somewhere. A number without its gain is half a number.",
    minutes=8,
    points=2,
)


# DCG with one line missing ------------------------------------------------------------------


def _dcg(grades: Sequence[int], k: int) -> float:
    return float(dcg(Judged.from_gains(grades), k, no_relevant="zero"))


_SUM = """
from math import log2
total = 0
for rank, grade in enumerate(grades[:k], 1):
    total += ...
return total
""".strip()
_adding = make_completer("grades, k", _SUM)


def _grades(*grades: int, k: int, why: str = "") -> Case:
    return Case({"grades": [*grades], "k": k}, why)


_NO_GRADES = _grades(k=3, why="the list is empty")


def _draw_dcg(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return lists of grades from 0 to 4, each with a 2 or more below the first rank."""
    drawn = []
    for _ in range(5):
        grades = [int(grade) for grade in rng.integers(0, 5, int(rng.integers(4, 9)))]
        grades[int(rng.integers(1, len(grades)))] = int(rng.integers(2, 5))
        drawn.append(_grades(*grades, k=int(rng.integers(2, len(grades) + 2))))
    return (*drawn, _NO_GRADES)


complete_dcg = Function(
    id="ranking.complete_dcg",
    title="DCG with one line missing",
    prompt="""
`grades` holds the grade found at each rank, best rank first; 0 is not relevant.

Complete the line with `...`, so that `my_dcg(grades, k)` is the DCG@k. The gain is the grade
itself (linear gain), and the discount is the usual one.
""",
    function="my_dcg",
    solve=_dcg,
    template=_SUM,
    template_answer="grade / log2(rank + 1)",
    cases=(
        _grades(0, 1, 0, 3, k=4),
        _grades(2, 0, 1, 0, 0, 4, k=6),
        _grades(1, 3, 2, k=2, why="a grade stands below rank k"),
        _grades(3, 2, k=5, why="the list is shorter than k"),
        _grades(0, 0, 0, k=3, why="the list has no hit"),
        _NO_GRADES,
    ),
    draw=_draw_dcg,
    misconceptions=(
        Misconception(
            id="no-discount",
            name="no discount",
            wrong_answer=_adding("grade"),
            cause="The grades are added up as they are. That is the cumulative gain, which knows "
            "no order.",
            hint="By what is a grade divided at rank 3?",
        ),
        Misconception(
            id="log-of-rank",
            name="off-by-one rank",
            wrong_answer=_adding("grade / log2(rank)"),
            variants=(_adding("grade / log2(rank) if rank > 1 else grade"),),
            cause="The grade is divided by the logarithm of the rank itself, which is 0 at rank 1.",
            hint="Which number has the logarithm 1, so that rank 1 counts in full?",
        ),
        Misconception(
            id="reciprocal-discount",
            name="reciprocal discount",
            wrong_answer=_adding("grade / rank"),
            cause="The grade is divided by the rank. That is the discount of the reciprocal rank; "
            "a logarithm falls more gently.",
            hint="Which function is imported in the first line?",
        ),
        Misconception(
            id="grades-ignored",
            name="grades ignored",
            wrong_answer=_adding("(grade > 0) / log2(rank + 1)"),
            cause="Every relevant item adds the same at its rank, whatever its grade.",
            hint="What is an item of grade 3 worth, compared to one of grade 1?",
        ),
        Misconception(
            id="discount-alone",
            name="discount alone",
            wrong_answer=_adding("1 / log2(rank + 1)"),
            cause="Each rank adds its discount, also where nothing relevant stands.",
            hint="What should an item of grade 0 add?",
        ),
        Misconception(
            id="exponential-gain",
            name="borrowed gain",
            wrong_answer=_adding("(2**grade - 1) / log2(rank + 1)"),
            cause="The gain is exponential: 2 to the power of the grade, less 1. The question "
            "wants the grade itself.",
            hint="What does linear gain say that a grade of 3 is worth?",
        ),
        Misconception(
            id="multiplied",
            name="reward for standing low",
            wrong_answer=_adding("grade * log2(rank + 1)"),
            cause="The grade is multiplied by the logarithm, so that an item counts more the lower "
            "it stands.",
            hint="Should the same film add more at rank 1, or at rank 10?",
        ),
    ),
    hints=(
        "Each rank adds one fraction. Above its line stands what the item is worth.",
        "Below the line stands a logarithm of base 2. It has to be 1 at rank 1.",
        "The base-2 logarithm of 2 is 1; so at rank 1 it is taken of 2, at rank 2 of 3.",
    ),
    steps=(
        Step(
            "The gain is the grade, and it is divided by the base-2 logarithm of the rank plus 1: "
            "rank 1 is divided by 1."
        ),
        Step(
            "A grade of 1 at rank 2 and one of 3 at rank 4:",
            "round(my_dcg([0, 1, 0, 3], 4), 3)",
        ),
    ),
    insight="Divided by the same sum over the best order there could have been, it is NDCG.",
    minutes=3,
    points=1,
)


# The function --------------------------------------------------------------------------------


def _ndcg(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return float(ndcg(cases.judged(recommended, relevant), k, no_relevant="zero"))


def _ranks(recommended: Sequence[Any], relevant: set[Any], k: int) -> list[int]:
    return [rank for rank, item in enumerate(recommended[:k], 1) if item in relevant]


def _over_ideal(
    ranks: Sequence[int], n_ideal: int, discount: Discount = _log2, *, nothing: float = 0.0
) -> float:
    if n_ideal == 0:
        return nothing
    return _sum_over(ranks, discount) / _sum_over(_first_ranks(n_ideal), discount)


def _by_hand(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return _over_ideal(_ranks(recommended, relevant, k), min(k, len(relevant)))


def _own_ideal(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    ranks = _ranks(recommended, relevant, k)
    return _over_ideal(ranks, len(ranks))


def _own_ideal_unguarded(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    ranks = _ranks(recommended, relevant, k)
    return _sum_over(ranks) / _sum_over(_first_ranks(len(ranks)))


def _own_ideal_nan(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    ranks = _ranks(recommended, relevant, k)
    return _over_ideal(ranks, len(ranks), nothing=math.nan)


def _own_ideal_uncut(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    ideal = len(_ranks(recommended, relevant, len(recommended)))
    return _over_ideal(_ranks(recommended, relevant, k), min(k, ideal))


def _uncut_ideal(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return _over_ideal(_ranks(recommended, relevant, k), len(relevant))


def _ideal_of_list(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return _over_ideal(_ranks(recommended, relevant, k), min(len(relevant), k, len(recommended)))


def _ideal_of_list_unguarded(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    if not relevant:
        return 0.0
    n_ideal = min(len(relevant), k, len(recommended))
    return _sum_over(_ranks(recommended, relevant, k)) / _sum_over(_first_ranks(n_ideal))


def _ideal_of_ones(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return _over_ideal(_ranks(recommended, relevant, k), k)


def _no_k(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return _over_ideal(_ranks(recommended, relevant, len(recommended)), len(relevant))


def _no_k_in_list(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return _over_ideal(_ranks(recommended, relevant, len(recommended)), min(k, len(relevant)))


def _with_discount(discount: Discount) -> Callable[..., float]:
    """Return the mistake of another discount."""
    return lambda recommended, relevant, k: _over_ideal(
        _ranks(recommended, relevant, k), min(k, len(relevant)), discount
    )


def _mean_of_gains(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    n_recommended, n_ideal = min(k, len(recommended)), min(k, len(relevant))
    if not n_recommended or not n_ideal:
        return 0.0
    return _over_ideal(_ranks(recommended, relevant, k), n_ideal) * n_ideal / n_recommended


def _nan_for_nothing(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return _by_hand(recommended, relevant, k) if relevant else math.nan


def _one_for_nothing(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return _by_hand(recommended, relevant, k) if relevant else 1.0


def _order_lost(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return _by_hand(list(set(recommended[:k])), relevant, k)


def _only_dcg(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return _sum_over(_ranks(recommended, relevant, k))


write_ndcg = Function(
    id="ranking.write_ndcg",
    title="Write NDCG",
    prompt="""
Write `my_ndcg(recommended, relevant, k)`: the DCG of the first k recommended items, divided
by that of the best possible list of k. A hit has gain 1; the discount is 1/log₂(rank + 1).

- `recommended` is a list of ids, best first, without repeats; it may be longer or shorter than k.
- `relevant` is a set of ids; `k` is 1 or more.
- The best list is made from all relevant items, recommended or not.
- A user with nothing relevant gets 0.
""",
    function="my_ndcg",
    solve=_ndcg,
    cases=cases.STATED,
    draw=cases.draw,
    misconceptions=(
        Misconception(
            id="own-list-ideal",
            name="own-list ideal",
            wrong_answer=_own_ideal,
            variants=(_own_ideal_unguarded, _own_ideal_nan, _own_ideal_uncut),
            cause="The ideal is made from the recommended items, so that missed ones never "
            "existed.",
            hint="Does your ideal change when an item is added to `relevant` that was not "
            "recommended?",
        ),
        Misconception(
            id="uncut-ideal",
            name="uncut ideal",
            wrong_answer=_uncut_ideal,
            cause="The ideal holds all relevant items, also where they are more than k.",
            hint="What should a list of k hits score for a user with more than k relevant items?",
        ),
        Misconception(
            id="full-ideal",
            name="full ideal",
            wrong_answer=_ideal_of_ones,
            cause="The ideal has a hit at each of the k ranks, also where fewer items are "
            "relevant.",
            hint="Can a user with one relevant item ever get 1 from your function?",
        ),
        Misconception(
            id="list-ideal",
            name="ideal cut at the list's length",
            wrong_answer=_ideal_of_list,
            variants=(_ideal_of_list_unguarded,),
            cause="The ideal is as short as the list that was recommended: a short list then "
            "looks as "
            "good as a full one.",
            hint="Two hits in a list of two, and k is 5 of as many relevant items. Is that ideal?",
        ),
        Misconception(
            id="k-ignored",
            name="no cut",
            wrong_answer=_no_k,
            variants=(_no_k_in_list,),
            cause="Hits below rank k are counted, too.",
            hint="Where in your function is the list cut?",
        ),
        Misconception(
            id="log-of-rank",
            name="off-by-one rank",
            wrong_answer=_with_discount(_log2_of_rank),
            cause="The discount at rank i is 1/log₂(i), with rank 1 left whole.",
            hint="Does your rank start at 0 or at 1, and what is added to it?",
        ),
        Misconception(
            id="log-too-late",
            name="off-by-one rank",
            wrong_answer=_with_discount(_log2_too_late),
            cause="The discount at rank i is 1/log₂(i + 2), one rank too far.",
            hint="Does your rank start at 0 or at 1, and what is added to it?",
        ),
        Misconception(
            id="reciprocal-discount",
            name="reciprocal discount",
            wrong_answer=_with_discount(_reciprocal),
            cause="The gains are divided by their rank, not by its logarithm.",
            hint="What should a hit at rank 3 be divided by?",
        ),
        Misconception(
            id="no-discount",
            name="no discount",
            wrong_answer=_with_discount(_none),
            cause="Hits count the same at every rank.",
            hint="Does your value change when the list is turned round?",
        ),
        Misconception(
            id="mean-not-sum",
            name="mean for sum",
            wrong_answer=_mean_of_gains,
            cause="The gains are averaged over the list, and those of the ideal over the ideal. "
            "The two have different lengths.",
            hint="Is anything divided by a length in your function?",
        ),
        Misconception(
            id="not-normalised",
            name="DCG for NDCG",
            wrong_answer=_only_dcg,
            cause="That is the DCG. It is not divided by the ideal.",
            hint="What does your function give a perfect list?",
        ),
        Misconception(
            id="nan-for-nothing",
            name="zero over zero",
            wrong_answer=_nan_for_nothing,
            cause="A user with nothing relevant gets nan, and 0 is asked for.",
            hint="What does your function divide by where `relevant` is empty?",
        ),
        Misconception(
            id="one-for-nothing",
            name="one for nothing",
            wrong_answer=_one_for_nothing,
            cause="A user with nothing relevant gets 1, and 0 is asked for.",
            hint="What does your function return where `relevant` is empty?",
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
        "Two sums of the same kind: one over the ranks of the hits, one over the ranks of the "
        "best list.",
        "The best list has min(k, number of relevant items) hits, from rank 1 on.",
        "`sum(1 / log2(rank + 1) for rank in ranks)` is either sum; only `ranks` differs. "
        "Mind the user with nothing relevant before you divide.",
    ),
    steps=(
        Step(
            "The sum is written once; the list and its ideal only differ in the ranks they hold.",
            "from math import log2\n\n\n"
            "def gain_at(ranks):\n"
            "    return sum(1 / log2(rank + 1) for rank in ranks)",
        ),
        Step(
            "The ideal holds every relevant item that fits within k, recommended or not. "
            "With nothing relevant there is no ideal to divide by.",
            "def my_ndcg(recommended, relevant, k):\n"
            "    if not relevant:\n"
            "        return 0.0\n"
            "    hits = [rank for rank, item in enumerate(recommended[:k], 1) if item in "
            "relevant]\n"
            "    best = range(1, min(k, len(relevant)) + 1)\n"
            "    return gain_at(hits) / gain_at(best)",
        ),
        Step(
            "The list of E5:",
            'round(my_ndcg(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}, 5), 3)',
        ),
    ),
    insight="The base of the logarithm does not matter, here as in E5.",
    minutes=10,
    points=4,
)
