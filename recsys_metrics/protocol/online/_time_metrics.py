"""Dwell time and session length, and trimmed means."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.arithmetic import mean_of
from recsys_metrics._core.checks import check_real, first_true, refuse
from recsys_metrics._core.inputs.arrays import FloatArray, as_scores
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics._core.inputs.scalar_or_batch import Many
from recsys_metrics.protocol._checks import Missing, sample


@overload
def dwell_time(start: float, end: float) -> float: ...
@overload
def dwell_time(start: Many, end: Many) -> FloatArray: ...
def dwell_time(start: ArrayLike, end: ArrayLike) -> float | FloatArray:
    """How long did a user stay with an item, or how long did a session last?

    Parameters
    ----------
    start, end : float or array
        When the user, or the session, began and ended, in the same unit.

    Returns
    -------
    float or array
        End minus start, 0 or more, in that unit.

    Raises
    ------
    TypeError, ValueError
        If a time is not finite, shapes differ, or an end is before its start.

    Notes
    -----
    Its distribution has a long tail: compare a `trimmed_mean`, or ranks by `mann_whitney`, but
    say so: they answer another question than the mean, and can order two systems the other way.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import dwell_time
    >>> dwell_time(10, 25)
    15.0
    >>> dwell_time([10, 40], [25, 100])
    array([15., 60.])
    """
    return _elapsed(start, end, "dwell time")


def trimmed_mean(values: ArrayLike, *, trim: float = 0.1, missing: Missing = "raise") -> float:
    """How high is the mean without the extremes?

    Parameters
    ----------
    values : (n,) array of float
        One value per user, watch times for instance.
    trim : float
        Which share is left out at either end, rounded down; 0 or more and below 0.5.
    missing : {"raise", "omit"}
        What to do with NaN.

    Returns
    -------
    float
        In the unit of the values.

    Raises
    ------
    TypeError, ValueError
        If there is no value, one is not finite, or trim is not in [0, 0.5).

    Notes
    -----
    Where a few users bring most of the watch time, they are what is trimmed.

    References
    ----------
    Tukey and McLaughlin (1963), Less vulnerable confidence and significance procedures for
    location based on a single sample, Sankhyā A 25(3).

    Examples
    --------
    >>> from recsys_metrics.protocol.online import trimmed_mean
    >>> trimmed_mean([1, 2, 3, 4, 90], trim=0.2)
    3.0
    """
    trim = check_real("trim", trim)
    if not 0 <= trim < 0.5:
        raise ValueError(f"trim is the share left out at either end, from 0 to 0.5; got {trim!r}")
    numbers = np.sort(sample("values", values, least=1, missing=missing))
    # So that 0.29 of 100 is 29, though it falls short of it in binary.
    cut = int(trim * len(numbers) + 1e-9)
    return mean_of(numbers[cut : len(numbers) - cut])


def _elapsed(start: ArrayLike, end: ArrayLike, what: str) -> float | FloatArray:
    refuse_other_labels(start=start, end=end)
    began, stopped = _times("start", start), _times("end", end)
    if began.shape != stopped.shape:
        raise ValueError(f"start has shape {began.shape} and end {stopped.shape}")
    lasted = stopped - began
    if at := first_true((lasted < 0).ravel()):
        raise ValueError(
            f"{what} {at[0]} ends at {stopped.ravel()[at]:g}, before it starts at "
            f"{began.ravel()[at]:g}; are start and end swapped?"
        )
    return float(lasted) if lasted.ndim == 0 else lasted


def _times(name: str, values: ArrayLike) -> FloatArray:
    times = as_scores(values, name, what="times as numbers")
    refuse(~np.isfinite(times), name, times, "; a time is finite")
    return times
