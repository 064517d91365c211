"""Checks of arguments that several measures share, and logarithms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._checks import check_choice as check_choice
from recsys_metrics._checks import check_count as check_count
from recsys_metrics._domains import Domain

IntArray = NDArray[np.intp]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

Base = Annotated[float, Domain("that of the logarithm (2 for bits, math.e for nats)", above=1)]


def logarithm(values: FloatArray, base: float) -> FloatArray:
    """Return logarithms, exact for powers of 2 in base 2 and of 10 in base 10."""
    if base in (2.0, 10.0):
        return np.log2(values) if base == 2.0 else np.log10(values)
    logs: FloatArray = np.log(values) / np.log(base)
    return logs


def is_collection(given: Any) -> bool:
    """Return whether something holds ids rather than being one."""
    return isinstance(given, list | np.ndarray | AbstractSet | Mapping | range)


def read_numbers(given: Any, name: str, label: Callable[[int], str]) -> FloatArray:
    """Return finite numbers of 0 or more, one per item."""
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be one number per item; got {kind(given)}") from None
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


def is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def kind(given: Any) -> str:
    """Return what an error calls a value of the wrong kind."""
    return f"{type(given).__name__} {given!r:.60}"
