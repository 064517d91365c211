"""Head and tail: one list, two cuts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics.beyond_accuracy import long_tail_share
from recsys_metrics.workbook.exercises.base import Inputs


def _tails(inputs: Inputs) -> dict[str, float]:
    counts = inputs["watched"]
    watched = dict(enumerate(counts))
    recommended = [counts.index(count) for count in inputs["recommended"]]
    first = sorted(counts, reverse=True)[: len(counts) // 5]
    return {
        "held": sum(first) / sum(counts),
        "items": float(long_tail_share(recommended, watched, of="items")),
        "interactions": float(long_tail_share(recommended, watched, of="interactions")),
    }


def _draw_tails(rng: np.random.Generator) -> Inputs:
    """Return ten films whose two cuts fall apart, and a list that has films of all three kinds."""
    while True:
        watched = sorted(
            (int(n) for n in rng.choice(np.arange(1, 31), 10, replace=False)), reverse=True
        )
        watched = [2 * watched[0], 2 * watched[0] - int(rng.integers(1, 6)), *watched[2:]]
        middle = rng.choice(watched[2:], int(rng.integers(2, 8)), replace=False)
        recommended = [watched[0], watched[1], *sorted(map(int, middle), reverse=True)]
        if (
            len(set(watched)) == len(watched)
            and watched[0] >= sum(watched) / 5
            and _lie_apart(watched, recommended)
        ):
            return {"watched": watched, "recommended": recommended}


def _lie_apart(watched: Sequence[int], recommended: Sequence[int]) -> bool:
    """Whether every mistake, and what is right, has a value of its own."""

    def count(n: int) -> list[float]:
        """Return what is counted with so many films in the head; first the tail's share."""
        tail = [count for count in recommended if count not in watched[:n]]
        share = len(tail) / len(recommended)
        return [share, 1 - share, len(tail) / len(watched[n:]), sum(tail) / sum(recommended)]

    one, two, five = count(1), count(2), count(5)
    half = count(1 + int(np.searchsorted(np.cumsum(watched), sum(watched) / 2)))
    items, interactions = [*two, one[0], five[0]], [*one, two[0], half[0], 1.0]
    return all(np.diff(np.sort(values)).min() > 0.01 for values in (items, interactions))
