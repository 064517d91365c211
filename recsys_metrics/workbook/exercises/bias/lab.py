"""Logs under test: slates, looks from rankers that disagree, and logs that cannot answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


def _weights(inputs: Inputs) -> tuple[Any, Any]:
    clicks, logged, wanted = (np.array(inputs[n], float) for n in ("clicks", "logged", "wanted"))
    return clicks, wanted / logged


def _sum_for_product(inputs: Inputs) -> dict[str, float]:
    clicks, weights = _weights(inputs)
    return {"whole": float(weights.sum() * clicks.sum())}


def _own_for_top(inputs: Inputs) -> dict[str, float]:
    return {"top": _slate(inputs)["slot"]}


def _whole_for_top(inputs: Inputs) -> dict[str, float]:
    return {"top": _slate(inputs)["whole"]}


def _slots_not_taken_off(inputs: Inputs) -> dict[str, float]:
    clicks, weights = _weights(inputs)
    return {"pseudo": float(weights.sum() * clicks.sum())}


def _all_slots_taken_off(inputs: Inputs) -> dict[str, float]:
    clicks, weights = _weights(inputs)
    return {"pseudo": float((weights.sum() - len(weights)) * clicks.sum())}


def _upside_down(inputs: Inputs) -> dict[str, float]:
    return _slate({**inputs, "logged": inputs["wanted"], "wanted": inputs["logged"]})


def _per_slot(inputs: Inputs) -> dict[str, float]:
    return {name: value / len(inputs["clicks"]) for name, value in _slate(inputs).items()}


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


def _rows(inputs: Inputs) -> list[tuple[str, int, int, int]]:
    """Return item, rank, clicks and displays."""
    at = [("A", 1), ("A", 3), ("B", 1), ("B", 3), ("C", 1)]
    return [
        (*where, c, n) for where, c, n in zip(at, inputs["clicked"], inputs["shown"], strict=True)
    ]


def _harvest(inputs: Inputs) -> dict[str, float]:
    rows = _rows(inputs)
    clicks = np.concatenate([np.arange(n) < c for _, _, c, n in rows])
    items, ranks = (np.repeat([row[at] for row in rows], inputs["shown"]) for at in (0, 1))
    found = position_bias_harvest(clicks, items, ranks, pairs="landmark")
    return {"examination": float(found.examination[2])}


def _ratio(inputs: Inputs, of: Callable[[list[tuple[int, int]]], float], items: str) -> float:
    cells: dict[int, list[tuple[int, int]]] = {1: [], 3: []}
    for item, rank, c, n in _rows(inputs):
        if item in items:
            cells[rank].append((c, n))
    return of(cells[3]) / of(cells[1])


def _sum_of_rates(cells: list[tuple[int, int]]) -> float:
    return sum(c / n for c, n in cells)


def _pooled_rate(cells: list[tuple[int, int]]) -> float:
    return sum(c for c, _ in cells) / sum(n for _, n in cells)


def _draw_harvest(rng: np.random.Generator) -> Inputs:
    look = float(rng.uniform(0.3, 0.7))
    appeal = rng.uniform(0.15, 0.6, 3)
    # More displays at rank 3 than at rank 1, so that counts and pooled rates differ.
    choices = ([180, 200, 240], [30, 40, 50], [60, 70, 80], [300, 340, 380], [80, 100, 120])
    displays = [int(rng.choice(each)) for each in choices]
    at = [appeal[0], appeal[0] * look, appeal[1], appeal[1] * look, appeal[2]]
    clicked = [max(2, round(n * p)) for n, p in zip(displays, at, strict=True)]
    return {"shown": displays, "clicked": clicked}


def _harvest_looks_pooled(inputs: Inputs) -> Any:
    return {"examination": _ratio(inputs, _pooled_rate, "AB")}


def _harvest_looks_one_place_only(inputs: Inputs) -> Any:
    return {"examination": _ratio(inputs, _sum_of_rates, "ABC")}


def _harvest_looks_clicks_as_logged(inputs: Inputs) -> Any:
    return {"examination": _ratio(inputs, _pooled_rate, "ABC")}


def _harvest_looks_counts_for_rates(inputs: Inputs) -> Any:
    return {"examination": _ratio(inputs, lambda cells: sum(c for c, _ in cells), "AB")}


def _harvest_looks_ratio_upside_down(inputs: Inputs) -> Any:
    return {"examination": 1 / _ratio(inputs, _sum_of_rates, "AB")}


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
