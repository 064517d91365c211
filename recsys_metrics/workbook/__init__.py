"""What learners use: exercises, interactive figures, charts, and the lab they open in.

Chapters import from here. Each name is loaded when it is first used, so that importing this
module loads no exercise and no figure.

May change: names and meanings are not settled.

>>> from recsys_metrics.workbook import exercises, table
>>> exercises.ranking.average_precision_of_list.id
'ranking.e4'
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from recsys_metrics.workbook.common import hooks

_MODULES = {
    "charts": "charts",
    "exercises": "exercises",
    "explorables": "explorables",
    "interval_coverage": "experiments.interval_coverage",
    "interval_study": "experiments.interval_study",
    "judge_study": "experiments.judge_study",
    "scale": "experiments.scale",
    "simulator": "simulator",
    "source_checks": "source_checks",
    "speed": "experiments.speed",
}
_NAMES = {
    "Comparisons": "experiments.comparison_table",
    "load_if_available": "experiments.optional_datasets",
    "card": "cards",
    "compare_values": "experiments.comparison_table",
    "symbol_table": "cards",
    "keep_liked": "experiments.movielens",
    "recommended_lists": "experiments.recommendation_cache",
    "movielens_experiment": "experiments.movielens",
    "movielens_match_percent": "experiments.match_percent",
    "shop_experiment": "experiments.shop",
    "first_clicks": "experiments.sequences",
    "retrain_weekly": "experiments.sequences",
    "draw_opening": "opening_figures",
    "metric_table": "cards.metric_catalog",
    "hand_in": "progress.hand_in",
    "ranked_list": "charts.ranked_lists",
    "review_questions": "progress.review_questions",
    "cheat_sheet": "cards.cheat_sheet",
    "table": "common.tables",
}

__all__ = sorted([*_MODULES, *_NAMES])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{_MODULES[name]}")
    if name in _NAMES:
        return getattr(import_module(f"{__name__}.{_NAMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


# The record of progress is connected with the exercises here, because this module is imported
# before every other one of the workbook. It is loaded when an exercise is checked.


def _note(exercise: Any, result: Any) -> str:
    from recsys_metrics.workbook import progress

    return progress.record_check(exercise, result)


def _note_help(exercise: Any, what: str, number: int) -> None:
    from recsys_metrics.workbook import progress

    progress.record_help(exercise, what, number)


def _load_previous_answer(exercise: Any) -> object:
    from recsys_metrics.workbook import progress

    return progress.load_previous_answer(exercise)


hooks.on_check.append(_note)
hooks.on_help.append(_note_help)
hooks.load_previous_answer.append(_load_previous_answer)
