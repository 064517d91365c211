"""One line to complete: the Lorenz curve, the pairs of a list, the nearest film."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics.beyond_accuracy import gini
from recsys_metrics.workbook.exercises.beyond_accuracy import concentration as concentration
from recsys_metrics.workbook.exercises.function import Case

# The curve ------------------------------------------------------------------------------------


def _gini(counts: Sequence[float]) -> float:
    return gini(counts)


# The pairs ------------------------------------------------------------------------------------

_Table = Sequence[Sequence[float]]


def _diversity(similarity: _Table) -> float:
    n = len(similarity)
    return sum(1 - similarity[i][j] for i in range(n) for j in range(i)) / (n * (n - 1) / 2)


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

# The nearest film -----------------------------------------------------------------------------


def _worth(score: float, alike: Sequence[float], variety: float) -> float:
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

_complete_mmr_cases = (
    _place(0.9, [0.32, 0.83, 0.54], 0.4),
    _place(0.55, [0.11, 0.74, 0.27], 0.5),
    _place(0.7, [0.63, 0.96, 0.21, 0.42], 0.3),
    _FIRST,
)
