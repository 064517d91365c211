"""Calibration in words: what two numbers do not say."""

from __future__ import annotations

from typing import Any

import numpy as np


def _explain_ece_draw(rng: np.random.Generator) -> Any:
    return {
        "low": int(rng.choice([3, 4])),
        "high": int(rng.choice([5, 6])),
        "few": int(rng.choice([200, 300, 400])),
        "many": str(rng.choice(["20,000", "50,000", "80,000"])),
        "bins": int(rng.choice([2, 3, 4])),
    }


def _explain_badge_draw(rng: np.random.Generator) -> Any:
    return {"liked": int(rng.integers(90, 95))}
