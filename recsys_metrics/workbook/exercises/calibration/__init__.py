"""Exercises on calibration, in the order of the chapter.

`from recsys_metrics.workbook.exercises import calibration as ex`, then `ex.<name>` shows one.
"""

from __future__ import annotations

from recsys_metrics.workbook.exercises.base import Exercise

EXERCISES: tuple[Exercise, ...] = ()

__all__ = ["EXERCISES"]
