"""Variety in words: what three numbers do not say."""

from __future__ import annotations

from typing import Any

import numpy as np


def _explain_variety_draw(rng: np.random.Generator) -> Any:
    return {"bits": int(rng.integers(2, 5)), "percent": int(rng.integers(10, 60))}
