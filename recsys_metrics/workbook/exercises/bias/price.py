"""What fairness costs, and what a report may say of it."""

from __future__ import annotations

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs


def _conclusion(inputs: Inputs) -> str:
    low, high = inputs["interval"]
    if low > -inputs["accepted"]:
        return "within"
    return "beyond" if high < -inputs["accepted"] else "open"


def _draw(rng: np.random.Generator) -> Inputs:
    wanted = str(rng.choice(["within", "beyond", "open"]))
    while True:
        slots = int(rng.integers(2, 6))
        change = -int(rng.integers(2, 40)) / 1000
        half = int(rng.integers(3, 20)) / 1000
        inputs: Inputs = {
            "slots": slots,
            "accepted": int(rng.choice([10, 15, 20])) / 1000,
            "change": change,
            "interval": [round(change - half, 3), round(change + half, 3)],
        }
        ends = [abs(end + inputs["accepted"]) for end in inputs["interval"]]
        if min(ends) > 0.001 and _conclusion(inputs) == wanted:
            return inputs
