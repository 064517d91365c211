"""Exercises on judges that are models and lists that models write, of chapter 08, in their order.

`from recsys_metrics.workbook.exercises import judges as ex`, then `ex.<name>` shows one.
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
