"""Estimates from a log that another policy made: IPS, SNIPS, clipping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics.bias.off_policy import (
    effective_sample_size,
    importance_weights,
    ips,
    snips,
)
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

# IPS and SNIPS ----------------------------------------------------------------------------------


def _log(inputs: Inputs) -> tuple[Any, Any, Any]:
    """Return clicks, propensities and what the new policy would do, round by round."""
    of_b = np.array([item == "B" for item in inputs["shown"]])
    propensities = np.where(of_b, 1 - inputs["logged"], inputs["logged"])
    target = np.where(of_b, 1 - inputs["wanted"], inputs["wanted"])
    return np.array(inputs["clicks"], dtype=float), propensities, target


def _both(inputs: Inputs) -> dict[str, float]:
    log = _log(inputs)
    return {"ips": ips(*log).value, "snips": snips(*log).value}


def _divisors_swapped(inputs: Inputs) -> dict[str, float]:
    right = _both(inputs)
    return {"ips": right["snips"], "snips": right["ips"]}


def _as_logged(inputs: Inputs) -> dict[str, float]:
    rate = float(np.mean(inputs["clicks"]))
    return {"ips": rate, "snips": rate}


def _weighed_by(weights: Any, clicks: Any) -> dict[str, float]:
    total = float(weights @ clicks)
    return {"ips": total / len(clicks), "snips": total / float(weights.sum())}


def _target_forgotten(inputs: Inputs) -> dict[str, float]:
    clicks, propensities, _ = _log(inputs)
    return _weighed_by(1 / propensities, clicks)


def _upside_down(inputs: Inputs) -> dict[str, float]:
    clicks, propensities, target = _log(inputs)
    return _weighed_by(propensities / target, clicks)


def _over_clicks(inputs: Inputs) -> dict[str, float]:
    clicks, *_ = log = _log(inputs)
    return {"ips": ips(*log).value * len(clicks) / clicks.sum()}


def _not_divided(inputs: Inputs) -> dict[str, float]:
    return {"ips": ips(*_log(inputs)).value * len(inputs["clicks"])}


def _draw_log(rng: np.random.Generator) -> Inputs:
    """Return a short log with clicks on both items."""
    n = int(rng.integers(5, 9))
    while True:
        shown = ["B" if b else "A" for b in rng.random(n) < 0.35]
        clicks = rng.integers(0, 2, n).tolist()
        clicked = {item for item, click in zip(shown, clicks, strict=True) if click}
        if clicked == {"A", "B"} and sum(clicks) < n:
            break
    logged, wanted = float(rng.choice([0.7, 0.75, 0.8, 0.9])), float(rng.choice([0.3, 0.4, 0.6]))
    return {"clicks": clicks, "shown": shown, "logged": logged, "wanted": wanted}


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


def _dropped(inputs: Inputs) -> dict[str, float]:
    weights = np.array(inputs["weights"], dtype=float)
    kept = np.where(weights <= inputs["cap"], weights, 0.0)
    return {
        "after": float(kept @ inputs["clicks"]) / len(weights),
        "worth_after": effective_sample_size(kept),
    }


def _normalised(inputs: Inputs) -> dict[str, float]:
    weights = np.array(inputs["weights"], dtype=float)
    kept = np.minimum(weights, inputs["cap"])
    return {
        "before": float(weights @ inputs["clicks"] / weights.sum()),
        "after": float(kept @ inputs["clicks"] / kept.sum()),
    }


def _as_shares(inputs: Inputs) -> dict[str, float]:
    right, n = _clip(inputs), len(inputs["weights"])
    return {name: right[name] / n for name in ("worth_before", "worth_after")}


def _worth_upside_down(inputs: Inputs) -> dict[str, float]:
    right = _clip(inputs)
    return {name: 1 / right[name] for name in ("worth_before", "worth_after")}


def _sum_of_weights(inputs: Inputs) -> dict[str, float]:
    weights = np.array(inputs["weights"], dtype=float)
    return {
        "worth_before": float(weights.sum()),
        "worth_after": float(np.minimum(weights, inputs["cap"]).sum()),
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


def _weights(propensities: _Row, target: _Row) -> list[float]:
    return [float(weight) for weight in importance_weights(propensities, target)]


def _no_cap(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    return ips(rewards, propensities, target).value


def _snips(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    weights = [min(w, cap) for w in _weights(propensities, target)]
    return sum(w * r for w, r in zip(weights, rewards, strict=True)) / sum(weights)


def _snips_guarded(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    return _snips(rewards, propensities, target, cap) if any(target) else 0.0


def _product_capped(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    weights = _weights(propensities, target)
    return sum(min(w * r, cap) for w, r in zip(weights, rewards, strict=True)) / len(rewards)


def _propensity_raised(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    raised = [max(p, 1 / cap) for p in propensities]
    return sum(t / p * r for t, p, r in zip(target, raised, rewards, strict=True)) / len(rewards)


def _large_dropped(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    weights = [w if w <= cap else 0.0 for w in _weights(propensities, target)]
    return sum(w * r for w, r in zip(weights, rewards, strict=True)) / len(rewards)


def _target_left_out(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    weights = [min(1 / p, cap) for p in propensities]
    return sum(w * r for w, r in zip(weights, rewards, strict=True)) / len(rewards)


def _inverted(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    weights = [min(p / t, cap) for p, t in zip(propensities, target, strict=True)]
    return sum(w * r for w, r in zip(weights, rewards, strict=True)) / len(rewards)


def _inverted_guarded(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    weights = [min(p / t, cap) if t else 0.0 for p, t in zip(propensities, target, strict=True)]
    return sum(w * r for w, r in zip(weights, rewards, strict=True)) / len(rewards)


def _summed(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    return _clipped_ips(rewards, propensities, target, cap) * len(rewards)


def _over_rewarded(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    return _summed(rewards, propensities, target, cap) / sum(1 for r in rewards if r)


def _over_rewarded_guarded(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    return _over_rewarded(rewards, propensities, target, cap) if any(rewards) else 0.0


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
    _case([0, 0, 0], [0.5, 0.25, 0.1], [0.5, 0.5, 0.5], 3, "nothing was earned"),
    _case([1, 2], [0.5, 0.4], [0, 0], 2, "the new policy does none of what was logged"),
)

_CASES = (
    _case([1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2], 2),
    _case([1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2], 10, "the cap cuts nothing"),
    _case([5, 0, 2, 4], [0.2, 0.8, 0.5, 0.1], [0.5, 0.5, 0.5, 0.5], 2, "rewards are above 1"),
    _case([1, 1, 0], [0.8, 0.2, 0.8], [0.3, 0.7, 0.3], 3, "one weight is cut"),
    _case([0, 2, 0, 0], [0.5, 0.4, 0.2, 0.5], [0.5, 0.6, 0.8, 0.5], 3, "one round earned"),
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
