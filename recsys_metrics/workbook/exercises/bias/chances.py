"""Where propensities come from: one line of the power of popularity."""

from __future__ import annotations

import numpy as np

from recsys_metrics.bias.propensity import popularity_propensity
from recsys_metrics.workbook.exercises.function import Case


def _weight(likes: float, most: float, power: float, floor: float) -> float:
    return float(1 / popularity_propensity([likes, most], power=power, floor=floor)[0])


def _item(likes: int, most: int, power: float, floor: float, why: str = "") -> Case:
    return Case({"likes": likes, "most": most, "power": power, "floor": floor}, why)


_EDGES = (
    _item(0, 100, 0.5, 0.1, "the item has no likes"),
    _item(80, 80, 1.5, 0.05, "it is the most liked item"),
)


def _draw_items(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for power in (0.5, 1.0, 1.5, 2.0):
        most = int(rng.integers(4, 21)) * 10
        # One that the floor holds and one that it does not.
        drawn.append(_item(int(rng.integers(1, 4)), most, power, 0.2))
        drawn.append(_item(most * int(rng.integers(6, 10)) // 10, most, power, 0.05))
    return (*drawn, *_EDGES)


_complete_weight_cases = (
    _item(25, 100, 0.5, 0.1),
    _item(4, 100, 1, 0.1, "the floor applies"),
    _item(50, 200, 1.5, 0.05),
    _item(9, 100, 0.5, 0.25, "the power is 0.5 and the floor is high"),
    *_EDGES,
)
