"""Explorables of chapter 04, protocol."""

from __future__ import annotations

from recsys_metrics.workbook.explorables.base import Explorable

EXPLORABLES: tuple[Explorable, ...] = ()
