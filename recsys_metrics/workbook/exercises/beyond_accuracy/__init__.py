"""Exercises on what accuracy does not see, in the order of the chapter.

After `from recsys_metrics.workbook.exercises import beyond_accuracy as ex`,
`ex.gini_of_exposure` shows an exercise.
"""

from __future__ import annotations

from recsys_metrics.workbook.exercises.bank import open_subject
from recsys_metrics.workbook.exercises.base import Exercise

_SUBJECT = open_subject(__name__)


def __getattr__(name: str) -> Exercise:
    if name.startswith("__") or name not in _SUBJECT:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _SUBJECT[name]


def __dir__() -> list[str]:
    return [*globals(), *_SUBJECT]
