"""Sums over ranks in memory that does not grow with the number of ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

BLOCK = 1 << 16
"""How many terms are added up one by one, or held at a time."""


def rank_blocks(n_ranks: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last rank of each block of ranks from 1 to n_ranks."""
    for first in range(1, n_ranks + 1, BLOCK):
        yield first, min(first + BLOCK - 1, n_ranks)


def sum_of_smooth(
    n_ranks: int,
    term: Callable[[FloatArray], FloatArray],
    integral: Callable[[float, float], float],
    slope: Callable[[float], float],
) -> float:
    """Return the sum of a smooth, falling term over the ranks 1 to n_ranks.

    The first `BLOCK` terms are added up; the rest is the Euler-Maclaurin formula, whose first
    neglected part is a third derivative at rank 65,537: less than the rounding of the sum.

    Parameters
    ----------
    n_ranks : int
        How many ranks.
    term : callable
        The terms at an array of ranks.
    integral : callable
        The integral of the term from one rank to another.
    slope : callable
        The derivative of the term at a rank.
    """
    ranks = np.arange(1, min(n_ranks, BLOCK) + 1, dtype=np.float64)
    # As in a table of sums, so that a value is the same wherever it is looked up.
    total = float(np.cumsum(term(ranks))[-1]) if n_ranks else 0.0
    if n_ranks <= BLOCK:
        return total
    first, last = BLOCK + 1.0, float(n_ranks)
    ends = float(term(np.array([first, last])).sum())
    return total + integral(first, last) + ends / 2 + (slope(last) - slope(first)) / 12
