"""Positions: what a swap says about looks."""

from __future__ import annotations

import numpy as np

from recsys_metrics.bias.propensity import position_bias_swap
from recsys_metrics.workbook.exercises.base import Inputs


def _swap(inputs: Inputs) -> dict[str, float]:
    shown, clicked = inputs["shown"], inputs["clicked"]
    rows = [np.arange(n) < c for n, c in zip(shown, clicked, strict=True)]
    found = position_bias_swap(np.concatenate(rows), np.repeat([1, 2], shown))
    return _with_item(inputs, float(found.examination[1]))


def _with_item(inputs: Inputs, looked: float) -> dict[str, float]:
    """Return an examination with the item's attraction that follows from it."""
    return {"examination": looked, "attraction": inputs["rate"] / looked}


def _rates(inputs: Inputs) -> list[float]:
    return [c / n for n, c in zip(inputs["shown"], inputs["clicked"], strict=True)]


def _counts(inputs: Inputs) -> dict[str, float]:
    return _with_item(inputs, inputs["clicked"][1] / inputs["clicked"][0])


def _upside_down(inputs: Inputs) -> dict[str, float]:
    top, low = _rates(inputs)
    return _with_item(inputs, top / low)


def _click_rate(inputs: Inputs) -> dict[str, float]:
    return _with_item(inputs, _rates(inputs)[1])


def _difference(inputs: Inputs) -> dict[str, float]:
    top, low = _rates(inputs)
    return _with_item(inputs, 1 - (top - low))


def _times(inputs: Inputs) -> dict[str, float]:
    return {"attraction": inputs["rate"] * _swap(inputs)["examination"]}


def _place_ignored(inputs: Inputs) -> dict[str, float]:
    return {"attraction": inputs["rate"]}


def _draw(rng: np.random.Generator) -> Inputs:
    shown = (rng.integers(4, 10, 2) * 50).tolist()
    top = float(rng.uniform(0.1, 0.3))
    low = top * float(rng.uniform(0.25, 0.8))
    clicked = [round(shown[0] * top), round(shown[1] * low)]
    return {"shown": shown, "clicked": clicked, "rate": int(rng.integers(2, 9)) / 100}
