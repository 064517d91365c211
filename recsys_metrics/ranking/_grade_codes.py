"""Grades as small integer codes, and ragged rows as pointers into one array."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.inputs.arrays import BoolArray as BoolArray
from recsys_metrics._core.inputs.arrays import FloatArray as FloatArray
from recsys_metrics._core.inputs.arrays import IntArray as IntArray
from recsys_metrics._core.inputs.arrays import as_doubles
from recsys_metrics._core.inputs.tables import row_pointers as row_pointers
from recsys_metrics._core.parameter_domains import Domain, check_number
from recsys_metrics._core.sorted_arrays import factorize

Threshold = Annotated[float, Domain("the lowest grade that counts as relevant", above=0)]

FEW_LEVELS = 32
"""Up to so many different grades each list's are counted, not sorted."""


def encode(grades: NDArray[Any]) -> tuple[FloatArray, IntArray]:
    """Return the distinct grades after a leading 0.0, and each grade's place among them."""
    if (grades.size and grades.dtype.kind in "biu") or (grades == np.floor(grades)).all():
        highest = int(grades.max(initial=0))
        if highest < 255:
            # Few small whole numbers, the common case: no sort over all of them.
            whole = grades.astype(np.uint8)
            if highest < FEW_LEVELS:
                present = np.array([g for g in range(highest + 1) if (whole == g).any()], np.uint8)
            else:
                present = np.flatnonzero(np.bincount(whole)).astype(np.uint8)
            levels = np.concatenate([[0.0], present])
            lowest = highest + 1 - len(present)
            if len(present) and lowest == present[0]:
                return levels, whole - np.uint8(lowest) + np.uint8(1)
            codes = np.zeros(highest + 1, dtype=np.uint8)
            codes[present] = np.arange(1, len(present) + 1)
            return levels, codes[whole]
    present, places = factorize(as_doubles(grades))
    levels = np.concatenate([[0.0], present])
    return levels, (places.reshape(-1) + 1).astype(code_type(len(levels)))


def code_type(n_levels: int) -> type[np.unsignedinteger[Any]]:
    return np.uint8 if n_levels <= 2**8 else np.uint16 if n_levels <= 2**16 else np.uint32


def check_threshold(threshold: float | None) -> float | None:
    """Return the lowest grade that counts as relevant, or None for any above 0."""
    return None if threshold is None else check_number("threshold", threshold, Threshold)
