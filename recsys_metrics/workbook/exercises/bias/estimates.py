"""Estimates from a log that another policy made: IPS, SNIPS, clipping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics.bias.off_policy import (
    effective_sample_size,
    ips,
    snips,
)
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

# IPS and SNIPS ----------------------------------------------------------------------------------


def _log(inputs: Inputs) -> tuple[Any, Any, Any]:
    """Return clicks, propensities and what the target policy would do, round by round."""
    of_b = np.array([item == "B" for item in inputs["shown"]])
    propensities = np.where(of_b, 1 - inputs["logged"], inputs["logged"])
    target = np.where(of_b, 1 - inputs["target"], inputs["target"])
    return np.array(inputs["clicks"], dtype=float), propensities, target


def _both(inputs: Inputs) -> dict[str, float]:
    log = _log(inputs)
    return {"ips": ips(*log).value, "snips": snips(*log).value}


def _draw_log(rng: np.random.Generator) -> Inputs:
    """Return a short log of the policy, with clicks on both items and not in every round."""
    logged, target = float(rng.choice([0.6, 0.7, 0.75, 0.8])), float(rng.choice([0.3, 0.4, 0.5]))
    n = int(rng.integers(5, 9))
    while True:
        shown = ["A" if a else "B" for a in rng.random(n) < logged]
        clicks = rng.integers(0, 2, n).tolist()
        inputs = {"clicks": clicks, "shown": shown, "logged": logged, "target": target}
        clicked = {item for item, click in zip(shown, clicks, strict=True) if click}
        # In a few rounds a rare item may come often; a log that promises two clicks a round does
        # not look like one of this policy.
        if clicked == {"A", "B"} and sum(clicks) < n and _both(inputs)["ips"] <= 1:
            return inputs


# Clipping ---------------------------------------------------------------------------------------


def _clip(inputs: Inputs) -> dict[str, float]:
    weights = np.array(inputs["weights"], dtype=float)
    kept = np.minimum(weights, inputs["cap"])
    return {
        "before": float(weights @ inputs["clicks"]) / len(weights),
        "after": float(kept @ inputs["clicks"]) / len(weights),
        "worth_before": effective_sample_size(weights),
        "worth_after": effective_sample_size(kept),
    }


def _draw_weights(rng: np.random.Generator) -> Inputs:
    """Return weights of which the largest is clipped, with a click on it."""
    cap = int(rng.integers(2, 5))
    small = rng.choice([0.25, 0.5, 0.75, 1.0, 1.5, 2.0], int(rng.integers(3, 6)))
    weights = [*small.tolist(), cap + int(rng.integers(2, 7))]
    clicks = [*rng.integers(0, 2, len(small)).tolist(), 1]
    return {"weights": weights, "clicks": clicks, "cap": cap}


# Write it ---------------------------------------------------------------------------------------

_Row = Sequence[float]


def _clipped_ips(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    return ips(rewards, propensities, target, weights="clipped", cap=cap).value


def _left_out_of_both(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    weights = [t / p for t, p in zip(target, propensities, strict=True)]
    kept = [w * r for w, r in zip(weights, rewards, strict=True) if w <= cap]
    return sum(kept) / len(kept) if kept else 0.0


def _case(rewards: _Row, propensities: _Row, target: _Row, cap: float, why: str = "") -> Case:
    return Case(
        {
            "rewards": list(rewards),
            "propensities": list(propensities),
            "target": list(target),
            "cap": cap,
        },
        why,
    )


_EDGES = (
    _case([0, 0, 0], [0.5, 0.25, 0.1], [0.5, 0.5, 0.5], 3, "every reward is 0"),
    _case([1, 2], [0.5, 0.4], [0, 0], 2, "every target probability is 0"),
    _case([1, 0, 1], [0.5, 0.25, 0.4], [0.4, 0, 0.2], 2, "one target probability is 0"),
)

_CASES = (
    _case([1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2], 2),
    _case([1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2], 10, "the cap has no effect"),
    _case([5, 0, 2, 4], [0.2, 0.8, 0.5, 0.1], [0.5, 0.5, 0.5, 0.5], 2, "rewards are above 1"),
    _case([1, 1, 0], [0.8, 0.2, 0.8], [0.3, 0.7, 0.3], 3, "one weight is clipped"),
    _case([0, 2, 0, 0], [0.5, 0.4, 0.2, 0.5], [0.5, 0.6, 0.8, 0.5], 3, "one round has a reward"),
    *_EDGES,
)


def _draw_cases(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for number in range(5):
        n = int(rng.integers(3, 7))
        drawn.append(
            _case(
                rng.integers(0, 4, n).tolist(),
                rng.choice([0.05, 0.1, 0.2, 0.4, 0.5, 0.8], n).tolist(),
                rng.choice([0.1, 0.2, 0.5, 0.6, 0.9], n).tolist(),
                2 + number,
            )
        )
    return (*drawn, *_EDGES)
