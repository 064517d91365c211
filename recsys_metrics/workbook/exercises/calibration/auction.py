"""A second-price auction for one place, with predicted and observed click rates."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs


def _solve(inputs: Inputs) -> dict[str, float]:
    bids, predicted, observed = (
        np.array(inputs[name], dtype=float) for name in ("bids", "predicted", "observed")
    )
    second, winner = np.argsort(bids * predicted)[-2:]
    values = bids * observed
    return {
        "price": float(bids[second] * predicted[second] / predicted[winner]),
        "ratio": float(predicted[winner] / observed[winner]),
        "lost": float(10 * (values.max() - values[winner])),
    }


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    """Return four ads of which the predictions choose one that is not the best."""
    while True:
        bids = 5 * rng.choice(np.arange(4, 21), 4, replace=False)
        observed = rng.choice(np.arange(2, 21), 4, replace=False) / 100
        predicted = (observed * rng.choice([0.5, 0.6, 0.8, 1.25, 1.5], 4)).round(3)
        by_expected, by_value = np.argsort(bids * predicted), np.argsort(bids * observed)
        by_bid = np.argsort(bids)
        apart = min(np.diff(np.sort(bids * rate)).min() for rate in (predicted, observed))
        # Common mistakes choose another winner, or take another bid for the price.
        others = by_value[-1], by_bid[-1], by_bid[-2], predicted.argmax()
        if apart >= 0.25 and by_expected[-1] not in others and by_expected[-2] != by_bid[-2]:
            return {
                "bids": bids.tolist(),
                "predicted": predicted.tolist(),
                "observed": observed.tolist(),
            }
