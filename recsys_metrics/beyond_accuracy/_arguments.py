"""Checks of arguments that several measures share, and logarithms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from recsys_metrics._checks import check_choice as check_choice
from recsys_metrics._checks import check_count as check_count
from recsys_metrics._domains import Domain
from recsys_metrics._inputs.arrays import BoolArray as BoolArray
from recsys_metrics._inputs.arrays import FloatArray as FloatArray
from recsys_metrics._inputs.arrays import IntArray as IntArray
from recsys_metrics._inputs.arrays import as_numbers

Base = Annotated[float, Domain("that of the logarithm (2 for bits, math.e for nats)", above=1)]


def logarithm(values: FloatArray, base: float) -> FloatArray:
    """Return logarithms, exact for powers of 2 in base 2 and of 10 in base 10."""
    if base in (2.0, 10.0):
        return np.log2(values) if base == 2.0 else np.log10(values)
    logs: FloatArray = np.log(values) / np.log(base)
    return logs


def read_numbers(given: Any, name: str, label: Callable[[int], str]) -> FloatArray:
    """Return finite numbers of 0 or more, one per item."""
    values = as_numbers(given, name, what="one number per item")
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, the items; got shape {values.shape}")
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        at = int(bad.argmax())
        raise ValueError(
            f"{name} gives item {label(at)} the count {values[at]:g}; a count is a finite "
            "number, 0 or more"
        )
    return values


def kind(given: Any) -> str:
    """Return what an error calls a value of the wrong kind."""
    return f"{type(given).__name__} {given!r:.60}"
