"""One line to complete: the Lorenz curve, the pairs of a list, the nearest film."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recsys_metrics.beyond_accuracy import gini
from recsys_metrics.workbook.exercises.beyond_accuracy import concentration as concentration
from recsys_metrics.workbook.exercises.function import Case

# The curve ------------------------------------------------------------------------------------


def _gini(counts: Sequence[float]) -> float:
    return gini(counts)


def _with_share(
    after: Callable[[float, float, Sequence[float]], float],
) -> Callable[[Sequence[float]], float]:
    """Return the index by the curve whose next point is this of the last, a count and all."""

    def wrong(counts: Sequence[float]) -> float:
        share, area = 0.0, 0.0
        for count in sorted(counts):
            reached = after(share, count, counts)
            area += (share + reached) / 2 / len(counts)
            share = reached
        return 1 - 2 * area

    return wrong


_complete_gini_one_share = _with_share(lambda _, count, counts: count / sum(counts))

_complete_gini_counts_for_shares = _with_share(lambda before, count, _: before + count)

_complete_gini_items_for_showings = _with_share(
    lambda before, count, counts: before + count / len(counts)
)

_complete_gini_largest_for_all = _with_share(
    lambda before, count, counts: before + count / max(counts)
)

_complete_gini_diagonal = _with_share(lambda before, _, counts: before + 1 / len(counts))

# The pairs ------------------------------------------------------------------------------------

_Table = Sequence[Sequence[float]]


def _total(similarity: _Table) -> float:
    n = len(similarity)
    return float(sum(1 - similarity[i][j] for i in range(n) for j in range(i)))


def _over(denominator: Callable[[int], float]) -> Callable[[_Table], float]:
    return lambda similarity: _total(similarity) / denominator(len(similarity))


def _diversity(similarity: _Table) -> float:
    return _total(similarity) / (len(similarity) * (len(similarity) - 1) / 2)


def _mean_likeness(similarity: _Table) -> float:
    return 1 - _diversity(similarity)


def _table(pairs: Sequence[float], n: int) -> list[list[float]]:
    """Return a table of similarities from those of the pairs, row by row below its diagonal."""
    table = np.eye(n)
    table[np.tril_indices(n, -1)] = pairs
    table = np.maximum(table, table.T)
    return [[float(value) for value in row] for row in table]


def _draw_tables(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return tables of three to six films, none of them all alike."""
    found = []
    for n in (3, 4, 5, 6):
        pairs = rng.integers(0, 10, n * (n - 1) // 2) / 10
        pairs[0] = 0.3
        found.append(Case({"similarity": _table(pairs.tolist(), n)}))
    return (*found, _TWO)


_TWO = Case({"similarity": _table([0.25], 2)}, "two films, one pair")

_complete_diversity_cases = (
    Case({"similarity": _table([0.5, 0.0, 0.5], 3)}),
    Case({"similarity": _table([0.9, 0.2, 0.4, 0.0, 0.6, 0.1], 4)}),
    Case({"similarity": _table([0.0] * 10, 5)}, "no two films are alike"),
    _TWO,
)

_complete_diversity_length_denominator = _over(float)

_complete_diversity_pairs_twice = _over(lambda n: float(n * (n - 1)))

_complete_diversity_films_with_themselves = _over(lambda n: n * (n + 1) / 2)

_complete_diversity_whole_table = _over(lambda n: float(n * n))


def _complete_diversity_brackets_left_out(similarity: Any) -> Any:
    return _total(similarity) / len(similarity) * (len(similarity) - 1) / 2


_complete_diversity_neighbours = _over(lambda n: float(n - 1))

# The nearest film -----------------------------------------------------------------------------

_Likenesses = Sequence[float]
_Worth = Callable[[float, _Likenesses, float], float]


def _worth_by(likeness: Callable[[_Likenesses], float]) -> _Worth:
    """Return the rule that puts this in place of the likeness to the nearest film."""
    return lambda score, alike, variety: (1 - variety) * score - variety * likeness(alike)


def _worth(score: float, alike: _Likenesses, variety: float) -> float:
    return (1 - variety) * score - variety * max(alike, default=0)


def _draw_places(rng: np.random.Generator) -> tuple[Case, ...]:
    found = []
    for n in (4, 5, 5):
        drawn = (10 * rng.choice(np.arange(1, 10), n, replace=False) + rng.integers(1, 10, n)) / 100
        low, *middle, high = sorted(drawn.round(2).tolist())
        # The first and the last chosen are neither the nearest nor the furthest.
        first, last, *others = rng.permutation(middle).tolist()
        alike = [first, *rng.permutation([low, high, *others]).tolist(), last]
        found.append(_place(int(rng.integers(5, 20)) / 20, alike, int(rng.integers(2, 9)) / 10))
    return (*found, _FIRST)


def _place(score: float, alike: list[float], variety: float, why: str = "") -> Case:
    return Case({"score": score, "alike": alike, "variety": variety}, why)


_FIRST = _place(0.8, [], 0.5, "no film is chosen yet")

_complete_worth_cases = (
    _place(0.9, [0.32, 0.83, 0.54], 0.4),
    _place(0.55, [0.11, 0.74, 0.27], 0.5),
    _place(0.7, [0.63, 0.96, 0.21, 0.42], 0.3),
    _FIRST,
)

_complete_worth_mean_likeness = _worth_by(lambda alike: sum(alike) / len(alike) if alike else 0.0)

_complete_worth_mean_likeness_2 = _worth_by(lambda alike: sum(alike) / len(alike))

_complete_worth_last_chosen = _worth_by(lambda alike: alike[-1] if alike else 0.0)

_complete_worth_last_chosen_2 = _worth_by(lambda alike: alike[-1])

_complete_worth_first_chosen = _worth_by(lambda alike: alike[0] if alike else 0.0)

_complete_worth_first_chosen_2 = _worth_by(lambda alike: alike[0])

_complete_worth_sum_of_likenesses = _worth_by(sum)

_complete_worth_least_alike = _worth_by(lambda alike: min(alike, default=0.0))

_complete_worth_least_alike_2 = _worth_by(min)

_complete_worth_distance_for_likeness = _worth_by(lambda alike: 1 - max(alike, default=0.0))

_complete_worth_empty_for_alike = _worth_by(lambda alike: max(alike, default=1.0))
