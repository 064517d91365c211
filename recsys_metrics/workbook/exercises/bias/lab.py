"""Logs under test: slates, looks from rankers that disagree, and logs that cannot answer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from recsys_metrics.bias.off_policy import pseudo_inverse, slate_ips
from recsys_metrics.bias.propensity import position_bias_harvest
from recsys_metrics.workbook.exercises.base import Inputs, render_text

# One slate, four weights --------------------------------------------------------------------------


def _slate(inputs: Inputs) -> dict[str, float]:
    clicks, logged, wanted = (
        np.array([inputs[name]], dtype=float) for name in ("clicks", "logged", "wanted")
    )
    return {
        "whole": slate_ips(clicks, logged.prod(axis=1), wanted.prod(axis=1)).value,
        "top": slate_ips(clicks, logged.cumprod(axis=1), wanted.cumprod(axis=1)).value,
        "slot": slate_ips(clicks, logged, wanted).value,
        "pseudo": pseudo_inverse(clicks.sum(axis=1), logged, wanted).value,
    }


def _draw_slate(rng: np.random.Generator) -> Inputs:
    """Return a slate of three slots, two of them clicked, the last among them."""
    logged = rng.choice([0.2, 0.25, 0.4, 0.5, 0.8], 3).tolist()
    while True:
        wanted = rng.choice([0.1, 0.2, 0.3, 0.5, 0.6, 0.9], 3).tolist()
        if all(abs(w / p - 1) > 0.15 for w, p in zip(wanted, logged, strict=True)):
            break
    return {
        "clicks": [[1, 0, 1], [0, 1, 1]][int(rng.integers(2))],
        "logged": logged,
        "wanted": wanted,
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
    return {"shown": displays, "clicked": clicked}


# Logs that cannot answer --------------------------------------------------------------------------

_LEAST_WORTH = 100


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
    mean, never, worth = 1.0 + float(rng.normal(0, 0.01)), 0, int(rng.integers(400, n // 2))
    if wanted == "support":
        never = int(rng.integers(5, 30))
        mean = 1 - never / 100
    if wanted == "propensities":
        mean = float(rng.choice([0.72, 0.8, 1.25, 1.4]))
    if wanted == "few":
        worth = int(rng.integers(5, 40))
    half = 0.05 if worth > _LEAST_WORTH else 0.35
    return {
        "n": n,
        "mean": round(mean, 2),
        "interval": [round(mean - half, 2), round(mean + half, 2)],
        "worth": worth,
        "never": never,
    }


_LOG = """
A log of {n} rounds is asked about a new policy.

- mean weight: {mean}, with the interval {interval}
- effective sample size: {worth} rounds
- share, in percent, of what the new policy shows that the log's policy could not show: {never}

What do you report first?
"""


def _rounds(text: str) -> Callable[[Inputs], str]:
    """Return a text that says its numbers of rounds with separators."""
    return lambda inputs: render_text(
        text, {**inputs, "n": f"{inputs['n']:,}", "worth": f"{inputs['worth']:,}"}
    )


_which_log_answers_prompt = _rounds(_LOG)

_which_log_answers_step_3 = _rounds("Last, how many rounds the weights leave: {worth}.")
