"""Who would report which number: a metric of a reader's lists, as each library reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recsys_metrics import evaluate
from recsys_metrics.evaluation import Report, Result
from recsys_metrics.measures import Measure
from recsys_metrics.peers import interpretations
from recsys_metrics.workbook.common.tables import table

Rows = Mapping[Any, Mapping[Any, float]]
# Two sums of the same numbers in another order are one number.
_SAME = 12
OURS = "this page"
TITLE = "Who would report which number"


def render_readings(lists: Rows, truth: Rows, report: Report, threshold: float | None) -> str:
    """Return what each library would report, as a table in HTML; nothing if none has any of it.

    Parameters
    ----------
    lists, truth : mapping
        For each user a score, or a grade, of each item.
    report : Report
        Of those lists: what is asked for.
    threshold : float or None
        The lowest grade that counts as relevant.
    """
    theirs = {made: read for made in report.results if (read := _find_readers(made))}
    if not theirs:
        return ""
    values = _values(
        {made for read in theirs.values() for made in read.values()}, lists, truth, threshold
    )
    rows = [row for made, read in theirs.items() for row in _groups(report[made], read, values)]
    shown = table(["Read as", "Value", "Reported by"], rows)._repr_html_()
    return (
        f"<h3>{TITLE}</h3>"
        "<p>The same lists, read as each library reads a measure of that name. "
        "Where several readings give one value, the shortest is written.</p>"
        f'<div style="overflow-x:auto" tabindex="0" role="region" aria-label="{TITLE}">'
        f"{shown}</div>"
        "<p><small>A user with nothing relevant counts as each library counts one. Where scores "
        "tie, or a user has no list, a library may differ once more. Who refuses these grades is "
        "left out.</small></p>"
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
        except ValueError:
            continue  # of grades that it does not take
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
