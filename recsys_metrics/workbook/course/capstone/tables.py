"""A case's files: columns by name, as CSV that any tool reads."""

from __future__ import annotations

import csv
import io
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.workbook.common.state_file import refuse_device
from recsys_metrics.workbook.grading.limits import GradingError

Table = dict[str, NDArray[Any]]
"""Columns of one length, by name."""


def as_csv(table: Table) -> str:
    """Return a table as text."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(table)
    rows.writerows(zip(*(values.tolist() for values in table.values()), strict=True))
    return out.getvalue()


def read(file: Path) -> Table:
    """Return what a file holds that `as_csv` made.

    Raises
    ------
    GradingError
        If it is not there, or no such table.
    """
    try:
        refuse_device(file)
        head, *rows = csv.reader(io.StringIO(file.read_text(encoding="utf-8")))
        columns = list(zip(*rows, strict=True))
        return {name: _values(one) for name, one in zip(head, columns, strict=True)}
    except (OSError, ValueError) as problem:
        raise GradingError(f"{file} cannot be read: {problem}") from None


def _values(texts: tuple[str, ...]) -> NDArray[Any]:
    """Return a column as whole numbers, else as numbers, else as it is."""
    for kind, number in ((int, np.int64), (float, np.float64)):
        with suppress(ValueError, OverflowError):
            return np.fromiter(map(kind, texts), number, len(texts))
    return np.array(texts)
