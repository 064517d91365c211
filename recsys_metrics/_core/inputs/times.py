"""Times as seconds since 1970, from numbers, datetimes of any library and ISO's texts."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core import iso_times
from recsys_metrics._core.inputs.arrays import as_array
from recsys_metrics._core.inputs.frames import entries_of, is_column

# The first second of the year 2200; a later one is in another unit.
_LATEST = 7_258_118_400
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND = datetime.timedelta(microseconds=1)
# Floats of seconds tell microseconds apart up to here, in the year 2242.
_LAST_EXACT = 2**33
_WHOLE_UNITS = ("Y", "M", "W", "D", "h", "m", "s")
FINER_TIME = r"[.,][0-9]{6}[0-9]*[1-9]"
"""What a text contains that has digits beyond microseconds."""
_UNITS = (("milliseconds", 10**3), ("microseconds", 10**6), ("nanoseconds", 10**9))


def read_times(given: Any, name: str = "timestamp") -> NDArray[Any]:
    """Return times in seconds since 1970: whole numbers, or floats if one has a fraction.

    Datetimes, and texts in ISO's form, with a time zone or an offset are converted to UTC, those
    without one are read as UTC. A float of 64 bits tells all microseconds from 1697 to 2242 apart,
    so finer times are refused.

    Raises
    ------
    TypeError
        If they are neither numbers nor datetimes nor texts, or floats of another size.
    ValueError
        If one is missing, is a text in another form, has a fraction finer than a microsecond, or
        is a number that would be a date after the year 2200, or if all are dates without their
        dashes, as 20240301.
    """
    times = as_datetimes(given, name)
    if times is not None:
        return _seconds_of(times, name)
    if (texts := _as_texts(given)) is not None:
        return _seconds_of_texts(texts, name)
    numbers: NDArray[Any] = as_array(given, name, fill="0")
    if numbers.dtype.kind == "f" and numbers.size:
        numbers = _seconds_of_floats(numbers, name)
    if numbers.dtype.kind in "iuf" and numbers.size:
        _refuse_other_units(numbers, name)
    return numbers


def as_datetimes(given: Any, name: str) -> NDArray[np.datetime64] | None:
    """Return datetimes in UTC in the unit they came in, or None for anything else."""
    if isinstance(given, np.ndarray) and given.dtype.kind == "M":
        return given
    kind = str(getattr(given, "dtype", ""))
    if is_column(given) and ("datetime" in kind.lower() or "timestamp" in kind.lower()):
        if hasattr(given, "tz_convert") and getattr(given, "tz", None) is not None:
            given = given.tz_convert("UTC").tz_localize(None)  # an index of pandas
        elif hasattr(given, "dt") and getattr(given.dt, "tz", None) is not None:
            given = given.dt.tz_convert("UTC").dt.tz_localize(None)  # a column of pandas
        array = np.asarray(given)
        if array.dtype.kind == "M":
            return array
        given = array
    entries = entries_of(given) if is_column(given) else given
    if isinstance(entries, np.ndarray) and entries.dtype == object:
        entries = entries.tolist()
    if isinstance(entries, list | tuple) and entries:
        kinds = {*map(type, entries)} - {type(None)}
        if kinds and all(issubclass(each, datetime.date | np.datetime64) for each in kinds):
            return _join(entries, name)
    return None


def _join(entries: Sequence[Any], name: str) -> NDArray[np.datetime64]:
    """Return datetimes of several types as microseconds."""
    # Numpy takes None for no time, and pandas' missing time for a number.
    entries = [None if time != time else time for time in entries]
    for row, time in enumerate(entries):
        # Numpy cuts off what pandas' and its own datetimes have beyond a microsecond.
        finer = getattr(time, "nanosecond", 0)
        if isinstance(time, np.datetime64):
            finer = time != time.astype("datetime64[us]")
        if finer:
            _refuse_finer(row, time, name)
    return np.array([*map(_in_utc, entries)], dtype="datetime64[us]")


def _seconds_of(times: NDArray[np.datetime64], name: str) -> NDArray[Any]:
    """Return datetimes as seconds; raise if one is missing or finer than a microsecond."""
    if np.isnat(times).any():
        _refuse_no_time(int(np.isnat(times).argmax()), name)
    if np.datetime_data(times.dtype)[0] in _WHOLE_UNITS:
        whole: NDArray[np.int64] = times.astype("datetime64[s]").astype(np.int64)
        return whole
    ticks = times.astype("datetime64[us]")
    finer = ticks != times
    if finer.any():
        row = int(finer.argmax())
        _refuse_finer(row, times.ravel()[row], name)
    return _of_microseconds(ticks.astype(np.int64), name)


def _of_microseconds(ticks: NDArray[np.int64], name: str) -> NDArray[Any]:
    """Return microseconds as seconds: whole numbers where none has a fraction."""
    whole, rest = np.divmod(ticks, 10**6)
    if not rest.any():
        return whole
    beyond = np.abs(whole) >= _LAST_EXACT
    if beyond.any():
        row = int(beyond.argmax())
        raise ValueError(
            f"row {row} has the {name} {np.datetime64(int(ticks.ravel()[row]), 'us')}: so far from "
            "1970 a float does not tell microseconds apart. Round all times to seconds, "
            'times.astype("datetime64[s]")'
        )
    return whole + rest / 10**6


def _seconds_of_floats(numbers: NDArray[Any], name: str) -> NDArray[Any]:
    """Return floats that are whole numbers as such; raise for those of another size."""
    if not np.isfinite(numbers).all():
        _refuse_no_time(int((~np.isfinite(numbers)).argmax()), name)
    if numbers.dtype != np.float64:
        bits = "more digits than a float of 64 bits" if numbers.itemsize > 8 else "too few digits"
        raise TypeError(
            f"{name} is of {numbers.dtype}, which has {bits}; give seconds since 1970 as whole "
            "numbers or float64, or datetimes"
        )
    with np.errstate(invalid="ignore"):
        is_whole = np.abs(numbers) < 2.0**63
        return (
            numbers.astype(np.int64)
            if (is_whole & (numbers == np.floor(numbers))).all()
            else numbers
        )


def _refuse_finer(row: int, time: Any, name: str) -> NoReturn:
    """Raise because a time has digits that a float of seconds does not tell apart."""
    raise ValueError(
        f"row {row} has the {name} {time!s:.60}, which is finer than a microsecond. Events are "
        "compared by microseconds, so round all times to them, "
        'times.astype("datetime64[us]") or column.dt.floor("us"), or give the order of the '
        "events as whole numbers"
    )


def parse_iso_time(text: str) -> datetime.datetime:
    """Return the time that a text in ISO's form names, in UTC.

    Raises
    ------
    AmbiguousTimeError
        If it is a date with what may be a distance from UTC or a time of day.
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
    when = iso_times.parse_any_zone(text.strip().removesuffix(" UTC"))
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
    ticks: dict[Any, int] = {}
    for text in dict.fromkeys(texts):
        if not isinstance(text, str):  # an empty cell
            _refuse_no_time(texts.index(text), name)
        try:
            ticks[text] = (parse_iso_time(text) - _EPOCH) // _MICROSECOND
        except iso_times.AmbiguousTimeError as problem:
            raise ValueError(f"row {texts.index(text)} has the {name} {problem}") from None
        except ValueError:
            raise ValueError(
                f"row {texts.index(text)} has the {name} {text!r:.60}, a text that is no time in "
                "ISO's form, such as 2024-01-31T18:30:00 or 2024-01-31T18:30:00+01:00. Turn the "
                "column into datetimes, pandas.to_datetime(…, format=…, utc=True), or into whole "
                "numbers of seconds since 1970"
            ) from None
        if is_finer(text):
            _refuse_finer(texts.index(text), text, name)
    return _of_microseconds(np.array([ticks[text] for text in texts], dtype=np.int64), name)


def is_finer(text: str) -> bool:
    """Whether a time in ISO's form has digits beyond microseconds, which Python cuts off."""
    return bool(re.search(FINER_TIME, text))


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
    highest = numbers.max().item()
    if highest < _LATEST:
        _refuse_dates(numbers, name)
        return
    row = int(numbers.argmax())
    raise ValueError(f"row {row} has the {name} {explain_unit(highest)}")


def explain_unit(number: float) -> str:
    """Return what a number that is too large for seconds may mean; "" of any other number."""
    if number < _LATEST:
        return ""
    readings = []
    for unit, per_second in _UNITS:
        seconds = int(number) // per_second if math.isfinite(number) else _LATEST
        if seconds < _LATEST:
            date = datetime.datetime.fromtimestamp(seconds, datetime.UTC).date()
            readings.append(f"{date} in {unit} (divide by {per_second:,})")
    return (
        f"{number}, which in seconds is a date after the year 2200. It would be "
        f"{' or '.join(readings) or 'no date in nanoseconds either'}; give seconds since 1970, or "
        "datetimes"
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
