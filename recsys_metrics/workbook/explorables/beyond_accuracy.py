"""Explorables of chapter 03, beyond accuracy."""

from __future__ import annotations

from recsys_metrics.workbook.explorables.base import Explorable

EXPLORABLES: tuple[Explorable, ...] = ()
