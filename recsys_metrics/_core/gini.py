"""The Gini index of a row of amounts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def inequality(amounts: NDArray[Any], n_more: int = 0) -> float:
    """Return n times Gini's index of amounts that are not all 0; it runs from 0 to n - 1.

    So many more that are 0 are counted in, and take no memory.
    """
    ordered = np.sort(amounts)
    places = 2.0 * np.arange(1, len(ordered) + 1) - len(ordered) - 1 + n_more
    # Scaled first, so that neither sum can overflow.
    ordered = ordered / ordered[-1]
    return max(0.0, float((places * ordered).sum() / ordered.sum()))
