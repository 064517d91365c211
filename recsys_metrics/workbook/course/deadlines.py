"""When an assignment is due, what lateness costs, and who has longer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from recsys_metrics.workbook.course.setting_names import SettingError, find_unknown, join_keys
from recsys_metrics.workbook.grading.points import format_points

# A year, in minutes.
_LONGEST_GRACE = 366 * 24 * 60.0
_UNITS = {"hour": timedelta(hours=1), "day": timedelta(days=1)}
_TABLE = "deadlines"
SETTINGS = ("due", "grace_minutes", "late_percent", "late_per", "late_at_most", "extensions")


@dataclass(frozen=True)
class Late:
    """How late a submission is, and what that costs.

    Attributes
    ----------
    by : timedelta
        Time after the student's deadline.
    started : int
        Hours or days of it, each that has begun counted whole.
    unit : str
        "hour" or "day".
    rate, percent : float
        What each costs, and all of them together, in percent of the points reached.
    at_most : float
        What lateness costs at most.
    """

    by: timedelta
    started: int
    unit: str
    rate: float
    percent: float
    at_most: float

    def points(self, reached: float) -> float:
        """Return what counts of the points that were reached, unrounded as they are."""
        return reached * (1 - self.percent / 100)

    def said(self, reached: float) -> str:
        """Return the arithmetic, in words."""
        late = f"handed in {_span(self.by)} late"
        if not self.rate:
            return f"{late}, which costs nothing"
        sum_ = f"{self.rate:g}% for 1 {self.unit} begun"
        if self.started > 1:
            every = self.started * self.rate
            sum_ = f"{self.rate:g}% for each of {self.started} {self.unit}s begun makes {every:g}%"
        if self.started * self.rate > self.percent:
            sum_ += f", at most {self.at_most:g}%"
        counts = format_points(self.points(reached))
        return f"{late}: {sum_}, so {format_points(reached)} points count as {counts}"


@dataclass(frozen=True)
class Deadline:
    """When an assignment is due.

    Attributes
    ----------
    due : datetime
    grace : timedelta
        So much later is not late. Who is later than that is late from `due` on.
    percent : float
        What each hour or day of lateness costs, in percent of the points reached.
    unit : str
        "hour" or "day".
    at_most : float
        What lateness costs at most, in percent.
    extensions : mapping
        Other due dates, by student.
    """

    due: datetime
    grace: timedelta = timedelta()
    percent: float = 0.0
    unit: str = "day"
    at_most: float = 100.0
    extensions: Mapping[str, datetime] = field(default_factory=dict)

    def of(self, student: str) -> datetime:
        """Return when a student's submission is due."""
        return self.extensions.get(student, self.due)

    def as_words(self, student: str) -> str:
        """Return when a student's submission is due, in words.

        Examples
        --------
        >>> from datetime import UTC
        >>> Deadline(datetime(2026, 11, 5, 23, 59, tzinfo=UTC)).as_words("ann")
        'Thursday, 5 November 2026, 23:59 (UTC)'
        """
        due = self.of(student)
        return f"{due:%A}, {due.day} {due:%B %Y, %H:%M} ({due.tzname()})"

    def late(self, student: str, when: datetime) -> Late | None:
        """Return how late a submission is; None if it is in time.

        Examples
        --------
        >>> from datetime import UTC
        >>> deadline = Deadline(datetime(2026, 11, 20, 12, tzinfo=UTC), percent=10)
        >>> late = deadline.late("ann", datetime(2026, 11, 21, 15, tzinfo=UTC))
        >>> print(late.said(8).partition(", ")[0])
        handed in 1 day 3 hours late: 10% for each of 2 days begun makes 20%
        """
        # Of two times in one zone Python takes the clock's difference, also across daylight saving.
        by = when.astimezone(UTC) - self.of(student).astimezone(UTC)
        if by <= self.grace or by <= timedelta():
            return None
        started = math.ceil(by / _UNITS[self.unit])
        percent = min(started * self.percent, self.at_most)
        return Late(by, started, self.unit, self.percent, percent, self.at_most)


def read(given: Any, zone: str | None) -> dict[str, Deadline]:
    """Return the deadlines that settings name, by assignment.

    Parameters
    ----------
    given
        The table `deadlines` of the settings.
    zone : str or None
        The zone of times that name none: "Europe/Berlin".

    Raises
    ------
    SettingError
        If it makes no sense; the message says which setting, what it is and what it should be.
    """
    if not isinstance(given, dict):
        raise SettingError(
            "`deadlines` is no table; write [deadlines.ps1] and below it `due = …`", [_TABLE]
        )
    return {name: _deadline([_TABLE, name], table, zone) for name, table in given.items()}


