"""Bias in words: what a log of the old system says about a new one."""

from __future__ import annotations

from typing import Any

import numpy as np


def _explain_log_draw(rng: np.random.Generator) -> Any:
    return {"share": int(rng.integers(3, 9)) * 5}


def _refuse_log_draw(rng: np.random.Generator) -> Any:
    return {
        "n": str(rng.choice(["20,000", "50,000", "80,000"])),
        "worth": int(rng.integers(2, 9)) * 10,
        "never": int(rng.integers(3, 16)),
    }
