"""Rules for exercises that ask for one or several options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.grading.custom_exercises import ExerciseFault
from recsys_metrics.workbook.grading.exercise_rules.wording import (
    WITH_MISTAKES,
    find_wrong_parameters,
    name_function,
    shorten,
)


def find_wrong_picks(exercise: Choice, given: Any) -> str:
    """Return what is wrong with options that were returned, or nothing."""
    keys = [given] if isinstance(given, str) else given
    if given is None or (
        isinstance(keys, list | tuple | frozenset | set) and {*keys} <= {*exercise.options}
    ):
        return ""
    return f"it has to return the short word of an option: {', '.join(exercise.options)}"


def find_unknown_option(exercise: Choice) -> Iterator[ExerciseFault]:
    """Say that `solve` does not return an option, on the inputs or on drawn ones."""
    draws = (
        (exercise.draw(np.random.default_rng(seed)) for seed in range(WITH_MISTAKES))
        if (exercise.draw is not None)
        else ()
    )
    for inputs in (exercise.inputs, *draws):
        if says := find_wrong_parameters(exercise.solve):
            yield ExerciseFault(f"has a `solve` that fails: {says}", ("solve",))
            return
        given: Any = exercise.solve(inputs)
        says = "is `return` missing?" if given is None else find_wrong_picks(exercise, given)
        if says:
            on = "" if inputs is exercise.inputs else f" on the drawn inputs {shorten(inputs)}"
            yield ExerciseFault(
                f"has a `solve`, {name_function(exercise.solve)}, that returned "
                f"{shorten(given)}{on}; {says}",
                ("solve",),
            )
            return


def find_unexplained_options(exercise: Choice) -> Iterator[ExerciseFault]:
    """Say which wrong option no mistake leads to."""
    for key in set(exercise.options) - set(exercise.accepted_answers):
        picked = {*exercise.accepted_answers, key} if exercise.chooses_all else key
        if not replace(exercise).check(picked).mistake:
            yield ExerciseFault(
                f"does not say why the option {key} is wrong: no mistake leads to it; add one "
                f"with `picks: {key}`",
                ("options", key),
            )
