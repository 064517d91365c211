"""The whole protocol: the order of its steps, and a paragraph that states it."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs

_RIGHT = ("measure", "cut", "tune", "rank", "gain", "live")


def _right(inputs: Inputs) -> list[tuple[str, ...]]:
    return [_RIGHT, ("cut", "measure", "tune", "rank", "gain", "live")]


def _numbers(rng: np.random.Generator) -> dict[str, Any]:
    return {"k": int(rng.choice([5, 10, 20])), "users": f"{int(rng.integers(2, 40)) * 100:,}"}
