"""Exercises on protocols, evidence and experiments, in the order of the chapter.

`from recsys_metrics.workbook.exercises import protocol as ex`, then `ex.<name>` shows one.
"""

from __future__ import annotations

from itertools import chain

from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.protocol.candidates import (
    explain_the_flip,
    gain_without_evidence,
    sampled_bound,
    sampled_rank,
    winner,
)
from recsys_metrics.workbook.exercises.protocol.evidence import (
    holm,
    interval_of_the_gain,
    paired_gain,
    seed_interval,
    ship_or_not,
    write_randomization,
)
from recsys_metrics.workbook.exercises.protocol.experiments import (
    cuped_by_hand,
    kinds_of_visitors,
    ratio_error,
    users_needed,
    which_procedure,
    who_is_missing,
)
from recsys_metrics.workbook.exercises.protocol.guess import (
    other_moments,
    overlap,
    twenty_looks,
    which_unit,
)
from recsys_metrics.workbook.exercises.protocol.live import broken_experiment, broken_signs
from recsys_metrics.workbook.exercises.protocol.on_films import (
    another_moment,
    two_windows,
    your_sample,
)
from recsys_metrics.workbook.exercises.protocol.one_line import (
    complete_error,
    complete_first,
    complete_lead,
    complete_moves,
    complete_superiority,
)
from recsys_metrics.workbook.exercises.protocol.online import (
    ab_by_hand,
    funnel,
    one_slot,
    read_experiment,
    watch_time,
)
from recsys_metrics.workbook.exercises.protocol.splits import (
    choose_split,
    report_number,
    write_leaks,
)
from recsys_metrics.workbook.exercises.protocol.whole import honest_order, protocol_paragraph
from recsys_metrics.workbook.exercises.protocol.words import (
    offline_live,
    plan_test,
    why_ship_or_not,
    why_the_mean_is_not_enough,
)

PARTS: dict[str, tuple[Exercise, ...]] = {
    "04_protocol": (
        winner,
        write_leaks,
        choose_split,
        report_number,
        complete_first,
        sampled_rank,
        sampled_bound,
        your_sample,
    ),
    "04_protocol_evidence": (
        overlap,
        complete_error,
        seed_interval,
        paired_gain,
        gain_without_evidence,
        explain_the_flip,
        why_the_mean_is_not_enough,
        interval_of_the_gain,
        ship_or_not,
        why_ship_or_not,
        holm,
    ),
    "04_protocol_movielens": (
        other_moments,
        write_randomization,
        two_windows,
        another_moment,
        complete_lead,
        honest_order,
        protocol_paragraph,
    ),
    "04_protocol_people": (
        twenty_looks,
        offline_live,
        funnel,
        complete_superiority,
        watch_time,
        ab_by_hand,
        one_slot,
        read_experiment,
    ),
    "04_protocol_live": (
        which_unit,
        users_needed,
        complete_moves,
        ratio_error,
        cuped_by_hand,
        kinds_of_visitors,
        who_is_missing,
        which_procedure,
        plan_test,
        broken_signs,
        broken_experiment,
    ),
}
EXERCISES = tuple(chain.from_iterable(PARTS.values()))

__all__ = [
    "EXERCISES",
    "PARTS",
    "ab_by_hand",
    "another_moment",
    "broken_experiment",
    "broken_signs",
    "choose_split",
    "complete_error",
    "complete_first",
    "complete_lead",
    "complete_moves",
    "complete_superiority",
    "cuped_by_hand",
    "explain_the_flip",
    "funnel",
    "gain_without_evidence",
    "holm",
    "honest_order",
    "interval_of_the_gain",
    "kinds_of_visitors",
    "offline_live",
    "one_slot",
    "other_moments",
    "overlap",
    "paired_gain",
    "plan_test",
    "protocol_paragraph",
    "ratio_error",
    "read_experiment",
    "report_number",
    "sampled_bound",
    "sampled_rank",
    "seed_interval",
    "ship_or_not",
    "twenty_looks",
    "two_windows",
    "users_needed",
    "watch_time",
    "which_procedure",
    "which_unit",
    "who_is_missing",
    "why_ship_or_not",
    "why_the_mean_is_not_enough",
    "winner",
    "write_leaks",
    "write_randomization",
    "your_sample",
]
