"""Exercises on ranked lists, in the order of the chapter.

`from recsys_metrics.workbook.exercises import ranking as ex`, then `ex.e5` shows one.
"""

from __future__ import annotations

from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.ranking.averages import (
    e4,
    which_divisor,
    write_average_precision,
)
from recsys_metrics.workbook.exercises.ranking.gain import e5, graded_gain, write_ndcg
from recsys_metrics.workbook.exercises.ranking.hits import e2, write_precision
from recsys_metrics.workbook.exercises.ranking.pairs import e6, fcp, tied_auc
from recsys_metrics.workbook.exercises.ranking.reciprocal import e3

EXERCISES: tuple[Exercise, ...] = (
    e2,
    write_precision,
    e3,
    e4,
    which_divisor,
    write_average_precision,
    e5,
    graded_gain,
    write_ndcg,
    e6,
    tied_auc,
    fcp,
)

__all__ = [
    "EXERCISES",
    "e2",
    "e3",
    "e4",
    "e5",
    "e6",
    "fcp",
    "graded_gain",
    "tied_auc",
    "which_divisor",
    "write_average_precision",
    "write_ndcg",
    "write_precision",
]
