"""What each library would report: a metric of a reader's lists, by each library's definition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recsys_metrics import evaluate
from recsys_metrics.evaluation import Report, Result
from recsys_metrics.evaluation._table_style import DEFAULT_STYLE
from recsys_metrics.measures import Measure
from recsys_metrics.peers import interpretations
from recsys_metrics.workbook.browser.upload_evaluation._pictures import PlottedValue, draw_dots
from recsys_metrics.workbook.common.tables import table

Rows = Mapping[Any, Mapping[Any, float]]
# By metric: how each value is defined, the value, and who reports it, the largest value first.
Readings = Mapping[Measure, list[tuple[str, float, str]]]
# Two sums of the same numbers in another order are one number.
_SAME = 12
OURS = "this page"
TITLE = "What each library would report"


def find_readings(lists: Rows, truth: Rows, report: Report, threshold: float | None) -> Readings:
    """Return what each library would report for the metrics of a report.

    Parameters
    ----------
    lists, truth : mapping
        For each user a score, or a grade, of each item.
    report : Report
        Of those lists: the metrics to look at.
    threshold : float or None
        The lowest grade that counts as relevant.
    """
    theirs = {made: read for made in report.results if (read := _find_readers(made))}
    asked = {made for read in theirs.values() for made in read.values()}
    values = _values(asked, lists, truth, threshold)
    return {made: _groups(report[made], read, values) for made, read in theirs.items()}


def render_readings(readings: Readings) -> str:
    """Return the values of the libraries as dots, the first metric's in view; nothing without any.

    Parameters
    ----------
    readings : mapping
        What `find_readings` returned.
    """
    if not readings:
        return ""
    first, *others = [_draw(made, groups) for made, groups in readings.items()]
    more = f"The other {len(others)} metrics" if len(others) > 1 else "The other metric"
    folded = f"<details><summary>{more}</summary>{''.join(others)}</details>" if others else ""
    return (
        f"<h2>{TITLE}</h2>{first}{folded}"
        "<p><small>The lists are the same; the libraries define a metric of that name in several "
        "ways. A user with nothing relevant counts as each library counts one. Where scores tie, "
        "or a user has no list, a library may differ once more. A library that refuses these "
        "grades is left out.</small></p>"
    )


def _draw(made: Measure, groups: list[tuple[str, float, str]]) -> str:
    rows = [
        PlottedValue(whose, value, note=text, hollow=OURS not in whose.split(", "))
        for text, value, whose in groups
    ]
    low, high = DEFAULT_STYLE.number(rows[-1].value), DEFAULT_STYLE.number(rows[0].value)
    finding = f"from {low} to {high}" if low != high else f"{low} in each library"
    legend = "The filled dot is the definition that this page uses." if low != high else ""
    return draw_dots(f"{made} of the same lists: {finding}", rows, legend)


def tabulate_readings(readings: Readings) -> str:
    """Return the values of the libraries as a table; nothing without any."""
    if not readings:
        return ""
    rows = [row for groups in readings.values() for row in groups]
    shown = table(["Definition", "Value", "Reported by"], rows)._repr_html_()
    return (
        f"<p><strong>{TITLE}</strong></p>"
        f'<div style="overflow-x:auto" tabindex="0" role="region" aria-label="{TITLE}">'
        f"{shown}</div>"
        "<p><small>Where several definitions give one value, the shortest is written.</small></p>"
    )


def _find_readers(made: Measure) -> dict[str, Measure]:
    """Return the measure of each library that cuts where this one does."""
    try:
        found = interpretations(made.name, made.k)
    except ValueError:
        return {}
    return {who: read for who, read in found.items() if read.k == made.k}


def _values(
    asked: set[Measure], lists: Rows, truth: Rows, threshold: float | None
) -> dict[Measure, float]:
    found = {}
    for made in asked:
        try:
            report = evaluate(lists, truth, [made], threshold=threshold)
        except (ValueError, MemoryError):
            continue  # of grades that it does not take, or an ideal list down to a huge cut-off
        found[made] = report[made].value
    return found


def _groups(
    ours: Result, theirs: Mapping[str, Measure], values: Mapping[Measure, float]
) -> list[tuple[str, float, str]]:
    """Return how each value is read, and who reports it, the largest first."""
    groups: dict[float, dict[str, Measure]] = {round(ours.value, _SAME): {OURS: ours.measure}}
    for who, made in theirs.items():
        if made in values:
            groups.setdefault(round(values[made], _SAME), {})[who] = made
    found = []
    for value in sorted(groups, reverse=True):
        texts = sorted((str(made) for made in groups[value].values()), key=len)
        found.append((texts[0], value, ", ".join(_titles(groups[value], theirs))))
    return found


def _titles(group: Mapping[str, Measure], everybody: Mapping[str, Measure]) -> list[str]:
    """Return the libraries of a group, with their name of the measure where they have several."""
    elsewhere = {who.rpartition(" ")[0] for who in everybody if who not in group}
    return list(
        dict.fromkeys(
            who if who.rpartition(" ")[0] in elsewhere or who == OURS else who.rpartition(" ")[0]
            for who in group
        )
    )
