"""What a round adds to an estimate: one line of IPS, one of doubly robust."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics.bias.off_policy import ips
from recsys_metrics.workbook.exercises.function import Case

_Row = Sequence[float]

# IPS ---------------------------------------------------------------------------------------------


def _ips(rewards: _Row, propensities: _Row, target: _Row) -> float:
    return ips(rewards, propensities, target).value


def _rounds(rewards: _Row, propensities: _Row, target: _Row, why: str = "") -> Case:
    each = {"rewards": rewards, "propensities": propensities, "target": target}
    return Case({name: list(column) for name, column in each.items()}, why)


_NOTHING = _rounds([0, 0], [0.5, 0.25], [0.5, 0.5], "every reward is 0")
_SAME = _rounds([1, 0, 2], [0.5, 0.2, 0.4], [0.5, 0.2, 0.4], "both policies are the same")


def _draw_rounds(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for n in (3, 4, 5):
        rewards = rng.integers(0, 4, n)
        rewards[0] = 2
        chances = rng.choice([0.1, 0.2, 0.25, 0.4, 0.5, 0.8], (2, n))
        drawn.append(_rounds(rewards.tolist(), *chances.tolist()))
    return (*drawn, _NOTHING, _SAME)


_complete_ips_cases = (
    _rounds([1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2]),
    _rounds([3, 0, 1], [0.2, 0.5, 0.8], [0.1, 0.5, 0.4], "rewards are above 1"),
    _NOTHING,
    _SAME,
)


# Doubly robust -----------------------------------------------------------------------------------


def _doubly_robust(rewards: _Row, weights: _Row, predicted: _Row, expected: _Row) -> float:
    missed = np.subtract(rewards, predicted)
    return float(np.mean(np.add(expected, np.multiply(weights, missed))))


def _log(rewards: _Row, weights: _Row, predicted: _Row, expected: _Row, why: str = "") -> Case:
    return Case(
        {
            "rewards": list(rewards),
            "weights": list(weights),
            "predicted": list(predicted),
            "expected": list(expected),
        },
        why,
    )


_EDGES = (
    _log([1, 0, 1], [0.5, 2, 3], [1, 0, 1], [0.5, 0.25, 0.5], "the model is right in every round"),
    _log([1, 0, 1], [0, 0, 0], [0.5, 0.5, 0.5], [0.25, 0.5, 0.5], "every weight is 0"),
)


def _drawn(rng: np.random.Generator, n: int) -> Case:
    rewards, weights = rng.integers(0, 3, n), rng.integers(1, 17, n) / 4
    predicted, expected = rng.integers(1, 8, (2, n)) / 8
    return _log(*(column.tolist() for column in (rewards, weights, predicted, expected)))


def _draw_logs(rng: np.random.Generator) -> tuple[Case, ...]:
    return (*(_drawn(rng, n) for n in (3, 4, 5)), *_EDGES)


_complete_doubly_robust_cases = (
    _log([1, 0, 1, 1], [1.2, 0.8, 6, 0.8], [0.5, 0.2, 0.5, 0.3], [0.4, 0.4, 0.4, 0.4]),
    _log([0, 2, 0], [1.5, 0.5, 2], [0.5, 1, 0.25], [0.75, 0.5, 0.5], "predictions are too high"),
    _log([3, 0], [0.5, 4], [1, 0.5], [2, 0.25], "only the first round has a reward"),
    *_EDGES,
)
