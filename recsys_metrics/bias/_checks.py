"""Checks that the modules on bias share: propensities, labels and items."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.gini import inequality
from recsys_metrics._core.inputs.arrays import FloatArray, IntArray
from recsys_metrics._core.inputs.columns import check_between, number_labels


def check_propensities(propensities: ArrayLike, axes: int = 1) -> FloatArray:
    """Return probabilities of logged events, each above 0: the event was observed."""
    return check_between(
        "propensities",
        propensities,
        0.0,
        1.0,
        axes=axes,
        open_low=True,
        advice=": the event was observed, so its probability is above 0. Percentages need a "
        "division by 100, estimates of 0 a floor (clip_propensities)",
    )


def number_items(name: str, items: ArrayLike) -> tuple[NDArray[Any], IntArray]:
    """Return the items, ascending, and the number of each entry's item."""
    words = ", which is no item; leave out what was shown without a known item"
    return number_labels(name, items, words)


def gini(amounts: FloatArray) -> float:
    """Return Gini's index over all entries, zeros included; at most (n - 1)/n."""
    return inequality(amounts) / len(amounts) if amounts.any() else 0.0
