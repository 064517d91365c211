"""What every file on calibration shares: checked columns, and how long a block is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._blocks import over_blocks
from recsys_metrics._checks import between_zero_and_one, refuse_where, zero_one
from recsys_metrics._checks import check_choice as check_choice
from recsys_metrics._checks import check_count as check_count
from recsys_metrics._checks import check_lengths as check_lengths
from recsys_metrics._checks import check_share as check_share
from recsys_metrics._inputs.arrays import BoolArray as BoolArray
from recsys_metrics._inputs.arrays import FloatArray as FloatArray
from recsys_metrics._inputs.arrays import as_array, as_numbers, refuse_mask

ROWS = 2**16
"""Rows of a block: enough for threads to work side by side, few enough for the cache."""


def check_labels(labels: ArrayLike) -> BoolArray:
    """Return labels as a boolean row; raise if one is neither 0 nor 1."""
    given: NDArray[Any] = as_array(labels, "labels", fill="0")
    if given.ndim != 1:
        raise ValueError(f"labels must be one row of numbers; got shape {given.shape}")
    if not given.size:
        raise ValueError("there are no labels; a calibration is judged on at least one event")
    return zero_one(given, "labels")


def check_probabilities(probabilities: ArrayLike, argument: str = "probabilities") -> FloatArray:
    """Return probabilities as a row; raise if one is NaN or outside [0, 1]."""
    given = _numbers(probabilities, "probability", argument)
    if all(over_blocks(lambda rows: between_zero_and_one(given[rows]), len(given), 1, ROWS)):
        return given
    why = (
        "a probability lies between 0 and 1. Scores of another kind need a calibration first, "
        "PlattScaling for instance"
    )
    refuse_where(~((given >= 0) & (given <= 1)), given, "probability {}", why)
    return given


def check_events(labels: ArrayLike, probabilities: ArrayLike) -> tuple[BoolArray, FloatArray]:
    """Return labels and their probabilities as rows of one length."""
    happened, said = check_labels(labels), check_probabilities(probabilities)
    check_lengths(labels=happened, probabilities=said)
    return happened, said


def check_scores(scores: ArrayLike) -> FloatArray:
    """Return scores as a row; raise if one is NaN or infinite."""
    given = _numbers(scores, "score", "scores")
    refuse_where(~np.isfinite(given), given, "score {}", "every event needs a finite score")
    return given


def check_moments(timestamps: ArrayLike) -> FloatArray:
    """Return moments as a row of numbers; raise if one is missing."""
    given = as_array(timestamps, "timestamps", fill="0")
    if given.dtype.kind == "M":
        given = np.where(np.isnat(given), np.nan, given.astype("datetime64[us]").astype(float))
    moments = _numbers(given, "timestamp", "timestamps")
    refuse_where(~np.isfinite(moments), moments, "timestamp {}", "every event needs its moment")
    return moments


def check_weights(weights: ArrayLike | None, n: int) -> FloatArray | None:
    """Return one weight per event, or None where all weigh the same."""
    if weights is None:
        return None
    given = _numbers(weights, "weight", "weights")
    if len(given) != n:
        raise ValueError(f"each event needs a weight, but there are {n} events, {len(given)}")
    odd = ~((given >= 0) & np.isfinite(given))
    refuse_where(odd, given, "weight {}", "a weight is finite and not below 0")
    if not given.any():
        raise ValueError("all weights are 0, so there is nothing to average")
    return given


def check_both_classes(positive: BoolArray) -> None:
    """Raise if there is nothing to tell apart."""
    hits = int(np.count_nonzero(positive))
    if hits in (0, len(positive)):
        which = 1 if hits else 0
        raise ValueError(
            f"all {len(positive)} labels are {which}; a calibration is fitted on events of both "
            "kinds. Take a larger calibration part"
        )


def _numbers(values: ArrayLike, name: str, argument: str) -> FloatArray:
    refuse_mask(values, argument, fill="numpy.nan")
    given = as_numbers(values, f"each {name}", what="a number")
    if given.ndim != 1:
        raise ValueError(f"there must be one row of them, a {name} each; got shape {given.shape}")
    return given
