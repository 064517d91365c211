"""Exercises on rating error, in the order of the chapter.

=============  ====================================================
file           holds
=============  ====================================================
`stars`        how ratings are drawn, and what an error is
`guess`        the guesses at the start of the parts
`errors`       MAE and RMSE: computed, ordered, written
`error_ratio`  the error ratio
`explained`    the user mean, R², explained variance
`people`       users against ratings, and which number to take
`movielens`    real ratings: what to add to a film, who is worse off
=============  ====================================================

`from recsys_metrics.workbook.exercises import rating as ex`, then `ex.<name>` shows one.
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
