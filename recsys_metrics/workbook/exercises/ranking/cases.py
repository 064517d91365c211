"""Lists to try a learner's function on.

The ids are small whole numbers: a set of those has the same order in every process, so that a
function which loses the order of the list can be told by what it returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any

import numpy as np

from recsys_metrics import Judged, judge
from recsys_metrics.workbook.exercises.function import Case


def judged(recommended: Sequence[Any], relevant: AbstractSet[Any]) -> Judged[float]:
    """Return the list judged by the library."""
    return _judged(tuple(recommended), frozenset(relevant))


# The mistakes of an exercise are one after another about the same list.
@lru_cache(maxsize=32)
def _judged(recommended: tuple[Any, ...], relevant: frozenset[Any]) -> Judged[float]:
    return judge(list(recommended), set(relevant))


def case(recommended: Sequence[Any], relevant: set[Any], k: int, why: str = "") -> Case:
    """Return arguments in the order of a metric's parameters."""
    return Case({"recommended": list(recommended), "relevant": set(relevant), "k": k}, why)


_EDGES = (
    case(["A", "B"], set(), 2, "nothing is relevant"),
    case([], {"A"}, 3, "the list is empty"),
)

STATED = (
    case(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}, 5),
    case(["B", "C", "D"], {"B", "C", "E", "G"}, 5, "the list is shorter than k"),
    case([4, 1, 7, 2, 6, 3], {1, 2, 3, 4, 5}, 3, "more items are relevant than k has ranks"),
    case([2, 5, 9, 1, 3], {2, 3}, 4, "one hit is below rank k"),
    case([1, 2, 3, 4], {7, 8}, 4, "the list has no hit"),
    case([6, 3, 8], {3, 6, 8}, 3, "the list is perfect"),
    case([7, 3, 1, 5, 6, 8], {3, 7, 9}, 3, "all hits are above the cut-off"),
    case([3, 8], {3}, 1, "one rank counts, and one item is relevant"),
    case([5, 2, 8], {1, 2, 5, 9}, 2, "k is smaller than the number of relevant items"),
    *_EDGES,
)


def draw(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return other lists, some longer than k and some shorter, one of each kind that tells more."""
    drawn = []
    for _ in range(6):
        items = [int(item) for item in rng.permutation(np.arange(1, 16))]
        relevant = {int(item) for item in rng.permutation(np.arange(1, 16))[: rng.integers(1, 8)]}
        drawn.append(case(items[: rng.integers(3, 9)], relevant, int(rng.integers(2, 8))))
    items = [int(item) for item in rng.permutation(np.arange(1, 16))]
    top = case(items[:6], {items[0], items[1], items[9]}, 3)
    only = case(items[10:12], {items[10]}, 1)
    return (*drawn, top, only, *_EDGES)