def _deadline(path: list[str], table: Any, zone: str | None) -> Deadline:
    where = join_keys(path)
    if not isinstance(table, dict):
        cure = (
            "write [deadlines.ps1] above it, with the name of the assignment"
            if path[-1] in SETTINGS
            else f"write [{where}] with `due = …` below it"
        )
        raise SettingError(f"{where} is no table; {cure}", path)
    if unknown := find_unknown(table, SETTINGS):
        name, guess = unknown
        raise SettingError(
            f"[{where}] has no setting `{join_keys([name])}`; {guess}", [*path, name]
        )
    if "due" not in table:
        raise SettingError(f"[{where}] has no `due`; write `due = 2026-11-20T23:59:00+01:00`", path)
    unit = table.get("late_per", "day")
    if not isinstance(unit, str) or unit not in _UNITS:
        raise SettingError(
            f'{where}.late_per is {unit!r:.40}; it is "hour" or "day"', [*path, "late_per"]
        )
    extensions = table.get("extensions", {})
    if not isinstance(extensions, dict):
        raise SettingError(
            f"[{where}.extensions] is no table; write `ann = 2026-11-27T23:59:00Z`",
            [*path, "extensions"],
        )
    due = _moment([*path, "due"], table["due"], zone)
    return Deadline(
        due=due,
        grace=timedelta(minutes=_number(path, table, "grace_minutes", 0.0, _LONGEST_GRACE)),
        percent=_number(path, table, "late_percent", 0.0, 100.0),
        unit=unit,
        at_most=_number(path, table, "late_at_most", 100.0, 100.0),
        extensions={
            str(student): _extension([*path, "extensions", student], when, zone, due)
            for student, when in extensions.items()
        },
    )


def _extension(path: list[str], value: Any, zone: str | None, due: datetime) -> datetime:
    """Return a student's own due date, which is never before that of the others."""
    if isinstance(value, dict):
        divided = [*path]
        while isinstance(value, dict) and value:
            key, value = next(iter(value.items()))
            divided.append(key)
        if len(divided) == len(path):
            raise SettingError(
                f"[{join_keys(path)}] is a table; write {join_keys(path[-1:])} = "
                f"2026-11-27T23:59:00Z below [{join_keys(path[:-1])}]",
                path,
            )
        student = ".".join(divided[len(path) - 1 :])
        raise SettingError(
            f"[{join_keys(path[:-1])}] has `{student}` without quotation marks, and TOML reads a "
            f'dot as the start of another table; write "{student}" = …',
            divided,
        )
    when, where = _moment(path, value, zone), join_keys(path)
    if when.astimezone(UTC) < due.astimezone(UTC):
        raise SettingError(
            f"{where} is {when}, and the assignment is due at {due}: an extension would take time "
            "away. Correct the date of one of them, or remove the extension",
            path,
        )
    return when


def _moment(path: list[str], value: Any, zone: str | None) -> datetime:
    where = join_keys(path)
    if not isinstance(value, datetime):
        raise SettingError(
            f"{where} is {value!r:.60}; write a date and a time: 2026-11-20T23:59:00+01:00", path
        )
    if value.tzinfo is None and zone is None:
        raise SettingError(
            f"{where} is {value} in no time zone; write its distance from UTC "
            '(2026-11-20T23:59:00+01:00), or `time_zone = "Europe/Berlin"` above the first table',
            path,
        )
    try:
        return (
            _in_range(where, value) if zone is None or value.tzinfo else in_zone(where, value, zone)
        )
    except ValueError as problem:
        raise SettingError(str(problem), path) from None


def in_zone(where: str, value: datetime, zone: str) -> datetime:
    """Return a time that names no zone as one of a zone.

    Raises
    ------
    ValueError
        If the clocks of the zone show it twice or never, or it has no time in UTC.
    """
    first, second = (value.replace(tzinfo=ZoneInfo(zone), fold=fold) for fold in (0, 1))
    _in_range(where, first)
    if first.utcoffset() != second.utcoffset():
        times = "twice" if first.astimezone(UTC) < second.astimezone(UTC) else "never"
        raise ValueError(
            f"{where} is {value}, and the clocks of {zone} show that time {times} on that day, "
            "because they are changed; write its distance from UTC, "
            f"{first.isoformat()} or {second.isoformat()}"
        )
    return first


def _in_range(where: str, value: datetime) -> datetime:
    """Return a time that has a time in UTC, too."""
    try:
        value.astimezone(UTC)
    except OverflowError:
        raise ValueError(
            f"{where} is {value}, and in UTC that is in no year from 1 to 9999; give another date"
        ) from None
    return value


def _number(
    path: list[str], table: dict[str, Any], name: str, default: float, most: float
) -> float:
    value, path = table.get(name, default), [*path, name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise SettingError(
            f"{join_keys(path)} is {value!r:.40}; give a number from 0 to {most:,.0f}", path
        )
    return float(value)


def _span(by: timedelta) -> str:
    """Return a time in its two largest units."""
    minutes = max(1, math.ceil(by.total_seconds() / 60))
    days, rest = divmod(minutes, 24 * 60)
    hours, minutes = divmod(rest, 60)
    parts = [(days, "day"), (hours, "hour"), (minutes, "minute")]
    told = [f"{count} {name}{'s' if count > 1 else ''}" for count, name in parts if count]
    return " ".join(told[:2])
