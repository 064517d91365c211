"""Murphy's parts of the Brier score: promises kept, events told apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.workbook.exercises.base import Inputs

_Reals = NDArray[np.float64]


def _groups(inputs: Inputs) -> tuple[_Reals, _Reals, _Reals, float]:
    """Return weights, what was said, what came, and the base rate."""
    events = np.array(inputs["events"], dtype=float)
    clicks = np.array(inputs["clicks"], dtype=float)
    base = float(clicks.sum() / events.sum())
    return events / events.sum(), np.array(inputs["said"]), clicks / events, base


def _solve(inputs: Inputs) -> dict[str, float]:
    weight, said, came, base = _groups(inputs)
    unkept, told_apart = weight @ (said - came) ** 2, weight @ (came - base) ** 2
    return {"unkept": float(unkept), "told_apart": float(told_apart)}


def _unweighted(inputs: Inputs) -> dict[str, float]:
    _, said, came, base = _groups(inputs)
    unkept, told_apart = ((said - came) ** 2).mean(), ((came - base) ** 2).mean()
    return {"unkept": float(unkept), "told_apart": float(told_apart)}


def _sizes(inputs: Inputs) -> dict[str, float]:
    weight, said, came, base = _groups(inputs)
    return {
        "unkept": float(weight @ abs(said - came)),
        "told_apart": float(weight @ abs(came - base)),
    }


def _not_divided(inputs: Inputs) -> dict[str, float]:
    total = sum(inputs["events"])
    return {name: total * value for name, value in _solve(inputs).items()}


def _said_apart(inputs: Inputs) -> dict[str, float]:
    weight, said, _, base = _groups(inputs)
    return {"told_apart": float(weight @ (said - base) ** 2)}


def _mean_of_shares(inputs: Inputs) -> dict[str, float]:
    weight, _, came, _ = _groups(inputs)
    return {"told_apart": float(weight @ (came - came.mean()) ** 2)}


def _from_a_half(inputs: Inputs) -> dict[str, float]:
    weight, _, came, _ = _groups(inputs)
    return {"told_apart": float(weight @ (came - 0.5) ** 2)}


def _draw(rng: np.random.Generator) -> Inputs:
    """Return two groups in which every mistake has a value of its own."""
    while True:
        few, many = sorted(int(n) for n in rng.choice([4, 5, 8, 10, 16, 20], 2, replace=False))
        low, high = int(rng.integers(2, 9)) / 20, int(rng.integers(12, 19)) / 20
        clicks = [int(rng.integers(1, many)), int(rng.integers(1, few))]
        inputs = {"events": [many, few], "said": [low, high], "clicks": clicks}
        if _lie_apart(inputs):
            return inputs


_WRONG = (_unweighted, _sizes, _not_divided, _said_apart, _mean_of_shares, _from_a_half)


def _lie_apart(inputs: Inputs) -> bool:
    for name in ("unkept", "told_apart"):
        values = [way(inputs).get(name) for way in (_solve, *_WRONG)]
        known = np.sort([value for value in values if value is not None])
        if known[0] < 0.004 or np.diff(known).min() < 0.003:
            return False
    return True
