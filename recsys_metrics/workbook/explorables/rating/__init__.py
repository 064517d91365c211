"""Explorables of chapter 01, rating."""

from __future__ import annotations

from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.rating.added import added
from recsys_metrics.workbook.explorables.rating.constant import constant
from recsys_metrics.workbook.explorables.rating.outlier import outlier
from recsys_metrics.workbook.explorables.rating.shift import shift

EXPLORABLES: tuple[Explorable, ...] = (outlier, constant, shift, added)

__all__ = ["EXPLORABLES", "added", "constant", "outlier", "shift"]
