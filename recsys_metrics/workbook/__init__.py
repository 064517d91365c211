"""All that exists for learners: exercises, interactive figures, charts, and the lab they open in.

Chapters import from here. Each name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recsys_metrics.workbook.exercises import base

if TYPE_CHECKING:
    from recsys_metrics.workbook.exercises.base import Exercise
    from recsys_metrics.workbook.exercises.result import Result


# Exercises do not know the record of a learner's progress. They are connected here, because this
# module is imported before every other one of the workbook.


def _note(exercise: Exercise, result: Result) -> None:
    from recsys_metrics.workbook import progress

    progress.note(exercise, result)


def _note_help(exercise: Exercise, what: str, number: int) -> None:
    from recsys_metrics.workbook import progress

    progress.note_help(exercise, what, number)


def _recall(exercise: Exercise) -> object:
    from recsys_metrics.workbook import progress

    return progress.last_answer(exercise)


base.listeners.append(_note)
base.help_listeners.append(_note_help)
base.recallers.append(_recall)
