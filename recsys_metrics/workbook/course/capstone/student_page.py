"""The page that a student gets back: levels with their anchors, faults, numbers, and the truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from recsys_metrics.workbook.course.capstone import marker_page
from recsys_metrics.workbook.course.capstone.marking import Marked
from recsys_metrics.workbook.course.capstone.rubric import MOST, criteria
from recsys_metrics.workbook.grading.escaped_html import escape_html
from recsys_metrics.workbook.grading.points import format_points
from recsys_metrics.workbook.grading.static_page import render_page


def page(
    title: str,
    name: str,
    marked: Marked,
    levels: Mapping[str, float],
    comments: Sequence[str],
    truth: Mapping[str, float],
) -> str:
    """Return a page.

    Parameters
    ----------
    title, name : str
        Of the capstone, and of the student.
    marked : Marked
    levels : mapping of str to float
        By criterion, the mean over the markers.
    comments : sequence of str
        What the markers wrote.
    truth : mapping of str to float
        What the simulated people did; the marking is over, so it is shown.
    """
    points = sum(levels.values())
    body = [
        f"<h1>{escape_html(title)}</h1>",
        f"<p>{escape_html(name)}: <strong>{format_points(points)} of "
        f"{MOST * len(levels)} points</strong></p>",
        *(f"<p>{escape_html(one)}</p>" for one in comments),
        "<h2>The rubric</h2>",
        *_of_levels(levels),
        "<h2>What was wrong with the data</h2>",
        marker_page.table(
            ["Fault", "What it is", "In your report", "Shown by"],
            marker_page.of_faults(marked),
            numbers=(),
        ),
        "<h2>Your numbers</h2>",
        marker_page.table(
            ["Name", "Cited", "Recomputed", ""], map(marker_page.of_number, marked.numbers)
        ),
        "<h2>The test</h2>",
        f"<p>{escape_html(marker_page.of_test(marked))}</p>",
        "<h2>The truth</h2>",
        "<p>The people of the shop are simulated, so what really happens is known.</p>",
        marker_page.of_truth(truth),
    ]
    return render_page(title, "\n".join(body), style=marker_page.STYLE)


def refusal(title: str, name: str, problem: str) -> str:
    """Return the page of a student who handed in something that is no report.

    Parameters
    ----------
    title, name : str
        Of the capstone, and of the student.
    problem : str
        What was handed in, and why it was not taken.
    """
    body = [
        f"<h1>{escape_html(title)}</h1>",
        f"<p>{escape_html(name)}: <strong>not marked yet</strong></p>",
        f"<p>It could not be marked: {escape_html(problem)}.</p>",
    ]
    return render_page(title, "\n".join(body), style=marker_page.STYLE)


def _of_levels(levels: Mapping[str, float]) -> Iterator[str]:
    for one in criteria():
        level = levels[one.id]
        yield f"<h3>{escape_html(one.title)}: {format_points(level)} of {MOST}</h3>"
        # A mean of two markers may lie between two anchors.
        for anchor in sorted({int(level), -int(-level // 1)}):
            yield f"<p>{escape_html(one.levels[anchor])}</p>"
        if level < MOST:
            yield f"<p><em>Level {MOST}: {escape_html(one.levels[MOST])}</em></p>"
