"""Arithmetic that several subjects share."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray


def divide(top: ArrayLike, bottom: ArrayLike, otherwise: float = math.nan) -> NDArray[np.float64]:
    """Return quotients where the divisor is above 0, and one value elsewhere."""
    quotients = np.full(np.broadcast_shapes(np.shape(top), np.shape(bottom)), otherwise)
    np.divide(top, bottom, out=quotients, where=np.greater(bottom, 0))
    return quotients
