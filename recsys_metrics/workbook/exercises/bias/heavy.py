"""One heavy round: what doubly robust does with it, and what switch does."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.workbook.exercises.base import Inputs


def _columns(inputs: Inputs) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    weights, rewards, predicted = (
        np.array(inputs[name], dtype=float) for name in ("weights", "rewards", "predicted")
    )
    return weights, rewards, predicted


def _light(inputs: Inputs) -> NDArray[Any]:
    """Return the weights, those above the threshold set to 0."""
    weights, *_ = _columns(inputs)
    return np.where(weights <= inputs["threshold"], weights, 0)


def _both(inputs: Inputs) -> dict[str, float]:
    weights, rewards, predicted = _columns(inputs)
    missed, expected = rewards - predicted, inputs["expected"]
    return {
        "plain": expected + float((weights * missed).mean()),
        "switched": expected + float((_light(inputs) * missed).mean()),
    }


def _capped(inputs: Inputs) -> dict[str, float]:
    weights, rewards, predicted = _columns(inputs)
    capped = np.minimum(weights, inputs["threshold"])
    return {"switched": inputs["expected"] + float((capped * (rewards - predicted)).mean())}


def _round_dropped(inputs: Inputs) -> dict[str, float]:
    weights, rewards, predicted = _columns(inputs)
    kept = weights <= inputs["threshold"]
    missed = (weights * (rewards - predicted))[kept]
    return {"switched": inputs["expected"] + float(missed.mean())}


def _light_dropped(inputs: Inputs) -> dict[str, float]:
    weights, rewards, predicted = _columns(inputs)
    heavy = np.where(weights > inputs["threshold"], weights, 0)
    return {"switched": inputs["expected"] + float((heavy * (rewards - predicted)).mean())}


def _reward_for_error(inputs: Inputs) -> dict[str, float]:
    weights, rewards, _ = _columns(inputs)
    return {
        "plain": inputs["expected"] + float((weights * rewards).mean()),
        "switched": inputs["expected"] + float((_light(inputs) * rewards).mean()),
    }


def _model_left_out(inputs: Inputs) -> dict[str, float]:
    weights, rewards, _ = _columns(inputs)
    return {
        "plain": float((weights * rewards).mean()),
        "switched": float((_light(inputs) * rewards).mean()),
    }


def _error_alone(inputs: Inputs) -> dict[str, float]:
    right = _both(inputs)
    return {name: value - inputs["expected"] for name, value in right.items()}


def _summed(inputs: Inputs) -> dict[str, float]:
    n = len(inputs["weights"])
    return {name: inputs["expected"] + n * value for name, value in _error_alone(inputs).items()}


def _draw(rng: np.random.Generator) -> Inputs:
    """Return a log in which one weight lies above the threshold, and both estimates above 0."""
    while True:
        n = int(rng.integers(4, 6))
        weights = rng.choice([0.25, 0.5, 0.75, 1.25, 1.5], n)
        weights[int(rng.integers(n))] = float(rng.integers(5, 10))
        inputs = {
            "weights": weights.tolist(),
            "rewards": rng.integers(0, 2, n).tolist(),
            "predicted": rng.choice([0.2, 0.25, 0.4, 0.5, 0.6], n).tolist(),
            "expected": float(rng.choice([0.3, 0.35, 0.45])),
            "threshold": int(rng.choice([2, 3])),
        }
        # Some rounds earned and some did not; earnings below 0 would need a word of their own.
        if 0 < sum(inputs["rewards"]) < n and min(_both(inputs).values()) > 0:
            return inputs
