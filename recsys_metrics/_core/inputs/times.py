"""Times as seconds since 1970, from whole numbers and from datetimes of any library."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.inputs.arrays import as_array
from recsys_metrics._core.inputs.frames import entries_of, is_column

# The first second of the year 2200; a later one is in another unit.
_LATEST = 7_258_118_400
_UNITS = (("milliseconds", 10**3), ("microseconds", 10**6), ("nanoseconds", 10**9))


def read_times(given: Any, name: str = "timestamp") -> NDArray[Any]:
    """Return times in seconds since 1970.

    Datetimes with a time zone are converted to UTC, those without one are read as UTC; fractions
    of a second are cut off.

    Raises
    ------
    TypeError
        If they are neither whole numbers nor datetimes.
    ValueError
        If one is missing, or is a number that would be a date after the year 2200.
    """
    times = _as_datetimes(given)
    if times is not None:
        if np.isnat(times).any():
            row = int(np.isnat(times).argmax())
            raise ValueError(
                f"row {row} has no {name}; leave out events whose time is not known, or all times"
            )
        seconds: NDArray[Any] = times.astype("datetime64[s]").astype(np.int64)
        return seconds
    numbers: NDArray[Any] = as_array(given, name, fill="0")
    if numbers.dtype.kind in "iu" and numbers.size:
        _refuse_other_units(numbers, name)
    return numbers


def _as_datetimes(given: Any) -> NDArray[np.datetime64] | None:
    """Return datetimes in UTC, or None for anything else."""
    if isinstance(given, np.ndarray) and given.dtype.kind == "M":
        return given
    kind = str(getattr(given, "dtype", ""))
    if is_column(given) and ("datetime" in kind.lower() or "timestamp" in kind.lower()):
        if hasattr(given, "tz_convert") and getattr(given, "tz", None) is not None:
            given = given.tz_convert("UTC").tz_localize(None)  # an index of pandas
        elif hasattr(given, "dt") and getattr(given.dt, "tz", None) is not None:
            given = given.dt.tz_convert("UTC").dt.tz_localize(None)  # a column of pandas
        return np.asarray(given).astype("datetime64[us]")
    entries = entries_of(given) if is_column(given) else given
    if isinstance(entries, np.ndarray) and entries.dtype == object:
        entries = entries.tolist()
    if isinstance(entries, list | tuple) and entries:
        kinds = {*map(type, entries)} - {type(None)}
        if kinds and all(issubclass(each, datetime.date | np.datetime64) for each in kinds):
            return np.array([*map(_in_utc, entries)], dtype="datetime64[us]")
    return None


def _in_utc(time: Any) -> Any:
    if isinstance(time, datetime.datetime) and time.tzinfo is not None:
        return time.astimezone(datetime.UTC).replace(tzinfo=None)
    return time


def _refuse_other_units(numbers: NDArray[Any], name: str) -> None:
    """Raise if a number is too large for seconds."""
    highest = int(numbers.max())
    if highest < _LATEST:
        return
    row = int(numbers.argmax())
    readings = []
    for unit, per_second in _UNITS:
        seconds = highest // per_second
        if seconds < _LATEST:
            date = datetime.datetime.fromtimestamp(seconds, datetime.UTC).date()
            readings.append(f"{date} in {unit} (divide by {per_second:,})")
    raise ValueError(
        f"row {row} has the {name} {highest}, which in seconds is a date after the year 2200. "
        f"It would be {' or '.join(readings) or 'no date in nanoseconds either'}; give seconds "
        "since 1970, or datetimes"
    )
