"""When a submission was handed in, by the table that a learning system gives.

Moodle calls it the grading worksheet (assignment, "Download grading worksheet"): its columns
"Identifier", "Full name", "Email address" and "Last modified (submission)", in English. For any
other system: a CSV file with the columns `id` and `submitted`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from recsys_metrics._core import console, iso_times
from recsys_metrics.workbook.course import deadlines, text_tables
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.identity import Identities
from recsys_metrics.workbook.grading.limits import GradingError

_MOODLE = {
    "who": "identifier",
    "name": "full name",
    "email": "email address",
    "when": "last modified (submission)",
}
_NEVER = {"", "-"}
_EXAMPLE = "2026-11-20T23:59:00+01:00"
# Moodle's langconfig: "%A, %d %B %Y, %I:%M %p".
_WORDS = re.compile(
    r"(?:(\w+), )?(\d{1,2}) (\w+) (\d{4}), (\d{1,2}):(\d{2})[\s\u202f]*([AaPp])\.?[Mm]\.?"
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)


@dataclass(frozen=True)
class SubmissionTime:
    """A row of the table.

    Attributes
    ----------
    where : str
        The file and the line.
    names : tuple of str
        Moodle's number, which may be empty, and the names that the row has.
    when : datetime
    """

    where: str
    names: tuple[str, ...]
    when: datetime

    def __str__(self) -> str:
        return f"{self.where} ({console.printable(', '.join(filter(None, self.names)))})"


@dataclass
class Worksheet:
    """What the table says.

    Attributes
    ----------
    participants : dict
        For each of Moodle's numbers, e-mail and name.
    rows : list of SubmissionTime
    """

    participants: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rows: list[SubmissionTime] = field(default_factory=list)

    def times(
        self, identities: Identities
    ) -> tuple[Mapping[str, datetime], Sequence[SubmissionTime]]:
        """Return when each student handed in, and the rows that name no student or several.

        Raises
        ------
        GradingError
            If two rows give one student different times.
        """
        found: dict[str, SubmissionTime] = {}
        unknown = []
        for row in self.rows:
            students = identities.whose(*row.names[1:], number=row.names[0])
            if len(students) != 1:
                unknown.append(row)
                continue
            other = found.setdefault(students[0], row)
            if other.when != row.when:
                raise GradingError(
                    f"two rows give {students[0]} different times: {other} and {row}; remove the "
                    "row that does not count"
                )
        return {student: row.when for student, row in found.items()}, unknown


def read(course: Course, file: Path) -> Worksheet:
    """Return what a learning system's table says.

    Raises
    ------
    GradingError
        If it cannot be read, or a time in it makes no sense.
    """
    content = text_tables.read_text(file, "the times")
    delimiter = text_tables.find_delimiter(content)
    (_, first), *rows = text_tables.read_rows(file, content) or [(1, [])]
    head = [name.strip().casefold() for name in first]
    text_tables.refuse_repeated_columns(file, head)
    if _MOODLE["when"] not in head and not {"id", "submitted"} <= {*head}:
        raise GradingError(
            f"{file} has neither the columns `id` and `submitted` nor Moodle's `Identifier` and "
            "`Last modified (submission)`; its first line is "
            f"{console.printable(','.join(head)) or 'blank'}"
        )
    sheet = Worksheet()
    for line, row in rows:
        where = f"{file}, line {line}"
        text_tables.refuse_more_cells(where, head, row, delimiter=delimiter)
        cells = dict(zip(head, (cell.strip() for cell in row), strict=False))
        if _MOODLE["when"] in head:
            number = re.search(r"\d+$", cells.get(_MOODLE["who"], ""))
            names = tuple(filter(None, (cells.get(_MOODLE[one]) for one in ("email", "name"))))
            if number is not None:
                sheet.participants[number[0]] = names
            names = (number[0] if number else "", *names)
            when = cells.get(_MOODLE["when"], "")
        else:
            names, when = ("", cells.get("id", "")), cells.get("submitted", "")
        if when not in _NEVER:
            sheet.rows.append(SubmissionTime(where, names, _moment(course, where, when)))
    return sheet


def _moment(course: Course, where: str, text: str) -> datetime:
    no_time = GradingError(f"{where}: {console.printable(text)!r} is no time; write {_EXAMPLE}")
    try:
        when = _in_words(where, text) or iso_times.parse_any_zone(text)
        # The first and the last day have no time in each zone.
        when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC)
    except iso_times.AmbiguousTimeError as problem:
        raise GradingError(f"{where}: {problem}") from None
    except (ValueError, OverflowError):
        raise no_time from None
    if iso_times.is_date_alone(text):
        raise no_time  # a day alone would be its first moment
    if when.tzinfo is not None:
        return when
    if course.time_zone is None:
        raise GradingError(
            f"{where}: {console.printable(text)!r} names no time zone; write "
            '`time_zone = "Europe/Berlin"` into course.toml, above the first table'
        )
    try:
        return deadlines.in_zone(f"{where}: the time", when, course.time_zone)
    except ValueError as problem:
        raise GradingError(str(problem)) from None


def _in_words(where: str, text: str) -> datetime | None:
    found = _WORDS.fullmatch(text)
    if found is None or found[3].casefold() not in _MONTHS:
        return None
    weekday, day, month, year, hour, minute, half = found.groups()
    # A clock of twelve hours shows neither 0 nor 13.
    if not 1 <= int(hour) <= 12:
        raise GradingError(
            f"{where}: {console.printable(text)!r} has the hour {int(hour)}, and with AM or PM an "
            f"hour is 1 to 12; write the time in the form {_EXAMPLE}"
        )
    date = datetime(int(year), _MONTHS.index(month.casefold()) + 1, int(day))
    if weekday and not _DAYS[date.weekday()].casefold().startswith(weekday.casefold()):
        raise GradingError(
            f"{where}: {console.printable(text)!r} is no {weekday}: {date.date()} is a "
            f"{_DAYS[date.weekday()]}; correct one of them, or write the time in the form "
            f"{_EXAMPLE}"
        )
    return date.replace(hour=int(hour) % 12 + 12 * (half in "pP"), minute=int(minute))
