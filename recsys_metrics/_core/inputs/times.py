"""Times as seconds since 1970, from whole numbers, datetimes of any library and ISO's texts."""

from __future__ import annotations

import datetime
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.inputs.arrays import as_array
from recsys_metrics._core.inputs.frames import entries_of, is_column

# The first second of the year 2200; a later one is in another unit.
_LATEST = 7_258_118_400
_UNITS = (("milliseconds", 10**3), ("microseconds", 10**6), ("nanoseconds", 10**9))


def read_times(given: Any, name: str = "timestamp") -> NDArray[Any]:
    """Return times in seconds since 1970.

    Datetimes, and texts in ISO's form, with a time zone or an offset are converted to UTC, those
    without one are read as UTC; fractions of a second are cut off.

    Raises
    ------
    TypeError
        If they are neither whole numbers nor datetimes nor texts.
    ValueError
        If one is missing, is a text in another form, or is a number that would be a date after the
        year 2200, or if all are dates without their dashes, as 20240301.
    """
    times = _as_datetimes(given)
    if times is None and (texts := _as_texts(given)) is not None:
        return _seconds_of_texts(texts, name)
    if times is not None:
        if np.isnat(times).any():
            _refuse_no_time(int(np.isnat(times).argmax()), name)
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


def parse_iso_time(text: str) -> datetime.datetime:
    """Return the time that a text in ISO's form names, in UTC.

    Raises
    ------
    ValueError
        If it is in another form.

    Examples
    --------
    >>> parse_iso_time("2026-01-01T00:00:00+01:00").isoformat()
    '2025-12-31T23:00:00+00:00'
    """
    # Digits alone may be a date or seconds.
    if text.strip().isdecimal():
        raise ValueError(f"{text!r} is a number")
    # BigQuery and others write the name of the time zone, which is no part of ISO's form.
    when = datetime.datetime.fromisoformat(text.strip().removesuffix(" UTC"))
    return (
        when.replace(tzinfo=datetime.UTC) if when.tzinfo is None else when.astimezone(datetime.UTC)
    )


def _as_texts(given: Any) -> list[Any] | None:
    """Return the entries if all that are there are texts, or None for anything else."""
    entries = entries_of(given) if is_column(given) else given
    if isinstance(entries, np.ndarray) and entries.ndim == 1 and entries.dtype.kind in "OU":
        entries = entries.tolist()
    if not isinstance(entries, list | tuple):
        return None
    kinds = {*map(type, entries)}
    has_text = any(issubclass(kind, str) for kind in kinds)
    return [*entries] if has_text and kinds <= {str, np.str_, float, type(None)} else None


def _seconds_of_texts(texts: list[Any], name: str) -> NDArray[Any]:
    seconds: dict[Any, int] = {}
    for text in dict.fromkeys(texts):
        if not isinstance(text, str):  # an empty cell
            _refuse_no_time(texts.index(text), name)
        try:
            seconds[text] = int(parse_iso_time(text).timestamp())
        except ValueError:
            raise ValueError(
                f"row {texts.index(text)} has the {name} {text!r:.60}, a text that is no time in "
                "ISO's form, such as 2024-01-31T18:30:00 or 2024-01-31T18:30:00+01:00. Turn the "
                "column into datetimes, pandas.to_datetime(…, format=…, utc=True), or into whole "
                "numbers of seconds since 1970"
            ) from None
    return np.array([seconds[text] for text in texts], dtype=np.int64)


def _refuse_no_time(row: int, name: str) -> NoReturn:
    """Raise because a row has no time."""
    raise ValueError(
        f"row {row} has no {name}; leave out events whose time is not known, or all times"
    )


def _in_utc(time: Any) -> Any:
    if isinstance(time, datetime.datetime) and time.tzinfo is not None:
        return time.astimezone(datetime.UTC).replace(tzinfo=None)
    return time


def _refuse_other_units(numbers: NDArray[Any], name: str) -> None:
    """Raise if a number is too large for seconds."""
    highest = int(numbers.max())
    if highest < _LATEST:
        _refuse_dates(numbers, name)
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


def _refuse_dates(numbers: NDArray[Any], name: str) -> None:
    """Raise if all numbers are dates of 8 digits; as seconds they are hours of August 1970."""
    if numbers.min() < 1900_01_01 or numbers.max() > 2199_12_31:
        return
    month, day = numbers // 100 % 100, numbers % 100
    if ((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all():
        first = f"{int(numbers.ravel()[0])}"
        date = f"{first[:4]}-{first[4:6]}-{first[6:]}"
        raise ValueError(
            f"row 0 has the {name} {first}: is it the date {date}, or a moment in 1970, in "
            "seconds? Give dates as datetimes, and write them with dashes in a text file"
        )
