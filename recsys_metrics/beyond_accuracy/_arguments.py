"""Checks of arguments that several measures share, and logarithms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import numpy as np

from recsys_metrics._core.checks import first_true
from recsys_metrics._core.inputs.arrays import FloatArray, as_numbers
from recsys_metrics._core.inputs.lists import Lists
from recsys_metrics._core.parameter_domains import Domain

Base = Annotated[float, Domain("that of the logarithm (2 for bits, math.e for nats)", above=1)]


def logarithm(values: FloatArray, base: float) -> FloatArray:
    """Return logarithms, exact for powers of 2 in base 2 and of 10 in base 10."""
    if base in (2.0, 10.0):
        return np.log2(values) if base == 2.0 else np.log10(values)
    logs: FloatArray = np.log(values) / np.log(base)
    return logs


def read_numbers(
    given: Any, name: str, labels: Sequence[Any] | None, *, what: str = "one number per item"
) -> FloatArray:
    """Return finite numbers of 0 or more, one per item, whose labels an error names."""
    values = as_numbers(given, name, what=what)
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, the items; got shape {values.shape}")
    if at := first_true(~(np.isfinite(values) & (values >= 0))):
        item = at[0] if labels is None else repr(labels[at[0]])
        raise ValueError(
            f"{name} gives item {item} the count {values[at]:g}; a count is a finite number, "
            "0 or more"
        )
    return values


def sort_labels(labels: Iterable[Any]) -> list[Any]:
    """Return labels sorted, by their kind and text where they cannot be compared."""
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, repr(label)))


def check_numbered(lists: Lists, name: str, given: Any, what: str) -> None:
    """Raise if lists hold ids, which have no place in a row or a table per item."""
    if lists.ids.index:
        raise TypeError(
            f"the lists contain ids such as {lists.ids.label(0)!r}, so {name} must be a mapping "
            f"from {what}, not {describe_value(given)}; pass dict(zip(ids, {name})) if it has a "
            "row for each id"
        )


def describe_value(given: Any) -> str:
    """Return what an error calls a value of the wrong kind."""
    shape = getattr(given, "shape", None)
    what = f"of shape {shape}" if shape else f"{given!r:.60}"
    return f"{type(given).__name__} {what}"
