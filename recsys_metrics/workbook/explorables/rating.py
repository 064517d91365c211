"""Explorables of chapter 01, rating."""

from __future__ import annotations

from recsys_metrics.workbook.explorables.base import Explorable

EXPLORABLES: tuple[Explorable, ...] = ()
