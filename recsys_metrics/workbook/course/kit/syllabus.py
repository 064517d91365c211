"""The parts of the workbook spread over the weeks of a course."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from recsys_metrics._core import console
from recsys_metrics.workbook.common.toc import list_pages, read_minutes
from recsys_metrics.workbook.exercises import PARTS
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.grading.limits import GradingError

_OUTCOMES = re.compile(r"^In detail, you will be able to\n\n((?:- .+\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """A part of the workbook as a course plans with it.

    Attributes
    ----------
    stem, title : str
        The name of its file, and of its page.
    minutes : int
        To read it, run it, and do its exercises, as it says itself.
    outcomes : tuple of str
        What somebody is able to do after it, in markdown.
    exercises : tuple of Exercise
    """

    stem: str
    title: str
    minutes: int
    outcomes: tuple[str, ...]
    exercises: tuple[Exercise, ...]


def parts_of(chapters: Path, toc: Mapping[str, Any]) -> list[Part]:
    """Return the parts in the order of the book.

    Parameters
    ----------
    chapters : Path
        The folder of the texts.
    toc : mapping
        The table of contents.

    Raises
    ------
    GradingError
        If a text is not there or does not say how long it takes.
    """
    found = []
    for path, title in list_pages(toc):
        if path.parts[0] != "chapters" or path.name not in PARTS:
            continue
        file = chapters / f"{path.name}.md"
        minutes = read_minutes(file)
        if minutes is None:
            raise GradingError(f"{file} is missing or does not say how many minutes it takes")
        told = _OUTCOMES.search(file.read_text(encoding="utf-8"))
        outcomes = re.findall(r"^- (.+?)[;.]?$", told[1], re.MULTILINE) if told else []
        found.append(Part(path.name, title, minutes, tuple(outcomes), PARTS[path.name]))
    return found


def weeks_of(parts: Sequence[Part], weeks: int) -> list[list[Part]]:
    """Spread parts over weeks, in their order, so that the fullest week is as light as can be.

    Parameters
    ----------
    parts : sequence of Part
    weeks : int
        At most as many as there are parts.

    Raises
    ------
    GradingError
        If there are fewer parts than weeks, or no week.
    """
    if not 1 <= weeks <= len(parts):
        raise GradingError(f"{len(parts)} parts fill 1 to {len(parts)} weeks, and not {weeks}")
    load = [part.minutes for part in parts]

    @cache
    def best(start: int, left: int) -> tuple[int, int, int]:
        """Return the fullest week, the sum of squares, and where the first week ends."""
        if left == 1:
            rest = sum(load[start:])
            return rest, rest**2, len(load)
        options = []
        for end in range(start + 1, len(load) - left + 2):
            first = sum(load[start:end])
            fullest, squares, _ = best(end, left - 1)
            options.append((max(first, fullest), first**2 + squares, end))
        return min(options)

    found, start = [], 0
    for left in range(weeks, 0, -1):
        end = best(start, left)[2]
        found.append(list(parts[start:end]))
        start = end
    return found


def mondays(start: date, weeks: int, skip: Sequence[date] = ()) -> list[date]:
    """Return the day on which each week of a course begins.

    Parameters
    ----------
    start : date
        Of the first week.
    weeks : int
        How many are taught.
    skip : sequence of date
        A week in which one of these days lies is not taught.

    Raises
    ------
    GradingError
        If one of these days lies before the course, or after its end.

    Examples
    --------
    >>> [str(day) for day in mondays(date(2026, 12, 14), 2, [date(2026, 12, 25)])]
    ['2026-12-14', '2026-12-28']
    """
    left, found, day = set(skip), list[date](), start
    while len(found) < weeks:
        here = {one for one in left if 0 <= (one - day).days < 7}
        if not here:
            found.append(day)
        left -= here
        day += timedelta(days=7)
    if left:
        raise GradingError(
            f"{min(left)} lies in no week between {start} and {found[-1]}; leave out --skip of it"
        )
    return found


def as_markdown(
    name: str, weeks: Sequence[Sequence[Part]], days: Sequence[date] | None = None
) -> str:
    """Return a plan as markdown.

    Parameters
    ----------
    name : str
        Of the course.
    weeks : sequence of sequences of Part
    days : sequence of date, optional
        On which day each week begins.
    """
    begins = [f"{day.day} {day:%B %Y}" for day in days] if days else []
    total = sum(part.minutes for week in weeks for part in week)
    lines = [
        f"# {_as_heading(name)}",
        "",
        f"{len(weeks)} weeks, {_hours(total)} in all: reading, running and exercises, as the parts "
        "themselves say. Lectures, the assignments' own time and an exam come on top.",
        "",
        f"| Week |{' Begins |' if begins else ''} Parts | Hours | Exercises |",
        f"| ---: |{' --- |' if begins else ''} --- | ---: | ---: |",
    ]
    for number, week in enumerate(weeks, 1):
        names = "; ".join(part.title for part in week)
        count = sum(bool(one.points) for part in week for one in part.exercises)
        hours = sum(part.minutes for part in week) / 60
        begin = f" {begins[number - 1]} |" if begins else ""
        lines.append(f"| {number} |{begin} {names} | {hours:.1f} | {count} |")
    for number, week in enumerate(weeks, 1):
        begin = f", from {begins[number - 1]}" if begins else ""
        lines += ["", f"## Week {number}{begin}", ""]
        for part in week:
            lines += [f"### {part.title}", "", f"About {part.minutes} minutes.", ""]
            if part.outcomes:
                lines += ["Able to:", "", *(f"- {each}" for each in part.outcomes), ""]
            graded = [one for one in part.exercises if one.points]
            if graded:
                listed = ", ".join(f"`{one.id}` ({one.points})" for one in graded)
                lines += [f"Exercises, with their points: {listed}.", ""]
    return "\n".join(lines).rstrip() + "\n"


def _as_heading(name: str) -> str:
    r"""Return a name as one line, without its own marks of Markdown.

    A colon and an ampersand are no marks in a heading, and who opens the file sees what stands
    there.

    >>> print(_as_heading("Vorlesung: A & B"), _as_heading("*<b>* [x](y) R&amp;D"))
    Vorlesung: A & B \*\<b>\* \[x](y) R\&amp;D
    """
    line = console.one_line(" ".join(name.split()))
    return re.sub(r"[\\`*_\[<#$]|&(?=#?\w+;)", r"\\\g<0>", line)


def _hours(minutes: int) -> str:
    """Return minutes as hours.

    >>> _hours(90), _hours(60)
    ('1.5 hours', '1.0 hours')
    """
    return f"{minutes / 60:.1f} hours"
