"""Written answers: why a headline is not enough, a conclusion, offline and live, a plan."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.protocol.significance import t_interval
from recsys_metrics.workbook.exercises.base import Inputs

# E10 -------------------------------------------------------------------------------------------


def _headline(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "gain": f"{int(rng.integers(1, 10))} thousandths",
        "k": int(rng.choice([5, 10, 20])),
        "n": int(rng.choice([50, 99, 100, 200])),
    }


# E11 -------------------------------------------------------------------------------------------


def _draw_gains(rng: np.random.Generator) -> dict[str, Any]:
    while True:
        middle = int(rng.integers(2, 10))
        gains = [int(g) / 1000 for g in middle + rng.choice(np.arange(-14, 15), 5, replace=False)]
        if np.mean(gains) > 0:
            return {"gains": gains}


def _ends(inputs: Inputs) -> str:
    low, high = t_interval(inputs["gains"])
    return f"[{low:.3f}, {high:.3f}]"


def _conclusion_in_words(inputs: Inputs) -> str:
    if t_interval(inputs["gains"]).low > 0:
        return (
            "I would recommend B, because the whole 95% confidence interval of its gain, "
            f"{_ends(inputs)}, is above 0, so a gain of this size would be unlikely if the models "
            "did not differ. The interval does not generalise to other users, because the 5 runs "
            "differ only in their seeds. I would also ask whether a gain as small as the lower "
            "end is worth the cost of B."
        )
    return (
        "I would not recommend B, because the 95% confidence interval of its gain, "
        f"{_ends(inputs)}, includes 0, so 5 runs of two equally good models could well look like "
        "this. This does not show that B is no better, because the interval also includes gains. "
        "More runs, or more users, would make it narrower."
    )


def _reason(inputs: Inputs) -> str:
    where = "is above 0" if t_interval(inputs["gains"]).low > 0 else "includes 0"
    return f"It gives the reason in one sentence: the confidence interval of the gain {where}."


# Offline and live ------------------------------------------------------------------------------


def _offline_live_draw(rng: np.random.Generator) -> Any:
    return {
        "percent": int(rng.integers(3, 15)),
        "k": int(rng.choice([5, 10, 20])),
    }


# The plan of a test ----------------------------------------------------------------------------


def _plan_test_draw(rng: np.random.Generator) -> Any:
    return {
        "percent": int(rng.integers(2, 9)),
        "users": f"{int(rng.integers(3, 12)) * 10_000:,}",
    }
