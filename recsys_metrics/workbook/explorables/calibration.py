"""Explorables of chapter 05, calibration."""

from __future__ import annotations

from recsys_metrics.workbook.explorables.base import Explorable

EXPLORABLES: tuple[Explorable, ...] = ()
