"""From users to one number: who counts, and how much."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from recsys_metrics import judge, recall
from recsys_metrics.workbook.exercises.base import Inputs


def _each(inputs: Inputs) -> list[float]:
    """Return the recall of each user; nan where nothing was relevant."""
    lists = [[*range(found)] for found in inputs["found"]]
    return [float(value) for value in recall(judge(lists, [*map(range, inputs["wanted"])]))]


def _means(inputs: Inputs) -> dict[str, float]:
    each = _each(inputs)
    return {
        "left_out": float(np.nanmean(each)),
        "as_zero": float(np.nansum(each)) / len(each),
        "pooled": sum(inputs["found"]) / sum(inputs["wanted"]),
    }


def _counted_as(value: float) -> Callable[[Inputs], dict[str, float]]:
    """Return the mistake of giving users with nothing relevant a value and keeping them."""
    return lambda inputs: {"left_out": float(np.mean(np.nan_to_num(_each(inputs), nan=value)))}


def _hitless_left_out(inputs: Inputs) -> dict[str, float]:
    hits = [value for value in _each(inputs) if value > 0]
    return {"left_out": sum(hits) / len(hits)}


def _pooled_for_mean(inputs: Inputs) -> dict[str, float]:
    return {"left_out": _means(inputs)["pooled"]}


def _mean_for_pooled(inputs: Inputs) -> dict[str, float]:
    return {"pooled": _means(inputs)["left_out"]}


def _found_a_user(inputs: Inputs) -> dict[str, float]:
    return {"pooled": sum(inputs["found"]) / len(inputs["found"])}


def _draw(rng: np.random.Generator) -> Inputs:
    """Return four to six users: one with nothing relevant, and one who finds nothing."""
    wanted = [int(n) for n in rng.integers(1, 8, int(rng.integers(3, 6)))]
    found = [int(rng.integers(1, n + 1)) for n in wanted]
    found[int(rng.integers(len(found)))] = 0
    place = int(rng.integers(len(wanted) + 1))
    wanted.insert(place, 0)
    found.insert(place, 0)
    return {"found": found, "wanted": wanted}


_one_number_kept_as_zero = _counted_as(0.0)

_one_number_kept_as_one = _counted_as(1.0)
