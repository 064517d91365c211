"""Two markers of the same answers: the tables they fill in, and how far they agree."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.workbook.course.text_tables import (
    read_rows,
    read_text,
    refuse_more_cells,
    refuse_repeated_columns,
)
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError

SHEET = "levels.csv"
CODE = "report"

Levels = Mapping[str, Mapping[str, int]]
"""By code of a student, by column."""

Columns = Mapping[str, int]
"""What is marked, and the highest level of each."""


@dataclass(frozen=True)
class Agreement:
    """How far two markers agree.

    Attributes
    ----------
    both : int
        How many both have marked.
    kappa : dict of str to float
        Quadratically weighted, by column; NaN where both gave one level to all.
    overall : float
        The same over all columns at once.
    same : float
        Share of levels that are equal.
    """

    both: int
    kappa: dict[str, float]
    overall: float
    same: float


def weighted_kappa(one: Sequence[int], other: Sequence[int], *, most: int) -> float:
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
    >>> round(weighted_kappa([0, 1, 2, 3], [0, 1, 2, 2], most=3), 3)
    0.875
    """
    levels = np.arange(most + 1)
    observed: NDArray[np.float64] = np.zeros((most + 1, most + 1))
    np.add.at(observed, (np.asarray(one), np.asarray(other)), 1)
    weights = (levels[:, None] - levels[None, :]) ** 2
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / observed.sum()
    by_chance = float((weights * expected).sum())
    return float("nan") if by_chance == 0 else float(1 - (weights * observed).sum() / by_chance)


def agree(one: Levels, other: Levels, columns: Columns) -> Agreement:
    """Return how far two markers agree on those that both have marked.

    Parameters
    ----------
    one, other : mapping
    columns : mapping of str to int

    Raises
    ------
    GradingError
        If there is none.
    """
    both = sorted(set(one) & set(other))
    if not both:
        raise GradingError("nobody has the levels of both markers")
    pairs = {
        name: [[levels[code][name] for code in both] for levels in (one, other)] for name in columns
    }
    kappa = {name: weighted_kappa(*pairs[name], most=most) for name, most in columns.items()}
    first, second = (
        [level for name in columns for level in pairs[name][place]] for place in (0, 1)
    )
    overall = weighted_kappa(first, second, most=max(columns.values()))
    return Agreement(len(both), kappa, overall, float(np.mean(np.equal(first, second))))


def told(
    sheets: Mapping[str, Levels], columns: Columns, titles: Mapping[str, str]
) -> Iterator[str]:
    """Say how far markers agree, two by two.

    A dash stands where both gave one level to all: then nothing can be said about agreement.

    Parameters
    ----------
    sheets : mapping
        Levels by marker.
    columns : mapping of str to int
    titles : mapping of str to str
        How each column reads.
    """
    for one, other in combinations(sheets, 2):
        found = agree(sheets[one], sheets[other], columns)
        yield (
            f"{one} and {other}: {found.both} in common, weighted kappa {_said(found.overall)}, "
            f"{found.same:.0%} of levels equal"
        )
        for name in columns:
            yield f"  {_said(found.kappa[name]):>5}  {titles[name]}"


def _said(kappa: float) -> str:
    return f"{kappa:.2f}" if math.isfinite(kappa) else "–"


def means(sheets: Mapping[str, Levels], columns: Columns, code: str) -> dict[str, float] | None:
    """Return the mean level of each column over the markers; None where nobody gave one."""
    levels = [by_code[code] for by_code in sheets.values() if code in by_code]
    if not levels:
        return None
    return {name: float(np.mean([one[name] for one in levels])) for name in columns}


def empty_sheet(codes: Sequence[str], columns: Columns) -> str:
    """Return a table to fill in, a row a student."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow([CODE, *columns, "comment"])
    rows.writerows([code, *[""] * (len(columns) + 1)] for code in codes)
    return out.getvalue()


def keep_sheet(file: Path, codes: Sequence[str], columns: Columns) -> list[str]:
    """Write a table to fill in where there is none; return the codes that one there lacks."""
    if not file.exists():
        atomic_files.replace_file(file, empty_sheet(codes, columns))
        return []
    there = {row.partition(",")[0] for row in file.read_text(encoding="utf-8-sig").splitlines()}
    return [code for code in codes if code not in there]


def read_sheets(files: Iterable[Path], columns: Columns) -> dict[str, dict[str, dict[str, int]]]:
    """Return the levels of each marker who gave any; a marker's table lies in their folder."""
    found = {file.parent.name: read_sheet(file, columns) for file in files}
    return {who: levels for who, levels in found.items() if levels}


def read_sheet(file: Path, columns: Columns) -> dict[str, dict[str, int]]:
    """Return the levels of a table, of those that are filled in.

    Parameters
    ----------
    file : Path
    columns : mapping of str to int

    Raises
    ------
    GradingError
        If it cannot be read, a row is half filled in, or a level is none.
    """
    (_, head), *rows = read_rows(file, read_text(file)) or [(1, [])]
    refuse_repeated_columns(file, head)
    found = {}
    for number, cells in rows:
        refuse_more_cells(f"{file}, line {number}", head, cells)
        row = dict(zip(head, cells, strict=False))
        given = {name: (row.get(name) or "").strip() for name in columns}
        if not any(given.values()):
            continue
        for name, text in given.items():
            if text not in {str(level) for level in range(columns[name] + 1)}:
                raise GradingError(
                    f"{file}, line {number}: {name} is {text!r}; give a level from 0 to "
                    f"{columns[name]}, or leave the whole row empty"
                )
        found[(row.get(CODE) or "").strip()] = {name: int(text) for name, text in given.items()}
    return found
