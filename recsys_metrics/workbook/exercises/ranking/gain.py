"""Discounted gain: NDCG by hand, with grades, and as a function."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recsys_metrics import Judged, dcg, ndcg
from recsys_metrics.workbook.charts.ranked_lists import ranked_list
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case
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


_ndcg_from_scratch_log_of_rank = _discounted(_log2_of_rank)

_ndcg_from_scratch_log_too_late = _discounted(_log2_too_late)

_ndcg_from_scratch_reciprocal_discount = _discounted(_reciprocal)

_ndcg_from_scratch_no_discount = _discounted(_none)


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


_graded_gain_log_of_rank = _both_graded(discount=_log2_of_rank)


# DCG with one line missing ------------------------------------------------------------------


def _dcg(grades: Sequence[int], k: int) -> float:
    return float(dcg(Judged.from_gains(grades), k, no_relevant="zero"))


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


_complete_dcg_cases = (
    _grades(0, 1, 0, 3, k=4),
    _grades(2, 0, 1, 0, 0, 4, k=6),
    _grades(1, 3, 2, k=2, why="a grade stands below rank k"),
    _grades(3, 2, k=5, why="the list is shorter than k"),
    _grades(0, 0, 0, k=3, why="the list has no hit"),
    _NO_GRADES,
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


_write_ndcg_log_of_rank = _with_discount(_log2_of_rank)

_write_ndcg_log_too_late = _with_discount(_log2_too_late)

_write_ndcg_reciprocal_discount = _with_discount(_reciprocal)

_write_ndcg_no_discount = _with_discount(_none)
