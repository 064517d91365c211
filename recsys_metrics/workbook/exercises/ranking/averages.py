"""Precision at the hits, averaged: average precision and its denominators."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recsys_metrics import Judged, average_precision, average_recall, precision
from recsys_metrics.workbook.exercises.base import Inputs
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


_average_precision_of_list_hits_divisor = _divided_by("hits")

_average_precision_of_list_k_denominator = _divided_by("k")

_average_precision_of_list_every_rank = _divided_by("prefixes")


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


def _two_areas_hits_divisor(inputs: Inputs) -> Any:
    return _both(_heights(inputs), len(inputs["ranks"]))


def _two_areas_list_denominator(inputs: Inputs) -> Any:
    return _both(_heights(inputs), inputs["ranks"][-1])


def _two_areas_reciprocal_ranks(inputs: Inputs) -> Any:
    return _both([1 / rank for rank in inputs["ranks"]], inputs["wanted"])


_two_areas_lifted_from_the_left = _lifted_as(
    lambda heights: [max(heights[: n + 1]) for n in range(len(heights))]
)

_two_areas_highest_for_all = _lifted_as(lambda heights: [max(heights)] * len(heights))

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


# The area, with one line missing ----------------------------------------------------------------


def _area(recommended: Sequence[Any], relevant: set[Any], k: int) -> float:
    return float(average_precision(cases.judged(recommended, relevant), k, no_relevant="zero"))


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
