"""Which exercises of an assignment tell students apart: the statistics of classical test theory.

The difficulty of an exercise is the mean fraction of its points that students reach, so a high
value means an easy exercise. Its discrimination is the correlation, over students, between the
fraction of its points and the points of all other exercises (the corrected item-total correlation).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from recsys_metrics._core.confidence_intervals import normal_quantile, of_mean
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.gradebook import opened
from recsys_metrics.workbook.course.grading_report import read_grades
from recsys_metrics.workbook.course.wrong_answers import (
    Cluster,
    WrongAnswer,
    cluster,
    find_full_marks,
    find_unexplained,
)
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.grading.escaped_html import escape_html
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.static_page import render_page
from recsys_metrics.workbook.grading.submissions import SOLUTION

LEVEL = 0.95
# What textbooks of test theory ask for.
_HARD, _EASY, _WEAK = 0.2, 0.95, 0.2
_MOST_CLUSTERS = 4
_LONGEST_SHOWN = 400
_STYLE = """\
h2 { font-size: 1.2rem; margin-top: 2em }
p { max-width: 42em }
table { width: 100% }
th, td { padding: .25em 1em .25em 0 }
th[scope=row] { font-weight: normal }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .2em 0 }
th.number { white-space: normal; vertical-align: bottom }
"""


@dataclass(frozen=True)
class ClassEstimate:
    """A number with its 95% confidence interval.

    Attributes
    ----------
    value, low, high : float
        NaN where too few students were graded to know; the ends alone where nothing varies, since
        no interval follows from that.
    n : int
        Students.
    """

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "–"
        if math.isnan(self.low):
            return f"{self.value:.2f}"
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"

    @property
    def precision(self) -> str:
        """The interval and the number of students in words."""
        known = f"95% CI {self.low:.2f} to {self.high:.2f}, " if self.low < self.high else ""
        return f"{known}n = {self.n}"


@dataclass(frozen=True)
class ItemStatistics:
    """The statistics of an exercise.

    Attributes
    ----------
    exercise : Exercise
    difficulty, discrimination : ClassEstimate
    hints : float
        Mean number of hints that were opened in the book's page; NaN where nobody used it.
    solutions : int
        How many opened the worked solution there before they handed in.
    in_page : int
        How many answered there.
    explained : int
        Wrong answers that a common mistake explains.
    unexplained : list of WrongAnswer
    clusters : list of Cluster
        Of these, those alike together.
    """

    exercise: Exercise
    difficulty: ClassEstimate
    discrimination: ClassEstimate
    hints: float
    solutions: int
    in_page: int
    explained: int
    unexplained: list[WrongAnswer]
    clusters: list[Cluster]

    @property
    def remarks(self) -> list[str]:
        """What to look at, where an interval leaves no doubt."""
        found = []
        if self.difficulty.high < _HARD:
            found.append("hard: fewer than 1 in 5 points are reached")
        if self.difficulty.low > _EASY:
            found.append("easy: nearly all points are reached")
        if self.discrimination.high < 0:
            found.append("students who do well elsewhere do worse here; check the question")
        elif self.discrimination.high < _WEAK:
            found.append("tells students hardly apart")
        return found


def estimate_difficulty(shares: Sequence[float]) -> ClassEstimate:
    """Return the mean fraction of an exercise's points, with its confidence interval.

    Parameters
    ----------
    shares : sequence of float, shape (n_students,)
        Between 0 and 1.

    Examples
    --------
    >>> str(estimate_difficulty([1, 0, 1, 1, 0, 1, 1, 0, 1, 1]))
    '0.70 [0.35, 0.93]'
    """
    values = np.asarray(shares, dtype=float)
    if values.size < 2:
        return ClassEstimate(math.nan, math.nan, math.nan, values.size)
    mean = float(values.mean())
    low, high = of_mean(mean, float(values.std(ddof=1)), values.size, (0.0, 1.0), LEVEL)
    return ClassEstimate(mean, float(low), float(high), values.size)


def estimate_discrimination(shares: Sequence[float], others: Sequence[float]) -> ClassEstimate:
    r"""Return the corrected item-total correlation, with Fisher's confidence interval.

    .. math::

        r = \mathrm{corr}(x_i, t_i - x_i), \qquad
        \tanh\!\left(\operatorname{artanh} r \pm \frac{z}{\sqrt{n - 3}}\right)

    where :math:`x_i` are the points of student :math:`i` for the exercise, :math:`t_i` those for
    the assignment, :math:`n` is the number of students and :math:`z` = 1.96.

    Parameters
    ----------
    shares, others : sequence of float, shape (n_students,)
        The fraction of the exercise's points, and the points of all other exercises.

    Examples
    --------
    >>> str(estimate_discrimination([0, 0, 1, 1, 1], [1, 2, 2, 3, 4]))
    '0.72 [-0.44, 0.98]'
    """
    item, rest = np.asarray(shares, dtype=float), np.asarray(others, dtype=float)
    n = item.size
    if n < 4 or np.ptp(item) == 0 or np.ptp(rest) == 0:
        return ClassEstimate(math.nan, math.nan, math.nan, n)
    r = float(np.corrcoef(item, rest)[0, 1])
    if abs(r) > 1 - 1e-12:
        return ClassEstimate(r, math.nan, math.nan, n)
    half = normal_quantile(LEVEL) / math.sqrt(n - 3)
    low, high = (math.tanh(math.atanh(r) + sign * half) for sign in (-1, 1))
    return ClassEstimate(r, low, high, n)


def of_assignment(course: Course, assignment: Assignment) -> list[ItemStatistics]:
    """Return the statistics of each exercise of an assignment.

    Students without a grade are left out; an exercise that was not attempted brings 0 points. Of
    answers that wait for a person nothing is known yet, and their students are left out there.

    Raises
    ------
    GradingError
        If nobody was graded yet.
    """
    reports = {
        student: one
        for student, one in read_grades(course, assignment).items()
        if student not in assignment.left
    }
    full = find_full_marks(course, assignment)
    shares = _read_shares(course, assignment)
    if not len(shares):
        raise GradingError(f"no student was graded for {assignment.name} yet")
    find = assignment.lookup(course)
    out_of = np.array([*assignment.points.values()], dtype=float)
    known = ~np.isnan(shares)
    points = np.where(known, shares, 0.0) * out_of
    total = points.sum(axis=1)
    found = []
    for place, name in enumerate(assignment.points):
        here = known[:, place]
        column = shares[here, place].tolist()
        rest = (total - points[:, place])[here].tolist()
        wrong = find_unexplained(course, assignment, name)
        hints = [one["hints"].get(name, 0) for one in reports.values() if one.get("in_page")]
        counted = [one for one in hints if one < SOLUTION]
        found.append(
            ItemStatistics(
                find(name),
                estimate_difficulty(column),
                estimate_discrimination(column, rest),
                float(np.mean(counted)) if counted else math.nan,
                len(hints) - len(counted),
                len(hints),
                _count_explained(reports, name, full),
                wrong,
                cluster(wrong),
            )
        )
    return found


def _read_shares(course: Course, assignment: Assignment) -> npt.NDArray[np.float64]:
    """Return the fraction of points of each graded student and exercise; NaN where it waits."""
    rows = []
    with opened(course) as book:
        book.require_assignments([assignment.name])
        for student in assignment.students:
            grades = book.grades(assignment, student)
            if grades is None:
                continue
            rows.append(
                [
                    math.nan
                    if grade.points is None or (grade.waits and grade.manual is None)
                    else grade.points / assignment.points[grade.exercise]
                    for grade in grades
                ]
            )
    return np.array(rows, dtype=float).reshape(len(rows), len(assignment.points))


def _count_explained(
    reports: Mapping[str, Any], name: str, full: AbstractSet[tuple[str, str]]
) -> int:
    said = (
        one.get("questions", {}).get(name, {})
        for student, one in reports.items()
        if (student, name) not in full
    )
    return sum(bool(one.get("mistake")) for one in said)


def page(course: Course, assignment: Assignment, items: Sequence[ItemStatistics]) -> str:
    """Return the statistics as a page, without a student's name."""
    title = f"{assignment.name} · {course.name} · item statistics"
    heads = (
        *("Difficulty [95% CI]", "Discrimination [95% CI]", "n", "Hints", "With a mistake"),
        "Without",
    )
    numbers = "".join(f"<th scope='col' class='number'>{one}</th>" for one in heads)
    rows = "".join(map(_row, items))
    parts = [
        f"<h1>{escape_html(title)}</h1>",
        "<p>Difficulty is the mean fraction of the points, so a high value means an easy exercise. "
        "Discrimination is the correlation with the points of all other exercises. Hints are the "
        "mean number that was opened in the book's page by those who did not open the worked "
        "solution. The last two columns count wrong answers "
        "that a common mistake explains, and those that none explains.</p>",
        f"<div class='scroll'><table><thead><tr><th scope='col'>Exercise</th>{numbers}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>",
        "<h2>Wrong answers that no mistake explains</h2>",
    ]
    parts += [_show_clusters(one, assignment.name) for one in items if one.unexplained]
    if not any(one.unexplained for one in items):
        parts.append("<p>There are none.</p>")
    return render_page(title, "\n".join(parts), style=_STYLE)


