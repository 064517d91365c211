"""Explorables of chapter 00 and 07."""

from __future__ import annotations

from recsys_metrics.workbook.explorables.base import Explorable

EXPLORABLES: tuple[Explorable, ...] = ()
