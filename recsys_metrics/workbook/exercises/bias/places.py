"""Positions: what a swap intervention says about examination."""

from __future__ import annotations

import numpy as np

from recsys_metrics.bias.propensity import position_bias_swap
from recsys_metrics.workbook.exercises.base import Inputs


def _swap(inputs: Inputs) -> dict[str, float]:
    shown, clicked = inputs["shown"], inputs["clicked"]
    rows = [np.arange(n) < c for n, c in zip(shown, clicked, strict=True)]
    found = position_bias_swap(np.concatenate(rows), np.repeat([1, 2], shown))
    examination = float(found.examination[1])
    return {"examination": examination, "attraction": inputs["rate"] / examination}


def _draw(rng: np.random.Generator) -> Inputs:
    shown = (rng.integers(4, 10, 2) * 50).tolist()
    top = float(rng.uniform(0.1, 0.3))
    low = top * float(rng.uniform(0.25, 0.8))
    clicked = [round(shown[0] * top), round(shown[1] * low)]
    return {"shown": shown, "clicked": clicked, "rate": int(rng.integers(2, 9)) / 100}
