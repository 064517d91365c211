"""Whether a simulator puts recommenders into the order of the A/B tests: one line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from recsys_metrics.workbook.exercises.function import Case

_Clicks = Sequence[float]


def _agreement(real: _Clicks, simulated: _Clicks, half_width: float) -> float:
    gaps = [(a - b, s - t) for (a, s), (b, t) in combinations(zip(real, simulated, strict=True), 2)]
    agrees = [gap * simulated > 0 for gap, simulated in gaps if abs(gap) > half_width]
    return sum(agrees) / len(agrees)


def _recommenders(real: _Clicks, simulated: _Clicks, half: int, why: str = "") -> Case:
    return Case({"real": real, "simulated": simulated, "half_width": half}, why)


_EDGES = (
    _recommenders([20, 30], [25, 25], 3, "the simulator has a tie"),
    _recommenders([30, 20], [25, 25], 3, "the simulator has a tie, and the first is better"),
    _recommenders([30, 20], [50, 21], 3, "there are two recommenders, and the order is the same"),
    _recommenders([20, 30], [21, 21.05], 3, "the simulator's difference is small"),
    _recommenders([40, 41, 20], [31, 30, 22], 3, "the A/B tests do not distinguish the first two"),
    _recommenders([20, 23, 30], [25, 24, 29], 3, "one confidence interval ends at 0"),
)


def _draw_recommenders(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn: list[Case] = []
    while len(drawn) < 5:
        real = rng.choice(np.arange(20, 50), 4, replace=False)
        simulated = real + rng.integers(-12, 13, 4)
        half = int(rng.integers(3, 7))
        case = _recommenders(real.tolist(), simulated.tolist(), half)
        if np.ptp(real) > half and 0 < _agreement(**case.arguments) < 1:
            drawn.append(case)
    return (*drawn, *_EDGES)


_complete_agreement_cases = (
    _recommenders([31, 40, 38, 25], [36, 33, 41, 27], 4, "one pair of five is reversed"),
    _recommenders([50, 36, 23], [33, 36, 22], 2, "the best recommender is not the best one"),
    _recommenders([25, 31, 40, 44], [44, 40, 31, 25], 5, "every pair is reversed"),
    _recommenders([22, 35, 41], [20, 60, 90], 4, "the order is the same, and the sizes differ"),
    *_EDGES,
)
