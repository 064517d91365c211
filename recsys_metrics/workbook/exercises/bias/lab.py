"""Logs under test: slates, intervention harvesting, and logs that cannot answer."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from recsys_metrics.bias.off_policy import pseudo_inverse, slate_ips
from recsys_metrics.bias.propensity import position_bias_harvest
from recsys_metrics.workbook.exercises.base import Inputs, render_text

# One slate, four weights --------------------------------------------------------------------------


def _slate(inputs: Inputs) -> dict[str, float]:
    clicks, logged, target = (
        np.array([inputs[name]], dtype=float) for name in ("clicks", "logged", "target")
    )
    return {
        "whole": slate_ips(clicks, logged.prod(axis=1), target.prod(axis=1)).value,
        "top": slate_ips(clicks, logged.cumprod(axis=1), target.cumprod(axis=1)).value,
        "slot": slate_ips(clicks, logged, target).value,
        "pseudo": pseudo_inverse(clicks.sum(axis=1), logged, target).value,
    }


def _draw_slate(rng: np.random.Generator) -> Inputs:
    """Return a slate of three slots, two of them clicked, the last among them."""
    logged = rng.choice([0.2, 0.25, 0.4, 0.5, 0.8], 3).tolist()
    while True:
        target = rng.choice([0.1, 0.2, 0.3, 0.5, 0.6, 0.9], 3).tolist()
        if all(abs(w / p - 1) > 0.15 for w, p in zip(target, logged, strict=True)):
            break
    return {
        "clicks": [[1, 0, 1], [0, 1, 1]][int(rng.integers(2))],
        "logged": logged,
        "target": target,
    }


# Looks from rankers that disagree -----------------------------------------------------------------


def _harvest(inputs: Inputs) -> dict[str, float]:
    shown = inputs["shown"]
    clicks = [np.arange(n) < c for n, c in zip(shown, inputs["clicked"], strict=True)]
    items, ranks = np.repeat(list("AABBC"), shown), np.repeat([1, 3, 1, 3, 1], shown)
    found = position_bias_harvest(np.concatenate(clicks), items, ranks, pairs="landmark")
    return {"examination": float(found.examination[2])}


def _draw_harvest(rng: np.random.Generator) -> Inputs:
    look = float(rng.uniform(0.3, 0.7))
    appeal = rng.uniform(0.15, 0.6, 3)
    # More displays at rank 3 than at rank 1, so that counts and pooled rates differ.
    choices = ([180, 200, 240], [30, 40, 50], [60, 70, 80], [300, 340, 380], [80, 100, 120])
    displays = [int(rng.choice(each)) for each in choices]
    at = [appeal[0], appeal[0] * look, appeal[1], appeal[1] * look, appeal[2]]
    clicked = [max(2, round(n * p)) for n, p in zip(displays, at, strict=True)]
    rates = [n / of for n, of in zip(clicked, displays, strict=True)]
    ratio_of_sums = (rates[1] + rates[3]) / (rates[0] + rates[2])
    mean_ratio = (rates[1] / rates[0] + rates[3] / rates[2]) / 2
    # A mean of ratios must not round to the ratio of sums.
    if abs(mean_ratio / ratio_of_sums - 1) < 0.01:
        return _draw_harvest(rng)
    return {"shown": displays, "clicked": clicked}


# Logs that cannot answer --------------------------------------------------------------------------

_LEAST_WORTH = 100
_ERRORS = 1.96


def _conclusion(inputs: Inputs) -> str:
    low, high = inputs["interval"]
    if inputs["never"] > 0:
        return "support"
    if not low <= 1 <= high:
        return "propensities"
    return "few" if inputs["worth"] < _LEAST_WORTH else "answer"


def _draw_log(rng: np.random.Generator) -> Inputs:
    wanted = str(rng.choice(["support", "propensities", "few", "answer"]))
    n = int(rng.choice([2_000, 5_000, 20_000]))
    worth = int(rng.integers(5, 40) if wanted == "few" else rng.integers(400, n // 2))
    never = int(rng.integers(5, 30)) if wanted == "support" else 0
    mean = (
        float(rng.choice([0.72, 0.8, 1.25, 1.4]))
        if wanted == "propensities"
        # Within a standard error of what could be shown.
        else 1 - never / 100 + float(rng.uniform(-1, 1)) * _half_width(1.0, worth, n) / _ERRORS
    )
    mean = round(mean, 2)
    half = _half_width(mean, worth, n)
    interval = [round(mean - half, 2), round(mean + half, 2)]
    if 1 in interval:  # whether it contains 1 would be decided by the rounding
        return _draw_log(rng)
    return {"n": n, "mean": mean, "interval": interval, "worth": worth, "never": never}


def _half_width(mean: float, worth: int, n: int) -> float:
    """Return half the 95 % interval of the mean of n weights with this effective sample size."""
    return _ERRORS * mean * math.sqrt(1 / worth - 1 / n)


_LOG = """
A log of {n} rounds is used to evaluate a target policy.

- mean importance weight: {mean}, 95% confidence interval [{interval}]
- effective sample size: {worth}
- percentage of the target policy's impressions that the logging policy could never show: {never}

What do you report first?
"""


def _rounds(text: str) -> Callable[[Inputs], str]:
    """Return a text that says its numbers of rounds with separators."""
    return lambda inputs: render_text(
        text, {**inputs, "n": f"{inputs['n']:,}", "worth": f"{inputs['worth']:,}"}
    )


_which_log_answers_prompt = _rounds(_LOG)

_which_log_answers_step_3 = _rounds("Finally, read the effective sample size, which is {worth}.")
