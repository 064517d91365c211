"""Two markers of the same reports: how far they agree, and what comes out."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.workbook.course.capstone.rubric import MOST, criteria
from recsys_metrics.workbook.course.folder import CourseError

Levels = Mapping[str, Mapping[str, int]]
"""By code of a report, by criterion."""


@dataclass(frozen=True)
class Agreement:
    """How far two markers agree.

    Attributes
    ----------
    reports : int
        That both have marked.
    kappa : dict of str to float
        Quadratically weighted, by criterion; NaN where both gave one level to all.
    overall : float
        The same over all criteria at once.
    same : float
        Share of levels that are equal.
    """

    reports: int
    kappa: dict[str, float]
    overall: float
    same: float


def weighted_kappa(one: Sequence[int], other: Sequence[int], *, most: int = MOST) -> float:
    r"""How far do two markers agree beyond chance, a step of two counting four times one of one?

    Parameters
    ----------
    one, other : (n,) sequences of int
        Levels from 0 to `most`, of the same reports.
    most : int

    Returns
    -------
    float
        1 if they agree, 0 if as chance would; NaN if each gave one and the same level to all.

    Notes
    -----
    .. math:: \kappa = 1 - \frac{\sum_{ij} (i - j)^2 O_{ij}}{\sum_{ij} (i - j)^2 E_{ij}}

    with :math:`O` the counts of pairs of levels and :math:`E` what the margins alone would give.

    References
    ----------
    Cohen (1968), Weighted kappa: nominal scale agreement with provision for scaled disagreement or
    partial credit, Psychological Bulletin 70(4).

    Examples
    --------
    >>> round(weighted_kappa([0, 1, 2, 3], [0, 1, 2, 2]), 3)
    0.875
    """
    levels = np.arange(most + 1)
    observed: NDArray[np.float64] = np.zeros((most + 1, most + 1))
    np.add.at(observed, (np.asarray(one), np.asarray(other)), 1)
    weights = (levels[:, None] - levels[None, :]) ** 2
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / observed.sum()
    by_chance = float((weights * expected).sum())
    return float("nan") if by_chance == 0 else float(1 - (weights * observed).sum() / by_chance)


def agree(one: Levels, other: Levels) -> Agreement:
    """Return how far two markers agree on the reports that both have marked.

    Raises
    ------
    CourseError
        If there is none.
    """
    both = sorted(set(one) & set(other))
    if not both:
        raise CourseError("no report has the levels of both markers")
    kappa = {}
    first: list[int] = []
    second: list[int] = []
    for criterion in criteria():
        pair = [[levels[code][criterion.id] for code in both] for levels in (one, other)]
        kappa[criterion.id] = weighted_kappa(*pair)
        first += pair[0]
        second += pair[1]
    same = float(np.mean(np.equal(first, second)))
    return Agreement(len(both), kappa, weighted_kappa(first, second), same)


def empty_sheet(codes: Sequence[str]) -> str:
    """Return a table to fill in, a row a report."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["report", *(one.id for one in criteria()), "comment"])
    rows.writerows([code, *[""] * (len(criteria()) + 1)] for code in codes)
    return out.getvalue()


def read_sheet(file: Path) -> dict[str, dict[str, int]]:
    """Return the levels of a table, of the reports that are filled in.

    Raises
    ------
    CourseError
        If a row is half filled in, or a level is none.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8-sig"))))
    except OSError as problem:
        raise CourseError(f"{file} cannot be read: {problem.strerror}") from None
    found = {}
    for number, row in enumerate(rows, 2):
        given = {one.id: (row.get(one.id) or "").strip() for one in criteria()}
        if not any(given.values()):
            continue
        for name, text in given.items():
            if text not in {str(level) for level in range(MOST + 1)}:
                raise CourseError(
                    f"{file}, line {number}: {name} is {text!r}; give a level from 0 to {MOST}, or "
                    "leave the whole row empty"
                )
        found[(row.get("report") or "").strip()] = {name: int(text) for name, text in given.items()}
    return found
