"""Exercises on choosing a metric, of chapters 00 and 07, in their order.

`from recsys_metrics.workbook.exercises import choosing as ex`, then `ex.<name>` shows one.
"""

from __future__ import annotations

from itertools import chain

from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.choosing.capstone import (
    complete_tail_recall,
    evaluation_steps,
    recommendation,
    which_ships,
)
from recsys_metrics.workbook.exercises.choosing.goals import (
    all_among_twenty,
    beyond_blockbusters,
    complete_two,
    golden_rule,
    one_next_song,
    reasons_for_three_goals,
    seven_judges,
    two_goals,
)
from recsys_metrics.workbook.exercises.choosing.on_films import another_goal, harmless
from recsys_metrics.workbook.exercises.choosing.questions import (
    complete_coverage,
    how_useful,
    tell_mara,
    three_answers,
    which_question,
    which_task,
    why_useless,
)
from recsys_metrics.workbook.exercises.choosing.random_lists import lots

PARTS: dict[str, tuple[Exercise, ...]] = {
    "00_three_questions": (
        how_useful,
        why_useless,
        complete_coverage,
        which_question,
        three_answers,
        which_task,
        lots,
        tell_mara,
    ),
    "07_choosing": (
        seven_judges,
        two_goals,
        one_next_song,
        all_among_twenty,
        beyond_blockbusters,
        complete_two,
        reasons_for_three_goals,
        golden_rule,
    ),
    "07_choosing_capstone": (
        which_ships,
        evaluation_steps,
        harmless,
        complete_tail_recall,
        another_goal,
        recommendation,
    ),
}
EXERCISES = tuple(chain.from_iterable(PARTS.values()))

__all__ = [
    "EXERCISES",
    "PARTS",
    "all_among_twenty",
    "another_goal",
    "beyond_blockbusters",
    "complete_coverage",
    "complete_tail_recall",
    "complete_two",
    "evaluation_steps",
    "golden_rule",
    "harmless",
    "how_useful",
    "lots",
    "one_next_song",
    "reasons_for_three_goals",
    "recommendation",
    "seven_judges",
    "tell_mara",
    "three_answers",
    "two_goals",
    "which_question",
    "which_ships",
    "which_task",
    "why_useless",
]
