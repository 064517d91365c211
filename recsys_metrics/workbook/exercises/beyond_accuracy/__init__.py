"""Exercises on what accuracy does not see, in the order of the chapter.

`from recsys_metrics.workbook.exercises import beyond_accuracy as ex`, then `ex.<name>` shows one.
"""

from __future__ import annotations

from recsys_metrics.workbook.exercises.base import Exercise

EXERCISES: tuple[Exercise, ...] = ()

__all__ = ["EXERCISES"]
