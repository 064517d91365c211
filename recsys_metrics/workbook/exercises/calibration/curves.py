"""Platt's curve applied by hand, and what a map does to the order."""

from __future__ import annotations

from typing import Any

import numpy as np

# The curve by hand ----------------------------------------------------------------------------


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    predicted = rng.choice([0.05, 0.1, 0.15, 0.2, 0.3, 0.7, 0.8, 0.85, 0.9, 0.95])
    a = rng.choice([0.4, 0.5, 0.6, 0.7, 0.8])
    b = rng.choice([-0.8, -0.6, -0.4, -0.3, 0.3, 0.4, 0.6])
    return {"predicted": float(predicted), "a": float(a), "b": float(b)}
