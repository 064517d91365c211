"""Re-ranking: what a film is worth beside those that the list holds already."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs


def _alike(inputs: Inputs) -> list[float]:
    return [inputs["first"], inputs["second"], inputs["third"]]


def _worth(score: float, alike: float, variety: float) -> float:
    return (1 - variety) * score - variety * alike


def _judged_by(likeness: Callable[[list[float]], float]) -> Callable[[Inputs], float]:
    """Return the rule that puts another number in place of the likeness to the nearest film."""
    return lambda inputs: _worth(inputs["score"], likeness(_alike(inputs)), inputs["variety"])


def _swapped(inputs: Inputs) -> float:
    return _worth(inputs["score"], max(_alike(inputs)), 1 - inputs["variety"])


def _whole_score(inputs: Inputs) -> float:
    return float(inputs["score"] - inputs["variety"] * max(_alike(inputs)))


def _no_weights(inputs: Inputs) -> float:
    return float(inputs["score"] - max(_alike(inputs)))


def _draw(rng: np.random.Generator) -> Inputs:
    """Return likenesses of which the last is neither the largest nor the smallest."""
    low, middle, high = sorted(int(tenths) for tenths in rng.choice(9, size=3, replace=False) + 1)
    first, second = rng.permutation([low, high])
    return {
        "score": int(rng.integers(10, 20)) / 20,
        "first": int(first) / 10,
        "second": int(second) / 10,
        "third": middle / 10,
        "variety": float(rng.choice([0.2, 0.3, 0.4, 0.6, 0.7])),
    }


_fourth_place_solve = _judged_by(max)

_fourth_place_mean_likeness = _judged_by(lambda alike: float(np.mean(alike)))

_fourth_place_last_chosen = _judged_by(lambda alike: alike[-1])

_fourth_place_sum_of_likenesses = _judged_by(sum)

_fourth_place_least_alike = _judged_by(min)
