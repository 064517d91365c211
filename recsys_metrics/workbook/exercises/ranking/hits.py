"""Counting hits: precision, recall and F1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recsys_metrics import Judged, f_beta, precision, recall
from recsys_metrics.workbook.exercises.base import Inputs
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


_two_betas_precision_and_recall_swapped = _beta(
    lambda p, r, beta: (1 + beta**2) * p * r / (beta**2 * r + p)
)

_two_betas_beta_not_squared = _beta(lambda p, r, beta: (1 + beta) * p * r / (beta * p + r))

_two_betas_f1_for_both = _beta(lambda p, r, beta: 2 * p * r / (p + r))

_two_betas_plain_average = _beta(lambda p, r, beta: (p + beta**2 * r) / (1 + beta**2))

_two_betas_no_one_and_beta = _beta(lambda p, r, beta: p * r / (beta**2 * p + r))


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
        if more[k - 1] < 0 < max(more) and max(more[:k]) <= 0 and _n_hits(two, k):
            return {"one": one, "two": two, "k": k}


_where_k_turns_hits_divisor = _over(lambda inputs, name: len(inputs[name]))

_where_k_turns_ten_denominator = _over(lambda inputs, name: _RANKS)

_where_k_turns_count_for_share = _over(lambda inputs, name: 1)


def _where_k_turns_level_for_ahead(inputs: Inputs) -> Any:
    return {"turns": float(_ahead(inputs, least=0))}


def _where_k_turns_before_the_turn(inputs: Inputs) -> Any:
    return {"turns": float(_ahead(inputs) - 1)}


# A function with one line missing ------------------------------------------------------------


def _recall_or_zero(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return float(recall(cases.judged(recommended, relevant), k, no_relevant="zero"))


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