def _row(item: ItemStatistics) -> str:
    hints = "–" if math.isnan(item.hints) else f"{item.hints:.1f}"
    cells = (
        *(str(item.difficulty), str(item.discrimination), str(item.difficulty.n), hints),
        *(str(item.explained), str(len(item.unexplained))),
    )
    seen = [f"{item.solutions} of {item.in_page} saw the solution"] if item.solutions else []
    remarks = "".join(f"<br><em>{escape_html(one)}</em>" for one in [*item.remarks, *seen])
    shown = "".join(f"<td class='number'>{escape_html(one)}</td>" for one in cells)
    name = f"{escape_html(item.exercise.title)} ({escape_html(item.exercise.id)})"
    return f"<tr><th scope='row'>{name}{remarks}</th>{shown}</tr>"


def _show_clusters(item: ItemStatistics, assignment: str) -> str:
    rows = [f"<h3>{escape_html(item.exercise.title)} ({escape_html(item.exercise.id)})</h3>"]
    for one in item.clusters[:_MOST_CLUSTERS]:
        shown = escape_html(one.shown[:_LONGEST_SHOWN])
        rows.append(f"<p>{len(one.answers)} students:</p><pre>{shown}</pre>")
    clustered = sum(len(one.answers) for one in item.clusters)
    rest = len(item.unexplained) - clustered
    rows.append(f"<p>{rest} of {len(item.unexplained)} are like no other.</p>")
    if item.clusters and not isinstance(item.exercise, Function):
        rows.append(
            f"<p><code>course class propose-mistake {assignment} "
            f"{escape_html(item.exercise.id)}</code> writes entries for the bank.</p>"
        )
    return "".join(rows)
