"""Exercises on rating error, in the order of the chapter.

`from recsys_metrics.workbook.exercises import rating as ex`, then `ex.<name>` shows one.
"""

from __future__ import annotations

from recsys_metrics.workbook.exercises.base import Exercise

EXERCISES: tuple[Exercise, ...] = ()

__all__ = ["EXERCISES"]
