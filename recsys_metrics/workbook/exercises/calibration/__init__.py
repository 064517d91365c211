"""Exercises on calibration, in the order of the chapter.

`from recsys_metrics.workbook.exercises import calibration as ex`, then `ex.ece` shows one.
"""

from __future__ import annotations

from itertools import chain

from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.calibration.bins import (
    ece,
    read_diagram,
    upper_bin,
    write_ece,
)
from recsys_metrics.workbook.exercises.calibration.curves import (
    after_the_map,
    guess,
    platt,
    what_moves_auc,
)
from recsys_metrics.workbook.exercises.calibration.lines import (
    complete_ece,
    complete_resample,
    complete_step,
)
from recsys_metrics.workbook.exercises.calibration.on_films import another_badge, one_genre
from recsys_metrics.workbook.exercises.calibration.parts import two_parts
from recsys_metrics.workbook.exercises.calibration.pooling import pools, write_isotonic
from recsys_metrics.workbook.exercises.calibration.practice import steps, which_calibrator
from recsys_metrics.workbook.exercises.calibration.relatives import two_relatives
from recsys_metrics.workbook.exercises.calibration.strata import two_groups
from recsys_metrics.workbook.exercises.calibration.surprise import losses
from recsys_metrics.workbook.exercises.calibration.words import explain_badge, explain_ece

PARTS: dict[str, tuple[Exercise, ...]] = {
    "05_calibration": (
        losses,
        upper_bin,
        read_diagram,
        complete_ece,
        ece,
        two_parts,
        write_ece,
        explain_ece,
    ),
    "05_calibration_maps": (
        guess,
        complete_step,
        platt,
        pools,
        write_isotonic,
        two_relatives,
        what_moves_auc,
        steps,
        which_calibrator,
    ),
    "05_calibration_movielens": (
        after_the_map,
        complete_resample,
        one_genre,
        another_badge,
        two_groups,
        explain_badge,
    ),
}
EXERCISES = tuple(chain.from_iterable(PARTS.values()))

__all__ = [
    "EXERCISES",
    "PARTS",
    "after_the_map",
    "another_badge",
    "complete_ece",
    "complete_resample",
    "complete_step",
    "ece",
    "explain_badge",
    "explain_ece",
    "guess",
    "losses",
    "one_genre",
    "platt",
    "pools",
    "read_diagram",
    "steps",
    "two_groups",
    "two_parts",
    "two_relatives",
    "upper_bin",
    "what_moves_auc",
    "which_calibrator",
    "write_ece",
    "write_isotonic",
]
