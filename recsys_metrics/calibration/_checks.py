"""Checks of columns that the modules on calibration share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.arithmetic import scale_weights
from recsys_metrics._core.blocks import over_blocks
from recsys_metrics._core.checks import between_zero_and_one, check_lengths, refuse
from recsys_metrics._core.inputs.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    as_array,
    as_labels,
    as_numbers,
    as_scores,
)
from recsys_metrics._core.inputs.columns import (
    check_same_rows,
    check_shape,
    check_zero_one,
    number_labels,
)
from recsys_metrics._core.inputs.times import as_datetimes
from recsys_metrics._core.sorted_arrays import factorize

ROWS = 2**16
"""Rows of a block: enough for threads to work side by side, few enough for the cache."""


def check_probabilities(name: str, values: ArrayLike) -> FloatArray:
    """Return probabilities as a row; raise if one is NaN or outside [0, 1]."""
    given = _row(name, values)
    if all(over_blocks(lambda rows: between_zero_and_one(given[rows]), len(given), 1, ROWS)):
        return given
    words = (
        "; a probability lies between 0 and 1. Scores of another kind need a calibration first, "
        "PlattScaling for instance"
    )
    refuse(~((given >= 0) & (given <= 1)), name, given, words)
    return given


def check_events(labels: ArrayLike, probabilities: ArrayLike) -> tuple[BoolArray, FloatArray]:
    """Return labels and their probabilities as rows of one length."""
    happened = check_zero_one("labels", labels)
    predicted = check_probabilities("probabilities", probabilities)
    check_same_rows(labels=labels, probabilities=probabilities)
    return happened, predicted


def check_scores(scores: ArrayLike) -> FloatArray:
    """Return scores as a row; raise if one is NaN or infinite."""
    given = as_scores(scores, "scores")
    check_shape("scores", given, may_be_empty=True)
    refuse(~np.isfinite(given), "scores", given, "; every event needs a finite score")
    return given


def check_moments(timestamps: ArrayLike) -> FloatArray:
    """Return moments as a row of numbers; raise if one is missing."""
    given: NDArray[Any] | None = as_datetimes(timestamps, "timestamps")
    if given is None:
        given = as_array(timestamps, "timestamps", fill="0")
    if given.dtype.kind == "M" and given.ndim == 1:
        # Nothing but their order counts, which a float has no digits for.
        missing = np.isnat(given)
        given = np.where(missing, np.nan, factorize(given.astype(np.int64))[1])
    elif given.dtype.kind in "iu" and given.ndim == 1:
        given = factorize(given)[1]
    moments = as_scores(given, "timestamps")
    check_shape("timestamps", moments, may_be_empty=True)
    refuse(~np.isfinite(moments), "timestamps", moments, "; every event needs its time")
    return moments


def check_weights(weights: ArrayLike | None, n: int) -> FloatArray | None:
    """Return one weight per event, or None where all weigh the same."""
    if weights is None:
        return None
    given = _row("weights", weights)
    if len(given) != n:
        raise ValueError(f"each event needs a weight, but there are {n} events, {len(given)}")
    wrong = ~((given >= 0) & np.isfinite(given))
    refuse(wrong, "weights", given, "; a weight is finite and not below 0")
    if not given.any():
        raise ValueError("all weights are 0, so there is nothing to average")
    return scale_weights(given)


def check_both_classes(positive: BoolArray) -> None:
    """Raise if there is nothing to tell apart."""
    hits = int(np.count_nonzero(positive))
    if hits in (0, len(positive)):
        which = 1 if hits else 0
        raise ValueError(
            f"all {len(positive)} labels are {which}; a calibration is fitted on events of both "
            "kinds. Take a larger calibration part"
        )


def units_of(scores: FloatArray, users: ArrayLike | None) -> tuple[IntArray, int, str]:
    """Return what chance deals out: the unit of each event, how many there are, and their name."""
    if users is None:
        return np.arange(len(scores)), len(scores), "events"
    check_lengths(scores=scores, users=as_labels(users, "users"))
    units = number_labels("users", users, "; every event needs its user")[1]
    return units, int(units.max()) + 1, "users"


def _row(name: str, values: ArrayLike) -> FloatArray:
    given = as_numbers(values, name)
    check_shape(name, given, may_be_empty=True)
    return given
