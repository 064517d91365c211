"""When a submission was handed in, by the table that a learning system gives.

Moodle calls it the grading worksheet (assignment, "Download grading worksheet"): its columns
"Identifier", "Full name", "Email address" and "Last modified (submission)", in English. For any
other system: a CSV file with the columns `id` and `submitted`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from recsys_metrics._core import console
from recsys_metrics.workbook.course import text_tables
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
# Moodle's langconfig: "%A, %d %B %Y, %I:%M %p".
_WORDS = re.compile(
    r"(?:\w+, )?(\d{1,2}) (\w+) (\d{4}), (\d{1,2}):(\d{2})[\s\u202f]*([AaPp])\.?[Mm]\.?"
)
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)


@dataclass
class Worksheet:
    """What the table says.

    Attributes
    ----------
    participants : dict
        For each of Moodle's numbers, e-mail and name.
    by_name : dict
        When somebody handed in, by Moodle's number and the names that the table has.
    """

    participants: dict[str, tuple[str, ...]] = field(default_factory=dict)
    by_name: dict[tuple[str, ...], datetime] = field(default_factory=dict)

    def times(self, identities: Identities) -> Mapping[str, datetime]:
        """Return when each student handed in."""
        found = {}
        for names, when in self.by_name.items():
            students = identities.whose(*names[1:], number=names[0])
            if len(students) == 1:
                found[students[0]] = when
        return found


def read(course: Course, file: Path) -> Worksheet:
    """Return what a learning system's table says.

    Raises
    ------
    GradingError
        If it cannot be read, or a time in it makes no sense.
    """
    content = text_tables.read_text(file, "the times")
    (_, first), *rows = text_tables.read_rows(file, content) or [(1, [])]
    head = [name.strip().casefold() for name in first]
    text_tables.refuse_repeated_columns(file, head)
    sheet = Worksheet()
    for line, row in rows:
        where = f"{file}, line {line}"
        text_tables.refuse_more_cells(where, head, row)
        cells = dict(zip(head, (cell.strip() for cell in row), strict=False))
        if _MOODLE["when"] in head:
            number = re.search(r"\d+$", cells.get(_MOODLE["who"], ""))
            names = tuple(filter(None, (cells.get(_MOODLE[one]) for one in ("email", "name"))))
            if number is not None:
                sheet.participants[number[0]] = names
            names = (number[0] if number else "", *names)
            when = cells.get(_MOODLE["when"], "")
        elif {"id", "submitted"} <= {*head}:
            names, when = ("", cells.get("id", "")), cells.get("submitted", "")
        else:
            raise GradingError(
                f"{file} has neither the columns `id` and `submitted` nor Moodle's `Identifier` "
                "and `Last modified (submission)`; its first line is "
                f"{console.printable(','.join(head))}"
            )
        if when not in _NEVER:
            moment = _moment(course, where, when)
            if sheet.by_name.get(names, moment) != moment:
                raise GradingError(
                    f"{where}: {console.printable(', '.join(filter(None, names)))} stands there a "
                    "second time, with another time; leave the one that counts"
                )
            sheet.by_name[names] = moment
    return sheet


def _moment(course: Course, where: str, text: str) -> datetime:
    no_time = GradingError(
        f"{where}: {console.printable(text)!r} is no time; write 2026-11-20T23:59:00+01:00"
    )
    try:
        when = _in_words(text) or datetime.fromisoformat(text)
        # The first and the last day have no time in each zone.
        when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        raise no_time from None
    if re.fullmatch(r"\d{4}-?\d{2}-?\d{2}|\d{4}-?W\d{2}(-?\d)?", text):
        raise no_time  # a day alone would be its first moment
    if when.tzinfo is not None:
        return when
    if course.time_zone is None:
        raise GradingError(
            f"{where}: {console.printable(text)!r} names no time zone; write "
            '`time_zone = "Europe/Berlin"` into course.toml, above the first table'
        )
    return when.replace(tzinfo=ZoneInfo(course.time_zone))


def _in_words(text: str) -> datetime | None:
    found = _WORDS.fullmatch(text)
    if found is None or found[2].casefold() not in _MONTHS:
        return None
    month = _MONTHS.index(found[2].casefold()) + 1
    hour = int(found[4]) % 12 + (12 if found[6] in "pP" else 0)
    return datetime(int(found[3]), month, int(found[1]), hour, int(found[5]))
