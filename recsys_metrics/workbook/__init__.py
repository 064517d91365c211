"""What learners use: exercises, interactive figures, charts, and the lab they open in.

May change: names and meanings are not settled.
"""

from __future__ import annotations

from typing import Any

from recsys_metrics.workbook.common import hooks

# The record of progress is connected with the exercises here, because this module is imported
# before every other one of the workbook. It is loaded when an exercise is checked.


def _note(exercise: Any, result: Any) -> None:
    from recsys_metrics.workbook import progress

    progress.note(exercise, result)


def _note_help(exercise: Any, what: str, number: int) -> None:
    from recsys_metrics.workbook import progress

    progress.note_help(exercise, what, number)


def _load_previous_answer(exercise: Any) -> object:
    from recsys_metrics.workbook import progress

    return progress.last_answer(exercise)


hooks.on_check.append(_note)
hooks.on_help.append(_note_help)
hooks.load_previous_answer.append(_load_previous_answer)
