"""Exercises on protocols, evidence and experiments, in the order of the chapter.

`from recsys_metrics.workbook.exercises import protocol as ex`, then `ex.<name>` shows one.
"""

from __future__ import annotations

from itertools import chain

from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.protocol.candidates import (
    e10,
    e10b,
    sampled_bound,
    sampled_rank,
    winner,
)
from recsys_metrics.workbook.exercises.protocol.evidence import (
    e11,
    e11c,
    holm,
    paired_gain,
    seed_interval,
    write_randomization,
)
from recsys_metrics.workbook.exercises.protocol.experiments import (
    cuped_by_hand,
    ratio_error,
    users_needed,
    which_procedure,
)
from recsys_metrics.workbook.exercises.protocol.live import broken_experiment, broken_signs
from recsys_metrics.workbook.exercises.protocol.on_films import another_moment, two_windows
from recsys_metrics.workbook.exercises.protocol.online import (
    funnel,
    read_experiment,
    watch_time,
)
from recsys_metrics.workbook.exercises.protocol.splits import choose_split, write_leaks
from recsys_metrics.workbook.exercises.protocol.whole import honest_order, protocol_paragraph

PARTS: dict[str, tuple[Exercise, ...]] = {
    "04_protocol": (
        winner,
        write_leaks,
        choose_split,
        sampled_rank,
        sampled_bound,
    ),
    "04_protocol_evidence": (
        seed_interval,
        paired_gain,
        e10,
        e10b,
        e11,
        e11c,
        write_randomization,
        holm,
    ),
    "04_protocol_movielens": (
        two_windows,
        another_moment,
        honest_order,
        protocol_paragraph,
    ),
    "04_protocol_people": (
        funnel,
        watch_time,
        read_experiment,
    ),
    "04_protocol_live": (
        users_needed,
        ratio_error,
        cuped_by_hand,
        which_procedure,
        broken_signs,
        broken_experiment,
    ),
}
EXERCISES = tuple(chain.from_iterable(PARTS.values()))

__all__ = [
    "EXERCISES",
    "PARTS",
    "another_moment",
    "broken_experiment",
    "broken_signs",
    "choose_split",
    "cuped_by_hand",
    "e10",
    "e10b",
    "e11",
    "e11c",
    "funnel",
    "holm",
    "honest_order",
    "paired_gain",
    "protocol_paragraph",
    "ratio_error",
    "read_experiment",
    "sampled_bound",
    "sampled_rank",
    "seed_interval",
    "two_windows",
    "users_needed",
    "watch_time",
    "which_procedure",
    "winner",
    "write_leaks",
    "write_randomization",
]
