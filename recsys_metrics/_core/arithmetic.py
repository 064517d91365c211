"""Arithmetic that several subjects share."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray


def divide(top: ArrayLike, bottom: ArrayLike, otherwise: float = math.nan) -> NDArray[np.float64]:
    """Return quotients where the denominator is above 0, and one value elsewhere."""
    shape, other = np.shape(top), np.shape(bottom)
    quotients = np.full(shape if shape == other else np.broadcast_shapes(shape, other), otherwise)
    np.divide(top, bottom, out=quotients, where=np.greater(bottom, 0))
    return quotients
