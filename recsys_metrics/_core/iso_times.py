"""Texts that name a time in ISO's form."""

from __future__ import annotations

import re
from datetime import datetime

_DATE = r"\d{4}-?\d{2}-?\d{2}|\d{4}-?W\d{2}(?:-?\d)?"
_DATE_WITH_ZONE = re.compile(rf"({_DATE})[-+\u2212\u00b1Zz](\d{{2}})(?::?(\d{{2}}))?", re.ASCII)
_DATE_ALONE = re.compile(_DATE, re.ASCII)


class AmbiguousTimeError(ValueError):
    """A text is a date with a distance from UTC, or a date with a time of day."""


def parse_any_zone(text: str) -> datetime:
    """Return the time that a text names, without a time zone if the text has none.

    Python takes any sign between the date and the time, so of a date with a distance from UTC it
    would make a time of day.

    Raises
    ------
    AmbiguousTimeError
        If it is a date with what may be either.
    ValueError
        If it is in another form.

    Examples
    --------
    >>> parse_any_zone("2026-11-20T23:59:00+01:00").isoformat()
    '2026-11-20T23:59:00+01:00'
    >>> parse_any_zone("2026-11-20+01:00")
    Traceback (most recent call last):
        ...
    recsys_metrics._core.iso_times.AmbiguousTimeError: '2026-11-20+01:00' is a date, and 01:00 ...
    """
    found = _DATE_WITH_ZONE.fullmatch(text)
    when = datetime.fromisoformat(text)
    if found is None:
        return when
    date, hour, minute = found[1], found[2], found[3] or "00"
    sign = "+" if text[len(date)] in "+\u00b1Zz" else "-"
    raise AmbiguousTimeError(
        f"{text!r} is a date, and {hour}:{minute} may be its distance from UTC or the time of day; "
        f"write the time as well, {when.isoformat(timespec='minutes')} or "
        f"{when.date()}T00:00{sign}{hour}:{minute}"
    )


def is_date_alone(text: str) -> bool:
    """Return whether a text is a date without a time of day.

    >>> is_date_alone("2026-11-20"), is_date_alone("2026-11-20T23:59")
    (True, False)
    """
    return _DATE_ALONE.fullmatch(text) is not None
